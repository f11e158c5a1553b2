"""Ratings: long data, roles of columns, and what stands beside ratings."""

from __future__ import annotations

import gzip
import json
import os
from collections.abc import Sequence
from typing import ClassVar

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from headcount import DataError, Labels, OptionError, Scale, agree, read_ratings, scan_ratings
from headcount.io.roles import roles_of

LONG = "item,rater,label\na,ann,yes\na,bob,no\nb,ann,yes\nb,bob,\n"
WIDE = "item,ann,bob\na,yes,no\nb,yes,\n"


def triples(labels):
    names = np.array(labels.scale.labels, dtype=object)
    return sorted(
        zip(
            map(str, labels.items[labels.item]),
            map(str, labels.raters[labels.rater]),
            names[labels.label],
            strict=True,
        )
    )


EXPECTED = [("a", "ann", "yes"), ("a", "bob", "no"), ("b", "ann", "yes")]


def long_records():
    rows = [line.split(",") for line in LONG.splitlines()[1:]]
    return [
        dict(zip(("item", "rater", "label"), (x or None for x in r), strict=True)) for r in rows
    ]


def write(path, text, encoding="utf-8"):
    path.write_bytes(text.encode(encoding))
    return path


@pytest.mark.parametrize("text", [LONG, WIDE])
@pytest.mark.parametrize(
    ("suffix", "delimiter"), [(".csv", ","), (".tsv", "\t"), (".csv", ";"), (".txt", "|")]
)
@pytest.mark.parametrize("packed", [False, True])
def test_delimited_text(tmp_path, text, suffix, delimiter, packed):
    path = tmp_path / f"r{suffix}{'.gz' if packed else ''}"
    data = text.replace(",", delimiter).encode()
    path.write_bytes(gzip.compress(data) if packed else data)
    assert triples(read_ratings(path)) == EXPECTED


@pytest.mark.parametrize("packed", [False, True])
def test_json_lines(tmp_path, packed):
    data = "".join(json.dumps(record) + "\n" for record in long_records()).encode()
    path = tmp_path / ("r.jsonl.gz" if packed else "r.jsonl")
    path.write_bytes(gzip.compress(data) if packed else data)
    assert triples(read_ratings(path)) == EXPECTED


def test_parquet(tmp_path):
    pq.write_table(pa.Table.from_pylist(long_records()), tmp_path / "r.parquet")
    assert triples(read_ratings(tmp_path / "r.parquet")) == EXPECTED


@pytest.mark.parametrize("make", [pd.DataFrame, pl.DataFrame, pl.LazyFrame, pa.Table.from_pylist])
def test_frames(make):
    labels = read_ratings(make(long_records()))
    assert triples(labels) == EXPECTED
    assert labels.backend in ("pandas", "polars", "pyarrow")


def test_wide_frame_with_gaps_as_nan():
    frame = pd.DataFrame({"item": [1, 2], "r1": [1.0, np.nan], "r2": [0.0, 1.0]})
    assert triples(read_ratings(frame)) == [("1", "r1", "1"), ("1", "r2", "0"), ("2", "r2", "1")]


def test_numbers_with_gaps_are_the_same_labels_in_every_format(tmp_path):
    frame = pd.DataFrame({"item": ["a", "b"], "r1": [1.0, np.nan], "r2": [0, 1]})
    frame.to_csv(tmp_path / "r.csv", index=False)
    frame.to_parquet(tmp_path / "r.parquet")
    for source in (frame, tmp_path / "r.csv", tmp_path / "r.parquet"):
        labels = read_ratings(source)
        assert labels.scale.labels == ("0", "1")
        assert len(labels) == 3


@pytest.mark.parametrize(
    "header",
    [
        "task,worker,label",
        "Task ID,Worker ID,Rating",
        "id,annotator,answer",
        "item_id,rater-id,response",
        "example.id,annotator_id,judgment",
    ],
)
def test_columns_are_known_by_the_names_people_use(tmp_path, header):
    labels = read_ratings(write(tmp_path / "r.csv", LONG.replace("item,rater,label", header)))
    assert triples(labels) == EXPECTED
    item = header.split(",")[0]
    assert any(f"item = '{item}'" in note for note in labels.notes)


def test_columns_can_be_given(tmp_path):
    text = LONG.replace("item,rater,label", "comment,who,what")
    path = write(tmp_path / "r.csv", text)
    labels = read_ratings(path, item="comment", rater="who", label="what")
    assert triples(labels) == EXPECTED
    assert not any("read as" in note for note in labels.notes)


def test_extra_columns_of_long_data_are_ignored(tmp_path):
    rows = [f"{n},{line}" for n, line in enumerate(LONG.splitlines()[1:])]
    path = write(tmp_path / "r.csv", "\n".join([",item,rater,label", *rows]))
    assert triples(read_ratings(path)) == EXPECTED


def test_wide_index_column_beside_an_item_column_is_ignored(tmp_path):
    path = write(tmp_path / "r.csv", ",item,ann,bob\n0,a,yes,no\n1,b,yes,\n")
    assert triples(read_ratings(path)) == EXPECTED


def test_wide_without_a_name_for_the_item_column(tmp_path):
    path = write(tmp_path / "r.csv", WIDE.removeprefix("item"))
    assert triples(read_ratings(path)) == EXPECTED


def test_integer_ids_are_integers_only_if_all_are(tmp_path):
    path = write(tmp_path / "r.csv", "item,rater,label\n10,1,x\n9,01,y\n")
    labels = read_ratings(path)
    assert labels.items.tolist() == [9, 10]
    assert labels.raters.tolist() == ["01", "1"]


def test_unicode_quotes_and_blanks(tmp_path):
    text = 'item,rater,label\n"a ""1"", ü","名前 ", да \n"a ""1"", ü",bob,\nb\u00a0c,bob,🙂\n'
    labels = read_ratings(write(tmp_path / "r.csv", text, "utf-8-sig"))
    assert triples(labels) == [('a "1", ü', "名前", "да"), ("b\u00a0c", "bob", "🙂")]


def test_windows_line_ends(tmp_path):
    path = write(tmp_path / "r.csv", LONG.replace("\n", "\r\n"))
    assert triples(read_ratings(path)) == EXPECTED


def test_missing_is_never_a_label(tmp_path):
    text = (
        "item,rater,label\na,1,yes\na,2,NaN\na,3,None\na,4,null\na,5,none\na,6,\n,7,yes\nb,,yes\n"
    )
    labels = read_ratings(write(tmp_path / "r.csv", text))
    assert labels.scale.labels == ("yes",)
    assert len(labels) == 1
    assert any("without a label left out" in note for note in labels.notes)
    assert any("'NaN' (" in note and "read as missing" in note for note in labels.notes)
    assert any("1 row without an item" in note for note in labels.notes)
    assert any("1 row without a rater" in note for note in labels.notes)


def test_duplicates(tmp_path):
    path = write(tmp_path / "r.csv", LONG + "a,ann,no\na,ann,no\n")
    with pytest.raises(DataError, match=r"r.csv: 2 ratings repeat .* rows 2 and 6\..*first"):
        read_ratings(path)
    labels = read_ratings(path, duplicates="first")
    assert triples(labels) == EXPECTED
    assert any("2 ratings repeat" in note for note in labels.notes)
    with pytest.raises(OptionError, match="did you mean 'first'"):
        read_ratings(path, duplicates="frist")


def test_declared_labels(tmp_path):
    path = write(tmp_path / "r.csv", LONG)
    labels = read_ratings(path, labels=["yes", "maybe", "no"])
    assert labels.scale.labels == ("yes", "maybe", "no")
    assert triples(labels) == EXPECTED
    with pytest.raises(DataError, match=r"row 2: label 'yes' is not among .*did you mean 'yess'"):
        read_ratings(path, labels=["yess", "no"])


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        ("r.csv", b"", "r.csv is empty"),
        ("r.csv", b"item,rater,label\n", "r.csv is empty: it has a header but no rows"),
        ("r.csv", b"\n1,2,3\n", "the first row is blank"),
        ("r.csv", b"item,rater,label\na,1,x\nb,2,y,z\n", "row 3: 4 columns, but the header has 3"),
        ("r.csv", b"item,rater,label\na,1\n", r"row 2: 2 columns, but the header has 3\. Add"),
        ("r.csv", b"item\na\n", "single column"),
        ("r.csv", b"itme,rater,label\na,1,x\n", "no column found for the item.*mean 'itme'"),
        (
            "r.csv",
            b"item,ratr,label\na,1,x\n",
            "each item has one row, with a column 'label' beside 'ratr'",
        ),
        ("r.csv", b"item,rater,lable\na,1,x\n", "no column found for the label.*mean 'lable'"),
        ("r.csv", b"item,rater,label\na,1,\n", "no ratings"),
        ("r.json", b"[]", "r.json is empty: there are no rows"),
        ("r.jsonl", b'{"item": 1,\n', "r.jsonl"),
        ("r.csv.gz", b"\x1f\x8b\x08broken", "r.csv.gz: the gzip archive is damaged"),
    ],
)
def test_bad_files_are_explained(tmp_path, name, content, message):
    path = tmp_path / name
    path.write_bytes(content)
    with pytest.raises(DataError, match=message):
        read_ratings(path)


def test_no_such_file_suggests_a_neighbour(tmp_path):
    write(tmp_path / "ratings.csv", LONG)
    with pytest.raises(DataError, match=r"no such file: .*Did you mean '.*ratings.csv'"):
        read_ratings(tmp_path / "rating.csv")
    with pytest.raises(DataError, match="is a folder"):
        read_ratings(tmp_path)


def test_given_column_that_is_not_there(tmp_path):
    path = write(tmp_path / "r.csv", LONG)
    with pytest.raises(DataError, match=r"no column 'labels' for the label\. Did you mean 'label'"):
        read_ratings(path, label="labels")


def test_one_column_cannot_play_two_roles(tmp_path):
    path = write(tmp_path / "r.csv", LONG)
    with pytest.raises(DataError, match="two roles"):
        read_ratings(path, item="rater")


def test_wide_column_that_is_no_rater(tmp_path):
    rows = [f"{i},some text {i},yes,no" for i in range(30)]
    path = write(tmp_path / "r.csv", "\n".join(["item,passage,ann,bob", *rows]))
    labels = read_ratings(path)
    assert labels.raters.tolist() == ["ann", "bob"]
    assert any("'passage': left out, because names say" in note for note in labels.notes)


def test_wide_columns_of_continuous_ratings_need_share_no_value(tmp_path):
    rows = [f"{i},{i / 31},{i / 37}," + ("NaN" if i == 3 else f"{i / 41}") for i in range(1, 31)]
    path = write(tmp_path / "r.csv", "\n".join(["item,ann,bob,eve", *rows]))
    assert len(read_ratings(path)) == 89
    # A column that is called as a fact is nobody's.
    rows = [f"{i},{i % 5 + 1},{i % 4 + 1},{i / 41 + 100}" for i in range(30)]
    path = write(tmp_path / "r.csv", "\n".join(["item,ann,bob,seconds", *rows]))
    assert read_ratings(path).raters.tolist() == ["ann", "bob"]


def test_pandas_index_that_holds_the_items():
    frame = pd.DataFrame({"ann": ["yes", "no"], "bob": ["yes", "yes"]}, index=["a", "b"])
    with pytest.raises(DataError, match="reset_index"):
        read_ratings(frame)


def test_neither_path_nor_frame():
    with pytest.raises(DataError, match="expected the path of a file, a data frame"):
        read_ratings([1, 2, 3])


def test_empty_frame():
    with pytest.raises(DataError, match="no rows"):
        read_ratings(pl.DataFrame({"item": [], "rater": [], "label": []}))


def test_numbers_are_written_one_way_beside_words_too(tmp_path):
    text = "item,rater,label\na,1,1\na,2,1.0\na,3,mixed\na,4,0.50\n"
    path = write(tmp_path / "r.csv", text)
    assert read_ratings(path, missing="mixed").scale.labels == ("0.5", "1")
    read = read_ratings(path, labels=["0.5", "1", "mixed"])
    assert (len(read), read.scale.labels) == (4, ("0.5", "1", "mixed"))


def test_large_integers_stay_apart():
    labels = Labels.from_triples([1, 2], [1, 1], ["9007199254740993", "9007199254740992"])
    assert len(labels.scale.labels) == 2


def test_booleans_are_written_one_way(tmp_path):
    frame = pd.DataFrame({"item": [1, 1, 2], "rater": [1, 2, 1], "label": [True, False, True]})
    frame.to_parquet(tmp_path / "r.parquet")
    frame.to_csv(tmp_path / "r.csv", index=False)
    for source in (frame, tmp_path / "r.parquet", tmp_path / "r.csv"):
        assert read_ratings(source).scale.labels == ("False", "True")
    mixed = Labels.from_triples([1, 1, 2], [1, 2, 1], [True, 1, 0])
    assert mixed.scale.labels == ("0", "1", "True")


def test_wide_columns_with_one_name_or_none(tmp_path):
    with pytest.raises(DataError, match="row 1: several columns are called 'ann'"):
        read_ratings(write(tmp_path / "r.csv", "item,ann,ann\na,yes,no\n"))
    with pytest.raises(DataError, match="column 3 has values and no name"):
        read_ratings(write(tmp_path / "r.csv", "item,ann,,bob\na,yes,no,no\n"))
    labels = read_ratings(write(tmp_path / "r.csv", "item,ann,,bob\na,yes,,no\n"))
    assert any("1 column without a name left out" in note for note in labels.notes)


def test_misspelt_long_headers_are_not_read_as_raters(tmp_path):
    path = write(tmp_path / "r.csv", "itm,ratr,labl\na,ann,yes\na,bob,no\n")
    with pytest.raises(DataError, match=r"repeat an item and rater"):
        read_ratings(path)
    named = {"item": "itm", "rater": "ratr", "label": "labl"}
    assert len(read_ratings(path, **named).raters) == 2


def test_items_and_labels_alone_are_anonymous(tmp_path):
    path = write(tmp_path / "r.csv", "item,label\na,yes\nb,no\n")
    assert read_ratings(path).anonymous


def test_unreadable_files(tmp_path):
    path = write(tmp_path / "r.jsonl", "[1, 2]\n")
    with pytest.raises(DataError, match="one JSON object a row"):
        read_ratings(path)
    os.mkfifo(tmp_path / "pipe.csv")
    with pytest.raises(DataError, match="is a pipe"):
        read_ratings(tmp_path / "pipe.csv")


def test_too_many_labels_to_count():
    labels = Labels(
        items=np.arange(20_000),
        raters=np.arange(1),
        scale=Scale(tuple(map(str, range(20_000)))),
        item=np.arange(20_000),
        rater=np.zeros(20_000, dtype=int),
        label=np.arange(20_000),
    )
    with pytest.raises(DataError, match="too many to count"):
        labels.counts()


def test_columns_can_be_ignored(tmp_path):
    text = "item,gold,ann,condition,bob\na,no,yes,x,no\nb,yes,yes,y,\n"
    path = write(tmp_path / "r.csv", text)
    frame = pl.read_csv(path)
    frame.write_parquet(tmp_path / "r.parquet")
    for data in (path, tmp_path / "r.parquet", frame, frame.lazy(), frame.to_pandas()):
        assert triples(read_ratings(data, ignore=["gold", "condition"])) == EXPECTED


def test_an_ignored_column_plays_no_part(tmp_path):
    # Without it, 'label' would make these data long.
    path = write(tmp_path / "r.csv", "item,label,ann,bob\na,yes,yes,no\nb,yes,yes,\n")
    with pytest.raises(DataError, match=r"each item has one row.*columns=\['ann', 'bob'\]"):
        read_ratings(path)
    assert triples(read_ratings(path, columns=["ann", "bob"])) == EXPECTED
    assert triples(read_ratings(path, ignore=["label"])) == EXPECTED
    assert triples(read_ratings(path, ignore="label")) == EXPECTED


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"ignore": ["anne"]}, "r.csv has no column 'anne'. Did you mean 'ann'"),
        ({"ignore": ["item", "ann", "bob"]}, "every column is ignored"),
        ({"ignore": ["item"], "item": "item"}, "'item' is the item, and is to be left out"),
    ],
)
def test_columns_that_cannot_be_ignored(tmp_path, options, message):
    path = write(tmp_path / "r.csv", WIDE)
    with pytest.raises((DataError, OptionError), match=message):
        read_ratings(path, **options)


@pytest.mark.parametrize(
    ("text", "rows"),
    [
        ("item,rater,label\na,ann,x\n\n\nb,ann,y\n\na,ann,x\n", (2, 7)),
        ("item,rater,label\r\n\r\na,ann,x\r\n\r\na,ann,x\r\n", (3, 5)),
        ("item,rater,label\r\ra,ann,x\r\ra,ann,x\r", (3, 5)),
        # As in a spreadsheet, a line break in quotes does not start a row.
        ('"item\nid",rater,label\na,ann,"x\n\nz"\n\na,ann,x\n', (2, 4)),
        ('item;rater;label\na;ann; "x\ny"\n\na;ann;x\n', (2, 4)),
        # A quote within a field is only a character.
        ('item,rater,label\n6" nail,ann,x\n\n6" nail,ann,x\n', (2, 4)),
        # Wide, and each item has two ratings of its row.
        ("item,ann,bob\n\na,x,y\n\n\na,x,y\n", (3, 6)),
        ("item,ann,bob\na,x,y\na,x,y\n", (2, 3)),
    ],
)
@pytest.mark.parametrize("packed", [False, True])
def test_rows_in_messages_count_blank_lines(tmp_path, text, rows, packed):
    path = tmp_path / ("r.csv.gz" if packed else "r.csv")
    path.write_bytes(gzip.compress(text.encode()) if packed else text.encode())
    with pytest.raises(DataError, match=f"in rows {rows[0]} and {rows[1]}\\."):
        read_ratings(path)


def test_rows_of_json_lines_and_undeclared_labels_count_blank_lines(tmp_path):
    lines = ['{"item": 1, "rater": 1, "label": "x"}', "", '{"item": 1, "rater": 2, "label": "y"}']
    path = write(tmp_path / "r.jsonl", "\n".join(lines))
    with pytest.raises(DataError, match=r"r.jsonl, row 3: label 'y'"):
        read_ratings(path, labels=["x"])
    path = write(tmp_path / "r.csv", "item,rater,label\n\na,ann,x\n\nb,ann,y\n")
    with pytest.raises(DataError, match=r"r.csv, row 5: label 'y'"):
        read_ratings(path, labels=["x"])


def test_rows_are_plain_where_lines_cannot_be_followed(tmp_path):
    # Python's reader gives up on a field of 131,072 characters; the parser does not.
    text = "item,rater,label,text\na,ann,x,{}\na,ann,x,\n".format("z" * 200_000)
    with pytest.raises(DataError, match="in rows 2 and 3"):
        read_ratings(write(tmp_path / "r.csv", text))


def test_names_over_two_lines(tmp_path):
    path = write(tmp_path / "r.csv", LONG.replace("rater", '"who\nrated"'))
    assert triples(read_ratings(path, rater="who\nrated")) == EXPECTED
    path = write(tmp_path / "r.csv", LONG.replace("item,rater", 'item,"rater'))
    with pytest.raises(DataError, match="row 1: a double quote is opened but not closed"):
        read_ratings(path)


def test_raters_in_a_column_beside_two_labels_ask_which_is_meant():
    rows = [(f"p{i}", who, str(i % 3), str(i % 5)) for i in range(20) for who in ("ann", "bob")]
    table = dict(zip(("post", "coder", "toxicity", "humor"), zip(*rows, strict=True), strict=True))
    table = {name: list(values) for name, values in table.items()}
    with pytest.raises(DataError, match=r"'coder' is called as raters are.*item.*label"):
        read_ratings(table)
    assert len(read_ratings(table, item="post", label="humor")) == 40


def test_a_text_beside_several_questions_is_none_of_them():
    rows = [(i, r, "some text", i % 2, (i + 1) % 2) for i in range(4) for r in ("a", "b")]
    names = ("id", "rater_id", "text", "joy", "anger")
    data = {name: [row[k] for row in rows] for k, name in enumerate(names)}
    with pytest.raises(DataError, match="2 questions have answers: 'joy', 'anger'"):
        read_ratings(data)
    assert len(read_ratings(data, question="joy")) == 8
    del data["anger"]
    assert read_ratings(data).scale.labels == ("0", "1")


class TestColumnsOfSomethingElse:
    """Columns of wide data that share no value with the raters'."""

    ROWS: ClassVar = [("yes", "no", "yes"), ("no", "no", "yes"), ("yes", "yes", "yes")] * 4

    def table(self, **others: Sequence[str]) -> dict[str, Sequence[str]]:
        raters = dict(zip(["ann", "bob", "cy"], zip(*self.ROWS, strict=True), strict=True))
        return {"id": [f"i{n}" for n in range(12)], **others, **raters}

    def test_two_of_them_hide_each_other_no_longer(self):
        table = self.table(batch=["1", "2"] * 6, country=["DE", "US"] * 6)
        with pytest.raises(DataError, match=r"'country' shares no scale.*ignore='country'"):
            read_ratings(table)

    def test_facts_are_left_out_by_their_names(self):
        labels = read_ratings(self.table(split=["test"] * 12, batch=["1", "2"] * 6))
        assert labels.raters.tolist() == ["ann", "bob", "cy"]
        assert any("'split', 'batch': left out" in note for note in labels.notes)

    def test_named_labels_say_that_it_is_a_rater(self):
        labels = read_ratings(self.table(dan=["maybe"] * 12), labels=["yes", "no", "maybe"])
        assert len(labels.raters) == 4

    def test_a_rater_who_writes_labels_otherwise_is_one(self):
        table = self.table(dan=["Yes ", "NO"] * 6)
        assert len(read_ratings(table).scale.labels) == 4
        assert len(read_ratings(table, merge=["case"]).scale.labels) == 2

    def test_yes_and_no_in_two_spellings_are_warned_of(self):
        flags = {f"flag_{n}": ["true", "false"] * 6 for n in range(4)}
        notes = read_ratings(self.table(**flags)).notes
        assert any("several spellings count as different" in note for note in notes)


# Long data whose names say too little: roles by how columns cross.

RATERS = ["ann@x.org", "bob@x.org", "cy@x.org"]
CHAT_ROWS = [
    (f"chat {i}", rater, "unsafe" if (i * i + r) % 5 < 2 else "safe", i, r)
    for i in range(40)
    for r, rater in enumerate(RATERS)
    if (i + r) % 7
]


def table(**columns):
    return {name: [take(*row) for row in CHAT_ROWS] for name, take in columns.items()}


def chat(item, rater, label, i, r):
    return item


def who(item, rater, label, i, r):
    return rater


def said(item, rater, label, i, r):
    return label


def when(item, rater, label, i, r):
    return f"2026-10-{1 + i % 28:02} 10:{r:02}"


def facts(item, rater, label, i, r):
    return ["short", "long"][i % 2]


def of_raters(item, rater, label, i, r):
    return ["f", "m", "f"][r]


def seconds(item, rater, label, i, r):
    return 10 + (i * 37 + r * 11) % 90 / 10


PLAIN = agree(table(item=chat, rater=who, label=said))["alpha"].value


@pytest.mark.parametrize(
    ("columns", "roles"),
    [
        ({"created_at": when, "annotator_email": who, "conversation": chat, "lead_time": seconds,
          "verdict": said}, ("conversation", "annotator_email", "verdict")),
        ({"text": chat, "labelled_by": who, "is_unsafe": said},
         ("text", "labelled_by", "is_unsafe")),
        ({"is_unsafe": said, "person": who, "chat": chat}, ("chat", "person", "is_unsafe")),
        ({"chat": chat, "length": facts, "gender": of_raters, "reviewer_name": who,
          "finding": said}, ("chat", "reviewer_name", "finding")),
    ],
)  # fmt: skip
def test_what_names_do_not_tell_is_read_as_the_caller_says(columns, roles):
    with pytest.raises(DataError, match=r"Name|names|[Ll]eave|Say"):
        read_ratings(table(**columns))
    named = dict(zip(("item", "rater", "label"), roles, strict=True))
    assert agree(read_ratings(table(**columns), **named))["alpha"].value == PLAIN


def test_names_tell_beside_a_text():
    columns = {"text": chat, "chat_id": lambda *row: row[3], "rated_by": who, "quality": said}
    assert agree(read_ratings(table(**columns)))["alpha"].value == PLAIN


def test_several_labels_are_listed_and_chosen():
    data = table(item=chat, rater=who, unsafe=said,
                 polite=lambda *row: (row[3] + 2 * row[4]) % 3)  # fmt: skip
    with pytest.raises(DataError, match=r"2 questions have answers: 'unsafe', 'polite'"):
        read_ratings(data)
    assert agree(read_ratings(data, question="unsafe"))["alpha"].value == PLAIN


@pytest.mark.parametrize(
    "columns",
    [
        # A rater who rates an item twice; columns of which each may be the rater; visits.
        {"chat": lambda *row: row[3] // 2, "annotator_name": who, "verdict": said},
        {"chat": chat, "rater_a": who, "rater_b": lambda *row: (row[3] + row[4]) % 3,
         "verdict": said},
        {"chat": chat, "visit": who, "day": when, "verdict": said},
    ],
)  # fmt: skip
def test_refused_where_columns_cross_in_no_way_or_in_several(columns):
    with pytest.raises(DataError, match=r"Name|several questions|repeat an item and rater"):
        read_ratings(table(**columns))


@pytest.mark.parametrize("rater", ["annotator_{}", "Annotator {}", "annotator{}", "rater{}"])
@settings(max_examples=30)
@given(seed=st.integers(0, 10**6), raters=st.integers(2, 6), labels=st.integers(2, 5))
def test_a_column_for_each_rater_is_wide(rater, seed, raters, labels):
    values = np.random.default_rng(seed).integers(0, labels, (12, raters))
    data = {"post": [f"p{n}" for n in range(12)]}
    data |= {rater.format(r): [f"v{v}" for v in values[:, r]] for r in range(raters)}
    made = read_ratings(data)
    assert len(made.items) == 12
    assert len(made.raters) == raters


# What stands beside ratings: no header, columns without a rating, states of answers, lists.

TEXT_ROWS = "\n".join(f"t{i},{1 + i % 5},{1 + i % 4},{1 + i % 3}" for i in range(12))


@pytest.fixture
def write_here(tmp_path):
    def written(text, name="r.csv"):
        (tmp_path / name).write_text(text, encoding="utf-8")
        return tmp_path / name

    return written


@pytest.mark.parametrize("header", ["x,1,2,3", "tweet,0,1,2", ",3,2,1", "item,3,2,1"])
def test_raters_with_numbers_that_are_labels_too(write_here, header):
    labels = read_ratings(write_here(f"{header}\n{TEXT_ROWS}"))
    assert (len(labels.items), len(labels.raters)) == (12, 3)


@pytest.mark.parametrize("header", ["t99,1,2,3", "t0,3,2,1", "t0,2,4,1"])
def test_the_first_row_is_data(write_here, header):
    with pytest.raises(DataError, match="seems to be data"):
        read_ratings(write_here(f"{header}\n{TEXT_ROWS}"))


def test_long_without_a_header_is_refused(write_here):
    rows = "\n".join(f"t{i},{who},{'yes' if i % 3 else 'no'}" for i in range(6) for who in "ab")
    with pytest.raises(DataError, match=r"the first row seems to be data.*item,rater,label"):
        read_ratings(write_here(rows))
    labels = read_ratings(write_here(f"item,rater,label\n{rows}"))
    assert (len(labels), labels.raters.tolist()) == (12, ["a", "b"])


def test_a_column_without_a_rating_is_told(write_here):
    labels = read_ratings(write_here("item,ann,bob,cy\na,1,2,\nb,2,2,\nc,1,1,"))
    assert any("columns without a rating: 'cy'" in note for note in labels.notes)


def test_rejected_answers_are_warned_of(write_here):
    rows = [f"{i},{r},{i % 2},{'ok' if i != 3 else 'Rejected'}" for i in range(5) for r in "ab"]
    path = write_here("\n".join(["item,rater,label,Status", *rows]))
    notes = [note for note in read_ratings(path).notes if note.severity == "warning"]
    assert len(notes) == 1
    assert "2 rows of which 'Status' is 'Rejected'" in notes[0]
    assert "where='Status=ok'" in notes[0]
    assert len(read_ratings(path, where=["Status=ok"])) == 8


def test_a_fact_of_items_is_no_state_of_answers(write_here):
    path = write_here("item,rater,label,decision\na,x,1,rejected\na,y,1,rejected\nb,x,2,accepted\n")
    assert not [note for note in read_ratings(path).notes if note.severity == "warning"]


def test_lists_that_names_do_not_explain(write_here):
    records = [{"id": i, "from": ["a", "b"], "said": ["y", "n"]} for i in range(4)]
    path = write_here("\n".join(map(json.dumps, records)), "r.jsonl")
    with pytest.raises(DataError, match=r"'from', 'said' are lists.*label='...'.*rater='...'"):
        read_ratings(path)
    assert len(read_ratings(path, label="said", rater="from")) == 8


# Several files at once.


def test_a_file_a_rater(tmp_path):
    said = {"ann": "yes no no", "bob": "yes yes no"}
    paths = []
    for name, answers in said.items():
        rows = "".join(f"{i},{answer}\n" for i, answer in enumerate(answers.split()))
        paths.append(write(tmp_path / f"{name}.csv", "item,label\n" + rows))
    made = read_ratings(paths)
    assert made.raters.tolist() == ["ann", "bob"]
    assert any("each file is a rater" in note for note in made.notes)
    both = {"item": [0, 1, 2], **{name: answers.split() for name, answers in said.items()}}
    assert triples(made) == triples(read_ratings(both))


def test_files_that_name_their_raters_are_put_together(tmp_path):
    first = write(tmp_path / "1.csv", "item,rater,label\na,ann,yes\na,bob,no\n")
    second = write(tmp_path / "2.csv", "item,rater,label\nb,ann,no\nb,bob,no\n")
    made = read_ratings([first, second])
    assert (len(made.items), made.raters.tolist()) == (2, ["ann", "bob"])
    alone = write(tmp_path / "3.csv", "item,label\nc,yes\nd,no\n")
    with pytest.raises(DataError, match="some files name their raters and others do not"):
        read_ratings([first, alone])


def test_all_files_together_show_the_scale(tmp_path):
    """Of one file, -1 beside 0 to 2 may be a code, and 0.16 alone may be another scale."""
    first = write(tmp_path / "1.csv", "item,rater,label\n" + "a,x,-1\nb,x,0\nc,x,1\nd,x,2\n")
    second = write(tmp_path / "2.csv", "item,rater,label\na,y,-2\nb,y,-1\nc,y,0\nd,y,1\n")
    assert read_ratings([first, second]).scale.labels == ("-2", "-1", "0", "1", "2")
    codes = write(tmp_path / "3.csv", "item,rater,label\na,y,99\nb,y,1\nc,y,0\nd,y,1\n")
    with pytest.raises(DataError, match=r"missing=\['99'\]"):
        read_ratings([first, codes])


def test_counts_that_are_missing_are_none(tmp_path):
    path = write(tmp_path / "r.csv", "item,n_yes,n_no\na,2,NA\nb,1,2\nc,NA,3\n")
    assert len(read_ratings(path)) == 8


def test_the_caller_names_an_index(tmp_path):
    """It is the item, and an id beside it is no rater."""
    for header in ("index,ann,bob", "index,id,ann,bob"):
        rows = "".join(f"{10 * n},{'' if 'id' not in header else f'{n},'}1,2\n" for n in (1, 2, 3))
        path = write(tmp_path / "r.csv", f"{header}\n{rows}")
        made = read_ratings(path, item="index")
        assert (made.items.tolist(), made.raters.tolist()) == ([10, 20, 30], ["ann", "bob"])
    frame = pd.DataFrame({"ann": [1, 2], "bob": [1, 1]}, index=pd.Index(["a", "b"], name="index"))
    assert read_ratings(frame, item="index").items.tolist() == ["a", "b"]
    long = pd.DataFrame({"rater": ["x", "y"] * 2, "label": [1, 2, 2, 2]}, index=[1, 1, 2, 2])
    made = read_ratings(long.rename_axis("index"), item="index")
    assert made.items.tolist() == [1, 2]


def test_behind_numbers_of_rows_the_item_stands_beside_raters(tmp_path):
    rows = "".join(f'"{n}" {n + 6} 1 2\n' for n in (1, 2, 3))
    path = write(tmp_path / "r.txt", f'"Case No." "Rater 1" "Rater 2"\n{rows}')
    made = read_ratings(path)
    assert (made.items.tolist(), made.raters.tolist()) == ([7, 8, 9], ["Rater 1", "Rater 2"])


def test_spans_are_refused_without_a_way_around(tmp_path):
    rows = "".join(f"d{i},{r},PER,{i},{i + 5}\n" for i in range(4) for r in "ab")
    path = write(tmp_path / "r.csv", "item,rater,label,start,end\n" + rows)
    with pytest.raises(DataError, match="Spans are not read: make each token") as refused:
        read_ratings(path)
    assert "ignore" not in str(refused.value)
    assert "duplicates" not in str(refused.value)


def test_two_columns_called_labels_are_refused(tmp_path):
    path = write(tmp_path / "r.csv", "item,rater,rating,annotation\na,x,1,2\na,y,1,1\n")
    with pytest.raises(DataError, match=r"'rating', 'annotation' are all called.*label='rating'"):
        read_ratings(path)
    assert read_ratings(path, label="annotation").scale.labels == ("1", "2")


def test_questions_of_each_item_are_asked_for_and_its_text_is_not(tmp_path):
    rows = "".join(
        f"d{i},{r},{q},{i % 2}\n" for i in range(4) for r in "ab" for q in ("tone", "wit")
    )
    path = write(tmp_path / "r.csv", "doc_id,rater,question,label\n" + rows)
    with pytest.raises(DataError, match=r"2 questions have answers.*question='tone'"):
        read_ratings(path)
    assert len(read_ratings(path, question="wit")) == 8
    rows = "".join(f"d{i},{r},How is {i}?,{i % 2}\n" for i in range(4) for r in "ab")
    assert len(read_ratings(write(path, "doc_id,rater,question,label\n" + rows))) == 8


@pytest.mark.parametrize("header", ["respondent,text,code", "code,text,respondent"])
def test_named_columns_of_files_are_paired_by_items_and_not_by_rows(tmp_path, header):
    places = [("respondent", "text", "code").index(name) for name in header.split(",")]
    answers = {f"R{n}": ("R", "S", "T")[n % 3] for n in range(30)}
    paths = []
    for name, order in (("maria", 1), ("tom", -1)):
        rows = [(item, f"words {item}", code) for item, code in answers.items()][::order]
        lines = "".join(",".join(cell[at] for at in places) + "\n" for cell in rows)
        paths.append(write(tmp_path / f"{name}.csv", f"{header}\n{lines}"))
    both = read_ratings(paths, columns=["code"])
    assert sorted(both.items.tolist()) == sorted(answers)
    assert agree(both)["alpha"].value == pytest.approx(1)
    wide = "respondent,text,maria,tom\n" + "".join(f"{i},w,{c},{c}\n" for i, c in answers.items())
    path = write(tmp_path / "wide.csv", wide)
    scan = scan_ratings(path, columns=["maria", "tom"])
    assert agree(scan)["alpha"].value == pytest.approx(1)
    assert roles_of(agree(scan).notes)["item"] == "respondent"
    assert sorted(read_ratings(path, columns=["maria", "tom"]).items.tolist()) == sorted(answers)


def test_rows_of_several_files_are_not_paired_by_their_numbers(tmp_path):
    paths = [write(tmp_path / f"{name}.csv", "code\n" + "a\nb\n" * 5) for name in ("ann", "bob")]
    with pytest.raises(DataError, match=r"not paired by their numbers.*item='\.\.\.'"):
        read_ratings(paths, columns=["code"])
    assert len(read_ratings(paths[0], columns=["code"])) == 10


def test_a_first_column_that_names_no_items_can_be_left_out(tmp_path):
    path = write(tmp_path / "r.csv", "gender,ann,bob\n" + "f,1,2\nm,1,1\n" * 5)
    with pytest.raises(DataError, match=r"ignore='gender'"):
        read_ratings(path, columns=["ann", "bob"])
    assert len(read_ratings(path, columns=["ann", "bob"], ignore=["gender"]).items) == 10
    path = write(tmp_path / "r.csv", "ann,bob,comment\n" + "1,2,x\n2,2,x\n" * 5)
    assert len(read_ratings(path, columns=["ann", "bob"]).items) == 10


@pytest.mark.parametrize("label", ["stars", "tone"])
@pytest.mark.parametrize("beside", ["comment", "topic", "notes", "created_at", "n_tokens"])
def test_columns_that_hold_no_ratings_by_name_are_left_out_of_long_files(tmp_path, label, beside):
    rows = "".join(f"a{i},{r},{i % 3 + (i > 5) * (r == 'bob')},x{i % 4}\n" for i in range(9)
                   for r in ("ann", "bob"))  # fmt: skip
    path = write(tmp_path / "r.csv", f"answer_id,annotator,{label},{beside}\n{rows}")
    labels = read_ratings(path)
    assert labels.scale.labels == ("0", "1", "2", "3")
    note = next(note for note in labels.notes if f"'{beside}': left out" in note)
    assert f"label='{beside}'" in note
    assert note.short.startswith(f"column '{beside}' not read")
    assert read_ratings(path, label=beside).scale.labels == ("x0", "x1", "x2", "x3")
    assert read_ratings(path, question=beside).scale.labels == ("x0", "x1", "x2", "x3")


def test_two_columns_that_may_both_be_the_label_are_refused(tmp_path):
    rows = "".join(f"a{i},{r},{i % 5},{i % 3}\n" for i in range(9) for r in ("ann", "bob"))
    path = write(tmp_path / "r.csv", f"answer_id,annotator,stars,tone\n{rows}")
    for data in (path, scan_ratings(path, engine="duckdb")):
        with pytest.raises(DataError, match=r"question='stars' or question='tone'"):
            agree(data)
    assert len(read_ratings(path, question="stars").scale) == 5
    assert len(read_ratings(path, question="tone").scale) == 3


def test_columns_beside_the_label_are_left_out_by_name_on_an_engine_too(tmp_path):
    rows = "".join(f"a{i},{r},{i % 3 + (i > 5) * (r == 'bob')},w,x\n" for i in range(9)
                   for r in ("ann", "bob"))  # fmt: skip
    path = write(tmp_path / "r.csv", f"answer_id,annotator,tone,comment,topic\n{rows}")
    memory, engine = agree(path), agree(scan_ratings(path, engine="duckdb"))
    assert memory["alpha"].value == engine["alpha"].value
    assert any("'comment', 'topic': left out" in note for note in engine.notes)


def test_questions_are_still_asked_for_where_names_do_not_tell(tmp_path):
    rows = "".join(f"a{i},{r},{i % 3 + 1},2,w\n" for i in range(8) for r in ("ann", "bob"))
    path = write(tmp_path / "r.csv", f"answer_id,annotator,tone,wit,comment\n{rows}")
    with pytest.raises(DataError, match=r"2 questions have answers: 'tone', 'wit'\."):
        read_ratings(path)


def test_a_file_that_is_given_already_is_not_suggested(tmp_path):
    paths = [write(tmp_path / "coder_ann.csv", LONG), tmp_path / "coder_anna.csv"]
    with pytest.raises(DataError, match=r"no such file: '.*coder_anna\.csv'\.$"):
        read_ratings(paths)

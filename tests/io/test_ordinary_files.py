"""Files that people have, by the bare reader and by the bare command."""

from __future__ import annotations

import csv
import gzip
import io
import json
import random
import re
import shlex
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

import headcount
from headcount import DataError, agree, read_predictions, read_ratings, scan_ratings, survey
from headcount.io.write import write_rows

# Files that people have: the bare reader gives the numbers of the plain file, or says what to do.
#
# The plain file is wide, three raters of forty items on five points. Each case is the same ratings
# as some program, form or habit writes them, or a file that cannot be read without a choice.

RATERS = ("ann", "bob", "cy")
WORDS = {1: "Strongly disagree", 2: "Disagree", 3: "Neither", 4: "Agree", 5: "Strongly agree"}
_RNG = np.random.default_rng(3)
_TRUTH = _RNG.integers(1, 6, size=40)
_OFF = _RNG.choice([0, 0, 0, 1, -1], size=(40, 3))
WIDE = [
    [f"i{n:02}", *np.clip(_TRUTH[n] + _OFF[n], 1, 5).tolist()] for n in range(40)
]  # item, and a label a rater
LONG = [[item, rater, label] for item, *labels in WIDE for rater, label in zip(RATERS, labels)]  # noqa: B905
HEADER, LONG_HEADER = ["item", *RATERS], ["item", "rater", "label"]
RECORDS = [dict(zip(LONG_HEADER, row, strict=True)) for row in LONG]
ALPHA = agree(WIDE and {name: [row[i] for row in WIDE] for i, name in enumerate(HEADER)},
              bootstrap=0)["alpha"].value  # fmt: skip


def text(header, rows, delimiter=",", before="", after="", quoting=csv.QUOTE_MINIMAL):
    out = io.StringIO()
    writer = csv.writer(out, delimiter=delimiter, quoting=quoting, lineterminator="\n")
    writer.writerows([header, *rows] if header else rows)
    return before + out.getvalue() + after


def cells(change):
    """Wide rows with other cells."""
    return [[item, *(change(label, n, r) for r, label in enumerate(labels))]
            for n, (item, *labels) in enumerate(WIDE)]  # fmt: skip


def lines(records, between="\n"):
    return between.join(json.dumps(record) for record in records) + between


def wide_with(names, values, at=1):
    """Text of wide data with other columns."""
    header = [*HEADER[:at], *names, *HEADER[at:]]
    return text(header, [[*row[:at], *values(n, row), *row[at:]] for n, row in enumerate(WIDE)])


RIGHT = {
    "excel_sep.csv": text(HEADER, WIDE, ";", before="sep=;\n"),
    "excel_sep_windows.csv": text(HEADER, WIDE, ";", before="sep=;\n").replace("\n", "\r\n"),
    "excel_sep_quoted.csv": text(HEADER, WIDE, ",", before='"sep=,"\n'),
    "excel_sep_tab.csv": text(LONG_HEADER, LONG, "\t", before="sep=\t\n"),
    "title_above.csv": text(None, [["Round 2", "", "", ""], HEADER, *WIDE]),
    "title_and_blank_above.csv": text(HEADER, WIDE, before="Round 2\n\n"),
    "remarks_above.csv": text(HEADER, WIDE, before="# exported by ann\n# 2024-03-01\n"),
    "merged_header.csv": text(None, [["", "Round 1", "", ""], HEADER, *WIDE]),
    "r_row_names_wide.csv": text(
        ["", *HEADER], [[n + 1, *row] for n, row in enumerate(WIDE)], quoting=csv.QUOTE_NONNUMERIC
    ),
    "r_row_names_long.csv": text(["", *LONG_HEADER], [[n, *row] for n, row in enumerate(LONG)]),
    "r_row_names_are_items.csv": text(["", *RATERS], WIDE),
    "pandas_index_wide.csv": wide_with(["Unnamed: 0"], lambda n, _: [n], 0),
    "pandas_index_twice.csv": wide_with(["Unnamed: 0.1", "Unnamed: 0"], lambda n, _: [n, n], 0),
    "pandas_index_long.csv": text(
        ["Unnamed: 0", *LONG_HEADER], [[n, *row] for n, row in enumerate(LONG)]
    ),
    "pandas_index_only.csv": text(
        ["Unnamed: 0", *RATERS], [[n, *row[1:]] for n, row in enumerate(WIDE)]
    ),
    "total_row.csv": text(
        HEADER, [*WIDE, ["Total", *(sum(row[i] for row in WIDE) for i in (1, 2, 3))]]
    ),
    "mean_and_sd_rows.csv": text(HEADER, [*WIDE, ["Mean", 3.1, 3.2, 3.3], ["SD:", 1, 1, 1]]),
    "total_column.csv": wide_with(["Total"], lambda _, row: [sum(row[1:])], 4),
    "mean_column.csv": wide_with(["mean"], lambda _, row: [round(sum(row[1:]) / 3, 2)], 4),
    "majority_column.csv": wide_with(["Majority Vote"], lambda _, row: [sorted(row[1:])[1]], 4),
    "gold_column.csv": wide_with(["gold"], lambda n, _: [_TRUTH[n]], 1),
    "empty_columns.csv": wide_with(["", ""], lambda *_: ["", ""], 4),
    "empty_rows.csv": text(HEADER, WIDE, after=",,,\n,,,\n\n"),
    "text_column.csv": wide_with(["text"], lambda n, _: [f'line\ntwo of "{n}", so'], 1),
    "semicolons_and_commas.csv": text(
        ["item", "comment", *RATERS], [[i, f"well, {i}; so", *own] for i, *own in WIDE], ";"
    ),
    "text_is_the_item.csv": text(["text", *RATERS], [[f"about {i}", *own] for i, *own in WIDE]),
    "zeros_before_ids.csv": text(HEADER, [[f"{n:05}", *row[1:]] for n, row in enumerate(WIDE)]),
    "dates_are_items.csv": text(
        ["date", *RATERS], [[f"2024-{n // 28 + 1:02}-{n % 28 + 1:02}", *row[1:]]
                            for n, row in enumerate(WIDE)]
    ),
    "numbered_raters.csv": text(["item", "rater_1", "rater_2", "rater_3"], WIDE),
    "rater_facts.csv": text(
        ["rater", "age", "gender", "item", "label"], [[r, 30, "f", i, v] for i, r, v in LONG]
    ),
    "times.csv": text(
        ["timestamp", "rater", "item", "label", "seconds"],
        [[f"2024-03-01T10:{n % 60:02}:00Z", r, i, v, n % 50] for n, (i, r, v) in enumerate(LONG)],
    ),
    "numbers_beside.csv": text(
        [*LONG_HEADER, "confidence", "time_s"], [[*row, n / 120, n] for n, row in enumerate(LONG)]
    ),
    "names_with_blanks.csv": text([" Item ID ", "Rater Name", "LABEL"], LONG),
    "whole_numbers_as_floats.csv": text(HEADER, cells(lambda v, *_: float(v))),
    "some_floats.csv": text(HEADER, cells(lambda v, _, r: float(v) if r == 1 else v)),
    "percent.csv": text(HEADER, cells(lambda v, *_: f"{20 * v}%")),
    "tabs.csv": text(HEADER, WIDE, "\t"),
    "bars.txt": text(HEADER, WIDE, "|"),
    "windows_lines.csv": text(HEADER, WIDE, after="\n\n").replace("\n", "\r\n"),
    "records.json": json.dumps(RECORDS),
    "records_indented.json": json.dumps(RECORDS, indent=2),
    "wide.json": json.dumps([dict(zip(HEADER, row, strict=True)) for row in WIDE]),
    "lists.json": json.dumps({name: [row[name] for row in RECORDS] for name in LONG_HEADER}),
    "orient_columns.json": json.dumps(
        {name: {str(n): row[name] for n, row in enumerate(RECORDS)} for name in LONG_HEADER}
    ),
    "orient_index.json": json.dumps({str(n): row for n, row in enumerate(RECORDS)}),
    "orient_split.json": json.dumps(
        {"columns": LONG_HEADER, "index": list(range(len(LONG))), "data": LONG}
    ),
    "orient_table.json": json.dumps({"schema": {"fields": [{"name": "item"}]}, "data": RECORDS}),
    "wrapped.json": json.dumps({"annotations": RECORDS}),
    "blank_lines.jsonl": lines(RECORDS, "\n\n"),
    "records_in_cells.jsonl": lines(
        {"id": i, "annotations": [{"annotator": r, "label": v}
                                  for r, v in zip(RATERS, own, strict=True)]}
        for i, *own in WIDE
    ),
}  # fmt: skip


def test_numbers_by_rater_or_counts_by_label_are_refused_with_both_ways(tmp_path):
    path = tmp_path / "r.jsonl"
    path.write_text(lines({"id": i, "labels": dict(zip(RATERS, own, strict=True))}
                          for i, *own in WIDE))  # fmt: skip
    with pytest.raises(DataError, match=r"shape='counts'.*label='labels'"):
        read_ratings(path)
    assert len(read_ratings(path, label="labels").raters) == len(RATERS)
    assert read_ratings(path, shape="counts").scale.labels == tuple(sorted(RATERS))


@pytest.mark.parametrize("name", RIGHT)
def test_the_ratings_of_the_plain_file(tmp_path, name):
    (tmp_path / name).write_text(RIGHT[name], encoding="utf-8", newline="")
    labels = read_ratings(tmp_path / name)
    assert (len(labels), len(labels.raters), len(labels.items)) == (120, 3, 40)
    assert agree(labels, bootstrap=0)["alpha"].value == pytest.approx(ALPHA, abs=1e-12)


@pytest.mark.parametrize("called", ["", "Unnamed: 0", "index"])
@pytest.mark.parametrize("read", [read_ratings, scan_ratings])
def test_an_index_beside_raters_tells_the_items(tmp_path, called, read):
    """Rows called by their places would stand beside the predictions of other items."""
    rows = [[n + 5, *row[1:]] for n, row in enumerate(WIDE)]
    (tmp_path / "r.csv").write_text(text([called, *(f"r{n}" for n in (1, 2, 3))], rows))
    (tmp_path / "p.csv").write_text(text([called, "model"], [row[:2] for row in rows]))
    ratings = read(tmp_path / "r.csv")
    found = survey(ratings, tmp_path / "p.csv", scale="nominal", bootstrap=0, ceiling=False)
    assert found.provenance.items_used == len(WIDE)


def test_packed_and_parquet(tmp_path):
    frame = pd.DataFrame(LONG, columns=LONG_HEADER)
    with gzip.open(tmp_path / "r.csv.gz", "wt") as file:
        file.write(text(HEADER, WIDE))
    frame.astype({"item": "category", "rater": "category"}).to_parquet(tmp_path / "a.parquet")
    frame.astype({"label": float}).to_parquet(tmp_path / "b.parquet")
    frame.set_index("item").to_parquet(tmp_path / "c.parquet")
    for name in ("r.csv.gz", "a.parquet", "b.parquet", "c.parquet"):
        labels = read_ratings(tmp_path / name)
        assert agree(labels, bootstrap=0)["alpha"].value == pytest.approx(ALPHA, abs=1e-12)


QUESTIONS = [f"How toxic is comment {n}?" for n in range(12)]
RESPONDENTS = [[v for v, *_ in ([row[r]] for row in WIDE[:12])] for r in (1, 2, 3)]


def _counted(sizes):
    """Counts of two labels with other numbers of ratings an item."""
    rng = np.random.default_rng(5)
    rows = []
    for n in range(40):
        size = int(rng.choice(sizes))
        first = int(rng.binomial(size, rng.beta(0.5, 0.5)))
        rows.append([f"i{n:02}", first, size - first])
    return rows


REFUSED = {
    "minus_one.csv": (
        text(HEADER, cells(lambda v, n, r: -1 if (n + r) % 9 == 0 else int(v > 2))),
        r"missing=\['-1'\].*labels=\['-1', '0', '1'\]",
    ),
    "do_not_know.csv": (
        text(HEADER, cells(lambda v, n, r: "not sure" if (n + r) % 9 == 0 else v)),
        r"missing=\['not sure'\]",
    ),
    "question_mark.csv": (
        text(HEADER, cells(lambda v, n, r: "?" if (n + r) % 9 == 0 else v)),
        r"missing=\['\?'\]",
    ),
    "counts_of_animals.csv": (
        text(["item", "cat", "dog"], _counted([3, 5, 9])),
        "as counts of labels do.*shape='counts'",
    ),
    "marks.csv": (
        text(["item", "toxic", "insult", "threat"], cells(lambda v, n, r: int(v > 2 + r))),
        "shape='counts' .* shape='wide'",
    ),
    "one_rater_in_words.csv": (
        text(HEADER, cells(lambda v, _, r: WORDS[v] if r == 2 else v)), "'cy' shares no scale"
    ),
    "no_header_wide.csv": (
        text(None, [["i99", 1, 2, 3], *WIDE]), "first row seems to be data"
    ),
    "no_header_same_names.csv": (text(None, [["i99", 2, 2, 3], *WIDE]), "Is there a header"),
    "no_header_from_zero.csv": (
        text(None, [["i00", 5, 4, 3], *WIDE[1:]]), "first row seems to be data"
    ),
    "no_header_two_raters.csv": (
        text(None, [row[:3] for row in WIDE]), "seems to be data|Is there a header"
    ),
    "nameless.csv": (text(["item", "ann", "", ""], WIDE), "no name"),
    "short_header.csv": (text(RATERS, WIDE), "4 columns, but the header has 3"),
    "several_questions.csv": (
        text(["item", "rater", "toxic", "insult"], [[i, r, v > 2, v > 3] for i, r, v in LONG]),
        "question='toxic'",
    ),
    "same_rows_again.csv": (text(LONG_HEADER, [*LONG, *LONG[:5]]), "duplicates='first'"),
    "blanks_between.txt": (text(HEADER, WIDE, " "), "a single column"),
    "labels_by_item.json": (
        json.dumps({i: own for i, *own in WIDE}), "not a list of objects"
    ),
    "several_times.csv": (
        text(["Timestamp", "page", "seconds", "score_given"],
             [[f"2024/03/01 10:00:{n:02}", f"p{n}", n * 7, WIDE[n][1]] for n in range(40)]),
        "answers of people to a survey",
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", REFUSED)
def test_refused_with_what_to_do(tmp_path, name):
    written, match = REFUSED[name]
    (tmp_path / name).write_text(written, encoding="utf-8")
    with pytest.raises(DataError, match=match):
        read_ratings(tmp_path / name)


@pytest.mark.parametrize(
    ("header", "sizes"),
    [
        (["item", "ok", "toxic"], [3, 5, 9]),
        (["id", "yes", "no"], [2, 11]),
        (["item", "x", "y"], [5]),
    ],
)
def test_counts_of_labels(tmp_path, header, sizes):
    rows = _counted(sizes)
    (tmp_path / "r.csv").write_text(text(header, rows))
    with pytest.raises(DataError, match="shape='counts'"):
        read_ratings(tmp_path / "r.csv")
    labels = read_ratings(tmp_path / "r.csv", shape="counts")
    assert labels.anonymous
    assert len(labels) == sum(a + b for _, a, b in rows)
    # With a column of totals, and a row.
    total = [*rows, ["Total", sum(a for _, a, _ in rows), sum(b for _, _, b in rows)]]
    with_total = [[item, a, b, a + b] for item, a, b in total]
    (tmp_path / "r.csv").write_text(text([*header, "Total"], with_total))
    again = read_ratings(tmp_path / "r.csv", shape="counts")
    assert len(again) == len(labels)
    assert again.dropped == {"a row of totals": 1}


def test_counts_of_unknown_labels_by_the_choice(tmp_path):
    rows = _counted([3, 5, 9])
    (tmp_path / "r.csv").write_text(text(["item", "cat", "dog"], rows))
    counted = read_ratings(tmp_path / "r.csv", labels=["cat", "dog"])
    assert counted.anonymous
    assert len(counted) == sum(a + b for _, a, b in rows)
    rated = read_ratings(tmp_path / "r.csv", labels=[str(n) for n in range(10)])
    assert rated.raters.tolist() == ["cat", "dog"]


@pytest.mark.parametrize(
    ("header", "facts", "rater"),
    [
        (["Timestamp", "Email Address"], ["2024/03/01 10:11:1{} AM", "p{}@x.org"], "Email Address"),
        (["Timestamp"], ["2024/03/01 10:11:1{} AM GMT+1"], "Timestamp"),
        (["ID", "Start time", "Completion time", "Email"], ["{}", "3/1/24", "3/1/24", "anonymous"],
         "ID"),
    ],
)  # fmt: skip
def test_forms_are_refused_and_read_as_the_refusal_says(tmp_path, header, facts, rater):
    rows = [[*(fact.format(n) for fact in facts), *own] for n, own in enumerate(RESPONDENTS)]
    (tmp_path / "form.csv").write_text(text([*header, *QUESTIONS], rows, quoting=csv.QUOTE_ALL))
    with pytest.raises(DataError, match=f"transpose=True, with rater='{rater}'") as refusal:
        read_ratings(tmp_path / "form.csv")
    beside = [name for name in header if name != rater]
    assert (f"ignore={[*beside]}" if len(beside) > 1 else "ignore=") in str(refusal.value)
    labels = read_ratings(tmp_path / "form.csv", transpose=True, rater=rater, ignore=beside)
    assert (len(labels), len(labels.items), len(labels.raters)) == (36, 12, 3)
    plain = [["item", *RATERS], *([q, *own] for q, own in zip(
        QUESTIONS, zip(*RESPONDENTS, strict=True), strict=True))]  # fmt: skip
    (tmp_path / "plain.csv").write_text(text(None, plain))
    expected = agree(read_ratings(tmp_path / "plain.csv"), bootstrap=0)["alpha"].value
    assert agree(labels, bootstrap=0)["alpha"].value == pytest.approx(expected)


def test_missing_in_json_and_in_floats(tmp_path):
    records = [row | {"label": float("nan")} if n % 9 == 0 else row
               for n, row in enumerate(RECORDS)]  # fmt: skip
    (tmp_path / "r.json").write_text(json.dumps(records))
    (tmp_path / "r.csv").write_text(
        text(LONG_HEADER, [[row["item"], row["rater"],
                            "" if row["label"] != row["label"] else float(row["label"])]
                           for row in records])
    )  # fmt: skip
    first, second = read_ratings(tmp_path / "r.json"), read_ratings(tmp_path / "r.csv")
    assert first.dropped == second.dropped == {"no label": 14}
    assert first.scale.labels == second.scale.labels == ("1", "2", "3", "4", "5")


def test_twins_are_warned_of(tmp_path):
    said = {0: str.upper, 1: str.lower, 2: str.title}
    (tmp_path / "r.csv").write_text(text(HEADER, cells(lambda v, _, r: said[r](str(v > 2)))))
    labels = read_ratings(tmp_path / "r.csv")
    assert any("differ only by case" in note and "merge=" in note for note in labels.notes)
    assert len(read_ratings(tmp_path / "r.csv", merge="case").scale) == 2


@pytest.mark.parametrize("name", ["gold", "Total", "text"])
def test_a_column_alone_is_a_rater_whatever_its_name(tmp_path, name):
    (tmp_path / "r.csv").write_text(text(["item", name], [row[:2] for row in WIDE]))
    assert read_ratings(tmp_path / "r.csv").raters.tolist() == [name]


def test_confidence_in_percent(tmp_path):
    rows = [[row[0], "yes" if n % 2 else "no", f"{50 + n} %"] for n, row in enumerate(WIDE)]
    (tmp_path / "p.csv").write_text(text(["item", "verdict", "confidence"], rows))
    judge = read_predictions(tmp_path / "p.csv").classifiers[0]
    assert judge.kind == "soft"
    assert judge.probability[7].max() == pytest.approx(0.57)


@pytest.mark.parametrize("suffix", ["csv", "jsonl"])
def test_blanks_at_the_ends_of_cells_are_left_out(tmp_path, suffix):
    cells = [(1, "ann", "yes"), (1, "bob", "yes "), (2, "ann", " no"), (2, "bob", "no")]
    path = tmp_path / f"r.{suffix}"
    if suffix == "csv":
        text = "item,rater,label\n" + "".join(f"{i},{r},{w}\n" for i, r, w in cells)
    else:
        text = "".join(json.dumps({"item": i, "rater": r, "label": w}) + "\n" for i, r, w in cells)
    path.write_text(text)
    assert read_ratings(path).scale.labels == ("no", "yes")
    frame = {"item": [1, 2], "ann": ["yes ", "no"], "bob": ["yes", "no"]}
    assert read_ratings(frame).scale.labels == ("no", "yes")


def test_repeated_ratings_name_what_can_be_done(tmp_path):
    path = tmp_path / "r.csv"
    path.write_text("item,rater,label\n" + "1,ann,yes\n1,ann,no\n1,bob,no\n2,ann,no\n2,bob,no\n")
    with pytest.raises(DataError, match=r"duplicates='first'.*duplicates='retest'") as refused:
        read_ratings(path)
    assert "several questions or rounds" not in str(refused.value)
    path.write_text("item,rater,label\n" + "1,ann,yes\n1,ann,no\n2,bob,no\n2,bob,no\n")
    with pytest.raises(DataError, match="several questions or rounds"):
        read_ratings(path)


FACTS = {
    "topic": lambda n: ("sport", "news", "tech")[n % 3],
    "lang": lambda n: ("de", "en")[n % 2],
    "length": lambda n: 20 + 7 * n,
}


@pytest.mark.parametrize("name", FACTS)
def test_facts_of_items_are_left_out_by_name(tmp_path, name):
    (tmp_path / "r.csv").write_text(wide_with([name], lambda n, _: [FACTS[name](n)]))
    labels = read_ratings(tmp_path / "r.csv")
    assert agree(labels, bootstrap=0)["alpha"].value == pytest.approx(ALPHA, abs=1e-12)
    assert any(f"'{name}': left out" in note for note in labels.notes)


def test_lists_that_were_written_as_text_are_explained(tmp_path):
    path = tmp_path / "r.csv"
    path.write_text("id,labels\n" + "".join(f"{i},\"['a', 'b']\"\n" for i in range(4)))
    with pytest.raises(DataError, match="hold more than a number or a label"):
        read_ratings(path, item="id", label="labels", rater=None)


# Files that people have, through the bare command: the right number, or a refusal with the fix.
#
# All hold the same ratings, so that all must tell the same alpha: that of a plain file.

THREE_RATERS = ("ann", "bob", "eve")
ITEMS = [f"t{i:02}" for i in range(24)]


def _ratings() -> dict[tuple[str, str], int]:
    """Ratings from 1 to 5, a few of them missing."""
    rng = random.Random(3)
    made: dict[tuple[str, str], int] = {}
    for item in ITEMS:
        centre = rng.randint(1, 5)
        for rater in THREE_RATERS:
            if rng.random() > 0.08:
                made[item, rater] = min(max(centre + rng.choice((-1, 0, 0, 0, 1)), 1), 5)
    return made


RATINGS = _ratings()
WORD = {1: "no", 2: "no", 3: "unsure", 4: "yes", 5: "yes"}


def wide(missing: str = "", write: Callable[[int], object] = str, comma: str = ",") -> str:
    lines = [comma.join(("item", *THREE_RATERS))]
    for item in ITEMS:
        cells = [write(RATINGS[item, r]) if (item, r) in RATINGS else missing for r in THREE_RATERS]
        lines.append(comma.join(map(str, (item, *cells))))
    return "\n".join(lines) + "\n"


def long(header: str = "item,rater,label", write: Callable[[int], object] = str) -> str:
    return f"{header}\n" + "".join(f"{i},{r},{write(v)}\n" for (i, r), v in RATINGS.items())


def table(rows: list[list[object]]) -> str:
    text = io.StringIO()
    csv.writer(text).writerows(rows)
    return text.getvalue()


@pytest.fixture
def alpha(run, tmp_path):
    """Alpha of a file, as the bare command tells it; or the refusal."""

    def alpha(path: Path | str, *options: object) -> float | str:
        done = run("agree", path, "--bootstrap", 0, "--json", *options)
        return done.err if done.code else done.json["alpha"]["value"]

    return alpha


@pytest.fixture
def write(tmp_path):
    def write(name: str, content: str | bytes) -> Path:
        path = tmp_path / name
        path.write_bytes(content.encode() if isinstance(content, str) else content)
        return path

    return write


KNOWN: dict[str, float] = {}
"""What plain files give, which is found once for all tests."""


@pytest.fixture
def right(write, alpha) -> float:
    """Alpha of the numbers, from a plain file."""
    if "numbers" not in KNOWN:
        KNOWN["numbers"] = alpha(write("plain.csv", long()))
    return KNOWN["numbers"]


@pytest.fixture
def right_words(write, alpha) -> float:
    """Alpha of the words, from a plain file."""
    if "words" not in KNOWN:
        KNOWN["words"] = alpha(write("plain_words.csv", long(write=WORD.get)))
    return KNOWN["words"]


def test_the_plain_file(write, right):
    pairs = pd.DataFrame([(i, r, v) for (i, r), v in RATINGS.items()], columns=["i", "r", "v"])
    interval = headcount.agree(
        {"item": list(pairs.i), "rater": list(pairs.r), "label": list(pairs.v)}, bootstrap=0
    )
    assert interval["alpha"].value == right
    assert 0.5 < right < 0.95


def fixed(alpha, path: Path, refusal: str, flag: str) -> float | str:
    """Take the fix that a refusal names."""
    found = re.search(rf"({flag})[ \n]+([^ \n]+)", refusal)
    assert found, refusal
    return alpha(path, found.group(1), found.group(2))


def test_99_is_missing(write, alpha, right):
    path = write("r.csv", wide("99"))
    refusal = alpha(path)
    assert "99" in refusal
    assert fixed(alpha, path, refusal, "--missing") == right


@pytest.mark.parametrize("word", ["NA", "N/A", "n/a", "nan", "NaN", "null", "none", ".", "-", ""])
def test_words_for_missing(write, alpha, right, word):
    assert alpha(write("r.csv", wide(word))) == right


def test_semicolons_decimal_commas_and_a_mark(write, alpha):
    halves = write("plain.csv", wide(write=lambda v: v + 0.5))
    path = write("r.csv", "\ufeff" + wide(write=lambda v: f"{v},5", comma=";"))
    assert alpha(path) == alpha(halves)


@pytest.mark.parametrize("encoding", ["cp1252", "utf-16", "utf-8-sig"])
def test_encodings(write, alpha, right_words, encoding):
    accents = {"no": "né", "unsure": "œuf", "yes": "ça"}
    text = long(write=lambda v: accents[WORD[v]])
    assert alpha(write("r.csv", text.encode(encoding))) == right_words


def test_qualtrics(write, alpha, right):
    rows: list[list[object]] = [
        ["StartDate", "ResponseId", "Finished", *ITEMS],
        ["Start Date", "Response ID", "Finished", *(f"How good is {i}?" for i in ITEMS)],
        ['{"ImportId":"startDate"}', '{"ImportId":"_recordId"}', '{"ImportId":"finished"}']
        + [f'{{"ImportId":"QID{i}"}}' for i in range(len(ITEMS))],
    ]
    for rater in THREE_RATERS:
        cells = [RATINGS.get((item, rater), "") for item in ITEMS]
        rows.append(["2026-01-01 10:00:00", f"R_{rater}", "True", *cells])
    assert alpha(write("r.csv", table(rows))) == right


def _mturk(answers: Callable[[int], list[object]], names: list[str]) -> str:
    rows: list[list[object]] = [["HITId", "AssignmentId", "WorkerId", "AssignmentStatus", *names]]
    for number, ((item, rater), value) in enumerate(RATINGS.items()):
        rows.append([item, f"A{number}", rater, "Approved", *answers(value)])
    rows.append([ITEMS[0], "A999", "spammer", "Rejected", *answers(5)])
    return table(rows)


def test_mturk(write, alpha, right_words):
    one = write("Batch_1.csv", _mturk(lambda v: [WORD[v]], ["Answer.category"]))
    words = ("no", "unsure", "yes")
    radio = write(
        "Batch_2.csv",
        _mturk(
            lambda v: [str(WORD[v] == word).lower() for word in words],
            [f"Answer.category.{word}" for word in words],
        ),
    )
    assert alpha(one) == right_words
    assert alpha(radio) == right_words


def test_prodigy(write, alpha, right_words):
    lines = [
        {"_input_hash": ITEMS.index(i), "_task_hash": n, "text": i, "_annotator_id": r,
         "options": [{"id": w, "text": w} for w in ("no", "unsure", "yes")],
         "accept": [WORD[v]], "answer": "accept"}
        for n, ((i, r), v) in enumerate(RATINGS.items())
    ]  # fmt: skip
    ignored = {**lines[0], "_annotator_id": "zoe", "accept": [], "answer": "ignore"}
    text = "".join(json.dumps(line) + "\n" for line in [*lines, ignored])
    assert alpha(write("r.jsonl", text)) == right_words


def _counts() -> dict[str, dict[str, int]]:
    counts = {item: dict.fromkeys(("no", "unsure", "yes"), 0) for item in ITEMS}
    for (item, _), value in RATINGS.items():
        counts[item][WORD[value]] += 1
    return counts


def test_counts_of_labels_by_the_command(write, alpha, right_words):
    counts = _counts()
    columns = "item,n_no,n_unsure,n_yes\n" + "".join(
        f"{item},{','.join(map(str, by.values()))}\n" for item, by in counts.items()
    )
    lines = "".join(
        json.dumps({"uid": item, "label_counter": {k: v for k, v in by.items() if v}}) + "\n"
        for item, by in counts.items()
    )
    assert alpha(write("r.csv", columns)) == pytest.approx(right_words, abs=1e-12)
    assert alpha(write("r.jsonl", lines)) == pytest.approx(right_words, abs=1e-12)


def test_without_raters(write, alpha, right_words):
    text = "item,label\n" + "".join(f"{i},{WORD[v]}\n" for (i, _), v in RATINGS.items())
    assert alpha(write("r.csv", text)) == pytest.approx(right_words, abs=1e-12)


def test_excel(tmp_path, alpha, right):
    pytest.importorskip("python_calamine")
    from tests.io.test_excel import workbook

    rows = [line.split(",") for line in long().splitlines()]
    sheet = {
        f"{'ABC'[place]}{number}": int(cell) if cell.isdigit() else cell
        for number, row in enumerate(rows, 1)
        for place, cell in enumerate(row)
    }
    assert alpha(workbook(tmp_path / "r.xlsx", {"ratings": sheet})) == right


def test_label_studio(write, alpha, right_words):
    raters = {rater: number + 1 for number, rater in enumerate(THREE_RATERS)}

    def annotation(rater: str, value: int, number: int) -> dict[str, object]:
        choice = {"from_name": "tox", "to_name": "text", "type": "choices",
                  "value": {"choices": [WORD[value]]}}  # fmt: skip
        return {"id": number, "completed_by": raters[rater], "was_cancelled": False,
                "result": [choice]}  # fmt: skip

    tasks = [
        {"id": n, "data": {"text": item}, "predictions": [],
         "annotations": [annotation(r, v, 100 * n + raters[r])
                         for (i, r), v in RATINGS.items() if i == item]}
        for n, item in enumerate(ITEMS, 1)
    ]  # fmt: skip
    small = [
        {"id": ITEMS.index(i) + 1, "text": i, "tox": WORD[v], "annotator": raters[r],
         "annotation_id": n, "created_at": "2026-01-01T10:00:00Z",
         "updated_at": "2026-01-01T10:00:00Z", "lead_time": 1.5}
        for n, ((i, r), v) in enumerate(RATINGS.items())
    ]  # fmt: skip
    assert alpha(write("r.json", json.dumps(tasks))) == right_words
    assert alpha(write("min.json", json.dumps(small))) == right_words


def test_nested_lists(tmp_path, alpha, right_words):
    import polars as pl

    frame = pl.DataFrame(
        {
            "id": ITEMS,
            "labels": [[WORD[v] for (i, _), v in RATINGS.items() if i == item] for item in ITEMS],
            "annotators": [[r for i, r in RATINGS if i == item] for item in ITEMS],
        }
    )
    frame.write_parquet(tmp_path / "r.parquet")
    assert alpha(tmp_path / "r.parquet") == right_words


def test_two_roles_and_one_column_left(write, alpha, right):
    assert alpha(write("r.csv", long("event,annotator,answer"))) == right


@pytest.mark.parametrize("case", ["Yes", "YES", " yes", "yes "])
def test_two_ways_to_write_a_label_are_warned_of(write, run, alpha, right_words, case):
    def word(value: int) -> str:
        return WORD[value]

    lines = long(write=word).splitlines()
    every = [n for n, line in enumerate(lines) if line.endswith(",yes")][::2]
    lines = [line[:-3] + f'"{case}"' if n in every else line for n, line in enumerate(lines)]
    path = write("r.csv", "\n".join(lines) + "\n")
    done = run("agree", path, "--bootstrap", 0, "--json")
    if done.json["alpha"]["value"] == right_words:
        return  # blanks at the ends are none
    (warning,) = [one for one in done.json["warnings"] if "--merge" in one]
    merge = re.search(r"--merge (\w+)", warning).group(1)
    assert alpha(path, "--merge", merge) == right_words


# --- predictions ----------------------------------------------------------------------------------


def _judge(i: int) -> int:
    return 1 + (7 * i + i // 3) % 5


SHARES = {item: (0.1 + 0.8 * (i % 5) / 4) for i, item in enumerate(ITEMS)}


def survey_of(run, ratings: Path, predictions: Path, *options: str):
    return run("survey", ratings, "-p", predictions, "--bootstrap", 0, "--no-ceiling", "--json",
               *options)  # fmt: skip


@pytest.fixture
def two_labels(write) -> Path:
    return write("ratings.csv", long(write=lambda v: "yes" if v > 2 else "no"))


@pytest.fixture
def worth(run, write, two_labels):
    """Score of the judge, from plain columns of probabilities."""
    plain = "item,judge:no,judge:yes\n" + "".join(f"{i},{1 - p},{p}\n" for i, p in SHARES.items())
    return survey_of(run, two_labels, write("p.csv", plain)).json["classifiers"][0]["score"]


@pytest.mark.parametrize("form", ["confidence", "rounded"])
def test_probabilities(run, write, two_labels, worth, form):
    if form == "confidence":
        lines = [{"id": i, "judge": "yes" if p > 0.5 else "no", "judge_confidence": max(p, 1 - p)}
                 for i, p in SHARES.items()]  # fmt: skip
        text = "".join(json.dumps(line) + "\n" for line in lines)
    else:
        text = "item,judge:no,judge:yes\n" + "".join(
            f"{i},{1 - p:.4f},{p + 0.0001:.4f}\n" for i, p in SHARES.items()
        )
    done = survey_of(run, two_labels, write("q.csv" if form == "rounded" else "q.jsonl", text))
    assert done.code == 0, done.err
    found = done.json["classifiers"][0]["score"]["value"]
    # Rounding to four digits moves a log of .1 by .0001 / .1 / ln 2.
    assert found == pytest.approx(worth["value"], abs=2e-3 if form == "rounded" else 1e-12)


@pytest.mark.parametrize("said", ["score", "word"])
def test_scores_and_labels_that_raters_never_use_are_predictions(run, write, two_labels, said):
    values = {i: f"{p:.3f}" for i, p in SHARES.items()} if said == "score" else {
        i: "maybe" if n % 4 == 0 else "yes" for n, i in enumerate(ITEMS)}  # fmt: skip
    path = write("s.csv", "item,judge\n" + "".join(f"{i},{value}\n" for i, value in values.items()))
    done = survey_of(run, two_labels, path)
    assert done.code == 0, done.err
    assert [judge["calibration"] for judge in done.json["classifiers"]] != [None]
    (command,) = [
        step["command"]
        for step in run("look", two_labels, path, "--json").json["next"]
        if step["verb"] == "survey"
    ]
    assert run(*shlex.split(command)[1:], "--bootstrap", 0, "--no-ceiling").code == 0


# --- in Python ------------------------------------------------------------------------------------


def test_frames_arrays_and_dicts(right, tmp_path):
    columns = {
        "item": [i for i, _ in RATINGS],
        "rater": [r for _, r in RATINGS],
        "label": list(RATINGS.values()),
    }
    path = tmp_path / "r.parquet"
    write_rows(columns, path)
    matrix = [[RATINGS.get((item, rater)) for rater in THREE_RATERS] for item in ITEMS]
    for data in (pd.DataFrame(columns), columns, path, str(path), matrix):
        assert headcount.agree(data, bootstrap=0)["alpha"].value == right


def test_ordered_categories(right_words):
    frame = pd.DataFrame(
        {
            "item": [i for i, _ in RATINGS],
            "rater": [r for _, r in RATINGS],
            "label": pd.Categorical(
                [WORD[v] for v in RATINGS.values()], ["no", "unsure", "yes"], ordered=True
            ),
        }
    )
    labels = headcount.read_ratings(frame)
    assert (labels.scale.labels, labels.scale.kind) == (("no", "unsure", "yes"), "ordinal")


# --- comparisons ----------------------------------------------------------------------------------

GAMES = [("a", "b", 1), ("b", "c", 1), ("c", "a", 0), ("a", "c", 1), ("b", "a", 0.5), ("c", "b", 1),
         ("a", "b", 0), ("c", "a", 1)]  # fmt: skip


def _rows(form: str) -> str:
    decided = [(x, y, o) for x, y, o in GAMES if o != 0.5]
    if form == "winner and loser":
        return "winner,loser\n" + "".join(
            f"{x},{y}\n" if o else f"{y},{x}\n" for x, y, o in decided
        )
    if form == "one-hot":
        return "model_a,model_b,winner_model_a,winner_model_b,winner_tie\n" + "".join(
            f"{x},{y},{int(o == 1)},{int(o == 0)},{int(o == 0.5)}\n" for x, y, o in GAMES
        )
    if form == "AlpacaEval":
        code = {1: "1", 0: "2", 0.5: "1.5"}
        return "generator_1,generator_2,preference\n" + "".join(
            f"{x},{y},{code[o]}\n" for x, y, o in GAMES
        )
    stray = "a,b,NA\na,a,left\n" if form == "stray rows" else ""
    word = {1: "left", 0: "right", 0.5: "tie"}
    return "left,right,outcome\n" + "".join(f"{x},{y},{word[o]}\n" for x, y, o in GAMES) + stray


@pytest.mark.parametrize("form", ["winner and loser", "one-hot", "AlpacaEval", "stray rows"])
def test_comparisons(run, write, form):
    done = run("pairs", write("c.csv", _rows(form)), "--json")
    plain = "plain" if form != "winner and loser" else form
    games = [g for g in GAMES if form != "winner and loser" or g[2] != 0.5]
    assert done.code == 0, done.err
    assert done.json["data"]["ratings"] == len(games)
    if plain == "plain":
        expected = run("pairs", write("p.csv", _rows("plain")), "--json").json
        for one, other in zip(done.json["items"], expected["items"], strict=True):
            assert one["rating"] == other["rating"]
    if form == "stray rows":
        assert sum(done.json["data"]["dropped"].values()) == 2

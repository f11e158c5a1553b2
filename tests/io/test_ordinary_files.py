"""Files that people have: the bare reader gives the numbers of the plain file, or says what to do.

The plain file is wide, three raters of forty items on five points. Each case is the same ratings as
some program, form or habit writes them, or a file that cannot be read without a choice.
"""

from __future__ import annotations

import csv
import gzip
import io
import json

import numpy as np
import pandas as pd
import pytest

from headcount import DataError, agree, read_predictions, read_ratings

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
    "no_header_long.csv": text(None, LONG),
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
    "pairs_of_columns.csv": text(
        ["item", "rater_1", "label_1", "rater_2", "label_2", "rater_3", "label_3"],
        [[item, "ann", a, "bob", b, "cy", c] for item, a, b, c in WIDE],
    ),
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
    "labels_by_rater.jsonl": lines(
        {"id": i, "text": "t", "labels": dict(zip(RATERS, own, strict=True))} for i, *own in WIDE
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", RIGHT)
def test_the_ratings_of_the_plain_file(tmp_path, name):
    (tmp_path / name).write_text(RIGHT[name], encoding="utf-8", newline="")
    labels = read_ratings(tmp_path / name)
    assert (len(labels), len(labels.raters), len(labels.items)) == (120, 3, 40)
    assert agree(labels, bootstrap=0)["alpha"].value == pytest.approx(ALPHA, abs=1e-12)


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
        r"as counts of labels do.*labels=\['cat', 'dog'\] if they count labels",
    ),
    "marks.csv": (
        text(["item", "toxic", "insult", "threat"], cells(lambda v, n, r: int(v > 2 + r))),
        "nothing says who marked them",
    ),
    "topic.csv": (
        wide_with(["topic"], lambda n, _: [("sport", "news", "tech")[n % 3]]),
        r"column 'topic'.*ignore='topic'",
    ),
    "language.csv": (
        text(["id", "lang", "ann", "bob"], [[i, "de" if n % 2 else "en", a > 2, b > 2]
                                            for n, (i, a, b, _) in enumerate(WIDE)]),
        r"column 'lang'.*ignore='lang'",
    ),
    "length.csv": (wide_with(["length"], lambda n, _: [20 + 7 * n]), "ignore='length'"),
    "one_rater_in_words.csv": (
        text(HEADER, cells(lambda v, _, r: WORDS[v] if r == 2 else v)), "column 'cy'"
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
    "short_header.csv": (text(RATERS, WIDE), "4 columns where the header has 3"),
    "doccano.csv": (
        text(["id", "text", "label"], [[n, f"text {n}, so", "pos"] for n in range(30)]),
        "no column found for the rater",
    ),
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
        "transpose=True",
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
    labels = read_ratings(tmp_path / "r.csv")
    assert labels.anonymous
    assert len(labels) == sum(a + b for _, a, b in rows)
    # With a column of totals, and a row.
    total = [*rows, ["Total", sum(a for _, a, _ in rows), sum(b for _, _, b in rows)]]
    with_total = [[item, a, b, a + b] for item, a, b in total]
    (tmp_path / "r.csv").write_text(text([*header, "Total"], with_total))
    again = read_ratings(tmp_path / "r.csv")
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
        (["Timestamp", "Email Address"], ["2024/03/01 10:11:12 AM GMT+1", "p{}@x.org"], "p0@x.org"),
        (["Timestamp"], ["2024/03/01 10:11:12 AM GMT+1"], "2"),
        (["ID", "Start time", "Completion time", "Email"], ["{}", "3/1/24", "3/1/24", "anonymous"],
         "0"),
    ],
)  # fmt: skip
def test_forms_have_raters_in_rows(tmp_path, header, facts, rater):
    rows = [[*(fact.format(n) for fact in facts), *own] for n, own in enumerate(RESPONDENTS)]
    (tmp_path / "form.csv").write_text(text([*header, *QUESTIONS], rows, quoting=csv.QUOTE_ALL))
    labels = read_ratings(tmp_path / "form.csv")
    assert (len(labels), len(labels.items), len(labels.raters)) == (36, 12, 3)
    assert rater in map(str, labels.raters.tolist())
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
def test_blanks_at_the_ends_of_cells_are_left_out_and_counted(tmp_path, suffix):
    cells = [(1, "ann", "yes"), (1, "bob", "yes "), (2, "ann", " no"), (2, "bob", "no")]
    path = tmp_path / f"r.{suffix}"
    if suffix == "csv":
        text = "item,rater,label\n" + "".join(f"{i},{r},{w}\n" for i, r, w in cells)
    else:
        text = "".join(json.dumps({"item": i, "rater": r, "label": w}) + "\n" for i, r, w in cells)
    path.write_text(text)
    read = read_ratings(path)
    assert read.scale.labels == ("no", "yes")
    assert any(
        note == f"r.{suffix}: blanks at the ends of 2 cells are left out, in 'label'."
        for note in read.notes
    )
    frame = {"item": [1, 2], "ann": ["yes ", "no"], "bob": ["yes", "no"]}
    assert any("blanks at the ends of 1 cell are" in note for note in read_ratings(frame).notes)


def test_repeated_ratings_name_what_can_be_done(tmp_path):
    path = tmp_path / "r.csv"
    path.write_text("item,rater,label\n" + "1,ann,yes\n1,ann,no\n1,bob,no\n2,ann,no\n2,bob,no\n")
    with pytest.raises(DataError, match=r"duplicates='first'.*duplicates='retest'") as refused:
        read_ratings(path)
    assert "several questions or rounds" not in str(refused.value)
    path.write_text("item,rater,label\n" + "1,ann,yes\n1,ann,no\n2,bob,no\n2,bob,no\n")
    with pytest.raises(DataError, match="several questions or rounds"):
        read_ratings(path)


def test_lists_that_were_written_as_text_are_explained(tmp_path):
    path = tmp_path / "r.csv"
    path.write_text("id,labels\n" + "".join(f"{i},\"['a', 'b']\"\n" for i in range(4)))
    with pytest.raises(DataError, match="Cells of 'labels' are lists written as text"):
        read_ratings(path, item="id", label="labels", rater=None)

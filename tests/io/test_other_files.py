"""Files in which columns, the shape or the bytes would give a wrong number, or once broke."""

from __future__ import annotations

import csv
import gzip
import io
import json
import time
import zlib
from pathlib import Path

import numpy as np
import pytest

from headcount import (
    DataError,
    HeadcountError,
    agree,
    read_comparisons,
    read_predictions,
    read_ratings,
    read_truth,
)
from headcount.io.cells import check_bare
from headcount.io.label_order import in_order
from headcount.io.opening import open_table
from headcount.io.values import match_items
from headcount.io.write import write_rows
from headcount.results.notes import Notes

# Files in which columns beside the raters, or the shape, would give a wrong number.

RATERS = ["ann", "bob", "cy"]
_RNG = np.random.default_rng(7)
_TRUTH = _RNG.integers(1, 6, 40)
STARS = np.clip(_TRUTH[:, None] + _RNG.integers(-1, 2, (40, 3)), 1, 5).tolist()
HALVES = [[a + (n % 3 == 0) / 2, b + (n % 4 == 0) / 2, c] for n, (a, b, c) in enumerate(STARS)]
ITEMS = [f"i{n:02}" for n in range(40)]
YES = [["yes" if value > 3 else "no" for value in row] for row in STARS]


def text(header, rows, sep=","):
    out = io.StringIO()
    csv.writer(out, delimiter=sep, lineterminator="\n").writerows([header, *rows])
    return out.getvalue()


def wide(extra=(), add=lambda n, row: [], rows=STARS, raters=RATERS):
    """Write a wide file with columns at the end."""
    return text(["item", *raters, *extra], [[i, *row, *add(n, row)]
                for n, (i, row) in enumerate(zip(ITEMS, rows, strict=True))])  # fmt: skip


def said(write, rows=STARS):
    return wide(rows=[[write(value) for value in row] for row in rows])


def alpha_of(rows, kind="interval"):
    """Krippendorff's alpha of full rows of numbers, by its definition."""
    values = np.array(rows, dtype=float)
    n = values.size
    if kind == "interval":
        within = sum(((row[:, None] - row) ** 2).sum() / (len(row) - 1) for row in values)
        flat = values.ravel()
        return 1 - (within / n) / (((flat[:, None] - flat) ** 2).sum() / (n * (n - 1)))
    within = sum((row[:, None] != row).sum() / (len(row) - 1) for row in values)
    flat = values.ravel()
    return 1 - (within / n) / ((flat[:, None] != flat).sum() / (n * (n - 1)))


LONG = [[i, r, v] for i, row in zip(ITEMS, STARS, strict=True)
        for r, v in zip(RATERS, row, strict=True)]  # fmt: skip
WORDS = ["none", "mild", "moderate", "severe", "critical"]
RIGHT = {
    "correct_answer": wide(["correct_answer"], lambda n, _: [_TRUTH[n]]),
    "resolved": wide(["Resolved code"], lambda _, row: [sorted(row)[1]]),
    "rater_comments": text(
        ["item", "Ann", "Ann comment", "Bob", "Bob comment", "Cy", "Cy comment"],
        [[i, a, "hm" if n % 5 else "", b, "", c, ""]
         for n, (i, (a, b, c)) in enumerate(zip(ITEMS, STARS, strict=True))],
    ),
    "no_items": text(["rater1", "rater2", "rater3"], STARS),
}  # fmt: skip


@pytest.mark.parametrize("name", RIGHT)
def test_the_same_as_the_plain_file(tmp_path, name):
    (tmp_path / "r.csv").write_text(RIGHT[name], encoding="utf-8")
    read = read_ratings(tmp_path / "r.csv")
    assert (len(read), len(read.items), len(read.raters)) == (120, 40, 3)
    assert agree(read, bootstrap=0)["alpha"].value == pytest.approx(alpha_of(STARS), abs=1e-12)


@pytest.mark.parametrize(
    ("written", "options"),
    [
        (text(["who", "what", "said"], [[r, i, v] for i, r, v in LONG]),
         {"item": "what", "rater": "who", "label": "said"}),
        (text(["Beitrag", "Person", "Urteil"], LONG),
         {"item": "Beitrag", "rater": "Person", "label": "Urteil"}),
        (text(["Meier", "Huber", "Lang"], STARS), {"columns": ["Meier", "Huber", "Lang"]}),
    ],
)  # fmt: skip
def test_what_names_do_not_tell_is_refused_until_it_is_said(tmp_path, written, options):
    with pytest.raises(DataError, match=r"item='...'|labels='...'"):
        read(tmp_path, written)
    made = read(tmp_path, written, **options)
    assert (len(made), len(made.items), len(made.raters)) == (120, 40, 3)
    assert agree(made, bootstrap=0)["alpha"].value == pytest.approx(alpha_of(STARS))


@pytest.mark.parametrize(
    ("made", "what"),
    [
        (lambda _, row: [f"{np.mean(row):.2f}"], "mean"),
        (lambda _, row: [sum(row)], "sum"),
    ],
)
def test_sums_and_means_are_no_raters(tmp_path, made, what):
    (tmp_path / "r.csv").write_text(wide(["x"], made))
    with pytest.raises(DataError, match=f"'x' is the {what} of the other columns.*ignore='x'"):
        read_ratings(tmp_path / "r.csv")
    rated = read_ratings(tmp_path / "r.csv", ignore="x")
    assert agree(rated, bootstrap=0)["alpha"].value == pytest.approx(alpha_of(STARS))
    assert len(read_ratings(tmp_path / "r.csv", columns=[*RATERS, "x"]).raters) == 4


@pytest.mark.parametrize(
    "made",
    [
        lambda _, row: [sorted(row)[1]],
        lambda _, row: [max(row)],
        lambda _, row: [min(row)],
        lambda n, row: [row[n % 3]],
    ],
)
def test_a_rater_who_says_what_others_say_is_kept(tmp_path, made):
    (tmp_path / "r.csv").write_text(wide(["dora"], made))
    assert read_ratings(tmp_path / "r.csv").raters.tolist() == [*RATERS, "dora"]


def test_a_rater_who_follows_others_stays(tmp_path):
    """What is often, but not always, the mean or the difference of others is a rater's."""
    rows = [[a, b, round((a + b) / 2 + 0.1) if n % 7 else a] for n, (a, b, _) in enumerate(STARS)]
    (tmp_path / "r.csv").write_text(wide(rows=rows))
    assert len(read_ratings(tmp_path / "r.csv").raters) == 3
    rows = [[int(v > 3) for v in row] for row in STARS]
    (tmp_path / "r.csv").write_text(wide(rows=rows))
    assert len(read_ratings(tmp_path / "r.csv").raters) == 3


SQUARE = [["yes", 20, 5], ["no", 3, 12]]
PATTERNS = [["yes", "yes", 20], ["yes", "no", 5], ["no", "yes", 3], ["no", "no", 12]]


@pytest.mark.parametrize(
    ("written", "raters"),
    [
        (text(["", "yes", "no"], SQUARE), ["columns", "rows"]),
        (text(["ann \\ bob", "yes", "no"], SQUARE), ["ann", "bob"]),
        (text(["ann vs bob", "yes", "no", "Total"],
              [[*row, row[1] + row[2]] for row in [*SQUARE, ["Total", 23, 17]]]), ["ann", "bob"]),
    ],
)  # fmt: skip
def test_cross_tables_and_counted_patterns(tmp_path, written, raters):
    (tmp_path / "t.csv").write_text(written)
    read = read_ratings(tmp_path / "t.csv")
    assert (len(read.items), read.raters.tolist()) == (40, raters)
    # Observed 32 / 40; expected (25 * 23 + 15 * 17) / 1600.
    kappa = (0.8 - 0.51875) / (1 - 0.51875)
    assert agree(read, bootstrap=0)["cohen"].value == pytest.approx(kappa)


WIDE_ROWS = [[i, *row] for i, row in zip(ITEMS, STARS, strict=True)]
REFUSED = {
    "several_questions": (
        text(["item", *(f"{r}_{q}" for r in RATERS for q in ("toxic", "rude"))],
             [[i, *row, *row[::-1]] for i, row in zip(ITEMS, STARS, strict=True)]),
        r"columns=\['ann_toxic', 'bob_toxic', 'cy_toxic'\]",
    ),
    "ticks": (said(lambda v: "x" if v > 3 else ""), "every rating is 'x', and 59 cells are blank"),
    "no_header": (
        text(["ann", "i00", STARS[0][0]], [[r, i, v] for i, r, v in LONG[1:]]), "must name the col"
    ),
    "many_columns": (
        text(["record_id", "event", "score", "complete"], [[i, r, v, 2] for i, r, v in LONG]),
        "rater='event'",
    ),
    "people_by_people": (
        text(["", "ann", "bob"], [["ann", 5, 4], ["bob", 3, 5]]), r"labels=\['ann', 'bob'\] if cell"
    ),
    "numbers_by_numbers": (text(["", 1, 2], [[1, 2, 1], [2, 1, 2]]), "transpose=False"),
    "shares": (text(["", "yes", "no"], [["yes", 0.8, 0.2], ["no", 0.3, 0.7]]), "needs whole num"),
    "counts_too_large": (text(["", "yes", "no"], [["yes", 10**9, 2], ["no", 3, 4]]), "10,000,000"),
    "form": (
        text(["Timestamp", "Age group", *(f"How good is it? [{i}]" for i in ITEMS)],
             [[f"2024/3/{n}", 3, *own] for n, own in enumerate(zip(*STARS, strict=True), 1)]),
        "rows seem to be answers of people to a survey",
    ),
    "out_of": (said(lambda v: f"{v}/5"), "'5/5' hold more than a number or a label"),
    "stars": (said(lambda v: f"{v} star{'s' * (v > 1)}"), "hold more than a number or a label"),
    "signs": (said(lambda v: "★" * v + "☆" * (5 - v)), "hold more than a number or a label"),
    "wide_twice": (
        text(["item", *RATERS], [*WIDE_ROWS[:9], ["item", *RATERS], *WIDE_ROWS[9:]]),
        "row 11: the header again",
    ),
    "long_twice": (
        text(["item", "rater", "label"], [*LONG[:9], ["item", "rater", "label"], *LONG[9:]]),
        "row 11: the header again",
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", REFUSED)
def test_refused_with_what_to_do(tmp_path, name):
    written, match = REFUSED[name]
    (tmp_path / "r.csv").write_text(written)
    with pytest.raises(DataError, match=match):
        read_ratings(tmp_path / "r.csv")


def test_what_refusals_say_can_be_done(tmp_path):
    path = tmp_path / "r.csv"

    def value(name, **options):
        path.write_text(REFUSED[name][0])
        read = read_ratings(path, **options)
        return read.raters.tolist(), agree(read, bootstrap=0)["alpha"].value

    columns = [[row[0], row[2], row[1]] for row in STARS]  # toxic of ann, bob and cy
    names = [f"{rater}_toxic" for rater in RATERS]
    assert value("several_questions", columns=names) == (names, pytest.approx(alpha_of(columns)))
    path.write_text(REFUSED["form"][0])
    form = read_ratings(path, transpose=True, rater="Timestamp", ignore=["Age group"])
    assert agree(form, bootstrap=0)["alpha"].value == pytest.approx(alpha_of(STARS))
    path.write_text(REFUSED["people_by_people"][0])
    assert len(read_ratings(path, labels=["ann", "bob"]).items) == 17
    assert read_ratings(path, transpose=False).raters.tolist() == ["ann", "bob"]


def test_words_that_are_known_to_be_in_order(tmp_path):
    path = tmp_path / "r.csv"
    path.write_text(said(lambda v: WORDS[v - 1]))
    read = read_ratings(path)
    assert (read.scale.labels, read.scale.kind) == (tuple(WORDS), "ordinal")
    assert len(read) == 120  # 'none' is a label here
    assert any("taken to be in order" in note for note in read.notes)
    ordered = agree(read, bootstrap=0)["alpha"].value
    path.write_text(wide())
    assert ordered == pytest.approx(agree(path, scale="ordinal", bootstrap=0)["alpha"].value)
    path.write_text(said(lambda v: {1: "1 (bad)", 5: "5 (good)"}.get(v, str(v))))
    assert read_ratings(path).scale.labels == ("1 (bad)", "2", "3", "4", "5 (good)")
    path.write_text(said(lambda v: ["cat", "dog", "bird", "fish", "cow"][v - 1]))
    assert read_ratings(path).scale.kind == "nominal"


@pytest.mark.parametrize(
    "write",
    [
        lambda v: json.dumps({"score": v, "reason": f"it is {v} and so"}),
        lambda v: f'```json\n{{"rating": {v}}}\n```',
    ],
)
def test_a_number_that_judges_write_as_json(write):
    rows = {"item": ITEMS, "judge": [write(int(value)) for value in _TRUTH]}
    read = read_predictions(rows)
    assert read.labels == ("1", "2", "3", "4", "5")
    assert read.classifiers[0].probability.argmax(axis=1).tolist() == (_TRUTH - 1).tolist()


@pytest.mark.parametrize("write", ["Score: {}".format, "{}/5".format, "**{}**".format])
def test_what_judges_write_around_a_number_is_refused(write):
    rows = {"item": ITEMS, "judge": [write(int(value)) for value in _TRUTH]}
    with pytest.raises(DataError, match=r"more than a number or a label\. Write that alone"):
        read_predictions(rows)


@pytest.mark.parametrize(
    ("judge", "match"),
    [
        ([f"Yes, because item {n} is so." for n in range(40)], "text, not labels"),
        ([-1 if n % 8 == 0 else int(v) for n, v in enumerate(_TRUTH)], r"missing=\['-1'\]"),
        (["ERROR: limit" if n % 8 == 0 else str(v) for n, v in enumerate(_TRUTH)], "ERROR: limit"),
    ],
)
def test_what_judges_say_that_is_no_label(judge, match):
    with pytest.raises(DataError, match=match):
        read_predictions({"item": ITEMS, "judge": judge})


def test_reasons_and_confidence_in_words_are_no_classifiers():
    rows = {"item": ITEMS, "gpt": [row[0] for row in YES], "gpt_reason": ["a"] * 20 + ["b"] * 20}
    assert [one.name for one in read_predictions(rows).classifiers] == ["gpt"]
    rows = {"item": ITEMS, "label": rows["gpt"], "confidence": ["low", "high"] * 20}
    assert [one.name for one in read_predictions(rows).classifiers] == ["label"]


WON = {"winner": ["a", "b", "a"], "loser": ["b", "a", "c"], "n": [30, 20, 5]}


def test_counted_comparisons():
    read = read_comparisons(WON)
    assert len(read) == 55
    assert any("how often each row was the answer: 55" in note for note in read.notes)
    assert len(read_comparisons(WON, ignore=["n"])) == 3
    numbered = {**WON, "n": [1, 2, 3]}  # of the rows
    with pytest.raises(DataError, match=r"'n' seems to number the rows.*ignore=\['n'\].*count"):
        read_comparisons(numbered)
    counted = {name: values for name, values in numbered.items() if name != "n"}
    assert len(read_comparisons(counted | {"count": [1, 2, 3]})) == 6


SIDES = {"model_a": ["x", "y", "x"], "model_b": ["y", "z", "z"]}


@pytest.mark.parametrize(
    "columns",
    [
        {"verdict": ["[[A]]", "[[B]]", "[[C]]"]},
        {"label": ["A is much better", "B is slightly better", "About the same"]},
        {"score_a": [8, 2, 5], "score_b": [3, 9, 5]},
    ],
)
def test_who_won(columns):
    read = read_comparisons(SIDES | columns)
    won = dict(zip(zip(read.left.tolist(), read.right.tolist(), strict=True), read.outcome.tolist(),
                   strict=True))  # fmt: skip
    assert won == {(0, 1): 1, (1, 2): 0, (0, 2): 0.5}


def read(tmp_path, written, name="r.csv", **options):
    (tmp_path / name).write_text(written, encoding="utf-8")
    return read_ratings(tmp_path / name, **options)


TWO_ROWS = [["Item", "Coders", "", ""], ["", "Ann", "Bob", "Cy"]]
MONKEY = [
    ["Respondent ID", "Start Date", "How good is it?", *[""] * 39],
    ["", "", *(f"Text {n}" for n in range(40))],
    *([str(9 + r), "2024-03-01 10:00", *own] for r, own in enumerate(zip(*STARS, strict=True))),
]


@pytest.mark.parametrize(
    "written",
    [
        text(TWO_ROWS[0], [TWO_ROWS[1], *([i, *r] for i, r in zip(ITEMS, STARS, strict=True))]),
        text(MONKEY[0], MONKEY[1:]),
    ],
)
def test_headers_of_two_rows_are_refused(tmp_path, written):
    with pytest.raises(DataError, match=r"r\.csv, row 2: the header has two rows\. Keep one"):
        read(tmp_path, written)


def test_a_blank_first_cell_makes_no_header(tmp_path):
    made = read(tmp_path, "item,ann,bob\n,yes,no\n1,yes,no\n2,no,no\n3,yes,yes\n")
    assert (len(made.items), made.dropped) == (3, {"no item": 1})


YES_LONG = [[i, r, v] for i, row in zip(ITEMS, YES, strict=True)
            for r, v in zip(RATERS, row, strict=True)]  # fmt: skip


@pytest.mark.parametrize(
    ("header", "rows"),
    [
        (["id", "text", "label1", "label2", "label3"],
         [[n, f"text {n}", *row] for n, row in enumerate(YES)]),
    ],
)  # fmt: skip
def test_long_files_with_a_catch(tmp_path, header, rows):
    made = read(tmp_path, text(header, rows))
    assert (len(made), len(made.items), len(made.raters)) == (120, 40, 3)
    expected = alpha_of([[value == "yes" for value in row] for row in YES], "nominal")
    assert agree(made, bootstrap=0)["alpha"].value == pytest.approx(expected)


@pytest.mark.parametrize("name", ["Gold", "majority_vote", "mean", "consensus", "truth"])
def test_raters_are_kept_whatever_they_are_called(tmp_path, name):
    written = text(["item", "rater", "label"], [*YES_LONG, *([i, name, "yes"] for i in ITEMS)])
    for options in ({}, {"item": "item", "rater": "rater", "label": "label"}):
        made = read(tmp_path, written, **options)
        assert (len(made), len(made.raters)) == (160, 4)
        assert any(f"exclude=['{name}']" in note for note in made.notes)
    made = read(tmp_path, written, exclude=[name])
    assert (len(made), made.dropped) == (120, {"rater left out": 40})
    expected = alpha_of([[value == "yes" for value in row] for row in YES], "nominal")
    assert agree(made, bootstrap=0)["alpha"].value == pytest.approx(expected)
    with pytest.raises(DataError, match="no rater 'nobody' to leave out"):
        read(tmp_path, written, exclude=["nobody"])


def test_a_column_of_a_name_that_says_truth_is_left_out_unless_it_is_named(tmp_path):
    written = wide(["gold"], lambda n, _: [_TRUTH[n]])
    made = read(tmp_path, written)
    assert made.raters.tolist() == RATERS
    assert any("'gold'" in note and "columns='...'" in note for note in made.notes)
    made = read(tmp_path, written, columns=[*RATERS, "gold"])
    assert made.raters.tolist() == [*RATERS, "gold"]


def test_counts_without_items_and_percentages(tmp_path):
    counts = [[row.count(value) for value in range(1, 6)] for row in STARS]
    made = read(tmp_path, text([1, 2, 3, 4, 5], counts), shape="counts", columns=list("12345"))
    assert (len(made), len(made.items)) == (120, 40)
    assert agree(made, bootstrap=0)["alpha"].value == pytest.approx(alpha_of(STARS))
    shares = [
        [i, 20 * n, 100 - 20 * n] for i, n in zip(ITEMS, [0, 1, 2, 3, 4, 5] * 6, strict=False)
    ]
    with pytest.raises(DataError, match=r"shape='counts' .* shape='wide'"):
        read(tmp_path, text(["item", "yes", "no"], shares))
    assert len(read(tmp_path, text(["item", "yes", "no"], shares), labels=["yes", "no"])) == 3600


@pytest.mark.parametrize("rows", [STARS, YES])
def test_a_row_that_describes_columns_is_refused(tmp_path, rows):
    about = ["what", "of ann", "of bob", "of cy"]
    with pytest.raises(DataError, match=r"row 2.*'of ann', 'of bob', 'of cy'"):
        read(
            tmp_path,
            text(["id", *RATERS], [about, *([i, *r] for i, r in zip(ITEMS, rows, strict=True))]),
        )


@pytest.mark.parametrize(
    ("data", "match"),
    [
        (b"PK\x03\x04" + b"\x00" * 200, "zip archive that is damaged"),
        (b"$FL2@(#) SPSS", "no PDF, image, database or file of SPSS"),
        (b"SQLite format 3\x00", "no PDF, image, database"),
    ],
)
def test_files_that_are_no_text(tmp_path, data, match):
    (tmp_path / "r.csv").write_bytes(data)
    with pytest.raises(DataError, match=match):
        read_ratings(tmp_path / "r.csv")


def test_ids_that_do_not_meet():
    ones, notes = np.arange(1, 41), Notes()
    assert match_items("r.csv", ones, "p.csv", ones, notes).tolist() == list(range(40))
    assert not notes
    named, files = (np.array(ids, dtype=object) for ids in (["i1", "i2"], ["d/i1.jpg", "d/i2.jpg"]))
    with pytest.raises(DataError, match="2 items would be but for folder or ending"):
        match_items("r.csv", named, "p.csv", files, notes)


def test_numbers_with_a_middle_are_no_missing_answers():
    for values in ([-1, 0, 1], [1, 4, 7]):
        with pytest.raises(DataError, match="do not say at which end the left item won"):
            read_comparisons(SIDES | {"score": values})


def test_a_column_of_items_need_not_come_first(tmp_path):
    rows = [[*row, 900 + n] for n, row in enumerate(STARS)]
    made = read(tmp_path, text([*RATERS, "tweet_id"], rows))
    assert (len(made), len(made.items), len(made.raters)) == (120, 40, 3)
    assert agree(made, bootstrap=0)["alpha"].value == pytest.approx(alpha_of(STARS))


def test_questions_and_places_are_no_raters(tmp_path):
    rows = [[n, *row] for n, row in enumerate(STARS)]
    with pytest.raises(DataError, match="by what was asked"):
        read(tmp_path, text(["id", "helpfulness", "correctness", "verbosity"], rows))
    with pytest.raises(DataError, match="as the places of a ranking are"):
        read(tmp_path, text(["id", "1st", "2nd", "3rd"], rows))


def test_texts_that_are_too_long_for_patterns_take_no_time():
    long = "1" * 200_000 + "x"
    check_bare([long, "4/5", long], "r.csv")
    assert in_order([long, "2", "3"]) is None
    check_bare([" " * 200_000 + long, long], "r.csv")


@pytest.mark.parametrize("ends", [("\r\n", "\n"), ("\n", "\r\n")])
def test_lines_that_end_in_two_ways(tmp_path, ends):
    """Files that were put together on two systems; a field may hold a line end of its own."""
    rows = ["item,rater,label", "1,a,x", '1,b,"y', 'z"', "2,a,x", "2,b,x", "3,a,x", "3,b,x"]
    path = tmp_path / "put_together.csv"
    path.write_bytes("".join(row + ends[i > 4] for i, row in enumerate(rows)).encode())
    labels = read_ratings(path)
    assert (len(labels), len(labels.items), labels.n_raters) == (6, 3, 2)
    assert len(labels.scale.labels) == 2


# What once broke in the bytes of files: a test for each finding.

ROWS = [(f"i{i}", f"r{r}", "xyz"[(i * r + i) % 3]) for i in range(12) for r in range(3)]


def long_text(rows=ROWS) -> str:
    return "item,rater,label\n" + "".join(",".join(row) + "\n" for row in rows)


@pytest.mark.parametrize("name", ["run[1].csv", "all*.csv", "run?.csv", "{run1,b}.csv"])
def test_1_a_name_is_no_pattern(tmp_path: Path, name: str) -> None:
    (tmp_path / "run1.csv").write_text(long_text([*ROWS, ("other", "r0", "x")]), encoding="utf-8")
    (tmp_path / "all1.csv").write_text(long_text([*ROWS, ("more", "r0", "x")]), encoding="utf-8")
    (tmp_path / name).write_text(long_text(), encoding="utf-8")
    assert len(read_ratings(tmp_path / name)) == len(ROWS)


def test_1_a_pattern_is_no_name(tmp_path: Path) -> None:
    (tmp_path / "run1.csv").write_text(long_text(), encoding="utf-8")
    for name in ("run*.csv", "run[1].csv"):
        with pytest.raises(DataError, match="no such file"):
            read_ratings(tmp_path / name)


@pytest.mark.parametrize("folder", ["year=2024", "label=x"])
def test_2_names_of_folders_are_no_data(tmp_path: Path, folder: str) -> None:
    columns = dict(zip(("item", "rater", "label"), map(list, zip(*ROWS, strict=True)), strict=True))
    (tmp_path / folder).mkdir()
    for name in ("ratings.parquet", "ratings.csv", "ratings.jsonl"):
        write_rows(columns, tmp_path / folder / name)
        read = read_ratings(tmp_path / folder / name)
        assert read.scale.labels == ("x", "y", "z")
        assert len(read.raters) == 3


def test_3_keys_of_json_that_differ_by_case_are_two(tmp_path: Path) -> None:
    path = tmp_path / "wide.jsonl"
    lines = [f'{{"item": {i}, "ann": "x", "Ann": "y", "bob": "x"}}\n' for i in range(3)]
    path.write_text("".join(lines), encoding="utf-8")
    read = read_ratings(path)
    assert len(read) == 9
    assert set(read.raters.tolist()) == {"ann", "Ann", "bob"}


@pytest.mark.parametrize("where", [0.5, 0.9, -8, -1])
def test_4_a_corrupt_gzip_file_is_refused(tmp_path: Path, where: float) -> None:
    rng = np.random.default_rng(1)
    rows = [(f"i{i}", f"r{r}", "xyz"[rng.integers(3)]) for i in range(500) for r in range(3)]
    data = bytearray(gzip.compress(long_text(rows).encode(), 1))
    place = int(where) if where < 0 else int(len(data) * where)
    data[place] ^= 0x10
    path = tmp_path / "ratings.csv.gz"
    path.write_bytes(data)
    with pytest.raises(DataError, match="gz"):
        read_ratings(path)


def test_4_a_gzip_file_that_ends_early_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "ratings.csv.gz"
    path.write_bytes(gzip.compress(long_text().encode())[:-10])
    with pytest.raises(DataError, match="gz"):
        read_ratings(path)


def test_10_three_thousand_columns_are_read_quickly(tmp_path: Path) -> None:
    path = tmp_path / "wide.csv"
    names = [f"c{i}" for i in range(3000)]
    path.write_text(",".join(names) + "\n" + (",".join(["x"] * 3000) + "\n") * 5, encoding="utf-8")
    start = time.process_time()
    with pytest.raises(HeadcountError):
        read_ratings(path, item="item")
    assert time.process_time() - start < 5


def test_10_a_gzip_bomb_is_refused_by_name(tmp_path: Path) -> None:
    path = tmp_path / "bomb.csv.gz"
    deflate = zlib.compressobj(9, wbits=31)
    data = deflate.compress(b"item,rater,label\n" + b"a,b,c\n" * 50_000)
    # A block that refers to nothing before it can be written again and again.
    data += deflate.flush(zlib.Z_FULL_FLUSH)
    block = deflate.compress(b"a,b,c\n" * 500_000) + deflate.flush(zlib.Z_FULL_FLUSH)
    path.write_bytes(data + block * 600)
    start = time.process_time()
    with pytest.raises(DataError, match=r"(?i)limit|expand|too large|times"):
        read_ratings(path)
    assert time.process_time() - start < 20


class Frame:
    """Makes frames, where pandas is installed."""

    @staticmethod
    def of(*args: object, **options: object):
        return pytest.importorskip("pandas").DataFrame(*args, **options)


@pytest.mark.parametrize(
    "make",
    [
        lambda: Frame.of(),
        lambda: Frame.of([[1, 2, 3]], columns=["item", "label", "label"]),
        lambda: Frame.of({"item": [1, 1], "rater": [1, 2], "label": [["x"], {"y": 1}]}),
        lambda: {"item": [["x"], ["y"]], "rater": [1, 2], "label": [1, 1]},
        lambda: 123,
        lambda: object(),
    ],
)
def test_11_frames_that_hold_no_table_are_refused(make) -> None:
    with pytest.raises(HeadcountError):
        agree(make())


def test_11_a_gold_value_that_is_no_label_is_refused_or_read() -> None:
    with pytest.raises(HeadcountError):
        read_truth({"item": [1, 2], "label": [object(), ["x"]]})


def test_11_deeply_nested_json_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "deep.jsonl"
    path.write_text('{"left": ' + "[" * 100_000 + "]" * 100_000 + "}\n", encoding="utf-8")
    for read in (read_ratings, read_comparisons):
        with pytest.raises(HeadcountError):
            read(path)


def test_12_labels_of_single_precision_are_the_same_in_file_and_frame(tmp_path: Path) -> None:
    pandas = pytest.importorskip("pandas")
    pytest.importorskip("pyarrow")
    values = np.array([0.1, 0.2, 0.1, 0.7], dtype=np.float32)
    frame = pandas.DataFrame({"item": [1, 1, 2, 2], "rater": list("abab"), "label": values})
    path = tmp_path / "ratings.parquet"
    frame.to_parquet(path)
    assert read_ratings(path).scale.labels == read_ratings(frame).scale.labels


def test_a_column_named_by_very_many_digits_is_read_at_once():
    """Patterns that try every start of a number take minutes for this one."""
    before = time.process_time()
    table = {"item": [1, 2, 3], "1" * 9_000: [1, 2, 1], "bob": [1, 2, 2]}
    assert len(read_ratings(table).raters) == 2
    with pytest.raises(DataError, match="its name has 300,000 characters"):
        read_ratings({**table, "1" * 300_000: [1, 2, 1]})
    assert time.process_time() - before < 5


@pytest.mark.parametrize("way", ["codes", "numbers"])
def test_damaged_pages_of_parquet_are_refused(tmp_path, way):
    """A table may open, and fail only where a column of it is read."""
    path = tmp_path / "r.parquet"
    columns = {"item": list(range(300)), "x": [f"{i * 7919 % 300}" for i in range(300)]}
    write_rows(columns, path)
    whole = path.read_bytes()
    refused = 0
    for place in range(8, len(whole) - 200, 97):
        path.write_bytes(whole[:place] + bytes(8) + whole[place + 8 :])
        try:
            getattr(open_table(path, name="x"), way)(1)
        except DataError:
            refused += 1
    assert refused

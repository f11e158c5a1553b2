"""Labels, comparisons and examples: the order of rows changes nothing, and previews."""

from __future__ import annotations

import io
import math
import zipfile
from html.parser import HTMLParser
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

import headcount
from headcount import (
    Comparisons,
    Counts,
    DataError,
    Labels,
    OptionError,
    Predictions,
    Scale,
    agree,
    examples,
    read_comparisons,
    read_predictions,
    read_ratings,
    running_example,
)
from headcount.data.comparisons import share_of
from headcount.data.vocabulary import as_ids, match_ids, recoded, sorted_rows, sorted_vocabulary
from tests.data import make_examples


@given(st.lists(st.tuples(st.integers(0, 4), st.integers(0, 3)), min_size=1, max_size=12))
def test_counts_lead_back_to_items(rows):
    matrix = np.array(rows)
    counts = Counts.from_matrix(matrix)
    np.testing.assert_array_equal(counts.patterns[counts.pattern], matrix)
    np.testing.assert_array_equal(counts.ratings_per_item, matrix.sum(axis=1))
    assert counts.multiplicity.sum() == len(matrix)
    assert len({tuple(p) for p in counts.patterns.tolist()}) == len(counts.patterns)
    kept = counts.take(matrix[:, 0] > 0)
    np.testing.assert_array_equal(kept.patterns[kept.pattern], matrix[matrix[:, 0] > 0])
    assert (kept.multiplicity > 0).all()


def test_labels_count_labels():
    labels = Labels.from_triples(["b", "a", "b"], [1, 1, 2], ["x", "y", "x"])
    counts = labels.counts()
    np.testing.assert_array_equal(counts.patterns[counts.pattern], [[0, 1], [2, 0]])
    assert labels.items.tolist() == ["a", "b"]


def test_columns_of_different_lengths():
    with pytest.raises(DataError, match="same length, not 2, 1 and 2"):
        Labels.from_triples([1, 2], [1], ["a", "b"])


def test_labels_sort_as_numbers_where_they_are():
    labels = Labels.from_triples([1, 2, 3], [1, 1, 1], ["10", "9", "2.5"])
    assert labels.scale.labels == ("2.5", "9", "10")


def test_numbers_of_numpy_are_numbers():
    labels = Labels.from_triples([1, 1], [1, 2], [np.float64(0.2), np.float64(3.0)])
    assert labels.scale.labels == ("0.2", "3")


def test_scale_names_each_label_once():
    with pytest.raises(OptionError, match="repeated: 'a'"):
        Scale(("a", "b", "a"))
    with pytest.raises(OptionError, match="at least one"):
        Scale(())


def test_ids_meet_as_text_where_one_side_is_text():
    assert match_ids(as_ids(["1", "x"]), as_ids(["2", "1"])).tolist() == [1, -1]
    assert match_ids(as_ids(["1", "3"]), as_ids(["3", "1"])).tolist() == [1, 0]


def test_predictions_of_the_wrong_shape():
    with pytest.raises(DataError, match="2 items x 3 labels, got shape"):
        Predictions.from_probabilities([1, 2], ["a", "b", "c"], {"h": [[0.5, 0.5]] * 2})
    with pytest.raises(DataError, match="1 predictions for 2 items"):
        Predictions.from_labels([1, 2], {"h": ["a"]})
    with pytest.raises(DataError, match="more than one row of predictions: '1'"):
        Predictions.from_labels([1, 1], {"h": ["a", "b"]})
    with pytest.raises(DataError, match="no item id"):
        Predictions.from_labels([None, 1], {"h": ["a", "b"]})
    one, two = (Predictions.from_labels([i], {"h": ["a"]}) for i in (1, 2))
    with pytest.raises(DataError, match="same items"):
        one + two


def test_running_example_follows_the_urns():
    labels, predictions = running_example(100_000, 4, seed=3)
    share_of_cats = (labels.label == 0).mean()
    # 400,000 draws in 100,000 clusters: standard error about .001.
    assert share_of_cats == pytest.approx(0.7 * 0.8 + 0.2 * 0.1 + 0.1 * 0.5, abs=0.005)
    hard, calibrated, omniscient = (c.probability[:, 0] for c in predictions.classifiers)
    assert sorted(set(calibrated.round(2))) == [0.32, 0.77]
    assert sorted(set(omniscient)) == [0.1, 0.5, 0.8]
    assert hard[omniscient == 0.8].mean() == pytest.approx(0.9, abs=0.01)
    first = labels.label.reshape(-1, 4)[:, 0] == 0
    # Calibrated: raters say cat as often as it predicts.
    for p in set(calibrated):
        assert first[calibrated == p].mean() == pytest.approx(p, abs=0.01)
    with pytest.raises(OptionError, match="items must be a whole number from 1 to"):
        running_example(0, 3)


def rows(data: Comparisons):
    columns = data.items[data.left], data.items[data.right], data.outcome
    return list(zip(*(column.tolist() for column in columns), strict=True))


def test_columns_are_coded():
    data = Comparisons.from_columns(
        ["a", "c"], ["b", "a"], ["left", "Tie"], rater=["ann", "bob"], weight=[1, 2.5]
    )
    assert rows(data) == [("a", "b", 1.0), ("c", "a", 0.5)]
    assert data.raters[data.rater].tolist() == ["ann", "bob"]
    assert data.weight.tolist() == data.weights.tolist() == [1, 2.5]
    assert data.notes == ()
    assert len(data) == 2
    assert repr(data) == "Comparisons: 2 of 3 items by 2 raters (1 tie)"


def test_without_raters_and_weights():
    data = Comparisons.from_columns([1, 2], [2, 3], [1, 0])
    assert (data.rater, data.raters, data.weight) == (None, None, None)
    assert data.weights.tolist() == [1, 1]
    assert data.items.dtype == np.int64
    assert repr(data) == "Comparisons: 2 of 3 items (0 ties)"


@pytest.mark.parametrize(
    ("text", "share"),
    [
        ("left", 1), ("RIGHT", 0), (" tie ", 0.5), ("model_a", 1), ("Model B", 0), ("A", 1),
        ("draw", 0.5), ("tie (bothbad)", 0.5), ("both_bad", 0.5), ("1.0", 1), ("0", 0),
        ("0.25", 0.25), ("gpt-4", None), ("", None),
    ],
)  # fmt: skip
def test_words_for_outcomes(text, share):
    assert share_of(text) == share


@given(
    st.lists(
        st.tuples(
            st.sampled_from(["a", "b", None, math.nan, "", pd.NA]),
            st.sampled_from(["c", "d", None]),
            st.sampled_from([0, 1.0, "tie", None, math.nan, "0.5"]),
            st.sampled_from(["ann", None]),
            st.sampled_from([1.0, math.nan, 0.25]),
        ),
        min_size=1,
        max_size=12,
    )
)
def test_a_row_with_something_missing_is_dropped_and_counted(drawn):
    def there(value: object) -> bool:
        if value is None or value is pd.NA or value == "":
            return False
        return not (isinstance(value, float) and math.isnan(value))

    left, right, outcome, rater, weight = zip(*drawn, strict=True)
    # A row without a rater stays.
    kept = [row for row in drawn if all(map(there, (*row[:3], row[4])))]
    if not kept:
        with pytest.raises(DataError, match="no comparisons; every row was left out"):
            Comparisons.from_columns(left, right, outcome, rater=rater, weight=weight)
        return
    data = Comparisons.from_columns(left, right, outcome, rater=rater, weight=weight)
    shares = {0: 0.0, 1.0: 1.0, "tie": 0.5, "0.5": 0.5}
    assert rows(data) == [(a, b, shares[s]) for a, b, s, *_ in kept]
    assert data.weight.tolist() == [row[4] for row in kept]
    dropped = len(drawn) - len(kept)
    noted = [f"{dropped} comparison{'s' * (dropped > 1)} left out ("] if dropped else []
    said = [note.removeprefix("comparisons: ") for note in data.notes]
    assert [note[: len(noted[0])] for note in said if "left out (" in note] == noted
    assert sum(data.dropped.values()) == dropped
    blank = sum(row[3] is None for row in kept)
    assert blank == (len(kept) if data.rater is None else int((data.rater < 0).sum()))
    assert any("without a rater; kept" in note for note in said) == (blank > 0)


def test_no_rows():
    with pytest.raises(DataError, match="no comparisons"):
        Comparisons.from_columns([], [], [])


@pytest.mark.parametrize(
    ("columns", "message"),
    [
        ((["b"], ["b"], [1]), r"every row was left out \(self-comparison: 1\)"),
        ((["a", "b"], ["b", "a"], [1, 2]), r"row 1: outcome 2. Expected left, right or tie"),
        ((["a", "b"], ["b", "a"], [-1, 2]), r"row 0: outcome -1.*\(2 rows like it.\)"),
        ((["a"], ["b"], [math.inf]), r"outcome inf"),
        ((["a", "b"], ["b", "a"], [1, "won"]), r"row 1: outcome 'won'. Expected left"),
        ((["a"], ["b"], [True]), r"outcome 'True'"),
        ((["a", "b"], ["b"], [1, 1]), r"same length, not 2, 1, 2"),
    ],
)
def test_bad_rows(columns, message):
    with pytest.raises(DataError, match=message):
        Comparisons.from_columns(*columns)


@pytest.mark.parametrize(
    ("weight", "message"),
    [
        ([1, -1], r"row 1: weight -1. Weights must be finite and not negative"),
        ([1, math.inf], r"row 1: weight inf"),
        ([0, 0], r"all weights are 0"),
        ([1], r"same length"),
        (["much", 1], r"weights must be numbers"),
    ],
)
def test_bad_weights(weight, message):
    with pytest.raises(DataError, match=message):
        Comparisons.from_columns(["a", "b"], ["b", "c"], [1, 0], weight=weight)


def test_messages_name_the_rows_they_are_told():
    codes = np.array([0, 0]), np.array([1, 1]), ["a", "b"]
    with pytest.raises(DataError, match=r"x\.csv, row 9: outcome 2"):
        Comparisons.from_codes(codes, np.array([1.0, 2.0]), source="x.csv", rows=np.array([7, 9]))


@pytest.mark.parametrize("rows_", [np.array([True, False, True]), np.array([0, 2])])
def test_select_keeps_items_and_raters(rows_):
    data = Comparisons.from_columns(
        "abc", "bca", [1, 0, 0.5], rater=["x", "y", "z"], weight=[1, 2, 3]
    )
    part = data.select(rows_)
    assert rows(part) == [("a", "b", 1.0), ("c", "a", 0.5)]
    assert part.items is data.items
    assert part.raters.tolist() == ["x", "y", "z"]
    assert part.rater.tolist() == [0, 2]
    assert part.weight.tolist() == [1, 3]
    bare = Comparisons.from_columns("abc", "bca", [1, 0, 0.5]).select(rows_)
    assert (bare.rater, bare.weight) == (None, None)


def test_select_may_repeat_and_may_leave_none():
    data = Comparisons.from_columns("ab", "bc", [1, 0])
    assert rows(data.select(np.array([1, 1]))) == [("b", "c", 0.0)] * 2
    assert len(data.select(np.zeros(2, dtype=bool))) == 0


# The order of rows changes nothing that is read.

TEXT = st.text(alphabet="abZé9-_", min_size=1, max_size=3)
IDS = st.one_of(
    st.lists(TEXT, min_size=1, max_size=8, unique=True),
    st.lists(st.integers(-20, 120).map(str), min_size=1, max_size=8, unique=True),
)


@given(IDS)
def test_vocabularies_are_sorted_and_codes_follow(texts):
    ids, place = sorted_vocabulary(texts)
    assert ids.tolist() == sorted(ids.tolist())
    codes = np.array([-1, *range(len(texts)), -1])
    moved = recoded(codes, place)
    assert [moved[0], moved[-1]] == [-1, -1]
    assert [str(ids[code]) for code in moved[1:-1]] == texts


@given(
    st.lists(st.tuples(st.integers(0, 3), st.integers(0, 3)), min_size=1, max_size=20),
    st.booleans(),
)
def test_rows_are_sorted_and_equal_ones_keep_their_order(rows, large):
    item, rater = (np.array(column) for column in zip(*rows, strict=True))
    # Keys near 2**62 leave no digit for the row.
    item, raters = (item * 2**30, 2**30) if large else (item, 4)
    expected = sorted(range(len(rows)), key=lambda row: rows[row])
    order = sorted_rows(item, rater, raters)
    assert (list(range(len(rows))) if order is None else order.tolist()) == expected
    assert (order is None) == (expected == list(range(len(rows))))


ROWS = st.lists(
    st.tuples(
        st.sampled_from(["b", "a", "é", "10"]),
        st.sampled_from(["2", "10", "1"]),
        st.sampled_from(["yes", "no"]),
    ),
    min_size=1,
    max_size=12,
)


def fields(data):
    return {
        name: value.tolist() if isinstance(value, np.ndarray) else value
        for name, value in vars(data).items()
    }


@given(ROWS, st.randoms(use_true_random=False))
def test_ratings_are_the_same_in_any_order(rows, random):
    mixed = random.sample(rows, len(rows))
    one, two = (
        Labels.from_triples(*zip(*some, strict=True), duplicates="all") for some in (rows, mixed)
    )
    assert fields(one) == fields(two)
    given = zip(one.items[one.item], one.raters[one.rater], one.label, strict=True)
    as_read = [(str(i), int(r), one.scale.labels[code]) for i, r, code in given]
    assert as_read == sorted((item, int(rater), label) for item, rater, label in rows)


def test_items_without_a_rating_stay_in_order():
    labels = Labels.from_triples(["c", "b", "a"], [1, 1, 1], ["x", None, "y"])
    assert labels.items.tolist() == ["a", "b", "c"]
    assert labels.item.tolist() == [0, 2]


def test_duplicates_keep_the_first_row_and_name_it():
    columns = ["b", "a", "b", "a", "a"], [1, 1, 1, 1, 1], ["x", "y", "y", "x", "z"]
    kept = Labels.from_triples(*columns, duplicates="first")
    assert kept.label.tolist() == [1, 0]
    assert "3 ratings repeat" in kept.notes[0]
    with pytest.raises(DataError, match="rater '1' labels item 'b' in rows 0 and 2"):
        Labels.from_triples(*columns)


def test_labels_built_by_hand_can_be_sorted():
    made = Labels(
        items=np.array(["b", "a"], dtype=object),
        raters=np.array(["y", "x"], dtype=object),
        scale=Scale(("no", "yes")),
        item=np.array([0, 0, 1, 0]),
        rater=np.array([0, 1, 0, 0]),
        label=np.array([1, 0, 1, 0]),
    )
    expected = Labels.from_triples("bbab", "yxyy", ["yes", "no", "yes", "no"], duplicates="all")
    found = made.canonical()
    assert fields(found) == {**fields(expected), "notes": ()}


def test_predictions_are_the_same_in_any_order():
    table = np.array([[0.2, 0.8], [1, 0], [0.5, 0.5]])
    one = Predictions.from_probabilities([10, 9, 8], ["n", "y"], {"lm": table})
    two = Predictions.from_probabilities([8, 10, 9], ["n", "y"], {"lm": table[[2, 0, 1]]})
    assert one.items.tolist() == two.items.tolist() == [8, 9, 10]
    for side in (one, two):
        np.testing.assert_array_equal(side.classifiers[0].probability, table[::-1])
    hard = Predictions.from_labels([9, 8, 10], {"judge": ["y", None, "n"]})
    np.testing.assert_array_equal(
        (hard + one).classifiers[0].probability, [[np.nan, np.nan], [0, 1], [1, 0]]
    )
    assert one.canonical() is one


ANSWERS = st.lists(
    st.tuples(
        st.sampled_from(["ab", "bé", "ba", "éa"]),
        st.sampled_from([0.0, 0.5, 1.0]),
        st.sampled_from(["r10", "r9"]),
        st.sampled_from([1.0, 2.0]),
    ),
    min_size=1,
    max_size=12,
)


@given(ANSWERS, st.randoms(use_true_random=False))
def test_comparisons_keep_their_rows_until_they_are_sorted(rows, random):
    def build(some):
        pair, outcome, rater, weight = zip(*some, strict=True)
        return Comparisons.from_columns(
            [p[0] for p in pair], [p[1] for p in pair], outcome, rater=rater, weight=weight
        )

    def said(data):
        columns = data.items[data.left], data.items[data.right], data.outcome
        return list(zip(*columns, data.raters[data.rater], data.weight, strict=True))

    one, two = build(rows), build(random.sample(rows, len(rows)))
    expected = [(a, b, s, r, w) for (a, b), s, r, w in rows]
    assert said(one) == expected
    assert one.items.tolist() == sorted(one.items.tolist())
    assert one.raters.tolist() == sorted(one.raters.tolist())
    assert fields(one.canonical()) == fields(two.canonical())
    assert said(one.canonical()) == sorted(expected)


def test_comparisons_by_nobody_can_be_sorted():
    data = Comparisons.from_columns("cab", "abc", [1, 0, 0.5]).canonical()
    assert (data.left.tolist(), data.outcome.tolist()) == ([0, 1, 2], [0, 0.5, 1])
    assert (data.rater, data.weight) == (None, None)


# Data in a notebook: a sentence, and the first rows.


class Cells(HTMLParser):
    """The cells of a page."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.cells: list[str] = []
        self.inside = False
        self.feed(page)

    def handle_starttag(self, tag: str, attrs: object) -> None:
        self.inside = tag in ("td", "th")
        if self.inside:
            self.cells.append("")

    def handle_endtag(self, tag: str) -> None:
        self.inside = False

    def handle_data(self, data: str) -> None:
        if self.inside:
            self.cells[-1] += data


def cells(data: Labels | Comparisons) -> list[str]:
    return Cells(data._repr_html_()).cells


def test_ratings():
    shown = read_ratings("example:ratings")
    assert cells(shown)[:6] == ["item", "rater", "label", "c001", "dot", "toxic"]
    assert "the first 5 of 1,000 ratings" in shown._repr_html_()
    assert "1,000 ratings of 200 items by 12 raters" in shown._repr_html_()


def test_ratings_without_raters():
    shown = read_ratings({"item": ["a", "a", "b"], "label": ["<b>", "y", "y"]})
    assert cells(shown)[:4] == ["item", "label", "a", "<b>"]
    assert "&lt;b&gt;" in shown._repr_html_()


def test_predictions():
    shown = read_predictions("example:predictions")
    assert cells(shown)[:3] == ["item", "keywords", "model"]
    assert cells(shown)[3:6] == ["c001", "toxic", "toxic 0.79, ok 0.21"]


def test_comparisons():
    shown = read_comparisons("example:comparisons")
    assert cells(shown)[:8] == [
        "left", "right", "outcome", "rater", "text_09", "text_07", "left", "ann",
    ]  # fmt: skip


@pytest.mark.parametrize("name", ["ratings", "votes", "stars"])
def test_the_long_form_of_ratings_is_read_again(name):
    before = read_ratings(f"example:{name}")
    after = read_ratings(before.columns())
    assert before.columns() == after.columns()


def test_the_long_form_of_predictions_is_read_again():
    before = read_predictions("example:predictions")
    after = read_predictions(before.columns())
    kinds = [(c.name, c.kind) for c in after.classifiers]
    assert kinds == [("keywords", "hard"), ("model", "soft")]
    for one, other in zip(before.classifiers, after.classifiers, strict=True):
        assert (one.probability == other.probability).all()


def test_the_long_form_of_comparisons_is_read_again():
    before = read_comparisons("example:comparisons")
    assert read_comparisons(before.columns()).columns() == before.columns()


# The data that come with headcount.


def test_the_files_are_those_of_the_script():
    made = make_examples.files()
    assert sorted(made) == sorted(examples.names())
    for name, content in made.items():
        file = examples.path(name)
        if isinstance(content, str):
            assert file.read_text(encoding="utf-8") == content, name
        else:  # a workbook: compressed bytes may differ from one zlib to another
            assert unpacked(file.read_bytes()) == unpacked(content), name


def unpacked(raw):
    with zipfile.ZipFile(io.BytesIO(raw)) as archive:
        return {name: archive.read(name) for name in archive.namelist()}


def test_the_answers_are_the_same_in_every_file():
    stars, judge = agree("example:stars", bootstrap=0), read_predictions("example:judge")
    for name in ("export", "coding"):
        found = agree(f"example:{name}", bootstrap=0)
        assert found["alpha"].value == pytest.approx(stars["alpha"].value, abs=1e-15)
    by_tool = read_predictions("example:export")
    assert [one.name for one in by_tool.classifiers] == [one.name for one in judge.classifiers]


def test_a_name_stands_for_a_file():
    assert len(read_ratings("example:ratings")) == 1000
    assert len(read_ratings(examples.path("ratings"))) == 1000
    assert [c.name for c in read_predictions("example:predictions").classifiers] == [
        "keywords",
        "model",
    ]
    assert len(read_comparisons(Path("example:comparisons"))) == 300
    assert agree("example:stars", bootstrap=0).provenance.n_raters == 3


def test_a_wrong_name_is_told():
    with pytest.raises(DataError, match=r"no example 'rating'\. Did you mean 'ratings'\?"):
        read_ratings("example:rating")


def test_examples_are_found_from_the_package():
    assert headcount.examples is examples
    assert "examples" in dir(headcount)
    assert all(examples.about(name) for name in examples.names())

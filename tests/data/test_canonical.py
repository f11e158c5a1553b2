"""The order of rows changes nothing that is read."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from headcount import Comparisons, DataError, Labels, Predictions, Scale
from headcount.data.canonical import recoded, sorted_rows, sorted_vocabulary

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

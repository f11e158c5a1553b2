from __future__ import annotations

import math

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from headcount.data.comparisons import Comparisons
from headcount.data.outcomes import share_of
from headcount.errors import DataError


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

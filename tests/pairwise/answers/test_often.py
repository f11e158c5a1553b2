"""Items that are compared too seldom are left out, with what hangs on them."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from headcount import Comparisons, pairs
from headcount.errors import DataError, OptionError
from headcount.pairwise.answers.min_comparisons import compared_often


@given(st.integers(0, 1000), st.integers(1, 6))
def test_all_that_are_left_have_enough(seed, least):
    rng = np.random.default_rng(seed)
    left = rng.integers(0, 12, 40)
    data = Comparisons(np.arange(12), left, (left + rng.integers(1, 12, 40)) % 12, np.ones(40))
    rows = {(a, b) for a, b in zip(data.left.tolist(), data.right.tolist(), strict=True)}
    try:
        found = compared_often(data, least)
    except DataError:
        return
    names = found.items
    n = np.bincount(np.concatenate([found.left, found.right]), minlength=len(names))
    assert (n >= least).all()
    again = zip(names[found.left].tolist(), names[found.right].tolist(), strict=True)
    assert set(again) <= rows
    # Nobody who is left out has enough with those who are left.
    for item in set(range(12)) - set(names.tolist()):
        mine = (data.left == item) | (data.right == item)
        other = np.where(data.left == item, data.right, data.left)[mine]
        assert np.isin(other, names).sum() < least


def test_they_are_said_and_gone():
    left, right = ["a", "b", "c"] * 10 + ["x"], ["b", "c", "a"] * 10 + ["a"]
    data = Comparisons.from_columns(left, right, [1, 1, 0.5] * 10 + [1])
    assert pairs(data).items[0].item == "x"
    result = pairs(data, min_comparisons=5)
    assert {i.item for i in result.items} == {"a", "b", "c"}
    assert any("1 item of 4 left out, with fewer than 5 comparisons" in n for n in result.notes)
    assert pairs(data, min_comparisons=1).items[0].item == "x"
    with pytest.raises(DataError, match="no items are left"):
        pairs(data, min_comparisons=100)
    with pytest.raises(OptionError, match="min_comparisons"):
        pairs(data, min_comparisons=-1)

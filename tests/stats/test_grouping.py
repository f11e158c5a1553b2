from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from headcount.stats import grouping
from headcount.stats.grouping import group_rows

SMALL = st.integers(-2, 3)
WIDE = st.sampled_from([-(2**62), -(2**31), -1, 0, 2**31 - 1, 2**31, 2**62])
"""Digits of four such columns overflow, and each is too wide to be one."""
MIDDLE = st.sampled_from([0, 1, 2**30, 2**31 - 1])
"""Digits of three such columns overflow, but each is one."""


@pytest.mark.parametrize("dtype", [np.int64, np.float64])
@pytest.mark.parametrize("values", [SMALL, MIDDLE, WIDE])
@given(data=st.data())
def test_groups_are_unique_rows(values, dtype, data):
    width = data.draw(st.integers(1, 5))
    rows = data.draw(st.lists(st.lists(values, min_size=width, max_size=width), min_size=1))
    matrix = np.array(rows, dtype=dtype)
    first, group = group_rows(matrix.T)
    expected, index, inverse = np.unique(matrix, axis=0, return_index=True, return_inverse=True)
    np.testing.assert_array_equal(matrix[first], expected)
    np.testing.assert_array_equal(first, index)
    np.testing.assert_array_equal(group, inverse.ravel())


@given(st.lists(st.tuples(st.booleans(), st.sampled_from([0.5, np.nan]), st.integers(0, 1))))
def test_columns_of_many_kinds(rows):
    columns = [np.array(column) for column in zip(*rows, strict=True)] or [np.zeros(0, dtype=int)]
    _, group = group_rows(columns)
    known = [(one, str(other), third) for one, other, third in rows]  # NaN is equal to itself
    for i, one in enumerate(known):
        for j, other in enumerate(known):
            assert (group[i] == group[j]) == (one == other)


@pytest.mark.parametrize("looked_at", [1, 3])
@given(data=st.data())
def test_long_columns_of_few_values_are_grouped_as_by_a_sort(looked_at, data):
    """Also where the rows looked at first miss a value, or there is NaN."""
    values = st.sampled_from([-0.0, 0.0, 0.25, 1.0, 3.0, np.nan])
    column = np.array(data.draw(st.lists(values, min_size=3, max_size=40)))
    other = np.array(data.draw(st.lists(st.integers(0, 2), min_size=len(column))))[: len(column)]
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(grouping, "_LONG", 10**9)
        patch.setattr(grouping, "_FEW_KEYS", 0)
        patch.setattr(grouping, "_by_table", _by_sort)
        expected = group_rows([column, other])
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(grouping, "_LONG", 3)
        patch.setattr(grouping, "_LOOKED_AT", looked_at)
        patch.setattr(grouping, "_FEW_VALUES", 4)
        found = group_rows([column, other])
    for one, two in zip(found, expected, strict=True):
        np.testing.assert_array_equal(one, two)


def _by_sort(key, size):
    return np.unique(key, return_index=True, return_inverse=True)[1:]


def test_no_column_is_an_error():
    with pytest.raises(ValueError, match="at least one column"):
        group_rows([])

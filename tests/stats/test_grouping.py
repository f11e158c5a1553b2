from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

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


def test_no_column_is_an_error():
    with pytest.raises(ValueError, match="at least one column"):
        group_rows([])

"""Rows that are equal, found by one sort."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np
from numpy.typing import NDArray

__all__ = ["counted", "group_rows", "group_sums"]

_WIDEST, _LARGEST = 2**31, 2**62
"""Range of one digit at most, and of all together: 2**31 rows x 2**31 values still fit."""


def group_rows(columns: Iterable[NDArray[Any]]) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
    """Group rows that are equal in all `columns`.

    Parameters
    ----------
    columns : iterable of (n,) arrays

    Returns
    -------
    first : (groups,) array
        A row of each group: the first. Groups are in the lexicographic order of the columns.
    group : (n,) array
        The group of each row.

    Notes
    -----
    O(n log n): columns of whole numbers are put together as the digits of one number, which is
    sorted once. Other columns are sorted first, and so are digits that would overflow.

    Examples
    --------
    >>> first, group = group_rows([np.array([2, 1, 2, 1]), np.array([0, 5, 0, 4])])
    >>> first, group
    (array([3, 1, 0]), array([2, 1, 2, 0]))
    """
    key: NDArray[np.int64] | None = None
    size = 1
    for column in columns:
        digit, base = _digit(column)
        if key is None:
            key, size = digit, base
            continue
        if size * base > _LARGEST:
            dense, key = np.unique(key, return_inverse=True)
            size = len(dense)
        key, size = key * base + digit, size * base
    if key is None:
        raise ValueError("group_rows needs at least one column")
    _, first, group = np.unique(key, return_index=True, return_inverse=True)
    return first, group


def counted(
    group: NDArray[np.integer[Any]], weight: NDArray[np.int64] | None = None, groups: int = 0
) -> NDArray[np.int64]:
    """Count the items of each group, where a row stands for one or for several. O(rows).

    Examples
    --------
    >>> counted(np.array([0, 1, 0])), counted(np.array([0, 1, 0]), np.array([3, 1, 2]))
    (array([2, 1]), array([5, 1]))
    """
    if weight is None:
        return np.bincount(group, minlength=groups).astype(np.int64)
    return np.bincount(group, weight, groups).astype(np.int64)  # exact below 2**53


def group_sums(
    group: NDArray[np.integer[Any]], values: NDArray[np.float64], groups: int
) -> NDArray[np.float64]:
    """Add up values by group: (rows,) to (groups,). O(rows).

    Examples
    --------
    >>> group_sums(np.array([0, 1, 0]), np.array([1.0, 2.0, 3.0]), 3)
    array([4., 2., 0.])
    """
    return np.asarray(np.bincount(group, values, groups), dtype=np.float64)


def _digit(column: NDArray[Any]) -> tuple[NDArray[np.int64], int]:
    """Whole numbers from 0 on in the order of a column's values, and what they are all below."""
    if column.dtype.kind in "bi" and len(column):
        low, high = int(column.min()), int(column.max())
        if high - low < _WIDEST:
            return column.astype(np.int64) - low, high - low + 1
    values, codes = np.unique(column, return_inverse=True)
    return codes, max(len(values), 1)

"""Rows that are equal, found in one pass a column."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np
from numpy.typing import NDArray

__all__ = ["group_rows"]


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
    One sort a column, O(n log n) each. Codes are made dense again after every column, so that
    they never overflow, whatever the number of columns.

    Examples
    --------
    >>> first, group = group_rows([np.array([2, 1, 2, 1]), np.array([0, 5, 0, 4])])
    >>> first, group
    (array([3, 1, 0]), array([2, 1, 2, 0]))
    """
    group: NDArray[np.intp] | None = None
    first = np.zeros(0, dtype=np.intp)
    for column in columns:
        values, codes = np.unique(column, return_inverse=True)
        combined = codes if group is None else group * len(values) + codes
        _, first, group = np.unique(combined, return_index=True, return_inverse=True)
    if group is None:
        raise ValueError("group_rows needs at least one column")
    return first, group

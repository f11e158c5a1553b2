"""Runs of equal rows in columns that are sorted."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from headcount.typing import Ints

__all__ = ["runs"]


def runs(*columns: NDArray[Any]) -> Ints:
    """Find where rows differ from the row before them.

    Examples
    --------
    >>> runs(np.array([1, 1, 2]), np.array([0, 1, 1]))
    array([0, 1, 2])
    """
    differs = np.zeros(len(columns[0]), dtype=bool)
    differs[0] = True
    for column in columns:
        differs[1:] |= column[1:] != column[:-1]
    return np.flatnonzero(differs)

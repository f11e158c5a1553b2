"""Kernel of rank intervals: which of very many ratings differ significantly."""

from __future__ import annotations

from typing import Any

import numpy as np

from headcount.stats.arrays import compiled, part_of_kernel

__all__ = ["told_apart"]


@part_of_kernel()
def _after(rating: Any, limit: Any) -> Any:
    """First place above a limit, by bisection."""
    low, high = 0, len(rating)
    while low < high:
        middle = (low + high) // 2
        if rating[middle] > limit:
            high = middle
        else:
            low = middle + 1
    return low


@compiled(30, nogil=True)
def told_apart(rating: Any, variance: Any, z: Any) -> Any:
    """Count items that are rated more than z standard errors higher than each, and lower.

    `rating` is in order, lowest first. From one item to the next the search goes on where the
    largest variance would tell two apart; below where the smallest would, nothing is looked at.
    """
    n = len(rating)
    least, most = variance.min(), variance.max()
    above, below = np.zeros(n, dtype=np.int64), np.zeros(n + 1, dtype=np.int64)
    for i in range(n):
        near = z * np.sqrt(variance[i] + least)
        far = z * np.sqrt(variance[i] + most)
        first = _after(rating, rating[i] + near)
        last = _after(rating, rating[i] + far)
        for j in range(first, last):
            gap = rating[j] - rating[i]
            if gap * gap > z * z * (variance[i] + variance[j]):
                above[i] += 1
                below[j] += 1
                below[j + 1] -= 1
        above[i] += n - last
        below[last] += 1
    return above, np.cumsum(below)[:n]

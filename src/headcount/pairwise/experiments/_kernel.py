"""Kernels of the methods that are tried: the majority vote, and Elo as the paper runs it.

Both are compiled, run without Python's lock, and take plain arrays.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numba import njit  # pyright: ignore[reportUnknownVariableType]

__all__ = ["elo", "majority"]


@njit(cache=True, nogil=True)
def majority(rng: Any, said: Any) -> Any:
    """Label of most votes for each item; a coin decides where there are as many for either."""
    items, votes = said.shape
    label = np.empty(items, dtype=np.bool_)
    for item in range(items):
        positive = 0
        for turn in range(votes):
            positive += said[item, turn]
        if 2 * positive == votes:
            label[item] = rng.random() < 0.5
        else:
            label[item] = 2 * positive > votes
    return label


@njit(cache=True, nogil=True)
def elo(
    rng: Any, items: int, left: Any, right: Any, outcome: Any, k: float, epochs: int, slope: float
):
    """Elo ratings from 0, through all comparisons in a new random order each epoch.

    The pass is written out here, not called from Elo's own kernel: a compiled function that is
    kept on disk does not notice when one that it calls from another file has changed.
    """
    rating = np.zeros(items)
    order = np.arange(len(left))
    for _ in range(epochs):
        for place in range(len(order) - 1, 0, -1):
            other = int(rng.random() * (place + 1))
            order[place], order[other] = order[other], order[place]
        for at in order:
            a, b = left[at], right[at]
            step = k * (outcome[at] - 1.0 / (1.0 + math.exp(slope * (rating[b] - rating[a]))))
            rating[a] += step
            rating[b] -= step
    return rating

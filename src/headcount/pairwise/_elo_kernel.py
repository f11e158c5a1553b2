"""Elo over many comparisons, compiled.

`slope` is ln(base) / denominator. An empty `weight` means that all are 1: a million ones cost as
much to read as the outcomes.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numba import njit  # pyright: ignore[reportUnknownVariableType]

__all__ = ["elo_excess", "elo_pass"]


@njit(cache=True)
def _expected(gap: Any) -> Any:
    """Share of the point expected; the exponent is never positive, so nothing overflows."""
    odds = math.exp(-abs(gap))
    return (1.0 if gap >= 0 else odds) / (1 + odds)


@njit(cache=True)
def elo_pass(
    rating: Any,
    seen: Any,
    left: Any,
    right: Any,
    outcome: Any,
    weight: Any,
    order: Any,
    k: Any,
    slope: Any,
) -> None:
    """Update ratings in place, comparison by comparison, and mark the items as seen.

    An empty `order` is that of the comparisons.
    """
    for at in range(len(left)):
        row = order[at] if len(order) else at
        i, j = left[row], right[row]
        step = k * (outcome[row] - _expected(slope * (rating[i] - rating[j])))
        if len(weight):
            step *= weight[row]
        rating[i] += step
        rating[j] -= step
        seen[i] = seen[j] = True


@njit(cache=True)
def elo_excess(rating: Any, left: Any, right: Any, outcome: Any, weight: Any, slope: Any) -> Any:
    """Points that each item took beyond what the ratings lead to expect, and how many it could."""
    excess, played = np.zeros(len(rating)), np.zeros(len(rating))
    for row in range(len(left)):
        i, j = left[row], right[row]
        points = weight[row] if len(weight) else 1.0
        more = points * (outcome[row] - _expected(slope * (rating[i] - rating[j])))
        excess[i] += more
        excess[j] -= more
        played[i] += points
        played[j] += points
    return excess, played

"""Elo over many comparisons, compiled.

`slope` is ln(base) / denominator. An empty `weight` means that all are 1: a million ones cost as
much to read as the outcomes.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numpy.polynomial import Polynomial
from numpy.typing import NDArray

from headcount.stats.compiled import compiled

__all__ = ["elo_excess", "elo_pass"]

REACH = 8
"""Largest difference in logits that the table of the logistic function covers."""
NODES = 32
"""Nodes of the table a logit: a power of 2, so that steps between them are exact."""
DEGREE = 6
"""Of the Taylor polynomials: with half a step of 1/64, what is left out is below 1e-16."""


def _logistic_table() -> NDArray[np.float64]:
    """Taylor coefficients of the logistic function s at each node, from the one of degree 0 on.

    The derivative of a polynomial in s is one again, as s' = s - s^2.
    """
    node = np.arange(-REACH * NODES, REACH * NODES + 1) / NODES
    share = 1 / (1 + np.exp(-node))
    slope = Polynomial([0, 1, -1])
    derivative, columns = Polynomial([0, 1]), list[NDArray[np.float64]]()
    for order in range(DEGREE + 1):
        columns.append(derivative(share) / math.factorial(order))
        derivative = derivative.deriv() * slope
    return np.stack(columns, axis=1)


_TABLE = _logistic_table()


@compiled(fastmath={"contract"})  # multiply and add at once: a fifth of the time
def _expected(gap: Any) -> Any:
    """Share of the point expected.

    A comparison costs little but this, and a table takes half as long as an exponential and a
    division. Beyond the table the exponent is never positive, so nothing overflows.
    """
    if -REACH < gap < REACH:
        # Rounded; unsigned, as an index that may be negative costs a comparison more.
        node = np.uint64(gap * NODES + (REACH * NODES + 0.5))
        c = _TABLE[node]
        x = gap - (np.int64(node) - REACH * NODES) / NODES
        return c[0] + x * (c[1] + x * (c[2] + x * (c[3] + x * (c[4] + x * (c[5] + x * c[6])))))
    odds = math.exp(-abs(gap))
    return (1.0 if gap >= 0 else odds) / (1 + odds)


@compiled()
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
        i, j = np.uint64(left[row]), np.uint64(right[row])
        step = k * (outcome[row] - _expected(slope * (rating[i] - rating[j])))
        if len(weight):
            step *= weight[row]
        rating[i] += step
        rating[j] -= step
        seen[i] = seen[j] = True


@compiled()
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

"""Kernels of blind evaluation: compiled, on plain arrays."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from headcount.stats.arrays import compiled

__all__ = [
    "newton",
]


# Newton steps of a logistic regression with one slope: compiled, on plain arrays.


@compiled(8, nogil=True)
def newton(
    hits: Any,
    number: Any,
    nodes: Any,
    others: Any,
    ease: Any,
    slope: float,
    steps: int,
    most: float,
) -> Any:
    """Change intercepts, (labels, classifiers), in place; return the slope on nodes.

    `hits` and `number` are (labels, states, classifiers); `nodes`, (states,), is what the slope is
    of, and `others`, (states, classifiers), is added to log odds. Intercepts meet the slope only,
    so that they can be solved for one by one.
    """
    labels, states, size = hits.shape
    residual = np.empty((labels, size))
    own = np.empty((labels, size))
    cross = np.empty((labels, size))
    for _ in range(steps):
        by_slope = 0.0
        slope_own = 0.0
        shared = 0.0
        taken = 0.0
        for c in range(labels):
            for j in range(size):
                sum_residual = 0.0
                sum_curve = 0.0
                sum_cross = 0.0
                for h in range(states):
                    x = ease[c, j] + slope * nodes[h] + others[h, j]
                    x = min(max(x, -12.0), 12.0)
                    right = 1.0 / (1.0 + math.exp(-x))
                    off = hits[c, h, j] - number[c, h, j] * right
                    curve = number[c, h, j] * right * (1.0 - right) + 1e-9
                    sum_residual += off
                    sum_curve += curve
                    sum_cross += curve * nodes[h]
                    by_slope += off * nodes[h]
                    slope_own += curve * nodes[h] * nodes[h]
                residual[c, j], own[c, j], cross[c, j] = sum_residual, sum_curve, sum_cross
                shared += sum_cross / sum_curve * sum_residual
                taken += sum_cross * sum_cross / sum_curve
        step = (by_slope - shared) / (slope_own - taken + 1e-9)
        step = min(max(step, -0.5), 0.5)
        slope = min(max(0.0, slope + step), most)
        for c in range(labels):
            for j in range(size):
                own_step = (residual[c, j] - cross[c, j] * step) / own[c, j]
                own_step = min(max(own_step, -1.0), 1.0)
                ease[c, j] = min(max(ease[c, j] + own_step, -8.0), 8.0)
    return slope

"""Numbers as regressions see them: standardised, to the third power, in few cells."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from importlib import import_module
from typing import Any

import numpy as np

from headcount.typing import Floats

__all__ = ["POWERS", "Cubic", "minimum", "pooled"]

MOST_CELLS = 500
"""Different numbers that are told apart when a regression is fitted."""
POWERS = 3


@dataclass(frozen=True)
class Cubic:
    """Powers of numbers, standardised by those that were learned from and kept in their range.

    Parameters
    ----------
    middle, spread, low, high : float
        Mean and standard deviation of the numbers learned from, and their range.
    """

    middle: float
    spread: float
    low: float
    high: float

    @classmethod
    def learned(cls, x: Floats) -> Cubic:
        """Standardise by these numbers."""
        spread = float(x.std())
        return cls(float(x.mean()), spread if spread > 0 else 1.0, float(x.min()), float(x.max()))

    def __call__(self, x: Floats) -> Floats:
        """Make the columns of a regression: (numbers, 3)."""
        z = (np.clip(x, self.low, self.high) - self.middle) / self.spread
        return z[:, None] ** np.arange(1, POWERS + 1)


def pooled(x: Floats, shares: Floats) -> tuple[Floats, Floats]:
    """Pool items with the same number, or with nearly the same if there are many numbers.

    Returns
    -------
    numbers : (cells,) array
    total : (cells, labels) array
        Sum of the label shares of each cell.
    """
    values, cell = np.unique(x, return_inverse=True)
    if len(values) > MOST_CELLS:
        order = np.argsort(x, kind="stable")
        cell = np.empty(len(x), dtype=np.intp)
        cell[order] = np.arange(len(x)) * MOST_CELLS // len(x)
        values = np.bincount(cell, x) / np.bincount(cell)
    total = np.zeros((len(values), shares.shape[1]))
    np.add.at(total, cell, shares)
    return values, total


def minimum(
    objective: Callable[[Floats], tuple[float, Floats]],
    start: Floats,
    bounds: list[tuple[float, float]] | None = None,
) -> Floats:
    """Minimise a function that gives its value and gradient, by L-BFGS."""
    minimize: Any = import_module("scipy.optimize").minimize  # untyped, and slow to import
    found = minimize(objective, start, jac=True, method="L-BFGS-B", bounds=bounds)
    return np.asarray(found.x, dtype=np.float64)

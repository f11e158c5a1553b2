"""Numbers as regressions see them: standardised, to the third power, in few cells."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from importlib import import_module
from typing import Any

import numpy as np

from headcount.typing import Floats

__all__ = ["Cubic", "minimum", "pooled"]

MOST_CELLS = 500
"""Different numbers that are told apart when a regression is fitted."""
POWERS = 3


@dataclass(frozen=True, eq=False)
class Cubic:
    """Polynomials of numbers up to the third degree, uncorrelated where they were learned.

    Powers themselves are so nearly parallel, and so different in size, that a fit gets stuck.

    Parameters
    ----------
    middle, spread, low, high : float
        Mean and standard deviation of the numbers learned from, and their range, beyond which
        numbers count as its ends.
    weight : (4, degree) array
        Of 1, z, z^2 and z^3 in each polynomial, z being the number, standardised. As many numbers
        as differ, less one, are the degree at most.
    """

    middle: float
    spread: float
    low: float
    high: float
    weight: Floats

    @classmethod
    def learned(cls, x: Floats) -> Cubic:
        """Standardise by these numbers."""
        spread = float(x.std())
        degree = min(POWERS, len(np.unique(x)) - 1)
        start = cls(
            middle=float(x.mean()),
            spread=spread if spread > 0 else 1.0,
            low=float(x.min()),
            high=float(x.max()),
            weight=np.eye(POWERS + 1)[:, : degree + 1],
        )
        triangle = np.linalg.qr(start(x), mode="r")
        unit = np.linalg.inv(triangle)[:, 1:] * np.sqrt(len(x))
        return replace(start, weight=start.weight @ unit)

    @property
    def degree(self) -> int:
        """Number of polynomials."""
        return self.weight.shape[1]

    def __call__(self, x: Floats) -> Floats:
        """Make the columns of a regression: (numbers, degree)."""
        z = (np.clip(x, self.low, self.high) - self.middle) / self.spread
        return z[:, None] ** np.arange(POWERS + 1) @ self.weight


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

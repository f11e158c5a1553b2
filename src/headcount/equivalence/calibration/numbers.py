"""Numbers as regressions see them: ranked, to the third power, in few cells."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from importlib import import_module
from typing import Any

import numpy as np

from headcount.typing import Floats

__all__ = ["Cubic", "minimum", "pooled", "rounded"]

MOST_CELLS = 500
"""Different numbers that are told apart when a regression is fitted."""
POWERS = 3
LEVELS = 4096
"""Numbers between a power of two and the next, and as many below 0, that are told apart."""


@dataclass(frozen=True, eq=False)
class Cubic:
    r"""Polynomials of normal scores up to the third degree, uncorrelated where they were learned.

    A number counts as its normal score :math:`z = \Phi^{-1}(r / n)`, r being its rank among the n
    that were learned from, ties in the middle. So neither its unit matters nor how it is bent: a
    score and its logarithm say the same. Powers themselves would be so nearly parallel that a fit
    gets stuck.

    Parameters
    ----------
    values, scores : (values,) arrays
        The different numbers learned from, ascending, and the normal score of each; other numbers
        are interpolated, and count as the ends beyond them.
    weight : (4, degree) array
        Of 1, z, z^2 and z^3 in each polynomial. As many numbers as differ, less one, are the
        degree at most.
    """

    values: Floats
    scores: Floats
    weight: Floats

    @classmethod
    def learned(cls, x: Floats, weight: Floats | None = None) -> Cubic:
        """Rank these numbers, of which each stands for so many items."""
        values, place = np.unique(x, return_inverse=True)
        each = np.bincount(place, weight)
        ndtri: Any = import_module("scipy.special").ndtri
        scores = np.asarray(ndtri((np.cumsum(each) - each / 2) / each.sum()), dtype=np.float64)
        degree = min(POWERS, len(values) - 1)
        start = cls(values, scores, np.eye(POWERS + 1)[:, : degree + 1])
        triangle = np.linalg.qr(start(values) * np.sqrt(each)[:, None], mode="r")
        unit = np.linalg.inv(triangle)[:, 1:] * np.sqrt(each.sum())
        return replace(start, weight=start.weight @ unit)

    @property
    def degree(self) -> int:
        """Number of polynomials."""
        return self.weight.shape[1]

    def __call__(self, x: Floats) -> Floats:
        """Make the columns of a regression: (numbers, degree)."""
        z = np.interp(x, self.values, self.scores)
        return z[:, None] ** np.arange(POWERS + 1) @ self.weight


def pooled(x: Floats, shares: Floats, weight: Floats | None = None) -> tuple[Floats, Floats]:
    """Pool items with the same number, or with nearly the same if there are many numbers.

    Each row stands for so many items as its weight says.

    Returns
    -------
    numbers : (cells,) array
    total : (cells, labels) array
        Sum of the label shares of each cell.
    """
    weight = np.ones(len(x)) if weight is None else weight
    values, cell = np.unique(x, return_inverse=True)
    if len(values) > MOST_CELLS:
        each = np.bincount(cell, weight)
        before = np.cumsum(each) - each
        # Equal numbers stay together; one of many items may skip some cells.
        _, pool = np.unique(before * MOST_CELLS // each.sum(), return_inverse=True)
        cell = pool[cell]
        values = np.bincount(cell, x * weight) / np.bincount(cell, weight)
    total = np.zeros((len(values), shares.shape[1]))
    np.add.at(total, cell, shares * weight[:, None])
    return values, total


def rounded(x: Floats) -> Floats:
    """Round numbers to one part in 4,096 of the power of two above them.

    Examples
    --------
    >>> rounded(np.array([0.1, 100.01, 0.0])).tolist()
    [0.100006103515625, 100.0, 0.0]
    """
    part, power = np.frexp(x)
    return np.ldexp(np.round(part * LEVELS) / LEVELS, power)


def minimum(
    objective: Callable[[Floats], tuple[float, Floats]],
    start: Floats,
    bounds: list[tuple[float, float]] | None = None,
) -> Floats:
    """Minimise a function that gives its value and gradient, by L-BFGS."""
    minimize: Any = import_module("scipy.optimize").minimize  # untyped, and slow to import
    found = minimize(objective, start, jac=True, method="L-BFGS-B", bounds=bounds)
    return np.asarray(found.x, dtype=np.float64)

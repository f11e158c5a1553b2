"""What a bootstrap draws: single comparisons, or raters with all of theirs."""

from __future__ import annotations

from abc import ABC, abstractmethod

import numpy as np

from headcount.data.comparisons import Comparisons
from headcount.errors import DataError, option
from headcount.typing import Floats

__all__ = ["COMPARISON", "RATER", "UNITS", "Unit"]


class Unit(ABC):
    """A unit that a bootstrap draws.

    Each has a weight drawn from the Poisson distribution with mean 1: the bootstrap, but for the
    total, which is random as well. Own units extend this class and are given as `by`.

    Attributes
    ----------
    name : str
    needs_raters : bool
        Whether it must be known who answered; comparisons of which it is not are then left out.
    """

    name: str
    needs_raters: bool = True

    @property
    def plural(self) -> str:
        """What messages call several of them."""
        return f"{self.name}s"

    @abstractmethod
    def check(self, comparisons: Comparisons) -> None:
        """Refuse data from which the unit cannot be drawn."""

    @abstractmethod
    def weights(self, comparisons: Comparisons, rng: np.random.Generator) -> Floats:
        """Draw how often each comparison is in a bootstrap sample: (comparisons,).

        Comparisons are in the order of their content (see
        :func:`~headcount.pairwise.answers.row_order.sort_rows`).
        """


class ComparisonUnit(Unit):
    """Comparisons, each for itself."""

    name = "comparison"
    needs_raters = False

    def check(self, comparisons: Comparisons) -> None:
        """Take any data: there is always a comparison."""

    def weights(self, comparisons: Comparisons, rng: np.random.Generator) -> Floats:
        """Draw a weight for each comparison: for all that are equal together, then one by one.

        So that a table of their counts has the same draws.
        """
        same = np.diff(comparisons.left) | np.diff(comparisons.right)
        new = np.append(True, (same != 0) | (np.diff(comparisons.outcome) != 0))
        cell, answers = np.cumsum(new) - 1, comparisons.answers
        size = np.bincount(cell, answers)
        drawn = rng.poisson(size).astype(np.float64)
        if len(size) == len(cell):
            return drawn / answers
        within = rng.spawn(1)[0]
        times = drawn.astype(np.int64)
        start = np.cumsum(size) - size
        at = np.repeat(start, times) + within.random(int(times.sum())) * np.repeat(size, times)
        row = at.astype(np.intp)
        if comparisons.times is not None:
            row = np.searchsorted(np.cumsum(answers), at, side="right")
        return np.bincount(row, minlength=len(cell)) / answers


class RaterUnit(Unit):
    """Raters with all their comparisons: the honest unit where raters differ."""

    name = "rater"

    def check(self, comparisons: Comparisons) -> None:
        """Refuse to draw raters where there are not at least two."""
        if comparisons.rater is None:
            raise DataError(f"{comparisons.source}: there is no rater column to draw raters from.")
        if np.all(comparisons.rater == comparisons.rater[0]):
            raise DataError(
                f"{comparisons.source}: one rater gave all answers, so drawing raters tells "
                f"nothing. Draw comparisons ({option('by', COMPARISON.name)})."
            )

    def weights(self, comparisons: Comparisons, rng: np.random.Generator) -> Floats:
        """Draw a weight for each rater, in the order of the raters."""
        if comparisons.rater is None or comparisons.raters is None:
            raise DataError(f"{comparisons.source}: there is no rater column to draw raters from.")
        drawn = rng.poisson(1.0, len(comparisons.raters)).astype(np.float64)
        return drawn[comparisons.rater]


COMPARISON = ComparisonUnit()
RATER = RaterUnit()
UNITS: tuple[Unit, ...] = (COMPARISON, RATER)
"""All units by name."""

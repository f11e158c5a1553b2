"""Intervals that a model gives by itself: of a posterior, or from the ratio of two variances."""

from __future__ import annotations

import numpy as np

from headcount.stats.intervals.base import Ends, IntervalMethod
from headcount.typing import Floats

__all__ = [
    "FROM_MODEL",
    "F_INTERVAL",
    "HIGHEST_DENSITY",
    "MEAN_HIGHEST_DENSITY",
    "POSTERIOR",
    "POSTERIOR_ON_GRID",
]


class FInterval(IntervalMethod):
    """The F interval of an intraclass correlation, a ratio of variances."""

    name = "F interval"
    assumes = (
        "Items (and raters, for ICC(2,k)) are random samples of many more like them, and effects "
        "and errors are normal"
    )
    undefined = "unless every item has the same number of ratings (for ICC(2,k): of all raters)"

    def factors(self, between: float, within: float, level: float) -> tuple[float, float]:
        """By how much a ratio on so many degrees of freedom may be too large, and too small."""
        from scipy.special import fdtri  # pyright: ignore[reportMissingTypeStubs]

        high = 1 - (1 - level) / 2
        return float(fdtri(between, within, high)), float(fdtri(within, between, high))


class HighestDensity(IntervalMethod):
    """The densest part of a posterior that holds a probability of `level`."""

    name = "highest posterior density"
    assumes = "The model and its prior; given an item, its ratings are independent of each other"
    undefined = "on a scale of two points"


class MeanHighestDensity(IntervalMethod):
    """Means of the ends of highest-density intervals."""

    name = "mean of highest-density intervals"
    assumes = "As for each of the intervals, averaged over random subsets of the items"
    undefined = "if no subset has an interval"


class Posterior(IntervalMethod):
    """Quantiles of a posterior."""

    name = "posterior"
    assumes = "The model and its prior"
    undefined = "for an item without ratings"


class PosteriorOnGrid(IntervalMethod):
    """Quantiles of a posterior that is known on a grid."""

    name = "posterior on a grid"
    assumes = "The model and its prior; answers are independent of each other"
    undefined = "never"

    def ends(self, grid: Floats, weight: Floats, level: float) -> Ends:
        """Find the points of the grid up to which the tails reach."""
        total, tail = np.cumsum(weight), (1 - level) / 2
        low, high = np.searchsorted(total, [tail, 1 - tail])
        return Ends(float(grid[low]), float(grid[min(int(high), len(grid) - 1)]))


F_INTERVAL = FInterval()
HIGHEST_DENSITY = HighestDensity()
MEAN_HIGHEST_DENSITY = MeanHighestDensity()
POSTERIOR = Posterior()
POSTERIOR_ON_GRID = PosteriorOnGrid()
FROM_MODEL: tuple[IntervalMethod, ...] = (
    F_INTERVAL,
    HIGHEST_DENSITY,
    MEAN_HIGHEST_DENSITY,
    POSTERIOR,
    POSTERIOR_ON_GRID,
)

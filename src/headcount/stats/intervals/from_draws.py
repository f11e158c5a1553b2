"""Intervals from draws: bootstrap samples, repeats, runs of a simulation."""

from __future__ import annotations

import math

import numpy as np

from headcount.stats.intervals.base import Ends, IntervalMethod
from headcount.typing import Floats

__all__ = [
    "BIAS_CORRECTED",
    "BOOTSTRAP_OF_REPEATS",
    "BOOTSTRAP_OF_RUNS",
    "FROM_DRAWS",
    "OVER_REPEATS",
    "OVER_RUNS",
    "OVER_SUBSETS",
    "PERCENTILE",
    "RANGE",
    "FromDraws",
    "end_positions",
]


def end_positions(draws: int, level: float) -> tuple[int, int]:
    """Return where the ends of a percentile interval stand among sorted draws, rounded outwards.

    Examples
    --------
    >>> end_positions(1001, 0.95)
    (25, 975)
    """
    tail = (1 - level) / 2 * (draws - 1)
    # Rounding guards against 12.000000000000002 from (1 - level): ceil would take one more.
    return math.floor(round(tail, 9)), math.ceil(round(draws - 1 - tail, 9))


class FromDraws(IntervalMethod):
    """The percentiles of draws that leave out (1 - level) / 2 on either side.

    The ends are draws themselves (order statistics, rounded outwards), never a mixture of two, so
    that a censored draw, written as plus or minus infinity, makes a censored end.
    """

    undefined = "without draws"

    def ends(self, value: float, draws: Floats, level: float) -> Ends | None:
        """Find the ends; None where there are no draws."""
        del value
        if not len(draws):
            return None
        ordered = np.sort(draws)
        low, high = end_positions(len(draws), level)
        return Ends(float(ordered[low]), float(ordered[high]))


class Percentile(FromDraws):
    """Efron's percentile bootstrap."""

    name = "percentile bootstrap"
    assumes = (
        "What was resampled (items, if nothing else is said) is a random sample of many more like "
        "it; raters and all else stay as they are"
    )
    undefined = "without bootstrap samples"


class BiasCorrected(FromDraws):
    """The percentile bootstrap, moved back by twice the bias that the draws show.

    For coefficients, between -1 and 1. The draws of a biased one are as far from the value as the
    value is from the truth.
    """

    name = "bias-corrected percentile bootstrap"
    assumes = (
        "As for the percentile bootstrap, and the value is as biased as the bootstrap samples are"
    )
    undefined = "without bootstrap samples"

    def ends(self, value: float, draws: Floats, level: float) -> Ends | None:
        """Find the ends; None where there are no draws."""
        if not len(draws):
            return None
        return super().ends(value, np.clip(draws - 2 * (draws.mean() - value), -1, 1), level)


class Range(IntervalMethod):
    r"""Percentile bootstrap of a value that data determine only up to a range.

    From the :math:`\alpha/2` quantile of the lower ends of the draws' ranges to the
    :math:`1 - \alpha/2` quantile of their upper ends (Horowitz and Manski 2000).
    """

    name = "percentile bootstrap of the range"
    assumes = (
        "As for the percentile bootstrap; the value may be anywhere in the range that the data "
        "leave open"
    )
    undefined = "without bootstrap samples"

    def ends(self, low: Floats, high: Floats, level: float) -> Ends | None:
        """Find the ends, from those of the range of each draw; None where there are no draws."""
        below, above = (PERCENTILE.ends(math.nan, each, level) for each in (low, high))
        return None if below is None or above is None else Ends(below.low, above.high)


class OverSubsets(FromDraws):
    """Percentiles over random subsets of the items."""

    name = "random subsets of items"
    assumes = "None: it is how far random subsets of these items differ"


class OverRuns(FromDraws):
    """Percentiles over runs of a simulation."""

    name = "percentiles over runs"
    assumes = "Data come about as simulated; it is how far single runs differ"
    undefined = "with one run"


class OverRepeats(FromDraws):
    """Percentiles over repeats with random sets of items and comparisons."""

    name = "percentiles over repeats"
    assumes = "None: it is how far random sets of these items and comparisons differ"


class BootstrapOfRuns(FromDraws):
    """Percentile bootstrap of what is found over runs of a simulation."""

    name = "bootstrap of runs"
    assumes = "Data come about as simulated; it is how sure the simulation is of a mean"


class BootstrapOfRepeats(FromDraws):
    """Percentile bootstrap of what is found over repeats."""

    name = "bootstrap of repeats"
    assumes = (
        "Random sets of items and comparisons stand for those to come; another pilot may differ by "
        "more"
    )


PERCENTILE = Percentile()
BIAS_CORRECTED = BiasCorrected()
RANGE = Range()
OVER_SUBSETS = OverSubsets()
OVER_RUNS = OverRuns()
OVER_REPEATS = OverRepeats()
BOOTSTRAP_OF_RUNS = BootstrapOfRuns()
BOOTSTRAP_OF_REPEATS = BootstrapOfRepeats()
FROM_DRAWS: tuple[IntervalMethod, ...] = (
    PERCENTILE,
    BIAS_CORRECTED,
    RANGE,
    OVER_SUBSETS,
    OVER_RUNS,
    OVER_REPEATS,
    BOOTSTRAP_OF_RUNS,
    BOOTSTRAP_OF_REPEATS,
)

"""Ways to make an interval: from draws, from a standard error, or by the model itself."""

from __future__ import annotations

import math
from abc import abstractmethod
from dataclasses import dataclass
from statistics import NormalDist
from typing import Any, NamedTuple

import numpy as np

from headcount.typing import Floats

__all__ = [
    "Ends",
    "IntervalMethod",
    "end_positions",
    "FromDraws",
    "PERCENTILE",
    "RANGE",
    "OVER_RUNS",
    "OVER_REPEATS",
    "BOOTSTRAP_OF_RUNS",
    "BOOTSTRAP_OF_REPEATS",
    "SKEWED",
    "FromError",
    "Wald",
    "STUDENT",
    "LINEARISED",
    "DELTA",
    "FIRST_ORDER",
    "WALD",
    "WALD_T",
    "WALD_LOG_ODDS",
    "WALD_JOINT",
    "WALD_HELD",
    "FROM_ERROR",
    "F_INTERVAL",
    "HIGHEST_DENSITY",
    "POSTERIOR",
    "POSTERIOR_ON_GRID",
    "share_interval",
    "BY_GOLD",
    "BY_CROWD",
    "BY_RATINGS",
    "BY_ITEMS",
    "Fisher",
    "OfMean",
    "RATERS_LIKE_THESE",
    "OVER_ITEMS",
    "DIFFERENCE",
    "PHI_WIDENED",
    "PAIRWISE_TESTS",
    "STEP_DOWN",
    "EXACT",
    "LIMIT",
    "ONE_RUN",
    "INTERVALS",
]


# What every way to make an interval knows of itself.


class Ends(NamedTuple):
    """Ends of an interval."""

    low: float
    high: float


@dataclass(frozen=True)
class IntervalMethod:
    """A way to make an interval.

    For whom it holds, what has to be true for it to hold, and when there is none is told by
    docs/methods/intervals.md.

    Attributes
    ----------
    name : str
        What results and JSON print as `method`.
    """

    name: str


# Intervals from draws: bootstrap samples, repeats, runs of a simulation.


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


@dataclass(frozen=True)
class FromDraws(IntervalMethod):
    """The percentiles of draws that leave out (1 - level) / 2 on either side.

    The ends are draws themselves (order statistics, rounded outwards), never a mixture of two, so
    that a censored draw, written as plus or minus infinity, makes a censored end.
    """

    def ends(self, value: float, draws: Floats, level: float) -> Ends | None:
        """Find the ends; None where there are no draws."""
        del value
        if not len(draws):
            return None
        ordered = np.sort(draws)
        low, high = end_positions(len(draws), level)
        return Ends(float(ordered[low]), float(ordered[high]))


class Range(IntervalMethod):
    r"""Percentile bootstrap of a value that data determine only up to a range.

    From the :math:`\alpha/2` quantile of the lower ends of the draws' ranges to the
    :math:`1 - \alpha/2` quantile of their upper ends (Horowitz and Manski 2000).
    """

    def ends(self, low: Floats, high: Floats, level: float) -> Ends | None:
        """Find the ends, from those of the range of each draw; None where there are no draws."""
        below, above = (PERCENTILE.ends(math.nan, each, level) for each in (low, high))
        return None if below is None or above is None else Ends(below.low, above.high)


# Efron's percentile bootstrap.
PERCENTILE = FromDraws("percentile bootstrap")
RANGE = Range("percentile bootstrap of the range")
# Percentiles over runs of a simulation.
OVER_RUNS = FromDraws("percentiles over runs")
# Percentiles over repeats with random sets of items and comparisons.
OVER_REPEATS = FromDraws("percentiles over repeats")
# Percentile bootstrap of what is found over runs of a simulation.
BOOTSTRAP_OF_RUNS = FromDraws("bootstrap of runs")
# Percentile bootstrap of what is found over repeats.
BOOTSTRAP_OF_REPEATS = FromDraws("bootstrap of repeats")


class Skewed(FromDraws):
    """Percentiles, of which an end that skewness makes too short is moved out (Hall 1992)."""

    def quantile(self, skewness: Floats, level: float) -> Floats:
        r"""Find how many standard errors below a mean its low end lies.

        With :math:`g = \gamma / \sqrt n` for data of skewness :math:`\gamma`, the solution of

        .. math:: t + \frac{g t^2}{3} + \frac{g^2 t^3}{27} + \frac g6 = z.

        Parameters
        ----------
        skewness : array
            g, of each mean; 0 gives the normal quantile z.
        level : float

        References
        ----------
        Hall (1992), "On the removal of skewness by transformation", JRSS B 54.

        Examples
        --------
        >>> SKEWED.quantile(np.array([0.0, -0.2, 0.2]), 0.95).round(2)
        array([1.96, 2.34, 1.72])
        """
        z = NormalDist().inv_cdf((1 + level) / 2)
        g = np.where(np.abs(skewness) < 1e-6, 1e-6, skewness)
        return 3 / g * (np.cbrt(1 + g * (z - g / 6)) - 1)


SKEWED = Skewed("percentile bootstrap, low end by Hall's transformation")
FROM_DRAWS: tuple[IntervalMethod, ...] = (
    PERCENTILE,
    SKEWED,
    RANGE,
    OVER_RUNS,
    OVER_REPEATS,
    BOOTSTRAP_OF_RUNS,
    BOOTSTRAP_OF_REPEATS,
)


# Intervals from a standard error: the value, and so many standard errors on either side.


@dataclass(frozen=True)
class FromError(IntervalMethod):
    """The value, and a quantile times its standard error on either side."""

    def ends(self, value: float, error: float, level: float, n: float = 2) -> Ends | None:
        """Find the ends; None for less than two items, or if the standard error is not known."""
        if n < 2 or not math.isfinite(error):
            return None
        half = self.quantile(level, n) * error
        return Ends(value - half, value + half)

    @abstractmethod
    def quantile(self, level: float, n: float = 2) -> float:
        """Half of the width, in standard errors."""


class Student(FromError):
    """Student's interval with n - 1 degrees of freedom.

    Examples
    --------
    >>> low, high = STUDENT.ends(0.5, 0.1, 0.95, n=10)
    >>> print(f"{low:.4f} to {high:.4f}")
    0.2738 to 0.7262
    """

    def quantile(self, level: float, n: float = 2) -> float:
        """Student's quantile."""
        from scipy.special import stdtrit  # pyright: ignore[reportMissingTypeStubs]

        return float(stdtrit(n - 1, (1 + level) / 2))


class Delta(FromError):
    """Normal interval by the delta method over items.

    Examples
    --------
    >>> low, high = DELTA.ends(0.5, 0.1, 0.95, n=10)
    >>> print(f"{low:.4f} to {high:.4f}")
    0.3040 to 0.6960
    """

    def quantile(self, level: float, n: float = 2) -> float:
        """Return the normal quantile."""
        from scipy.special import ndtri  # pyright: ignore[reportMissingTypeStubs]

        return float(ndtri((1 + level) / 2))


class Wald(FromError):
    """Normal interval of a fitted parameter, from its standard error."""

    def quantile(self, level: float, n: float = 2) -> float:
        """Return the normal quantile, without scipy, which a fit of ratings need not import."""
        return -NormalDist().inv_cdf((1 - level) / 2)


class WaldT(Wald):
    """Student's interval of a fitted parameter whose error comes from a few clusters."""

    def quantile(self, level: float, n: float = 2) -> float:
        """Student's quantile with n - 1 degrees of freedom."""
        return STUDENT.quantile(level, n)


STUDENT = Student("t interval over items")
# Student's interval, of the items' parts of a coefficient to first order (Gwet 2008).
LINEARISED = Student("linearised, t interval")
DELTA = Delta("delta method over items")
# Normal interval of a score, from its variance over items to first order.
FIRST_ORDER = Delta("normal, to first order")
WALD = Wald("Wald")
WALD_T = WaldT("Wald, t over clusters")
# Wald's interval of a difference in ratings, written as a probability.
WALD_LOG_ODDS = Wald("Wald, in log odds")
# Wald's interval of a shift, from a fit of both populations together.
WALD_JOINT = Wald("Wald, joint fit")
# Wald's interval of a shift, the ratings of both populations being held.
WALD_HELD = Wald("Wald, ratings held")
FROM_ERROR: tuple[IntervalMethod, ...] = (
    STUDENT,
    LINEARISED,
    DELTA,
    FIRST_ORDER,
    WALD,
    WALD_T,
    WALD_LOG_ODDS,
    WALD_JOINT,
    WALD_HELD,
)


# Intervals that a model gives by itself: of a posterior, or from the ratio of two variances.


class FInterval(IntervalMethod):
    """The F interval of an intraclass correlation, a ratio of variances."""

    def factors(self, between: float, within: float, level: float) -> tuple[float, float]:
        """By how much a ratio on so many degrees of freedom may be too large, and too small."""
        from scipy.special import fdtri  # pyright: ignore[reportMissingTypeStubs]

        high = 1 - (1 - level) / 2
        return float(fdtri(between, within, high)), float(fdtri(within, between, high))


class PosteriorOnGrid(IntervalMethod):
    """Quantiles of a posterior that is known on a grid."""

    def ends(self, grid: Floats, weight: Floats, level: float) -> Ends:
        """Find the points of the grid up to which the tails reach."""
        total, tail = np.cumsum(weight), (1 - level) / 2
        low, high = np.searchsorted(total, [tail, 1 - tail])
        return Ends(float(grid[low]), float(grid[min(int(high), len(grid) - 1)]))


F_INTERVAL = FInterval("F interval")
# The densest part of a posterior that holds a probability of `level`.
HIGHEST_DENSITY = IntervalMethod("highest posterior density")
# Quantiles of a posterior.
POSTERIOR = IntervalMethod("posterior")
POSTERIOR_ON_GRID = PosteriorOnGrid("posterior on a grid")
FROM_MODEL: tuple[IntervalMethod, ...] = (
    F_INTERVAL,
    HIGHEST_DENSITY,
    POSTERIOR,
    POSTERIOR_ON_GRID,
)


# Intervals of shares that are known as well as so many independent items would tell them.


def share_interval(
    value: Floats | float, size: Floats | float, level: float
) -> tuple[Floats, Floats]:
    r"""Interval of a share from its effective number of items.

    With :math:`n` items and :math:`x = n \theta` successes it goes from the :math:`\alpha / 2`
    quantile of :math:`\mathrm{Beta}(x + \frac14, n - x + \frac34)` to the :math:`1 - \alpha / 2`
    quantile of :math:`\mathrm{Beta}(x + \frac34, n - x + \frac14)`: half way between the interval
    of Clopper and Pearson and that of Jeffreys. It ends in 0 or 1 where the share does, is never
    of zero width, and always holds the share.

    Parameters
    ----------
    value : array
        Shares; what lies below 0 or above 1 counts as 0 or 1.
    size : array
        Independent items that would tell the share as well: :math:`\theta (1 - \theta)` over its
        variance, or the number of items times what a design gains.
    level : float
        Coverage.

    References
    ----------
    Korn and Graubard (1998), "Confidence intervals for proportions with small expected number of
    positive counts estimated from survey data", Survey Methodology 24; Brown, Cai and DasGupta
    (2001), "Interval estimation for a binomial proportion", Statistical Science 16.

    Examples
    --------
    All of 50 items right: at least .939; by Clopper and Pearson .929, by Jeffreys .951.

    >>> low, high = share_interval(1.0, 50.0, 0.95)
    >>> round(float(low), 3), float(high)
    (0.939, 1.0)
    """
    from scipy import special  # pyright: ignore[reportMissingTypeStubs]

    quantile: Any = special.betaincinv  # pyright: ignore[reportUnknownMemberType]
    share = np.clip(np.asarray(value, dtype=np.float64), 0, 1)
    n = np.maximum(np.asarray(size, dtype=np.float64), 0)
    hits, misses, tail = share * n, (1 - share) * n, (1 - level) / 2
    low = np.asarray(quantile(hits + 0.25, misses + 0.75, tail), dtype=np.float64)
    high = np.asarray(quantile(hits + 0.75, misses + 0.25, 1 - tail), dtype=np.float64)
    return (
        np.where(share <= 0, 0.0, np.minimum(low, share)),
        np.where(share >= 1, 1.0, np.maximum(high, share)),
    )


@dataclass(frozen=True)
class FromSize(IntervalMethod):
    """Beta interval of a share that so many independent items would tell as well."""

    def ends(self, value: float, size: float, level: float) -> Ends:
        """Find the ends."""
        low, high = share_interval(value, size, level)
        return Ends(float(low), float(high))


# By the number of gold labels, and what votes add to them.
BY_GOLD = FromSize("beta, effective number of gold labels")
# By the number of labels of a classifier, and what the crowd tells of it.
BY_CROWD = FromSize("beta, labels and crowd")
# By the ratings of people, and what judges add to them.
BY_RATINGS = FromSize("beta, effective number of ratings")
# By the items, each of which may have several ratings.
BY_ITEMS = FromSize("beta, effective number of items")
FROM_SIZE: tuple[IntervalMethod, ...] = (BY_GOLD, BY_CROWD, BY_RATINGS, BY_ITEMS)


# Fisher's transformation, on which intervals of coefficients are symmetric.

NEAR = 1e-12
"""How near to its ends a number may be."""


@dataclass(frozen=True)
class Fisher:
    """Fisher's transformation of a number between `low` and 1.

    Examples
    --------
    >>> round(Fisher().to(0.5), 4), round(Fisher().back(0.5493), 4)
    (0.5493, 0.5)
    """

    low: float = -1.0

    def to(self, x: float) -> float:
        """Transform: artanh of x moved to between -1 and 1."""
        return float(np.arctanh(np.clip(self._centred(x), NEAR - 1, 1 - NEAR)))

    def back(self, z: float) -> float:
        """Transform back."""
        return self.low + (1 - self.low) * (float(np.tanh(z)) + 1) / 2

    def slope(self, x: float) -> float:
        """How the transformed number changes with x."""
        return 2 / (1 - self.low) / max(1 - self._centred(x) ** 2, NEAR)

    def _centred(self, x: float) -> float:
        return 2 * (x - self.low) / (1 - self.low) - 1


@dataclass(frozen=True)
class OfMean(Fisher):
    """Of the mean of k ratings: through one rating, by Spearman and Brown.

    Examples
    --------
    >>> scale = OfMean(k=4)
    >>> round(scale.back(scale.to(0.8)), 4), round(scale.back(Fisher().to(0.5)), 4)
    (0.8, 0.8)
    """

    k: float = 1.0

    def to(self, x: float) -> float:
        """Transform that of one rating."""
        return super().to(self._single(x))

    def back(self, z: float) -> float:
        """From one rating to the mean; no less than the mean can be."""
        single = super().back(z)
        return max(self.k * single / max(1 + (self.k - 1) * single, NEAR), self.low)

    def slope(self, x: float) -> float:
        """How it changes with that of the mean."""
        return super().slope(self._single(x)) * self.k / (self.k - (self.k - 1) * x) ** 2

    def _single(self, x: float) -> float:
        return x / (self.k - (self.k - 1) * x)


# Intervals where two things are samples at once: items, and the raters who rated them.


class RatersLikeThese(IntervalMethod):
    """Student's interval on Fisher's scale, from a variance over items and raters.

    Examples
    --------
    >>> low, high = RATERS_LIKE_THESE.ends(0.5, 0.1, 0.95, freedom=4.0, scale=Fisher())
    >>> print(f"{low:.4f} to {high:.4f}")
    0.1772 to 0.7257
    """

    def ends(
        self, value: float, error: float, level: float, *, freedom: float, scale: Fisher
    ) -> Ends:
        """Find the ends, from the standard error of the value and its degrees of freedom."""
        from scipy.special import stdtrit  # pyright: ignore[reportMissingTypeStubs]

        half = float(stdtrit(freedom, (1 + level) / 2)) * error * scale.slope(value)
        z = scale.to(value)
        return Ends(scale.back(z - half), scale.back(z + half))


class PhiWidened(IntervalMethod):
    """The posterior of Phi, widened by how Phi changes without each rater."""

    def ends(self, centre: float, error: float, level: float, *, freedom: float) -> Ends:
        """Find the ends on the scale of the centre."""
        from scipy.special import stdtrit  # pyright: ignore[reportMissingTypeStubs]

        half = float(stdtrit(freedom, (1 + level) / 2)) * error
        return Ends(centre - half, centre + half)


RATERS_LIKE_THESE = RatersLikeThese("jackknife over raters and items")
OVER_ITEMS = RatersLikeThese("jackknife over items")
# Student's interval of a difference, from a variance over items and raters.
DIFFERENCE = PhiWidened("jackknife over raters and items, of a difference")
PHI_WIDENED = PhiWidened("posterior and jackknife over raters")
CROSSED: tuple[IntervalMethod, ...] = (RATERS_LIKE_THESE, OVER_ITEMS, DIFFERENCE, PHI_WIDENED)


# Intervals from tests: what they do not rule out.


# Ranks that tests of an item against every other leave open.
PAIRWISE_TESTS = IntervalMethod("pairwise tests")
# Ranks that tests of an item against every other leave open, their errors counted together.
STEP_DOWN = IntervalMethod("pairwise tests, step-down")
FROM_TESTS: tuple[IntervalMethod, ...] = (PAIRWISE_TESTS, STEP_DOWN)


# Why a value stands without an interval, where that is no lack.


# Nothing was drawn: the value is that of the data.
EXACT = IntervalMethod("exact")
# The value that the likelihood tends to while a rating grows without bound.
LIMIT = IntervalMethod("limit of maximum likelihood")
# A simulation was run once, so that nothing says how runs differ.
ONE_RUN = IntervalMethod("one run")
WITHOUT: tuple[IntervalMethod, ...] = (EXACT, LIMIT, ONE_RUN)


# All ways to make an interval.

INTERVALS: dict[str, IntervalMethod] = {
    method.name: method
    for kinds in (FROM_DRAWS, FROM_ERROR, FROM_TESTS, CROSSED, FROM_MODEL, FROM_SIZE, WITHOUT)
    for method in kinds
}

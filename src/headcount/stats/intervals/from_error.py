"""Intervals from a standard error: the value, and so many standard errors on either side."""

from __future__ import annotations

import math
from abc import abstractmethod
from statistics import NormalDist

from headcount.stats.intervals.base import Ends, IntervalMethod

__all__ = [
    "DELTA",
    "FIRST_ORDER",
    "FROM_ERROR",
    "LINEARISED",
    "STUDENT",
    "WALD",
    "WALD_HELD",
    "WALD_JOINT",
    "WALD_LOG_ODDS",
    "WALD_T",
    "FromError",
    "Wald",
]


class FromError(IntervalMethod):
    """The value, and a quantile times its standard error on either side."""

    undefined = "without a standard error"

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

    name = "t interval over items"
    assumes = (
        "Items are a random sample of many more like them, enough of them for a mean to be nearly "
        "normal; raters stay as they are"
    )
    undefined = "with less than two items"

    def quantile(self, level: float, n: float = 2) -> float:
        """Student's quantile."""
        from scipy.special import stdtrit  # pyright: ignore[reportMissingTypeStubs]

        return float(stdtrit(n - 1, (1 + level) / 2))


class Linearised(Student):
    """Student's interval, of the items' parts of a coefficient to first order (Gwet 2008)."""

    name = "linearised, t interval"
    assumes = (
        "Items are a random sample of many more like them, enough of them for a coefficient to be "
        "nearly linear in their parts; raters stay as they are"
    )


class Delta(FromError):
    """Normal interval by the delta method over items.

    Examples
    --------
    >>> low, high = DELTA.ends(0.5, 0.1, 0.95, n=10)
    >>> print(f"{low:.4f} to {high:.4f}")
    0.3040 to 0.6960
    """

    name = "delta method over items"
    assumes = (
        "Items are a random sample of many more like them, enough of them for a coefficient to be "
        "nearly normal; raters stay as they are"
    )
    undefined = "with less than two items"

    def quantile(self, level: float, n: float = 2) -> float:
        """Return the normal quantile."""
        from scipy.special import ndtri  # pyright: ignore[reportMissingTypeStubs]

        return float(ndtri((1 + level) / 2))


class FirstOrder(Delta):
    """Normal interval of a score, from its variance over items to first order."""

    name = "normal, to first order"
    assumes = (
        "Items are a random sample of many more like them, enough of them for a score to be nearly "
        "normal; classifiers stay as they are"
    )


class Wald(FromError):
    """Normal interval of a fitted parameter, from its standard error."""

    name = "Wald"
    assumes = (
        "Comparisons are independent of each other, and enough of them for the estimate to be "
        "nearly normal; where errors are those of the Hessian or of a prior, the model is right"
    )
    undefined = "for a rating that is not finite, or a fit that has not converged"

    def quantile(self, level: float, n: float = 2) -> float:
        """Return the normal quantile, without scipy, which a fit of ratings need not import."""
        return -NormalDist().inv_cdf((1 - level) / 2)


class WaldT(Wald):
    """Student's interval of a fitted parameter whose error comes from a few clusters."""

    name = "Wald, t over clusters"
    assumes = (
        "Clusters of comparisons are independent of each other, and enough of them for their "
        "mean to be nearly normal"
    )

    def quantile(self, level: float, n: float = 2) -> float:
        """Student's quantile with n - 1 degrees of freedom."""
        return STUDENT.quantile(level, n)


class WaldLogOdds(Wald):
    """Wald's interval of a difference in ratings, written as a probability."""

    name = "Wald, in log odds"


class WaldJoint(Wald):
    """Wald's interval of a shift, from a fit of both populations together."""

    name = "Wald, joint fit"


class WaldHeld(Wald):
    """Wald's interval of a shift, the ratings of both populations being held."""

    name = "Wald, ratings held"
    assumes = "As for Wald; errors of the ratings that are held are independent of each other"


STUDENT = Student()
LINEARISED = Linearised()
DELTA = Delta()
FIRST_ORDER = FirstOrder()
WALD = Wald()
WALD_T = WaldT()
WALD_LOG_ODDS = WaldLogOdds()
WALD_JOINT = WaldJoint()
WALD_HELD = WaldHeld()
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

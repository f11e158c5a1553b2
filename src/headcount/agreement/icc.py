"""Intraclass correlations of numeric ratings, with missing ratings and their intervals."""

from __future__ import annotations

from dataclasses import replace
from functools import partial

import numpy as np

from headcount.agreement.estimates import Coefficient
from headcount.agreement.prepare import Prepared
from headcount.agreement.ratings import Influence, Patterns, Sums
from headcount.stats.arrays import SMALL, ratio
from headcount.stats.estimate import Estimate
from headcount.stats.intervals import F_INTERVAL, Fisher, OfMean
from headcount.typing import Floats

__all__ = [
    "ICC1",
    "ICC1k",
    "ICC2",
    "ICC2k",
    "ICC3",
    "ICC3k",
]


# Intraclass correlations of numeric ratings, with missing ratings.

APART = 0.03
"""Difference from the reported coefficient from which on it says something else."""


SURE = 0.9995
"""Reliability of a mean that is 1 to the digits that are shown."""


def icc1_interval(patterns: Patterns, value: float, level: float) -> tuple[float, float] | None:
    """F interval of ICC(1); none unless every item has the same number of ratings.

    Shrout and Fleiss (1979), with F = MSB / MSW on items - 1 and items (k - 1) degrees of freedom.
    """
    sizes = np.unique(patterns.ratings)
    items, k = int(patterns.multiplicity.sum()), float(sizes[0])
    if len(sizes) > 1 or k < 2 or items < 2 or value >= 1:
        return None
    f = (1 + (k - 1) * value) / (1 - value)
    too_large, too_small = F_INTERVAL.factors(items - 1, items * (k - 1), level)
    f_low, f_high = f / too_large, f * too_small
    return (f_low - 1) / (f_low + k - 1), (f_high - 1) / (f_high + k - 1)


def icc2_ends(table: Floats, level: float) -> tuple[float, float] | None:
    """F interval of ICC(2,1) of complete data, an items x raters table; None without variance.

    McGraw and Wong (1996), "Forming inferences about some intraclass correlation coefficients".
    """
    squares = _mean_squares(table)
    if squares is None:
        return None
    (n, k), (msb, msj, mse) = table.shape, squares
    rho = (msb - mse) / (msb + (k - 1) * mse + k * (msj - mse) / n)
    a = k * rho * msj / mse
    b = n * (1 + (k - 1) * rho) - k * rho
    freedom = (k - 1) * (n - 1) * (a + b) ** 2 / ((n - 1) * a**2 + b**2)
    f, g = F_INTERVAL.factors(n - 1, freedom, level)
    error = k * msj + (k * n - k - n) * mse
    return (
        n * (msb - f * mse) / (f * error + n * msb),
        n * (g * msb - mse) / (error + n * g * msb),
    )


def icc3_ends(table: Floats, level: float) -> tuple[float, float] | None:
    """F interval of ICC(3,1) of complete data; None without variance. Shrout and Fleiss (1979)."""
    squares = _mean_squares(table)
    if squares is None:
        return None
    (n, k), (msb, _, mse) = table.shape, squares
    f, g = F_INTERVAL.factors(n - 1, (n - 1) * (k - 1), level)
    low_f, high_f = msb / mse / f, msb / mse * g
    return (low_f - 1) / (low_f + k - 1), (high_f - 1) / (high_f + k - 1)


def _mean_squares(table: Floats) -> tuple[float, float, float] | None:
    """Mean squares of items, raters and error; None where items or error do not vary."""
    n, k = table.shape
    mean = float(table.mean())
    by_item, by_rater = table.mean(axis=1), table.mean(axis=0)
    msb = k * float(((by_item - mean) ** 2).sum()) / (n - 1)
    msj = n * float(((by_rater - mean) ** 2).sum()) / (k - 1)
    rest = table - by_item[:, None] - by_rater[None, :] + mean
    mse = float((rest**2).sum()) / ((n - 1) * (k - 1))
    least = SMALL * float(table.var())
    return None if mse <= least or msb <= least else (msb, msj, mse)


def _of_mean(ends: tuple[float, float], k: float) -> tuple[float, float] | None:
    """From one rating to the mean of k, by Spearman and Brown; too far below 0 there is none."""
    if 1 + (k - 1) * ends[0] <= SMALL:
        return None
    low, high = (k * end / (1 + (k - 1) * end) for end in ends)
    return low, high


def _estimate(value: float, ends: tuple[float, float], level: float) -> Estimate:
    low, high = ends
    return Estimate(value, low=low, high=high, level=level, method=F_INTERVAL.name)


class ICC1(Coefficient):
    """ICC(1)."""

    name = "icc1"
    title = "ICC(1)"
    chance = "variance within items"
    assumes = (
        "Labels are numbers; each item has raters of its own, drawn at random. Share of the "
        "variance of one rating that is between items."
    )
    averaged = False
    """Whether it is of the mean of an item's ratings, not of one."""

    def value(self, data: Prepared) -> float:
        """Find its value."""
        whole = data.jackknife.whole
        return float(self.value_of(whole, self.size(whole))[0])

    def undefined(self, data: Prepared) -> str | None:
        """Say if labels are not numbers, or ratings or items do not differ."""
        if not data.measured:
            return f"it needs numbers, and the scale is {data.scale.name}"
        if data.one_label is not None:
            return data.one_label
        return "there is one item" if data.labels.n_items == 1 else None

    def interval(self, data: Prepared, value: float, level: float) -> Estimate | None:
        """Find the F interval, where items have equal numbers of ratings."""
        k = float(data.patterns.ratings[0])
        single = value / (k - (k - 1) * value) if self.averaged else value
        ends = icc1_interval(data.patterns, single, level)
        if ends is not None and self.averaged:
            ends = _of_mean(ends, k)
        return None if ends is None else _estimate(value, ends, level)

    def value_of(self, sums: Sums, k: Floats | float) -> Floats:
        """Give the coefficient, of sums, for the mean of k ratings."""
        within, between = sums.within_items(), sums.between_items()
        size = ratio(sums.ratings - ratio(sums.item_sizes, sums.ratings), sums.items - 1)
        value = ratio(between - within, between + (size - 1) * within, least=SMALL)
        return ratio(k * value, 1 + (k - 1) * value, least=SMALL)

    def noise(self, sums: Sums) -> Floats:
        """Give what is not of items in the variance of one rating."""
        return sums.within_items()

    def size(self, sums: Sums) -> Floats | float:
        """How many ratings it takes the mean of."""
        return sums.k if self.averaged else 1.0

    def fisher(self, data: Prepared) -> Fisher:
        """Of one rating, from which that of a mean follows."""
        return OfMean(k=data.ratings.harmonic_mean) if self.averaged else Fisher()

    def influence(self, data: Prepared) -> Influence:
        """Leave out each item, rater and rating, exactly."""
        # How many ratings the mean is of is held fixed, as is what an item weighs.
        k = data.ratings.harmonic_mean if self.averaged else 1.0
        influence = data.jackknife.influence(partial(self.value_of, k=k))
        noise = float(self.noise(data.jackknife.whole)[0]) / k
        of_item = influence.value * noise / max(1 - influence.value, SMALL)

        def harsher(more: float) -> float:
            return of_item / (of_item + noise + more / 2 / k)

        return replace(influence, harsher=harsher)


class ICC1k(ICC1):
    """ICC(1,k)."""

    name = "icc1k"
    title = "ICC(1,k)"
    assumes = (
        "As ICC(1); reliability of the mean of an item's ratings, k being the harmonic mean of "
        "their number."
    )
    averaged = True


class ICC2(ICC1):
    """ICC(2,1).

    s^2 / (s^2 + r^2 + e^2), with variances between items s^2, between raters r^2 and of the rest
    e^2, in the model rating = mean + item + rater + rest, all random.

    Notes
    -----
    The variances are Henderson's first method: sums of squares by item, by rater and in all are
    set equal to what is expected of them, which is exact for any pattern of missing ratings. With
    complete data the result is Shrout and Fleiss'. NaN where the variances cannot be distinguished:
    one item, one rater, nobody who rated two, or no variance.

    References
    ----------
    Shrout and Fleiss (1979), "Intraclass correlations", case 2; Henderson (1953), "Estimation of
    variance and covariance components", method 1.
    """

    name = "icc2"
    title = "ICC(2,1)"
    chance = "variance of raters and error"
    assumes = (
        "Labels are numbers; raters are a random sample and may be lenient or strict, the same on "
        "all items, which counts as disagreement. Share of the variance of one rating that is "
        "between items."
    )
    by_rater = True
    ends = staticmethod(icc2_ends)

    def value_of(self, sums: Sums, k: Floats | float) -> Floats:
        """Give the coefficient, of sums, for the mean of k ratings."""
        item = sums.components.item
        return ratio(item, item + self.noise(sums) / k, least=SMALL)

    def noise(self, sums: Sums) -> Floats:
        """Variance of raters and the rest."""
        return sums.components.rater_rest

    def undefined(self, data: Prepared) -> str | None:
        """Say if nobody knows who rated, or as for ICC(1)."""
        return data.nameless or super().undefined(data)

    def no_value(self, data: Prepared) -> str:
        """Say that the variances cannot be found."""
        return "the variances of items, raters and error cannot be separated"

    def interval(self, data: Prepared, value: float, level: float) -> Estimate | None:
        """Find the F interval, where everybody rated everything."""
        table = data.complete
        if table is None:
            return None
        raters = table.shape[1]
        ends = type(self).ends(table, level)
        if ends is not None and self.averaged:
            ends = _of_mean(ends, raters)
        return None if ends is None else _estimate(value, ends, level)

    def differs(self, data: Prepared, value: float, reported: float) -> str:
        """Stand beside the reported one where ratings are measurements."""
        return "reliability of a single rating" if data.scale.numeric and not self.averaged else ""


class ICC2k(ICC2):
    """ICC(2,k).

    s^2 / (s^2 + (r^2 + e^2) / k): k is the harmonic mean of ratings per item, since the error of a
    mean goes with 1 / r_i.
    """

    name = "icc2k"
    title = "ICC(2,k)"
    assumes = (
        "Labels are numbers; raters are a random sample and may be lenient or strict, the same on "
        "all items. Reliability of the mean of an item's ratings, not of one rating."
    )
    averaged = True

    def differs(self, data: Prepared, value: float, reported: float) -> str:
        """Say that it is of means."""
        if not data.scale.numeric:
            return ""
        k = data.ratings.harmonic_mean
        if value > SURE:  # of many ratings, whatever they are
            return ""
        return f"reliability of a mean of {k:,.3g} ratings"


class ICC3(ICC2):
    """ICC(3,1): s^2 / (s^2 + e^2)."""

    name = "icc3"
    title = "ICC(3,1)"
    chance = "variance of error"
    assumes = (
        "As ICC(2,1), but differences in leniency between raters are ignored: it measures "
        "consistency, not agreement."
    )
    ends = staticmethod(icc3_ends)

    def noise(self, sums: Sums) -> Floats:
        """Variance of the rest, which is part of that within items.

        With all ratings there it cannot be more than items / (items - 1) times as large; with
        missing ones it is found from sums that need not agree.
        """
        parts = sums.components
        most = parts.rater_rest * ratio(sums.items, sums.items - 1)
        return np.clip(parts.rest, 0.0, most)

    def differs(self, data: Prepared, value: float, reported: float) -> str:
        """Say that it forgives severity."""
        if self.averaged or not data.scale.numeric or value - reported < APART:
            return ""
        return "allows for harsher raters"

    def influence(self, data: Prepared) -> Influence:
        """As others; severity does not touch it."""
        return replace(super().influence(data), harsher=None)


class ICC3k(ICC3):
    """ICC(3,k): s^2 / (s^2 + e^2 / k)."""

    name = "icc3k"
    title = "ICC(3,k)"
    assumes = "As ICC(3,1); consistency of the mean of an item's ratings."
    averaged = True

"""Intraclass correlations of numeric ratings, with missing ratings."""

from __future__ import annotations

import numpy as np

from headcount.agreement.coefficients.base import Coefficient
from headcount.agreement.patterns import Patterns
from headcount.agreement.prepare import Prepared
from headcount.stats.estimate import Estimate
from headcount.stats.intervals.from_model import F_INTERVAL
from headcount.stats.ratio import SMALL, ratio
from headcount.stats.sparse import sparse_product
from headcount.typing import Floats, Ints, Kernel

__all__ = ["ICC1", "ICC2k", "icc1", "icc1_interval", "icc2k", "icc2k_interval"]


def icc1(patterns: Patterns, values: Floats) -> Kernel:
    """Prepare ICC(1): the share of the variance of one rating that is between items.

    (MSB - MSW) / (MSB + (n_0 - 1) MSW), from one-way analysis of variance, where with unequal
    numbers of ratings n_0 = (n - sum n_i^2 / n) / (items - 1). O(patterns) a draw.

    Parameters
    ----------
    patterns : Patterns
    values : (labels,) array
        The number that each label is.

    References
    ----------
    Shrout and Fleiss (1979), "Intraclass correlations", case 1; Donner (1986), "A review of
    inference procedures for the intraclass correlation coefficient", for unequal numbers.

    Examples
    --------
    >>> from headcount import Labels
    >>> labels = Labels.from_triples([1, 1, 2, 2], ["a", "b", "a", "b"], [1, 2, 4, 4])
    >>> patterns = Patterns.from_labels(labels)
    >>> icc1(patterns, np.array([1.0, 2, 4]))(patterns.multiplicity[None, :].astype(float)).round(3)
    array([0.923])
    """
    n = patterns.ratings
    x = _unit(values)[patterns.label]
    weight = patterns.multiplicity.astype(np.float64)
    x = x - float(weight @ patterns.sums(patterns.count * x)) / float(weight @ n)
    total = patterns.sums(patterns.count * x)
    mean = (total / n)[patterns.group]
    # Within items about their own means: a unanimous item adds exactly nothing.
    alone = np.diff(patterns.start, append=len(patterns.label)) == 1
    inside = np.where(alone, 0.0, patterns.sums(patterns.count * (x - mean) ** 2))

    def found(weight: Floats) -> Floats:
        items, ratings = weight.sum(axis=1), weight @ n
        outside = weight @ (total**2 / n) - ratio((weight @ total) ** 2, ratings)
        msw = ratio(weight @ inside, ratings - items)
        msb = ratio(np.maximum(outside, 0.0), items - 1)
        size = ratio(ratings - ratio(weight @ n**2, ratings), items - 1)
        return ratio(msb - msw, msb + (size - 1) * msw, least=SMALL)

    return found


def icc2k(item: Ints, rater: Ints, number: Floats, *, items: int, raters: int) -> Kernel:
    """Prepare ICC(2,k): how reliable the mean of an item's k ratings is, any raters.

    s^2 / (s^2 + (r^2 + e^2) / k), with variances between items s^2, between raters r^2 and of the
    rest e^2, in the model rating = mean + item + rater + rest, all random.

    Parameters
    ----------
    item, rater : (ratings,) arrays of int
    number : (ratings,) array
        The rating.
    items, raters : int
        How many there are.

    Returns
    -------
    Kernel
        Of (draws, items) weights to (draws,) values. NaN where the variances cannot be told
        apart: one item, one rater, nobody who rated two, or no variance.

    Notes
    -----
    The variances are Henderson's first method: sums of squares by item, by rater and in all are
    set equal to what is expected of them, which is exact for any pattern of missing ratings. With
    complete data the result is Shrout and Fleiss' ICC(2,k). k is the harmonic mean of ratings per
    item, since the error of a mean goes with 1 / r_i. O(ratings) a draw.

    References
    ----------
    Shrout and Fleiss (1979), "Intraclass correlations", case 2; Henderson (1953), "Estimation of
    variance and covariance components", method 1.
    """
    n = np.bincount(item, minlength=items).astype(np.float64)
    x = _unit(number)
    x = x - x.mean()
    item_total = np.bincount(item, weights=x, minlength=items)
    square = np.bincount(item, weights=x**2, minlength=items)
    by_rater = sparse_product(item, rater, np.ones(len(item)), (items, raters))
    sum_by_rater = sparse_product(item, rater, x, (items, raters))
    inverse = np.divide(1.0, n, out=np.zeros(items), where=n > 0)
    rated = (n > 0).astype(np.float64)

    def found(weight: Floats) -> Floats:
        ratings, n_items = weight @ n, weight @ rated
        rater_ratings, rater_total = by_rater(weight), sum_by_rater(weight)
        n_raters = (rater_ratings > 0).sum(axis=1).astype(np.float64)
        everything = weight @ square
        overall = ratio((weight @ item_total) ** 2, ratings)
        of_items = weight @ (item_total**2 * inverse)
        of_raters = np.nan_to_num(ratio(rater_total**2, rater_ratings)).sum(axis=1)
        item_size = ratio(weight @ n**2, ratings)
        rater_size = ratio((rater_ratings**2).sum(axis=1), ratings)
        # Rater and rest within items; item and rest within raters.
        rater_rest = ratio(everything - of_items, ratings - n_items)
        item_rest = ratio(everything - of_raters, ratings - n_raters)
        left = (ratings - item_size) * item_rest + (ratings - rater_size) * rater_rest
        rest = ratio(left - (everything - overall), ratings + 1 - item_size - rater_size)
        of_item = item_rest - rest
        k = ratio(n_items, weight @ inverse)
        return ratio(of_item, of_item + rater_rest / k, least=SMALL)

    return found


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


def icc2k_interval(table: Floats, level: float) -> tuple[float, float] | None:
    """F interval of ICC(2,k) of complete data, an items x raters table.

    None without error variance, or if it would reach below where a mean of k ratings can be.

    McGraw and Wong (1996), "Forming inferences about some intraclass correlation coefficients".
    """
    n, k = table.shape
    table = _unit(table)
    mean = float(table.mean())
    by_item, by_rater = table.mean(axis=1), table.mean(axis=0)
    msb = k * float(((by_item - mean) ** 2).sum()) / (n - 1)
    msj = n * float(((by_rater - mean) ** 2).sum()) / (k - 1)
    rest = table - by_item[:, None] - by_rater[None, :] + mean
    mse = float((rest**2).sum()) / ((n - 1) * (k - 1))
    scale = float(table.var())
    if mse <= SMALL * scale or msb <= SMALL * scale:
        return None
    rho = (msb - mse) / (msb + (k - 1) * mse + k * (msj - mse) / n)
    a = k * rho * msj / mse
    b = n * (1 + (k - 1) * rho) - k * rho
    freedom = (k - 1) * (n - 1) * (a + b) ** 2 / ((n - 1) * a**2 + b**2)
    f, g = F_INTERVAL.factors(n - 1, freedom, level)
    error = k * msj + (k * n - k - n) * mse
    ends = (
        n * (msb - f * mse) / (f * error + n * msb),
        n * (g * msb - mse) / (error + n * g * msb),
    )
    # From one rating to the mean of k, by Spearman and Brown; below this there is no such mean.
    if 1 + (k - 1) * ends[0] <= SMALL:
        return None
    low, top = (k * end / (1 + (k - 1) * end) for end in ends)
    return low, top


def _unit(x: Floats) -> Floats:
    """Scale to a span of 1, so that what is small means the same for all data."""
    low, high = float(x.min()), float(x.max())
    return (x - low) / ((high - low) or 1.0)


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
    from_single = "variances"

    def kernel(self, data: Prepared) -> Kernel:
        """Prepare it on patterns."""
        return icc1(data.patterns, data.numbers)

    def undefined(self, data: Prepared) -> str | None:
        """Say if labels are no numbers, or ratings or items do not differ."""
        if not data.measured:
            return f"it needs numbers, and the scale is {data.scale.name}"
        if data.one_label is not None:
            return data.one_label
        return "there is one item" if len(data.patterns.items) == 1 else None

    def interval(
        self, data: Prepared, value: float, level: float, change: Floats | None = None
    ) -> Estimate | None:
        """Find the F interval, where items have equal numbers of ratings."""
        ends = icc1_interval(data.patterns, value, level)
        return None if ends is None else _estimate(value, ends, level)


class ICC2k(ICC1):
    """ICC(2,k)."""

    name = "icc2k"
    title = "ICC(2,k)"
    chance = "variance of raters and error"
    assumes = (
        "Labels are numbers; raters are a random sample and may be lenient or strict, the same on "
        "all items. Reliability of the mean of an item's ratings, not of one rating."
    )
    by_rater = True

    def kernel(self, data: Prepared) -> Kernel:
        """Prepare it on items."""
        labels = data.labels
        return icc2k(
            labels.item,
            labels.rater,
            data.numbers[labels.label],
            items=len(labels.items),
            raters=len(labels.raters),
        )

    def no_value(self, data: Prepared) -> str:
        """Say that the variances cannot be found."""
        return "the variances of items, raters and error cannot be separated"

    def interval(
        self, data: Prepared, value: float, level: float, change: Floats | None = None
    ) -> Estimate | None:
        """Find the F interval, where everybody rated everything."""
        labels = data.labels
        items, raters = len(labels.items), len(np.unique(labels.rater))
        if len(labels) != items * raters or items < 2 or raters < 2:
            return None
        order = np.lexsort((labels.rater, labels.item))
        table = data.numbers[labels.label[order]].reshape(items, raters)
        ends = icc2k_interval(table, level)
        return None if ends is None else _estimate(value, ends, level)

    def work(self, data: Prepared) -> int:
        """Ratings: each counts for its rater."""
        return len(data.labels)

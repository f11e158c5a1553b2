"""Coefficients of agreement, one class per kind, and the list of all."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from typing import Any

import numpy as np

from headcount import options
from headcount.agreement.estimates import (
    Coefficient,
    OwnCoefficient,
    label_shares,
    observed,
)
from headcount.agreement.icc import ICC1, ICC2, ICC3, ICC1k, ICC2k, ICC3k
from headcount.agreement.prepare import Prepared, part, rated_items
from headcount.agreement.rater_pairs import (
    MOST_LABELS,
    pooled_influence,
    slopes,
)
from headcount.agreement.raters import (
    Constant,
    Guessing,
    Habits,
    Replaced,
    Unreplaced,
    by_item,
    by_rating,
)
from headcount.agreement.ratings import Influence, Patterns
from headcount.agreement.scales import Distance, Linear, Nominal, Quadratic
from headcount.errors import OptionError, option
from headcount.stats.arrays import SMALL, group_sums, ratio, sparse_product
from headcount.stats.estimate import Estimate
from headcount.stats.intervals import DELTA
from headcount.typing import Flags, Floats, Kernel

__all__ = [
    "percent",
    "Percent",
    "fleiss",
    "Fleiss",
    "gwet",
    "AC1",
    "AC2",
    "BrennanPrediger",
    "krippendorff",
    "Alpha",
    "Scott",
    "Cohen",
    "CohenLinear",
    "CohenQuadratic",
    "Conger",
    "CongerQuadratic",
    "PooledKappa",
    "PooledQuadratic",
    "COEFFICIENTS",
    "PREFERRED",
    "recommended",
    "choose",
]


# Percent agreement: the share of pairs of ratings that are equal.

FEW_LABELS = 7
"""Labels of a scale of numbers on which equal ratings are worth counting, at most."""
LONGEST_SHARE = 16
"""Characters that the share of the commonest label may take in a table."""


def percent(patterns: Patterns) -> Kernel:
    """Prepare pairwise percent agreement: the mean over items of the share of agreeing pairs.

    a_o = mean of sum_k r_ik (r_ik - 1) / (r_i (r_i - 1)), over items with r_i >= 2. O(patterns) a
    draw.

    Examples
    --------
    >>> from headcount import Labels
    >>> labels = Labels.from_triples([1, 1, 2, 2], ["a", "b", "a", "b"], ["x", "y", "x", "x"])
    >>> patterns = Patterns.from_labels(labels)
    >>> percent(patterns)(patterns.multiplicity[None, :].astype(float))
    array([0.5])
    """
    apart = observed(patterns, Nominal(np.arange(patterns.n_labels, dtype=np.float64)))
    return lambda weight: 1 - apart(weight)


class Percent(Coefficient):
    """Percent agreement."""

    name = "percent"
    title = "percent agreement"
    chance = "not corrected for chance"
    assumes = (
        "Share of agreeing pairs of ratings, a mean over items. Nothing is taken off for chance, "
        "so it is high where there are few labels or one label is common."
    )
    corrected = False
    recommended = True
    brief = True
    least = 0.0
    nominal = True

    def kernel(self, data: Prepared) -> Kernel:
        """Prepare it on patterns."""
        return percent(data.patterns)

    def influence(self, data: Prepared) -> Influence:
        """Leave out each rater exactly."""
        return by_item(data.ratings, data.nominal, Constant(data.nominal))

    def by_pair(self, data: Prepared, level: float) -> list[Estimate]:
        """Share of the items of every two raters on which they agree."""
        table = data.rater_pairs
        same = np.add.reduceat(table.count * (table.label_a == table.label_b), table.start)
        return [Estimate(float(share)) for share in same / table.shared]

    def differs(self, data: Prepared, value: float, reported: float) -> str:
        """Say that it does not know chance."""
        if data.scale.numeric and len(data.labels.scale) > FEW_LABELS:
            return ""
        if data.scale.tabled:
            return "not corrected for chance; equal or not"
        label, share = data.commonest
        of = f"; {part(share)} are '{label}'"
        return f"not corrected for chance{of if len(of) <= LONGEST_SHARE else ''}"


# Fleiss' kappa, for any number of raters an item.


def fleiss(patterns: Patterns) -> Kernel:
    """Prepare Fleiss' kappa, in Gwet's generalisation to unequal numbers of raters.

    kappa = (p_a - p_e) / (1 - p_e), with p_e the sum of pi_k^2 and pi_k the mean over items of
    r_ik / r_i. O(entries) a draw.

    References
    ----------
    Fleiss (1971), "Measuring nominal scale agreement among many raters"; Gwet (2014), Handbook of
    Inter-Rater Reliability, section 2.
    """
    apart = observed(patterns, Nominal(np.arange(patterns.n_labels, dtype=np.float64)))
    shares = label_shares(patterns)

    def values(weight: Floats) -> Floats:
        pi = shares(weight)
        expected = 1 - (pi**2).sum(axis=1)
        return 1 - ratio(apart(weight), expected, least=SMALL)

    return values


class Fleiss(Coefficient):
    """Fleiss' kappa."""

    name = "fleiss"
    title = "Fleiss' kappa"
    nominal = True
    chance = "label frequencies of all raters"
    assumes = (
        "Raters are interchangeable and labels have no order; chance is two labels drawn as often "
        "as they occur, each item weighing the same. Low where one label is common."
    )

    def kernel(self, data: Prepared) -> Kernel:
        """Prepare it on patterns."""
        return fleiss(data.patterns)

    def undefined(self, data: Prepared) -> str | None:
        """Say if all ratings are the same."""
        return data.one_label

    def influence(self, data: Prepared) -> Influence:
        """Leave out each rater exactly."""
        return by_item(data.ratings, data.nominal, Replaced(data.nominal))


# Gwet's AC1 and AC2: chance agreement only where raters guess.

GWET_APART = 0.1
"""Difference from the reported coefficient from which on it says something else."""


def gwet(patterns: Patterns, distance: Distance) -> Kernel:
    """Prepare Gwet's AC2; AC1 with the nominal distance.

    AC2 = (p_a - p_e) / (1 - p_e), with weights w = 1 - d, p_a the mean weight of two ratings of
    an item, and p_e = T / (q (q - 1)) sum of pi_k (1 - pi_k), where T is the sum of all weights
    and q the number of labels of the scale, used or not. O(entries) a draw.

    References
    ----------
    Gwet (2008), "Computing inter-rater reliability and its variance in the presence of high
    agreement"; Gwet (2014), Handbook of Inter-Rater Reliability.
    """
    apart = observed(patterns, distance)
    shares = label_shares(patterns)
    factor = _chance_factor(distance)

    def values(weight: Floats) -> Floats:
        pi = shares(weight)
        expected = factor * (pi * (1 - pi)).sum(axis=1)
        return 1 - ratio(apart(weight), 1 - expected, least=SMALL)

    return values


def _chance_factor(distance: Distance) -> float:
    """T / (q (q - 1)); NaN for a scale of one label, on which nothing is left to chance."""
    q = len(distance.values)
    if q < 2:
        return float("nan")
    ones = np.ones(q)
    far = distance.spread(np.arange(q), ones, np.zeros(1, dtype=np.intp)).sum()
    return float(q * q - far) / (q * (q - 1))


class AC1(Coefficient):
    """Gwet's AC1."""

    name = "ac1"
    title = "Gwet's AC1"
    nominal = True
    chance = "guessing on hard items"
    assumes = (
        "Raters are interchangeable and labels have no order; chance is a guess among all labels "
        "of the scale, which is rarer the more one label prevails. Stays high where one label is "
        "common, and depends on the number of labels."
    )

    def kernel(self, data: Prepared) -> Kernel:
        """Prepare it on patterns."""
        return gwet(data.patterns, self.distance(data))

    def distance(self, data: Prepared) -> Distance:
        """Distance of labels: whether they differ."""
        return data.nominal

    def undefined(self, data: Prepared) -> str | None:
        """Say if the scale has one label."""
        return data.single_label

    def differs(self, data: Prepared, value: float, reported: float) -> str:
        """Say that it stays high where one label is common."""
        if (
            self.nominal == (data.scale.ordered or data.scale.tabled)
            or abs(value - reported) < GWET_APART
        ):
            return ""
        if not self.nominal:
            return "less affected by skewed labels"
        return "less affected by a dominant label"

    def influence(self, data: Prepared) -> Influence:
        """Leave out each rater exactly."""
        distance = self.distance(data)
        chance = Guessing(data.nominal, _chance_factor(distance))
        return by_item(data.ratings, distance, chance)


class AC2(AC1):
    """Gwet's AC2."""

    name = "ac2"
    title = "Gwet's AC2"
    nominal = False
    assumes = (
        "As AC1, with part credit for near labels: by ranks on ordinal, squared differences on "
        "interval, squared ratios on ratio scales. On a nominal scale it is AC1."
    )

    def distance(self, data: Prepared) -> Distance:
        """Distance of labels on their scale."""
        return data.graded


class BrennanPrediger(Coefficient):
    """Brennan and Prediger's kappa; with two labels, PABAK.

    kappa = (p_a - 1 / q) / (1 - 1 / q), with q the number of labels of the scale, used or not.

    References
    ----------
    Brennan and Prediger (1981), "Coefficient kappa: some uses, misuses, and alternatives"; Byrt,
    Bishop and Carlin (1993), "Bias, prevalence and kappa", for two labels and two raters.
    """

    name = "brennan_prediger"
    title = "Brennan-Prediger (PABAK)"
    nominal = True
    chance = "all labels alike"
    assumes = (
        "Raters are interchangeable and labels have no order; a rater who guesses picks any label "
        "of the scale with the same probability. Depends on the number of labels."
    )

    def kernel(self, data: Prepared) -> Kernel:
        """Prepare it on patterns."""
        agreed, by_chance = percent(data.patterns), 1 / len(data.labels.scale)
        return lambda weight: (agreed(weight) - by_chance) / (1 - by_chance)

    def undefined(self, data: Prepared) -> str | None:
        """Say if the scale has one label."""
        return data.single_label

    def influence(self, data: Prepared) -> Influence:
        """Leave out each rater exactly."""
        even = Constant(data.nominal, value=1 - 1 / len(data.labels.scale))
        return by_item(data.ratings, data.nominal, even)


# Krippendorff's alpha from label patterns, for four kinds of scale.


def krippendorff(patterns: Patterns, distance: Distance) -> Kernel:
    """Prepare Krippendorff's alpha with a distance that the data do not change.

    alpha = 1 - D_o / D_e, over ratings of items with two or more:
    D_o = sum_i 1 / (r_i - 1) sum_kl r_ik r_il d(k, l) / n and
    D_e = sum_kl n_k n_l d(k, l) / (n (n - 1)).

    Parameters
    ----------
    patterns : Patterns
    distance : Distance
        Nominal, quadratic (the interval metric) or ratio.

    Returns
    -------
    Kernel
        Of (draws, patterns) weights to (draws,) values; NaN where D_e is 0.

    Notes
    -----
    Each rating weighs the same, so an item counts by its ratings. Nominal: O(entries) a draw.
    Interval: three moments a pattern, O(patterns) a draw, whatever the number of values. Ratio:
    O(labels squared) a draw, in slices: memory stays linear.

    References
    ----------
    Krippendorff (2011), "Computing Krippendorff's alpha-reliability".

    Examples
    --------
    >>> from headcount import Labels
    >>> from headcount.agreement.scales import Quadratic
    >>> labels = Labels.from_triples([1, 1, 2, 2], ["a", "b", "a", "b"], [1, 2, 4, 4])
    >>> patterns = Patterns.from_labels(labels)
    >>> interval = Quadratic(np.array([1.0, 2.0, 4.0]))
    >>> krippendorff(patterns, interval)(patterns.multiplicity[None, :].astype(float)).round(3)
    array([0.889])
    """
    n = patterns.ratings
    usable = patterns.usable
    spread = distance.spread(patterns.label, patterns.count, patterns.start)
    within = np.where(usable, patterns.sums(patterns.count * spread) / np.maximum(n - 1, 1), 0.0)
    expected = _moments(patterns, distance) if distance.squared else None
    totals = patterns.totals(patterns.count * usable[patterns.group])
    paired = n * usable
    one_group = np.zeros(1, dtype=np.intp)
    label = np.arange(patterns.n_labels)

    def values(weight: Floats) -> Floats:
        ratings = weight @ paired
        if expected is not None:
            far = expected(weight)
        else:
            counts = totals(weight)
            far = (counts * distance.spread(label, counts, one_group)).sum(axis=1)
        mean = ratio(far, ratings * (ratings - 1))
        return 1 - ratio(ratio(weight @ within, ratings), mean, least=SMALL)

    return values


def _moments(patterns: Patterns, distance: Distance) -> Kernel:
    """Sum of squared differences of all pairs of ratings, from n, the sum and the squares."""
    usable = patterns.usable
    x = distance.unit_values[patterns.label]
    weight = patterns.multiplicity * usable
    # About the mean of the data, near which the mean of a draw lies, so that little cancels.
    n = max(float(weight @ patterns.ratings), 1.0)
    x = x - float(weight @ patterns.sums(patterns.count * x)) / n
    moments = np.stack([patterns.sums(patterns.count * x**power) for power in range(3)]) * usable

    def values(weight: Floats) -> Floats:
        n, first, second = weight @ moments[0], weight @ moments[1], weight @ moments[2]
        return 2 * (n * second - first**2)

    return values


def krippendorff_ranks(patterns: Patterns) -> Kernel:
    """Prepare Krippendorff's alpha with the ordinal metric, which the data themselves set.

    d(k, l) = (n_k / 2 + n_(k+1) + ... + n_(l-1) + n_l / 2)^2: the squared distance of mid-ranks
    among the ratings of the same draw. O(entries) a draw.

    References
    ----------
    Krippendorff (2011), "Computing Krippendorff's alpha-reliability".
    """
    usable = patterns.usable
    n = patterns.ratings
    count = patterns.count * usable[patterns.group]
    totals = patterns.totals(count)
    by_pattern = sparse_product(
        patterns.label, patterns.group, count, (patterns.n_labels, len(patterns))
    )
    factor = np.where(usable, 2 / np.maximum(n - 1, 1), 0.0)
    # A pattern of one label is at no distance; mid-ranks may leave it a rounding error.
    factor = factor * (np.diff(patterns.start, append=len(patterns.label)) > 1)

    def values(weight: Floats) -> Floats:
        counts = totals(weight)
        ratings = counts.sum(axis=1)
        rank = (np.cumsum(counts, axis=1) - counts / 2) / np.maximum(ratings, 1)[:, None] - 0.5
        first, second = (counts * rank).sum(axis=1), (counts * rank**2).sum(axis=1)
        mean = ratio(2 * (ratings * second - first**2), ratings * (ratings - 1))
        squares = n * by_pattern(rank**2) - by_pattern(rank) ** 2
        observed = ((weight * factor) * squares).sum(axis=1)
        return 1 - ratio(ratio(observed, ratings), mean, least=SMALL)

    return values


MOST_COUNTED = 10**7
"""Cells of a table of labels by items, or by labels, from which alpha is found, at most."""


class Alpha(Coefficient):
    """Krippendorff's alpha."""

    name = "alpha"
    title = "Krippendorff's alpha"
    chance = "label frequencies of all raters"
    assumes = (
        "Raters are interchangeable; chance is any two of all ratings, without replacement. "
        "Disagreement counts by the distance of the scale, and an item by its number of ratings."
    )
    recommended = True

    def kernel(self, data: Prepared) -> Kernel:
        """Prepare it on patterns; on an ordinal scale, by ranks among the ratings drawn."""
        if data.scale.ranked:
            return krippendorff_ranks(data.patterns)
        return krippendorff(data.patterns, data.graded)

    def value(self, data: Prepared) -> float:
        """Find its value; without patterns, which take longer, where items or labels are few."""
        labels, q = data.labels, len(data.labels.scale)
        if labels.reduced or q * max(q, len(labels.items)) > MOST_COUNTED:
            return super().value(data)
        counts = labels.matrix().astype(np.float64)
        n = counts.sum(axis=1)
        totals = (n > 1) @ counts
        ranks = np.cumsum(totals) - totals / 2
        distance = Quadratic(ranks) if data.scale.ranked else data.graded
        far = distance.between(np.arange(q)[:, None], np.arange(q))
        # Of an item with a single rating there is no distance.
        within = ((counts @ far) * counts).sum(axis=1) @ (1 / np.maximum(n - 1, 1))
        expected, ratings = float(totals @ far @ totals), float(totals.sum())
        if not expected > SMALL * ratings * (ratings - 1):
            return float("nan")
        return float(1 - within * (ratings - 1) / expected)

    def undefined(self, data: Prepared) -> str | None:
        """Say if all ratings that can be compared are the same."""
        return data.one_paired_label

    def interval(self, data: Prepared, value: float, level: float) -> Estimate:
        """Find irrCAC's interval, which draws labels with replacement and leaves single ratings."""
        paired, several = data, data.ratings.n > 1
        if not several.all():
            paired = replace(data, labels=rated_items(data.labels.only(several)))
        distance = self.distance(paired)
        influence = by_rating(paired.ratings, distance, Replaced(distance))
        return self.linearised(paired, influence, value, level)

    def distance(self, data: Prepared) -> Distance:
        """Distance of labels on their scale; on an ordinal scale, of ranks among all ratings."""
        return Quadratic(_mid_ranks(data.patterns)) if data.scale.ranked else data.graded

    def influence(self, data: Prepared) -> Influence:
        """Leave out each rater exactly; on an ordinal scale ranks are those among all ratings."""
        distance = self.distance(data)
        return by_rating(data.ratings, distance, Unreplaced(distance))


def _mid_ranks(patterns: Patterns) -> Floats:
    """Mid-rank of each label among the ratings of items with two or more: (labels,)."""
    usable = patterns.usable * patterns.multiplicity
    counts = group_sums(patterns.label, patterns.count * usable[patterns.group], patterns.n_labels)
    return np.cumsum(counts) - counts / 2


# Means over pairs of raters, each on the items that both rated.

MOST_ROWS = 10**9
"""Pairs of ratings that are gone through at most."""
MOST_KEYS = 2**62
"""Cells, of pairs of raters and of labels, that a number of 64 bits can tell apart."""
FEW_SHARED = 20
"""Items that pairs of raters should share for a mean of their kappas to say much: with fewer, it
comes out low by .02 and more."""


class PairMean(Coefficient):
    """The mean over pairs of raters of a kappa of two.

    Attributes
    ----------
    pooled : bool
        Whether chance is from the labels of both raters together, not from each rater's own.
    """

    by_rater = True
    over_pairs = True
    slow = True
    nominal: bool = True
    pooled: bool = False

    def distance(self, data: Prepared) -> Distance:
        """Distance of labels: whether they differ, or by a table of distances."""
        return data.unordered

    def value(self, data: Prepared) -> float:
        """Find the mean over the pairs that have one."""
        each = slopes(data.rater_pairs, self.distance(data), pooled=self.pooled)[0]
        defined = each[~np.isnan(each)]
        return float(defined.mean()) if len(defined) else float("nan")

    def undefined(self, data: Prepared) -> str | None:
        """Say if nobody knows who rated, there are too many pairs, or ratings are all the same."""
        return data.nameless or too_many_pairs(data) or data.one_paired_label

    def no_value(self, data: Prepared) -> str:
        """Say what all pairs lack."""
        if data.rater_pairs.shared.max() < 2:
            return "no two raters share more than one item"
        return "each pair of raters gave one label only to the items that both rated"

    def influence(self, data: Prepared) -> Influence:
        """Find how it changes with each item; what raters add is not known."""
        kappa, slope = slopes(data.rater_pairs, self.distance(data), pooled=self.pooled)
        pairs = max(int((~np.isnan(kappa)).sum()), 1)
        none = np.zeros(0)
        change = data.rater_pairs.by_item(slope / pairs)
        return Influence(value=self.value(data), items=change, ratings=none, without=none)

    def interval(self, data: Prepared, value: float, level: float) -> Estimate:
        """Find a normal interval by the delta method over items.

        For two raters it is that of Fleiss, Cohen and Everitt (1969).
        """
        squares = self.influence(data).item_squares
        return _normal(value, float(np.sqrt(squares)), data.items_used, level)

    def by_pair(self, data: Prepared, level: float) -> list[Estimate]:
        """Find the kappa of every two raters, with normal intervals."""
        table = data.rater_pairs
        value, slope = slopes(table, self.distance(data), pooled=self.pooled)
        error = np.sqrt(np.add.reduceat(table.count * slope**2, table.start))
        return [
            Estimate(float("nan"), undefined=_why(data, int(items), int(table.label_a[cell])))
            if np.isnan(x)
            else _normal(float(x), float(e), int(items), level)
            for x, e, items, cell in zip(value, error, table.shared, table.start, strict=True)
        ]

    def bare(self, data: Prepared) -> bool:
        """Several pairs that share few items: no interval would hold."""
        table = data.rater_pairs
        return len(table) > 1 and float(np.median(table.shared)) < FEW_SHARED


def too_many_pairs(data: Prepared) -> str | None:
    """Say if pairs of ratings are too many to go through."""
    q, raters = len(data.labels.scale), len(data.labels.raters)
    if data.pairs_of_ratings > MOST_ROWS or q * q * raters * raters > MOST_KEYS:
        return f"{data.pairs_of_ratings:,} pairs of ratings are too many to go through"
    return None


def _normal(value: float, error: float, items: int, level: float) -> Estimate:
    return Estimate.from_error(value, error, level=level, method=DELTA, n=items, limits=(-1.0, 1.0))


def _why(data: Prepared, items: int, label: int) -> str:
    if items < 2:
        return "they share a single item"
    return f"every rating is '{data.labels.scale.labels[label]}' on the items that both rated"


# Scott's pi, as a mean over pairs of raters.


class Scott(PairMean):
    """Scott's pi.

    References
    ----------
    Scott (1955), "Reliability of content analysis: the case of nominal scale coding".
    """

    name = "scott"
    title = "Scott's pi"
    chance = "label frequencies of both raters"
    assumes = (
        "Mean over pairs of raters, each on the items that both rated; the two are taken to use "
        "labels equally often."
    )
    brief = True
    pooled = True


# What linear and quadratic weights have in common, whichever kappa they are of.


class LinearWeights(Coefficient):
    """A disagreement counts by the difference of labels, or of their places."""

    nominal = False
    brief = False
    assumes = (
        "As without weights; a disagreement counts by the difference of labels, or of their places "
        "on an ordinal scale."
    )

    def distance(self, data: Prepared) -> Distance:
        """Difference of what labels are worth."""
        return Linear(data.numbers)

    def undefined(self, data: Prepared) -> str | None:
        """Say if labels have no order."""
        if not data.ordered:
            return "labels have no order"
        return super().undefined(data)


class QuadraticWeights(LinearWeights):
    """A disagreement counts by the squared difference of labels, or of their places."""

    assumes = (
        "As without weights; a disagreement counts by the squared difference of labels, or of "
        "their places on an ordinal scale."
    )

    def distance(self, data: Prepared) -> Distance:
        """Squared difference of what labels are worth."""
        return Quadratic(data.numbers)


# Cohen's kappa, plain and weighted, as a mean over pairs of raters.


class Cohen(PairMean):
    """Cohen's kappa.

    References
    ----------
    Cohen (1960), "A coefficient of agreement for nominal scales"; Light (1971), "Measures of
    response agreement for qualitative data", for the mean over pairs.
    """

    name = "cohen"
    title = "Cohen's kappa"
    chance = "label frequencies of each rater"
    assumes = (
        "Mean over pairs of raters, each on the items that both rated; each rater has a habit of "
        "their own, and agreement that habits explain is chance. Says little where pairs share "
        "few items."
    )
    brief = True

    def differs(self, data: Prepared, value: float, reported: float) -> str:
        """Say that it is of two; the quadratic one on a scale with an order."""
        if data.panel.raters != 2 or data.too_fine is not None:
            return ""
        usual = self.distance(data).squared if data.scale.ordered else self.nominal
        return "the usual one for two raters" if usual else ""


class CohenLinear(LinearWeights, Cohen):
    """Cohen's kappa with linear weights (Cohen 1968)."""

    name = "cohen_linear"
    title = "Cohen's kappa (linear)"


class CohenQuadratic(QuadraticWeights, Cohen):
    """Cohen's kappa with quadratic weights (Cohen 1968)."""

    name = "cohen_quadratic"
    title = "Cohen's kappa (quadratic)"


# Kappas of all raters together, plain and weighted: Conger's, and one pooled over pairs.

CONGER_APART = 0.03
"""Difference from the reported coefficient from which on it says something else."""


class Conger(Coefficient):
    """Conger's kappa.

    Agreement is that of Fleiss' kappa; chance agreement is the mean over pairs of raters of that of
    two labels, each drawn from all labels of one rater. Where ratings are missing it is Gwet's
    (2014); of two raters who rated everything it is Cohen's kappa.

    References
    ----------
    Conger (1980), "Integration and generalization of kappas for multiple raters".
    """

    name = "conger"
    title = "Conger's kappa"
    chance = "label frequencies of each rater"
    assumes = (
        "Cohen's kappa for any number of raters: each has a habit of their own, and agreement that "
        "habits explain is chance. Every item weighs the same."
    )
    by_rater = True
    nominal = True

    def distance(self, data: Prepared) -> Distance:
        """Distance of labels: whether they differ, or by a table of distances."""
        return data.unordered

    def value(self, data: Prepared) -> float:
        """Find its value."""
        return self.influence(data).value

    def undefined(self, data: Prepared) -> str | None:
        """Say if nobody knows who rated, or all ratings are the same."""
        return data.nameless or data.one_paired_label

    def differs(self, data: Prepared, value: float, reported: float) -> str:
        """Say that it forgives habits."""
        if self.distance(data).squared != data.scale.ordered or value - reported < CONGER_APART:
            return ""
        return "each rater has their own label frequencies"

    def influence(self, data: Prepared) -> Influence:
        """Leave out each rater exactly."""
        distance = self.distance(data)
        return by_item(data.ratings, distance, Habits(distance))


class CongerLinear(LinearWeights, Conger):
    """Conger's kappa with linear weights."""

    name = "conger_linear"
    title = "Conger's kappa (linear)"


class CongerQuadratic(QuadraticWeights, Conger):
    """Conger's kappa with quadratic weights."""

    name = "conger_quadratic"
    title = "Conger's kappa (quadratic)"


class PooledKappa(Conger):
    """Cohen's kappa, pooled over pairs of raters: on the items that two share, without bias."""

    name = "pooled_kappa"
    title = "pooled Cohen's kappa"
    assumes = (
        "Cohen's kappa for any number of raters, of whom two may share few items: disagreement, "
        "and the disagreement expected from raters' habits, are added up over pairs of raters "
        "before they are divided."
    )
    slow = True

    def undefined(self, data: Prepared) -> str | None:
        """Say if nobody knows who rated, there is too much of it, or all ratings are the same."""
        if len(data.labels.scale) > MOST_LABELS and not self.distance(data).squared:
            return f"{len(data.labels.scale):,} labels are too many for a table of distances"
        return super().undefined(data) or too_many_pairs(data)

    def differs(self, data: Prepared, value: float, reported: float) -> str:
        """Leave that to Conger's."""
        return ""

    def influence(self, data: Prepared) -> Influence:
        """Leave out each rater exactly."""
        return pooled_influence(data.ratings, data.rater_pairs, self.distance(data))

    def influence_of(self, data: Prepared, pairs: Flags) -> Influence:
        """Do the same for some pairs of raters only."""
        return pooled_influence(data.ratings, data.rater_pairs, self.distance(data), among=pairs)


class PooledQuadratic(QuadraticWeights, PooledKappa):
    """The same with quadratic weights."""

    name = "pooled_quadratic"
    title = "pooled Cohen's kappa (quadratic)"


# All coefficients, in the order in which they are shown, and how a caller chooses among them.

_ALL: tuple[Coefficient, ...] = (
    Percent(),
    Alpha(),
    Fleiss(),
    AC1(),
    AC2(),
    BrennanPrediger(),
    Scott(),
    Cohen(),
    CohenLinear(),
    CohenQuadratic(),
    Conger(),
    CongerLinear(),
    CongerQuadratic(),
    PooledKappa(),
    PooledQuadratic(),
    ICC1(),
    ICC1k(),
    ICC2(),
    ICC2k(),
    ICC3(),
    ICC3k(),
)
COEFFICIENTS: dict[str, Coefficient] = {kind.name: kind for kind in _ALL}
"""By name, in the order in which they are shown."""
PREFERRED = next(kind for kind in _ALL if kind.recommended and kind.corrected)
"""What to use where another coefficient says little."""


def recommended() -> tuple[Coefficient, ...]:
    """Return those to report first."""
    return tuple(kind for kind in _ALL if kind.recommended)


def choose(coefficients: Any, *, reserved: Iterable[str] = ()) -> tuple[Coefficient, ...]:
    """Find the coefficients that a caller asks for.

    Parameters
    ----------
    coefficients : name, coefficient, function, or several of them; or None
        None: all of ours.
    reserved : iterable of str
        Names that the caller's own may not have.

    Returns
    -------
    tuple of Coefficient
        Each once: ours in their usual order, then the caller's own.

    Examples
    --------
    >>> [one.name for one in choose(["cohen", "alpha"])]
    ['alpha', 'cohen']
    """
    if coefficients is None:
        return _ALL
    names: list[str] = []
    own: dict[str, Coefficient] = {}
    wanted = _listed(coefficients)
    if not wanted:
        raise OptionError(
            f"{option('coefficients')} is empty: name some of {', '.join(COEFFICIENTS)}, or leave "
            "it out."
        )
    for entry in wanted:
        if isinstance(entry, str):
            names.append(options.one_of(entry, "coefficients", list(COEFFICIENTS), "coefficient"))
            continue
        kind = _own(entry)
        if own.setdefault(kind.name, kind) is not kind or kind.name in (*COEFFICIENTS, *reserved):
            raise OptionError(
                f"{option('coefficients')}: something else is called '{kind.name}' already; give "
                "your coefficient another name."
            )
    ours = [kind for name, kind in COEFFICIENTS.items() if name in names]
    return (*ours, *own.values())


def _listed(coefficients: Any) -> list[Any]:
    """Make a list of one or several."""
    if isinstance(coefficients, str) or callable(coefficients) or hasattr(coefficients, "name"):
        return [coefficients]
    try:
        return list(coefficients)
    except TypeError:
        raise OptionError(
            f"{option('coefficients')} must be names among {', '.join(COEFFICIENTS)}, or "
            f"functions or coefficients of your own, not {coefficients!r}."
        ) from None


def _own(entry: Any) -> Coefficient:
    """Take a caller's own: a coefficient, a function of a table, or an object that has one."""
    if isinstance(entry, Coefficient):
        return entry
    value = getattr(entry, "value", entry)
    name = getattr(entry, "name", getattr(entry, "__name__", None))
    if isinstance(entry, type) or not callable(value) or not isinstance(name, str):
        raise OptionError(
            f"{option('coefficients')} takes names, functions of an (items, labels) table of "
            f"counts, and objects with a name and such a function, value; not {entry!r}."
        )
    if not name.strip() or name == "<lambda>":
        raise OptionError(
            f"{option('coefficients')}: a coefficient of your own needs a name. Write it as a "
            "function with one (def), or give it an attribute 'name'."
        )
    return OwnCoefficient(
        value,
        name=name,
        title=getattr(entry, "title", ""),
        chance=getattr(entry, "chance", ""),
        assumes=getattr(entry, "assumes", ""),
        corrected=bool(getattr(entry, "corrected", False)),
    )

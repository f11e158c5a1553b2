"""Krippendorff's alpha from label patterns, for four kinds of scale."""

from __future__ import annotations

import numpy as np

from headcount.agreement.coefficients.base import Coefficient
from headcount.agreement.patterns import Patterns
from headcount.agreement.prepare import Prepared
from headcount.agreement.raters.disagreement import Unreplaced, by_rating
from headcount.agreement.raters.influence import Influence
from headcount.agreement.scales.distances import Distance, Quadratic
from headcount.stats.grouping import group_sums
from headcount.stats.ratio import SMALL, ratio
from headcount.stats.sparse import sparse_product
from headcount.typing import Floats, Kernel

__all__ = ["Alpha", "krippendorff", "krippendorff_ranks"]


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
    >>> from headcount.agreement.scales.distances import Quadratic
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
            given = totals(weight)
            far = (given * distance.spread(label, given, one_group)).sum(axis=1)
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
        given = totals(weight)
        ratings = given.sum(axis=1)
        rank = (np.cumsum(given, axis=1) - given / 2) / np.maximum(ratings, 1)[:, None] - 0.5
        first, second = (given * rank).sum(axis=1), (given * rank**2).sum(axis=1)
        mean = ratio(2 * (ratings * second - first**2), ratings * (ratings - 1))
        squares = n * by_pattern(rank**2) - by_pattern(rank) ** 2
        observed = ((weight * factor) * squares).sum(axis=1)
        return 1 - ratio(ratio(observed, ratings), mean, least=SMALL)

    return values


class Alpha(Coefficient):
    """Krippendorff's alpha."""

    name = "alpha"
    title = "Krippendorff's alpha"
    symbol = "alpha"
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

    def undefined(self, data: Prepared) -> str | None:
        """Say if all ratings that can be compared are the same."""
        return data.one_paired_label

    def why(self, data: Prepared) -> str:
        """Say that it fits every scale and design."""
        missing = "missing ratings" if data.incomplete else "any number of raters"
        return f"it allows for chance and {missing}, and {data.scale.counts}"

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
    given = group_sums(patterns.label, patterns.count * usable[patterns.group], patterns.n_labels)
    return np.cumsum(given) - given / 2

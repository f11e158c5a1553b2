"""What percent agreement, Fleiss' kappa and Gwet's coefficients share: every item weighs the same.

Each is one minus observed over expected disagreement. The observed part is over items with two
ratings or more, the expected part over all rated items: an item with one rating tells nothing of
agreement, but does of how common labels are. That is Gwet's generalisation to unequal numbers of
raters; with equal numbers it is Fleiss' own formula.
"""

from __future__ import annotations

import numpy as np

from headcount.agreement.patterns import Patterns
from headcount.agreement.scales.distances import Distance
from headcount.stats.estimate import Estimate
from headcount.stats.intervals.from_error import LINEARISED
from headcount.stats.ratio import ratio
from headcount.typing import Floats, Kernel

__all__ = ["item_disagreement", "label_shares", "linearised", "mean_shares", "observed"]


def item_disagreement(patterns: Patterns, distance: Distance) -> Floats:
    """Mean distance of two ratings of an item, for each pattern; 0 where there are no two.

    d_i = sum_kl r_ik r_il d(k, l) / (r_i (r_i - 1)).
    """
    spread = distance.spread(patterns.label, patterns.count, patterns.start)
    n = patterns.ratings
    return patterns.sums(patterns.count * spread) / np.maximum(n * (n - 1), 1)


def observed(patterns: Patterns, distance: Distance) -> Kernel:
    """Prepare the mean distance of two ratings of an item; NaN where no item with two was drawn."""
    usable = patterns.usable.astype(np.float64)
    disagreement = item_disagreement(patterns, distance) * usable
    return lambda weight: ratio(weight @ disagreement, weight @ usable)


def label_shares(patterns: Patterns) -> Kernel:
    """Prepare the mean over items of the share of each label: (draws, labels)."""
    totals = patterns.totals(patterns.count / patterns.ratings[patterns.group])
    return lambda weight: totals(weight) / weight.sum(axis=1, keepdims=True)


def mean_shares(patterns: Patterns) -> Floats:
    """Mean over the items of the data of the share of each label: (labels,)."""
    return label_shares(patterns)(patterns.multiplicity[None, :].astype(np.float64))[0]


def linearised(
    patterns: Patterns,
    distance: Distance,
    slope: Floats,
    *,
    value: float,
    level: float,
    low: float = -1.0,
) -> Estimate:
    """Find Student's interval from the linearised variance over items.

    Parameters
    ----------
    patterns : Patterns
    distance : Distance
    slope : (labels,) array
        How chance agreement changes with the share of each label, dp_e / dpi_k / 2.
    value : float
        The coefficient.
    level : float
    low : float
        Where the interval is cut.

    Notes
    -----
    v = sum of (k_i - k)^2 / (n (n - 1)), where the k_i are the items' parts of the coefficient to
    first order: k_i = (n / n') (p_a,i - p_e) / (1 - p_e) - 2 (1 - k) (p_e,i - p_e) / (1 - p_e),
    with n' items of two ratings or more and p_e,i = sum_k r_ik / r_i dp_e / dpi_k / 2. Gwet
    (2008, 2014); it is the infinitesimal jackknife over items. O(entries).
    """
    weight = patterns.multiplicity.astype(np.float64)
    n = float(weight.sum())
    usable = patterns.usable
    pairs = float(weight[usable].sum())
    agree = np.where(usable, 1 - item_disagreement(patterns, distance), 0.0)
    p_a = float(weight @ agree) / pairs
    p_e = float(mean_shares(patterns) @ slope)
    own = patterns.sums(patterns.count * slope[patterns.label]) / patterns.ratings
    k = (p_a - p_e) / (1 - p_e)
    parts = np.where(usable, n / pairs * (agree - p_e), 0.0) / (1 - p_e)
    parts -= 2 * (1 - k) * (own - p_e) / (1 - p_e)
    variance = float(weight @ (parts - k) ** 2) / (n * max(n - 1, 1))
    error = float(np.sqrt(variance))
    return Estimate.from_error(
        value, error, level=level, method=LINEARISED, n=int(n), limits=(low, 1.0)
    )

"""Percent agreement, Fleiss' kappa and Gwet's AC1 and AC2, from label patterns.

Each is one minus observed over expected disagreement, in which every item weighs the same. The
observed part is over items with two ratings or more, the expected part over all rated items: an
item with one rating tells nothing of agreement, but does of how common labels are. That is Gwet's
generalisation to unequal numbers of raters; with equal numbers it is Fleiss' own formula.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from headcount.agreement.coefficients.distances import Distance
from headcount.agreement.coefficients.patterns import Patterns
from headcount.stats.ratio import SMALL, ratio
from headcount.typing import Floats, Kernel

__all__ = ["Linearised", "fleiss", "gwet", "item_disagreement", "linearised", "percent"]


def item_disagreement(patterns: Patterns, distance: Distance) -> Floats:
    """Mean distance of two ratings of an item, for each pattern; 0 where there are no two.

    d_i = sum_kl r_ik r_il d(k, l) / (r_i (r_i - 1)).
    """
    spread = distance.spread(patterns.label, patterns.count, patterns.start)
    n = patterns.ratings
    return patterns.sums(patterns.count * spread) / np.maximum(n * (n - 1), 1)


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
    nominal = Distance("nominal", np.arange(patterns.n_labels, dtype=np.float64))
    observed = _observed(patterns, nominal)
    return lambda weight: 1 - observed(weight)


def fleiss(patterns: Patterns) -> Kernel:
    """Prepare Fleiss' kappa, in Gwet's generalisation to unequal numbers of raters.

    kappa = (p_a - p_e) / (1 - p_e), with p_e the sum of pi_k^2 and pi_k the mean over items of
    r_ik / r_i. O(entries) a draw.

    References
    ----------
    Fleiss (1971), "Measuring nominal scale agreement among many raters"; Gwet (2014), Handbook of
    Inter-Rater Reliability, section 2.
    """
    observed = _observed(
        patterns, Distance("nominal", np.arange(patterns.n_labels, dtype=np.float64))
    )
    shares = _shares(patterns)

    def values(weight: Floats) -> Floats:
        pi = shares(weight)
        expected = 1 - (pi**2).sum(axis=1)
        return 1 - ratio(observed(weight), expected, least=SMALL)

    return values


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
    observed = _observed(patterns, distance)
    shares = _shares(patterns)
    factor = _chance_factor(distance)

    def values(weight: Floats) -> Floats:
        pi = shares(weight)
        expected = factor * (pi * (1 - pi)).sum(axis=1)
        return 1 - ratio(observed(weight), 1 - expected, least=SMALL)

    return values


@dataclass(frozen=True)
class Linearised:
    """A standard error and the number of items that it is from."""

    error: float
    items: int


def linearised(patterns: Patterns, name: str, distance: Distance) -> Linearised:
    """Find the standard error of percent agreement, Fleiss' kappa or AC1/AC2 over items.

    Parameters
    ----------
    patterns : Patterns
    name : {"percent", "fleiss", "gwet"}
    distance : Distance
        Nominal for the first two.

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
    pi = _shares(patterns)(weight[None, :])[0]
    if name == "percent":
        slope = np.zeros(len(pi))
    elif name == "fleiss":
        slope = pi
    else:
        slope = _chance_factor(distance) * (1 - pi)
    p_e = float(pi @ slope)
    own = patterns.sums(patterns.count * slope[patterns.label]) / patterns.ratings
    value = (p_a - p_e) / (1 - p_e)
    parts = np.where(usable, n / pairs * (agree - p_e), 0.0) / (1 - p_e)
    parts -= 2 * (1 - value) * (own - p_e) / (1 - p_e)
    variance = float(weight @ (parts - value) ** 2) / (n * max(n - 1, 1))
    return Linearised(float(np.sqrt(variance)), int(n))


def _observed(patterns: Patterns, distance: Distance) -> Kernel:
    """Mean distance of two ratings of an item; NaN where no item with two was drawn."""
    usable = patterns.usable.astype(np.float64)
    disagreement = item_disagreement(patterns, distance) * usable
    return lambda weight: ratio(weight @ disagreement, weight @ usable)


def _shares(patterns: Patterns) -> Kernel:
    """Mean over items of the share of each label: (draws, labels)."""
    totals = patterns.totals(patterns.count / patterns.ratings[patterns.group])
    return lambda weight: totals(weight) / weight.sum(axis=1, keepdims=True)


def _chance_factor(distance: Distance) -> float:
    """T / (q (q - 1)); NaN for a scale of one label, on which nothing is left to chance."""
    q = len(distance.values)
    if q < 2:
        return float("nan")
    ones = np.ones(q)
    far = distance.spread(np.arange(q), ones, np.zeros(1, dtype=np.intp)).sum()
    return float(q * q - far) / (q * (q - 1))

"""Gwet's AC1 and AC2: chance agreement only where raters guess."""

from __future__ import annotations

import numpy as np

from headcount.agreement.coefficients.base import Coefficient
from headcount.agreement.coefficients.per_item import (
    label_shares,
    linearised,
    mean_shares,
    observed,
)
from headcount.agreement.patterns import Patterns
from headcount.agreement.prepare import Prepared
from headcount.agreement.raters.disagreement import Guessing, by_item
from headcount.agreement.raters.influence import Influence
from headcount.agreement.scales.distances import Distance
from headcount.stats.estimate import Estimate
from headcount.stats.ratio import SMALL, ratio
from headcount.typing import Floats, Kernel

__all__ = ["AC1", "AC2", "gwet"]

APART = 0.1
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
    symbol = "AC1"
    nominal = True
    chance = "guessing on hard items"
    assumes = (
        "Raters are interchangeable and labels have no order; chance is a guess among all labels "
        "of the scale, made the rarer the more one label prevails. Stays high where one label is "
        "common, and depends on the number of labels."
    )
    from_single = "label frequencies"

    def kernel(self, data: Prepared) -> Kernel:
        """Prepare it on patterns."""
        return gwet(data.patterns, self.distance(data))

    def distance(self, data: Prepared) -> Distance:
        """Distance of labels: whether they differ."""
        return data.nominal

    def undefined(self, data: Prepared) -> str | None:
        """Say if the scale has one label."""
        names = data.labels.scale.labels
        return f"'{names[0]}' is the only label of the scale" if len(names) == 1 else None

    def interval(
        self, data: Prepared, value: float, level: float, change: Floats | None = None
    ) -> Estimate:
        """Find Student's interval from Gwet's linearised variance."""
        distance = self.distance(data)
        slope = _chance_factor(distance) * (1 - mean_shares(data.patterns))
        return linearised(data.patterns, distance, slope, value=value, level=level)

    def differs(self, data: Prepared, value: float, reported: float) -> str:
        """Say that it stays high where one label is common."""
        if self.nominal == data.scale.near or abs(value - reported) < APART:
            return ""
        name, share = data.commonest
        if not self.nominal:
            return "counts chance only where raters guess: high where ratings crowd in one place"
        return (
            f"counts chance only where raters guess: high where one label is common ('{name}': "
            f"{100 * share:.0f}%)"
        )

    def influence(self, data: Prepared) -> Influence:
        """Leave out each rater exactly."""
        distance = self.distance(data)
        chance = Guessing(data.nominal, _chance_factor(distance))
        return by_item(data.ratings, distance, chance)


class AC2(AC1):
    """Gwet's AC2."""

    name = "ac2"
    title = "Gwet's AC2"
    symbol = "AC2"
    nominal = False
    assumes = (
        "As AC1, with part credit for near labels: by ranks on ordinal, squared differences on "
        "interval, squared ratios on ratio scales. On a nominal scale it is AC1."
    )

    def distance(self, data: Prepared) -> Distance:
        """Distance of labels on their scale."""
        return data.graded

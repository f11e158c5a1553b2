"""Fleiss' kappa, for any number of raters an item."""

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
from headcount.agreement.raters.disagreement import Replaced, by_item
from headcount.agreement.raters.influence import Influence
from headcount.agreement.scales.distances import Nominal
from headcount.stats.estimate import Estimate
from headcount.stats.ratio import SMALL, ratio
from headcount.typing import Floats, Kernel

__all__ = ["Fleiss", "fleiss"]


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
    symbol = "kappa"
    nominal = True
    chance = "label frequencies of all raters"
    assumes = (
        "Raters are interchangeable and labels have no order; chance is two labels drawn as often "
        "as they occur, each item weighing the same. Low where one label is common."
    )
    from_single = "label frequencies"

    def kernel(self, data: Prepared) -> Kernel:
        """Prepare it on patterns."""
        return fleiss(data.patterns)

    def undefined(self, data: Prepared) -> str | None:
        """Say if all ratings are the same."""
        return data.one_label

    def interval(
        self, data: Prepared, value: float, level: float, change: Floats | None = None
    ) -> Estimate:
        """Find Student's interval from Gwet's linearised variance."""
        slope = mean_shares(data.patterns)
        return linearised(data.patterns, data.nominal, slope, value=value, level=level)

    def influence(self, data: Prepared) -> Influence:
        """Leave out each rater exactly."""
        return by_item(data.ratings, data.nominal, Replaced(data.nominal))

"""Percent agreement: the share of pairs of ratings that are equal."""

from __future__ import annotations

import numpy as np

from headcount.agreement.coefficients.base import Coefficient
from headcount.agreement.coefficients.per_item import linearised, observed
from headcount.agreement.patterns import Patterns
from headcount.agreement.prepare import Prepared
from headcount.agreement.raters.disagreement import Constant, by_item
from headcount.agreement.raters.influence import Influence
from headcount.agreement.scales.distances import Nominal
from headcount.stats.estimate import Estimate
from headcount.typing import Floats, Kernel

__all__ = ["Percent", "percent"]

FEW_LABELS = 7
"""Labels of a scale of numbers on which equal ratings are worth counting, at most."""


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

    def interval(
        self, data: Prepared, value: float, level: float, change: Floats | None = None
    ) -> Estimate:
        """Find Student's interval over items."""
        none = np.zeros(data.patterns.n_labels)
        return linearised(data.patterns, data.nominal, none, value=value, level=level, low=0.0)

    def influence(self, data: Prepared) -> Influence:
        """Leave out each rater exactly."""
        return by_item(data.ratings, data.nominal, Constant(data.nominal))

    def by_pair(self, data: Prepared, level: float) -> list[Estimate]:
        """Share of the items of every two raters on which they agree."""
        table = data.rater_pairs
        same = np.add.reduceat(table.count * (table.label_a == table.label_b), table.start)
        return [Estimate(float(share)) for share in same / table.shared]

    def why(self, data: Prepared) -> str:
        """Say that it is left where others are undefined."""
        return "it is defined where all ratings are the same"

    def differs(self, data: Prepared, value: float, reported: float) -> str:
        """Say that it does not know chance."""
        if data.scale.numeric and len(data.labels.scale) > FEW_LABELS:
            return ""
        if data.scale.numeric or data.scale.tabled:
            return "counts ratings as equal or not, and is not corrected for chance"
        name, share = data.commonest
        return f"not corrected for chance; '{name}' is {100 * share:.0f}% of all ratings"

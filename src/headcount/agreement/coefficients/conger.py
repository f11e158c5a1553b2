"""Conger's kappa, plain and weighted: kappa of all raters together."""

from __future__ import annotations

from headcount.agreement.coefficients.base import Coefficient
from headcount.agreement.coefficients.pair_mean import CELL, too_many_pairs
from headcount.agreement.coefficients.weighted import LinearWeights, QuadraticWeights
from headcount.agreement.prepare import Prepared
from headcount.agreement.raters.conger import MOST_LABELS, pooled_conger, pooled_influence
from headcount.agreement.raters.influence import Influence
from headcount.agreement.scales.distances import Distance
from headcount.typing import Flags, Kernel

__all__ = ["Conger", "CongerLinear", "CongerQuadratic"]

APART = 0.03
"""Difference from the reported coefficient from which on it says something else."""


class Conger(Coefficient):
    """Conger's kappa, pooled over pairs of raters.

    References
    ----------
    Conger (1980), "Integration and generalization of kappas for multiple raters".
    """

    name = "conger"
    title = "Conger's kappa"
    chance = "label frequencies of each rater"
    assumes = (
        "Cohen's kappa for any number of raters: each has a habit of their own, and agreement that "
        "habits explain is chance. Disagreement is added up over pairs of raters before it is "
        "divided, so that pairs may share few items."
    )
    symbol = "kappa"
    by_rater = True
    resampled = False
    nominal = True

    def distance(self, data: Prepared) -> Distance:
        """Distance of labels: whether they differ, or by a table of distances."""
        return data.unordered

    def kernel(self, data: Prepared) -> Kernel:
        """Prepare it on items."""
        return pooled_conger(data.rater_pairs, self.distance(data))

    def undefined(self, data: Prepared) -> str | None:
        """Say if nobody knows who rated, there is too much of it, or all ratings are the same."""
        if data.labels.anonymous:
            return "it needs to know who gave which rating"
        if (why := too_many_pairs(data)) is not None:
            return why
        if len(data.labels.scale) > MOST_LABELS and not self.distance(data).squared:
            return f"{len(data.labels.scale):,} labels are too many for a table of distances"
        return data.one_paired_label

    def differs(self, data: Prepared, value: float, reported: float) -> str:
        """Say that it forgives habits."""
        if self.distance(data).squared != data.scale.ordered or value - reported < APART:
            return ""
        return "does not hold against raters that some use labels more often than others"

    def influence(self, data: Prepared) -> Influence:
        """Leave out each rater exactly."""
        return pooled_influence(data.ratings, data.rater_pairs, self.distance(data))

    def influence_of(self, data: Prepared, pairs: Flags) -> Influence:
        """Do the same for some pairs of raters only."""
        return pooled_influence(data.ratings, data.rater_pairs, self.distance(data), among=pairs)

    def work(self, data: Prepared) -> int:
        """Pairs of ratings, and cells of the tables."""
        return data.pairs_of_ratings + CELL * len(data.rater_pairs.key)


class CongerLinear(LinearWeights, Conger):
    """Conger's kappa with linear weights."""

    name = "conger_linear"
    title = "Conger's kappa, linear"
    assumes = (
        "As Conger's kappa; a disagreement counts by the difference of labels, or of their places "
        "on an ordinal scale."
    )


class CongerQuadratic(QuadraticWeights, Conger):
    """Conger's kappa with quadratic weights."""

    name = "conger_quadratic"
    title = "Conger's kappa, quadratic"
    assumes = (
        "As Conger's kappa; a disagreement counts by the squared difference of labels, or of their "
        "places on an ordinal scale."
    )

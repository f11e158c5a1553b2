"""Cohen's kappa, plain and weighted, as a mean over pairs of raters."""

from __future__ import annotations

from headcount.agreement.coefficients.pair_mean import PairMean
from headcount.agreement.coefficients.weighted import LinearWeights, QuadraticWeights

__all__ = ["Cohen", "CohenLinear", "CohenQuadratic"]


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


class CohenLinear(LinearWeights, Cohen):
    """Cohen's kappa with linear weights (Cohen 1968)."""

    name = "cohen_linear"
    title = "Cohen's, linear"
    assumes = (
        "As Cohen's kappa; a disagreement counts by the difference of labels, or of their places "
        "on an ordinal scale."
    )
    brief = False


class CohenQuadratic(QuadraticWeights, Cohen):
    """Cohen's kappa with quadratic weights (Cohen 1968)."""

    name = "cohen_quadratic"
    title = "Cohen's, quadratic"
    assumes = (
        "As Cohen's kappa; a disagreement counts by the squared difference of labels, or of their "
        "places on an ordinal scale."
    )
    brief = False

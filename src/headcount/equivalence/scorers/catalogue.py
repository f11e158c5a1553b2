"""Scorers: how well predictions fit what reference raters said, on a weighted table.

A table has one row a prediction: its probability of each label, the distribution of the
reference label, and a weight. Surveys of k raters make such a table (Algorithm 3 of the paper),
and so do the predictions of a classifier (Algorithm 1). By default the reference label is that of
one rater chosen at random; see `reference_raters` and `states` of :func:`headcount.survey` for
others. Higher is always better.

Most scorers sum statistics of the rows, weighted, and make the score from the means: that is all
that a mean, an F1 or a correlation needs, and bootstrapping it is one matrix product. The area
under the ROC curve and Spearman's correlation need the order of the rows besides.

To add a scorer, write its class in a file of its own, and put it into :data:`SCORERS`.
"""

from __future__ import annotations

from typing import Any

from headcount.data.scale import Scale
from headcount.equivalence.scorers.absolute_error import AbsoluteError
from headcount.equivalence.scorers.agreement import Agreement
from headcount.equivalence.scorers.auc import AUC
from headcount.equivalence.scorers.base import OwnScorer, Scorer
from headcount.equivalence.scorers.brier import Brier
from headcount.equivalence.scorers.built_in import BuiltInScorer
from headcount.equivalence.scorers.by_label import F1, Precision, Recall
from headcount.equivalence.scorers.correlation import Correlation
from headcount.equivalence.scorers.cross_entropy import CrossEntropy
from headcount.equivalence.scorers.dmi import DMI
from headcount.equivalence.scorers.kappa import Kappa, KappaLinear
from headcount.equivalence.scorers.rps import RankedProbability
from headcount.equivalence.scorers.spearman import Spearman
from headcount.equivalence.scorers.squared_error import SquaredError
from headcount.errors import OptionError, option, unknown_name

__all__ = ["SCORERS", "as_scorer", "sums_rows"]

SCORERS: dict[str, type[BuiltInScorer]] = {
    scorer.name: scorer
    for scorer in (
        CrossEntropy,
        Agreement,
        Brier,
        Precision,
        Recall,
        F1,
        AUC,
        Correlation,
        DMI,
        SquaredError,
        AbsoluteError,
        RankedProbability,
        Spearman,
        Kappa,
        KappaLinear,
    )
}
"""Scorers by name, each made for a scale and perhaps a positive label; the first is the default."""


def as_scorer(scorer: Any, scale: Scale, positive: str | None = None) -> Scorer:
    """Find a scorer by name for a scale; a scorer is returned as it is."""
    if not isinstance(scorer, str):
        return scorer if isinstance(scorer, Scorer) else OwnScorer(scorer)
    if scorer not in SCORERS:
        raise unknown_name("scorer", scorer, list(SCORERS), option_name="scorer")
    if positive is None:
        return SCORERS[scorer](scale)
    if not SCORERS[scorer].takes_positive:
        takers = [name for name, made in SCORERS.items() if made.takes_positive]
        raise OptionError(
            f"scorer '{scorer}' has no positive label; {option('positive')} goes with "
            f"{', '.join(takers)}."
        )
    if positive not in scale.labels:
        raise unknown_name("label", positive, scale.labels, option_name="positive")
    return SCORERS[scorer](scale, scale.labels.index(positive))


def sums_rows(scorer: Any) -> bool:
    """Whether a scorer, by name or itself, needs sums over rows alone, and not their order."""
    return hasattr(SCORERS.get(scorer) if isinstance(scorer, str) else scorer, "statistics")

"""Scorers: how well predictions fit what reference raters said, on a weighted table.

A table has one row a prediction: its probability of each label, the distribution of the
reference label, and a weight. Surveys of k raters make such a table (Algorithm 3 of the paper),
and so do the predictions of a classifier (Algorithm 1). By default the reference label is that of
one rater chosen at random; see `reference_raters` and `states` of :func:`headcount.survey` for
others. Higher is always better.

Most scorers sum statistics of the rows, weighted, and make the score from the means: that is all
that a mean, an F1 or a correlation needs, and bootstrapping it is one matrix product. The area
under the ROC curve and Spearman's correlation need the order of the rows besides.

To add a scorer, write its class here or in a file of its own, and put it into :data:`SCORERS`.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from headcount.data.scale import Scale
from headcount.data.vocabulary import number_of
from headcount.equivalence.scorers.absolute_error import AbsoluteError
from headcount.equivalence.scorers.auc import AUC
from headcount.equivalence.scorers.base import SOFT, Kind, OwnScorer, Scorer
from headcount.equivalence.scorers.kappa import Kappa, KappaLinear
from headcount.equivalence.scorers.rps import RankedProbability
from headcount.equivalence.scorers.spearman import Spearman
from headcount.equivalence.scorers.squared_error import SquaredError
from headcount.equivalence.scorers.sums import ConfusionScorer, SumScorer, choice, expected
from headcount.errors import OptionError, option, some, unknown_name
from headcount.typing import Floats

__all__ = ["DEFAULT", "SCORERS", "as_scorer"]


class CrossEntropy(SumScorer):
    r"""Mean of :math:`\log_2 p_i(y_i)`, in bits: minus the cross-entropy. At most 0.

    Examples
    --------
    >>> scorer = CrossEntropy(Scale(("no", "yes")))
    >>> prediction, reference = np.array([[0.5, 0.5], [1, 0]]), np.array([[1, 0], [1.0, 0]])
    >>> scorer.score(prediction, reference, np.array([1.0, 3.0]))
    array(-0.25)
    """

    name, unit, kinds = "cross-entropy", "bits", SOFT
    unbounded = in_bits = True

    def statistics(self, prediction: Floats, reference: Floats, kind: Kind) -> Floats:
        """Take the expected logarithm of the probability of the reference label."""
        with np.errstate(divide="ignore", invalid="ignore"):
            return expected(np.log2(prediction), reference)


class Agreement(SumScorer):
    r"""Share of reference labels that equal the predicted label: mean of :math:`[h(i) = y_i]`.

    A soft prediction counts as its most probable label; labels that tie share the choice.
    """

    name, unit = "agreement", "share of labels"
    by_choice = True

    def statistics(self, prediction: Floats, reference: Floats, kind: Kind) -> Floats:
        """Take the probability that the reference label is the one predicted."""
        return expected(choice(prediction, kind), reference)


class Brier(SumScorer):
    r"""Minus the Brier score: mean of :math:`-\sum_l (p_i(l) - [y_i = l])^2`. From -2 to 0."""

    name, unit, kinds = "brier", "minus squared error", SOFT

    def statistics(self, prediction: Floats, reference: Floats, kind: Kind) -> Floats:
        """Take the expected squared error, by sum_j (p_j - [j = l])^2 = |p|^2 - 2 p_l + 1."""
        square = (prediction**2).sum(axis=-1, keepdims=True)
        return expected(2 * prediction - square - 1, reference)


class Precision(ConfusionScorer):
    r"""Share of predictions of a label that the reference rater gave too: :math:`TP/(TP + FP)`.

    Of the positive label, or else the mean over all labels. 0 where a label is never predicted.
    """

    name = "precision"

    def ratio(self, tp: Floats, said: Floats, true: Floats) -> Floats:
        """Divide by predictions."""
        return _ratio(tp, said)


class Recall(ConfusionScorer):
    r"""Share of a label's reference ratings that were predicted: :math:`TP/(TP + FN)`.

    Of the positive label, or else the mean over all labels. 0 where a label is never given.
    """

    name = "recall"

    def ratio(self, tp: Floats, said: Floats, true: Floats) -> Floats:
        """Divide by reference ratings."""
        return _ratio(tp, true)


class F1(ConfusionScorer):
    r"""Harmonic mean of precision and recall: :math:`2 TP/(2 TP + FP + FN)`.

    Of the positive label, or else the mean over all labels. 0 where a label is neither predicted
    nor given.
    """

    name = "f1"

    def ratio(self, tp: Floats, said: Floats, true: Floats) -> Floats:
        """Divide by predictions and reference ratings."""
        return _ratio(2 * tp, said + true)


class Correlation(SumScorer):
    r"""Pearson correlation of the predicted with the reference number; labels must be numbers.

    A soft prediction counts as its mean :math:`\sum_l p_l v_l`, a hard one as the number that it
    says. 0 where predictions or labels do not vary, as those of no rater.
    """

    name, unit = "correlation", "Pearson's r"
    kinds = frozenset[Kind]({"hard", "soft", "mean"})
    relative = needs_numbers = True

    def __init__(self, scale: Scale, positive: int | None = None) -> None:
        super().__init__(scale, positive)
        numbers = [number_of(label) for label in scale.labels]
        if any(number is None for number in numbers):
            raise OptionError(
                f"scorer '{self.name}' needs labels that are numbers, not {some(scale.labels, 10)}."
            )
        self.value = np.array(numbers, dtype=np.float64)

    def statistics(self, prediction: Floats, reference: Floats, kind: Kind) -> Floats:
        """Take the numbers, their squares and their product."""
        value = self.value
        x, y = prediction @ value, reference @ value
        # A hard prediction is one of several numbers by chance; a soft one is their mean.
        x2 = prediction @ value**2 if kind == "hard" else x**2
        return np.stack(np.broadcast_arrays(x, x2, y, reference @ value**2, x * y), axis=-1)

    def finish(self, means: Floats) -> Floats:
        """Divide the covariance by the standard deviations."""
        x, x2, y, y2, xy = np.moveaxis(means, -1, 0)
        variance = np.maximum(x2 - x**2, 0) * np.maximum(y2 - y**2, 0)
        # Rounding leaves some 1e-17 where there is no variance at all.
        flat = variance <= 1e-24 * np.maximum(x2 * y2, 1e-300)
        return np.where(flat, 0.0, (xy - x * y) / np.sqrt(np.where(flat, 1.0, variance)))


class DMI(SumScorer):
    r"""Determinant mutual information, :math:`|\det M|`.

    :math:`M_{cl}` is the joint frequency of prediction and label: the mean of
    :math:`p_i(c) [y_i = l]`, with :math:`p_i(c)` the probability that a soft prediction gives to
    c, or 1 for the label of a hard one (Kong 2020; the paper's Definition 1).
    """

    name, unit = "dmi", "|det|"

    def statistics(self, prediction: Floats, reference: Floats, kind: Kind) -> Floats:
        """Take the joint distribution of prediction and reference label."""
        joint = prediction[..., :, None] * reference[..., None, :]
        return joint.reshape(*joint.shape[:-2], len(self.scale) ** 2)

    def finish(self, means: Floats) -> Floats:
        """Take the determinant."""
        size = len(self.scale)
        return np.abs(np.linalg.det(means.reshape(*means.shape[:-1], size, size)))


SCORERS: dict[str, type[SumScorer] | type[AUC] | type[Spearman]] = {
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
"""Scorers by name, each made for a scale and perhaps a positive label."""
DEFAULT = CrossEntropy.name


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


def _ratio(part: Floats, whole: Floats) -> Floats:
    return part / np.where(whole > 0, whole, 1.0)

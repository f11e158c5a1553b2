"""Scorers: how well predictions fit what reference raters said, on a weighted table.

A table has one row a prediction: its probability of each label, the distribution of the
reference label, and a weight. Surveys of k raters make such a table (Algorithm 3 of the paper),
and so do the predictions of a classifier (Algorithm 1). By default the reference label is that of
one rater chosen at random; see `reference_raters` and `states` of :func:`headcount.survey` for
others. Higher is always better.

Most scorers sum statistics of the rows, weighted, and make the score from the means: that is all
that a mean, an F1 or a correlation needs, and bootstrapping it is one matrix product. The area
under the ROC curve needs the order of the rows besides.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from headcount.data.scale import Scale
from headcount.data.vocabulary import number_of
from headcount.equivalence.scorers.auc import AUC
from headcount.equivalence.scorers.base import ANY, SOFT, Group, Kind, Scorer, most_probable
from headcount.errors import OptionError, some, unknown_name
from headcount.typing import Floats

__all__ = ["SCORERS", "SumScorer", "as_scorer"]

Statistics = Callable[[Floats, Floats, Kind], Floats]


@dataclass(frozen=True)
class SumScorer:
    """A scorer that is a function of weighted means of statistics of the rows.

    Parameters
    ----------
    name, unit : str
    kinds : set of {"hard", "soft", "mean"}
        Kinds of prediction that it scores.
    statistics : callable
        ``statistics(prediction, reference, kind)`` with arrays (..., rows, labels); returns an
        array (..., rows, statistics).
    finish : callable
        Makes the score of the weighted means (..., statistics).
    unbounded : bool
        Whether probability 0 on a label that was given scores minus infinity.
    relative : bool
        Whether only differences between predictions count, however small.
    """

    name: str
    unit: str
    kinds: frozenset[Kind]
    statistics: Statistics
    finish: Callable[[Floats], Floats]
    unbounded: bool = False
    relative: bool = False

    def bind(
        self, prediction: Floats, reference: Floats, kind: Kind, group: Group | None = None
    ) -> Callable[[Floats], Floats]:
        """Do what does not depend on weights; the answer scores weights (..., rows)."""
        if self.relative and group is not None and (group == group[0]).all():
            # Nothing was observed. Leaving the item out makes predictions differ by next to
            # nothing, but always against the item: what is relative would see only that.
            prediction = np.broadcast_to(prediction.mean(axis=0), prediction.shape)
        statistics = self.statistics(prediction, reference, kind)

        def scored(weight: Floats) -> Floats:
            return self.finish(weight @ statistics / weight.sum(axis=-1)[..., None])

        return scored

    def score(
        self, prediction: Floats, reference: Floats, weight: Floats, kind: Kind = "soft"
    ) -> Floats:
        """Score tables with predictions (..., rows, labels) and weights (..., rows).

        Examples
        --------
        >>> cross_entropy = SCORERS["cross-entropy"](Scale(("no", "yes")), None)
        >>> prediction, reference = np.array([[0.5, 0.5], [1, 0]]), np.array([[1, 0], [1.0, 0]])
        >>> cross_entropy.score(prediction, reference, np.array([1.0, 3.0]))
        array(-0.25)
        """
        statistics = self.statistics(prediction, reference, kind)
        total = np.einsum("...r,...rs->...s", weight, statistics)
        return self.finish(total / weight.sum(axis=-1)[..., None])


def cross_entropy(scale: Scale, positive: int | None) -> SumScorer:
    r"""Mean of :math:`\log_2 p_i(y_i)`, in bits: minus the cross-entropy. At most 0."""
    del scale, positive

    def statistics(prediction: Floats, reference: Floats, kind: Kind) -> Floats:
        del kind
        with np.errstate(divide="ignore", invalid="ignore"):
            return _expected(np.log2(prediction), reference)

    return SumScorer("cross-entropy", "bits", SOFT, statistics, _first, unbounded=True)


def agreement(scale: Scale, positive: int | None) -> SumScorer:
    r"""Share of reference labels that equal the predicted label: mean of :math:`[h(i) = y_i]`.

    A soft prediction counts as its most probable label; labels that tie share the choice.
    """
    del scale, positive

    def statistics(prediction: Floats, reference: Floats, kind: Kind) -> Floats:
        return _expected(_choice(prediction, kind), reference)

    return SumScorer("agreement", "share of labels", ANY, statistics, _first)


def brier(scale: Scale, positive: int | None) -> SumScorer:
    r"""Minus the Brier score: mean of :math:`-\sum_l (p_i(l) - [y_i = l])^2`. From -2 to 0."""
    del scale, positive

    def statistics(prediction: Floats, reference: Floats, kind: Kind) -> Floats:
        del kind
        # sum_j (p_j - [j = l])^2 = |p|^2 - 2 p_l + 1
        square = (prediction**2).sum(axis=-1, keepdims=True)
        return _expected(2 * prediction - square - 1, reference)

    return SumScorer("brier", "minus squared error", SOFT, statistics, _first)


def precision(scale: Scale, positive: int | None) -> SumScorer:
    r"""Share of predictions of a label that the reference rater gave too: :math:`TP/(TP + FP)`.

    Of the positive label, or else the mean over all labels. 0 where a label is never predicted.
    """
    return _confusion("precision", scale, positive, lambda tp, said, true: _ratio(tp, said))


def recall(scale: Scale, positive: int | None) -> SumScorer:
    r"""Share of a label's reference ratings that were predicted: :math:`TP/(TP + FN)`.

    Of the positive label, or else the mean over all labels. 0 where a label is never given.
    """
    return _confusion("recall", scale, positive, lambda tp, said, true: _ratio(tp, true))


def f1(scale: Scale, positive: int | None) -> SumScorer:
    r"""Harmonic mean of precision and recall: :math:`2 TP/(2 TP + FP + FN)`.

    Of the positive label, or else the mean over all labels. 0 where a label is neither predicted
    nor given.
    """
    return _confusion("f1", scale, positive, lambda tp, said, true: _ratio(2 * tp, said + true))


def auc(scale: Scale, positive: int | None) -> AUC:
    """Area under the ROC curve; see :class:`AUC`."""
    if positive is not None:
        return AUC((positive,))
    return AUC((0,) if len(scale) == 2 else tuple(range(len(scale))))


def correlation(scale: Scale, positive: int | None) -> SumScorer:
    r"""Pearson correlation of the predicted with the reference number; labels must be numbers.

    A soft prediction counts as its mean :math:`\sum_l p_l v_l`, a hard one as the number that it
    says. 0 where predictions or labels do not vary, as those of no rater.
    """
    del positive
    numbers = [number_of(label) for label in scale.labels]
    if any(number is None for number in numbers):
        raise OptionError(
            f"scorer 'correlation' needs labels that are numbers, not {some(scale.labels, 10)}."
        )
    value = np.array(numbers, dtype=np.float64)

    def statistics(prediction: Floats, reference: Floats, kind: Kind) -> Floats:
        x, y = prediction @ value, reference @ value
        # A hard prediction is one of several numbers by chance; a soft one is their mean.
        x2 = prediction @ value**2 if kind == "hard" else x**2
        return np.stack(np.broadcast_arrays(x, x2, y, reference @ value**2, x * y), axis=-1)

    def finish(means: Floats) -> Floats:
        x, x2, y, y2, xy = np.moveaxis(means, -1, 0)
        variance = np.maximum(x2 - x**2, 0) * np.maximum(y2 - y**2, 0)
        # Rounding leaves some 1e-17 where there is no variance at all.
        flat = variance <= 1e-24 * np.maximum(x2 * y2, 1e-300)
        return np.where(flat, 0.0, (xy - x * y) / np.sqrt(np.where(flat, 1.0, variance)))

    kinds: frozenset[Kind] = frozenset({"hard", "soft", "mean"})
    return SumScorer("correlation", "Pearson's r", kinds, statistics, finish, relative=True)


def dmi(scale: Scale, positive: int | None) -> SumScorer:
    r"""Find determinant mutual information, :math:`|\det M|`.

    :math:`M_{cl}` is the joint frequency of prediction and label: the mean of
    :math:`p_i(c) [y_i = l]`, with :math:`p_i(c)` the probability that a soft prediction gives to
    c, or 1 for the label of a hard one (Kong 2020; the paper's Definition 1).
    """
    del positive
    size = len(scale)

    def statistics(prediction: Floats, reference: Floats, kind: Kind) -> Floats:
        del kind
        joint = prediction[..., :, None] * reference[..., None, :]
        return joint.reshape(*joint.shape[:-2], size * size)

    def finish(means: Floats) -> Floats:
        return np.abs(np.linalg.det(means.reshape(*means.shape[:-1], size, size)))

    return SumScorer("dmi", "|det|", ANY, statistics, finish)


SCORERS: dict[str, Callable[[Scale, int | None], SumScorer | AUC]] = {
    "cross-entropy": cross_entropy,
    "agreement": agreement,
    "brier": brier,
    "precision": precision,
    "recall": recall,
    "f1": f1,
    "auc": auc,
    "correlation": correlation,
    "dmi": dmi,
}
POSITIVE = ("precision", "recall", "f1", "auc")
"""Scorers that look at one label if they are told which."""


def as_scorer(scorer: str | Scorer, scale: Scale, positive: str | None) -> Scorer:
    """Find a scorer by name for a scale; a scorer is returned as it is."""
    if not isinstance(scorer, str):
        return scorer
    if scorer not in SCORERS:
        raise unknown_name("scorer", scorer, list(SCORERS))
    if positive is None:
        return SCORERS[scorer](scale, None)
    if scorer not in POSITIVE:
        raise OptionError(
            f"scorer '{scorer}' has no positive label; positive (--positive) goes with "
            f"{', '.join(POSITIVE)}."
        )
    if positive not in scale.labels:
        raise unknown_name("label", positive, scale.labels)
    return SCORERS[scorer](scale, scale.labels.index(positive))


def _expected(scores: Floats, reference: Floats) -> Floats:
    """Mean of the score of each label over the reference distribution; 0 times -inf is 0."""
    return np.where(reference > 0, reference * scores, 0.0).sum(axis=-1, keepdims=True)


def _choice(prediction: Floats, kind: Kind) -> Floats:
    return prediction if kind == "hard" else most_probable(prediction)


def _first(means: Floats) -> Floats:
    return means[..., 0]


def _ratio(part: Floats, whole: Floats) -> Floats:
    return part / np.where(whole > 0, whole, 1.0)


def _confusion(
    name: str,
    scale: Scale,
    positive: int | None,
    ratio: Callable[[Floats, Floats, Floats], Floats],
) -> SumScorer:
    """Make a scorer of true positives, predictions and reference ratings of each label."""
    chosen = list(range(len(scale))) if positive is None else [positive]

    def statistics(prediction: Floats, reference: Floats, kind: Kind) -> Floats:
        said = _choice(prediction, kind)[..., chosen]
        true = np.broadcast_to(reference[..., chosen], said.shape)
        return np.concatenate([said * true, said, true], axis=-1)

    def finish(means: Floats) -> Floats:
        tp, said, true = np.split(means, 3, axis=-1)
        return ratio(tp, said, true).mean(axis=-1)

    unit = "mean over labels" if positive is None else f"of '{scale.labels[positive]}'"
    return SumScorer(name, unit, ANY, statistics, finish)

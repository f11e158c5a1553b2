"""Scorers: how well predictions fit what reference raters said, on a weighted table.

A table has one row per prediction: its probability of each label, the distribution of the reference
label, and a weight. Surveys of k raters make such a table (Algorithm 3 of the paper), and so do
the predictions of a classifier (Algorithm 1). By default the reference label is that of one rater
chosen at random; see `reference` of :func:`headcount.survey` for others. Higher
is always better.

Most scorers sum statistics of the rows, weighted, and make the score from the means: that is all
that a mean, an F1 or a correlation needs, and bootstrapping it is one matrix product. The area
under the ROC curve and Spearman's correlation need the order of the rows besides.

To add a scorer, write its class here, and put it into :data:`SCORERS`.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable
from typing import Any, Literal, Protocol, runtime_checkable

import numpy as np
from numpy.typing import NDArray

from headcount.data.labels import Scale
from headcount.data.vocabulary import number_of
from headcount.errors import OptionError, option, some, unknown_name
from headcount.typing import Floats, Ints

__all__ = [
    "Kind",
    "Group",
    "Scorer",
    "ANY",
    "SOFT",
    "most_probable",
    "has_values",
    "values_of",
    "BuiltInScorer",
    "SumScorer",
    "expected",
    "choice",
    "CrossEntropy",
    "Brier",
    "Agreement",
    "Precision",
    "Recall",
    "F1",
    "DMI",
    "Correlation",
    "SquaredError",
    "RankedProbability",
    "Kappa",
    "runs",
    "AUC",
    "Spearman",
    "SCORERS",
    "as_scorer",
]


# What a scorer is, and what kinds of prediction there are.

Kind = Literal["hard", "soft", "mean"]
"""What a prediction is: a label (chances of choosing each), probabilities, or a mean."""
Group = Ints
"""Rows that observed the same."""


@runtime_checkable
class Scorer(Protocol):
    """A way to score predictions against reference labels.

    Of a user's own scorer only `name`, `kinds` and `score` are asked for; the rest has defaults,
    see :class:`OwnScorer`.
    """

    name: str
    """What users call it."""
    kinds: frozenset[Kind]
    """Kinds of prediction that it scores."""
    unit: str
    """Unit of the score, for axes."""
    unbounded: bool
    """Whether probability 0 on a label that was given scores minus infinity."""
    by_choice: bool
    """Whether a soft prediction counts as its most probable label."""
    in_bits: bool
    """Whether scores are logarithms of probabilities, so that gains can be information."""

    def bind(
        self, prediction: Floats, reference: Floats, kind: Kind, group: Group | None = None
    ) -> Callable[[Floats], Floats]:
        """Do what does not depend on weights; the answer scores weights (..., rows).

        Rows of the same `group` have the same prediction but for the item that each leaves out.
        """
        ...

    def score(
        self, prediction: Floats, reference: Floats, weight: Floats, kind: Kind = "soft"
    ) -> Floats:
        """Score tables with predictions (..., rows, labels) and weights (..., rows)."""
        ...


ANY: frozenset[Kind] = frozenset({"hard", "soft"})
SOFT: frozenset[Kind] = frozenset({"soft"})


class OwnScorer:
    """A user's own scorer, with defaults for what it does not say.

    Parameters
    ----------
    own : object
        With `name`, `kinds` and `score` as of :class:`Scorer`, and perhaps the rest of it: the
        `unit` is its name by default, and `unbounded`, `by_choice` and `in_bits` are false.
    """

    def __init__(self, own: Any) -> None:
        if not all(hasattr(own, part) for part in ("name", "kinds", "score")):
            raise OptionError(
                f"{option('scorer')} must be the name of a scorer, or an object with name, kinds "
                f"and score, not {type(own).__name__}."
            )
        self.own = own
        self.name, self.kinds = str(own.name), frozenset[Kind](own.kinds)
        self.unit = str(getattr(own, "unit", self.name))
        self.unbounded = bool(getattr(own, "unbounded", False))
        self.by_choice = bool(getattr(own, "by_choice", False))
        self.in_bits = bool(getattr(own, "in_bits", False))

    def bind(
        self, prediction: Floats, reference: Floats, kind: Kind, group: Group | None = None
    ) -> Callable[[Floats], Floats]:
        """Bind as the user's scorer does; by default it scores anew."""
        if hasattr(self.own, "bind"):
            return self.own.bind(prediction, reference, kind, group)
        return lambda weight: self.score(prediction, reference, weight, kind)

    def score(
        self, prediction: Floats, reference: Floats, weight: Floats, kind: Kind = "soft"
    ) -> Floats:
        """Score as the user's scorer does."""
        return self.own.score(prediction, reference, weight, kind)


def most_probable(prediction: Floats) -> Floats:
    """Choose the most probable label of each row; labels that tie share the choice.

    Examples
    --------
    >>> import numpy as np
    >>> most_probable(np.array([[0.2, 0.4, 0.4], [0.1, 0.9, 0.0]]))
    array([[0. , 0.5, 0.5],
           [0. , 1. , 0. ]])
    """
    # A tie is one of probabilities that are equal but for rounding.
    top = prediction >= prediction.max(axis=-1, keepdims=True) - 1e-12
    return top / top.sum(axis=-1, keepdims=True)


# What labels are worth on a scale with an order: numbers, or ranks.


def has_values(scale: Scale) -> bool:
    """Whether labels are numbers, or declared to be in order."""
    return scale.kind == "ordinal" or all(number_of(label) is not None for label in scale.labels)


def values_of(scale: Scale, scorer: str) -> tuple[Floats, str]:
    """Find what each label is worth, and what units of it are called in tables.

    Numbers are worth themselves, unless only their order counts: labels of an ordinal scale are
    worth their place in it, 1 for the first.

    Examples
    --------
    >>> values_of(Scale(("1", "2", "4")), "rps")
    (array([1., 2., 4.]), '')
    >>> values_of(Scale(("low", "high"), kind="ordinal"), "rps")
    (array([1., 2.]), ' of ranks')
    """
    if scale.kind == "ordinal":
        return np.arange(1.0, len(scale) + 1), " of ranks"
    if not has_values(scale):
        raise OptionError(
            f"scorer '{scorer}' needs labels that are numbers or have an order, not "
            f"{some(scale.labels, 10)}. If they have one, say {option('scale', 'ordinal')} and "
            f"list them from lowest to highest ({option('labels', ...)})."
        )
    return np.array([number_of(label) for label in scale.labels], dtype=np.float64), ""


# What the scorers that come with the package have in common.


class BuiltInScorer(ABC):
    """A scorer that says what it is called and what it takes in attributes of its class.

    Parameters
    ----------
    scale : Scale
    positive : int or None
        The label to look at, for scorers that look at one.

    Attributes
    ----------
    name, unit : str
    kinds : set of {"hard", "soft", "mean"}
        Kinds of prediction that it scores.
    unbounded : bool
        Whether probability 0 on a label that was given scores minus infinity.
    by_choice : bool
        Whether a soft prediction counts as its most probable label.
    in_bits : bool
        Whether scores are logarithms of probabilities, so that gains can be information.
    relative : bool
        Whether only differences between predictions count, however small.
    takes_positive : bool
        Whether it looks at one label if it is given one.
    needs_numbers : bool
        Whether labels must be numbers, or in order.
    calibrates : bool
        Whether a label is scored as a number with no more than its own risk, so that it is shown
        as probabilities besides.
    of_distributions : bool
        Whether it scores a whole distribution, so that a label by itself counts as certainty.
    same_kind : bool
        Whether labels score more than probabilities that tell as much, so that classifiers and
        surveys are only compared where both give the one or the other.
    unfair : str
        Why means are not scored, where that needs to be said.
    fairest : {"hard", "soft", "mean"} or None
        What surveys had best predict, where a classifier would else look better than it is.
    """

    name: str
    unit: str
    kinds: frozenset[Kind] = ANY
    unbounded: bool = False
    by_choice: bool = False
    in_bits: bool = False
    relative: bool = False
    takes_positive: bool = False
    needs_numbers: bool = False
    calibrates: bool = False
    of_distributions: bool = False
    same_kind: bool = False
    unfair: str = ""
    fairest: Kind | None = None

    @abstractmethod
    def __init__(self, scale: Scale, positive: int | None = None) -> None: ...


# Scorers that are functions of weighted means of statistics of the rows.


class SumScorer(BuiltInScorer):
    """A scorer that is a function of weighted means of statistics of the rows.

    A scorer says what it computes in :meth:`statistics` and :meth:`finish`.
    """

    def __init__(self, scale: Scale, positive: int | None = None) -> None:
        self.scale, self.positive = scale, positive

    @abstractmethod
    def statistics(self, prediction: Floats, reference: Floats, kind: Kind) -> Floats:
        """Compute statistics of rows (..., rows, labels): an array (..., rows, statistics)."""

    def finish(self, means: Floats) -> Floats:
        """Make the score of the weighted means (..., statistics); the first of them by default."""
        return means[..., 0]

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
        """Score tables with predictions (..., rows, labels) and weights (..., rows)."""
        statistics = self.statistics(prediction, reference, kind)
        total = np.einsum("...r,...rs->...s", weight, statistics)
        return self.finish(total / weight.sum(axis=-1)[..., None])


class ConfusionScorer(SumScorer):
    """A scorer of true positives, predictions and reference ratings of each label.

    Of the positive label, or else the mean over all labels.
    """

    by_choice = True
    takes_positive = True
    compared: tuple[float, float]
    """Weights of predictions and of reference ratings, with which true positives are compared."""

    def __init__(self, scale: Scale, positive: int | None = None) -> None:
        super().__init__(scale, positive)
        self.unit = "mean over labels" if positive is None else f"of '{scale.labels[positive]}'"

    def statistics(self, prediction: Floats, reference: Floats, kind: Kind) -> Floats:
        """Count true positives, predictions and reference ratings of each label."""
        chosen = list(range(len(self.scale))) if self.positive is None else [self.positive]
        predicted = choice(prediction, kind)[..., chosen]
        true = np.broadcast_to(reference[..., chosen], predicted.shape)
        return np.concatenate([predicted * true, predicted, true], axis=-1)

    def finish(self, means: Floats) -> Floats:
        """Take the mean over labels."""
        tp, predicted, true = np.split(means, 3, axis=-1)
        whole = self.compared[0] * predicted + self.compared[1] * true
        return (tp / np.where(whole > 0, whole, 1.0)).mean(axis=-1)


def expected(scores: Floats, reference: Floats) -> Floats:
    """Mean of the score of each label over the reference distribution; 0 times -inf is 0."""
    return np.where(reference > 0, reference * scores, 0.0).sum(axis=-1, keepdims=True)


def choice(prediction: Floats, kind: Kind) -> Floats:
    """Chances that each label is predicted: those of a hard prediction, or the most probable."""
    return prediction if kind == "hard" else most_probable(prediction)


class CrossEntropy(SumScorer):
    r"""Mean of :math:`\log_2 p_i(y_i)`, in bits: minus the cross-entropy. At most 0.

    Examples
    --------
    >>> from headcount.data.labels import Scale
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


class Brier(SumScorer):
    r"""Minus the Brier score: mean of :math:`-\sum_l (p_i(l) - [y_i = l])^2`. From -2 to 0."""

    name, unit, kinds = "brier", "minus squared error", SOFT

    def statistics(self, prediction: Floats, reference: Floats, kind: Kind) -> Floats:
        """Take the expected squared error, by sum_j (p_j - [j = l])^2 = |p|^2 - 2 p_l + 1."""
        square = (prediction**2).sum(axis=-1, keepdims=True)
        return expected(2 * prediction - square - 1, reference)


class Agreement(SumScorer):
    r"""Share of reference labels that equal the predicted label: mean of :math:`[h(i) = y_i]`.

    A soft prediction counts as its most probable label; labels that tie share the choice.
    """

    name, unit = "agreement", "accuracy"
    by_choice = True

    def statistics(self, prediction: Floats, reference: Floats, kind: Kind) -> Floats:
        """Take the probability that the reference label is the one predicted."""
        return expected(choice(prediction, kind), reference)


class Precision(ConfusionScorer):
    r"""Share of predictions of a label that the reference rater gave too: :math:`TP/(TP + FP)`.

    Of the positive label, or else the mean over all labels. 0 where a label is never predicted.
    """

    name = "precision"
    compared = (1.0, 0.0)


class Recall(ConfusionScorer):
    r"""Share of a label's reference ratings that were predicted: :math:`TP/(TP + FN)`.

    Of the positive label, or else the mean over all labels. 0 where a label is never given.
    """

    name = "recall"
    compared = (0.0, 1.0)


class F1(ConfusionScorer):
    r"""Harmonic mean of precision and recall: :math:`2 TP/(2 TP + FP + FN)`.

    Of the positive label, or else the mean over all labels. 0 where a label is neither predicted
    nor given.
    """

    name = "f1"
    compared = (0.5, 0.5)


class DMI(SumScorer):
    r"""Determinant mutual information, :math:`|\det M|`.

    :math:`M_{cl}` is the joint frequency of prediction and label: the mean of
    :math:`p_i(c) [y_i = l]`, with :math:`p_i(c)` the probability that a soft prediction gives to
    c, or 1 for the label of a hard one (Kong 2020; the paper's Definition 1). So a label scores
    more than the probabilities that follow from it.
    """

    name, unit = "dmi", "|det|"
    same_kind = True

    def statistics(self, prediction: Floats, reference: Floats, kind: Kind) -> Floats:
        """Take the joint distribution of prediction and reference label."""
        joint = prediction[..., :, None] * reference[..., None, :]
        return joint.reshape(*joint.shape[:-2], len(self.scale) ** 2)

    def finish(self, means: Floats) -> Floats:
        """Take the determinant."""
        size = len(self.scale)
        return np.abs(np.linalg.det(means.reshape(*means.shape[:-1], size, size)))


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


# Scorers of numbers and ranks: what they share.

TIE = 1e-12
"""Probabilities, and distances in shares of the scale, that differ by less are equal."""


class OrderedScorer(SumScorer):
    """A scorer to which labels are numbers, or ranks on an ordinal scale.

    A subclass says in `measures` what its unit is called.
    """

    measures: str
    needs_numbers = True

    def __init__(self, scale: Scale, positive: int | None = None) -> None:
        super().__init__(scale, positive)
        self.value, of = values_of(scale, self.name)
        self.unit = f"{self.measures}{of}"


def nearest_labels(prediction: Floats, value: Floats) -> Floats:
    """Choose the label nearest to the mean of each row; labels that tie share the choice.

    Examples
    --------
    >>> nearest_labels(np.array([[0.2, 0.5, 0.3], [0.5, 0.5, 0]]), np.array([1.0, 2, 3]))
    array([[0. , 1. , 0. ],
           [0.5, 0.5, 0. ]])
    """
    away = np.abs((prediction @ value)[..., None] - value)
    nearest = away <= away.min(axis=-1, keepdims=True) + TIE * np.ptp(value)
    return nearest / nearest.sum(axis=-1, keepdims=True)


def median_labels(prediction: Floats, value: Floats) -> Floats:
    """Choose the median label of each row; the two on either side of one half share the choice.

    Examples
    --------
    >>> median_labels(np.array([[0.2, 0.5, 0.3], [0.5, 0, 0.5]]), np.array([1.0, 2, 3]))
    array([[0. , 1. , 0. ],
           [0.5, 0. , 0.5]])
    """
    order = np.argsort(value, kind="stable")
    below = np.cumsum(prediction[..., order], axis=-1)
    low = np.argmax(below >= 0.5 - TIE, axis=-1)
    high = np.argmax(below > 0.5 + TIE, axis=-1)
    places = np.arange(len(value))
    chosen = 0.5 * (places == low[..., None]) + 0.5 * (places == high[..., None])
    out = np.empty_like(chosen)
    out[..., order] = chosen
    return out


class SquaredError(OrderedScorer):
    r"""Minus the mean squared error, :math:`-E (m_i - y_i)^2`. At most 0.

    A soft prediction counts as its mean :math:`m_i = \sum_l p_i(l) v_l`, which is the best that
    can be said under squared error; a hard one as the number that it says. On an ordinal scale
    :math:`v_l` is the place of the label.

    The mean of a few raters' labels is not scored: it varies too much to be the best prediction of
    the next label, so that a classifier would look worth more raters than it is.

    Examples
    --------
    >>> import numpy as np
    >>> from headcount.data.labels import Scale
    >>> scorer = SquaredError(Scale(("1", "2", "5")))
    >>> prediction, reference = np.array([[0.5, 0, 0.5]]), np.array([[0, 0.5, 0.5]])
    >>> scorer.score(prediction, reference, np.array([1.0]))  # 3 for 2 or 5
    array(-2.5)
    """

    name, measures = "squared-error", "minus squared error"
    calibrates = True
    unfair = (
        "The mean of few labels varies too much to be the best prediction of the next one, so that "
        "a classifier would look worth more raters than it is."
    )

    def statistics(self, prediction: Floats, reference: Floats, kind: Kind) -> Floats:
        """Take the expected squared error, by E(m - y)^2 = m^2 - 2 m E y + E y^2."""
        value = self.value - self.value.mean()
        m = prediction @ value
        # A hard prediction is one of several numbers by chance; a soft one is their mean.
        square = prediction @ value**2 if kind == "hard" else m**2
        return -(square - 2 * m * (reference @ value) + reference @ value**2)[..., None]


class AbsoluteError(OrderedScorer):
    r"""Minus the mean absolute error, :math:`-E |m_i - y_i|`. At most 0.

    A soft prediction counts as its median, which is the best that can be said under absolute
    error (half way where two labels share it); a hard one as the number that it says. On an
    ordinal scale numbers are places of labels.

    Examples
    --------
    >>> from headcount.data.labels import Scale
    >>> scorer = AbsoluteError(Scale(("1", "2", "5")))
    >>> prediction, reference = np.array([[0.5, 0.1, 0.4]]), np.array([[0, 0.5, 0.5]])
    >>> scorer.score(prediction, reference, np.array([1.0]))  # 1.5 for 2 or 5
    array(-2.)
    """

    name, measures = "absolute-error", "minus absolute error"
    calibrates = True
    unfair = "Under absolute error the best prediction is a median of probabilities, not a mean."

    def statistics(self, prediction: Floats, reference: Floats, kind: Kind) -> Floats:
        """Take the expected distance of what is said to the reference label."""
        value = self.value
        if kind == "hard":
            return expected(-(prediction @ np.abs(value[:, None] - value)), reference)
        middle = median_labels(prediction, value) @ value
        return expected(-np.abs(middle[..., None] - value), reference)


class RankedProbability(OrderedScorer):
    r"""Minus the ranked probability score: a Brier score that credits near misses. At most 0.

    .. math:: -\sum_{j < L} (v_{j+1} - v_j) \left(P_i(v_j) - [y_i \le v_j]\right)^2

    with :math:`P_i(v_j)` the probability of a label up to :math:`v_j` (Epstein 1969). With numbers
    it is the continuous ranked probability score, in the units of the labels; on an ordinal scale
    all steps are 1. A hard prediction scores minus its absolute error. It is a proper score, and
    depends on the whole distribution.

    Examples
    --------
    >>> scorer = RankedProbability(Scale(("low", "mid", "high"), kind="ordinal"))
    >>> prediction, reference = np.array([[0.5, 0.5, 0.0]]), np.array([[0, 0, 1.0]])
    >>> scorer.score(prediction, reference, np.array([1.0]))  # .25 up to low, 1 up to mid
    array(-1.25)
    """

    name, measures = "rps", "minus ranked probability score"
    calibrates = of_distributions = True

    def __init__(self, scale: Scale, positive: int | None = None) -> None:
        super().__init__(scale, positive)
        self.order = np.argsort(self.value, kind="stable")
        self.step = np.diff(self.value[self.order])
        # Whether a label (row) is at most each of the others, of which the last says nothing.
        places = np.arange(len(self.value))
        self.reached = (places[:, None] <= places[:-1]).astype(np.float64)

    def statistics(self, prediction: Floats, reference: Floats, kind: Kind) -> Floats:
        """Take the expected squared distance of cumulative probabilities."""
        p, observed = prediction[..., self.order], reference[..., self.order]
        if kind == "hard":
            value = self.value[self.order]
            return expected(-(p @ np.abs(value[:, None] - value)), observed)
        below = np.cumsum(p, axis=-1)[..., :-1]
        # (P - r)^2 = P^2 - 2 P r + r, since r is 0 or 1.
        fixed = (below**2 @ self.step)[..., None]
        each = (below * self.step) @ self.reached.T
        return expected(-(fixed - 2 * each + self.reached @ self.step), observed)


class WeightedKappa(OrderedScorer):
    r"""Agreement beyond chance, in which near misses count in part: :math:`1 - D_o / D_e`.

    :math:`D_o` is the mean distance of predicted and reference label, :math:`D_e` that of the two
    drawn apart from each other (Cohen 1968). 0 where predictions do not vary, as those of no
    rater. A soft prediction counts as its most probable label, a mean as the label nearest to it;
    on an ordinal scale numbers are places of labels.

    No proper score: it punishes predictions that vary less than raters' labels do, as the best
    ones do under any proper score. The mean of raters' labels is its fairest opponent.
    """

    kinds = frozenset[Kind]({"hard", "soft", "mean"})
    by_choice = relative = True
    fairest = "mean"

    power: int
    """Of the difference of labels, which is their distance."""

    def statistics(self, prediction: Floats, reference: Floats, kind: Kind) -> Floats:
        """Take the joint distribution of chosen and reference label."""
        chosen = choice(prediction, kind)
        if kind == "mean":
            chosen = nearest_labels(prediction, self.value)
        joint = chosen[..., :, None] * reference[..., None, :]
        return joint.reshape(*joint.shape[:-2], len(self.scale) ** 2)

    def finish(self, means: Floats) -> Floats:
        """Compare the mean distance with that of labels drawn apart."""
        size = len(self.scale)
        joint = means.reshape(*means.shape[:-1], size, size)
        distance = np.abs(self.value[:, None] - self.value) ** self.power
        observed = (joint * distance).sum(axis=(-1, -2))
        rows, columns = joint.sum(axis=-1), joint.sum(axis=-2)
        chance = np.einsum("...i,ij,...j->...", rows, distance, columns)
        # Labels that are all the same, of both, leave nothing to agree on.
        flat = chance <= 1e-12 * distance.max()
        return np.where(flat, 0.0, 1 - observed / np.where(flat, 1.0, chance))


class Kappa(WeightedKappa):
    r"""Kappa with quadratic weights, :math:`(v_c - v_l)^2`; 1 is best."""

    name, measures = "kappa", "quadratic kappa"
    power = 2


class KappaLinear(WeightedKappa):
    r"""Kappa with linear weights, :math:`|v_c - v_l|`; 1 is best."""

    name, measures = "kappa-linear", "linear kappa"
    power = 1


# Scorers that need the order of all rows, and not only means over them.


class BoundScorer(BuiltInScorer):
    """A scorer that does its work in :meth:`bind`, such as sorting, once for all weights."""

    @abstractmethod
    def bind(
        self, prediction: Floats, reference: Floats, kind: Kind, group: Group | None = None
    ) -> Callable[[Floats], Floats]:
        """Do what does not depend on weights; the answer scores weights (..., rows)."""

    def score(
        self, prediction: Floats, reference: Floats, weight: Floats, kind: Kind = "soft"
    ) -> Floats:
        """Score tables with predictions (..., rows, labels) and weights (..., rows)."""
        if prediction.ndim == 2:
            return self.bind(prediction, reference, kind)(weight)
        each = [
            self.score(p, reference if reference.ndim == 2 else reference[i], w, kind)
            for i, (p, w) in enumerate(zip(prediction, weight, strict=True))
        ]
        return np.array(each)


def runs(*columns: NDArray[Any]) -> Ints:
    """Find where rows of sorted columns differ from the row before them.

    Examples
    --------
    >>> runs(np.array([1, 1, 2]), np.array([0, 1, 1]))
    array([0, 1, 2])
    """
    differs = np.zeros(len(columns[0]), dtype=bool)
    differs[0] = True
    for column in columns:
        differs[1:] |= column[1:] != column[:-1]
    return np.flatnonzero(differs)


class AUC(BoundScorer):
    r"""Area under the ROC curve of the probability of one label, or its mean over labels.

    .. math:: \frac{\sum_{i,j} w^+_i w^-_j ([s_i > s_j] + \tfrac12 [s_i = s_j])}
              {\sum_i w^+_i \sum_j w^-_j}

    with :math:`s_i` the probability of the label in row i, :math:`w^+_i` the weight of reference
    raters who gave it and :math:`w^-_j` that of those who did not. With two labels it is the same
    for either; with more it is the mean of one label against the rest, unless one is chosen.
    A label that all or none gave has no ROC curve and is left out of the mean. Surveys that
    observed the same tie, although leaving the item out gives each a prediction of its own.

    Cost O(rows log rows) once, and O(rows) a set of weights.
    """

    name, unit, kinds = "auc", "area", SOFT
    takes_positive = True

    def __init__(self, scale: Scale, positive: int | None = None) -> None:
        if positive is not None:
            self.labels = (positive,)
        else:
            self.labels = (0,) if len(scale) == 2 else tuple(range(len(scale)))

    def bind(
        self,
        prediction: Floats,
        reference: Floats,
        kind: Kind = "soft",
        group: Group | None = None,
    ) -> Callable[[Floats], Floats]:
        """Sort by probability once; the answer scores weights (..., rows)."""
        del kind
        plans = [(_Ranking(prediction[:, c], group), reference[:, c]) for c in self.labels]

        def scored(weight: Floats) -> Floats:
            areas, defined = np.zeros(weight.shape[:-1]), np.zeros(weight.shape[:-1])
            for ranking, positive in plans:
                up, down = weight * positive, weight * (1 - positive)
                pairs = up.sum(axis=-1) * down.sum(axis=-1)
                won = (up * ranking.ranks(down)).sum(axis=-1)
                areas += won / np.where(pairs > 0, pairs, 1.0)
                defined += pairs > 0
            return areas / np.maximum(defined, 1)

        return scored


class Spearman(BoundScorer):
    r"""Spearman's rank correlation: Pearson's, of ranks among all predictions and all labels.

    .. math:: R(x_i) = \sum_j w_j \left([x_j < x_i] + \tfrac12 [x_j = x_i]\right)

    is the rank of a prediction in a table with weights w, and that of a label likewise; what ties
    has the mean of its ranks. A soft prediction counts as its mean, a hard one as the label that
    it says. 0 where predictions or labels do not vary, as those of no rater. Surveys that observed
    the same tie, although leaving the item out gives each a prediction of its own.

    Cost O(rows log rows) once, and O(rows x labels) a set of weights.
    """

    name, unit = "spearman", "Spearman's rho"
    kinds = frozenset[Kind]({"hard", "soft", "mean"})
    needs_numbers = True

    def __init__(self, scale: Scale, positive: int | None = None) -> None:
        del positive
        self.value = values_of(scale, self.name)[0]
        self.order = np.argsort(self.value, kind="stable")

    def bind(
        self,
        prediction: Floats,
        reference: Floats,
        kind: Kind = "soft",
        group: Group | None = None,
    ) -> Callable[[Floats], Floats]:
        """Sort predictions once; the answer scores weights (..., rows)."""
        row, x, share = (
            np.arange(len(prediction)),
            prediction @ self.value,
            np.ones(len(prediction)),
        )
        if kind == "hard":  # which may say several labels, each with its chance
            row, label = np.nonzero(prediction)
            x, share = self.value[label], prediction[row, label]
        ranking = _Ranking(x, None if group is None else group[row])
        labels = reference[:, self.order]

        def scored(weight: Floats) -> Floats:
            weight = weight / weight.sum(axis=-1, keepdims=True)
            label_weight = weight @ labels
            # Ranks about 1/2, their mean.
            of_label = np.cumsum(label_weight, axis=-1) - label_weight / 2 - 0.5
            each = weight[..., row] * share
            of_x = ranking.ranks(each) - 0.5
            expected = np.einsum("...l,rl->...r", of_label, labels)[..., row]
            together = (each * of_x * expected).sum(axis=-1)
            variance = (each * of_x**2).sum(axis=-1) * (label_weight * of_label**2).sum(axis=-1)
            flat = variance <= 1e-20
            return np.where(flat, 0.0, together / np.sqrt(np.where(flat, 1.0, variance)))

        return scored


class _Ranking:
    """Ranks of numbers, ties in the middle, as a function of weights; those of a group tie."""

    def __init__(self, x: Floats, group: Group | None) -> None:
        # Numbers that are equal but for rounding tie.
        rounded = np.round(x, 12)
        self.order, self.run = _sorted(rounded)
        self.group = None if group is None else np.unique(group, return_inverse=True)[1]
        if self.group is not None:
            self.inner_order, self.inner_run = _sorted(rounded, self.group)
            self.starts = runs(self.group[self.inner_order])

    def ranks(self, weight: Floats) -> Floats:
        """Weight below each number, and half of that at it."""
        out = _below(weight, self.order, self.run)
        if self.group is None:
            return out
        total = np.add.reduceat(weight[..., self.inner_order], self.starts, axis=-1)
        before = np.cumsum(total, axis=-1) - total
        # Within a group the rank is one half of its weight, whatever the numbers.
        inner = _below(weight, self.inner_order, self.inner_run)
        return out - inner + (before + total / 2)[..., self.group]


def _sorted(x: Floats, group: Ints | None = None) -> tuple[Ints, Ints]:
    """Order by group and number, and the run of equal ones to which each place belongs."""
    columns = (x,) if group is None else (group, x)
    order = np.lexsort(columns[::-1])
    starts = runs(*(column[order] for column in columns))
    run = np.zeros(len(x), dtype=np.intp)
    run[starts] = 1
    return order, np.cumsum(run) - 1


def _below(weight: Floats, order: Ints, run: Ints) -> Floats:
    """Weight of the runs before that of each row, and half of its own."""
    starts = np.searchsorted(run, np.arange(int(run[-1]) + 1))
    own = np.add.reduceat(weight[..., order], starts, axis=-1)
    middle = np.cumsum(own, axis=-1) - own / 2
    out = np.empty_like(weight)
    out[..., order] = middle[..., run]
    return out


SCORERS: dict[str, type[SumScorer] | type[BoundScorer]] = {
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

"""Combiners: what a survey of k raters predicts for the next rater.

A combiner sees only how many raters gave each label. You can write your own: a function that
takes a dict of counts and returns a label, or a dict of probabilities; or an object with the
attributes of :class:`Predictor`::

    def optimist(counts):
        return "yes" if counts["yes"] else "no"

    survey(labels, combiner=optimist, scorer="agreement")
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol, runtime_checkable

import numpy as np
from numpy.typing import NDArray

from headcount.data.scale import Scale
from headcount.data.vocabulary import number_of
from headcount.equivalence.scorers.base import Kind, Scorer, most_probable
from headcount.equivalence.scorers.scorers import SCORERS
from headcount.equivalence.surveys.surveys import Surveys
from headcount.errors import OptionError, some, unknown_name
from headcount.typing import Floats

__all__ = ["ABC", "Combiner", "Frequency", "Mean", "Plurality", "as_combiner", "check_pair"]

Counts = NDArray[np.int64]
Written = Callable[[dict[str, int]], str | Mapping[str, float]]
"""A combiner as a user writes it."""


@runtime_checkable
class Predictor(Protocol):
    """A combiner that looks at nothing but the survey itself, as an object."""

    @property
    def name(self) -> str:
        """What users call it."""
        ...

    @property
    def kind(self) -> Kind:
        """What it predicts: labels (hard), probabilities (soft) or a mean."""
        ...

    def predict(self, observed: Counts) -> Floats:
        """Predict from each row of label counts: a row of probabilities or of chances."""
        ...


@dataclass(frozen=True)
class Plurality:
    """The most common label; labels that tie are chosen at random, with equal chances.

    The choice is never drawn: each of the labels that tie gets its share. With no raters every
    label ties.

    Examples
    --------
    >>> Plurality().predict(np.array([[2, 1, 0], [1, 1, 0]]))
    array([[1. , 0. , 0. ],
           [0.5, 0.5, 0. ]])
    """

    name: str = "plurality"
    kind: Kind = "hard"

    def predict(self, observed: Counts) -> Floats:
        """Chances that each label is chosen, for each row of label counts."""
        return most_probable(observed.astype(np.float64))


@dataclass(frozen=True)
class Frequency:
    r"""The frequency of each label in the survey, kept away from 0 and 1.

    :math:`p_l \propto \min(\max(y_l / k, \epsilon), 1 - \epsilon)`; uniform with no raters.

    Parameters
    ----------
    eps : float
        Smallest probability before normalising; .02 in the paper. 0 leaves frequencies alone.

    Examples
    --------
    >>> Frequency(eps=0.02).predict(np.array([[2, 0], [0, 0]]))
    array([[0.98, 0.02],
           [0.5 , 0.5 ]])
    """

    eps: float = 0.02
    name: str = "frequency"
    kind: Kind = "soft"

    def __post_init__(self) -> None:
        if not 0 <= self.eps < 0.5:
            raise OptionError(f"eps of the frequency combiner must be in [0, 0.5), not {self.eps}.")

    def predict(self, observed: Counts) -> Floats:
        """Probabilities of the next label, for each row of label counts."""
        k = observed.sum(axis=1, keepdims=True)
        share = observed / np.maximum(k, 1) + (k == 0) / observed.shape[1]
        kept = np.clip(share, self.eps, 1 - self.eps)
        return kept / kept.sum(axis=1, keepdims=True)


@dataclass(frozen=True)
class Mean:
    r"""The mean of the observed labels, which must be numbers; for the correlation scorer.

    What is kept is the share of each label, whose mean :math:`\sum_l (y_l / k) v_l` the scorer
    takes; with no raters the shares are equal, and the prediction is the same for every item.

    Examples
    --------
    >>> Mean().predict(np.array([[1, 3], [0, 0]]))
    array([[0.25, 0.75],
           [0.5 , 0.5 ]])
    """

    name: str = "mean"
    kind: Kind = "mean"

    def predict(self, observed: Counts) -> Floats:
        """Share of each label, for each row of label counts."""
        return Frequency(eps=0).predict(observed)


@dataclass(frozen=True)
class ABC:
    r"""The Anonymous Bayesian Combiner: what followed the same observation on other items.

    Let :math:`N_{yl}` be the expected number of *other* items on which a survey of k raters
    observes the counts y and the next rater says l. Then

    .. math:: p_l(y) = N_{yl} \,/\, \textstyle\sum_j N_{yj}

    which is Algorithms 5-6 of the paper, with the item itself left out: with one sequence
    probability in the numerator and one in the denominator, the number of orderings of y and the
    number of items cancel.

    Where no other item can show y followed by some label, that quotient says 0, or 0/0. There,
    one imaginary item is added that answers as the survey with one rater fewer (averaged over
    which rater is missing) predicts, :math:`q(y)`:

    .. math:: p_l(y) = (N_{yl} + q_l(y)) \,/\, (1 + \textstyle\sum_j N_{yj})

    and with no raters at all q is uniform. So a prediction is never 0, never undefined, does not
    look at the label that it will be scored against, and the correction fades as items are added.

    References
    ----------
    Resnick, Kong, Schoenebeck and Weninger, "Survey Equivalence", section 4.
    """

    name: str = "abc"
    kind: Kind = "soft"

    def learn(
        self,
        surveys: Surveys,
        multiplicity: NDArray[np.int64],
        shorter: tuple[Surveys, Floats] | None,
    ) -> tuple[Floats, NDArray[np.bool_]]:
        """Predict the next label in every row of `surveys`, learning from all other items.

        Parameters
        ----------
        surveys : Surveys
            Surveys of k raters.
        multiplicity : (patterns,) array of int
            How many items show each pattern.
        shorter : (Surveys, array) or None
            Surveys of k - 1 raters and what they predict; None for k = 0.

        Returns
        -------
        prediction : (rows, labels) array
        helped : (rows,) array of bool
            Where the imaginary item was needed.

        Notes
        -----
        O(rows x labels) time and memory.
        """
        items = multiplicity[surveys.pattern][:, None]
        joint = surveys.probability[:, None] * surveys.next
        others = _leave_one_out(surveys, items, joint)
        supported = _leave_one_out(surveys, items, (joint > 0).astype(np.float64)) > 0.5
        helped = ~np.all(supported, axis=1)
        others = np.where(supported, others, 0.0)
        total = others.sum(axis=1, keepdims=True)
        prediction = others / np.where(total > 0, total, 1.0)
        if helped.any():
            imaginary = _shorter_prediction(surveys, shorter, np.flatnonzero(helped))
            prediction[helped] = (others[helped] + imaginary) / (1 + total[helped])
        return prediction, helped


def _leave_one_out(surveys: Surveys, items: NDArray[np.int64], each: Floats) -> Floats:
    """Sum `each` over all items with the same observation, less one item of the row's pattern."""
    starts = surveys.starts
    total = np.add.reduceat(items * each, starts, axis=0)[surveys.state]
    others = total - each
    # Where an item is nearly alone with its observation, the difference is mostly rounding: sum
    # again without it. A row can be nearly alone for a label only once an observation.
    alone = np.flatnonzero(np.any((others < 1e-4 * each) & (each > 0), axis=1))
    ends = np.append(starts[1:], len(each))
    for row in alone.tolist():
        group = slice(int(starts[surveys.state[row]]), int(ends[surveys.state[row]]))
        weight = items[group].astype(np.float64)
        weight[row - group.start] -= 1
        others[row] = (weight * each[group]).sum(axis=0)
    return others


def _shorter_prediction(
    surveys: Surveys, shorter: tuple[Surveys, Floats] | None, rows: NDArray[np.intp]
) -> Floats:
    """Mean prediction of the surveys with one of the raters missing, for chosen rows."""
    n_labels = surveys.observed.shape[1]
    if shorter is None:
        return np.full((len(rows), n_labels), 1 / n_labels)
    before, prediction = shorter
    observed = surveys.observed[surveys.state[rows]]
    mean = np.zeros((len(rows), n_labels))
    for label in range(n_labels):
        has = observed[:, label] > 0
        less = observed[has]
        less[:, label] -= 1
        source = before.find(surveys.pattern[rows[has]], less)
        mean[has] += observed[has, label][:, None] / surveys.k * prediction[source]
    return mean


@dataclass(frozen=True)
class _Written:
    """A combiner that a user wrote as a function of a dict of counts."""

    function: Written
    labels: tuple[str, ...]
    kind: Kind

    @property
    def name(self) -> str:
        return getattr(self.function, "__name__", type(self.function).__name__)

    def predict(self, observed: Counts) -> Floats:
        rows = [_call(self.function, self.labels, [int(c) for c in counts]) for counts in observed]
        return np.array([row for _, row in rows])


def _call(
    function: Written, labels: tuple[str, ...], counts: Sequence[int]
) -> tuple[Kind, list[float]]:
    given = dict(zip(labels, counts, strict=True))
    answer = function(dict(given))
    name = getattr(function, "__name__", type(function).__name__)
    if not isinstance(answer, Mapping):
        if answer not in labels:
            raise OptionError(
                f"combiner '{name}' returned label '{answer}' for {given}; it must return one of "
                f"{some(labels, 10)}, or a dict of their probabilities."
            )
        return "hard", [float(label == answer) for label in labels]
    probabilities = [float(answer.get(label, 0.0)) for label in labels]
    if set(answer) - set(labels) or min(probabilities) < 0 or abs(sum(probabilities) - 1) > 1e-6:
        raise OptionError(
            f"combiner '{name}' returned {dict(answer)} for {given}; it must return a label, or a "
            f"dict that gives {some(labels, 10)} probabilities that sum to 1."
        )
    return "soft", probabilities


Combiner = ABC | Predictor
"""What turns a survey into a prediction."""

COMBINERS: dict[str, Combiner] = {c.name: c for c in (ABC(), Frequency(), Plurality(), Mean())}


def as_combiner(
    combiner: str | ABC | Predictor | Written, labels: tuple[str, ...]
) -> ABC | Predictor:
    """Find a combiner by name, or wrap a function that a user wrote."""
    if isinstance(combiner, str):
        if combiner not in COMBINERS:
            raise unknown_name("combiner", combiner, list(COMBINERS))
        return COMBINERS[combiner]
    if isinstance(combiner, (ABC, Predictor)):
        return combiner
    kind, _ = _call(combiner, labels, [0] * len(labels))
    return _Written(combiner, labels, kind)


def check_pair(combiner: ABC | Predictor, scorer: Scorer, scale: Scale) -> None:
    """Raise OptionError where the scorer cannot score what the combiner predicts."""
    if combiner.kind in scorer.kinds:
        return
    numeric = all(number_of(label) is not None for label in scale.labels)
    scorers = [
        make(scale, None) for name, make in SCORERS.items() if numeric or name != "correlation"
    ]
    good_scorers = [s.name for s in scorers if combiner.kind in s.kinds]
    good_combiners = [c.name for c in COMBINERS.values() if c.kind in scorer.kinds]
    predicts = {"hard": "labels", "soft": "probabilities", "mean": "means"}
    raise OptionError(
        f"combiner '{combiner.name}' predicts {predicts[combiner.kind]}, which scorer "
        f"'{scorer.name}' does not score. With {scorer.name} use combiner "
        f"{' or '.join(good_combiners)}; with {combiner.name} use scorer "
        f"{' or '.join(good_scorers) or 'correlation, on labels that are numbers'}."
    )

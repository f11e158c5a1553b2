"""Combiners: what a survey of k raters predicts for the next rater.

A combiner sees only how many raters gave each label. You can write your own: a function that
takes a dict of counts and returns a label, or a dict of probabilities::

    def optimist(counts):
        return "yes" if counts["yes"] else "no"

    survey(labels, combiner=optimist, scorer="agreement")
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from headcount.equivalence.scorers import SCORERS, Scorer, most_probable
from headcount.equivalence.surveys import Surveys
from headcount.errors import OptionError, some, unknown_name

__all__ = ["ABC", "Combiner", "Frequency", "Plurality", "as_combiner", "check_pair"]

Floats = NDArray[np.float64]
Counts = NDArray[np.int64]
Written = Callable[[dict[str, int]], str | Mapping[str, float]]
"""A combiner as a user writes it."""


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
    kind: Literal["hard", "soft"] = "hard"

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
    kind: Literal["hard", "soft"] = "soft"

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
    kind: Literal["hard", "soft"] = "soft"

    def predict(
        self, surveys: Surveys, multiplicity: Floats, shorter: tuple[Surveys, Floats] | None
    ) -> tuple[Floats, NDArray[np.bool_]]:
        """Predict the next label in every row of `surveys`, learning from all other items.

        Parameters
        ----------
        surveys : Surveys
            Surveys of k raters.
        multiplicity : (draws, patterns) array
            How many items show each pattern; each draw is a data set of its own.
        shorter : (Surveys, array) or None
            Surveys of k - 1 raters and what they predict; None for k = 0.

        Returns
        -------
        prediction : (draws, rows, labels) array
        helped : (draws, rows) array of bool
            Where the imaginary item was needed.

        Notes
        -----
        O(draws x rows x labels) time and memory.
        """
        items = multiplicity[:, surveys.pattern, None]
        present = items > 0
        joint = surveys.probability[:, None] * surveys.reference
        others = self._others(surveys, items, present, joint)
        # Rounding can hide that a difference is zero, so support is counted in whole items.
        supported = self._others(surveys, items, present, (joint > 0).astype(np.float64))
        helped = np.any(supported < 0.5, axis=-1)
        total = others.sum(axis=-1, keepdims=True)
        with np.errstate(invalid="ignore", divide="ignore"):
            prediction = others / total
        if helped.any():
            draw, row = np.nonzero(helped)
            known = np.where(supported[draw, row] < 0.5, 0.0, others[draw, row])
            imaginary = _shorter_prediction(surveys, shorter, draw, row)
            prediction[draw, row] = (known + imaginary) / (1 + known.sum(axis=-1, keepdims=True))
        return prediction, helped

    @staticmethod
    def _others(
        surveys: Surveys, items: Floats, present: NDArray[np.bool_], each: Floats
    ) -> Floats:
        """Sum `each` over all items with the same observation, less the item of the row."""
        total = np.add.reduceat(items * each, surveys.starts, axis=1)
        return total[:, surveys.state] - present * each


def _shorter_prediction(
    surveys: Surveys,
    shorter: tuple[Surveys, Floats] | None,
    draw: NDArray[np.intp],
    row: NDArray[np.intp],
) -> Floats:
    """Mean prediction of the surveys with one of the raters missing, for chosen draws and rows."""
    n_labels = surveys.observed.shape[1]
    if shorter is None:
        return np.full((len(row), n_labels), 1 / n_labels)
    before, prediction = shorter
    needed, back = np.unique(row, return_inverse=True)
    observed = surveys.observed[surveys.state[needed]]
    mean = np.zeros((len(row), n_labels))
    for label in range(n_labels):
        has = observed[:, label] > 0
        less = observed[has]
        less[:, label] -= 1
        source = np.zeros(len(needed), dtype=np.intp)
        source[has] = before.find(surveys.pattern[needed[has]], less)
        share = observed[:, label] / surveys.k
        mean += share[back, None] * prediction[draw, source[back]]
    return mean


@dataclass(frozen=True)
class _Written:
    """A combiner that a user wrote as a function of a dict of counts."""

    function: Written
    labels: tuple[str, ...]
    kind: Literal["hard", "soft"]

    @property
    def name(self) -> str:
        return getattr(self.function, "__name__", type(self.function).__name__)

    def predict(self, observed: Counts) -> Floats:
        rows = [_call(self.function, self.labels, [int(c) for c in counts]) for counts in observed]
        return np.array([row for _, row in rows])


def _call(
    function: Written, labels: tuple[str, ...], counts: Sequence[int]
) -> tuple[Literal["hard", "soft"], list[float]]:
    given = dict(zip(labels, counts, strict=True))
    answer = function(dict(given))
    name = getattr(function, "__name__", type(function).__name__)
    if isinstance(answer, str):
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


Myopic = Plurality | Frequency | _Written
Combiner = ABC | Plurality | Frequency
"""The combiners that headcount brings."""

COMBINERS: dict[str, Combiner] = {c.name: c for c in (ABC(), Frequency(), Plurality())}


def as_combiner(combiner: str | Combiner | Written, labels: tuple[str, ...]) -> ABC | Myopic:
    """Find a combiner by name, or wrap a function that a user wrote."""
    if isinstance(combiner, str):
        if combiner not in COMBINERS:
            raise unknown_name("combiner", combiner, list(COMBINERS))
        return COMBINERS[combiner]
    if isinstance(combiner, (ABC, Plurality, Frequency)):
        return combiner
    kind, _ = _call(combiner, labels, [0] * len(labels))
    return _Written(combiner, labels, kind)


def check_pair(combiner: ABC | Myopic, scorer: Scorer) -> None:
    """Raise OptionError where the scorer cannot score what the combiner predicts."""
    if scorer.needs == "soft" and combiner.kind == "hard":
        soft = [c.name for c in COMBINERS.values() if c.kind == "soft"]
        hard = [s.name for s in SCORERS.values() if s.needs == "hard"]
        raise OptionError(
            f"combiner '{combiner.name}' predicts a label, but scorer '{scorer.name}' needs "
            f"probabilities. Use combiner {' or '.join(soft)}, or scorer {' or '.join(hard)}."
        )

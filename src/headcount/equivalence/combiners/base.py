"""What a combiner is.

A combiner predicts the next rater's label after a survey. Most look at nothing but the survey: how
many raters gave each label (:class:`FromCounts`). Others learn what followed the same survey on
other items, as the Anonymous Bayesian Combiner does.
"""

from __future__ import annotations

from abc import abstractmethod
from typing import NamedTuple, Protocol, runtime_checkable

import numpy as np

from headcount.equivalence.scorers.base import Kind
from headcount.equivalence.surveys.surveys import Asked, Surveys
from headcount.typing import Codes, Flags, Floats

__all__ = ["Combiner", "FromCounts", "Predicted"]


class Predicted(NamedTuple):
    """What surveys predict, and where a combiner had too little to learn from.

    Parameters
    ----------
    prediction : (rows, labels) array
        Probabilities of labels, or chances of choosing each.
    helped : (rows,) array of bool
        Where no other item could show the survey followed by some label.
    """

    prediction: Floats
    helped: Flags


@runtime_checkable
class Combiner(Protocol):
    """What turns surveys into predictions of the next rater's label."""

    @property
    def name(self) -> str:
        """What users call it."""
        ...

    @property
    def kind(self) -> Kind:
        """What it predicts: labels (hard), probabilities (soft) or a mean."""
        ...

    @property
    def bayesian(self) -> bool:
        """Whether it tends to the true probabilities of the next label as items are added."""
        ...

    def predictions(
        self,
        surveys: Surveys,
        multiplicity: Codes,
        shorter: tuple[Surveys, Floats] | None,
    ) -> Predicted:
        """Predict the next label in every row of `surveys`.

        Parameters
        ----------
        surveys : Surveys
            All surveys of k raters.
        multiplicity : (patterns,) array of int
            How many items show each pattern.
        shorter : (Surveys, array) or None
            Surveys of k - 1 raters and what they predict; None for k = 0.
        """
        ...

    def sampled_predictions(self, asked: Asked, shorter: Floats | None) -> Predicted:
        """Predict the next label after surveys of some raters, asked one after the other.

        Parameters
        ----------
        asked : Asked
        shorter : (rows, labels) array or None
            What the same surveys predicted before the last rater was asked, where that is known.
        """
        ...

    def limit_predictions(self, observed: Codes, next_label: Floats) -> Floats:
        """Predict after each observation, having learned from infinitely many items.

        Parameters
        ----------
        observed : (rows, labels) array of int
            Label counts of surveys.
        next_label : (..., rows, labels) array
            True probabilities of the next label after each.
        """
        ...


class FromCounts:
    """A combiner that looks at nothing but how many raters gave each label.

    A subclass has a `name` and a `kind`, and says in :meth:`predict` what a survey predicts.
    """

    bayesian = False

    @abstractmethod
    def predict(self, observed: Codes) -> Floats:
        """Predict from each row of label counts: a row of probabilities or of chances."""

    def predictions(
        self,
        surveys: Surveys,
        multiplicity: Codes,
        shorter: tuple[Surveys, Floats] | None,
    ) -> Predicted:
        """Predict once for each observation."""
        return _unhelped(self.predict(surveys.observed)[surveys.state])

    def sampled_predictions(self, asked: Asked, shorter: Floats | None) -> Predicted:
        """Predict from the label counts of each survey."""
        return _unhelped(self.predict(asked.observed))

    def limit_predictions(self, observed: Codes, next_label: Floats) -> Floats:
        """Predict from the label counts, whatever other items would teach."""
        return np.broadcast_to(self.predict(observed), next_label.shape)


def _unhelped(prediction: Floats) -> Predicted:
    return Predicted(prediction, np.zeros(len(prediction), dtype=np.bool_))

"""What a combiner is.

A combiner predicts the next rater's label after a survey. Most look at nothing but the survey: how
many raters gave each label (:class:`FromCounts`). Others learn what followed the same survey on
other items, as the Anonymous Bayesian Combiner does.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterable, Sequence
from typing import NamedTuple, Protocol, Self, runtime_checkable

import numpy as np

from headcount.equivalence.scorers.base import Kind
from headcount.equivalence.surveys.surveys import Asked, PooledItems, Surveys
from headcount.typing import Codes, Flags, Floats

__all__ = ["Combiner", "FromCounts", "Learned", "Predicted", "unhelped"]


class Predicted(NamedTuple):
    """What surveys predict, and where a combiner had too little to learn from.

    Parameters
    ----------
    prediction : (rows, labels) array
        Probabilities of labels, or chances of choosing each.
    helped : (rows,) array of bool
        Where no other item could show the survey followed by some label.
    share : (rows,) array or None
        Where a combiner predicts in several ways, whose scores are averaged: the share of this
        one. None where it is the only one.
    """

    prediction: Floats
    helped: Flags
    share: Floats | None = None


class Learned(Protocol):
    """A combiner that has learned from items what it needs."""

    def predictions(self, surveys: Surveys) -> Iterable[Predicted]:
        """Predict the next label in every row of the surveys of 0, then 1, 2 ... raters."""
        ...

    def sampled(self, asked: Asked, shorter: Floats | None) -> Sequence[Predicted]:
        """Predict the next label after surveys of some raters, asked one after the other.

        Parameters
        ----------
        asked : Asked
        shorter : (rows, labels) array or None
            What was predicted first for the same surveys before the last rater was asked, where
            that is known.
        """
        ...

    def predict(self, observed: Codes) -> Floats:
        """Predict the next label on a new item, after each row of label counts."""
        ...


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

    @property
    def leaves_out(self) -> bool:
        """Whether it learns from all items but the one it predicts, so that learning costs it.

        Then its curve is too low by what it has not learned yet, most so at large surveys, and
        cannot be continued beyond the data.
        """
        ...

    def learn(self, items: PooledItems) -> Learned:
        """Learn from the items that are scored; O(patterns), not O(items)."""
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
    leaves_out = False

    @abstractmethod
    def predict(self, observed: Codes) -> Floats:
        """Predict from each row of label counts: a row of probabilities or of chances."""

    def learn(self, items: PooledItems) -> Self:
        """Learn nothing."""
        return self

    def predictions(self, surveys: Surveys) -> Iterable[Predicted]:
        """Predict once for each observation."""
        return [unhelped(self.predict(surveys.observed)[surveys.state])]

    def sampled(self, asked: Asked, shorter: Floats | None) -> Sequence[Predicted]:
        """Predict from the label counts of each survey."""
        return [unhelped(self.predict(asked.observed))]

    def limit_predictions(self, observed: Codes, next_label: Floats) -> Floats:
        """Predict from the label counts, whatever other items would teach."""
        return np.broadcast_to(self.predict(observed), next_label.shape)


def unhelped(prediction: Floats, share: Floats | None = None) -> Predicted:
    """Say that nothing was lacking."""
    return Predicted(prediction, np.zeros(len(prediction), dtype=np.bool_), share)

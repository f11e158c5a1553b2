"""Scorers that are functions of weighted means of statistics of the rows."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable

import numpy as np

from headcount.data.scale import Scale
from headcount.equivalence.scorers.base import Group, Kind, most_probable
from headcount.equivalence.scorers.built_in import BuiltInScorer
from headcount.typing import Floats

__all__ = ["ConfusionScorer", "SumScorer", "choice", "expected"]


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

    def __init__(self, scale: Scale, positive: int | None = None) -> None:
        super().__init__(scale, positive)
        self.unit = "mean over labels" if positive is None else f"of '{scale.labels[positive]}'"

    @abstractmethod
    def ratio(self, tp: Floats, said: Floats, true: Floats) -> Floats:
        """Score each label by its true positives, predictions and reference ratings."""

    def statistics(self, prediction: Floats, reference: Floats, kind: Kind) -> Floats:
        """Count true positives, predictions and reference ratings of each label."""
        chosen = list(range(len(self.scale))) if self.positive is None else [self.positive]
        said = choice(prediction, kind)[..., chosen]
        true = np.broadcast_to(reference[..., chosen], said.shape)
        return np.concatenate([said * true, said, true], axis=-1)

    def finish(self, means: Floats) -> Floats:
        """Take the mean over labels."""
        return self.ratio(*np.split(means, 3, axis=-1)).mean(axis=-1)


def expected(scores: Floats, reference: Floats) -> Floats:
    """Mean of the score of each label over the reference distribution; 0 times -inf is 0."""
    return np.where(reference > 0, reference * scores, 0.0).sum(axis=-1, keepdims=True)


def choice(prediction: Floats, kind: Kind) -> Floats:
    """Chances that each label is predicted: those of a hard prediction, or the most probable."""
    return prediction if kind == "hard" else most_probable(prediction)

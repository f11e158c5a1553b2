"""The states combiner: what the next rater says, given how item states are distributed."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np

from headcount.equivalence.combiners.abc import LearnedABC
from headcount.equivalence.combiners.base import Learned, Predicted, unhelped
from headcount.equivalence.combiners.many_labels import LearnedMany
from headcount.equivalence.scorers.base import Kind
from headcount.equivalence.states.fit import FittedStates, can_fit
from headcount.equivalence.surveys.surveys import Asked, PooledItems, Surveys
from headcount.typing import Codes, Floats

__all__ = ["States"]


@dataclass(frozen=True)
class States:
    r"""Bayes' rule under the fitted distribution of item states.

    With states :math:`\theta_j` of weight :math:`g_j`, the next rater after counts y says l with
    probability

    .. math:: q_l(y) = \sum_j g_j \theta_{jl} \prod_m \theta_{jm}^{y_m} \Big/
                       \sum_j g_j \prod_m \theta_{jm}^{y_m}.

    The distribution is fitted to all items, and again without each of twenty folds of them (see
    :func:`~headcount.equivalence.states.fit.fit_states`). Each item is scored with both, with
    itself in and with itself out, and the two scores are averaged: to first order one is as much
    above what very many items would teach as the other is below, so that the curve is that of
    surveys and not of how many items there were to learn from.

    Where states cannot be fitted (many labels, or amateurs who predict experts), what followed the
    same observation is counted as ABC does, and averaged over both sides all the same; of many
    labels it is smoothed.
    """

    name: str = "states"
    kind: Kind = "soft"
    bayesian: bool = True
    leaves_out: bool = False

    def learn(self, items: PooledItems) -> Learned:
        """Fit the distribution of states."""
        if items.pool.learns is not None:
            return LearnedABC(items, both_sides=True)
        if not can_fit(items.pool.patterns):
            return LearnedMany(items)
        return LearnedStates(items.states, items.seed)

    def limit_predictions(self, observed: Codes, next_label: Floats) -> Floats:
        """Predict the true probabilities, which infinitely many items teach."""
        return next_label


@dataclass(frozen=True, eq=False)
class LearnedStates:
    """Predictions under the distribution of all items, and of all but those of a fold."""

    states: FittedStates
    seed: int

    def predictions(self, surveys: Surveys) -> Iterable[Predicted]:
        """Predict from each observation, in as many ways as there are folds and one more."""
        fit = self.states
        each = fit.predict(surveys.observed)
        yield unhelped(each[0][surveys.state], np.full(len(surveys.state), 0.5))
        for prediction, share in zip(each[1:], fit.fold_share, strict=True):
            yield unhelped(prediction[surveys.state], share[surveys.pattern] / 2)

    def sampled(self, asked: Asked, shorter: Floats | None) -> Sequence[Predicted]:
        """Predict from each survey, with the item in and, in one of its folds, out."""
        fit = self.states
        first, group = _observations(asked)
        each = fit.predict(asked.observed[first])
        chance = np.cumsum(fit.fold_share, axis=0)[:, asked.pattern]
        drawn = np.random.default_rng(self.seed).random(len(group))
        fold = np.minimum((drawn[None] > chance).sum(axis=0), len(chance) - 1)
        half = np.full(len(group), 0.5)
        return [unhelped(each[0][group], half), unhelped(each[1 + fold, group], half)]

    def predict(self, observed: Codes) -> Floats:
        """Predict the next label on a new item, after each row of label counts."""
        return self.states.predict(observed)[0]


def _observations(asked: Asked) -> tuple[Codes, Codes]:
    from headcount.stats.grouping import group_rows

    return group_rows(asked.observed.T)

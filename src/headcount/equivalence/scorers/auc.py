"""The area under the ROC curve, on a weighted table."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from headcount.data.scale import Scale
from headcount.equivalence.scorers.base import SOFT, Group, Kind
from headcount.equivalence.scorers.bound import BoundScorer, runs
from headcount.typing import Floats, Ints

__all__ = ["AUC"]


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
        plans = [_RankSum(prediction[:, c], reference[:, c], group) for c in self.labels]

        def scored(weight: Floats) -> Floats:
            # A label without positives or negatives is nan, and left out of the mean.
            areas = np.stack([plan.area(weight) for plan in plans])
            known = ~np.isnan(areas)
            return np.where(known, areas, 0).sum(axis=0) / np.maximum(known.sum(axis=0), 1)

        return scored


class _RankSum:
    """Pairs of rows in which the one with the label has the higher score.

    Rows of one group tie: leaving an item out lowers its score and not those of its equals,
    so that a comparison within a group would always go against the item.
    """

    def __init__(self, score: Floats, positive: Floats, group: Group | None) -> None:
        # Scores that are equal but for rounding tie.
        rounded = np.round(score, 12)
        self.positive = positive
        self.order = np.argsort(rounded, kind="stable")
        self.starts = runs(rounded[self.order])
        self.group = group
        if group is not None:
            self.within = np.lexsort((rounded, group))
            self.within_starts = runs(group[self.within], rounded[self.within])
            self.group_starts = runs(group[self.within])
            # The group of each run of equal scores.
            self.owner = np.searchsorted(self.group_starts, self.within_starts, side="right") - 1

    def area(self, weight: Floats) -> Floats:
        up, down = weight * self.positive, weight * (1 - self.positive)
        won = _won(up[..., self.order], down[..., self.order], self.starts)
        if self.group is not None:
            inner_up, inner_down = up[..., self.within], down[..., self.within]
            group_up = np.add.reduceat(inner_up, self.group_starts, axis=-1)
            group_down = np.add.reduceat(inner_down, self.group_starts, axis=-1)
            before = np.cumsum(group_down, axis=-1) - group_down
            inner = _won(inner_up, inner_down, self.within_starts, before[..., self.owner])
            won = won - inner + (group_up * group_down).sum(axis=-1) / 2
        with np.errstate(invalid="ignore", divide="ignore"):
            return won / (up.sum(axis=-1) * down.sum(axis=-1))


def _won(up: Floats, down: Floats, starts: Ints, before: Floats | float = 0.0) -> Floats:
    """Sum of up times the down of rows before it, ties half, less what lies `before` a group."""
    run_up = np.add.reduceat(up, starts, axis=-1)
    run_down = np.add.reduceat(down, starts, axis=-1)
    below = np.cumsum(run_down, axis=-1) - run_down / 2 - before
    return (run_up * below).sum(axis=-1)

"""The rank correlation of predicted and reference numbers, on a weighted table."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from headcount.data.scale import Scale
from headcount.equivalence.scorers.base import Group, Kind
from headcount.equivalence.scorers.bound import BoundScorer, runs
from headcount.equivalence.scorers.values import values_of
from headcount.typing import Floats, Ints

__all__ = ["Spearman"]


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
        row, x, share = self._said(prediction, kind)
        ranking = _Ranking(x, None if group is None else group[row])
        labels = reference[:, self.order]

        def scored(weight: Floats) -> Floats:
            weight = weight / weight.sum(axis=-1, keepdims=True)
            given = weight @ labels
            # Ranks about 1/2, their mean.
            of_label = np.cumsum(given, axis=-1) - given / 2 - 0.5
            each = weight[..., row] * share
            of_x = ranking.ranks(each) - 0.5
            expected = np.einsum("...l,rl->...r", of_label, labels)[..., row]
            together = (each * of_x * expected).sum(axis=-1)
            variance = (each * of_x**2).sum(axis=-1) * (given * of_label**2).sum(axis=-1)
            flat = variance <= 1e-20
            return np.where(flat, 0.0, together / np.sqrt(np.where(flat, 1.0, variance)))

        return scored

    def _said(self, prediction: Floats, kind: Kind) -> tuple[Ints, Floats, Floats]:
        """Rows, the number that each says, and with what chance; hard ones may say several."""
        if kind == "hard":
            row, label = np.nonzero(prediction)
            return row, self.value[label], prediction[row, label]
        return np.arange(len(prediction)), prediction @ self.value, np.ones(len(prediction))


class _Ranking:
    """Ranks of numbers, ties in the middle, as a function of weights; those of a group tie."""

    def __init__(self, x: Floats, group: Group | None) -> None:
        # Numbers that are equal but for rounding tie.
        rounded = np.round(x, 12)
        self.order, self.run = _sorted(rounded)
        self.group = group
        if group is not None:
            self.group = np.unique(group, return_inverse=True)[1]
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

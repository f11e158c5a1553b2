"""Models of why errors go together: what each supposes, and one step of EM."""

from __future__ import annotations

from collections.abc import Sequence
from copy import copy
from itertools import product

import numpy as np

from headcount.blind_evaluation.explanations._kernel import newton
from headcount.blind_evaluation.explanations.hidden import Bit, Ease, Hidden
from headcount.typing import Codes, Flags, Floats

__all__ = ["ADDED", "Both", "Difficulty", "Explanation", "Families", "Independent"]

ADDED = 0.1
"""Hits and misses added to every count, which keep accuracies from 0 and 1. With .5, and coarser
steps, the spread of difficulty came out a tenth too small, and accuracies .013 to .018 too high."""
ADDED_WRONG = 0.5
"""Errors added to every wrong label of a true one."""
STEPS, MOST_SLOPE = 3, 16.0
"""Newton steps between two steps of EM, and the largest slope, of an exact copy."""
MOST_PULL = 0.99
FEWEST_LABELS = 3
"""Labels from which on there is more than one wrong one."""


class Explanation:
    r"""A model in which an item has a hidden state beside its label.

    In state h, which has probability `prior[c, h]` for items of label c, classifier j is right with
    probability `right[c, h, j]`, whose log odds are :math:`a_{jc} + \sum_t s_t n_{th}` over the
    hidden properties t that j depends on. Accuracies depend on the label in every model, and so
    does which wrong label is given, for all classifiers alike: those who lean to the same label, or
    take the same two for each other, agree, and are no family for that.

    Parameters
    ----------
    accuracy : (labels, classifiers) array
        To begin with.
    hidden : sequence of Hidden
        What items have beside their label. None: classifiers err independently of each other.
    """

    def __init__(self, accuracy: Floats, hidden: Sequence[Hidden] = ()) -> None:
        self.hidden = tuple(hidden)
        self.labels, self.size = accuracy.shape
        self.ease = np.log(accuracy / (1 - accuracy))
        for one in self.hidden:
            self.ease = one.start(self.ease)
        states = list(product(*(_states(one, self.labels) for one in self.hidden)))
        # Of each state: the node of each property, and how far the label that draws is from true.
        self.node: Codes = np.array([[s[0] for s in state] for state in states], dtype=np.int64)
        self.shift: Codes = np.array([[s[1] for s in state] for state in states], dtype=np.int64)
        # Classifiers that depend on the same properties have the same wrong labels.
        signs = [tuple(bool(one.members[j]) for one in self.hidden) for j in range(self.size)]
        self.rows = sorted(set(signs))
        self.group: Codes = np.array([self.rows.index(sign) for sign in signs])
        self.spread = (1 - np.eye(self.labels)) / max(self.labels - 1, 1)
        self.at = [np.outer(one.nodes[self.node[:, t]], one.members)
                   for t, one in enumerate(self.hidden)]  # fmt: skip
        self.drawn = [self._drawn(t) for t in range(len(self.hidden))]
        self._set()

    @property
    def several(self) -> bool:
        """Whether there is more than one wrong label."""
        return self.labels >= FEWEST_LABELS

    @property
    def parameters(self) -> int:
        """One a classifier and label, wrong labels of each, and those of hidden properties."""
        wrong = self.labels * (self.labels - 2) if self.several else 0
        return self.ease.size + wrong + sum(one.parameters for one in self.hidden)

    @property
    def slopes(self) -> list[tuple[Floats, Flags]]:
        """What the logarithm of the odds to be right goes up with, by state, and for whom."""
        return [(one.nodes[self.node[:, t]], one.members) for t, one in enumerate(self.hidden)]

    @property
    def shares(self) -> list[Floats]:
        """Derivatives of the logarithm of `prior` by the parameters that it has."""
        found = [(t, one.by_share) for t, one in enumerate(self.hidden)]
        return [by_share[self.node[:, t]] for t, by_share in found if by_share is not None]

    def _set(self) -> None:
        """Find probabilities from parameters."""
        true: Codes = np.arange(self.labels, dtype=np.int64)[:, None]
        self.prior = np.ones((self.labels, len(self.node)))
        offset = np.zeros((len(self.node), self.size))
        for t, one in enumerate(self.hidden):
            drawn = self.spread[true, (true + self.shift[:, t]) % self.labels]
            self.prior *= one.share[self.node[:, t]] * np.where(self.shift[:, t] > 0, drawn, 1)
            offset += one.slope * self.at[t]
        self.right: Floats = 1 / (1 + np.exp(-np.clip(self.ease[:, None] + offset, -12, 12)))
        if self.several:
            self.wrong = np.stack([self.mixed(g)[-1] for g in range(len(self.rows))])

    def mixed(self, group: int) -> list[Floats]:
        """Find how likely wrong labels are, (labels, states, labels), as each property comes in."""
        found = [np.repeat(self.spread[:, None], len(self.node), axis=1)]
        for t, one in enumerate(self.hidden):
            if self.rows[group][t] and one.draws.any():
                at = self.drawn[t]
                on = one.pull * (self.shift[:, t] > 0)[:, None]
                found.append(on * at + (1 - on) * found[-1])
        return found

    def _drawn(self, t: int) -> Flags:
        """Whether a property draws errors to a label: (true labels, states, labels)."""
        labels: Codes = np.arange(self.labels, dtype=np.int64)
        at: Codes = (labels[:, None] + self.shift[:, t]) % self.labels
        return (at[:, :, None] == labels) & (self.shift[:, t] > 0)[:, None]

    def update(self, hits: Floats, number: Floats, state: Floats, errors: Floats | None) -> None:
        """Maximise, given what is expected.

        Parameters
        ----------
        hits, number : (labels, states, classifiers) arrays
            Right labels, and all.
        state : (labels, states) array
            Items.
        errors : (groups, labels, states, labels) array, optional
            Wrong labels; where there are several.
        """
        alone = np.ones(self.size, dtype=bool)
        for t, one in enumerate(self.hidden):
            who = one.members
            alone &= ~who
            others = np.zeros((len(self.node), self.size))
            for u, other in enumerate(self.hidden):
                if u != t:
                    others += other.slope * self.at[u]
            ease = np.ascontiguousarray(self.ease[:, who])
            # Hits and misses are added where items are: at the outermost nodes, where none is, they
            # would pull the slope towards 0.
            share = self.prior[:, :, None]
            found = newton(
                hits[:, :, who] + ADDED * share, number[:, :, who] + 2 * ADDED * share,
                one.nodes[self.node[:, t]], others[:, who], ease, one.slope, STEPS, MOST_SLOPE,
            )  # fmt: skip
            self.ease[:, who], one.slope = ease, float(found)
            by_node = np.bincount(self.node[:, t], state.sum(axis=0), len(one.nodes))
            one.update(by_node / by_node.sum())
        if alone.any():
            right = hits[:, :, alone].sum(axis=1) + ADDED
            missed = number[:, :, alone].sum(axis=1) + 2 * ADDED - right
            self.ease[:, alone] = np.log(right / missed)
        if errors is not None:
            self._spread(state, errors)
        self._set()

    def _spread(self, state: Floats, errors: Floats) -> None:
        """Find which wrong labels are given, and how often errors are drawn to one."""
        counts = ADDED_WRONG * (1 - np.eye(self.labels))
        pulled = np.zeros((len(self.hidden), 2))
        for group, left in enumerate(errors):
            mixed = self.mixed(group)
            came_in = [t for t, one in enumerate(self.hidden)
                       if self.rows[group][t] and one.draws.any()]  # fmt: skip
            for t, before in zip(came_in[::-1], mixed[-2::-1], strict=True):
                at, pull = self.drawn[t], self.hidden[t].pull
                is_on = (self.shift[:, t] > 0)[:, None]
                took = left * at * (pull / (pull + (1 - pull) * before))
                pulled[t] += took.sum(), (left * is_on).sum()
                left = left - took
            counts += left.sum(axis=1)
        for t, one in enumerate(self.hidden):
            if one.draws.any():
                counts += np.einsum("ch,chl->cl", state, self.drawn[t])
                one.pull = min((pulled[t, 0] + ADDED) / (pulled[t, 1] + 2 * ADDED), MOST_PULL)
        self.spread = counts / counts.sum(axis=1, keepdims=True)


class Independent(Explanation):
    """Classifiers err independently of each other: an accuracy for each label."""


class Difficulty(Explanation):
    """Some items are harder for all; with `draws`, they look like another label to all."""

    def __init__(self, accuracy: Floats, *, draws: bool = False) -> None:
        super().__init__(accuracy, [Ease(accuracy.shape[1], draws=draws)])


class Families(Explanation):
    """Members of a family share a hidden bit of each item, and the label that they err to."""

    def __init__(
        self, accuracy: Floats, families: tuple[Flags, ...], *, draws: bool = True
    ) -> None:
        draws = draws and len(accuracy) >= FEWEST_LABELS
        super().__init__(accuracy, [Bit(family, draws=draws) for family in families])


class Both(Explanation):
    """Some items are harder for all, and members of a family err together beyond that.

    Parameters
    ----------
    families : Explanation
        Fitted :class:`Families`, to begin from.
    draws : bool
        Whether hard items look like another label to all.
    """

    def __init__(self, families: Explanation, *, draws: bool = False) -> None:
        ease = Ease(families.size, draws=draws)
        super().__init__(
            np.full(families.ease.shape, 0.5), [ease, *(copy(bit) for bit in families.hidden)]
        )
        self.ease, self.spread = ease.start(families.ease), families.spread
        self._set()


def _states(one: Hidden, labels: int) -> list[tuple[int, int]]:
    """List nodes, and for those that draw errors every label that these may be, by its distance."""
    return [
        (node, shift)
        for node, draws in enumerate(one.draws)
        for shift in (range(1, labels) if draws else (0,))
    ]

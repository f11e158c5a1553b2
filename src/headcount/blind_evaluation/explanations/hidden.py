"""What items may have beside a label, that makes errors of classifiers go together."""

from __future__ import annotations

import numpy as np

from headcount.typing import Flags, Floats

__all__ = ["NODES", "Bit", "Ease", "Hidden"]

NODES = 21
"""Points of the normal distribution of difficulty: with 9, accuracies are off by up to .03."""
RARE = 0.01
"""Least share of the items that have a bit, and of those that do not."""


class Hidden:
    """A property of items on which some classifiers depend.

    At a node, the logarithm of the odds that a member is right goes up by `slope` times the node.
    Where a node draws errors, they are one wrong label, the same for all members, in `pull` of the
    cases: one that an item looks like.

    Parameters
    ----------
    members : (classifiers,) array of bool
    nodes, share : (nodes,) arrays
        With their probabilities.
    draws : (nodes,) array of bool
        Whether errors are drawn to one label.
    slope : float
        To begin with.
    """

    def __init__(
        self, members: Flags, nodes: Floats, share: Floats, draws: Flags, *, slope: float
    ) -> None:
        self.members = members
        self.nodes = nodes
        self.share = share
        self.draws = draws
        self.slope = slope
        self.pull = 0.5

    @property
    def by_share(self) -> Floats | None:
        """Derivative of the logarithm of `share` by its parameter, if it has one."""
        return None

    @property
    def parameters(self) -> int:
        """Number of parameters."""
        return 1 + int(self.draws.any()) + int(self.by_share is not None)

    def start(self, odds: Floats) -> Floats:
        """Give intercepts to begin with, by the logarithm of the odds to be right."""
        return odds

    def update(self, share: Floats) -> None:
        """Take over how common nodes are."""


class Ease(Hidden):
    """How easy an item is for all: normal."""

    def __init__(self, size: int, *, draws: bool = False) -> None:
        nodes, weight = np.polynomial.hermite_e.hermegauss(NODES)
        super().__init__(
            np.ones(size, dtype=bool),
            nodes,
            weight / weight.sum(),
            np.full(NODES, draws),
            slope=1.0,
        )

    def start(self, odds: Floats) -> Floats:
        """Spread accuracies as items that differ draw them together."""
        return 1.2 * odds


class Bit(Hidden):
    """Whether a family is likely to be right about an item."""

    def __init__(self, family: Flags, *, draws: bool = False) -> None:
        super().__init__(
            family, np.array([0.0, 1.0]), np.array([0.4, 0.6]), np.array([draws, False]), slope=3.0
        )

    @property
    def by_share(self) -> Floats:
        """Of the share of items with the bit, on the scale of log odds."""
        return self.nodes - self.share[1]

    def start(self, odds: Floats) -> Floats:
        """Begin in the middle between items with the bit and without."""
        return odds - 1.5 * self.members

    def update(self, share: Floats) -> None:
        """Take it, but leave neither state without items."""
        good = float(np.clip(share[1], RARE, 1 - RARE))
        self.share = np.array([1 - good, good])

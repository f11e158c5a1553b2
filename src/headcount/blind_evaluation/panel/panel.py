"""The panel: what all classifiers are worth in independent votes, and what each adds."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Any

import numpy as np

from headcount.blind_evaluation.dependence.residuals import Residuals, effective_votes
from headcount.errors import count
from headcount.results.arrays import to_json

__all__ = ["Panel", "panel_of"]

ONE = 0.8
"""Correlation of errors from which two classifiers are as good as one."""
LITTLE = 0.9
"""Votes below which the one that adds least is named: who adds a whole vote is no copy."""
FEWEST, MOST = 3, 200
"""Classifiers that make a panel, and up to which it is looked at one by one."""
LEAST_INFORMATION = 20
"""Items' worth of errors that two need to be called one."""


@dataclass(frozen=True, kw_only=True)
class Panel:
    """What classifiers are worth together.

    Parameters
    ----------
    votes : float
        Independent votes that all are worth.
    size : int
    adds : dict of classifier to float
        Independent votes that are lost without it.
    same : tuple of (str, str, float)
        Every two that are as good as one, with the correlation of their errors.
    given : str
        What errors are known by: gold, or the truth by EM.
    """

    votes: float
    size: int
    adds: dict[str, float]
    same: tuple[tuple[str, str, float], ...]
    given: str

    def to_dict(self) -> dict[str, Any]:
        """Return the JSON form."""
        return {
            "votes": to_json(self.votes),
            "of": self.size,
            "adds": {name: to_json(value) for name, value in self.adds.items()},
            "same": [
                {"classifiers": [one, other], "correlation": correlation}
                for one, other, correlation in self.same
            ],
            "given": self.given,
        }

    def sentence(self, *, who_adds: bool = True) -> str:
        """Say what the panel is worth, which two are one and, if `who_adds`, who adds least."""
        total = count(self.size, "classifier")
        said = f"{total} are worth {self.votes:.1f} independent votes (given {self.given})."
        if self.adds and who_adds:
            least = min(self.adds, key=lambda name: self.adds[name])
            shown = round(self.adds[least], 1) + 0.0  # nothing is 0.0, never -0.0
            if shown < 0:
                rest = self.votes - self.adds[least]
                said += f" Without '{least}' they would be worth more: {rest:.1f}."
            elif shown < LITTLE:
                said += f" '{least}' adds least ({shown:.1f})."
        if self.same:
            pairs = "; ".join(f"'{one}' and '{other}'" for one, other, _ in self.same[:3])
            said += f" As good as one: {pairs}."
        return said


def panel_of(residuals: Residuals, names: Sequence[str], *, given: str) -> Panel | None:
    r"""Find what classifiers are worth together, from how their errors go together.

    All are worth :math:`K^2 / \sum_{kl} R_{kl}` votes: that many independent ones have a mean of
    the same variance. What one adds is the difference to the others without it, which is negative
    where it repeats what others say. None for fewer than three, or where most of every two
    labelled too few items in common.

    Parameters
    ----------
    residuals : Residuals
    names : sequence of str
    given : str
        What errors are known by, for sentences.

    Examples
    --------
    Three classifiers, of which two are copies.

    >>> table = np.array([[1, 0.95, 0], [0.95, 1, 0], [0, 0, 1.0]])
    >>> found = panel_of(
    ...     Residuals(table, np.full((3, 3), 99.0), np.full((3, 3), 99.0)), "abc", given="gold"
    ... )
    >>> print(found.sentence().replace(". ", ".\n"))
    3 classifiers are worth 1.8 independent votes (given gold).
    Without 'a' they would be worth more: 2.0.
    As good as one: 'a' and 'b'.
    """
    size = len(names)
    correlation = residuals.settled
    worth = effective_votes(correlation)
    if size < FEWEST or np.isnan(worth) or not residuals.is_panel:
        return None
    adds: dict[str, float] = {}
    same: list[tuple[str, str, float]] = []
    if size <= MOST:
        everyone = np.arange(size)
        for k, name in enumerate(names):
            others = everyone != k
            adds[name] = worth - effective_votes(correlation[np.ix_(others, others)])
        same = [
            (names[k], names[j], float(residuals.correlation[k, j]))
            for k, j in combinations(range(size), 2)
            if residuals.correlation[k, j] >= ONE
            and residuals.information[k, j] >= LEAST_INFORMATION
        ]
    same.sort(key=lambda pair: -pair[2])
    return Panel(votes=worth, size=size, adds=adds, same=tuple(same), given=given)

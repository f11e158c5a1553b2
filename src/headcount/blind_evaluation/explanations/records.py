"""Explanations of the votes: what each supposes, and accuracies if it is right."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from headcount.stats.estimate import Estimate

__all__ = [
    "BOTH", "DIFFICULTY", "FAMILIES", "INDEPENDENT", "WITH_FAMILIES", "Explained", "Explanations",
]  # fmt: skip

INDEPENDENT, DIFFICULTY, FAMILIES = "independent", "difficulty", "families"
BOTH = "difficulty and families"
WITH_FAMILIES = {INDEPENDENT: FAMILIES, DIFFICULTY: BOTH}
"""What an explanation is called where there are families beside it."""


@dataclass(frozen=True, eq=False, kw_only=True)
class Explained:
    """One explanation of the votes.

    Parameters
    ----------
    kind : str
        independent, difficulty, families, or difficulty and families.
    families : tuple of tuple of str
        Classifiers that err together.
    bic : float
        By how much its BIC is above that of the best explanation.
    estimates : dict of classifier to Estimate
        Accuracy if it is right, with an interval.
    """

    kind: str
    families: tuple[tuple[str, ...], ...]
    bic: float
    estimates: dict[str, Estimate]

    @property
    def level(self) -> float:
        """Coverage of the intervals."""
        return next(iter(self.estimates.values())).level or 0.95

    @property
    def accuracy(self) -> dict[str, float]:
        """Accuracy of each classifier if it is right."""
        return {name: found.value for name, found in self.estimates.items()}

    def to_dict(self) -> dict[str, Any]:
        """Return the JSON form."""
        return {
            "kind": self.kind,
            "families": [list(family) for family in self.families],
            "bic": self.bic,
            "accuracy": self.accuracy,
            "estimates": {name: found.to_dict() for name, found in self.estimates.items()},
        }


@dataclass(frozen=True, eq=False, kw_only=True)
class Explanations:
    """All explanations that the votes allow, best first.

    Parameters
    ----------
    found : tuple of Explained
    gold_needed : int or None
        Gold labels of random items that would tell the two best apart, with a power of 80%, beside
        those that there are; None where there is one only, or more than 10,000 are needed.
    gold_items : int
        Items whose gold labels have a say in it.
    unexplained : tuple of str
        Classifiers of which two agree more often than the likeliest explanation allows: then none
        that was tried is right, and accuracies have no intervals.
    """

    found: tuple[Explained, ...]
    gold_needed: int | None
    gold_items: int = 0
    unexplained: tuple[str, ...] = ()

    @property
    def has_families(self) -> bool:
        """Whether some classifiers may err together."""
        return any(one.families for one in self.found)

    @property
    def has_independent(self) -> bool:
        """Whether all may err independently."""
        return any(one.kind == INDEPENDENT for one in self.found)

    @property
    def differ(self) -> float:
        """Largest difference in the accuracy of a classifier between two explanations."""
        table = np.array([list(one.accuracy.values()) for one in self.found])
        return float(np.ptp(table, axis=0).max())

    @property
    def winners(self) -> dict[str, Explained]:
        """The best classifier by each explanation, with the first explanation that says so."""
        out: dict[str, Explained] = {}
        for one in self.found:
            out.setdefault(max(one.accuracy, key=lambda name: one.accuracy[name]), one)
        return out

    def to_dict(self) -> dict[str, Any]:
        """Return the JSON form."""
        return {
            "explanations": [one.to_dict() for one in self.found],
            "gold_needed": self.gold_needed,
            "unexplained": list(self.unexplained),
        }

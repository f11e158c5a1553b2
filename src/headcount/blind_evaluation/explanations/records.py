"""Explanations of the votes: what each supposes, and accuracies if it is right."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from headcount.stats.estimate import Estimate

__all__ = [
    "BOTH", "DIFFICULTY", "FAMILIES", "INDEPENDENT", "MATERIAL", "WITH_FAMILIES", "Explained",
    "Explanations",
]  # fmt: skip

INDEPENDENT, DIFFICULTY, FAMILIES = "independent", "difficulty", "families"
BOTH = "difficulty and families"
WITH_FAMILIES = {INDEPENDENT: FAMILIES, DIFFICULTY: BOTH}
"""What an explanation is called where there are families beside it."""
MATERIAL = 0.05
"""Difference in the accuracy of a classifier between explanations that matters."""


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
    ranks : dict of classifier to int
        1 and the number of others that are significantly better if it is right.
    """

    kind: str
    families: tuple[tuple[str, ...], ...]
    bic: float
    estimates: dict[str, Estimate]
    ranks: dict[str, int]

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
            "ranks": self.ranks,
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
    def is_independent(self) -> bool:
        """Whether accuracies by independent errors are near those of all that votes allow."""
        return self.has_independent and self.differ <= MATERIAL

    @property
    def overall(self) -> dict[str, Estimate]:
        """Accuracies by the first explanation, with intervals that hold those of every other.

        Votes do not tell which is right, so that an interval goes from the lowest end of all to
        the highest; there is none where one has none.
        """
        return {name: self._overall(name) for name in self.found[0].estimates}

    def _overall(self, name: str) -> Estimate:
        first, every = self.found[0].estimates[name], [one.estimates[name] for one in self.found]
        low = [found.low for found in every if found.low is not None]
        high = [found.high for found in every if found.high is not None]
        if len(low) < len(every) or len(high) < len(every):
            return Estimate(first.value)
        also = f", over {len(every)} explanations" if len(every) > 1 else ""
        return replace(first, low=min(low), high=max(high), method=f"{first.method}{also}")

    def widened(self, score: Estimate, name: str) -> Estimate:
        """Widen an interval that holds if errors are independent, for what else votes allow."""
        others = [one.estimates[name] for one in self.found if one.kind != INDEPENDENT]
        low = [found.low for found in (score, *others) if found.low is not None]
        high = [found.high for found in (score, *others) if found.high is not None]
        if score.low is None or score.high is None or not others:
            return score
        return replace(score, low=min(low), high=max(high), method=f"{score.method}, or hard items")

    @property
    def ranks(self) -> dict[str, int]:
        """The best rank that each classifier has by any explanation."""
        return {name: min(one.ranks[name] for one in self.found) for name in self.found[0].ranks}

    @property
    def share_a_best(self) -> bool:
        """Whether some classifier may be the best by all explanations."""
        return any(all(one.ranks[name] == 1 for one in self.found) for name in self.ranks)

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

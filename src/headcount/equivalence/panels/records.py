"""What panels of classifiers are worth, as plain records."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from headcount.equivalence.records import CurvePoint
from headcount.results.base import Result
from headcount.results.provenance import Provenance
from headcount.stats.estimate import Estimate

__all__ = ["BestPanel", "Member", "PanelProvenance", "PanelRecord", "SubPanel"]


@dataclass(frozen=True, kw_only=True)
class PanelProvenance(Provenance):
    """How the worth of panels came about: how they were scored, and on which surveys.

    `considered` are the classifiers of which every panel up to `largest` was scored; they are
    those that are worth most alone where there are too many for all.
    """

    level: float = 0.95
    bootstrap: int = 0
    scorer: str
    unit: str
    max_k: int
    considered: tuple[str, ...]
    largest: int


@dataclass(frozen=True, kw_only=True)
class SubPanel:
    """A panel of some of the classifiers.

    Parameters
    ----------
    members : tuple of str
    score : float
        Of its prediction of the next rater, cross-fitted.
    worth : Estimate
        The raters who predict as well, without an interval.
    """

    members: tuple[str, ...]
    score: float
    worth: Estimate

    def to_dict(self) -> dict[str, Any]:
        """Return the JSON form."""
        return {
            "members": list(self.members),
            "score": self.score,
            "raters": self.worth.to_dict(),
        }


@dataclass(frozen=True, kw_only=True)
class BestPanel:
    """The best panel of its size.

    Parameters
    ----------
    members : tuple of str
    worth : Estimate
        The raters that a panel of this size is worth, if it is chosen on other items than those
        on which it is scored.
    more : Estimate or None
        How much more it scores than the best panel of one fewer; None for one classifier.
    chosen : float
        Share of the folds of items on which these members were chosen.
    """

    members: tuple[str, ...]
    worth: Estimate
    more: Estimate | None
    chosen: float

    def to_dict(self) -> dict[str, Any]:
        """Return the JSON form."""
        return {
            "size": len(self.members),
            "members": list(self.members),
            "raters": self.worth.to_dict(),
            "more": None if self.more is None else self.more.to_dict(),
            "chosen": self.chosen,
        }


@dataclass(frozen=True, kw_only=True)
class Member:
    """What one classifier is worth in the panel of all.

    Parameters
    ----------
    name : str
    alone : Estimate
        Raters that it is worth alone, calibrated.
    adds : Estimate
        How much more all score than all without it.
    """

    name: str
    alone: Estimate
    adds: Estimate

    def to_dict(self) -> dict[str, Any]:
        """Return the JSON form."""
        return {"name": self.name, "alone": self.alone.to_dict(), "adds": self.adds.to_dict()}


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class PanelRecord(Result):
    """What panels of classifiers are worth in raters; see :class:`headcount.PanelResult`.

    Parameters
    ----------
    best : tuple of BestPanel
        The best panel of one, of two ... up to five classifiers.
    everyone : Estimate
        Raters that all classifiers together are worth.
    members : tuple of Member
        The classifiers, best alone first.
    same : tuple of (str, str)
        Every two that are as good as one: each adds less than a tenth of its own gain to the
        other.
    panels : tuple of SubPanel
        Every panel that was scored, best first.
    curve : tuple of CurvePoint
        Surveys of 0, 1, 2 ... raters.
    """

    provenance: PanelProvenance
    best: tuple[BestPanel, ...]
    everyone: Estimate
    members: tuple[Member, ...]
    same: tuple[tuple[str, str], ...]
    panels: tuple[SubPanel, ...]
    curve: tuple[CurvePoint, ...]

"""What is found where raters rated items twice, as plain records."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from headcount.stats.estimate import Estimate

__all__ = ["RaterRetest", "Retest"]


@dataclass(frozen=True, kw_only=True)
class RaterRetest:
    """How far a rater agrees with themselves.

    Parameters
    ----------
    rater : str or int
    items : int
        Rated twice.
    percent : float
        Share of them with the same label both times.
    agreement : Estimate
        Krippendorff's alpha of the two ratings, with an interval over items; or why there is none.
    """

    rater: str | int
    items: int
    percent: float
    agreement: Estimate

    def to_dict(self) -> dict[str, Any]:
        """Return the JSON form."""
        return {**vars(self), "agreement": self.agreement.to_dict()}


@dataclass(frozen=True, kw_only=True)
class Retest:
    """How far raters agree with themselves.

    Parameters
    ----------
    ratings, items : int
        Ratings that repeat an item by the same rater, and items that these are of.
    percent : float
        Share of them that are the same as the first.
    agreement, these_raters : Estimate
        Krippendorff's alpha of all raters together, with intervals for whom `holds_for` says, and
        for these raters.
    holds_for : str
    approximate : bool
        Whether raters gave so few labels other than their commonest that the intervals may be too
        narrow.
    raters : tuple of RaterRetest
        Lowest agreement first.
    """

    ratings: int
    items: int
    percent: float
    agreement: Estimate
    these_raters: Estimate
    holds_for: str
    approximate: bool
    raters: tuple[RaterRetest, ...]

    def to_dict(self) -> dict[str, Any]:
        """Return the JSON form."""
        return {
            **vars(self),
            "agreement": self.agreement.to_dict(),
            "these_raters": self.these_raters.to_dict(),
            "raters": [one.to_dict() for one in self.raters],
        }

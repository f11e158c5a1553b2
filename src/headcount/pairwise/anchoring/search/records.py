"""What a step of placing items holds."""

from __future__ import annotations

from dataclasses import dataclass

from headcount.pairwise.anchoring.search.state import AnchoringState
from headcount.results.base import Result
from headcount.stats.estimate import Estimate
from headcount.typing import Floats, Ids

__all__ = ["AnchoringRecord", "SoughtItem"]


@dataclass(frozen=True, kw_only=True)
class SoughtItem:
    """An item on its way to a place among anchors.

    Parameters
    ----------
    item : str
    rating, rank : Estimate
        Among the anchors, as far as answers tell.
    answers : int
    done : bool
        Whether its interval is narrow enough, or it has had as many answers as are allowed.
    """

    item: str
    rating: Estimate
    rank: Estimate
    answers: int
    done: bool


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class AnchoringRecord(Result):
    """A step of placing items among anchors; see :class:`headcount.Anchoring`."""

    items: tuple[SoughtItem, ...]
    left: Ids
    right: Ids
    average: Estimate | None
    probability: Floats | None
    state: AnchoringState
    file: str | None = None

    @property
    def done(self) -> bool:
        """Whether all items have their place."""
        return all(each.done for each in self.items)

"""What pairwise comparisons tell, as fields."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from headcount.data.comparisons import Comparisons
from headcount.pairwise.answers.repeats import Repeats
from headcount.pairwise.rating.rating_method import Rated
from headcount.pairwise.spammers.records import ComparingRater
from headcount.results.base import Result
from headcount.results.provenance import Provenance
from headcount.stats.estimate import Estimate

__all__ = ["Dropped", "Move", "PairsProvenance", "PairsRecord", "RatedItem"]


@dataclass(frozen=True, kw_only=True)
class PairsProvenance(Provenance):
    """How a result came about.

    Parameters
    ----------
    n_items, n_comparisons, n_ties : int
        All items; comparisons and ties that were used.
    method, ties, scale, label : str
        As asked for, by name.
    cut : str
        The rule of the labels, in words.
    bootstrap_by : str
        What the bootstrap draws, by name.
    n_rankings : int
        Rankings that the comparisons are of; 0 where each is an answer of its own.
    """

    n_items: int
    n_comparisons: int
    n_ties: int
    method: str
    ties: str
    scale: str
    label: str
    cut: str
    bootstrap_by: str
    n_rankings: int = 0


@dataclass(frozen=True, kw_only=True)
class RatedItem:
    """One item.

    Parameters
    ----------
    item : object
    rating : Estimate
        In units of the result's scale, with mean 0 over its component. Where no finite rating
        exists it is infinite or nan, and `undefined` says why.
    rank : Estimate
        1 is best; among the items of the component.
    label : {"above", "below"} or None
        None at the cut, or where nothing can be said.
    probability : float or None
        That the item lies above the cut.
    comparisons : int
        Comparisons that it was in.
    component : int
        Group of items that compare with each other; the largest is 0.
    """

    item: object
    rating: Estimate
    rank: Estimate
    label: str | None
    probability: float | None
    comparisons: int
    component: int

    @property
    def may_be_first(self) -> bool:
        """Whether the answers leave open that it is the best of its component."""
        return (self.rank.value if self.rank.low is None else self.rank.low) == 1


@dataclass(frozen=True)
class Move:
    """Rank of an item with spammers, and without; None where it has none any more."""

    item: object
    before: int
    after: int | None


@dataclass(frozen=True)
class Dropped:
    """Who was left out for answering at random, and what that changed.

    Parameters
    ----------
    raters : tuple
    comparisons : int
        How many they had made.
    rank_correlation : float
        Spearman's, between the ratings with and without them; nan where there is none.
    moves : tuple of Move
        Items whose ranks changed most.
    """

    raters: tuple[object, ...]
    comparisons: int
    rank_correlation: float
    moves: tuple[Move, ...]


@dataclass(frozen=True, repr=False, eq=False, kw_only=True)
class PairsRecord(Result):
    """Fields of :class:`headcount.PairsResult`, which says what they are."""

    provenance: PairsProvenance
    items: tuple[RatedItem, ...]
    raters: tuple[ComparingRater, ...] | None
    dropped: Dropped | None
    agreement: Repeats | None
    fit: Mapping[str, Any]
    rated: Rated = field(repr=False)
    compared: Comparisons = field(repr=False)

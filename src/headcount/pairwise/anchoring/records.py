"""What items placed among others, and populations joined, hold."""

from __future__ import annotations

from dataclasses import dataclass

from headcount.results.base import Result
from headcount.stats.estimate import Estimate
from headcount.typing import Floats, Ids

__all__ = ["JoinedRecord", "Placed", "PlacementRecord"]


@dataclass(frozen=True)
class Placed:
    """An item among those of a reference.

    Parameters
    ----------
    item : object
    rating : Estimate
        On the scale of the reference.
    rank : Estimate
        That it would have among the reference; 1 is best.
    answers : int
        Comparisons with the reference.
    """

    item: object
    rating: Estimate
    rank: Estimate
    answers: int


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class PlacementRecord(Result):
    """Items placed among those of a reference; see :class:`headcount.Placement`."""

    items: tuple[Placed, ...]
    reference: int


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class JoinedRecord(Result):
    """Two populations on one scale; see :class:`headcount.Joined`."""

    items_a: Ids
    items_b: Ids
    rating_a: Floats
    rating_b: Floats
    shift: Estimate
    bridges: int
    won_by_a: float
    held: bool

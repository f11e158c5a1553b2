"""The corrected rate, as plain records."""

from __future__ import annotations

from dataclasses import dataclass

from headcount.results.base import Result
from headcount.results.provenance import Provenance
from headcount.stats.estimate import Estimate

__all__ = ["JudgedRate", "RateProvenance", "RateRecord"]


@dataclass(frozen=True, kw_only=True)
class RateProvenance(Provenance):
    """How a rate came about: what it is of, and what people rated beside what all results tell.

    `positive` is the label whose share it is, None where it is a mean grade from `lowest` to
    `highest`; `rated`, `people_ratings` and `people` count items, ratings and people (None where
    nobody knows who rated).
    """

    positive: str | None
    lowest: float
    highest: float
    rated: int
    people_ratings: int
    people: int | None


@dataclass(frozen=True, kw_only=True)
class JudgedRate:
    """The rate by one judge, or by all together.

    Parameters
    ----------
    name : str or None
        None for all judges: the mean of what they say of an item.
    naive : float
        What it says of all items.
    corrected : Estimate
        What people would say.
    power : float
        How much the judge counts in that, from 0 to 1.
    """

    name: str | None
    naive: float
    corrected: Estimate
    power: float


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class RateRecord(Result):
    """What share of all items people would call positive, or which mean grade they would give.

    Parameters
    ----------
    rate : Estimate
        As people would say, with all judges as help.
    naive : float
        As the judges say.
    people : float
        As people say of the items that they rated.
    variance : dict of str to float
        Its parts: `items`, `raters`, `judges`.
    judges : tuple of JudgedRate
        Each judge alone, if they are 50 or fewer.
    """

    provenance: RateProvenance
    rate: Estimate
    naive: float
    people: float
    power: float
    variance: dict[str, float]
    judges: tuple[JudgedRate, ...]

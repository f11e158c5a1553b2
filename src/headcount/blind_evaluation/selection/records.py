"""Items to have labelled, as plain records."""

from __future__ import annotations

from dataclasses import dataclass

from headcount.results.base import Result
from headcount.results.provenance import Provenance
from headcount.typing import Floats, Ids

__all__ = ["Band", "ItemsRecord"]


@dataclass(frozen=True, kw_only=True)
class Band:
    """Items of whose label the model is about as sure.

    Parameters
    ----------
    low, high : float
        Probability of the likeliest label, the mean of the consensus and the votes: from `low` to
        below `high`.
    items, chosen : int
        Items in all, and of these to be labelled.
    """

    low: float
    high: float
    items: int
    chosen: int


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class ItemsRecord(Result):
    """Items to have labelled by a person, with the probability by which each was drawn.

    Parameters
    ----------
    items : array
        New ones, in the order in which they were drawn, after those that have a label.
    label : array of str or None
        Known labels; None for new items.
    probability : array of float
        With which each is among the labelled items.
    number : int
        New items.
    bands : tuple of Band
    """

    provenance: Provenance
    items: Ids
    label: Ids
    probability: Floats
    number: int
    bands: tuple[Band, ...]

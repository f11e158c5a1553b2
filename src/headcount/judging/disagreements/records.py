"""Where judge and people part, as plain records."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from headcount.stats.estimate import Estimate

__all__ = [
    "ClassRecall",
    "GroupShare",
    "ItemToRead",
    "Parting",
]


@dataclass(frozen=True, kw_only=True)
class ClassRecall:
    """Of the ratings by which people gave a label, the share of which the judge says the same."""

    label: str
    ratings: int
    items: int
    recall: Estimate

    def to_dict(self) -> dict[str, Any]:
        """Return the JSON form."""
        return {**vars(self), "recall": self.recall.to_dict()}


@dataclass(frozen=True, kw_only=True)
class GroupShare:
    """How far judge and people agree in one group of items.

    Parameters
    ----------
    group : str
    items : int
    agreement : Estimate
        Mean over items of the share of people who say what the judge says; an interval by the
        number of items, none below ten.
    people : float or None
        How far people agree with each other there; None where no item has two ratings.
    """

    group: str
    items: int
    agreement: Estimate
    people: float | None

    def to_dict(self) -> dict[str, Any]:
        """Return the JSON form."""
        return {**vars(self), "agreement": self.agreement.to_dict()}


@dataclass(frozen=True, kw_only=True)
class ItemToRead:
    """An item on which the judge parts from people who agree with each other.

    Parameters
    ----------
    item : str or int
    judge : str
        What the judge says.
    said : mapping of rater to label
        What each person said; numbered where nobody knows who.
    distance : float
        Mean distance of the judge from the people, from 0 to 1.
    between : float
        Mean distance of the people from each other.
    """

    item: str | int
    judge: str
    said: Mapping[str, str]
    distance: float
    between: float

    def to_dict(self) -> dict[str, Any]:
        """Return the JSON form."""
        return {**vars(self), "said": dict(self.said)}


@dataclass(frozen=True, kw_only=True)
class Parting:
    """Where judge and people part.

    Parameters
    ----------
    labels, judge_labels : tuple of str
        What people say, and what the judge says: rows and columns of `confusion`.
    confusion : tuple of tuples of int
        Ratings by what people and the judge say.
    agreement : Estimate
        Mean over items of the share of people who say what the judge says.
    classes : tuple of ClassRecall
    groups : tuple of GroupShare
        Least agreement first; empty unless asked for.
    items : tuple of ItemToRead
        Worst first.
    more_items : int
        Items on which most people contradict the judge, beyond those listed.
    """

    labels: tuple[str, ...]
    judge_labels: tuple[str, ...]
    confusion: tuple[tuple[int, ...], ...]
    agreement: Estimate
    classes: tuple[ClassRecall, ...]
    groups: tuple[GroupShare, ...]
    items: tuple[ItemToRead, ...]
    more_items: int

    def to_dict(self) -> dict[str, Any]:
        """Return the JSON form."""
        return {
            "labels": list(self.labels),
            "judge_labels": list(self.judge_labels),
            "confusion": [list(row) for row in self.confusion],
            "agreement": self.agreement.to_dict(),
            "classes": [one.to_dict() for one in self.classes],
            "groups": [one.to_dict() for one in self.groups],
            "items": [one.to_dict() for one in self.items],
            "more_items": self.more_items,
        }

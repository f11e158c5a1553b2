"""Where a judge stands among the people, as plain records."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from headcount.stats.estimate import Estimate

__all__ = [
    "PersonStanding",
    "Standing",
]


@dataclass(frozen=True, kw_only=True)
class PersonStanding:
    """One person against the others, and the judge in that person's place: the same items.

    Parameters
    ----------
    person : str or int
    items : int
        Items that the person, somebody else and the judge labelled.
    kappa, judge_kappa : float
        With the others; NaN where it is undefined.
    agreement, judge_agreement : float
        Mean over items of the share of the others who say the same.
    recall, judge_recall : mapping of label to float
        Where another says the label, the share of times that the person, or the judge, does.
    bias, judge_bias : float or None
        How much higher the labels are than the others', in the mean; of two labels, how much more
        often the positive one is given. None where labels have no order.
    """

    person: str | int
    items: int
    kappa: float
    judge_kappa: float
    agreement: float
    judge_agreement: float
    recall: Mapping[str, float]
    judge_recall: Mapping[str, float]
    bias: float | None
    judge_bias: float | None

    def to_dict(self) -> dict[str, Any]:
        """Return the JSON form."""
        kappas = {n: _finite(getattr(self, n)) for n in ("kappa", "judge_kappa")}
        recalls = {n: dict(getattr(self, n)) for n in ("recall", "judge_recall")}
        return {**vars(self), **kappas, **recalls}


@dataclass(frozen=True, kw_only=True)
class Standing:
    """Where a judge stands among the people.

    Parameters
    ----------
    kappa, people_kappa : Estimate
        The judge's with the people and the people's with each other: means over people.
    difference : Estimate
        Mean over people of the judge's kappa in that person's place, less that person's.
    over_half : Estimate
        The judge's kappa less half of people's: surely below 0, it has less than half of theirs.
    error : float
        Standard error of the difference.
    holds_for : str
        For whom these intervals hold, in words.
    agreement, people_agreement : float
    bias : float or None
    people : tuple of PersonStanding
        Highest kappa first.
    better_than : int
        Of the people, those in whose place the judge agrees more with the others than they do.
    place : int
        Its place among the people and itself, 1 the best.
    items : int
    weights : str
        How kappa counts a disagreement: "nominal" or "quadratic".
    left_out : int
        People who share too few items with others to be compared.
    """

    kappa: Estimate
    people_kappa: Estimate
    difference: Estimate
    over_half: Estimate
    error: float
    holds_for: str
    agreement: float
    people_agreement: float
    bias: float | None
    people: tuple[PersonStanding, ...]
    better_than: int
    place: int
    items: int
    weights: str
    left_out: int = 0

    def to_dict(self) -> dict[str, Any]:
        """Return the JSON form."""
        names = ("kappa", "people_kappa", "difference", "over_half")
        numbers = {n: getattr(self, n).to_dict() for n in names}
        return {**vars(self), **numbers, "people": [one.to_dict() for one in self.people]}


def _finite(x: float) -> float | None:
    return x if x == x else None

"""What the judge card finds, as plain records."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal

from headcount.agreement.result import AgreementResult
from headcount.blind_evaluation.rate.result import RateResult
from headcount.blind_evaluation.result import BlindResult
from headcount.equivalence.alt_test.result import AltTest
from headcount.equivalence.result import SurveyResult
from headcount.errors import spelt
from headcount.results.base import Result
from headcount.results.provenance import Provenance
from headcount.stats.estimate import Estimate

__all__ = [
    "Answer",
    "Card",
    "ClassRecall",
    "Condition",
    "Gate",
    "GroupShare",
    "ItemToRead",
    "JudgeProvenance",
    "JudgeRecord",
    "Parting",
    "PersonStanding",
    "Standing",
    "Status",
    "WORDS",
]

Status = Literal["pass", "fail", "cannot tell"]
"""Whether an interval lies above a mark, below it, or on both sides of it."""
WORDS: dict[Status, str] = {"pass": "yes", "fail": "no", "cannot tell": "cannot tell"}
"""Statuses as answers."""


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
        numbers = {n: getattr(self, n).to_dict() for n in ("kappa", "people_kappa", "difference")}
        return {**vars(self), **numbers, "people": [one.to_dict() for one in self.people]}


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


@dataclass(frozen=True, kw_only=True)
class Condition:
    """Whether a judge meets one condition, decided on an interval.

    Parameters
    ----------
    name : str
        Of the kind of condition.
    words : str
        What is asked, such as "worth at least 2 raters".
    mark : float
    estimate : Estimate or None
        What is compared with the mark; None where there is none.
    shown : str
        The number and its interval, in words.
    status : {"pass", "fail", "cannot tell"}
    items : int
        Items that it rests on.
    more_items : int or None
        Items to label besides, to know with a power of 80% if the gap is as large as it seems; None
        if it is known, or would take too many.
    why : str
        Why it cannot be told; "" where it can.
    """

    name: str
    words: str
    mark: float
    estimate: Estimate | None
    shown: str
    status: Status
    items: int
    more_items: int | None = None
    why: str = ""

    def to_dict(self) -> dict[str, Any]:
        """Return the JSON form."""
        found = None if self.estimate is None else self.estimate.to_dict()
        return {**vars(self), "estimate": found}


@dataclass(frozen=True, kw_only=True)
class Gate:
    """What all conditions come to, of all judges: passed if all are, failed if one is.

    Parameters
    ----------
    status : {"pass", "fail", "cannot tell"}
    line : str
        One line for a log.
    """

    status: Status
    line: str

    def to_dict(self) -> dict[str, Any]:
        """Return the JSON form."""
        return dict(vars(self))


@dataclass(frozen=True, kw_only=True)
class Answer:
    """The answer to one question of the card.

    Parameters
    ----------
    number : int
    question : str
    sentences : tuple of str
        In which options are marked, for :func:`headcount.errors.spelt`.
    values : mapping of str to Estimate
        The numbers behind it, by judge, or by what they are.
    """

    number: int
    question: str
    sentences: tuple[str, ...]
    values: Mapping[str, Estimate]

    def to_dict(self) -> dict[str, Any]:
        """Return the JSON form."""
        values = {name: one.to_dict() for name, one in self.values.items()}
        sentences = [spelt(one) for one in self.sentences]
        return {**vars(self), "sentences": sentences, "values": values}


@dataclass(frozen=True, kw_only=True)
class Card:
    """All that is found of one judge.

    Parameters
    ----------
    name : str
    kind : str
        What it gives: "labels", "probabilities" or "scores".
    calibration : str or None
        How probabilities were learned from what it says, for its worth; None if they are its own.
    worth : Estimate
        In raters: the calibrated one, unless its predictions are distributions.
    raw_worth : Estimate or None
        As it is, where it gives probabilities and is calibrated besides.
    calibrated_worth : Estimate or None
    share : Estimate or None
        Of the information that is available.
    standing : Standing or None
        None where fewer than two people share items with the judge.
    parting : Parting
    conditions : tuple of Condition
        Of the gate; without one, whether it is worth a rater and agrees like a person.
    status : {"pass", "fail", "cannot tell"}
        Of all conditions together.
    verdict : str
        One sentence.
    next_step : str
        What to do, in a sentence.
    """

    name: str
    kind: str
    calibration: str | None
    worth: Estimate
    raw_worth: Estimate | None
    calibrated_worth: Estimate | None
    share: Estimate | None
    standing: Standing | None
    parting: Parting
    conditions: tuple[Condition, ...]
    status: Status
    verdict: str
    next_step: str

    def to_dict(self) -> dict[str, Any]:
        """Return the JSON form."""
        numbers = {
            name: None if (e := getattr(self, name)) is None else e.to_dict()
            for name in ("worth", "raw_worth", "calibrated_worth", "share")
        }
        parts = {
            "standing": None if self.standing is None else self.standing.to_dict(),
            "parting": self.parting.to_dict(),
            "conditions": [one.to_dict() for one in self.conditions],
        }
        return {**vars(self), **numbers, **parts}


@dataclass(frozen=True, kw_only=True)
class JudgeProvenance(Provenance):
    """How a card came about: what judges' answers are called, and the column of groups."""

    judges: str
    by: str | None = None
    positive: str | None = None


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class JudgeRecord(Result):
    """The judge card; see :class:`headcount.JudgeResult`."""

    provenance: JudgeProvenance
    judges: tuple[Card, ...]
    answers: tuple[Answer, ...]
    gate: Gate | None
    agreement: AgreementResult
    survey: SurveyResult
    alt_test: AltTest | None
    rate: RateResult | None
    together: BlindResult | None


def _finite(x: float) -> float | None:
    return x if x == x else None

"""What the judge card finds, as plain records."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from headcount.agreement.result import AgreementResult
from headcount.blind_evaluation.rate.result import RateResult
from headcount.blind_evaluation.result import BlindResult
from headcount.equivalence.alt_test.result import AltTest
from headcount.equivalence.panels.result import PanelResult
from headcount.equivalence.result import SurveyResult
from headcount.errors import spelt
from headcount.judging.beside_people.records import Standing
from headcount.judging.disagreements.records import Parting
from headcount.judging.gate.records import Condition, Gate, Status
from headcount.results.base import Result
from headcount.results.provenance import Provenance
from headcount.stats.estimate import Estimate

__all__ = [
    "Answer",
    "Card",
    "JudgeProvenance",
    "JudgeRecord",
]


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
    panels: PanelResult | None

"""One card a judge: its worth, its standing, where it parts from people, and the verdict."""

from __future__ import annotations

from headcount.errors import HeadcountError
from headcount.judging.beside_people.beside_people import standing_of
from headcount.judging.disagreements.disagreements import parting_of
from headcount.judging.gate.conditions import TOO_FEW, Evidence, WorthAtLeast, shown_worth
from headcount.judging.gate.decide import Conditions, all_of
from headcount.judging.gate.records import WORDS, Condition, Status
from headcount.judging.prepare import Judged, Prepared
from headcount.judging.records import Card
from headcount.judging.run_methods import Found
from headcount.stats.estimate import Estimate

__all__ = ["TO_KNOW", "cards_of"]

TO_KNOW = "to know whether it"
"""What a next step says that names a number of items which would tell."""


def cards_of(
    prepared: Prepared, found: Found, conditions: Conditions, level: float
) -> tuple[Card, ...]:
    """Make a card for each judge, in the order of the predictions."""
    return tuple(_card(one, prepared, found, conditions, level) for one in prepared.judges)


def _card(
    judged: Judged, prepared: Prepared, found: Found, conditions: Conditions, level: float
) -> Card:
    worth = found.survey[judged.name]
    standing = standing_of(judged, prepared, level)
    tested = None
    if found.alt_test is not None:
        try:
            tested = found.alt_test[judged.name]
        except HeadcountError:  # scores that no alignment of names takes
            tested = None
    evidence = Evidence(
        worth=worth.equivalence,
        items=found.survey.provenance.items_used,
        standing=standing,
        alt_test=tested,
        level=level,
        agree=found.agree,
        beats=worth.p_beats,
    )
    decided = tuple(kind.decide(evidence) for kind in conditions.kinds)
    ceiling = found.survey.ceiling
    calibrated = found.calibrated.get(judged.name)
    status = all_of(one.status for one in decided)
    return Card(
        name=judged.name,
        kind=judged.kind,
        calibration=worth.calibration,
        worth=worth.equivalence,
        raw_worth=worth.equivalence if worth.calibration is None else None,
        calibrated_worth=calibrated if worth.calibration is None else worth.equivalence,
        share=None if ceiling is None else ceiling.performance_ratio.get(worth.name),
        standing=standing,
        parting=parting_of(judged, prepared, level),
        conditions=decided,
        status=status,
        verdict=_verdict(judged.name, status, decided),
        next_step=_if_calibrated(
            _next_step(status, decided, found), decided, worth.equivalence, calibrated
        ),
    )


def _verdict(name: str, status: Status, conditions: tuple[Condition, ...]) -> str:
    """Answer in a sentence, with the number behind each condition."""
    parts = [f"It {one.words}: {WORDS[one.status]} ({one.shown})." for one in conditions]
    return f"{name}: {WORDS[status]}. {' '.join(parts)}"


def _next_step(status: Status, conditions: tuple[Condition, ...], found: Found) -> str:
    """Say what to do, to follow the name of the judge."""
    if not found.agree:
        if found.may_agree:
            return "have people label more items, to see whether they agree; then judge it again."
        return "first make people agree, then judge it again."
    if status == "pass":
        return "use it, and have people check a sample of its labels from time to time."
    if status == "fail":
        return (
            "do not let it stand in for a person. Read the items on which it parts from "
            "people, change its instructions, and judge it again on other items."
        )
    undecided = [one for one in conditions if one.status == "cannot tell"]
    steps = [f"whether it {one.words}: {one.why}" for one in undecided if one.more_items is None]
    more = {one.words: one.more_items for one in undecided if one.more_items is not None}
    if more:
        known, items = " and ".join(more), f"{max(more.values()):,} more items"
        too_few = next((one.why for one in undecided if one.why.endswith(TOO_FEW)), None)
        step = f"label {items} {TO_KNOW} {known}"
        if too_few is not None:
            step = f"{too_few} whether it {known}: label at least {items}, then judge it again"
        steps.insert(0, step)
    return f"{'; '.join(steps)}."


def _if_calibrated(
    step: str, conditions: tuple[Condition, ...], worth: Estimate, calibrated: Estimate | None
) -> str:
    """Say what calibration would bring, where probabilities as they are do not suffice."""
    marks = [c.mark for c in conditions if c.name == WorthAtLeast.name and c.status != "pass"]
    if not marks or calibrated is None or not calibrated.value > worth.value:
        return step
    value, _, interval = shown_worth(calibrated).partition(", ")
    would = f"worth {value} raters ({interval})"
    if calibrated.low is not None and calibrated.low > max(marks):
        return f"calibrate its probabilities, which are then {would}. As they are: {step}"
    return f"{step} Calibrated, its probabilities would be {would}."

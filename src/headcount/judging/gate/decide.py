"""Which conditions are asked for, and what they come to."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from headcount import options
from headcount.judging.gate.conditions import (
    DEFAULT_EPSILON,
    DEFAULT_MARGIN,
    DEFAULT_RATERS,
    TOO_FEW,
    AltTestPassed,
    Kind,
    LikeAPerson,
    WorthAtLeast,
)
from headcount.judging.gate.records import WORDS, Condition, Gate, Status
from headcount.judging.records import Card

__all__ = ["Conditions", "all_of", "chosen", "gate_of"]


@dataclass(frozen=True)
class Conditions:
    """The conditions that are asked for; or those of the verdict, where none is.

    Parameters
    ----------
    kinds : tuple of Kind
    epsilon : float
        Of the alt-test, which is on the card in any case.
    """

    kinds: tuple[Kind, ...]
    epsilon: float


def chosen(given: Mapping[str, float | None]) -> Conditions:
    """Check the marks, and make the conditions."""
    raters, margin, epsilon = (
        given[kind.name] for kind in (WorthAtLeast, LikeAPerson, AltTestPassed)
    )
    kinds: list[Kind] = []
    if raters is not None:
        kinds.append(WorthAtLeast(options.number(raters, WorthAtLeast.name, above=0)))
    if margin is not None:
        kinds.append(LikeAPerson(options.number(margin, LikeAPerson.name, least=0, below=2)))
    if epsilon is not None:
        kinds.append(AltTestPassed(options.number(epsilon, AltTestPassed.name, least=0, below=1)))
    if not kinds:
        kinds = [WorthAtLeast(DEFAULT_RATERS), LikeAPerson(DEFAULT_MARGIN)]
    return Conditions(tuple(kinds), DEFAULT_EPSILON if epsilon is None else epsilon)


def all_of(statuses: Iterable[Status]) -> Status:
    """Fail if one fails, pass if all pass.

    Examples
    --------
    >>> all_of(["pass", "cannot tell"]), all_of(["cannot tell", "fail"]), all_of(["pass"])
    ('cannot tell', 'fail', 'pass')
    """
    found = set(statuses)
    if "fail" in found:
        return "fail"
    return "pass" if found == {"pass"} else "cannot tell"


def gate_of(cards: Sequence[Card]) -> Gate:
    """Say in one line what all conditions of all judges come to."""
    status = all_of(card.status for card in cards)
    # What decides it: the failures, else what is open, else everything.
    deciding = [
        f"{card.name} {_said(condition)}"
        for card in cards
        for condition in card.conditions
        if condition.status == status
    ]
    return Gate(status=status, line=f"{status}: {'; '.join(deciding)}")


def _said(condition: Condition) -> str:
    said = f"{condition.words}: {WORDS[condition.status]} ({condition.shown})"
    if condition.more_items is not None:
        least = "at least " if condition.why.endswith(TOO_FEW) else ""
        said += f", {least}{condition.more_items:,} more items would tell"
    elif condition.status == "cannot tell" and condition.why and condition.why != condition.shown:
        said += f", {condition.why}"
    return said

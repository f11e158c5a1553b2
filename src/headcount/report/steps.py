"""The parts of a report on files: every step that makes sense for them, done."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any

from headcount.agreement.agree import agree
from headcount.blind_evaluation.blind import blind
from headcount.equivalence.survey import survey
from headcount.errors import HeadcountError
from headcount.io.look.records import Seen, Step
from headcount.io.look.result import LookResult
from headcount.judging.judge import judge
from headcount.pairwise.pairs import pairs
from headcount.report.card import CardFiles, card_parts
from headcount.report.records import Part
from headcount.results.base import Result
from headcount.results.notes import Notes
from headcount.typing import Seed

__all__ = ["parts_of"]

VERBS = {"agree": agree, "blind": blind, "pairs": pairs, "survey": survey}


def parts_of(seen: LookResult, *, level: float, rng: Seed, notes: Notes) -> list[Part]:
    """Do every step; what cannot be done is noted."""
    asked = _asked(level, rng)
    parts: dict[str, Part] = {}
    for step in _steps(seen):
        for number, part in enumerate(_parts(step, seen, asked, notes)):
            # Two files of judges have the same people, of whom one part is enough.
            call = f"{step.python} {number}" if part.step is None else part.step.python
            parts.setdefault(call, part)
    return list(parts.values())


def _asked(level: float, rng: Seed) -> dict[str, Any]:
    """Return options that are not what every method takes anyway."""
    return {
        name: value
        for name, value, usual in (("level", level, 0.95), ("rng", rng, 0))
        if value != usual
    }


def _steps(seen: LookResult) -> Iterator[Step]:
    """Choose steps of the files; of two of which one tells all that the other does, only that."""
    carded = {step.data for step in seen.steps if "predictions" in step.files}
    by_rater = {step.data for step in seen.steps if step.options.get("by_rater")}
    for step in seen.steps:
        if step.verb not in VERBS or (step.verb == "agree" and step.data in carded):
            continue  # the card has it
        if step.verb == "pairs":
            if step.data in by_rater and not step.options:
                continue
            both = "a rating of every item, and who answers at random"
            yield replace(step, why=both if step.options else step.why)
            continue
        yield step


def _parts(step: Step, seen: LookResult, asked: Mapping[str, Any], notes: Notes) -> Iterator[Part]:
    """Do a step: ratings with predictions give a card, if they can."""
    if "predictions" in step.files:
        try:
            yield from _card(step, seen, asked)
            return
        except HeadcountError as refusal:
            notes.caution(f"there is no judge card: {refusal.marked}")
        also = replace(step, verb="agree", files={}, why="how much the raters agree")
        yield from _part(also, seen, asked, notes)
    yield from _part(step, seen, asked, notes)


def _card(step: Step, seen: LookResult, asked: Mapping[str, Any]) -> list[Part]:
    rated, predicted = _data(step.data, "ratings", seen), _files(step, seen)["predictions"]
    card = judge(rated, predicted, **asked)
    given = step.files["predictions"]
    files = CardFiles(
        people=step.data,
        judges=None if given == step.data else given,
        reading=step.reading,
        options=asked,
    )
    # Judges beside each other are a step of their own, with intervals, where there are several.
    ranked = any(other.verb == "blind" and other.data == given for other in seen.steps)
    return [p for p in card_parts(card, files) if not (ranked and p.result is card.together)]


def _part(step: Step, seen: LookResult, asked: Mapping[str, Any], notes: Notes) -> Iterator[Part]:
    """Run one method."""
    kinds = {"pairs": "comparisons", "blind": "predictions"}
    data = _data(step.data, kinds.get(step.verb, "ratings"), seen)
    try:
        result: Result = VERBS[step.verb](data, **_files(step, seen), **step.options, **asked)
    except HeadcountError as refusal:
        notes.caution(f"{step.why} cannot be told: {refusal.marked}")
        return
    yield Part(title=_title(step.why), result=result, step=_with(step, asked))


def _title(why: str) -> str:
    words = why.removeprefix("a ").removeprefix("and ")
    return words[:1].upper() + words[1:]


def _with(step: Step, asked: Mapping[str, Any]) -> Step:
    return replace(step, options={**step.options, **asked})


def _files(step: Step, seen: LookResult) -> dict[str, Any]:
    """Return what was read of the files that a step names."""
    return {name: _data(given, name, seen) for name, given in step.files.items()}


def _data(given: str, kind: str, seen: LookResult) -> Any:
    """Return what was read of a file; of this kind, where it holds several."""
    found: list[Seen] = [one for one in seen.seen if one.given == given]
    return next((one.data for one in found if one.kind == kind), found[0].data)

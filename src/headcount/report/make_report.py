"""A report end to end: whatever data there are in, every answer they allow out."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

from headcount import options
from headcount.agreement.agree import agree
from headcount.agreement.result import AgreementResult
from headcount.blind_evaluation.blind import blind
from headcount.blind_evaluation.rate import RateResult
from headcount.blind_evaluation.result import BlindResult
from headcount.engine.look import look
from headcount.engine.sources import unscanned
from headcount.equivalence.alt_test import AltTest
from headcount.equivalence.result import SurveyResult
from headcount.equivalence.survey import survey
from headcount.errors import DataError, HeadcountError, option
from headcount.io.look_result import LookResult, Seen, Step
from headcount.judging.judge import judge
from headcount.judging.result import JudgeResult
from headcount.judging.rubric import RubricResult
from headcount.pairwise.pairs import pairs
from headcount.pairwise.result import PairsResult
from headcount.report.result import Part, Report
from headcount.results.notes import Note, Notes, Provenance, Source
from headcount.results.result import Result
from headcount.typing import Seed

__all__ = ["apart", "make_report"]


def make_report(*data: Any, level: float = 0.95, seed: Seed = 0) -> Report:
    """Run every analysis that fits the data, and put the answers on one page.

    Ratings with predictions of the same items give the judge card and the methods behind it.
    Ratings alone give agreement, a power curve and how reliable each rater is. Several classifiers
    give a ranking, by gold labels if there are some, and comparisons give a rating of every item.

    Parameters
    ----------
    *data : path, frame, LookResult or other results
        Files and frames as :func:`headcount.look` takes them; what it returned, if reading needs
        options; or results, which are shown as they are.
    level, seed
        Coverage of intervals and seed, as in the methods.

    Returns
    -------
    Report
        `report.to_html()` returns one self-contained page; `report.save("report.html")` writes it.

    Raises
    ------
    DataError
        If no analysis fits the data.

    Examples
    --------
    >>> from headcount import make_report
    >>> report = make_report("example:comparisons")
    >>> [part.title for part in report.parts]
    ['Rating of every item, and who answers at random']
    """
    level, notes = options.level(level), Notes()
    options.seed(seed)  # the methods make their own generators of it
    results = [
        each for each in data if isinstance(each, Result) and not isinstance(each, LookResult)
    ]
    looked = _look_at([each for each in data if each not in results], alone=not results)
    parts = [part for each in results for part in _parts_of(each)]
    if looked is not None and not results:
        parts += parts_of(looked, level=level, seed=seed, notes=notes)
    if not parts:
        why = (
            next((each.refused.marked for each in looked.seen if each.refused), None)
            if looked
            else None
        )
        source = "" if looked is None else f"{looked.provenance.source}: "
        raise DataError(
            why
            or f"{source}there is nothing to report. A report needs two items with ratings by two "
            "raters, labels by two classifiers, or comparisons."
        )
    parts = apart(parts)
    notes.extend(_warnings(parts))
    if looked is not None:
        notes.extend(looked.notes)
    return Report(
        parts=tuple(parts),
        seen=looked,
        notes=tuple(notes),
        provenance=_provenance(parts, looked, level, options.seed_number(seed)),
    )


def _look_at(data: Sequence[Any], *, alone: bool) -> LookResult | None:
    """Look at data, where nobody has."""
    if not data and not alone:
        return None
    if len(data) == 1 and isinstance(data[0], LookResult):
        looked = data[0]
        for file in looked.seen:
            if file.kind is not None and file.data is None:
                raise DataError(
                    f"{file.name} was counted where it is, and a report needs it in memory: look "
                    f"at it with {option('engine', 'memory')}."
                )
        return looked
    return look(*map(unscanned, data), engine="memory")


def _warnings(parts: Sequence[Part]) -> Iterator[Note]:
    """Collect what speaks against answers, each once, and say against which."""
    listed: set[str] = set()
    for number, part in enumerate(parts):
        for note in part.result.notes:
            if note.severity == "warning" and note.marked not in listed:
                listed.add(note.marked)
                yield part.named(note) if number else note


def _parts_of(result: Result) -> list[Part]:
    if isinstance(result, JudgeResult):
        return card_parts(result)
    parts = [Part(title=TITLES.get(type(result), "Answer"), result=result, verb="judge")]
    if isinstance(result, RubricResult):
        for name, card in result.cards.items():
            own = card_parts(card, about=name)[0]
            parts.append(replace(own, title=f"{name}: {own.title[:1].lower()}{own.title[1:]}"))
    return parts


def _provenance(
    parts: Sequence[Part], looked: LookResult | None, level: float, seed: int | None
) -> Provenance:
    """Count the data of the first answer; name the files of all."""
    first = parts[0].result.provenance
    every = [part.result.provenance for part in parts]
    every += [] if looked is None else [looked.provenance]
    sources: dict[str, Source] = {source.name: source for p in every for source in p.sources}
    return Provenance(
        source=first.source if looked is None else looked.provenance.source,
        items_used=first.items_used,
        items_dropped=first.items_dropped,
        n_ratings=first.n_ratings,
        n_raters=first.n_raters,
        labels=first.labels,
        sources=tuple(sources.values()),
        dropped=first.dropped if looked is None else looked.provenance.dropped,
        level=level,
        seed=seed,
        backend=first.backend,
    )


# The parts of a report on files: every step that makes sense for them, done.

VERBS = {"agree": agree, "blind": blind, "pairs": pairs, "survey": survey}


def parts_of(looked: LookResult, *, level: float, seed: Seed, notes: Notes) -> list[Part]:
    """Do every step; what cannot be done is noted."""
    shared = _unusual(level, seed)
    parts: dict[str, Part] = {}
    for step in _steps(looked):
        for number, part in enumerate(_parts(step, looked, shared, notes)):
            # Two files of judges have the same people, of whom one part is enough.
            about = step.data if part.verb == "agree" else step.python
            call = f"{about} {number}" if part.step is None else part.step.python
            parts.setdefault(call, part)
    return list(parts.values())


def _unusual(level: float, seed: Seed) -> dict[str, Any]:
    """Return options that are not what every method takes anyway."""
    return {
        name: value
        for name, value, usual in (("level", level, 0.95), ("seed", seed, 0))
        if value != usual
    }


def _steps(looked: LookResult) -> Iterator[Step]:
    """Choose steps of the files; of two of which one tells all that the other does, only that."""
    carded = {step.data for step in looked.steps if "predictions" in step.files}
    by_rater = {step.data for step in looked.steps if step.options.get("by_rater")}
    for step in looked.steps:
        if step.verb not in VERBS or (step.verb == "agree" and step.data in carded):
            continue  # the card has it
        if step.verb == "pairs":
            if step.data in by_rater and not step.options:
                continue
            both = "a rating of every item, and who answers at random"
            yield replace(step, why=both if step.options else step.why)
            continue
        yield step


def _parts(
    step: Step, looked: LookResult, shared: Mapping[str, Any], notes: Notes
) -> Iterator[Part]:
    """Do a step: ratings with predictions give a card, if they can."""
    if "predictions" in step.files:
        try:
            yield from _card(step, looked, shared)
            return
        except HeadcountError as refusal:
            notes.caution(f"there is no judge card: {refusal.marked}")
        also = replace(step, verb="agree", files={}, why="how much the raters agree")
        yield from _part(also, looked, shared, notes)
    yield from _part(step, looked, shared, notes)


def _card(step: Step, looked: LookResult, shared: Mapping[str, Any]) -> list[Part]:
    rated, predicted = _data(step.data, "ratings", looked), _files(step, looked)["predictions"]
    judges = step.files["predictions"]
    call = replace(
        step,
        verb="judge",
        files={} if judges == step.data else {"judges": judges},
        options=shared,
        why="",
    )
    return card_parts(judge(rated, predicted, **shared), call)


def _part(
    step: Step, looked: LookResult, shared: Mapping[str, Any], notes: Notes
) -> Iterator[Part]:
    """Run one method."""
    kinds = {"pairs": "comparisons", "blind": "predictions"}
    data = _data(step.data, kinds.get(step.verb, "ratings"), looked)
    try:
        result: Result = VERBS[step.verb](data, **_files(step, looked), **step.options, **shared)
    except HeadcountError as refusal:
        notes.caution(f"{step.why}: no answer; {refusal.marked}")
        return
    yield Part(
        title=_title(step.why),
        result=result,
        step=replace(step, options={**step.options, **shared}),
    )


def _title(why: str) -> str:
    words = why.removeprefix("a ").removeprefix("and ")
    return words[:1].upper() + words[1:]


def _files(step: Step, looked: LookResult) -> dict[str, Any]:
    """Return what was read of the files that a step names."""
    return {name: _data(path, name, looked) for name, path in step.files.items()}


def _data(path: str, kind: str, looked: LookResult) -> Any:
    """Return what was read of a file; of this kind, where it holds several."""
    files: list[Seen] = [file for file in looked.seen if file.given == path]
    return next((file.data for file in files if file.kind == kind), files[0].data)


def card_parts(card: JudgeResult, step: Step | None = None, about: str = "") -> list[Part]:
    """Give the card, then what it is made of."""
    several = "these judges" if len(card.judges) > 1 else "this judge"
    about = about or card.provenance.judges or ""
    results: dict[str, tuple[str, Result | None]] = {
        "judge": (f"May {several} stand in for a person here?", card),
        "survey": ("The worth of each judge in raters", card.survey),
        "agree": ("How much the people agree", card.agreement),
        "alt_test": ("The alternative annotator test", card.alt_test),
    }
    parts = [
        Part(title=title, result=result, about=about, verb=verb)
        for verb, (title, result) in results.items()
        if result is not None
    ]
    parts[0] = replace(parts[0], step=step, next_step=" ".join(card.answers[-1].sentences))
    return parts


# What the parts of a report are called.

TITLES: dict[type[Result], str] = {
    AgreementResult: "How much the raters agree",
    AltTest: "The alternative annotator test",
    BlindResult: "Which classifier is better",
    PairsResult: "Rating of every item",
    RateResult: "What people would say of all items",
    RubricResult: "May these judges stand in for a person, criterion by criterion?",
    SurveyResult: "How many raters classifiers are worth",
}


def apart(parts: Sequence[Part]) -> list[Part]:
    """Tell parts of the same title apart by their data."""
    times = Counter(part.title for part in parts)
    return [
        part
        if times[part.title] == 1
        else replace(part, title=f"{part.title} ({part.about or part.result.provenance.source})")
        for part in parts
    ]

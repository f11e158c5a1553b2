"""A report end to end: whatever data there are in, every answer they allow out."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from headcount import options
from headcount.engine.look import look
from headcount.engine.scans.memory_or_engine import unscanned
from headcount.errors import DataError, option
from headcount.io.look.result import LookResult
from headcount.judging.result import JudgeResult
from headcount.report.card import CardFiles, card_parts
from headcount.report.records import Part
from headcount.report.result import Report
from headcount.report.steps import parts_of
from headcount.report.titles import apart, title_of
from headcount.results.base import Result
from headcount.results.notes import Note, Notes
from headcount.results.provenance import Provenance, Source
from headcount.typing import Seed

__all__ = ["make_report"]


def make_report(
    *data: Any, level: float = 0.95, rng: Seed = 0, files: CardFiles | None = None
) -> Report:
    """Put everything that data can tell on one page.

    Ratings with predictions of the same items give the judge card and what it is made of, ratings
    alone agreement, a power curve and who is reliable, several classifiers a ranking, by gold
    labels where there are some, and comparisons a rating of every item.

    Parameters
    ----------
    *data : path, frame, LookResult or other results
        Files and frames as :func:`headcount.look` takes them; what it returned, where they need
        options to be read; or results, which are shown as they are.
    level, rng
        Coverage of intervals and seed, as in the methods.
    files : CardFiles, optional
        The files of a judge card among `data`, to write calls that give its numbers again.

    Returns
    -------
    Report
        `report.to_html()` is one page, with no reference to anything outside it;
        `report.save("report.html")` writes it.

    Raises
    ------
    DataError
        If nothing can be told from the data.

    Examples
    --------
    >>> from headcount import make_report
    >>> report = make_report("example:comparisons")
    >>> [part.title for part in report.parts]
    ['Rating of every item, and who answers at random']
    """
    level, notes = options.level(level), Notes()
    options.seed(rng)  # the methods make their own generators of it
    results = [one for one in data if isinstance(one, Result) and not isinstance(one, LookResult)]
    seen = _seen([one for one in data if one not in results], alone=not results)
    parts = [part for one in results for part in _given(one, files)]
    if seen is not None and not results:
        parts += parts_of(seen, level=level, rng=rng, notes=notes)
    if not parts:
        why = next((one.refused for one in seen.seen if one.refused), None) if seen else None
        source = "" if seen is None else f"{seen.provenance.source}: "
        raise DataError(
            why
            or f"{source}there is nothing to report. It takes two items with ratings of two "
            "raters, labels of two classifiers, or comparisons."
        )
    parts = apart(parts)
    notes.extend(_warnings(parts))
    if seen is not None:
        notes.extend(seen.notes)
    return Report(
        parts=tuple(parts),
        seen=seen,
        notes=tuple(notes),
        provenance=_provenance(parts, seen, level, options.seed_number(rng)),
    )


def _seen(data: Sequence[Any], *, alone: bool) -> LookResult | None:
    """Look at data, where nobody has."""
    if not data and not alone:
        return None
    if len(data) == 1 and isinstance(data[0], LookResult):
        seen = data[0]
        for one in seen.seen:
            if one.kind is not None and one.data is None:
                raise DataError(
                    f"{one.name} was counted where it is, and a report needs it in memory: look at "
                    f"it with {option('engine', 'memory')}."
                )
        return seen
    return look(*map(unscanned, data), engine="memory")


def _warnings(parts: Sequence[Part]) -> Iterator[Note]:
    """Collect what speaks against answers, each once, and say against which."""
    said: set[str] = set()
    for number, part in enumerate(parts):
        for note in part.result.notes:
            if note.severity == "warning" and note.marked not in said:
                said.add(note.marked)
                yield part.named(note) if number else note


def _given(result: Result, files: CardFiles | None) -> list[Part]:
    if isinstance(result, JudgeResult):
        return list(card_parts(result, files))
    return [Part(title=title_of(result), result=result)]


def _provenance(
    parts: Sequence[Part], seen: LookResult | None, level: float, seed: int | None
) -> Provenance:
    """Count the data of the first answer; name the files of all."""
    first = parts[0].result.provenance
    every = [part.result.provenance for part in parts]
    every += [] if seen is None else [seen.provenance]
    sources: dict[str, Source] = {one.name: one for p in every for one in p.sources}
    return Provenance(
        source=first.source if seen is None else seen.provenance.source,
        items_used=first.items_used,
        items_dropped=first.items_dropped,
        n_ratings=first.n_ratings,
        n_raters=first.n_raters,
        labels=first.labels,
        sources=tuple(sources.values()),
        dropped=first.dropped if seen is None else seen.provenance.dropped,
        level=level,
        seed=seed,
        backend=first.backend,
    )

"""`headcount judge`: whether LLM judges may stand in for a person."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from headcount.cli.flags import Command, grouped
from headcount.cli.options import (
    RatingColumns,
    ReadingOptions,
    for_ratings,
    names_in,
    read_predictions_for,
)
from headcount.cli.output import (
    PAGES,
    check_page,
    check_plot,
    check_rows,
    progress_bar,
    say,
    show,
    write_page,
    write_plot,
)

if TYPE_CHECKING:
    from collections.abc import Sequence

    from headcount.data.labels import Labels
    from headcount.judging.result import JudgeResult
    from headcount.report.make_report import CardFiles
    from headcount.report.result import Report

__all__ = ["JudgeCommand", "judge_command"]

EXITS = {"pass": 0, "fail": 1, "cannot tell": 3}
"""Exit codes of the gate; 2 is bad input."""
USUAL = {"--agree-like-a-person": "0.2", "--alt-test": "0.2"}
"""Options that may stand without a value, and what they then mean."""


class JudgeCommand(Command):
    """A command some of whose options may stand without a value."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        """Parse the words, with usual values put in where none follows."""
        return super().parse_args(ctx, with_usual(args))


def with_usual(words: list[str]) -> list[str]:
    """Put a usual value behind each option that has one, where no number follows.

    Examples
    --------
    >>> with_usual(["--alt-test", "people.csv"]), with_usual(["--alt-test", ".1"])
    (['--alt-test', '0.2', 'people.csv'], ['--alt-test', '.1'])
    """
    out: list[str] = []
    for index, word in enumerate(words):
        out.append(word)
        if word in USUAL and not _is_number(words[index + 1 : index + 2]):
            out.append(USUAL[word])
    return out


def _is_number(words: list[str]) -> bool:
    try:
        float(words[0] if words else "")
    except ValueError:
        return False
    return True


@grouped
def judge_command(
    context: typer.Context,
    *,
    people: Annotated[
        Path,
        typer.Argument(
            help="What people said: long (item, rater, label) or wide (item, then one column per "
            "person); or an export of a labelling tool, which may hold the judges as well."
        ),
    ],
    judges: Annotated[
        Path | None,
        typer.Argument(
            help="What judges said: item, then for each judge a column of labels, of scores, or "
            "columns name:label of probabilities."
        ),
    ] = None,
    judge_names: str | None = None,
    by: str | None = None,
    positive: str | None = None,
    scale: str | None = None,
    gate: bool = False,
    worth_at_least: float | None = None,
    agree_like_a_person: float | None = None,
    alt_test: float | None = None,
    looks: Path | None = None,
    bootstrap: int = 500,
    level: float = 0.95,
    seed: int = 0,
    columns: RatingColumns,
    reading: ReadingOptions,
    as_json: bool = False,
    output: Path | None = None,
    details: bool = False,
    quiet: bool = False,
    plot: Path | None = None,
) -> None:
    """Tell whether LLM judges may stand in for a person, and what to do next.

    With a gate the exit code is 0 if every judge is ready and meets what is asked besides, 1 if one
    is not ready or only once recalibrated, 3 for 'cannot tell yet'; 2 is bad input.
    """
    check_plot(plot)
    card = output if output is not None and output.suffix.lower() in PAGES else None
    rows = None if card is not None else output
    if card is None:
        check_rows(rows)
    else:
        check_page(card)
    from headcount.io.facts import read_strata
    from headcount.judging.judge import judge
    from headcount.judging.prepare import take_both
    from headcount.report.make_report import CardFiles

    chosen = None if judge_names is None else names_in(judge_names)
    own = for_ratings(reading, people, judges)
    read = partial(_ratings, columns=columns, reading=own)
    if judges is None or (judges == people and chosen is not None):
        rated, predictions = take_both(
            people, None, chosen, by=by, read=read, question=reading.question
        )
    else:
        rated = read(people, [] if by is None else [by])
        predictions = read_predictions_for(rated, judges, people, reading)
        rated, predictions = take_both(rated, predictions, chosen)
    with progress_bar("bootstrap") as progress:
        result = judge(
            rated,
            predictions,
            by=None if by is None else read_strata(people, by, item=columns.item),
            positive=positive,
            scale=scale,
            gate=gate,
            worth_at_least=worth_at_least,
            agree_like_a_person=agree_like_a_person,
            alt_test=alt_test,
            looks=looks if looks is not None else False,
            bootstrap=bootstrap,
            level=level,
            seed=seed,
            progress=progress,
        )
    if by is not None:
        result = replace(result, provenance=replace(result.provenance, by=by))
    if plot is not None:
        write_plot(result.plot().figure, plot)
    if card is not None:
        # Options of the card, and those that its methods have as well.
        shared = {"scale": scale, "bootstrap": bootstrap, "level": level, "seed": seed}
        own = {
            "judge": judge_names,
            "by": by,
            "positive": positive,
            "gate": gate or None,
            "looks": None if looks is None else str(looks),
            "worth_at_least": worth_at_least,
            "agree_like_a_person": agree_like_a_person,
            "alt_test": alt_test,
        }
        files = CardFiles(
            people=str(people),
            judges=None if judges is None else str(judges),
            reading=_given({**columns.keywords(), **reading.keywords()}),
            options=_given(shared),
            gate=_given(own),
            alone=judge_names is None,
        )
        write_page(_report(result, files, columns, reading), context, card)
    if result.gate is None or as_json or not quiet:
        show(
            result, context, as_json=as_json, rows=rows, details=details, quiet=quiet, plots=(plot,)
        )
        if card is not None and not (as_json or quiet):
            say(f"page: {card}")
    else:
        _one_line(result, rows)
    if result.gate is not None:
        raise typer.Exit(EXITS[result.gate.status])


def _given(options: dict[str, Any]) -> dict[str, Any]:
    """Leave out options that were not given."""
    usual = {"duplicates": "error", "bootstrap": 500, "level": 0.95, "seed": 0}
    return {
        name: value
        for name, value in options.items()
        if value not in (None, []) and value != usual.get(name)
    }


def _report(
    card: JudgeResult, files: CardFiles, columns: RatingColumns, reading: ReadingOptions
) -> Report:
    """Make the page of a card, with a look at its files."""
    from headcount.engine.look import look
    from headcount.report.make_report import make_report

    sources = dict.fromkeys(file for file in (files.people, files.judges) if file is not None)
    looked = look(*sources, **columns.keywords(), **reading.keywords(), engine="memory")
    p = card.provenance
    return make_report(card, looked, level=p.level or 0.95, seed=p.seed or 0, files=files)


def _one_line(result: JudgeResult, output: Path | None) -> None:
    """Print the gate on one line, however long, for a log; and what speaks against it."""
    from headcount.io.write import write_rows

    if output is not None:
        write_rows(result.columns(), output)
    if result.gate is not None:
        say(f"headcount judge: {result.gate.line}")
    for note in result.notes:
        if note.severity == "warning":
            say(f"warning: {note}")


def _ratings(
    people: Path, besides: Sequence[str], *, columns: RatingColumns, reading: ReadingOptions
) -> Labels:
    return columns.read(people, reading, besides)

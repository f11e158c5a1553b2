"""`headcount judge`: whether LLM judges may stand in for a person."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from headcount.cli.flags import Command, Names, grouped
from headcount.cli.options import (
    AnswerOptions,
    ClusterOptions,
    RatingColumns,
    ReadingOptions,
    for_ratings,
    read_predictions_for,
)
from headcount.cli.output import (
    PAGES,
    check_page,
    progress_bar,
    say,
    write_page,
    write_plot,
)
from headcount.errors import DataError, OptionError, QuestionsError, option

if TYPE_CHECKING:
    from collections.abc import Sequence

    from headcount.data.labels import Labels
    from headcount.data.predictions import Predictions
    from headcount.judging.result import JudgeResult
    from headcount.judging.rubric import Rubric, RubricResult

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
        after = words[index + 1 : index + 2]
        if word in USUAL and not _is_number(after):
            out.append(USUAL[word])
        if word == "--run" and (not after or after[0].startswith("-")):
            out.append("")  # rows that repeat an item
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
    judge_names: Names | None = None,
    by: str | None = None,
    clusters: ClusterOptions,
    baseline: Path | None = None,
    label_map: Path | None = None,
    run: str | None = None,
    text: str | None = None,
    cost: str | None = None,
    recalibrate: Path | None = None,
    save_map: Path | None = None,
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
    answer: AnswerOptions,
) -> None:
    """Decide whether LLM judges may stand in for a person, and what to do next.

    With a gate the exit code is 0 if every judge is ready and meets the other conditions, 1 if any
    is not ready, or is ready only once recalibrated, 3 for 'cannot tell yet'; 2 is bad input.
    """
    page = answer.output
    if page is not None and page.suffix.lower() in PAGES:
        check_page(page)
        answer = replace(answer, output=None)
    else:
        page = None
    answer.check(pages=PAGES[:1])
    from headcount.io.facts import read_strata, texts_of
    from headcount.io.write import write_predictions
    from headcount.judging.gate import Gate
    from headcount.judging.judge import judge
    from headcount.judging.maps import write_maps
    from headcount.judging.prepare import keep_judges, take_both
    from headcount.judging.rubric import card_of
    from headcount.judging.runs import Contradiction, hinted, judges_on, read_runs

    if judges is None and judge_names is None and label_map is not None and recalibrate is not None:
        _map_only(people, label_map, recalibrate)
        return
    runs: tuple[Contradiction, ...] = ()
    names = None if judge_names is None else list(judge_names)
    strata = None if by is None else read_strata(people, by, item=columns.item)
    own = for_ratings(reading, people, judges)
    besides = [*clusters.besides, *(name for name in (by, text) if name is not None)]
    read = partial(_ratings, columns=columns, reading=own)
    rubric: Rubric = {}
    if judges is None or (judges == people and names is not None):
        rated, predictions = take_both(
            people, None, names, besides=besides, read=read, question=reading.question
        )
    else:
        try:
            rated = read(people, besides)
            if run is not None:
                labels = rated.scale.labels
                predictions, runs = read_runs(judges, run or True, seed, labels, reading.question)
            else:
                read_judges = partial(read_predictions_for, rated, judges, people, reading)
                predictions = hinted(read_judges, judges)
        except DataError as error:
            rubric = _rubric_of(error, people, judges, besides, columns, own)
            rated, predictions = next(iter(rubric.values()))
        rated, predictions = take_both(rated, predictions, names)
    marks = {
        "worth_at_least": worth_at_least,
        "agree_like_a_person": agree_like_a_person,
        "alt_test": alt_test,
    }
    marked = {name: mark for name, mark in marks.items() if mark is not None}
    shared: dict[str, Any] = {
        "by": strata,
        "cluster": clusters.take(people, rated, columns),
        "text": texts_of(people, text),
        "cost": cost,
        "positive": positive,
        "scale": scale,
        "gate": Gate(**marked) if gate or marked else False,
        "bootstrap": bootstrap,
        "level": level,
        "seed": seed,
    }
    result: JudgeResult | RubricResult
    if rubric and reading.question is None:
        unfit = {
            "label_map": label_map,
            "recalibrate": recalibrate,
            "save_map": save_map,
            "looks": looks,
            "run": run,
        }
        _check_fit(unfit, next(iter(rubric)))
        before: dict[str, Predictions] = {}
        for name, (rated, predictions) in rubric.items():
            if names is not None:
                rubric[name] = rated, keep_judges(predictions, names)
            if baseline is not None:
                earlier = judges_on(baseline, name, list(rubric), rated.scale.labels)
                before |= {} if earlier is None else {name: earlier}
        result = card_of(rubric, before, **shared)
    else:
        with progress_bar("bootstrap") as progress:
            result = judge(
                rated,
                predictions,
                baseline=None
                if baseline is None
                else read_predictions_for(rated, baseline, people, reading),
                label_map=label_map,
                looks=looks if looks is not None else False,
                progress=progress,
                **shared,
            )
        result = replace(result, runs=runs, provenance=replace(result.provenance, by=by))
        if recalibrate is not None:
            write_predictions(result.recalibrated(), recalibrate)
            result = replace(result, written=str(recalibrate))
        if save_map is not None:
            write_maps(result.maps, save_map)
    if page is not None:
        from headcount.engine.look import look
        from headcount.report.make_report import make_report

        files = [people] if judges in (None, people) else [people, judges]
        seen = look(*files, **columns.keywords(), **reading.keywords(), engine="memory")
        write_page(make_report(result, seen, level=level, seed=seed), context, page)
    if result.gate is None or answer.as_json or not answer.quiet:
        answer.draw(result, context)
        for what, path in (("page", page), ("recalibrated", recalibrate)):
            if path is not None and not (answer.as_json or answer.quiet):
                say(f"{what}: {path}")
    else:
        if answer.plot is not None:
            write_plot(result.plot().figure, answer.plot)
        _one_line(result, answer.output)
    if result.gate is not None:
        raise typer.Exit(EXITS[result.gate.status])


def _check_fit(given: dict[str, Any], first: str) -> None:
    """Refuse options that are for one criterion at a time, with the command for the first one."""
    from headcount.results.result import again

    for name, value in given.items():
        if value is not None:
            raise OptionError(
                f"{option(name)} is for one criterion at a time. For '{first}':\n\n"
                f"{again(question=first)}"
            )


def _rubric_of(
    error: DataError,
    people: Path,
    judges: Path,
    besides: Sequence[str],
    columns: RatingColumns,
    reading: ReadingOptions,
) -> Rubric:
    """Read people and judges of each criterion of a rubric, or of the one that is chosen.

    `error` is why they could not be read as answers to one question.
    """
    from headcount.io.ratings import read_ratings
    from headcount.judging.rubric import read_rubric

    if reading.question is None and not isinstance(error, QuestionsError):
        raise error
    try:
        _ratings(people, besides, columns=columns, reading=replace(reading, question=None))
    except QuestionsError as several:
        questions = several
    except DataError:
        raise error from None
    else:
        raise error

    def read(question: str, own: Sequence[str]) -> Labels:
        """Read what people said on one criterion, which may have columns of its own."""
        if own:
            keywords: dict[str, Any] = {**columns.keywords(), **reading.keywords()}
            keywords["columns"] = own
            return read_ratings(people, **keywords)
        of_question = replace(reading, question=question)
        return _ratings(people, besides, columns=columns, reading=of_question)

    try:
        return read_rubric(people, judges, read=read, error=questions, only=reading.question)
    except DataError:
        if isinstance(error, QuestionsError):
            raise
        raise error from None  # the criterion is chosen: this is why it cannot be read


def _map_only(answers: Path, label_map: Path, output: Path) -> None:
    """Put new answers of a judge through its map, without people."""
    from headcount.io.predictions import read_predictions
    from headcount.io.write import write_predictions
    from headcount.judging.maps import map_labels, take_maps

    mapped = map_labels(read_predictions(answers), take_maps(label_map))
    write_predictions(mapped, output)
    say(f"{len(mapped.items):,} items with recalibrated labels: {output}")


def _one_line(result: JudgeResult | RubricResult, output: Path | None) -> None:
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
    if any(name in besides for name in columns.columns):  # a column of a judge is no person's
        own = type(columns.columns)(name for name in columns.columns if name not in besides)
        columns = replace(columns, columns=own)
    return columns.read(people, reading, besides, duplicates=("error", "first", "retest"))

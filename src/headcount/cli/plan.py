"""`headcount plan`: how many ratings or comparisons to buy, and which to ask for next."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from headcount.cli.flags import App, grouped
from headcount.cli.options import (
    AnswerOptions,
    ComparisonColumns,
    RatingColumns,
    ReadingOptions,
    VoteColumns,
    VotesFile,
)
from headcount.cli.output import check_plot, check_rows, progress_bar, write_plot
from headcount.errors import OptionError

if TYPE_CHECKING:
    from headcount.results.notes import Note

__all__ = ["plan"]

plan = App(no_args_is_help=True, help="Plan how much to ask for, and what next.")


@plan.command("agreement", short_help="Plan how many items to have rated to measure agreement.")
@grouped
def plan_agreement_command(
    context: typer.Context,
    *,
    ratings: Annotated[
        Path | None,
        typer.Argument(
            help="Ratings of a pilot, as for `headcount agree`; omit it if there is no pilot."
        ),
    ] = None,
    half_width: float | None = None,
    at_least: float | None = None,
    alpha: float | None = None,
    n_labels: int | None = None,
    n_raters: int | None = None,
    cost: float | None = None,
    scale: str | None = None,
    sets: str | None = None,
    distance: str | None = None,
    level: float = 0.95,
    seed: int = 0,
    columns: RatingColumns,
    reading: ReadingOptions,
    answer: AnswerOptions,
) -> None:
    """Plan how many items to have rated to measure agreement, with a pilot or without.

    \b
    Alpha to within .1, from the ratings of a pilot:
     headcount plan agreement pilot.csv --half-width .1
    Without a pilot, for three coders and two labels, if alpha is about .7:
     headcount plan agreement --half-width .1 --alpha .7 --n-labels 2 --n-raters 3
    """  # noqa: D301 - click's mark of lines to keep is the character, not its name
    answer.check()
    from headcount.agreement.planning import plan_agreement

    result = plan_agreement(
        None if ratings is None else columns.read(ratings, reading),
        half_width=half_width,
        at_least=at_least,
        alpha=alpha,
        n_labels=n_labels,
        n_raters=n_raters,
        cost=cost,
        scale=scale,
        sets=sets,
        distance=distance,
        level=level,
        seed=seed,
    )
    answer.draw(result, context)


@plan.command("comparisons", short_help="Plan how many comparisons to buy, from a pilot.")
@grouped
def plan_comparisons_command(
    context: typer.Context,
    *,
    pilot: Annotated[
        Path,
        typer.Argument(
            help="Comparisons of a few items, as for `headcount pairs`; ideally each pair compared "
            "twice."
        ),
    ],
    items: str,
    target_f1: float | None = None,
    budget: int | None = None,
    cost: float | None = None,
    laws: bool = False,
    repeats: int = 2000,
    level: float = 0.95,
    seed: int = 0,
    columns: ComparisonColumns,
    reading: ReadingOptions,
    answer: AnswerOptions,
) -> None:
    """Plan how many comparisons to buy, from a pilot, and what votes would cost instead.

    \b
    How many comparisons give 1,000 items an f1 of .8:
      headcount plan comparisons pilot.csv --items 1000 --target-f1 0.8 --cost 0.2
    """  # noqa: D301 - click's mark of lines to keep is the character, not its name
    if target_f1 is None and budget is None:
        raise OptionError(
            "nothing to plan: give the f1 that you want (--target-f1 0.8), or the comparisons that "
            "you can pay for (--budget 5000)."
        )
    answer.check()
    from headcount.pairwise.plan import plan as plan_comparisons

    listed = item_list(items)
    with progress_bar("random sets") as progress:
        result = plan_comparisons(
            columns.read(pilot, reading),
            items=len(listed.names) or listed.number or 0,
            target_f1=target_f1,
            budget=budget,
            laws=laws,
            cost=cost,
            repeats=repeats,
            level=level,
            seed=seed,
            progress=progress,
        )
    if answer.plot is not None:
        write_plot(result.plot_laws() if laws else result.plot().figure, answer.plot)
    answer.show(result, context)


@dataclass(frozen=True, kw_only=True)
class AnchorOptions:
    """The options of a search among anchors, as they were given."""

    anchors: Path | None = None
    average_of: Path | None = None
    place: int = 5
    width: float = 2.0
    labels_out: Path | None = None


@plan.command("pairs", short_help="Choose which pairs to ask about next.")
@grouped
def plan_pairs_command(
    context: typer.Context,
    *,
    answers: Annotated[
        list[Path] | None,
        typer.Argument(help="Answers so far, as for `headcount pairs`; omit it at the start."),
    ] = None,
    items: str | None = None,
    number: int | None = None,
    until: str | None = None,
    goal: str | None = None,
    cost: float | None = None,
    tasks_for: str = "rows",
    checks: float = 0.05,
    per_rater: int | None = None,
    among: AnchorOptions,
    level: float = 0.95,
    seed: int = 0,
    columns: ComparisonColumns,
    reading: ReadingOptions,
    answer: AnswerOptions,
) -> None:
    """Choose which pairs to ask about next, until there are enough answers.

    \b
    The first 500 comparisons of a list of items, with no answers yet:
      headcount plan pairs --items items.csv --number 500 -o tasks.csv
    Are nine labels in ten right? If not, how many more, and the next tasks:
      headcount plan pairs answers.csv --items items.csv --until 'labels 0.9' \\
        -o tasks.csv
    Rank the average item of one set among the items of another (later, add all
    answers so far):
      headcount plan pairs --average-of one.csv --anchors other.csv -o tasks.csv
    """  # noqa: D301 - click's mark of lines to keep is the character, not its name
    check_plot(answer.plot)
    read = tuple(columns.read(file, reading) for file in answers or ())
    listed = item_list(items)
    if among.anchors is not None or among.average_of is not None:
        check_rows(answer.output)
        check_rows(among.labels_out)
        from headcount.pairwise.anchors import anchor_items

        of_anchors, average_of = (
            None if file is None else columns.read(file, reading)
            for file in (among.anchors, among.average_of)
        )
        placed = anchor_items(
            of_anchors,
            items=list(listed.names) or None,
            average_of=average_of,
            place=among.place,
            answers=read,
            number=number,
            width=among.width,
            level=level,
        )
        if among.labels_out is not None:
            if placed.average is None:
                raise OptionError(
                    "--labels-out: labels are by the average of another set of items; give its "
                    "comparisons with --average-of."
                )
            from headcount.io.write import write_rows

            write_rows(placed.labels(), among.labels_out)
        answer.draw(replace(placed, file=answer.output and str(answer.output)), context)
        return
    if number is None and until is None:
        raise OptionError(
            "say how many comparisons to choose: --number 200, or --until 'labels 0.9'."
        )
    path = answer.output
    if path is None and number is not None:
        raise OptionError("--number: say where to write the tasks (-o tasks.csv).")
    if path is not None and not path.parent.is_dir():
        raise OptionError(f"tasks '{path}': no such folder '{path.parent}'. Make it first.")
    from headcount.pairwise.next_pairs import next_pairs
    from headcount.pairwise.tasks import check_tasks_file, write_tasks

    if path is not None:
        check_tasks_file(path, tasks_for)

    result = next_pairs(
        read,
        number=number,
        items=listed.names if listed.number is None else listed.number,
        goal=goal,
        until=until,
        cost=cost,
        checks=checks,
        per_rater=per_rater,
        level=level,
        seed=seed,
    )
    result = replace(
        result,
        about=listed.about or {},
        file=None if path is None else str(path),
        notes=(*result.notes, *listed.notes),
    )
    if path is not None:
        write_tasks(result.columns(), path, tasks_for)
    # Tasks are written in a form of their own.
    replace(answer, output=None).draw(result, context)


@plan.command("items", short_help="Draw items at random for a person to label.")
@grouped
def plan_items_command(
    context: typer.Context,
    *,
    votes: VotesFile,
    number: int,
    gold: Path | None = None,
    seed: int = 0,
    columns: VoteColumns,
    reading: ReadingOptions,
    answer: AnswerOptions,
) -> None:
    """Draw items at random, for a person to label.

    Write them with -o, have their labels filled in, and give them to `headcount blind --gold`.
    """
    answer.check()
    from headcount.blind_evaluation.blind import next_items

    result = next_items(columns.read(votes, reading), number=number, gold=gold, seed=seed)
    answer.draw(replace(result, file=answer.output and str(answer.output)), context)


@dataclass(frozen=True)
class ItemList:
    """Items that a file names, what else it says of them, and where; or how many there are."""

    names: Sequence[str] = ()
    about: dict[str, dict[str, str]] | None = None
    number: int | None = None
    notes: tuple[Note, ...] = ()


def item_list(items: str | None) -> ItemList:
    """Read the items of a file, or take their number."""
    if items is None:
        return ItemList()
    if items.lstrip("+-").replace(",", "").replace("_", "").isdigit():
        return ItemList(number=int(items.replace(",", "")))
    from headcount.io.facts import read_items

    names, about, where = read_items(Path(items))
    return ItemList(names, about, None, (where,))

"""`headcount plan`: how many comparisons to buy, and which; or how many ratings."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from headcount.cli.groups import grouped
from headcount.cli.options import (
    AnswerOptions,
    Level,
    RatingColumns,
    ReadingOptions,
    column,
    drawing,
)
from headcount.cli.output import progress_bar, write_plot
from headcount.errors import OptionError

if TYPE_CHECKING:
    from headcount.pairwise.planning.result import Plan
    from headcount.pairwise.planning.tasks.result import Tasks
    from headcount.results.base import Result
    from headcount.results.notes import Note

__all__ = ["plan_command"]

RATINGS = "Planning ratings"
NEEDS = {
    "raters_per_item": ("perception_ambiguity", "comparison_ambiguity", "threshold_diversity"),
    "next_": ("new_items", "random_share", "checks", "per_rater"),
    "agreement": (
        "half_width", "at_least", "price", "scale", "sets", "distance", "item", "rater", "label",
        "labels", "duplicates", "transpose",
    ),
}  # fmt: skip
"""Options that do nothing without another."""
OF_PAIRS = (
    "items", "target_f1", "budget", "raters_per_item", "rating", "repeats", "next_", "tasks",
    "left", "right", "outcome",
)  # fmt: skip
"""Options of comparisons, which a plan of ratings has no use for."""


@grouped
def plan_command(
    context: typer.Context,
    *,
    pilot: Annotated[
        Path,
        typer.Argument(
            help="Comparisons of a few items, as for `headcount pairs`; best all pairs, twice. "
            "With --agreement, ratings as for `headcount agree`."
        ),
    ],
    items: Annotated[int | None, typer.Option(help="Number of items to label.")] = None,
    target_f1: Annotated[
        float | None, typer.Option("--target-f1", help="Find how many comparisons reach this f1.")
    ] = None,
    budget: Annotated[
        int | None, typer.Option(help="Find what f1 this many comparisons give.")
    ] = None,
    raters_per_item: Annotated[
        int | None,
        typer.Option(
            help="Compare the cost with a majority vote of this many raters, by simulation."
        ),
    ] = None,
    perception_ambiguity: Annotated[
        float | None,
        typer.Option(help="Of the simulated raters. Default: they agree like those of the pilot."),
    ] = None,
    comparison_ambiguity: Annotated[
        float | None,
        typer.Option(help="Of the simulated raters. Default: they tie like those of the pilot."),
    ] = None,
    threshold_diversity: Annotated[
        float | None,
        typer.Option(help="Standard deviation of the simulated raters' thresholds. Default: 0.5."),
    ] = None,
    rating: Annotated[
        str, typer.Option(help="How to rate: points (as the paper's Elo), or bradley-terry.")
    ] = ("points"),
    repeats: Annotated[int, typer.Option(help="Random sets of items of each size.")] = 2000,
    next_: Annotated[
        int | None, typer.Option("--next", help="Choose this many comparisons to ask next.")
    ] = None,
    tasks: Annotated[
        Path | None, typer.Option(help="CSV file to write them to: left, right, kind, rater.")
    ] = None,
    new_items: Annotated[
        Path | None, typer.Option(help="File of items without a comparison yet: a column item.")
    ] = None,
    random_share: Annotated[
        float, typer.Option(help="Share of the tasks that are random pairs.")
    ] = 0.2,
    checks: Annotated[
        float, typer.Option(help="Share of the tasks that repeat another one with sides swapped.")
    ] = 0.05,
    per_rater: Annotated[int | None, typer.Option(help="Most tasks for one rater.")] = None,
    agreement: Annotated[
        bool,
        typer.Option(
            "--agreement",
            rich_help_panel=RATINGS,
            help="Plan ratings: how many items and raters it takes to measure agreement.",
        ),
    ] = False,
    half_width: Annotated[
        float | None,
        typer.Option(
            rich_help_panel=RATINGS, help="Half the width wanted of alpha's interval, such as 0.1."
        ),
    ] = None,
    at_least: Annotated[
        float | None,
        typer.Option(
            rich_help_panel=RATINGS, help="What alpha's interval is to lie above, such as 0.667."
        ),
    ] = None,
    price: Annotated[
        float | None, typer.Option(rich_help_panel=RATINGS, help="Of one rating.")
    ] = None,
    scale: Annotated[
        str | None,
        typer.Option(
            rich_help_panel=RATINGS, help="Of the labels: nominal, ordinal, interval or ratio."
        ),
    ] = None,
    sets: Annotated[
        str | None,
        typer.Option(
            metavar="SEPARATOR",
            rich_help_panel=RATINGS,
            help="What separates labels where a cell holds several; none if each holds one.",
        ),
    ] = None,
    distance: Annotated[
        str | None,
        typer.Option(
            metavar="NAME|FILE",
            rich_help_panel=RATINGS,
            help="How far apart labels are: masi, jaccard, or a file of distances.",
        ),
    ] = None,
    level: Level = 0.95,
    seed: Annotated[int, typer.Option(help="The same seed gives the same answer.")] = 0,
    left: Annotated[str | None, column("the left item")] = None,
    right: Annotated[str | None, column("the right item")] = None,
    outcome: Annotated[str | None, column("the outcome")] = None,
    columns: RatingColumns,
    reading: ReadingOptions,
    answer: AnswerOptions,
    plot: Annotated[
        Path | None,
        drawing("Draw f1 against comparisons, under both laws, into a .png, .svg or .pdf file."),
    ] = None,
) -> None:
    """Plan from a pilot how many comparisons to buy, or which; or how many ratings.

    \b
    How many comparisons give 1,000 items an f1 of .8, and what votes would cost:
      headcount plan pilot.csv --items 1000 --target-f1 0.8 --raters-per-item 3
    The next 500 tasks, at most 50 per rater:
      headcount plan pilot.csv --next 500 --tasks tasks.csv --per-rater 50
    Raters and items for an alpha to within .1, at 5 cents a rating:
      headcount plan ratings.csv --agreement --half-width 0.1 --price 0.05
    """  # noqa: D301 - click's mark of lines to keep is the character, not its name
    _check_idle(context)
    if agreement:
        _check_ratings(context)
        answer.check([plot])
        from headcount.agreement.planning.plan_agreement import plan_agreement

        of_ratings = plan_agreement(
            columns.read(pilot, reading),
            half_width=half_width,
            at_least=at_least,
            price=price,
            scale=scale,
            sets=sets,
            distance=distance,
            level=level,
            rng=seed,
        )
        answer.draw(of_ratings, context, plot)
        return
    planning = target_f1 is not None or budget is not None
    _check(planning, items, next_, tasks, raters_per_item, plot)
    answer.check([plot])
    from headcount.io.comparisons.comparisons import read_comparisons

    read = read_comparisons(pilot, left=left, right=right, outcome=outcome, **reading.keywords())
    chosen = None
    if next_ is not None:
        from headcount.pairwise.planning.tasks.next_pairs import next_pairs

        names, notes = _new_items(new_items)
        chosen = next_pairs(
            read,
            number=next_,
            new_items=names,
            random_share=random_share,
            checks=checks,
            per_rater=per_rater,
            rng=seed,
        )
        chosen = replace(chosen, file=str(tasks), notes=(*chosen.notes, *notes))
    found = None
    if planning and items is not None:
        from headcount.pairwise.planning.plan import plan

        with progress_bar("random sets") as progress:
            found = plan(
                read,
                items=items,
                target_f1=target_f1,
                budget=budget,
                raters_per_item=raters_per_item,
                perception_ambiguity=perception_ambiguity,
                comparison_ambiguity=comparison_ambiguity,
                threshold_diversity=threshold_diversity,
                rating=rating,
                repeats=repeats,
                level=level,
                rng=seed,
                progress=progress,
            )
        if plot is not None:
            write_plot(found.plot_laws(), plot)
    if chosen is not None and tasks is not None:
        from headcount.io.write import write_columns

        write_columns(chosen.columns(), tasks)
    answer.show(_together(found, chosen), context, [plot])


def _together(found: Plan | None, chosen: Tasks | None) -> Result:
    """Make one result of a plan and of tasks chosen along with it."""
    if found is None or chosen is None:
        (result,) = (each for each in (found, chosen) if each is not None)
        return result
    from headcount.results.notes import Notes

    return replace(found, tasks=chosen, notes=tuple(Notes([*found.notes, *chosen.notes])))


def _new_items(path: Path | None) -> tuple[list[str], list[Note]]:
    """Read the items without a comparison; and a note that says where they were found."""
    if path is None:
        return [], []
    from headcount.io.facts.item_list import read_items
    from headcount.results.notes import Note

    names, where = read_items(path)
    return names, [Note(where)]


def _check_idle(context: typer.Context) -> None:
    """Refuse options that would do nothing."""
    for needed, names in NEEDS.items():
        idle = _given(context, names)
        if idle and context.params[needed] in (None, False):
            raise OptionError(
                f"{', '.join(map(_option, idle))}: of no use without {_option(needed)}. Add it, or "
                "leave that out."
            )


def _check_ratings(context: typer.Context) -> None:
    """Refuse options of comparisons where ratings are planned."""
    if idle := _given(context, OF_PAIRS):
        raise OptionError(
            f"{', '.join(map(_option, idle))}: of comparisons, and of no use with --agreement, "
            "which plans ratings. Leave one of them out."
        )


def _given(context: typer.Context, names: Iterable[str]) -> list[str]:
    """Those of some options that were given."""
    sources = {name: context.get_parameter_source(name) for name in names}
    return [name for name, one in sources.items() if one and one.name == "COMMANDLINE"]


def _option(name: str) -> str:
    return "--" + name.strip("_").replace("_", "-")


def _check(
    planning: bool,
    items: int | None,
    number: int | None,
    tasks: Path | None,
    raters_per_item: int | None,
    plot: Path | None,
) -> None:
    """Refuse options that do not go together, before any work is done."""
    if not planning and number is None:
        raise OptionError(
            "nothing to plan: give the f1 that you want (--target-f1 0.8), the comparisons that "
            "you can pay for (--budget 5000), or a number of tasks to choose (--next 200). For "
            "ratings, give --agreement."
        )
    if planning and items is None:
        raise OptionError("--target-f1 and --budget need the number of items to label (--items).")
    if not planning and (plot is not None or raters_per_item is not None or items is not None):
        raise OptionError(
            "--items, --raters-per-item and --plot belong to a plan; add --target-f1 or --budget."
        )
    if (number is None) != (tasks is None):
        raise OptionError("--next and --tasks go together: how many tasks, and the file for them.")
    if tasks is not None and not tasks.parent.is_dir():
        raise OptionError(f"tasks '{tasks}': no such folder '{tasks.parent}'. Make it first.")

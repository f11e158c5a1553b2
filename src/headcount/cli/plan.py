"""`headcount plan`: which comparisons to ask, and how many to buy; or how many ratings."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import fields, replace
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
from headcount.cli.output import check_plot, check_rows, progress_bar, write_plot
from headcount.cli.plan_anchors import AnchorOptions, place_step
from headcount.cli.plan_tasks import TaskOptions, check_tasks, choose_tasks, item_list
from headcount.errors import OptionError

if TYPE_CHECKING:
    from headcount.data.comparisons import Comparisons
    from headcount.pairwise.planning.result import Plan
    from headcount.pairwise.planning.tasks.result import Tasks
    from headcount.results.base import Result

__all__ = ["plan_command"]

RATINGS = "Planning ratings"
NEEDS = {
    ("raters_per_item",): ("perception_ambiguity", "comparison_ambiguity", "threshold_diversity"),
    ("next_", "until"): (
        "goal", "tasks", "tasks_for", "new_items", "random_share", "checks", "per_rater",
    ),
    ("next_", "until", "state"): ("answers",),
    ("anchors", "state"): ("place", "width", "labels_out"),
    ("agreement",): (
        "half_width", "at_least", "scale", "sets", "distance", "item", "label", "labels",
        "duplicates", "transpose",
    ),
}  # fmt: skip
"""Options that do nothing without another."""
OF_PAIRS = (
    "items", "target_f1", "target", "laws", "budget", "raters_per_item", "rating", "repeats",
    "left", "right", "outcome",
    *(field.name for group in (TaskOptions, AnchorOptions) for field in fields(group)),
)  # fmt: skip
"""Options of comparisons, which a plan of ratings has no use for."""


@grouped
def plan_command(
    context: typer.Context,
    *,
    pilot: Annotated[
        Path | None,
        typer.Argument(
            help="Comparisons of a few items, as for `headcount pairs`; best all pairs, twice. "
            "With --next or --until, answers so far; not needed. With --agreement, ratings as for "
            "`headcount agree`."
        ),
    ] = None,
    items: Annotated[
        str | None,
        typer.Option(
            metavar="FILE|N",
            help="Items to label: a file with a column item, or their number.",
        ),
    ] = None,
    target_f1: Annotated[
        float | None, typer.Option("--target-f1", help="Find how many comparisons reach this f1.")
    ] = None,
    target: Annotated[
        tuple[str, float] | None,
        typer.Option(metavar="f1 NUMBER", help="The same, as in --target f1 0.8."),
    ] = None,
    laws: Annotated[
        bool,
        typer.Option("--laws", help="Add the two laws of the paper, by random sets of the pilot."),
    ] = False,
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
    price: Annotated[
        float | None, typer.Option(help="Of one comparison; with --agreement, of one rating.")
    ] = None,
    tasks: TaskOptions,
    among: AnchorOptions,
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
        drawing("Draw f1 against comparisons into a .png, .svg or .pdf file."),
    ] = None,
) -> None:
    """Choose which comparisons to ask, and tell how many to buy; or how many ratings.

    \b
    The first 500 comparisons of a list of items, with no answers yet:
      headcount plan --items items.csv --next 500 -o tasks.csv
    Are nine labels of ten right? If not, how many more, and the next tasks:
      headcount plan --items items.csv --answers answers.csv \\
        --until 'labels 0.9' --price 0.2 -o tasks.csv
    How many comparisons give 1,000 items an f1 of .8, and what votes would cost:
      headcount plan pilot.csv --items 1000 --target f1 0.8 --price 0.2
    Where the average of one set lies among another; then with the answers:
      headcount plan one.csv --anchors other.csv --state search.json -o tasks.csv
      headcount plan --state search.json --answers answers.csv -o tasks.csv
    Raters and items for an alpha to within .1, at 5 cents a rating:
      headcount plan ratings.csv --agreement --half-width 0.1 --price 0.05
    """  # noqa: D301 - click's mark of lines to keep is the character, not its name
    _check_idle(context)
    check_plot(plot)
    if agreement:
        _check_ratings(context)
        check_rows(answer.output)
        from headcount.agreement.planning.plan_agreement import plan_agreement

        of_ratings = plan_agreement(
            columns.read(_needed(pilot, "ratings"), reading),
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

    def read(file: Path) -> Comparisons:
        from headcount.io.comparisons.comparisons import read_comparisons

        return read_comparisons(
            file, left=left, right=right, outcome=outcome, rater=columns.rater,
            **reading.keywords(),
        )  # fmt: skip

    if among.wanted:
        check_rows(answer.output)
        step = place_step(
            among,
            None if pilot is None else read(pilot),
            None if among.anchors is None else read(among.anchors),
            item_list(items).names,
            [read(file) for file in tasks.answers or ()],
            number=tasks.next_,
            level=level,
            output=answer.output,
        )
        answer.draw(step, context, plot)
        return
    target_f1 = _target(target, target_f1)
    planning = target_f1 is not None or budget is not None
    _check(planning, items, tasks, raters_per_item)
    path = check_tasks(tasks, answer.output, beside=planning) if tasks.wanted else None
    if path != answer.output:
        check_rows(answer.output)
    known = item_list(items)
    first = None if pilot is None else read(pilot)
    chosen = None
    if tasks.wanted:
        others = [read(file) for file in tasks.answers or ()]
        given = [*([] if first is None else [first]), *others]
        listed = known if not planning else item_list(None)
        chosen = choose_tasks(tasks, given, listed, path, price=price, level=level, seed=seed)
    found = None
    if planning:
        from headcount.pairwise.planning.plan import plan

        _needed(pilot, "comparisons of a pilot")
        with progress_bar("random sets") as progress:
            found = plan(
                first,
                items=known.count or 0,
                target_f1=target_f1,
                budget=budget,
                raters_per_item=raters_per_item,
                perception_ambiguity=perception_ambiguity,
                comparison_ambiguity=comparison_ambiguity,
                threshold_diversity=threshold_diversity,
                laws=laws,
                price=price,
                rating=rating,
                repeats=repeats,
                level=level,
                rng=seed,
                progress=progress,
            )
    result = _together(found, chosen)
    if plot is not None:
        drawn = found.plot_laws() if found is not None and laws else result.plot().figure
        write_plot(drawn, plot)
    if path == answer.output:  # written in a form of its own
        answer = replace(answer, output=None)
    answer.show(result, context, [plot])


def _target(target: tuple[str, float] | None, target_f1: float | None) -> float | None:
    """Take the target from either option."""
    if target is None:
        return target_f1
    if target[0] != "f1":
        raise OptionError(f"--target {target[0]}: what can be planned for is f1, as in f1 0.8.")
    if target_f1 not in (None, target[1]):
        raise OptionError("--target and --target-f1 say different things. Leave one of them out.")
    return target[1]


def _needed(file: Path | None, what: str) -> Path:
    if file is None:
        raise OptionError(f"give a file of {what} first.")
    return file


def _together(found: Plan | None, chosen: Tasks | None) -> Result:
    """Make one result of a plan and of tasks chosen along with it."""
    if found is None or chosen is None:
        (result,) = (each for each in (found, chosen) if each is not None)
        return result
    from headcount.results.notes import Notes

    return replace(found, tasks=chosen, notes=tuple(Notes([*found.notes, *chosen.notes])))


def _check_idle(context: typer.Context) -> None:
    """Refuse options that would do nothing."""
    for needed, names in NEEDS.items():
        idle = _given(context, names)
        if idle and not any(_wanted(context, name) for name in needed):
            raise OptionError(
                f"{', '.join(map(_option, idle))}: of no use without "
                f"{' or '.join(map(_option, needed))}. Add it, or leave that out."
            )


def _wanted(context: typer.Context, name: str) -> bool:
    return context.params[name] is not None and context.params[name] is not False


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
    planning: bool, items: str | None, tasks: TaskOptions, raters_per_item: int | None
) -> None:
    """Refuse options that do not go together, before any work is done."""
    if not planning and not tasks.wanted:
        raise OptionError(
            "nothing to plan: give a number of comparisons to choose (--next 200) or when to stop "
            "(--until 'labels 0.9'); or the f1 that you want (--target-f1 0.8) or the comparisons "
            "that you can pay for (--budget 5000). For ratings, give --agreement."
        )
    if planning and items is None:
        raise OptionError("--target-f1 and --budget need the number of items to label (--items).")
    if not planning and raters_per_item is not None:
        raise OptionError("--raters-per-item belongs to a plan; add --target-f1 or --budget.")

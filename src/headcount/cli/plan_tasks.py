"""`headcount plan --next` and `--until`: which comparisons to ask, until enough are answered."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from headcount.errors import OptionError

if TYPE_CHECKING:
    from headcount.data.comparisons import Comparisons
    from headcount.pairwise.planning.tasks.result import Tasks
    from headcount.results.notes import Note

__all__ = ["ItemList", "TaskOptions", "check_tasks", "choose_tasks", "item_list"]

TASKS = "Choosing comparisons"


@dataclass(frozen=True, kw_only=True)
class TaskOptions:
    """The options that say which comparisons to choose, as they were given."""

    next_: Annotated[
        int | None,
        typer.Option(
            "--next", rich_help_panel=TASKS, help="Choose this many comparisons to ask next."
        ),
    ] = None
    answers: Annotated[
        list[Path] | None,
        typer.Option(
            metavar="FILE",
            rich_help_panel=TASKS,
            help="Answers so far, as for `headcount pairs`; may be given several times.",
        ),
    ] = None
    until: Annotated[
        str | None,
        typer.Option(
            metavar="'GOAL SHARE'",
            rich_help_panel=TASKS,
            help="When to stop: 'labels 0.9' (nine labels of ten are right), 'top:10 0.8' (eight "
            "of the best ten are found) or 'ratings 0.9' (their reliability).",
        ),
    ] = None
    goal: Annotated[
        str | None,
        typer.Option(
            metavar="GOAL",
            rich_help_panel=TASKS,
            help="What the answers are for: ratings, labels or top:K. Default: that of --until, "
            "or ratings.",
        ),
    ] = None
    tasks: Annotated[
        Path | None,
        typer.Option(rich_help_panel=TASKS, help="File to write them to, as -o; beside a plan."),
    ] = None
    tasks_for: Annotated[
        str,
        typer.Option(
            rich_help_panel=TASKS,
            help="What to write: rows (.csv, .parquet or .jsonl), label-studio (.json) or mturk "
            "(.csv).",
        ),
    ] = "rows"
    new_items: Annotated[
        Path | None,
        typer.Option(
            rich_help_panel=TASKS, help="File of items without a comparison yet; as --items."
        ),
    ] = None
    random_share: Annotated[
        float,
        typer.Option(rich_help_panel=TASKS, help="Share of the tasks that are random pairs."),
    ] = 0.0
    checks: Annotated[
        float,
        typer.Option(
            rich_help_panel=TASKS,
            help="Share of the tasks that repeat another one with sides swapped.",
        ),
    ] = 0.05
    per_rater: Annotated[
        int | None, typer.Option(rich_help_panel=TASKS, help="Most tasks for one rater.")
    ] = None

    @property
    def wanted(self) -> bool:
        """Whether comparisons are to be chosen."""
        return self.next_ is not None or self.until is not None


@dataclass(frozen=True)
class ItemList:
    """Items that a file names, what else it says of them, and where; or how many there are."""

    names: Sequence[str] = ()
    about: dict[str, dict[str, str]] | None = None
    number: int | None = None
    notes: tuple[Note, ...] = ()

    @property
    def count(self) -> int | None:
        """How many there are; None if nothing was given."""
        return len(self.names) or self.number


def item_list(items: str | None) -> ItemList:
    """Read the items of a file, or take their number."""
    if items is None:
        return ItemList()
    if items.lstrip("+-").replace(",", "").replace("_", "").isdigit():
        return ItemList(number=int(items.replace(",", "")))
    from headcount.io.facts.item_list import read_item_columns

    names, about, where = read_item_columns(Path(items))
    return ItemList(names, about, None, (where,))


def check_tasks(given: TaskOptions, output: Path | None, *, beside: bool) -> Path | None:
    """Find the file that tasks are written to, and refuse one that could not be.

    `beside` a plan, whose rows go to `output`, tasks need a file of their own.
    """
    path = given.tasks if beside else given.tasks or output
    if given.next_ is not None and path is None:
        raise OptionError(
            "--next and --tasks go together beside a plan: how many tasks, and the file for them."
            if beside
            else "--next: say where to write the tasks (-o tasks.csv)."
        )
    if path is None:
        return None
    if not path.parent.is_dir():
        raise OptionError(f"tasks '{path}': no such folder '{path.parent}'. Make it first.")
    from headcount.pairwise.planning.tasks.formats import choose_format

    choose_format(given.tasks_for).check(path)
    return path


def choose_tasks(
    given: TaskOptions,
    read: Sequence[Comparisons],
    items: ItemList,
    path: Path | None,
    *,
    price: float | None,
    level: float,
    seed: int,
) -> Tasks:
    """Choose the comparisons, and write them."""
    from headcount.pairwise.planning.tasks.formats import choose_format
    from headcount.pairwise.planning.tasks.next_pairs import next_pairs

    new = item_list(None if given.new_items is None else str(given.new_items))
    listed: Any = items.number if items.number is not None else items.names
    chosen = next_pairs(
        tuple(read),
        number=given.next_,
        items=listed,
        new_items=new.names,
        goal=given.goal,
        until=given.until,
        price=price,
        random_share=given.random_share,
        checks=given.checks,
        per_rater=given.per_rater,
        level=level,
        rng=seed,
    )
    chosen = replace(
        chosen,
        about={**(items.about or {}), **(new.about or {})},
        file=None if path is None else str(path),
        notes=(*chosen.notes, *items.notes, *new.notes),
    )
    if path is not None:
        choose_format(given.tasks_for).write(chosen.columns(), path)
    return chosen

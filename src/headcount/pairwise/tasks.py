"""Comparison tasks to hand out: which pairs, why, on which side, to whom, and in which format."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from headcount import options
from headcount.errors import OptionError, count, either, option, percent
from headcount.io.write import ROWS, replacing, write_rows
from headcount.pairwise.goals import SURE, Standing
from headcount.results.fields import by_row
from headcount.results.result import Page, Result, Screen
from headcount.results.tables import Table
from headcount.stats.estimate import Estimate
from headcount.typing import Codes, Ids

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = [
    "money",
    "priced",
    "JOIN",
    "INFORMATIVE",
    "CHECK",
    "KINDS",
    "balanced",
    "arrange",
    "Tasks",
    "check_tasks_file",
    "write_tasks",
]


ALONE = "Answers are taken to be independent of each other."
BY_RATER = "Answers of one rater are not taken to be independent."
"""What intervals assume of answers, where raters are unknown and where they are known."""

# Amounts of money in words.

CENTS_BELOW = 100
"""Amount from which on cents are not written."""


def money(x: float, *, cents: bool | None = None) -> str:
    """Write an amount, with cents if it is small and has some.

    Examples
    --------
    >>> money(12), money(12.5), money(1234.5)
    ('12', '12.50', '1,234')
    """
    cents = _has_cents(x) if cents is None else cents
    return f"{x:,.2f}" if cents else f"{x:,.0f}"


def _has_cents(*amounts: float) -> bool:
    return max(amounts) < CENTS_BELOW and any(round(100 * x) % 100 for x in amounts)


def priced(total_cost: Estimate) -> str:
    """Write a cost and its interval, all with cents or all without.

    Examples
    --------
    >>> priced(Estimate(66.0, low=18.0, high=1877.0))
    '66 (18 to 1,877)'
    """
    most = total_cost.bounds[1] if total_cost.bounds else math.inf
    inside = (
        total_cost.censored is None and total_cost.low is not None and total_cost.high is not None
    )
    amounts = (
        [total_cost.value, total_cost.low or 0.0, total_cost.high or 0.0]
        if inside
        else [total_cost.value]
    )
    cents = _has_cents(*(min(x, most) for x in amounts))
    value, *ends = (
        f"more than {money(most, cents=cents)}" if x > most else money(x, cents=cents)
        for x in amounts
    )
    return f"{value} ({' to '.join(ends)})" if ends else value


# Why a pair is asked.


class TaskKind(NamedTuple):
    """A reason to ask a pair: what it is called, and why, in words."""

    name: str
    why: str


JOIN = TaskKind("join", "ties a group of items to the others")
INFORMATIVE = TaskKind("informative", "its items are close, so that the answer tells much")
CHECK = TaskKind("check", "repeats another task, sides swapped")
KINDS = (JOIN, INFORMATIVE, CHECK)


# On which side items of a pair are shown, in which order pairs are asked, and whom.


def balanced(
    first: Codes, second: Codes, more_left: Codes, rng: np.random.Generator
) -> tuple[Codes, Codes]:
    """Choose sides so that each item is on the left about as often as on the right.

    Of a pair, the item that was on the left more often goes to the right; a coin decides ties.
    O(pairs).

    Parameters
    ----------
    first, second : (pairs,) arrays of int
    more_left : (items,) array of int
        How much more often each item was on the left so far; is changed.
    rng : Generator

    Examples
    --------
    >>> balanced(np.array([0, 0]), np.array([1, 2]), np.array([3, 0, 1]), np.random.default_rng(0))
    (array([1, 2]), array([0, 0]))
    """
    left, right = first.copy(), second.copy()
    coin = rng.random(len(first)) < 0.5
    for k in range(len(first)):
        i, j = left[k], right[k]
        lead = more_left[i] - more_left[j]
        if lead > 0 or (lead == 0 and coin[k]):
            left[k], right[k] = i, j = j, i
        more_left[i] += 1
        more_left[j] -= 1
    return left, right


def arrange(
    n: int, repeated: Codes, per_rater: int | None, rng: np.random.Generator
) -> tuple[Codes, Codes | None]:
    """Put tasks in random order, checks well after the task that they repeat.

    Parameters
    ----------
    n : int
        Tasks that are no checks, numbered from 0.
    repeated : (checks,) array of int
        Task that each check repeats; checks are numbered from n on.
    per_rater : int or None
        Tasks a rater has at most. From 2 on, a check goes to the rater of the task that it repeats,
        and there are as many raters as that takes.
    rng : Generator

    Returns
    -------
    order : (tasks,) array of int
    slot : (tasks,) array of int or None
        Rater of each task in that order, from 1 on.

    Examples
    --------
    >>> order, slot = arrange(4, np.array([2]), 3, np.random.default_rng(0))
    >>> order, slot
    (array([2, 4, 0, 3, 1]), array([1, 1, 1, 2, 2]))
    """
    time = rng.random(n)
    time[repeated] /= 2
    time = np.concatenate([time, time[repeated] + 0.5])
    if per_rater is None:
        return np.argsort(time), None
    total = n + len(repeated)
    twos = per_rater // 2
    slots = max(-(-total // per_rater), -(-len(repeated) // twos) if twos else 0)
    slot = np.full(total, -1)
    room = np.full(slots, per_rater)
    for k, task in enumerate(repeated if twos else ()):
        rater = k % slots
        slot[[task, n + k]] = rater
        room[rater] -= 2
    rest = rng.permutation(np.flatnonzero(slot < 0))
    # What is left fills the raters evenly.
    turns = [(per_rater - k, rater) for rater in range(slots) for k in range(room[rater], 0, -1)]
    slot[rest] = [rater for _, rater in sorted(turns)[: len(rest)]]
    order = np.lexsort((time, slot))
    return order, slot[order] + 1


# What tasks hold: pairs to have compared, and why.


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class Tasks(Result):
    """Pairs of items to compare, in the order in which to hand them out.

    Parameters
    ----------
    left, right : arrays
        Items, on the side on which to show them.
    kind : tuple of str
        Why each is asked: 'informative' (its items have similar ratings), 'join' (the same, and it
        connects a group of items to the others), 'random', or 'check' (it repeats one of these
        tasks with the sides swapped).
    slot : array of int or None
        The rater who gets the task, numbered from 1; None without `per_rater`.
    goal : str
        What the answers are for: 'ratings', 'labels', or 'top:10'.
    standing : Standing or None
        How far the goal is reached and how much is still needed; None without `until`.
    cost : float or None
        Of one comparison.
    about : mapping of str to mapping
        Other columns of the items, such as their texts: for each column, the value by item. In
        tasks these become `left_text` and `right_text`.
    file : str or None
        The file to which they were written, if any.
    provenance : Provenance
    notes : tuple of Note

    Examples
    --------
    >>> from headcount import next_pairs
    >>> tasks = next_pairs(items=["a", "b", "c", "d"], number=4, checks=0)
    >>> len(tasks.left)
    4
    """

    left: Ids
    right: Ids
    kind: tuple[str, ...]
    slot: Codes | None = None
    goal: str = ""
    standing: Standing | None = None
    cost: float | None = None
    about: Mapping[str, Mapping[str, str]] = field(default_factory=dict[str, Mapping[str, str]])
    file: str | None = None

    def __len__(self) -> int:
        return len(self.kind)

    @property
    def total_cost(self) -> float | None:
        """Cost of all tasks; None if that of one is not given."""
        return None if self.cost is None else self.cost * len(self)

    @property
    def raters(self) -> int | None:
        """Raters that the tasks are for; None if raters are not capped."""
        return None if self.slot is None else int(self.slot.max(initial=0))

    def page(self) -> Page:
        """Say how far the goal is reached, how many comparisons to ask for, and why."""
        p = self.provenance
        answers = count(p.n_ratings or 0, "comparison")
        foot = f"Chosen from {count(p.items_used, 'item')} after {answers}, for {self.goal}."
        if len(self):
            foot += (
                " These pairs are not chosen at random: rate them by Bradley-Terry, not by points "
                "won."
            )
        sentences: list[str] = []
        if self.standing is not None:
            sentences.append(standing_sentence(self.standing))
            if p.n_ratings:
                foot += (
                    f" {percent(p.level or 0)} intervals, by the posterior of a Bradley-Terry "
                    "model with a normal prior; ratings of all items are estimated to have a "
                    f"standard deviation of {self.standing.spread:.2f} logits. "
                    f"{ALONE if p.n_raters is None else BY_RATER} A goal counts as reached once "
                    f"its probability is at least {SURE:g}; now {self.standing.sure:.2f}."
                )
        if len(self) or self.standing is None:
            sentences.append(_tasks_sentence(self))
        return Page(sentences, [_kinds_table(self)] if len(self) else [], [foot])

    def screen(self) -> Screen:
        """Say how far the goal is reached, what to ask, and what to do with it."""
        page, p = self.page(), self.provenance
        after = f"{count(p.items_used, 'item')}, {count(p.n_ratings or 0, 'comparison')} so far"
        these = self.file or f"these ({option('rows_file')})"
        then = (
            f"add a column outcome (left, right or tie) to {these}. Once it is filled in, run this "
            "command again, with the files of all answers so far before its options."
        )
        return Screen(page.headline, None, after, [then] if len(self) else [])

    def columns(self) -> dict[str, list[Any]]:
        """Return the columns of the task file: left, right, kind, and rater if capped."""
        columns: dict[str, list[Any]] = {"left": self.left.tolist(), "right": self.right.tolist()}
        for name, texts in self.about.items():
            for side in (*columns,)[:2]:
                columns[f"{side}_{name}"] = [texts.get(str(item), "") for item in columns[side]]
        columns["kind"] = list(self.kind)
        return columns if self.slot is None else {**columns, "rater": self.slot.tolist()}

    def summary(self) -> dict[str, Any]:
        """Return the tasks as JSON has them: how many of each kind, and the pairs."""
        return {
            "file": self.file,
            "number": len(self),
            "goal": self.goal,
            "total_cost": self.total_cost,
            "kinds": {kind.name: self.kind.count(kind.name) for kind in KINDS},
            "raters": self.raters,
            "pairs": by_row(self.columns()),
        }

    def document(self) -> dict[str, Any]:
        """Return what is particular to tasks in their JSON document."""
        until = None if self.standing is None else self.standing.to_dict()
        return {"tasks": self.summary(), "until": until}

    def plot(self, ax: Axes | None = None) -> Axes:
        """Draw in how many tasks each item is (needs matplotlib)."""
        from headcount.pairwise.plot import plot_tasks

        return plot_tasks(self, ax)


# Tasks in words: how many of each kind.


def standing_sentence(standing: Standing) -> str:
    """Say whether the goal is reached; else how many more comparisons it takes, and their price."""
    target, share = f"{standing.target:.0%}", standing.share
    if standing.more is None:
        return (
            "No answers yet. Once these comparisons are answered, headcount can tell how many more "
            f"it takes until {target} {standing.words}."
        )
    reached = (
        f"an estimated {share.value:.1%} ({share.low or 0:.1%} to {share.high or 0:.1%}) "
        f"{standing.words}"
    )
    if standing.done:
        return f"Done: {reached}; the goal is {target}."
    if standing.raters is not None:
        return (
            f"Not done: {reached}. These raters differ so much that more answers of theirs cannot "
            f"make sure of {target}: ask more raters, about {standing.raters:,} in all."
        )
    more, total_cost = standing.more, standing.total_cost
    number = _whole(more, more.value)
    what = "comparison is needed" if number == "1" else "comparisons are needed"
    need = f"{number} further {what}"
    if more.censored is None:
        need = f"about {number} ({_ends(more)}) further {what}"
    cost = "" if total_cost is None else f", which cost {priced(total_cost)}"
    likely = share.value >= standing.target
    state = "Probably done, but not certainly" if likely else "Not done"
    return f"{state}: {reached}. To be confident of {target}, {need}{cost}."


def _ends(estimate: Estimate) -> str:
    low, high = (_whole(estimate, end or 0.0) for end in (estimate.low, estimate.high))
    return f"{low} to {high}"


def _whole(estimate: Estimate, x: float) -> str:
    most = estimate.bounds[1] if estimate.bounds else math.inf
    shown = f"{math.ceil(min(x, most)):,}"
    return f"more than {shown}" if x > most else shown


def _tasks_sentence(tasks: Tasks) -> str:
    """Say how many comparisons to ask for, of whom, at what price, and where they are."""
    by = "" if tasks.raters is None else f", from {count(tasks.raters, 'rater')}"
    cost = "" if tasks.total_cost is None else f", which cost {money(tasks.total_cost)}"
    where = "" if tasks.file is None else f"; written to {tasks.file}"
    after = " next" if tasks.standing is not None and tasks.provenance.n_ratings else ""
    return f"{count(len(tasks), 'comparison')} to ask for{after}{by}{cost}{where}."


def _kinds_table(tasks: Tasks, title: str = "") -> Table:
    """Table of the tasks of each kind, and why they are asked."""
    body = [
        [f"{kind.name}: {kind.why}", f"{tasks.kind.count(kind.name):,}"]
        for kind in KINDS
        if kind.name in tasks.kind
    ]
    return Table(["kind", "tasks"], body, title=title, words=True)


# Tasks as the tools in which people answer take them.

ENDINGS = {"rows": ROWS, "label-studio": (".json",)}
"""Endings of a file of tasks, by its form."""


def check_tasks_file(path: Path, tasks_for: str) -> None:
    """Refuse a form of tasks that is not known, and a name that does not say what the file is."""
    endings = ENDINGS[options.one_of(tasks_for, "tasks_for", list(ENDINGS), "form of tasks")]
    if path.suffix.lower() not in endings:
        raise OptionError(
            f"{option('output')} '{path}': a file of tasks for '{tasks_for}' must end in "
            f"{either(endings)}."
        )


def write_tasks(columns: Mapping[str, Sequence[Any]], path: Path, tasks_for: str) -> None:
    """Write one row per task: CSV, Parquet or JSON lines; or a list to import into Label Studio."""
    if tasks_for == "rows":
        write_rows(columns, path)
        return
    tasks = [{"data": row} for row in by_row(columns)]
    with replacing(path) as temporary:
        text = json.dumps(tasks, ensure_ascii=False, indent=1, default=str)
        temporary.write_text(text + "\n", encoding="utf-8")

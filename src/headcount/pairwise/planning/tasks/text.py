"""Tasks in words: how many of each kind."""

from __future__ import annotations

import math

from headcount.errors import count, percent
from headcount.pairwise.planning.money import money, priced
from headcount.pairwise.planning.tasks.kinds import KINDS
from headcount.pairwise.planning.tasks.records import TasksRecord
from headcount.pairwise.planning.tasks.until import SURE, Standing
from headcount.results.text import Page, Table
from headcount.stats.estimate import Estimate

__all__ = ["kinds_table", "standing_sentence", "tasks_page", "tasks_sentence"]


def tasks_page(tasks: TasksRecord) -> Page:
    """Say how far the goal is reached, how many comparisons to ask, and why."""
    p = tasks.provenance
    answers = count(p.n_ratings or 0, "comparison")
    foot = f"Chosen from {count(p.items_used, 'item')} after {answers}, for {tasks.goal}."
    if len(tasks):
        foot += (
            " These pairs are not chosen at random: rate them by Bradley-Terry, not by points won."
        )
    said: list[str] = []
    if tasks.standing is not None:
        said.append(standing_sentence(tasks.standing))
        if p.n_ratings:
            foot += (
                f" {percent(p.level or 0)} intervals, by the posterior of a Bradley-Terry model "
                "with a normal prior; ratings of all items are estimated to have a standard "
                f"deviation of {tasks.standing.spread:.2f} logits. Answers are taken to be "
                "independent of each other. A goal counts as reached once it is with probability "
                f"{SURE:g}; now: {tasks.standing.sure:.2f}."
            )
    if len(tasks) or tasks.standing is None:
        said.append(tasks_sentence(tasks))
    return Page(said, [kinds_table(tasks)] if len(tasks) else [], [foot])


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
        return f"Done: {reached}; {target} were wanted."
    more, cost = standing.more, standing.cost
    number = _whole(more, more.value)
    noun = "comparison" if number == "1" else "comparisons"
    need = f"about {number} more {noun} ({_ends(more)})"
    if more.censored is not None:
        need = f"{number} more {noun}"
    price = "" if cost is None else f", which cost {priced(cost)}"
    return f"Not done: {reached}. To be sure of {target}, it takes {need}{price}."


def _ends(estimate: Estimate) -> str:
    low, high = (_whole(estimate, end or 0.0) for end in (estimate.low, estimate.high))
    return f"{low} to {high}"


def _whole(estimate: Estimate, x: float) -> str:
    most = estimate.bounds[1] if estimate.bounds else math.inf
    shown = f"{math.ceil(min(x, most)):,}"
    return f"more than {shown}" if x > most else shown


def tasks_sentence(tasks: TasksRecord) -> str:
    """Say how many comparisons to ask, of whom, at what price, and where they are."""
    by = "" if tasks.raters is None else f", for {count(tasks.raters, 'rater')}"
    price = "" if tasks.cost is None else f", which cost {money(tasks.cost)}"
    where = "" if tasks.file is None else f", in {tasks.file}"
    return f"{count(len(tasks), 'comparison')} to ask{by}{price}{where}."


def kinds_table(tasks: TasksRecord, title: str = "") -> Table:
    """Table of the tasks of each kind, and why they are asked."""
    body = [
        [f"{kind.name}: {kind.why}", f"{tasks.kind.count(kind.name):,}"]
        for kind in KINDS
        if kind.name in tasks.kind
    ]
    return Table(["kind", "tasks"], body, title=title, words=True)

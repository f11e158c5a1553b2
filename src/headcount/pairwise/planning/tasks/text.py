"""Tasks in words: how many of each kind."""

from __future__ import annotations

from headcount.errors import count
from headcount.pairwise.planning.tasks.kinds import KINDS
from headcount.pairwise.planning.tasks.records import TasksRecord
from headcount.results.text import Page, Table

__all__ = ["kinds_table", "tasks_page", "tasks_sentence"]


def tasks_page(tasks: TasksRecord) -> Page:
    """Say how many comparisons to ask, and why."""
    p = tasks.provenance
    foot = (
        f"Chosen from {count(p.items_used, 'item')} after "
        f"{count(p.n_ratings or 0, 'comparison')}. These pairs are not chosen at random: "
        "rate them by Bradley-Terry, not by points won."
    )
    return Page([tasks_sentence(tasks)], [kinds_table(tasks)], [foot])


def tasks_sentence(tasks: TasksRecord) -> str:
    """Say how many comparisons to ask, of whom, and where they are."""
    by = "" if tasks.raters is None else f", for {count(tasks.raters, 'rater')}"
    where = "" if tasks.file is None else f", in {tasks.file}"
    return f"{count(len(tasks), 'comparison')} to ask{by}{where}."


def kinds_table(tasks: TasksRecord, title: str = "") -> Table:
    """Table of the tasks of each kind, and why they are asked."""
    body = [
        [f"{kind.name}: {kind.why}", f"{tasks.kind.count(kind.name):,}"]
        for kind in KINDS
        if kind.name in tasks.kind
    ]
    return Table(["kind", "tasks"], body, title=title, words=True)

"""Comparison tasks to hand out: which pairs, on which side, to whom."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from headcount.pairwise.planning.tasks.kinds import KINDS
from headcount.pairwise.planning.tasks.plot import plot_tasks
from headcount.pairwise.planning.tasks.records import TasksRecord
from headcount.pairwise.planning.tasks.text import tasks_page
from headcount.results.text import Page

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = ["Tasks"]


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class Tasks(TasksRecord):
    """Pairs of items to have compared, in the order in which to hand them out.

    Parameters
    ----------
    left, right : arrays
        Items, as they are to be shown.
    kind : tuple of str
        Why each is asked: 'informative' (its items are close), 'join' (the same, and it ties a
        group of items to the others), 'random', or 'check' (a pair of these tasks once more,
        sides swapped).
    slot : array of int or None
        Rater who is to have the task, from 1 on; None if raters are not capped.
    goal : str
        What the answers are for: 'ratings', 'labels', or 'top:10'.
    standing : Standing or None
        How far the goal is reached, and what it still takes, if it was asked when to stop.
    price : float or None
        Of one comparison.
    about : mapping of str to mapping
        What else is known of items, such as their texts: for each column, by item. Columns of
        tasks then are `left_text` and `right_text`.
    file : str or None
        Where they were written, if they were.
    provenance : Provenance
    notes : tuple of Note
    """

    def page(self) -> Page:
        """Say how many comparisons to ask, and why."""
        return tasks_page(self)

    def columns(self) -> dict[str, list[Any]]:
        """Return the columns of the task file: left, right, kind, and rater if capped."""
        found: dict[str, list[Any]] = {"left": self.left.tolist(), "right": self.right.tolist()}
        for name, texts in self.about.items():
            for side in (*found,)[:2]:
                found[f"{side}_{name}"] = [texts.get(str(item), "") for item in found[side]]
        found["kind"] = list(self.kind)
        return found if self.slot is None else {**found, "rater": self.slot.tolist()}

    def summary(self) -> dict[str, Any]:
        """Return the tasks as JSON has them: how many of each kind, and the pairs."""
        columns = self.columns()
        return {
            "file": self.file,
            "number": len(self),
            "goal": self.goal,
            "cost": self.cost,
            "kinds": {kind.name: self.kind.count(kind.name) for kind in KINDS},
            "raters": self.raters,
            "pairs": [
                dict(zip(columns, row, strict=True)) for row in zip(*columns.values(), strict=True)
            ],
        }

    def document(self) -> dict[str, Any]:
        """Return what is particular to tasks in their JSON document."""
        until = None if self.standing is None else self.standing.to_dict()
        return {"tasks": self.summary(), "until": until}

    def plot(self, ax: Axes | None = None) -> Axes:
        """Draw in how many tasks each item is (needs matplotlib)."""
        return plot_tasks(self, ax)

"""Tasks, drawn: how often each item is asked for."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from headcount.pairwise.planning.tasks.kinds import KINDS
from headcount.pairwise.planning.tasks.records import TasksRecord
from headcount.results.drawing import COLOURS, bare, legend_above, new_figure

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = ["plot_tasks"]

MOST_APART = 60
"""Items whose bars stand apart from each other."""


def plot_tasks(tasks: TasksRecord, ax: Axes | None = None) -> Axes:
    """Draw in how many tasks each item is, by kind, the most frequent items first."""
    axes: Any = new_figure().subplots() if ax is None else ax
    shown = np.concatenate([tasks.left, tasks.right]).astype(str)
    names, item = np.unique(shown, return_inverse=True)
    order = np.argsort(-np.bincount(item), kind="stable")
    kind = np.tile(np.array(tasks.kind), 2)
    below = np.zeros(len(names))
    width = 0.8 if len(names) <= MOST_APART else 1.0
    for k, each in enumerate(KINDS):
        mine = np.bincount(item[kind == each.name], minlength=len(names))[order]
        if mine.any():
            axes.bar(
                np.arange(1, len(names) + 1), mine, width=width, bottom=below,
                color=COLOURS[k % len(COLOURS)], label=each.name,
            )  # fmt: skip
        below += mine
    axes.set_xlim(0, len(names) + 1)
    axes.set_xlabel("items, the most frequent first")
    axes.set_ylabel("tasks that an item is in")
    axes.locator_params(axis="both", integer=True)
    legend_above(axes, 3)
    bare(axes)
    return axes

"""Tasks, drawn: how often each item is asked for."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from headcount.pairwise.planning.tasks.kinds import KINDS
from headcount.pairwise.planning.tasks.records import TasksRecord
from headcount.results.drawing import COLOURS, bare, new_figure

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = ["plot_tasks"]


def plot_tasks(tasks: TasksRecord, ax: Axes | None = None) -> Axes:
    """Draw in how many tasks each item is, by kind, the most frequent items first."""
    axes: Any = new_figure().subplots() if ax is None else ax
    shown = np.concatenate([tasks.left, tasks.right]).astype(str)
    names, item = np.unique(shown, return_inverse=True)
    order = np.argsort(-np.bincount(item), kind="stable")
    kind = np.tile(np.array(tasks.kind), 2)
    below = np.zeros(len(names))
    for k, each in enumerate(KINDS):
        mine = np.bincount(item[kind == each.name], minlength=len(names))[order]
        if mine.any():
            axes.bar(
                np.arange(1, len(names) + 1), mine, width=1.0, bottom=below,
                color=COLOURS[k % len(COLOURS)], label=each.name,
            )  # fmt: skip
        below += mine
    axes.set_xlabel("items, the most frequent first")
    axes.set_ylabel("tasks")
    if len(tasks):
        axes.legend(frameon=False, fontsize="small")
    bare(axes)
    return axes

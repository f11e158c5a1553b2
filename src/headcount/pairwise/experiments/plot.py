"""An experiment, drawn: f1 against the number of tasks."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from headcount.errors import percent
from headcount.pairwise.experiments.records import ExperimentRecord
from headcount.results.drawing import (
    COLOURS,
    MARKERS,
    STYLES,
    bare,
    legend_above,
    new_figure,
    plain,
)

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = ["plot_experiment"]


def plot_experiment(found: ExperimentRecord, ax: Axes | None = None) -> Axes:
    """Draw mean f1 of each method against tasks, with the interval that holds most runs."""
    axes: Any = new_figure().subplots() if ax is None else ax
    for k, method in enumerate(found.scores):
        tasks = found.tasks(method)
        scored = [found.estimate(method, place=place) for place in range(len(tasks))]
        shown = [(n, e) for n, e in zip(tasks, scored, strict=True) if e.undefined is None]
        colour = COLOURS[k % len(COLOURS)]
        low = [e.value if e.low is None else e.low for _, e in shown]
        high = [e.value if e.high is None else e.high for _, e in shown]
        axes.errorbar(
            [n for n, _ in shown],
            [e.value for _, e in shown],
            [
                [e.value - end for (_, e), end in zip(shown, low, strict=True)],
                [end - e.value for (_, e), end in zip(shown, high, strict=True)],
            ],
            color=colour,
            marker=MARKERS[k % len(MARKERS)],
            linestyle=STYLES[k % len(STYLES)],
            markersize=4,
            capsize=2,
            linewidth=1.2,
            label=plain(method),
        )
    axes.set_xlabel(
        f"tasks (votes or comparisons) on {found.model.items:,} items\n"
        f"{found.runs:,} runs; bars hold {percent(found.level)} of them"
    )
    axes.set_ylabel("f1 of labels")
    axes.grid(color="#eeeeee", linewidth=0.6)
    axes.set_axisbelow(True)
    legend_above(axes, 4)
    bare(axes)
    return axes

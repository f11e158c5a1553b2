"""Agreement of groups, drawn side by side."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from headcount.agreement.comparing.records import Comparison
from headcount.errors import percent
from headcount.results.drawing import COLOURS, bare, new_figure

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = ["plot_groups"]


def plot_groups(result: Comparison, ax: Axes | None = None) -> Axes:
    """Draw the agreement of each group with its interval, value and number of items."""
    axes: Any = ax
    if axes is None:
        axes = new_figure(5.8, 1.1 + 0.4 * len(result.groups)).subplots()
    for row, one in enumerate(result.groups):
        e = one.agreement
        if e.low is not None and e.high is not None:
            axes.hlines(row, e.low, e.high, colors=COLOURS[0], linewidth=2)
        axes.plot(e.value, row, marker="o", markersize=5, color=COLOURS[0])
        text = f"{e.value:.2f} (n = {one.items:,})"
        axes.annotate(text, (e.value, row), (0, 6), textcoords="offset points", fontsize="x-small")
    axes.axvline(0, color="#999999", linewidth=0.8, zorder=0)
    axes.set_yticks(range(len(result.groups)), [one.name for one in result.groups])
    axes.set_ylim(len(result.groups) - 0.4, -0.8)
    level = percent(result.provenance.level or 0)
    axes.set_xlabel(
        f"{result.coefficient.title} ({result.scale}); bars: {level} intervals {result.holds_for}",
        fontsize="x-small",
    )
    bare(axes)
    return axes

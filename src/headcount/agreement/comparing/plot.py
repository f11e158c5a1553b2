"""Agreement of groups, drawn side by side."""

from __future__ import annotations

from typing import TYPE_CHECKING

from headcount.agreement.comparing.records import Comparison
from headcount.agreement.forest import ForestRow, draw_forest
from headcount.errors import percent

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = ["plot_groups"]


def plot_groups(result: Comparison, ax: Axes | None = None) -> Axes:
    """Draw the agreement of each group with its interval, value and number of items."""
    rows = [ForestRow(title=one.name, estimate=one.agreement, n=one.items) for one in result.groups]
    level = percent(result.provenance.level or 0)
    caption = (
        f"{result.coefficient.title}, {result.scale} scale (0: chance, 1: perfect)\n"
        f"bars: {level} intervals {result.holds_for}; n: items"
    )
    return draw_forest(rows, level, caption, ax)

"""Agreement of groups, drawn side by side."""

from __future__ import annotations

from typing import TYPE_CHECKING

from headcount.agreement.comparing.records import Comparison
from headcount.agreement.drawing.forest import ForestRow, draw_forest
from headcount.agreement.raters.populations import FIXED
from headcount.errors import percent

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = ["plot_groups"]


def plot_groups(result: Comparison, ax: Axes | None = None) -> Axes:
    """Draw the agreement of each group with its interval, value and number of items."""
    rows = [
        ForestRow(title=one.name, estimate=one.agreement, n=one.items, thin=one.these_raters)
        for one in result.groups
    ]
    level = percent(result.provenance.level or 0)
    few = any(row.thin is not None for row in rows)
    thin = f"; thin: {FIXED.words}" if few else ""
    by = result.distance or f"{result.scale} scale"
    caption = (
        f"{result.coefficient.title}, {by} (0: chance, 1: perfect)\n"
        f"bars: {level} intervals {result.holds_for}{thin}; n: items"
    )
    return draw_forest(rows, level, caption, ax)

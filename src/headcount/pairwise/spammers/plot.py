"""Raters who compare, drawn."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from headcount.pairwise.drawing import GREY, legend, short
from headcount.pairwise.spammers.records import (
    ANOTHER_OPINION,
    FINE,
    SPAMMER,
    TOO_FEW,
    WEAK,
    ComparingRater,
)
from headcount.results.drawing import COLOURS, bare, new_figure

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = ["draw_raters"]

NAMED = 6
"""Spammers up to which each has a name in the plot."""
MARKS = (
    (FINE, "o", COLOURS[1]),
    (WEAK, "s", COLOURS[4]),
    (ANOTHER_OPINION, "^", COLOURS[2]),
    (TOO_FEW, "D", GREY),
    (SPAMMER, "X", COLOURS[0]),
)


def draw_raters(raters: Sequence[ComparingRater], ax: Axes | None = None) -> Axes:
    """Draw raters by agreement with the others' ratings and by slope; spammers are crosses."""
    axes: Any = new_figure(6.4, 4.4).subplots() if ax is None else ax
    shown = [r for r in raters if not math.isnan(r.agreement)]
    for verdict, mark, colour in MARKS:
        these = [r for r in shown if r.verdict == verdict]
        if not these:
            continue
        x, y = [r.agreement for r in these], [r.slope.value for r in these]
        area = [12 + 4 * math.sqrt(r.comparisons) for r in these]
        axes.scatter(
            x, y, s=area, marker=mark, color=colour, alpha=0.75, linewidths=0,
            label=f"{verdict}: {len(these):,}",
        )  # fmt: skip
    axes.axhline(0, color="#999999", linewidth=0.8, zorder=0)
    axes.axhline(1, color="#999999", linewidth=0.8, zorder=0, linestyle=":")
    axes.axvline(0.5, color="#999999", linewidth=0.8, zorder=0)
    spammers = [r for r in shown if r.spammer]
    for r in spammers if len(spammers) <= NAMED else ():
        axes.annotate(
            short(r.rater, 14), (r.agreement, r.slope.value), fontsize="x-small",
            xytext=(4, 4), textcoords="offset points",
        )  # fmt: skip
    axes.set_xlabel("agreement with the ratings by others (share of answers but ties)")
    axes.set_ylabel("slope (0: random; 1: usual)")
    bare(axes)
    legend(axes)
    return axes

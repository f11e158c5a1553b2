"""The width of an interval against the ratings bought, drawn."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from headcount.agreement.planning.designs import LEAST_ITEMS
from headcount.agreement.planning.records import PlanRecord
from headcount.errors import percent
from headcount.results.drawing import COLOURS, MARKERS, STYLES, bare, new_figure

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = ["plot_designs"]

SHOWN = (3, 5, 10, 20)
"""Numbers of raters that have a line."""


def plot_designs(plan: PlanRecord, ax: Axes | None = None) -> Axes:
    """Draw half the width of the interval against ratings, a line for each number of raters."""
    axes: Any = new_figure(6.0, 3.8).subplots() if ax is None else ax
    level = plan.provenance.level or 0.95
    best = plan.best
    most = 10 * max(best.ratings if best else 0, plan.provenance.n_ratings or 0, 2000)
    shown: set[int] = set(SHOWN) if best is None else {*SHOWN, best.raters}
    for row, raters in enumerate(sorted(shown)):
        each = plan.each or raters
        if each > raters:
            continue
        items = np.unique(np.geomspace(LEAST_ITEMS, most / each, 60).astype(int))
        expected = [plan.components.expect(int(n), raters, each, level) for n in items]
        half = [((e.high or 0.0) - (e.low or 0.0)) / 2 for e in expected]
        axes.plot(
            items * each,
            half,
            color=COLOURS[row % len(COLOURS)],
            linestyle=STYLES[row % len(STYLES)],
            label=f"{raters} raters",
        )
    if plan.target.half_width is not None:
        axes.axhline(plan.target.half_width, color="#999999", linewidth=0.8, zorder=0)
    if best is not None:
        axes.plot(
            best.ratings,
            best.half_width,
            marker=MARKERS[0],
            color="black",
            linestyle="",
            label=f"plan: {best.items:,} items",
        )
    axes.set_xscale("log")
    axes.set_ylim(bottom=0)
    of = "items x raters" if plan.each is None else f"items x {plan.each}"
    axes.set_xlabel(f"ratings ({of})")
    axes.set_ylabel(f"half the {percent(level)} interval\n{plan.holds_for}")
    axes.xaxis.set_major_formatter("{x:,.0f}")
    style = {"frameon": False, "fontsize": "small", "handlelength": 2.6}
    if ax is None:
        axes.figure.legend(loc="outside right center", **style)
    else:
        axes.legend(**style)
    bare(axes)
    return axes

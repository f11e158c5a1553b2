"""Figures 2 to 5 of Jung and Lease (2012): thresholds, methods by metric, quality and correlation.

All need a comparison of methods with gold.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from headcount.blind_evaluation.comparison.measures import MEASURES, Measure
from headcount.blind_evaluation.comparison.records import Comparison
from headcount.errors import OptionError, option
from headcount.results.drawing import (
    COLOURS,
    MARKERS,
    STYLES,
    bare,
    legend_above,
    new_figure,
    plain,
)
from headcount.stats.correlation import pearson

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

__all__ = ["plot_methods", "plot_quality", "plot_threshold"]


def plot_threshold(comparison: Comparison, ax: Axes | None = None) -> Axes:
    """Draw how good the labels of a majority are at every threshold (Figure 2)."""
    curve = comparison.threshold
    if curve is None:
        raise OptionError(
            "a threshold curve needs two labels, of which one is positive "
            f"({option('positive', ...)}, or {option('at_least', ...)} for numbers)."
        )
    axes: Any = new_figure(6.4, 4.0).subplots() if ax is None else ax
    for n, (metric, row) in enumerate(zip(curve.metrics, curve.quality, strict=True)):
        colour, style = COLOURS[n % len(COLOURS)], STYLES[n % len(STYLES)]
        axes.plot(curve.threshold, row, color=colour, linestyle=style, label=metric)
        if not np.isnan(row).all():
            best = int(np.nanargmax(row))
            mark = MARKERS[n % len(MARKERS)]
            at = curve.threshold[best], row[best]
            axes.plot(*at, mark, color=colour, markersize=5, clip_on=False)
    axes.axvline(0.5, color="#cccccc", linestyle="--", linewidth=1, zorder=0)
    axes.set_xlabel(
        plain(f"share of votes above which an item is '{curve.label}'")
        + "\nmarks: where a metric is highest"
    )
    axes.set_ylabel("score of these labels against gold")
    axes.set_xlim(0, 1)
    axes.set_ylim(0, 1.03)
    bare(axes)
    legend_above(axes, 4)
    return axes


def plot_methods(comparison: Comparison) -> Figure:
    """Draw how well every method estimates every metric, one panel a measure (Figures 3, 4)."""
    c = comparison
    shown = _drawn(c, range(len(c.methods)))
    figure: Any = new_figure(3.4 * len(shown) + 1.2, 1.4 + 0.27 * len(c.methods))
    every: list[Any] = list(figure.subplots(1, len(shown), sharey=True, squeeze=False)[0])
    offset = np.linspace(-0.3, 0.3, len(c.metrics)) if len(c.metrics) > 1 else np.zeros(1)
    for axes, (index, measure) in zip(every, shown, strict=True):
        for m, metric in enumerate(c.metrics):
            axes.plot(
                c.measured[:, m, index],
                np.arange(len(c.methods)) + offset[m],
                MARKERS[m % len(MARKERS)],
                color=COLOURS[m % len(COLOURS)],
                markersize=4,
                label=metric,
            )
        axes.set_title(measure.title.split(" of ")[0], fontsize="small")
        axes.set_xlim(min(-0.02, float(np.nanmin(c.measured[:, :, index])) - 0.05), 1.03)
        axes.grid(axis="both", color="#eeeeee", linewidth=0.6)
        axes.set_axisbelow(True)
        bare(axes)
    first = every[0]
    titles = [plain(c.titles.get(name, name)) for name in c.methods]
    first.set_yticks(range(len(c.methods)), titles, fontsize="small")
    first.set_ylim(len(c.methods) - 0.5, -0.5)
    handles, names = first.get_legend_handles_labels()
    figure.legend(
        handles, names, loc="outside lower center", ncols=len(names), frameon=False,
        fontsize="small",
    )  # fmt: skip
    return figure


def plot_quality(comparison: Comparison, ax: Axes | None = None) -> Axes:
    """Draw how good a method's labels are against how well it estimates classifiers (Figure 5)."""
    c = comparison
    mine = [i for i, name in enumerate(c.methods) if name in c.quality]
    if len(mine) < 3:
        raise OptionError(
            "this plot needs three methods or more that find labels of items "
            f"({option('methods', ...)})."
        )
    axes: Any = new_figure(5.4, 4.6).subplots() if ax is None else ax
    good = np.stack([c.quality[c.methods[i]] for i in mine])
    shown = _drawn(c, mine)
    for place, (index, measure) in enumerate(shown):
        x, y = c.measured[mine][:, :, index].ravel(), good.ravel()
        both = ~np.isnan(x + y)
        x, y, colour = x[both], y[both], COLOURS[place]
        strength = pearson(x, y)
        name = measure.title.split(" of ")[0]
        name += "" if np.isnan(strength) else f" (correlation {strength:.2f})"
        axes.plot(x, y, MARKERS[place], color=colour, markersize=4, alpha=0.7, label=name)
        if len(x) > 1 and np.ptp(x) > 0:
            slope = float(np.cov(x, y)[0, 1] / x.var(ddof=1))
            ends = np.array([x.min(), x.max()])
            axes.plot(ends, y.mean() + slope * (ends - x.mean()), color=colour, linewidth=1)
    axes.set_xlabel("correlation of estimated with actual scores or ranks")
    axes.set_ylabel("quality of the labels that a method finds")
    bare(axes)
    legend_above(axes)
    return axes


def _drawn(comparison: Comparison, methods: Sequence[int]) -> list[tuple[int, Measure]]:
    """List measures that some method has a value of, by place; ties leave ranks without one."""
    values = comparison.measured[list(methods)]
    found = [
        (n, measure)
        for n, measure in enumerate(MEASURES.values())
        if not measure.of_errors and not np.isnan(values[:, :, n]).all()
    ]
    if not found:
        raise OptionError(
            "too few classifiers that gold tells apart: no method's estimates can be compared with "
            f"it. Give gold labels of more items ({option('gold', ...)})."
        )
    return found

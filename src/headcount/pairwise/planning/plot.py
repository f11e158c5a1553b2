"""A plan, drawn: f1 against comparisons, as each law would have it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from headcount.pairwise.planning.records import BenchmarkFit, FittedLaw, PlanRecord
from headcount.pairwise.planning.text import whole_number
from headcount.results.drawing import COLOURS, MARKERS, STYLES, bare, legend_above, new_figure

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

__all__ = ["plot_forecast", "plot_law", "plot_laws", "plot_plan"]

GREY = "#777777"
YLABEL = "f1 of labels (.5: chance)"


def plot_plan(plan: PlanRecord, ax: Axes | None = None) -> Axes:
    """Draw f1 against comparisons over N (the first law), for all sizes and benchmarks.

    The curves of all sizes lie on one another where the law holds.
    """
    axes: Any = new_figure().subplots() if ax is None else ax
    marks: dict[str, Any] = {}
    for place, fit in enumerate(plan.benchmarks):
        style = STYLES[place % len(STYLES)]
        drawn = _draw(plan, fit, fit.laws[0], axes, style=style)
        marks = {**drawn, **marks}
        marks[f"against '{fit.name}'"] = axes.plot([], [], color="black", linestyle=style)[0]
    axes.set_ylabel(YLABEL)
    legend_above(axes, 4, marks)
    return axes


def plot_forecast(plan: PlanRecord, ax: Axes | None = None) -> Axes:
    """Draw the f1 to expect against comparisons, with its interval, and what was asked for."""
    axes: Any = new_figure().subplots() if ax is None else ax
    each, value, low, high = plan.forecast.curve
    total = each * plan.items
    axes.fill_between(
        total, low, high, color=COLOURS[0], alpha=0.2, linewidth=0, label="95% interval"
    )
    axes.plot(total, value, color=COLOURS[0], label=f"{plan.items:,} items")
    if plan.needed is not None and plan.target_f1 is not None:
        axes.axhline(
            plan.target_f1, color=GREY, linestyle=STYLES[1], label=f"f1 {plan.target_f1:g}"
        )
        if plan.needed.censored is None:
            axes.plot([plan.needed.value], [plan.target_f1], "o", color=COLOURS[0])
    if plan.budget is not None:
        axes.axvline(plan.budget, color=GREY, linestyle=STYLES[2], label=f"{plan.budget:,} asked")
    axes.set_xscale("log")
    axes.set_xlabel("comparisons of random pairs")
    axes.set_ylabel(YLABEL)
    legend_above(axes, 4)
    bare(axes)
    return axes


def plot_law(plan: PlanRecord, fit: BenchmarkFit, law: FittedLaw, ax: Axes | None = None) -> Axes:
    """Draw f1 against comparisons over the growth of one law, against one benchmark."""
    axes: Any = new_figure().subplots() if ax is None else ax
    marks = _draw(plan, fit, law, axes)
    axes.set_title(_title(plan, fit, law), fontsize="small")
    axes.set_ylabel(YLABEL)
    axes.legend(marks.values(), marks.keys(), frameon=False, fontsize="small", ncols=2)
    return axes


def plot_laws(plan: PlanRecord) -> Figure:
    """Draw all laws against all benchmarks, one panel each, with one legend."""
    figure: Any = new_figure(8.4, 6.8)
    laws = max(len(fit.laws) for fit in plan.benchmarks)
    grid = figure.subplots(len(plan.benchmarks), laws, sharey=True, squeeze=False)
    marks: dict[str, Any] = {}
    for row, fit in zip(grid, plan.benchmarks, strict=True):
        for axes, law in zip(row, fit.laws, strict=True):
            marks |= _draw(plan, fit, law, axes)
            axes.set_title(_title(plan, fit, law), fontsize="small")
        row[0].set_ylabel(YLABEL)
    # Outside: curves near chance would run through it.
    figure.legend(
        marks.values(), marks.keys(), loc="outside lower center", ncols=4, frameon=False,
        fontsize="small",
    )  # fmt: skip
    return figure


def _title(plan: PlanRecord, fit: BenchmarkFit, law: FittedLaw) -> str:
    title = f"against '{fit.name}', n = a {law.name}"
    if law.comparisons is None:
        return title
    needed = f"{plan.items:,} items need {whole_number(law.comparisons)}"
    if law.comparisons.censored is None:
        needed = f"a = {law.factor:.2f}: {needed}"
    return f"{title}\n{needed}"


def _draw(
    plan: PlanRecord, fit: BenchmarkFit, law: FittedLaw, axes: Any, *, style: str = "-"
) -> dict[str, Any]:
    """Draw curves, target and budget; return what the legend shows, by its text."""
    sizes = sorted({curve.items for each in plan.benchmarks for curve in each.curves})
    marks: dict[str, Any] = {}
    for curve in fit.curves:
        k = sizes.index(curve.items)
        (marks[f"{curve.items} items"],) = axes.plot(
            curve.comparisons / law.law.growth(curve.items),
            curve.mean,
            color=COLOURS[k % len(COLOURS)],
            marker=MARKERS[k % len(MARKERS)],
            linestyle=style,
            markersize=3,
            linewidth=1.2,
        )
    if law.comparisons is not None:
        axes.axhline(plan.target_f1, color=GREY, linewidth=0.8, linestyle=":")
        if law.comparisons.censored is None:
            (marks[f"f1 {plan.target_f1:g}"],) = axes.plot(
                law.factor, plan.target_f1, "*", color="black", markersize=9, zorder=5
            )
    if plan.budget is not None:
        at = plan.budget / law.law.growth(plan.items)
        if at <= 1.1 * axes.get_xlim()[1]:
            marks[f"budget of {plan.budget:,}"] = axes.axvline(
                at, color=GREY, linewidth=0.8, linestyle="--"
            )
    axes.set_xlabel(f"comparisons / {law.law.divisor}")
    axes.set_xlim(left=0)
    axes.grid(color="#eeeeee", linewidth=0.6)
    axes.set_axisbelow(True)
    bare(axes)
    return marks

"""A plan, drawn: f1 against comparisons, as each law would have it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from headcount.pairwise.planning.scaling_laws import growth
from headcount.pairwise.planning.text import whole
from headcount.results.drawing import COLOURS, MARKERS, bare, new_figure

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from headcount.pairwise.planning.result import Plan

__all__ = ["plot_plan"]

UNITS = {"N": "comparisons / N", "N log N": "comparisons / (N log N)"}


def plot_plan(plan: Plan) -> Figure:
    """Draw f1 against n / N and against n / (N log N), for both benchmarks.

    The curves of all sizes lie on one another where a law holds.
    """
    figure: Any = new_figure(8.4, 6.8)
    grid = figure.subplots(len(plan.benchmarks), 2, sharey=True, squeeze=False)
    sizes = sorted({curve.items for each in plan.benchmarks for curve in each.curves})
    marks: dict[str, Any] = {}
    for row, benchmark in enumerate(plan.benchmarks):
        for column, law in enumerate(benchmark.laws):
            axes = grid[row, column]
            for curve in benchmark.curves:
                k = sizes.index(curve.items)
                (marks[f"{curve.items} items"],) = axes.plot(
                    curve.comparisons / growth(law.name, curve.items),
                    curve.mean,
                    color=COLOURS[k % len(COLOURS)],
                    marker=MARKERS[k % len(MARKERS)],
                    markersize=3,
                    linewidth=1.2,
                )
            title = f"against '{benchmark.name}', n = a {law.name}"
            if law.comparisons is not None:
                axes.axhline(plan.target_f1, color="#777777", linewidth=0.8, linestyle=":")
                needed = f"{plan.items:,} items need {whole(law.comparisons)}"
                if law.comparisons.censored is None:
                    (marks[f"f1 {plan.target_f1:g}"],) = axes.plot(
                        law.factor, plan.target_f1, "*", color="black", markersize=9, zorder=5
                    )
                    needed = f"a = {law.factor:.2f}: {needed}"
                title += f"\n{needed}"
            if plan.budget is not None:
                at = plan.budget / growth(law.name, plan.items)
                if at <= 1.1 * axes.get_xlim()[1]:
                    marks[f"budget of {plan.budget:,}"] = axes.axvline(
                        at, color="#777777", linewidth=0.8, linestyle="--"
                    )
            axes.set_title(title, fontsize="small")
            axes.set_xlabel(UNITS[law.name])
            axes.set_xlim(left=0)
            axes.grid(color="#eeeeee", linewidth=0.6)
            axes.set_axisbelow(True)
            bare(axes)
        grid[row, 0].set_ylabel("f1 of labels (.5: chance)")
    # Outside: curves near chance would run through it.
    figure.legend(
        marks.values(), marks.keys(), loc="outside lower center", ncols=4, frameon=False,
        fontsize="small",
    )  # fmt: skip
    return figure

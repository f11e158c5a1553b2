"""Pairwise comparisons, drawn: ratings, raters, plans, tasks and experiments."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, cast

import numpy as np

from headcount.errors import OptionError, option, percent
from headcount.pairwise.anchors import Anchoring
from headcount.pairwise.experiment import LabellingExperiment
from headcount.pairwise.labels import ABOVE, BELOW, SIGN
from headcount.pairwise.pilot import LAWS
from headcount.pairwise.plan import Plan, whole_number
from headcount.pairwise.result import PairsResult, RatedItem, ends
from headcount.pairwise.spammers import (
    ANOTHER_OPINION,
    FINE,
    REVERSED,
    SPAMMER,
    TOO_FEW,
    WEAK,
    ComparingRater,
)
from headcount.pairwise.tasks import KINDS, Tasks
from headcount.results.plotting import (
    COLOURS,
    MARKERS,
    STYLES,
    bare,
    columns_beside,
    draw_interval,
    legend_above,
    new_figure,
    plain,
    rows_of,
    written,
)
from headcount.stats.estimate import Estimate

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

__all__ = [
    "short",
    "legend",
    "plot_ratings",
    "plot_graph",
    "plot_raters",
    "draw_raters",
    "plot_anchoring",
    "plot_forecast",
    "plot_laws",
    "plot_tasks",
    "plot_experiment",
]


# Ratings drawn as rows, best first, with their intervals.

MOST, FEW = 60, 25
"""Items that are drawn: the first and the last half of them; and up to which letters are larger."""
GREY = "#777777"


def plot_ratings(result: PairsResult, ax: Axes | None = None) -> Axes:
    """Draw items with their intervals, best first; those without a finite rating at the side."""
    shown, between = ends(result.items, MOST)
    axes: Any = (
        new_figure(6.4, 1.2 + (0.22 if len(shown) <= FEW else 0.18) * len(shown)).subplots()
        if ax is None
        else ax
    )
    # The side of the average is seen; another cut has colours.
    coloured = result.provenance.label != SIGN.name
    colours = {ABOVE: COLOURS[1], BELOW: COLOURS[0]} if coloured else {}
    numbers = [x for i in shown for x in (i.rating.value, i.rating.low, i.rating.high)]
    finite = [x for x in numbers if x is not None and math.isfinite(x)] or [0.0]
    low, high = min(finite), max(finite)
    margin, default = 0.06 * (high - low) or 1.0, GREY if coloured else COLOURS[1]
    for index, item in enumerate(shown):
        rating, colour = item.rating, colours.get(item.label or "", default)
        if math.isfinite(rating.value):
            draw_interval(axes, index, rating, colour)
            axes.plot(rating.value, index, "o", color=colour, markersize=4)
        elif not math.isnan(rating.value):
            at, mark = (high + margin, ">") if rating.value > 0 else (low - margin, "<")
            axes.plot(at, index, mark, color=colour, markersize=6, mfc="none")
        else:
            axes.text(
                (low + high) / 2, index, rating.undefined, fontsize="x-small", ha="center",
                va="center",
            )  # fmt: skip
    cut = result.provenance.cut if len(result.provenance.cut) <= 40 else "the cut"
    for side, colour in colours.items():
        if any(i.label == side for i in shown):
            axes.plot([], [], "o", color=colour, markersize=4, label=f"{side} {cut}")
    if any(math.isinf(i.rating.value) for i in shown):
        axes.plot([], [], ">", color=GREY, mfc="none", label="no bound")
    _lines(axes, shown, between)
    size = "small" if len(shown) <= FEW else "x-small"
    rows_of(axes, [short(i.item) for i in shown], fontsize=size)
    units, level = result.rated.settings.units, percent(result.rated.settings.level)
    sure = any(i.rating.low is not None for i in shown)
    bars = f"; bars: {level} intervals" if sure else ""
    meaning = f"\n{units.meaning}" if units.meaning else ""
    axes.set_xlabel(f"rating ({units.unit}){bars}{meaning}")
    if sure:
        digits = ".0f" if max(map(abs, finite)) >= 100 else ".2f"
        numbers = [_numbers(i.rating, digits) for i in shown]
        heads = ("rating", f"{level} interval")
        columns_beside(axes, heads, numbers, widths=(44, 108), fontsize=size)
    legend(axes)
    return axes


def _numbers(rating: Estimate, digits: str) -> tuple[str, str]:
    if math.isfinite(rating.value):
        return written(rating, digits)
    return "" if math.isnan(rating.value) else "no bound", ""


def _lines(axes: Any, shown: Sequence[RatedItem], between: int) -> None:
    """Draw a line where rows are left out, and between groups of items that do not compare."""
    if between:
        axes.axhline(len(shown) / 2 - 0.5, color="#999999", linewidth=0.8, linestyle=":")
        axes.text(
            0.01, len(shown) / 2 - 0.5, f"{between:,} more", transform=axes.get_yaxis_transform(),
            fontsize="x-small", va="center", color="#555555", backgroundcolor="white",
        )  # fmt: skip
    for index in range(1, len(shown)):
        if shown[index].component != shown[index - 1].component:
            axes.axhline(index - 0.5, color="#333333", linewidth=0.8)


def short(name: object, most: int = 24) -> str:
    """Cut a long name in the middle, and keep it from being read as mathematics."""
    text = str(name)
    if len(text) > most:
        text = f"{text[: most // 2]}…{text[-(most // 2 - 1) :]}"
    return plain(text)


def legend(axes: Any) -> None:
    """Write the legend, if any, above the axes."""
    legend_above(axes, columns=4)


# Pairwise comparisons, drawn: ratings, who met whom, and the raters.

MOST_MET, MOST_NUMBERS = 40, 16
"""Items in the picture of win rates, and up to which shares are written."""


def plot_graph(result: PairsResult) -> Figure:
    """Draw the share of points that each item won against each other one, best first.

    Pairs that never met are blank, so that the picture also shows who met whom. Of more than 40
    items the first and the last 20 are drawn.
    """
    everything = [i.item for i in result.items]
    shown, between = ends(list(range(len(everything))), MOST_MET)
    share, number = (table[np.ix_(shown, shown)] for table in result.win_rates())
    n, side = len(shown), 1.8 + 0.22 * len(shown)
    figure = new_figure(side + 1.2, side)
    axes: Any = figure.subplots()
    image = axes.imshow(share, cmap="RdBu", interpolation="nearest", vmin=0, vmax=1)
    bar = cast("Any", figure).colorbar(image, ax=axes, shrink=0.7)
    bar.set_label("share of points won by the row's item", fontsize="small")
    bar.ax.tick_params(labelsize="small")
    names = [short(everything[k], 20) for k in shown]
    axes.set_xticks(range(n), names, rotation=90, fontsize=7)
    axes.set_yticks(range(n), names, fontsize=7)
    for row, column in zip(*np.nonzero(number > 0), strict=True) if n <= MOST_NUMBERS else ():
        value = float(share[row, column])
        colour = "white" if abs(value - 0.5) > 0.3 else "black"
        axes.text(
            column, row, f"{value:.0%}", fontsize=6, ha="center", va="center", color=colour
        )  # fmt: skip
    if between:
        for line in (axes.axhline, axes.axvline):
            line(n / 2 - 0.5, color="black", linewidth=1.2)
    axes.set_title("won against", fontsize="small")
    axes.tick_params(length=0)
    return figure


def plot_raters(result: PairsResult, ax: Axes | None = None) -> Axes:
    """Draw raters by agreement with the others' ratings and by slope; spammers are crosses."""
    if result.raters is None:
        raise OptionError(f"this plot needs raters to be judged ({option('by_rater', True)}).")
    return draw_raters(result.raters, ax)


# Raters who compare, drawn.

NAMED_SPAMMERS = 6
"""Spammers up to which each has a name in the plot."""
MARKS = (
    (FINE, "o", COLOURS[1]),
    (WEAK, "s", COLOURS[4]),
    (ANOTHER_OPINION, "^", COLOURS[2]),
    (TOO_FEW, "D", GREY),
    (SPAMMER, "X", COLOURS[0]),
    (REVERSED, "v", COLOURS[3]),
)


def draw_raters(raters: Sequence[ComparingRater], ax: Axes | None = None) -> Axes:
    """Draw raters by agreement with the others' ratings and by slope; spammers are crosses."""
    axes: Any = new_figure(6.4, 4.4).subplots() if ax is None else ax
    shown = [r for r in raters if not math.isnan(r.agreement)]
    for verdict, mark, colour in MARKS:
        members = [r for r in shown if r.verdict == verdict]
        if not members:
            continue
        x, y = [r.agreement for r in members], [r.slope.value for r in members]
        area = [12 + 4 * math.sqrt(r.comparisons) for r in members]
        axes.scatter(
            x, y, s=area, marker=mark, color=colour, alpha=0.75, linewidths=0,
            label=f"{verdict}: {len(members):,}",
        )  # fmt: skip
    axes.axhline(0, color="#999999", linewidth=0.8, zorder=0)
    axes.axhline(1, color="#999999", linewidth=0.8, zorder=0, linestyle=":")
    axes.axvline(0.5, color="#999999", linewidth=0.8, zorder=0)
    spammers = [r for r in shown if r.spammer]
    for r in spammers if len(spammers) <= NAMED_SPAMMERS else ():
        axes.annotate(
            short(r.rater, 14), (r.agreement, r.slope.value), fontsize="x-small",
            xytext=(4, 4), textcoords="offset points",
        )  # fmt: skip
    axes.set_xlabel("agreement with the others' ratings (share of answers, without ties)")
    axes.set_ylabel("slope (0: random; 1: usual)")
    bare(axes)
    legend(axes)
    return axes


# Items among anchors, drawn.


def plot_anchoring(anchoring: Anchoring, ax: Axes | None = None) -> Axes:
    """Draw the rating of each item with its interval, and the anchors below."""
    axes: Any = new_figure().subplots() if ax is None else ax
    shown = anchoring.items[:30]
    for row, each in enumerate(shown):
        ends = [each.rating.low, each.rating.high]
        axes.plot(ends, [row, row], color=COLOURS[0], linewidth=1.5)
        axes.plot([each.rating.value], [row], "o", color=COLOURS[0], markersize=4)
    anchors = anchoring.rating
    axes.plot(anchors, np.full(len(anchors), len(shown)), "|", color="black", markersize=12)
    if anchoring.average is not None:
        axes.axvline(anchoring.average.value, color=COLOURS[1], linewidth=1)
    axes.set_yticks(range(len(shown) + 1), [*(each.item for each in shown), "anchors"])
    axes.invert_yaxis()
    line = "; line: the average of the first set" * (anchoring.average is not None)
    axes.set_xlabel(
        f"rating in logits; bars: {percent(anchoring.provenance.level or 0)} intervals{line}"
    )
    bare(axes)
    return axes


# A plan, drawn: f1 against comparisons, as each law would have it.

YLABEL = "f1 of labels (.5: chance)"
NEARLY_ALL = 0.95
"""f1 up to which the curve is drawn."""


def plot_forecast(plan: Plan, ax: Axes | None = None) -> Axes:
    """Draw the f1 to expect against comparisons, with its interval, and what was asked for."""
    axes: Any = new_figure().subplots() if ax is None else ax
    each, value, low, high = plan.forecast.curve
    total, level = each * plan.items, percent(plan.provenance.level or 0)
    axes.fill_between(
        total, low, high, color=COLOURS[0], alpha=0.2, linewidth=0, label=f"{level} interval"
    )
    axes.plot(total, value, color=COLOURS[0], label=f"{plan.items:,} items")
    if plan.needed is not None and plan.target_f1 is not None:
        axes.axhline(
            plan.target_f1, color=GREY, linestyle=STYLES[1], label=f"f1 {plan.target_f1:g}"
        )
        if plan.needed.censored is None:
            axes.plot([plan.needed.value], [plan.target_f1], "o", color=COLOURS[0])
            axes.annotate(
                whole_number(plan.needed), (plan.needed.value, plan.target_f1),
                xytext=(6, -12), textcoords="offset points",
            )  # fmt: skip
    if plan.budget is not None:
        axes.axvline(plan.budget, color=GREY, linestyle=STYLES[2], label=f"{plan.budget:,} asked")
    axes.set_xscale("log")
    sure = total[low >= NEARLY_ALL]
    axes.set_xlim(total[0], sure[0] if len(sure) else total[-1])
    axes.set_xlabel("comparisons of random pairs")
    axes.set_ylabel(YLABEL)
    legend_above(axes, 4)
    bare(axes)
    return axes


def plot_laws(plan: Plan) -> Figure:
    """Draw f1 of random sets of the pilot against comparisons, as each law scales them.

    The curves of all sizes lie on one another where a law holds.
    """
    figure: Any = new_figure(8.4, 3.8)
    if plan.growth is None:
        raise OptionError(f"this plot needs the laws ({option('laws', True)}).")
    grid = figure.subplots(1, len(LAWS), sharey=True)
    for axes, law, fitted in zip(grid, LAWS, plan.growth.laws, strict=True):
        for k, curve in enumerate(plan.growth.curves):
            axes.plot(
                curve.comparisons / law.growth(curve.items), curve.mean, linewidth=1.2,
                color=COLOURS[k % len(COLOURS)], marker=MARKERS[k % len(MARKERS)], markersize=3,
                label=f"{curve.items} items",
            )  # fmt: skip
        title = f"n = a {law.name}"
        if fitted.comparisons is not None:
            axes.axhline(plan.target_f1, color=GREY, linewidth=0.8, linestyle=":")
            title += f": {plan.items:,} items need {whole_number(fitted.comparisons)}"
        if math.isfinite(fitted.factor):
            axes.plot(fitted.factor, plan.target_f1, "*", color="black", markersize=9, zorder=5)
        axes.set_title(title, fontsize="small")
        axes.set_xlabel(f"comparisons / {law.divisor}")
        axes.set_xlim(left=0)
        axes.grid(color="#eeeeee", linewidth=0.6)
        axes.set_axisbelow(True)
        bare(axes)
    grid[0].set_ylabel(YLABEL)
    grid[0].legend(loc="lower right", frameon=False, fontsize="small")
    return figure


# Tasks, drawn: how often each item is asked for.

MOST_APART = 60
"""Items whose bars stand apart from each other."""


def plot_tasks(tasks: Tasks, ax: Axes | None = None) -> Axes:
    """Draw in how many tasks each item is, by kind, the most frequent items first."""
    axes: Any = new_figure().subplots() if ax is None else ax
    shown = np.concatenate([tasks.left, tasks.right]).astype(str)
    names, item = np.unique(shown, return_inverse=True)
    order = np.argsort(-np.bincount(item), kind="stable")
    kind = np.tile(np.array(tasks.kind), 2)
    below = np.zeros(len(names))
    width = 0.8 if len(names) <= MOST_APART else 1.0
    for k, each in enumerate(KINDS):
        mine = np.bincount(item[kind == each.name], minlength=len(names))[order]
        if mine.any():
            axes.bar(
                np.arange(1, len(names) + 1), mine, width=width, bottom=below,
                color=COLOURS[k % len(COLOURS)], label=each.name,
            )  # fmt: skip
        below += mine
    axes.set_xlim(0, len(names) + 1)
    axes.set_xlabel("items, the most frequent first")
    axes.set_ylabel("tasks that an item is in")
    axes.locator_params(axis="both", integer=True)
    legend_above(axes, 3)
    bare(axes)
    return axes


# An experiment, drawn: f1 against the number of tasks.


def plot_experiment(experiment: LabellingExperiment, ax: Axes | None = None) -> Axes:
    """Draw mean f1 of each method against tasks, with the interval that holds most runs."""
    axes: Any = new_figure().subplots() if ax is None else ax
    for k, method in enumerate(experiment.scores):
        tasks = experiment.tasks(method)
        scored = [experiment.estimate(method, place=index) for index in range(len(tasks))]
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
        f"tasks (votes or comparisons) on {experiment.model.items:,} items\n"
        f"{experiment.runs:,} runs; bars: the middle {percent(experiment.level)} of them"
    )
    axes.set_ylabel("f1 of labels")
    axes.grid(color="#eeeeee", linewidth=0.6)
    axes.set_axisbelow(True)
    legend_above(axes, 4)
    bare(axes)
    return axes

"""Every figure of agreement: coefficients, raters, Phi, comparisons and plans."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from headcount.agreement.comparison import AgreementComparison
from headcount.agreement.phi import PhiResult
from headcount.agreement.planning import LEAST_ITEMS, AgreementPlan, half_width
from headcount.agreement.rater_pairs import LimitsOfAgreement
from headcount.agreement.raters import FIXED
from headcount.agreement.result import AgreementResult
from headcount.errors import OptionError, count, option, percent
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
    written,
)
from headcount.stats.estimate import Estimate

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = [
    "plot_forest",
    "draw",
    "plot_raters",
    "plot_two_raters",
    "plot_groups",
    "plot_designs",
    "plot_posterior",
]


# Agreement, drawn: all coefficients side by side, the posterior of Phi, and the raters.


def plot_forest(result: AgreementResult, ax: Axes | None = None) -> Axes:
    """Draw coefficients with their intervals, one below the other, and write their values beside.

    The one to report comes first; thin lines are intervals for these raters where both are shown.
    """
    rows = _forest_rows(result)
    if not rows:
        first = next(iter(result.coefficients.values()))
        raise OptionError(f"there is nothing to draw: {first.undefined}.")
    return draw_forest(rows, percent(result.provenance.level or 0), _caption(result, rows), ax)


def _forest_rows(result: AgreementResult) -> list[ForestRow]:
    names = [n for n, e in result.coefficients.items() if e.undefined is None]
    if result.report is not None and not result.details:
        chosen = [result.report.name, *result.report.others]
        names = [n for n in chosen if n in names]
    report, crossed = result.report, result.scope.crossed
    both = result.scope.few or (report is not None and report.these_raters is not None)
    rows: list[ForestRow] = []
    for n in names:
        e, these = result.coefficients[n], result.these_raters[n]
        alone = crossed and e is these
        thin = these if both and not alone else None
        rows.append(ForestRow(title=result.kinds[n].title, estimate=e, thin=thin, secondary=alone))
    phi = result.phi
    if phi is not None and phi.estimate.undefined is None:
        thin = phi.these_raters if both else None
        rows.append(ForestRow(title="Phi", estimate=phi.estimate, thin=thin, colour=COLOUR))
    if report is not None and report.too_small is not None:  # no interval would hold
        rows = [replace(row, estimate=Estimate(row.estimate.value), thin=None) for row in rows]
    return rows


def _caption(result: AgreementResult, rows: list[ForestRow]) -> str:
    p = result.provenance
    by = "" if p.n_raters is None else f" by {count(p.n_raters, 'rater')}"
    thin = any(row.thin is not None or row.secondary for row in rows)
    other = f"; thin: {FIXED.words}" if thin else ""
    of = p.distance or f"{p.scale} scale"
    bars = f"bars: {percent(p.level or 0)} intervals {result.scope.words}{other}"
    if result.report is not None and result.report.too_small is not None:
        bars = f"no intervals, since {result.report.too_small}"
    items = count(p.items_used, "item")
    return f"agreement (0: chance, if corrected for it; 1: perfect)\n{items}{by}, {of}\n{bars}"


def draw(result: AgreementResult, ax: Axes | None = None) -> Axes:
    """Draw one picture: raters, if they were compared; how two differ; else the coefficients."""
    if result.raters:
        return plot_raters(result, ax)
    if result.bland_altman is not None:
        return plot_two_raters(result.bland_altman, ax)
    return plot_forest(result, ax)


# Estimates one below the other, with their values in columns beside them.

THICK, THIN = 2.2, 0.9


@dataclass(frozen=True, kw_only=True)
class ForestRow:
    """One estimate.

    Parameters
    ----------
    title : str
    estimate : Estimate
    thin : Estimate or None
        The same with an interval of another kind, which is drawn thin below it.
    secondary : bool
        Whether its own interval is of that other kind.
    n : int or None
        Items that it is of, where that differs by row.
    colour : str
    """

    title: str
    estimate: Estimate
    thin: Estimate | None = None
    secondary: bool = False
    n: int | None = None
    colour: str = COLOURS[1]


def draw_forest(rows: Sequence[ForestRow], level: str, caption: str, ax: Axes | None) -> Axes:
    """Draw estimates with intervals; values, intervals and numbers of items stand in columns."""
    axes: Any = ax
    if axes is None:
        axes = new_figure(6.8, 1.3 + 0.36 * len(rows)).subplots()
    for at, row in enumerate(rows):
        if row.thin is not None:
            draw_interval(axes, at + 0.22, row.thin, row.colour, width=THIN)
        width = THIN if row.secondary else THICK
        draw_interval(axes, at, row.estimate, row.colour, width=width)
        if row.estimate.undefined is None:
            axes.plot(row.estimate.value, at, marker="o", markersize=5, color=row.colour, zorder=4)
    ends = [end for row in rows for end in _ends(row.estimate)]
    low, high = min([0.0, *ends]), max([1.0, *ends])
    axes.axvline(0, color="#999999", linewidth=0.8, zorder=0)
    axes.set_yticks(range(len(rows)), [plain(row.title) for row in rows], fontsize="small")
    axes.grid(axis="x", color="#dddddd", linewidth=0.6)
    axes.set_axisbelow(True)
    axes.set_ylim(len(rows) - 0.45, -0.55)
    axes.set_xlim(low - 0.03 * (high - low), high + 0.03 * (high - low))
    axes.tick_params(axis="y", length=0)
    heads = ["value", f"{level} interval"]
    if any(row.n is not None for row in rows):
        heads.append("n")
    numbers = [(*written(row.estimate), "" if row.n is None else f"{row.n:,}") for row in rows]
    columns_beside(axes, heads, numbers)
    axes.set_xlabel(caption, fontsize="small")
    bare(axes)
    axes.spines["left"].set_visible(False)
    return axes


def _ends(e: Estimate) -> list[float]:
    if e.undefined is not None:
        return []
    return [end for end in (e.value, e.low, e.high) if end is not None]


# Raters, drawn: bias against consistency on a scale with an order, else their agreement.

MOST_NAMED_RATERS = 12
"""Raters that are named, the least consistent; and that are listed on a nominal scale."""


def plot_raters(result: AgreementResult, ax: Axes | None = None) -> Axes:
    """Draw each rater: how much higher than the others, against how consistent with them.

    On a nominal scale there is neither: raters are listed with their agreement, lowest first.
    """
    if not result.raters:
        raise OptionError(f"raters were not compared: give {option('by_rater', True)}.")
    measured = [r for r in result.raters if r.bias is not None and r.consistency is not None]
    if not measured:
        return _listed(result, ax)
    axes: Any = new_figure(5.6, 3.8).subplots() if ax is None else ax
    bias = [r.bias or 0.0 for r in measured]
    consistency = [r.consistency or 0.0 for r in measured]
    most = max(r.ratings for r in measured)
    sizes = [12 + 50 * r.ratings / most for r in measured]
    axes.axvline(0, color="#999999", linewidth=0.8, zorder=0)
    if min(consistency) < 0:
        axes.axhline(0, color="#999999", linewidth=0.8, zorder=0)
    axes.scatter(bias, consistency, s=sizes, color=COLOURS[1], alpha=0.75, zorder=3)
    far = 1.15 * max(*(abs(x) for x in bias), 1e-9)
    axes.set_xlim(-far, far)
    axes.set_ylim(min(-0.02, *(x - 0.08 for x in consistency)), 1.05)
    places = " (places)" if result.provenance.scale == "ordinal" else ""
    axes.set_xlabel(f"bias: rates lower ← 0 → higher than the others{places}", fontsize="small")
    axes.set_ylabel("consistency with the others\n(correlation)", fontsize="small")
    title = (
        f"raters (named: at most {MOST_NAMED_RATERS}, the least consistent); areas: ratings given"
    )
    axes.set_title(title, fontsize="small", loc="left", wrap=True)
    bare(axes)
    named = sorted(measured[:MOST_NAMED_RATERS], key=lambda r: r.bias or 0.0)
    for i, r in enumerate(named):  # above and below in turn, so that neighbours are read
        at, beside = (r.bias or 0.0, r.consistency or 0.0), (4, -12 if i % 2 else 5)
        axes.annotate(plain(str(r.rater)), at, beside, textcoords="offset points", fontsize="small")
    return axes


def plot_two_raters(two: LimitsOfAgreement, ax: Axes | None = None) -> Axes:
    """Draw the differences of two raters against their means, with the limits of agreement.

    Where several items fall on the same place, its area is their number.
    """
    axes: Any = new_figure(5.6, 3.4).subplots() if ax is None else ax
    points = np.stack([two.mean, two.difference])
    places, times = np.unique(points, axis=1, return_counts=True)
    axes.scatter(*places, s=8 * np.sqrt(times) + 4, color=COLOURS[1], alpha=0.6, linewidths=0)
    for e, style in ((two.bias, "-"), (two.lower, "--"), (two.upper, "--")):
        axes.axhline(e.value, color=COLOURS[0], linestyle=style, linewidth=1)
        if e.low is not None and e.high is not None:
            axes.axhspan(e.low, e.high, color=COLOURS[0], alpha=0.12, linewidth=0)
        axes.annotate(
            f"{e.show(e.value, 2)}".replace("-", "−"),
            (1.01, e.value),
            xycoords=("axes fraction", "data"),
            va="center",
            fontsize="small",
        )
    axes.axhline(0, color="#999999", linewidth=0.8, zorder=0)
    names = plain(str(two.a)), plain(str(two.b))
    axes.set_xlabel("mean of the two ratings", fontsize="small")
    axes.set_ylabel(f"{names[0]} minus {names[1]}", fontsize="small")
    axes.set_title(
        "mean difference, and limits of agreement (dashed), with intervals",
        fontsize="small",
        loc="left",
        wrap=True,
    )
    bare(axes)
    return axes


def _listed(result: AgreementResult, ax: Axes | None) -> Axes:
    rows = [
        ForestRow(title=str(rater.rater), estimate=rater.agreement, n=rater.compared)
        for rater in result.raters[:MOST_NAMED_RATERS]
    ]
    lowest = f" (the {MOST_NAMED_RATERS} lowest)" if len(result.raters) > MOST_NAMED_RATERS else ""
    level = percent(result.provenance.level or 0)
    caption = (
        f"share of the other raters of an item who gave the same label{lowest}\n"
        f"bars: {level} intervals over items, for these raters; n: items"
    )
    return draw_forest(rows, level, caption, ax)


# Agreement of groups, drawn side by side.


def plot_groups(result: AgreementComparison, ax: Axes | None = None) -> Axes:
    """Draw the agreement of each group with its interval, value and number of items."""
    rows = [
        ForestRow(title=group.name, estimate=group.agreement, n=group.items)
        for group in result.groups
    ]
    level = percent(result.provenance.level or 0)
    by = result.distance or f"{result.scale} scale"
    caption = (
        f"{result.coefficient.title}, {by} (0: chance, 1: perfect)\n"
        f"bars: {level} intervals {result.holds_for}; n: items"
    )
    return draw_forest(rows, level, caption, ax)


# The width of an interval against the ratings bought, drawn.

SHOWN = (3, 5, 10, 20)
"""Numbers of raters that have a line."""


def plot_designs(plan: AgreementPlan, ax: Axes | None = None) -> Axes:
    """Draw half the width of the interval against ratings, a line for each number of raters."""
    axes: Any = new_figure(6.0, 3.8).subplots() if ax is None else ax
    level = plan.provenance.level or 0.95
    best = plan.best
    most = 10 * max(best.ratings if best else 0, plan.provenance.n_ratings or 0, 2000)
    shown: set[int] = set(SHOWN) if best is None else {*SHOWN, best.raters}
    shown = shown if plan.only is None else {plan.only}
    for row, raters in enumerate(sorted(shown)):
        each = plan.each or raters
        if each > raters:
            continue
        items = np.unique(np.geomspace(LEAST_ITEMS, most / each, 60).astype(int))
        expected = [plan.components.expect(int(n), raters, each, level) for n in items]
        half = [half_width(e) for e in expected]
        axes.plot(
            items * each,
            half,
            color=COLOURS[row % len(COLOURS)],
            linestyle=STYLES[row % len(STYLES)],
            label=f"{raters} raters",
        )
    if plan.half_width is not None:
        axes.axhline(plan.half_width, color="#999999", linewidth=0.8, zorder=0)
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
    bare(axes)
    legend_above(axes, 3)
    return axes


# The posterior of Phi, drawn.

COLOUR = COLOURS[0]


def plot_posterior(phi: PhiResult, ax: Axes | None = None) -> Axes:
    """Draw the posterior density of Phi, with its highest-density interval shaded."""
    if phi.posterior is None:
        raise OptionError(f"there is no posterior of Phi to draw: {phi.words}.")
    at, density = phi.posterior.density()
    if not len(at):
        raise OptionError("there is no posterior of Phi to draw: all of it is at 1.")
    axes: Any = new_figure(5.6, 3.0).subplots() if ax is None else ax
    axes.plot(at, density, color=COLOUR, linewidth=1.5)
    e = phi.fitted or phi.these_raters or phi.estimate
    if e.low is not None and e.high is not None:
        inside = (at >= e.low) & (at <= e.high)
        axes.fill_between(at[inside], density[inside], color=COLOUR, alpha=0.25, linewidth=0)
    axes.axvline(e.value, color=COLOUR, linestyle="--", linewidth=1)
    axes.axvline(0, color="#999999", linewidth=0.8, zorder=0)
    # The density is drawn where there is any; 0, ratings at random, stays in sight if it is near.
    shown = at[density > 1e-4 * density.max()]
    margin = 0.15 * (shown[-1] - shown[0]) + 1e-6
    axes.set_xlim(max(-1.0, shown[0] - margin), min(1.0, shown[-1] + margin))
    axes.locator_params(axis="x", nbins=4)  # near 1 numbers have many digits
    axes.set_ylim(bottom=0)
    axes.set_xlabel(
        f"Phi (0: at random, 1: perfect agreement)\nshaded: {percent(e.level or 0.95)} interval"
        f"{' for these raters' if phi.these_raters else ''}"
        f"{'; withheld, its model does not fit' if phi.withheld else ''}",
        fontsize="small",
    )
    axes.set_ylabel("posterior density")
    bare(axes)
    return axes

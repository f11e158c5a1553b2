"""Every figure of agreement: coefficients, raters, Phi, comparisons and plans."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from headcount import options
from headcount.agreement.comparison import AgreementComparison
from headcount.agreement.phi import TITLE, PhiResult
from headcount.agreement.phi_posterior import RatedItems, central_values
from headcount.agreement.phi_ratings import PhiScale, label_values
from headcount.agreement.planning import LEAST_ITEMS, AgreementPlan
from headcount.agreement.rater_pairs import LimitsOfAgreement
from headcount.agreement.raters import FIXED
from headcount.agreement.result import AgreementResult, RaterAgreement
from headcount.data.labels import Labels
from headcount.data.vocabulary import as_ids, match_ids
from headcount.errors import DataError, OptionError, count, option, percent, some
from headcount.results.plotting import (
    COLOURS,
    MARKERS,
    STYLES,
    bare,
    columns_beside,
    draw_interval,
    new_figure,
    plain,
    written,
)
from headcount.stats.estimate import Estimate
from headcount.typing import Floats

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

__all__ = [
    "plot_forest",
    "draw",
    "plot_raters",
    "plot_two_raters",
    "draw_names",
    "plot_groups",
    "plot_designs",
    "plot_posterior",
    "plot_items",
]


# Agreement, drawn: all coefficients side by side, the posterior of Phi, and the raters.

NARROW = 0.1
"""Share of the axis of the coefficients below which Phi's posterior has one of its own."""


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
        rows.append(ForestRow(title=TITLE, estimate=phi.estimate, thin=thin, colour=COLOUR))
    if report is not None and report.too_small is not None:  # no interval would hold
        rows = [replace(row, estimate=Estimate(row.estimate.value), thin=None) for row in rows]
    return rows


def _caption(result: AgreementResult, rows: list[ForestRow]) -> str:
    p = result.provenance
    by = "" if p.n_raters is None else f" by {count(p.n_raters, 'rater')}"
    thin = any(row.thin is not None or row.secondary for row in rows)
    other = f"; thin: {FIXED.words}" if thin else ""
    shown = {row.title for row in rows}
    raw = [
        kind.title for kind in result.kinds.values() if not kind.corrected and kind.title in shown
    ]
    but = f", but for {' and '.join(raw)}" if raw else ""
    of = p.distance or f"{p.scale} scale"
    bars = f"bars: {percent(p.level or 0)} intervals {result.scope.words}{other}"
    if result.report is not None and result.report.too_small is not None:
        bars = f"no intervals, since {result.report.too_small}"
    return (
        f"agreement (0: chance{but}; 1: perfect)\n{count(p.items_used, 'item')}{by}, {of}\n{bars}"
    )


def draw(result: AgreementResult) -> Figure:
    """Draw the coefficients; below, how two raters differ, Phi's posterior and all raters.

    Phi's posterior has the axis of the coefficients, so that zeros are below each other, unless it
    is so narrow that nothing could be seen.
    """
    phi = result.phi
    posterior = phi is not None and phi.withheld is None and len(phi.density[0]) > 0
    posterior = posterior and (result.report is None or result.report.too_small is None)
    rated = any(rater.agreement.undefined is None for rater in result.raters)
    heights = [0.9 + 0.34 * len(_forest_rows(result))]
    two = result.bland_altman
    heights += [2.6] * (two is not None)
    heights += [2.0] * posterior + [max(2.6, 0.5 + 0.3 * min(len(result.raters), 30))] * rated
    figure = new_figure(6.8, sum(heights) + 0.4)
    grid: Any = figure.subplots(len(heights), 1, squeeze=False, height_ratios=heights)
    plot_forest(result, grid[0, 0])
    if two is not None:
        plot_two_raters(two, grid[1, 0])
    if phi is not None and posterior:
        below = grid[1 + (two is not None), 0]
        plot_posterior(phi, below)
        axis, own = grid[0, 0].get_xlim(), below.get_xlim()
        if own[1] - own[0] > NARROW * (axis[1] - axis[0]):
            below.set_xlim(axis)
    if rated:
        plot_raters(result, grid[-1, 0])
    return figure


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


# Raters, drawn: severity against consistency on a scale with an order, else their agreement.

MOST_NAMED_RATERS = 30
"""Raters that are named, those furthest from the others; and that are listed on a nominal scale."""


def plot_raters(result: AgreementResult, ax: Axes | None = None) -> Axes:
    """Draw each rater: how much higher than the others, against how consistent with them.

    On a nominal scale there is neither: raters are listed with their agreement, lowest first.
    """
    if not result.raters:
        raise OptionError(f"raters were not compared: give {option('by_rater', True)}.")
    measured = [r for r in result.raters if r.severity is not None and r.consistency is not None]
    if not measured:
        return _listed(result, ax)
    axes: Any = new_figure(5.6, 3.8).subplots() if ax is None else ax
    severity = [r.severity or 0.0 for r in measured]
    consistency = [r.consistency or 0.0 for r in measured]
    most = max(r.ratings for r in measured)
    sizes = [12 + 50 * r.ratings / most for r in measured]
    axes.axvline(0, color="#999999", linewidth=0.8, zorder=0)
    if min(consistency) < 0:
        axes.axhline(0, color="#999999", linewidth=0.8, zorder=0)
    axes.scatter(severity, consistency, s=sizes, color=COLOURS[1], alpha=0.75, zorder=3)
    far = 1.15 * max(*(abs(x) for x in severity), 1e-9)
    axes.set_xlim(-far, far)
    axes.set_ylim(min(-0.02, *(x - 0.08 for x in consistency)), 1.05)
    places = " (places)" if result.provenance.scale == "ordinal" else ""
    axes.set_xlabel(f"severity: rates lower ← 0 → higher than the others{places}", fontsize="small")
    axes.set_ylabel("consistency with the others\n(correlation)", fontsize="small")
    few = len(measured) > MOST_NAMED_RATERS
    which = f"; named: up to {MOST_NAMED_RATERS} that differ most" if few else ""
    axes.set_title(f"raters; areas: ratings given{which}", fontsize="small", loc="left")
    bare(axes)
    named = _furthest(measured)
    others = [r for r in measured if r not in named]
    at = [(r.severity or 0.0, r.consistency or 0.0) for r in (*named, *others)]
    draw_names(axes, [str(r.rater) for r in named], *zip(*at, strict=True))
    return axes


def plot_two_raters(two: LimitsOfAgreement, ax: Axes | None = None) -> Axes:
    """Draw the differences of two raters against their means, with the limits of agreement.

    Where several items fall on the same place, its area is their number.
    """
    axes: Any = new_figure(5.6, 3.4).subplots() if ax is None else ax
    points = np.stack([two.mean, two.difference])
    places, which = np.unique(points, axis=1, return_inverse=True)
    times = np.bincount(which.ravel(), two.times)
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
    axes.set_ylabel(f"{names[0]} less {names[1]}", fontsize="small")
    axes.set_title(
        "mean difference, and limits of agreement (dashed), with intervals",
        fontsize="small",
        loc="left",
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


def _furthest(raters: list[RaterAgreement]) -> list[RaterAgreement]:
    """Those who differ most, in severity and in consistency."""
    far = max(max(abs(rater.severity or 0.0) for rater in raters), 1e-9)

    def away(rater: RaterAgreement) -> float:
        return abs(rater.severity or 0.0) / far + 1 - (rater.consistency or 0.0)

    return sorted(raters, key=away, reverse=True)[:MOST_NAMED_RATERS]


# Names beside points, none on top of another.

NEAR, STEP, STEPS = 4.0, 9.0, 7
"""Distance of a name from its point, in typographic points, and how often it may be put further."""
SIDES = ((1, 1), (1, -1), (-1, 1), (-1, -1))
"""Right and above first."""
LINE = 10.0
"""Distance from which on a line leads to the point."""


def draw_names(axes: Any, names: Sequence[str], x: Sequence[float], y: Sequence[float]) -> None:
    """Write names beside points, the first first: where there is room, else not at all.

    A name goes to the nearest place at which it covers neither another name nor a point, within the
    axes; a thin line leads to its point where that is further away. Limits of the axes must be set.
    O(names x (names + points)).
    """
    figure = axes.figure
    figure.draw_without_rendering()
    scale = figure.dpi / 72
    points: Floats = axes.transData.transform(np.column_stack([x, y]))
    frame = axes.get_window_extent()
    inside = np.array([frame.x0, frame.y0, frame.x1, frame.y1])
    dots = np.hstack([points - 2 * scale, points + 2 * scale])
    boxes = np.empty((0, 4))
    for name, at in zip(names, points, strict=False):
        text = axes.annotate(plain(name), at, xycoords="figure pixels", fontsize="small")
        extent = text.get_window_extent()
        text.remove()
        size = np.array([extent.width, extent.height])
        free = _free(at, size, scale, inside, np.vstack([dots, boxes]))
        if free is None:
            continue
        corner, away = free
        boxes = np.vstack([boxes, np.concatenate([corner, corner + size])])
        line = {"arrowstyle": "-", "color": "#999999", "linewidth": 0.5, "shrinkB": 2}
        axes.annotate(
            plain(name),
            axes.transData.inverted().transform(at),
            tuple((corner - at) / scale),
            textcoords="offset points",
            fontsize="small",
            arrowprops=line if away > LINE else None,
            zorder=4,
        )


def _free(
    at: Floats, size: Floats, scale: float, inside: Floats, boxes: Floats
) -> tuple[Floats, float] | None:
    """Find the lower left corner of the nearest free place, and how far away that is."""
    for step in range(STEPS):
        away = NEAR + step * STEP
        for right, up in SIDES:
            side = np.array([right, up])
            corner = at + side * away * scale - size * (side < 0)
            end = corner + size
            if (corner < inside[:2]).any() or (end > inside[2:]).any():
                continue
            clear = (boxes[:, :2] >= end).any(axis=1) | (boxes[:, 2:] <= corner).any(axis=1)
            if clear.all():
                return corner, away
    return None


# Agreement of groups, drawn side by side.


def plot_groups(result: AgreementComparison, ax: Axes | None = None) -> Axes:
    """Draw the agreement of each group with its interval, value and number of items."""
    rows = [
        ForestRow(
            title=group.name, estimate=group.agreement, n=group.items, thin=group.these_raters
        )
        for group in result.groups
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


# The ratings of chosen items, and the Betas that Phi fits to them.

BARS, FIT, CENTRE = "#BBBBBB", COLOURS[0], COLOURS[1]
MOST_PANELS = 60
MOST_TICKS = 7
"""Points of a scale that all get a tick."""


def plot_items(
    labels: Labels, phi: PhiResult, items: Iterable[object], *, columns: int = 4, bins: int = 20
) -> Figure:
    r"""Draw the ratings of chosen items, and the Beta distributions fitted to them.

    One panel an item: bars are the share of its ratings at each point of the scale; the line is
    Beta(:math:`\mu_i p, (1 - \mu_i) p`) at the posterior median of the precision p, which gives the
    median of Phi, on the footing of the bars: its height is the share that a bar there would have.
    Thin lines are at the ends of the interval of p, and a strip marks that of :math:`\mu_i`. All
    items share one p, so that a contested item shows as bars that its line does not follow.

    Parameters
    ----------
    labels : Labels
        The ratings.
    phi : PhiResult
        Phi of these ratings.
    items : iterable
        Ids of items with two ratings or more.
    columns : int
        Panels side by side.
    bins : int
        Bars of a scale that is continuous or has more than 21 points; others have one a point.

    Returns
    -------
    Figure

    Notes
    -----
    O(ratings), and O(nodes) an item.

    References
    ----------
    Checco, Roitero, Maddalena, Mizzaro and Demartini (2017), "Let's agree to disagree: fixing
    agreement measures for crowdsourcing", figure 2.

    Examples
    --------
    >>> from headcount.agreement.phi import phi
    >>> values = [1, 1, 2,  5, 5, 4,  3, 3, 3,  2, 1, 5]
    >>> labels = Labels.from_triples([i for i in "abcd" for _ in "123"], [1, 2, 3] * 4, values)
    >>> figure = plot_items(labels, phi(labels, limits=(1, 5)), ["a", "d"])
    >>> [axes.get_title() for axes in figure.axes]
    ['item a: mu 2.08', 'item d: mu 2.81']
    """
    posterior, rated = phi.posterior, phi.rated
    if posterior is None or rated is None:
        raise OptionError(f"there is no fit of Phi to draw: {phi.words}.")
    options.whole(columns, "columns", least=1)
    options.whole(bins, "bins", least=1)
    rows = _item_rows(rated, items, labels.source)
    level = phi.estimate.level or 0.95
    which = rows if rated.pattern is None else rated.pattern[rows]
    mu, low, high = central_values(rated.patterns.take(which), posterior, rated.gold_sd, level)
    bars = _bars(rated.scale, bins)
    width = float(bars[1] - bars[0])
    x = _axis(rated.scale, bars)
    below = np.cumsum(posterior.mass) - posterior.mass / 2
    tails = (0.5, (1 - level) / 2, (1 + level) / 2)  # the median, and the ends of its interval
    precisions = [float(np.interp(q, below, posterior.curve)) for q in tails]
    shares = [np.histogram(r, bars)[0] / len(r) for r in _ratings(labels, rated, rows)]
    per_unit = width * rated.scale.unit_size
    fits = [[_beta(rated.scale.unit(x), m, p) * per_unit for p in precisions] for m in mu]
    across = min(columns, len(rows))
    down = math.ceil(len(rows) / across)
    figure: Any = new_figure(max(4.4, 0.5 + 2.1 * across), 0.9 + 1.8 * down)
    grid: Any = figure.subplots(down, across, squeeze=False, sharex=True, sharey=True)
    tallest = max(float(share.max()) for share in shares)
    # A J-shaped line has no top; twice the tallest bar shows where it goes.
    line = max(float(fit[0].max()) for fit in fits)
    top = 1.08 * max(tallest, min(line, 2 * tallest, 1.0))
    centre, ends = rated.scale.label(mu), (rated.scale.label(low), rated.scale.label(high))
    for panel, axes in enumerate(grid.flat):
        if panel >= len(rows):
            axes.set_visible(False)
            continue
        axes.bar((bars[:-1] + bars[1:]) / 2, shares[panel], 0.92 * width, color=BARS)
        left, right = ends[0][panel], ends[1][panel]
        axes.axvspan(left, right, color=CENTRE, alpha=0.15, linewidth=0, zorder=0)
        axes.axvline(centre[panel], color=CENTRE, linewidth=1, linestyle="--")
        for p, fit in enumerate(fits[panel]):
            axes.plot(x, fit, color=FIT, linewidth=0.7 if p else 1.8)
        name = plain(str(rated.ids[rows[panel]]))
        axes.set_title(f"item {name}: mu {centre[panel]:.2f}", fontsize="small")
        bare(axes)
        if panel + across >= len(rows):
            axes.tick_params(labelbottom=True)
    grid[0, 0].set_xlim(float(x[0]), float(x[-1]))
    grid[0, 0].set_ylim(0, top)
    _ticks(grid[0, 0], labels, rated.scale)
    e = phi.estimate
    interval = f" ({e.interval()})" if e.low is not None else ""
    figure.suptitle(
        f"Phi {e.show(e.value)}{interval}; lines: fitted Beta, with {percent(level)} interval\n"
        f"dashed: central value mu, with {percent(level)} interval",
        fontsize="small",
    )
    figure.supxlabel("rating", fontsize="medium")
    figure.supylabel("share of ratings", fontsize="medium")
    return figure


def _item_rows(rated: RatedItems, items: Iterable[object], source: str) -> NDArray[np.int64]:
    """Places of the chosen items among those that Phi was fitted to."""
    names = as_ids([str(item) for item in ([items] if isinstance(items, str) else items)])
    if not 0 < len(names) <= MOST_PANELS:
        raise OptionError(f"give 1 to {MOST_PANELS} items to draw, not {len(names):,}.")
    rows = match_ids(names, rated.ids)
    if (rows < 0).any():
        raise OptionError(
            f"Phi was not fitted to {some(names[rows < 0].tolist())}: no such item with two "
            f"ratings or more in {source}."
        )
    return rows


def _ratings(labels: Labels, rated: RatedItems, rows: NDArray[np.int64]) -> list[Floats]:
    """Ratings of each item, as numbers; an error if they are not those that Phi was fitted to."""
    value = _values(labels)
    code = match_ids(rated.ids[rows], labels.items)
    by_item = [value[labels.label[labels.item == c]] for c in code.tolist()]
    for row, ratings in zip(rows.tolist(), by_item, strict=True):
        used, current = rated.unit[rated.item == row], rated.scale.unit(ratings)
        if len(used) != len(current) or not np.allclose(np.sort(used), np.sort(current)):
            raise DataError(
                f"{labels.source}: ratings of item '{rated.ids[row]}' are not those that Phi was "
                "fitted to. Give the labels that phi() was given."
            )
    return by_item


def _values(labels: Labels) -> Floats:
    """Numbers of the labels; words are in order, or Phi would not have been fitted to them."""
    ordered = replace(labels, scale=replace(labels.scale, kind="ordinal"))
    return label_values(ordered)


def _bars(scale: PhiScale, bins: int) -> Floats:
    """Edges of the bars: one a point of the scale if they are few, else `bins` of them."""
    if not scale.binned:
        return np.linspace(scale.low, scale.high, bins + 1)
    points = scale.points or 2
    half = (scale.high - scale.low) / (points - 1) / 2
    return np.linspace(scale.low - half, scale.high + half, points + 1)


def _axis(scale: PhiScale, bars: Floats) -> Floats:
    """Places to draw a density at: all that lies within 0 to 1, and within sight of the bars."""
    margin = (1 / scale.unit_size - (scale.high - scale.low)) / 2
    low, high = min(scale.low - margin, bars[0]), max(scale.high + margin, bars[-1])
    edges: Floats = np.linspace(float(low), float(high), 501)
    return (edges[:-1] + edges[1:]) / 2


def _beta(x: Floats, mu: float, p: float) -> Floats:
    """Density of Beta(mu p, (1 - mu) p); 0 outside 0 to 1."""
    from scipy.special import betaln  # pyright: ignore[reportMissingTypeStubs]

    a, b = mu * p, (1 - mu) * p
    inside = np.where((x > 0) & (x < 1), x, 0.5)
    log_density = (a - 1) * np.log(inside) + (b - 1) * np.log1p(-inside) - float(betaln(a, b))
    return np.where(inside == x, np.exp(log_density), 0.0)


def _ticks(axes: Any, labels: Labels, scale: PhiScale) -> None:
    """Name the points of a short scale, as the labels do."""
    value = _values(labels)
    if scale.points is not None and scale.points <= MOST_TICKS:
        at = np.linspace(scale.low, scale.high, scale.points)
        names = dict(zip(scale.point(value).tolist(), labels.scale.labels, strict=True))
        axes.set_xticks(at, [plain(names.get(i, f"{x:g}")) for i, x in enumerate(at.tolist())])

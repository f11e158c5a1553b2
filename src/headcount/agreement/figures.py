"""More pictures of agreement: fitted items, and coefficients against the share of items used."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from headcount.agreement.coefficients.catalogue import title_of
from headcount.agreement.phi.mu import RatedItems, central_values
from headcount.agreement.phi.posterior import Posterior
from headcount.agreement.phi.scale import PhiScale, label_values
from headcount.data.labels import Labels
from headcount.data.vocabulary import as_ids, match_ids
from headcount.errors import DataError, OptionError, percent, some
from headcount.results.drawing import COLOURS, MARKERS, STYLES, bare, new_figure, plain
from headcount.typing import Floats

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    from headcount.agreement.by_share import ShareCurve
    from headcount.agreement.phi.result import PhiResult

__all__ = ["plot_items", "plot_share"]


BARS, FIT, CENTRE = "#BBBBBB", "#D55E00", "#0072B2"
MOST_PANELS = 60
MOST_NAMES = 7
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
    >>> from headcount.agreement.phi.phi import phi
    >>> values = [1, 1, 2,  5, 5, 4,  3, 3, 3,  2, 1, 5]
    >>> labels = Labels.from_triples([i for i in "abcd" for _ in "123"], [1, 2, 3] * 4, values)
    >>> figure = plot_items(labels, phi(labels, limits=(1, 5)), ["a", "d"])
    >>> [axes.get_title() for axes in figure.axes]
    ['item a: mu 2.08', 'item d: mu 2.81']
    """
    posterior, rated = phi.posterior, phi.rated
    if posterior is None or rated is None:
        raise OptionError(f"there is no fit of Phi to draw: {phi.words}.")
    if columns < 1 or bins < 1:
        raise OptionError(f"columns and bins must be 1 or more, not {columns} and {bins}.")
    rows = _rows(rated, items, labels.source)
    level = phi.estimate.level or 0.95
    which = rows if rated.pattern is None else rated.pattern[rows]
    mu, low, high = central_values(rated.patterns.take(which), posterior, rated.gold_sd, level)
    bars = _bars(rated.scale, bins)
    width = float(bars[1] - bars[0])
    x = _axis(rated.scale, bars)
    precisions = _precisions(posterior, level)
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
    for place, axes in enumerate(grid.flat):
        if place >= len(rows):
            axes.set_visible(False)
            continue
        axes.bar((bars[:-1] + bars[1:]) / 2, shares[place], 0.92 * width, color=BARS)
        strip = {"color": CENTRE, "alpha": 0.15, "linewidth": 0, "zorder": 0}
        axes.axvspan(ends[0][place], ends[1][place], **strip)
        axes.axvline(centre[place], color=CENTRE, linewidth=1, linestyle="--")
        for p, fit in enumerate(fits[place]):
            axes.plot(x, fit, color=FIT, linewidth=0.7 if p else 1.8)
        name = plain(str(rated.ids[rows[place]]))
        axes.set_title(f"item {name}: mu {centre[place]:.2f}", fontsize="small")
        bare(axes)
        if place + across >= len(rows):
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


def _rows(rated: RatedItems, items: Iterable[object], source: str) -> NDArray[np.int64]:
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
    found = [value[labels.label[labels.item == c]] for c in code.tolist()]
    for row, ratings in zip(rows.tolist(), found, strict=True):
        used, given = rated.unit[rated.item == row], rated.scale.unit(ratings)
        if len(used) != len(given) or not np.allclose(np.sort(used), np.sort(given)):
            raise DataError(
                f"{labels.source}: ratings of item '{rated.ids[row]}' are not those that Phi was "
                "fitted to. Give the labels that phi() was given."
            )
    return found


def _values(labels: Labels) -> Floats:
    """Numbers of the labels; words are in order, or Phi would not have been fitted to them."""
    ordered = replace(labels, scale=replace(labels.scale, kind="ordinal"))
    return label_values(ordered)[0]


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


def _precisions(posterior: Posterior, level: float) -> list[float]:
    """Median of the precision, and the ends of its interval."""
    below = np.cumsum(posterior.mass) - posterior.mass / 2
    tails = (0.5, (1 - level) / 2, (1 + level) / 2)
    return [float(np.interp(q, below, posterior.curve)) for q in tails]


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
    if scale.points is not None and scale.points <= MOST_NAMES:
        at = np.linspace(scale.low, scale.high, scale.points)
        names = dict(zip(scale.point(value).tolist(), labels.scale.labels, strict=True))
        axes.set_xticks(at, [plain(names.get(i, f"{x:g}")) for i, x in enumerate(at.tolist())])


def plot_share(curve: ShareCurve, ax: Axes | None = None) -> Axes:
    """Draw coefficients against the share of the items used, with bands.

    A band holds `level` of the random subsets; it is no confidence interval, and ends in a point
    where all items are used. Coefficients that have no value are left out, and the legend says so.

    Parameters
    ----------
    curve : ShareCurve
    ax : Axes, optional
        Where to draw; a new figure if not given.

    Returns
    -------
    Axes

    References
    ----------
    Checco, Roitero, Maddalena, Mizzaro and Demartini (2017), "Let's agree to disagree: fixing
    agreement measures for crowdsourcing", figures 4 and 5.

    Examples
    --------
    >>> from headcount.agreement import agree_by_share, paradox
    >>> axes = plot_share(agree_by_share(paradox("8b"), repeats=20))
    >>> axes.get_xlabel()
    'share of the items used (100%: 400 items)'
    """
    points = sorted(curve.points, key=lambda point: point.share)
    names = list(points[0].coefficients)
    drawn = [n for n in names if any(p.coefficients[n].undefined is None for p in points)]
    if not drawn:
        raise OptionError("there is nothing to draw: no coefficient has a value at any share.")
    axes: Any = new_figure(5.6, 3.8).subplots() if ax is None else ax
    x = [100 * point.share for point in points]
    for place, name in enumerate(names):
        title = title_of(name)
        if name not in drawn:
            axes.plot([], [], linestyle="", label=f"{title}: undefined")
            continue
        colour, estimates = COLOURS[place % len(COLOURS)], [p.coefficients[name] for p in points]
        low, high = [_end(e.low) for e in estimates], [_end(e.high) for e in estimates]
        axes.fill_between(x, low, high, color=colour, alpha=0.18, linewidth=0)
        axes.plot(
            x,
            [e.value for e in estimates],
            color=colour,
            linestyle=STYLES[place % len(STYLES)],
            marker=MARKERS[place % len(MARKERS)],
            markersize=4,
            linewidth=1.5,
            label=title,
        )
    axes.axhline(0, color="#999999", linewidth=0.8, zorder=0)
    axes.set_xlim(0, 102)
    bottom, top = axes.get_ylim()
    axes.set_ylim(min(bottom, -0.05), max(top, 1.05))
    last = points[-1]
    axes.set_xlabel(f"share of the items used ({last.share:.0%}: {last.items:,} items)")
    axes.xaxis.set_major_formatter("{x:.0f}%")
    axes.set_ylabel("agreement (1: perfect)")
    text = f"means of {curve.repeats:,} random subsets; bands hold {percent(curve.level)} of them"
    if "phi" in drawn:
        text += f"\n(Phi: of {curve.phi_repeats:,}; band: its {percent(curve.level)} interval)"
    axes.set_title(text, fontsize="small", loc="left")
    style = {"frameon": False, "fontsize": "small", "handlelength": 3}
    if ax is None:
        axes.figure.legend(loc="outside lower center", ncols=min(3, len(names)), **style)
    else:
        axes.legend(**style)
    bare(axes)
    return axes


def _end(end: float | None) -> float:
    return math.nan if end is None else end

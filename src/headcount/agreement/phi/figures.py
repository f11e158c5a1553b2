"""The ratings of chosen items, and the Betas that Phi fits to them."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from headcount import options
from headcount.agreement.phi.inference.mu import RatedItems, central_values
from headcount.agreement.phi.inference.posterior import Posterior
from headcount.agreement.phi.result import PhiResult
from headcount.agreement.phi.scale import PhiScale, label_values
from headcount.data.labels import Labels
from headcount.data.vocabulary import as_ids, match_ids
from headcount.errors import DataError, OptionError, percent, some
from headcount.results.drawing import COLOURS, bare, new_figure, plain
from headcount.typing import Floats

if TYPE_CHECKING:
    from matplotlib.figure import Figure

__all__ = ["plot_items"]


BARS, FIT, CENTRE = "#BBBBBB", COLOURS[0], COLOURS[1]
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
    options.whole(columns, "columns", least=1)
    options.whole(bins, "bins", least=1)
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

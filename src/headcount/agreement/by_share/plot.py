"""Coefficients against the share of the items used, drawn."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

from headcount.agreement.by_share.records import ShareRecord
from headcount.agreement.phi.records import NAME, TITLE
from headcount.errors import OptionError, percent
from headcount.results.drawing import COLOURS, MARKERS, STYLES, bare, new_figure

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = ["plot_share"]


def plot_share(curve: ShareRecord, ax: Axes | None = None) -> Axes:
    """Draw coefficients against the share of the items used, with bands.

    A band holds `level` of the random subsets; it is no confidence interval, and ends in a point
    where all items are used. Coefficients that have no value are left out, and the legend says so.

    Parameters
    ----------
    curve : ShareRecord
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
    for row, name in enumerate(names):
        title = curve.titles[name]
        if name not in drawn:
            axes.plot([], [], linestyle="", label=f"{title}: undefined")
            continue
        colour, estimates = COLOURS[row % len(COLOURS)], [p.coefficients[name] for p in points]
        low, high = [_end(e.low) for e in estimates], [_end(e.high) for e in estimates]
        axes.fill_between(x, low, high, color=colour, alpha=0.18, linewidth=0)
        axes.plot(
            x,
            [e.value for e in estimates],
            color=colour,
            linestyle=STYLES[row % len(STYLES)],
            marker=MARKERS[row % len(MARKERS)],
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
    level = percent(curve.provenance.level or 0)
    text = f"means of {curve.repeats:,} random subsets; bands hold {level} of them"
    if NAME in drawn:
        fewer = curve.phi_repeats < curve.repeats
        of = f"of {curve.phi_repeats:,}; " if fewer else ""
        text += f"\n({TITLE}: {of}the band is the mean of its {level} intervals)"
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

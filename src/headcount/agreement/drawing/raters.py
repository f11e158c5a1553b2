"""Raters, drawn: severity against consistency on a scale with an order, else their agreement."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from headcount.agreement.drawing.forest import ForestRow, draw_forest
from headcount.agreement.drawing.names import draw_names
from headcount.agreement.rater_pairs.bland_altman import LimitsOfAgreement
from headcount.agreement.records import Agreement, RaterAgreement
from headcount.errors import OptionError, option, percent
from headcount.results.drawing import COLOURS, bare, new_figure, plain

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = ["plot_raters", "plot_two_raters"]

MOST_NAMES = 30
"""Raters that are named, those furthest from the others; and that are listed on a nominal scale."""


def plot_raters(result: Agreement, ax: Axes | None = None) -> Axes:
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
    axes.axvline(0, color="#999999", linewidth=0.8, zorder=0)
    if min(consistency) < 0:
        axes.axhline(0, color="#999999", linewidth=0.8, zorder=0)
    axes.scatter(severity, consistency, s=_sizes(measured), color=COLOURS[1], alpha=0.75, zorder=3)
    far = 1.15 * max(*(abs(x) for x in severity), 1e-9)
    axes.set_xlim(-far, far)
    axes.set_ylim(min(-0.02, *(x - 0.08 for x in consistency)), 1.05)
    places = " (places)" if result.provenance.scale == "ordinal" else ""
    axes.set_xlabel(f"severity: rates lower ← 0 → higher than the others{places}", fontsize="small")
    axes.set_ylabel("consistency with the others\n(correlation)", fontsize="small")
    few = len(measured) > MOST_NAMES
    which = f"; named: up to {MOST_NAMES} that differ most" if few else ""
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


def _listed(result: Agreement, ax: Axes | None) -> Axes:
    rows = [
        ForestRow(title=str(one.rater), estimate=one.agreement, n=one.compared)
        for one in result.raters[:MOST_NAMES]
    ]
    lowest = f" (the {MOST_NAMES} lowest)" if len(result.raters) > MOST_NAMES else ""
    level = percent(result.provenance.level or 0)
    caption = (
        f"share of the other raters of an item who gave the same label{lowest}\n"
        f"bars: {level} intervals over items, for these raters; n: items"
    )
    return draw_forest(rows, level, caption, ax)


def _sizes(raters: list[RaterAgreement]) -> list[float]:
    most = max(one.ratings for one in raters)
    return [12 + 50 * one.ratings / most for one in raters]


def _furthest(raters: list[RaterAgreement]) -> list[RaterAgreement]:
    """Those who differ most, in severity and in consistency."""
    far = max(max(abs(one.severity or 0.0) for one in raters), 1e-9)

    def away(one: RaterAgreement) -> float:
        return abs(one.severity or 0.0) / far + 1 - (one.consistency or 0.0)

    return sorted(raters, key=away, reverse=True)[:MOST_NAMES]

"""Pairwise comparisons, drawn: ratings, who met whom, and the raters."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np

from headcount.errors import OptionError, count, option
from headcount.pairwise.drawing import RatingRow, draw_ratings, short
from headcount.pairwise.labelling.base import ABOVE, BELOW
from headcount.pairwise.records import PairsRecord
from headcount.pairwise.spammers.plot import draw_raters
from headcount.results.drawing import COLOURS, bare, new_figure

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

__all__ = ["plot_graph", "plot_raters", "plot_ratings"]

ROWS = 100
"""Rows of the picture of who met whom."""
NAMED = 25
"""Items up to which each has a name in it."""


def plot_ratings(result: PairsRecord, ax: Axes | None = None) -> Axes:
    """Draw items with their intervals, best first; those without a finite rating at the side."""
    rows = [RatingRow(i.item, i.rating, i.component, i.label or "") for i in result.items]
    scale, cut = result.rated.settings.scale, result.provenance.cut
    cut = cut if len(cut) <= 40 else "the cut"
    unit = f"{scale.unit}; {scale.meaning}" if scale.meaning else scale.unit
    kinds = {side: f"{side} {cut}" for side in (ABOVE, BELOW)}
    return draw_ratings(rows, ax, unit=unit, level=result.rated.settings.level, kinds=kinds)


def plot_graph(result: PairsRecord) -> Figure:
    """Draw who met whom, best first, and how many comparisons items were in.

    Up to 100 items each has a row; more are put together, neighbours in the ranking.
    """
    figure = new_figure(9.6, 4.6)
    left, right = figure.subplots(1, 2, width_ratios=(1.25, 1))
    _draw_met(result, figure, left)
    _draw_asked(result, right)
    return figure


def _draw_met(result: PairsRecord, figure: Any, axes: Any) -> None:
    compared, n = result.compared, len(result.items)
    index = {str(i.item): k for k, i in enumerate(result.items)}
    each = math.ceil(n / ROWS)
    row = np.array([index[str(item)] for item in compared.items]) // each
    size = math.ceil(n / each)
    met = np.zeros((size, size))
    for one, two in ((compared.left, compared.right), (compared.right, compared.left)):
        np.add.at(met, (row[one], row[two]), 1.0)
    # Comparisons a pair: rows may hold several items, the last one fewer.
    members = np.bincount(row, minlength=size).astype(np.float64)
    possible = np.outer(members, members) - np.diag(members)
    met = np.where(met > 0, met / np.maximum(possible, 1), np.nan)
    image = axes.imshow(met, cmap="viridis_r", interpolation="nearest", vmin=0)
    bar = figure.colorbar(image, ax=axes, shrink=0.85, label="comparisons a pair")
    bar.locator.set_params(integer=each == 1)
    bar.update_ticks()
    many = "" if each == 1 else f", {each} a row"
    axes.set_title(f"who met whom: items, best first{many}", fontsize="small")
    if n <= NAMED:
        names = [short(i.item, 14) for i in result.items]
        axes.set_xticks(range(n), names, rotation=90, fontsize=6)
        axes.set_yticks(range(n), names, fontsize=6)
        return
    ticks = [round(k * (size - 1) / 5) for k in range(6)]
    names = [f"{tick * each + 1}" for tick in ticks]
    axes.set_xticks(ticks, names)
    axes.set_yticks(ticks, names)


def _draw_asked(result: PairsRecord, axes: Any) -> None:
    n, asked = len(result.items), [i.comparisons for i in result.items]
    low, high = min(asked), max(asked)
    width = math.ceil((high - low + 1) / 30)
    bins = [low - 0.5 + width * k for k in range(math.ceil((high - low + 1) / width) + 1)]
    axes.hist(asked, bins=bins, color=COLOURS[1], rwidth=0.9)
    axes.set_xlim(max(min(low, high - 8), 0) - 0.7, max(bins[-1] + 0.2, low + 8.7))
    for axis in (axes.xaxis, axes.yaxis):
        axis.get_major_locator().set_params(integer=True)
    axes.set_xlabel("comparisons of an item")
    axes.set_ylabel("items")
    left, right = result.compared.left, result.compared.right
    pairs = len(np.unique(np.minimum(left, right) * n + np.maximum(left, right)))
    share = pairs / max(n * (n - 1) // 2, 1)
    said = f"{share:.0%} of all pairs compared; {count(result.fit['components'], 'group')}"
    axes.set_title(said, fontsize="small")
    bare(axes)


def plot_raters(result: PairsRecord, ax: Axes | None = None) -> Axes:
    """Draw raters by agreement with the others' ratings and by slope; spammers are crosses."""
    if result.raters is None:
        raise OptionError(f"this plot needs raters to be judged ({option('by_rater', True)}).")
    return draw_raters(result.raters, ax)

"""Pairwise comparisons, drawn: ratings, who met whom, and the raters."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np

from headcount.errors import OptionError, count, percent
from headcount.results.drawing import COLOURS, bare, new_figure, plain

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    from headcount.pairwise.result import PairsResult, RatedItem

__all__ = ["plot_graph", "plot_raters", "plot_ratings"]

MOST = 60
"""Items that are drawn: the first and the last half of them."""
ROWS = 100
"""Rows of the picture of who met whom."""
NAMED = 6
"""Spammers up to which each has a name in the plot."""
UNITS = {"logit": "logits", "elo": "points, 400 for odds of 10"}


def plot_ratings(result: PairsResult, ax: Axes | None = None) -> Axes:
    """Draw items with their intervals, best first; those without a finite rating at the side."""
    p = result.provenance
    shown, gap = _ends(list(result.items))
    axes: Any = new_figure(6.4, 1.2 + 0.18 * len(shown)).subplots() if ax is None else ax
    ends = [x for i in shown for x in (i.rating.value, i.rating.low, i.rating.high)]
    finite = [x for x in ends if x is not None and math.isfinite(x)] or [0.0]
    low, high = min(finite), max(finite)
    margin = 0.06 * (high - low) or 1.0
    colours = {"above": COLOURS[1], "below": COLOURS[0]}
    for place, i in enumerate(shown):
        colour = colours.get(i.label or "", "#777777")
        value = i.rating.value
        if math.isfinite(value):
            if i.rating.low is not None and i.rating.high is not None:
                axes.hlines(place, i.rating.low, i.rating.high, colors=colour, linewidth=2)
            axes.plot(value, place, "o", color=colour, markersize=4)
        elif not math.isnan(value):
            at, mark = (high + margin, ">") if value > 0 else (low - margin, "<")
            axes.plot(at, place, mark, color=colour, markersize=6, mfc="none")
        else:
            at = (low + high) / 2
            axes.text(at, place, i.rating.undefined, fontsize="x-small", ha="center", va="center")
    for side in ("above", "below"):
        if any(i.label == side for i in shown):
            axes.plot([], [], "o", color=colours[side], markersize=4, label=f"{side} {_cut(p.cut)}")
    if any(math.isinf(i.rating.value) for i in shown):
        axes.plot([], [], ">", color="#777777", mfc="none", label="no bound")
    if gap:
        axes.axhline(len(shown) / 2 - 0.5, color="#999999", linewidth=0.8, linestyle=":")
        axes.text(
            0.01, len(shown) / 2 - 0.5, f"{gap:,} more", transform=axes.get_yaxis_transform(),
            fontsize="x-small", va="center", color="#555555", backgroundcolor="white",
        )  # fmt: skip
    _rules(axes, shown)
    axes.set_yticks(range(len(shown)), [_short(i.item) for i in shown], fontsize="x-small")
    axes.set_ylim(len(shown) - 0.3, -0.7)
    sure = any(i.rating.low is not None for i in shown)
    bars = f"; bars: {percent(p.level)} intervals" if sure else ""
    axes.set_xlabel(f"rating ({UNITS[p.scale]}){bars}")
    axes.grid(axis="x", color="#dddddd", linewidth=0.6)
    axes.set_axisbelow(True)
    bare(axes)
    _legend(axes)
    return axes


def plot_graph(result: PairsResult) -> Figure:
    """Draw who met whom, best first, and how many comparisons items were in.

    Up to 100 items each has a row; more are put together, neighbours in the ranking.
    """
    figure = new_figure(9.6, 4.6)
    left, right = figure.subplots(1, 2, width_ratios=(1.25, 1))
    _draw_met(result, figure, left)
    _draw_asked(result, right)
    return figure


def _draw_met(result: PairsResult, figure: Any, axes: Any) -> None:
    compared, n = result.compared, len(result.items)
    place = {str(i.item): k for k, i in enumerate(result.items)}
    each = math.ceil(n / ROWS)
    row = np.array([place[str(item)] for item in compared.items]) // each
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
    if n <= 25:
        names = [_short(i.item, 14) for i in result.items]
        axes.set_xticks(range(n), names, rotation=90, fontsize=6)
        axes.set_yticks(range(n), names, fontsize=6)
        return
    ticks = [round(k * (size - 1) / 5) for k in range(6)]
    names = [f"{tick * each + 1}" for tick in ticks]
    axes.set_xticks(ticks, names)
    axes.set_yticks(ticks, names)


def _draw_asked(result: PairsResult, axes: Any) -> None:
    n, asked = len(result.items), [i.comparisons for i in result.items]
    low, high = min(asked), max(asked)
    width = math.ceil((high - low + 1) / 30)
    bins = [low - 0.5 + width * k for k in range(math.ceil((high - low + 1) / width) + 1)]
    axes.hist(asked, bins=bins, color=COLOURS[1], rwidth=0.9)
    axes.set_xlim(max(min(low, high - 8), 0) - 0.7, max(bins[-1] + 0.2, low + 8.7))
    for axis in (axes.xaxis, axes.yaxis):
        axis.get_major_locator().set_params(integer=True)
    axes.set_xlabel("comparisons an item was in")
    axes.set_ylabel("items")
    left, right = result.compared.left, result.compared.right
    pairs = len(np.unique(np.minimum(left, right) * n + np.maximum(left, right)))
    share = pairs / max(n * (n - 1) // 2, 1)
    said = f"{share:.0%} of all pairs compared; {count(result.fit['components'], 'group')}"
    axes.set_title(said, fontsize="small")
    bare(axes)


def plot_raters(result: PairsResult, ax: Axes | None = None) -> Axes:
    """Draw raters by agreement with the others' ratings and by slope; spammers are crosses."""
    if result.raters is None:
        raise OptionError("this plot needs raters to be judged (by_rater=True, --by-rater).")
    axes: Any = new_figure(6.4, 4.4).subplots() if ax is None else ax
    known = [r for r in result.raters if not math.isnan(r.agreement)]
    kinds = (
        ("fine", "o", COLOURS[1]),
        ("weak", "s", COLOURS[4]),
        ("cannot tell", "D", "#777777"),
        ("spammer", "X", COLOURS[0]),
    )
    for verdict, mark, colour in kinds:
        these = [r for r in known if r.verdict == verdict]
        if not these:
            continue
        x, y = [r.agreement for r in these], [r.slope.value for r in these]
        area = [12 + 4 * math.sqrt(r.comparisons) for r in these]
        axes.scatter(
            x, y, s=area, marker=mark, color=colour, alpha=0.75, linewidths=0,
            label=f"{verdict}: {len(these):,}",
        )  # fmt: skip
    axes.axhline(0, color="#999999", linewidth=0.8, zorder=0)
    axes.axhline(1, color="#999999", linewidth=0.8, zorder=0, linestyle=":")
    axes.axvline(0.5, color="#999999", linewidth=0.8, zorder=0)
    spammers = [r for r in known if r.spammer]
    for r in spammers if len(spammers) <= NAMED else ():
        axes.annotate(
            _short(r.rater, 14), (r.agreement, r.slope.value), fontsize="x-small",
            xytext=(4, 4), textcoords="offset points",
        )  # fmt: skip
    axes.set_xlabel("agreement with the ratings by others (share of answers but ties)")
    axes.set_ylabel("slope (0: random; 1: usual)")
    bare(axes)
    _legend(axes)
    return axes


def _ends(items: list[RatedItem]) -> tuple[list[RatedItem], int]:
    """Take the first and the last items, and say how many are between."""
    if len(items) <= MOST:
        return items, 0
    half = MOST // 2
    return [*items[:half], *items[-half:]], len(items) - MOST


def _rules(axes: Any, shown: list[RatedItem]) -> None:
    """Draw lines between groups of items that do not compare."""
    for place in range(1, len(shown)):
        if shown[place].component != shown[place - 1].component:
            axes.axhline(place - 0.5, color="#333333", linewidth=0.8)


def _short(name: object, most: int = 24) -> str:
    text = str(name)
    if len(text) > most:
        text = f"{text[: most // 2]}…{text[-(most // 2 - 1) :]}"
    return plain(text)


def _legend(axes: Any) -> None:
    """Write the legend, if any, above the axes, where its marks cannot be taken for data."""
    if axes.get_legend_handles_labels()[0]:
        axes.legend(
            frameon=False, fontsize="small", loc="lower left", bbox_to_anchor=(0, 1), ncols=4,
            columnspacing=1.2, handletextpad=0.3,
        )  # fmt: skip


def _cut(words: str) -> str:
    return words if len(words) <= 40 else "the cut"

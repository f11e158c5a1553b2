"""Ratings drawn as rows, best first, with their intervals: for all that rates items."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, TypeVar

from headcount.errors import percent
from headcount.results.drawing import (
    COLOURS,
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

__all__ = ["GREY", "RatingRow", "draw_ratings", "ends", "legend", "short"]

MOST = 60
"""Items that are drawn: the first and the last half of them."""
GREY = "#777777"

Row = TypeVar("Row")


@dataclass(frozen=True)
class RatingRow:
    """An item to draw: its rating, the group it compares with, and what its colour says."""

    item: object
    rating: Estimate
    group: int = 0
    kind: str = ""


def ends(rows: Sequence[Row], most: int) -> tuple[list[Row], int]:
    """Take the first and the last rows, and say how many are between.

    Examples
    --------
    >>> ends([1, 2, 3, 4, 5], 4)
    ([1, 2, 4, 5], 1)
    """
    if len(rows) <= most:
        return list(rows), 0
    half = most // 2
    return [*rows[:half], *rows[-half:]], len(rows) - 2 * half


def draw_ratings(
    rows: Sequence[RatingRow],
    ax: Axes | None = None,
    *,
    unit: str,
    level: float | None = None,
    kinds: Mapping[str, str] | None = None,
) -> Axes:
    """Draw items with their intervals, best first; those without a finite rating at the side.

    Parameters
    ----------
    rows : sequence of RatingRow
        Best first, group by group.
    ax : matplotlib Axes, optional
    unit : str
        Of the ratings.
    level : float, optional
        Coverage of the intervals.
    kinds : mapping of str to str, optional
        Kinds that have a colour of their own, with what the legend says of them.
    """
    shown, between = ends(rows, MOST)
    axes: Any = new_figure(6.4, 1.2 + 0.18 * len(shown)).subplots() if ax is None else ax
    colours = dict(zip(kinds or {}, (COLOURS[1], COLOURS[0], *COLOURS[2:]), strict=False))
    numbers = [x for row in shown for x in (row.rating.value, row.rating.low, row.rating.high)]
    finite = [x for x in numbers if x is not None and math.isfinite(x)] or [0.0]
    low, high = min(finite), max(finite)
    margin = 0.06 * (high - low) or 1.0
    default = COLOURS[1] if kinds is None else GREY
    for index, row in enumerate(shown):
        colour, rating = colours.get(row.kind, default), row.rating
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
    for kind, said in (kinds or {}).items():
        if any(row.kind == kind for row in shown):
            axes.plot([], [], "o", color=colours[kind], markersize=4, label=said)
    if any(math.isinf(row.rating.value) for row in shown):
        axes.plot([], [], ">", color=GREY, mfc="none", label="no bound")
    _lines(axes, shown, between)
    rows_of(axes, [short(row.item) for row in shown], fontsize="x-small")
    sure = level is not None and any(row.rating.low is not None for row in shown)
    axes.set_xlabel(
        f"rating ({unit})" + (f"; bars: {percent(level or 0)} intervals" if sure else "")
    )
    if sure:
        digits = ".0f" if max(map(abs, finite)) >= 100 else ".2f"
        numbers = [_numbers(row.rating, digits) for row in shown]
        heads = ("rating", f"{percent(level or 0)} interval")
        columns_beside(axes, heads, numbers, widths=(38, 94), fontsize="x-small")
    legend(axes)
    return axes


def _numbers(rating: Estimate, digits: str) -> tuple[str, str]:
    if math.isfinite(rating.value):
        return written(rating, digits)
    return "" if math.isnan(rating.value) else "no bound", ""


def _lines(axes: Any, shown: Sequence[RatingRow], between: int) -> None:
    """Draw a line where rows are left out, and between groups of items that do not compare."""
    if between:
        axes.axhline(len(shown) / 2 - 0.5, color="#999999", linewidth=0.8, linestyle=":")
        axes.text(
            0.01, len(shown) / 2 - 0.5, f"{between:,} more", transform=axes.get_yaxis_transform(),
            fontsize="x-small", va="center", color="#555555", backgroundcolor="white",
        )  # fmt: skip
    for index in range(1, len(shown)):
        if shown[index].group != shown[index - 1].group:
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

"""Estimates one below the other, with their values in columns beside them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from headcount.results.drawing import COLOURS, bare, new_figure, plain
from headcount.stats.estimate import Estimate

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = ["ForestRow", "draw_forest"]

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
            _bar(axes, at + 0.22, row.thin, row.colour, THIN)
        _bar(axes, at, row.estimate, row.colour, THIN if row.secondary else THICK)
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
    _columns(axes, rows, level)
    axes.set_xlabel(caption, fontsize="small")
    bare(axes)
    axes.spines["left"].set_visible(False)
    return axes


def _bar(axes: Any, at: float, e: Estimate, colour: str, width: float) -> None:
    """Draw an interval."""
    if e.low is not None and e.high is not None and e.undefined is None:
        axes.hlines(at, e.low, e.high, colors=colour, linewidth=width, zorder=3)


def _columns(axes: Any, rows: Sequence[ForestRow], level: str) -> None:
    """Write the numbers, aligned to the right so that their points stand below each other."""
    counted = any(row.n is not None for row in rows)
    heads = ["value", f"{level} interval", *(["n"] if counted else [])]
    # In points from the right edge of the axes, so that columns do not move with its width.
    right = (34, 118, 156)[: len(heads)]
    for column, (head, x) in enumerate(zip(heads, right, strict=True)):
        _write(axes, -0.75, x, head, weight="bold")
        for at, row in enumerate(rows):
            _write(axes, at, x, _cells(row)[column])


def _cells(row: ForestRow) -> tuple[str, str, str]:
    e = row.estimate
    if e.undefined is not None:
        return "none", "", "" if row.n is None else f"{row.n:,}"
    value, interval = (text.replace("-", "−") for text in (e.show(e.value, 2), e.interval(2)))
    return value, interval, "" if row.n is None else f"{row.n:,}"


def _write(axes: Any, at: float, x: float, text: str, weight: str = "normal") -> None:
    axes.annotate(
        text,
        (1.0, at),
        (x, 0),
        xycoords=("axes fraction", "data"),
        textcoords="offset points",
        ha="right",
        va="center",
        fontsize="small",
        fontweight=weight,
        annotation_clip=False,
    )


def _ends(e: Estimate) -> list[float]:
    if e.undefined is not None:
        return []
    return [end for end in (e.value, e.low, e.high) if end is not None]

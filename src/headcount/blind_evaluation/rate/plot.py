"""The corrected rate, drawn."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from headcount.blind_evaluation.rate.records import RateRecord
from headcount.errors import percent
from headcount.results.drawing import COLOURS, bare, new_figure, plain

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = ["plot_rate"]


def plot_rate(result: RateRecord, ax: Axes | None = None) -> Axes:
    """Draw what each judge says and what people would say, with intervals."""
    rows: list[tuple[str, float, Any]] = [
        (plain(one.name or ""), one.naive, one.corrected) for one in result.judges
    ]
    rows.append(("all judges" if len(rows) > 1 else "judge", result.naive, result.rate))
    axes: Any = new_figure(6.4, 1.4 + 0.3 * len(rows)).subplots() if ax is None else ax
    for at, (_, naive, found) in enumerate(rows):
        first = at == 0
        axes.plot(
            naive, at, "D", color=COLOURS[0], mfc="none", label="as judges say" if first else None
        )
        axes.hlines(at, found.low, found.high, colors=COLOURS[1], linewidth=2)
        axes.plot(
            found.value, at, "o", color=COLOURS[1], label="as people would say" if first else None
        )
    axes.set_yticks(range(len(rows)), [name for name, *_ in rows], fontsize="small")
    axes.set_ylim(len(rows) - 0.4, -0.6)
    p = result.provenance
    what = "mean grade" if p.positive is None else f"share of items that are '{plain(p.positive)}'"
    level = "" if p.level is None else percent(p.level)
    axes.set_xlabel(f"{what}; bars: {level} intervals")
    axes.grid(axis="x", color="#dddddd", linewidth=0.6)
    axes.set_axisbelow(True)
    bare(axes)
    axes.legend(frameon=False, fontsize="small", loc="lower left", bbox_to_anchor=(0, 1), ncols=2)
    return axes

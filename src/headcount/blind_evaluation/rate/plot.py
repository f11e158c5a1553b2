"""The corrected rate, drawn."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from headcount.blind_evaluation.rate.records import RateRecord
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

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = ["plot_rate"]


def plot_rate(result: RateRecord, ax: Axes | None = None) -> Axes:
    """Draw what each judge says and what people would say, with intervals."""
    rows: list[tuple[str, float, Any]] = [
        (plain(one.name or ""), one.naive, one.corrected) for one in result.judges
    ]
    rows.append(("all judges" if len(rows) > 1 else "judge", result.naive, result.rate))
    axes: Any = new_figure(6.8, 1.4 + 0.3 * len(rows)).subplots() if ax is None else ax
    for at, (_, naive, found) in enumerate(rows):
        first = at == 0
        axes.plot(
            naive, at, "D", color=COLOURS[0], mfc="none", label="as judges say" if first else None
        )
        draw_interval(axes, at, found, COLOURS[1])
        axes.plot(
            found.value, at, "o", color=COLOURS[1], label="as people would say" if first else None
        )
    rows_of(axes, [name for name, *_ in rows])
    p = result.provenance
    what = "mean grade" if p.positive is None else f"share of items that are '{plain(p.positive)}'"
    level = "" if p.level is None else percent(p.level)
    axes.set_xlabel(f"{what}; bars: {level} intervals")
    form = ".2f" if p.positive is None else ".1%"
    heads = ("people", f"{level} interval", "judges")
    columns_beside(
        axes, heads, [(*written(e, form), f"{naive:{form}}") for _, naive, e in rows],
        widths=(42, 92, 44),
    )  # fmt: skip
    legend_above(axes)
    return axes

"""What panels are worth, drawn by their size."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

from headcount.equivalence.panels.records import PanelRecord
from headcount.errors import count, percent
from headcount.results.drawing import (
    COLOURS,
    bare,
    draw_interval,
    legend_above,
    new_figure,
    plain,
)
from headcount.stats.estimate import Estimate

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = ["plot_panels"]

LONGEST = 14
"""Letters of a member's name that stand below an axis."""


def plot_panels(result: PanelRecord, ax: Axes | None = None) -> Axes:
    """Draw the worth of every panel by its size, and of the best of each with its interval."""
    axes: Any = new_figure(6.4, 4.2).subplots() if ax is None else ax
    every = [(len(one.members), _number(one.worth)) for one in result.panels]
    every = [(size, worth) for size, worth in every if worth is not None]
    axes.plot(
        [size for size, _ in every],
        [worth for _, worth in every],
        "_",
        color="#999999",
        markersize=9,
        label="a panel",
    )
    drawn = [(len(one.members), one.worth, one.members) for one in result.best]
    if len(result.members) > len(result.best):
        drawn.append((len(result.members), result.everyone, ("all",)))
    told = [(size, worth) for size, worth, _ in drawn if _number(worth) is not None]
    for n, (size, worth) in enumerate(told):
        draw_interval(axes, size, worth, COLOURS[1], upright=True)
        text = "best of its size, chosen on other items" if n == 0 else None
        mark = "o" if worth.censored is None else "^" if worth.censored == "above" else "v"
        look = {"color": COLOURS[1], "markersize": 5, "zorder": 4}
        axes.plot(size, _number(worth), mark, label=text, clip_on=False, **look)
        axes.annotate(
            worth.show(worth.value, 1), (size, _number(worth)), (6, 0), fontsize="x-small",
            textcoords="offset points", va="center",
        )  # fmt: skip
    most = float(result.provenance.max_k)
    largest = f"largest survey ({count(int(most), 'rater')}); above it worth is extrapolated"
    axes.axhline(most, color="#bbbbbb", linestyle="--", linewidth=1, zorder=0, label=largest)
    ticks = ["\n".join([str(size), *map(_short, names)]) for size, _, names in drawn]
    axes.set_xticks([size for size, _, _ in drawn], ticks, fontsize="x-small")
    axes.set_xlim(0.5, drawn[-1][0] + 0.5)
    axes.set_xlabel("classifiers in the panel")
    level = percent(result.provenance.level)
    bars = f"; bars: {level} intervals" if result.provenance.bootstrap else ""
    axes.set_ylabel(f"worth in raters{bars}")
    bare(axes)
    legend_above(axes, columns=1)
    return axes


def _short(name: str) -> str:
    return plain(name if len(name) <= LONGEST else f"{name[: LONGEST - 1]}…")


def _number(worth: Estimate) -> float | None:
    """Where a worth is drawn: at the end of what surveys can tell if it is beyond."""
    return None if worth.undefined is not None else _end(worth, worth.value)


def _end(worth: Estimate, x: float | None) -> float | None:
    if x is None or math.isnan(x):
        return None
    low, high = worth.bounds or (x, x)
    return min(max(x, low), high)

"""Items placed and populations joined, drawn."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from headcount.pairwise.anchoring.records import JoinedRecord, PlacementRecord
from headcount.results.drawing import COLOURS, MARKERS, bare, new_figure, plain

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = ["plot_joined", "plot_placement"]

NAMED = 40
"""Items whose names are written, at most."""


def plot_placement(found: PlacementRecord, ax: Axes | None = None) -> Axes:
    """Draw the rating of each item with its interval, best first."""
    axes: Any = new_figure().subplots() if ax is None else ax
    for row, each in enumerate(found.items):
        axes.plot([each.rating.low, each.rating.high], [row, row], color=COLOURS[1], linewidth=1.2)
    axes.plot(
        [each.rating.value for each in found.items], range(len(found.items)), "o",
        color=COLOURS[1], markersize=4,
    )  # fmt: skip
    axes.invert_yaxis()
    if len(found.items) <= NAMED:
        axes.set_yticks(range(len(found.items)), [plain(str(each.item)) for each in found.items])
    axes.set_xlabel("rating in logits, on the scale of the reference")
    bare(axes)
    return axes


def plot_joined(found: JoinedRecord, ax: Axes | None = None) -> Axes:
    """Draw the finite ratings of both populations on one scale, with their means."""
    axes: Any = new_figure(6.4, 2.6).subplots() if ax is None else ax
    for row, rating in enumerate((found.rating_a, found.rating_b)):
        finite = rating[np.isfinite(rating)]
        axes.plot(
            finite, np.full(len(finite), row), MARKERS[row], color=COLOURS[row], markersize=4,
            alpha=0.6,
        )  # fmt: skip
        if len(finite):
            axes.plot(finite.mean(), row, "|", color="black", markersize=22)
    axes.set_yticks([0, 1], ["first", "second"])
    axes.set_ylim(1.6, -0.6)
    axes.set_xlabel("rating in logits; bars: means")
    bare(axes)
    return axes

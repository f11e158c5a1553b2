"""Items among anchors, drawn."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from headcount.errors import percent
from headcount.pairwise.anchoring.search.records import AnchoringRecord
from headcount.results.drawing import COLOURS, bare, new_figure

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = ["plot_anchoring"]


def plot_anchoring(found: AnchoringRecord, ax: Axes | None = None) -> Axes:
    """Draw the rating of each item with its interval, and the anchors below."""
    axes: Any = new_figure().subplots() if ax is None else ax
    shown = found.items[:30]
    for row, each in enumerate(shown):
        ends = [each.rating.low, each.rating.high]
        axes.plot(ends, [row, row], color=COLOURS[0], linewidth=1.5)
        axes.plot([each.rating.value], [row], "o", color=COLOURS[0], markersize=4)
    anchors = np.array(found.state.rating)
    axes.plot(anchors, np.full(len(anchors), len(shown)), "|", color="black", markersize=12)
    if found.average is not None:
        axes.axvline(found.average.value, color=COLOURS[1], linewidth=1)
    axes.set_yticks(range(len(shown) + 1), [*(each.item for each in shown), "anchors"])
    axes.invert_yaxis()
    line = "; line: the average of the first set" * (found.average is not None)
    axes.set_xlabel(
        f"rating in logits; bars: {percent(found.provenance.level or 0)} intervals{line}"
    )
    bare(axes)
    return axes

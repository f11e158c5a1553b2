"""How often labels are given, drawn."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from headcount.io.look.records import Seen
from headcount.results.drawing import COLOURS, bare, cut, legend_above, new_figure, plain

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = ["draw"]

MOST_LABELS, MOST_BARS = 20, 6


def draw(seen: Sequence[Seen], ax: Axes | None = None) -> Axes:
    """Draw a bar a label, for raters and for each classifier; what is not read has none."""
    axes: Any = new_figure().subplots() if ax is None else ax
    given = [(of, shares) for one in seen for of, shares in one.balance.items()][:MOST_BARS]
    labels = list(dict.fromkeys(share.label for _, shares in given for share in shares))
    labels = labels[:MOST_LABELS]
    width = 0.8 / max(len(given), 1)
    for place, (of, shares) in enumerate(given):
        by = {share.label: share.share for share in shares}
        at = [x + (place - (len(given) - 1) / 2) * width for x in range(len(labels))]
        heights = [by.get(label, 0.0) for label in labels]
        colour = COLOURS[place % len(COLOURS)]
        axes.bar(at, heights, width, color=colour, label=plain(of))
    axes.set_xticks(range(len(labels)), [cut(plain(label)) for label in labels])
    axes.set_ylabel("share of labels")
    axes.grid(axis="y", color="#dddddd", linewidth=0.6)
    axes.set_axisbelow(True)
    legend_above(axes, 4)
    bare(axes)
    return axes

"""Items to have labelled, drawn by how sure the model is of them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from headcount.blind_evaluation.selection.records import ItemsRecord
from headcount.results.drawing import COLOURS, bare, legend_above, new_figure

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = ["plot_items"]


def plot_items(result: ItemsRecord, ax: Axes | None = None) -> Axes:
    """Draw the share of all items, and of those to label, by how sure the model is of them."""
    axes: Any = new_figure(6.4, 3.4).subplots() if ax is None else ax
    places = range(len(result.bands))
    drawn = (
        ("all items", [band.items for band in result.bands], -0.2, COLOURS[0]),
        ("to label", [band.chosen for band in result.bands], 0.2, COLOURS[1]),
    )
    for name, number, shift, colour in drawn:
        share = [n / max(sum(number), 1) for n in number]
        axes.bar([x + shift for x in places], share, width=0.38, color=colour, label=name)
    names = [f"{band.low:.2f}–{band.high:.2f}" for band in result.bands]
    axes.set_xticks(places, names, fontsize="small")
    axes.set_xlabel("how sure classifiers are: mean of consensus and votes")
    axes.set_ylabel("share of items")
    bare(axes)
    legend_above(axes)
    return axes

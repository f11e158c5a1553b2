"""Raters by how often they are right, drawn."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from headcount.blind_evaluation.dawid_skene.records import DawidSkeneRecord
from headcount.results.drawing import COLOURS, MARKERS, bare, new_figure, plain

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = ["plot_raters"]

MOST = 60
"""Raters that are drawn, best first."""


def plot_raters(result: DawidSkeneRecord, ax: Axes | None = None) -> Axes:
    """Draw how often each rater is right, best first; in all, and by true label if they are few."""
    accuracy = result.accuracy
    shown = sorted(result.raters, key=lambda name: -accuracy[name])[:MOST]
    axes: Any = new_figure(6.4, 1.4 + 0.22 * len(shown)).subplots() if ax is None else ax
    height = range(len(shown))
    if len(result.labels) <= len(COLOURS):
        right = np.array([np.diag(result.confusion[name]) for name in shown])
        for code, label in enumerate(result.labels):
            axes.plot(
                right[:, code],
                height,
                MARKERS[code],
                color=COLOURS[code],
                mfc="none",
                markersize=4,
                label=f"where '{plain(label)}' is true",
            )
    axes.plot([accuracy[name] for name in shown], height, "|", color="black", label="in all")
    axes.set_yticks(height, [plain(name) for name in shown], fontsize="x-small")
    axes.set_ylim(len(shown) - 0.4, -0.6)
    axes.set_xlabel("probability of the true label, if raters err independently")
    axes.grid(axis="x", color="#dddddd", linewidth=0.6)
    axes.set_axisbelow(True)
    bare(axes)
    axes.legend(frameon=False, fontsize="small", loc="lower left", bbox_to_anchor=(0, 1), ncols=3)
    return axes

"""Names beside points, none on top of another."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from headcount.results.drawing import plain
from headcount.typing import Floats

__all__ = ["draw_names"]

NEAR, STEP, STEPS = 4.0, 9.0, 7
"""Distance of a name from its point, in typographic points, and how often it may be put further."""
SIDES = ((1, 1), (1, -1), (-1, 1), (-1, -1))
"""Right and above first."""
LINE = 10.0
"""Distance from which on a line leads to the point."""


def draw_names(axes: Any, names: Sequence[str], x: Sequence[float], y: Sequence[float]) -> None:
    """Write names beside points, the first first: where there is room, else not at all.

    A name goes to the nearest place at which it covers neither another name nor a point, within the
    axes; a thin line leads to its point where that is further away. Limits of the axes must be set.
    O(names x (names + points)).
    """
    figure = axes.figure
    figure.draw_without_rendering()
    scale = figure.dpi / 72
    points: Floats = axes.transData.transform(np.column_stack([x, y]))
    frame = axes.get_window_extent()
    inside = np.array([frame.x0, frame.y0, frame.x1, frame.y1])
    dots = np.hstack([points - 2 * scale, points + 2 * scale])
    taken = np.empty((0, 4))
    for name, at in zip(names, points, strict=False):
        text = axes.annotate(plain(name), at, xycoords="figure pixels", fontsize="small")
        extent = text.get_window_extent()
        text.remove()
        size = np.array([extent.width, extent.height])
        place = _free(at, size, scale, inside, np.vstack([dots, taken]))
        if place is None:
            continue
        corner, away = place
        taken = np.vstack([taken, np.concatenate([corner, corner + size])])
        line = {"arrowstyle": "-", "color": "#999999", "linewidth": 0.5, "shrinkB": 2}
        axes.annotate(
            plain(name),
            axes.transData.inverted().transform(at),
            tuple((corner - at) / scale),
            textcoords="offset points",
            fontsize="small",
            arrowprops=line if away > LINE else None,
            zorder=4,
        )


def _free(
    at: Floats, size: Floats, scale: float, inside: Floats, taken: Floats
) -> tuple[Floats, float] | None:
    """Find the lower left corner of the nearest free place, and how far away that is."""
    for step in range(STEPS):
        away = NEAR + step * STEP
        for right, up in SIDES:
            side = np.array([right, up])
            corner = at + side * away * scale - size * (side < 0)
            end = corner + size
            if (corner < inside[:2]).any() or (end > inside[2:]).any():
                continue
            clear = (taken[:, :2] >= end).any(axis=1) | (taken[:, 2:] <= corner).any(axis=1)
            if clear.all():
                return corner, away
    return None

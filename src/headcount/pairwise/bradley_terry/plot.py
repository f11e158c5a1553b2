"""A Bradley-Terry fit, drawn."""

from __future__ import annotations

from typing import TYPE_CHECKING

from headcount.pairwise.bradley_terry.records import BradleyTerryRecord
from headcount.pairwise.drawing import RatingRow, draw_ratings

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = ["plot_fit"]


def plot_fit(fit: BradleyTerryRecord, ax: Axes | None = None) -> Axes:
    """Draw items with their intervals, best first."""
    component = fit.component if fit.prior is None else 0 * fit.component
    rows = [RatingRow(fit.items[i], fit.estimate(i), int(component[i])) for i in fit.best_first]
    return draw_ratings(rows, ax, unit="logits", level=fit.level)

"""Elo ratings, drawn."""

from __future__ import annotations

from typing import TYPE_CHECKING

from headcount.pairwise.drawing import RatingRow, draw_ratings
from headcount.pairwise.elo.records import EloRecord
from headcount.stats.estimate import Estimate

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = ["plot_elo"]


def plot_elo(fit: EloRecord, ax: Axes | None = None) -> Axes:
    """Draw the ratings, best first."""
    rows = [RatingRow(fit.items[i], Estimate(float(fit.ratings[i]))) for i in fit.best_first]
    p = fit.provenance
    unit = f"{p.denominator:g} for odds of {p.base:.3g}"
    return draw_ratings(rows, ax, unit=unit)

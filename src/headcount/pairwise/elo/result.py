"""What :meth:`headcount.Elo.fit` returns."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from headcount.data.comparisons import Comparisons
from headcount.pairwise.elo.online import OnlineElo
from headcount.pairwise.elo.passes import Passes
from headcount.pairwise.elo.plot import plot_elo
from headcount.pairwise.elo.records import EloProvenance, EloRecord
from headcount.pairwise.elo.text import elo_page
from headcount.pairwise.ids import plain_id
from headcount.results.text import Page

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = ["EloFit", "fitted"]


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class EloFit(EloRecord):
    """What :meth:`headcount.Elo.fit` did, and the ratings after it.

    Parameters
    ----------
    items : tuple
        All items with a rating, earlier ones included.
    ratings : (items,) array of float
    n_comparisons : int
    order : {"given", "shuffled"}
    n_epochs : int
        Passes over the comparisons.
    converged : bool or None
        Whether ratings are stable; None if no tolerance was given.
    misfit : float or None
        Largest difference between an item's mean score and what the ratings lead to expect, in
        points a comparison; None if no tolerance was given.
    """

    def page(self) -> Page:
        """Write the ratings, best first, and the passes that made them."""
        return elo_page(self)

    def columns(self) -> dict[str, list[Any]]:
        """Return one row an item, best first."""
        best = self.best_first
        return {"item": [self.items[i] for i in best], "rating": self.ratings[best].tolist()}

    def document(self) -> dict[str, Any]:
        """Return the ratings, best first, and the passes that made them."""
        return {
            "ratings": [
                {"item": plain_id(self.items[i]), "rating": float(self.ratings[i])}
                for i in self.best_first
            ],
            "k": self.provenance.k,
            "base": self.provenance.base,
            "denominator": self.provenance.denominator,
            "n_comparisons": self.n_comparisons,
            "order": self.order,
            "epochs": self.n_epochs,
            "converged": self.converged,
            "misfit": self.misfit,
        }

    def plot(self, ax: Axes | None = None) -> Axes:
        """Draw the ratings, best first (needs matplotlib)."""
        return plot_elo(self, ax)


def fitted(elo: OnlineElo, given: Comparisons, passes: Passes) -> EloFit:
    """Say what passes over comparisons did, and the ratings after them."""
    ratings, schedule, used = elo.ratings(), passes.schedule, int(passes.seen.sum())
    return EloFit(
        items=tuple(ratings),
        ratings=np.array(list(ratings.values())),
        n_comparisons=len(given),
        order=schedule.order,
        n_epochs=passes.n_epochs,
        converged=passes.converged,
        misfit=passes.misfit,
        notes=tuple(passes.notes(given.notes)),
        provenance=EloProvenance(
            source=given.source,
            sources=given.sources,
            dropped=given.dropped,
            items_used=used,
            items_dropped=len(passes.seen) - used,
            n_ratings=len(given),
            n_raters=None if given.raters is None else len(given.raters),
            seed=schedule.seed,
            backend=given.backend,
            k=schedule.k,
            base=elo.base,
            denominator=elo.denominator,
        ),
    )

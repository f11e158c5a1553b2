"""Passes of Elo over comparisons: once, in random order, or until ratings are stable."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

from headcount.data.comparisons import Comparisons
from headcount.errors import count, option
from headcount.pairwise.answers.row_order import sort_rows
from headcount.pairwise.elo.orders import GIVEN
from headcount.pairwise.elo.prepare import Schedule, too_large
from headcount.results.notes import Notes
from headcount.typing import Codes, Floats

__all__ = ["Passes"]

_AS_THEY_ARE = np.zeros(0, dtype=np.int64)
"""No order but that of the comparisons."""


class Passes:
    """Ratings that change with each pass.

    Parameters
    ----------
    comparisons : Comparisons
    rating : (items,) array
        Where ratings start; changed in place.
    slope : float
        Logits in a point.
    schedule : Schedule
        In which order, how often, and how far ratings move.

    Attributes
    ----------
    seen : (items,) array of bool
        Items that were compared.
    n_epochs : int
    converged : bool or None
        Whether ratings are stable; None if nobody looked.
    misfit : float or None
        Largest difference of an item's mean score from what ratings lead to expect.
    """

    def __init__(
        self, comparisons: Comparisons, rating: Floats, slope: float, schedule: Schedule
    ) -> None:
        if schedule.order != GIVEN:
            # What is drawn at random does not depend on the order of the rows.
            comparisons = sort_rows(comparisons)
        self.schedule = schedule
        self.rating = rating
        self.seen = np.zeros(len(rating), dtype=bool)
        self.n_epochs = 0
        self.converged: bool | None = None
        self.misfit: float | None = None
        self._slope = slope
        self._n = len(comparisons)
        # An empty array stands for weights that are all 1.
        weight = np.zeros(0) if comparisons.weight is None else comparisons.weight
        self._rows = (comparisons.left, comparisons.right, comparisons.outcome, weight)

    def run(self) -> None:
        """Go through comparisons as the schedule says."""
        asked = self.schedule
        if asked.tolerance is not None:
            self._until_stable(asked.tolerance)
            return
        for _ in range(asked.epochs):
            given = asked.order == GIVEN
            self._pass(asked.k, _AS_THEY_ARE if given else asked.rng.permutation(self._n))

    def _until_stable(self, tolerance: float) -> None:
        """Go through random orders forth and back, until items score what is expected of them.

        With a constant `k` ratings keep moving for ever, so it is halved after two passes that made
        them no better.
        """
        k, epochs, rng = self.schedule.k, self.schedule.epochs, self.schedule.rng
        order, spread = _AS_THEY_ARE, np.inf
        self.converged = False
        while self.n_epochs < epochs and not self.converged:
            back = self.n_epochs % 2 == 1
            order = np.ascontiguousarray(order[::-1]) if back else rng.permutation(self._n)
            self._pass(k, order)
            if back or self.n_epochs == epochs:
                mean = self._mean_excess()
                self.misfit, last, spread = float(np.abs(mean).max()), spread, float(mean @ mean)
                self.converged = self.misfit <= tolerance
                k = k / 2 if spread >= last else k

    def _pass(self, k: float, order: Codes) -> None:
        from headcount.pairwise.elo._kernel import elo_pass

        elo_pass(self.rating, self.seen, *self._rows, order, k, self._slope)
        self.n_epochs += 1
        if not np.isfinite(self.rating).all():
            raise too_large(k)

    def _mean_excess(self) -> Floats:
        """Points a comparison that each item took beyond what the ratings lead to expect."""
        from headcount.pairwise.elo._kernel import elo_excess

        excess, played = elo_excess(self.rating, *self._rows, self._slope)
        return excess / np.where(played > 0, played, 1)

    def notes(self, notes: Iterable[str]) -> Notes:
        """Say what speaks against the ratings, after what was said before."""
        out = Notes(notes)
        if self.converged is False:
            out.warning(
                f"Elo is not stable after {count(self.n_epochs, 'epoch')}: an item's mean score "
                f"is {self.misfit:.2g} off what the ratings expect. Allow more "
                f"({option('epochs', 10 * self.n_epochs)})."
            )
        return out

"""What a pass of Elo over many comparisons leaves."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from headcount.errors import count
from headcount.results.frames import to_frame

__all__ = ["EloFit"]


@dataclass(frozen=True, eq=False, repr=False)
class EloFit:
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
    backend : str or None
        The kind of frame that the comparisons came from, if they came from one.
    """

    items: tuple[Any, ...]
    ratings: NDArray[np.float64]
    n_comparisons: int
    order: str
    n_epochs: int
    converged: bool | None
    misfit: float | None
    backend: str | None = None

    def to_dict(self) -> dict[Any, float]:
        """Ratings by item."""
        return dict(zip(self.items, self.ratings.tolist(), strict=True))

    def to_frame(self, backend: str | None = None) -> Any:
        """Items and ratings, best first, as a data frame."""
        best = np.argsort(-self.ratings, kind="stable").tolist()
        columns = {"item": [self.items[i] for i in best], "rating": self.ratings[best].tolist()}
        return to_frame(columns, backend or self.backend)

    def __repr__(self) -> str:
        stable = {None: "", True: ", stable", False: ", not stable"}[self.converged]
        how = "random order" if self.order == "shuffled" else "the order given"
        return (
            f"EloFit: {count(len(self.items), 'item')}; "
            f"{count(self.n_comparisons, 'comparison')}, {count(self.n_epochs, 'epoch')} in "
            f"{how}{stable}"
        )

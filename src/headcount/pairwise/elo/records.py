"""What a pass of Elo over many comparisons leaves, as fields."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from headcount.results.base import Result
from headcount.results.provenance import Provenance
from headcount.typing import Floats

__all__ = ["EloProvenance", "EloRecord"]


@dataclass(frozen=True, kw_only=True)
class EloProvenance(Provenance):
    """How ratings came about.

    Parameters
    ----------
    k : float
        How far a rating moved at most, at the first pass.
    base, denominator : float
        Of the ratings: how many points make the odds `base` times larger.
    """

    k: float
    base: float
    denominator: float


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class EloRecord(Result):
    """Fields of :class:`headcount.EloFit`, which says what they are."""

    provenance: EloProvenance
    items: tuple[Any, ...]
    ratings: Floats
    n_comparisons: int
    order: str
    n_epochs: int
    converged: bool | None
    misfit: float | None

    @property
    def backend(self) -> str | None:
        """The kind of frame that the comparisons came from, if they came from one."""
        return self.provenance.backend

    @property
    def ratings_by_item(self) -> dict[Any, float]:
        """Ratings by item."""
        return dict(zip(self.items, self.ratings.tolist(), strict=True))

    @property
    def best_first(self) -> list[int]:
        """Positions of the items, best first."""
        return np.argsort(-self.ratings, kind="stable").tolist()

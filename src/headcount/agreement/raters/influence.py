"""What a coefficient would be without each rater, and how it hangs on each item and rating."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from headcount.typing import Codes, Floats

__all__ = ["Harsher", "Influence"]


@dataclass(frozen=True, eq=False, kw_only=True)
class Influence:
    """How a coefficient changes with items, raters and single ratings.

    Parameters
    ----------
    value : float
    items : (items,) array
        Change with each item, to first order: the sum of squares is the variance over items.
    ratings : (ratings,) array
        The same for each rating.
    without : (raters,) array
        The coefficient without each rater; NaN where that leaves nothing to compare.
    severity : float
        Disagreement that two raters have because one is harsher than the other on all items.
    harsher : callable
        The coefficient if two raters disagreed by so much more for that reason.
    item_times, rating_times : (items,) and (ratings,) arrays, or None
        How many items and ratings each stands for, where they were added up.
    """

    value: float
    items: Floats
    ratings: Floats
    without: Floats
    severity: float = 0.0
    harsher: Callable[[float], float] | None = None
    item_times: Codes | None = None
    rating_times: Codes | None = None

    @property
    def item_squares(self) -> float:
        """Sum over items of their squared change."""
        return _squares(self.items, self.item_times)

    @property
    def rating_squares(self) -> float:
        """Sum over ratings of their squared change."""
        return _squares(self.ratings, self.rating_times)


def _squares(change: Floats, times: Codes | None) -> float:
    return float((change**2).sum() if times is None else (change**2 * times).sum())


@dataclass(frozen=True)
class Harsher:
    """A coefficient 1 - observed / expected, if raters disagreed by so much more.

    `follows` says whether what is expected grows by as much.
    """

    observed: float
    expected: float
    follows: bool

    def __call__(self, more: float) -> float:
        """Give the coefficient."""
        return 1 - (self.observed + more) / (self.expected + more * self.follows)

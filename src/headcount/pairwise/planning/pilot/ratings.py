"""How few comparisons rate items.

A rating is a class here, and an entry of :data:`RATINGS`. To add one, derive from
:class:`Rating`; :func:`headcount.plan` also takes an object of a user's own class.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import Any, ClassVar

import numpy as np

from headcount import options
from headcount.data.comparisons import Comparisons
from headcount.typing import Codes, Floats

__all__ = ["RATINGS", "BradleyTerryRating", "Points", "Rating", "choose_rating"]

PRIOR_SD = 2.0
"""Of Bradley-Terry logits: items that won or lost all of a few comparisons stay finite."""


class Rating(ABC):
    """A way to rate items by comparisons.

    Attributes
    ----------
    name : str
        How it is asked for.
    words : str
        What items are rated by, in a sentence.
    """

    name: ClassVar[str]
    words: ClassVar[str]

    @abstractmethod
    def rate_steps(self, pilot: Comparisons, rows: Codes, steps: Codes) -> Floats:
        """Rate all items by the first comparisons of `rows`, for each number in `steps`.

        Parameters
        ----------
        pilot : Comparisons
        rows : (comparisons,) array of int
            Those to rate by, in order.
        steps : (steps,) array of int
            Rising.

        Returns
        -------
        (steps, items) array
        """

    def rate(self, pilot: Comparisons, rows: Codes) -> Floats:
        """Rate all items by some comparisons; (items,) array."""
        return self.rate_steps(pilot, rows, np.array([len(rows)]))[0]


class Points(Rating):
    """Points won beyond half of those at stake, which is what the paper's Elo comes down to."""

    name = "points"
    words = "points won"

    def rate_steps(self, pilot: Comparisons, rows: Codes, steps: Codes) -> Floats:
        """Rate all items by the first comparisons of `rows`, for each number in `steps`."""
        n = len(pilot.items)
        more = pilot.weights[rows] * (pilot.outcome[rows] - 0.5)
        step = np.searchsorted(steps, np.arange(len(rows)), side="right")
        cells = np.bincount(step * n + pilot.left[rows], more, (len(steps) + 1) * n)
        cells -= np.bincount(step * n + pilot.right[rows], more, (len(steps) + 1) * n)
        return np.cumsum(cells.reshape(-1, n), axis=0, dtype=np.float64)[: len(steps)]


class BradleyTerryRating(Rating):
    """Most probable logits of the Bradley-Terry model, under a wide prior."""

    name = "bradley-terry"
    words = "Bradley-Terry"

    def rate_steps(self, pilot: Comparisons, rows: Codes, steps: Codes) -> Floats:
        """Rate all items by the first comparisons of `rows`, for each number in `steps`."""
        from headcount.pairwise.planning._kernel import rate_steps

        return rate_steps(
            np.zeros(len(pilot.items)),
            pilot.left[rows],
            pilot.right[rows],
            pilot.outcome[rows],
            pilot.weights[rows],
            np.ones(len(rows)),
            steps,
            PRIOR_SD**-2,
        )


RATINGS: dict[str, Rating] = {each.name: each for each in (Points(), BradleyTerryRating())}


def choose_rating(rating: Any) -> Rating:
    """Find a rating by its name; an object of a user's own class is taken as it is."""
    if isinstance(rating, Rating):
        return rating
    return RATINGS[options.one_of(rating, "rating", list(RATINGS))]

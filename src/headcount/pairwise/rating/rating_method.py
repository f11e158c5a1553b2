"""What rates items: the options it is given, what it hands back, and what every method can do."""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from headcount.data.comparisons import Comparisons
from headcount.errors import OptionError
from headcount.pairwise.answers.graph import Graph
from headcount.pairwise.answers.units import COMPARISON, Unit
from headcount.pairwise.bradley_terry.priors import AUTO as AUTO_PRIOR
from headcount.pairwise.bradley_terry.standard_errors.clusters import AUTO
from headcount.pairwise.bradley_terry.standard_errors.kinds import ROBUST
from headcount.pairwise.bradley_terry.ties.base import TieModel
from headcount.pairwise.bradley_terry.ties.half import HALF
from headcount.pairwise.elo.orders import SHUFFLED
from headcount.pairwise.scales import LOGIT, RatingScale
from headcount.results.notes import Note
from headcount.stats.estimate import Estimate
from headcount.stats.ranks import Spread
from headcount.typing import Codes, Floats, Progress

__all__ = ["AVERAGE", "EACH", "RANKS", "Rated", "RatingMethod", "Settings"]

AVERAGE, EACH = RANKS = ("average", "each")
"""For whom intervals of ranks hold: on average over items, or for each of them."""


@dataclass(frozen=True, eq=False, kw_only=True)
class Settings:
    """How items are rated, checked; see :func:`headcount.pairs`. `k` is in logits."""

    ties: TieModel = HALF
    position: bool = False
    prior: float | str | None = AUTO_PRIOR
    covariates: Any = None
    reliability: bool = False
    errors: str = ROBUST
    cluster: Any = AUTO
    control: Any = None
    ranks: str = AVERAGE
    k: float | None = None
    epochs: int | None = None
    order: str = SHUFFLED
    bootstrap: int = 0
    by: Unit = COMPARISON
    scale: RatingScale = LOGIT
    level: float = 0.95


@dataclass(frozen=True, eq=False, kw_only=True)
class Rated:
    """Ratings of all items, in logits.

    Parameters
    ----------
    method : RatingMethod
    settings : Settings
    rating : (items,) array
        Infinite or nan where there is no finite rating.
    standard_error : (items,) array
        nan where there is none.
    component : (items,) array of int
        What compares: all zeros with a prior, which makes everything compare.
    draws : (draws, items) array or None
    normal : bool
        Whether draws are normal, and not from a bootstrap.
    graph : Graph
    converged : bool or None
        None for a method that does not ask.
    notes : tuple of Note
    model : object
        The fit behind it: a BradleyTerry or an EloFit.
    refits : object
        Bootstrap of Bradley-Terry: a Refits, or None.
    spread : Spread or None
        How far ratings may be off together, where that is known without draws.
    draw : callable or None
        Makes draws where there are none, since few ask for them.
    mean : float
        Mean of the ratings, if that is not where the average item lies.
    """

    method: RatingMethod
    settings: Settings
    rating: Floats
    standard_error: Floats
    component: Codes
    draws: Floats | None
    normal: bool
    graph: Graph
    converged: bool | None
    notes: tuple[Note, ...]
    model: Any = None
    refits: Any = None
    spread: Spread | None = None
    draw: Callable[[], Floats] | None = None
    mean: float = 0.0

    def drawn(self) -> Floats | None:
        """Return draws, and make them if need be."""
        return self.draw() if self.draws is None and self.draw is not None else self.draws

    def gaps(self, i: int, j: int) -> Floats:
        """Differences in two drawn ratings, but for draws that could not be fitted."""
        if self.draws is None:
            return np.zeros(0)
        gaps = self.draws[:, i] - self.draws[:, j]
        return gaps[~np.isnan(gaps)]


class RatingMethod(ABC):
    """A way to rate items; an own one extends this class and is given as `method`.

    Attributes
    ----------
    name : str
    title : str
        What texts call it.
    takes : frozenset of str
        Options of :func:`headcount.pairs` that mean something to it.
    refuses : str
        What to say before the name of an option that it does not take.
    has_normal_draws : bool
        Whether it has intervals without a bootstrap.
    takes_rankings : bool
        Whether it rates by rankings of several items.
    takes_added_up : bool
        Whether counts of equal answers tell it all that the answers do.
    """

    name: str
    title: ClassVar[str]
    takes: ClassVar[frozenset[str]] = frozenset()
    has_normal_draws: ClassVar[bool] = False
    takes_rankings: ClassVar[bool] = False
    takes_added_up: ClassVar[bool] = False

    @property
    def refuses(self) -> str:
        """Begin a sentence on an option that the method does not take."""
        return f"{self.title} knows no"

    @abstractmethod
    def fit(
        self,
        comparisons: Comparisons,
        settings: Settings,
        rng: np.random.Generator,
        progress: Progress | None = None,
    ) -> Rated:
        """Rate items, and draw ratings to see how sure they are."""

    def details(self, rated: Rated) -> dict[str, Any]:
        """Return how the fit went, for a program to read; what is particular to the method."""
        del rated
        return {}

    def probability(self, rated: Rated, items: tuple[object, object], i: int, j: int) -> Estimate:
        """Estimate the probability that one item, at i, beats another, at j.

        Here the share of the point that the difference in ratings lead to expect, with an interval
        from bootstrap draws.
        """
        a, b = items
        if i == j:
            raise OptionError(f"'{a}' cannot be compared with itself; name two items.")
        if rated.component[i] != rated.component[j]:
            return Estimate(
                math.nan, undefined=f"no comparisons join '{a}' and '{b}', even through others"
            )
        gap = float(rated.rating[i] - rated.rating[j])
        if math.isnan(gap):
            return Estimate(math.nan, undefined=f"the data do not say how '{a}' and '{b}' compare")
        value = 0.5 * (1 + math.tanh(gap / 2))
        if rated.draws is None or math.isinf(gap):
            return Estimate(value)
        drawn = 0.5 * (1 + np.tanh(rated.gaps(i, j) / 2))
        return Estimate.from_draws(value, drawn, level=rated.settings.level)

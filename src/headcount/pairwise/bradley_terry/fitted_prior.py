"""The prior that answers ask for: how far ratings spread, and how much answers vary around them."""

from __future__ import annotations

from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np

from headcount.data.comparisons import Comparisons
from headcount.pairwise.bradley_terry.likelihood.marginal import Evidence
from headcount.pairwise.bradley_terry.likelihood.model import Model, Point, sparse_hessian
from headcount.pairwise.bradley_terry.likelihood.newton import maximise
from headcount.pairwise.bradley_terry.likelihood.pair_wins import PairWins
from headcount.pairwise.bradley_terry.priors import likely_spread, spread_of
from headcount.pairwise.bradley_terry.ties.base import TieModel
from headcount.pairwise.bradley_terry.ties.half import HALF
from headcount.typing import Floats

__all__ = ["SPREAD_TOLERANCE", "FittedPrior", "fit_prior"]

SPREAD_TOLERANCE = 1e-3
"""Gradient of fits between which spreads are chosen, in wins."""
MANY_EACH = 20.0
"""Answers an item, on average, from which on Laplace's approximation is as good."""
LEAST_NOISE = 0.1


class FittedPrior(NamedTuple):
    r"""A prior of ratings, fitted.

    Parameters
    ----------
    spread : float
        Standard deviation of the ratings, in logits.
    noise : float
        Variance of answers as a share :math:`\phi` of what the model says. Where ties are halves,
        answers vary less, :math:`\phi = 1 - \sum y (1 - y) / \sum p (1 - p)`, and say the more.
    """

    spread: float
    noise: float = 1.0

    @property
    def penalty(self) -> float:
        """Prior beside which answers that count once lead to the same ratings."""
        return self.spread / self.noise**0.5


def fit_prior(
    wins: PairWins, played: Comparisons, ties: TieModel, *, sided: bool, max_iter: int
) -> FittedPrior:
    """Fit the spread of the ratings by its marginal likelihood.

    Parameters
    ----------
    wins : PairWins
        Of all items.
    played : Comparisons
    ties : TieModel
    sided : bool
        Whether a side has an advantage.
    max_iter : int
        Newton steps of a fit.
    """
    if ties.has_cut and not wins.tie.any():
        ties, wins = HALF, replace(wins, tie=wins.tie[:0])
    last: list[Floats] = []

    def climb(spread: float) -> tuple[Point, Any]:
        model = Model(wins, ties=ties, sided=sided, prior=spread)
        start = last[-1] if last else model.start()
        point = maximise(model, start, tolerance=SPREAD_TOLERANCE, max_iter=max_iter).point
        last.append(point.z)
        return point, sparse_hessian(point)

    point, _ = climb(1.0)
    noise = 1.0 if ties.has_cut else _noise(point, played)
    weight = float(np.sum(played.weights))
    if wins.n_raters or 2 * weight > MANY_EACH * noise * wins.n_items:
        return FittedPrior(spread_of(climb, noise=noise), noise)
    shift, cut = (float(x) for x in point.z[-2:])
    found = Evidence(wins=wins, ties=ties, shift=shift, cut=cut, noise=noise)
    return FittedPrior(likely_spread(found.slope), noise)


def _noise(point: Point, played: Comparisons) -> float:
    """Tell how much less answers vary because of ties."""
    tied = float(np.sum(played.weights * played.outcome * (1 - played.outcome)))
    return max(1 - tied / float(np.sum(point.curve)), LEAST_NOISE)

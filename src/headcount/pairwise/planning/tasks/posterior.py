"""What answers so far tell of the ratings: where items may stand, and how far they lie apart."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np

from headcount.data.comparisons import Comparisons
from headcount.pairwise.bradley_terry.average_item import WIDER, average_moves
from headcount.pairwise.bradley_terry.likelihood.marginal import Evidence
from headcount.pairwise.bradley_terry.likelihood.pair_wins import PairWins
from headcount.pairwise.bradley_terry.ties.half import HALF
from headcount.typing import Codes, Floats

__all__ = ["Posterior", "fit_posterior", "posterior_at", "see_average", "variances"]

FIRST_SPREAD = 1.5
"""Standard deviation of ratings, in logits, before the answers say what it is."""
LOW, HIGH = math.log(0.1), math.log(4.0)
"""Logarithms of the spreads that are looked at."""
STEPS, WALK, CLOSE = 12, 0.7, 1e-3
"""Of the search for the spread."""
MANY_EACH, MOST_FEW = 20.0, 20_000
"""Answers an item, and in all, up to which the spread is found by expectation propagation."""
TURNS = 6
"""Times that ratings and their variances are found in turn, at most."""
LEAST_NOISE = 0.1
FEW = 2.0
"""Standard error of the spread's logarithm, times answers an item, where these are few."""
MOST_ROUNDS = 50
"""Of messages between items."""


@dataclass(frozen=True, eq=False, kw_only=True)
class Posterior:
    r"""Ratings as far as they are known: each item's is taken as normal.

    Parameters
    ----------
    rating, sd : (items,) arrays
        In logits, around the average item.
    spread : float
        Standard deviation of the ratings of all items.
    spread_error : float
        Standard error of its logarithm.
    noise : float
        Variance of answers, as a share of that of coins; less than 1 where there are ties.
    wider : (items,) array or None
        Ratings with a prior so wide that their average is not drawn to one side.
    cut_error : float
        How far the average item may be off, in logits.
    """

    rating: Floats
    sd: Floats
    spread: float
    spread_error: float
    noise: float
    wider: Floats | None = None
    cut_error: float = 0.0

    @classmethod
    def prior(cls, items: int) -> Posterior:
        """Say what is known without an answer."""
        return cls(
            rating=np.zeros(items), sd=np.full(items, FIRST_SPREAD), spread=FIRST_SPREAD,
            spread_error=math.inf, noise=1.0,
        )  # fmt: skip

    def moved(self) -> Posterior:
        """Move ratings, which have mean 0, by as much as their average is off."""
        if self.wider is None:
            return self
        return replace(self, rating=self.rating + average_moves(self.rating, self.sd, self.wider))


def fit_posterior(asked: Comparisons, items: int) -> Posterior:
    r"""Fit Bradley-Terry ratings with a normal prior whose width the answers tell.

    The spread :math:`\tau` solves :math:`\tau^2 = \frac1N \sum_i E[\theta_i^2]`, which is where its
    marginal likelihood is largest: by expectation propagation with less than 20 answers an item,
    else with a normal posterior, :math:`\theta_i^2 + s_i^2`. Ties count as half a win each; since
    such answers y vary less than coins, they count more, by one over

    .. math:: \phi = 1 - \frac{\sum y (1 - y)}{\sum p (1 - p)}

    O(answers) a step, of which there are about 10: 1 s for 50,000 answers.

    Parameters
    ----------
    asked : Comparisons
    items : int
        All of them, those of the comparisons first.
    """
    if not len(asked):
        return Posterior.prior(items)
    found = _fit_spread(asked, items, 1.0)
    noise = _noise(asked, found)
    return found if noise == 1 else _fit_spread(asked, items, noise)


def see_average(known: Posterior, asked: Comparisons) -> Posterior:
    """Move ratings to where 0 is the average item, wherever the prior draws items in.

    See :func:`~headcount.pairwise.bradley_terry.average_item.average_moves`.
    """
    if not len(asked):
        return known
    wide = posterior_at(asked, WIDER * known.spread, known.noise, known, len(known.rating))
    error = math.sqrt(float(np.mean(wide.sd**2)) / len(known.rating))
    return replace(known, wider=wide.rating, cut_error=error).moved()


def posterior_at(
    asked: Comparisons, spread: float, noise: float, start: Posterior | None, items: int
) -> Posterior:
    r"""Find where items may stand, for a known spread.

    The posterior is the normal one that comes closest (in the variational sense): an answer is
    expected by :math:`E\,\sigma(g) = \sigma(\kappa g)`, :math:`\kappa = (1 + \pi v / 8)^{-1/2}`,
    where the difference g in ratings has variance v. Ratings where the density is highest, which
    is where :math:`\kappa = 1`, lie too close together if answers are few.
    """
    from headcount.pairwise.planning._kernel import rate_steps

    weight, all_of_them = asked.weights / noise, np.array([len(asked)])
    rating, variance = (
        (np.zeros(items), np.full(items, spread**2))
        if start is None
        else (start.rating, start.sd**2)
    )
    for _ in range(TURNS):
        of_gap = variance[asked.left] + variance[asked.right]
        slope = 1 / np.sqrt(1 + math.pi / 8 * of_gap)
        rating = rate_steps(
            rating, asked.left, asked.right, asked.outcome, weight, slope, all_of_them, spread**-2
        )[0]
        p = 0.5 * (1 + np.tanh(slope * (rating[asked.left] - rating[asked.right]) / 2))
        told = weight * slope * p * (1 - p)
        before, variance = variance, variances(items, asked.left, asked.right, told, spread**-2)
        if np.abs(variance - before).max() < CLOSE:
            break
    return Posterior(
        rating=rating - rating.mean(), sd=np.sqrt(variance), spread=spread, noise=noise,
        spread_error=_spread_error(variance / spread**2, len(asked)),
    )  # fmt: skip


def _spread_error(left: Floats, answers: int) -> float:
    """Estimate the standard error of the spread's logarithm, from what is left open.

    That of a normal posterior, and as much besides as simulations show with few answers an item.
    """
    known = max(float(np.sum((1 - np.minimum(left, 1)) ** 2)), 1e-9)
    return min(math.hypot(1 / math.sqrt(2 * known), FEW * len(left) / (2 * answers)), 1.0)


def variances(items: int, first: Codes, second: Codes, weight: Floats, prior: float) -> Floats:
    r"""Posterior variances of ratings, by messages between items.

    Precision of item i is that of the prior plus what each other item j passes on,
    :math:`1 / (1/w_{ij} + 1/P_{j \setminus i})`, where :math:`P_{j \setminus i}` is the precision
    of j without i. That is the diagonal of the inverse Hessian where the graph of pairs has no
    circles, and within 1% where they are long, as among many items; of a few items that met all
    others it is up to 15% too large. O(pairs) a round.

    Parameters
    ----------
    items : int
    first, second : (comparisons,) arrays of int
    weight : (comparisons,) array
        Information of each, :math:`p (1 - p)`.
    prior : float
        Precision of the prior.

    Examples
    --------
    >>> variances(3, np.array([0]), np.array([1]), np.array([0.25]), 1.0).round(4)
    array([0.8333, 0.8333, 1.    ])
    """
    key, pair = np.unique(
        np.minimum(first, second) * items + np.maximum(first, second), return_inverse=True
    )
    each: Floats = np.bincount(pair, weight, len(key)).astype(np.float64)
    source = np.concatenate([key // items, key % items])
    target = np.concatenate([key % items, key // items])
    back = np.roll(np.arange(2 * len(key)), len(key))
    own: Floats = np.concatenate([each, each])
    message = own
    for _ in range(MOST_ROUNDS):
        rest = prior + np.bincount(source, message[back], items)[source] - message[back]
        new = own * rest / (own + rest)
        moved = float(np.abs(new - message).max(initial=0))
        message = new
        if moved < 1e-9:
            break
    return 1 / (prior + np.bincount(target, message, items))


def _fit_spread(asked: Comparisons, items: int, noise: float) -> Posterior:
    """Find the spread that is likeliest, and where items may stand then."""
    few = 2 * len(asked) < MANY_EACH * items and len(asked) <= MOST_FEW
    log = _likeliest(asked, items, noise) if few else _balanced(asked, items, noise)
    return posterior_at(asked, math.exp(log), noise, None, items)


def _likeliest(asked: Comparisons, items: int, noise: float) -> float:
    """Find the logarithm of the spread where the marginal likelihood is highest.

    By expectation propagation: where answers are few, the normal posterior of
    :func:`posterior_at` makes too much of spreads that are large.
    """
    everybody = replace(asked, items=np.arange(items))
    wins = PairWins.of(everybody, split=True, sided=False, by_rater=False)
    evidence = Evidence(wins=wins, ties=HALF, noise=noise)

    def rise(log: float) -> float:
        return evidence.slope(math.exp(log)) - log  # that of a lognormal prior beside

    return _root(rise, 0.0)


def _balanced(asked: Comparisons, items: int, noise: float) -> float:
    """Find the logarithm of the spread at which ratings spread as far as it says."""
    at = [posterior_at(asked, FIRST_SPREAD, noise, None, items)]

    def excess(log: float) -> float:
        at[0] = posterior_at(asked, math.exp(log), noise, at[0], items)
        return math.log(float(np.mean(at[0].rating ** 2 + at[0].sd ** 2)) / at[0].spread ** 2)

    return _root(excess, math.log(FIRST_SPREAD))


def _root(falls: Callable[[float], float], start: float) -> float:
    """Find where a function that falls is 0, among spreads that are looked at; false position."""
    one, two = (start, falls(start)), (start, 0.0)
    step = WALK if one[1] > 0 else -WALK
    while True:
        end = min(max(one[0] + step, LOW), HIGH)
        two = end, falls(end)
        if two[1] * one[1] <= 0:
            break
        if end in (LOW, HIGH):
            return end
        one = two
    for _ in range(STEPS):
        log = (one[0] * two[1] - two[0] * one[1]) / (two[1] - one[1])
        new = log, falls(log)
        # The end that stays counts half, lest the other one creep (Illinois).
        one, two = (two, new) if new[1] * two[1] <= 0 else ((one[0], one[1] / 2), new)
        if abs(one[0] - two[0]) < CLOSE or abs(new[1]) < CLOSE * abs(one[1] - two[1]):
            break
    return two[0]


def _noise(asked: Comparisons, known: Posterior) -> float:
    """Tell how much less answers vary because of ties: a tie as half a win varies less."""
    p = _wins(known.rating, asked)
    tied = np.sum(asked.weights * asked.outcome * (1 - asked.outcome))
    return max(1 - float(tied / np.sum(asked.weights * p * (1 - p))), LEAST_NOISE)


def _wins(rating: Floats, asked: Comparisons) -> Floats:
    return 0.5 * (1 + np.tanh((rating[asked.left] - rating[asked.right]) / 2))

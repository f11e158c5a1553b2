"""What answers so far tell of the ratings, and how many comparisons labels take."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cached_property
from importlib import import_module
from typing import Any

import numpy as np

from headcount.data.comparisons import Comparisons
from headcount.pairwise.likelihood import PairWins
from headcount.pairwise.priors import WIDER, Evidence, average_moves
from headcount.pairwise.standard_errors import ScoreTerms, pooled_factor
from headcount.pairwise.ties import HALF
from headcount.stats.estimate import Estimate
from headcount.stats.intervals import POSTERIOR
from headcount.typing import Codes, Floats

__all__ = [
    "Posterior",
    "fit_posterior",
    "see_average",
    "posterior_at",
    "variances",
    "Population",
    "normal_population",
    "Clumps",
    "find_clumps",
    "Forecast",
    "forecast",
]


# What answers so far tell of the ratings: where items may stand, and how far they lie apart.

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
MOST_MESSAGE_ROUNDS = 50
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
    taste : float
        How much more the answers of a rater vary together than one by one.
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
    taste: float = 1.0
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


def fit_posterior(answers: Comparisons, items: int) -> Posterior:
    r"""Fit Bradley-Terry ratings with a normal prior whose width the answers tell.

    The spread :math:`\tau` solves :math:`\tau^2 = \frac1N \sum_i E[\theta_i^2]`, which is where its
    marginal likelihood is largest: by expectation propagation with less than 20 answers an item,
    else with a normal posterior, :math:`\theta_i^2 + s_i^2`. Ties count as half a win each; since
    such answers y vary less than coins, they count more, by one over

    .. math:: \phi = 1 - \frac{\sum y (1 - y)}{\sum p (1 - p)}

    Raters with tastes of their own repeat themselves: where it is known who answered, all answers
    count less, by as much as those of a rater on an item vary more together than one by one.

    O(answers) a step, of which there are about 10: 1 s for 50,000 answers.

    Parameters
    ----------
    answers : Comparisons
    items : int
        All of them, those of the comparisons first.
    """
    if not len(answers):
        return Posterior.prior(items)
    posterior = _fit_spread(answers, items, 1.0)
    taste = taste_factor(answers, posterior)
    noise = _tie_noise(answers, posterior) * taste
    if noise == 1:
        return posterior
    return replace(_fit_spread(answers, items, noise), taste=taste)


def see_average(posterior: Posterior, answers: Comparisons) -> Posterior:
    """Move ratings to where 0 is the average item, wherever the prior draws items in.

    See :func:`~headcount.pairwise.priors.average_moves`.
    """
    if not len(answers):
        return posterior
    wide = posterior_at(
        answers, WIDER * posterior.spread, posterior.noise, posterior, len(posterior.rating)
    )
    error = math.sqrt(float(np.mean(wide.sd**2)) / len(posterior.rating))
    return replace(posterior, wider=wide.rating, cut_error=error).moved()


def posterior_at(
    answers: Comparisons, spread: float, noise: float, start: Posterior | None, items: int
) -> Posterior:
    r"""Find where items may stand, for a known spread.

    The posterior is the normal one that comes closest (in the variational sense): an answer is
    expected by :math:`E\,\sigma(g) = \sigma(\kappa g)`, :math:`\kappa = (1 + \pi v / 8)^{-1/2}`,
    where the difference g in ratings has variance v. Ratings where the density is highest, which
    is where :math:`\kappa = 1`, lie too close together if answers are few.
    """
    from headcount.pairwise._kernels import rate_steps

    weight, all_of_them = answers.weights / noise, np.array([len(answers)])
    rating, variance = (
        (np.zeros(items), np.full(items, spread**2))
        if start is None
        else (start.rating, start.sd**2)
    )
    for _ in range(TURNS):
        of_gap = variance[answers.left] + variance[answers.right]
        slope = 1 / np.sqrt(1 + math.pi / 8 * of_gap)
        rating = rate_steps(
            rating,
            answers.left,
            answers.right,
            answers.outcome,
            weight,
            slope,
            all_of_them,
            spread**-2,
        )[0]
        p = 0.5 * (1 + np.tanh(slope * (rating[answers.left] - rating[answers.right]) / 2))
        info = weight * slope * p * (1 - p)
        before, variance = (
            variance,
            variances(items, answers.left, answers.right, info, spread**-2),
        )
        if np.abs(variance - before).max() < CLOSE:
            break
    return Posterior(
        rating=rating - rating.mean(), sd=np.sqrt(variance), spread=spread, noise=noise,
        spread_error=_spread_error(variance / spread**2, len(answers)),
    )  # fmt: skip


def _spread_error(left: Floats, answers: int) -> float:
    """Estimate the standard error of the spread's logarithm, from what is left open.

    That of a normal posterior, and as much besides as simulations show with few answers an item.
    """
    determined = max(float(np.sum((1 - np.minimum(left, 1)) ** 2)), 1e-9)
    return min(math.hypot(1 / math.sqrt(2 * determined), FEW * len(left) / (2 * answers)), 1.0)


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
    for _ in range(MOST_MESSAGE_ROUNDS):
        rest = prior + np.bincount(source, message[back], items)[source] - message[back]
        new = own * rest / (own + rest)
        moved = float(np.abs(new - message).max(initial=0))
        message = new
        if moved < 1e-9:
            break
    return 1 / (prior + np.bincount(target, message, items))


def _fit_spread(answers: Comparisons, items: int, noise: float) -> Posterior:
    """Find the spread that is likeliest, and where items may stand then."""
    few = 2 * len(answers) < MANY_EACH * items and len(answers) <= MOST_FEW
    log = _likeliest(answers, items, noise) if few else _balanced(answers, items, noise)
    return posterior_at(answers, math.exp(log), noise, None, items)


def _likeliest(answers: Comparisons, items: int, noise: float) -> float:
    """Find the logarithm of the spread where the marginal likelihood is highest.

    By expectation propagation: where answers are few, the normal posterior of
    :func:`posterior_at` makes too much of spreads that are large.
    """
    everybody = replace(answers, items=np.arange(items))
    wins = PairWins.of(everybody, split=True)
    evidence = Evidence(wins=wins, ties=HALF, noise=noise)

    def rise(log: float) -> float:
        return evidence.slope(math.exp(log)) - log  # that of a lognormal prior beside

    return _root(rise, 0.0)


def _balanced(answers: Comparisons, items: int, noise: float) -> float:
    """Find the logarithm of the spread at which ratings spread as far as it says."""
    at = [posterior_at(answers, FIRST_SPREAD, noise, None, items)]

    def excess(log: float) -> float:
        at[0] = posterior_at(answers, math.exp(log), noise, at[0], items)
        return math.log(float(np.mean(at[0].rating ** 2 + at[0].sd ** 2)) / at[0].spread ** 2)

    return _root(excess, math.log(FIRST_SPREAD))


def _root(falls: Callable[[float], float], start: float) -> float:
    """Find where a function that falls is 0, among spreads that are looked at; false position."""
    near, far = (start, falls(start)), (start, 0.0)
    step = WALK if near[1] > 0 else -WALK
    while True:
        end = min(max(near[0] + step, LOW), HIGH)
        far = end, falls(end)
        if far[1] * near[1] <= 0:
            break
        if end in (LOW, HIGH):
            return end
        near = far
    for _ in range(STEPS):
        log = (near[0] * far[1] - far[0] * near[1]) / (far[1] - near[1])
        new = log, falls(log)
        # The end that stays counts half, lest the other one creep (Illinois).
        near, far = (far, new) if new[1] * far[1] <= 0 else ((near[0], near[1] / 2), new)
        if abs(near[0] - far[0]) < CLOSE or abs(new[1]) < CLOSE * abs(near[1] - far[1]):
            break
    return far[0]


def _tie_noise(answers: Comparisons, posterior: Posterior) -> float:
    """Tell how much less answers vary because of ties: a tie as half a win varies less."""
    p = _wins(posterior.rating, answers)
    tied = np.sum(answers.weights * answers.outcome * (1 - answers.outcome))
    return max(1 - float(tied / np.sum(answers.weights * p * (1 - p))), LEAST_NOISE)


def taste_factor(answers: Comparisons, posterior: Posterior) -> float:
    """Tell how much more the answers of raters vary together than one by one; 1 at least."""
    rater = answers.rater
    if rater is None or len(np.unique(rater)) < 2:
        return 1.0
    p, weight = _wins(posterior.rating, answers), answers.weights
    # Of an unknown rater each answer stands for itself.
    codes = np.where(rater < 0, int(rater.max()) + 1 + np.arange(len(rater)), rater)
    score, tell = weight * (answers.outcome - p), weight * p * (1 - p)
    terms = ScoreTerms(
        np.concatenate([answers.left, answers.right]),
        np.concatenate([score, -score]),
        np.tile(tell, 2),
    )
    alone = pooled_factor(terms, np.tile(np.arange(len(rater)), 2))
    return max(pooled_factor(terms, np.tile(codes, 2)) / max(alone, 1e-9), 1.0)


def _wins(rating: Floats, answers: Comparisons) -> Floats:
    return 0.5 * (1 + np.tanh((rating[answers.left] - rating[answers.right]) / 2))


# How well random comparisons label items whose ratings are spread in a known way.

POINTS = 61
"""Ratings by which a normal distribution is known."""
ACCURACY_ROUNDS = 30
MOST_EACH = 2000.0
"""Comparisons an item, beyond which it is not looked for what a target takes."""


@dataclass(frozen=True, eq=False)
class Population:
    r"""Ratings that items may have, and how noisy answers are.

    Comparisons are of random pairs, m an item: an item is in D of them, a Poisson number with
    mean 2m. It is labelled by whether it won more of them than the average item would have, by

    .. math:: \Delta_k = \sum_l w_l\, d_{kl}, \quad d_{kl} = p_{kl} - p_{0l}

    an answer for an item rated :math:`\theta_k`. Answers vary by
    :math:`V_k = \phi u_k (1 + u_k v / \phi) + \sum_l w_l (d_{kl} - \Delta_k)^2` around that, with
    :math:`u_k = \sum_l w_l\, p_{kl} (1 - p_{kl})`, since its opponents are not known better than to
    a variance v, and are not the same. So the share of labels that are right is

    .. math:: A(m) = \sum_k w_k\, E\, \Phi\!\left(|\Delta_k| \sqrt{D / V_k}\right)

    Half of the items are positive, so that this is also f1.

    Parameters
    ----------
    rating, weight : (points,) arrays
        In logits; weights sum to 1.
    noise : float
        :math:`\phi`, the variance of answers as a share of that of coins.
    """

    rating: Floats
    weight: Floats
    noise: float

    def accuracy(self, each: float) -> float:
        """Foresee the share of labels that are right after so many comparisons an item."""
        special: Any = import_module("scipy.special")
        info, lead, differing = self._against_all
        variance = self.noise * info * (1 + info / self.noise * self._opponents(each)) + differing
        most = max(int(2 * each + 8 * math.sqrt(2 * each)) + 10, 12)
        degree = np.unique(np.round(np.linspace(0, most, min(most + 1, 200))))
        mass: Floats = special.pdtr(degree, 2 * each)
        mass = np.diff(mass, prepend=0.0)
        z = np.abs(lead) / np.sqrt(variance)
        right: Floats = special.ndtr(z[:, None] * np.sqrt(degree))
        return float(self.weight @ (right @ mass) / mass.sum())

    def needed(self, target: float) -> float:
        """Comparisons an item for a share of labels that are right; infinite if above 2,000."""
        low, high = -6.0, math.log(MOST_EACH)
        if self.accuracy(MOST_EACH) < target:
            return math.inf
        for _ in range(ACCURACY_ROUNDS):
            middle = (low + high) / 2
            enough = self.accuracy(math.exp(middle)) >= target
            low, high = (low, middle) if enough else (middle, high)
        return math.exp((low + high) / 2)

    @cached_property
    def _against_all(self) -> tuple[Floats, Floats, Floats]:
        """Information about an item of each rating, its lead, and how the lead differs."""
        middle = self.weight @ self.rating
        wins = _logistic(self.rating[:, None] - self.rating)
        leads = wins - _logistic(middle - self.rating)
        lead = leads @ self.weight
        return (wins * (1 - wins)) @ self.weight, lead, leads**2 @ self.weight - lead**2

    def _opponents(self, each: float) -> float:
        """Find the variance to which opponents are known after so many comparisons an item."""
        information = self._against_all[0] / self.noise
        centred = self.rating - self.weight @ self.rating
        prior = 1 / max(float(self.weight @ centred**2), 1e-12)
        left = 1 / prior
        for _ in range(ACCURACY_ROUNDS):
            real = information / (1 + information * left)
            before, left = left, float(self.weight @ (1 / (prior + 2 * each * real)))
            if abs(left - before) < 1e-6 * before:
                break
        return left


def _logistic(x: Floats) -> Floats:
    return 0.5 * (1 + np.tanh(x / 2))


def normal_population(spread: float, noise: float) -> Population:
    """Take ratings for normal, with a standard deviation."""
    special: Any = import_module("scipy.special")
    z: Floats = special.ndtri((np.arange(POINTS) + 0.5) / POINTS)
    z *= spread / math.sqrt(float(np.mean(z**2)))
    return Population(z, np.full(POINTS, 1 / POINTS), noise)


def peaked_population(spread: float, noise: float) -> Population:
    """Take ratings for Laplace's: most items near the average, and some far out."""
    q = (np.arange(POINTS) + 0.5) / POINTS - 0.5
    z = -np.sign(q) * np.log1p(-2 * np.abs(q))
    return Population(
        z * spread / math.sqrt(float(np.mean(z**2))), np.full(POINTS, 1 / POINTS), noise
    )


def peaked_weights(rating: Floats, error: Floats, normal: Floats) -> Floats:
    """Weigh normal ratings and peaked ones of each spread, (2, spreads), by what answers say.

    Parameters
    ----------
    rating, error : (items,) arrays
        What answers alone say of each, with its standard error.
    normal : (spreads,) array
        How probable spreads are, if ratings are normal.
    """
    special: Any = import_module("scipy.special")
    r, e = (rating - rating.mean())[:, None], error[:, None]
    variance = SPREADS**2 + e**2
    plain = np.sum(-0.5 * (r**2 / variance + np.log(2 * math.pi * variance)), axis=0)
    b = SPREADS / math.sqrt(2)
    sides = [s * r / b + special.log_ndtr(-e / b - s * r / e) for s in (-1.0, 1.0)]
    both = np.logaddexp(*sides) + e**2 / (2 * b**2) - np.log(2 * b)
    log = np.array([plain, np.sum(both, axis=0)])
    chance = np.exp(log - log.max())
    share = float(chance[0].sum() / chance.sum())
    return np.array([share * normal, (1 - share) * chance[1] / chance[1].sum()])


# Whether the items of a pilot fall into two clumps, and where they may stand then.

SPLITS = (0.2, 0.35, 0.5, 0.65, 0.8)
"""Shares of the items in the lower clump from which it is looked for the best two."""
CLUMP_ROUNDS = 200
LEAST_SPREAD = 0.1
"""Standard deviation of a clump, at least, in logits."""
APART = 2.0
"""Standard deviations, of the wider clump, that two are apart at least."""


@dataclass(frozen=True, eq=False, kw_only=True)
class Clumps:
    """Normal distributions of which the ratings of items are a mixture; (clumps,) arrays.

    Parameters
    ----------
    share : array
        Of all items, in each.
    center, spread : arrays
        Mean and standard deviation, in logits.
    log_likelihood : float
    """

    share: Floats
    center: Floats
    spread: Floats
    log_likelihood: float

    @property
    def words(self) -> str:
        """Say how many items are around where."""
        each = [
            f"{share:.0%} around {center:.1f}"
            for share, center in zip(self.share.tolist(), self.center.tolist(), strict=True)
        ]
        return f"{' and '.join(each)} logits"

    def to_dict(self) -> list[dict[str, float]]:
        """Write them for JSON, the lower one first."""
        rows = zip(self.share.tolist(), self.center.tolist(), self.spread.tolist(), strict=True)
        return [{"share": a, "center": b, "spread": c} for a, b, c in rows]

    @property
    def within(self) -> float:
        """Standard deviation within clumps."""
        return math.sqrt(float(self.share @ self.spread**2))

    def draw(self, rating: Floats, error: Floats, draws: int, rng: np.random.Generator) -> Floats:
        """Draw ratings by what is known about them, (draws, items): which clump, and where."""
        chance = self._chances(rating, error)
        chosen = (rng.random((draws, len(rating), 1)) > np.cumsum(chance, axis=1)).sum(axis=2)
        chosen = np.minimum(chosen, len(self.share) - 1)
        mean, variance = self._moments(rating, error)
        at = np.arange(len(rating))
        noise = rng.standard_normal((draws, len(rating)))
        return mean[at, chosen] + np.sqrt(variance[at, chosen]) * noise

    def improved(self, rating: Floats, error: Floats) -> Clumps:
        """Make a step of EM."""
        chance = self._chances(rating, error)
        mean, variance = self._moments(rating, error)
        total = chance.sum(axis=0)
        center = np.sum(chance * mean, axis=0) / total
        square = np.sum(chance * (variance + (mean - center) ** 2), axis=0) / total
        spread = np.maximum(np.sqrt(square), LEAST_SPREAD)
        return _clumps(total / len(rating), center, spread, rating, error)

    def _moments(self, rating: Floats, error: Floats) -> tuple[Floats, Floats]:
        """Means and variances of items in each clump, (items, clumps)."""
        precision, prior = error[:, None] ** -2.0, self.spread**-2.0
        variance = 1 / (precision + prior)
        return variance * (precision * rating[:, None] + prior * self.center), variance

    def _chances(self, rating: Floats, error: Floats) -> Floats:
        log = _log_densities(self.share, self.center, self.spread, rating, error)
        log = np.exp(log - log.max(axis=1, keepdims=True))
        return log / log.sum(axis=1, keepdims=True)


def find_clumps(rating: Floats, error: Floats) -> Clumps | None:
    """Find two clumps of items; None if one normal distribution describes them as well.

    Two are preferred by Schwarz's criterion: the log-likelihood must grow by half the logarithm of
    the number of items for each of three more parameters. They must be told apart, too.

    Parameters
    ----------
    rating, error : (items,) arrays
        What answers alone say of each, with its standard error.

    Notes
    -----
    O(items) for each of some hundred steps of EM.

    References
    ----------
    Schwarz (1978), Estimating the dimension of a model, Annals of Statistics 6(2).

    Examples
    --------
    >>> rating, error = np.repeat([-1.0, 1.1], 20) + np.tile([-0.2, 0.2], 20), np.full(40, 0.2)
    >>> find_clumps(rating, error).center.round(1)
    array([-1. ,  1.1])
    >>> find_clumps(np.linspace(-1, 1, 40) ** 3, error) is None
    True
    """
    single = _climb(np.zeros(len(rating), dtype=np.int64), rating, error)
    order = np.argsort(np.argsort(rating, kind="stable"), kind="stable")
    doubles = [_climb((order >= q * len(rating)).astype(np.int64), rating, error) for q in SPLITS]
    double = max(doubles, key=lambda each: each.log_likelihood)
    gain = double.log_likelihood - single.log_likelihood
    apart = abs(float(double.center[1] - double.center[0])) / float(double.spread.max())
    return double if gain > 1.5 * math.log(len(rating)) and apart > APART else None


def _climb(group: Codes, rating: Floats, error: Floats) -> Clumps:
    """Fit as many normal distributions as there are groups, from these on."""
    groups = [rating[group == k] for k in range(int(group.max()) + 1)]
    at = _clumps(
        np.array([len(each) / len(rating) for each in groups]),
        np.array([each.mean() for each in groups]),
        np.array([max(float(each.std()), LEAST_SPREAD) for each in groups]),
        rating,
        error,
    )
    for _ in range(CLUMP_ROUNDS):
        before, at = at, at.improved(rating, error)
        if at.log_likelihood - before.log_likelihood < 1e-4:
            break
    return at


def _clumps(share: Floats, center: Floats, spread: Floats, rating: Floats, error: Floats) -> Clumps:
    log = _log_densities(share, center, spread, rating, error)
    high = log.max(axis=1)
    total = float(np.sum(high + np.log(np.sum(np.exp(log - high[:, None]), axis=1))))
    return Clumps(share=share, center=center, spread=spread, log_likelihood=total)


def _log_densities(
    share: Floats, center: Floats, spread: Floats, rating: Floats, error: Floats
) -> Floats:
    """Log of share times density of each item in each clump, (items, clumps)."""
    variance = error[:, None] ** 2 + spread**2
    with np.errstate(divide="ignore"):
        log_share = np.log(share)
    return log_share - 0.5 * (np.log(variance) + (rating[:, None] - center) ** 2 / variance)


# How many comparisons it takes, with an interval that holds over pilots.

SPREADS: Floats = np.exp(np.linspace(math.log(0.1), math.log(6.0), 25))
"""Standard deviations of ratings that are looked at, in logits."""
EACH: Floats = np.exp(np.linspace(math.log(0.25), math.log(MOST_EACH), 18))
"""Comparisons an item at which accuracy is known; it is interpolated between these."""
DRAWS = 60
"""Populations like the pilot's items."""
KERNEL = 0.25
"""Standard deviation of what items may differ from those of the pilot, as a share of theirs."""
SMOOTH = 150
"""Items from which on nothing is added to how they lie."""
LEAST_TOLD = 1e-3
"""Information about an item, at least."""
DENSE = 600
"""Items of a pilot up to which the spread's posterior is computed without approximation."""


@dataclass(frozen=True, eq=False)
class Forecast:
    """Accuracy by comparisons an item, for populations of items that the pilot allows for.

    Parameters
    ----------
    normal : (2 spreads, steps) array
        If ratings are normal, or peaked as Laplace's, for each of several spreads.
    weight : (2 spreads,) array
        How probable these are.
    alike : (draws, steps) array
        If items are like those of the pilot, which are drawn again.
    spread, noise : float
        Standard deviation of ratings in logits, and variance of answers as a share of that of
        coins.
    clumps : Clumps or None
        Two clumps into which the pilot's items fall: these are then drawn again, and ratings are
        not taken for normal.
    """

    normal: Floats
    weight: Floats
    alike: Floats
    spread: float
    noise: float
    clumps: Clumps | None = None

    def needed(self, target: float, items: int, level: float) -> Estimate:
        """Comparisons of so many items for a share of labels that are right."""

        def each(curves: Floats) -> Floats:
            return np.array([_crossing(curve, target) for curve in curves]) * items

        return self._estimate(each(self.normal), each(self.alike), level, MOST_EACH * items)

    def reached(self, budget: int, items: int, level: float) -> Estimate:
        """Share of labels that are right with so many comparisons of so many items."""
        at = math.log(max(budget / items, 1e-9))

        def share(curves: Floats) -> Floats:
            steps = np.log(EACH)
            if at < steps[0]:  # below what is known, accuracy rises as it does from no answer
                return 0.5 + (curves[:, 0] - 0.5) * math.sqrt(math.exp(at - float(steps[0])))
            return np.array([_interpolated(at, steps, curve) for curve in curves])

        return self._estimate(share(self.normal), share(self.alike), level, None)

    @cached_property
    def curve(self) -> tuple[Floats, Floats, Floats, Floats]:
        """Comparisons an item, and the accuracy with its interval (95%)."""
        points = [
            self._estimate(self.normal[:, k], self.alike[:, k], 0.95, None)
            for k in range(len(EACH))
        ]
        value, low, high = (
            np.array([getattr(each, name) for each in points]) for name in ("value", "low", "high")
        )
        return EACH, value, low, high

    def _estimate(
        self, normal: Floats, alike: Floats, level: float, most: float | None
    ) -> Estimate:
        """Take the median of both, and the union of their intervals."""
        lines = [(alike, np.full(len(alike), 1 / len(alike)))]
        if self.clumps is None:
            lines.append((normal, self.weight))
        tail = (1 - level) / 2
        ends = [[_quantile(*line, q) for q in (tail, 1 - tail)] for line in lines]
        values, weights = (np.concatenate([line[k] for line in lines]) for k in (0, 1))
        value = _quantile(values, weights, 0.5)
        return Estimate(
            value,
            low=min(low for low, _ in ends),
            high=max(high for _, high in ends),
            level=level,
            method=POSTERIOR.name,
            bounds=None if most is None else (0.0, most),
        )


def forecast(pilot: Comparisons, rng: np.random.Generator) -> Forecast:
    r"""Find what a pilot says of the spread of all items, and of the accuracy that follows.

    The posterior of the spread is the quasi-marginal likelihood on a grid, flat in its logarithm,

    .. math:: l(\theta_\tau) / \phi - |\theta_\tau|^2 / 2 \tau^2 - N \ln \tau
              - \tfrac12 \ln |H / \phi + I / \tau^2|

    so that the pilot's items count as a sample. Ratings are normal, or have the peak and the tails
    of Laplace's distribution, each as far as the answers say so. A second line uses neither
    distribution: ratings are drawn from their posterior, and items with Dirichlet weights. Where
    the items fall into two clumps, that line stands alone, and ratings are drawn around these.
    """
    n = len(pilot.items)
    first = fit_posterior(pilot, n)
    noise = _pilot_noise(pilot, first.rating, first.sd)
    rating, covariance, spread = first.rating, None, first.spread
    if n > DENSE:
        error = np.log(SPREADS / first.spread) / first.spread_error
        weight = np.exp(-0.5 * error**2)
    else:
        log = np.array([_fit(pilot, spread, noise)[0] for spread in SPREADS])
        weight = np.exp(log - log.max())
        spread = float(SPREADS[int(np.argmax(log))])
        _, rating, covariance = _fit(pilot, spread, noise)
    weight /= weight.sum()
    variance = first.sd**2 if covariance is None else np.diag(covariance)
    # What answers say without the prior, which would hide that there is nothing in the middle.
    precision = np.maximum(1 / variance - spread**-2, LEAST_TOLD)
    clumps = find_clumps(rating / (variance * precision), precision**-0.5)
    if clumps is not None:
        drawn = clumps.draw(rating / (variance * precision), precision**-0.5, DRAWS, rng)
    elif covariance is None:
        drawn = rating + first.sd * rng.standard_normal((DRAWS, n))
    else:
        root = np.linalg.cholesky(covariance + 1e-10 * np.eye(n))
        drawn = rating + rng.standard_normal((DRAWS, n)) @ root.T
    mass = rng.dirichlet(np.ones(n), DRAWS)
    kernel = KERNEL * (spread if clumps is None else clumps.within)
    alike = np.array([_alike(row, w, noise, kernel) for row, w in zip(drawn, mass, strict=True)])
    shapes = peaked_weights(rating / (variance * precision), precision**-0.5, weight)
    normal = np.array(
        [
            _curve(made(float(each), noise))
            for made in (normal_population, peaked_population)
            for each in SPREADS
        ]
    )
    return Forecast(
        normal, shapes.ravel(), alike, math.exp(float(weight @ np.log(SPREADS))), noise, clumps
    )


def _fit(pilot: Comparisons, spread: float, noise: float) -> tuple[float, Floats, Floats]:
    """Find the log marginal likelihood of a spread, most probable ratings, and their covariance."""
    from headcount.pairwise._kernels import rate_steps

    n, weight = len(pilot.items), pilot.weights / noise
    rating: Floats = rate_steps(
        np.zeros(n), pilot.left, pilot.right, pilot.outcome, weight, np.ones(len(pilot)),
        np.array([len(pilot)]), spread**-2,
    )[0]  # fmt: skip
    gap = rating[pilot.left] - rating[pilot.right]
    information = weight * 0.25 / np.cosh(gap / 2) ** 2
    matrix = np.eye(n) / spread**2
    np.add.at(matrix, (pilot.left, pilot.left), information)
    np.add.at(matrix, (pilot.right, pilot.right), information)
    np.add.at(matrix, (pilot.left, pilot.right), -information)
    np.add.at(matrix, (pilot.right, pilot.left), -information)
    likelihood = float(np.sum(weight * (pilot.outcome * gap - np.logaddexp(0.0, gap))))
    penalty = float(np.sum(rating**2)) / (2 * spread**2) + n * math.log(spread)
    log = likelihood - penalty - 0.5 * float(np.linalg.slogdet(matrix)[1])
    covariance: Floats = np.linalg.inv(matrix).astype(np.float64)
    return log, rating, covariance


def _pilot_noise(pilot: Comparisons, rating: Floats, sd: Floats) -> float:
    """Estimate the variance of the answers as a share of what the model says, leverages removed."""
    p = 0.5 * (1 + np.tanh((rating[pilot.left] - rating[pilot.right]) / 2))
    information = pilot.weights * p * (1 - p)
    leverage = np.minimum(p * (1 - p) * (sd[pilot.left] ** 2 + sd[pilot.right] ** 2), 0.9)
    squares = float(np.sum(pilot.weights * (pilot.outcome - p) ** 2 / (1 - leverage)))
    return max(squares / float(np.sum(information)), 0.05)


def _alike(rating: Floats, mass: Floats, noise: float, kernel: float) -> Floats:
    """Foresee the accuracy of items like some, each a little apart from one of them."""
    centred = rating - mass @ rating
    variance = float(mass @ centred**2)
    if len(rating) > SMOOTH:
        return _curve(Population(centred, mass, noise))
    # Three points with the variance of the kernel; the whole keeps the variance of the items.
    moves = kernel * np.array([-math.sqrt(1.5), 0.0, math.sqrt(1.5)])
    points = centred[:, None] * math.sqrt(variance / (variance + kernel**2)) + moves[None, :]
    return _curve(Population(points.ravel(), np.repeat(mass, 3) / 3, noise))


def _curve(population: Population) -> Floats:
    return np.array([population.accuracy(float(each)) for each in EACH])


def _crossing(curve: Floats, target: float) -> float:
    """Comparisons an item at which a rising curve reaches a target; infinite if it does not."""
    if curve[-1] < target:
        return math.inf
    if curve[0] >= target:
        return float(EACH[0])
    return math.exp(_interpolated(target, np.maximum.accumulate(curve), np.log(EACH)))


def _interpolated(x: float, points: Floats, values: Floats) -> float:
    value: Any = np.interp(x, points, values)
    return float(value)


def _quantile(values: Floats, weight: Floats, q: float) -> float:
    order = np.argsort(values, kind="stable")
    total: Floats = np.cumsum(weight[order]).astype(np.float64)
    index: Any = np.searchsorted(total, q * float(total[-1]))
    return float(values[order][min(int(index), len(values) - 1)])

"""The prior of ratings: how wide it is, where there is one, and what rests on it."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, replace
from importlib import import_module
from typing import Any, NamedTuple

import numpy as np

from headcount import options
from headcount.data.comparisons import Comparisons
from headcount.errors import OptionError, count, option, some
from headcount.pairwise.answers import Graph, group_sentences
from headcount.pairwise.likelihood import Model, PairWins, Point, Spot, maximise, sparse_hessian
from headcount.pairwise.ties import HALF, TieModel
from headcount.results.notes import Notes
from headcount.typing import Codes, Floats

__all__ = [
    "AUTO_PRIOR",
    "NO_PRIOR",
    "check_prior",
    "given_prior",
    "needs_prior",
    "what_compares",
    "spread_of",
    "Evidence",
    "SPREAD_TOLERANCE",
    "fit_prior",
    "WIDER",
    "average_moves",
    "MANY_ITEMS",
    "tell_of_prior",
]


# The spread :math:`\tau` of a normal prior is fitted by its marginal likelihood, with ratings
# integrated out, under a lognormal prior of its own around 1. The largest one is taken that the
# answers do not speak against: of which the logarithm is 1.35 lower, the end of a one-sided
# interval of 95%. Too large a spread costs a little width, too small a one costs coverage.
#
# Where items have few answers, ratings are integrated out by expectation propagation (see
# :class:`Evidence`); with many, and for rankings, by Laplace's approximation, which draws the
# likeliest spread down where answers are few:
#
# .. math:: \log p(\tau) = \ell(\hat\theta_\tau) - \frac{|\hat\theta_\tau|^2}{2 \tau^2}
#           - n \log \tau - \tfrac12 \log |H_\tau + I / \tau^2| - \tfrac12 \log^2 \tau

AUTO_PRIOR, FITTED_PRIOR, NO_PRIOR = WORDS = ("auto", "fitted", "none")
"""A prior where a rating would have no bound; one in any case; and none."""
LIMITS = (1e-6, 1e6)
"""Priors of ratings that can be computed with, in logits."""
MOST_APART = 3
"""Groups of items that are rated apart, beside a prior that nobody asked for."""
SPREADS = (0.1, 10.0)
"""Spreads among which the likeliest is looked for, in logits."""
STEPS, HALVINGS = 9, 6
WALK, BETWEEN = 0.2, 200
"""Step in the logarithm of a spread, in which slopes are taken as linear; parts of it."""
FALL = 1.35
"""By how much the log-likelihood of a spread may be lower than that of the likeliest."""
DENSE = 1000
"""Items up to which a determinant is that of a dense matrix."""
MOST_WALKS = 5e7
"""Products to compute, at most, for the third and fourth term of the series of a determinant."""


def check_prior(prior: Any) -> float | str | None:
    """Check a prior: a standard deviation, one of the words, or None for none."""
    if prior is None or (isinstance(prior, str) and prior == NO_PRIOR):
        return None
    if isinstance(prior, str):
        if prior in WORDS:
            return prior
        try:
            prior = float(prior)
        except ValueError:
            raise OptionError(
                f"{option('prior')} must be a standard deviation in logits, such as 1 or 2, or one "
                f"of {', '.join(WORDS)}; not {prior!r}."
            ) from None
    return options.number(
        prior,
        "prior",
        least=LIMITS[0],
        most=LIMITS[1],
        such_as="1 or 2 (a standard deviation in logits)",
    )


def given_prior(prior: float | str | None) -> float | None:
    """Return a prior that was given as a number; None for none, and for one to be fitted."""
    return None if isinstance(prior, str) else prior


def needs_prior(prior: float | str | None, graph: Graph) -> bool:
    """Say whether the spread of a prior is to be fitted: asked for, or for want of a bound."""
    if prior != AUTO_PRIOR:
        return prior == FITTED_PRIOR
    return bool(np.any(graph.compared & ~graph.finite))


def what_compares(prior: float | str | None, graph: Graph) -> Codes:
    """Tell which items compare with each other: (items,) codes.

    A prior that was asked for makes everything compare. One that is fitted for want of a bound
    leaves a few groups apart, of which no answer says how they compare; but where items fall into
    many, as after the first answers to each, these are draws of one population.
    """
    groups = graph.n_components - int(np.sum(~graph.compared))
    apart = prior is None or (prior == AUTO_PRIOR and groups <= MOST_APART)
    return graph.component if apart else np.zeros_like(graph.component)


def likely_spread(slope: Callable[[float], float]) -> float:
    """Fit the spread of a prior: the largest that its marginal likelihood leaves open.

    Parameters
    ----------
    slope : callable
        Derivative of the log marginal likelihood by the logarithm of the spread.

    Notes
    -----
    Some ten spreads are looked at, from 1 downwards until the slope is positive, then upwards until
    the likelihood has fallen as far as it may. Slopes of more spreads than that are not needed.
    """
    low, high = (math.log(s) for s in SPREADS)

    def at(t: float) -> tuple[float, float]:
        return t, slope(math.exp(t)) - t  # that of the lognormal prior beside

    walked = [at(0.0)]
    while walked[0][1] < 0 and walked[0][0] > low:
        walked.insert(0, at(walked[0][0] - WALK))
    while walked[-1][0] < high:
        t, value = _summed(walked)
        if value[-1] < value.max() - FALL:
            break
        walked.append(at(walked[-1][0] + WALK))
    t, value = _summed(walked)
    best = int(value.argmax())
    open_ = value[best:] >= value[best] - FALL
    last = best + (len(open_) if open_.all() else int(open_.argmin())) - 1
    return float(f"{math.exp(t[last]):.3g}")


def _summed(walked: list[tuple[float, float]]) -> tuple[Floats, Floats]:
    """Add slopes up, between the spreads that were looked at as well."""
    ends: Floats = np.array([t for t, _ in walked])
    slopes: Floats = np.array([slope for _, slope in walked])
    places = np.arange(1 + BETWEEN * (len(ends) - 1)) / BETWEEN
    t: Floats = np.interp(places, np.arange(len(ends)), ends).astype(np.float64)
    between: Floats = np.interp(t, ends, slopes).astype(np.float64)
    steps = (between[1:] + between[:-1]) / 2 * np.diff(t)
    return t, np.concatenate([[0.0], np.cumsum(steps)])


def spread_of(climb: Callable[[float], tuple[Spot, Any]], *, noise: float = 1.0) -> float:
    """Fit the spread of a prior as :func:`likely_spread` does, by Laplace's approximation.

    Parameters
    ----------
    climb : callable
        From a spread to the maximum with it, and the negative Hessian of the ratings there, as a
        sparse array.
    noise : float
        Variance of answers as a share of what the model says.

    Notes
    -----
    About 25 fits. A determinant of more than 1,000 items is approximated by four terms of the
    series of its logarithm.
    """

    def evidence(t: float) -> float:
        # Answers that count 1 / noise, beside this prior, are answers that count once beside that.
        point, hessian = climb(math.exp(t) / math.sqrt(noise))
        n = hessian.shape[0]
        return point.value / noise - n * t - 0.5 * _log_determinant(hessian) - 0.5 * t**2

    low, high = (math.log(s) for s in SPREADS)
    grid: list[float] = np.linspace(low, high, STEPS).tolist()
    best = max(grid, key=evidence)
    width = grid[1] - grid[0]
    highest = evidence(best)
    for _ in range(HALVINGS):
        width /= 2
        for t in (best - width, best + width):
            if low <= t <= high and (value := evidence(t)) > highest:
                best, highest = t, value
                break
    top, too_far = best, high
    for _ in range(HALVINGS + 2):
        middle = (top + too_far) / 2
        top, too_far = (middle, too_far) if evidence(middle) > highest - FALL else (top, middle)
    return float(f"{math.exp(top):.3g}")


def _log_determinant(matrix: Any) -> float:
    """Logarithm of the determinant of a positive matrix with a heavy diagonal."""
    n = matrix.shape[0]
    if n <= DENSE:
        return float(np.linalg.slogdet(matrix.toarray())[1])
    sparse: Any = import_module("scipy.sparse")
    diagonal: Floats = matrix.diagonal()
    scale = sparse.diags_array(1 / np.sqrt(diagonal))
    # log |D - A| = sum log d - tr B^2 / 2 - tr B^3 / 3 - tr B^4 / 4 - ..., B = D^-1/2 A D^-1/2
    b = scale @ (sparse.diags_array(diagonal) - matrix) @ scale
    out = float(np.sum(np.log(diagonal))) - 0.5 * float((b * b).sum())
    if b.nnz**2 / n < MOST_WALKS:
        twice = b @ b
        out -= float((twice * b).sum()) / 3 + float((twice * twice).sum()) / 4
    return out


# How likely a spread of the ratings is, with the ratings integrated out.
#
# The derivative of the marginal likelihood of :math:`\tau`, the standard deviation of n ratings, is
#
# .. math:: \frac{d \log p(\tau)}{d \log \tau} = \frac{1}{\tau^2} \sum_i E[\theta_i^2] - n
#
# (Fisher's identity), with the mean over what the answers leave open at that spread. That is found
# by expectation propagation: each pair of items passes a normal message on to both, such that the
# mean and variance of their difference are right if everything else is normal. It is exact where
# pairs do not touch each other, and close wherever items have few answers, which is where Laplace's
# approximation draws the spread down.

NODES = 24
"""Points at which a difference is integrated over."""
MOST_EACH = 10.0
"""Answers to a pair that count, at most: more would be too sharp for the points."""
ROUNDS, CLOSE, DAMPED = 60, 1e-4, 0.3
"""Rounds of messages, at most; changes at which they end; what is kept of the last message."""
CHUNK = 50_000
"""Pairs that are integrated at a time."""


@dataclass(eq=False, kw_only=True)
class Evidence:
    """Answers to pairs, and the messages that they passed on last, to start from.

    Parameters
    ----------
    wins : PairWins
    ties : TieModel
    shift, cut : float
        Advantage of the left side, and the parameter of ties.
    noise : float
        Variance of answers as a share of what the model says: less than 1 with ties as halves.
    """

    wins: PairWins
    ties: TieModel
    shift: float = 0.0
    cut: float = 0.0
    noise: float = 1.0

    def __post_init__(self) -> None:
        wins, cells = self.wins, len(self.wins.first)
        tie = wins.tie if len(wins.tie) else np.zeros(cells)
        number = wins.win + tie + wins.loss
        scale = np.minimum(1.0, MOST_EACH / np.maximum(number, MOST_EACH)) / self.noise
        self._told = np.array([wins.win, tie, wins.loss]) * scale
        self._side: Codes = np.concatenate([wins.first, wins.second]).astype(np.int64)
        self._precision = np.zeros(2 * cells)
        self._pull = np.zeros(2 * cells)
        self._nodes, self._node_weights = np.polynomial.hermite_e.hermegauss(NODES)

    def slope(self, spread: float) -> float:
        """Differentiate the log marginal likelihood by the logarithm of the spread."""
        mean, variance = self.moments(spread)
        return float(np.sum(mean**2 + variance)) / spread**2 - self.wins.n_items

    def moments(self, spread: float) -> tuple[Floats, Floats]:
        """Find means and variances of the ratings, at a spread. O(pairs) a round."""
        half = len(self.wins.first)
        for _ in range(ROUNDS):
            total, pull = self._totals(spread)
            rest = total[self._side] - self._precision
            variance = 1 / rest
            mean = (pull[self._side] - self._pull) * variance
            gap, spread_of_gap = mean[:half] - mean[half:], variance[:half] + variance[half:]
            new_gap, new_spread = self._integrated(gap, spread_of_gap)
            part = variance / np.tile(spread_of_gap, 2)
            moved = np.concatenate([new_gap - gap, gap - new_gap])
            after = variance + part**2 * np.tile(new_spread - spread_of_gap, 2)
            precision = np.maximum(1 / after - rest, 0.0)
            pulled = (mean + part * moved) / after - mean * rest
            change = np.abs(precision - self._precision).max(initial=0.0)
            change = max(change, np.abs(pulled - self._pull).max(initial=0.0))
            self._precision += (1 - DAMPED) * (precision - self._precision)
            self._pull += (1 - DAMPED) * (pulled - self._pull)
            if change < CLOSE:
                break
        total, pull = self._totals(spread)
        return pull / total, 1 / total

    def _totals(self, spread: float) -> tuple[Floats, Floats]:
        n = self.wins.n_items
        precision: Floats = np.bincount(self._side, self._precision, n).astype(np.float64)
        return spread**-2 + precision, np.bincount(self._side, self._pull, n).astype(np.float64)

    def _integrated(self, gap: Floats, variance: Floats) -> tuple[Floats, Floats]:
        """Mean and variance of differences, normal before their answers are counted."""
        out = np.empty((2, len(gap)))
        for start in range(0, len(gap), CHUNK):
            part = slice(start, start + CHUNK)
            at = gap[part, None] + np.sqrt(variance[part, None]) * self._nodes
            fits = np.zeros(at.shape)
            chances = self.ties.probabilities((at + self.shift).ravel(), self.cut)
            for counts, chance in zip(self._told[:, part], chances, strict=True):
                if counts.any():
                    fits += counts[:, None] * np.log(np.maximum(chance, 1e-300)).reshape(at.shape)
            fits = self._node_weights * np.exp(fits - fits.max(axis=1, keepdims=True))
            fits /= fits.sum(axis=1, keepdims=True)
            mean = np.sum(fits * at, axis=1)
            out[:, part] = mean, np.sum(fits * (at - mean[:, None]) ** 2, axis=1)
        return out[0], np.maximum(out[1], 1e-12 * variance)


# The prior that answers ask for: how far ratings spread, and how much answers vary around them.

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
    if 2 * weight > MANY_EACH * noise * wins.n_items:
        return FittedPrior(spread_of(climb, noise=noise), noise)
    shift, cut = (float(x) for x in point.z[-2:])
    evidence = Evidence(wins=wins, ties=ties, shift=shift, cut=cut, noise=noise)
    return FittedPrior(likely_spread(evidence.slope), noise)


def _noise(point: Point, played: Comparisons) -> float:
    """Tell how much less answers vary because of ties."""
    tied = float(np.sum(played.weights * played.outcome * (1 - played.outcome)))
    return max(1 - tied / float(np.sum(point.curve)), LEAST_NOISE)


# Where the average item lies, if a prior draws the ratings of some items in.

WIDER = 5.0
"""Times a prior is widened, for the average of ratings that it hardly draws in."""
FAR = 50.0
MANY_ITEMS = 5
"""Items without a bound from which on a prior draws in so many that the average moves."""


def average_moves(rating: Floats, sd: Floats, wider: Floats) -> float:
    """Find by how much ratings are too low, as seen from the average item.

    A prior draws in the items that lie far out. Where these are on one side, as with skewed ratings
    or a few items far above the others, their average moves as well, and with it the side on which
    items in the middle lie. A wider prior leaves the average where it is; the items in the middle,
    which both leave alone, tell how far apart the two averages are.

    Parameters
    ----------
    rating, sd : (items,) arrays
        With mean 0, and how far they may be off.
    wider : (items,) array
        Ratings with a prior that is wider, with mean 0.

    Examples
    --------
    >>> rating = np.array([-0.5, -0.4, 0.0, 0.1, 0.8])
    >>> wider = np.array([-0.7, -0.6, -0.2, -0.1, 1.6])
    >>> round(average_moves(rating, np.full(5, 0.3), wider), 2)
    -0.19
    """
    precision = np.isfinite(rating) & np.isfinite(wider) & (sd > 0)
    if not precision.any():
        return 0.0
    weight = np.exp(-0.5 * np.minimum((rating[precision] / sd[precision]) ** 2, FAR))
    return float(np.sum(weight * (wider - rating)[precision]) / np.sum(weight))


# What rests on a prior, in words.

FEW_EACH = 1.5
"""Answers an item, on average, below which the spread of the ratings is not told."""


def tell_of_prior(
    graph: Graph,
    comparisons: Comparisons,
    prior: float,
    notes: Notes,
    *,
    fitted: bool = False,
    apart: bool = False,
) -> None:
    """Say what rests on the prior alone; `apart` are groups with no comparison between them."""
    never = comparisons.items[~graph.compared].tolist()
    groups = graph.n_components - len(never)
    held = int((graph.compared & ~graph.finite).sum())
    if fitted and held:
        notes.caution(
            f"{held:,} of {count(int(graph.compared.sum()), 'item')} would have no finite rating: "
            "their comparisons are too few, or all went one way. All ratings are therefore drawn "
            f"towards the average, by a normal prior whose standard deviation, {prior:.3g} logits, "
            f"was fitted; {option('prior', NO_PRIOR)} rates without it.",
            short="too few comparisons for finite ratings: a prior draws all towards the average.",
            rank=4,
        )
        _name_unbeaten(graph, comparisons, notes)
    if fitted and 2 * len(comparisons) < FEW_EACH * int(graph.compared.sum()):
        notes.warning(
            "Most items were compared only once, which does not show how far apart they are: "
            "ratings show only who won, and intervals are as wide as the prior. Compare the items "
            "again, with other partners."
        )
    if apart:
        notes.extend(group_sentences(graph))
    elif groups > 1:
        notes.caution(
            f"The items fall into {groups:,} groups with no comparison between them; across "
            "groups ratings compare only as far as the prior is right that all groups have the "
            "same mean."
        )
    if never:
        notes.caution(
            f"{count(len(never), 'item')} never compared; the rating is that of the prior: "
            f"{some(never)}."
        )
    if held and not fitted:
        notes.caution(
            f"{count(held, 'rating')} would have no bound, or not be determined, but for the prior "
            f"(its standard deviation in logits: {prior:g})."
        )


def _name_unbeaten(graph: Graph, comparisons: Comparisons, notes: Notes) -> None:
    """Name items that won everything, or nothing."""
    for which, word in ((graph.undefeated, "undefeated"), (graph.winless, "winless")):
        names = [comparisons.items[i] for i in which]
        if names:
            met = comparisons.appearances[list(which)]
            least, most = int(met.min()), int(met.max())
            often = f"{least:,}" if least == most else f"{least:,} to {most:,}"
            notes.info(
                f"{count(len(names), 'item')} {word}, in {often} "
                f"{'comparison' if most == 1 else 'comparisons'} each: {some(names)}."
            )

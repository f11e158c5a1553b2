"""Whether ratings look as if Phi's model had made them; where they do not, Phi is withheld."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from headcount.agreement.phi_model import Binned, gold_weights, group, weights
from headcount.agreement.phi_posterior import Likelihood, Posterior, make_likelihood
from headcount.agreement.phi_ratings import PhiRatings, PhiScale
from headcount.errors import count, some
from headcount.stats.arrays import group_sums
from headcount.typing import Codes, Flags, Floats, Ids, Ints

__all__ = [
    "within_variance",
    "random_variance",
    "doubts",
]


# A posterior says how sure one may be of Phi if the model holds. It does not say whether it does.

REPLICATES, CELLS = 99, 33
"""Data sets drawn from the posterior, and precisions with priors that they are drawn for: each
needs tables of its own."""
MOST_ITEMS = 400
"""Items that are drawn again, at most: so many show what does not fit."""
MOST_RATINGS, LEAST_ITEMS = 5 * 10**4, 8
"""Ratings of these, at most; but so many items where each has more."""
MOST_ROUNDED = 100_000
"""Items that are rounded, at most."""
FAR = 3.0
"""Standard deviations from what is drawn at which a statistic does not fit."""
FAR_OF_SOME = 4.0
"""The same for some of the items: the posterior, of all of them, has not been fitted to these."""
COARSE = 5
"""Bins to which fine ratings are rounded, to see if Phi depends on how fine they are."""
LEAST_CHANGE = 0.1
"""Change of Phi by rounding that matters."""
NODES = 0.4
"""Distance of the nodes among which central values are drawn."""
MOST_NAMED = 5
"""Items that are named as not fitting, at most."""
SEED = 20170
"""Of the replicates: a check gives the same answer every time."""

STATISTICS = (
    "ratings of an item are {} spread out than it leads to expect",
    "opposite ratings of an item are {} common than it leads to expect",
    "items differ {} in how much they are agreed on than it leads to expect",
    "two ratings at the same end of the scale are {} common than it leads to expect",
    "one rating at an end of the scale and another inside is {} common than it leads to expect",
)
"""What each statistic of :func:`_statistics` says where it does not fit."""


def within_variance(data: PhiRatings) -> float:
    """Mean over items of the variance of their ratings, on the scale from 0 to 1."""
    unit = (data.x - data.scale.low) / (data.scale.high - data.scale.low)
    return float(np.average(_variances(data.item, unit, len(data.ids)), weights=data.weight))


def random_variance(scale: PhiScale) -> float:
    """Variance of ratings at random, all over the scale: 1/12, or that of equally likely points."""
    points = scale.points
    return 1 / 12 if points is None else (points + 1) / (12 * (points - 1))


def doubts(data: PhiRatings, like: Likelihood, posterior: Posterior) -> str:
    """Say what speaks against the model; "" where it fits, or there is too little to see."""
    gold = bool(np.isfinite(data.truth).any())  # true values may be wrong without harm
    if not data.unbiased or data.unanimous or data.n_items < 3 or gold:
        return ""
    checks = (_predictive(data, like, posterior), _rounding(data, posterior))
    return " and ".join(filter(None, checks))


def _predictive(data: PhiRatings, like: Likelihood, posterior: Posterior) -> str:
    """Draw data sets from the posterior, and compare five statistics of them with the data's."""
    rng = np.random.default_rng(SEED)
    item, unit, pattern, ids = _chosen(data, like)
    n = len(pattern)
    observed, variance = _statistics(item, unit, n, data.scale)
    drawn, variances = np.empty((REPLICATES, len(observed))), np.empty((REPLICATES, n))
    sampler = _Sampler(like, pattern, posterior)
    cells = sampler.cells(rng)
    for row in range(REPLICATES):
        p, mu = sampler.draw(cells[row % len(cells)], rng)
        replicate = _rounded(rng.beta(p * mu[item], p * (1 - mu[item])), data.scale.points)
        drawn[row], variances[row] = _statistics(item, replicate, n, data.scale)
    # Of pairs that hardly ever come up, one more or less says nothing.
    one_pair = np.array([0, 1, 0, 1, 1]) / _pairs(item, n)
    spread = np.hypot(drawn.std(axis=0, ddof=1), one_pair)
    away = np.divide(observed - drawn.mean(axis=0), spread, out=np.zeros(5), where=spread > 0)
    worst = int(np.abs(away).argmax())
    if abs(away[worst]) <= (FAR if n == data.n_items else FAR_OF_SOME):
        return ""
    above = variance - variances.mean(axis=0)
    apart = np.flatnonzero(variance > variances.max(axis=0))
    order = apart[np.argsort(-above[apart])].tolist()
    names = [] if ids is None else [str(ids[i]) for i in order]
    why = STATISTICS[worst].format("more" if away[worst] > 0 else "less")
    # One in a hundred is beyond all replicates by chance.
    if len(names) > 0.03 * n:
        why += f"; look at items {some(names[:MOST_NAMED], MOST_NAMED)}"
    return why


def _rounding(data: PhiRatings, posterior: Posterior) -> str:
    """Fit fine ratings again, rounded to five bins, which should change Phi little."""
    if data.scale.binned:
        return ""
    data = data.some_items(MOST_ROUNDED)
    unit = data.scale.unit(data.x)
    bins = np.minimum((unit * COARSE).astype(np.int64), COARSE - 1)
    coarse = replace(
        data, x=bins / (COARSE - 1), scale=PhiScale(0.0, 1.0, points=COARSE, squeeze=COARSE)
    )
    if coarse.unanimous:
        return ""
    other = make_likelihood(coarse).posterior()
    (mean, sd), (again, coarse_sd) = posterior.log_precision(), other.log_precision()
    error = np.sqrt(max(coarse_sd**2 - sd**2, coarse_sd**2 / 4))
    if abs(again - mean) <= FAR * error or abs(other.mean - posterior.mean) <= LEAST_CHANGE:
        return ""
    return (
        f"it changes from {posterior.mean:.2f} to {other.mean:.2f} if ratings are rounded to "
        f"{count(COARSE, 'point')}"
    )


def _statistics(item: Codes, unit: Floats, n: int, scale: PhiScale) -> tuple[Floats, Floats]:
    """Five statistics that do not change if items are turned around; and variances of the items."""
    ratings = np.bincount(item, minlength=n).astype(np.float64)
    pairs = _pairs(item, n)
    variance = _variances(item, unit, n)

    def number(where: Flags) -> Floats:
        return group_sums(item, where.astype(np.float64), n)

    low, high = number(unit < 1 / 3), number(unit > 2 / 3)
    end = 0.0 if scale.points is None else 1 / scale.points
    bottom, top = number(unit < end), number(unit > 1 - end)
    same = (bottom * (bottom - 1) + top * (top - 1)) / 2
    mixed = (bottom + top) * (ratings - bottom - top)
    statistics = (
        variance.mean(),
        (low * high).sum() / pairs,
        variance.std(),
        same.sum() / pairs,
        mixed.sum() / pairs,
    )
    return np.array(statistics), variance


def _pairs(item: Codes, n: int) -> float:
    """Pairs of ratings of the same item."""
    ratings = np.bincount(item, minlength=n)
    return float((ratings * (ratings - 1)).sum() / 2)


def _variances(item: Codes, unit: Floats, n: int) -> Floats:
    ratings = np.bincount(item, minlength=n)
    mean = group_sums(item, unit, n) / ratings
    return group_sums(item, (unit - mean[item]) ** 2, n) / (ratings - 1)


def _rounded(x: Floats, points: int | None) -> Floats:
    """Round to the middle of the intervals of a scale of points."""
    if points is None:
        return x
    return (np.minimum(np.floor(x * points), points - 1) + 0.5) / points


def _chosen(data: PhiRatings, like: Likelihood) -> tuple[Codes, Floats, Ints, Ids | None]:
    """Choose items to draw again: item and place from 0 to 1 of each rating; pattern, id of each.

    At most `MOST_ITEMS` with `MOST_RATINGS`, evenly over their order: that of patterns, or of ids
    if each is its own.
    So the choice is the same of items one by one, and of patterns with the number of each; the
    latter have no ids.
    """
    ratings = like.patterns.ratings
    if like.pattern is None or not isinstance(ratings, Binned):
        chosen = data.some_items(_most(data))
        index = _evenly(len(data.ids), _most(data))
        return chosen.item, chosen.scale.unit(chosen.x), index, chosen.ids
    index = _evenly(data.n_items, _most(data))
    pattern = np.searchsorted(np.cumsum(like.patterns.weight), index, side="right")
    counts = ratings.counts[pattern].astype(np.int64)
    item, point = np.nonzero(counts)
    times = counts[item, point]
    unit = (np.repeat(point, times) + 0.5) / counts.shape[1]
    ids = None
    if data.weight is None:
        ids = data.ids[np.argsort(like.pattern, kind="stable")[index]]
    return np.repeat(item, times), unit, pattern, ids


def _most(data: PhiRatings) -> int:
    """Items that are drawn again at most: fewer where each has very many ratings."""
    return min(MOST_ITEMS, max(MOST_RATINGS * data.n_items // data.n_ratings, LEAST_ITEMS))


def _evenly(n: int, most: int) -> Ints:
    """Choose among so many items, by their places."""
    return np.arange(n) if n <= most else np.linspace(0, n - 1, most).astype(np.intp)


class _Sampler:
    """Draws a precision, and central values of items given their ratings, from the posterior."""

    def __init__(self, like: Likelihood, pattern: Ints, posterior: Posterior) -> None:
        self.posterior = posterior
        self.joint = np.cumsum(posterior.joint.ravel())
        used, self.item = np.unique(pattern, return_inverse=True)
        of = like.patterns.take(used)
        self.rows, self.groups = of.alike(), group(of, like.gold_sd)
        self.tables: dict[int, list[tuple[Floats, Floats]]] = {}

    def cells(self, rng: np.random.Generator) -> list[int]:
        """Draw cells of the posterior, a precision and a prior each, one from each equal part."""
        part = (np.arange(CELLS) + rng.random(CELLS)) / CELLS
        return np.minimum(np.searchsorted(self.joint, part), len(self.joint) - 1).tolist()

    def draw(self, cell: int, rng: np.random.Generator) -> tuple[float, Floats]:
        """Give the precision of a cell, and draw the central value of each item."""
        row, prior = divmod(cell, len(self.posterior.priors))
        p = float(self.posterior.p[row])
        if cell not in self.tables:
            self.tables[cell] = self._table(p, prior)
        out = np.empty(len(self.item))
        for rows, (mu, below) in zip(self.rows, self.tables[cell], strict=True):
            where = np.full(int(self.item.max()) + 1, -1)
            where[rows] = np.arange(len(rows))
            mine = where[self.item]
            items = np.flatnonzero(mine >= 0)
            # Items in rows of one sorted table: the row's number is added to both sides.
            flat = (below + np.arange(len(below))[:, None]).ravel()
            at = np.searchsorted(flat, mine[items] + rng.random(len(items)))
            out[items] = mu[np.clip(at - mine[items] * len(mu), 0, len(mu) - 1)]
        # At 0 and 1 a Beta has no density; so near it everybody says the same.
        return p, np.clip(out, 1e-9, 1 - 1e-9)

    def _table(self, p: float, prior: int) -> list[tuple[Floats, Floats]]:
        """Nodes, and the distribution function of each pattern's central value on them."""
        out: list[tuple[Floats, Floats]] = []
        priors = self.posterior.priors.take(np.array([prior]))
        for part in self.groups:
            at = part.nodes(p, priors, step=NODES)
            every = slice(0, part.ratings.patterns)
            log_table = part.ratings.log_density(p, at, every)
            density = np.exp(log_table - log_table.max(axis=1, keepdims=True))
            if part.gold is None:
                density *= weights(at, priors)[:, 0]
            else:
                density *= gold_weights(at, part.gold, every)
            below = np.cumsum(density, axis=1)
            out.append((at.mu, below / below[:, -1:]))
        return out

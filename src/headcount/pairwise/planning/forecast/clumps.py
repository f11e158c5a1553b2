"""Whether the items of a pilot fall into two clumps, and where they may stand then."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from headcount.typing import Codes, Floats

__all__ = ["Clumps", "find_clumps"]

SPLITS = (0.2, 0.35, 0.5, 0.65, 0.8)
"""Shares of the items in the lower clump from which it is looked for the best two."""
ROUNDS = 200
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
        """Draw ratings from what is known of them, (draws, items): which clump, and where in it."""
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
        told, prior = error[:, None] ** -2.0, self.spread**-2.0
        variance = 1 / (told + prior)
        return variance * (told * rating[:, None] + prior * self.center), variance

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
    one = _climb(np.zeros(len(rating), dtype=np.int64), rating, error)
    order = np.argsort(np.argsort(rating, kind="stable"), kind="stable")
    found = [_climb((order >= q * len(rating)).astype(np.int64), rating, error) for q in SPLITS]
    two = max(found, key=lambda each: each.log_likelihood)
    gain = two.log_likelihood - one.log_likelihood
    apart = abs(float(two.center[1] - two.center[0])) / float(two.spread.max())
    return two if gain > 1.5 * math.log(len(rating)) and apart > APART else None


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
    for _ in range(ROUNDS):
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

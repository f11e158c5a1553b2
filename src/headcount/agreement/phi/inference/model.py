"""The likelihood of Phi's model, with the central values of the items integrated out.

Given a precision p and a prior on the central values mu_i, items are independent, and each needs a
one-dimensional integral over its mu. All items share the nodes of the rule, and so do all priors:
the likelihood is tabulated once a precision (patterns x nodes), and a product with the weights of
the priors (nodes x priors) integrates everything at once.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from headcount.agreement.phi.inference.nodes import STEP, Nodes, nodes, weights
from headcount.agreement.phi.inference.prior import Priors
from headcount.typing import Flags, Floats

__all__ = [
    "Binned",
    "Continuous",
    "Gold",
    "Group",
    "Ratings",
    "gold_weights",
    "log_likelihood",
]


LEAST_LOG = -1e4
"""Stands for the logarithm of a probability that is zero in double precision."""
CELLS = 4_000_000
"""Likelihoods tabulated at once: 32 MB."""


class Ratings(ABC):
    """Ratings of items, as the likelihood needs them."""

    @property
    @abstractmethod
    def patterns(self) -> int:
        """Distinct items."""

    @property
    def smooth(self) -> Continuous | None:
        """These ratings, if their log likelihood is a smooth function of a total; else None."""
        return None

    @property
    def columns(self) -> Floats | None:
        """Columns that are equal where items are; None if hardly any two items are."""
        return None

    @abstractmethod
    def take(self, rows: NDArray[np.intp]) -> Ratings:
        """Keep some patterns."""

    @abstractmethod
    def turned(self, free: Flags) -> Ratings:
        """Turn those of `free` around so that an item and its mirror image look the same."""

    @abstractmethod
    def log_density(self, p: float, at: Nodes, rows: slice) -> Floats:
        """Log likelihood of items, (rows, nodes), less what does not depend on mu."""


@dataclass(frozen=True, eq=False)
class Continuous(Ratings):
    """Items that are rated by numbers between 0 and 1.

    The density of an item's ratings depends on mu through how many they are and the sum of their
    logits. The factor that does not, (x (1 - x))^(p/2 - 1), enters :func:`log_likelihood` once for
    all items. On a fine scale of points, those at the two ends of it stand for intervals, since
    the density may be infinite there; they are counted apart.

    Parameters
    ----------
    n, total : (patterns,) arrays
        Ratings that count as numbers, and the sum of their logits.
    low, high : (patterns,) arrays
        Ratings at the lowest and highest point.
    end : float
        Width of the intervals at the ends: 0 if there are none.
    """

    n: Floats
    total: Floats
    low: Floats
    high: Floats
    end: float = 0.0

    @property
    def patterns(self) -> int:
        """Distinct items."""
        return len(self.n)

    @property
    def smooth(self) -> Continuous:
        """These ratings."""
        return self

    def turned(self, free: Flags) -> Continuous:
        """Turn them so that the total is not negative."""
        # The counts at the ends decide where the total, 0, does not.
        turn = free & (np.where(self.total == 0, self.high - self.low, self.total) < 0)
        return Continuous(
            self.n,
            np.where(turn, -self.total, self.total),
            np.where(turn, self.high, self.low),
            np.where(turn, self.low, self.high),
            self.end,
        )

    def take(self, rows: NDArray[np.intp]) -> Continuous:
        """Keep some patterns."""
        return Continuous(self.n[rows], self.total[rows], self.low[rows], self.high[rows], self.end)

    def log_density(self, p: float, at: Nodes, rows: slice) -> Floats:
        """Log likelihood of items, (rows, nodes), less what does not depend on mu.

        x^(mu p - 1) (1-x)^((1-mu) p - 1) = exp(p (mu - 1/2) logit x) (x (1-x))^(p/2 - 1).
        """
        from scipy.special import betainc, gammaln  # pyright: ignore[reportMissingTypeStubs]

        inner = slice(1, -1)
        a, b = p * at.mu[inner], p * at.rest[inner]
        normal = np.full(len(at.mu), LEAST_LOG)  # at mu = 0 and 1 there is no density
        normal[inner] = gammaln(p) - gammaln(a) - gammaln(b)
        tilt = 0.5 * p * (at.mu - at.rest)
        out = self.n[rows, None] * normal + self.total[rows, None] * tilt
        if self.end:
            mass = np.zeros(len(at.mu))
            mass[0], mass[inner] = 1, betainc(a, b, self.end)
            log_mass = _log(mass)
            out += self.low[rows, None] * log_mass + self.high[rows, None] * log_mass[::-1]
        return out


@dataclass(frozen=True, eq=False)
class Binned(Ratings):
    """Items that are rated on equally spaced points: how often each point was chosen.

    Parameters
    ----------
    counts : (patterns, points) array
        Point j, from 0 on, stands for the interval (j, j + 1) / points.
    """

    counts: Floats

    @property
    def patterns(self) -> int:
        """Distinct items."""
        return len(self.counts)

    @property
    def columns(self) -> Floats:
        """How often each point was chosen."""
        return self.counts.T

    def turned(self, free: Flags) -> Binned:
        """Turn them so that the first point that differs from its mirror image is the rarer."""
        counts, other = self.counts, self.counts[:, ::-1]
        row, differs = np.arange(len(counts)), np.argmax(counts != other, axis=1)
        turn = free & (counts[row, differs] > other[row, differs])
        return Binned(np.where(turn[:, None], other, counts))

    def take(self, rows: NDArray[np.intp]) -> Binned:
        """Keep some patterns."""
        return Binned(self.counts[rows])

    def log_density(self, p: float, at: Nodes, rows: slice) -> Floats:
        """Log likelihood of items, (rows, nodes): Beta masses of the intervals, multiplied."""
        return self.counts[rows] @ self._log_masses(p, at)

    def _log_masses(self, p: float, at: Nodes) -> Floats:
        from scipy.special import betainc  # pyright: ignore[reportMissingTypeStubs]

        points = self.counts.shape[1]
        edge: Floats = np.linspace(0, 1, points + 1)[:, None]
        below = np.zeros((points + 1, len(at.mu)))
        inner = slice(1, -1)
        below[1:-1, inner] = betainc(p * at.mu[inner], p * at.rest[inner], edge[1:-1])
        below[-1] = 1
        below[1:, 0] = 1  # mu = 0: everybody says the lowest point
        # Nodes and edges are symmetric. The smaller tail keeps the digits of a small difference.
        above = below[::-1, ::-1]
        mass = np.where(at.mu < edge[:-1], above[:-1] - above[1:], below[1:] - below[:-1])
        return _log(mass)


@dataclass(frozen=True, eq=False)
class Gold:
    """Normal priors on mu for items whose true value is known: one mean a pattern."""

    mean: Floats
    sd: float


@dataclass(frozen=True, eq=False)
class Group:
    """Items that are integrated over the same nodes.

    Parameters
    ----------
    ratings : Ratings
    weight : (patterns,) or (subsets, patterns) array
        How many items each pattern stands for, in all or in each of several subsets of the items.
        Weights that interpolate (see :mod:`headcount.agreement.phi.inference.items`) may be
        negative; they sum to the number of items.
    most : int
        The largest number of ratings of an item: it sets the distance of the nodes.
    gold : Gold or None
        Priors of these items, in place of the common one.
    """

    ratings: Ratings
    weight: Floats
    most: int
    gold: Gold | None = None

    def nodes(self, p: float, priors: Priors, *, step: float) -> Nodes:
        """Place nodes that serve these items and several priors (see :func:`nodes`)."""
        sd = self.gold.sd if self.gold else 0.0
        return nodes(p, self.most, priors, gold_sd=sd, step=step)


def _log(x: Floats) -> Floats:
    """Logarithm that is never infinite: a count of 0 times it must be 0."""
    with np.errstate(divide="ignore"):
        return np.maximum(np.log(np.maximum(x, 0)), LEAST_LOG)


def log_likelihood(
    groups: Sequence[Group],
    p: float,
    priors: Priors,
    *,
    log_product: float | Floats = 0.0,
    step: float = STEP,
) -> Floats:
    r"""Log likelihood of a precision, for each of several priors of mu.

    .. math:: \sum_i w_i \log \int \prod_j f(x_{ij} \mid \mu, p) \, \pi(\mu) \, d\mu

    Parameters
    ----------
    groups : sequence of Group
    p : float
        Precision.
    priors : Priors
    log_product : float or (subsets,) array
        Sum over all continuous ratings of log(x (1 - x)) / 2, which has no part in the integrals.
    step : float
        Distance of nodes; 1.2 does for looking around.

    Returns
    -------
    (priors,) or (subsets, priors) array

    Notes
    -----
    O(patterns x nodes x (labels + priors)) time, and O(subsets x patterns x priors); nodes grow
    with sqrt(n p). The table is made in blocks of 32 MB.

    Examples
    --------
    One item with two uniform ratings, .5 and .5, at p = 2 and mu = 1/2: their density is 1.

    >>> none = np.zeros(1)
    >>> item = Continuous(n=np.array([2.0]), total=none, low=none, high=none)
    >>> group = Group(item, weight=np.ones(1), most=2)
    >>> product = 2 * np.log(0.25) / 2
    >>> middle = Priors(np.zeros(1), np.zeros(1))
    >>> log_likelihood([group], 2.0, middle, log_product=product).round(9) + 0.0
    array([0.])
    """
    out: Floats = (p - 2) * np.asarray(log_product)[..., None] + np.zeros(len(priors))
    for group in groups:
        at = group.nodes(p, priors, step=step)
        prior = weights(at, priors)
        block = max(1, CELLS // len(at.mu))
        for start in range(0, group.ratings.patterns, block):
            rows = slice(start, start + block)
            log_table = group.ratings.log_density(p, at, rows)
            top = log_table.max(axis=1)
            table = np.exp(log_table - top[:, None])
            if group.gold is None:
                mass = table @ prior
            else:
                mass = (table * gold_weights(at, group.gold, rows)).sum(axis=1, keepdims=True)
            out += group.weight[..., rows] @ (_log(mass) + top[:, None])
    return out


def gold_weights(at: Nodes, gold: Gold, rows: slice) -> Floats:
    """Weights that integrate over normal priors of mu, cut off at 0 and 1: (rows, nodes)."""
    distance = (at.mu - gold.mean[rows, None]) / gold.sd
    nearest = (distance**2).min(axis=1, keepdims=True)
    weight = np.exp((nearest - distance**2) / 2) * (at.mu * at.rest * at.spacing)
    return weight / weight.sum(axis=1, keepdims=True)

"""Phi's model: the prior of central values, and the likelihood without them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from headcount.stats.arrays import group_rows, group_sums
from headcount.typing import Codes, Floats

__all__ = [
    "ONE",
    "Priors",
    "STEP",
    "nodes",
    "weights",
    "Ratings",
    "Continuous",
    "Binned",
    "Group",
    "log_likelihood",
    "Patterns",
    "continuous",
    "binned",
    "mirror",
    "compress",
    "group",
    "moments",
]


# The prior of central values: two mirrored Betas, whose spread and distance are learned.

ONE = np.pi / 2
"""Angle at which the two Betas are one and the same."""
LEAST = 0.03
"""Spread within a half, relative to the largest of a grid, below which it is none. That moves Phi
of four items by 4e-5."""
NO_SPREAD = 1e-9
"""Square of a spread below which a Beta is taken for a point."""


@dataclass(frozen=True, eq=False)
class Priors:
    r"""Priors of mu, several at a time: half Beta(a, b), half Beta(b, a).

    A prior that is the same from both ends of the scale gives an item and its mirror image the same
    likelihood, so that Phi does not depend on which items are turned around. Two halves let the
    central values be anywhere: all of them near one end as well as in the middle.

    Parameters
    ----------
    spread : (priors,) array
        Twice the standard deviation of mu, :math:`s`, from 0 (all 1/2) to 1 (all 0 or 1).
    angle : (priors,) array
        How the spread is shared: :math:`d = s \cos\alpha` is the distance of the halves' means,
        :math:`(1 \pm d)/2`, and :math:`s \sin\alpha` is left to the spread within them. At
        :math:`\pi/2` both are Beta(k/2, k/2), at 0 they are two points.

    Examples
    --------
    >>> priors = Priors(np.array([1 / np.sqrt(3), 0.8]), np.array([ONE, 0.0]))
    >>> priors.distance.round(3), priors.precision.round(3)
    (array([0. , 0.8]), array([ 2., inf]))
    """

    spread: Floats
    angle: Floats

    @classmethod
    def grid(cls, spread: Floats, angle: Floats) -> Priors:
        """All pairs of a spread and an angle; the angle changes first.

        Halves that are much narrower than others on the grid would need very many nodes. They are
        made points, whose distance is all of the spread, so that the variance of mu stays.
        """
        s, alpha = np.repeat(spread, len(angle)), np.tile(angle, len(spread))
        within = s * np.sin(alpha)
        return cls(s, np.where(within < LEAST * within.max(), 0.0, alpha))

    def __len__(self) -> int:
        return len(self.spread)

    def take(self, rows: NDArray[np.intp]) -> Priors:
        """Keep some."""
        return Priors(self.spread[rows], self.angle[rows])

    @property
    def distance(self) -> Floats:
        """Distance of the means of the two halves."""
        return np.where(self.angle < ONE, self.spread * np.cos(self.angle), 0.0)

    @property
    def precision(self) -> Floats:
        """The a + b of the two halves; infinite if they are points."""
        room = 1 - self.distance**2
        within = (self.spread * np.sin(self.angle)) ** 2
        share = np.where(room > NO_SPREAD, within / np.maximum(room, NO_SPREAD), 1.0)
        with np.errstate(divide="ignore"):
            return np.where(share > NO_SPREAD, 1 / share - 1, np.inf)


# Where the integral over an item's central value is taken, and the weights of priors there.

STEP = 0.8
"""Distance of nodes, in standard deviations of an item's narrowest likelihood. The trapezoid rule
errs by 2 exp(-2 pi^2 / STEP^2) on a Gaussian: 1e-13."""
END = 16.0
"""Nodes reach to logit(mu) = +-(END + log(1 + p)), beyond which only the ends are left."""


@dataclass(frozen=True, eq=False)
class Nodes:
    """Where the integral over mu is taken: values, their complements, and spacings.

    `mu` runs from 0 to 1, both included as first and last; `spacing` is d logit(mu) and 0 there.
    """

    mu: Floats
    rest: Floats
    spacing: Floats


def nodes(
    p: float,
    most: int,
    priors: Priors,
    *,
    step: float = STEP,
) -> Nodes:
    r"""Place nodes for the integral over mu.

    In t = logit(mu) the curvature of n ratings is about :math:`n (1 + p \mu (1 - \mu))`, and that
    of a Beta prior of precision k :math:`k \mu (1 - \mu)`. Nodes are equally spaced in u with

    .. math:: du/dt = \sqrt{A + B \mu (1 - \mu)}, \quad A = n, \quad B = n p + k,

    in which no item's integrand is narrower than about 1. With S = sinh(t/2),

    .. math::
        u = 2 \sqrt A \, \mathrm{asinh}\frac{S}{\sqrt{1 + B/4A}}
            + \sqrt B \, \mathrm{atan}\frac{S \sqrt{B/4}}{\sqrt{A + B/4 + A S^2}}.

    Parameters
    ----------
    p : float
    most : int
        Ratings of an item, at most.
    priors : Priors
        Those that will be used. Where one is a point or two, nodes are there as well.
    step : float
        Distance of nodes in u.

    Examples
    --------
    >>> at = nodes(5.0, 3, Priors(np.array([3**-0.5]), np.array([np.pi / 2])))
    >>> len(at.mu), bool((at.mu == at.rest[::-1]).all())
    (87, True)
    """
    k, distance = priors.precision, priors.distance
    points = np.isinf(k)
    wide = k[~points]
    k_least, k_most = (float(wide.min()), float(wide.max())) if len(wide) else (4.0, 4.0)
    a = float(most)
    b = most * p + k_most
    reach = END + float(np.log1p(p))
    if k_least > 0:
        # Narrow priors, of standard deviation 2 / sqrt(k) in the middle, hold the items near them.
        furthest = min(float(distance.max(where=~points, initial=0.0)), 1 - 1e-9)
        held = 2 * np.arctanh(furthest) + reach * most * p / (most * p + k_least)
        reach = min(reach, held + 24 / (k_least * (1 - furthest**2)) ** 0.5)
    table: Floats = np.linspace(0, reach, 400)
    stretched = _stretch(table, a, b)
    end = float(stretched[-1])
    u: Floats = np.linspace(0, end, int(np.ceil(end / step)) + 1)
    t: Floats = np.interp(u, stretched, table)
    for _ in range(4):
        t -= (_stretch(t, a, b) - u) / _slope(t, a, b)
    t = np.concatenate([-t[:0:-1], t])
    spacing = (u[1] - u[0]) / _slope(t, a, b)
    at_points = 2 * np.arctanh(np.unique(distance[points & (distance > 0)]))
    if len(at_points):
        t = np.concatenate([t, at_points, -at_points])
        order = np.argsort(t, kind="stable")
        t, spacing = t[order], np.pad(spacing, (0, 2 * len(at_points)))[order]
    mu = np.concatenate([[0.0], 1 / (1 + np.exp(-t)), [1.0]])
    rest = mu[::-1].copy()
    return Nodes(mu, rest, np.concatenate([[0.0], spacing, [0.0]]))


def _slope(t: Floats, a: float, b: float) -> Floats:
    return np.sqrt(a + 0.25 * b / np.cosh(t / 2) ** 2)


def _stretch(t: Floats, a: float, b: float) -> Floats:
    s = np.sinh(t / 2)
    root = np.sqrt(a + b / 4 + a * s**2)
    return 2 * np.sqrt(a) * np.arcsinh(s / np.sqrt(1 + b / (4 * a))) + np.sqrt(b) * np.arctan(
        np.sqrt(b / 4) * s / root
    )


def weights(at: Nodes, priors: Priors) -> Floats:
    """Weights that integrate over priors of mu, (nodes, priors).

    Priors of one or two points, and of no precision (mu is 0 or 1), are served as they are. The
    ends get what makes the rule exact for linear functions, so that a likelihood that does not
    vanish there (everybody at the end of a binned scale) is integrated as well.
    """
    from scipy.special import betaln  # pyright: ignore[reportMissingTypeStubs]

    k, mean = priors.precision, (1 + priors.distance) / 2
    out = np.zeros((len(at.mu), len(priors)))
    point = np.flatnonzero(np.isinf(k))
    out[np.abs(at.mu[:, None] - mean[point]).argmin(axis=0), point] = 1
    wide = np.flatnonzero((k > 0) & ~np.isinf(k))
    a, b = k[wide] * mean[wide], k[wide] * (1 - mean[wide])
    log_mu = np.log(np.stack([at.mu[1:-1], at.rest[1:-1]], axis=1))
    log_prior = log_mu @ np.stack([a, b]) - betaln(a, b)
    out[1:-1, wide] = np.exp(log_prior) * at.spacing[1:-1, None]
    ends = np.flatnonzero(k * (1 - mean) < 2)  # beyond, nothing is left there
    out[-1, ends] = np.maximum(1 - out[:, ends].sum(axis=0), 0)
    return (out + out[::-1]) / 2


# The likelihood of Phi's model, with the central values of the items integrated out.
#
# Given a precision p and a prior on the central values mu_i, items are independent, and each needs
# a one-dimensional integral over its mu. All items share the nodes of the rule, and so do all
# priors: the likelihood is tabulated once a precision (patterns x nodes), and a product with the
# weights of the priors (nodes x priors) integrates everything at once.

LEAST_LOG = -1e4
"""Stands for the logarithm of a probability that is zero in double precision."""
CELLS = 4_000_000
"""Likelihoods tabulated at once: 32 MB."""


@dataclass(frozen=True, eq=False)
class Continuous:
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

    def turned(self) -> Continuous:
        """Turn them so that the total is not negative."""
        # The counts at the ends decide where the total, 0, does not.
        turn = np.where(self.total == 0, self.high - self.low, self.total) < 0
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
class Binned:
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

    def turned(self) -> Binned:
        """Turn them so that the first point that differs from its mirror image is the rarer."""
        counts, other = self.counts, self.counts[:, ::-1]
        row, differs = np.arange(len(counts)), np.argmax(counts != other, axis=1)
        turn = counts[row, differs] > other[row, differs]
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


Ratings = Continuous | Binned
"""Ratings of items, as the likelihood needs them."""


@dataclass(frozen=True, eq=False)
class Group:
    """Items that are integrated over the same nodes.

    Parameters
    ----------
    ratings : Ratings
    weight : (patterns,) array
        How many items each pattern stands for. Weights that interpolate (:func:`compress`) may be
        negative; they sum to the number of items.
    most : int
        The largest number of ratings of an item: it sets the distance of the nodes.
    """

    ratings: Ratings
    weight: Floats
    most: int

    def nodes(self, p: float, priors: Priors, *, step: float) -> Nodes:
        """Place nodes that serve these items and several priors (see :func:`nodes`)."""
        return nodes(p, self.most, priors, step=step)


def _log(x: Floats) -> Floats:
    """Logarithm that is never infinite: a count of 0 times it must be 0."""
    with np.errstate(divide="ignore"):
        return np.maximum(np.log(np.maximum(x, 0)), LEAST_LOG)


def log_likelihood(
    groups: Sequence[Group],
    p: float,
    priors: Priors,
    *,
    log_product: float = 0.0,
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
    log_product : float
        Sum over all continuous ratings of log(x (1 - x)) / 2, which has no part in the integrals.
    step : float
        Distance of nodes; 1.2 does for looking around.

    Returns
    -------
    (priors,) array

    Notes
    -----
    O(patterns x nodes x (labels + priors)) time; nodes grow with sqrt(n p). The table is made in
    blocks of 32 MB.

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
    out = np.full(len(priors), (p - 2) * log_product)
    for group in groups:
        at = group.nodes(p, priors, step=step)
        prior = weights(at, priors)
        block = max(1, CELLS // len(at.mu))
        for start in range(0, group.ratings.patterns, block):
            rows = slice(start, start + block)
            log_table = group.ratings.log_density(p, at, rows)
            top = log_table.max(axis=1)
            table = np.exp(log_table - top[:, None])
            out += group.weight[rows] @ (_log(table @ prior) + top[:, None])
    return out


# Items reduced to what Phi's likelihood needs of them: few patterns, however many items.

DEGREE = 24
"""Chebyshev nodes a panel."""
PANEL = 3.0
"""Width of a panel, in mean logits. The log likelihood of an item is an analytic function of its
mean logit up to about i pi from the real line, so that 24 nodes interpolate it to some 1e-9."""
HALVINGS = 7
"""Towards a mean logit of 0 panels get as narrow as PANEL / 2^7: an item there may belong to either
half of a prior whose halves are far apart, and the logarithm of their sum bends sharply."""


@dataclass(frozen=True, eq=False)
class Patterns:
    """Distinct items, and how many of each there are.

    Parameters
    ----------
    ratings : Ratings
    n : (patterns,) array
        Ratings of each.
    weight : (patterns,) array
        Number of items; or what a Chebyshev node stands for, after :func:`compress`.
    """

    ratings: Ratings
    n: Floats
    weight: Floats

    def take(self, rows: NDArray[np.intp]) -> Patterns:
        """Keep some patterns."""
        return Patterns(self.ratings.take(rows), self.n[rows], self.weight[rows])

    def alike(self) -> list[NDArray[np.intp]]:
        """Rows of patterns that can share nodes.

        Items with many more ratings need closer nodes, and the others should not pay for them: a
        group holds items with up to twice as many ratings as the least of them.
        """
        size = np.ceil(np.log2(np.maximum(self.n, 2)))
        return [np.flatnonzero(size == value) for value in np.unique(size)]


def continuous(
    item: Codes, unit: Floats, size: int, *, points: int | None = None
) -> tuple[Patterns, float]:
    """Sum up ratings between 0 and 1; each item is a pattern. O(ratings).

    Parameters
    ----------
    item : (ratings,) array of int
    unit : (ratings,) array
        Ratings, between 0 and 1.
    size : int
        Number of items.
    points : int, optional
        Number of points of the scale: ratings at its ends then count as intervals.

    Returns
    -------
    Patterns
    log_product : float
        As in :func:`~headcount.agreement.phi_model.log_likelihood`.
    """
    width = 1 / points if points else 0.0
    low, high = unit < width, unit > 1 - width
    inner = ~(low | high)
    log_x, log_rest = np.log(unit[inner]), np.log1p(-unit[inner])
    ratings = Continuous(
        n=np.bincount(item[inner], minlength=size).astype(float),
        total=group_sums(item[inner], log_x - log_rest, size),
        low=np.bincount(item[low], minlength=size).astype(float),
        high=np.bincount(item[high], minlength=size).astype(float),
        end=width,
    )
    n = np.bincount(item, minlength=size).astype(float)
    log_product = group_sums(item[inner], (log_x + log_rest) / 2, size)
    return Patterns(ratings, n, np.ones(size)), float(log_product.sum())


def binned(
    item: Codes, point: Codes, size: int, *, points: int, times: Floats | None = None
) -> tuple[Patterns, Codes]:
    """Find items with the same number of ratings at each point.

    `size` is the number of items, and `times` are the items that each stands for.

    Returns
    -------
    Patterns
    pattern : (items,) array of int
        The pattern of each item.

    Notes
    -----
    O(ratings + items log items). Counts are the digits of one number as long as a float holds it
    exactly, so that a single sort finds the patterns.
    """
    base = int(np.bincount(item).max()) + 1
    if points * np.log2(base) < 53:
        key = np.bincount(item, float(base) ** point, size).astype(np.int64)
    else:
        table = np.bincount(item * points + point, minlength=size * points).reshape(size, points)
        key = group_rows(table.T)[1]
    first, pattern = group_rows([key])
    row = np.full(size, -1)
    row[first] = np.arange(len(first))
    shown = row[item] >= 0
    counts = np.bincount(row[item[shown]] * points + point[shown], minlength=len(first) * points)
    counts = counts.reshape(len(first), points).astype(float)
    weight = np.bincount(pattern, times).astype(float)
    return Patterns(Binned(counts), counts.sum(axis=1), weight), pattern


def mirror(of: Patterns) -> Patterns:
    """Turn items so that an item and its mirror image look the same, and merge what is equal.

    A symmetric prior of mu gives both the same likelihood.
    """
    ratings = of.ratings.turned()
    if isinstance(ratings, Continuous):  # hardly any two are the same
        return Patterns(ratings, of.n, of.weight)
    first, group = group_rows(ratings.counts.T)
    weight = group_sums(group, of.weight, len(first))
    return Patterns(ratings.take(first), of.n[first], weight)


def compress(of: Patterns) -> Patterns:
    """Replace many continuous items by few Chebyshev nodes with weights.

    Items that differ in nothing but their total D lie in panels of D. Within a panel
    sum_i f(D_i) = sum_m w_m f(D_m) for every polynomial f of degree below 24, with
    w_m = sum_i l_m(D_i), l_m the Lagrange polynomials of the nodes; and nearly so for the log
    likelihood, which is smooth. O(24 items), once.
    """
    ratings = of.ratings
    if isinstance(ratings, Binned):
        return of
    n, total = np.maximum(ratings.n, 1), ratings.total
    start, end = _panel(total / n)
    first, group = group_rows([ratings.n, ratings.low, ratings.high, start])
    many = np.bincount(group) > DEGREE
    if not many.any():
        return of
    rows = np.flatnonzero(many[group])
    at = (np.cumsum(many) - 1)[group[rows]]
    head = first[many]
    half = (end - start)[head] * n[head] / 2
    centre = (end + start)[head] * n[head] / 2
    x = (total[rows] - centre[at]) / half[at]
    now = of.weight[rows]
    moments, after = np.empty((DEGREE, len(head))), now * x
    for degree in range(DEGREE):
        moments[degree] = group_sums(at, now, len(head))
        now, after = after, 2 * x * after - now
    angle = np.pi * (np.arange(DEGREE) + 0.5) / DEGREE
    lagrange = np.cos(np.outer(angle, np.arange(DEGREE))) * (2 / DEGREE)
    lagrange[:, 0] /= 2
    kept, nodes = np.flatnonzero(~many[group]), np.tile(head, DEGREE)
    totals = (centre + np.outer(np.cos(angle), half)).ravel()
    a, b = ratings.take(kept), ratings.take(nodes)
    joined = Continuous(
        np.concatenate([a.n, b.n]),
        np.concatenate([a.total, totals]),
        np.concatenate([a.low, b.low]),
        np.concatenate([a.high, b.high]),
        a.end,
    )
    rows = np.concatenate([kept, nodes])
    weight = np.concatenate([of.weight[kept], (lagrange @ moments).ravel()])
    return Patterns(joined, of.n[rows], weight)


def _panel(mean: Floats) -> tuple[Floats, Floats]:
    """Find the ends of the panel of each mean logit."""
    # Those that end at 1/2, 1/4, ... of PANEL begin at half of that, but for the last.
    halvings = np.ceil(np.log2(PANEL / np.maximum(np.abs(mean), PANEL * 2.0**-HALVINGS)))
    width = PANEL * 2.0 ** -np.clip(halvings, 0, HALVINGS)
    start = width * np.floor(mean / width)
    return start, start + width


def group(of: Patterns) -> list[Group]:
    """Split patterns into groups that share nodes."""
    parts = map(of.take, of.alike())
    return [Group(part.ratings, part.weight, int(part.n.max())) for part in parts]


def moments(
    item: Codes, unit: Floats, *, points: int | None = None, times: Floats | None = None
) -> tuple[float, float]:
    """Guess the precision and the spread of mu from first and second moments. O(ratings).

    Pairs of ratings of an item give the mean of mu (1 - mu), which is (1 - s^2) / 4; over
    the variance of its ratings, less that of rounding to points, it is 1 + p. `times` are the items
    that each stands for.

    Examples
    --------
    >>> p, spread = moments(np.array([0, 0, 1, 1]), np.array([0.1, 0.3, 0.4, 0.7]))
    >>> round(p, 2), round(spread, 2)
    (5.77, 0.35)
    """
    n = np.bincount(item)
    first, second = group_sums(item, unit, len(n)), group_sums(item, unit**2, len(n))
    pairs = n * (n - 1)
    variance = float(np.average((n * second - first**2) / pairs, weights=times))
    if points is not None:
        variance -= 1 / (12 * points**2)
    between = float(np.average(first / n - (first**2 - second) / pairs, weights=times))
    between = min(max(between, 0.01), 0.25)
    p = between / max(variance, 1e-3 * between) - 1
    return min(max(p, 0.1), 500.0), float(np.sqrt(1 - 4 * between))

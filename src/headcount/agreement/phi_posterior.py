"""The posterior of Phi, of each item's central value, and for raters like these."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from headcount.agreement.phi_model import (
    CELLS,
    ONE,
    STEP,
    Group,
    Patterns,
    Priors,
    binned,
    compress,
    continuous,
    group,
    log_likelihood,
    mirror,
    moments,
    weights,
)
from headcount.agreement.phi_ratings import PhiRatings
from headcount.agreement.raters import freedom_of
from headcount.stats.intervals import PHI_WIDENED, Ends
from headcount.typing import Codes, Floats, Ids, Ints

__all__ = [
    "phi_of",
    "Posterior",
    "Likelihood",
    "make_likelihood",
    "ITEM_COLUMNS",
    "PhiItems",
    "items_of",
    "central_values",
    "WidePrecision",
    "widen",
]


# The posterior of Phi, as a density on a grid, and what is read off it.

Surface = Callable[[float, Priors, float], Floats]
"""Log likelihood at one precision, for several priors of mu, with nodes at a given distance."""

Side = tuple[float, float]
Box = tuple[Side, Side, Side]
"""Of log p, and of the spread and the angle of the prior."""
Grid = tuple[Floats, Floats, Floats]

LEAST_P, MOST_P = 1e-4, 1e4
"""Precisions considered: Phi from -.99993 to 1 less 1e-1505."""
COARSE = 9
"""Points a side of the grids that look for the posterior."""
COARSE_STEP = 1.2
"""Distance of nodes while looking, in place of `STEP` of the model."""
FINE = 21
"""Points a side of the grid that holds it: up to one a standard deviation. On a function that falls
off like a Gaussian the trapezoid rule then errs by 2 exp(-2 pi^2) = 5e-9."""
FINE_AT_ZERO = 11
"""Points along the spread or the angle where it may be 0: half of the function, which is even, is
seen. The least that is not 0 sets the number of nodes, so no more than needed."""
FINE_ANGLE = 13
"""Points along the angle, of which little depends."""
MOST_GRID_STEPS = 20
"""Each step divides the grid by up to 4; 20 find any posterior."""
NEAR = 20.0
"""Log density below its top that is looked at: exp(-20) = 2e-9."""
START = (1.5, 0.3, ONE)
"""How far from the start the first grid reaches."""
DENSE = 4001
"""Points of the curve that summaries are read from."""


def phi_of(p: Floats) -> Floats:
    """Phi of a precision: 1 - 2^(1 - p/2).

    Examples
    --------
    >>> phi_of(np.array([0.0, 2.0, 4.0]))
    array([-1. ,  0. ,  0.5])
    """
    return 1 - 2 ** (1 - p / 2)


@dataclass(frozen=True, eq=False)
class Posterior:
    """The posterior of the precision and of the prior of mu, on a grid, and along p alone.

    Parameters
    ----------
    p : (P,) array
    priors : Priors
    joint : (P, priors) array
        Probability of each point of the grid; sums to 1.
    curve : (DENSE,) array
        Precisions, equally spaced in log p.
    mass : (DENSE,) array
        Probability of each; sums to 1.
    flat_in_p : bool
        Whether the prior is flat on p, and mean, mode and interval are taken of it; else of Phi.
    """

    p: Floats
    priors: Priors
    joint: Floats
    curve: Floats
    mass: Floats
    flat_in_p: bool

    @property
    def mean(self) -> float:
        """Posterior mean of Phi, or Phi at the posterior mean of p."""
        if self.flat_in_p:
            return float(phi_of(self.mass @ self.curve))
        return float(self.mass @ phi_of(self.curve))

    @property
    def mode(self) -> float:
        """Where the density of Phi, or of p, is highest."""
        return float(phi_of(self.curve[np.argmax(self._log_density())]))

    @property
    def above_zero(self) -> float:
        """Probability that Phi > 0, that is p > 2."""
        below = np.cumsum(self.mass) - self.mass / 2
        at = np.interp([np.log(2.0)], np.log(self.curve), below, left=0, right=1)
        return float(1 - at[0])

    @property
    def mean_spread(self) -> float:
        """Posterior mean of twice the standard deviation of mu."""
        return float(self.joint.sum(axis=0) @ self.priors.spread)

    def log_precision(self) -> tuple[float, float]:
        """Posterior mean and standard deviation of log p."""
        log_p = np.log(self.curve)
        mean = float(self.mass @ log_p)
        return mean, float(np.sqrt(self.mass @ (log_p - mean) ** 2))

    def highest(self, level: float) -> tuple[float, float]:
        """Highest-density interval: the range of the densest points that hold `level`."""
        height = self._log_density()
        order = np.argsort(-height, kind="stable")
        last = min(int(np.searchsorted(np.cumsum(self.mass[order]), level)), DENSE - 1)
        inside = np.sort(order[: last + 1])
        cut, log_p = height[order[last]], np.log(self.curve)
        ends: list[float] = []
        for end, beyond in ((inside[0], inside[0] - 1), (inside[-1], inside[-1] + 1)):
            at = log_p[end]
            if 0 <= beyond < DENSE and height[end] > height[beyond]:
                share = (height[end] - cut) / (height[end] - height[beyond])
                at += share * (log_p[beyond] - at)
            ends.append(float(phi_of(np.exp(at))))
        return ends[0], ends[1]

    def density(self) -> tuple[Floats, Floats]:
        """Phi and its posterior density, for a plot; empty if all of it is at 1."""
        step = np.log(self.curve[1] / self.curve[0])
        slope = np.log(2) * self.curve * 2 ** (-self.curve / 2)  # d Phi / d log p
        shown = slope > 1e-9
        return phi_of(self.curve[shown]), self.mass[shown] / step / slope[shown]

    def _log_density(self) -> Floats:
        """Log density on the scale where the prior is flat, but for a constant."""
        with np.errstate(divide="ignore"):
            log_mass = np.log(self.mass) - np.log(self.curve)
        return log_mass if self.flat_in_p else log_mass + self.curve * np.log(2) / 2


def find_posterior(
    surface: Surface,
    *,
    flat_in_p: bool,
    start: tuple[float, float],
    spread: float | None = None,
) -> Posterior:
    r"""Find where the posterior is, and tabulate it there.

    The prior is flat on Phi (or on p), and flat on the spread s and the angle of the prior of mu,
    which are integrated out:

    .. math:: \pi(p) \propto \int_0^1 \int_0^{\pi/2} L(p, s, \alpha) \, d\alpha ds \times 2^{-p/2}

    Parameters
    ----------
    surface : callable
        Log likelihood at a precision, for several priors of mu.
    flat_in_p : bool
    start : (float, float)
        A precision and a spread near which to look first.
    spread : float, optional
        Fixes the prior of mu instead: a single Beta of that spread.

    Notes
    -----
    A grid over all three shrinks onto the region within exp(-20) of the top, by up to a factor 4
    a step. Some 50 calls of `surface`, more where there are millions of items.
    """

    def table(grid: Grid, step: float) -> Floats:
        """Log posterior, (log p, spread, angle)."""
        log_p, s, angle = grid
        priors = Priors.grid(s, angle)
        prior = log_p - np.exp(log_p) * (0.0 if flat_in_p else np.log(2) / 2)
        likelihood = np.array([surface(float(np.exp(x)), priors, step) for x in log_p])
        return (likelihood + prior[:, None]).reshape(len(log_p), len(s), len(angle))

    limits: Box = (float(np.log(LEAST_P)), float(np.log(MOST_P))), (0.0, 1.0), (0.0, ONE)
    centre = np.log(start[0]), start[1] if spread is None else spread, ONE
    reach = START if spread is None else (START[0], 0.0, 0.0)
    box = _each(_side, centre, reach, limits)
    for _ in range(MOST_GRID_STEPS):
        grid = _grid(box, COARSE)
        near = _near(table(grid, COARSE_STEP), NEAR)
        old, box = box, _each(_around, _each(_wider, box, near, limits), grid, near)
        if all(_width(new) > 0.7 * _width(side) for new, side in zip(box, old, strict=True)):
            break
    while True:
        grid = _grid(box, FINE)
        log_post = table(grid, STEP)
        old, box = box, _each(_wider, box, _near(log_post, 0.6 * NEAR), limits)
        if box == old:
            return _tabulate(grid, log_post, flat_in_p)


def _each(change: Callable[..., Side], *sides: Sequence[Any]) -> Box:
    """Change log p, spread and angle, each in the same way."""
    log_p, spread, angle = (change(*side) for side in zip(*sides, strict=True))
    return log_p, spread, angle


def _near(log_post: Floats, depth: float) -> list[NDArray[np.bool_]]:
    """Where each coordinate is, at some point of the others, near the top."""
    near = log_post > log_post.max() - depth
    return [near.any(axis=others) for others in ((1, 2), (0, 2), (0, 1))]


def _side(centre: float, reach: float, limit: Side) -> Side:
    return max(centre - reach, limit[0]), min(centre + reach, limit[1])


def _grid(box: Box, n: int) -> Grid:
    """Put n points, or the most that a side takes, on each side."""
    log_p, spread, angle = box
    return (
        np.linspace(*log_p, n),
        _from_zero(*spread, n),
        _from_zero(*angle, min(n, FINE_ANGLE)),
    )


def _from_zero(least: float, most: float, n: int) -> Floats:
    m = n if most > least else 1
    if least < 0.1 * most:
        # A spread of almost 0 would need very many nodes, and 0 itself needs one.
        least, m = 0.0, min(m, FINE_AT_ZERO) if most < 0.5 else m
    return np.linspace(least, most, m)


def _width(side: Side) -> float:
    return max(side[1] - side[0], 1e-9)


def _around(side: Side, grid: Floats, near: NDArray[np.bool_]) -> Side:
    """Shrink a side to the points that are near the top, and a cell more where there is one."""
    index = np.flatnonzero(near)
    low = float(grid[index[0] - 1]) if index[0] > 0 else side[0]
    high = float(grid[index[-1] + 1]) if index[-1] + 1 < len(grid) else side[1]
    return low, high


def _wider(side: Side, near: NDArray[np.bool_], limit: Side) -> Side:
    """Move an end outwards where the density has not yet fallen off."""
    low, high = side
    more = (high - low) / 2
    return (
        max(low - more, limit[0]) if near[0] and more > 0 else low,
        min(high + more, limit[1]) if near[-1] and more > 0 else high,
    )


def _tabulate(grid: Grid, log_post: Floats, flat_in_p: bool) -> Posterior:
    x, s, angle = grid
    joint = np.exp(log_post - log_post.max())
    if len(s) > 1:
        joint[:, [0, -1]] /= 2
    if len(angle) > 1:
        joint[:, :, [0, -1]] /= 2
    joint = joint.reshape(len(x), -1)
    with np.errstate(divide="ignore"):
        along = np.maximum(np.log(joint.sum(axis=1)), -700)
    dense: Floats = np.linspace(float(x[0]), float(x[-1]), DENSE)
    mass = np.exp(_spline(x, along, dense))
    priors = Priors.grid(s, angle)
    return Posterior(
        p=np.exp(x),
        priors=priors,
        joint=joint / joint.sum(),
        curve=np.exp(dense),
        mass=mass / mass.sum(),
        flat_in_p=flat_in_p,
    )


def _spline(x: Floats, y: Floats, at: Floats) -> Floats:
    """Natural cubic spline through equally spaced points. scipy's takes longer to import."""
    step = x[1] - x[0]
    system = np.eye(len(x))
    inner = np.arange(1, len(x) - 1)
    system[inner, inner - 1] = system[inner, inner + 1] = 1
    system[inner, inner] = 4
    bend = np.zeros(len(x))
    bend[1:-1] = 6 * np.diff(y, 2) / step**2
    bend = np.linalg.solve(system, bend)
    left = np.clip(((at - x[0]) / step).astype(int), 0, len(x) - 2)
    b = (at - x[left]) / step
    a = 1 - b
    curved = (a**3 - a) * bend[left] + (b**3 - b) * bend[left + 1]
    return a * y[left] + b * y[left + 1] + curved * step**2 / 6


# The likelihood of a set of ratings, ready to be evaluated at any precision.

UNIFORM = 1 / math.sqrt(3)
"""Spread of a central value that may be anywhere: k = 2."""


@dataclass(frozen=True, eq=False, kw_only=True)
class Likelihood:
    """Items reduced to patterns, and what their likelihood needs besides.

    Parameters
    ----------
    patterns : Patterns
        Of the items as they are.
    pattern : (items,) array of int or None
        Pattern of each item; None if each item is its own.
    groups : list of Group
        Patterns that share nodes, mirrored and compressed.
    product : float
        As `log_product` of :func:`~headcount.agreement.phi_model.log_likelihood`.
    fixed : bool
        Whether the prior of the central values is given, not learned.
    start : (float, float)
        A precision and a spread to look near.
    flat_in_p : bool
    """

    patterns: Patterns
    pattern: Ints | None
    groups: list[Group]
    product: float
    fixed: bool
    start: tuple[float, float]
    flat_in_p: bool

    def at(self, p: float, priors: Priors, step: float) -> Floats:
        """Log likelihood of a precision, for several priors of mu."""
        return log_likelihood(self.groups, p, priors, log_product=self.product, step=step)

    def posterior(self) -> Posterior:
        """Find the posterior."""
        spread = UNIFORM if self.fixed else None
        return find_posterior(self.at, flat_in_p=self.flat_in_p, start=self.start, spread=spread)


def make_likelihood(data: PhiRatings) -> Likelihood:
    """Reduce ratings to patterns. O(ratings)."""
    scale, item = data.scale, data.item
    unit, items = scale.unit(data.x), len(data.ids)
    points = scale.points if data.unbiased else None
    pattern, product = None, 0.0
    if scale.binned and data.unbiased:
        point = scale.point(data.x)
        patterns, pattern = binned(item, point, items, points=scale.points or 0, times=data.weight)
    else:
        patterns, product = continuous(item, unit, items, points=points)
    return Likelihood(
        patterns=patterns,
        pattern=pattern,
        groups=group(compress(mirror(patterns))),
        product=product,
        fixed=not data.unbiased or data.unanimous,
        start=moments(item, unit, points=points, times=data.weight),
        flat_in_p=not data.unbiased,
    )


# The central value of each item, once the posterior of Phi is known.

MU_STEP = 0.2
"""Distance of nodes: quantiles are read between them, which needs more than integrals do."""


ITEM_COLUMNS = ("item", "ratings", "mu", "low", "high", "residual")


@dataclass(frozen=True, eq=False)
class PhiItems:
    """Central values of the items, in units of the labels.

    Parameters
    ----------
    item : array
        Ids of the items with two ratings or more.
    ratings : (items,) array of int
    mu, low, high : (items,) arrays
        Posterior mean of the central value and its equal-tailed interval.
    residual : (items,) array
        Sum of squares of the ratings around mu over n - 1 times the variance that the common
        precision leads to expect, mu (1 - mu) / (1 + p). Items well above 1 are contested more
        than the rest.
    level : float
    """

    item: Ids
    ratings: Codes
    mu: Floats
    low: Floats
    high: Floats
    residual: Floats
    level: float

    def __len__(self) -> int:
        return len(self.item)


def items_of(data: PhiRatings, like: Likelihood, posterior: Posterior, level: float) -> PhiItems:
    """Find central values with intervals. O(patterns x nodes x 14)."""
    mu, low, high = central_values(like, posterior, level)
    if like.pattern is not None:
        mu, low, high = mu[like.pattern], low[like.pattern], high[like.pattern]
    n = np.bincount(data.item, minlength=len(mu))
    square = np.bincount(data.item, (data.scale.unit(data.x) - mu[data.item]) ** 2, len(mu))
    p = float(posterior.joint.sum(axis=1) @ posterior.p)
    return PhiItems(
        item=data.ids,
        ratings=n,
        mu=data.scale.label(mu),
        low=data.scale.label(low),
        high=data.scale.label(high),
        residual=square / (n - 1) / (mu * (1 - mu) / (1 + p)),
        level=level,
    )


def central_values(like: Likelihood, posterior: Posterior, level: float) -> Floats:
    """Posterior mean and equal-tailed interval of mu, on the scale from 0 to 1: (3, patterns).

    p and the spread of mu are integrated out over the posterior.
    """
    of = like.patterns
    out = np.empty((3, len(of.n)))
    for rows, part in zip(of.alike(), group(of), strict=True):
        out[:, rows] = _of_group(part, posterior, level)
    return out


def _of_group(part: Group, posterior: Posterior, level: float) -> Floats:
    mass = posterior.joint.sum(axis=1)
    likely = np.flatnonzero(mass > 1e-4 * mass.max())
    among = posterior.joint.sum(axis=0)
    kept = np.flatnonzero(among > 1e-4 * among.max())
    joint, priors = posterior.joint[:, kept], posterior.priors.take(kept)
    at = part.nodes(float(posterior.p[likely[-1]]), priors, step=MU_STEP)
    prior = weights(at, priors)
    out = np.empty((3, part.ratings.patterns))
    block = max(1, CELLS // len(at.mu))
    for start in range(0, part.ratings.patterns, block):
        rows = slice(start, start + block)
        density = np.zeros((len(out[0, rows]), len(at.mu)))
        for row in likely.tolist():
            log_table = part.ratings.log_density(float(posterior.p[row]), at, rows)
            table = np.exp(log_table - log_table.max(axis=1, keepdims=True))
            # A prior under which the item cannot be has no part in it.
            total = np.maximum(table @ prior, 1e-300)
            density += table * ((joint[row] / total) @ prior.T)
        density /= density.sum(axis=1, keepdims=True)
        below = np.cumsum(density, axis=1) - density / 2
        out[0, rows] = density @ at.mu
        out[1, rows] = _quantile(at.mu, below, (1 - level) / 2)
        out[2, rows] = _quantile(at.mu, below, (1 + level) / 2)
    return out


def _quantile(mu: Floats, below: Floats, q: float) -> Floats:
    right = np.clip((below < q).sum(axis=1), 1, len(mu) - 1)
    row = np.arange(len(below))
    a, b = below[row, right - 1], below[row, right]
    share = np.clip((q - a) / np.maximum(b - a, 1e-300), 0, 1)
    return mu[right - 1] + share * (mu[right] - mu[right - 1])


# Phi for raters like these: how its precision changes without each rater.

MOST_GROUPS = 30
"""Times that ratings are left out: of each rater, or of groups of more raters than that."""
MOST_ITEMS = 100_000
"""Items of which ratings are left out, at most: raters differ on some as they do on all."""
LEAST_REACH, FAR = 0.05, 2.0
"""Distance in log p of the points among which a mode is looked for, at least, unless so many
standard deviations are less."""
DEEP = 3.0
"""Fall of the log density from its top to the next point below which a parabola is near it."""
MOST_MODE_STEPS = 12
LIKELY = 0.02
"""Share of the likeliest prior of mu below which others are left out."""


@dataclass(frozen=True)
class WidePrecision:
    """The logarithm of the precision, with the standard error that raters give it.

    Parameters
    ----------
    centre : float
        Posterior mean of log p.
    error : float
    freedom : float
        Degrees of freedom.
    """

    centre: float
    error: float
    freedom: float

    def ends(self, level: float) -> Ends:
        """Interval of Phi."""
        low, high = PHI_WIDENED.ends(self.centre, self.error, level, freedom=self.freedom)
        most = float(np.log(MOST_P))
        return Ends(*(float(phi_of(np.exp(np.array(min(end, most))))) for end in (low, high)))

    @property
    def above_zero(self) -> float:
        """Probability that Phi > 0, that is p > 2."""
        from scipy.special import stdtr  # pyright: ignore[reportMissingTypeStubs]

        return float(stdtr(self.freedom, (self.centre - np.log(2)) / self.error))


def widen(data: PhiRatings, posterior: Posterior, effective: float) -> WidePrecision:
    r"""Find the error of log p: that of the posterior, or by leaving out raters if it is more.

    .. math:: V = \max\left(V_{post}, V_J - (\tfrac{N}{n} - 1) V_{post}\right), \quad
        V_J = \tfrac{G-1}{G} \sum_g (\log p_{(g)} - \log p)^2

    where :math:`p_{(g)}` is the posterior mode without the ratings of rater g, under the priors of
    mu that are likely given all ratings. Of many raters, groups are left out; of N items, n at
    most, whose own variance is N/n times that of all. O(groups x ratings of n items).
    """
    centre, sd = posterior.log_precision()
    share = posterior.joint.sum(axis=0)
    kept = np.flatnonzero(share > LIKELY * share.max())
    priors, log_share = posterior.priors.take(kept), np.log(share[kept])
    some = data.some_items(MOST_ITEMS)
    part = _groups(some.rater)
    times = len(data.ids) / len(some.ids)
    # Not so far apart that the points beside the top say nothing of where it is.
    reach = min(max(sd, LEAST_REACH), FAR * sd) * times**0.5

    def mode(ratings: PhiRatings) -> float:
        like = make_likelihood(ratings)

        def log_posterior(log_p: float) -> float:
            p = float(np.exp(log_p))
            each = like.at(p, priors, COARSE_STEP) + log_share
            top = float(each.max())
            flat = 0.0 if like.flat_in_p else p * np.log(2) / 2
            return top + float(np.log(np.exp(each - top).sum())) + log_p - flat

        return _mode(log_posterior, centre, reach)

    whole = mode(some)
    change: list[float] = []
    for left_out in range(int(part.max()) + 1):
        rest = some.keep(part != left_out)
        if len(rest.ids) and not rest.unanimous:
            change.append(mode(rest) - whole)
    groups = len(change)
    jackknife = (groups - 1) / max(groups, 1) * float(np.square(change).sum())
    jackknife = max(jackknife - (times - 1) * sd**2, 0.0)
    freedom = freedom_of(min(effective, groups))
    variance = max(sd**2, jackknife)
    # All that is left of a posterior is normal; what raters add has few degrees of freedom.
    share = jackknife / variance
    return WidePrecision(centre, float(np.sqrt(variance)), freedom / share**2 if share else 1e6)


def _mode(log_posterior: Callable[[float], float], centre: float, reach: float) -> float:
    """Find where the density of log p is highest, by a parabola through the highest points."""
    for _ in range(MOST_MODE_STEPS):
        x = np.clip(centre + reach * np.arange(-2, 3), np.log(LEAST_P), np.log(MOST_P))
        y = np.array([log_posterior(float(log_p)) for log_p in x])
        top = int(y.argmax())
        centre = float(x[top])
        if top in (0, 4):
            reach *= 2
            continue
        left, middle, right = y[top - 1 : top + 2]
        bend = left - 2 * middle + right
        centre += reach * (left - right) / (2 * bend) if bend < 0 else 0.0
        if middle - min(left, right) < DEEP:
            break
        reach /= 4
    return float(centre)


def _groups(rater: Codes) -> Codes:
    """Part of each rating: its rater, or one of a few groups of raters of about equal work."""
    _, code, ratings = np.unique(rater, return_inverse=True, return_counts=True)
    if len(ratings) <= MOST_GROUPS:
        return code
    part = np.empty(len(ratings), dtype=np.int64)
    part[np.argsort(-ratings, kind="stable")] = np.arange(len(ratings)) % MOST_GROUPS
    return part[code]

"""The posterior of Phi, as a density on a grid, and what is read off it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from headcount.agreement.phi.inference.nodes import STEP
from headcount.agreement.phi.inference.prior import ONE, Priors
from headcount.typing import Floats

__all__ = ["Posterior", "phi_of", "posteriors", "precision_of"]

Surface = Callable[[float, Priors, float], Floats]
"""Log likelihood at one precision, for several priors of mu, with nodes at a given distance: of all
items, or of several subsets (subsets x priors)."""

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
FOR_SUBSETS = 1.5
"""Times as many points for several subsets: their posteriors share a grid, and lie apart by about
their own widths."""
MOST_STEPS = 20
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


def precision_of(phi: Floats) -> Floats:
    """Precision of a Phi: 2 - 2 log2(1 - Phi).

    Examples
    --------
    >>> precision_of(np.array([0.0, 0.5]))
    array([2., 4.])
    """
    return 2 - 2 * np.log2(1 - phi)


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
        seen = slope > 1e-9
        return phi_of(self.curve[seen]), self.mass[seen] / step / slope[seen]

    def _log_density(self) -> Floats:
        """Log density on the scale where the prior is flat, but for a constant."""
        with np.errstate(divide="ignore"):
            log_mass = np.log(self.mass) - np.log(self.curve)
        return log_mass if self.flat_in_p else log_mass + self.curve * np.log(2) / 2


def posteriors(
    surface: Surface,
    *,
    flat_in_p: bool,
    start: tuple[float, float],
    spread: float | None = None,
) -> list[Posterior]:
    r"""Find where the posterior is, and tabulate it there; for all subsets on the same grid.

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
        """Log posterior, (subset, log p, spread, angle)."""
        log_p, s, angle = grid
        priors = Priors.grid(s, angle)
        prior = log_p - np.exp(log_p) * (0.0 if flat_in_p else np.log(2) / 2)
        found = np.array([np.atleast_2d(surface(float(np.exp(x)), priors, step)) for x in log_p])
        of_subsets = found.transpose(1, 0, 2) + prior[:, None]
        return of_subsets.reshape(-1, len(log_p), len(s), len(angle))

    limits: Box = (float(np.log(LEAST_P)), float(np.log(MOST_P))), (0.0, 1.0), (0.0, ONE)
    centre = np.log(start[0]), start[1] if spread is None else spread, ONE
    reach = START if spread is None else (START[0], 0.0, 0.0)
    box, times = _each(_side, centre, reach, limits), 1.0
    for _ in range(MOST_STEPS):
        grid = _grid(box, COARSE)
        log_post = table(grid, COARSE_STEP)
        times, near = 1.0 if len(log_post) == 1 else FOR_SUBSETS, _near(log_post, NEAR)
        old, box = box, _each(_around, _each(_wider, box, near, limits), grid, near)
        if all(_width(new) > 0.7 * _width(side) for new, side in zip(box, old, strict=True)):
            break
    while True:
        grid = _grid(box, FINE, times)
        log_post = table(grid, STEP)
        old, box = box, _each(_wider, box, _near(log_post, 0.6 * NEAR), limits)
        if box == old:
            return [_tabulate(grid, one, flat_in_p) for one in log_post]


def _each(change: Callable[..., Side], *sides: Sequence[Any]) -> Box:
    """Change log p, spread and angle, each in the same way."""
    log_p, spread, angle = (change(*side) for side in zip(*sides, strict=True))
    return log_p, spread, angle


def _near(log_post: Floats, depth: float) -> list[NDArray[np.bool_]]:
    """Where each coordinate is, at some point of the others, near the top of some subset's."""
    near = (log_post > log_post.max(axis=(1, 2, 3), keepdims=True) - depth).any(axis=0)
    return [near.any(axis=others) for others in ((1, 2), (0, 2), (0, 1))]


def _side(centre: float, reach: float, limit: Side) -> Side:
    return max(centre - reach, limit[0]), min(centre + reach, limit[1])


def _grid(box: Box, n: int, times: float = 1.0) -> Grid:
    """Put `times` n points, or the most that a side takes, on each side."""
    log_p, spread, angle = box
    return (
        np.linspace(*log_p, int(times * n)),
        _from_zero(*spread, n, times),
        _from_zero(*angle, min(n, FINE_ANGLE), times),
    )


def _from_zero(least: float, most: float, n: int, times: float) -> Floats:
    m = n if most > least else 1
    if least < 0.1 * most:
        # A spread of almost 0 would need very many nodes, and 0 itself needs one.
        least, m = 0.0, min(m, FINE_AT_ZERO) if most < 0.5 else m
    return np.linspace(least, most, int(times * m))


def _width(side: Side) -> float:
    return max(side[1] - side[0], 1e-9)


def _around(side: Side, grid: Floats, near: NDArray[np.bool_]) -> Side:
    """Shrink a side to the points that are near the top, and a cell more where there is one."""
    place = np.flatnonzero(near)
    low = float(grid[place[0] - 1]) if place[0] > 0 else side[0]
    high = float(grid[place[-1] + 1]) if place[-1] + 1 < len(grid) else side[1]
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

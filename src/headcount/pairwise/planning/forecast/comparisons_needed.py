"""How many comparisons it takes, with an interval that holds over pilots."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from headcount.data.comparisons import Comparisons
from headcount.pairwise.planning.forecast.accuracy import MOST_EACH, Population, normal_population
from headcount.pairwise.planning.forecast.clumps import Clumps, find_clumps
from headcount.pairwise.planning.tasks.posterior import fit_posterior
from headcount.stats.estimate import Estimate
from headcount.stats.intervals.from_model import POSTERIOR
from headcount.typing import Floats

__all__ = ["Forecast", "forecast"]

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
    normal : (spreads, steps) array
        If ratings are normal, for each of several spreads.
    weight : (spreads,) array
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
        found = [
            self._estimate(self.normal[:, k], self.alike[:, k], 0.95, None)
            for k in range(len(EACH))
        ]
        value, low, high = (
            np.array([getattr(each, name) for each in found]) for name in ("value", "low", "high")
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

    so that the pilot's items count as a sample. A second line makes no use of a normal
    distribution: ratings are drawn from their posterior, and items with Dirichlet weights. Where
    the items fall into two clumps, that line stands alone, and ratings are drawn around these.
    """
    n = len(pilot.items)
    first = fit_posterior(pilot, n)
    noise = _noise(pilot, first.rating, first.sd)
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
    told = np.maximum(1 / variance - spread**-2, LEAST_TOLD)
    clumps = find_clumps(rating / (variance * told), told**-0.5)
    if clumps is not None:
        drawn = clumps.draw(rating / (variance * told), told**-0.5, DRAWS, rng)
    elif covariance is None:
        drawn = rating + first.sd * rng.standard_normal((DRAWS, n))
    else:
        root = np.linalg.cholesky(covariance + 1e-10 * np.eye(n))
        drawn = rating + rng.standard_normal((DRAWS, n)) @ root.T
    mass = rng.dirichlet(np.ones(n), DRAWS)
    kernel = KERNEL * (spread if clumps is None else clumps.within)
    alike = np.array([_alike(row, w, noise, kernel) for row, w in zip(drawn, mass, strict=True)])
    normal = np.array([_curve(normal_population(float(each), noise)) for each in SPREADS])
    return Forecast(normal, weight, alike, math.exp(float(weight @ np.log(SPREADS))), noise, clumps)


def _fit(pilot: Comparisons, spread: float, noise: float) -> tuple[float, Floats, Floats]:
    """Find the log marginal likelihood of a spread, most probable ratings, and their covariance."""
    from headcount.pairwise.planning._kernel import rate_steps

    n, weight = len(pilot.items), pilot.weights / noise
    rating: Floats = rate_steps(
        np.zeros(n), pilot.left, pilot.right, pilot.outcome, weight, np.ones(len(pilot)),
        np.array([len(pilot)]), spread**-2,
    )[0]  # fmt: skip
    gap = rating[pilot.left] - rating[pilot.right]
    told = weight * 0.25 / np.cosh(gap / 2) ** 2
    matrix = np.eye(n) / spread**2
    np.add.at(matrix, (pilot.left, pilot.left), told)
    np.add.at(matrix, (pilot.right, pilot.right), told)
    np.add.at(matrix, (pilot.left, pilot.right), -told)
    np.add.at(matrix, (pilot.right, pilot.left), -told)
    likelihood = float(np.sum(weight * (pilot.outcome * gap - np.logaddexp(0.0, gap))))
    penalty = float(np.sum(rating**2)) / (2 * spread**2) + n * math.log(spread)
    log = likelihood - penalty - 0.5 * float(np.linalg.slogdet(matrix)[1])
    covariance: Floats = np.linalg.inv(matrix).astype(np.float64)
    return log, rating, covariance


def _noise(pilot: Comparisons, rating: Floats, sd: Floats) -> float:
    """Estimate the variance of the answers as a share of what the model says, leverages removed."""
    p = 0.5 * (1 + np.tanh((rating[pilot.left] - rating[pilot.right]) / 2))
    told = pilot.weights * p * (1 - p)
    leverage = np.minimum(p * (1 - p) * (sd[pilot.left] ** 2 + sd[pilot.right] ** 2), 0.9)
    seen = float(np.sum(pilot.weights * (pilot.outcome - p) ** 2 / (1 - leverage)))
    return max(seen / float(np.sum(told)), 0.05)


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


def _interpolated(x: float, known: Floats, values: Floats) -> float:
    found: Any = np.interp(x, known, values)
    return float(found)


def _quantile(values: Floats, weight: Floats, q: float) -> float:
    order = np.argsort(values, kind="stable")
    total: Floats = np.cumsum(weight[order]).astype(np.float64)
    place: Any = np.searchsorted(total, q * float(total[-1]))
    return float(values[order][min(int(place), len(values) - 1)])

"""How many comparisons N items need: n = a N or n = a N log N, fitted to a pilot."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from headcount.pairwise.planning.accuracy_curve import AccuracyCurve
from headcount.stats.estimate import Estimate
from headcount.typing import Floats

__all__ = ["LAWS", "Benchmark", "FittedLaw", "Needed", "crossing", "fit_laws", "growth", "rising"]

LAWS = ("N", "N log N")
DRAWS = 200
"""Bootstrap draws of repeats."""
SURE = 0.95
"""Share of draws in which one law must fit better to be said to."""
METHOD = "bootstrap of repeats"


@dataclass(frozen=True)
class Needed:
    """What sets of one size needed to reach the target, and what they reached.

    Parameters
    ----------
    items : int
        Size of the sets, N.
    comparisons : Estimate or None
        Their number, n; censored where all comparisons of the sets were too few. None without a
        target.
    most : int
        Comparisons of the sets.
    f1 : Estimate
        With that many; the interval holds single sets.
    """

    items: int
    comparisons: Estimate | None
    most: int
    f1: Estimate


@dataclass(frozen=True)
class FittedLaw:
    """One law, fitted by least squares of log n.

    Parameters
    ----------
    name : {"N", "N log N"}
    factor : float
        a, nan if no size reached the target.
    spread : float
        Range of n / N, or n / (N log N), over sizes, as a part of its mean; nan with less than
        two sizes. A law that holds has a small one.
    comparisons : Estimate or None
        Needed for the target; censored, if no size reached it, at what the pilot's comparisons
        amount to under the law.
    f1 : Estimate or None
        That the budget buys; censored if it buys more than the pilot shows.
    """

    name: str
    factor: float
    spread: float
    comparisons: Estimate | None
    f1: Estimate | None


@dataclass(frozen=True, eq=False)
class Benchmark:
    """What a pilot says against one benchmark.

    Parameters
    ----------
    name : {"full pilot", "held out"}
    curves : tuple of AccuracyCurve
    needed : tuple of Needed
        One a size.
    laws : tuple of FittedLaw
        n = a N, and n = a N log N.
    fits : {"N", "N log N"} or None
        The law with the smaller sum of squares in at least 95% of the bootstrap draws; None if
        neither.
    """

    name: str
    curves: tuple[AccuracyCurve, ...]
    needed: tuple[Needed, ...]
    laws: tuple[FittedLaw, ...]
    fits: str | None


def growth(law: str, items: float) -> float:
    """N, or N log N (natural logarithm).

    Examples
    --------
    >>> growth("N", 40), round(growth("N log N", 40), 1)
    (40, 147.6)
    """
    return items if law == "N" else items * math.log(items)


def fit_laws(
    name: str,
    curves: Sequence[AccuracyCurve],
    *,
    items: int,
    target_f1: float | None,
    budget: int | None,
    level: float,
    rng: np.random.Generator,
) -> Benchmark:
    """Find where curves reach the target, fit both laws, and answer for `items` items.

    Curves are made to rise, halfway between the largest mean so far and the smallest from there on,
    and read by linear interpolation. For a budget
    of n, the curve of size N' is read at n' = n g(N') / g(N), g being the law; the answer is the
    mean over the sizes that have as many comparisons.

    Intervals come from drawing the repeats of each size with replacement. They tell how far the
    random sets of items and comparisons agree, not how another pilot would have turned out.

    O(draws x sizes x (repeats + steps)).
    """
    # The first row is the mean itself, the others are bootstrap draws.
    means = [_drawn_means(curve, each) for curve, each in zip(curves, rng.spawn(len(curves)),
                                                              strict=True)]  # fmt: skip
    reached = np.full((len(curves), DRAWS + 1), math.inf)
    needed: list[Needed] = []
    for k, (curve, mean) in enumerate(zip(curves, means, strict=True)):
        most = int(curve.comparisons[-1])
        if target_f1 is not None:
            reached[k] = [crossing(curve.comparisons, row, target_f1) for row in mean]
        needed.append(
            Needed(
                curve.items,
                None if target_f1 is None else _estimate(reached[k], level, (0.0, most)),
                most,
                replace(
                    Estimate.from_draws(float(mean[0, -1]), curve.f1[:, -1], level=level),
                    method="percentiles over repeats",
                ),
            )
        )
    laws: list[FittedLaw] = []
    for law in LAWS:
        factors = np.array([_factor(law, curves, each) for each in reached.T])
        scale = growth(law, items)
        comparisons = None
        if target_f1 is not None:
            shown = max(curve.comparisons[-1] / growth(law, curve.items) for curve in curves)
            comparisons = _estimate(factors * scale, level, (0.0, math.floor(shown * scale)))
        f1 = None if budget is None else _bought(law, curves, means, budget / scale, level)
        factor = float(factors[0]) if math.isfinite(factors[0]) else math.nan
        laws.append(FittedLaw(law, factor, _spread(law, curves, reached[:, 0]), comparisons, f1))
    return Benchmark(name, tuple(curves), tuple(needed), tuple(laws), _better(curves, reached))


def _drawn_means(curve: AccuracyCurve, rng: np.random.Generator) -> Floats:
    """Means over repeats, rising: as they are, then of bootstrap draws of the repeats."""
    repeats = len(curve.f1)
    weight = np.vstack([np.ones(repeats), rng.multinomial(repeats, np.full(repeats, 1 / repeats),
                                                          size=DRAWS)])  # fmt: skip
    return rising(weight @ curve.f1 / repeats)


def rising(values: Floats) -> Floats:
    """Make rows rise: halfway between the largest value so far and the smallest from there on.

    Examples
    --------
    >>> rising(np.array([[1.0, 3.0, 2.0, 4.0]]))
    array([[1. , 2.5, 2.5, 4. ]])
    """
    largest = np.maximum.accumulate(values, axis=1)
    smallest = np.minimum.accumulate(values[:, ::-1], axis=1)[:, ::-1]
    return (largest + smallest) / 2


def crossing(comparisons: NDArray[np.int64], f1: Floats, target: float) -> float:
    """Find the comparisons at which a rising curve reaches the target; infinite if never.

    Examples
    --------
    >>> crossing(np.array([0, 10, 20]), np.array([0.5, 0.75, 1.0]), 0.875)
    15.0
    >>> crossing(np.array([0, 10, 20]), np.array([0.5, 0.7, 0.9]), 0.95)
    inf
    """
    if f1[-1] < target:
        return math.inf
    at = int(np.argmax(f1 >= target))
    if at == 0:
        return float(comparisons[0])
    before, after = comparisons[at - 1], comparisons[at]
    part = (target - f1[at - 1]) / (f1[at] - f1[at - 1])
    return float(before + part * (after - before))


def _ratios(law: str, curves: Sequence[AccuracyCurve], reached: Floats) -> Floats:
    """Return n / g(N) of the sizes that reached the target."""
    ratios = reached / np.array([growth(law, curve.items) for curve in curves])
    return ratios[np.isfinite(ratios) & (ratios > 0)]


def _factor(law: str, curves: Sequence[AccuracyCurve], reached: Floats) -> float:
    """Least squares of log n = log a + log g(N): the geometric mean of n / g(N)."""
    ratios = _ratios(law, curves, reached)
    return float(np.exp(np.log(ratios).mean())) if len(ratios) else math.inf


def _spread(law: str, curves: Sequence[AccuracyCurve], reached: Floats) -> float:
    ratios = _ratios(law, curves, reached)
    return float(np.ptp(ratios) / ratios.mean()) if len(ratios) > 1 else math.nan


def _better(curves: Sequence[AccuracyCurve], reached: Floats) -> str | None:
    """Law with the smaller sum of squares of log n, in nearly all draws."""
    squares = np.full((len(LAWS), reached.shape[1]), math.nan)
    for k, law in enumerate(LAWS):
        for draw, each in enumerate(reached.T):
            ratios = _ratios(law, curves, each)
            if len(ratios) > 1:
                squares[k, draw] = np.log(ratios).var()
    for k, law in enumerate(LAWS):
        if np.mean(squares[k, 1:] < squares[1 - k, 1:]) >= SURE:
            return law
    return None


def _bought(
    law: str, curves: Sequence[AccuracyCurve], means: Sequence[Floats], rate: float, level: float
) -> Estimate:
    """f1 at n = rate x g(N), averaged over the sizes that have as many comparisons."""
    wanted = [rate * growth(law, curve.items) for curve in curves]
    inside = [k for k, n in enumerate(wanted) if n <= curves[k].comparisons[-1]]
    most = max(float(mean[0, -1]) for mean in means)
    if not inside:
        return Estimate(math.inf, bounds=(0.0, most))
    values = np.zeros(DRAWS + 1)
    for k in inside:
        for draw, row in enumerate(means[k]):
            values[draw] += np.interp(wanted[k], curves[k].comparisons, row) / len(inside)
    return replace(Estimate.from_draws(float(values[0]), values[1:], level=level), method=METHOD)


def _estimate(values: Floats, level: float, bounds: tuple[float, float]) -> Estimate:
    """Value and percentile interval, from the value and its draws."""
    found = Estimate.from_draws(float(values[0]), values[1:], level=level, bounds=bounds)
    return replace(found, method=METHOD)

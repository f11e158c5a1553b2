"""What a pilot says of a larger study: curves of its sub-samples, and laws fitted to them."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np

from headcount.data.comparisons import Comparisons
from headcount.errors import DataError, count
from headcount.results.fields import Record, json_value
from headcount.stats.estimate import Estimate
from headcount.stats.intervals import BOOTSTRAP_OF_REPEATS, OVER_REPEATS
from headcount.typing import Codes, Floats

__all__ = [
    "AnswersByPair",
    "pilot_sizes",
    "rate_steps",
    "rate",
    "Law",
    "LAWS",
    "AccuracyCurve",
    "Needed",
    "FittedLaw",
    "Growth",
    "Sampler",
    "fit_laws",
    "rising",
    "crossing",
]


# What a pilot must have.

FEWEST = 10
"""Items of a pilot, at least."""
MOST_ITEMS = 10**12
MOST_COMPARISONS = 10**15
"""Items and comparisons to plan for: only their ratio to those of the pilot is computed."""
MOST_REPEATS = 100_000
"""Random sets of a size: scores of all are kept, 1 kB a set."""


class AnswersByPair(NamedTuple):
    """Answers of a pilot by pair: their rows, the pair of each, and how many each pair has."""

    rows: Codes
    pair: Codes
    answers: Codes

    @classmethod
    def of(cls, pilot: Comparisons) -> AnswersByPair:
        """Sort the answers of a pilot by pair. O(n log n)."""
        n = len(pilot.items)
        key = np.minimum(pilot.left, pilot.right) * n + np.maximum(pilot.left, pilot.right)
        _, pair, answers = np.unique(key, return_inverse=True, return_counts=True)
        rows = np.argsort(pair, kind="stable")
        return cls(rows, pair[rows], answers)


def pilot_sizes(items: int) -> tuple[int, ...]:
    """Sizes of the sets of items to try: even, from half the pilot to all of it.

    Examples
    --------
    >>> pilot_sizes(41)
    (20, 24, 30, 34, 40)
    """
    if items < FEWEST:
        raise DataError(
            f"a pilot of {count(items, 'item')} is too small to plan from; compare at least "
            f"{FEWEST} items with each other."
        )
    wanted = np.linspace(items / 2, items, 5).astype(np.int64) // 2 * 2
    return tuple(sorted({int(n) for n in wanted}))


# How few comparisons rate items: points won beyond half of those at stake, which is what the
# paper's Elo comes down to.


def rate_steps(pilot: Comparisons, rows: Codes, steps: Codes) -> Floats:
    """Rate all items by the first comparisons of `rows`, for each number in `steps`, which rise.

    Returns
    -------
    (steps, items) array
    """
    n = len(pilot.items)
    more = pilot.weights[rows] * (pilot.outcome[rows] - 0.5)
    step = np.searchsorted(steps, np.arange(len(rows)), side="right")
    cells = np.bincount(step * n + pilot.left[rows], more, (len(steps) + 1) * n)
    cells -= np.bincount(step * n + pilot.right[rows], more, (len(steps) + 1) * n)
    return np.cumsum(cells.reshape(-1, n), axis=0, dtype=np.float64)[: len(steps)]


def rate(pilot: Comparisons, rows: Codes) -> Floats:
    """Rate all items by some comparisons; (items,) array."""
    return rate_steps(pilot, rows, np.array([len(rows)]))[0]


# How the number of comparisons may grow with the number of items.


class Law(NamedTuple):
    """A way in which the comparisons needed, n, grow with the items, N: n = a g(N)."""

    name: str
    growth: Callable[[float], float]

    @property
    def divisor(self) -> str:
        """g(N) as what is divided by: in brackets if it is more than one word."""
        return f"({self.name})" if " " in self.name else self.name


def _n_log_n(items: float) -> float:
    return items * math.log(items)


LAWS = (Law("N", float), Law("N log N", _n_log_n))
"""A number of comparisons an item, whatever their number; and as a sort needs (natural log)."""


# What a pilot gives: curves, and laws fitted to them.


@dataclass(frozen=True, eq=False)
class AccuracyCurve:
    """f1 of labels against the number of comparisons, for random sets of items of one size.

    Parameters
    ----------
    items : int
        Size of the sets, N.
    comparisons : (steps,) array
        Numbers of comparisons, rising from 0.
    f1 : (repeats, steps) array
    """

    items: int
    comparisons: Codes
    f1: Floats

    @property
    def mean(self) -> Floats:
        """Mean f1 over repeats."""
        return self.f1.mean(axis=0)

    def to_dict(self) -> dict[str, Any]:
        """Return the JSON form, with the mean over repeats."""
        return json_value({"items": self.items, "comparisons": self.comparisons, "f1": self.mean})


@dataclass(frozen=True)
class Needed(Record):
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


@dataclass(frozen=True, kw_only=True)
class FittedLaw(Record):
    """One law, fitted by least squares of log n.

    Parameters
    ----------
    name : str
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


@dataclass(frozen=True, eq=False, kw_only=True)
class Growth(Record):
    """What random sets of a pilot say of how the number of comparisons grows.

    Parameters
    ----------
    sizes : tuple of Needed
    laws : tuple of FittedLaw
        n = a N, and n = a N log N.
    fits : str or None
        Name of the law with the smallest sum of squares in at least 95% of the bootstrap samples;
        None if there is none.
    curves : tuple of AccuracyCurve
    """

    sizes: tuple[Needed, ...]
    laws: tuple[FittedLaw, ...]
    fits: str | None
    curves: tuple[AccuracyCurve, ...]


# How well few comparisons of few items label as many would: a pilot, sub-sampled.

STEPS = 24
"""Numbers of comparisons at which a curve is known, besides 0."""


class RandomSet(NamedTuple):
    """Items of a repeat, and rows of their comparisons in random order."""

    members: Codes
    rows: Codes
    rng: np.random.Generator


@dataclass(frozen=True, eq=False)
class Sampler:
    """Labels random sets of a pilot's items by some of their comparisons.

    A label says whether an item is rated above the median of its set; ties are broken at random.
    Half of a set is positive then, by few comparisons and by the whole pilot, so that f1,
    precision, recall and accuracy are one number, .5 by chance. What is scored is part of the
    pilot that it is held against, as in the paper, which is too optimistic.

    Parameters
    ----------
    pilot : Comparisons
        In canonical order, lest draws depend on the order of rows.
    repeats : int
        Random sets of each size.
    """

    pilot: Comparisons
    repeats: int

    @cached_property
    def truth(self) -> Floats:
        """Ratings by all answers."""
        return rate(self.pilot, np.arange(len(self.pilot)))

    def curves(
        self,
        sizes: Sequence[int],
        rng: np.random.Generator,
        progress: Callable[[int, int], object] | None = None,
    ) -> list[AccuracyCurve]:
        """Score labels of sets of each size against those by the whole pilot.

        Parameters
        ----------
        sizes : sequence of int
            Even numbers of items.
        rng : Generator
        progress : callable, optional
            Called with the number of repeats done and their total.

        Returns
        -------
        list of AccuracyCurve
            One a size, but for those whose sets have too few comparisons (less than an item each).

        Notes
        -----
        O(pilot) a repeat, about .2 ms for 1,640 comparisons. All sets together would take repeats
        times the pilot, so each is drawn again from its seed.
        """
        curves: list[AccuracyCurve] = []
        for k, (size, stream) in enumerate(zip(sizes, rng.spawn(len(sizes)), strict=True)):
            seeds = stream.integers(2**63, size=self.repeats)
            most = min(len(self.draw(size, seed).rows) for seed in seeds)
            steps = _steps(most)
            f1 = np.empty((self.repeats, len(steps)))
            for row, seed in enumerate(seeds):
                if most >= size:
                    f1[row] = self.score(self.draw(size, seed), steps)
                if progress is not None:
                    progress(k * self.repeats + row + 1, len(sizes) * self.repeats)
            if most >= size:
                curves.append(AccuracyCurve(size, steps, f1))
        return curves

    def draw(self, size: int, seed: np.int64) -> RandomSet:
        """Draw the set of a seed."""
        rng = np.random.default_rng(seed)
        members = rng.permutation(len(self.pilot.items))[:size]
        inside = np.zeros(len(self.pilot.items), dtype=bool)
        inside[members] = True
        rows = np.flatnonzero(inside[self.pilot.left] & inside[self.pilot.right])
        return RandomSet(members, rng.permutation(rows), rng)

    def score(self, drawn: RandomSet, steps: Codes) -> Floats:
        """Compute f1 of one set after each number of comparisons."""
        size = len(drawn.members)
        # Members come in random order, so that a stable sort breaks ties at random. The whole
        # pilot needs an order of its own.
        order = drawn.rng.permutation(size)
        best = order[np.argsort(-self.truth[drawn.members][order], kind="stable")]
        positive = np.zeros(size, dtype=bool)
        positive[best[: size // 2]] = True
        rated = rate_steps(self.pilot, drawn.rows, steps)[:, drawn.members]
        called = np.argsort(-rated, axis=1, kind="stable")[:, : size // 2]
        return positive[called].mean(axis=1)


def _steps(most: int) -> Codes:
    """Numbers of comparisons: dense where the curve is steep."""
    part = np.linspace(0, 1, STEPS + 1) ** 1.5
    return np.unique(np.round(part * most).astype(np.int64))


# How many comparisons N items need: laws fitted to the curves of a pilot.

DRAWS = 200
"""Bootstrap samples of repeats."""
SURE = 0.95
"""Share of bootstrap samples in which one law must fit better to be said to."""


def fit_laws(
    curves: Sequence[AccuracyCurve],
    items: int,
    target_f1: float | None,
    budget: int | None,
    level: float,
    rng: np.random.Generator,
) -> Growth:
    """Find where curves reach the target, fit the laws, and answer for so many items.

    Curves are made to rise, halfway between the largest mean so far and the smallest from there on,
    and read by linear interpolation. For a budget of n, the curve of size N' is read at
    n' = n g(N') / g(N), g being the law; the answer is the mean over the sizes that have as many
    comparisons.

    Intervals come from drawing the repeats of each size with replacement. They tell how far the
    random sets of items and comparisons agree, not how another pilot would have turned out.

    O(draws x sizes x (repeats + steps)).
    """
    # Rows: curves as they are, then of bootstrap samples.
    streams = rng.spawn(len(curves))
    means = [_drawn_means(curve, each) for curve, each in zip(curves, streams, strict=True)]
    reached = np.full((len(curves), DRAWS + 1), math.inf)
    sizes: list[Needed] = []
    for k, (curve, mean) in enumerate(zip(curves, means, strict=True)):
        most, comparisons = int(curve.comparisons[-1]), None
        if target_f1 is not None:
            reached[k] = [crossing(curve.comparisons, row, target_f1) for row in mean]
            comparisons = _estimate(reached[k], level, (0.0, most))
        value = float(mean[0, -1])
        f1 = Estimate.from_draws(value, curve.f1[:, -1], level=level, method=OVER_REPEATS)
        sizes.append(Needed(curve.items, comparisons, most, f1))
    laws: list[FittedLaw] = []
    squares = np.full((len(LAWS), DRAWS + 1), math.nan)
    for k, law in enumerate(LAWS):
        growth, scale = np.array([law.growth(curve.items) for curve in curves]), law.growth(items)
        ratios = [row[np.isfinite(row) & (row > 0)] for row in (reached.T / growth)]
        # Least squares of log n = log a + log g(N): the geometric mean of n / g(N).
        factors = np.array([np.exp(np.log(x).mean()) if len(x) else math.inf for x in ratios])
        squares[k] = [np.log(x).var() if len(x) > 1 else math.nan for x in ratios]
        comparisons = f1 = None
        if budget is not None:
            f1 = _bought(curves, means, budget / scale * growth, level)
        if target_f1 is not None:
            shown = max(curve.comparisons[-1] / g for curve, g in zip(curves, growth, strict=True))
            comparisons = _estimate(factors * scale, level, (0.0, math.floor(shown * scale)))
        laws.append(
            FittedLaw(
                name=law.name,
                factor=float(factors[0]) if math.isfinite(factors[0]) else math.nan,
                spread=_spread(ratios[0]),
                comparisons=comparisons,
                f1=f1,
            )
        )
    better = np.mean(squares[0, 1:] < squares[1, 1:]), np.mean(squares[1, 1:] < squares[0, 1:])
    fits = next((law.name for law, share in zip(LAWS, better, strict=True) if share >= SURE), None)
    return Growth(sizes=tuple(sizes), laws=tuple(laws), fits=fits, curves=tuple(curves))


def _spread(ratios: Floats) -> float:
    return float(np.ptp(ratios) / ratios.mean()) if len(ratios) > 1 else math.nan


def _bought(
    curves: Sequence[AccuracyCurve], means: Sequence[Floats], wanted: Floats, level: float
) -> Estimate:
    """f1 with so many comparisons of each size, averaged over the sizes that have as many."""
    inside = [k for k, n in enumerate(wanted) if n <= curves[k].comparisons[-1]]
    if not inside:
        return Estimate(math.inf, bounds=(0.0, max(float(mean[0, -1]) for mean in means)))
    values = np.zeros(DRAWS + 1)
    for k in inside:
        for draw, row in enumerate(means[k]):
            values[draw] += np.interp(wanted[k], curves[k].comparisons, row) / len(inside)
    return _estimate(values, level)


def _drawn_means(curve: AccuracyCurve, rng: np.random.Generator) -> Floats:
    """Means over repeats, rising: as they are, then of bootstrap samples of the repeats."""
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


def crossing(comparisons: Codes, f1: Floats, target: float) -> float:
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


def _estimate(values: Floats, level: float, bounds: tuple[float, float] | None = None) -> Estimate:
    """Value and percentile interval, from the value and its draws."""
    return Estimate.from_draws(
        float(values[0]), values[1:], level=level, bounds=bounds, method=BOOTSTRAP_OF_REPEATS
    )

"""How many comparisons N items need: laws fitted to the curves of a pilot."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from headcount.pairwise.planning.laws import Law
from headcount.pairwise.planning.pilot.benchmarks import Benchmark
from headcount.pairwise.planning.prepare import Question
from headcount.pairwise.planning.records import AccuracyCurve, BenchmarkFit, FittedLaw, Needed
from headcount.stats.estimate import Estimate
from headcount.stats.intervals.from_draws import BOOTSTRAP_OF_REPEATS, OVER_REPEATS
from headcount.typing import Codes, Floats

__all__ = ["crossing", "fit_laws", "rising"]

DRAWS = 200
"""Bootstrap samples of repeats."""
SURE = 0.95
"""Share of bootstrap samples in which one law must fit better to be said to."""


def fit_laws(
    benchmark: Benchmark,
    curves: Sequence[AccuracyCurve],
    question: Question,
    laws: Sequence[Law],
    rng: np.random.Generator,
) -> BenchmarkFit:
    """Find where curves reach the target, fit the laws, and answer the question.

    Curves are made to rise, halfway between the largest mean so far and the smallest from there on,
    and read by linear interpolation. For a budget of n, the curve of size N' is read at
    n' = n g(N') / g(N), g being the law; the answer is the mean over the sizes that have as many
    comparisons.

    Intervals come from drawing the repeats of each size with replacement. They tell how far the
    random sets of items and comparisons agree, not how another pilot would have turned out.

    O(draws x sizes x (repeats + steps)).
    """
    sets = _Sets.of(curves, question, rng)
    return BenchmarkFit(
        benchmark=benchmark,
        curves=tuple(curves),
        needed=tuple(sets.needed(k) for k in range(len(curves))),
        laws=tuple(sets.fit(law) for law in laws),
        fits=sets.best(laws),
    )


@dataclass(frozen=True, eq=False)
class _Sets:
    """Sets of all sizes, and what they needed: as they are, then in bootstrap samples.

    Parameters
    ----------
    curves : sequence of AccuracyCurve
    question : Question
    means : sequence of (1 + draws, steps) arrays
        Mean curves, rising.
    reached : (sizes, 1 + draws) array
        Comparisons at which they reach the target; infinite if never, or without a target.
    """

    curves: Sequence[AccuracyCurve]
    question: Question
    means: Sequence[Floats]
    reached: Floats

    @classmethod
    def of(
        cls, curves: Sequence[AccuracyCurve], question: Question, rng: np.random.Generator
    ) -> _Sets:
        """Draw repeats with replacement, and find where mean curves reach the target."""
        streams = rng.spawn(len(curves))
        means = [_drawn_means(curve, each) for curve, each in zip(curves, streams, strict=True)]
        reached = np.full((len(curves), DRAWS + 1), math.inf)
        if question.target_f1 is not None:
            for k, (curve, mean) in enumerate(zip(curves, means, strict=True)):
                reached[k] = [crossing(curve.comparisons, row, question.target_f1) for row in mean]
        return cls(curves, question, means, reached)

    def needed(self, k: int) -> Needed:
        """Say what sets of one size needed, and what they reached."""
        curve, level = self.curves[k], self.question.level
        most = int(curve.comparisons[-1])
        comparisons = None
        if self.question.target_f1 is not None:
            comparisons = _estimate(self.reached[k], level, (0.0, most))
        mean, each = float(self.means[k][0, -1]), curve.f1[:, -1]
        f1 = Estimate.from_draws(mean, each, level=level, method=OVER_REPEATS)
        return Needed(curve.items, comparisons, most, f1)

    def fit(self, law: Law) -> FittedLaw:
        """Fit one law, and answer the question under it."""
        factors = np.array([self._factor(law, each) for each in self.reached.T])
        scale, level = law.growth(self.question.items), self.question.level
        comparisons = None
        if self.question.target_f1 is not None:
            shown = max(c.comparisons[-1] / law.growth(c.items) for c in self.curves)
            comparisons = _estimate(factors * scale, level, (0.0, math.floor(shown * scale)))
        budget = self.question.budget
        ratios = self._ratios(law, self.reached[:, 0])
        return FittedLaw(
            law=law,
            factor=float(factors[0]) if math.isfinite(factors[0]) else math.nan,
            spread=float(np.ptp(ratios) / ratios.mean()) if len(ratios) > 1 else math.nan,
            comparisons=comparisons,
            f1=None if budget is None else self._bought(law, budget / scale),
        )

    def best(self, laws: Sequence[Law]) -> str | None:
        """Name the law with the smallest sum of squares of log n, in nearly all samples."""
        squares = np.full((len(laws), self.reached.shape[1]), math.nan)
        for k, law in enumerate(laws):
            for draw, each in enumerate(self.reached.T):
                ratios = self._ratios(law, each)
                if len(ratios) > 1:
                    squares[k, draw] = np.log(ratios).var()
        for k, law in enumerate(laws if len(laws) > 1 else ()):
            better = squares[k, 1:] < np.delete(squares, k, axis=0)[:, 1:]
            if np.mean(better.all(axis=0)) >= SURE:
                return law.name
        return None

    def _ratios(self, law: Law, reached: Floats) -> Floats:
        """Return n / g(N) of the sizes that reached the target."""
        ratios = reached / np.array([law.growth(curve.items) for curve in self.curves])
        return ratios[np.isfinite(ratios) & (ratios > 0)]

    def _factor(self, law: Law, reached: Floats) -> float:
        """Least squares of log n = log a + log g(N): the geometric mean of n / g(N)."""
        ratios = self._ratios(law, reached)
        return float(np.exp(np.log(ratios).mean())) if len(ratios) else math.inf

    def _bought(self, law: Law, rate: float) -> Estimate:
        """f1 at n = rate x g(N), averaged over the sizes that have as many comparisons."""
        wanted = [rate * law.growth(curve.items) for curve in self.curves]
        inside = [k for k, n in enumerate(wanted) if n <= self.curves[k].comparisons[-1]]
        most = max(float(mean[0, -1]) for mean in self.means)
        if not inside:
            return Estimate(math.inf, bounds=(0.0, most))
        values = np.zeros(DRAWS + 1)
        for k in inside:
            for draw, row in enumerate(self.means[k]):
                values[draw] += np.interp(wanted[k], self.curves[k].comparisons, row) / len(inside)
        return _estimate(values, self.question.level)


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

"""What a pilot says of a larger study: curves of its sub-samples, and laws fitted to them."""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, ClassVar, NamedTuple

import numpy as np

from headcount import options
from headcount.data.comparisons import Comparisons
from headcount.errors import DataError, OptionError, count, option
from headcount.results.fields import Record, hidden, json_value
from headcount.stats.estimate import Estimate
from headcount.stats.intervals import BOOTSTRAP_OF_REPEATS, OVER_REPEATS
from headcount.typing import Codes, Floats

__all__ = [
    "AnswersByPair",
    "Question",
    "pilot_sizes",
    "rate_steps",
    "rate",
    "Benchmark",
    "FullPilot",
    "HeldOut",
    "BENCHMARKS",
    "halves",
    "Law",
    "Linear",
    "LAWS",
    "choose_laws",
    "AccuracyCurve",
    "Needed",
    "FittedLaw",
    "BenchmarkFit",
    "Sampler",
    "fit_laws",
    "rising",
    "crossing",
]


# What is asked of a pilot, checked.

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


@dataclass(frozen=True, kw_only=True)
class Question:
    """What a plan is to answer.

    Parameters
    ----------
    items : int
        Items that are to be labelled, N.
    target_f1 : float or None
    budget : int or None
        Comparisons.
    level : float
        Coverage of intervals.
    """

    items: int
    target_f1: float | None = None
    budget: int | None = None
    level: float = 0.95


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


# What labels by few comparisons are held against.
#
# A benchmark is a class here, and an entry of :data:`BENCHMARKS`.


class Benchmark(ABC):
    """What is taken for the truth.

    Attributes
    ----------
    name : str
    errs : str
        In which direction it errs.
    caveat : str
        Why.
    """

    name: ClassVar[str]
    errs: ClassVar[str]
    caveat: ClassVar[str]

    @abstractmethod
    def split(self, by_pair: AnswersByPair, rng: np.random.Generator) -> tuple[Codes, Codes]:
        """Choose the answers that are sampled, and those that rate the benchmark.

        Without any of the latter, all answers do.
        """


class FullPilot(Benchmark):
    """Ratings by all answers, the paper's: those that are scored are among them."""

    name = "full pilot"
    errs = "too optimistic"
    caveat = "the answers that are scored are part of it"

    def split(self, by_pair: AnswersByPair, rng: np.random.Generator) -> tuple[Codes, Codes]:
        """Sample all answers."""
        return np.arange(len(by_pair.rows)), np.zeros(0, dtype=np.int64)


class HeldOut(Benchmark):
    """Ratings by the half of the answers that is not sampled, which err as well."""

    name = "held out"
    errs = "too pessimistic"
    caveat = "it is rated by the other half of the answers, which err too"

    def split(self, by_pair: AnswersByPair, rng: np.random.Generator) -> tuple[Codes, Codes]:
        """Sample half of the answers, and rate by the other."""
        return halves(by_pair, rng)


BENCHMARKS: tuple[Benchmark, ...] = (FullPilot(), HeldOut())


def halves(by_pair: AnswersByPair, rng: np.random.Generator) -> tuple[Codes, Codes]:
    """Split answers into two halves at random, those of the same pair as evenly as can be.

    Examples
    --------
    >>> from headcount.data.comparisons import Comparisons
    >>> twice = Comparisons.from_columns("abbc", "bacb", ["left"] * 4)
    >>> one, two = halves(AnswersByPair.of(twice), np.random.default_rng(0))
    >>> [sorted({*map(int, twice.left[half]), *map(int, twice.right[half])}) for half in (one, two)]
    [[0, 1, 2], [0, 1, 2]]
    """
    rows = by_pair.rows[np.argsort(by_pair.pair + rng.random(len(by_pair.pair)))]
    first = np.cumsum(by_pair.answers) - by_pair.answers
    # Of the pairs with an odd number of answers, half give one more to either side.
    odd = np.flatnonzero(by_pair.answers % 2)
    first[rng.permutation(odd)[: (len(odd) + 1) // 2]] += 1
    first_half = (np.arange(len(rows)) - np.repeat(first, by_pair.answers)) % 2 == 0
    return rows[first_half], rows[~first_half]


# How the number of comparisons may grow with the number of items.
#
# A law is a class here, and an entry of :data:`LAWS`. To add one, derive from :class:`Law`;
# :func:`headcount.plan` also takes objects of a user's own class.


class Law(ABC):
    """A way in which the comparisons needed, n, grow with the items, N: n = a g(N).

    Attributes
    ----------
    name : str
        g(N) in words, as in 'n = a N'.
    """

    name: ClassVar[str]

    @abstractmethod
    def growth(self, items: float) -> float:
        """Compute g(N)."""

    @property
    def divisor(self) -> str:
        """g(N) as what is divided by: in brackets if it is more than one word."""
        return f"({self.name})" if " " in self.name else self.name


class Linear(Law):
    """n = a N: a number of comparisons an item, whatever the number of items.

    Examples
    --------
    >>> Linear().growth(40)
    40
    """

    name = "N"

    def growth(self, items: float) -> float:
        """Compute N."""
        return items


class Linearithmic(Law):
    """n = a N log N (natural logarithm), as a sort needs.

    Examples
    --------
    >>> round(Linearithmic().growth(40), 1)
    147.6
    """

    name = "N log N"

    def growth(self, items: float) -> float:
        """Compute N log N."""
        return items * math.log(items)


LAWS: tuple[Law, ...] = (Linear(), Linearithmic())


def choose_laws(laws: Any) -> tuple[Law, ...]:
    """Take laws; those of :data:`LAWS` for None and True, none for False."""
    if laws is None or laws is True:
        return LAWS
    if laws is False:
        return ()
    chosen = [laws] if isinstance(laws, Law) else options.listed(laws, "laws", "laws")
    names = {law.name for law in chosen if isinstance(law, Law)}
    if not chosen or len(names) < len(chosen):
        raise OptionError(
            f"{option('laws')} must be objects of classes derived from Law, each with a name of "
            f"its own, such as {type(LAWS[0]).__name__}(), not {laws!r}."
        )
    return tuple(chosen)


# What a pilot gives: curves, and laws fitted to them.


@dataclass(frozen=True, eq=False)
class AccuracyCurve:
    """f1 of labels against the number of comparisons, for random sets of items of one size.

    Parameters
    ----------
    items : int
        Size of the sets, an even number.
    comparisons : (steps,) array of int
        Rising, from 0.
    f1 : (repeats, steps) array of float
        Each repeat is another set of items, and another order of their comparisons.
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
    law : Law
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
    law: Law = field(metadata=hidden())
    factor: float
    spread: float
    comparisons: Estimate | None
    f1: Estimate | None


@dataclass(frozen=True, eq=False, kw_only=True)
class BenchmarkFit(Record):
    """What a pilot says against one benchmark.

    Parameters
    ----------
    name : str
    benchmark : Benchmark
    sizes : tuple of Needed
    laws : tuple of FittedLaw
        n = a N, and n = a N log N, unless others were asked for.
    fits : str or None
        Name of the law with the smallest sum of squares in at least 95% of the bootstrap samples;
        None if there is none.
    curves : tuple of AccuracyCurve
    """

    name: str
    benchmark: Benchmark = field(metadata=hidden())
    sizes: tuple[Needed, ...]
    laws: tuple[FittedLaw, ...]
    fits: str | None
    curves: tuple[AccuracyCurve, ...]


# How well few comparisons of few items label as many would: a pilot, sub-sampled.

STEPS = 24
"""Numbers of comparisons at which a curve is known, besides 0."""
KEPT = 5_000_000
"""Comparisons of random sets that are kept in memory, 40 MB; other sets are drawn twice."""


class RandomSet(NamedTuple):
    """Items of a repeat, rows of their comparisons in random order, and the rows held out."""

    members: Codes
    rows: Codes
    others: Codes
    rng: np.random.Generator


@dataclass(frozen=True, eq=False)
class Sampler:
    """Labels random sets of a pilot's items by some of their comparisons.

    A label says whether an item is rated above the median of its set; ties are broken at random.
    Half of a set is positive then, by the ratings and by the benchmark, so that f1, precision,
    recall and accuracy are one number, .5 by chance.

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
    def by_pair(self) -> AnswersByPair:
        """Answers by pair."""
        return AnswersByPair.of(self.pilot)

    @cached_property
    def truth(self) -> Floats:
        """Ratings by all answers."""
        return rate(self.pilot, np.arange(len(self.pilot)))

    def curves(
        self,
        benchmark: Benchmark,
        sizes: Sequence[int],
        rng: np.random.Generator,
        progress: Callable[[], None] | None = None,
    ) -> list[AccuracyCurve]:
        """Score labels of sets of each size against a benchmark.

        Parameters
        ----------
        benchmark : Benchmark
        sizes : sequence of int
            Even numbers of items.
        rng : Generator
        progress : callable, optional
            Called after each repeat.

        Returns
        -------
        list of AccuracyCurve
            One a size, but for those whose sets have too few comparisons (less than an item each).

        Notes
        -----
        O(pilot) a repeat, about .2 ms for 1,640 comparisons.
        """
        # All sets together take repeats times the pilot; a seed brings back those not kept.
        kept = KEPT // len(self.pilot)
        curves: list[AccuracyCurve] = []
        for size, stream in zip(sizes, rng.spawn(len(sizes)), strict=True):
            seeds = stream.integers(2**63, size=self.repeats)
            sets = [self.draw(benchmark, size, seed) for seed in seeds[:kept]]
            counts = [len(drawn.rows) for drawn in sets]
            counts += [len(self.draw(benchmark, size, seed).rows) for seed in seeds[kept:]]
            most = min(counts)
            steps = _steps(most)
            f1 = np.empty((self.repeats, len(steps)))
            for k, seed in enumerate(seeds):
                if most >= size:
                    drawn = sets[k] if k < kept else self.draw(benchmark, size, seed)
                    f1[k] = self.score(drawn, steps)
                if progress is not None:
                    progress()
            if most >= size:
                curves.append(AccuracyCurve(size, steps, f1))
        return curves

    def draw(self, benchmark: Benchmark, size: int, seed: np.int64) -> RandomSet:
        """Draw the set of a seed."""
        rng = np.random.default_rng(seed)
        members = rng.permutation(len(self.pilot.items))[:size]
        rows, others = benchmark.split(self.by_pair, rng)
        inside = np.zeros(len(self.pilot.items), dtype=bool)
        inside[members] = True
        rows = rows[inside[self.pilot.left[rows]] & inside[self.pilot.right[rows]]]
        return RandomSet(members, rng.permutation(rows), others, rng)

    def score(self, drawn: RandomSet, steps: Codes) -> Floats:
        """Compute f1 of one set after each number of comparisons."""
        reference = rate(self.pilot, drawn.others) if len(drawn.others) else self.truth
        size = len(drawn.members)
        # Members come in random order, so that a stable sort breaks ties at random. The benchmark
        # needs an order of its own.
        order = drawn.rng.permutation(size)
        best = order[np.argsort(-reference[drawn.members][order], kind="stable")]
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
        name=benchmark.name,
        benchmark=benchmark,
        sizes=tuple(sets.needed(k) for k in range(len(curves))),
        laws=tuple(sets.fit(law) for law in laws),
        fits=sets.best(laws),
        curves=tuple(curves),
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
            name=law.name,
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

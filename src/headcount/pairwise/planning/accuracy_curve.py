"""How well few comparisons of few items label as many would: a pilot, sub-sampled."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from headcount.data.comparisons import Comparisons
from headcount.errors import DataError, count
from headcount.typing import Codes, Floats

__all__ = ["BENCHMARKS", "RATINGS", "AccuracyCurve", "accuracy_curves", "halves", "pilot_sizes"]

BENCHMARKS = ("full pilot", "held out")
RATINGS = ("points", "bradley-terry")
STEPS = 24
"""Numbers of comparisons at which a curve is known, besides 0."""
FEWEST = 10
"""Items of a pilot, at least."""
PRIOR_SD = 2.0
"""Of Bradley-Terry logits: items that won or lost all of a few comparisons stay finite."""


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


def accuracy_curves(
    pilot: Comparisons,
    benchmark: str,
    *,
    sizes: Sequence[int],
    rating: str,
    repeats: int,
    rng: np.random.Generator,
    progress: Callable[[], None] | None = None,
) -> list[AccuracyCurve]:
    """Label random sets of items by some of their comparisons, and score that against a benchmark.

    A label says whether an item is rated above the median of its set; ties are broken at random.
    Half of a set is positive then, by the ratings and by the benchmark, so that f1, precision,
    recall and accuracy are one number, .5 by chance.

    * 'full pilot', the paper's: the benchmark is rated by all answers of the pilot, among them
      those that are scored. With all of them f1 is 1, right or wrong.
    * 'held out': each repeat splits the answers into two halves (see :func:`halves`). One is
      sampled, the other rates the benchmark, which is as noisy as half the pilot.

    Parameters
    ----------
    pilot : Comparisons
    benchmark : {"full pilot", "held out"}
    sizes : sequence of int
        Even numbers of items.
    rating : {"points", "bradley-terry"}
    repeats : int
    rng : Generator
    progress : callable, optional
        Called after each repeat.

    Returns
    -------
    list of AccuracyCurve
        One a size, but for those whose sets have too few comparisons (less than an item each).

    Notes
    -----
    O(pilot) a repeat, about .2 ms for 1,640 comparisons; with Bradley-Terry about 5 ms.
    """
    asked = Asked.of(pilot) if benchmark == "held out" else None
    truth = _rate(pilot, np.arange(len(pilot)), rating)
    curves: list[AccuracyCurve] = []
    for size, stream in zip(sizes, rng.spawn(len(sizes)), strict=True):
        # A seed brings a set back: to keep all of them would take repeats times the pilot.
        seeds = stream.integers(2**63, size=repeats)
        most = min(len(_set(pilot, asked, size, seed).rows) for seed in seeds)
        steps = _steps(most)
        f1 = np.empty((repeats, len(steps)))
        for k, seed in enumerate(seeds):
            if most >= size:
                f1[k] = _score(pilot, _set(pilot, asked, size, seed), steps, rating, truth)
            if progress is not None:
                progress()
        if most >= size:
            curves.append(AccuracyCurve(size, steps, f1))
    return curves


class _Set(NamedTuple):
    """Items of a repeat, rows of their comparisons in random order, and the rows held out."""

    members: Codes
    rows: Codes
    others: Codes
    rng: np.random.Generator


def _set(pilot: Comparisons, asked: Asked | None, size: int, seed: np.int64) -> _Set:
    rng = np.random.default_rng(seed)
    members = rng.permutation(len(pilot.items))[:size]
    rows, others = np.arange(len(pilot)), np.zeros(0, dtype=np.int64)
    if asked is not None:
        rows, others = halves(asked, rng)
    inside = np.zeros(len(pilot.items), dtype=bool)
    inside[members] = True
    rows = rows[inside[pilot.left[rows]] & inside[pilot.right[rows]]]
    return _Set(members, rng.permutation(rows), others, rng)


def _score(pilot: Comparisons, drawn: _Set, steps: Codes, rating: str, truth: Floats) -> Floats:
    """f1 of one set after each number of comparisons."""
    reference = _rate(pilot, drawn.others, rating) if len(drawn.others) else truth
    size = len(drawn.members)
    # Members come in random order, so that a stable sort breaks ties at random. The benchmark
    # needs an order of its own.
    order = drawn.rng.permutation(size)
    best = order[np.argsort(-reference[drawn.members][order], kind="stable")]
    positive = np.zeros(size, dtype=bool)
    positive[best[: size // 2]] = True
    rated = _rate_steps(pilot, drawn.rows, steps, rating)[:, drawn.members]
    called = np.argsort(-rated, axis=1, kind="stable")[:, : size // 2]
    return positive[called].mean(axis=1)


class Asked(NamedTuple):
    """Answers of a pilot by pair: their rows, the pair of each, and how many each pair has."""

    rows: Codes
    pair: Codes
    answers: Codes

    @classmethod
    def of(cls, pilot: Comparisons) -> Asked:
        """Sort the answers of a pilot by pair. O(n log n)."""
        n = len(pilot.items)
        key = np.minimum(pilot.left, pilot.right) * n + np.maximum(pilot.left, pilot.right)
        _, pair, answers = np.unique(key, return_inverse=True, return_counts=True)
        rows = np.argsort(pair, kind="stable")
        return cls(rows, pair[rows], answers)


def halves(asked: Asked, rng: np.random.Generator) -> tuple[Codes, Codes]:
    """Split answers into two halves at random, those of the same pair as evenly as can be.

    Examples
    --------
    >>> twice = Comparisons.from_columns("abbc", "bacb", ["left"] * 4)
    >>> one, two = halves(Asked.of(twice), np.random.default_rng(0))
    >>> sorted(one // 2), sorted(two // 2)  # rows 0 and 1 are a pair, and so are 2 and 3
    ([np.int64(0), np.int64(1)], [np.int64(0), np.int64(1)])
    """
    rows = asked.rows[np.argsort(asked.pair + rng.random(len(asked.pair)))]
    first = np.cumsum(asked.answers) - asked.answers
    # Of the pairs with an odd number of answers, half give one more to either side.
    odd = np.flatnonzero(asked.answers % 2)
    first[rng.permutation(odd)[: (len(odd) + 1) // 2]] += 1
    one = (np.arange(len(rows)) - np.repeat(first, asked.answers)) % 2 == 0
    return rows[one], rows[~one]


def _steps(most: int) -> Codes:
    """Numbers of comparisons: dense where the curve is steep."""
    part = np.linspace(0, 1, STEPS + 1) ** 1.5
    return np.unique(np.round(part * most).astype(np.int64))


def _rate(pilot: Comparisons, rows: Codes, rating: str) -> Floats:
    """Rate all items by some comparisons."""
    return _rate_steps(pilot, rows, np.array([len(rows)]), rating)[0]


def _rate_steps(pilot: Comparisons, rows: Codes, steps: Codes, rating: str) -> Floats:
    """Ratings by the first comparisons of `rows`, for each number in `steps`; steps x items."""
    n = len(pilot.items)
    left, right, outcome = pilot.left[rows], pilot.right[rows], pilot.outcome[rows]
    weight = pilot.weights[rows]
    if rating == "points":
        more = weight * (outcome - 0.5)
        step = np.searchsorted(steps, np.arange(len(rows)), side="right")
        cells = np.bincount(step * n + left, more, (len(steps) + 1) * n)
        cells -= np.bincount(step * n + right, more, (len(steps) + 1) * n)
        return np.cumsum(cells.reshape(-1, n), axis=0, dtype=np.float64)[: len(steps)]
    from headcount.pairwise.planning._kernel import rate_steps

    return rate_steps(n, left, right, outcome, weight, steps, PRIOR_SD**-2)

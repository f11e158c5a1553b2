"""How well few comparisons of few items label as many would: a pilot, sub-sampled."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np

from headcount.data.comparisons import Comparisons
from headcount.pairwise.planning.pilot.benchmarks import Benchmark
from headcount.pairwise.planning.pilot.ratings import Rating
from headcount.pairwise.planning.prepare import Asked
from headcount.pairwise.planning.records import AccuracyCurve
from headcount.typing import Codes, Floats

__all__ = ["RandomSet", "Sampler"]

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
    rating : Rating
    repeats : int
        Random sets of each size.
    """

    pilot: Comparisons
    rating: Rating
    repeats: int

    @cached_property
    def asked(self) -> Asked:
        """Answers by pair."""
        return Asked.of(self.pilot)

    @cached_property
    def truth(self) -> Floats:
        """Ratings by all answers."""
        return self.rating.rate(self.pilot, np.arange(len(self.pilot)))

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
        O(pilot) a repeat, about .2 ms for 1,640 comparisons; with Bradley-Terry about 5 ms.
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
        rows, others = benchmark.split(self.asked, rng)
        inside = np.zeros(len(self.pilot.items), dtype=bool)
        inside[members] = True
        rows = rows[inside[self.pilot.left[rows]] & inside[self.pilot.right[rows]]]
        return RandomSet(members, rng.permutation(rows), others, rng)

    def score(self, drawn: RandomSet, steps: Codes) -> Floats:
        """Compute f1 of one set after each number of comparisons."""
        reference = self.rating.rate(self.pilot, drawn.others) if len(drawn.others) else self.truth
        size = len(drawn.members)
        # Members come in random order, so that a stable sort breaks ties at random. The benchmark
        # needs an order of its own.
        order = drawn.rng.permutation(size)
        best = order[np.argsort(-reference[drawn.members][order], kind="stable")]
        positive = np.zeros(size, dtype=bool)
        positive[best[: size // 2]] = True
        rated = self.rating.rate_steps(self.pilot, drawn.rows, steps)[:, drawn.members]
        called = np.argsort(-rated, axis=1, kind="stable")[:, : size // 2]
        return positive[called].mean(axis=1)


def _steps(most: int) -> Codes:
    """Numbers of comparisons: dense where the curve is steep."""
    part = np.linspace(0, 1, STEPS + 1) ** 1.5
    return np.unique(np.round(part * most).astype(np.int64))

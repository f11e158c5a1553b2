"""What labels by few comparisons are held against.

A benchmark is a class here, and an entry of :data:`BENCHMARKS`.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import ClassVar

import numpy as np

from headcount.pairwise.planning.prepare import Asked
from headcount.typing import Codes

__all__ = ["BENCHMARKS", "Benchmark", "FullPilot", "HeldOut", "halves"]


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
    def split(self, asked: Asked, rng: np.random.Generator) -> tuple[Codes, Codes]:
        """Choose the answers that are sampled, and those that rate the benchmark.

        Without any of the latter, all answers do.
        """


class FullPilot(Benchmark):
    """Ratings by all answers, the paper's: those that are scored are among them."""

    name = "full pilot"
    errs = "too optimistic"
    caveat = "the answers that are scored are part of it"

    def split(self, asked: Asked, rng: np.random.Generator) -> tuple[Codes, Codes]:
        """Sample all answers."""
        return np.arange(len(asked.rows)), np.zeros(0, dtype=np.int64)


class HeldOut(Benchmark):
    """Ratings by the half of the answers that is not sampled, which err as well."""

    name = "held out"
    errs = "too pessimistic"
    caveat = "it is rated by the other half of the answers, which err too"

    def split(self, asked: Asked, rng: np.random.Generator) -> tuple[Codes, Codes]:
        """Sample half of the answers, and rate by the other."""
        return halves(asked, rng)


BENCHMARKS: tuple[Benchmark, ...] = (FullPilot(), HeldOut())


def halves(asked: Asked, rng: np.random.Generator) -> tuple[Codes, Codes]:
    """Split answers into two halves at random, those of the same pair as evenly as can be.

    Examples
    --------
    >>> from headcount.data.comparisons import Comparisons
    >>> twice = Comparisons.from_columns("abbc", "bacb", ["left"] * 4)
    >>> one, two = halves(Asked.of(twice), np.random.default_rng(0))
    >>> [sorted({*map(int, twice.left[half]), *map(int, twice.right[half])}) for half in (one, two)]
    [[0, 1, 2], [0, 1, 2]]
    """
    rows = asked.rows[np.argsort(asked.pair + rng.random(len(asked.pair)))]
    first = np.cumsum(asked.answers) - asked.answers
    # Of the pairs with an odd number of answers, half give one more to either side.
    odd = np.flatnonzero(asked.answers % 2)
    first[rng.permutation(odd)[: (len(odd) + 1) // 2]] += 1
    one = (np.arange(len(rows)) - np.repeat(first, asked.answers)) % 2 == 0
    return rows[one], rows[~one]

"""Curves and classifier scores of a data set and of its bootstrap resamples, with common draws."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from headcount.data.predictions import Classifier
from headcount.equivalence.combiners.combiners import Combiner
from headcount.equivalence.scorers.base import Scorer
from headcount.equivalence.surveys.curve import PowerCurve
from headcount.equivalence.surveys.surveys import Pool
from headcount.stats.draws import resample
from headcount.stats.grouping import group_rows
from headcount.typing import Floats, Progress

__all__ = ["PooledItems", "Scores", "Scoring"]


_BLOCK_NUMBERS = 8_000_000


@dataclass(frozen=True, eq=False)
class PooledItems:
    """A pool of raters, the pattern that each item shows of it, and the largest survey."""

    pool: Pool
    pattern: NDArray[np.intp]
    max_k: int


@dataclass(frozen=True, eq=False)
class Scores:
    """Scores of several data sets.

    Parameters
    ----------
    curves : list of (draws, sizes) arrays
        The power curve of each pool.
    classifiers : (draws, classifiers) array
    patterns : (draws, patterns) array
        The data sets: how many items show each pattern of the first pool.
    """

    curves: list[Floats]
    classifiers: Floats
    patterns: Floats


class Scoring:
    """Curves and classifier scores as functions of how often each kind of item is drawn.

    Items that show the same patterns and the same predictions are one cell; a data set is the
    number of items in each cell. Building costs O(labels x classifiers x n log n), for the cells.

    Parameters
    ----------
    pools : sequence of PooledItems
        One power curve is drawn from each.
    reference : (items, labels) array
        Distribution of the label against which classifiers are scored.
    classifiers : sequence of Classifier
    combiner, scorer
    """

    def __init__(
        self,
        pools: Sequence[PooledItems],
        reference: Floats,
        classifiers: Sequence[Classifier],
        combiner: Combiner,
        scorer: Scorer,
    ) -> None:
        columns = [column for c in classifiers for column in c.probability.T]
        first, self.cell = group_rows([*(p.pattern for p in pools), *columns])
        self.multiplicity = np.bincount(self.cell)
        self._by_pattern = [_Sums(p.pattern[first], len(p.pool.patterns)) for p in pools]
        self.curves = [
            PowerCurve(
                [p.pool.surveys(k) for k in range(p.max_k + 1)],
                np.bincount(p.pattern),
                combiner,
                scorer,
            )
            for p in pools
        ]
        self._classifiers = [
            scorer.bind(c.probability[first], reference[first], c.kind) for c in classifiers
        ]

    @property
    def helped(self) -> Floats:
        """Share of the surveys of each size in which abc lacked support."""
        return self.curves[0].helped

    def score(self, drawn: Floats) -> Scores:
        """Score data sets, given as the number of items in each cell: (draws, cells)."""
        patterns = [sums(drawn) for sums in self._by_pattern]
        curves = [curve(items) for curve, items in zip(self.curves, patterns, strict=True)]
        scores = np.empty((len(drawn), len(self._classifiers)))
        for c, scored in enumerate(self._classifiers):
            scores[:, c] = scored(drawn)
        return Scores(curves, scores, patterns[0])

    def observed(self) -> Scores:
        """Score the data themselves."""
        return self.score(self.multiplicity[None, :].astype(np.float64))

    def bootstrap(self, draws: int, rng: np.random.Generator, progress: Progress | None) -> Scores:
        """Score `draws` resamples of the items."""
        parts = [self.score(np.empty((0, len(self.multiplicity))))]
        block = max(1, _BLOCK_NUMBERS // len(self.multiplicity))
        done = 0
        for drawn in resample(self.multiplicity, draws, rng, block=block):
            parts.append(self.score(drawn))
            done += len(drawn)
            if progress is not None:
                progress(done, draws)
        return Scores(
            [np.concatenate(curves) for curves in zip(*(p.curves for p in parts), strict=True)],
            np.concatenate([p.classifiers for p in parts]),
            np.concatenate([p.patterns for p in parts]),
        )


class _Sums:
    """Sums of columns by group, in one pass."""

    def __init__(self, group: NDArray[np.intp], size: int) -> None:
        self.size = size
        # Cells are in lexicographic order: the first pool's patterns are sorted already.
        self.order = None if (np.diff(group) >= 0).all() else np.argsort(group, kind="stable")
        ordered = group if self.order is None else group[self.order]
        self.starts = np.searchsorted(ordered, np.arange(size))

    def __call__(self, columns: Floats) -> Floats:
        ordered = columns if self.order is None else columns[:, self.order]
        return np.add.reduceat(ordered, self.starts, axis=1)

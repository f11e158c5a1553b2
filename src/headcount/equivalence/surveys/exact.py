"""All surveys that the data hold, counted; bootstrap resamples with common draws."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from headcount.equivalence.surveys.base import Design, Scores
from headcount.equivalence.surveys.curve import PowerCurve
from headcount.stats.draws import resample
from headcount.stats.grouping import counted, group_rows
from headcount.typing import Floats, Ints, Progress

__all__ = ["Exact", "Sums"]


_BLOCK_NUMBERS = 8_000_000


class Exact:
    """Curves and classifier scores as functions of how often each kind of item is drawn.

    Items that show the same patterns and the same predictions are one cell; a data set is the
    number of items in each cell. Building costs O(labels x classifiers x n log n), for the cells.

    Parameters
    ----------
    design : Design
    samples, rng
        Not used: nothing is sampled.

    Attributes
    ----------
    first : (cells,) array of int
        An item of each cell.
    together : dict of str to function
        What scores classifiers together with raters, to be filled in.
    """

    name: str = "exact"
    counts_all: bool = True

    def __init__(self, design: Design, *, samples: int = 0, rng: object = None) -> None:
        del samples, rng
        pools, combiner, scorer = design.pools, design.combiner, design.scorer
        columns = [column for c in design.classifiers for column in c.probability.T]
        first, cell = group_rows([*(p.pattern for p in pools), *columns])
        self.first, self.multiplicity = first, counted(cell, design.weight)
        self.together: dict[str, Callable[[Floats], Floats]] = {}
        self._by_pattern = [Sums(p.pattern[first], len(p.pool.patterns)) for p in pools]
        self.curves = [PowerCurve(p, combiner, scorer) for p in pools]
        self._classifiers = [
            scorer.bind(c.probability[first], design.reference[first], c.kind)
            for c in design.classifiers
        ]
        self.helped, self.learned = self.curves[0].helped, self.curves[0].learned

    def score(self, drawn: Floats) -> Scores:
        """Score data sets, given as the number of items in each cell: (draws, cells)."""
        patterns = [sums(drawn) for sums in self._by_pattern]
        curves = [curve(items) for curve, items in zip(self.curves, patterns, strict=True)]
        scores = np.empty((len(drawn), len(self._classifiers)))
        for c, scored in enumerate(self._classifiers):
            scores[:, c] = scored(drawn)
        together = {name: scored(drawn) for name, scored in self.together.items()}
        return Scores(curves, scores, patterns[0], together)

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
            {name: np.concatenate([p.together[name] for p in parts]) for name in self.together},
        )


class Sums:
    """Sums of columns by group, in one pass."""

    def __init__(self, group: Ints, size: int) -> None:
        self.size = size
        # Cells are in lexicographic order: the first pool's patterns are sorted already.
        self.order = None if (np.diff(group) >= 0).all() else np.argsort(group, kind="stable")
        ordered = group if self.order is None else group[self.order]
        self.starts = np.searchsorted(ordered, np.arange(size))

    def __call__(self, columns: Floats) -> Floats:
        """Add up columns (rows, columns) by group: (rows, groups)."""
        ordered = columns if self.order is None else columns[:, self.order]
        return np.add.reduceat(ordered, self.starts, axis=1)

"""Curve and classifier scores of a data set and of its bootstrap resamples, with common draws."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
from numpy.typing import NDArray

from headcount.equivalence.combiners import ABC, Myopic
from headcount.equivalence.curve import power_curve
from headcount.equivalence.scorers import Scorer
from headcount.equivalence.surveys import simulate_surveys
from headcount.labels.counts import Counts
from headcount.labels.predictions import Classifier
from headcount.stats.bootstrap import resample
from headcount.stats.grouping import group_rows

__all__ = ["Scoring"]

Floats = NDArray[np.float64]

_BLOCK_NUMBERS = 10_000_000


class Scoring:
    """Curve and classifier scores as functions of how often each kind of item is drawn.

    Items that show the same pattern and the same predictions are one cell; a data set is the
    number of items in each cell. Building costs O(labels x classifiers x n log n), for the cells.
    """

    def __init__(
        self,
        counts: Counts,
        classifiers: Sequence[Classifier],
        combiner: ABC | Myopic,
        scorer: Scorer,
        max_k: int,
    ) -> None:
        columns = [column for c in classifiers for column in c.probability.T]
        first, self.cell = group_rows([counts.pattern, *columns])
        self.multiplicity = np.bincount(self.cell)
        pattern = counts.pattern[first]  # ascending, as groups are in lexicographic order
        self.starts = np.searchsorted(pattern, np.arange(len(counts.patterns)))
        reference = counts.patterns / counts.ratings[:, None]
        self.statistics = [
            scorer.statistics(scorer.prepare(c.probability[first]), reference[pattern])
            for c in classifiers
        ]
        self.combiner, self.scorer = combiner, scorer
        self.surveys = [simulate_surveys(counts.patterns, k) for k in range(max_k + 1)]

    def score(self, drawn: Floats) -> tuple[Floats, Floats, Floats]:
        """Score data sets, given as the number of items in each cell.

        Parameters
        ----------
        drawn : (draws, cells) array

        Returns
        -------
        curve : (draws, sizes) array
        scores : (draws, classifiers) array
        helped : (draws, sizes) array
            See :func:`power_curve`.
        """
        items = np.add.reduceat(drawn, self.starts, axis=1)
        curve, helped = power_curve(self.surveys, items, self.combiner, self.scorer)
        n = drawn.sum(axis=1, keepdims=True)
        scores = np.empty((len(drawn), len(self.statistics)))
        for c, statistics in enumerate(self.statistics):
            scores[:, c] = self.scorer.finish(drawn @ statistics / n)
        return curve, scores, helped

    def bootstrap(
        self, draws: int, rng: np.random.Generator, progress: Callable[[int, int], None] | None
    ) -> tuple[Floats, Floats]:
        """Curve and scores of `draws` resamples of the items."""
        curves = np.empty((draws, len(self.surveys)))
        scores = np.empty((draws, len(self.statistics)))
        # Blocks of a second or so, that progress can show and a user interrupt.
        numbers = sum(table.reference.size for table in self.surveys) + len(self.multiplicity)
        block = max(1, _BLOCK_NUMBERS // numbers)
        done = 0
        for drawn in resample(self.multiplicity, draws, rng, block=block):
            part = slice(done, done + len(drawn))
            curves[part], scores[part], _ = self.score(drawn)
            done += len(drawn)
            if progress is not None:
                progress(done, draws)
        return curves, scores

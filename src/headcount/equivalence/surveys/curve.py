"""Algorithm 3: the survey power curve, exactly."""

from __future__ import annotations

from collections.abc import Callable, Iterable

import numpy as np

from headcount.equivalence.combiners.base import Combiner, Predicted
from headcount.equivalence.scorers.base import Scorer
from headcount.equivalence.surveys.surveys import PooledItems, Surveys
from headcount.typing import Floats

__all__ = ["PowerCurve"]


_BLOCK_NUMBERS = 4_000_000


class PowerCurve:
    """Scores of surveys of k = 0, 1, 2 ... raters, as functions of how many items show a pattern.

    What surveys predict is learned once, from the data. Calling the curve scores data sets in
    which patterns are more or less frequent, such as bootstrap resamples.

    Parameters
    ----------
    items : PooledItems
        Whose surveys are scored, and from which a combiner may learn.
    combiner, scorer
        What turns a survey into a prediction, and what scores it.

    Attributes
    ----------
    learned : Learned
        The combiner, with what it learned.
    helped : (sizes,) array
        Share of the surveys for which the combiner lacked support.

    Notes
    -----
    O(rows x labels) to learn and to score. A scorer that is a function of means is summed once a
    pattern, and costs O(patterns) a data set; others O(rows).
    """

    def __init__(self, items: PooledItems, combiner: Combiner, scorer: Scorer) -> None:
        self.learned = combiner.learn(items)
        self.helped = np.zeros(items.max_k + 1)
        self._scored: list[Callable[[Floats], Floats]] = []
        for size in range(items.max_k + 1):
            surveys = items.pool.surveys(size)
            reached = items.multiplicity[surveys.pattern] * surveys.probability
            table = _Table(surveys, scorer, combiner)
            scored = table.summed if hasattr(scorer, "statistics") else table.listed
            predicted = list(self.learned.predictions(surveys))
            self._scored.append(scored(predicted))
            self.helped[size] = max(reached @ each.helped for each in predicted) / reached.sum()

    def __call__(self, multiplicity: Floats) -> Floats:
        """Score data sets (draws, patterns): the score of each size (draws, sizes)."""
        curve = np.empty((len(multiplicity), len(self._scored)))
        for size, scored in enumerate(self._scored):
            curve[:, size] = scored(multiplicity)
        return curve


class _Table:
    """Surveys of one size, with what they predict and are scored against."""

    def __init__(self, surveys: Surveys, scorer: Scorer, combiner: Combiner) -> None:
        self.surveys, self.scorer, self.kind = surveys, scorer, combiner.kind
        # Nothing was observed. Leaving the item out makes predictions differ by next to nothing,
        # but always against the item: what is relative would see only that.
        self.level = surveys.k == 0 and getattr(scorer, "relative", False)

    def summed(self, predicted: Iterable[Predicted]) -> Callable[[Floats], Floats]:
        """Sum the statistics of each pattern once."""
        surveys, scorer = self.surveys, self.scorer
        starts = np.argsort(surveys.pattern, kind="stable")
        firsts = np.searchsorted(surveys.pattern[starts], np.arange(surveys.pattern.max() + 1))
        total: Floats | float = 0.0
        common: Floats | None = None
        for prediction, _, share in predicted:
            if self.level:
                common = prediction.mean(axis=0) if common is None else common
                prediction = np.broadcast_to(common, prediction.shape)
            each = scorer.statistics(prediction, surveys.reference, self.kind)  # type: ignore[attr-defined]
            weight = surveys.probability if share is None else surveys.probability * share
            part = np.where(weight[:, None] > 0, weight[:, None] * each, 0.0)
            total = total + np.add.reduceat(part[starts], firsts, axis=0)
        statistics = np.asarray(total)

        def scored(multiplicity: Floats) -> Floats:
            means = multiplicity @ statistics / multiplicity.sum(axis=-1)[..., None]
            return scorer.finish(means)  # type: ignore[attr-defined]

        return scored

    def listed(self, predicted: Iterable[Predicted]) -> Callable[[Floats], Floats]:
        """List all rows, once a way to predict them."""
        surveys = self.surveys
        parts = [
            (each.prediction, np.flatnonzero(np.ones(len(each.prediction)) if each.share is None else each.share), each.share)
            for each in predicted
        ]
        row = np.concatenate([rows for _, rows, _ in parts])
        prediction = np.concatenate([p[rows] for p, rows, _ in parts])
        share = np.concatenate([np.ones(len(rows)) if s is None else s[rows] for _, rows, s in parts])
        bound = self.scorer.bind(prediction, surveys.reference[row], self.kind, surveys.state[row])
        weight, pattern = surveys.probability[row] * share, surveys.pattern[row]
        block = max(1, _BLOCK_NUMBERS // len(row))

        def scored(multiplicity: Floats) -> Floats:
            out = np.empty(len(multiplicity))
            for start in range(0, len(out), block):
                part = slice(start, start + block)
                out[part] = bound(multiplicity[part][:, pattern] * weight)
            return out

        return scored

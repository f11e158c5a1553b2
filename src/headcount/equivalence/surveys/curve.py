"""Algorithm 3: the survey power curve, exactly."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, cast

import numpy as np

from headcount.equivalence.combiners.base import Combiner, Predicted
from headcount.equivalence.scorers.base import Kind, Scorer
from headcount.equivalence.surveys.surveys import PooledItems, Surveys
from headcount.typing import Floats, Ints

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
            predicted = list(self.learned.predictions(surveys))
            table = _Table(surveys, scorer, combiner.kind, predicted[0].prediction.mean(axis=0))
            # A scorer that says its statistics is a function of their means.
            scored = table.summed if hasattr(scorer, "statistics") else table.listed
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

    def __init__(self, surveys: Surveys, scorer: Scorer, kind: Kind, common: Floats) -> None:
        self.surveys, self.scorer, self.common = surveys, scorer, common
        self.kind: Kind = kind

    def summed(self, predicted: Sequence[Predicted]) -> Callable[[Floats], Floats]:
        """Sum the statistics of each pattern once."""
        surveys, scorer = self.surveys, cast(Any, self.scorer)
        order = np.argsort(surveys.pattern, kind="stable")
        patterns = np.arange(int(surveys.pattern.max()) + 1)
        starts: Ints = np.searchsorted(surveys.pattern[order], patterns)
        parts: list[Floats] = []
        for each in predicted:
            weight = surveys.probability if each.share is None else surveys.probability * each.share
            prediction = self._levelled(each.prediction)
            statistics = scorer.statistics(prediction, surveys.reference, self.kind)
            part = np.where(weight[:, None] > 0, weight[:, None] * statistics, 0.0)
            parts.append(np.add.reduceat(part[order], starts, axis=0))
        total = np.sum(parts, axis=0)

        def scored(multiplicity: Floats) -> Floats:
            means = multiplicity @ total / multiplicity.sum(axis=-1)[..., None]
            return scorer.finish(means)

        return scored

    def _levelled(self, prediction: Floats) -> Floats:
        """Predict the same of all items where nothing was observed, for scorers that compare.

        Leaving the item out makes predictions differ by next to nothing, but always against the
        item: what is relative would see only that.
        """
        if self.surveys.k or not getattr(self.scorer, "relative", False):
            return prediction
        return np.broadcast_to(self.common, prediction.shape)

    def listed(self, predicted: Sequence[Predicted]) -> Callable[[Floats], Floats]:
        """List all rows, once a way to predict them."""
        surveys = self.surveys
        shares = [np.ones(len(surveys.state)) if p.share is None else p.share for p in predicted]
        rows = [np.flatnonzero(share) for share in shares]
        row = np.concatenate(rows)
        share = np.concatenate([s[r] for s, r in zip(shares, rows, strict=True)])
        prediction = np.concatenate([p.prediction[r] for p, r in zip(predicted, rows, strict=True)])
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

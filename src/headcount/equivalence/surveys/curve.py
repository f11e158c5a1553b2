"""Algorithm 3: the survey power curve, exactly."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from headcount.equivalence.combiners.base import Combiner
from headcount.equivalence.scorers.base import Scorer
from headcount.equivalence.surveys.surveys import Surveys
from headcount.typing import Codes, Floats

__all__ = ["PowerCurve"]


_BLOCK_NUMBERS = 4_000_000


class PowerCurve:
    """Scores of surveys of k = 0, 1, 2 ... raters, as functions of how many items show a pattern.

    What surveys predict is learned once, from the data. Calling the curve scores data sets in
    which patterns are more or less frequent, such as bootstrap resamples.

    Parameters
    ----------
    surveys : sequence of Surveys
        Those of 0, 1, 2 ... raters, from the same patterns.
    multiplicity : (patterns,) array of int
        How many items show each pattern; a combiner may learn from them, leaving one out.
    combiner, scorer
        What turns a survey into a prediction, and what scores it.

    Attributes
    ----------
    helped : (sizes,) array
        Share of the surveys for which the combiner lacked support.

    Notes
    -----
    O(rows x labels) to learn, O(rows) a data set and scored statistic.
    """

    def __init__(
        self, surveys: Sequence[Surveys], multiplicity: Codes, combiner: Combiner, scorer: Scorer
    ) -> None:
        self._tables: list[tuple[Surveys, Callable[[Floats], Floats]]] = []
        self.helped = np.zeros(len(surveys))
        shorter: tuple[Surveys, Floats] | None = None
        for size, table in enumerate(surveys):
            prediction, helped = combiner.predictions(table, multiplicity, shorter)
            shorter = (table, prediction)
            reached = multiplicity[table.pattern] * table.probability
            self.helped[size] = reached @ helped / reached.sum()
            scored = scorer.bind(prediction, table.reference, combiner.kind, table.state)
            self._tables.append((table, scored))

    def __call__(self, multiplicity: Floats) -> Floats:
        """Score data sets (draws, patterns): the score of each size (draws, sizes)."""
        curve = np.empty((len(multiplicity), len(self._tables)))
        for size, (table, scored) in enumerate(self._tables):
            block = max(1, _BLOCK_NUMBERS // len(table.pattern))
            for start in range(0, len(multiplicity), block):
                part = slice(start, start + block)
                curve[part, size] = scored(multiplicity[part][:, table.pattern] * table.probability)
        return curve

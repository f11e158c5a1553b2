"""Algorithm 3: the survey power curve, exactly, for many data sets at once."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from headcount.equivalence.combiners import ABC, Myopic
from headcount.equivalence.scorers import Scorer
from headcount.equivalence.surveys import Surveys

__all__ = ["power_curve"]

Floats = NDArray[np.float64]

_BLOCK_NUMBERS = 2_000_000


def power_curve(
    surveys: Sequence[Surveys], multiplicity: Floats, combiner: ABC | Myopic, scorer: Scorer
) -> tuple[Floats, Floats]:
    """Score surveys of k = 0, 1, 2 ... raters at predicting the next rater.

    Parameters
    ----------
    surveys : sequence of Surveys
        Those of 0, 1, 2 ... raters, from the same patterns.
    multiplicity : (draws, patterns) array
        How many items show each pattern; each draw is a data set of its own.
    combiner, scorer
        What turns a survey into a prediction, and what scores it.

    Returns
    -------
    curve : (draws, sizes) array
        The score of k raters.
    helped : (draws, sizes) array
        Share of the surveys in which ABC lacked support (see :class:`ABC`).

    Notes
    -----
    O(draws x rows x labels) for ABC, which learns anew from each data set; else O(draws x rows).
    """
    curve = np.empty((len(multiplicity), len(surveys)))
    helped = np.zeros_like(curve)
    largest = max(s.reference.size for s in surveys)
    block = max(1, _BLOCK_NUMBERS // largest)
    for start in range(0, len(multiplicity), block):
        part = slice(start, start + block)
        items = multiplicity[part]
        shorter: tuple[Surveys, Floats] | None = None
        for size, table in enumerate(surveys):
            reached = items[:, table.pattern] * table.probability
            if isinstance(combiner, ABC):
                prediction, lacking = combiner.predict(table, items, shorter)
                shorter = (table, prediction)
                helped[part, size] = (reached * lacking).sum(axis=1) / reached.sum(axis=1)
            else:
                prediction = combiner.predict(table.observed)[table.state]
            curve[part, size] = scorer.score(prediction, table.reference, reached)
    return curve, helped

"""What followed the same observation on other items, where many labels leave few of these."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

from headcount.equivalence.combiners.abc import LearnedABC, leave_one_out, shorter_prediction
from headcount.equivalence.combiners.base import Predicted, unhelped
from headcount.equivalence.surveys.surveys import PooledItems, Surveys
from headcount.typing import Floats

__all__ = ["LearnedMany"]

IMAGINARY = tuple(2.0**power for power in range(-2, 11))
"""Imaginary items that are tried."""
SAME = (0.0, 0.15, 0.3, 0.45, 0.6, 0.75, 0.9)
"""How often they repeat a label of the survey, besides what the shorter survey predicts."""
MOST_NUMBERS = 1_000_000
"""Rows times labels from which the imaginary items are chosen."""


class LearnedMany(LearnedABC):
    r"""What followed each observation, counted with the item in and out, and smoothed.

    With :math:`N_{yl}` items that observed y before l, :math:`q(y)` what the survey with one rater
    fewer predicts, and y/k the shares of labels in the survey,

    .. math:: p_l(y) = \frac{N_{yl} + m \, (s y_l / k + (1 - s) q_l(y))}{\sum_j N_{yj} + m}.

    Of each size of survey, m and s are those under which items left out are most probable. Then
    what is lost on items left out is half of what is won by having them in: without imaginary
    items, or with one, it is less where labels are so many that most observations are rare.
    """

    def __init__(self, items: PooledItems) -> None:
        super().__init__(items, both_sides=True)

    def predictions(self, surveys: Surveys) -> Iterable[Predicted]:
        """Predict the next label in every row, by all other items, and by all."""
        items = self.items.multiplicity[surveys.pattern][:, None]
        joint = surveys.probability[:, None] * surveys.next
        supported = leave_one_out(surveys, items, (joint > 0).astype(np.float64)) > 0.5
        others = np.where(supported, leave_one_out(surveys, items, joint), 0.0)
        every = np.add.reduceat(items * joint, surveys.starts, axis=0)[surveys.state]
        shorter = shorter_prediction(surveys, self._shorter, np.arange(len(joint)))
        same = (surveys.observed / max(surveys.k, 1))[surveys.state]
        m, instead = _imaginary(others, items * joint, shorter, same if surveys.k else shorter)
        prediction = (others + m * instead) / (others.sum(axis=1, keepdims=True) + m)
        seen = (every + m * instead) / (every.sum(axis=1, keepdims=True) + m)
        self._shorter = (surveys, prediction)
        half = np.full(len(prediction), 0.5)
        helped = ~np.all(supported, axis=1)
        return [Predicted(prediction, helped, half), unhelped(seen, half)]


def _imaginary(
    others: Floats, followed: Floats, shorter: Floats, same: Floats
) -> tuple[float, Floats]:
    """Choose imaginary items, how many there are and what they say, by what follows items left out.

    Parameters
    ----------
    others : (rows, labels) array
        Other items that observed the same, by what followed.
    followed : (rows, labels) array
        Items of the row, by what followed.
    shorter, same : (rows, labels) arrays
        What the shorter survey predicts, and the shares of labels in the survey.
    """
    step = 1 + others.size // MOST_NUMBERS
    row, label = np.nonzero(followed[::step])
    weight, seen, n = (
        followed[::step][row, label],
        others[::step][row, label],
        others[::step].sum(axis=1)[row],
    )
    by_same, by_shorter = same[::step][row, label], shorter[::step][row, label]

    def fits(m: float, s: float) -> float:
        said = s * by_same + (1 - s) * by_shorter
        return float(weight @ np.log(np.maximum((seen + m * said) / (n + m), 1e-300)))

    ways = [(m, s) for s in SAME for m in IMAGINARY]
    m, s = max(ways, key=lambda way: fits(*way))
    return m, s * same + (1 - s) * shorter

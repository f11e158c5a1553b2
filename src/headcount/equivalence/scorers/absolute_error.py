"""Minus the absolute error of numbers."""

from __future__ import annotations

import numpy as np

from headcount.equivalence.scorers.base import Kind
from headcount.equivalence.scorers.ordered import OrderedScorer, median_labels
from headcount.equivalence.scorers.sums import expected
from headcount.typing import Floats

__all__ = ["AbsoluteError"]


class AbsoluteError(OrderedScorer):
    r"""Minus the mean absolute error, :math:`-E |m_i - y_i|`. At most 0.

    A soft prediction counts as its median, which is the best that can be said under absolute
    error (half way where two labels share it); a hard one as the number that it says. On an
    ordinal scale numbers are places of labels.

    Examples
    --------
    >>> from headcount.data.scale import Scale
    >>> scorer = AbsoluteError(Scale(("1", "2", "5")))
    >>> prediction, reference = np.array([[0.5, 0.1, 0.4]]), np.array([[0, 0.5, 0.5]])
    >>> scorer.score(prediction, reference, np.array([1.0]))  # 1.5 for 2 or 5
    array(-2.)
    """

    name, measures = "absolute-error", "minus absolute error"
    calibrates = True
    unfair = "Under absolute error the best prediction is a median of probabilities, not a mean."

    def statistics(self, prediction: Floats, reference: Floats, kind: Kind) -> Floats:
        """Take the expected distance of what is said to the reference label."""
        value = self.value
        if kind == "hard":
            return expected(-(prediction @ np.abs(value[:, None] - value)), reference)
        middle = median_labels(prediction, value) @ value
        return expected(-np.abs(middle[..., None] - value), reference)

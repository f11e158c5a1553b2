"""Minus the ranked probability score."""

from __future__ import annotations

import numpy as np

from headcount.data.scale import Scale
from headcount.equivalence.scorers.base import Kind
from headcount.equivalence.scorers.ordered import OrderedScorer
from headcount.equivalence.scorers.sums import expected
from headcount.typing import Floats

__all__ = ["RankedProbability"]


class RankedProbability(OrderedScorer):
    r"""Minus the ranked probability score: a Brier score that credits near misses. At most 0.

    .. math:: -\sum_{j < L} (v_{j+1} - v_j) \left(P_i(v_j) - [y_i \le v_j]\right)^2

    with :math:`P_i(v_j)` the probability of a label up to :math:`v_j` (Epstein 1969). With numbers
    it is the continuous ranked probability score, in the units of the labels; on an ordinal scale
    all steps are 1. A hard prediction scores minus its absolute error. It is a proper score, and
    depends on the whole distribution.

    Examples
    --------
    >>> scorer = RankedProbability(Scale(("low", "mid", "high"), kind="ordinal"))
    >>> prediction, reference = np.array([[0.5, 0.5, 0.0]]), np.array([[0, 0, 1.0]])
    >>> scorer.score(prediction, reference, np.array([1.0]))  # .25 up to low, 1 up to mid
    array(-1.25)
    """

    name, measures = "rps", "minus ranked probability score"
    calibrates = of_distributions = True

    def __init__(self, scale: Scale, positive: int | None = None) -> None:
        super().__init__(scale, positive)
        self.order = np.argsort(self.value, kind="stable")
        self.step = np.diff(self.value[self.order])
        # Whether a label (row) is at most each of the others, of which the last says nothing.
        places = np.arange(len(self.value))
        self.reached = (places[:, None] <= places[:-1]).astype(np.float64)

    def statistics(self, prediction: Floats, reference: Floats, kind: Kind) -> Floats:
        """Take the expected squared distance of cumulative probabilities."""
        p, said = prediction[..., self.order], reference[..., self.order]
        if kind == "hard":
            value = self.value[self.order]
            return expected(-(p @ np.abs(value[:, None] - value)), said)
        below = np.cumsum(p, axis=-1)[..., :-1]
        # (P - r)^2 = P^2 - 2 P r + r, since r is 0 or 1.
        fixed = (below**2 @ self.step)[..., None]
        each = (below * self.step) @ self.reached.T
        return expected(-(fixed - 2 * each + self.reached @ self.step), said)

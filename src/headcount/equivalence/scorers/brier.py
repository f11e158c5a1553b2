"""The squared error of probabilities."""

from __future__ import annotations

from headcount.equivalence.scorers.base import SOFT, Kind
from headcount.equivalence.scorers.sums import SumScorer, expected
from headcount.typing import Floats

__all__ = ["Brier"]


class Brier(SumScorer):
    r"""Minus the Brier score: mean of :math:`-\sum_l (p_i(l) - [y_i = l])^2`. From -2 to 0."""

    name, unit, kinds = "brier", "minus squared error", SOFT

    def statistics(self, prediction: Floats, reference: Floats, kind: Kind) -> Floats:
        """Take the expected squared error, by sum_j (p_j - [j = l])^2 = |p|^2 - 2 p_l + 1."""
        square = (prediction**2).sum(axis=-1, keepdims=True)
        return expected(2 * prediction - square - 1, reference)

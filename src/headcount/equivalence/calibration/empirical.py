"""What raters said where the same was predicted."""

from __future__ import annotations

import numpy as np

from headcount.equivalence.calibration.base import base_shares
from headcount.equivalence.scorers.base import most_probable
from headcount.stats.grouping import group_rows
from headcount.stats.repeated import repeated_quantiles
from headcount.typing import Floats, Ints

__all__ = ["Empirical"]

BINS = 10
FEW = 20
"""Predictions with at most so many different values are calibrated value by value."""


class Empirical:
    """The share of each label among items with the same prediction.

    Or in the same tenth of predictions, if they have many values.
    """

    name: str = "empirical"
    softens: bool = True
    weighs: bool = True

    def fit(
        self, learned: Floats, shares: Floats, prediction: Floats, weight: Floats | None = None
    ) -> Floats:
        """Average the shares of each value or bin, one imaginary item included."""
        both = np.concatenate([learned, prediction])
        first, group = group_rows(np.round(both, 12).T)
        if len(first) > FEW:
            group = _binned(learned, both, weight)
        base = base_shares(shares, weight)
        size = int(group.max()) + 1
        total = np.zeros((size, shares.shape[1]))
        known = group[: len(learned)]
        np.add.at(total, known, shares if weight is None else shares * weight[:, None])
        items = np.bincount(known, weight, minlength=size)[:, None]
        smoothed: Floats = (total + base) / (items + 1)
        return smoothed[group[len(learned) :]]


def _binned(learned: Floats, both: Floats, weight: Floats | None) -> Ints:
    """Most probable label, and tenth of its probability among the items learned from."""
    label = np.argmax(most_probable(both), axis=1)
    top = both.max(axis=1)
    edges = repeated_quantiles(learned.max(axis=1), np.linspace(0, 1, BINS + 1)[1:-1], weight)
    tenth = np.searchsorted(edges, np.asarray(top, dtype=np.float64), side="right")
    return np.asarray(label * BINS + tenth, dtype=np.intp)

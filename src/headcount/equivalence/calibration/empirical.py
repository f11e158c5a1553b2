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
IMAGINARY = (1.0, 1 / 4, 1 / 16, 1 / 64, 4.0, 16.0)
"""Imaginary items, of which the first is taken unless fewer or more are clearly better."""
ENOUGH = 20_000
"""Items beside which an imaginary one does not matter."""


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
        """Average the shares of each value or bin, an imaginary item included.

        Or a part of one, where raters hardly ever differ among items with the same prediction; or
        more of them, where many labels leave each with few items.
        """
        both = np.concatenate([learned, prediction])
        first, group = group_rows(np.round(both, 12).T)
        if len(first) > FEW:
            group = _binned(learned, both, weight)
        base = base_shares(shares, weight)
        size = int(group.max()) + 1
        total = np.zeros((size, shares.shape[1]))
        own = group[: len(learned)]
        times = np.ones(len(learned)) if weight is None else weight
        np.add.at(total, own, shares * times[:, None])
        items: Floats = np.bincount(own, times, minlength=size)[:, None].astype(np.float64)
        imaginary = _imaginary(total[own] - shares, items[own] - 1, shares, base, times)
        smoothed: Floats = (total + imaginary * base) / (items + imaginary)
        return smoothed[group[len(learned) :]]


def _imaginary(
    others: Floats, number: Floats, shares: Floats, base: Floats, times: Floats
) -> float:
    """Choose how many imaginary items there are, by what the others of its kind say of each item.

    One, unless the ratings are more probable with another number of them, by more than a standard
    error of the mean difference over items, of which each row stands for `times`.
    """
    if times.sum() > ENOUGH:
        return IMAGINARY[0]
    fits = [
        (shares * np.log(np.maximum((others + m * base) / (number + m), 1e-300))).sum(axis=1)
        for m in IMAGINARY
    ]
    chosen, n = 0, float(times.sum())
    for place in range(1, len(IMAGINARY)):
        better = fits[place] - fits[chosen]
        mean = float(times @ better) / n
        variance = float(times @ (better - mean) ** 2) / n
        if mean > np.sqrt(variance / n):
            chosen = place
    return IMAGINARY[chosen]


def _binned(learned: Floats, both: Floats, weight: Floats | None) -> Ints:
    """Most probable label, and tenth of its probability among the items learned from."""
    label = np.argmax(most_probable(both), axis=1)
    top = both.max(axis=1)
    edges = repeated_quantiles(learned.max(axis=1), np.linspace(0, 1, BINS + 1)[1:-1], weight)
    tenth = np.searchsorted(edges, np.asarray(top, dtype=np.float64), side="right")
    return np.asarray(label * BINS + tenth, dtype=np.intp)

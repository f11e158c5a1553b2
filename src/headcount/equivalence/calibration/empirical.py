"""What raters said where the same was predicted."""

from __future__ import annotations

import numpy as np

from headcount.equivalence.calibration.base import base_shares
from headcount.equivalence.calibration.learning import MANY_LABELS
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
LIKE_THE_LABEL = tuple(2.0**power for power in range(-2, 11))
"""Imaginary items that, where there are many labels, say the label itself as often as others do."""
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
        more of them, where many labels leave each with few items. Of more than ten labels that
        raters use too, imaginary items say the predicted label as often as raters of all items
        do, and there are as many of them as make left-out items most probable.
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
        ways = [(m, np.broadcast_to(base, total.shape)) for m in IMAGINARY]
        if shares.shape[1] > MANY_LABELS and both.shape[1] == shares.shape[1]:
            same = _same_label(learned, shares, base, times)
            said = np.zeros(total.shape)
            said[group] = most_probable(both)
            ways += [(m, same * said + (1 - same) * base) for m in LIKE_THE_LABEL]
        m, instead = _imaginary(total, items, own, shares, ways, times)
        smoothed: Floats = (total + m * instead) / (items + m)
        return smoothed[group[len(learned) :]]


def _same_label(learned: Floats, shares: Floats, base: Floats, times: Floats) -> float:
    """How much more often raters say what is predicted than they would by chance, from 0 to 1."""
    said = most_probable(learned)
    agreed = float(times @ (said * shares).sum(axis=1) / times.sum())
    by_chance = float(times @ (said @ base) / times.sum())
    return float(np.clip((agreed - by_chance) / (1 - by_chance), 0, 0.99))


def _imaginary(
    total: Floats,
    items: Floats,
    own: Ints,
    shares: Floats,
    ways: list[tuple[float, Floats]],
    times: Floats,
) -> tuple[float, Floats]:
    """Choose imaginary items, their number and answers, by what the others of its kind say of each.

    The first way, unless the ratings are more probable in another one, by more than a standard
    error of the mean difference over items, of which each row stands for `times`. After the first
    few, of which one would do as well as another, the most probable: with that number what is lost
    on items left out is half of what is won by having them in, so that the mean of both is right.
    """
    if times.sum() > ENOUGH:
        return ways[0]
    others, number = total[own] - shares, items[own] - 1
    fits = [
        (shares * np.log(np.maximum((others + m * said[own]) / (number + m), 1e-300))).sum(axis=1)
        for m, said in ways
    ]
    chosen, n = 0, float(times.sum())
    for place in range(1, len(ways)):
        better = fits[place] - fits[chosen]
        mean = float(times @ better) / n
        variance = float(times @ (better - mean) ** 2) / n
        if mean > (0 if place >= len(IMAGINARY) else np.sqrt(variance / n)):
            chosen = place
    return ways[chosen]


def _binned(learned: Floats, both: Floats, weight: Floats | None) -> Ints:
    """Most probable label, and tenth of its probability among the items learned from."""
    label = np.argmax(most_probable(both), axis=1)
    top = both.max(axis=1)
    edges = repeated_quantiles(learned.max(axis=1), np.linspace(0, 1, BINS + 1)[1:-1], weight)
    tenth = np.searchsorted(edges, np.asarray(top, dtype=np.float64), side="right")
    return np.asarray(label * BINS + tenth, dtype=np.intp)

"""Scorers of numbers and ranks: what they share."""

from __future__ import annotations

import numpy as np

from headcount.data.scale import Scale
from headcount.equivalence.scorers.sums import SumScorer
from headcount.equivalence.scorers.values import values_of
from headcount.typing import Floats

__all__ = ["OrderedScorer", "median_labels", "nearest_labels"]

TIE = 1e-12
"""Probabilities, and distances in shares of the scale, that differ by less are equal."""


class OrderedScorer(SumScorer):
    """A scorer to which labels are numbers, or ranks on an ordinal scale.

    A subclass says in `measures` what its unit is called.
    """

    measures: str
    needs_numbers = True

    def __init__(self, scale: Scale, positive: int | None = None) -> None:
        super().__init__(scale, positive)
        self.value, of = values_of(scale, self.name)
        self.unit = f"{self.measures}{of}"


def nearest_labels(prediction: Floats, value: Floats) -> Floats:
    """Choose the label nearest to the mean of each row; labels that tie share the choice.

    Examples
    --------
    >>> nearest_labels(np.array([[0.2, 0.5, 0.3], [0.5, 0.5, 0]]), np.array([1.0, 2, 3]))
    array([[0. , 1. , 0. ],
           [0.5, 0.5, 0. ]])
    """
    away = np.abs((prediction @ value)[..., None] - value)
    nearest = away <= away.min(axis=-1, keepdims=True) + TIE * np.ptp(value)
    return nearest / nearest.sum(axis=-1, keepdims=True)


def median_labels(prediction: Floats, value: Floats) -> Floats:
    """Choose the median label of each row; the two on either side of one half share the choice.

    Examples
    --------
    >>> median_labels(np.array([[0.2, 0.5, 0.3], [0.5, 0, 0.5]]), np.array([1.0, 2, 3]))
    array([[0. , 1. , 0. ],
           [0.5, 0. , 0.5]])
    """
    order = np.argsort(value, kind="stable")
    below = np.cumsum(prediction[..., order], axis=-1)
    low = np.argmax(below >= 0.5 - TIE, axis=-1)
    high = np.argmax(below > 0.5 + TIE, axis=-1)
    places = np.arange(len(value))
    chosen = 0.5 * (places == low[..., None]) + 0.5 * (places == high[..., None])
    out = np.empty_like(chosen)
    out[..., order] = chosen
    return out

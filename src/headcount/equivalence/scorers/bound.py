"""Scorers that need the order of all rows, and not only means over them."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from headcount.equivalence.scorers.base import Kind
from headcount.equivalence.scorers.built_in import BuiltInScorer
from headcount.typing import Floats, Ints

__all__ = ["BoundScorer", "runs"]


class BoundScorer(BuiltInScorer):
    """A scorer that does its work in :meth:`bind`, such as sorting, once for all weights."""

    def score(
        self, prediction: Floats, reference: Floats, weight: Floats, kind: Kind = "soft"
    ) -> Floats:
        """Score tables with predictions (..., rows, labels) and weights (..., rows)."""
        if prediction.ndim == 2:
            return self.bind(prediction, reference, kind)(weight)
        each = [
            self.score(p, reference if reference.ndim == 2 else reference[i], w, kind)
            for i, (p, w) in enumerate(zip(prediction, weight, strict=True))
        ]
        return np.array(each)


def runs(*columns: NDArray[Any]) -> Ints:
    """Find where rows of sorted columns differ from the row before them.

    Examples
    --------
    >>> runs(np.array([1, 1, 2]), np.array([0, 1, 1]))
    array([0, 1, 2])
    """
    differs = np.zeros(len(columns[0]), dtype=bool)
    differs[0] = True
    for column in columns:
        differs[1:] |= column[1:] != column[:-1]
    return np.flatnonzero(differs)

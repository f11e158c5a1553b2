"""Scorers that need the order of all rows, and not only means over them."""

from __future__ import annotations

import numpy as np

from headcount.equivalence.scorers.base import Kind
from headcount.equivalence.scorers.built_in import BuiltInScorer
from headcount.typing import Floats

__all__ = ["BoundScorer"]


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

"""Scorers that need the order of all rows, and not only means over them."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable

import numpy as np

from headcount.data.scale import Scale
from headcount.equivalence.scorers.base import ANY, Group, Kind
from headcount.typing import Floats

__all__ = ["BoundScorer"]


class BoundScorer(ABC):
    """A scorer that does its work in :meth:`bind`, such as sorting, once for all weights.

    Attributes are those of :class:`~headcount.equivalence.scorers.sums.SumScorer`.
    """

    name: str
    unit: str
    kinds: frozenset[Kind] = ANY
    unbounded: bool = False
    by_choice: bool = False
    in_bits: bool = False
    calibrates: bool = False
    takes_positive: bool = False
    needs_numbers: bool = False
    unfair: str = ""

    @abstractmethod
    def __init__(self, scale: Scale, positive: int | None = None) -> None: ...

    @abstractmethod
    def bind(
        self,
        prediction: Floats,
        reference: Floats,
        kind: Kind = "soft",
        group: Group | None = None,
    ) -> Callable[[Floats], Floats]:
        """Do what does not depend on weights; the answer scores weights (..., rows)."""

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

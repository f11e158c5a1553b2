"""What a scorer is, and what kinds of prediction there are."""

from __future__ import annotations

from collections.abc import Callable
from typing import Literal, Protocol

import numpy as np
from numpy.typing import NDArray

from headcount.typing import Floats

__all__ = ["ANY", "SOFT", "Group", "Kind", "Scorer", "most_probable"]

Kind = Literal["hard", "soft", "mean"]
"""What a prediction is: a label (chances of choosing each), probabilities, or a mean."""
Group = NDArray[np.intp]
"""Rows that observed the same."""


class Scorer(Protocol):
    """A way to score predictions against reference labels."""

    @property
    def name(self) -> str:
        """What users call it."""
        ...

    @property
    def kinds(self) -> frozenset[Kind]:
        """Kinds of prediction that it scores."""
        ...

    @property
    def unit(self) -> str:
        """Unit of the score, for axes."""
        ...

    @property
    def unbounded(self) -> bool:
        """Whether probability 0 on a label that was given scores minus infinity."""
        ...

    def bind(
        self, prediction: Floats, reference: Floats, kind: Kind, group: Group | None = None
    ) -> Callable[[Floats], Floats]:
        """Do what does not depend on weights; the answer scores weights (..., rows).

        Rows of the same `group` have the same prediction but for the item that each leaves out.
        """
        ...

    def score(
        self, prediction: Floats, reference: Floats, weight: Floats, kind: Kind = "soft"
    ) -> Floats:
        """Score tables with predictions (..., rows, labels) and weights (..., rows)."""
        ...


ANY: frozenset[Kind] = frozenset({"hard", "soft"})
SOFT: frozenset[Kind] = frozenset({"soft"})


def most_probable(prediction: Floats) -> Floats:
    """Choose the most probable label of each row; labels that tie share the choice.

    Examples
    --------
    >>> most_probable(np.array([[0.2, 0.4, 0.4], [0.1, 0.9, 0.0]]))
    array([[0. , 0.5, 0.5],
           [0. , 1. , 0. ]])
    """
    # A tie is one of probabilities that are equal but for rounding.
    top = prediction >= prediction.max(axis=-1, keepdims=True) - 1e-12
    return top / top.sum(axis=-1, keepdims=True)

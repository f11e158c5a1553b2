"""The most common label."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from headcount.equivalence.combiners.base import FromCounts
from headcount.equivalence.scorers.base import Kind, most_probable
from headcount.typing import Codes, Floats

__all__ = ["Plurality"]


@dataclass(frozen=True)
class Plurality(FromCounts):
    """The most common label; labels that tie are chosen at random, with equal chances.

    The choice is never drawn: each of the labels that tie gets its share. With no raters every
    label ties.

    Examples
    --------
    >>> Plurality().predict(np.array([[2, 1, 0], [1, 1, 0]]))
    array([[1. , 0. , 0. ],
           [0.5, 0.5, 0. ]])
    """

    name: str = "plurality"
    kind: Kind = "hard"

    def predict(self, observed: Codes) -> Floats:
        """Chances that each label is chosen, for each row of label counts."""
        return most_probable(observed.astype(np.float64))

"""The average item as the cut."""

from __future__ import annotations

import numpy as np

from headcount.pairwise.labelling.base import LabelRule
from headcount.typing import Codes, Floats

__all__ = ["SIGN", "Sign"]


class Sign(LabelRule):
    """Above or below the average item of the component."""

    name = "sign"
    example = "sign"
    at_mean = True

    @property
    def words(self) -> str:
        """The average item."""
        return "the average item"

    def cut(self, ratings: Floats, members: Codes) -> Floats:
        """Find the mean of the component."""
        return np.nanmean(ratings[..., members], axis=-1)


SIGN = Sign()

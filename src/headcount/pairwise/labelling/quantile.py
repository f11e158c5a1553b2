"""A quantile of the ratings as the cut."""

from __future__ import annotations

import math
from typing import Self

import numpy as np

from headcount.errors import OptionError, option
from headcount.pairwise.labelling.base import LabelRule
from headcount.typing import Codes, Floats

__all__ = ["Quantile"]


class Quantile(LabelRule):
    """Above or below a quantile of the ratings of the component."""

    name = "quantile"
    example = "quantile:0.75"
    takes_argument = True

    def __init__(self, quantile: float) -> None:
        self.quantile = quantile

    @classmethod
    def read(cls, argument: str) -> Self:
        """Read the quantile."""
        try:
            quantile = float(argument)
        except ValueError:
            quantile = math.nan
        if not 0 < quantile < 1:
            raise OptionError(
                f"{option('label', f'{cls.name}:{argument}')}: a quantile lies between 0 and 1, as "
                f"in {cls.example}, above which is the best quarter of the items."
            )
        return cls(quantile)

    @property
    def words(self) -> str:
        """Which quantile."""
        return f"the {self.quantile:g} quantile of the ratings"

    def cut(self, ratings: Floats, members: Codes) -> Floats:
        """Find the quantile."""
        return np.nanquantile(ratings[..., members], self.quantile, axis=-1)

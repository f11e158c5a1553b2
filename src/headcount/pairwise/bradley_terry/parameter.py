"""A fitted number, its standard error, and the normal interval they make."""

from __future__ import annotations

import math
from dataclasses import dataclass
from statistics import NormalDist

from headcount import options
from headcount.stats.estimate import Estimate

__all__ = ["Parameter", "quantile"]


@dataclass(frozen=True)
class Parameter:
    """A fitted number and its standard error.

    Examples
    --------
    >>> Parameter(0.5, 0.1).estimate()
    0.5 (0.304 to 0.696)
    """

    value: float
    standard_error: float

    def estimate(self, level: float = 0.95) -> Estimate:
        """Add a normal (Wald) interval."""
        if not math.isfinite(self.standard_error):
            return Estimate(self.value)
        half = quantile(level) * self.standard_error
        return Estimate(
            self.value, low=self.value - half, high=self.value + half, level=level, method="Wald"
        )

    def times(self, unit: float) -> Parameter:
        """Write it in another unit."""
        return Parameter(self.value * unit, self.standard_error * unit)


def quantile(level: float) -> float:
    """Half width of a normal interval in standard errors.

    Examples
    --------
    >>> round(quantile(0.95), 2)
    1.96
    """
    return -NormalDist().inv_cdf((1 - options.level(level)) / 2)

"""A fitted number, its standard error, and the normal interval they make."""

from __future__ import annotations

import math
from dataclasses import dataclass

from headcount import options
from headcount.stats.estimate import Estimate
from headcount.stats.intervals.from_error import WALD, WALD_T

__all__ = ["Parameter"]


@dataclass(frozen=True)
class Parameter:
    """A fitted number, its standard error, and the degrees of freedom of that.

    Examples
    --------
    >>> Parameter(0.5, 0.1).estimate()
    0.5 (0.304 to 0.696)
    """

    value: float
    standard_error: float
    df: float = math.inf

    def estimate(self, level: float = 0.95) -> Estimate:
        """Add a normal (Wald) interval, or Student's where degrees of freedom are few."""
        method = WALD if math.isinf(self.df) else WALD_T
        return Estimate.from_error(
            self.value,
            self.standard_error,
            level=options.level(level),
            method=method,
            n=self.df + 1,
        )

    def times(self, unit: float) -> Parameter:
        """Write it in another unit."""
        return self.of(self.value * unit, unit)

    def of(self, value: float, slope: float) -> Parameter:
        """Write what becomes of it under a function with this value and slope (delta method)."""
        return Parameter(value, self.standard_error * slope, self.df)

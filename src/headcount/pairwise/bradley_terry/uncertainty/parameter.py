"""A fitted number, its standard error, and the normal interval they make."""

from __future__ import annotations

from dataclasses import dataclass

from headcount import options
from headcount.stats.estimate import Estimate
from headcount.stats.intervals.from_error import WALD

__all__ = ["Parameter"]


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
        return Estimate.from_error(
            self.value, self.standard_error, level=options.level(level), method=WALD
        )

    def times(self, unit: float) -> Parameter:
        """Write it in another unit."""
        return Parameter(self.value * unit, self.standard_error * unit)

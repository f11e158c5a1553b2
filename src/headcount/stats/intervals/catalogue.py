"""All ways to make an interval."""

from __future__ import annotations

from headcount.stats.intervals.base import IntervalMethod
from headcount.stats.intervals.beta import FROM_SIZE
from headcount.stats.intervals.crossed import CROSSED
from headcount.stats.intervals.from_draws import FROM_DRAWS
from headcount.stats.intervals.from_error import FROM_ERROR
from headcount.stats.intervals.from_model import FROM_MODEL
from headcount.stats.intervals.from_tests import FROM_TESTS
from headcount.stats.intervals.no_interval import WITHOUT

__all__ = ["INTERVALS"]

INTERVALS: dict[str, IntervalMethod] = {
    method.name: method
    for kinds in (FROM_DRAWS, FROM_ERROR, FROM_TESTS, CROSSED, FROM_MODEL, FROM_SIZE, WITHOUT)
    for method in kinds
}

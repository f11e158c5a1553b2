"""Why a value stands without an interval, where that is no lack."""

from __future__ import annotations

from headcount.stats.intervals.base import IntervalMethod

__all__ = ["EXACT", "LIMIT", "ONE_RUN", "WITHOUT"]


class Exact(IntervalMethod):
    """Nothing was drawn: the value is that of the data."""

    name = "exact"
    assumes = "None: the value is that of the data"
    undefined = "always"


class Limit(IntervalMethod):
    """The value that the likelihood tends to while a rating grows without bound."""

    name = "limit of maximum likelihood"
    assumes = "As for Wald"
    undefined = "always"


class OneRun(IntervalMethod):
    """A simulation was run once, so that nothing says how runs differ."""

    name = "one run"
    assumes = "Data come about as simulated"
    undefined = "always"


EXACT = Exact()
LIMIT = Limit()
ONE_RUN = OneRun()
WITHOUT: tuple[IntervalMethod, ...] = (EXACT, LIMIT, ONE_RUN)

"""Intervals from tests: what they do not rule out."""

from __future__ import annotations

from headcount.stats.intervals.base import IntervalMethod

__all__ = ["FROM_TESTS", "PAIRWISE_TESTS", "STEP_DOWN"]


class PairwiseTests(IntervalMethod):
    """Ranks that tests of an item against every other leave open."""

    name = "pairwise tests"
    assumes = (
        "Differences of ratings are nearly normal. The true rank lies within as often as it says "
        "on average over items; so does the truly best item among those that may be first"
    )
    undefined = "for a rating that is not finite, or without standard errors"


class StepDown(PairwiseTests):
    """Ranks that tests of an item against every other leave open, their errors counted together."""

    name = "pairwise tests, step-down"
    assumes = (
        "Differences of ratings are nearly normal. The true rank of every single item lies within "
        "as often as it says"
    )


PAIRWISE_TESTS = PairwiseTests()
STEP_DOWN = StepDown()
FROM_TESTS: tuple[IntervalMethod, ...] = (PAIRWISE_TESTS, STEP_DOWN)

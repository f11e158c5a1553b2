"""How many independent items scores are worth."""

from __future__ import annotations

from dataclasses import dataclass

from headcount.stats.intervals.base import IntervalMethod
from headcount.typing import Codes, Floats

__all__ = ["ENOUGH_ITEMS", "Sizes"]

ENOUGH_ITEMS = 20
"""Items from which on intervals hold well enough to be given: see docs/studies/blind_small.md."""


@dataclass(frozen=True, eq=False, kw_only=True)
class Sizes:
    """What scores are worth, from which intervals and tests are made.

    Parameters
    ----------
    effective : (metrics, classifiers) array
        Independent items of known truth that would tell a score as well.
    added : (metrics, classifiers) array
        Variance of one error more or less, which is added in tests: where nobody errs, the
        variance that is seen is none, but that of other items would be some.
    labelled : (classifiers,) array of int
        Items that each classifier labelled, of those that count.
    interval : IntervalMethod
        The kind of interval that they make.
    """

    effective: Floats
    added: Floats
    labelled: Codes
    interval: IntervalMethod

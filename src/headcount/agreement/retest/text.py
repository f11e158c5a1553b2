"""How far raters agree with themselves, in a sentence and a table."""

from __future__ import annotations

from headcount.agreement.coefficients.alpha import Alpha
from headcount.agreement.raters.populations import FIXED
from headcount.agreement.retest.records import Retest
from headcount.errors import count, percent
from headcount.results.text import ALL_ENTRIES, Table

__all__ = ["retest_blocks"]

MOST_ROWS = 10
"""Raters that are printed."""


def _share(share: float) -> str:
    return f"{100 * share:.0f}%"


def retest_blocks(retest: Retest, level: float) -> list[Table | str]:
    """Say it of all raters, and of each."""
    e, these = retest.agreement, retest.these_raters
    times = count(retest.ratings, "rating")
    same = "is" if retest.ratings == 1 else "are"
    said = f"The same rater twice: {_share(retest.percent)} of {times} {same} the same as the first"
    if e.undefined is None:
        said += f"; {Alpha.symbol} {e.show(e.value)}"
    if e.low is not None:
        # Of one rater, nothing needs to be said of others.
        whom = f" {retest.holds_for}" if len(retest.raters) > 1 else ""
        beside = f", {FIXED.words} {these.interval()}" if retest.holds_for != FIXED.words else ""
        said += f" ({percent(level)} interval{whom} {e.interval()}{beside}"
        if retest.approximate:
            said += "; approximate, as raters hardly gave labels other than their commonest"
        said += ")"
    rows = [
        [
            str(one.rater),
            f"{one.items:,}",
            _share(one.percent),
            "" if one.agreement.undefined else one.agreement.show(one.agreement.value),
            one.agreement.interval(),
        ]
        for one in retest.raters[:MOST_ROWS]
    ]
    rest = len(retest.raters) - MOST_ROWS
    head = ["rater", "items", "same label", Alpha.symbol, f"{percent(level)} interval"]
    more = f"and {count(rest, 'more rater')}{ALL_ENTRIES}" if rest > 0 else ""
    title = "each rater with themselves, lowest agreement first; intervals are over items"
    table = [Table(head, rows, title=title, more=more)] if len(retest.raters) > 1 else []
    return [f"{said}.", *table]

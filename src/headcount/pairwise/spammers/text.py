"""Raters who compare, in words and in a table."""

from __future__ import annotations

import math
from collections.abc import Sequence

from headcount.errors import count, percent, some
from headcount.pairwise.spammers.records import TOO_FEW, ComparingRater, RatersRecord
from headcount.results.text import ALL, Page, Table

__all__ = ["EXPLANATION", "rater_sentence", "rater_table", "raters_page"]

MOST_RATERS = 20
"""Raters that are printed: the worst."""
EXPLANATION = (
    "Each rater is compared with ratings fitted to the answers of the others; ties do not count. "
    "agrees: share of answers for the higher-rated item; slope: of answers on what the ratings "
    "expect (0: at random, 1: as the others). p: probability that a rater who looks at the items "
    "has as small a slope (small: worse than most), corrected for the number of raters; p random: "
    "probability that answers at random go as well with the ratings (small: better than chance). "
    "A spammer is worse than most, not better than chance, and not of another opinion that others "
    "share."
)


def raters_page(result: RatersRecord) -> Page:
    """Write who answers at random, and how all answer."""
    p = result.provenance
    checks = f" {count(p.n_checks, 'comparison')} with a known answer." if p.n_checks else ""
    foot = (
        f"{count(p.n_ratings or 0, 'comparison')} of {count(p.items_used, 'item')}; tests at "
        f"{percent(p.level or 0.95)} over all raters.{checks}"
    )
    sentence = rater_sentence(result.raters)
    sentence = f"{sentence[0].upper()}{sentence[1:]}."
    return Page([sentence], [rater_table(result.raters), EXPLANATION], [foot])


def rater_sentence(raters: Sequence[ComparingRater]) -> str:
    """Say how many raters answer at random."""
    spammers = [r.rater for r in raters if r.spammer]
    if spammers:
        return (
            f"{count(len(spammers), 'spammer')} among {len(raters):,} raters: {some(spammers, 6)}"
        )
    if all(r.verdict == TOO_FEW for r in raters):
        return f"too few answers to tell whether {_any(len(raters))} at random"
    return f"no spammer among {count(len(raters), 'rater')}"


def _any(raters: int) -> str:
    return "the rater answers" if raters == 1 else f"any of {raters:,} raters answers"


def rater_table(raters: Sequence[ComparingRater], title: str = "") -> Table:
    """Write how raters answer, the worst first."""
    checked = any(r.checks for r in raters)
    head = ["rater", "n", "agrees", "slope"]
    head += [*(["checks right"] if checked else []), "p", "p random", "verdict"]
    body = [_row(r, checked) for r in raters[:MOST_RATERS]]
    rest = len(raters) - MOST_RATERS
    more = f"and {count(rest, 'more rater')}{ALL}" if rest > 0 else ""
    return Table(head, body, title=title, more=more)


def _row(r: ComparingRater, checked: bool) -> list[str]:
    def two(x: float) -> str:
        return "" if math.isnan(x) else f"{x:.2f}"

    row = [str(r.rater), f"{r.comparisons:,}", two(r.agreement), two(r.slope.value)]
    row += [f"{r.checks_right} of {r.checks}"] if checked else []
    return [*row, _p(r.p_value), _p(r.p_random), r.verdict]


def _p(p: float) -> str:
    return "<.001" if p < 0.001 else f"{p:.3f}"

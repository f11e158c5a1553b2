"""The alternative annotator test in words and tables."""

from __future__ import annotations

import math

from headcount.equivalence.alt_test.records import VerdictRecord, VerdictsRecord
from headcount.errors import count
from headcount.results.text import ALL, Page, Table

__all__ = ["change", "verdicts_page", "verdict_page"]

MOST_RATERS = 30
"""Raters that are printed; the frame has all."""


def verdicts_page(result: VerdictsRecord) -> Page:
    """Say which classifiers pass, one sentence each."""
    head = ["classifier", "alt-test", "won", "winning rate", "advantage probability"]
    head.append("passes from epsilon")
    body = [
        [
            c.name,
            "passes" if c.passes else "fails",
            f"{c.won:,} of {len(c.raters):,}",
            f"{c.winning_rate:.2f}",
            f"{c.advantage_probability:.3f}",
            _round_up(c.passes_from, c),
        ]
        for c in result.classifiers
    ]
    raters = len(result.classifiers[0].raters)
    size = f"{count(result.items_used, 'item')}, {count(raters, 'rater')}"
    if result.left_out:
        size += f" ({len(result.left_out):,} more with fewer than {result.min_items} items)"
    how = f"epsilon {result.epsilon:g}, false discovery rate {result.q:g}, scorer {result.scorer}"
    return Page(
        [_sentence(classifier) for classifier in result.classifiers],
        [Table(head, body)],
        [f"{size}; {how}"],
    )


def verdict_page(classifier: VerdictRecord) -> Page:
    """Say whether a classifier passes, and how it fares against each rater."""
    head = ["rater", "items", "rho_f", "rho_h", "p", "adjusted p", "won"]
    body = [
        [
            str(rater.rater),
            f"{rater.items:,}",
            f"{rater.rho_f:.3f}",
            f"{rater.rho_h:.3f}",
            _p(rater.p_value),
            _p(rater.adjusted_p_value),
            "yes" if rater.won else "no",
        ]
        for rater in classifier.raters[:MOST_RATERS]
    ]
    rest = len(classifier.raters) - len(body)
    more = f"and {count(rest, 'more rater')}{ALL}" if rest else ""
    return Page([_sentence(classifier)], [Table(head, body, more=more)])


def change(c: VerdictRecord) -> str:
    """Say what would change the verdict."""
    if c.passes_from < 0:
        return "passes even at epsilon 0"
    short = "" if c.passes else f"{count(c.needed - c.won, 'more rater')} must be won"
    if c.passes_from >= 1:
        return f"fails at every epsilon below 1; {short}"
    text = f"passes from epsilon {_round_up(c.passes_from, c)} on, fails below"
    return f"{text}; {short}" if short else text


def _sentence(c: VerdictRecord) -> str:
    verdict = "passes" if c.passes else "fails"
    return (
        f"{c.name} {verdict} the alt-test at epsilon {c.epsilon:g}: it wins {c.won:,} of "
        f"{count(len(c.raters), 'rater')}, {c.needed:,} needed; {change(c)}"
    )


def _round_up(x: float, c: VerdictRecord) -> str:
    """Round up to where the classifier does pass, and never past the epsilon it passes at."""
    digits = 3
    while digits < 12 and (math.ceil(x * 10**digits) / 10**digits > c.epsilon) == c.passes:
        digits += 1
    return f"{math.ceil(x * 10**digits) / 10**digits:.{digits}f}"


def _p(p: float) -> str:
    return "<.0001" if p < 0.0001 else f"{p:.4f}"

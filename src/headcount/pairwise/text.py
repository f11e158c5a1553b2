"""Ratings from pairwise comparisons in words and in tables of at most 80 columns."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from headcount.errors import count, percent, some
from headcount.results.text import columns, wrap

if TYPE_CHECKING:
    from headcount.pairwise.result import PairsResult, RatedItem
    from headcount.pairwise.spammers.spammers import ComparingRater

__all__ = ["report"]

MOST_ITEMS = 20
"""Items of a group that are printed: the first ten and the last ten."""
MOST_GROUPS = 3
MOST_RATERS = 20
UNITS = {"logit": "logits", "elo": "points"}
METHODS = {"bradley-terry": "Bradley-Terry", "elo": "Elo"}


def report(result: PairsResult) -> str:
    """Write who is best, the table of items, and the raters if they were judged."""
    lines = [wrap(sentence(result)), ""]
    groups = sorted({i.component for i in result.items})
    for group in groups[:MOST_GROUPS]:
        members = [i for i in result.items if i.component == group]
        if len(groups) > 1:
            lines.append(f"group {group + 1}: {count(len(members), 'item')}")
        lines += [*_table(result, members), ""]
    if len(groups) > MOST_GROUPS:
        rest = len(groups) - MOST_GROUPS
        lines += [f"and {count(rest, 'more group')} (--json lists all)", ""]
    for extra in (_effects(result), _raters(result), _dropped(result)):
        lines += [*extra, ""] if extra else []
    return "\n".join([*lines, *_foot(result)])


def sentence(result: PairsResult) -> str:
    """Say which item is best, and how sure that is."""
    p = result.provenance
    by = f"by {METHODS[p.method]}"
    first = [i for i in result.items if i.component == 0 and i.rank.value == 1]
    if not first:
        return f"{count(p.n_items, 'item')}, none of them rated {by}"
    best = first[0]
    if len(first) > 1:
        others = count(len(first) - 1, "other")
        return f"{best.item} shares the first rank with {others}, {by}"
    if best.rating.undefined is not None:
        return f"{best.item} ranks first {by}; {best.rating.undefined}"
    inside = f" ({best.rating.interval(_digits(p.scale))})" if best.rating.low is not None else ""
    value = best.rating.show(best.rating.value, _digits(p.scale))
    said = f"{best.item} is rated highest {by}: {value}{inside} {UNITS[p.scale]}"
    if best.rank.high is not None and best.rank.high > 1:
        said += f"; its rank may be as low as {best.rank.high:.0f}"
    return said


def _table(result: PairsResult, members: Sequence[RatedItem]) -> list[str]:
    p = result.provenance
    sure = any(i.rating.low is not None for i in members)
    likely = any(i.probability is not None for i in members)
    head = ["item", "rating"]
    head += [f"{percent(p.level)} interval"] if sure else []
    head += ["rank", *(["ranks"] if sure else []), "label", *(["P(above)"] if likely else []), "n"]
    rows, rest = list(members), 0
    if len(rows) > MOST_ITEMS:
        half = MOST_ITEMS // 2
        rest = len(rows) - MOST_ITEMS
        rows = [*rows[:half], *rows[-half:]]
    body: list[list[str]] = []
    for i in rows:
        row = [str(i.item), *_rating(i, sure, _digits(p.scale))]
        row.append("" if math.isnan(i.rank.value) else f"{i.rank.value:.0f}")
        if sure:
            known = i.rank.low is not None and i.rank.high is not None
            row.append(f"{i.rank.low:.0f} to {i.rank.high:.0f}" if known else "")
        row.append(i.label or "")
        if likely:
            row.append("" if i.probability is None else f"{i.probability:.3f}")
        body.append([*row, f"{i.comparisons:,}"])
    rules = [MOST_ITEMS // 2] if rest else []
    more = [f"and {count(rest, 'more item')} in between (--json lists all)"] if rest else []
    return [*columns(head, body, rules=rules), *more]


SHORT = {
    "above all others: undefeated": "undefeated",
    "above the main group": "above group",
    "below all others: winless": "winless",
    "below the main group": "below group",
}


def _rating(i: RatedItem, sure: bool, digits: int) -> list[str]:
    if i.rating.undefined is not None:
        said = SHORT.get(i.rating.undefined, i.rating.undefined)
        return ["", said] if sure else [said]
    value = i.rating.show(i.rating.value, digits)
    return [value, i.rating.interval(digits)] if sure else [value]


def _digits(scale: str) -> int:
    return 3 if scale == "logit" else 0


def _effects(result: PairsResult) -> list[str]:
    """Say what else was fitted."""
    p, lines = result.provenance, list[str]()
    unit = UNITS[p.scale]
    position, tie = result.fit.get("position"), result.fit.get("tie")
    if position is not None:
        lines.append(
            f"position: being on the left adds {_shown(position, _digits(p.scale))} {unit}"
        )
    if tie is not None:
        name = "Davidson's nu" if p.ties == "davidson" else "Rao and Kupper's theta"
        lines.append(f"ties: {name} {_shown(tie, 3)}")
    coefficients: list[dict[str, Any]] = result.fit.get("coefficients", [])
    for e in coefficients:
        # Covariates have units of their own, in which a coefficient may be of any size.
        lines.append(wrap(f"{e['covariate']}: a unit adds {_shown(e, None)} {unit}"))
    return lines


def _shown(e: dict[str, Any], digits: int | None) -> str:
    """Write a value and its interval: with as many digits, or with three that count."""

    def number(x: float) -> str:
        return f"{x:.3g}" if digits is None else f"{round(x, digits) + 0.0:.{digits}f}"

    if e["low"] is None:
        return "none" if e["value"] is None else number(e["value"])
    return f"{number(e['value'])} ({number(e['low'])} to {number(e['high'])})"


def _raters(result: PairsResult) -> list[str]:
    if result.raters is None:
        return []
    raters, spammers = result.raters, [r for r in result.raters if r.spammer]
    checked = any(r.checks for r in raters)
    said = (
        f"raters: {count(len(spammers), 'spammer')} among {len(raters):,}"
        if spammers
        else f"raters: no spammer among {len(raters):,}"
    )
    head = ["rater", "n", "agrees", "r", "median P", "slope"]
    head += [*(["checks right"] if checked else []), "p", "p random", "verdict"]
    body = [_rater(r, checked) for r in raters[:MOST_RATERS]]
    rest = len(raters) - MOST_RATERS
    more = [f"and {count(rest, 'more rater')} (--json lists all)"] if rest > 0 else []
    foot = wrap(
        "By ratings in which the rater has no part (but for the slope): agrees, the share of "
        "answers for the higher-rated item; r, the correlation of answers with the difference in "
        "ratings; "
        "median P, the median probability of the answers. p: would a rater who looks at the items "
        "score as low (small: worse than most); p random: would one who does not look do as well "
        "(small: better than chance); both Holm-corrected. A spammer is worse than most and not "
        "better than chance."
    )
    return [said, *columns(head, body), *more, foot]


def _rater(r: ComparingRater, checked: bool) -> list[str]:
    def two(x: float) -> str:
        return "" if math.isnan(x) else f"{x:.2f}"

    row = [str(r.rater), f"{r.comparisons:,}", two(r.agreement), two(r.correlation)]
    row += [two(r.median_probability), two(r.slope.value)]
    row += [f"{r.checks_right} of {r.checks}"] if checked else []
    return [*row, _p(r.p_value), _p(r.p_random), r.verdict]


def _p(p: float) -> str:
    return "<.001" if p < 0.001 else f"{p:.3f}"


def _dropped(result: PairsResult) -> list[str]:
    d = result.dropped
    if d is None:
        return []
    said = (
        f"without {some(d.raters)}, who answer at random: {count(d.comparisons, 'comparison')} "
        f"fewer"
    )
    if not math.isnan(d.rank_correlation):
        said += f"; rank correlation of the ratings with and without {d.rank_correlation:.3f}"
    if not d.moves:
        return [wrap(f"{said}. No rank changed.")]
    body = [
        [str(m.item), f"{m.before}", "none" if m.after is None else f"{m.after}"] for m in d.moves
    ]
    return [wrap(f"{said}. Largest moves:"), *columns(["item", "rank with", "without"], body)]


def _foot(result: PairsResult) -> list[str]:
    p, fit = result.provenance, result.fit
    by = "" if p.n_raters is None else f" by {count(p.n_raters, 'rater')}"
    sizes = (
        f"{count(p.n_items, 'item')}, {count(p.n_comparisons, 'comparison')}{by} "
        f"({count(p.n_ties, 'tie')})."
    )
    apart = len({i.component for i in result.items}) > 1
    zero = "each group" if apart else "all items"
    what = f" Ratings are {UNITS[p.scale]}, 0 on average over {zero}"
    if p.scale == "elo":
        what += "; 400 points make the odds of winning 10 times larger"
    what += f". Labels: above or below {p.cut}."
    if not any(math.isfinite(i.rating.value) for i in result.items):
        what += " No item has a finite rating."
    elif p.bootstrap:
        drawn = f"{percent(p.level)} intervals from {count(p.bootstrap, 'bootstrap draw')} of "
        what += f" {drawn}{p.bootstrap_by}s"
        what += ", but normal ones of covariates." if fit.get("coefficients") else "."
    elif p.method == "elo":
        what += " No intervals: Elo has them from a bootstrap only (--bootstrap)."
    else:
        what += f" {percent(p.level)} intervals, normal."
    if fit["converged"] is False:
        what += " The fit has NOT CONVERGED."
    return [wrap(sizes + what)]

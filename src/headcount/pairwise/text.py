"""Ratings from pairwise comparisons in words and in tables."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

from headcount.errors import count, option, percent, some
from headcount.pairwise.drawing import ends
from headcount.pairwise.records import PairsProvenance, PairsRecord, RatedItem
from headcount.pairwise.spammers.text import EXPLANATION, rater_sentence, rater_table
from headcount.results.text import ALL, Page, Table

__all__ = ["pairs_page", "sentence"]

MOST_ITEMS = 20
"""Items of a group that are printed: the first ten and the last ten."""
MOST_GROUPS = 3
FEWEST = 5
"""Comparisons below which nothing is said of the best."""
FEW_WINS = 6
"""Comparisons in which an item like the others may be undefeated by luck, once in 32 times."""
SHORT = {
    "above all others: undefeated": "undefeated",
    "above the main group": "above group",
    "below all others: winless": "winless",
    "below the main group": "below group",
}
"""What the table says of an item without a finite rating."""


def pairs_page(result: PairsRecord) -> Page:
    """Write who is best, the table of items, and the raters if they were judged."""
    blocks: list[Table | str] = []
    groups = sorted({i.component for i in result.items})
    for group in groups[:MOST_GROUPS]:
        members = [i for i in result.items if i.component == group]
        title = f"Group {group + 1}: {count(len(members), 'item')}" if len(groups) > 1 else ""
        blocks.append(_table(result, members, title))
    if len(groups) > MOST_GROUPS:
        blocks.append(f"and {count(len(groups) - MOST_GROUPS, 'more group')}{ALL}")
    blocks += [*_effects(result), *_agreement(result), *_raters(result), *_dropped(result)]
    return Page([sentence(result)], blocks, [_foot(result)])


def sentence(result: PairsRecord) -> str:
    """Say which item is best, and how sure that is."""
    by = f"by {result.rated.method.title}"
    if result.rated.converged is False:
        return (
            f"{count(len(result.items), 'item')}, rated {by}, but the fit has NOT CONVERGED: do "
            "not rely on the ratings."
        )
    group = [i for i in result.items if i.component == 0 and not math.isnan(i.rank.value)]
    first = [i for i in group if i.rank.value == 1]
    if not first:
        return f"{count(len(result.items), 'item')}, none of them rated {by}."
    asked = _asked(result.provenance)
    if max(result.provenance.n_rankings, result.provenance.n_comparisons) < FEWEST:
        verb = "is" if asked.startswith("1 ") else "are"
        return (
            f"{asked} {verb} too few to tell which of {count(len(result.items), 'item')} is best."
        )
    groups = len({i.component for i in result.items})
    where = f"In group 1 of {groups:,}, " if groups > 1 else ""
    best = first[0]
    if len(first) > 1:
        if len(first) == len(group):
            everyone = f"{where}all {len(first):,} items share the first rank, {by}."
            return everyone[0].upper() + everyone[1:]
        others = count(len(first) - 1, "other")
        return f"{where}{best.item} shares the first rank with {others}, {by}."
    if best.rating.undefined is not None:
        said = SHORT.get(best.rating.undefined, best.rating.undefined)
        asked = count(best.comparisons, "ranking" if result.provenance.n_rankings else "comparison")
        only = "only " if best.comparisons < FEW_WINS else ""
        return (
            f"{where}{best.item} ranks first {by}: {said} in {only}{asked}, without a finite "
            "rating."
        )
    return where + _highest(result, best, group, by)


def _highest(result: PairsRecord, best: RatedItem, group: list[RatedItem], by: str) -> str:
    """Say how high an item is rated, and who else may be first."""
    scale, rank = result.rated.settings.scale, best.rank
    inside = f" ({best.rating.interval(scale.digits)})" if best.rating.low is not None else ""
    value = best.rating.show(best.rating.value, scale.digits)
    said = f"{best.item} is rated highest {by}: {value}{inside} {scale.unit}"
    if rank.high is None:
        return f"{said}, with no interval to say how sure that is."
    others = [i.item for i in group if i.may_be_first and i is not best]
    if not others:
        return f"{said}. No other of {count(len(group), 'item')} may be first."
    if rank.high >= len(group) or len(others) == len(group) - 1:
        asked = _asked(result.provenance)
        first = "any of them" if len(others) == len(group) - 1 else f"{len(others) + 1:,} of them"
        return f"{said}; but {asked} hardly tell items apart: {first} may be first."
    return (
        f"{said}. {len(others) + 1:,} of {count(len(group), 'item')} may be first: it and "
        f"{some(others)}."
    )


def _table(result: PairsRecord, members: Sequence[RatedItem], title: str) -> Table:
    digits = result.rated.settings.scale.digits
    sure = any(i.rating.low is not None for i in members)
    likely = any(i.probability is not None for i in members)
    head = ["item", "rating"]
    head += [f"{percent(result.rated.settings.level)} interval"] if sure else []
    head += ["rank", *(["ranks"] if sure else []), "label", *(["P(above)"] if likely else []), "n"]
    rows, rest = ends(members, MOST_ITEMS)
    body: list[list[str]] = []
    for i in rows:
        row = [str(i.item), *_rating(i, sure, digits)]
        row.append("" if math.isnan(i.rank.value) else f"{i.rank.value:.0f}")
        if sure:
            drawn = i.rank.low is not None and i.rank.high is not None
            row.append(f"{i.rank.low:.0f} to {i.rank.high:.0f}" if drawn else "")
        row.append(i.label or "")
        if likely:
            row.append("" if i.probability is None else f"{i.probability:.3f}")
        body.append([*row, f"{i.comparisons:,}"])
    return Table(
        head,
        body,
        title=title,
        rules=[MOST_ITEMS // 2] if rest else [],
        more=f"and {count(rest, 'more item')} in between{ALL}" if rest else "",
    )


def _rating(i: RatedItem, sure: bool, digits: int) -> list[str]:
    if i.rating.undefined is not None:
        said = SHORT.get(i.rating.undefined, i.rating.undefined)
        return ["", said] if sure else [said]
    value = i.rating.show(i.rating.value, digits)
    return [value, i.rating.interval(digits)] if sure else [value]


def _effects(result: PairsRecord) -> list[str]:
    """Say what else was fitted."""
    settings, lines = result.rated.settings, list[str]()
    unit, digits = settings.scale.unit, settings.scale.digits
    position, tie = result.fit.get("position"), result.fit.get("tie")
    if position is not None:
        lines.append(f"Position: being on the left adds {_shown(position, digits)} {unit}")
    if tie is not None:
        lines.append(f"Ties: {settings.ties.parameter} {_shown(tie, 3)}")
    coefficients: list[dict[str, Any]] = result.fit.get("coefficients", [])
    for e in coefficients:
        # Covariates have units of their own, in which a coefficient may be of any size.
        lines.append(f"{e['covariate']}: a unit adds {_shown(e, None)} {unit}")
    controls: list[dict[str, Any]] = result.fit.get("controls", [])
    for e in controls:
        left, right = e["control"].split(":")
        lines.append(
            f"Control {e['control']}: {e['unit']:.3g} more of {left} than of {right} (a standard "
            f"deviation) adds {_shown(e, digits)} {unit}"
        )
    if controls and (moves := result.fit.get("moves")):
        said = [f"{m['item']} from {m['before']} to {m['after']}" for m in moves]
        lines.append(f"Ranks that this moved most: {'; '.join(said)}")
    elif controls:
        lines.append("No rank is another than without controls")
    return lines


def _shown(e: dict[str, Any], digits: int | None) -> str:
    """Write a value and its interval: with as many digits, or with three that count."""

    def number(x: float) -> str:
        return f"{x:.3g}" if digits is None else f"{round(x, digits) + 0.0:.{digits}f}"

    if e["low"] is None:
        return "none" if e["value"] is None else number(e["value"])
    return f"{number(e['value'])} ({number(e['low'])} to {number(e['high'])})"


def _agreement(result: PairsRecord) -> list[str]:
    return [] if result.agreement is None else [result.agreement.sentence]


def _raters(result: PairsRecord) -> list[Table | str]:
    if result.raters is None:
        return []
    return [rater_table(result.raters, f"Raters: {rater_sentence(result.raters)}"), EXPLANATION]


def _dropped(result: PairsRecord) -> list[Table | str]:
    d = result.dropped
    if d is None:
        return []
    said = (
        f"Without {some(d.raters)}, who answer at random, there are "
        f"{count(d.comparisons, 'comparison')} fewer"
    )
    if not math.isnan(d.rank_correlation):
        said += f"; rank correlation of the ratings with and without them {d.rank_correlation:.3f}"
    if not d.moves:
        return [f"{said}. No rank changed."]
    body = [
        [str(m.item), f"{m.before}", "none" if m.after is None else f"{m.after}"] for m in d.moves
    ]
    return [
        Table(["item", "rank with them", "rank without"], body, title=f"{said}. Largest moves:")
    ]


def _asked(p: PairsProvenance) -> str:
    if p.n_rankings:
        return count(p.n_rankings, "ranking")
    return count(p.n_comparisons, "comparison")


def _foot(result: PairsRecord) -> str:
    p, settings, method = result.provenance, result.rated.settings, result.rated.method
    by = "" if p.n_raters is None else f" by {count(p.n_raters, 'rater')}"
    ties = "" if p.n_rankings else f" ({count(p.n_ties, 'tie')})"
    sizes = f"{count(p.n_items, 'item')}, {_asked(p)}{by}{ties}."
    apart = len({i.component for i in result.items}) > 1
    zero = "each group" if apart else "all items"
    what = f" Ratings are in {settings.scale.unit}, 0 on average over {zero}"
    if result.rated.mean:
        what = f" Ratings are in {settings.scale.unit}; 0 is the average item without the prior"
    what += f"; {settings.scale.meaning}" if settings.scale.meaning else ""
    what += f". Labels: above or below {p.cut}."
    level = percent(settings.level)
    if not any(math.isfinite(i.rating.value) for i in result.items):
        what += " No item has a finite rating."
    elif settings.bootstrap:
        drawn = (
            f"The {level} intervals are from {count(settings.bootstrap, 'bootstrap sample')} of "
        )
        what += f" {drawn}{settings.by.plural}"
        what += "; those of covariates are normal." if result.fit.get("coefficients") else "."
    elif not method.has_normal_draws:
        what += (
            f" There are no intervals: for {method.title} they need a bootstrap "
            f"({option('bootstrap', 200)})."
        )
    else:
        how = result.fit.get("standard_errors")
        spread = result.rated.spread
        student = spread is not None and spread.df is not None
        kind = "from Student's t distribution" if student else "normal approximations"
        what += f" The {level} intervals are {kind}"
        what += f"; standard errors: {how}." if how else "."
    return sizes + what

"""Panels of classifiers in words and tables."""

from __future__ import annotations

from string import ascii_uppercase

from headcount.equivalence.panels.records import BestPanel, PanelRecord
from headcount.errors import count, percent, some
from headcount.results.text import Page, Table
from headcount.stats.estimate import Estimate

__all__ = ["page_of"]

MOST_PAIRS = 5
"""Pairs that are as good as one, and are named."""


def page_of(result: PanelRecord) -> Page:
    """Say what all are worth, then the best panel of each size and what each adds."""
    blocks: list[Table | str] = [_by_member(result), _by_size(result)]
    return Page(_headline(result), blocks, _foot(result))


def _headline(result: PanelRecord) -> list[str]:
    size, level = len(result.members), result.provenance.level
    if result.everyone.undefined is not None:
        return [f"{result.everyone.undefined} how many raters a panel is worth"]
    who = "Both" if size == 2 else f"All {size}"
    lines = [
        f"{who} classifiers together predict the next rater as well as "
        f"{_raters(result.everyone, level)}"
    ]
    top = _enough(result)
    alone = result.best[0]
    if len(top.members) > 1:
        lines.append(
            f"{_listed(top.members)} do so as well as {_raters(top.worth, level)}; "
            f"{alone.members[0]} alone as well as {_short(alone.worth)}"
        )
    else:
        lines.append(
            f"{alone.members[0]} alone does so as well as {_raters(alone.worth, level)}; no second "
            "classifier is known to add to it"
        )
    if result.same:
        pairs = "; ".join(f"{one} and {other}" for one, other in result.same[:MOST_PAIRS])
        rest = len(result.same) - MOST_PAIRS
        more = f"; and {count(rest, 'more pair')}" if rest > 0 else ""
        lines.append(f"Hardly add to each other, as good as one: {pairs}{more}")
    drop = [m.name for m in result.members if _adds_nothing(m.adds)]
    if drop:
        lines.append(
            f"Any one of these can be dropped without a loss that is known: {some(drop, 6)}"
            if len(drop) > 1
            else f"{drop[0]} can be dropped without a loss that is known"
        )
    return lines


def _enough(result: PanelRecord) -> BestPanel:
    """Find the largest panel of which each size was known to be worth more than the one before."""
    top = result.best[0]
    for one in result.best[1:]:
        more = one.more
        if more is None or _adds_nothing(more):
            break
        top = one
    return top


def _adds_nothing(more: Estimate) -> bool:
    """Whether a difference may be none, or is not above 0 where there is no interval."""
    least = more.value if more.low is None else more.low
    return not least > 0


def _by_member(result: PanelRecord) -> Table:
    letters = _letters(result)
    head = ["classifier", "alone worth in raters", f"adds to the others ({_unit(result)})"]
    body = [
        [
            m.name if letters[m.name] == m.name else f"{letters[m.name]}  {m.name}",
            _with_interval(m.alone),
            _with_interval(m.adds, 3),
        ]
        for m in result.members
    ]
    return Table(head, body)


def _by_size(result: PanelRecord) -> Table:
    letters = _letters(result)
    head = ["best panel", "worth in raters", f"more than one fewer ({_unit(result)})", "chosen"]
    body = [
        [
            " + ".join(sorted(letters[name] for name in one.members)),
            _with_interval(one.worth),
            "" if one.more is None else _with_interval(one.more, 3),
            percent(one.chosen),
        ]
        for one in result.best
    ]
    if len(result.members) > len(result.best):
        body.append(["all", _with_interval(result.everyone), "", ""])
    return Table(head, body)


def _letters(result: PanelRecord) -> dict[str, str]:
    """Give classifiers letters, by which panels can be named in little room."""
    names = [m.name for m in result.members]
    letters = ascii_uppercase if len(names) <= len(ascii_uppercase) else names
    return dict(zip(names, letters, strict=False))


def _unit(result: PanelRecord) -> str:
    return result.provenance.unit


def _foot(result: PanelRecord) -> list[str]:
    p = result.provenance
    level = percent(p.level)
    drawn = (
        f"{level} percentile intervals from {p.bootstrap:,} bootstrap samples of items"
        if p.bootstrap
        else "no intervals (bootstrap 0)"
    )
    return [
        f"{count(p.items_used, 'item')}, {count(len(result.panels), 'panel')} of up to "
        f"{p.largest} and all classifiers; surveys of up to {p.max_k}, scorer {p.scorer}",
        "a panel's prediction: its members' log odds, added with weights learned from ratings of "
        "other items. The best panel of a size is chosen on nine tenths of the items and scored "
        f"on the rest ('chosen': how often it was this one); {drawn}",
    ]


def _raters(worth: Estimate, level: float) -> str:
    """Write a number of raters with its interval, to end a sentence."""
    interval = worth.interval(_digits(worth))
    whole = f" ({percent(level)} interval {interval})" if interval else ""
    if worth.censored is not None and worth.low == worth.value == worth.high:
        whole = f" (the whole {percent(level)} interval)"
    if worth.censored == "below":
        return f"nobody: worse than without any rater{whole}"
    if worth.censored == "above":
        return f"more than {_short(worth).removeprefix('> ')} raters would{whole}"
    noun = "rater does" if worth.show(worth.value, 2) == "1.00" else "raters do"
    return f"{_short(worth)} {noun}{whole}"


def _short(worth: Estimate) -> str:
    return worth.show(worth.value, _digits(worth))


def _digits(worth: Estimate) -> int:
    return 1 if worth.extrapolated else 2


def _with_interval(worth: Estimate, digits: int | None = None) -> str:
    if worth.undefined is not None:
        return "undefined"
    digits = _digits(worth) if digits is None else digits
    text = worth.show(worth.value, digits)
    if worth.censored is not None and worth.low == worth.value == worth.high:
        return text
    return f"{text} ({interval})" if (interval := worth.interval(digits)) else text


def _listed(names: tuple[str, ...]) -> str:
    *others, last = names
    return f"{', '.join(others)} and {last}" if others else last

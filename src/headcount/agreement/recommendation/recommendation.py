"""Which coefficient to report, which others say something else, and the sentence for a paper."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from headcount.agreement.coefficients.base import Coefficient
from headcount.agreement.coefficients.catalogue import PREFERRED
from headcount.agreement.estimates import Estimates
from headcount.agreement.prepare import Prepared
from headcount.agreement.raters.populations import FIXED, Scope
from headcount.errors import count, percent
from headcount.stats.estimate import Estimate

__all__ = ["BENCHMARKS", "Other", "Report", "make_report"]

BENCHMARKS = (0.667, 0.8)
"""Of alpha, from which on Krippendorff (2004) draws tentative and firm conclusions."""
MOST_OTHERS = 3
"""Other coefficients that stand beside it, at most."""


@dataclass(frozen=True)
class Other:
    """Another coefficient, and what it says that the reported one does not."""

    name: str
    why: str


@dataclass(frozen=True, kw_only=True)
class Report:
    """What to report.

    Parameters
    ----------
    name : str
        Of the coefficient.
    title : str
        The coefficient with its scale, as one writes it.
    symbol : str
    estimate : Estimate
        Without an interval where items are too few for one.
    too_small : str or None
        What is too few for an interval, in words.
    these_raters : Estimate or None
        With an interval for these raters, where both are shown.
    at_least : dict of float to float
        Probability that it is at least so much, for each benchmark; empty if it has no interval.
    verdict : str
        How it compares with chance; "" where nothing can be said.
    why : str
        Why this coefficient, in a sentence.
    sentence : str
        For a paper.
    others : tuple of Other
    """

    name: str
    title: str
    symbol: str
    estimate: Estimate
    too_small: str | None
    these_raters: Estimate | None
    at_least: dict[float, float]
    verdict: str
    why: str
    sentence: str
    others: tuple[Other, ...]


def make_report(
    kinds: Iterable[Coefficient], found: Estimates, data: Prepared, scope: Scope
) -> Report | None:
    """Choose what to report; None where nothing is defined."""
    kinds = list(kinds)
    defined = [one for one in kinds if found.coefficients[one.name].undefined is None]
    if not defined:
        return None
    first = _first(defined)
    intervals = _intervals(first, found, scope)
    if data.too_small is not None:
        intervals = [("", Estimate(found.coefficients[first.name].value))]
    estimate = intervals[0][1]
    these = intervals[1][1] if len(intervals) > 1 else None
    title = (
        f"{first.title} ({data.scale.title or data.scale.name})"
        if first is PREFERRED
        else first.title
    )
    at_least = {
        least: p
        for least in (BENCHMARKS if first.corrected and data.too_small is None else ())
        if (p := found.at_least(first.name, least)) is not None
    }
    others = [
        Other(one.name, why)
        for one in defined
        if one is not first
        and (why := one.differs(data, found.coefficients[one.name].value, estimate.value))
    ]
    return Report(
        name=first.name,
        title=title,
        symbol=first.symbol or first.title,
        estimate=estimate,
        too_small=data.too_small,
        these_raters=these,
        at_least=at_least,
        verdict="" if data.too_small is not None else _verdict(first, found, few=scope.few),
        why=first.why(data),
        sentence=_sentence(title, intervals, data),
        others=tuple(others[:MOST_OTHERS]),
    )


def _first(defined: list[Coefficient]) -> Coefficient:
    """Give the preferred one; else the first that is corrected for chance, if any."""
    if PREFERRED in defined:
        return PREFERRED
    return next((one for one in defined if one.corrected), defined[0])


def _verdict(one: Coefficient, found: Estimates, *, few: bool) -> str:
    """Say how agreement compares with chance: of others like them and of these, if that differs."""
    like, these = found.coefficients[one.name], found.these_raters[one.name]
    if not _differ(one, found):
        return one.verdict(like)
    own = one.verdict(these, whom=FIXED.words)
    why = "so few raters cannot tell" if few else "it cannot be told: raters differ too much"
    return f"{own}; for others like them {why}"


def _differ(one: Coefficient, found: Estimates) -> bool:
    """Whether more can be said of these raters than of others like them."""
    like, these = found.coefficients[one.name], found.these_raters[one.name]
    directions = one.direction(like), one.direction(these)
    if one.name not in found.crossed or None in directions:
        return False
    return directions[0] != directions[1] or (one.none(these) and not one.none(like))


def _intervals(one: Coefficient, found: Estimates, scope: Scope) -> list[tuple[str, Estimate]]:
    """Give the intervals to report, and for whom each holds."""
    estimate, these = found.coefficients[one.name], found.these_raters[one.name]
    if one.name not in found.crossed:
        return [(FIXED.words if scope.crossed else scope.words, estimate)]
    # Without bootstrap samples there may be none for these raters.
    both = these.low is not None and (scope.few or _differ(one, found))
    return [(scope.words, estimate), *([(FIXED.words, these)] if both else [])]


def _sentence(title: str, intervals: list[tuple[str, Estimate]], data: Prepared) -> str:
    """Write what to put into a paper."""
    ends = [
        f"[{_number(e.low)}, {_number(e.high)}] {words}"
        for words, e in intervals
        if e.low is not None and e.high is not None and e.low < e.high
    ]
    e = intervals[0][1]
    interval = f", {percent(e.level or 0)} CI {', '.join(ends)}" if ends else ""
    raters = data.labels.n_raters
    by = "" if raters is None else f", {count(raters, 'rater')}"
    items = count(data.items_used, "item")
    beside = ""
    if data.unanimous:
        beside = "; every item unanimous"
    elif data.too_small is not None:
        beside = "; too few for an interval"
    return f"{title} = {_number(e.value)}{interval} ({items}{by}{beside})."


def _number(x: float) -> str:
    """Write a number of at most 1 as papers do: two digits, no zero in front."""
    text = f"{round(x, 2) + 0.0:.2f}"
    return text.replace("0.", ".", 1) if text.lstrip("-").startswith("0.") else text

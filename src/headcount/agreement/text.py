"""An analysis of agreement in words and in tables of at most 80 columns."""

from __future__ import annotations

import textwrap
from typing import TYPE_CHECKING

from headcount.agreement.coefficients.catalogue import COEFFICIENTS
from headcount.errors import count, percent
from headcount.results.text import columns, wrap
from headcount.stats.estimate import Estimate

if TYPE_CHECKING:
    from headcount.agreement.result import AgreementResult

__all__ = ["sentence", "table"]

MOST_ROWS = 10
"""Raters, pairs and items that are printed; the others are in the frame and the JSON."""

CORRECTED = ("alpha", "fleiss", "ac1", "ac2", "scott", "cohen", "icc1")
"""Coefficients that answer whether agreement is more than chance, the first defined one."""


def sentence(result: AgreementResult) -> str:
    """Say how much raters agree, and whether it is more than chance."""
    found = result.coefficients
    agree = found.get("percent")
    if agree is not None and agree.undefined:
        return wrap(f"agreement cannot be measured: {agree.undefined}")
    parts: list[str] = []
    if agree is not None:
        parts.append(f"two raters of an item agree {100 * agree.value:.1f}% of the time")
    name = next((n for n in CORRECTED if n in found and not found[n].undefined), None)
    if name is not None:
        parts.append(_verdict(COEFFICIENTS[name].title, found[name]))
    known = [n for n in CORRECTED if n in found]
    if known and known[0] != name:
        first = known[0]
        parts.append(f"{COEFFICIENTS[first].title} is undefined: {found[first].undefined}")
    return wrap("; ".join(parts) or "no coefficient was asked for")


def _verdict(title: str, estimate: Estimate) -> str:
    value = estimate.show(estimate.value)
    if estimate.low is None or estimate.high is None or estimate.level is None:
        return f"{title} is {value}, without an interval"
    if estimate.low > 0:
        verdict = "is more than chance"
    elif estimate.high < 0:
        verdict = "is less than chance"
    else:
        verdict = "cannot be told from chance"
    interval = f"{percent(estimate.level)} interval {estimate.interval()}"
    return f"that {verdict}: {title} {value}, {interval}"


def table(result: AgreementResult) -> list[str]:
    """Write the coefficients, and raters and items if there are any, as lines of text."""
    head = ["coefficient", "value", "interval", "chance is"]
    known = {n: e for n, e in result.coefficients.items() if e.undefined is None}
    body = [
        [COEFFICIENTS[n].title, e.show(e.value), e.interval(), COEFFICIENTS[n].chance]
        for n, e in known.items()
    ]
    if result.phi is not None and result.phi.estimate.undefined is None:
        e = result.phi.estimate
        body.append(["Phi", e.show(e.value), e.interval(), "a flat spread over the scale"])
    lines = columns(head, body) if body else []
    lines += [
        _hang(f"{COEFFICIENTS[n].title}: undefined: {e.undefined}")
        for n, e in result.coefficients.items()
        if e.undefined is not None
    ]
    if result.phi is not None:
        lines.append(_hang(result.phi.words))
    if result.raters:
        lines += ["", *_raters(result)]
    if result.pairs:
        lines += ["", *_pairs(result)]
    if result.items:
        lines += ["", *_items(result)]
    return [*lines, "", *_foot(result)]


def _raters(result: AgreementResult) -> list[str]:
    head = ["rater", "ratings", "agreement", "interval"]
    body = [
        [
            str(r.rater),
            f"{r.ratings:,}",
            "" if r.agreement.undefined else r.agreement.show(r.agreement.value),
            r.agreement.interval(),
        ]
        for r in result.raters[:MOST_ROWS]
    ]
    title = "each rater against the others, lowest agreement first"
    return [title, *columns(head, body), *_more(len(result.raters), "rater")]


def _pairs(result: AgreementResult) -> list[str]:
    names = [n for n in ("percent", "cohen", "scott") if n in result.pairs[0].coefficients]
    head = ["raters", "items", *(COEFFICIENTS[name].title for name in names)]
    body = [
        [
            f"{pair.a} – {pair.b}",
            f"{pair.items:,}",
            *(
                "" if (e := pair.coefficients[name]).undefined else e.show(e.value)
                for name in names
            ),
        ]
        for pair in result.pairs[:MOST_ROWS]
    ]
    title = "every two raters, on the items that both rated"
    return [title, *columns(head, body), *_more(len(result.pairs), "pair")]


def _items(result: AgreementResult) -> list[str]:
    head = ["item", "disagreement", "entropy (bits)", "labels"]
    body = [
        [str(i.item), f"{i.disagreement:.3f}", f"{i.entropy:.3f}", _counts(i.counts)]
        for i in result.items[:MOST_ROWS]
    ]
    if any(i.central is not None for i in result.items):
        head[3:3] = ["central value", "Phi's residual"]
        for row, i in zip(body, result.items, strict=False):
            if i.central is None or i.residual is None:
                row[3:3] = ["", ""]
            else:
                row[3:3] = [f"{i.central.value:.4g}", f"{i.residual:.2f}"]
    title = "items, most contested first"
    return [title, *columns(head, body), *_more(len(result.items), "item")]


def _counts(counts: dict[str, int]) -> str:
    """How often each label was given, as far as there is room."""
    return textwrap.shorten(
        " ".join(f"{label}:{n}" for label, n in counts.items()), 20, placeholder=" …"
    )


def _more(total: int, noun: str) -> list[str]:
    rest = total - MOST_ROWS
    return [f"and {count(rest, f'more {noun}')}: see --json"] if rest > 0 else []


def _foot(result: AgreementResult) -> list[str]:
    p = result.provenance
    low, median, high = p.ratings_per_item
    each = f"{low} ratings each" if low != 1 else "1 rating each"
    if low < high:
        each = f"{low} to {high} ratings each (median {median:g})"
    items = p.items_used + p.items_single
    few = f" ({p.items_single:,} with one rating)" if p.items_single else ""
    known = [*result.coefficients.values(), *([result.phi.estimate] if result.phi else [])]
    methods = sorted({e.method for e in known if e.low is not None})
    drawn = "; ".join(methods)
    if p.bootstrap and "percentile bootstrap" in methods:
        drawn += f" ({count(p.bootstrap, 'draw')} of items)"
    intervals = f"{percent(p.level)} intervals: {drawn}" if drawn else "no intervals"
    names = ", ".join(p.labels) if len(p.labels) <= 10 else f"{p.labels[0]} … {p.labels[-1]}"
    return [
        wrap(f"{count(items, 'item')}{few}, {each}, by {count(p.n_raters, 'rater')}"),
        wrap(f"{p.scale} scale of {count(len(p.labels), 'label')}: {names}; {intervals}"),
    ]


def _hang(text: str) -> str:
    return wrap(text, indent="  ")

"""An analysis of agreement in sentences and tables."""

from __future__ import annotations

import textwrap

from headcount.agreement.coefficients.catalogue import recommended
from headcount.agreement.phi.records import CHANCE, TITLE
from headcount.agreement.records import Agreement
from headcount.agreement.verdicts import leading, phi_against
from headcount.errors import count, percent
from headcount.results.text import ALL_ENTRIES, Page, Table

__all__ = ["page"]

MOST_ROWS = 10
"""Raters, pairs and items that are printed; the others are in the frame and the JSON."""


def page(result: Agreement) -> Page:
    """Say how much raters agree, and whether it is more than chance."""
    blocks: list[Table | str] = []
    if any(e.undefined is None for e in result.coefficients.values()) or result.phi is not None:
        blocks.append(_coefficients(result))
    blocks += _undefined(result)
    if result.phi is not None and not phi_against(result.kinds, result.coefficients, result.phi):
        blocks.append(f"{result.phi.words}.")
    if result.raters:
        blocks.append(_raters(result))
    if result.pairs:
        blocks.append(_pairs(result))
    if result.items:
        blocks.append(_items(result))
    return Page([_headline(result)], blocks, _foot(result))


def _headline(result: Agreement) -> str:
    kinds, found = result.kinds.values(), result.coefficients
    defined = [one for one in kinds if found[one.name].undefined is None]
    if not defined:
        first = next(iter(found.values()))
        return f"agreement cannot be measured: {first.undefined}"
    plain = [one for one in defined if not one.corrected][:1]
    parts = [one.sentence(found[one.name]) for one in plain]
    # A coefficient of the user's own need not be what the other one compares with chance.
    subject = "that" if any(one.recommended for one in plain) else "agreement"
    if (first := leading(result.kinds, found)) is not None:
        parts.append(first.sentence(found[first.name], subject=subject))
    wanted = next((one for one in kinds if one.corrected), None)
    if wanted is not None and wanted not in defined:
        parts.append(f"{wanted.title} is undefined: {found[wanted.name].undefined}")
    return "; ".join(parts)


def _undefined(result: Agreement) -> list[str]:
    """Say which coefficients have no value; those with the same reason share a sentence."""
    alike: dict[str, list[str]] = {}
    for name, e in result.coefficients.items():
        if e.undefined is not None:
            alike.setdefault(e.undefined, []).append(result.kinds[name].title)
    return [f"undefined: {why} ({'; '.join(titles)})." for why, titles in alike.items()]


def _coefficients(result: Agreement) -> Table:
    body = [
        [result.kinds[name].title, e.show(e.value), e.interval(), result.kinds[name].chance]
        for name, e in result.coefficients.items()
        if e.undefined is None
    ]
    if result.phi is not None and result.phi.estimate.undefined is None:
        e = result.phi.estimate
        body.append([TITLE, e.show(e.value), e.interval(), CHANCE])
    interval = f"{percent(result.provenance.level or 0)} interval"
    return Table(["coefficient", "value", interval, "chance agreement from"], body)


def _raters(result: Agreement) -> Table:
    body = [
        [
            str(r.rater),
            f"{r.ratings:,}",
            "" if r.agreement.undefined else r.agreement.show(r.agreement.value),
            r.agreement.interval(),
        ]
        for r in result.raters[:MOST_ROWS]
    ]
    return Table(
        ["rater", "ratings", "agreement", f"{percent(result.provenance.level or 0)} interval"],
        body,
        title="each rater against the others, lowest agreement first",
        more=_more(len(result.raters), "rater"),
    )


def _pairs(result: Agreement) -> Table:
    kinds = {one.name: one for one in recommended()} | dict(result.kinds)
    shown = [kinds[name] for name in result.pairs[0].coefficients if kinds[name].brief]
    body = [
        [
            f"{pair.a} – {pair.b}",
            f"{pair.items:,}",
            *(
                "" if (e := pair.coefficients[one.name]).undefined else e.show(e.value)
                for one in shown
            ),
        ]
        for pair in result.pairs[:MOST_ROWS]
    ]
    return Table(
        ["raters", "items", *(one.title for one in shown)],
        body,
        title="every two raters, on the items that both rated",
        more=_more(len(result.pairs), "pair"),
    )


def _items(result: Agreement) -> Table:
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
    return Table(
        head,
        body,
        title="items, most contested first",
        more=_more(len(result.items), "item"),
    )


def _counts(counts: dict[str, int]) -> str:
    """How often each label was given, as far as there is room."""
    return textwrap.shorten(
        " ".join(f"{label}:{n}" for label, n in counts.items()), 20, placeholder=" …"
    )


def _more(total: int, noun: str) -> str:
    rest = total - MOST_ROWS
    return f"and {count(rest, f'more {noun}')}{ALL_ENTRIES}" if rest > 0 else ""


def _foot(result: Agreement) -> list[str]:
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
    if p.bootstrap and any("bootstrap" in method for method in methods):
        drawn += f" ({count(p.bootstrap, 'bootstrap sample')} of items)"
    intervals = f"{percent(p.level or 0)} intervals: {drawn}" if drawn else "no intervals"
    by = "anonymous raters" if p.n_raters is None else count(p.n_raters, "rater")
    names = ", ".join(p.labels) if len(p.labels) <= 10 else f"{p.labels[0]} … {p.labels[-1]}"
    return [
        f"{count(items, 'item')}{few}, {each}, by {by}",
        f"{p.scale} scale of {count(len(p.labels), 'label')}: {names}; {intervals}",
    ]

"""An analysis of agreement in sentences and tables."""

from __future__ import annotations

import textwrap
from collections.abc import Iterable

from headcount.agreement.coefficients.catalogue import PREFERRED, recommended
from headcount.agreement.phi.records import CHANCE, TITLE
from headcount.agreement.rater_pairs.bland_altman import LimitsOfAgreement
from headcount.agreement.raters.populations import FIXED
from headcount.agreement.recommendation.recommendation import Report
from headcount.agreement.recommendation.verdicts import phi_against
from headcount.agreement.records import Agreement, ItemDisagreement
from headcount.agreement.retest.text import retest_blocks
from headcount.agreement.scales.kinds import SCALES
from headcount.data.vocabulary import number_of
from headcount.errors import count, option, percent, probability
from headcount.results.text import ALL_ENTRIES, Page, Table

__all__ = ["page"]

MOST_SAID, BESIDE_PHI = 44, 24
"""Columns of what everybody said of an item, at most: alone, and where Phi's columns are too."""
MOST_ROWS = 10
"""Raters, pairs and items that are printed; the others are in the frame and the JSON."""


def page(result: Agreement) -> Page:
    """Say which coefficient to report, what others say, and who and what disagrees."""
    blocks: list[Table | str] = []
    report = result.report
    if report is not None:
        blocks += _advice(report)
        shown = _shown(result, report)
        if len(shown) > 1 or result.phi is not None:
            blocks.append(_coefficients(result, shown))
        if not result.full:
            blocks += [_differences(result, report)] if report.others else []
    blocks += _undefined(result)
    blocks += _phi(result)
    if result.retest is not None:
        blocks += retest_blocks(result.retest, result.provenance.level or 0)
    if result.bland_altman is not None:
        blocks.append(_limits(result.bland_altman, result.provenance.level or 0))
    if result.raters:
        blocks.append(_raters(result))
    if result.pairs:
        blocks.append(_pairs(result))
    if result.categories:
        blocks.append(_categories(result))
    if result.items:
        blocks.append(_items(result))
    return Page(_headline(result), blocks, _foot(result))


def _headline(result: Agreement) -> list[str]:
    """Give the answer: a coefficient with its interval, and how it compares with chance."""
    report = result.report
    if report is None:
        first = next(iter(result.coefficients.values()))
        return [f"Agreement between raters cannot be measured: {first.undefined}."]
    e = report.estimate
    parts = [f"{report.title} {e.show(e.value)}"]
    if report.too_small is not None:
        parts.append(f"without an interval, since {report.too_small}")
    elif e.low is None or e.level is None:
        parts.append("without an interval")
    elif e.low == e.high:
        parts.append("the same in every bootstrap sample")
    else:
        these = report.these_raters
        beside = "" if these is None else f", {FIXED.words} {these.interval()}"
        interval = f"{percent(e.level)} interval {result.scope.words} {e.interval()}{beside}"
        parts.append(interval)
        if report.at_least:
            least, p = next(iter(report.at_least.items()))
            benchmark = f"{least:g}".lstrip("0")
            parts.append(f"P({report.symbol} >= {benchmark}) {probability(p)}")
    lines = ["; ".join(parts)]
    if report.verdict:
        lines.append(report.verdict[0].upper() + report.verdict[1:])
    return [f"{line}." for line in lines]


def _phi(result: Agreement) -> list[str]:
    """Say what Phi says, unless a warning has, or ratings are too few for either."""
    phi, report = result.phi, result.report
    if phi is None or (report is not None and report.too_small is not None):
        return []
    against = phi_against(result.kinds, result.coefficients, result.these_raters, phi)
    return [] if against else [phi.summary]


def _advice(report: Report) -> list[str]:
    why = [f"why {report.symbol}: {report.why}."] if report.why else []
    return [*why, f"in a paper: {report.sentence}"]


def _shown(result: Agreement, report: Report) -> list[str]:
    """Names of the coefficients of the table: the reported one and those that differ; or all."""
    defined = [n for n, e in result.coefficients.items() if e.undefined is None]
    if result.full:
        return [n for n in defined if not _hidden(result, n)]
    chosen = {report.name, *(other.name for other in report.others)}
    return sorted((n for n in defined if n in chosen), key=lambda n: n != report.name)


def _hidden(result: Agreement, name: str) -> bool:
    """Whether it is a mean over pairs of raters that share too few items for an interval."""
    e = result.coefficients[name]
    return result.kinds[name].over_pairs and e.undefined is None and e.low is None


def _differences(result: Agreement, report: Report) -> str:
    each = [f"{result.kinds[one.name].title}: {one.why}" for one in report.others]
    return f"{'. '.join(each)}. All coefficients: {option('full', True)}."


def _undefined(result: Agreement) -> list[str]:
    """Say which coefficients have no value; those with the same reason share a sentence."""
    report = result.report
    # Where there is no report, the headline has said why.
    if report is None or not (result.full or report.name != PREFERRED.name):
        return []
    alike: dict[str, list[str]] = {}
    for name, e in result.coefficients.items():
        if e.undefined is not None:
            alike.setdefault(e.undefined, []).append(result.kinds[name].title)
    if not result.full and len(result.coefficients) == 1 + sum(map(len, alike.values())):
        return [f"All other coefficients are undefined: {next(iter(alike), '')}."]
    said = [f"undefined: {why} ({'; '.join(titles)})." for why, titles in alike.items()]
    few = [result.kinds[n].title for n in result.coefficients if _hidden(result, n)]
    if few:
        said.append(
            f"not shown, since pairs of raters share too few items for a mean over pairs to say "
            f"much: {'; '.join(few)}."
        )
    return said


def _coefficients(result: Agreement, names: Iterable[str]) -> Table:
    rows = [
        (
            result.kinds[n].title,
            result.coefficients[n],
            result.these_raters[n],
            result.kinds[n].chance,
        )
        for n in names
    ]
    phi = result.phi
    if phi is not None and phi.estimate.undefined is None:
        rows.append((TITLE, phi.estimate, phi.these_raters or phi.estimate, CHANCE))
    report = result.report
    if report is not None and report.too_small is not None:
        values = [[title, e.show(e.value)] for title, e, *_ in rows]
        return Table(["coefficient", "value"], values)
    # What has no interval for raters like these has one for these raters alone.
    alone = [result.scope.crossed and e is these for _, e, these, _ in rows]
    whom = FIXED.words if all(alone) else result.scope.words
    both = not all(alone) and (
        result.scope.few or any(alone) or (report is not None and report.these_raters is not None)
    )
    body: list[list[str]] = []
    for (title, e, these, chance), only in zip(rows, alone, strict=True):
        like = "" if only and both else e.interval()
        row = [title, e.show(e.value), like, *([these.interval()] if both else [])]
        body.append([*row, chance] if result.full and not both else row)
    level = percent(result.provenance.level or 0)
    head = ["coefficient", "value", f"{level} interval {whom}"]
    head += [FIXED.words] if both else []
    # Both kinds of intervals leave no room for it.
    head += ["chance agreement from"] if result.full and not both else []
    return Table(head, body)


def _limits(two: LimitsOfAgreement, level: float) -> Table:
    """List the limits of agreement of two raters."""
    return Table(
        ["", "value", f"{percent(level)} interval"],
        [[name, e.show(e.value), e.interval()] for name, e in two.rows.items()],
        title=(
            f"{two.a} less {two.b}, on {count(two.items, 'item')} (Bland and Altman); 95% of "
            "differences lie between the limits"
        ),
    )


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
    head = ["rater", "ratings", "agreement", f"{percent(result.provenance.level or 0)} interval"]
    first = "lowest agreement first"
    over = "Intervals are over items, for these raters."
    if any(r.severity is not None for r in result.raters):
        head[2:4] = ["same label", f"{percent(result.provenance.level or 0)} interval"]
        head += ["severity", "consistency"]
        first = "least consistent first; severity: how much higher than the others, in the mean"
        for row, r in zip(body, result.raters, strict=False):
            row += [_signed(r.severity), "" if r.consistency is None else f"{r.consistency:.2f}"]
    return Table(
        head,
        body,
        title=f"each rater against the others, {first}. {over}",
        more=_more(len(result.raters), "rater"),
    )


def _signed(x: float | None) -> str:
    return "" if x is None else f"{round(x, 2) + 0.0:+.2f}"


def _pairs(result: Agreement) -> Table:
    kinds = {one.name: one for one in recommended()} | dict(result.kinds)
    listed = [kinds[name] for name in result.pairs[0].coefficients]
    shown = [one for one in listed if one.brief]
    kind = SCALES.get(result.provenance.scale)
    if kind is not None and kind.ordered:
        shown = [one for one in listed if not one.nominal or not one.corrected]
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
        title="every two raters, on the items that both rated, worst first",
        more=_more(len(result.pairs), "pair"),
    )


def _categories(result: Agreement) -> Table:
    return Table(
        [
            "label",
            "share of ratings",
            PREFERRED.title,
            f"{percent(result.provenance.level or 0)} interval {result.scope.words}",
        ],
        [
            [
                one.label,
                f"{100 * one.share:.1f}%",
                "" if one.agreement.undefined else one.agreement.show(one.agreement.value),
                one.agreement.interval(),
            ]
            for one in result.categories
        ],
        title="each label against all others, lowest agreement first",
    )


def _items(result: Agreement) -> Table:
    head = ["item", "disagreement", "entropy (bits)", "labels"]
    by_phi = any(i.central is not None for i in result.items)
    room = BESIDE_PHI if by_phi else MOST_SAID
    body = [
        [str(i.item), f"{i.disagreement:.3f}", f"{i.entropy:.3f}", _labels(i, room)]
        for i in result.items[:MOST_ROWS]
    ]
    if by_phi:
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


def _labels(item: ItemDisagreement, room: int) -> str:
    """Say what everybody said, if that fits; else how often each label was given."""
    said = " ".join(f"{rater}:{label}" for rater, label in item.said.items())
    return said if item.said and len(said) <= room else _counts(item.counts, room)


def _counts(counts: dict[str, int], room: int) -> str:
    """How often each label was given, as far as there is room."""
    each = " ".join(f"{label}:{n}" for label, n in counts.items())
    return textwrap.shorten(each, room, placeholder=" …")


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
    intervals = _methods(result)
    by = "anonymous raters" if p.n_raters is None else count(p.n_raters, "rater")
    names = p.members or p.labels
    listed = ", ".join(names)
    if len(names) > 10:
        listed = " … ".join(map(_short, (names[0], names[-1])))
    of = f"{p.scale} scale of {count(len(names), 'label')}"
    if p.distance is not None:
        of = f"{count(len(names), 'label')} with distances of your own"
    if p.members:
        of = f"{len(p.labels):,} different sets of {count(len(names), 'label')}"
    return [
        f"{count(items, 'item')}{few}, {each}, by {by}",
        f"{of}: {listed}; {intervals}",
    ]


def _methods(result: Agreement) -> str:
    """Say how the intervals of the reported coefficient were made, and for whom each holds."""
    p, report = result.provenance, result.report
    shown = {} if report is None else {result.scope.words: report.estimate}
    if report is not None and report.these_raters is not None:
        shown[FIXED.words] = report.these_raters
    said: list[str] = []
    for whom, e in shown.items():
        if e.low is None:
            continue
        method = e.method
        if p.bootstrap and "bootstrap" in method:
            method += f" ({count(p.bootstrap, 'bootstrap sample')} of items)"
        said.append(f"{whom} by {method}" if len(shown) > 1 else method)
    return f"{percent(p.level or 0)} interval: {'; '.join(said)}" if said else "no intervals"


def _short(name: str) -> str:
    """Write a number with the digits that one reads, and a word as it is."""
    number = number_of(name)
    return name if number is None else f"{number:.4g}"

"""Which coefficient to report, and what to beware of."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass
from itertools import islice
from typing import TYPE_CHECKING

import numpy as np

from headcount.agreement.coefficients import PREFERRED
from headcount.agreement.estimates import (
    OWN_DRAWS,
    Coefficient,
    Engine,
    Estimates,
    Sampling,
    too_few,
)
from headcount.agreement.phi import CHANCE, TITLE, PhiResult
from headcount.agreement.prepare import Prepared
from headcount.agreement.rater_pairs import kappas
from headcount.agreement.raters import FIXED, SAMPLE, Scope
from headcount.agreement.scales import INTERVAL, NOMINAL
from headcount.errors import count, option, percent, some
from headcount.results.notes import Note, Notes, Severity, few_draws
from headcount.stats.estimate import Estimate

if TYPE_CHECKING:
    from headcount.agreement.result import AgreementProvenance

__all__ = [
    "BENCHMARKS",
    "Report",
    "make_report",
    "phi_against",
    "note_all",
    "few_raters",
    "note_scale",
]


# Which coefficient to report, which others say something else, and the sentence for a paper.

BENCHMARKS = (0.667, 0.8)
"""Of alpha, from which on Krippendorff (2004) draws tentative and firm conclusions."""
MOST_OTHERS = 3
"""Other coefficients that stand beside it, at most."""


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
    others : dict of str to str
        Names of other coefficients, and what each says that the reported one does not.
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
    others: dict[str, str]


def make_report(
    kinds: Iterable[Coefficient], estimates: Estimates, data: Prepared, scope: Scope
) -> Report | None:
    """Choose what to report; None where nothing is defined."""
    kinds = list(kinds)
    defined = [kind for kind in kinds if estimates.coefficients[kind.name].undefined is None]
    if not defined:
        return None
    # The preferred one; else the first that is corrected for chance, if any.
    first = next((kind for kind in defined if kind.corrected), defined[0])
    first = PREFERRED if PREFERRED in defined else first
    intervals = _intervals(first, estimates, scope)
    if data.too_small is not None:
        intervals = [("", Estimate(estimates.coefficients[first.name].value))]
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
        if (p := estimates.at_least(first.name, least)) is not None
    }
    others = {
        kind.name: why
        for kind in defined
        if kind is not first
        and (why := kind.differs(data, estimates.coefficients[kind.name].value, estimate.value))
    }
    return Report(
        name=first.name,
        title=title,
        symbol=first.symbol or first.title,
        estimate=estimate,
        too_small=data.too_small,
        these_raters=these,
        at_least=at_least,
        verdict="" if data.too_small is not None else _verdict(first, estimates, few=scope.few),
        why=first.why(data),
        sentence=_sentence(title, intervals, data),
        others=dict(islice(others.items(), MOST_OTHERS)),
    )


def _verdict(kind: Coefficient, estimates: Estimates, *, few: bool) -> str:
    """Say how agreement compares with chance: of others like them and of these, if that differs."""
    like, these = estimates.coefficients[kind.name], estimates.these_raters[kind.name]
    if not _differ(kind, estimates):
        return kind.verdict(like)
    own = kind.verdict(these, whom=FIXED.words)
    why = "so few raters cannot tell" if few else "it cannot be told: raters differ too much"
    return f"{own}; for others like them {why}"


def _differ(kind: Coefficient, estimates: Estimates) -> bool:
    """Whether more can be said of these raters than of others like them."""
    like, these = estimates.coefficients[kind.name], estimates.these_raters[kind.name]
    directions = kind.direction(like), kind.direction(these)
    if kind.name not in estimates.crossed or None in directions:
        return False
    return directions[0] != directions[1] or (kind.none(these) and not kind.none(like))


def _intervals(kind: Coefficient, estimates: Estimates, scope: Scope) -> list[tuple[str, Estimate]]:
    """Give the intervals to report, and for whom each holds."""
    estimate, these = estimates.coefficients[kind.name], estimates.these_raters[kind.name]
    if kind.name not in estimates.crossed:
        return [(FIXED.words if scope.crossed else scope.words, estimate)]
    # Without bootstrap samples there may be none for these raters.
    both = these.low is not None and (scope.few or _differ(kind, estimates))
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


# What an analysis of agreement says first, and whether Phi bears it out.

DIRECTIONS = {"agreement": 1, "disagreement": -1, "cannot tell": 0}
"""Of Phi's verdicts, as :meth:`Coefficient.direction` has them."""


def leading(
    kinds: Mapping[str, Coefficient], coefficients: Mapping[str, Estimate]
) -> Coefficient | None:
    """Find the coefficient by which the first sentence compares agreement with chance."""
    for name, kind in kinds.items():
        if kind.corrected and coefficients[name].undefined is None:
            return kind
    return None


def phi_against(
    kinds: Mapping[str, Coefficient],
    coefficients: Mapping[str, Estimate],
    these: Mapping[str, Estimate],
    phi: PhiResult | None,
) -> Severity | None:
    """Say how far Phi speaks against the first sentence; None if it does not.

    A warning where one says agreement and the other disagreement; a caution where one of them
    cannot tell, unless it only lacks raters to tell of others: `these` are the coefficients with
    intervals for these raters.
    """
    first = leading(kinds, coefficients)
    if phi is None or first is None:
        return None
    direction, by_phi = first.direction(coefficients[first.name]), DIRECTIONS.get(phi.verdict)
    if direction is None or by_phi is None or direction == by_phi:
        return None
    if direction == 1 and by_phi == 0 and phi.agreed_by_these:
        return None
    if direction == 0 and by_phi == first.direction(these[first.name]):
        return None
    return "warning" if direction * by_phi < 0 else "caution"


# What a reader of an analysis of agreement should know, in sentences.

LEAST_RATERS = 4
"""Raters of whom one may stand out."""
ALL_GOOD = 15
"""Raters below which, if one in five answers at random, there is none of them once in 28 times or
more; intervals then cover .87 to .90 in place of .95 (docs/studies/agreement.md)."""
MOVES = 0.05
"""Change of a coefficient without one rater that is worth a word."""
MOST_OF = 0.6
"""Share of all squared changes that one rater has, who differs from all others."""


def note_all(
    notes: Notes,
    engine: Engine,
    estimates: Estimates,
    sampling: Sampling,
    provenance: AgreementProvenance,
    phi: PhiResult | None,
    report: Report | None,
) -> None:
    """Say all that a reader should know, but for the scale."""
    data = engine.data
    shown: set[str] = set()
    if report is not None:
        shown = {report.name, *report.others}
    _note_added_up(notes, engine)
    _note_raters(notes, data, sampling.scope)
    _note_outlier(notes, data, estimates)
    _note_sizes(notes, data, provenance)
    _note_single(notes, provenance, engine.coefficients.values())
    _note_draws(notes, engine, estimates, sampling, shown)
    _note_pairs(notes, engine)
    if phi is not None:
        notes.extend(phi.notes)
        _note_phi(notes, engine.coefficients, estimates, phi)


def _note_added_up(notes: Notes, engine: Engine) -> None:
    """Say what is left out where ratings were added up before they came here."""
    data = engine.data
    if data.added_up is None:
        return
    needs = [name for name, why in engine.reasons.items() if why == data.added_up]
    if needs:
        notes.info(
            "ratings were added up by item where they lie, so there is no value of coefficients "
            f"that need every two raters of an item ({', '.join(needs)}); some items, read one by "
            "one, give them."
        )
    if data.labels.counted_raters == 2 and data.scale.numeric and not engine.chosen:
        notes.info(
            "limits of agreement (Bland and Altman) need to know which of the two raters gave a "
            "rating, and ratings were added up without that: say "
            f"{option('intervals', SAMPLE.name)}."
        )


def few_raters(raters: int) -> str:
    """Say what few raters cannot tell."""
    return (
        f"{count(raters, 'rater')} tell little about others: an interval {SAMPLE.words} rests on "
        f"how these differ, and one {FIXED.words} says nothing of others. More raters make the "
        "first narrower; more items hardly do."
    )


def _note_raters(notes: Notes, data: Prepared, scope: Scope) -> None:
    """Say for whom intervals hold, where that is not plain."""
    if data.no_pair:
        return
    if scope.few and not data.unanimous and data.too_small is None:
        notes.caution(few_raters(data.panel.raters))
    if scope.crossed and LEAST_RATERS <= data.panel.raters < ALL_GOOD:
        notes.info(
            f"if some such raters answer at random, as in crowds, intervals {SAMPLE.words} are "
            f"approximate: {count(data.panel.raters, 'rater')} may hold none of them by luck, and "
            "then nothing shows that there are any."
        )
    if scope.why and scope.kind is FIXED:
        notes.caution(f"intervals hold {FIXED.words} only: {scope.why}.")
    elif scope.why:
        notes.info(f"intervals hold {SAMPLE.words}: {scope.why}.")


def _note_outlier(notes: Notes, data: Prepared, estimates: Estimates) -> None:
    """Name a rater without whom the coefficient to report would be quite another."""
    crossed = estimates.crossed.get(PREFERRED.name)
    if crossed is None or data.panel.raters < LEAST_RATERS:
        return
    change = np.nan_to_num(crossed.influence.without - crossed.value)
    most = int(np.abs(change).argmax())
    if abs(change[most]) > MOVES and change[most] ** 2 > MOST_OF * float((change**2).sum()):
        notes.caution(
            f"without rater '{data.labels.raters[most]}' {PREFERRED.title} would be "
            f"{crossed.value + change[most]:.3f}: one rater differs from all others, which makes "
            f"the interval {SAMPLE.words} approximate. See {option('by_rater', True)}."
        )


def note_scale(notes: Notes, data: Prepared, *, declared: bool) -> None:
    """Say what the labels were taken for; `declared`: whether the caller said so."""
    names = data.labels.scale.labels
    if not declared and not data.scale.ordered and (words := data.stray_words):
        notes.caution(
            f"the labels are numbers but for {some(words)}, so the scale is taken to be "
            f"{NOMINAL.name}; leave blank what is no answer, and it is {INTERVAL.name}."
        )
    if data.guessed:
        notes.info(
            f"the labels are {len(names):,} numbers, so the scale is taken to be "
            f"{data.scale.name}; say {option('scale', ...)} if it is another."
        )
    if ends := data.stray_ends:
        notes.caution(
            f"hardly any rating is {some(ends)}, but they make the scale twice as wide or more; "
            "distances are relative to its width, so that with them agreement looks higher. If "
            "they are mistakes, leave those ratings out."
        )
    if data.scale.ranked and data.sorted_words:
        notes.caution(
            f"the labels are taken to be in the order of the alphabet: {some(names, 10)}; "
            f"give {option('labels', ...)} in theirs if it is another."
        )


def _note_sizes(notes: Notes, data: Prepared, provenance: AgreementProvenance) -> None:
    """Say which items are of little use, and what so few cannot show."""
    if provenance.items_unrated:
        notes.info(f"{count(provenance.items_unrated, 'item')} without a rating left out.")
    if provenance.items_used == 1:
        notes.warning(
            "one item has two ratings or more: nothing can be said of other items. Have more "
            "items rated twice."
        )
    if data.unanimous:
        notes.caution(
            "every item is unanimous, so that nothing shows how likely disagreement is on other "
            "items."
        )
    elif data.small is not None and data.too_small is None:
        notes.caution(
            f"{data.small}: intervals are approximate, and rather too narrow than too wide. Have "
            "more items rated."
        )


def _note_single(
    notes: Notes, provenance: AgreementProvenance, coefficients: Iterable[Coefficient]
) -> None:
    """Say what items with one rating are used for."""
    if not provenance.items_single or not provenance.items_used:
        return
    uses: dict[str, list[str]] = {}
    for kind in coefficients:
        if kind.from_single:
            uses.setdefault(kind.from_single, []).append(kind.title)
    text = " and ".join(f"{what} ({'; '.join(titles)})" for what, titles in uses.items())
    used = f", but used for {text}" if text else ""
    notes.info(
        f"{count(provenance.items_single, 'item')} with one rating: no use for agreement{used}."
    )


def _note_draws(
    notes: Notes, engine: Engine, estimates: Estimates, sampling: Sampling, shown: set[str]
) -> None:
    """Say what the bootstrap could not do; coefficients that share a number share a note."""
    if estimates.drawn:
        notes.extend(few_draws(sampling.draws or OWN_DRAWS, sampling.level))
    if estimates.skipped:
        notes.info(
            f"not resampled, for the number of items: {_titles(engine, estimates.skipped)}. For an "
            f"interval say how often ({option('bootstrap', OWN_DRAWS)})."
        )
    alike: dict[tuple[int, int], list[str]] = {}
    for name, values in estimates.drawn.items():
        if lost := int(np.isnan(values).sum()):
            alike.setdefault((lost, len(values)), []).append(name)
    for (lost, total), names in alike.items():
        left = f"undefined in {lost:,} of {total:,} bootstrap samples"
        if too_few(total - lost, total):
            left += ", too many for an interval from them"
        else:
            left += ", which intervals leave out"
        message = f"{left}: {_titles(engine, names)}."
        notes.extend([Note(message, "caution" if shown & set(names) else "info")])


def _note_pairs(notes: Notes, engine: Engine) -> None:
    """Say what means over pairs of raters leave out."""
    means = [kind for kind in engine.over_pairs if kind.name in engine.values]
    if not means or len(engine.data.rater_pairs) < 2:
        return
    table = engine.data.rater_pairs
    total = count(len(table), "pair")
    single = int((table.shared < 2).sum())
    if single:
        notes.info(
            f"{single:,} of {total} of raters share a single item; means over pairs leave them out."
        )
    kappa = kappas(table, engine.data.nominal)
    alike = int(np.isnan(kappa).sum()) - single
    if alike:
        notes.info(
            f"{alike:,} of {total} of raters gave one label only to the items that both rated; "
            "means over pairs leave them out."
        )


def _note_phi(
    notes: Notes,
    kinds: Mapping[str, Coefficient],
    estimates: Estimates,
    phi: PhiResult,
) -> None:
    """Say what Phi says, where that speaks against the first sentence."""
    first = leading(kinds, estimates.coefficients)
    severity = phi_against(kinds, estimates.coefficients, estimates.these_raters, phi)
    if first is None or severity is None:
        return
    text = (
        f"{TITLE} does not bear out {first.title}. {phi.summary} They differ in what counts as "
        f"chance ({TITLE}: {CHANCE}; {first.title}: {first.chance}); look at the items "
        f"({option('by_item', True)}) before you rely on either."
    )
    notes.extend([Note(text, severity)])


def _titles(engine: Engine, names: Collection[str]) -> str:
    return "; ".join(engine.coefficients[name].title for name in names)

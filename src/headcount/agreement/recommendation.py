"""Which coefficient to report, and what to beware of."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass
from itertools import islice
from typing import TYPE_CHECKING

import numpy as np

from headcount.agreement.coefficients import PREFERRED, Percent
from headcount.agreement.estimates import (
    OWN_DRAWS,
    Coefficient,
    Engine,
    Estimates,
    Sampling,
    too_few,
)
from headcount.agreement.prepare import Prepared, part
from headcount.agreement.rater_pairs import slopes
from headcount.agreement.raters import FIXED, SAMPLE, Scope
from headcount.agreement.scales import INTERVAL, NOMINAL
from headcount.errors import count, option, percent, some
from headcount.results.notes import Note, Notes, Severity, few_draws
from headcount.stats.estimate import Estimate, digits_apart

if TYPE_CHECKING:
    from headcount.agreement.phi import PhiResult
    from headcount.agreement.result import AgreementProvenance

__all__ = [
    "BENCHMARKS",
    "MINIMUM",
    "PHI",
    "CHANCE",
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
MINIMUM = "Krippendorff's minimum"
"""What the first of them is called: for tentative conclusions."""
MOST_OTHERS = 4
"""Other coefficients that stand beside it, at most."""
MUCH_HIGHER = 0.2
"""How much higher than a coefficient raw agreement is where one wonders why."""
COMMON = 0.7
"""Share of the ratings of a label by which much agreement is expected by chance."""


@dataclass(frozen=True, kw_only=True)
class Report:
    """What to report.

    Parameters
    ----------
    name : str
        Of the coefficient.
    title : str
        The coefficient with its scale, as one writes it.
    estimate : Estimate
        Without an interval where items are too few for one.
    too_small : str or None
        What is too few for an interval, in words.
    approximate : str
        Why the interval is approximate; "" if it is not.
    these_raters : Estimate or None
        With an interval for these raters, where both are shown.
    holds_for : str
        For whom the interval holds.
    at_least : dict of float to float
        Probability that it is at least so much, for each benchmark, by the same interval; empty if
        it has none.
    verdict : str
        How it compares with chance; "" where nothing can be said.
    grade : str
        How its interval compares with Krippendorff's thresholds; "" for other coefficients.
    why_low : str
        Why it is low though raters mostly agree; "" if it is not.
    sentence : str
        For a paper.
    others : dict of str to str
        Names of other coefficients, and what each says that the reported one does not.
    """

    name: str
    title: str
    estimate: Estimate
    too_small: str | None
    approximate: str
    these_raters: Estimate | None
    holds_for: str
    at_least: dict[float, float]
    verdict: str
    grade: str
    why_low: str
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
    estimate, these = estimates.coefficients[first.name], estimates.these_raters[first.name]
    crossed = first.name in estimates.crossed
    both = crossed and these.low is not None and (scope.few or _differ(first, estimates))
    if data.too_small is not None:
        estimate, both = Estimate(estimate.value), False
    title = (
        f"{first.title} ({data.scale.title or data.scale.name})"
        if first is PREFERRED
        else first.title
    )
    sampled = first.corrected and data.too_small is None
    others = {
        kind.name: why
        for kind in sorted(defined, key=lambda kind: not kind.over_pairs)  # of two raters, Cohen's
        if kind is not first
        and (why := kind.differs(data, estimates.coefficients[kind.name].value, estimate.value))
    }
    approximate = _approximate(data, estimate, crossed=crossed)
    unsure = "the ratings are too few to tell it from chance"
    if _differ(first, estimates):
        raters = count(data.panel.raters, "rater")
        unsure = f"{raters} are too few to show that such raters agree more than by chance"
    over = f"{'approximate, ' if approximate else ''}over items{' and raters' if crossed else ''}"
    return Report(
        name=first.name,
        title=title,
        estimate=estimate,
        too_small=data.too_small,
        approximate=approximate,
        these_raters=these if both else None,
        holds_for=FIXED.words if scope.crossed and not crossed else scope.words,
        at_least={
            least: p
            for least in (BENCHMARKS if sampled else ())
            if (p := estimates.at_least(first.name, least)) is not None
        },
        verdict="" if data.too_small is not None else _verdict(first, estimates, few=scope.few),
        grade=_grade(estimate, unsure) if first is PREFERRED else "",
        why_low=_why_low(data, estimates, estimate.value),
        sentence=_sentence(title, estimate, data, over),
        others=dict(islice(others.items(), MOST_OTHERS)),
    )


def _approximate(data: Prepared, estimate: Estimate, *, crossed: bool) -> str:
    """Say by which general rule an interval is approximate; "" if it is not."""
    if estimate.low is None:
        return ""
    if data.small is not None:
        return data.small
    if crossed and data.panel.raters < ALL_GOOD:
        return f"{count(data.panel.raters, 'rater')} may include none of a careless kind"
    return ""


def _grade(e: Estimate, unsure: str) -> str:
    """Compare an interval with the two thresholds of Krippendorff (2004), or with chance."""
    if e.low is None or e.high is None:
        return ""
    least, firm = (f"{mark:g}".lstrip("0") for mark in BENCHMARKS)
    if e.low >= BENCHMARKS[1]:
        return f"reliable: above {firm}, Krippendorff's minimum for firm conclusions"
    if e.low >= BENCHMARKS[0]:
        return f"above {least}, {MINIMUM}"
    if e.high >= BENCHMARKS[0]:
        if e.low <= 0:
            return unsure
        return f"borderline ({MINIMUM} is {least})"
    more = "more than chance, but " if e.low > 0 else "not shown to be more than chance, and "
    more = "less than chance, and " if e.high < 0 else more
    return f"{more}below {least}, {MINIMUM}"


def _why_low(data: Prepared, estimates: Estimates, value: float) -> str:
    """Say why it is low where most pairs agree: one label dominates."""
    raw, share = estimates.coefficients.get(Percent.name), data.commonest[1]
    if raw is None or raw.undefined is not None or share < COMMON or data.scale.numeric:
        return ""
    if raw.value - value < MUCH_HIGHER:
        return ""
    by_chance = 1 - (1 - raw.value) / (1 - value)
    return (
        f"{part(raw.value)} of pairs agree, but {data.dominant} of ratings, so that by "
        f"chance alone {part(by_chance)} would"
    )


def _verdict(kind: Coefficient, estimates: Estimates, *, few: bool) -> str:
    """Say how agreement compares with chance: of others like them and of these, if that differs."""
    like, these = estimates.coefficients[kind.name], estimates.these_raters[kind.name]
    if not _differ(kind, estimates):
        return kind.verdict(like)
    own = kind.verdict(these, whom=FIXED.words)
    why = "raters are too few to say" if few else "raters differ too much to say"
    return f"{own}; {SAMPLE.words} {why}"


def _differ(kind: Coefficient, estimates: Estimates) -> bool:
    """Whether more can be said of these raters than of others like them."""
    like, these = estimates.coefficients[kind.name], estimates.these_raters[kind.name]
    directions = kind.direction(like), kind.direction(these)
    if kind.name not in estimates.crossed or None in directions:
        return False
    return directions[0] != directions[1]


def _sentence(title: str, e: Estimate, data: Prepared, over: str) -> str:
    """Write what to put into a paper."""
    interval = f", {in_brackets(e)} ({over})" if e.low is not None else ""
    raters = data.labels.n_raters
    by = "" if raters is None else f", {count(raters, 'rater')}"
    beside = "; every item unanimous" if data.unanimous else ""
    if data.too_small is not None:
        beside = "; too few for an interval"
    items = count(data.items_used, "item")
    return f"{title} = {as_papers(e.value)}{interval}, {items}{by}{beside}."


def in_brackets(e: Estimate) -> str:
    """Write an interval as papers do, so that it is seen whether it reaches a benchmark."""
    low, high = (as_papers(end, digits_apart(end or 0.0, BENCHMARKS)) for end in (e.low, e.high))
    return f"{percent(e.level or 0)} CI [{low}, {high}]"


def as_papers(x: float | None, digits: int = 2) -> str:
    """Write a number of at most 1 as papers do: two digits, no zero in front.

    Examples
    --------
    >>> as_papers(0.667), as_papers(-0.3), as_papers(1.0)
    ('.67', '-.30', '1.00')
    """
    text = f"{round(x or 0.0, digits) + 0.0:.{digits}f}"
    return text.replace("0.", ".", 1) if text.lstrip("-").startswith("0.") else text


# What an analysis of agreement says first, and whether Phi bears it out.

PHI, CHANCE = "Phi", "uniform spread over the scale"
"""Its title, and what gives a Phi of 0."""
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
ALL_GOOD = 20
"""Raters below which, if one in eight answers at random, a sample has none of them once in 13 times
or more (docs/studies/agreement.md)."""
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
    _note_raters(notes, data, sampling.scope, report)
    _note_outlier(notes, data, estimates)
    _note_sizes(notes, data, provenance, report)
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
            f"that need every two raters of an item ({', '.join(needs)}), nor limits of agreement; "
            "some items, read one by one, give them."
        )


def few_raters(raters: int) -> str:
    """Say what few raters cannot tell."""
    return (
        f"with {count(raters, 'rater')}, results may not generalise to others: an interval "
        f"{SAMPLE.words} rests on how these differ. More raters make it narrower; more items "
        "hardly do."
    )


def _note_raters(notes: Notes, data: Prepared, scope: Scope, report: Report | None) -> None:
    """Say for whom intervals hold, where that is not plain."""
    if data.no_pair:
        return
    many = count(data.panel.raters, "rater")
    if scope.few and not data.unanimous and data.too_small is None:
        these = None if report is None else report.these_raters
        short = f"With {many}, results may not generalise to others."
        if these is not None:
            alone = f"for these {data.panel.raters} alone, {in_brackets(these)}"
            short = f"Other raters may differ; {alone}."
        notes.caution(few_raters(data.panel.raters), short=short, rank=1)
    sampled = report is not None and report.estimate.low is not None
    careless = "Intervals are too narrow if some raters (say 1 in 8) answer at random."
    if scope.crossed and data.panel.raters < ALL_GOOD and sampled:
        notes.caution(
            f"intervals {SAMPLE.words} are approximate: if some raters answer carelessly, as in "
            f"crowds, {many} may include none of them, and nothing in the data warns of that. "
            "Where one rater in eight answers at random, such 95% intervals cover the truth 60 to "
            "87% of the time.",
            short="" if scope.few else careless,
            rank=4,
        )
    if scope.why and scope.kind is FIXED:
        short = f"{scope.why.split('. ')[0]}."
        short = f"{short[0].upper()}{short[1:]}"
        notes.caution(f"intervals are {FIXED.words} only: {scope.why}.", short=short, rank=5)
    elif scope.why:
        notes.info(f"intervals are {SAMPLE.words}: {scope.why}.")


def _note_outlier(notes: Notes, data: Prepared, estimates: Estimates) -> None:
    """Name a rater without whom the coefficient to report would be quite another."""
    crossed = estimates.crossed.get(PREFERRED.name)
    if crossed is None or data.panel.raters < LEAST_RATERS:
        return
    change = np.nan_to_num(crossed.influence.without - crossed.value)
    most = int(np.abs(change).argmax())
    if abs(change[most]) > MOVES and change[most] ** 2 > MOST_OF * float((change**2).sum()):
        name = data.labels.raters[most]
        without = f"{crossed.value + change[most]:.2f}"
        notes.caution(
            f"the interval {SAMPLE.words} is wide because of rater '{name}', without whom "
            f"{PREFERRED.title} would be {without}.",
            short=f"Without rater '{name}' alpha would be {without}.",
            rank=2,
        )


def note_scale(notes: Notes, data: Prepared, *, declared: bool) -> None:
    """Say what the labels were taken for; `declared`: whether the caller said so."""
    names = data.labels.scale.labels
    if not declared and not data.scale.ordered and (words := data.stray_words):
        notes.caution(
            f"the labels are numbers but for {some(words)}, so the scale is taken to be "
            f"{NOMINAL.name}; leave blank what is no answer, and it is {INTERVAL.name}.",
            short=f"Numbers read as names, because of the labels {some(words)}.",
            rank=0,
        )
    if data.guessed:
        notes.info(
            f"the labels are {len(names):,} numbers, so the scale is taken to be "
            f"{data.scale.name}; say {option('scale', ...)} if it is another.",
            short=f"Scale: {data.scale.name}.",
        )
    if data.scale.ranked and data.sorted_words:
        notes.caution(
            f"the labels are taken to be in the order of the alphabet: {some(names, 10)}; "
            f"give {option('labels', ...)} in theirs if it is another.",
            short=f"Labels are in the order of the alphabet: {some(names, 5)}.",
            rank=0,
        )


def _note_sizes(
    notes: Notes, data: Prepared, provenance: AgreementProvenance, report: Report | None
) -> None:
    """Say which items are of little use, and what so few cannot show."""
    if provenance.items_unrated:
        notes.info(f"{count(provenance.items_unrated, 'item')} without a rating left out.")
    if provenance.items_single and provenance.items_used:
        single = count(provenance.items_single, "item")
        notes.info(f"{single} with only one rating: left out, since agreement needs two.")
    if provenance.items_used == 1:
        notes.warning(
            "one item has two ratings or more: nothing can be said of other items. Have more "
            "items rated twice."
        )
    if data.unanimous:
        notes.caution(
            "every item is unanimous, so that nothing shows how likely disagreement is on other "
            "items.",
            short="Every item is unanimous: nothing shows how likely disagreement is.",
            rank=3,
        )
    elif data.small is not None and report is not None and report.estimate.low is not None:
        notes.caution(
            f"{data.small}: intervals are approximate, and probably too narrow. Have more items "
            "rated.",
            short=f"{data.small[0].upper()}{data.small[1:]}: the interval is probably too narrow.",
            rank=1,
        )


def _note_draws(
    notes: Notes, engine: Engine, estimates: Estimates, sampling: Sampling, shown: set[str]
) -> None:
    """Say what the bootstrap could not do; coefficients that share a number share a note."""
    if estimates.drawn:
        notes.extend(few_draws(sampling.draws or OWN_DRAWS, sampling.level))
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
    if none := int(np.isnan(slopes(table, engine.data.nominal)[0]).sum()):
        notes.info(
            f"{none:,} of {count(len(table), 'pair')} of raters share a single item, or gave one "
            "label only to the items that both rated; means over pairs leave them out."
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
        f"{PHI} does not bear out {first.title}. {phi.summary} They differ in what counts as "
        f"chance ({PHI}: {CHANCE}; {first.title}: {first.chance}); look at the items "
        f"({option('by_item', True)}) before you rely on either."
    )
    short = f"{PHI} says otherwise: look at the items ({option('by_item', True)})."
    notes.extend([Note(text, severity, short=short if severity == "warning" else "", rank=3)])


def _titles(engine: Engine, names: Collection[str]) -> str:
    return "; ".join(engine.coefficients[name].title for name in names)

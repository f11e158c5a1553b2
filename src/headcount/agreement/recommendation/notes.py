"""What a reader of an analysis of agreement should know, in sentences."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping

import numpy as np

from headcount.agreement.coefficients.base import Coefficient
from headcount.agreement.coefficients.catalogue import PREFERRED
from headcount.agreement.coefficients.engine import Engine
from headcount.agreement.estimates import Estimates, Sampling, too_few
from headcount.agreement.phi.records import CHANCE, TITLE
from headcount.agreement.phi.result import PhiResult
from headcount.agreement.prepare import Prepared
from headcount.agreement.rater_pairs.pair_table import kappas
from headcount.agreement.raters.populations import FIXED, SAMPLE, Scope
from headcount.agreement.recommendation.recommendation import Report
from headcount.agreement.recommendation.verdicts import leading, phi_against
from headcount.agreement.records import AgreementProvenance
from headcount.agreement.scales.kinds import INTERVAL, NOMINAL
from headcount.errors import count, option, some
from headcount.results.notes import Note, Notes, few_draws

__all__ = ["few_raters", "note_all", "note_scale"]

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
    found: Estimates,
    sampling: Sampling,
    provenance: AgreementProvenance,
    phi: PhiResult | None,
    report: Report | None,
) -> None:
    """Say all that a reader should know, but for the scale."""
    data = engine.data
    shown: set[str] = set()
    if report is not None:
        shown = {report.name, *(one.name for one in report.others)}
    _note_added_up(notes, engine)
    _note_raters(notes, data, sampling.scope)
    _note_outlier(notes, data, found)
    _note_sizes(notes, data, provenance)
    _note_single(notes, provenance, engine.coefficients.values())
    _note_draws(notes, engine, found, sampling, shown)
    _note_pairs(notes, engine)
    if phi is not None:
        notes.extend(phi.notes)
        _note_phi(notes, engine.coefficients, found, phi)


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
    if data.labels.counted_raters == 2 and data.scale.numeric and not engine.asked:
        notes.info(
            "limits of agreement (Bland and Altman) need to know which of the two raters gave a "
            f"rating, and ratings were added up without that: say {option('raters', SAMPLE.name)}."
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


def _note_outlier(notes: Notes, data: Prepared, found: Estimates) -> None:
    """Name a rater without whom the coefficient to report would be quite another."""
    crossed = found.crossed.get(PREFERRED.name)
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


def note_scale(notes: Notes, data: Prepared, *, given: bool) -> None:
    """Say what the labels were taken for; `given`: whether the caller said so."""
    names = data.labels.scale.labels
    if not given and not data.scale.ordered and (words := data.stray_words):
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
    for one in coefficients:
        if one.from_single:
            uses.setdefault(one.from_single, []).append(one.title)
    text = " and ".join(f"{what} ({'; '.join(titles)})" for what, titles in uses.items())
    used = f", but used for {text}" if text else ""
    notes.info(
        f"{count(provenance.items_single, 'item')} with one rating: no use for agreement{used}."
    )


def _note_draws(
    notes: Notes, engine: Engine, found: Estimates, sampling: Sampling, shown: set[str]
) -> None:
    """Say what the bootstrap could not do; coefficients that share a number share a note."""
    notes.extend(few_draws(sampling.draws, sampling.level))
    if found.skipped:
        notes.info(
            f"not resampled, for the number of ratings: {_titles(engine, found.skipped)}. Their "
            f"intervals {FIXED.words} are analytic."
        )
    alike: dict[tuple[int, int], list[str]] = {}
    for name, values in found.drawn.items():
        if lost := int(np.isnan(values).sum()):
            alike.setdefault((lost, len(values)), []).append(name)
    for (lost, total), names in alike.items():
        left = f"undefined in {lost:,} of {total:,} bootstrap samples"
        if too_few(total - lost, total):
            left += ", too many for an interval from them"
        else:
            left += ", which intervals leave out"
        said = f"{left}: {_titles(engine, names)}."
        notes.extend([Note(said, "caution" if shown & set(names) else "info")])


def _note_pairs(notes: Notes, engine: Engine) -> None:
    """Say what means over pairs of raters leave out."""
    means = [one for one in engine.over_pairs if one.name in engine.values]
    if not means or len(engine.data.rater_pairs) < 2:
        return
    table = engine.data.rater_pairs
    total = count(len(table), "pair")
    single = int((table.shared < 2).sum())
    if single:
        notes.info(
            f"{single:,} of {total} of raters share a single item; means over pairs leave them out."
        )
    kappa = kappas(table, engine.data.nominal)(table.count[None, :])
    alike = int(np.isnan(kappa).sum()) - single
    if alike:
        notes.info(
            f"{alike:,} of {total} of raters gave one label only to the items that both rated; "
            "means over pairs leave them out."
        )


def _note_phi(
    notes: Notes,
    kinds: Mapping[str, Coefficient],
    found: Estimates,
    phi: PhiResult,
) -> None:
    """Say what Phi says, where that speaks against the first sentence."""
    first = leading(kinds, found.coefficients)
    severity = phi_against(kinds, found.coefficients, found.these_raters, phi)
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

"""For whom intervals of the worth hold, and what they leave out."""

from __future__ import annotations

from dataclasses import replace

from headcount.data.labels import Labels
from headcount.equivalence.choices import Settings
from headcount.equivalence.estimates import FEW, Estimates
from headcount.equivalence.raters.kinds import FIXED, SAMPLE, RaterKind
from headcount.equivalence.raters.variance import Without, why_not
from headcount.equivalence.records import ClassifierResult
from headcount.errors import option, percent
from headcount.results.notes import Notes

__all__ = ["for_whom"]

FEW_RATERS = 6
"""Raters below which both kinds of interval are told."""
MOST_ITEMS = 50_000
"""Items up to which a few raters are left out one by one without being asked for."""

Classifiers = tuple[ClassifierResult, ...]


def for_whom(
    classifiers: Classifiers,
    estimates: Estimates,
    without: Without,
    labels: Labels,
    settings: Settings,
    notes: Notes,
) -> tuple[Classifiers, RaterKind]:
    """Widen intervals where raters are taken for a sample; tell both kinds where they are few."""
    prepared, wanted = without.prepared, settings.raters
    few = not labels.anonymous and prepared.n_raters < FEW_RATERS
    if settings.draws < 2 or not (few or wanted is SAMPLE):
        return classifiers, FIXED
    left_out = (
        f"{prepared.n_raters} raters gave all ratings: intervals are over items, and leave out "
        "that other raters may differ, which more items do not mend."
    )
    why = why_not(labels, prepared)
    if why and wanted is SAMPLE:
        notes.caution(f"intervals are over items, and not for {SAMPLE.words}: {why}.")
    elif wanted is FIXED and (why or not classifiers or prepared.items_used > MOST_ITEMS):
        notes.caution(left_out)
    if why or not classifiers or not FEW <= prepared.items_used <= _most(wanted):
        return classifiers, FIXED
    wide = estimates.like_these(without.variance(labels, settings.seed or 0))
    pairs = list(zip(classifiers, wide, strict=True))
    if wanted is SAMPLE:
        return tuple(replace(one, equivalence=e, like_these=e) for one, e in pairs), SAMPLE
    said = "; ".join(f"{one.name} {e.interval(2)}" for one, e in pairs)
    notes.caution(
        f"{left_out} For {SAMPLE.words} the {percent(settings.level)} intervals of the worth are "
        f"wider: {said} (see {option('raters', SAMPLE.name)})."
    )
    return tuple(replace(one, like_these=e) for one, e in pairs), FIXED


def _most(wanted: RaterKind) -> float:
    return float("inf") if wanted is SAMPLE else MOST_ITEMS

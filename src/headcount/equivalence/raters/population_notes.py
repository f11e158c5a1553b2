"""For whom intervals of the worth hold, and what they leave out."""

from __future__ import annotations

from dataclasses import replace

from headcount.engine.reductions.cells import AnyRatings
from headcount.equivalence.inputs.choices import Settings
from headcount.equivalence.raters.populations import FIXED, SAMPLE, RaterKind
from headcount.equivalence.raters.variance import Without, why_not
from headcount.equivalence.records import ClassifierResult
from headcount.equivalence.worth.estimates import FEW, Estimates
from headcount.errors import option, percent
from headcount.results.notes import Notes
from headcount.stats.estimate import Estimate

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
    labels: AnyRatings,
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
        instead = f" One for {SAMPLE.words} cannot be given: {why}." if why and classifiers else ""
        notes.caution(f"{left_out}{instead}")
    if why or not classifiers or not FEW <= prepared.items_used <= _most(wanted):
        return classifiers, FIXED
    wide = estimates.like_these(without.variance(labels, settings.seed or 0))
    pairs = list(zip(classifiers, wide, strict=True))
    if wanted is SAMPLE:
        notes.caution(
            f"the intervals of the worth are for {SAMPLE.words}; those of scores, gains, shares, "
            "differences and of the worth with raters are over items, and leave out that other "
            "raters may differ."
        )
        return tuple(replace(one, equivalence=e, like_these=e) for one, e in pairs), SAMPLE
    notes.caution(f"{left_out} {_said(pairs, settings.level)}".strip())
    return tuple(replace(one, like_these=e) for one, e in pairs), FIXED


def _said(pairs: list[tuple[ClassifierResult, Estimate]], level: float) -> str:
    """Tell the intervals for raters like these, of classifiers for which they differ."""
    shown = [(one.name, one.equivalence.interval(2), e.interval(2)) for one, e in pairs]
    wider = [f"{name} {wide}" for name, narrow, wide in shown if wide != narrow]
    if all(one.equivalence.undefined for one, _ in pairs):
        return ""
    if not wider:
        return f"For {SAMPLE.words} the intervals of the worth are no wider here."
    others = "" if len(wider) == len(pairs) else "; those of the others stay"
    return (
        f"For {SAMPLE.words} the {percent(level)} intervals of the worth are wider: "
        f"{'; '.join(wider)}{others} (see {option('raters', SAMPLE.name)})."
    )


def _most(wanted: RaterKind) -> float:
    return float("inf") if wanted is SAMPLE else MOST_ITEMS

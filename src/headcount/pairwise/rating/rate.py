"""Rate by all who answered, or without those who answer at random, and see what that changes."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from headcount.data.comparisons import Comparisons
from headcount.errors import DataError, count, option, some
from headcount.pairwise.answers.units import COMPARISON
from headcount.pairwise.bradley_terry.priors import given_prior
from headcount.pairwise.prepare import Task
from headcount.pairwise.rating.rated_items import item_ranks, tell_of_labels
from headcount.pairwise.rating.rating_method import Rated
from headcount.pairwise.records import Dropped, Move, RatedItem
from headcount.pairwise.spammers.result import RatersResult
from headcount.pairwise.spammers.spammers import find_spammers
from headcount.results.notes import Note, Notes, few_draws
from headcount.stats.ranks import ranks
from headcount.typing import Progress

__all__ = ["Run", "notes_on", "rate"]

MOVES = 10
"""Items that moved most without spammers, to tell of."""


@dataclass(frozen=True, eq=False, kw_only=True)
class Run:
    """Ratings, the comparisons that made them, the raters judged, and what was left out."""

    rated: Rated
    used: Comparisons
    judged: RatersResult | None = None
    dropped: Dropped | None = None


def rate(task: Task, progress: Progress | None) -> Run:
    """Rate items by all comparisons, or by those that are left without spammers."""
    method, settings, everything = task.method, task.settings, task.comparisons
    judged = _judge(task) if task.judges else None
    if not task.drops or judged is None or not judged.spammers:
        rated = method.fit(everything, settings, task.rng, progress)
        return Run(rated=rated, used=everything, judged=judged)
    used = _without(everything, judged)
    before = method.fit(everything, replace(settings, bootstrap=0, by=COMPARISON), task.rng)
    after = method.fit(used, settings, task.rng, progress)
    dropped = _changes(everything, used, judged, before, after)
    return Run(rated=after, used=used, judged=judged, dropped=dropped)


def notes_on(task: Task, run: Run, items: tuple[RatedItem, ...]) -> tuple[Note, ...]:
    """Gather what a reader should know of a run."""
    notes = Notes(run.rated.notes)
    notes.extend(() if run.judged is None else run.judged.notes)
    if run.dropped is not None:
        _tell_of_dropped(run.dropped, task.comparisons, notes)
    tell_of_labels(items, task.rule, notes)
    notes.extend(few_draws(task.settings.bootstrap, task.settings.level))
    return tuple(notes)


def _judge(task: Task) -> RatersResult:
    return find_spammers(
        task.comparisons,
        prior=given_prior(task.settings.prior),
        checks=task.checks,
        level=task.settings.level,
        rng=task.rng,
    )


def _without(comparisons: Comparisons, judged: RatersResult) -> Comparisons:
    """Keep the comparisons of the raters who are no spammers."""
    if comparisons.rater is None or comparisons.raters is None:
        return comparisons
    spammer = np.isin(comparisons.raters.astype(str), [str(name) for name in judged.spammers])
    kept = ~spammer[comparisons.rater]
    if not kept.any():
        raise DataError(
            f"{comparisons.source}: every rater seems to answer at random, so nothing is left to "
            f"rate by. Look at them with {option('by_rater', True)}."
        )
    return comparisons.select(kept)


def _changes(
    comparisons: Comparisons, used: Comparisons, judged: RatersResult, before: Rated, after: Rated
) -> Dropped:
    """Tell what ratings without spammers change."""
    old, new = item_ranks(before), item_ranks(after)
    both = np.isfinite(before.rating) & np.isfinite(after.rating)
    correlation = math.nan
    if both.sum() > 1:
        a, b = (ranks(r[both]) for r in (before.rating, after.rating))
        if np.ptp(a) > 0 and np.ptp(b) > 0:
            correlation = float(np.corrcoef(a, b)[0, 1])
    # Items that have a rank no longer moved furthest.
    moved = np.where(np.isnan(new) & ~np.isnan(old), np.inf, np.abs(new - old))
    moved[np.isnan(moved)] = 0.0
    far = np.argsort(-moved, kind="stable")[:MOVES]
    names: list[Any] = comparisons.items.tolist()
    return Dropped(
        raters=tuple(judged.spammers),
        comparisons=len(comparisons) - len(used),
        rank_correlation=correlation,
        moves=tuple(
            Move(names[i], int(old[i]), None if math.isnan(new[i]) else int(new[i]))
            for i in far.tolist()
            if moved[i]
        ),
    )


def _tell_of_dropped(dropped: Dropped, everything: Comparisons, notes: Notes) -> None:
    """Say that the ratings are not by all who answered."""
    raters = 0 if everything.raters is None else len(everything.raters)
    notes.caution(
        f"rated without {len(dropped.raters):,} of {count(raters, 'rater')}, who answer at random "
        f"({some(dropped.raters)}), and so without {dropped.comparisons:,} of "
        f"{count(len(everything), 'comparison')}; leave out {option('drop_spammers')} to rate by "
        "all."
    )

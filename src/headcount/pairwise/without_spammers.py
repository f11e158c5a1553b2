"""Rate without those who answer at random, and see what that changes."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from headcount.data.comparisons import Comparisons
from headcount.errors import DataError, count, option, some
from headcount.pairwise.rated_items import item_ranks
from headcount.pairwise.rating_method import Rated
from headcount.pairwise.records import Dropped, Move
from headcount.pairwise.spammers.records import RatersRecord
from headcount.results.notes import Notes
from headcount.stats.ranks import ranks

__all__ = ["changes", "tell_of_dropped", "without_spammers"]

MOVES = 10
"""Items that moved most without spammers, to tell of."""


def without_spammers(comparisons: Comparisons, judged: RatersRecord) -> Comparisons:
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


def changes(
    comparisons: Comparisons, used: Comparisons, judged: RatersRecord, before: Rated, after: Rated
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
        tuple(judged.spammers),
        len(comparisons) - len(used),
        correlation,
        tuple(
            Move(names[i], int(old[i]), None if math.isnan(new[i]) else int(new[i]))
            for i in far.tolist()
            if moved[i]
        ),
    )


def tell_of_dropped(dropped: Dropped, everything: Comparisons, notes: Notes) -> None:
    """Say that the ratings are not by all who answered."""
    raters = 0 if everything.raters is None else len(everything.raters)
    notes.caution(
        f"rated without {len(dropped.raters):,} of {count(raters, 'rater')}, who answer at random "
        f"({some(dropped.raters)}), and so without {dropped.comparisons:,} of "
        f"{count(len(everything), 'comparison')}; leave out {option('drop_spammers')} to rate by "
        "all."
    )

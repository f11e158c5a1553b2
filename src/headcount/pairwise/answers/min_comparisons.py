"""Items that were compared often enough."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from headcount.data.comparisons import Comparisons
from headcount.errors import DataError, count, option
from headcount.results.notes import Notes
from headcount.typing import Flags

__all__ = ["compared_often"]


def compared_often(comparisons: Comparisons, least: int) -> Comparisons:
    """Leave out items in fewer than `least` comparisons, until all that are left have as many.

    Comparisons with an item that is left out go with it, so that others may have too few in turn.

    Notes
    -----
    O(comparisons) a round, of which there are a few.

    Examples
    --------
    >>> played = Comparisons.from_columns("aabbx", "bbaay", [1, 0, 1, 0, 1])
    >>> compared_often(played, 2)
    Comparisons: 4 of 2 items (0 ties)
    """
    if least < 1:
        return comparisons
    kept, enough = _often(comparisons, least)
    if enough.all():
        return comparisons
    if not kept.any():
        most, too_many = 0, least
        while too_many - most > 1:
            middle = (most + too_many) // 2
            any_left = bool(_often(comparisons, middle)[0].any())
            most, too_many = (middle, too_many) if any_left else (most, middle)
        raise DataError(
            f"{comparisons.source}: no items are left that have {least:,} comparisons with each "
            f"other. Some have {most:,}: use {option('min_comparisons', most)}, or less."
        )
    some = comparisons.select(kept)
    place = np.cumsum(enough) - 1
    notes, gone = Notes(comparisons.notes), len(comparisons) - len(some)
    notes.caution(
        f"{count(int((~enough).sum()), 'item')} of {len(enough):,} left out, with fewer than "
        f"{count(least, 'comparison')}, and {count(gone, 'comparison')} with "
        f"{'it' if (~enough).sum() == 1 else 'them'}."
    )
    return replace(
        some,
        items=comparisons.items[enough],
        left=place[some.left],
        right=place[some.right],
        notes=tuple(notes),
    )


def _often(comparisons: Comparisons, least: int) -> tuple[Flags, Flags]:
    """Comparisons that are kept, and items that are in enough of them."""
    kept = np.ones(len(comparisons.left), dtype=bool)
    while True:
        enough: Flags = comparisons.select(kept).appearances >= least
        again = kept & enough[comparisons.left] & enough[comparisons.right]
        if (again == kept).all():
            return kept, enough
        kept = again

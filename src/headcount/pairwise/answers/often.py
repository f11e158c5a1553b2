"""Items that were compared often enough."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from headcount.data.comparisons import Comparisons
from headcount.errors import DataError, count, option
from headcount.results.notes import Notes

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
    kept = np.ones(len(comparisons.left), dtype=bool)
    while True:
        enough = comparisons.select(kept).appearances >= least
        again = kept & enough[comparisons.left] & enough[comparisons.right]
        if (again == kept).all():
            break
        kept = again
    if enough.all():
        return comparisons
    if not kept.any():
        raise DataError(
            f"{comparisons.source}: no items are left that have {least:,} comparisons with each "
            f"other. Use a smaller {option('min_comparisons')}."
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

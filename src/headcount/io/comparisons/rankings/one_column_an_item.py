"""One row a ranking, one column an item, and its rank in the cell."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from headcount.data.vocabulary import encode
from headcount.io.comparisons.rankings.base import Entries, Ranked
from headcount.io.reading import Reading
from headcount.io.roles.roles import find_role
from headcount.io.tables.table import Table
from headcount.io.values.cells import ids
from headcount.results.notes import Notes
from headcount.typing import Flags, Floats, Ints

__all__ = ["OneColumnAnItem"]

BESIDE = ("rater", "item", "weight")
"""Roles of columns beside those of items: who ranked, and of what, or how much it counts."""
SIDES = ("left", "right", "outcome", "winner", "loser")
"""Roles of comparisons of two."""
LEAST = 0.95
"""Share of rows in which numbers must be ranks."""
LEAST_STRICT = 0.5
"""Share of rows that must be without ties."""


class OneColumnAnItem(Ranked):
    """One row a ranking, one column an item: 1 for the best; equal ranks are a tie."""

    needed = ()
    kind = "the rank of an item, 1 for the best"

    def find(self, table: Table, given: Mapping[str, str | None]) -> dict[str, int] | None:
        """Look for three columns of numbers or more which in each row are ranks, from 1 on."""
        if any(given.values()) or table.form != "named" or table.nested() or not table.rows:
            return None
        if any(find_role(table.names, role) is not None for role in SIDES):
            return None  # before any column is read, which takes long
        beside = {find_role(table.names, role) for role in BESIDE}
        columns = [column for column in range(len(table.names)) if column not in beside]
        if len(columns) < 3 or any(table.numbers(column)[1].any() for column in columns):
            return None
        if not _are_ranks(np.stack([table.numbers(column)[0] for column in columns], axis=1)):
            return None
        return {f"item {i}": column for i, column in enumerate(columns, 1)}

    def entries(
        self, table: Table, roles: Mapping[str, int], reading: Reading, notes: Notes
    ) -> Entries:
        """Read one column after the other; names of columns are the items."""
        ranks = np.stack([table.only_numbers(column) for column in roles.values()], axis=1)
        row, column = np.nonzero(~np.isnan(ranks))
        names = [table.names[place] for place in roles.values()]
        item, items = ids(encode(names), reading, role="item", table=table, notes=notes)
        level: Ints = np.unique(ranks[row, column], return_inverse=True)[1].reshape(-1)
        notes.caution(
            f"{table.source}: numbers are read as ranks, of which 1 is the best. If the highest is "
            "the best, ratings are upside down: turn the numbers around."
        )
        return Entries(ranking=row, item=item[column], level=level, row=row, items=items)


def _are_ranks(numbers: Floats) -> bool:
    """Whether numbers of most rows are places, 1, 2, 3, ...; those of a tie are equal.

    After a tie of two the next is two places on, or one. Most rows have none: ratings on a scale
    from 1 on do.
    """
    known = ~np.isnan(numbers)
    size = known.sum(axis=1)
    ordered = np.sort(np.where(known, numbers, np.inf), axis=1)[size > 1]
    if not len(ordered):
        return False
    later: Floats = ordered[:, 1:]
    blank = ~np.isfinite(later)
    step = np.diff(np.where(np.isfinite(ordered), ordered, 0), axis=1)
    places: Floats = np.arange(2.0, numbers.shape[1] + 1)
    at_place, tie = later == places, step == 0
    first: Flags = ordered[:, 0] == 1.0
    strict = first & np.all(at_place | blank, axis=1)
    skipping = np.all(at_place | tie | blank, axis=1)
    dense = np.all((step == 1) | tie | blank, axis=1)
    different = np.any(~tie & ~blank, axis=1)
    ranked = first & (skipping | dense) & different
    share = [np.count_nonzero(rows) / len(ordered) for rows in (strict, ranked)]
    return bool(share[0] >= LEAST_STRICT and share[1] >= LEAST)

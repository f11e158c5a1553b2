"""What a layout of rankings is, and how the rankings that it reads become pairs."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from headcount.data.ranked_pairs import RankedPairs, ranked_pairs
from headcount.errors import DataError, count
from headcount.io.comparisons.layouts import Layout, Read
from headcount.io.reading import Reading
from headcount.io.tables.table import Table
from headcount.results.notes import Notes
from headcount.typing import Codes, Ints

__all__ = ["Entries", "Ranked"]

TWICE, SHORT = "item twice in a ranking", "fewer than two items"
"""Why rankings are left out."""
MOST_PAIRS = 50_000_000
"""Pairs that rankings may have, in all."""


@dataclass(frozen=True, eq=False, kw_only=True)
class Entries:
    """Items that stand in rankings: which ranking, item and level, and the row that says so.

    `middle` is the level of items of which no order is known, if there is one.
    """

    ranking: Ints
    item: Codes
    level: Ints
    row: Ints
    items: list[str]
    middle: int | None = None


class Ranked(Layout):
    """A layout of rankings."""

    is_ranking = True
    kind: ClassVar[str]

    @abstractmethod
    def entries(
        self, table: Table, roles: Mapping[str, int], reading: Reading, notes: Notes
    ) -> Entries:
        """Read which items stand where in which ranking."""

    def read(self, table: Table, roles: Mapping[str, int], reading: Reading, notes: Notes) -> Read:
        """Write rankings as the pairs that they put in order."""
        made = self.entries(table, roles, reading, notes)
        known = made.item >= 0
        ranking, item, level = made.ranking[known], made.item[known], made.level[known]
        n = int(made.ranking.max(initial=-1)) + 1
        size = np.bincount(ranking, minlength=n)
        key = ranking * max(len(made.items), 1) + item
        twice = np.zeros(n, dtype=bool)
        order = np.argsort(key, kind="stable")
        twice[ranking[order][1:][np.diff(key[order]) == 0]] = True
        short = ~twice & (size < 2)
        dropped = {TWICE: int(twice.sum()), SHORT: int(short.sum())}
        whole = ~(twice | short)
        if not whole.any():
            raise DataError(
                f"{table.source}: no rankings; {count(dropped[TWICE], 'row')} name an item twice, "
                f"and {dropped[SHORT]:,} have fewer than two items."
            )
        pairs = int(np.sum(size[whole] * (size[whole] - 1) // 2))
        if pairs > MOST_PAIRS:
            raise DataError(
                f"{table.source}: its rankings have {pairs:,} pairs of items; up to "
                f"{MOST_PAIRS:,} are read. Leave some rankings out."
            )
        kept = whole[ranking]
        made_pairs = ranked_pairs(ranking[kept], item[kept], level[kept], middle=made.middle)
        for reason, number in dropped.items():
            if number:
                notes.caution(f"{table.source}: {count(number, 'ranking')} left out ({reason}).")
        return self._read(made, made_pairs, dropped)

    def _read(self, made: Entries, pairs: RankedPairs, dropped: dict[str, int]) -> Read:
        first = np.zeros(int(made.ranking.max(initial=0)) + 1, dtype=np.int64)
        first[made.ranking[::-1]] = made.row[::-1]
        return Read(
            left=pairs.left,
            right=pairs.right,
            items=made.items,
            share=pairs.share,
            kind=self.kind,
            both_bad=0,
            stray=np.zeros(len(pairs.left), dtype=bool),
            row=first[pairs.ranking],
            ranking=pairs.ranking,
            dropped={reason: number for reason, number in dropped.items() if number},
        )

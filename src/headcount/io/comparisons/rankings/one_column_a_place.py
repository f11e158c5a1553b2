"""One row a ranking, one column a place."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from headcount.data.vocabulary import encode
from headcount.io.comparisons.rankings.base import Entries, Ranked
from headcount.io.comparisons.rankings.names import BEST, WORST, named, numbered
from headcount.io.reading import Reading
from headcount.io.roles.roles import find_role
from headcount.io.tables.table import Table
from headcount.io.values.cells import ids
from headcount.results.notes import Notes
from headcount.typing import Ints

__all__ = ["IN_ORDER", "OneColumnAPlace"]


class OneColumnAPlace(Ranked):
    """One row a ranking, one column a place, the best first; `b=c` in a cell is a tie."""

    needed = ()
    kind = "the order of the columns, the best item first"

    def find(self, table: Table, given: Mapping[str, str | None]) -> dict[str, int] | None:
        """Look for three numbered columns or more, without one that names a winner."""
        places = numbered(table.names)
        beside = [find_role(table.names, role) for role in ("outcome", "winner")]
        if len(places) < 3 or any(column not in (None, *places) for column in beside):
            return None
        if any(given.values()) or named(table.names, (*BEST, *WORST)) is not None:
            return None
        return {f"place {i}": column for i, column in enumerate(places, 1)}

    def entries(
        self, table: Table, roles: Mapping[str, int], reading: Reading, notes: Notes
    ) -> Entries:
        """Read one column after the other."""
        rows, names, levels = list[Ints](), list[object](), list[Ints]()
        for level, column in enumerate(roles.values()):
            codes, texts = table.codes(column)
            tied = [[part.strip() for part in text.split("=")] for text in texts]
            sizes = np.array([*map(len, tied), 0], dtype=np.int64)
            rows.append(np.repeat(np.arange(len(codes)), sizes[codes]))
            levels.append(np.full(len(rows[-1]), level))
            whole: list[int] = codes[codes >= 0].tolist()
            for code in whole:
                names += tied[code]
        row = np.concatenate(rows)
        item, items = ids(encode(names), reading, role="item", table=table, notes=notes)
        return Entries(ranking=row, item=item, level=np.concatenate(levels), row=row, items=items)


IN_ORDER = OneColumnAPlace()

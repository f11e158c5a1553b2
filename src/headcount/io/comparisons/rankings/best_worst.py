"""One row a set of items, of which the best and the worst are named."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from headcount.data.vocabulary import encode
from headcount.errors import count
from headcount.io.comparisons.rankings.base import Entries, Ranked
from headcount.io.comparisons.rankings.cells import levels_of, texts_of
from headcount.io.comparisons.rankings.names import BEST, WORST, named, numbered
from headcount.io.reading import Reading
from headcount.io.roles.roles import plain_name
from headcount.io.tables.table import Table
from headcount.io.values.cells import ids
from headcount.results.notes import Notes
from headcount.typing import Ints

__all__ = ["BestWorst"]


class BestWorst(Ranked):
    """One row a set of items in numbered columns, or a list; which is best, and which is worst."""

    needed = ()
    kind = "the best and the worst of a set"

    def find(self, table: Table, given: Mapping[str, str | None]) -> dict[str, int] | None:
        """Look for a set of three items or more, and a column of the best or the worst."""
        if any(given.values()):
            return None
        best, worst = named(table.names, BEST), named(table.names, WORST)
        if best is None and worst is None:
            return None
        shown = numbered(table.names, besides=(best, worst))
        lists = [c for c in table.nested() if plain_name(table.names[c]) in ("items", "set")]
        if len(shown) < 3 and not lists:
            return None
        sides = {"best": best, "worst": worst}
        roles = {role: column for role, column in sides.items() if column is not None}
        if len(shown) < 3:
            return roles | {"items": lists[0]}
        return roles | {f"item {i}": column for i, column in enumerate(shown, 1)}

    def entries(
        self, table: Table, roles: Mapping[str, int], reading: Reading, notes: Notes
    ) -> Entries:
        """Read the sets, and find the best and the worst in them."""
        rows, names = self._sets(table, roles)
        chosen = {role: texts_of(table, roles[role]) for role in ("best", "worst") if role in roles}
        level = np.ones(len(names), dtype=np.int64)
        marks = {role: np.zeros(table.rows, dtype=bool) for role in chosen}
        for i, (row, name) in enumerate(zip(rows.tolist(), names, strict=True)):
            for role, texts in chosen.items():
                if texts[row] == name:
                    level[i] = 0 if role == "best" else 2
                    marks[role][row] = True
        for role, texts in chosen.items():
            stray = [row for row, text in enumerate(texts) if text and not marks[role][row]]
            if stray:
                notes.warning(
                    f"{table.at(stray[0], roles[role])}: '{texts[stray[0]]}' is not among the "
                    f"items of its row; {count(len(stray), 'such answer')} left out."
                )
        # A row that names the same item as best and as worst says nothing of it.
        both = (
            [a and a == b for a, b in zip(*chosen.values(), strict=True)] if len(chosen) > 1 else []
        )
        level[np.isin(rows, np.flatnonzero(both))] = 1
        item, items = ids(encode(names), reading, role="item", table=table, notes=notes)
        return Entries(ranking=rows, item=item, level=level, row=rows, items=items, middle=1)

    def _sets(self, table: Table, roles: Mapping[str, int]) -> tuple[Ints, list[str]]:
        """Rows and names of all items that were shown."""
        if "items" in roles:
            lists = [levels_of(cell) for cell in table.cells(roles["items"])]
            shown = [[name for tied in one for name in tied] for one in lists]
            rows = np.repeat(np.arange(len(shown)), [len(one) for one in shown])
            return rows, [str(name) for one in shown for name in one]
        columns = [c for role, c in roles.items() if role not in ("best", "worst")]
        texts = [texts_of(table, column) for column in columns]
        cells = [(row, one[row]) for row in range(table.rows) for one in texts if one[row]]
        return np.array([row for row, _ in cells], dtype=np.int64), [name for _, name in cells]

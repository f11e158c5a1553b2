"""One row a ranking, all of it in one cell."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from headcount.data.vocabulary import encode
from headcount.io.comparisons.rankings.base import Entries, Ranked
from headcount.io.comparisons.rankings.cells import levels_of
from headcount.io.comparisons.rankings.names import named
from headcount.io.reading import Reading
from headcount.io.tables.table import Table
from headcount.io.values.cells import ids
from headcount.results.notes import Notes

__all__ = ["InOneColumn"]

RANKINGS = ("ranking", "rankings", "ranked", "order", "ordering", "ranked_items", "items_ranked")
"""Names of a column that holds whole rankings."""


class InOneColumn(Ranked):
    """One row a ranking, all of it in one cell: a list, or text such as `a > b = c`."""

    needed = ("ranking",)
    kind = "a ranking, the best item first"

    def find(self, table: Table, given: Mapping[str, str | None]) -> dict[str, int] | None:
        """Look for a column of lists, or of text with a sign between items."""
        column = named(table.names, RANKINGS)
        if column is None or any(given.values()):
            return None
        if column in table.nested() or _sign(table.codes(column)[1]):
            return {"ranking": column}
        return None

    def entries(
        self, table: Table, roles: Mapping[str, int], reading: Reading, notes: Notes
    ) -> Entries:
        """Read lists, or take texts apart."""
        column = roles["ranking"]
        if column in table.nested():
            rankings = [levels_of(cell) for cell in table.cells(column)]
        else:
            codes, texts = table.codes(column)
            sign = _sign(texts)
            parts = [_split(text, sign) for text in texts] + [[]]
            places: list[int] = codes.tolist()
            rankings = [parts[code] for code in places]
        rows, names, levels = list[int](), list[object](), list[int]()
        for row, ranking in enumerate(rankings):
            for level, tied in enumerate(ranking):
                rows += [row] * len(tied)
                names += tied
                levels += [level] * len(tied)
        item, items = ids(encode(names), reading, role="item", table=table, notes=notes)
        row = np.array(rows, dtype=np.int64)
        return Entries(ranking=row, item=item, level=np.array(levels), row=row, items=items)


def _sign(texts: Sequence[str]) -> str:
    """Find what stands between items in texts of rankings; "" if nothing does."""
    for sign in (">", ",", ";", "|"):
        if sum(sign in text for text in texts) > len(texts) / 2:
            return sign
    return ""


def _split(text: str, sign: str) -> list[list[object]]:
    parts = [part.split("=") for part in text.split(sign)]
    return [[one.strip() for one in tied if one.strip()] for tied in parts]

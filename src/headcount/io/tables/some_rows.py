"""Some of the rows of a table."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping, Sequence

import numpy as np

from headcount.data.vocabulary import label_text
from headcount.errors import DataError, closest, count, option, some
from headcount.io.roles.roles import find_role, given_role
from headcount.io.tables.table import Table
from headcount.results.notes import Note
from headcount.typing import Codes, Flags, Floats

__all__ = ["SomeRows", "rows_where", "without_headers"]

_RULE = re.compile(r":?-{2,}:?|={2,}")


def rows_where(table: Table, where: Sequence[tuple[str, str]]) -> Table:
    """Keep the rows in which columns have the values asked for.

    Several values of one column are alternatives; several columns must all fit.

    Raises
    ------
    DataError
        If a column is not there, or has no such value.
    """
    if not where:
        return table
    wanted: dict[int, list[str]] = {}
    for name, value in where:
        wanted.setdefault(given_role(table, "rows to keep", name), []).append(value)
    keep = np.ones(table.rows, dtype=bool)
    for column, values in wanted.items():
        codes, texts = table.codes(column)
        written = [label_text(text) for text in texts]
        for value in values:
            if label_text(value) not in written and value:
                near = closest(value, texts)
                hint = f" Did you mean '{near[0]}'?" if near else ""
                raise DataError(
                    f"{table.source}, column '{table.names[column]}': no row has '{value}'.{hint} "
                    f"Values: {some(texts, 12)}."
                )
        chosen = {label_text(value) for value in values}
        fits = np.array([*(text in chosen for text in written), "" in chosen])
        keep &= fits[codes]  # code -1, a blank, is the last entry
    if not keep.any():
        listed = some([f"{name}={value}" for name, value in where], 12)
        raise DataError(f"{table.source}: no row fits {option('where')} {listed}.")
    return table if keep.all() else SomeRows(table, keep, "not chosen by where")


def without_headers(table: Table) -> Table:
    """Leave out rows that repeat the header, as files do that were put one below the other.

    And the row of dashes that tables in Markdown have below it.
    """
    if table.form != "named" or table.exported or table.nested() or not table.names:
        return table
    if any(map(table.holds_numbers, range(len(table.names)))):
        return table  # the name of a column is no number
    # A column that is read anyway tells first, and mostly that there is no such row.
    known = [find_role(table.names, role) for role in ("label", "outcome", "rater", "item")]
    first = [column for column in known if column is not None]
    columns = list(dict.fromkeys([*first, *range(len(table.names))]))
    table = _without_rules(table, columns)
    again = np.ones(table.rows, dtype=bool)
    for column in columns:
        codes, texts = table.codes(column)
        if table.names[column] not in texts:
            return table
        again &= codes == texts.index(table.names[column])
    if not again.any() or again.all():
        return table
    kept = SomeRows(table, ~again, "a repeated header")
    note = Note(
        f"{table.source}: {count(int(again.sum()), 'row')} that repeats the header left out.",
        "caution",
    )
    kept.notes = (*kept.notes, note)
    return kept


def _without_rules(table: Table, columns: Sequence[int]) -> Table:
    """Leave out rows of dashes, as below the header of a table in Markdown: the first is one."""
    rules = np.ones(table.rows, dtype=bool)
    for column in columns:
        codes, texts = table.codes(column)
        first = "" if not table.rows or codes[0] < 0 else texts[int(codes[0])]
        if table.names[column] and not _RULE.fullmatch(first):
            return table
        is_rule = [n for n, text in enumerate(texts) if _RULE.fullmatch(text)]
        rules &= np.isin(codes, [*is_rule, -1])  # a blank is none of its own
    if not rules.any() or rules.all():
        return table
    kept = SomeRows(table, ~rules, "a row of dashes")
    note = Note(f"{table.source}: {count(int(rules.sum()), 'row')} of dashes left out.", "caution")
    kept.notes = (*kept.notes, note)
    return kept


class SomeRows(Table):
    """Some of the rows of a table.

    Parameters
    ----------
    table : Table
    keep : (rows,) array of bool
    reason : str
        Why the others are left out.
    """

    def __init__(self, table: Table, keep: Flags, reason: str) -> None:
        self._table, self._keep = table, keep
        self.names, self.source, self.form = table.names, table.source, table.form
        self.first_row, self.backend = table.first_row, table.backend
        self.notes, self.sources = table.notes, table.sources
        self.exported, self.doubt = table.exported, table.doubt
        self.rows = int(keep.sum())
        left_out = Counter({reason: table.rows - self.rows})
        self.dropped = Counter(table.dropped) + left_out

    def codes(self, column: int) -> tuple[Codes, list[str]]:
        """Code a column; values of other rows are not among the texts."""
        codes, texts = self._table.codes(column)
        codes = codes[self._keep]
        used = np.bincount(codes[codes >= 0], minlength=len(texts)) > 0
        place = np.append(np.where(used, np.cumsum(used) - 1, -1), -1)
        return place[codes], [text for text, there in zip(texts, used, strict=True) if there]

    @property
    def trimmed(self) -> Mapping[str, int]:
        """Cells from which blanks at the ends were left out, in all rows."""
        return self._table.trimmed

    def numbers(self, column: int) -> tuple[Floats, Flags]:
        """Column as numbers (NaN where blank), and where it is neither number nor blank."""
        numbers, wrong = self._table.numbers(column)
        return numbers[self._keep], wrong[self._keep]

    def nested(self) -> list[int]:
        """Columns that hold lists or records."""
        return self._table.nested()

    def cells(self, column: int) -> list[object]:
        """Cells of a column that holds lists or records."""
        cells = self._table.cells(column)
        return [cells[row] for row in np.flatnonzero(self._keep).tolist()]

    def categories(self, column: int) -> tuple[str, ...] | None:
        """Ordered categories of a column."""
        return self._table.categories(column)

    def index_name(self) -> str | None:
        """Name of an index beside the columns that holds more than row numbers."""
        return self._table.index_name()

    def row_numbers(self) -> Codes:
        """Numbers by which a user knows the rows."""
        return self._table.row_numbers()[self._keep]

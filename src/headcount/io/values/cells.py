"""Columns as codes, as the options of a reader say: some rows, without what is missing, merged."""

from __future__ import annotations

from typing import Any

from headcount.io.reading import Reading
from headcount.io.tables.open_table import NAMED, Columns, open_table
from headcount.io.tables.some_rows import rows_where, without_headers
from headcount.io.tables.table import Coded, Table
from headcount.io.tools.base import Kind
from headcount.io.values.merges import merged
from headcount.io.values.missing import without_missing
from headcount.results.notes import Notes
from headcount.typing import Codes

__all__ = ["ids", "ids_of", "opened", "values_of"]


def opened(
    data: Any, reading: Reading, *, name: str, kind: Kind, columns: Columns = NAMED
) -> Table:
    """Open a table as :func:`open_table` does, with the rows asked for."""
    table = open_table(data, name=name, kind=kind, columns=columns, reading=reading)
    return rows_where(without_headers(table), reading.where)


def values_of(
    table: Table, column: int, reading: Reading, *, role: str, notes: Notes
) -> tuple[Codes, list[str]]:
    """Column of labels or outcomes; -1 where it is blank, a usual word for it or declared missing.

    `role` is what notes call the values.
    """
    codes, texts, _ = without_missing(*table.codes(column), missing=reading.missing)
    counts = table.uses(codes, texts)
    codes, texts = merged((codes, texts), role, reading.merge, table.source, notes, counts=counts)
    return codes, list(texts)


def ids_of(
    table: Table, column: int, reading: Reading, *, role: str, notes: Notes
) -> tuple[Codes, list[str]]:
    """Column of items, raters or classifiers; -1 where it is blank or declared missing."""
    return ids(table.codes(column), reading, role=role, table=table, notes=notes)


def ids(
    coded: Coded, reading: Reading, *, role: str, table: Table, notes: Notes
) -> tuple[Codes, list[str]]:
    """Ids that are coded already, as :func:`ids_of` takes them from a column."""
    if reading.missing:
        codes, texts, _ = without_missing(*coded, missing=reading.missing, words=())
        coded = (codes, texts)
    counts = table.uses(*coded)
    codes, texts = merged(coded, role, reading.merge, table.source, notes, counts=counts)
    return codes, list(texts)

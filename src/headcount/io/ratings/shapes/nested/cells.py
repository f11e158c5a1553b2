"""What nested data have in common: cells that hold lists or records."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, cast

import numpy as np

from headcount.data.vocabulary import encode
from headcount.errors import DataError
from headcount.io.ratings.shapes.base import Asked, Ratings
from headcount.io.tables.table import Coded, Table
from headcount.results.notes import Notes
from headcount.typing import Codes

__all__ = ["anonymous", "flat", "lists_in", "nested_items"]


def anonymous(asked: Asked, items: Coded, rows: Codes, labels: Coded, notes: Notes) -> Ratings:
    """Make ratings of anonymous raters, each from a row of the table."""
    if not len(rows):
        raise DataError(f"{asked.table.source}: no ratings; all counts are 0.")
    return Ratings(
        items=(items[0][rows], items[1]),
        raters=None,
        labels=labels,
        table=asked.table,
        rows=rows,
        notes=notes,
    )


def nested_items(asked: Asked, column: int) -> tuple[Coded, str]:
    """Items of a table with nested columns: a column, or else the numbers of the rows."""
    table = asked.table
    flat = [i for i in range(len(table.names)) if i not in asked.nested and table.names[i]]
    found = asked.roles.get("item")
    if found is None and flat:
        first = flat[0]
        codes, texts = table.codes(first)
        found = first if len(texts) == len(codes) else None
    if found is None or found in asked.nested:
        numbers = [str(number) for number in table.row_numbers().tolist()]
        return (np.arange(table.rows), numbers), "number of the row"
    return table.codes(found), table.names[found]


def flat(table: Table, column: int, lists: Sequence[Sequence[Any]]) -> Coded:
    """Code the entries of all lists."""
    try:
        return encode([entry for cell in lists for entry in cell])
    except DataError as error:
        raise DataError(f"{table.source}, column '{table.names[column]}': {error}") from None


def lists_in(table: Table, column: int) -> list[Sequence[Any]]:
    """Return cells that are lists; none if others are not."""
    cells = [cell for cell in table.cells(column) if cell is not None]
    if not all(isinstance(cell, list | tuple | np.ndarray) for cell in cells):
        return []
    return cast("list[Sequence[Any]]", cells)

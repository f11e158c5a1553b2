"""How DuckDB is to read a file, and how many columns it may have."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from headcount.errors import DataError
from headcount.io.tables.table import Form
from headcount.results.notes import Note

__all__ = ["MOST_COLUMNS", "Scan", "check_columns"]

MOST_COLUMNS = 5_000
"""Columns that a table may have."""


@dataclass(frozen=True, kw_only=True)
class Scan:
    """How DuckDB reads a file.

    Parameters
    ----------
    names : sequence of str
        Names of the columns.
    texts : sequence of str
        SQL for each of them as text.
    call : str
        SQL of the call that reads the rows.
    format : str
        Name of the format.
    nested, floats : frozenset of int
        Columns that hold lists or records, and floating-point numbers.
    row : str or None
        SQL of the number of a row, from 0 on, if the file can be read again and again, column by
        column; None if it is to be read once, whole.
    first_row : int
        Number by which a user knows the first row of data.
    full_rows : callable, optional
        Numbers of the rows of data that are not blank; None if none can be.
    form : {"named", "records"}
    delimiter : str or None
        Of text with one, in which numbers may be written in several ways.
    encoding : str or None
        Of text.
    notes : tuple of Note
        How the file was read.
    ordered : frozenset of str
        Columns of which the categories have an order.
    categories : callable, optional
        Categories of such a column in their order, given its name.
    """

    names: Sequence[str]
    texts: Sequence[str]
    call: str
    format: str
    nested: frozenset[int] = frozenset()
    floats: frozenset[int] = frozenset()
    row: str | None = None
    first_row: int = 1
    full_rows: Callable[[], Iterator[int]] | None = None
    form: Form = "named"
    delimiter: str | None = None
    encoding: str | None = None
    notes: tuple[Note, ...] = ()
    ordered: frozenset[str] = frozenset()
    categories: Callable[[str], tuple[str, ...] | None] | None = None


def check_columns(columns: int, source: str) -> None:
    """Refuse a table of very many columns, before time is spent on it."""
    if columns > MOST_COLUMNS:
        raise DataError(
            f"{source}: {columns:,} columns; at most {MOST_COLUMNS:,} are read. Long data have a "
            "row per rating, with columns for item, rater and label."
        )

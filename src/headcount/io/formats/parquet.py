"""Parquet."""

from __future__ import annotations

from collections.abc import Collection
from functools import partial
from typing import TYPE_CHECKING

from headcount.io.formats.base import File, Format
from headcount.io.formats.database import DatabaseTable, Scan, column_types, quoted
from headcount.io.table import Table

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection

__all__ = ["Parquet"]

_MAGIC = b"PAR1"


class Parquet(Format):
    """Columns with types, known by their first bytes whatever the name is."""

    name = "parquet"
    suffixes = (".parquet", ".pq")

    def knows(self, file: File) -> bool:
        """Whether the first bytes or the name say so."""
        return file.magic == _MAGIC or super().knows(file)

    def open(self, file: File, *, ignore: Collection[str], header: bool) -> Table:
        """Open a file as a table of text; the columns have names, so that there is no header."""
        return DatabaseTable(file, partial(_scan, file=file), ignore)


def _scan(connection: DuckDBPyConnection, *, file: File) -> Scan:
    """Find the columns, and say how to read each as text."""
    call = f"read_parquet({quoted(file.path)})"
    return Scan.of_types(column_types(connection, call), call)

"""Parquet."""

from __future__ import annotations

from collections.abc import Collection
from functools import partial
from typing import TYPE_CHECKING

from headcount.io.formats.base import File, Format
from headcount.io.formats.database import (
    DatabaseTable,
    Scan,
    as_text,
    column_types,
    is_nested,
    quoted,
    quoted_name,
)
from headcount.io.table import Table

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection

__all__ = ["Parquet"]

_MAGIC = b"PAR1"


class Parquet(Format):
    """Columns with types, known by their first bytes whatever the name is."""

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
    types = column_types(connection, call)
    return Scan(
        names=list(types),
        texts=[as_text(quoted_name(name), type_) for name, type_ in types.items()],
        call=call,
        nested=frozenset(i for i, type_ in enumerate(types.values()) if is_nested(type_)),
    )

"""Parquet."""

from __future__ import annotations

from collections.abc import Collection
from functools import partial
from typing import TYPE_CHECKING

from headcount.io.formats.base import File, Format
from headcount.io.formats.database import DatabaseTable, Scan, check_columns
from headcount.io.formats.sql import as_text, column_types, file_name, is_nested, quoted_name
from headcount.io.tables.table import Table

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection

__all__ = ["Parquet"]

_MAGIC = b"PAR1"
_FLOATS = ("FLOAT", "DOUBLE")


class Parquet(Format):
    """Columns with types, known by their first bytes whatever the name is."""

    name = "parquet"
    title = "Parquet"
    suffixes = (".parquet", ".pq")

    def knows(self, file: File) -> bool:
        """Whether the first bytes or the name say so."""
        return file.magic == _MAGIC or super().knows(file)

    def open(self, file: File, *, ignore: Collection[str], header: bool) -> Table:
        """Open a file as a table of text; the columns have names, so that there is no header."""
        return DatabaseTable(file, partial(_scan, file=file), ignore)


def _scan(connection: DuckDBPyConnection, *, file: File) -> Scan:
    """Find the columns, and say how to read each as text. Folders are no columns."""
    options = "hive_partitioning=false"
    types = column_types(connection, f"read_parquet({file_name(file.path)}, {options})")
    check_columns(len(types), file.name)
    names = _names(connection, file)
    return Scan(
        # DuckDB renames columns that differ by case only.
        names=names if len(names) == len(types) else list(types),
        texts=[as_text(quoted_name(name), type_) for name, type_ in types.items()],
        call=f"read_parquet({file_name(file.path)}, {options}, file_row_number=true)",
        row="file_row_number",
        format=Parquet.name,
        nested=frozenset(i for i, type_ in enumerate(types.values()) if is_nested(type_)),
        floats=frozenset(i for i, type_ in enumerate(types.values()) if type_ in _FLOATS),
    )


def _names(connection: DuckDBPyConnection, file: File) -> list[str]:
    """Names of the columns as they stand in the file."""
    rows = connection.execute(
        f"SELECT name, coalesce(num_children, 0) FROM parquet_schema({file_name(file.path)})"
    ).fetchall()
    names: list[str] = []
    inside = 0  # fields of a column that holds lists or records, which are no columns
    for name, children in rows[1:]:  # the first is the table
        if inside:
            inside -= 1
        else:
            names.append(str(name))
        inside += int(children)
    return names

"""Parquet."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from functools import partial
from importlib.util import find_spec
from typing import TYPE_CHECKING

from headcount.errors import option, some
from headcount.io.formats.base import File, Format
from headcount.io.formats.database import DatabaseTable
from headcount.io.formats.parquet_schema import categories_of, label_names, ordered_columns
from headcount.io.formats.scan import Scan, check_columns
from headcount.io.formats.sql import (
    as_text,
    column_types,
    file_name,
    is_nested,
    quoted,
    quoted_name,
)
from headcount.io.tables.table import Table
from headcount.results.notes import Note

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection

__all__ = ["Parquet", "scan_parquet"]

_MAGIC = b"PAR1"
_FLOATS = ("FLOAT", "DOUBLE")
_WHOLE = ("TINYINT", "SMALLINT", "INTEGER", "BIGINT")


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
        return DatabaseTable(file, partial(scan_parquet, file=file), ignore)


def scan_parquet(connection: DuckDBPyConnection, *, file: File) -> Scan:
    """Find the columns, and say how to read each as text. Folders are no columns."""
    options = "hive_partitioning=false"
    types = column_types(connection, f"read_parquet({file_name(file.path)}, {options})")
    check_columns(len(types), file.name)
    names = _names(connection, file)
    metadata = _metadata(connection, file)
    coded = {
        name: names
        for name, names in label_names(metadata).items()
        if names and types.get(name) in _WHOLE
    }
    ordered = ordered_columns(metadata)
    return Scan(
        # DuckDB renames columns that differ by case only.
        names=names if len(names) == len(types) else list(types),
        texts=[
            _named(name, coded[name]) if name in coded else as_text(quoted_name(name), type_)
            for name, type_ in types.items()
        ],
        categories=partial(categories_of, file.path) if ordered else None,
        ordered=ordered,
        notes=tuple(_notes(file, coded, ordered)),
        call=f"read_parquet({file_name(file.path)}, {options}, file_row_number=true)",
        row="file_row_number",
        format=Parquet.name,
        nested=frozenset(i for i, type_ in enumerate(types.values()) if is_nested(type_)),
        floats=frozenset(i for i, type_ in enumerate(types.values()) if type_ in _FLOATS),
    )


def _metadata(connection: DuckDBPyConnection, file: File) -> dict[str, bytes]:
    """Take what the program that wrote the file says of it."""
    rows = connection.execute(
        f"SELECT key, value FROM parquet_kv_metadata({file_name(file.path)})"
    ).fetchall()
    return {bytes(key).decode("utf-8", "replace"): bytes(value) for key, value in rows}


def _named(column: str, names: list[str]) -> str:
    """Write the SQL for labels stored as numbers from 0 on; others, such as -1, are missing."""
    listed = ", ".join(map(quoted, names))
    code = quoted_name(column)
    return f"list_extract([{listed}], CASE WHEN {code} >= 0 THEN {code} + 1 END)"


def _notes(file: File, coded: Mapping[str, list[str]], ordered: Collection[str]) -> Iterator[Note]:
    for column, names in coded.items():
        yield Note(
            f"{file.name}: numbers of column '{column}' stand for {some(names, 6)}, as the file "
            "says."
        )
    if ordered and find_spec("pyarrow") is None:
        yield Note(
            f"{file.name}: categories of {some(sorted(ordered))} have an order, which is not read "
            f"without pyarrow. Install it, or name them in order with {option('labels', ...)}.",
            "caution",
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

"""JSON lines: one object a row."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from functools import partial
from typing import TYPE_CHECKING

from headcount.errors import DataError
from headcount.io.formats.base import File, Format
from headcount.io.formats.database import DatabaseTable, Scan, column_types, quoted
from headcount.io.table import Table

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection

__all__ = ["JsonLines"]


class JsonLines(Format):
    """One JSON object a line, such as ``{"item": 1, "rater": "ann", "label": "cat"}``."""

    name = "jsonl"
    suffixes = (".jsonl", ".ndjson")

    def knows(self, file: File) -> bool:
        """Whether the name ends so; a single JSON document is refused with a hint."""
        if file.suffix == ".json":
            raise DataError(
                f"{file.name}: JSON is read as JSON lines, one object a row; save it as .jsonl."
            )
        return super().knows(file)

    def open(self, file: File, *, ignore: Collection[str], header: bool) -> Table:
        """Open a file as a table of text; the fields have names, so that there is no header."""
        return DatabaseTable(file, partial(_scan, file=file), ignore)


def _scan(connection: DuckDBPyConnection, *, file: File) -> Scan:
    """Find the fields, and say how to read each as text, so that 1 and "1" keep what they say."""
    options = f"format='newline_delimited', compression='{'gzip' if file.packed else 'none'}'"
    types = column_types(connection, f"read_json({quoted(file.path)}, {options}, sample_size=-1)")
    if list(types) == ["json"]:
        raise DataError(
            f'{file.name}, row 1: expected one JSON object a row, such as {{"item": 1}}.'
        )
    spec = ", ".join(f"{quoted(name)}: 'VARCHAR'" for name in types)
    call = f"read_json({quoted(file.path)}, {options}, columns={{{spec}}})"
    return Scan.of_types(types, call, partial(_full_rows, file))


def _full_rows(file: File) -> Iterator[int]:
    """Lines that are not blank, from 1 on."""
    return (row for row, line in enumerate(file.lines("replace"), 1) if line.strip())

"""Text with a delimiter: CSV, TSV and the like."""

from __future__ import annotations

import csv
from collections.abc import Collection, Iterator
from contextlib import suppress
from functools import partial
from typing import TYPE_CHECKING

from headcount.errors import DataError
from headcount.io.formats.base import File, Format
from headcount.io.formats.database import (
    UNCLOSED,
    DatabaseTable,
    Scan,
    as_text,
    encoding_error,
    quoted,
)
from headcount.io.table import Table

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection

__all__ = ["DELIMITERS", "Csv"]

DELIMITERS = ",\t;|"
"""Delimiters that are tried; the one that makes the most columns of the header is right."""
_WIDE_ENCODINGS = (b"\xff\xfe", b"\xfe\xff")


class Csv(Format):
    """Text of which the first row names the columns, in UTF-8."""

    name = "csv"
    suffixes = (".csv", ".tsv", ".tab", ".txt")

    def open(self, file: File, *, ignore: Collection[str], header: bool) -> Table:
        """Open a file as a table of text."""
        return DatabaseTable(file, partial(_scan, file=file, header=header), ignore)


def _scan(connection: DuckDBPyConnection, *, file: File, header: bool) -> Scan:
    """Find the delimiter, and say how to read the rows: those below the header if there is one."""
    names, delimiter = _header(file)
    spec = ", ".join(f"'c{i}': 'VARCHAR'" for i in range(len(names)))
    packing = "gzip" if file.packed else "none"
    return Scan(
        names=names if header else [f"column {i + 1}" for i in range(len(names))],
        texts=[as_text(f"c{i}") for i in range(len(names))],
        call=(
            f"read_csv({quoted(file.path)}, auto_detect=false, header={str(header).lower()}, "
            f"delim={quoted(delimiter)}, quote='\"', escape='\"', compression='{packing}', "
            f"columns={{{spec}}})"
        ),
        first_row=2 if header else 1,  # a header is row 1, as in a spreadsheet
        full_rows=partial(_full_rows, file, delimiter),
        form="named" if header else "records",
    )


def _header(file: File) -> tuple[list[str], str]:
    """Names in the header, and the delimiter: the one that makes the most of them."""
    with file.open() as opened:
        if opened.read(2) in _WIDE_ENCODINGS:
            raise encoding_error(file.name, 1, "UTF-16")
    if not next(file.lines(), "").strip():
        raise DataError(f"{file.name}: the first row is blank; it must name the columns.")
    names: list[str] = []
    chosen, unclosed = "", False
    for delimiter in DELIMITERS:
        try:
            # A name in quotes may run over several lines.
            split = next(csv.reader(file.lines(), delimiter=delimiter, strict=True))
        except csv.Error:
            unclosed = True
            continue
        if len(split) > len(names):
            names, chosen = [name.strip() for name in split], delimiter
    # One name that some delimiter cannot split: a quote is in the way.
    if len(names) < 2 and unclosed:
        raise DataError(f"{file.name}, row 1: {UNCLOSED}")
    return names, chosen


def _full_rows(file: File, delimiter: str) -> Iterator[int]:
    """Rows that are not blank, from 1 on. A record with line breaks in quotes is one row."""
    records = csv.reader(file.lines("replace"), delimiter=delimiter, skipinitialspace=True)
    # A field may be longer than Python's reader takes; then there are too few rows.
    with suppress(csv.Error):
        yield from (row for row, record in enumerate(records, 1) if len(record) > 0)

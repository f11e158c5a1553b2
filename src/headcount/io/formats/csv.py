"""Text with a delimiter: CSV, TSV and the like."""

from __future__ import annotations

import csv
import io
from collections.abc import Collection, Iterator
from contextlib import suppress
from functools import partial
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING

from headcount.errors import DataError
from headcount.io.formats.base import File, Format
from headcount.io.formats.database import (
    MOST_ROW,
    UNCLOSED,
    DatabaseTable,
    Scan,
    as_text,
    check_columns,
    file_name,
    quoted,
)
from headcount.io.table import Table

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection

__all__ = ["DELIMITERS", "Csv"]

DELIMITERS = ",\t;|"
"""Delimiters that are tried, likeliest first."""
_MOST_HEADER = 1_000_000
"""Characters that the first row may have."""
_ROWS_TRIED = 50
"""Rows below the header that show which delimiter is right."""


class Csv(Format):
    """Text of which the first row names the columns."""

    name = "csv"
    title = "CSV"
    suffixes = (".csv", ".tsv", ".tab", ".txt")

    def open(self, file: File, *, ignore: Collection[str], header: bool) -> Table:
        """Open a file as a table of text."""
        path, kept = file.utf8()
        table = DatabaseTable(file, partial(_scan, file=file, path=path, header=header), ignore)
        del kept  # the copy of the text is in the database
        return table


def _scan(connection: DuckDBPyConnection, *, file: File, path: Path, header: bool) -> Scan:
    """Find the delimiter, and say how to read the rows: those below the header if there is one."""
    names, delimiter = _header(file)
    check_columns(len(names), file.name)
    spec = ", ".join(f"'c{i}': 'VARCHAR'" for i in range(len(names)))
    return Scan(
        names=names if header else [f"column {i + 1}" for i in range(len(names))],
        texts=[as_text(f"c{i}") for i in range(len(names))],
        call=(
            f"read_csv({file_name(path)}, auto_detect=false, header={str(header).lower()}, "
            f"delim={quoted(delimiter)}, quote='\"', escape='\"', compression='none', "
            f"hive_partitioning=false, max_line_size={MOST_ROW}, columns={{{spec}}})"
        ),
        format=Csv.name,
        first_row=2 if header else 1,  # a header is row 1, as in a spreadsheet
        full_rows=partial(_full_rows, file, delimiter),
        form="named" if header else "records",
        delimiter=delimiter,
        encoding=file.text.said,
        notes=file.text.notes,
    )


def _header(file: File) -> tuple[list[str], str]:
    """Names in the header, and the delimiter.

    The delimiter is the one that makes as many columns of the rows as of the header, and the most
    of them; if none does, the one that makes the most columns of the header.
    """
    start = _start(file)
    if not start.lstrip("\ufeff").splitlines()[0].strip():
        raise DataError(f"{file.name}: the first row is blank; it must name the columns.")
    best, names, chosen, unclosed = (False, 0), list[str](), "", False
    for delimiter in DELIMITERS:
        records = csv.reader(io.StringIO(start, newline=""), delimiter=delimiter, strict=True)
        try:
            # A name in quotes may run over several lines.
            header = next(records)
        except csv.Error:
            unclosed = True
            continue
        rated = (len(header) > 1 and _fits(records, len(header)), len(header))
        if rated > best:
            best, names, chosen = rated, [name.strip() for name in header], delimiter
    # One name that some delimiter cannot split: a quote is in the way.
    if len(names) < 2 and unclosed:
        raise DataError(f"{file.name}, row 1: {UNCLOSED}")
    return names, chosen


def _start(file: File) -> str:
    """Read the first lines, of which the first is whole."""
    start = ""
    for line in file.lines():
        start += line
        if len(start) > _MOST_HEADER:
            break
        if start.count("\n") > 4 * _ROWS_TRIED:
            break
    first = start.find("\n")
    if len(start) > _MOST_HEADER and not 0 <= first <= _MOST_HEADER:
        raise DataError(
            f"{file.name}, row 1: longer than {_MOST_HEADER:,} characters, which is the limit. "
            "It must name the columns; is this a table?"
        )
    return start


def _fits(records: Iterator[list[str]], columns: int) -> bool:
    """Whether the rows below a header have as many columns as it has."""
    widths: list[int] = []
    with suppress(csv.Error):  # the last row may be cut off
        widths.extend(len(record) for record in islice(records, _ROWS_TRIED))
    return all(width in (0, columns) for width in widths)


def _full_rows(file: File, delimiter: str) -> Iterator[int]:
    """Rows that are not blank, from 1 on. A record with line breaks in quotes is one row."""
    records = csv.reader(file.lines("replace"), delimiter=delimiter, skipinitialspace=True)
    # A field may be longer than Python's reader takes; then there are too few rows.
    with suppress(csv.Error):
        yield from (row for row, record in enumerate(records, 1) if len(record) > 0)

"""Text with a delimiter: CSV, TSV and the like, from its header on."""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Collection, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import partial
from itertools import islice
from pathlib import Path

import numpy as np

from headcount.data.vocabulary import number_of
from headcount.errors import DataError
from headcount.io.formats.database import (
    MOST_ROW,
    UNCLOSED,
    DatabaseTable,
    Scan,
    file_name,
    quoted,
)
from headcount.io.reading import File, Format
from headcount.io.tables import ColumnTable, Table, TextTable, check_columns
from headcount.results.notes import Note

__all__ = [
    "DELIMITERS",
    "Csv",
    "csv_call",
    "Head",
    "find_header",
    "check_header",
]


DELIMITERS = ",\t;|"
"""Delimiters that are tried, likeliest first."""
_MOST_HEADER = 1_000_000
"""Characters that the first row may have."""
_SEP = re.compile(r'sep=([,;|\t])[,;|]*|"sep=([,;|\t])"[,;|]*', re.IGNORECASE)
"""A first line that names the delimiter, for Excel."""
_MOST_TITLES = 20
"""Lines that may stand above the header."""
_ROWS_TRIED = 50
"""Rows below the header that show which delimiter is right."""
_SMALL = 4_000_000
"""Bytes of a text up to which it is read without the database, which takes time to start."""


class Csv(Format):
    """Text of which the first row names the columns."""

    name = "csv"
    title = "CSV"
    suffixes = (".csv", ".tsv", ".tab", ".txt")

    def open(self, file: File, *, ignore: Collection[str]) -> Table:
        """Open a file as a table of text."""
        head = find_header(file)
        check_columns(len(head.names), file.name)
        small = _small_table(file, head, ignore=ignore)
        if small is not None:
            return small
        path, kept = file.utf8()
        scan = Scan(
            names=head.names,
            texts=[f"c{i}" for i in range(len(head.names))],
            call=csv_call([path], [f"c{i}" for i in range(len(head.names))], head),
            format=self.name,
            first_row=head.skip + 2,  # a header is row 1, as in a spreadsheet
            full_rows=partial(_full_rows, file, head),
            delimiter=head.delimiter,
            encoding=file.text.said,
            notes=(*file.text.notes, *head.notes),
        )
        table = DatabaseTable(file, lambda _: scan, ignore)
        del kept  # the copy of the text is in the database
        return table


def _small_table(file: File, head: Head, *, ignore: Collection[str]) -> ColumnTable | None:
    """Read a small text; None if it is large or not quite right, which the database explains."""
    width = len(head.names)
    if file.path.stat().st_size > _SMALL or width < 2:
        return None
    lines = [*islice(file.lines(), head.skip, None)]
    if any(' "' in line for line in lines):
        return None  # blanks before quotes
    records = csv.reader(lines, delimiter=head.delimiter, strict=True)
    try:
        rows = [(number, row) for number, row in enumerate(records, head.skip + 1) if row]
    except csv.Error:
        return None
    numbers, cells = [*zip(*rows[1:], strict=True)] or ((), ())
    if not cells or any(len(row) != width for row in cells):
        return None
    columns = [*zip(*cells, strict=True)]
    table = TextTable(columns, head.names, file.name, ignore=ignore)
    table.numbered, table.decimal_comma = np.array(numbers), head.delimiter == ";"
    table.first_row = head.skip + 2
    table.notes = (*file.text.notes, *head.notes)
    table.sources = (file.source(Csv.name, table.rows, file.text.said, head.delimiter),)
    return table


def csv_call(paths: Sequence[Path], names: Sequence[str], head: Head) -> str:
    """Write the call that reads the rows of files, every column as text, under other names."""
    spec = ", ".join(f"{quoted(name)}: 'VARCHAR'" for name in names)
    # The parser wants as many names as columns.
    header, skip = not head.short, head.skip + head.short
    return (
        f"read_csv([{', '.join(map(file_name, paths))}], auto_detect=false, "
        f"header={str(header).lower()}, skip={skip}, delim={quoted(head.delimiter)}, "
        f"quote='\"', escape='\"', compression='none', hive_partitioning=false, "
        f"max_line_size={MOST_ROW}, columns={{{spec}}})"
    )


@dataclass(frozen=True)
class Head:
    """The row that names the columns, the delimiter, and how many lines stand above it."""

    names: list[str]
    delimiter: str
    skip: int = 0
    notes: tuple[Note, ...] = ()
    short: bool = False
    """Whether the header lacks the name of the first column, as R writes it."""


def find_header(file: File) -> Head:
    """Find the header, below what spreadsheets and people write above it.

    A first line ``sep=;`` is Excel's: it names the delimiter. Titles and remarks have one filled
    cell, where the rows below have several.
    """
    start = _start(file)
    lines = list(io.StringIO(start.lstrip("\ufeff"), newline=""))
    if not lines[0].strip():
        raise DataError(f"{file.name}: the first row is blank; it must name the columns.")
    if (declared := _SEP.fullmatch(lines[0].rstrip("\r\n"))) is not None and len(lines) > 1:
        head = _head_of(lines[1:], file, declared.group(1) or declared.group(2))
        return Head(head.names, head.delimiter, head.skip + 1)
    head = _head_of(lines, file)
    if head.short:
        note = Note(
            f"{file.name}: the header lacks the name of the first column, as R's write.table "
            "writes it; the column is read as the names of the rows."
        )
        return replace(head, names=["", *head.names], notes=(note,))
    second = "".join(lines[head.skip + 1 : head.skip + 2]).split(head.delimiter or None)
    check_header(head.names, second, f"{file.name}, row {head.skip + 2}")
    if not head.skip:
        return head
    what = "a line that is" if head.skip == 1 else f"{head.skip} lines that are"
    note = Note(
        f"{file.name}: the header is row {head.skip + 1}; above it, {what} no data.", "caution"
    )
    return replace(head, notes=(note,))


def check_header(first: Sequence[str], second: Sequence[str], at: str) -> None:
    """Refuse a header of two rows: names without one above them, beside an item without one.

    Examples
    --------
    >>> check_header(["Item", "Ann", ""], ["", "1", "2"], "r.csv, row 2")
    >>> check_header(["Item", "Coders", ""], ["", "Ann", "Bob"], "r.csv, row 2")
    Traceback (most recent call last):
    headcount.errors.DataError: r.csv, row 2: the header has two rows. Keep one, with a name for
    every column.
    """
    cells = [cell.strip(' "\r\n') for cell in second]
    below = [cell for name, cell in zip(first, cells, strict=False) if cell and not name]
    if first[0] and cells[:1] == [""] and any(number_of(cell) is None for cell in below):
        raise DataError(f"{at}: the header has two rows. Keep one, with a name for every column.")


def _head_of(lines: list[str], file: File, delimiters: str = DELIMITERS) -> Head:
    """Find the delimiter and the row of names, below titles, which fill one cell, and blank lines.

    The delimiter is the one that makes as many columns of the rows as of the header, and the most
    of them; if none does, the one that makes the most columns of the header.
    """
    sample = lines[: _MOST_TITLES + _ROWS_TRIED]
    in_quotes = lines[0].startswith('"')
    best, head, unclosed = (False, 0, 0, False), Head([], ""), False
    for delimiter in f"{delimiters} " if in_quotes else delimiters:
        rows, starts = _records(sample, delimiter, cut=len(sample) < len(lines))
        if not rows:
            unclosed = True
            continue
        full = [[cell for cell in row if cell.strip()] for row in rows]
        named = next((n for n, cells in enumerate(full) if len(cells) > 1), 0)
        widths = {len(rows[n]) for n in range(named, len(rows)) if full[n]}
        # Of two columns one may have no name, as that of a frame's index.
        bare = len(rows[named]) > 2 or not any(len(row) > 1 for row in rows[:named])
        titled = (
            starts[named] <= _MOST_TITLES and len(rows) > named + 1 and len(widths) == 1 and bare
        )
        above = named if titled else 0
        header = rows[above]
        below = [row for row, cells in zip(rows, full, strict=True) if cells][1:]
        # Without quotes a decimal comma would be taken for the end of a cell.
        short = (in_quotes or delimiter == "\t") and _is_short(header, below)
        fits = len(header) > 1 and (short or titled or all(len(r) == len(header) for r in below))
        rank = (fits, -starts[above], len(header), short)
        if (fits or delimiter != " ") and rank > best:
            names = [name.strip() for name in header]
            best, head = rank, Head(names, delimiter, starts[above], short=short)
    # One name that some delimiter cannot split: a quote is in the way.
    if len(head.names) < 2 and unclosed:
        raise DataError(f"{file.name}, row 1: {UNCLOSED}")
    return head


def _records(lines: list[str], delimiter: str, *, cut: bool) -> tuple[list[list[str]], list[int]]:
    """Take lines apart into records, and say in which line each begins; some run over several."""
    rows, starts, start = list[list[str]](), list[int](), 0
    records = csv.reader(lines, delimiter=delimiter, strict=True)
    with suppress(csv.Error):  # the last may be cut off
        for row in records:
            rows.append(row)
            starts.append(start)
            start = records.line_num
    return (rows[:-1] if cut and len(rows) > 2 else rows), starts


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


def _is_short(header: list[str], rows: list[list[str]]) -> bool:
    """Whether every row has a cell more than the header, and not only a delimiter at its end."""
    return (
        bool(rows)
        and all(len(row) == len(header) + 1 for row in rows)
        and any(row[-1].strip() for row in rows)
    )


def _full_rows(file: File, head: Head) -> Iterator[int]:
    """Rows of data that are not blank. A record with line breaks in quotes is one row."""
    lines = islice(file.lines("replace"), head.skip, None)
    records = csv.reader(lines, delimiter=head.delimiter, skipinitialspace=True)
    full = (row for row, record in enumerate(records, head.skip + 1) if len(record) > 0)
    # A field may be longer than Python's reader takes; then there are too few rows.
    with suppress(csv.Error):
        yield from islice(full, 1, None)

"""Text with a delimiter: CSV, TSV and the like, with headers of one row or two."""

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
from typing import TYPE_CHECKING

from headcount.data.vocabulary import number_of
from headcount.errors import DataError
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
from headcount.io.reading import File, Format, Scratch
from headcount.io.tables import Table
from headcount.results.notes import Note

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection

__all__ = [
    "Csv",
    "csv_call",
    "Head",
    "find_header",
    "joined_header",
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


class Csv(Format):
    """Text of which the first row names the columns."""

    name = "csv"
    title = "CSV"
    suffixes = (".csv", ".tsv", ".tab", ".txt")

    def open(self, file: File, *, ignore: Collection[str], header: bool) -> Table:
        """Open a file as a table of text."""
        path, kept = file.utf8()
        try:
            table = DatabaseTable(file, partial(_scan, file=file, path=path, header=header), ignore)
        except DataError:
            # Files that were put together have line ends of two kinds, which the parser refuses.
            if not _ends_differ(path):
                raise
            same = Scratch()
            path = _with_same_ends(path, same)
            table = DatabaseTable(file, partial(_scan, file=file, path=path, header=header), ignore)
        del kept  # the copy of the text is in the database
        return table


def _ends_differ(path: Path) -> bool:
    """Whether some lines end as on Windows and some do not."""
    with path.open("rb") as file:
        kinds = {line.endswith(b"\r\n") for line in file if line.endswith(b"\n")}
    return len(kinds) == 2


def _with_same_ends(path: Path, folder: Scratch) -> Path:
    """Copy a text with all lines ending alike."""
    copy = folder.path / "lines"
    with folder.filling(), path.open("rb") as lines, copy.open("wb") as out:
        out.writelines(line[:-2] + b"\n" if line.endswith(b"\r\n") else line for line in lines)
    return copy


def _scan(connection: DuckDBPyConnection, *, file: File, path: Path, header: bool) -> Scan:
    """Find the delimiter, and say how to read the rows: those below the header if there is one."""
    head = find_header(file, header=header)
    names, delimiter = head.names, head.delimiter
    check_columns(len(names), file.name)
    return Scan(
        names=names if header else [f"column {i + 1}" for i in range(len(names))],
        texts=[as_text(f"c{i}") for i in range(len(names))],
        call=csv_call([path], [f"c{i}" for i in range(len(names))], head, header=header),
        format=Csv.name,
        first_row=head.skip + (2 if header else 1),  # a header is row 1, as in a spreadsheet
        full_rows=partial(_full_rows, file, delimiter, head.skip, header=header),
        form="named" if header else "records",
        delimiter=delimiter,
        encoding=file.text.said,
        notes=(*file.text.notes, *head.notes),
    )


def csv_call(paths: Sequence[Path], names: Sequence[str], head: Head, *, header: bool) -> str:
    """Write the call that reads the rows of files, every column as text, under other names."""
    spec = ", ".join(f"{quoted(name)}: 'VARCHAR'" for name in names)
    if head.short:  # the parser wants as many names as columns
        header, head = False, replace(head, skip=head.skip + 1)
    return (
        f"read_csv([{', '.join(map(file_name, paths))}], auto_detect=false, "
        f"header={str(header).lower()}, skip={head.skip}, delim={quoted(head.delimiter)}, "
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


def find_header(file: File, *, header: bool) -> Head:
    """Find the header, below what spreadsheets and people write above it.

    A first line ``sep=;`` is Excel's: it names the delimiter. Titles and remarks have one filled
    cell, where the rows below have several.
    """
    start = _start(file)
    lines = start.lstrip("\ufeff").splitlines(keepends=True)
    if not lines[0].strip():
        raise DataError(f"{file.name}: the first row is blank; it must name the columns.")
    if (declared := _SEP.fullmatch(lines[0].rstrip("\r\n"))) is not None and len(lines) > 1:
        names, delimiter, _ = _names(
            "".join(lines[1:]), file, declared.group(1) or declared.group(2)
        )
        return Head(names, delimiter, 1)
    skip = _titles(lines) if header else 0
    names, delimiter, short = _names("".join(lines[skip:]), file)
    if header and short:
        note = Note(
            f"{file.name}: the header lacks the name of the first column, as R's write.table "
            "writes it; the column is read as the names of the rows."
        )
        return Head(["", *names], delimiter, skip, (note,), short=True)
    if header and (joined := _second_row(lines[skip:], delimiter)) is not None:
        note = Note(
            f"{file.name}: rows {skip + 1} and {skip + 2} are read as the header, a title above "
            "the names of several columns.",
            "caution",
        )
        return Head(joined, delimiter, skip + 1, (note,))
    if not skip:
        return Head(names, delimiter)
    what = "a line that is" if skip == 1 else f"{skip} lines that are"
    note = Note(f"{file.name}: the header is row {skip + 1}; above it, {what} no data.", "caution")
    return Head(names, delimiter, skip, (note,))


def _second_row(lines: list[str], delimiter: str) -> list[str] | None:
    """Names of columns, if the header has two rows, a line each."""
    # The first cell of the second row is blank.
    if len(lines) < 3 or not delimiter or not lines[1].lstrip('" ').startswith(delimiter):
        return None
    rows = _first_rows(lines, delimiter)
    whole = len(rows) > 2 and not any("\n" in cell for row in rows[:2] for cell in row)
    return joined_header(rows[0], rows[1], rows[2:]) if whole else None


def _first_rows(lines: list[str], delimiter: str) -> list[list[str]]:
    """Cells of some rows, without blanks at the ends."""
    rows: list[list[str]] = []
    if delimiter:
        with suppress(csv.Error):  # the last row may be cut off
            records = csv.reader(lines, delimiter=delimiter)
            rows.extend([cell.strip() for cell in row] for row in islice(records, _ROWS_TRIED))
    return rows


def _titles(lines: list[str]) -> int:
    """Count the lines above a table: remarks, blank ones, and titles, which fill one cell or two.

    Below them are the names of more columns, and every row has as many cells as there are names.
    """
    sample = lines[: _MOST_TITLES + _ROWS_TRIED]
    # Rows with a decimal comma have more commas than their header; ';' splits both alike.
    if any(_is_table(sample, delimiter) for delimiter in DELIMITERS):
        return 0
    read = [_records(sample, delimiter, cut=len(sample) < len(lines)) for delimiter in DELIMITERS]
    named = (rows for rows, _ in read if rows and sum(map(bool, map(str.strip, rows[0]))) > 1)
    if any(len({*map(len, rows)} - {0}) == 1 for rows in named):
        return 0
    for rows, starts in read:
        filled = [sum(bool(cell.strip()) for cell in row) for row in rows]
        above = next((n for n, cells in enumerate(filled) if cells > 1), 0)
        if above == 0 and filled and 2 * len(rows[0]) <= max(map(len, rows)):
            above = next(n for n, row in enumerate(rows) if len(row) > len(rows[0]))
        widths = {len(row) for row in rows[above:] if any(map(str.strip, row))}
        # Of two columns one may have no name, as that of a frame's index.
        bare = max(widths, default=0) > 2 or not any(len(row) > 1 for row in rows[:above])
        title = starts[above] if above else 0
        if 0 < title <= _MOST_TITLES and len(rows) > above + 1 and len(widths) == 1 and bare:
            return title
    return 0


def _records(lines: list[str], delimiter: str, *, cut: bool) -> tuple[list[list[str]], list[int]]:
    """Take lines apart into records, and say in which line each begins; some run over several."""
    rows, starts, start = list[list[str]](), list[int](), 0
    records = csv.reader(lines, delimiter=delimiter)
    with suppress(csv.Error):
        for row in records:
            rows.append(row)
            starts.append(start)
            start = records.line_num
    return (rows[:-1] if cut and len(rows) > 2 else rows), starts


def _is_table(lines: list[str], delimiter: str) -> bool:
    """Whether the first line names several columns, and every line has as many."""
    named = sum(bool(cell.strip()) for cell in lines[0].split(delimiter))
    return named > 1 and len({line.count(delimiter) for line in lines if line.strip()}) == 1


def _names(start: str, file: File, delimiters: str = DELIMITERS) -> tuple[list[str], str, bool]:
    """Names in the header, the delimiter, and whether the first column has no name.

    The delimiter is the one that makes as many columns of the rows as of the header, and the most
    of them; if none does, the one that makes the most columns of the header.
    """
    best, names, chosen, unclosed = (False, 0, False), list[str](), "", False
    in_quotes = start.startswith('"')
    for delimiter in f"{delimiters} " if in_quotes else delimiters:
        records = csv.reader(io.StringIO(start, newline=""), delimiter=delimiter, strict=True)
        try:
            # A name in quotes may run over several lines.
            header = next(records)
        except csv.Error:
            unclosed = True
            continue
        rows: list[list[str]] = []
        with suppress(csv.Error):  # the last row may be cut off
            rows.extend(row for row in islice(records, _ROWS_TRIED) if row)
        # Without quotes a decimal comma would be taken for the end of a cell.
        short = (in_quotes or delimiter == "\t") and _is_short(header, rows)
        fits = len(header) > 1 and (short or all(len(row) == len(header) for row in rows))
        if delimiter == " " and not fits:
            continue
        if (fits, len(header), short) > best:
            best, chosen = (fits, len(header), short), delimiter
            names = [name.strip() for name in header]
    # One name that some delimiter cannot split: a quote is in the way.
    if len(names) < 2 and unclosed:
        raise DataError(f"{file.name}, row 1: {UNCLOSED}")
    return names, chosen, best[2]


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


def _full_rows(file: File, delimiter: str, skip: int, *, header: bool) -> Iterator[int]:
    """Rows of data that are not blank. A record with line breaks in quotes is one row."""
    lines = islice(file.lines("replace"), skip, None)
    records = csv.reader(lines, delimiter=delimiter, skipinitialspace=True)
    full = (row for row, record in enumerate(records, skip + 1) if len(record) > 0)
    # A field may be longer than Python's reader takes; then there are too few rows.
    with suppress(csv.Error):
        yield from islice(full, int(header), None)


# Headers of two rows: a title above several columns, and their names below it.

LEAST_HEADER_ROWS = 2
"""Rows of data that show that the second row of a header is none of them."""
_SECOND_ROW_ANSWERS = frozenset(
    {"response", "open-ended response", "answer", "other (please specify)"}
)
"""What the second row says of a question that is one column, in files of survey tools."""


def joined_header(
    first: Sequence[str], second: Sequence[str], below: Sequence[Sequence[str]]
) -> list[str] | None:
    """Names of columns of which the header has two rows; None if the second is data.

    A title stands above the first of its columns, and nothing (or, in merged cells, the same)
    above the others. Columns are called by their own names, or ``title [name]`` where there are
    several titles, and those without a title above others by the first row.

    Parameters
    ----------
    first, second : sequence of str
        The rows, with blanks at no end.
    below : sequence of sequence of str
        Some rows of data.

    Examples
    --------
    >>> below = [["1", "a", "b"], ["2", "b", "b"]]
    >>> joined_header(["Item", "Coders", ""], ["", "Ann", "Bob"], below)
    ['Item', 'Ann', 'Bob']
    >>> joined_header(["Item", "Ann", "Bob"], ["", "a", "b"], below)
    """
    if (
        len(first) != len(second)
        or len(below) < LEAST_HEADER_ROWS
        or len(first) < 3
        or not first[0]
    ):
        return None
    own = ["" if name == title else name for title, name in zip(first, second, strict=True)]
    named = [index for index, name in enumerate(own) if name]
    if own[0] or len(named) < 2 or any(number_of(own[index]) is not None for index in named):
        return None
    titles: list[str] = []
    for index, title in enumerate(first):
        titles.append(title or (titles[-1] if index and own[index] else ""))
    spanned = [index for index in named if index and titles[index] == titles[index - 1]]
    if not spanned or any(not (name or title) for name, title in zip(own, titles, strict=True)):
        return None
    for index in named:
        if any(index < len(row) and row[index].strip() == own[index] for row in below):
            return None  # it is a value
    groups = {titles[index] for index in spanned}
    several = len({titles[index] for index in named}) > 1
    names: list[str] = []
    for title, name in zip(titles, own, strict=True):
        if not name or (title not in groups and (name.lower() in _SECOND_ROW_ANSWERS or title)):
            names.append(title)
        else:
            names.append(f"{title} [{name}]" if several and title in groups else name)
    return names if len({*names}) == len(names) else None

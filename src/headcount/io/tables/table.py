"""A table of named columns, whatever it was read from."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Collection, Mapping, Sequence
from types import MappingProxyType
from typing import Any, Literal, TypeVar

import numpy as np

from headcount.data.vocabulary import number_of
from headcount.errors import DataError, closest, count, some
from headcount.results.notes import Note, Notes
from headcount.results.provenance import Source
from headcount.typing import Codes, Flags, Floats

__all__ = [
    "Coded",
    "Table",
    "check_names",
    "has_blanks",
    "kept_columns",
    "note_trimmed",
    "with_row_numbers",
]

Coded = tuple[Codes, Sequence[str]]
"""A column as codes, with the texts they stand for; -1 where it is blank."""
Form = Literal["named", "records", "matrix"]
Built = TypeVar("Built")
LONGEST_NAME = 10_000
"""Letters that the name of a column may have."""


class Table(ABC):
    """Columns of a file, a frame or what is in memory; readers see nothing else of it.

    Attributes
    ----------
    names : list of str
        Column names, as they stand in the source.
    source : str
        What messages call the source.
    rows : int
        Number of rows of data.
    first_row : int
        Number by which a user knows the first row of data.
    backend : str or None
        Kind of frame; None for anything else.
    form : {"named", "records", "matrix"}
        Whether columns have names. Without, rows are records, which have columns of several kinds,
        or rows of a matrix, of which all cells are of one kind.
    notes : tuple of Note
        How the source was read: its encoding, the tool that wrote it.
    sources : tuple of Source
        Files behind it.
    dropped : mapping of str to int
        Rows or answers that the format leaves out, by reason: cancelled, rejected, ...
    exported : bool
        Whether a tool wrote it; which of several questions is read is then chosen already.
    times : (rows,) array of int or None
        Rows of the source that each row stands for, where equal ones were counted; None if one.
    doubt : str
        What may be wrong with ids of the table, for a refusal of rows that seem to repeat; or "".
    """

    names: list[str]
    source: str
    rows: int
    first_row: int = 0
    backend: str | None = None
    form: Form = "named"
    notes: tuple[Note, ...] = ()
    sources: tuple[Source, ...] = ()
    dropped: Mapping[str, int] = MappingProxyType({})
    exported: bool = False
    doubt: str = ""
    times: Codes | None = None

    def sources_rows(self, rows: Flags) -> int:
        """Rows of the source that some rows stand for."""
        return int(rows.sum() if self.times is None else self.times[rows].sum())

    def uses(self, codes: Codes, texts: Sequence[str]) -> Codes | None:
        """Count how often each text is used, where rows stand for several; else None."""
        if self.times is None:
            return None
        each = np.tile(self.times, len(codes) // max(len(self.times), 1))
        known = codes >= 0
        return np.bincount(codes[known], each[known], len(texts)).astype(np.int64)

    @property
    def trimmed(self) -> Mapping[str, int]:
        """Cells from which blanks at the ends were left out, by column, of those read so far."""
        return {}

    @abstractmethod
    def codes(self, column: int) -> tuple[Codes, list[str]]:
        """Code a column in order of first appearance; -1 where it is blank."""

    @abstractmethod
    def numbers(self, column: int) -> tuple[Floats, Flags]:
        """Column as numbers (NaN where blank), and where it is neither number nor blank."""

    def holds_numbers(self, column: int) -> bool:
        """Whether a column can hold nothing but numbers, and blanks."""
        del column
        return False

    def nested(self) -> list[int]:
        """Columns that hold lists or records."""
        return []

    def cells(self, column: int) -> list[Any]:
        """Cells of a column that holds lists or records, as Python has them; None where blank."""
        raise DataError(f"{self.source}, column '{self.names[column]}': one value a cell.")

    def categories(self, column: int) -> tuple[str, ...] | None:
        """Categories of a column in their order; None if it has no ordered categories."""
        return None

    def index_name(self) -> str | None:
        """Name of an index beside the columns that holds more than row numbers."""
        return None

    def row_numbers(self) -> Codes:
        """Numbers by which a user knows the rows of data, for a message.

        Blank lines of a file are no rows of the table, but count: O(lines), so not for every table.
        """
        return np.arange(self.rows) + self.first_row

    def at(self, row: int, column: int | None = None) -> str:
        """Where a row of data stands, or a cell of it, for a message."""
        where = f"{self.source}, row {self.row_numbers()[row]}"
        return where if column is None else f"{where}, column '{self.names[column]}'"

    def only_numbers(self, column: int) -> Floats:
        """Column as numbers; anything else than a number or a blank is an error."""
        numbers, wrong = self.numbers(column)
        if wrong.any():
            row = int(np.flatnonzero(wrong)[0])
            codes, texts = self.codes(column)
            raise DataError(
                f"{self.at(row, column)}: expected a number, found '{texts[codes[row]]}'. Correct "
                "it, or leave it blank."
            )
        return numbers


def with_row_numbers(table: Table, build: Callable[[Codes | None], Built]) -> Built:
    """Build data from a table; if they are refused, say so with the numbers of the rows.

    The numbers take long to find, so that `build` is given None first.
    """
    try:
        return build(None)
    except DataError:
        pass
    try:
        return build(table.row_numbers())
    except DataError as refusal:
        if not table.doubt:
            raise
        raise DataError(f"{refusal.marked} {table.doubt}") from None


def has_blanks(value: object) -> bool:
    """Whether a cell is a text with blanks at its ends, and something between them.

    Examples
    --------
    >>> has_blanks("yes "), has_blanks(" "), has_blanks(1)
    (True, False, False)
    """
    return isinstance(value, str) and value != value.strip() != ""


def note_trimmed(table: Table, notes: Notes) -> None:
    """Say how many cells had blanks at their ends, which tell no two values apart."""
    if table.trimmed:
        notes.info(
            f"{table.source}: blanks at the ends of {count(sum(table.trimmed.values()), 'cell')} "
            f"are left out, in {some(table.trimmed)}."
        )


def kept_columns(names: Sequence[str], ignore: Collection[str], source: str) -> list[int]:
    """Places of the columns that are not ignored; an ignored one that is not there is an error.

    A name of very many letters is one too: patterns that look for words in names would take long.

    Examples
    --------
    >>> kept_columns(["item", "gold", "ann"], ["gold"], "ratings.csv")
    [0, 2]
    """
    for number, name in enumerate(names, 1):
        if len(name) > LONGEST_NAME:
            raise DataError(
                f"{source}, column {number}: its name has {len(name):,} characters "
                f"('{name[:20]}...'); at most {LONGEST_NAME:,} are read. Give the column a short "
                "name."
            )
    for name in ignore:
        if name not in names:
            near = closest(name, names)
            hint = f" Did you mean '{near[0]}'?" if near else ""
            raise DataError(
                f"{source} has no column '{name}' to ignore.{hint} Columns: {some(names, 12)}."
            )
    kept = [i for i, name in enumerate(names) if name not in ignore]
    if ignore and not kept:
        raise DataError(f"{source}: every column is ignored ({some(names, 12)}). Keep some.")
    return kept


def check_names(table: Table) -> None:
    """Refuse columns that share a name."""
    names = [name for name in table.names if name]
    if len(set(names)) < len(names):
        doubled = [name for name in dict.fromkeys(names) if names.count(name) > 1]
        row = ", row 1" if table.first_row == 2 else ""  # that of the header of a file
        # Numbers are no names: they may be the first row of data.
        header = (
            " Is there a header? The first row must name the columns."
            if row and all(number_of(name) is not None for name in doubled)
            else ""
        )
        raise DataError(
            f"{table.source}{row}: several columns are called {some(doubled)}. Give each a name of "
            f"its own.{header}"
        )

"""Tables of named columns, whatever they were read from, and some of their rows."""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from itertools import islice
from operator import lt
from types import MappingProxyType
from typing import Any, Literal, TypeVar, cast

import numpy as np
from numpy.typing import NDArray

from headcount.data.vocabulary import as_double, encode, number_of, number_text
from headcount.errors import DataError, count, meant, some
from headcount.io.cells import written_numbers
from headcount.results.notes import Note, Source
from headcount.typing import Codes, Flags, Floats

__all__ = [
    "Coded",
    "Table",
    "with_row_numbers",
    "kept_columns",
    "check_columns",
    "check_names",
    "EXPECTED",
    "ColumnTable",
    "TextTable",
    "columns_of",
    "SomeRows",
    "WithFirstRow",
    "CountedTable",
    "coded",
    "float_text",
    "tidied",
    "code_type",
    "as_they_appear",
]


Coded = tuple[Codes, Sequence[str]]
"""A column as codes, with the texts they stand for; -1 where it is blank."""
Form = Literal["named", "records", "matrix"]
Built = TypeVar("Built")
MOST_COLUMNS = 10_000
"""Columns that a table may have."""
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
    decimal_comma : bool
        Whether a comma in a number is decimal where nothing else tells: between semicolons.
    times : (rows,) array of int or None
        Rows of the source that each row stands for, where equal ones were counted; None if one.
    numbered : (rows,) array of int or None
        Numbers by which a user knows the rows, where they do not follow each other.
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
    decimal_comma: bool = False
    times: Codes | None = None
    numbered: Codes | None = None

    def uses(self, codes: Codes, texts: Sequence[str]) -> Codes | None:
        """Count how often each text is used, where rows stand for several; else None."""
        if self.times is None:
            return None
        each = np.tile(self.times, len(codes) // max(len(self.times), 1))
        known = codes >= 0
        return np.bincount(codes[known], each[known], len(texts)).astype(np.int64)

    @abstractmethod
    def codes(self, column: int) -> tuple[Codes, list[str]]:
        """Code a column in order of first appearance; -1 where it is blank."""

    def numbers(self, column: int) -> tuple[Floats, Flags]:
        """Column as numbers (NaN where blank), and where it is neither number nor blank."""
        codes, texts = self.codes(column)
        written = written_numbers(texts, decimal_comma=self.decimal_comma)
        read = [number_of(text) for text in (texts if written is None else written.texts)]
        numbers = np.array([np.nan if number is None else number for number in [*read, None]])
        wrong = np.array([*(number is None for number in read), False])
        return numbers[codes], wrong[codes]  # code -1 is the last entry: blank

    def is_numeric(self, column: int) -> bool:
        """Whether every cell of a column is a number or blank: asked of values where it can be."""
        return not self.numbers(column)[1].any()

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
        return np.arange(self.rows) + self.first_row if self.numbered is None else self.numbered

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
            hint = meant(name, names)
            raise DataError(f"{source} has no column '{name}'.{hint} Columns: {some(names, 12)}.")
    kept = [i for i, name in enumerate(names) if name not in ignore]
    if ignore and not kept:
        raise DataError(f"{source}: every column is ignored ({some(names, 12)}). Keep some.")
    return kept


def check_columns(columns: int, source: str) -> None:
    """Refuse a table of very many columns, before time is spent on it."""
    if columns > MOST_COLUMNS:
        raise DataError(
            f"{source}: {columns:,} columns; at most {MOST_COLUMNS:,} are read. Long data have a "
            "row per rating, with columns for item, rater and label."
        )


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
            f"{table.source}{row}: several columns are called {some(doubled)}. Rename them; if "
            f"the header has several rows, keep one.{header}"
        )


# Tables that are in memory already: columns by name, rows as dicts, rows without names, arrays.

_NO_COLUMNS: tuple[type, ...] = (str, bytes, Mapping)
EXPECTED = (
    "expected the path of a file, a data frame (pandas, polars, pyarrow, DuckDB or another that "
    "narwhals reads), a dict of columns, rows or a 2-D array"
)


class ColumnTable(Table):
    """Columns of equal length, in memory.

    Parameters
    ----------
    columns : sequence of sequences
    names : sequence of str
    source : str
    form : {"named", "records", "matrix"}
    """

    def __init__(
        self,
        columns: Sequence[Any],
        names: Sequence[str],
        source: str,
        *,
        form: Form = "named",
        ignore: Collection[str] = (),
    ) -> None:
        kept = kept_columns(names, ignore, source)
        self._columns = [columns[i] for i in kept]
        self.names = [names[i] for i in kept]
        self.source, self.form = source, form
        self._coded: dict[int, tuple[Codes, list[str]]] = {}
        if not self.names:
            raise DataError(f"{source} is empty: there are no columns.")
        self.rows = self._length()

    def codes(self, column: int) -> tuple[Codes, list[str]]:
        """Code a column in order of first appearance; -1 where it is missing."""
        if column in self._coded:  # readers ask for texts again and again
            codes, texts = self._coded[column]
            return codes.copy(), list(texts)
        try:
            coded = encode(self.values(column))
        except DataError as error:
            raise DataError(f"{self.source}, column '{self.names[column]}': {error}") from None
        if not self.holds_numbers(column):
            self._coded[column] = coded[0].copy(), list(coded[1])
        return coded

    def numbers(self, column: int) -> tuple[Floats, Flags]:
        """Column as numbers (NaN where missing), and where it is neither number nor missing."""
        if self.holds_numbers(column):
            numbers = as_double(self.values(column)).astype(np.float64)
            wrong = np.isinf(numbers)
            return np.where(wrong, np.nan, numbers) if wrong.any() else numbers, wrong
        return super().numbers(column)

    def holds_numbers(self, column: int) -> bool:
        """Whether a column can hold nothing but numbers, and blanks."""
        values: NDArray[Any] | list[Any] = self.values(column)
        return isinstance(values, np.ndarray) and values.dtype.kind in "iuf"

    def nested(self) -> list[int]:
        """Columns that hold lists or records."""
        return [i for i, cells in enumerate(self._columns) if _holds_lists(cells)]

    def cells(self, column: int) -> list[Any]:
        """Cells of a column that holds lists or records, as Python has them; None where blank."""
        return list(self.values(column))

    def values(self, column: int) -> Any:
        """Return the cells of a column."""
        return self._columns[column]

    def _length(self) -> int:
        lengths = {name: len(c) for name, c in zip(self.names, self._columns, strict=True)}
        if len(set(lengths.values())) > 1:
            listed = ", ".join(f"'{name}' {n:,}" for name, n in lengths.items())
            raise DataError(
                f"{self.source}: columns must have the same length; they have: {listed}."
            )
        rows = next(iter(lengths.values()))
        if not rows:
            raise DataError(f"{self.source} is empty: there are no rows.")
        return rows


class TextTable(ColumnTable):
    """Columns of a text, in memory."""

    def codes(self, column: int) -> tuple[Codes, list[str]]:
        """Code a column in order of first appearance; -1 where it is blank."""
        if column not in self._coded:
            self._coded[column] = tidied(*coded(self.values(column)), str.strip)
        return self._coded[column]

    def nested(self) -> list[int]:
        """No column: text has no lists."""
        return []


def _holds_lists(cells: Any) -> bool:
    """Whether the first cells are lists or records."""
    return any(isinstance(cell, list | tuple | dict | np.ndarray) for cell in islice(cells, 20))


def columns_of(data: object, source: str, ignore: Collection[str] = ()) -> ColumnTable | None:
    """Make a table of a dict of columns, of rows, or of a 2-D array; None for anything else.

    Rows are dicts; or tuples, which are records without names of columns; or lists, which are the
    rows of a matrix, as those of an array are.

    Examples
    --------
    >>> table = columns_of([{"item": 1, "label": "x"}, {"item": 2}], "ratings")
    >>> table.names, table.codes(1)
    (['item', 'label'], (array([ 0, -1]), ['x']))
    >>> columns_of([("a", "b", 1)], "comparisons").form
    'records'
    """
    if isinstance(data, Mapping):
        return _named(cast("Mapping[Any, Any]", data), source, ignore)
    if isinstance(data, np.ndarray):
        return _of_array(cast("NDArray[Any]", data), source, ignore)
    if isinstance(data, list | tuple):
        return _of_rows(cast("Sequence[Any]", data), source, ignore)
    return None


def _named(columns: Mapping[Any, Any], source: str, ignore: Collection[str]) -> ColumnTable:
    """Make a table of columns by name."""
    cells = [_cells(column, name, source) for name, column in columns.items()]
    return ColumnTable(cells, [str(name) for name in columns], source, ignore=ignore)


def _cells(column: Any, name: object, source: str) -> Any:
    """Return the cells of a column, which may be any kind of sequence but text."""
    if getattr(column, "ndim", 1) == 1 and not isinstance(column, _NO_COLUMNS):
        if isinstance(column, np.ndarray):
            return cast("NDArray[Any]", column)
        if isinstance(column, Iterable):
            return list(cast("Iterable[Any]", column))
    raise DataError(
        f"{source}, column '{name}': expected a list of values, one per row, not "
        f"{_kind(column)}. A dict holds columns by name."
    )


def _of_array(array: NDArray[Any], source: str, ignore: Collection[str]) -> ColumnTable:
    """Make a table of an array of two dimensions, or of one with named fields."""
    if array.dtype.names:
        return _named({name: array[name] for name in array.dtype.names}, source, ignore)
    if array.ndim != 2:
        raise DataError(
            f"{source}: expected an array of two dimensions, not of {array.ndim}. Give rows, or a "
            "dict of columns."
        )
    return _unnamed(list(array.T), "matrix", source)


def _of_rows(rows: Sequence[Any], source: str, ignore: Collection[str]) -> ColumnTable:
    """Make a table of rows: all of them dicts, or tuples, or lists."""
    if not rows:
        raise DataError(f"{source} is empty: there are no rows.")
    if all(isinstance(row, Mapping) for row in rows):
        names = list(dict.fromkeys(name for row in rows for name in row))
        return _named({name: [row.get(name) for row in rows] for name in names}, source, ignore)
    is_row = [isinstance(row, list | tuple | np.ndarray) for row in rows]
    if not all(is_row):
        row = is_row.index(False)
        raise DataError(
            f"{source}, row {row}: {EXPECTED}; rows must be dicts, tuples or lists, not "
            f"{_kind(rows[row])}."
        )
    for row, values in enumerate(rows):
        if len(values) != len(rows[0]):
            raise DataError(
                f"{source}, row {row}: {count(len(values), 'value')} where the first row has "
                f"{len(rows[0]):,}. Every row needs a value for every column; None is a blank."
            )
    form = "records" if all(isinstance(row, tuple) for row in rows) else "matrix"
    return _unnamed([list(column) for column in zip(*rows, strict=True)], form, source)


def _unnamed(columns: Sequence[Any], form: Form, source: str) -> ColumnTable:
    return ColumnTable(columns, [f"column {i + 1}" for i in range(len(columns))], source, form=form)


def _kind(value: object) -> str:
    """Write what was given, for a message."""
    text = repr(value)
    return f"{type(value).__name__} {text}" if len(text) <= 40 else type(value).__name__


# Some of the rows of a table.


class SomeRows(Table):
    """Some of the rows of a table.

    Parameters
    ----------
    table : Table
    keep : (rows,) array of bool
    reason : str
        Why the others are left out.
    """

    def __init__(self, table: Table, keep: Flags, reason: str) -> None:
        self._table, self._keep = table, keep
        self.names, self.source, self.form = table.names, table.source, table.form
        self.first_row, self.backend = table.first_row, table.backend
        self.notes, self.sources = table.notes, table.sources
        self.decimal_comma = table.decimal_comma
        self.exported, self.doubt = table.exported, table.doubt
        self.rows = int(keep.sum())
        left_out = Counter({reason: table.rows - self.rows})
        self.dropped = Counter(table.dropped) + left_out

    def codes(self, column: int) -> tuple[Codes, list[str]]:
        """Code a column; values of other rows are not among the texts."""
        codes, texts = self._table.codes(column)
        codes = codes[self._keep]
        used = np.bincount(codes[codes >= 0], minlength=len(texts)) > 0
        place = np.append(np.where(used, np.cumsum(used) - 1, -1), -1)
        return place[codes], [text for text, there in zip(texts, used, strict=True) if there]

    def numbers(self, column: int) -> tuple[Floats, Flags]:
        """Column as numbers (NaN where blank), and where it is neither number nor blank."""
        numbers, wrong = self._table.numbers(column)
        return numbers[self._keep], wrong[self._keep]

    def nested(self) -> list[int]:
        """Columns that hold lists or records."""
        return self._table.nested()

    def cells(self, column: int) -> list[object]:
        """Cells of a column that holds lists or records."""
        cells = self._table.cells(column)
        return [cells[row] for row in np.flatnonzero(self._keep).tolist()]

    def categories(self, column: int) -> tuple[str, ...] | None:
        """Ordered categories of a column."""
        return self._table.categories(column)

    def index_name(self) -> str | None:
        """Name of an index beside the columns that holds more than row numbers."""
        return self._table.index_name()

    def row_numbers(self) -> Codes:
        """Numbers by which a user knows the rows."""
        return self._table.row_numbers()[self._keep]


class WithFirstRow(Table):
    """A table without a header, of which the first row was taken for one."""

    form = "records"

    def __init__(self, table: Table) -> None:
        self._table, self.rows = table, table.rows + 1
        self.names = [f"column {number + 1}" for number in range(len(table.names))]
        self.source, self.backend, self.decimal_comma = (
            table.source, table.backend, table.decimal_comma,
        )  # fmt: skip
        self.notes, self.sources = table.notes, table.sources

    def codes(self, column: int) -> tuple[Codes, list[str]]:
        """Code a column, the first row first."""
        codes, texts = self._table.codes(column)
        place = {self._table.names[column]: 0}
        recode = [place.setdefault(text, len(place)) for text in texts]
        return np.append(0, np.array([*recode, -1])[codes]), list(place)

    def row_numbers(self) -> Codes:
        """Numbers by which a user knows the rows."""
        below = self._table.row_numbers()
        return np.append(below[0] - 1, below)


# A table whose equal rows a database has counted.


class CountedTable(Table):
    """Columns as codes, and how many rows of the source each row stands for.

    Parameters
    ----------
    columns : sequence of (codes, values)
        The values of a column, each once, and their places; -1 where there is none.
    names : sequence of str
    times : (rows,) array of int
    source, sources, notes, dropped, backend
        As every table has them.
    """

    def __init__(
        self,
        columns: Sequence[tuple[Codes, Sequence[object]]],
        names: Sequence[str],
        times: Codes,
        *,
        source: str,
        sources: tuple[Source, ...] = (),
        notes: tuple[Note, ...] = (),
        dropped: Mapping[str, int] | None = None,
        backend: str | None = None,
    ) -> None:
        self.names, self.times = list(names), times
        self.source, self.sources, self.notes = source, sources, notes
        self.dropped, self.backend = dict(dropped or {}), backend
        self.rows = len(times)
        self._columns = columns
        self._coded: dict[int, tuple[Codes, list[str]]] = {}

    def codes(self, column: int) -> tuple[Codes, list[str]]:
        """Code a column; -1 where it is blank."""
        if column not in self._coded:
            code, values = self._columns[column]
            place, texts = encode(values)
            self._coded[column] = np.append(place, -1)[code], texts
        return self._coded[column]

    def at(self, row: int, column: int | None = None) -> str:
        """Where a cell stands, for a message; rows have no numbers any more."""
        del row
        return self.source if column is None else f"{self.source}, column '{self.names[column]}'"


# Texts of a column as codes, in the order in which they appear.


def coded(values: NDArray[Any] | Sequence[str]) -> tuple[Codes, list[str]]:
    """Code texts in order of first appearance; those that are masked are blank texts."""
    if isinstance(values, np.ndarray):
        values = cast("list[str]", np.ma.filled(values, "").tolist())
    # Ids are often in order, which is seen in a fifth of the time that a dict takes.
    if all(map(lt, values, islice(values, 1, None))):
        return np.arange(len(values), dtype=code_type(len(values))), list(values)
    place = dict.fromkeys(values, 0)
    place = dict(zip(place, range(len(place)), strict=True))
    return np.fromiter(map(place.__getitem__, values), code_type(len(place)), len(values)), list(
        place
    )


def code_type(texts: int) -> np.dtype[np.int64]:
    """Smallest type of codes of so many texts: columns have many rows, and most few texts."""
    return cast("np.dtype[np.int64]", np.min_scalar_type(-texts - 2))


_PART = 1 << 16
"""Rows looked at together: they stay in the cache, and the first mostly show all values."""


def float_text(text: str) -> str:
    """Write a floating-point number as those of a frame are written: 1.0 is 1, and NaN is blank.

    Examples
    --------
    >>> float_text("1.0"), float_text("1e+16"), float_text("nan"), float_text("")
    ('1', '10000000000000000', '', '')
    """
    number = float(text or "nan")
    return "" if math.isnan(number) else number_text(number)


def tidied(codes: Codes, texts: list[str], write: Callable[[str], str]) -> tuple[Codes, list[str]]:
    """Write the texts of codes in another way; those that become the same become one.

    Examples
    --------
    >>> tidied(np.array([0, 1, 2, 3, -1]), [" a", "1", "a", " "], str.strip)
    (array([ 0,  1,  0, -1, -1]), ['a', '1'])
    """
    written = list(map(write, texts))
    if written == texts and "" not in texts:
        return codes, texts
    place: dict[str, int] = {}
    recode = [place.setdefault(text, len(place)) if text else -1 for text in written]
    return np.array([*recode, -1], dtype=codes.dtype)[codes], list(place)


def as_they_appear(codes: NDArray[Any], texts: list[str]) -> tuple[Codes, list[str]]:
    """Put codes into the order in which they appear first; each is used.

    Examples
    --------
    >>> as_they_appear(np.array([1, 0, 1]), ["a", "b"])
    (array([0, 1, 0], dtype=int8), ['b', 'a'])
    """
    first, left = np.full(len(texts), len(codes)), len(texts)
    for start in range(0, len(codes), _PART):
        values, index = np.unique(codes[start : start + _PART], return_index=True)
        new = first[values] == len(codes)
        first[values[new]] = index[new] + start
        left -= int(new.sum())
        if not left:
            break
    order = np.argsort(first)
    place = np.empty(len(order), dtype=code_type(len(order)))
    place[order] = np.arange(len(order))
    return place[codes], [texts[code] for code in order.tolist()]

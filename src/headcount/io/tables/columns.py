"""Tables that are in memory already: columns by name, rows as dicts, rows without names, arrays."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from itertools import islice
from typing import Any, cast

import numpy as np
from numpy.typing import NDArray

from headcount.data.vocabulary import as_double, encode, number_of
from headcount.errors import DataError, count
from headcount.io.tables.table import Form, Table, has_blanks, kept_columns
from headcount.typing import Codes, Flags, Floats

__all__ = ["EXPECTED", "ColumnTable", "columns_of"]

_FEW_ROWS = 100_000
"""Rows up to which cells with blanks at their ends are counted; in more it takes long."""
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
        self._trimmed: dict[str, int] = {}
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
        if self.rows <= _FEW_ROWS and (cells := sum(map(has_blanks, self.values(column)))):
            self._trimmed[self.names[column]] = cells
        return coded

    @property
    def trimmed(self) -> Mapping[str, int]:
        """Cells from which blanks at the ends were left out, by column, of those read so far."""
        return self._trimmed

    def numbers(self, column: int) -> tuple[Floats, Flags]:
        """Column as numbers (NaN where missing), and where it is neither number nor missing."""
        if self.holds_numbers(column):
            numbers = as_double(self.values(column)).astype(np.float64)
            wrong = np.isinf(numbers)
            return np.where(wrong, np.nan, numbers) if wrong.any() else numbers, wrong
        codes, texts = self.codes(column)
        read = [number_of(text) for text in texts]
        numbers = np.array([np.nan if number is None else number for number in [*read, None]])
        wrong = np.array([*(number is None for number in read), False])
        return numbers[codes], wrong[codes]  # code -1 is the last entry: missing

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

"""JSON: one object a row, on a line each or in an array."""

from __future__ import annotations

import json
import re
from array import array
from collections.abc import Collection, Iterable, Iterator, Sequence
from itertools import chain
from typing import Any, NoReturn, cast

import numpy as np

from headcount.data.vocabulary import encode
from headcount.errors import DataError, option
from headcount.io.formats.base import File, Format
from headcount.io.formats.json_object import rows_in, rows_of_lists
from headcount.io.formats.scan import check_columns
from headcount.io.formats.text import LONGEST_LINE
from headcount.io.tables.columns import ColumnTable
from headcount.io.tables.table import Table, has_blanks
from headcount.typing import Codes

__all__ = ["Json", "JsonLines"]

_CONTAINERS: tuple[type, ...] = (list, dict)
_EXPECTED = 'expected one JSON object a row, such as {"item": 1}'


_LOOKED_AT = 1_000
_START = re.compile(rb"(?:\xef\xbb\xbf)?\s*(?:\[\s*)?\{\s*\"")
"""How JSON begins, and no row of names does."""


class JsonLines(Format):
    """One JSON object a line, such as ``{"item": 1, "rater": "ann", "label": "cat"}``."""

    name = "jsonl"
    title = "JSON lines"
    suffixes = (".jsonl", ".ndjson")

    def open(self, file: File, *, ignore: Collection[str], header: bool) -> Table:
        """Open a file as a table of text; the fields have names, so that there is no header."""
        rows = _array(file) if _first(file) == "[" else _lines(file)
        return _table(file, rows, self.name, ignore)


class Json(Format):
    """An array of JSON objects, one a row; or JSON lines under a shorter name."""

    name = "json"
    title = "JSON"
    suffixes = (".json",)

    def knows(self, file: File) -> bool:
        """Whether it is called so, or begins as an object or an array of objects does."""
        if super().knows(file):
            return True
        with file.open() as opened:
            return _START.match(opened.read(_LOOKED_AT)) is not None

    def open(self, file: File, *, ignore: Collection[str], header: bool) -> Table:
        """Open a file as a table of text."""
        if _first(file) == "[":
            return _table(file, _named(file, _array(file)), self.name, ignore)
        lines = (line for line in file.lines("replace") if line.strip())
        first, second = next(lines, ""), next(lines, None)
        if second is None or not _is_object(first):
            rows = rows_in(_parsed("".join(file.lines()), file, 1))
            if rows is not None:
                return _table(file, enumerate(rows, 1), self.name, ignore)
            raise DataError(
                f"{file.name}: the JSON is not a list of objects, and not the export of a tool "
                f"that is known ({option('format', ...)} to name one). A table is an array of "
                'objects, [{"item": 1, ...}, ...], or one object a line; or columns, {"item": '
                "[...], ...}."
            )
        return _table(file, _lines(file), JsonLines.name, ignore)


def _named(file: File, rows: Iterator[tuple[int, Any]]) -> Iterable[tuple[int, Any]]:
    """Take rows of an array as they are; or, if they are lists, with the names in the first."""
    first = next(rows, None)
    if first is None or not isinstance(first[1], list):
        return rows if first is None else chain([first], rows)
    made = rows_of_lists([first[1], *(row for _, row in rows)])
    if made is None:
        raise DataError(
            f"{file.name}: a list of lists without names of columns. Put a list of names first, "
            'such as ["item", "ann", "bob"], with as many entries as each row has.'
        )
    return enumerate(made, 2)


class _Column:
    """Cells of a field, coded as they come."""

    def __init__(self) -> None:
        self.codes = array("q")
        self.seen: dict[object, int] = {}
        self.values: list[Any] = []
        self.nested = False
        self.lists: dict[int, Any] = {}

    def __len__(self) -> int:
        return len(self.codes)

    def put(self, row: int, value: Any) -> None:
        """Add the cell of a row; rows before it that lack the field are blank."""
        if len(self.codes) < row:
            self.codes.extend([-1] * (row - len(self.codes)))
        if isinstance(value, _CONTAINERS):
            self.lists[row] = value
            self.nested, value = True, None
        # True is 1 to a dict, and so is 1.0.
        key: object = value if isinstance(value, str) else (value.__class__.__name__, value)
        code = self.seen.setdefault(key, len(self.values))
        if code == len(self.values):
            self.values.append(value)
        self.codes.append(code)


class _RowTable(ColumnTable):
    """Rows of JSON as a table."""

    def __init__(
        self,
        columns: dict[str, _Column],
        numbers: Sequence[int],
        file: File,
        ignore: Collection[str],
    ) -> None:
        super().__init__(list(columns.values()), list(columns), file.name, ignore=ignore)
        self.first_row = 1
        self._numbers = numbers

    def row_numbers(self) -> Codes:
        """Numbers of the lines, or of the entries of an array."""
        return np.asarray(self._numbers, dtype=np.int64)

    def nested(self) -> list[int]:
        """Columns that hold lists or records."""
        return [i for i in range(len(self.names)) if self.values(i).nested]

    def cells(self, column: int) -> list[Any]:
        """Cells of a column that holds lists or records; None where there is none."""
        lists = self.values(column).lists
        return [lists.get(row) for row in range(self.rows)]

    def codes(self, column: int) -> tuple[Codes, list[str]]:
        """Code a column in order of first appearance; -1 where it is missing."""
        cells: _Column = self.values(column)
        if cells.nested:
            raise DataError(
                f"{self.source}, column '{self.names[column]}': its cells are lists or records. "
                "Write one value a cell."
            )
        recode, texts = encode(cells.values)
        places = np.frombuffer(cells.codes, dtype=np.int64)
        codes = np.append(recode, -1)[places]
        odd = [place for place, value in enumerate(cells.values) if has_blanks(value)]
        if odd:
            self._trimmed[self.names[column]] = int(np.isin(places, odd).sum())
        try:
            "".join(texts).encode()
        except UnicodeEncodeError:
            raise DataError(
                f"{self.source}, column '{self.names[column]}': half a letter (\\ud800 to "
                "\\udfff stand in pairs). Write the text again."
            ) from None
        return codes, texts


def _table(
    file: File, rows: Iterable[tuple[int, Any]], format_: str, ignore: Collection[str]
) -> Table:
    """Make a table of objects with their row numbers."""
    columns: dict[str, _Column] = {}
    numbers = array("q")
    for number, row in rows:
        if not isinstance(row, dict):
            raise DataError(f"{file.name}, row {number}: {_EXPECTED}; this is no object.")
        for name, value in cast("dict[str, Any]", row).items():
            column = columns.get(name)
            if column is None:
                column = columns[name] = _Column()
                check_columns(len(columns), file.name)
            column.put(len(numbers), value)
        numbers.append(number)
    if not numbers:
        raise DataError(f"{file.name} is empty: there are no rows.")
    for column in columns.values():
        column.codes.extend([-1] * (len(numbers) - len(column)))
    named = {name.strip(): column for name, column in columns.items()}
    table = _RowTable(named if len(named) == len(columns) else columns, numbers, file, ignore)
    table.notes = file.text.notes
    table.sources = (file.source(format_, table.rows, file.text.said),)
    return table


def _pairs(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """Make an object; two fields of one name are an error."""
    made = dict(pairs)
    if len(made) < len(pairs):
        names = [name for name, _ in pairs]
        twice = next(name for name in names if names.count(name) > 1)
        raise ValueError(f"the field '{twice}' stands there twice")
    return made


_DECODER = json.JSONDecoder(object_pairs_hook=_pairs)


def _lines(file: File) -> Iterator[tuple[int, Any]]:
    """Objects on lines of their own, with the numbers of the lines."""
    for number, line in enumerate(file.lines(), 1):
        if len(line) >= LONGEST_LINE:
            raise DataError(
                f"{file.name}, row {number}: longer than {LONGEST_LINE:,} characters, which is the "
                "limit. Leave long texts out."
            )
        if not line.isspace():
            yield number, _parsed(line, file, number)


def _parsed(line: str, file: File, number: int) -> Any:
    try:
        return _DECODER.decode(line)
    except (ValueError, RecursionError) as error:
        _refuse(error, file, number)


def _array(file: File) -> Iterator[tuple[int, Any]]:
    """Entries of an array, counted from 1 on."""
    text = "".join(file.lines())
    place, number = _skip(text, text.index("[") + 1), 1
    if text[place : place + 1] == "]":
        return
    while True:
        try:
            value, place = _DECODER.raw_decode(text, place)
        except (ValueError, RecursionError) as error:
            _refuse(error, file, number)
        yield number, value
        place = _skip(text, place)
        sign = text[place : place + 1]
        if sign == "]":
            break
        if sign != ",":
            raise DataError(
                f"{file.name}, row {number}: a comma or ] is missing after the object. The file "
                "may be cut off."
            )
        place, number = _skip(text, place + 1), number + 1
    if text[place + 1 :].strip():
        raise DataError(f"{file.name}: there is more after the end of the array. Remove it.")


def _skip(text: str, place: int) -> int:
    """Place of the next sign that is no blank."""
    while text[place : place + 1] in (" ", "\n", "\r", "\t"):
        place += 1
    return place


def _refuse(error: Exception, file: File, number: int) -> NoReturn:
    at = f"{file.name}, row {number}"
    if isinstance(error, RecursionError):
        raise DataError(f"{at}: lists or objects are nested too deeply.") from None
    reason = error.msg if isinstance(error, json.JSONDecodeError) else str(error)
    raise DataError(f"{at}: {_EXPECTED}; {reason}.") from None


def _first(file: File) -> str:
    """Find the first sign that is no blank."""
    for line in file.lines():
        if not line.isspace():
            return line.lstrip()[:1]
    return ""


def _is_object(line: str) -> bool:
    try:
        return isinstance(json.loads(line), dict)
    except (ValueError, RecursionError):
        return False

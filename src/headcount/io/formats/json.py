"""JSON: one object a row, on a line each or in an array, or a table that is one object."""

from __future__ import annotations

import json
import re
from array import array
from collections.abc import Collection, Iterable, Iterator, Mapping
from functools import cached_property
from typing import Any, NoReturn, cast

import numpy as np

from headcount.errors import DataError, option
from headcount.io.reading import LONGEST_LINE, File, Format
from headcount.io.roles import find_role
from headcount.io.tables import ColumnTable, Table, check_columns
from headcount.typing import Codes

__all__ = [
    "JsonLines",
    "Json",
    "rows_in",
]


_CONTAINERS: frozenset[type] = frozenset({list, dict})
_EXPECTED = 'expected one JSON object a row, such as {"item": 1}'


_LOOKED_AT = 1_000
_JSON_START = re.compile(rb"(?:\xef\xbb\xbf)?\s*(?:\[\s*)?\{\s*\"")
"""How JSON begins, and no row of names does."""


class JsonLines(Format):
    """One JSON object a line, such as ``{"item": 1, "rater": "ann", "label": "cat"}``."""

    name = "jsonl"
    title = "JSON lines"
    suffixes = (".jsonl", ".ndjson")

    def open(self, file: File, *, ignore: Collection[str]) -> Table:
        """Open a file as a table of text; the fields have names, so that there is no header."""
        rows = _array(file) if _first(file) == "[" else _lines(file)
        return _table(file, rows, self.name, ignore)


class Json(Format):
    """An array of JSON objects, one a row; or JSON lines under a shorter name."""

    name = "json"
    title = "JSON"
    suffixes = (".json",)
    starts = (b"{", b"[", b"\xef", b"\xff", b"\xfe")

    def knows(self, file: File) -> bool:
        """Whether it is called so, or begins as an object or an array of objects does."""
        if super().knows(file):
            return True
        with file.open() as opened:
            return _JSON_START.match(opened.read(_LOOKED_AT)) is not None

    def open(self, file: File, *, ignore: Collection[str]) -> Table:
        """Open a file as a table of text."""
        if _first(file) == "[":
            return _table(file, _array(file), self.name, ignore)
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


class _RowTable(ColumnTable):
    """Rows of JSON as a table."""

    @cached_property
    def _lists(self) -> list[int]:
        cells = (self.values(column) for column in range(len(self.names)))
        return [i for i, own in enumerate(cells) if not _CONTAINERS.isdisjoint(map(type, own))]

    def nested(self) -> list[int]:
        """Columns that hold lists or records."""
        return self._lists

    def cells(self, column: int) -> list[Any]:
        """Cells of a column that holds lists or records; None where there is none."""
        cells: list[Any] = self.values(column)
        return [cell if isinstance(cell, list | dict) else None for cell in cells]

    def codes(self, column: int) -> tuple[Codes, list[str]]:
        """Code a column in order of first appearance; -1 where it is missing."""
        if column in self._lists:
            raise DataError(
                f"{self.source}, column '{self.names[column]}': its cells are lists or records. "
                "Write one value a cell."
            )
        codes, texts = super().codes(column)
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
    columns: dict[str, list[Any]] = {}
    numbers = array("q")
    for number, row in rows:
        if not isinstance(row, dict):
            raise DataError(f"{file.name}, row {number}: {_EXPECTED}; this is not an object.")
        for name, value in cast("dict[str, Any]", row).items():
            column = columns.get(name)
            if column is None:
                column = columns[name] = []
                check_columns(len(columns), file.name)
            column.extend([None] * (len(numbers) - len(column)))  # rows that lack the field
            column.append(value)
        numbers.append(number)
    if not numbers:
        raise DataError(f"{file.name} is empty: there are no rows.")
    for column in columns.values():
        column.extend([None] * (len(numbers) - len(column)))
    named = {name.strip(): column for name, column in columns.items()}
    named = named if len(named) == len(columns) else columns
    table = _RowTable(list(named.values()), list(named), file.name, ignore=ignore)
    table.numbered = np.asarray(numbers, dtype=np.int64)
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
    rows: list[Any] = _parsed("".join(file.lines()), file, 1)
    if rows and isinstance(rows[0], list):
        raise DataError(
            f"{file.name}: a list of lists, in which nothing names the columns. Write a list of "
            "objects; with pandas, orient='records' instead of 'values'."
        )
    return enumerate(rows, 1)


def _refuse(error: Exception, file: File, number: int) -> NoReturn:
    lines = error.lineno - 1 if isinstance(error, json.JSONDecodeError) else 0
    at = f"{file.name}, row {number + lines}"
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


# Tables that are one JSON object, as pandas and others write them.

Row = dict[str, Any]


def rows_in(document: Any) -> list[Row] | None:
    """Rows of a table that is one object; None if it is none, or may be several things.

    Columns by name, as lists or by row number; rows by number; names of columns and rows of values
    apart; or an object of which one field is a list of objects.

    Examples
    --------
    >>> rows_in({"item": ["a", "b"], "label": [1, 2]})
    [{'item': 'a', 'label': 1}, {'item': 'b', 'label': 2}]
    >>> rows_in({"item": {"0": "a"}, "label": {"0": 1}})
    [{'item': 'a', 'label': 1}]
    >>> rows_in({"columns": ["item", "label"], "index": [0], "data": [["a", 1]]})
    [{'item': 'a', 'label': 1}]
    >>> rows_in({"a": [1, 2], "b": [2, 2]}) is None
    True
    """
    if not isinstance(document, dict) or not document:
        return None
    fields = cast("dict[str, Any]", document)
    for read in (_split, _one_list, _columns, _by_number, _by_item):
        rows = read(fields)
        if rows:
            return rows
    return None


def _split(fields: Row) -> list[Row] | None:
    """Names of columns apart from rows of values."""
    names, data = fields.get("columns"), fields.get("data")
    if not isinstance(names, list) or not isinstance(data, list):
        return None
    columns = [str(name) for name in cast("list[Any]", names)]
    rows = cast("list[Any]", data)
    if not all(isinstance(row, list) and len(cast("Any", row)) == len(columns) for row in rows):
        return None
    index = fields.get("index")
    if isinstance(index, list) and len(cast("list[Any]", index)) == len(rows):
        given = cast("list[Any]", index)
        if given != list(range(len(rows))) and not _are_named(columns):
            columns, rows = (
                ["item", *columns],
                [[i, *row] for i, row in zip(given, rows, strict=True)],
            )
    return [dict(zip(columns, row, strict=True)) for row in rows]


def _one_list(fields: Row) -> list[Row] | None:
    """Read the only field that is a list of objects."""
    lists = [value for value in fields.values() if _are_objects(value)]
    others = [name for name, value in fields.items() if isinstance(value, list)]
    return lists[0] if len(lists) == 1 and len(others) == 1 else None


def _are_objects(value: Any) -> bool:
    if not isinstance(value, list) or not value:
        return False
    return all(isinstance(entry, dict) for entry in cast("list[Any]", value))


def _columns(fields: Row) -> list[Row] | None:
    """Columns by name, of lists of one length; or of objects by the same row numbers."""
    columns = list(fields.values())
    if all(isinstance(column, dict) for column in columns):
        keys = list(columns[0])
        if not _are_numbers(keys) or any(list(column) != keys for column in columns):
            return None
        columns = [list(column.values()) for column in columns]
    elif not all(isinstance(column, list) for column in columns):
        return None
    elif not _are_named([name for name in fields if len(name) > 1]):
        return None  # may be labels by item, of which one may be called 'a'
    if len({len(column) for column in columns}) != 1:
        return None
    return [dict(zip(fields, row, strict=True)) for row in zip(*columns, strict=True)]


def _are_named(names: list[str]) -> bool:
    """Whether names are those of columns."""
    return any(find_role(names, role) is not None for role in ("item", "left", "winner"))


def _by_number(fields: Row) -> list[Row] | None:
    """Rows by their number."""
    rows = list(fields.values())
    if not _are_numbers(fields) or not all(isinstance(row, Mapping) for row in rows):
        return None
    return rows


LEAST_ITEMS = 5
"""Fields of one value each, from which on they are items."""


def _by_item(fields: Row) -> list[Row] | None:
    """Items, with a value each of one type."""
    kinds: set[type[Any]] = {type(value) for value in fields.values()}
    if len(fields) < LEAST_ITEMS or len(kinds) > 1 or not kinds <= {str, int, float}:
        return None
    return [{"key": key, "value": value} for key, value in fields.items()]


def _are_numbers(keys: Iterable[str]) -> bool:
    """Whether keys are numbers of rows: 0, 1, 2, ... in any order."""
    given = list(keys)
    return sorted(given) == sorted(str(number) for number in range(len(given)))

"""JSON: one object a row, on a line each or in an array, or a table that is one object."""

from __future__ import annotations

import json
import re
from array import array
from collections.abc import Callable, Collection, Iterable, Iterator
from functools import cached_property
from typing import Any, cast

import numpy as np

from headcount.errors import DataError, option
from headcount.io.formats.database import check_flat
from headcount.io.reading import LONGEST_LINE, File, Format
from headcount.io.roles import find_role
from headcount.io.tables import ColumnTable, Table, check_columns
from headcount.typing import Codes

__all__ = [
    "JsonLines",
    "Json",
    "entries",
    "parsed_json",
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
        return _table(file, entries(file), self.name, ignore)


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
            return _table(file, entries(file), self.name, ignore)
        lines = (line for line in file.lines("replace") if line.strip())
        first, second = next(lines, ""), next(lines, None)
        if second is None or not _is_object(first):
            rows = rows_in(parsed_json("".join(file.lines()), file, 1))
            if rows is not None:
                return _table(file, enumerate(rows, 1), self.name, ignore)
            raise DataError(
                f"{file.name}: the JSON is not a list of objects, and not the export of a tool "
                f"that is known ({option('format', ...)} to name one). A table is an array of "
                'objects, [{"item": 1, ...}, ...], or one object a line; or columns, {"item": '
                "[...], ...}."
            )
        return _table(file, entries(file), JsonLines.name, ignore)


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
        check_flat(self, column)
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


Decode = Callable[[str], Any]
_DECODER = json.JSONDecoder(object_pairs_hook=_pairs)


def entries(file: File, decode: Decode = _DECODER.decode) -> Iterator[tuple[int, Any]]:
    """Entries of an array, counted from 1 on; or those on lines, with the numbers of the lines."""
    return _array(file, decode) if _first(file) == "[" else _lines(file, decode)


def _lines(file: File, decode: Decode) -> Iterator[tuple[int, Any]]:
    """Objects on lines of their own, with the numbers of the lines."""
    for number, line in enumerate(file.lines(), 1):
        if len(line) >= LONGEST_LINE:
            raise DataError(
                f"{file.name}, row {number}: longer than {LONGEST_LINE:,} characters, which is the "
                "limit. Leave long texts out."
            )
        if not line.isspace():
            yield number, parsed_json(line, file, number, decode)


def parsed_json(line: str, file: File, number: int, decode: Decode = _DECODER.decode) -> Any:
    """Parse JSON that begins in a row of a file."""
    try:
        return decode(line)
    except RecursionError:
        reason = "lists or objects are nested too deeply."
    except json.JSONDecodeError as error:
        number += error.lineno - 1
        reason = f"{_EXPECTED}; {error.msg}."
    except ValueError as error:
        reason = f"{_EXPECTED}; {error}."
    raise DataError(f"{file.name}, row {number}: {reason}")


def _array(file: File, decode: Decode) -> Iterator[tuple[int, Any]]:
    """Entries of an array, counted from 1 on."""
    rows: list[Any] = parsed_json("".join(file.lines()), file, 1, decode)
    if rows and isinstance(rows[0], list):
        raise DataError(
            f"{file.name}: a list of lists, in which nothing names the columns. Write a list of "
            "objects; with pandas, orient='records' instead of 'values'."
        )
    return enumerate(rows, 1)


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
    values = list(fields.values())
    lists: list[list[Any]] = [value for value in values if isinstance(value, list)]
    if {"columns", "data"} <= {*fields}:
        return _split(fields)
    if len(lists) == 1 and all(isinstance(entry, dict) for entry in lists[0]):
        return lists[0] or None
    if all(isinstance(value, dict) for value in values):
        numbers = list(values[0])
        if _are_numbers(numbers) and all(list(value) == numbers for value in values):
            lists = [list(value.values()) for value in values]
        else:
            return values if _are_numbers(fields) else None
    elif len(lists) < len(values):
        kinds: set[type[Any]] = {type(value) for value in values}
        if len(fields) < LEAST_ITEMS or len(kinds) > 1 or not kinds <= {str, int, float}:
            return None
        return [{"key": key, "value": value} for key, value in fields.items()]
    elif not _are_named([name for name in fields if len(name) > 1]):
        return None  # may be labels by item, of which one may be called 'a'
    if len({len(column) for column in lists}) != 1:
        return None
    return [dict(zip(fields, row, strict=True)) for row in zip(*lists, strict=True)] or None


LEAST_ITEMS = 5
"""Fields of one value each, from which on they are items."""


def _split(fields: Row) -> list[Row] | None:
    """Names of columns apart from rows of values, and perhaps an index, as pandas writes them."""
    names, rows, index = fields["columns"], fields["data"], fields.get("index", [])
    if not all(isinstance(part, list) for part in (names, rows, index)):
        return None
    columns = [str(name) for name in names]
    if not all(isinstance(row, list) and len(cast("Any", row)) == len(columns) for row in rows):
        return None
    numbered = index == list(range(len(rows)))
    if len(index) == len(rows) and not numbered and not _are_named(columns):
        columns, rows = ["item", *columns], [[i, *row] for i, row in zip(index, rows, strict=True)]
    return [dict(zip(columns, row, strict=True)) for row in rows] or None


def _are_named(names: list[str]) -> bool:
    """Whether names are those of columns."""
    return any(find_role(names, role) is not None for role in ("item", "left", "winner"))


def _are_numbers(keys: Iterable[str]) -> bool:
    """Whether keys are numbers of rows: 0, 1, 2, ... in any order."""
    given = list(keys)
    return sorted(given) == sorted(str(number) for number in range(len(given)))

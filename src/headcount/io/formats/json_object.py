"""Tables that are one JSON object, as pandas and others write them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, cast

from headcount.io.roles.roles import find_role

__all__ = ["rows_in", "rows_of_lists"]

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
    for read in (_split, _one_list, _columns, _by_number, _by_key):
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
    return [dict(zip(columns, row, strict=True)) for row in rows]


def _one_list(fields: Row) -> list[Row] | None:
    """Read the only field that is a list of objects."""
    lists = [value for value in fields.values() if _are_objects(value)]
    others = [name for name, value in fields.items() if isinstance(value, list)]
    return lists[0] if len(lists) == 1 and len(others) == 1 else None


def _are_objects(value: Any) -> bool:
    if not isinstance(value, list) or not value:
        return False
    return all(isinstance(one, dict) for one in cast("list[Any]", value))


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


MORE = 2
"""How many times as many keys outside as inside tell that those outside are items, or inside."""
LEAST_KEYS = 5
"""Keys of an object of values, from which on it is a table."""


def _by_key(fields: Row) -> list[Row] | None:
    """Rows by the key of an item: a value each, or an object; or items are the keys inside."""
    values = list(fields.values())
    flat = [value for value in values if isinstance(value, str | int | float | None)]
    if len(flat) == len(values) >= LEAST_KEYS and len({*map(type, flat)}) == 1:
        return [{"key": key, "value": value} for key, value in fields.items()]
    if not all(isinstance(value, dict) for value in values):
        return None
    inner = dict.fromkeys(key for value in values for key in value)
    if len(fields) >= MORE * len(inner):
        return [{"key": key, **value} for key, value in fields.items()]
    if len(inner) >= MORE * len(fields) and _are_flat(values):
        return [{"key": key, **{n: fields[n].get(key) for n in fields}} for key in inner]
    return None


def _are_flat(values: Iterable[Row]) -> bool:
    return not any(isinstance(cell, dict | list) for value in values for cell in value.values())


def rows_of_lists(rows: Sequence[Any]) -> list[Row] | None:
    """Rows of a table that is a list of lists, of which the first names the columns.

    Examples
    --------
    >>> rows_of_lists([["item", "ann"], ["a", 1], ["b", 2]])
    [{'item': 'a', 'ann': 1}, {'item': 'b', 'ann': 2}]
    >>> rows_of_lists([[1, 2], [2, 2]])
    """
    if len(rows) < 2 or not all(isinstance(row, list) for row in rows):
        return None
    names = rows[0]
    if not all(isinstance(name, str) for name in names) or len({*names}) < len(names):
        return None
    if any(len(row) != len(names) for row in rows):
        return None
    return [dict(zip(names, row, strict=True)) for row in rows[1:]]


def _are_numbers(keys: Iterable[str]) -> bool:
    """Whether keys are numbers of rows: 0, 1, 2, ... in any order."""
    given = list(keys)
    return sorted(given) == sorted(str(number) for number in range(len(given)))

"""What the writer of a Parquet file says of its columns: ordered categories, names of labels."""

from __future__ import annotations

import base64
import binascii
import json
import struct
from collections.abc import Mapping
from importlib import import_module
from pathlib import Path
from typing import Any

__all__ = ["categories_of", "label_names", "ordered_columns"]

_MARK = b"\xff\xff\xff\xff"
"""What stands before the length of a message of Arrow."""
# Places of fields in the tables of Arrow's Schema.fbs and Message.fbs.
_HEADER, _FIELDS, _NAME, _DICTIONARY, _IS_ORDERED = 2, 1, 0, 4, 2


def ordered_columns(metadata: Mapping[str, bytes]) -> frozenset[str]:
    """Columns that Arrow's schema calls dictionaries in order; none if there is no schema."""
    try:
        data = base64.b64decode(metadata.get("ARROW:schema", b""), validate=True)
        return frozenset(_ordered(data)) if data else frozenset()
    except (binascii.Error, struct.error, IndexError, UnicodeDecodeError):  # written by others
        return frozenset()


def _ordered(data: bytes) -> list[str]:
    start = 8 if data[:4] == _MARK else 4
    schema = _table(data, start + _number(data, start), _HEADER)
    fields = None if schema is None else _table(data, schema, _FIELDS)
    found: list[str] = []
    for i in range(_number(data, fields)) if fields is not None else ():
        field = _target(data, fields + 4 + 4 * i) if fields is not None else 0
        name, dictionary = _table(data, field, _NAME), _table(data, field, _DICTIONARY)
        if name is None or dictionary is None:
            continue
        ordered = _place(data, dictionary, _IS_ORDERED)
        if ordered is not None and data[ordered]:
            length = _number(data, name)
            found.append(data[name + 4 : name + 4 + length].decode())
    return found


def _number(data: bytes, at: int) -> int:
    if at < 0:
        raise IndexError
    return int(struct.unpack_from("<I", data, at)[0])


def _target(data: bytes, at: int) -> int:
    """Where what stands at a place points to."""
    return at + _number(data, at)


def _place(data: bytes, table: int, field: int) -> int | None:
    """Where a field of a table of a flat buffer stands; None if it is left out."""
    known = table - int(struct.unpack_from("<i", data, table)[0])
    if known < 0:
        raise IndexError
    (size,) = struct.unpack_from("<H", data, known)
    if 4 + 2 * field + 2 > size:
        return None
    (offset,) = struct.unpack_from("<H", data, known + 4 + 2 * field)
    return table + int(offset) if offset else None


def _table(data: bytes, table: int, field: int) -> int | None:
    """Where a table, list or text stands that is a field of a table."""
    place = _place(data, table, field)
    return None if place is None else _target(data, place)


def categories_of(path: Path, column: str) -> tuple[str, ...] | None:
    """Categories of a column in the order of its dictionary; None if pyarrow is not there."""
    try:
        library: Any = import_module("pyarrow.parquet")
    except ImportError:
        return None
    try:
        with library.ParquetFile(path) as file:
            read = file.read_row_group(0, columns=[column]).column(0)
        return tuple(map(str, read.chunk(0).dictionary.to_pylist()))
    except (AttributeError, OSError, ValueError):  # ArrowInvalid is a ValueError
        return None


def label_names(metadata: Mapping[str, bytes]) -> dict[str, list[str]]:
    """Names of labels that are stored as numbers (ClassLabel of the library datasets), by column.

    They are in the metadata in JSON, below info and features.
    """
    names: dict[str, list[str]] = {}
    for text in metadata.values():
        try:
            about: Any = json.loads(text)
            features: dict[str, Any] = about["info"]["features"]
            for column, feature in features.items():
                if feature["_type"] == "ClassLabel":
                    names[str(column)] = [str(name) for name in feature["names"]]
        except (ValueError, KeyError, TypeError, AttributeError):
            continue
    return names

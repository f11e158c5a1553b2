"""Whether data are reduced where they are, or read into memory."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, TypeVar

from headcount.data.examples import replaced
from headcount.engine.engines.memory import BYTES_A_RATING, DEFAULT_MEMORY
from headcount.engine.scans.scan import Scan
from headcount.engine.sources.opening import is_path, is_relation, is_spark
from headcount.errors import DataError
from headcount.io.roles.roles import find_role

__all__ = ["about_ratings", "take_scan", "unscanned"]

S = TypeVar("S", bound=Scan)

_PARQUET, _GZIP = b"PAR1", b"\x1f\x8b"
_START = 1 << 16
_ONCE_A_ROW = ("label", "left", "winner", "outcome")
"""Roles of columns of which a row has one: without any, columns are raters."""


def take_scan(data: Any, kind: type[S], scan: Callable[[Any], S]) -> S | None:
    """Take data that are to be reduced where they are; None if they are to be read.

    A scan is one, unless it says otherwise; frames of Spark are; relations of DuckDB and single
    files of Parquet or CSV are if they would take more memory than 1 GB. So every verb asks this
    first, and reads what it is told to read.

    Parameters
    ----------
    data : object
    kind : type
        The scans that a verb takes.
    scan : function of data
        What makes one.
    """
    if isinstance(data, Scan):
        if not isinstance(data, kind):
            raise DataError(f"{data.name}: expected what {_named(kind)} returns.")
        return None if data.in_memory else data
    if is_spark(data):
        return scan(data)
    ratings = about_ratings(data)
    return scan(data).for_size(ratings) if ratings * BYTES_A_RATING > DEFAULT_MEMORY else None


def _named(kind: type[Scan]) -> str:
    return f"scan_{kind.__name__.removesuffix('Scan').lower()}"


def unscanned(data: Any, **options: Any) -> Any:
    """Read data that were named as a scan, though they are to be read; others are as they are."""
    return data.read(**options) if isinstance(data, Scan) else data


def about_ratings(data: Any) -> int:
    """Tell about how many ratings or answers a relation or file has, at little cost; 0 if neither.

    A row is one, unless there is a column for each rater.
    """
    if is_relation(data):
        rows = int(data.aggregate("count(*)").fetchall()[0][0])
        return rows * _a_row([str(name) for name in data.columns])
    if not is_path(data):
        return 0
    path = replaced(Path(os.fsdecode(data)))
    try:
        if not path.is_file():
            return 0
        size = path.stat().st_size
        if size * 50 < DEFAULT_MEMORY // BYTES_A_RATING:  # not a byte for each of so many
            return 0
        with path.open("rb") as file:
            start = file.read(_START)
    except OSError:
        return 0
    if start.startswith(_PARQUET):
        return _in_parquet(path)
    if start.startswith(_GZIP) or b"\0" in start or start.lstrip()[:1] in (b"{", b"["):
        return 0
    header = start.split(b"\n", 1)[0].decode("utf-8", "replace")
    delimiter = max(",;\t|", key=header.count)
    names = [name.strip(" \"'\r\ufeff") for name in header.split(delimiter)]
    return int(size * start.count(b"\n") / len(start)) * _a_row(names)


def _a_row(names: Sequence[str]) -> int:
    """Tell how many ratings a row holds, by the names of columns."""
    is_long = any(find_role(names, role) is not None for role in _ONCE_A_ROW)
    return 1 if is_long else max(len(names) - 1, 1)


def _in_parquet(path: Path) -> int:
    """Read the number of rows and the columns from the end of the file."""
    from headcount.io.formats.sql import column_types, connect, file_name

    try:
        with connect() as connection:
            found = connection.execute(
                f"SELECT sum(num_rows) FROM parquet_file_metadata({file_name(path)})"
            ).fetchone()
            names = list(column_types(connection, f"read_parquet({file_name(path)})"))
    except Exception:  # what is wrong with the file is said when it is read
        return 0
    return int(found[0]) * _a_row(names) if found and found[0] else 0

"""Whether data are reduced where they are, or read into memory."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar

from headcount.data.examples import replaced
from headcount.engine.engines.memory import BYTES_A_RATING, DEFAULT_MEMORY
from headcount.engine.scans.scan import Scan
from headcount.engine.sources.opening import is_path, is_relation, is_spark
from headcount.errors import DataError

__all__ = ["about_rows", "take_scan", "unscanned"]

S = TypeVar("S", bound=Scan)

_PARQUET, _GZIP = b"PAR1", b"\x1f\x8b"
_START = 1 << 16


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
    rows = about_rows(data)
    return scan(data).for_size(rows) if rows * BYTES_A_RATING > DEFAULT_MEMORY else None


def _named(kind: type[Scan]) -> str:
    return f"scan_{kind.__name__.removesuffix('Scan').lower()}"


def unscanned(data: Any, **options: Any) -> Any:
    """Read data that were named as a scan, though they are to be read; others are as they are."""
    return data.read(**options) if isinstance(data, Scan) else data


def about_rows(data: Any) -> int:
    """Tell about how many rows a relation or a file has, at little cost; 0 if it is neither."""
    if is_relation(data):
        counted = data.aggregate("count(*)").fetchone()
        return int(counted[0]) if counted else 0
    if not is_path(data):
        return 0
    path = replaced(Path(os.fsdecode(data)))
    try:
        if not path.is_file():
            return 0
        size = path.stat().st_size
        if size * 50 < DEFAULT_MEMORY // BYTES_A_RATING:  # not a byte for each of so many rows
            return 0
        with path.open("rb") as file:
            start = file.read(_START)
    except OSError:
        return 0
    if start.startswith(_PARQUET):
        return _parquet_rows(path)
    if start.startswith(_GZIP) or b"\0" in start or start.lstrip()[:1] in (b"{", b"["):
        return 0
    return int(size * start.count(b"\n") / len(start))


def _parquet_rows(path: Path) -> int:
    """Read the number of rows from the end of the file."""
    from headcount.io.formats.sql import connect, file_name

    try:
        with connect() as connection:
            found = connection.execute(
                f"SELECT sum(num_rows) FROM parquet_file_metadata({file_name(path)})"
            ).fetchone()
    except Exception:  # what is wrong with the file is said when it is read
        return 0
    return int(found[0]) if found and found[0] else 0

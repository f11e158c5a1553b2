"""What the database could not parse, in a user's words."""

from __future__ import annotations

import re

from headcount.errors import DataError
from headcount.io.formats.base import File

__all__ = ["MOST_ROW", "UNCLOSED", "explained"]

MOST_ROW = 10_000_000
"""Bytes that a row of text may have."""
UNCLOSED = "a double quote is opened but not closed. Close it, or double it."


def explained(error: Exception, file: File) -> BaseException:
    """Say in a user's words what the parser could not read; or that the user stopped it."""
    from duckdb import InterruptException

    if isinstance(error, InterruptException):
        return KeyboardInterrupt()
    if isinstance(error, DataError):
        return error
    source, text = file.name, str(error)
    line = re.search(r"on Line: (\d+)", text)
    row = int(line.group(1)) if line else None
    at = source if row is None else f"{source}, row {row}"
    if "maximum line size" in text.lower():
        return DataError(
            f"{at}: longer than {MOST_ROW:,} bytes, which is the limit. A double quote may be "
            "missing; or leave long texts out."
        )
    if columns := re.search(r"Expected Number of Columns: (\d+) Found: (\d+)", text):
        return DataError(
            f"{at}: {columns.group(2)} columns where the header has {columns.group(1)}. Correct "
            "the row; a field that holds the delimiter must stand in double quotes."
        )
    if "quote" in text.lower():
        return DataError(f"{at}: {UNCLOSED}")
    first = text.strip().splitlines()[0] if text.strip() else type(error).__name__
    return DataError(f"{at} cannot be read: {first}")

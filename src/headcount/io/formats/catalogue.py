"""The formats that files are read in, in the order in which they are tried."""

from __future__ import annotations

from headcount.io.formats.base import File, Format
from headcount.io.formats.csv import Csv
from headcount.io.formats.json_lines import JsonLines
from headcount.io.formats.parquet import Parquet

__all__ = ["FORMATS", "format_of"]

FORMATS: list[Format] = [Parquet(), JsonLines(), Csv()]


def format_of(file: File) -> Format:
    """Find the format of a file; text with columns, the likeliest, if nothing says what it is."""
    return next((one for one in FORMATS if one.knows(file)), FORMATS[-1])

"""The formats that files are read in, in the order in which they are tried."""

from __future__ import annotations

from headcount.errors import unknown_name
from headcount.io.formats.base import File, Format
from headcount.io.formats.csv import Csv
from headcount.io.formats.excel import Excel
from headcount.io.formats.json_lines import Json, JsonLines
from headcount.io.formats.parquet import Parquet

__all__ = ["FORMATS", "format_of"]

FORMATS: list[Format] = [Parquet(), Excel(), JsonLines(), Json(), Csv()]


def format_of(file: File, wanted: str | None = None) -> Format:
    """Find the format of a file, or the one that is wanted, by its name.

    Text with columns, the likeliest, if nothing says what it is.
    """
    if wanted is not None:
        named = {one.name: one for one in FORMATS}
        if wanted not in named:
            raise unknown_name("format", wanted, list(named), option_name="format")
        return named[wanted]
    return next((one for one in FORMATS if one.knows(file)), FORMATS[-1])

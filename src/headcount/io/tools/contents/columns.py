"""Text in columns: its delimiter, and its rows."""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Iterator

__all__ = ["delimiter_of", "rows_of"]

FIELD = 1 << 24
"""Letters of a field."""


def delimiter_of(text: str) -> str:
    r"""Find what stands between columns: what gives most of them in the first row.

    Examples
    --------
    >>> delimiter_of("sep=;\na;b,c;d\n"), delimiter_of("a,b\n")
    (';', ',')
    """

    def columns(delimiter: str) -> int:
        try:
            lines = io.StringIO(_without_sep(text), newline="")
            return len(next(csv.reader(lines, delimiter=delimiter), list[str]()))
        except csv.Error:
            return 0

    return max(",\t;|", key=columns)


def rows_of(text: str, delimiter: str) -> Iterator[list[str]]:
    """Split text into rows, blank ones left out; csv.Error for what cannot be split."""
    before = csv.field_size_limit(FIELD)
    try:
        lines = io.StringIO(_without_sep(text), newline="")
        for row in csv.reader(lines, delimiter=delimiter):
            if any(cell.strip() for cell in row):
                yield row
    finally:
        csv.field_size_limit(before)


def _without_sep(text: str) -> str:
    """Leave out a first line that names the delimiter for Excel; which one it is, others show."""
    first, _, rest = text.partition("\n")
    return rest if re.fullmatch(r'"?sep=[,;|\t]"?[,;|]*\r?', first, re.IGNORECASE) else text

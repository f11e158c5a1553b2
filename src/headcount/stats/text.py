"""Numbers and tables as plain text."""

from __future__ import annotations

import textwrap
from collections.abc import Collection, Sequence
from unicodedata import combining, east_asian_width

__all__ = ["columns", "percent", "wrap"]

WIDTH = 80


def columns(
    head: Sequence[str], body: Sequence[Sequence[str]], *, rules: Collection[int] = ()
) -> list[str]:
    r"""Align a table: first column to the left, the others to the right, at most 80 wide.

    Heads are broken over lines, and a first column that is too long is shortened in the middle.
    Lines are drawn before the rows in `rules`.

    Examples
    --------
    >>> print("\n".join(columns(["who", "worth in raters"], [["a", "2.0"], ["bc", "13.5"]])))
    who   worth
             in
         raters
    -----------
    a       2.0
    bc     13.5
    """
    widths = [max([_width(row[i]) for row in body] or [0]) for i in range(len(head))]
    widths = [max(w, *map(_width, name.split())) for w, name in zip(widths, head, strict=True)]
    widths[0] = min(widths[0], max(12, WIDTH - sum(widths[1:]) - 2 * (len(widths) - 1)))
    heads = [textwrap.wrap(name, width) for name, width in zip(head, widths, strict=True)]
    depth = max(map(len, heads))
    top = [
        _line([name[row] if row < len(name) else "" for name in heads], widths)
        for row in range(depth)
    ]
    rule = "-" * (sum(widths) + 2 * (len(widths) - 1))
    lines: list[str] = []
    for place, row in enumerate(body):
        lines += [rule, _line(row, widths)] if place in rules else [_line(row, widths)]
    return [*top, rule, *lines]


def _line(cells: Sequence[str], widths: Sequence[int]) -> str:
    first = cells[0]
    keep = len(first)
    while _width(first) > widths[0]:
        # Names often differ at either end, so the middle goes.
        keep -= 1
        first = f"{cells[0][: (keep + 1) // 2]}…{cells[0][len(cells[0]) - keep // 2 :]}"
    padded = [first + " " * (widths[0] - _width(first))]
    padded += [
        " " * (w - _width(cell)) + cell for cell, w in zip(cells[1:], widths[1:], strict=True)
    ]
    return "  ".join(padded).rstrip()


def _width(text: str) -> int:
    """Columns that a text takes on a terminal: two for a wide character, none for an accent."""
    return sum(0 if combining(c) else 2 if east_asian_width(c) in "WF" else 1 for c in text)


def percent(level: float) -> str:
    """Write a coverage.

    Examples
    --------
    >>> percent(0.95), percent(0.999)
    ('95%', '99.9%')
    """
    return f"{100 * level:g}%"


def wrap(text: str, indent: str = "") -> str:
    """Fold a sentence to 80 columns, later lines indented."""
    return textwrap.fill(
        text, WIDTH, subsequent_indent=indent, break_long_words=False, break_on_hyphens=False
    )

"""Whether data hold rankings: tables with names of columns, without, and uneven rows."""

from __future__ import annotations

import csv
from os import PathLike
from pathlib import Path
from typing import Any, cast

import numpy as np

from headcount.io.comparisons.rankings.best_worst import BestWorst
from headcount.io.comparisons.rankings.in_one_column import InOneColumn
from headcount.io.comparisons.rankings.names import ORDINALS, numbered
from headcount.io.comparisons.rankings.one_column_a_place import IN_ORDER
from headcount.io.comparisons.rankings.one_column_an_item import OneColumnAnItem
from headcount.io.roles.roles import find_role, plain_name
from headcount.io.tables.table import Table

__all__ = [
    "header_is_ranking",
    "holds_rankings",
    "holds_ranks",
    "rows_are_rankings",
    "uneven_rows",
]

MOST_TEXT = 50_000_000
"""Characters of a file of rankings of different lengths, at most."""
KNOWN = ("outcome", "winner", "loser", "rater")
"""Roles whose names tell a header from a ranking."""
MOST_TWICE = 0.05
"""Share of rows that may name an item twice if rows are rankings."""


def holds_rankings(table: Table) -> bool:
    """Whether a table of anything holds rankings, by names that nothing else has.

    Numbered columns may as well be raters': they must be called ranks or places, or stand beside
    the best or the worst.
    """
    nothing: dict[str, str | None] = dict.fromkeys(("left", "right", "outcome"))
    if BestWorst().find(table, nothing) or InOneColumn().find(table, nothing):
        return True
    places = IN_ORDER.find(table, nothing) or {}
    names = [plain_name(table.names[column]) for column in places.values()]
    sure = ("rank", "place", *ORDINALS)
    return bool(names) and all(name.startswith(sure) for name in names)


def holds_ranks(table: Table) -> bool:
    """Whether rows of a table are ranks of its columns, which may as well be ratings."""
    nothing: dict[str, str | None] = dict.fromkeys(("left", "right", "outcome"))
    return table.rows > 2 and OneColumnAnItem().find(table, nothing) is not None


def header_is_ranking(table: Table) -> bool:
    """Whether what should be the header is a ranking: names that come again below it."""
    names = [name.strip() for name in table.names]
    if len(names) < 3 or not all(names) or len(set(names)) < len(names) or numbered(names):
        return False
    if table.nested() or any(find_role(names, role) is not None for role in KNOWN):
        return False  # before any column is read, which takes long
    known = {text for column in range(len(names)) for text in table.codes(column)[1]}
    return set(names) <= known and rows_are_rankings(table)


def rows_are_rankings(table: Table) -> bool:
    """Whether rows without names of columns are items in order, and not a pair and its outcome.

    All columns hold the same items, of which none comes twice in a row.
    """
    columns = range(len(table.names))
    if len(columns) < 3 or table.nested() or not table.rows:
        return False
    texts = [set(table.codes(column)[1]) for column in columns]
    first = texts[0] | texts[1]
    if not all(2 * len(one & first) > len(one) for one in texts[2:]):
        return False
    coded = [table.codes(column) for column in columns]
    place = {text: i for i, text in enumerate(dict.fromkeys(t for _, ts in coded for t in ts))}
    rows = np.stack([np.array([*(place[t] for t in ts), -1])[codes] for codes, ts in coded])
    rows = np.sort(rows, axis=0)
    twice = ((rows[1:] == rows[:-1]) & (rows[1:] >= 0)).any(axis=0)
    return bool(twice.mean() < MOST_TWICE)


def uneven_rows(data: Any) -> list[tuple[str | None, ...]] | None:
    """Rows of a text file of rankings of different lengths, which no reader of tables takes.

    None for anything else: one with a header, or in which items do not come again.
    """
    if not isinstance(data, str | PathLike):
        return None
    path = Path(cast("str | PathLike[str]", data))
    if path.suffix.lower() not in (".csv", ".tsv", ".txt") or not path.is_file():
        return None
    try:
        with path.open(encoding="utf-8-sig") as file:
            first = file.readline(MOST_TEXT)
            sign = max(",;\t", key=first.count)
            names = [cell.strip() for row in csv.reader([first], delimiter=sign) for cell in row]
            if any(find_role(names, role) is not None for role in KNOWN):
                return None  # before all of it is read
            lines = [first, *file.readlines(MOST_TEXT)]
            if file.readline(1):
                return None  # more than is read here: none of it, rather than some
        read = csv.reader(lines, delimiter=sign)
        rows = [[cell.strip() for cell in row] for row in read if row]
    except (OSError, UnicodeDecodeError, csv.Error):
        return None
    widths = {len(row) for row in rows}
    if len(widths) < 2 or min(widths) < 2:
        return None
    items = [cell for row in rows for cell in row]
    again = set(rows[0]) <= {cell for row in rows[1:] for cell in row}
    if not again or 2 * len(set(items)) > len(items) or any(len({*r}) < len(r) for r in rows):
        return None
    width = max(widths)
    return [(*row, *[None] * (width - len(row))) for row in rows]

"""Whether the first row of a file names the columns, or is data already."""

from __future__ import annotations

import re
from collections.abc import Callable

from headcount.data.vocabulary import number_of
from headcount.errors import DataError
from headcount.io.ratings.shapes.base import LONG
from headcount.io.ratings.shapes.unnamed import are_long
from headcount.io.roles.names import ROLES
from headcount.io.roles.roles import plain_name
from headcount.io.tables.table import Table
from headcount.results.notes import Note

__all__ = ["names_are_data", "with_header"]

_ENOUGH = 20
"""Items that show how items are called."""
_KNOWN = frozenset(name for role in (*LONG, "classifier") for name in ROLES[role])


def names_are_data(table: Table) -> bool:
    """Whether what should be names of columns are an item and what was said of it.

    None of them is a name by which columns are known, and all are said below. Raters may be called
    like labels (1, 2, 3), so that either the first name is called as items are (t0 above t1), or
    each other is a value of its own column and they are no numbers in order.
    """
    names = table.names
    if table.form != "named" or table.exported or table.backend is not None or len(names) < 2:
        return False
    if table.nested() or any(not name or plain_name(name) in _KNOWN for name in names):
        return False
    if _called_alike(names[0], table.codes(0)[1]):
        said = {value for column in range(1, len(names)) for value in table.codes(column)[1]}
        return said.issuperset(names[1:])
    # Mostly the second column tells that it is none, so that others need not be read twice.
    return not _numbered(names[1:]) and all(
        name in table.codes(column)[1] for column, name in enumerate(names) if column
    )


def with_header(table: Table, opened: Callable[[], Table]) -> Table:
    """Take a file as it is; or, if its first row is data, without a header.

    Three columns are item, rater and label, if they can be nothing else. Others are refused: the
    first row would be lost, and raters called like what it says.

    Parameters
    ----------
    table : Table
        The file, read with a header.
    opened : callable
        Opens it without.
    """
    if not table.sources or not names_are_data(table):
        return table
    whole = opened()
    if whole.form != "records":  # names are not in the first row
        return table
    if not _is_long(whole):
        shown = ",".join(table.names[:4]) + (",..." if len(table.names) > 4 else "")
        raise DataError(
            f"{table.source}: the first row seems to be data ({shown}), and must name the columns. "
            "Put a row above it, such as item,ann,bob if each row is an item, or item,rater,label "
            "(in the order of the columns) if each is a rating."
        )
    note = Note(
        f"{table.source}: its first row is data, so it has no header; read as item, rater, label.",
        "caution",
    )
    whole.notes = (*whole.notes, note)
    return whole


def _is_long(table: Table) -> bool:
    """Whether rows are an item, a rater and a label, as far as values tell."""
    return len(table.names) == len(LONG) and are_long(table, range(len(LONG)))


def _numbered(names: list[str]) -> bool:
    """Whether names count from 0 or 1 on."""
    numbers = [number_of(name) for name in names]
    return any(numbers == list(range(start, start + len(names))) for start in (0, 1))


def _called_alike(name: str, items: list[str]) -> bool:
    """Whether items are called like a name but for their numbers."""

    def shape(text: str) -> str:
        return re.sub(r"\d+", "0", text)

    return all(shape(item) == shape(name) for item in items[:_ENOUGH])

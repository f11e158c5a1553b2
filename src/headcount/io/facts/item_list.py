"""Read a list of items."""

from __future__ import annotations

from typing import Any, cast

from headcount.errors import DataError, count
from headcount.io.roles.roles import item_column
from headcount.io.tables.open_table import open_table

__all__ = ["read_items"]

_ROWS = (list, tuple, dict)


def read_items(data: Any) -> tuple[list[str], str]:
    """Read items, each once, in order; other columns do not matter.

    Parameters
    ----------
    data : path, frame, dict of columns or rows; or list of items
        With names of columns; items are in the column named item or the like, else in the first.

    Returns
    -------
    list of str, str
        The items, and where they were found: a list without a header loses its first item to it,
        which a reader should be able to see.

    Examples
    --------
    >>> read_items({"item": ["a", "b", None, "a"], "text": ["A", "B", "C", "A"]})
    (['a', 'b'], "items: 2 items in the column 'item'.")
    """
    if isinstance(data, list):
        listed = cast("list[Any]", data)
        data = listed if any(isinstance(one, _ROWS) for one in listed) else {"item": listed}
    table = open_table(data, name="items")
    column = item_column(table)
    codes, texts = table.codes(column)
    if not (codes >= 0).any():
        raise DataError(f"{table.source}: no items; every row is blank.")
    return texts, (
        f"{table.source}: {count(len(texts), 'item')} in the column '{table.names[column]}'."
    )

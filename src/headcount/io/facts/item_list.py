"""Read a list of items."""

from __future__ import annotations

from typing import Any, cast

from headcount.errors import DataError, count
from headcount.io.roles.roles import find_role, item_column
from headcount.io.tables.open_table import open_table
from headcount.results.notes import Note

__all__ = ["read_item_columns", "read_items"]

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


def read_item_columns(data: Any) -> tuple[list[str], dict[str, dict[str, str]], Note]:
    """Read items, each once, and what other columns say of them.

    Parameters
    ----------
    data : path, frame, dict of columns or rows
        As for :func:`read_items`.

    Returns
    -------
    list of str, dict of str to dict of str to str, Note
        The items; for each other column, what it says of each item, in its first row; and where
        the items were found: a caution if the name of the only column may be an item.

    Examples
    --------
    >>> read_item_columns({"item": ["a", "b"], "text": ["A", None]})
    (['a', 'b'], {'text': {'a': 'A', 'b': ''}}, "items: 2 items in the column 'item'.")
    """
    names, where = read_items(data)
    table = open_table(data, name="items")
    own = item_column(table)
    codes, _ = table.codes(own)
    first: dict[int, int] = {}
    for row, code in enumerate(codes.tolist()):
        if code >= 0:
            first.setdefault(code, row)
    others: dict[str, dict[str, str]] = {}
    for column, title in enumerate(table.names):
        if column == own:
            continue
        of_row, texts = table.codes(column)
        said = [*texts, ""]
        others[title] = {name: said[of_row[first[code]]] for code, name in enumerate(names)}
    if others or find_role(table.names, "item") is not None:
        return names, others, Note(where)
    first_line = (
        f" Its first line, '{table.names[own]}', is taken for the name of the column; if it is an "
        "item, add a line 'item' above it."
    )
    return names, others, Note(where + first_line, "caution")

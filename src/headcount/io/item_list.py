"""Read a list of items."""

from __future__ import annotations

from typing import Any

from headcount.errors import DataError, count
from headcount.io.ratings import item_column
from headcount.io.table import open_table

__all__ = ["read_items"]


def read_items(data: Any) -> tuple[list[str], str]:
    """Read the items of a file or a frame, each once, in order; other columns do not matter.

    Parameters
    ----------
    data : path or frame
        With a header; items are in the column named item or the like, else in the first.

    Returns
    -------
    list of str, str
        The items, and where they were found: a list without a header loses its first item to it,
        which a reader should be able to see.

    Examples
    --------
    >>> import polars as pl
    >>> read_items(pl.DataFrame({"item": ["a", "b", None, "a"], "text": ["A", "B", "C", "A"]}))
    (['a', 'b'], "items: 2 items in the column 'item'.")
    """
    table = open_table(data, name="items")
    column = item_column(table, None)
    codes, texts = table.codes(column)
    if not (codes >= 0).any():
        raise DataError(f"{table.source}: no items; every row is blank.")
    return texts, (
        f"{table.source}: {count(len(texts), 'item')} in the column '{table.names[column]}'."
    )

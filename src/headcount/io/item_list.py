"""Read a list of items."""

from __future__ import annotations

from typing import Any

from headcount.errors import DataError
from headcount.io.ratings import item_column
from headcount.io.table import open_table

__all__ = ["read_items"]


def read_items(data: Any) -> list[str]:
    """Read the items of a file or a frame, each once, in order; other columns do not matter.

    Parameters
    ----------
    data : path or frame
        With a header; items are in the column named item or the like, else in the first.

    Examples
    --------
    >>> import polars as pl
    >>> read_items(pl.DataFrame({"item": ["a", "b", None, "a"], "text": ["A", "B", "C", "A"]}))
    ['a', 'b']
    """
    table = open_table(data, name="items")
    codes, texts = table.codes(item_column(table, None))
    if not (codes >= 0).any():
        raise DataError(f"{table.source}: no items; every row is blank.")
    return texts

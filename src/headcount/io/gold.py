"""Read true values of items: from a file of their own, or from a column of the ratings."""

from __future__ import annotations

from typing import Any

import numpy as np

from headcount.errors import DataError
from headcount.io.ratings import item_column
from headcount.io.roles import file_or_column, given_role
from headcount.io.table import Table, column_numbers, open_table, row_numbers

__all__ = ["gold_of", "read_gold"]


def read_gold(
    data: Any, *, item: str | None = None, column: str | None = None
) -> dict[object, float]:
    """Read the true value of each item.

    Parameters
    ----------
    data : path or frame
        A column of items and one of numbers; or ratings, long or wide, with such a column.
    item : str, optional
        The item column. Default: one named as items are, or the first.
    column : str, optional
        The column of true values. Default: the only one beside the items.

    Returns
    -------
    dict of item to number
        Without the items whose value is blank.

    Notes
    -----
    An item in several rows has the same value in all of them, or none; else it is an error.
    O(rows).

    Examples
    --------
    >>> import polars as pl
    >>> columns = {"item": ["a", "a", "b"], "rater": [1, 2, 1], "label": [4, 5, 2]}
    >>> read_gold(pl.DataFrame(columns | {"gold": [5, 5, None]}), column="gold")
    {'a': 5.0}
    """
    table = open_table(data, name="gold" if column is None else "ratings")
    place = None if column is None else given_role(table, "true value", column)
    return _values(table, item_column(table, item), place)


def gold_of(
    source: str, ratings: Any, *, item: str | None = None
) -> tuple[dict[object, float], list[str]]:
    """Read true values from a file, or from the column of the ratings that is called so.

    Returns
    -------
    values : dict of item to number
    columns : list of str
        The column of the ratings, if it is one: it is no rater's.
    """
    table, column = file_or_column(source, ratings, "gold")
    if column is None:
        return _values(table, item_column(table, None), None), []
    return _values(table, item_column(table, item), column), [source]


def _values(table: Table, item: int, column: int | None) -> dict[object, float]:
    """Take the values of a column, one an item; None: the only column beside the items."""
    if column is None:
        others = [i for i in range(len(table.names)) if i != item and table.names[i]]
        if len(others) != 1:
            raise DataError(
                f"{table.source}: expected two columns, the item and its true value, not "
                f"{len(table.names)}."
            )
        column = others[0]
    if column == item:
        raise DataError(
            f"{table.source}: column '{table.names[item]}' is the item, and cannot be its true "
            "value. Name the item column with --item."
        )
    values = column_numbers(table, column)
    codes, texts = table.codes(item)
    at = f"{table.source}, column '{table.names[column]}'"
    known = np.flatnonzero((codes >= 0) & ~np.isnan(values))
    if not len(known):
        raise DataError(f"{at}: every row is blank. Give the true value of some items.")
    found, first = np.unique(codes[known], return_index=True)
    row = np.full(len(texts), -1)
    row[found] = known[first]
    differs = known[values[known] != values[row[codes[known]]]]
    if len(differs):
        again, rows = int(differs[0]), row_numbers(table, len(codes))
        before = int(row[codes[again]])
        raise DataError(
            f"{at}: item '{texts[codes[again]]}' has the true value {values[before]:g} in row "
            f"{rows[before]} and {values[again]:g} in row {rows[again]}. Give it one."
        )
    return {texts[int(codes[i])]: float(values[i]) for i in np.sort(row[found])}

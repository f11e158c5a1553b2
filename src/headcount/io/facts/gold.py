"""Read true values of items: from a file of their own, or from a column of the ratings."""

from __future__ import annotations

from typing import Any, cast

import numpy as np

from headcount.data.facts import Facts
from headcount.errors import DataError, count, option
from headcount.io.facts.item_facts import blank_rows
from headcount.io.roles.roles import ReadAs, described, given_role, item_column, named_roles
from headcount.io.tables.open_table import file_or_column, open_facts, open_table
from headcount.io.tables.table import Table

__all__ = ["gold_of", "read_gold"]


def read_gold(
    data: Any, *, item: str | None = None, column: str | None = None, name: str = "gold"
) -> Facts[float]:
    """Read the true value of each item.

    Parameters
    ----------
    data : path, frame, dict of columns or rows; or dict of item to number
        A column of items and one of numbers; or ratings, long or wide, with such a column.
    item : str, optional
        The item column. Default: one named as items are, or the first.
    column : str, optional
        The column of true values. Default: the only one beside the items.
    name : str
        What messages call it, if it is no file.

    Returns
    -------
    Facts
        The number of each item, without the items whose value is blank, as a dict.

    Notes
    -----
    An item in several rows has the same value in all of them, or none; else it is an error.
    O(rows).

    Examples
    --------
    >>> columns = {"item": ["a", "a", "b"], "rater": [1, 2, 1], "label": [4, 5, 2]}
    >>> read_gold(columns | {"gold": [5, 5, None]}, column="gold")
    {'a': 5.0}
    """
    if isinstance(data, Facts):
        return cast("Facts[float]", data)
    if column is None:
        table = open_facts(data, name=name, columns=("item", "gold"))
        return _values(table, item_column(table, item), None)
    table = open_table(data, name="ratings", kind="ratings")
    return _values(table, item_column(table, item), given_role(table, "true value", column))


def gold_of(
    source: str, ratings: Any, *, item: str | None = None
) -> tuple[Facts[float], list[str]]:
    """Read true values from a file, or from the column of the ratings that is called so.

    Returns
    -------
    values : Facts
        The number of each item, as a dict.
    columns : list of str
        The column of the ratings, if it is one: it is no rater's.
    """
    table, column = file_or_column(source, ratings, "gold")
    if column is None:
        return _values(table, item_column(table), None), []
    return _values(table, item_column(table, item), column), [source]


def _values(table: Table, item: int, column: int | None) -> Facts[float]:
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
            f"value. Name the item column with {option('item', '...')}."
        )
    values = table.only_numbers(column)
    codes, texts = table.codes(item)
    at = f"{table.source}, column '{table.names[column]}'"
    endless = np.flatnonzero((codes >= 0) & np.isinf(values))
    if len(endless):
        raise DataError(
            f"{table.at(int(endless[0]), column)}: {values[int(endless[0])]:g}. True values are "
            "finite numbers."
        )
    rows = np.flatnonzero((codes >= 0) & ~np.isnan(values))
    if not len(rows):
        raise DataError(f"{at}: every row is blank. Give the true value of some items.")
    items, first = np.unique(codes[rows], return_index=True)
    row = np.full(len(texts), -1)
    row[items] = rows[first]
    differs = rows[values[rows] != values[row[codes[rows]]]]
    if len(differs):
        again, numbers = int(differs[0]), table.row_numbers()
        before = int(row[codes[again]])
        raise DataError(
            f"{at}: item '{texts[codes[again]]}' has the true value {values[before]:g} in row "
            f"{numbers[before]} and {values[again]:g} in row {numbers[again]}. Give it one."
        )
    numbers = {texts[int(codes[i])]: float(values[i]) for i in np.sort(row[items])}
    note = f"{table.source}: true values of {count(len(numbers), 'item')}; "
    roles = {"item": item, "true value": column}
    text = f"{note}{described(table, roles)}."
    said = [ReadAs(text, named_roles(table, roles)), *blank_rows(table, item, column)]
    return Facts(numbers, source=table.source, notes=said, sources=table.sources)

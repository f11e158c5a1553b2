"""Read the stratum of each item, from a column of the ratings."""

from __future__ import annotations

from typing import Any

from headcount.data.facts import Facts
from headcount.errors import DataError
from headcount.io.facts.item_facts import one_value_each
from headcount.io.roles.roles import given_role, item_column
from headcount.io.tables.open_table import open_table

__all__ = ["read_strata"]


def read_strata(ratings: Any, column: str, *, item: str | None = None) -> Facts[str]:
    """Read the stratum of each item.

    Parameters
    ----------
    ratings : path, frame, dict of columns or rows
        Ratings, long or wide, with a column that is the same in all rows of an item.
    column : str
        That column.
    item : str, optional
        The item column. Default: one named as items are, or the first.

    Returns
    -------
    Facts
        The stratum of each item, without the items whose stratum is blank, as a dict.

    Examples
    --------
    >>> read_strata({"item": ["a", "b"], "ann": [1, 2], "topic": ["x", "y"]}, "topic")
    {'a': 'x', 'b': 'y'}
    """
    table = open_table(ratings, name="ratings")
    place = given_role(table, "stratum", column)
    items = item_column(table, item)
    if place == items:
        raise DataError(
            f"{table.source}: column '{column}' is the item, and cannot be its stratum."
        )
    values = one_value_each(table, items, place, "item '{name}' is in '{value}' here and '{first}'")
    return Facts(values, source=table.source, notes=[])

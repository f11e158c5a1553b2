"""Read true values of items."""

from __future__ import annotations

from typing import Any

import numpy as np

from headcount.errors import DataError
from headcount.io.ratings import item_column
from headcount.io.table import column_numbers, open_table

__all__ = ["read_gold"]


def read_gold(data: Any, *, item: str | None = None) -> dict[object, float]:
    """Read the true value of each item: a column of items, and one of numbers.

    Parameters
    ----------
    data : path or frame
    item : str, optional
        The item column. Default: one named as items are, or the first.

    Returns
    -------
    dict of item to number
        Without the items whose value is blank.
    """
    table = open_table(data, name="gold")
    column = item_column(table, item)
    others = [i for i in range(len(table.names)) if i != column and table.names[i]]
    if len(others) != 1:
        raise DataError(
            f"{table.source}: expected two columns, the item and its true value, not "
            f"{len(table.names)}."
        )
    values = column_numbers(table, others[0])
    codes, texts = table.codes(column)
    known = np.flatnonzero((codes >= 0) & ~np.isnan(values))
    return {texts[int(codes[row])]: float(values[row]) for row in known}

"""Comparisons of which a column says how often each row was the answer."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from headcount.io.roles.roles import find_role
from headcount.io.tables.table import Table

__all__ = ["MOST_REPEATED", "counts_column"]

MOST_REPEATED = 20_000_000
"""Comparisons that are written out one by one."""


def counts_column(table: Table, roles: Mapping[str, int]) -> int | None:
    """Find the column that counts answers; None if there is none, or it may be something else.

    Where answers are counted, no two rows are alike but for the count. A column that only numbers
    the rows is none.
    """
    column = find_role(table.names, "times")
    if column is None or column in roles.values() or column in table.nested() or not table.rows:
        return None
    numbers, wrong = table.numbers(column)
    if wrong.any() or np.isnan(numbers).any() or (numbers < 0).any() or (numbers % 1).any():
        return None
    if (np.diff(numbers) == 1).all() or not (numbers > 1).any():
        return None
    rows = np.stack([table.codes(i)[0] for i in roles.values()], axis=1)
    return column if len(np.unique(rows, axis=0)) == len(rows) else None

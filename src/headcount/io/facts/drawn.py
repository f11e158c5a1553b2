"""Read with which probability items were drawn to be labelled."""

from __future__ import annotations

from typing import Any

import numpy as np

from headcount.errors import DataError, HeadcountError
from headcount.io.roles.roles import find_role, plain_name
from headcount.io.tables.open_table import open_table
from headcount.io.tables.table import Table

__all__ = ["drawn_with", "has_raters", "read_drawn"]

DRAWN = ("probability", "inclusion_probability")
"""How a column is called that says with which probability items were drawn."""


def read_drawn(data: Any, name: str) -> tuple[dict[str, float], str | None]:
    """Read with which probability items were drawn to be labelled, and the column that tells.

    Empty, and None, where no column does.
    """
    table = _as_table(data, name)
    item = None if table is None else find_role(table.names, "item")
    column = None if table is None else drawn_column(table)
    if table is None or item is None or column is None:
        return {}, None
    return drawn_with(table, item, None, table.codes(item)[1]), table.names[column]


def has_raters(data: Any, name: str) -> bool:
    """Whether data are anything but a table of items and labels, as gold is."""
    table = _as_table(data, name)
    if table is None:
        return True
    roles = ("item", "label", "rater")
    item, label, rater = (find_role(table.names, role) for role in roles)
    return item is None or label is None or rater is not None


def _as_table(data: Any, name: str) -> Table | None:
    """Open a table; what is none is left to its own reader."""
    try:
        return open_table(data, name=name, kind="ratings")
    except HeadcountError:
        return None


def drawn_column(table: Table) -> int | None:
    """Find the column that says with which probability items were drawn."""
    plain = [plain_name(one) for one in table.names]
    return next((plain.index(one) for one in DRAWN if one in plain), None)


def drawn_with(table: Table, item: int, label: int | None, names: list[str]) -> dict[str, float]:
    """Find the probability with which each item was drawn, in a column of that name."""
    column = drawn_column(table)
    if column is None or column in (item, label):
        return {}
    items, _ = table.codes(item)
    values, wrong = table.numbers(column)
    given = ~np.isnan(values) & (items >= 0)
    bad = np.flatnonzero((wrong & (items >= 0)) | (given & ~((values > 0) & (values <= 1))))
    if len(bad):
        raise DataError(
            f"{table.source}, item '{names[int(items[bad[0]])]}', column "
            f"'{table.names[column]}': the probability with which an item was drawn must be above "
            "0 and at most 1. Rename the column if it means something else."
        )
    found: dict[str, float] = {}
    rows: list[tuple[int, float]] = list(
        zip(items[given].tolist(), values[given].tolist(), strict=True)
    )
    for code, value in rows:
        if found.setdefault(names[code], value) != value:
            raise DataError(
                f"{table.source}, item '{names[code]}': drawn with probability {value:g} here and "
                f"{found[names[code]]:g} before. Give one probability an item."
            )
    return found

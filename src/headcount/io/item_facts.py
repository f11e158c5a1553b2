"""Read what is known of items beforehand: anchors and covariates."""

from __future__ import annotations

from typing import Any

import numpy as np

from headcount.errors import DataError, some
from headcount.io.ratings import item_column
from headcount.io.roles import find_role
from headcount.io.table import Table, column_numbers, open_table, row_numbers

__all__ = ["read_anchors", "read_covariates"]


def read_anchors(data: Any) -> dict[str, str]:
    """Read the items that fix where ratings are cut into labels.

    Parameters
    ----------
    data : path or frame
        A column of items, and perhaps one that says of each whether it is positive, negative or at
        the boundary. Without it all are at the boundary.

    Returns
    -------
    dict of item to side

    Examples
    --------
    >>> import polars as pl
    >>> read_anchors(pl.DataFrame({"item": ["a", "b"], "label": ["positive", "negative"]}))
    {'a': 'positive', 'b': 'negative'}
    """
    table = open_table(data, name="anchors")
    item = item_column(table, None)
    others = [i for i in range(len(table.names)) if i != item]
    label = find_role(table.names, "label")
    if label is None or label == item:
        label = others[0] if len(others) == 1 else None
    if label is None and others:
        raise DataError(
            f"{table.source}: expected the columns item and label (positive, negative or "
            f"boundary), or items alone; found {some(table.names, 12)}."
        )
    items, texts = table.codes(item)
    rows: list[int] = items.tolist()
    sides, words = (None, []) if label is None else table.codes(label)
    found: dict[str, str] = {}
    for row, code in enumerate(rows):
        if code < 0 or (sides is not None and sides[row] < 0):
            continue
        side = "boundary" if sides is None else words[int(sides[row])]
        if found.setdefault(texts[code], side) != side:
            raise DataError(
                f"{_row(table, row, len(items))}: item '{texts[code]}' is {side} here and "
                f"{found[texts[code]]} above. Keep one."
            )
    if not found:
        raise DataError(f"{table.source}: no anchors; every row is blank.")
    return found


def read_covariates(data: Any) -> dict[object, dict[str, float]]:
    """Read numbers that describe items: a column of items, all others numbers.

    Returns
    -------
    dict of item to numbers, by the names of their columns

    Examples
    --------
    >>> import polars as pl
    >>> read_covariates(pl.DataFrame({"item": ["a", "b"], "words": [10, 20]}))
    {'a': {'words': 10.0}, 'b': {'words': 20.0}}
    """
    table = open_table(data, name="covariates")
    item = item_column(table, None)
    others = [i for i in range(len(table.names)) if i != item]
    if not others:
        raise DataError(f"{table.source}: expected a column of numbers beside the items.")
    items, texts = table.codes(item)
    rows: list[int] = items.tolist()
    values = np.stack([column_numbers(table, column) for column in others], axis=1)
    names = [table.names[column] for column in others]
    found: dict[object, dict[str, float]] = {}
    for row, code in enumerate(rows):
        if code < 0:
            continue
        blank = np.flatnonzero(np.isnan(values[row]))
        if len(blank):
            raise DataError(
                f"{_row(table, row, len(items))}, column '{names[blank[0]]}': blank. "
                "Every item needs every covariate."
            )
        numbers = dict(zip(names, values[row].tolist(), strict=True))
        if found.setdefault(texts[code], numbers) != numbers:
            raise DataError(
                f"{_row(table, row, len(items))}: item '{texts[code]}' has other covariates above. "
                "Keep one row."
            )
    return found


def _row(table: Table, row: int, rows: int) -> str:
    return f"{table.source}, row {row_numbers(table, rows)[row]}"

"""Read what is known of items beforehand: anchors and covariates."""

from __future__ import annotations

from typing import Any, cast

import numpy as np

from headcount.data.facts import Facts
from headcount.errors import DataError, count, some
from headcount.io.roles.roles import find_role, item_column
from headcount.io.tables.open_table import open_facts, open_table
from headcount.io.tables.table import Table
from headcount.io.values.missing import without_missing
from headcount.results.notes import Note

__all__ = ["blank_rows", "one_value_each", "read_anchors", "read_covariates"]

SIDES = ("positive", "negative", "boundary")
"""Sides of a cut on which an item may lie."""


def read_anchors(data: Any, *, name: str = "anchors") -> Facts[str]:
    """Read the items that fix where ratings are cut into labels.

    Parameters
    ----------
    data : path, frame, dict of columns or rows; or dict of item to side
        A column of items, and perhaps one that says of each whether it is positive, negative or at
        the boundary. Without it all are at the boundary.
    name : str
        What messages call it, if it is no file.

    Returns
    -------
    Facts
        The side of each item, as a dict.

    Examples
    --------
    >>> read_anchors({"item": ["a", "b"], "label": ["positive", "negative"]})
    {'a': 'positive', 'b': 'negative'}
    """
    if isinstance(data, Facts):
        return cast("Facts[str]", data)
    table = open_facts(data, name=name, columns=("item", "label"))
    item = item_column(table)
    others = [i for i in range(len(table.names)) if i != item]
    label = find_role(table.names, "label", besides=item)
    if label is None and len(others) == 1:
        label = others[0]
    if label is None and others:
        raise DataError(
            f"{table.source}: expected the columns item and label (positive, negative or "
            f"boundary), or items alone; found {some(table.names, 12)}."
        )
    if label is None:
        anchors = dict.fromkeys(table.codes(item)[1], "boundary")
    else:
        _check_sides(table, label)
        anchors = one_value_each(table, item, label, "item '{name}' is {value} here and {first}")
        anchors = {name: side.lower() for name, side in anchors.items()}
    if not anchors:
        raise DataError(f"{table.source}: no anchors; every row is blank.")
    columns = [item] if label is None else [item, label]
    notes = blank_rows(table, *columns)
    return Facts(anchors, source=table.source, notes=notes, sources=table.sources)


def _check_sides(table: Table, column: int) -> None:
    """Refuse a side that is none, with its row."""
    codes, texts, _ = without_missing(*table.codes(column))
    for code, text in enumerate(texts):
        if text.lower() not in SIDES:
            row = int(np.argmax(codes == code))
            raise DataError(
                f"{table.at(row, column)}: '{text}'. Expected positive, negative or boundary, or a "
                "blank."
            )


def blank_rows(table: Table, *columns: int) -> list[Note]:
    """Say how many rows are left out because one of these columns is blank."""
    blank = np.zeros(table.rows, dtype=bool)
    for column in columns:
        blank |= without_missing(*table.codes(column))[0] < 0
    if not blank.any():
        return []
    names = " or ".join(f"'{table.names[column]}'" for column in columns)
    rows = count(int(blank.sum()), "row")
    return [Note(f"{table.source}: {rows} without {names} left out.")]


def one_value_each(table: Table, key: int, column: int, twice: str) -> dict[str, str]:
    """Take one value a name; a row that gives another is an error, and one with a blank is not.

    `twice` says of which {name}, what the {value} is, and what was the {first}, "above".
    """
    codes, names = table.codes(key)
    given, values, _ = without_missing(*table.codes(column))
    out: dict[str, str] = {}
    for row in np.flatnonzero((codes >= 0) & (given >= 0)).tolist():
        name, value = names[int(codes[row])], values[int(given[row])]
        first = out.setdefault(name, value)
        if first != value:
            text = twice.format(name=name, value=value, first=first)
            raise DataError(f"{table.at(row)}: {text} above. Keep one.")
    return out


def read_covariates(data: Any, *, name: str = "covariates") -> Facts[dict[str, float]]:
    """Read numbers that describe items.

    Parameters
    ----------
    data : path, frame, dict of columns or rows
        A column of items; all others are numbers.
    name : str
        What messages call it, if it is no file.

    Returns
    -------
    Facts
        The numbers of each item by the names of their columns, as a dict of dicts.

    Examples
    --------
    >>> read_covariates({"item": ["a", "b"], "words": [10, 20]})
    {'a': {'words': 10.0}, 'b': {'words': 20.0}}
    """
    if isinstance(data, Facts):
        return cast("Facts[dict[str, float]]", data)
    table = open_table(data, name=name)
    item = item_column(table)
    others = [i for i in range(len(table.names)) if i != item]
    if not others:
        raise DataError(f"{table.source}: expected a column of numbers beside the items.")
    items, texts = table.codes(item)
    values = np.stack([table.only_numbers(column) for column in others], axis=1)
    names = [table.names[column] for column in others]
    out: dict[str, dict[str, float]] = {}
    for row in np.flatnonzero(items >= 0).tolist():
        blank = np.flatnonzero(~np.isfinite(values[row]))
        if len(blank):
            raise DataError(
                f"{table.at(row, others[int(blank[0])])}: blank, or not finite. Every item needs "
                "every covariate."
            )
        numbers = dict(zip(names, values[row].tolist(), strict=True))
        item_name = texts[int(items[row])]
        if out.setdefault(item_name, numbers) != numbers:
            raise DataError(
                f"{table.at(row)}: item '{item_name}' has other covariates above. Keep one row."
            )
    if not out:
        raise DataError(f"{table.source}: no covariates; no row has an item.")
    notes = blank_rows(table, item)
    return Facts(out, source=table.source, notes=notes, sources=table.sources)

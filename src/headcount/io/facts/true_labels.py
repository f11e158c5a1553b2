"""Read gold labels of items, from experts or a crowd."""

from __future__ import annotations

from typing import Any, cast

import numpy as np

from headcount.data.facts import Facts
from headcount.errors import DataError, count, some
from headcount.io.facts.drawn import drawn_with
from headcount.io.ratings.header import names_are_data
from headcount.io.roles.roles import (
    ReadAs,
    described,
    find_role,
    given_role,
    item_column,
    named_roles,
)
from headcount.io.tables.open_table import open_facts
from headcount.io.tables.table import Table
from headcount.io.values.missing import without_missing
from headcount.results.notes import Notes

__all__ = ["read_truth"]


def read_truth(
    data: Any, *, item: str | None = None, label: str | None = None, name: str = "gold"
) -> Facts[str]:
    """Read the labels of items that experts or a crowd gave.

    Parameters
    ----------
    data : path, frame, dict of columns or rows; or dict of item to label
        Columns for the item and its label. Where an item has several rows, as from a crowd, the
        most frequent label counts, and items whose labels tie are left out. A column
        `probability` says with which probability an item was drawn, as
        :func:`headcount.next_items` writes it.
    item, label : str, optional
        The columns, where their names do not tell.
    name : str
        What messages call it, if it is no file.

    Returns
    -------
    Facts
        The label of each item, without items whose label is blank, as a dict; its `notes` say how
        columns were read and what was left out, `drawn` the probability of each item, if known.

    Examples
    --------
    >>> gold = read_truth({"item": ["a", "a", "a", "b"], "gold": ["x", "y", "x", "y"]})
    >>> gold
    {'a': 'x', 'b': 'y'}
    >>> gold.notes[-1]
    'gold: 1 item in several rows; the most frequent label counts.'
    """
    if isinstance(data, Facts):
        return cast("Facts[str]", data)
    table = open_facts(data, name=name, columns=("item", "label"))
    if table.sources and names_are_data(table):
        raise DataError(
            f"{table.source}: the first row seems to be data ({','.join(table.names[:4])}), and "
            "must name the columns. Put a row above it, such as item,gold."
        )
    column = item_column(table, item)
    labels = _truth_column(table, column, label)
    items, item_texts = table.codes(column)
    given, texts, _ = without_missing(*table.codes(labels))
    whole = (items >= 0) & (given >= 0)
    blank = int((~whole).sum())
    if not whole.any():
        raise DataError(f"{table.source}: no item has a label in '{table.names[labels]}'.")
    counts = np.zeros((len(item_texts), len(texts)), dtype=np.int64)
    np.add.at(counts, (items[whole], given[whole]), 1)
    most = counts.max(axis=1)
    clear = (most > 0) & ((counts == most[:, None]).sum(axis=1) == 1)
    roles = {"item": column, "label": labels}
    text = (
        f"{table.source}: labels of {count(int(clear.sum()), 'item')}; {described(table, roles)}."
    )
    notes = Notes([ReadAs(text, named_roles(table, roles))])
    if blank:
        notes.info(f"{table.source}: {count(blank, 'row')} without an item or a label left out.")
    several = int((counts.sum(axis=1) > 1).sum())
    if several:
        notes.info(
            f"{table.source}: {count(several, 'item')} in several rows; the most frequent label "
            "counts."
        )
    ties = int(((most > 0) & ~clear).sum())
    if ties:
        notes.caution(f"{table.source}: {count(ties, 'item')} left out, whose labels tie.")
    chosen = np.flatnonzero(clear).tolist()
    truth = {item_texts[i]: texts[int(counts[i].argmax())] for i in chosen}
    drawn = drawn_with(table, column, labels, item_texts)
    if drawn:
        missing = [name for name in truth if name not in drawn]
        if missing:
            raise DataError(
                f"{table.source}: {count(len(missing), 'labelled item')} without a probability: "
                f"{some(missing)}. Give every item the probability with which it was drawn, or "
                "leave the column out."
            )
        notes.caution(
            f"{table.source}: items count by the inverse of the probability with which they were "
            "drawn (column 'probability'). Rename the column if it means something else."
        )
        drawn = {name: drawn[name] for name in truth}
    return Facts(truth, source=table.source, notes=notes, sources=table.sources, drawn=drawn)


def _truth_column(table: Table, item: int, label: str | None) -> int:
    if label is not None:
        return given_role(table, "label", label)
    for role in ("truth", "label"):
        if (column := find_role(table.names, role, besides=item)) is not None:
            return column
    others = [i for i in range(len(table.names)) if i != item and table.names[i]]
    if len(others) != 1:
        raise DataError(
            f"{table.source}: which column is the label of items? Call it label, gold or truth, "
            f"one row per label. Columns: {some(table.names, 12)}."
        )
    return others[0]

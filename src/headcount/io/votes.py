"""Read what blind evaluation needs: classifiers' labels, gold labels of items, and groups."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from headcount.data.labels import Labels
from headcount.data.predictions import Predictions
from headcount.errors import DataError, count, some
from headcount.io.predictions import read_predictions
from headcount.io.ratings import WRITTEN_MISSING, item_column, read_ratings
from headcount.io.roles import find_role, given_role
from headcount.io.table import Table, open_table, row_numbers

__all__ = ["read_groups", "read_truth", "read_votes"]

TRUTHS = ("gold", "truth", "true", "gold_label", "true_label", "ground_truth", "label")
"""Names by which a column of gold labels is recognised, likeliest first."""


def read_votes(
    data: Any,
    *,
    item: str | None = None,
    classifier: str | None = None,
    label: str | None = None,
    labels: Sequence[str] | None = None,
    duplicates: str = "error",
    ignore: Sequence[str] = (),
) -> Labels | Predictions:
    """Read the labels that classifiers, judges or crowd workers gave to items.

    Long (item, classifier or rater or worker, label and perhaps probability), or wide (item, then
    a column of labels a classifier, or columns ``name:label`` of probabilities).

    Parameters
    ----------
    data : path or frame
        CSV, TSV, JSON lines or Parquet, gzipped or not; or any frame that narwhals reads.
    item, classifier, label : str, optional
        Columns that play these roles, where their names do not tell.
    labels : sequence of str, optional
        All the labels that could be given, in order. Default: those that were.
    duplicates : {"error", "first", "all"}
        What to do when a classifier labels an item twice; with 'all' each is a vote.
    ignore : sequence of str
        Columns that are not read, such as one of gold labels beside the classifiers.

    Returns
    -------
    Labels or Predictions
        Predictions if some are probabilities.

    Examples
    --------
    >>> import polars as pl
    >>> read_votes(pl.DataFrame({"item": [1, 1], "model": ["a", "b"], "label": ["yes", "no"]}))
    Labels: 2 ratings of 1 item by 2 raters; labels no, yes
    """
    table = open_table(data, name="predictions", ignore=ignore)
    named, told = find_role(table.names, "classifier"), classifier or label
    long = named is not None and find_role(table.names, "label") is not None
    uncertain = long and find_role(table.names, "probability") is not None
    if not told and (uncertain or sum(":" in name for name in table.names) > 1):
        predictions = read_predictions(data, item=item, ignore=ignore)
        if any(c.kind == "soft" for c in predictions.classifiers):
            return predictions
    if classifier is None and named is not None and long:
        classifier = table.names[named]
    return read_ratings(
        data,
        item=item,
        rater=classifier,
        label=label,
        labels=labels,
        duplicates=duplicates,
        ignore=ignore,
    )


def read_truth(
    data: Any, *, item: str | None = None, label: str | None = None
) -> tuple[dict[str, str], tuple[str, ...]]:
    """Read the labels of items that experts or a crowd gave.

    Parameters
    ----------
    data : path or frame
        Columns for the item and its label. Where an item has several rows, as from a crowd, the
        most frequent label counts, and items whose labels tie are left out.
    item, label : str, optional
        The columns, where their names do not tell.

    Returns
    -------
    labels : dict of item to label
        Without items whose label is blank.
    notes : tuple of str
        How columns were read, and what was left out.
    """
    table = open_table(data, name="gold")
    column = item_column(table, item)
    labels = _truth_column(table, column, label)
    items, item_texts = table.codes(column)
    given, texts = table.codes(labels)
    missing = np.array([*(text in WRITTEN_MISSING for text in texts), True])[given]
    known = (items >= 0) & ~missing
    if not known.any():
        raise DataError(f"{table.source}: no item has a label in '{table.names[labels]}'.")
    counts = np.zeros((len(item_texts), len(texts)), dtype=np.int64)
    np.add.at(counts, (items[known], given[known]), 1)
    most = counts.max(axis=1)
    clear = (most > 0) & ((counts == most[:, None]).sum(axis=1) == 1)
    which = f"item = '{table.names[column]}', label = '{table.names[labels]}'"
    notes = [f"{table.source}: labels of {count(int(clear.sum()), 'item')}; {which}."]
    ties = int(((most > 0) & ~clear).sum())
    if ties:
        notes.append(f"{table.source}: {count(ties, 'item')} left out, whose labels tie.")
    chosen = np.flatnonzero(clear).tolist()
    return {item_texts[i]: texts[int(counts[i].argmax())] for i in chosen}, tuple(notes)


def read_groups(data: Any) -> dict[str, str]:
    """Read which group each classifier belongs to: columns classifier and group."""
    table = open_table(data, name="groups")
    plain = [name.strip().lower() for name in table.names]
    classifier = find_role(table.names, "classifier")
    classifier = find_role(table.names, "rater") if classifier is None else classifier
    column = next((plain.index(n) for n in ("group", "team", "family") if n in plain), None)
    if classifier is None or column is None:
        if len(table.names) != 2:
            role = "classifier" if classifier is None else "group"
            raise DataError(
                f"{table.source}: no column found for the {role}. Expected the columns classifier "
                f"and group; found {some(table.names, 12)}."
            )
        classifier, column = 0, 1
    who, names = table.codes(classifier)
    what, groups = table.codes(column)
    found: dict[str, str] = {}
    for place in np.flatnonzero((who >= 0) & (what >= 0)).tolist():
        name, group = names[int(who[place])], groups[int(what[place])]
        if found.setdefault(name, group) != group:
            row = row_numbers(table, len(who))[place]
            raise DataError(
                f"{table.source}, row {row}: classifier '{name}' is in group '{group}' here and in "
                f"'{found[name]}' above. Keep one."
            )
    return found


def _truth_column(table: Table, item: int, label: str | None) -> int:
    if label is not None:
        return given_role(table, "label", label)
    plain = [name.strip().lower() for name in table.names]
    for name in TRUTHS:
        if name in plain and plain.index(name) != item:
            return plain.index(name)
    role = find_role(table.names, "label")
    others = [i for i in range(len(table.names)) if i != item and table.names[i]]
    if role is not None and role != item:
        return role
    if len(others) != 1:
        raise DataError(
            f"{table.source}: which column is the label of items? Call it label, gold or truth, "
            f"one row a label. Columns: {some(table.names, 12)}."
        )
    return others[0]

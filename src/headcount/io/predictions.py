"""Read predictions: labels or probabilities, wide or long."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from headcount.data.predictions import Classifier, Predictions, hard
from headcount.data.vocabulary import MISSING, as_ids, as_labels, find_labels
from headcount.errors import DataError, count, some
from headcount.io.open_table import ignored, open_table
from headcount.io.roles import find_role, find_roles, given_role, item_column, missing_role
from headcount.io.table import Table, with_row_numbers
from headcount.io.words import without_missing
from headcount.results.notes import Note
from headcount.typing import Codes, Ids, Ints

__all__ = ["read_predictions"]


def read_predictions(
    data: Any, *, item: str | None = None, ignore: Sequence[str] = ()
) -> Predictions:
    """Read predictions from a file, a frame or what is in memory.

    Wide: the first column (or one named as items are) is the item. A classifier is a column of
    labels (hard), or columns ``name:label`` of probabilities, one a label (soft). Long: columns
    item, classifier, label and, for soft classifiers, probability.

    Parameters
    ----------
    data : path, frame, dict of columns or rows
        CSV, TSV, JSON lines or Parquet, gzipped or not; any frame that narwhals reads, DuckDB's
        relations among them; a dict of columns; or a list of dicts.
    item : str, optional
        The item column.
    ignore : sequence of str
        Columns that are not read.

    Returns
    -------
    Predictions
        With the items sorted. Classifiers are in the order of the columns of wide data, and by name
        where data are long.

    Examples
    --------
    >>> read_predictions({"item": [1, 2], "lm:no": [0.1, 0.7], "lm:yes": [0.9, 0.3]})
    Predictions for 2 items: lm (soft); labels no, yes
    """
    table = open_table(data, name="predictions", ignore=ignored(ignore))
    roles = find_roles(table, {"classifier": None, "label": None})
    if len(roles) < 2:
        return _wide(table, item_column(table, item))
    column = find_role(table.names, "item") if item is None else given_role(table, "item", item)
    if column is None:
        probability = find_role(table.names, "probability")
        taken = {*roles.values(), probability}
        others = [i for i in range(len(table.names)) if i not in taken]
        if len(others) != 1:
            raise missing_role(table, "item", roles)
        column = others[0]
    return _long(table, column, roles["classifier"], roles["label"])


def _items(table: Table, column: int) -> tuple[Codes, list[str]]:
    codes, texts = table.codes(column)
    if (codes < 0).any():
        row = int(np.flatnonzero(codes < 0)[0])
        raise DataError(
            f"{table.at(row, column)}: no item. Every prediction needs the id of its item."
        )
    return codes, texts


def _wide(table: Table, column: int) -> Predictions:
    codes, texts = _items(table, column)
    if len(texts) < len(codes):
        first = np.unique(codes, return_index=True)[1]
        again = int(np.setdiff1d(np.arange(len(codes)), first)[0])
        doubled = [texts[code] for code in np.flatnonzero(np.bincount(codes) > 1)]
        raise DataError(
            f"{table.at(again)}: item '{texts[codes[again]]}' has predictions already. Keep one "
            f"row an item; repeated: {some(doubled)}."
        )
    columns = [i for i, name in enumerate(table.names) if i != column and name]
    if not columns:
        raise DataError(f"{table.source}: no classifier; the only column is the item's.")

    # A classifier is soft if several columns share its name and hold numbers.
    groups: dict[str, list[int]] = {}
    for i in columns:
        groups.setdefault(table.names[i].rpartition(":")[0], []).append(i)
    soft = {
        name: group
        for name, group in groups.items()
        if name and len(group) > 1 and _are_probabilities(table, group)
    }
    in_soft = {i: name for name, group in soft.items() for i in group}
    coded = {table.names[i]: _labels(table, i) for i in columns if i not in in_soft}
    named = {i: table.names[i].rpartition(":")[2].strip() for i in in_soft}
    labels, _ = as_labels(
        list(dict.fromkeys([*named.values(), *(t for _, own in coded.values() for t in own)]))
    )
    classifiers: list[Classifier] = []
    for name in dict.fromkeys(in_soft.get(i, table.names[i]) for i in columns):
        if name in soft:
            probability = np.zeros((len(codes), len(labels)))
            for i in soft[name]:
                place = find_labels([named[i]], labels)[0]
                probability[:, place] = table.only_numbers(i)
            given = [find_labels([named[i]], labels)[0] for i in soft[name]]
            probability[np.isnan(probability[:, given]).all(axis=1)] = np.nan
            classifiers.append(Classifier(name, "soft", probability))
        else:
            own_codes, own = coded[name]
            place = find_labels(own, labels)
            own_labels = np.where(own_codes < 0, MISSING, place[own_codes]) if own else own_codes
            classifiers.append(hard(name, own_labels, len(labels)))
    found = _Found(item=column, items=as_ids(texts), labels=labels, row=np.arange(len(codes)))
    return _checked(table, found, classifiers)


def _long(table: Table, item: int, classifier: int, label: int) -> Predictions:
    items, item_texts = _items(table, item)
    owner, names = table.codes(classifier)
    given, texts = _labels(table, label)
    for codes, column in ((owner, classifier), (given, label)):
        if (codes < 0).any():
            row = int(np.flatnonzero(codes < 0)[0])
            raise DataError(f"{table.at(row, column)}: blank. Fill it in, or remove the row.")
    labels, place = as_labels(texts)
    given = place[given]
    key = (owner * len(item_texts) + items) * len(labels) + given
    order = np.argsort(key, kind="stable")
    again = np.flatnonzero(key[order[1:]] == key[order[:-1]])
    if len(again):
        row = int(order[again + 1].min())
        raise DataError(
            f"{table.at(row)}: '{names[owner[row]]}' predicts label "
            f"'{labels[given[row]]}' for item '{item_texts[items[row]]}' a second time "
            f"({count(len(again), 'such row')}). Keep one."
        )
    column = find_role(table.names, "probability")
    numbers = None if column is None else table.only_numbers(column)
    classifiers: list[Classifier] = []
    for name in sorted(names):
        mine = owner == names.index(name)
        probability = np.full((len(item_texts), len(labels)), np.nan)
        probability[items[mine]] = 0
        # Labels without a probability make a hard classifier, beside soft ones.
        is_hard = numbers is None or bool(np.isnan(numbers[mine]).all())
        value = np.ones(int(mine.sum())) if is_hard or numbers is None else numbers[mine]
        probability[items[mine], given[mine]] = value
        if is_hard and (np.nansum(probability, axis=1) > 1).any():
            twice = int(np.flatnonzero(np.nansum(probability, axis=1) > 1)[0])
            raise DataError(
                f"{table.source}: '{name}' predicts several labels for item "
                f"'{item_texts[twice]}'. Keep one, or add a column of probabilities."
            )
        classifiers.append(Classifier(name, "hard" if is_hard else "soft", probability))
    first = np.unique(items, return_index=True)[1]
    found = _Found(item=item, items=as_ids(item_texts), labels=labels, row=first)
    return _checked(table, found, classifiers)


class _Found(NamedTuple):
    """Whose predictions were found: the item column, items with a row of each, and labels."""

    item: int
    items: Ids
    labels: tuple[str, ...]
    row: Ints


def _checked(table: Table, found: _Found, classifiers: list[Classifier]) -> Predictions:
    kinds = ", ".join(f"{c.name} ({c.kind})" for c in classifiers)
    item = table.names[found.item] or "first column"
    number = count(len(classifiers), "classifier")
    predictions = Predictions(
        items=found.items,
        labels=found.labels,
        classifiers=tuple(classifiers),
        source=table.source,
        notes=(Note(f"{table.source}: item = '{item}', {number}: {kinds}."),),
    )
    with_row_numbers(
        table, lambda rows: predictions.check(None if rows is None else rows[found.row])
    )
    return predictions.canonical()


def _are_probabilities(table: Table, columns: list[int]) -> bool:
    """Tell columns name:label of probabilities from labels that happen to be numbers."""
    read = [table.numbers(column) for column in columns]
    for numbers, wrong in read:
        given = np.flatnonzero(wrong | ~np.isnan(numbers))
        if len(given) and wrong[given[0]]:
            return False
    numbers = np.stack([numbers for numbers, _ in read])
    given = numbers[~np.isnan(numbers)]
    # Whole numbers are probabilities only if they choose one label an item.
    return bool((given % 1 != 0).any() or (np.nansum(numbers, axis=0) <= 1).all())


def _labels(table: Table, column: int) -> tuple[Codes, list[str]]:
    """Column of labels; a written-out missing value is missing."""
    codes, texts, _ = without_missing(*table.codes(column))
    return codes, texts

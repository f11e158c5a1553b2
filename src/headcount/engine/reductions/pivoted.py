"""Predictions with a row for each item and classifier, as rows of items with a column each."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from headcount.engine.engines.base import Column
from headcount.engine.sources.relation import Relation
from headcount.errors import DataError, NotReducedError, option
from headcount.io.predictions.predictions import are_labels
from headcount.io.ratings.shapes.base import INDEX_NAME
from headcount.io.roles.names import REMARKS
from headcount.io.roles.roles import find_role, item_column, plain_name
from headcount.io.tables.columns import ColumnTable

__all__ = ["MOST_CLASSIFIERS", "pivoted"]

MOST_CLASSIFIERS = 100
"""Classifiers that are given columns of their own, at most."""


def pivoted(relation: Relation, labels: Sequence[str] = ()) -> Relation:
    """Give each classifier a column, where predictions have a row for each; else leave them.

    A column 'judge' of `labels` of raters, and nothing else, is what a classifier said.

    Raises
    ------
    NotReducedError
        If rows say how sure classifiers are, or names of classifiers would be read as more than
        names.
    DataError
        If a classifier has two rows of an item.
    """
    names = relation.names
    classifier, label = find_role(names, "classifier"), find_role(names, "label")
    if classifier is None or label is None:
        return relation
    only = (
        f"are read into memory only ({option('engine', 'memory')}). Write a row an item, and a "
        "column a classifier."
    )
    if find_role(names, "probability") is not None:
        raise NotReducedError(
            f"{relation.source}: predictions with a row for each item and classifier, and how sure "
            f"it is, {only}"
        )
    shown = ColumnTable([["x"] for _ in names], names, relation.source)
    item = relation.column(names[item_column(shown)], "item")
    who, said = relation.columns[classifier], relation.columns[label]
    values = relation.values(who, what="different classifiers", most=MOST_CLASSIFIERS)
    texts = sorted({value.text for value in values})
    if are_labels(texts, labels):
        return relation
    odd = [one for one in texts if one == item.name or _is_no_classifier(one)]
    if odd:
        raise NotReducedError(
            f"{relation.source}, column '{who.name}': predictions of a classifier called "
            f"'{odd[0]}' {only}"
        )
    dialect, written = relation.engine.dialect, relation.value(who)
    own = [
        f"{written} IN ({', '.join(v.literal for v in values if v.text == one)})" for one in texts
    ]
    identity = relation.identity(item)
    counts = ", ".join(f"count(CASE WHEN {w} THEN 1 END) AS c{i}" for i, w in enumerate(own))
    most = relation.engine.one(
        f"SELECT {', '.join(f'max(c{i}) AS c{i}' for i in range(len(own)))} FROM (SELECT {counts} "
        f"FROM {relation.sql} GROUP BY {identity}) AS counted"
    )
    for i, one in enumerate(texts):
        if int(most[f"c{i}"]) > 1:
            raise DataError(f"{relation.source}: '{one}' has several rows for an item. Keep one.")
    columns = [Column(one, said.kind, dialect.name(one)) for one in texts]
    made = ", ".join(
        f"max(CASE WHEN {w} THEN {said.sql} END) AS {column.sql}"
        for w, column in zip(own, columns, strict=True)
    )
    name = dialect.name(item.name)
    return replace(
        relation,
        sql=f"(SELECT {identity} AS {name}, {made} FROM {relation.sql} GROUP BY {identity}) AS "
        "pivoted",
        columns=[Column(item.name, "whole" if item.kind == "whole" else "text", name), *columns],
        row=None,
    )


def _is_no_classifier(name: str) -> bool:
    """Whether a column of that name would be taken for something else."""
    odd = not name or ":" in name or plain_name(name) in REMARKS
    return odd or INDEX_NAME.fullmatch(name) is not None

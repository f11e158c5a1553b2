"""Predictions in a database: a row an item, and columns of what classifiers say."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace

import numpy as np

from headcount.data.predictions import Predictions
from headcount.engine.base import Column, Rows
from headcount.engine.relation import Relation
from headcount.errors import DataError, NotReducedError, option, some
from headcount.io.predictions.predictions import read_predictions
from headcount.io.ratings.shapes.base import INDEX_NAME
from headcount.io.roles.names import REMARKS
from headcount.io.roles.roles import find_role, item_column, plain_name
from headcount.io.tables.columns import ColumnTable
from headcount.io.values.missing import WRITTEN_MISSING

__all__ = ["Predicted", "predicted_of"]


@dataclass(frozen=True, eq=False, kw_only=True)
class Predicted:
    """Predictions in a database.

    Parameters
    ----------
    relation : Relation
    item : Column
    columns : tuple of Column
        What classifiers say; p0, p1, ... in queries.
    """

    relation: Relation
    item: Column
    columns: tuple[Column, ...]

    @property
    def names(self) -> list[str]:
        """Names of the columns in queries."""
        return [f"p{i}" for i in range(len(self.columns))]

    def values(self) -> list[str]:
        """Write the SQL of what classifiers say: numbers and texts as they are."""
        return [
            column.sql if column.kind in ("real", "whole", "text") else self.relation.text(column)
            for column in self.columns
        ]

    def given(self) -> str:
        """Write the condition under which every column of an item says something."""
        dialect = self.relation.engine.dialect
        words = ", ".join(map(dialect.literal, sorted({"", *WRITTEN_MISSING})))
        parts: list[str] = []
        for name, column in zip(self.names, self.columns, strict=True):
            parts.append(f"{name} IS NOT NULL")
            if column.kind == "real":
                parts.append(f"NOT isnan({name})")
            elif column.kind != "whole":
                parts.append(f"trim({name}) NOT IN ({words})")
        return " AND ".join(parts)

    def read(self, rows: Rows, examples: list[object]) -> Predictions:
        """Read what classifiers say in different ways, as if each were an item.

        Parameters
        ----------
        rows : dict of str to array
            Values of the columns, in every combination that there is.
        examples : list
            An item of each, by which messages name it.
        """
        columns: dict[str, object] = {self.item.name: examples}
        for name, column in zip(self.names, self.columns, strict=True):
            values = rows[name]
            if column.kind == "whole" and values.dtype.kind == "f":
                values = [None if np.isnan(v) else int(v) for v in values.tolist()]
            columns[column.name] = values
        try:
            read = read_predictions(columns, item=self.item.name, name=self.relation.source)
        except DataError as error:
            # Rows are combinations, and have no numbers that a user knows.
            raise DataError(re.sub(r", row \d+", "", error.marked)) from None
        return replace(
            read,
            sources=self.relation.sources,
            notes=(*self.relation.notes, *read.notes),
        )


def predicted_of(relation: Relation) -> Predicted:
    """Find the columns of predictions, by their names."""
    shown = ColumnTable([["x"] for _ in relation.columns], relation.names, relation.source)
    if find_role(relation.names, "classifier") is not None and (
        find_role(relation.names, "label") is not None
    ):
        raise NotReducedError(
            f"{relation.source}: predictions with a row for each item and classifier are read into "
            f"memory only ({option('engine', 'memory')}). Write a row an item, and a column a "
            "classifier."
        )
    place = item_column(shown)
    item = relation.column(relation.names[place], "item")
    columns = [
        column
        for i, column in enumerate(relation.columns)
        if i != place
        and column.name
        and plain_name(column.name) not in REMARKS
        and not INDEX_NAME.fullmatch(column.name)
        and column.kind != "nested"
    ]
    if not columns:
        raise DataError(
            f"{relation.source}: no classifier; the columns are {some(relation.names, 12)}."
        )
    return Predicted(relation=relation, item=item, columns=tuple(columns))

"""Predictions in a database: a row an item, and columns of what classifiers say."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

from numpy.typing import NDArray

from headcount.data.predictions import Predictions
from headcount.engine.engines.base import Column, Rows
from headcount.engine.reductions.bins import Bins, bins_of
from headcount.engine.reductions.pivoted import pivoted
from headcount.engine.sources.relation import Relation, Value
from headcount.errors import DataError, some
from headcount.io.predictions.predictions import read_predictions
from headcount.io.ratings.shapes.base import INDEX_NAME
from headcount.io.roles.names import REMARKS
from headcount.io.roles.roles import item_column, plain_name
from headcount.io.tables.columns import ColumnTable
from headcount.io.values.missing import WRITTEN_MISSING

__all__ = ["Predicted", "predicted_of"]

MOST_CODED = 1000
"""Different texts of a column that are coded."""


@dataclass(frozen=True, eq=False, kw_only=True)
class Predicted:
    """Predictions in a database.

    Parameters
    ----------
    relation : Relation
    item : Column
    columns : tuple of Column
        What classifiers say; p0, p1, ... in queries.
    number : int or None
        Bins into which numbers with fractions are put; None to take them as they are.
    labels : tuple of str
        Those of the ratings, by which columns are told apart.
    """

    relation: Relation
    item: Column
    columns: tuple[Column, ...]
    number: int | None = None
    labels: tuple[str, ...] = ()

    @cached_property
    def bins(self) -> list[Bins | None]:
        """Bins of each column; None of those that are taken as they are."""
        number = self.number
        if number is None:
            return [None for _ in self.columns]
        return [bins_of(self.relation, column, number) for column in self.columns]

    @property
    def binned(self) -> list[tuple[str, str]]:
        """Names of columns that are put into bins, in queries: of the bin, and of the number."""
        return [
            (name, f"r{name[1:]}") for name, bins in zip(self.names, self.bins, strict=True) if bins
        ]

    @property
    def numbers(self) -> list[str]:
        """SQL of the numbers that are put into bins."""
        pairs = zip(self.columns, self.bins, strict=True)
        return [_number(column.sql) for column, bins in pairs if bins]

    @property
    def names(self) -> list[str]:
        """Names of the columns in queries."""
        return [f"p{i}" for i in range(len(self.columns))]

    @property
    def texts(self) -> bool:
        """Whether items are text; else they are whole numbers."""
        return self.item.kind != "whole"

    def identity(self, *, texts: bool) -> str:
        """Write the SQL of the item, as text if those of the ratings are."""
        theirs = self.relation.identity(self.item)
        if self.texts:
            return self.relation.tidy(theirs) if self._odd else theirs
        return self.relation.engine.dialect.text.format(theirs) if texts else theirs

    @cached_property
    def _odd(self) -> bool:
        """Whether some item has blanks at its ends, or is a word for missing."""
        theirs = self.relation.identity(self.item)
        found = self.relation.engine.one(
            f"SELECT coalesce(max(CASE WHEN {self.relation.is_odd(theirs)} THEN 1 ELSE 0 END), 0) "
            f"AS odd FROM {self.relation.sql}"
        )
        return bool(found["odd"])

    @cached_property
    def rows(self) -> int:
        """Rows of predictions."""
        return int(self.relation.engine.one(f"SELECT count(*) AS n FROM {self.relation.sql}")["n"])

    @cached_property
    def different(self) -> list[int]:
        """About how many values of each column are different."""
        counted = ", ".join(
            f"approx_count_distinct({column.sql}) AS {name}"
            for name, column in zip(self.names, self.columns, strict=True)
        )
        found = self.relation.engine.one(f"SELECT {counted} FROM {self.relation.sql}")
        return [max(int(found[name]), 1) for name in self.names]

    @property
    def as_numbers(self) -> list[str]:
        """SQL by which values of the columns are compared, in queries: numbers, or null."""
        number = self.relation.engine.dialect.number
        return [
            _number(name if column.kind in ("real", "whole") else number.format(name))
            for name, column in zip(self.names, self.columns, strict=True)
        ]

    @cached_property
    def vocabularies(self) -> list[list[Value] | None]:
        """Different values of each column that has few of them; None of the others.

        Codes take less room than texts, and are compared in less time.
        """
        found: list[list[Value] | None] = []
        for column in self.columns:
            if column.kind in ("real", "whole"):
                found.append(None)
                continue
            try:
                values = self.relation.values(column, what="predictions", most=MOST_CODED)
                found.append(sorted(values, key=lambda value: (value.text, value.literal)))
            except DataError:  # too many
                found.append(None)
        return found

    @cached_property
    def values(self) -> list[str]:
        """SQL of what classifiers say: numbers as they are, few texts as codes."""
        made: list[str] = []
        columns = zip(self.columns, self.vocabularies, self.bins, strict=True)
        for column, values, bins in columns:
            if bins is not None:
                made.append(bins.sql(column.sql))
            elif column.kind in ("real", "whole"):
                made.append(column.sql)
            elif values is None:
                made.append(self.relation.text(column))
            else:
                cases = " ".join(
                    f"WHEN {v.literal} THEN {code}"
                    for code, v in enumerate(values)
                    if v.literal != "NULL"
                )
                made.append(f"CASE {self.relation.value(column)} {cases} END" if cases else "NULL")
        return made

    def given(self) -> str:
        """Write the condition under which every column of an item says something."""
        dialect = self.relation.engine.dialect
        words = {"", *WRITTEN_MISSING}
        parts: list[str] = []
        columns = zip(self.names, self.columns, self.vocabularies, self.bins, strict=True)
        for name, column, values, bins in columns:
            parts.append(f"{name} IS NOT NULL")
            if bins is not None:
                continue
            if column.kind == "real":
                parts.append(f"NOT isnan({name})")
            elif values is not None:
                missing = [str(code) for code, v in enumerate(values) if v.text in words]
                if missing:
                    parts.append(f"{name} NOT IN ({', '.join(missing)})")
            elif column.kind != "whole":
                listed = ", ".join(map(dialect.literal, sorted(words)))
                parts.append(f"trim({name}) NOT IN ({listed})")
        return " AND ".join(parts)

    def written(self, place: int, found: NDArray[Any]) -> Any:
        """Write values of a column that came back as readers take them."""
        column, values = self.columns[place], self.vocabularies[place]
        if values is not None:
            return [
                None if code is None or code != code else values[int(code)].text
                for code in found.tolist()
            ]
        if column.kind == "whole" and found.dtype.kind == "f":
            return [None if v != v else int(v) for v in found.tolist()]
        return found if found.dtype.kind in "if" else found.tolist()

    def read(self, rows: Rows, examples: NDArray[Any]) -> Predictions:
        """Read what classifiers say in different ways, as if each were an item.

        Parameters
        ----------
        rows : dict of str to array
            Values of the columns, in every combination that there is.
        examples : array
            An item of each, by which messages name it; or numbers, from 0 on.
        """
        columns: dict[str, object] = {
            self.item.name: examples if examples.dtype.kind == "i" else examples.tolist()
        }
        for place, column in enumerate(self.columns):
            columns[column.name] = self.written(place, rows[self.names[place]])
        try:
            read = read_predictions(
                columns, item=self.item.name, labels=self.labels, name=self.relation.source
            )
        except DataError as error:
            # Rows are combinations: they have no numbers that a user knows, and are not counted.
            words = re.sub(r", row \d+", "", error.marked)
            words = re.sub(r"\d[\d,]* of \d[\d,]* predictions are", "some predictions are", words)
            raise DataError(words) from None
        return replace(
            read,
            sources=self.relation.sources,
            notes=(*self.relation.notes, *read.notes),
        )


def _number(name: str) -> str:
    """Write the SQL of a number, null where it is none."""
    return f"CASE WHEN NOT isnan({name}) THEN {name} END"


def predicted_of(
    relation: Relation, bins: int | None = None, labels: tuple[str, ...] = ()
) -> Predicted:
    """Find the columns of predictions, by their names; `bins` for numbers with fractions.

    `labels` are those of the ratings.
    """
    relation = pivoted(relation, labels)
    shown = ColumnTable([["x"] for _ in relation.columns], relation.names, relation.source)
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
    return Predicted(
        relation=relation, item=item, columns=tuple(columns), number=bins, labels=labels
    )

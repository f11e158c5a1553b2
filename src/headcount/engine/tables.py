"""Tables of ratings and of predictions in a database: repeats and label patterns."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from headcount.data.labels import Labels, Scale
from headcount.data.predictions import Predictions
from headcount.engine.engines import Column, Engine, Rows
from headcount.engine.sources import Relation, Value
from headcount.errors import DataError, NotReducedError, count, option, some
from headcount.io.cells import MISSING_WORDS
from headcount.io.predictions import read_predictions
from headcount.io.roles import REMARKS, find_role, item_column, plain_name
from headcount.io.shapes import INDEX_NAME
from headcount.io.tables import ColumnTable
from headcount.results.notes import Note, Source
from headcount.stats.arrays import group_rows
from headcount.typing import Codes

__all__ = [
    "RatedTable",
    "check_duplicates",
    "repeats",
    "MOST_PATTERNS",
    "patterns_of",
    "pull_ratings",
    "known_names",
    "PredictedTable",
    "predicted_of",
]


# Ratings that are reduced where they are: columns, labels, who rated, what was left out.


@dataclass(frozen=True, eq=False, kw_only=True)
class RatedTable:
    """Ratings in a database, with all that is known of them before they are reduced.

    Parameters
    ----------
    relation : Relation
    every : str
        SELECT of item, rater and label code of every row with an item; the label is null where
        there is none, or no rater.
    scale : Scale
        The labels; codes are places in it.
    long : bool
        Whether a row is a rating; else a row is an item, and one column per rater.
    item_texts : bool
        Whether items are text; else they are whole numbers.
    n_ratings : int
    n_raters : int or None
        None if nobody knows them.
    notes, dropped
        As those of :class:`~headcount.data.labels.Labels`.
    """

    relation: Relation
    every: str
    scale: Scale
    long: bool
    item_texts: bool
    n_ratings: int
    n_raters: int | None
    notes: tuple[Note, ...] = ()
    dropped: Mapping[str, int] = field(default_factory=Counter[str])

    @property
    def engine(self) -> Engine:
        """What reduces them."""
        return self.relation.engine

    @property
    def source(self) -> str:
        """What messages call them."""
        return self.relation.source

    @property
    def sources(self) -> tuple[Source, ...]:
        """Files behind them."""
        return self.relation.sources

    @property
    def backend(self) -> str | None:
        """Kind of frame they came from."""
        return self.relation.backend

    @property
    def anonymous(self) -> bool:
        """Whether nobody knows who gave which rating."""
        return self.n_raters is None

    @cached_property
    def n_items(self) -> int:
        """Items, those without a rating included."""
        items = f"SELECT item FROM ({self.every}) AS every GROUP BY item"
        return int(self.engine.one(f"SELECT count(*) AS n FROM ({items}) AS items")["n"])

    @property
    def ratings(self) -> str:
        """Write the SELECT of item, rater and label code of every rating."""
        return f"SELECT item, rater, label FROM ({self.every}) AS every WHERE label IS NOT NULL"

    @cached_property
    def counted_items(self) -> str:
        """What stands after FROM: items and their label counts, n0, n1, ...; those without too."""
        counts = "".join(
            f", count(CASE WHEN label = {code} THEN 1 END) AS n{code}"
            for code in range(len(self.scale))
        )
        return self.engine.keep(
            "counted_items", f"SELECT item{counts} FROM ({self.every}) AS every GROUP BY item"
        )


# Ratings of an item by the same rater: found exactly, without sorting all ratings.

MASKS = 4
"""Sets of 63 bits, each with a hash of its own, that tell most raters of an item apart."""


@dataclass(frozen=True)
class Doubts:
    """What a look at all items tells: ids that must be tidied, and items to look at again.

    Parameters
    ----------
    relation : Relation
    odd : bool
        Whether some item has blanks at its ends, or is a word for missing.
    every : str
        SELECT of item, rater and label.
    items : str or None
        What stands after FROM, to find items of which a rating may repeat; None if none can.
    """

    relation: Relation
    odd: bool
    every: str
    items: str | None

    def refuse(self) -> None:
        """Raise an error if a rater labels an item twice, which the exact groups tell."""
        if self.items is None:
            return
        repeated = (
            f"SELECT item, rater, count(*) AS n FROM ({self.every}) AS every WHERE item IN "
            f"(SELECT item FROM {self.items}) AND label IS NOT NULL GROUP BY item, rater HAVING "
            "count(*) > 1"
        )
        row = self.relation.engine.fetch(
            "SELECT item, rater, n, sum(n - 1) OVER () AS number FROM "
            f"({repeated}) AS repeated ORDER BY item, rater LIMIT 1"
        )
        if not len(row["n"]):
            return
        raise DataError(
            f"{self.relation.source}: {repeats(int(row['number'][0]))}; one of them: rater "
            f"'{row['rater'][0]}' labels item '{row['item'][0]}' {int(row['n'][0]):,} times. "
            "Remove repeated rows, or read the data into memory to keep the first of each "
            f"({option('engine', 'memory')} with {option('duplicates', 'first')}). If there are "
            f"several questions or rounds, read one of them ({option('where', ...)})."
        )


def check_duplicates(
    relation: Relation, every: str, *, texts: bool, anonymous: bool = False
) -> Doubts:
    """Find items of which a rater may have given two ratings, and ids that must be tidied.

    Of each item the number of ratings is kept, and bits: one for a hash of each rater. If as many
    bits are set as there are ratings, all raters differ. Items of which no set of bits says so are
    grouped by rater, which is exact. O(ratings), and a group a doubtful rating.

    Parameters
    ----------
    relation : Relation
    every : str
        SELECT of item, rater and label.
    texts : bool
        Whether items are texts that may have to be tidied.
    anonymous : bool
        Whether nobody knows the raters, so that none can repeat.
    """
    engine = relation.engine
    odd = f"CASE WHEN {relation.is_odd('item')} THEN 1 ELSE 0 END" if texts else "0"
    if anonymous:
        items = f"SELECT item FROM ({every}) AS every GROUP BY item"
        row = engine.one(f"SELECT coalesce(max({odd}), 0) AS odd FROM ({items}) AS items")
        return Doubts(relation, bool(row["odd"]), every, None)
    # Bits of the raters of an item: one a rating, by other bits of its hash.
    indices = [
        f"CAST({engine.dialect.right.format('h', 15 * h)} % 63 AS INTEGER)" for h in range(MASKS)
    ]
    bits = map(engine.dialect.bit.format, indices)
    masked = ", ".join(f"coalesce(bit_or({bit}), 0) AS m{h}" for h, bit in enumerate(bits))
    hashed = f"CASE WHEN label IS NOT NULL THEN {engine.dialect.hash.format('rater')} END AS h"
    differ = " OR ".join(f"bit_count(m{h}) = n" for h in range(MASKS))
    counted = (
        f"SELECT item, count(h) AS n, {masked} FROM (SELECT item, {hashed} FROM ({every}) AS every)"
        " AS hashed GROUP BY item"
    )
    doubtful = engine.keep(
        "doubtful",
        f"SELECT item, odd FROM (SELECT item, {odd} AS odd, CASE WHEN n > 1 AND NOT ({differ}) "
        f"THEN 1 ELSE 0 END AS doubtful FROM ({counted}) AS counted) AS seen WHERE odd = 1 OR "
        "doubtful = 1",
    )
    row = engine.one(f"SELECT count(*) AS n, coalesce(max(odd), 0) AS odd FROM {doubtful}")
    return Doubts(relation, bool(row["odd"]), every, doubtful if int(row["n"]) else None)


def repeats(number: int) -> str:
    """Say how many ratings repeat others."""
    verb = "repeats" if number == 1 else "repeat"
    return f"{count(number, 'rating')} {verb} an item and rater already seen"


# Label patterns: items that received the same number of each label, counted together.

MOST_PATTERNS = 2_000_000
"""Patterns, or cells of pattern and prediction, that may come back."""


def patterns_of(rated: RatedTable) -> tuple[Codes, Codes]:
    """Count items by their label counts, in the database.

    Returns
    -------
    patterns : (patterns, labels) array of int
        In lexicographic order; items without a rating are one of them.
    multiplicity : (patterns,) array of int
        How many items show each.
    """
    names = [f"n{code}" for code in range(len(rated.scale))]
    listed = ", ".join(names)
    rows = rated.engine.rows(
        f"SELECT {listed}, count(*) AS items FROM {rated.counted_items} GROUP BY {listed}",
        what=f"label patterns in {rated.source}",
        most=MOST_PATTERNS,
        advice=f"Check that the label column is the right one ({option('label', ...)}), or put "
        "labels into fewer groups.",
    )
    patterns = np.stack([rows[name] for name in names], axis=1).astype(np.int64)
    first, _ = group_rows(patterns.T)  # engines give rows in any order
    return patterns[first], rows["items"][first].astype(np.int64)


# Ratings one by one, as whole numbers: for what needs them, while they fit.


def pull_ratings(rated: RatedTable, *, duplicates: str = "error") -> Labels:
    """Bring ratings as codes of items, raters and labels, and the names of both.

    Codes follow the order of names, so that nothing depends on the order of rows.

    Parameters
    ----------
    rated : RatedTable
    duplicates : {"error", "first", "all"}
        As they were treated; those of which the first was kept are gone.
    """
    items, item_names = known_names(rated, "item", rated.every)
    joined, who = f"JOIN {items} ON ratings.item = known_item.item", "0"
    rater_names: list[str] | None = None
    if not rated.anonymous:
        raters, rater_names = known_names(rated, "rater", rated.ratings)
        joined += f" JOIN {raters} ON ratings.rater = known_rater.rater"
        who = "known_rater.place"
    # One number a rating, which says all of it: eight bytes, and sorted where it is.
    n_raters, n_labels = len(rater_names or "?"), len(rated.scale)
    rows = rated.engine.rows(
        f"SELECT (CAST(known_item.place AS BIGINT) * {n_raters} + {who}) * {n_labels} + "
        f"ratings.label AS rating FROM ({rated.ratings}) AS ratings {joined}",
        what=f"ratings in {rated.source}",
        most=rated.n_ratings,
    )
    rating = rows.pop("rating")
    rating.sort()
    item, rater = np.divmod(rating, n_raters * n_labels)
    del rating
    rater, label = np.divmod(rater, n_labels)
    return Labels.from_codes(
        (item, item_names),
        None if rater_names is None else (rater, rater_names),
        (label, rated.scale.labels),
        scale=rated.scale,
        duplicates=duplicates,
        source=rated.source,
        notes=rated.notes,
        sources=rated.sources,
        dropped=rated.dropped,
        backend=rated.backend,
    )


def known_names(rated: RatedTable, role: str, select: str) -> tuple[str, list[str]]:
    """List the different items or raters in order: where SQL finds them, and their names."""
    names_sql = rated.engine.keep(
        f"known_{role}",
        f"SELECT {role}, row_number() OVER (ORDER BY {role}) - 1 AS place FROM "
        f"(SELECT DISTINCT {role} FROM ({select}) AS rows) AS different",
    )
    rows = rated.engine.rows(
        f"SELECT {role}, place FROM {names_sql}",
        what=f"{role}s in {rated.source}",
        most=max(rated.n_items, rated.n_ratings),
    )
    names: list[Any] = rows[role][np.argsort(rows["place"])].tolist()
    return names_sql, [str(name) for name in names]


# Predictions in a database: a row per item, and columns of what classifiers say.

MOST_CODED = 1000
"""Different texts of a column that are coded."""


@dataclass(frozen=True, eq=False, kw_only=True)
class PredictedTable:
    """Predictions in a database.

    Parameters
    ----------
    relation : Relation
    item : Column
    columns : tuple of Column
        What classifiers say; p0, p1, ... in queries.
    labels : tuple of str
        Those of the ratings, by which columns are told apart.
    """

    relation: Relation
    item: Column
    columns: tuple[Column, ...]
    labels: tuple[str, ...] = ()

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
        row = self.relation.engine.one(
            f"SELECT coalesce(max(CASE WHEN {self.relation.is_odd(theirs)} THEN 1 ELSE 0 END), 0) "
            f"AS odd FROM {self.relation.sql}"
        )
        return bool(row["odd"])

    @cached_property
    def vocabularies(self) -> list[list[Value] | None]:
        """Different values of each column that has few of them; None of the others.

        Codes take less room than texts, and are compared in less time.
        """
        vocabularies: list[list[Value] | None] = []
        for column in self.columns:
            if column.kind in ("real", "whole"):
                vocabularies.append(None)
                continue
            try:
                values = self.relation.values(column, what="predictions", most=MOST_CODED)
                vocabularies.append(sorted(values, key=lambda value: (value.text, value.literal)))
            except DataError:  # too many
                vocabularies.append(None)
        return vocabularies

    @cached_property
    def values(self) -> list[str]:
        """SQL of what classifiers say: numbers as they are, few texts as codes."""
        made: list[str] = []
        for column, values in zip(self.columns, self.vocabularies, strict=True):
            if column.kind in ("real", "whole"):
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
        words = {"", *MISSING_WORDS}
        parts: list[str] = []
        columns = zip(self.names, self.columns, self.vocabularies, strict=True)
        for name, column, values in columns:
            parts.append(f"{name} IS NOT NULL")
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

    def written(self, index: int, column_values: NDArray[Any]) -> Any:
        """Write values of a column that came back as readers take them."""
        column, values = self.columns[index], self.vocabularies[index]
        if values is not None:
            return [
                None if code is None or code != code else values[int(code)].text
                for code in column_values.tolist()
            ]
        if column.kind == "whole" and column_values.dtype.kind == "f":
            return [None if v != v else int(v) for v in column_values.tolist()]
        return column_values if column_values.dtype.kind in "if" else column_values.tolist()

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
        for index, column in enumerate(self.columns):
            columns[column.name] = self.written(index, rows[self.names[index]])
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


def predicted_of(relation: Relation, labels: tuple[str, ...] = ()) -> PredictedTable:
    """Find the columns of predictions, by their names; `labels` are those of the ratings."""
    classifier, label = (find_role(relation.names, role) for role in ("classifier", "label"))
    if classifier is not None and label is not None:
        raise NotReducedError(
            f"{relation.source}: predictions with a row for each item and classifier are read into "
            f"memory only ({option('engine', 'memory')}). Write one row per item, and one "
            "column per classifier."
        )
    shown = ColumnTable([["x"] for _ in relation.columns], relation.names, relation.source)
    item_index = item_column(shown)
    item = relation.column(relation.names[item_index], "item")
    columns = [
        column
        for i, column in enumerate(relation.columns)
        if i != item_index
        and column.name
        and plain_name(column.name) not in REMARKS
        and not INDEX_NAME.fullmatch(column.name)
        and column.kind != "nested"
    ]
    if not columns:
        raise DataError(
            f"{relation.source}: no classifier; the columns are {some(relation.names, 12)}."
        )
    return PredictedTable(relation=relation, item=item, columns=tuple(columns), labels=labels)

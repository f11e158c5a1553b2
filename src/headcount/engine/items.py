"""One row per item: its label counts and what is predicted of it, counted in cells."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from headcount.data.labels import Labels, Scale
from headcount.data.predictions import Predictions
from headcount.data.vocabulary import sorted_vocabulary
from headcount.engine.engines import Rows
from headcount.engine.tables import MOST_PATTERNS, PredictedTable, RatedTable
from headcount.errors import DataError, count, option
from headcount.results.notes import Note, Source
from headcount.stats.arrays import find_rows, group_rows
from headcount.stats.draws import ENOUGH, FOLDS
from headcount.typing import Codes, Flags

__all__ = [
    "Items",
    "Split",
    "RatedCells",
    "AnyRatings",
    "cells_of",
]


# One row per item: its label counts, and what is predicted of it, by one grouping.

_BYTES, _BYTES_A_NUMBER = 120, 40
"""Memory that a cell takes while it is surveyed, about: and for each label and prediction of it."""
_BUCKET = 2**20
"""Keys of items are 32 bits; those of one bucket are ranked together."""


@dataclass(frozen=True, eq=False)
class Items:
    """Ratings and predictions, an item per row.

    Both are put below each other and grouped by item: a join that needs no more than a grouping,
    and tells of items that one of them lacks.

    Parameters
    ----------
    rated : RatedTable
    predicted : PredictedTable or None
    """

    rated: RatedTable
    predicted: PredictedTable | None = None

    @property
    def counted(self) -> list[str]:
        """Columns of label counts."""
        return [f"n{code}" for code in range(len(self.rated.scale))]

    @property
    def keys(self) -> list[str]:
        """Columns that tell cells apart."""
        return [*self.counted, *(self.predicted.names if self.predicted else [])]

    def most(self, memory: int) -> int:
        """Tell how many cells may come back, so that a survey of them takes no more than that."""
        return memory // self._bytes

    @property
    def _bytes(self) -> int:
        return _BYTES + _BYTES_A_NUMBER * len(self.keys)

    @cached_property
    def kept_sql(self) -> str:
        """SELECT of one row per item, which several queries need."""
        return f"SELECT * FROM {self.rated.engine.keep('items', self.sql())}"

    def sql(self, rater: str | None = None) -> str:
        """Write the SELECT of one row per item; `given` is the label of a rater, or -1."""
        rated, predicted = self.rated, self.predicted
        names = predicted.names if predicted else []
        given_sql, none, made_given = "", "", "-1 AS given"
        if rater is not None:
            dialect = rated.engine.dialect
            is_theirs = f"{dialect.text.format('rater')} = {dialect.literal(rater)}"
            given_sql = f", CASE WHEN {is_theirs} THEN label ELSE -1 END AS given"
            none, made_given = ", -1 AS given", "max(given) AS given"
        nulls = "".join(f", NULL AS {name}" for name in names)
        stacked = (
            f"SELECT {self._item} AS item, label{given_sql}{nulls}, 1 AS there, 0 AS predicted "
            f"FROM ({rated.every}) AS every"
        )
        if predicted is not None:
            values = zip(predicted.values, names, strict=True)
            predicted_sql = "".join(f", {value} AS {name}" for value, name in values)
            stacked += (
                f" UNION ALL SELECT {predicted.identity(texts=rated.item_texts)} AS item, NULL AS "
                f"label{none}{predicted_sql}, 0 AS there, 1 AS predicted FROM "
                f"{predicted.relation.sql}"
            )
        made = ", ".join(
            [
                "item",
                # To count is quicker than to add up.
                *(
                    f"count(CASE WHEN label = {code} THEN 1 END) AS {name}"
                    for code, name in enumerate(self.counted)
                ),
                *(f"max({name}) AS {name}" for name in names),
                "max(there) AS there",
                "count(CASE WHEN predicted = 1 THEN 1 END) AS predicted"
                if predicted is not None
                else "0 AS predicted",
                made_given,
            ]
        )
        return f"SELECT {made} FROM ({stacked}) AS stacked GROUP BY item"

    @property
    def _item(self) -> str:
        """SQL of the item of a rating, as text if those of the predictions are."""
        rated, predicted = self.rated, self.predicted
        if predicted is not None and rated.item_texts != predicted.texts:
            return rated.engine.dialect.text.format("item")
        return "item"

    def kept(self, least: int) -> str:
        """Write the condition under which an item is used."""
        total = " + ".join(self.counted)
        is_predicted = "" if self.predicted is None else f" AND {self.predicted.given()}"
        return f"there = 1 AND {total} >= {least}{is_predicted}"

    def cells(self, most: int, *, examples: bool = False) -> Rows:
        """Count items by label counts, predictions and where they are; perhaps name one of each.

        Names take more memory than all numbers, and are needed for messages only.
        """
        listed = ", ".join([*self.keys, "there"])
        named = ", min(item) AS example" if examples else ""
        return self.rated.engine.rows(
            f"SELECT {listed}, count(*) AS items, max(predicted) AS predicted{named} FROM "
            f"({self.kept_sql}) AS items GROUP BY {listed}",
            what=f"cells of label counts and predictions in {self.rated.source}",
            most=most,
            advice=self._advice,
        )

    def _advice(self) -> str:
        """Say what to do if there are too many cells, which takes a count of the items."""
        enough = f"{-(-self.rated.n_items * self._bytes // 10**9)}GB"
        return (
            "Predictions with many different values make a cell an item: allow more memory "
            f"({option('memory', enough)}), round predictions to two or three digits, or "
            "leave out columns that are not predictions."
        )

    def check_once(self, cells: Rows) -> None:
        """Refuse items of which there are several rows of predictions."""
        if self.predicted is None or not (cells["predicted"] > 1).any():
            return
        again = self.rated.engine.one(
            f"SELECT count(*) AS n, min(item) AS example FROM ({self.kept_sql}) AS items WHERE "
            "predicted > 1"
        )
        raise DataError(
            f"{self.predicted.relation.source}: {count(int(again['n']), 'item')} with more than "
            f"one row of predictions, such as '{again['example']}'. Keep one row per item."
        )

    def loads(self, least: int) -> str:
        """Write the SELECT of how many ratings each rater gave, of items that are used."""
        used = f"SELECT item FROM ({self.kept_sql}) AS items WHERE {self.kept(least)}"
        return (
            f"SELECT rater, count(*) AS n FROM ({self.rated.ratings}) AS ratings WHERE "
            f"{self._item} IN ({used}) GROUP BY rater"
        )

    def folded(self, least: int, total: int, seed: int, rater: str | None, most: int) -> Rows:
        """Count items that are used by cell, fold, and what a rater said, by their ranks."""
        keys = ", ".join(self.keys)
        step = max(-(-total // ENOUGH), 1)
        chosen = -(-total // step)
        fold = f"CAST(r % {min(FOLDS, total)} AS BIGINT)"
        deciding = (
            f"CAST(CASE WHEN r % {step} = 0 THEN floor(r / {step}) % {min(FOLDS, chosen)} ELSE -1 "
            "END AS BIGINT)"
        )
        return self.rated.engine.rows(
            f"SELECT {keys}, given, fold, deciding, count(*) AS items FROM (SELECT {keys}, given, "
            f"{fold} AS fold, {deciding} AS deciding FROM ({self._ranked(least, seed, rater)}) AS "
            f"ranked) AS parts GROUP BY {keys}, given, fold, deciding",
            what="cells of label counts, predictions and folds",
            most=most,
            advice=self._advice,
        )

    def _ranked(self, least: int, seed: int, rater: str | None) -> str:
        """Write the SELECT of items that are used, with their rank r among all.

        By the first 32 bits of md5(seed|item), as in memory. Those of one bucket of keys are ranked
        together, so that no machine has to sort all items.
        """
        engine, keys = self.rated.engine, ", ".join(self.keys)
        text = engine.dialect.text.format("item")
        key = engine.dialect.md5_32.format(f"concat('{seed}|', {text})")
        sql = self.kept_sql if rater is None else self.sql(rater)
        keyed = (
            f"SELECT {keys}, given, k, {text} AS item, CAST(floor(k / {_BUCKET}) AS BIGINT) AS "
            f"bucket FROM (SELECT *, {key} AS k FROM ({sql}) AS items WHERE "
            f"{self.kept(least)}) AS keyed"
        )
        sizes = engine.rows(
            f"SELECT bucket, count(*) AS n FROM ({keyed}) AS keyed GROUP BY bucket", what="buckets"
        )
        order = np.argsort(sizes["bucket"])
        size = sizes["n"][order]
        before: list[int] = (np.cumsum(size) - size).tolist()
        starts = ", ".join(
            f"({b}, {n})" for b, n in zip(sizes["bucket"][order].tolist(), before, strict=True)
        )
        return (
            f"SELECT {keys}, given, row_number() OVER (PARTITION BY keyed.bucket ORDER BY k, item) "
            f"- 1 + start AS r FROM ({keyed}) AS keyed JOIN (SELECT * FROM (VALUES {starts}) AS "
            "v(bucket, start)) AS starts ON keyed.bucket = starts.bucket"
        )


def _coded(values: NDArray[Any]) -> Codes:
    """Code values of a column, nulls among them, so that they can be compared."""
    if values.dtype.kind in "iu":
        return values.astype(np.int64)
    if values.dtype.kind == "f":
        # All NaN are one.
        return np.unique(values, return_inverse=True, equal_nan=True)[1].astype(np.int64)
    texts = np.array(["" if v is None else f"={v}" for v in values.tolist()], dtype=object)
    return np.unique(texts.astype(str), return_inverse=True)[1].astype(np.int64)


# Cells: items with the same label counts, of which the same is predicted, counted together.


@dataclass(frozen=True, eq=False, kw_only=True)
class Split:
    """Cells that were split further: by folds, and by what one rater said.

    Parameters
    ----------
    cell : (rows,) array of int
        The cell of each row.
    weight : (rows,) array of int
        Items in each.
    fold, deciding : (rows,) arrays of int
        Folds by the ids of items; see the calibration of classifiers.
    given : (rows,) array of int
        The label of the rater; -1 where there is none.
    """

    cell: Codes
    weight: Codes
    fold: Codes
    deciding: Codes
    given: Codes


@dataclass(frozen=True, eq=False, kw_only=True)
class RatedCells:
    """Ratings, reduced to cells, and what is predicted of the items of each.

    It stands where :class:`~headcount.data.labels.Labels` stands in memory, and has the same words
    for what both know.

    Parameters
    ----------
    rated : RatedTable
    items : Items
        The queries behind it.
    rows : dict of str to array
        Columns by which queries tell the cells.
    scale : Scale
    notes : tuple of Note
    counts : (cells, labels) array of int
    weight : (cells,) array of int
        Items in each cell.
    there : (cells,) array of bool
        Whether its items are among the ratings; else they are predicted only.
    said : (cells,) array of int
        What is predicted: a place in `predictions`; -1 for nothing.
    predictions : Predictions or None
        What is predicted in different ways, each as if it were an item.
    most : int
        Cells that may come back.
    """

    rated: RatedTable
    items: Items
    rows: Rows
    scale: Scale
    notes: tuple[Note, ...]
    counts: Codes
    weight: Codes
    there: Flags
    said: Codes
    predictions: Predictions | None = None
    most: int = MOST_PATTERNS

    @property
    def source(self) -> str:
        """What messages call the ratings."""
        return self.rated.source

    @property
    def sources(self) -> tuple[Source, ...]:
        """Files behind them."""
        return self.rated.sources

    @property
    def dropped(self) -> Mapping[str, int]:
        """Rows left out when they were read, by reason."""
        return self.rated.dropped

    @property
    def backend(self) -> str | None:
        """The kind of frame they came from."""
        return self.rated.backend

    @property
    def anonymous(self) -> bool:
        """Whether nobody knows who gave which rating."""
        return self.rated.anonymous

    @property
    def n_items(self) -> int:
        """Items among the ratings."""
        return int(self.weight[self.there].sum())

    def close(self) -> None:
        """Give back what the engine holds."""
        self.rated.engine.close()

    def raters_of(self, kept: Flags, least: int) -> int:
        """Count raters of the items of some cells, of which each has so many ratings at least."""
        if self.rated.n_raters is None or kept[self.there & self.counts.any(axis=1)].all():
            return self.rated.n_raters or 0
        loads = f"SELECT count(rater) AS n FROM ({self.items.loads(least)}) AS loads"
        return int(self.rated.engine.one(loads)["n"])

    def loads(self, least: int) -> dict[str, int]:
        """Ratings of each rater, of items with so many ratings that are predicted; in order."""
        rows = self.rated.engine.rows(self.items.loads(least), what=f"raters in {self.source}")
        raters = [str(rater) for rater in rows["rater"].tolist()]
        times = dict(zip(raters, rows["n"].tolist(), strict=True))
        return {str(rater): times[str(rater)] for rater in sorted_vocabulary(raters)[0].tolist()}

    def split(self, kept: Flags, least: int, seed: int, rater: str | None = None) -> Split:
        """Split cells by folds of their items, and by what a rater said; sorted.

        Parameters
        ----------
        kept : (cells,) array of bool
            Cells that are used, of which each item has `least` ratings and is predicted.
        least : int
        seed : int
            Of the folds.
        rater : str, optional
        """
        used = np.flatnonzero(kept)
        total = int(self.weight[used].sum())
        rows = self.items.folded(least, total, seed, rater, max(self.most, MOST_PATTERNS))
        cell = self._cells(rows)
        order = np.lexsort((rows["given"], rows["deciding"], rows["fold"], cell))
        if not np.isin(cell, used).all() or int(rows["items"].sum()) != total:
            raise DataError(
                f"{self.source}: what is predicted is blank in a way that {self.rated.engine.title}"
                f" reads differently. Read the data into memory ({option('engine', 'memory')})."
            )
        return Split(
            cell=cell[order],
            weight=rows["items"][order],
            fold=rows["fold"][order],
            deciding=rows["deciding"][order],
            given=rows["given"][order],
        )

    def _cells(self, rows: Rows) -> Codes:
        """Find the cell of each row of a query that gives their columns."""
        names = self.items.keys
        both = [_coded(np.concatenate([self.rows[name], rows[name]])) for name in names]
        size = len(self.weight)
        # Of items that are not among the ratings nothing is asked.
        there = self.there.astype(np.int64), np.ones(len(rows["items"]), dtype=np.int64)
        ours, new = [codes[:size] for codes in both], [codes[size:] for codes in both]
        return find_rows([*ours, there[0]], [*new, there[1]])


AnyRatings = Labels | RatedCells
"""Ratings in memory, or reduced where they are."""


def cells_of(items: Items, *, most: int = MOST_PATTERNS) -> RatedCells:
    """Count items by label counts and predictions, in the database; so many cells at most."""
    rows, rated, predicted = items.cells(most), items.rated, items.predicted
    prediction = np.full(len(rows["items"]), -1)
    predictions: Predictions | None = None
    if predicted is not None:
        items.check_once(rows)
        try:
            predictions, prediction = _read_predictions(predicted, rows)
        except DataError:  # which names an item, if it can
            _read_predictions(predicted, items.cells(most, examples=True))
            raise
    return RatedCells(
        rated=rated,
        items=items,
        rows=rows,
        scale=rated.scale,
        notes=rated.notes,
        counts=np.stack([rows[name] for name in items.counted], axis=1),
        weight=rows["items"],
        there=rows["there"] > 0,
        said=prediction,
        predictions=predictions,
        most=most,
    )


def _read_predictions(predicted: PredictedTable, cells: Rows) -> tuple[Predictions, Codes]:
    """Read what is predicted in different ways, each as an item; which of them, of each cell."""
    predicted_cells = np.flatnonzero(cells["predicted"] > 0)
    if not len(predicted_cells):
        raise DataError(f"{predicted.relation.source} has no predictions.")
    first, way = group_rows([_coded(cells[name])[predicted_cells] for name in predicted.names])
    rows = {name: cells[name][predicted_cells][first] for name in predicted.names}
    example = cells.get("example")
    names = np.arange(len(first)) if example is None else example[predicted_cells][first]
    prediction = np.full(len(cells["items"]), -1)
    prediction[predicted_cells] = way  # readers sort items, and numbers are in order
    return predicted.read(rows, names), prediction

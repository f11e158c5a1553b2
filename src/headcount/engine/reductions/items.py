"""One row an item: its label counts, and what is predicted of it, by one grouping."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from functools import cached_property, partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from headcount.engine.engines.base import Rows
from headcount.engine.engines.failures import NotEnoughMemoryError
from headcount.engine.engines.parts import ALL, ItemRows, added, together
from headcount.engine.ratings.rated import Rated
from headcount.engine.reductions.predicted import Predicted
from headcount.errors import DataError, count, option
from headcount.stats.draws import ENOUGH, FOLDS
from headcount.typing import Codes

__all__ = ["Items"]

_BYTES, _BYTES_A_NUMBER = 120, 40
"""Memory that a cell takes while it is surveyed, about: and for each label and prediction of it."""
_BUCKET = 2**20
"""Keys of items are 32 bits; those of one bucket are ranked together."""
_KEYS = 2**32
_RANKED, _MOST_RANKED = 4, 256
"""Parts of the keys for each part of the items, at most so many: to rank takes more memory."""


@dataclass(frozen=True, eq=False)
class Items:
    """Ratings and predictions, an item a row.

    Both are put below each other and grouped by item: a join that needs no more than a grouping,
    and tells of items that one of them lacks.

    Parameters
    ----------
    rated : Rated
    predicted : Predicted or None
    """

    rated: Rated
    predicted: Predicted | None = None
    _kept: dict[str | None, str] = field(default_factory=dict[str | None, str])
    _parts: dict[str | None, list[str]] = field(default_factory=dict[str | None, list[str]])

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

    def sql(self, rater: str | None = None) -> str:
        """Write the SELECT of one row an item, or of what was kept of them.

        `given` is the label of a rater, or -1.
        """
        return self._kept.get(rater) or self._grouped(rater, ALL)

    def _within_memory(self, run: Callable[[], Rows], rater: str | None = None) -> Rows:
        """Run a query of items; where they cannot be grouped at once, keep them part by part."""
        rows = self.rated.rows
        if rows.number == 1 and not rows.many:
            try:
                return run()
            except NotEnoughMemoryError:
                rows.divide()
        self._keep_parts(rater)
        return run()

    def _keep_parts(self, rater: str | None = None) -> None:
        """Keep one row an item, part by part."""
        if rater in self._kept:
            return
        counted = self.rated.rows.within_memory(lambda: self._label_counts(rater))
        said = self._predictions
        if said is not None and said.number != counted.number:
            said.divide(counted.number)
        name = "items" if rater is None else "items_given"
        parts = counted.grouped(name, partial(self._grouped, rater, counted=counted))
        self._parts[rater], self._kept[rater] = parts, together(parts)

    def hold(self) -> None:
        """Keep one row an item, for the many queries of what comes a part at a time."""
        rows = self.rated.rows
        if None not in self._kept and rows.number == 1 and not rows.many:
            try:
                held = self.rated.engine.hold("items", self._grouped(None, ALL))
                self._kept[None] = f"SELECT * FROM {held}"
            except NotEnoughMemoryError:
                rows.divide()
        self._keep_parts()

    def _label_counts(self, rater: str | None) -> ItemRows:
        """Write the SELECT of rows in parts that say how often an item was given each label.

        If rows of an item are together, they are counted before they are written.
        """
        rows = self.rated.rows
        given = f", {self._given(rater)} AS given" if rater is not None else ""
        if rows.number > 1:
            counts = "".join(
                f", CASE WHEN label = {code} THEN 1 ELSE 0 END AS {name}"
                for code, name in enumerate(self.counted)
            )
            select = f"SELECT {self._item} AS item{counts}{given}, part FROM ({rows.sql}) AS every"
            return replace(rows, sql=select)
        counts = "".join(f", {count} AS {name}" for count, name in self._counts)
        given = f", max({self._given(rater)}) AS given" if rater is not None else ""
        select = f"SELECT {self._item} AS item{counts}{given} FROM ({rows.sql}) AS every"
        written = ItemRows(rows.engine, "label_counts", f"{select} GROUP BY item", rows.groups)
        written.divide()
        return written

    @cached_property
    def _predictions(self) -> ItemRows | None:
        """Rows of predictions, with items as those of the ratings."""
        rated, predicted = self.rated, self.predicted
        if predicted is None:
            return None
        raw = [name for _, name in predicted.binned]
        values = zip([*predicted.values, *predicted.numbers], [*predicted.names, *raw], strict=True)
        said = "".join(f", {value} AS {name}" for value, name in values)
        item = predicted.identity(texts=rated.item_texts)
        select = f"SELECT {item} AS item{said} FROM {predicted.relation.sql}"
        return ItemRows(rated.engine, "predictions", select)

    def _grouped(self, rater: str | None, where: str, counted: ItemRows | None = None) -> str:
        """Write the SELECT of one row an item, of items that meet a condition.

        `counted` are label counts of some ratings each; without, ratings are counted one by one.
        """
        rated, predicted = self.rated, self.predicted
        names = predicted.names if predicted else []
        given, made_given, none = "", "-1 AS given", ""
        if rater is not None:
            given = ", given" if counted else f", {self._given(rater)} AS given"
            made_given, none = "max(given) AS given", ", -1 AS given"
        raw = [name for _, name in predicted.binned] if predicted else []
        nulls = "".join(f", NULL AS {name}" for name in [*names, *raw])
        labels, item = (self.counted, "item") if counted else (["label"], self._item)
        parts = [
            f"SELECT {item} AS item, {', '.join(labels)}{given}{nulls}, 1 AS there, 0 AS predicted "
            f"FROM ({counted.sql if counted else rated.every}) AS every WHERE {where}"
        ]
        if self._predictions is not None:
            unlabelled = ", ".join(f"NULL AS {label}" for label in labels)
            said = "".join(f", {name}" for name in [*names, *raw])
            parts.append(
                f"SELECT item, {unlabelled}{none}{said}, 0 AS there, 1 AS predicted FROM "
                f"({self._predictions.sql}) AS said WHERE {where}"
            )
        counts = [
            f"CAST(coalesce(sum({name}), 0) AS BIGINT) AS {name}"
            if counted
            else f"{count} AS {name}"
            for count, name in self._counts
        ]
        made = ", ".join(
            [
                "item",
                *counts,
                *(f"max({name}) AS {name}" for name in [*names, *raw]),
                "max(there) AS there",
                "count(CASE WHEN predicted = 1 THEN 1 END) AS predicted"
                if predicted is not None
                else "0 AS predicted",
                made_given,
            ]
        )
        stacked = " UNION ALL ".join(parts)
        return f"SELECT {made} FROM ({stacked}) AS stacked GROUP BY item"

    @property
    def _counts(self) -> list[tuple[str, str]]:
        """SQL of the number of ratings with each label, and its name."""
        # To count is quicker than to add up.
        return [
            (f"count(CASE WHEN label = {code} THEN 1 END)", name)
            for code, name in enumerate(self.counted)
        ]

    def _given(self, rater: str) -> str:
        """Write the SQL of the label of a rating if it is a rater's, or -1."""
        dialect = self.rated.engine.dialect
        is_theirs = f"{dialect.text.format('rater')} = {dialect.literal(rater)}"
        return f"CASE WHEN {is_theirs} THEN label ELSE -1 END"

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
        given = "" if self.predicted is None else f" AND {self.predicted.given()}"
        return f"there = 1 AND {total} >= {least}{given}"

    def cells(self, most: int, *, examples: bool = False) -> Rows:
        """Count items by label counts, predictions and where they are; perhaps name one of each.

        Names take more memory than all numbers, and are needed for messages only.
        """
        listed = ", ".join([*self.keys, "there"])
        raw = [name for _, name in self.predicted.binned] if self.predicted else []
        ends = "".join(
            f", sum({name}) AS sum_{name}, min({name}) AS min_{name}, max({name}) AS max_{name}"
            for name in raw
        )
        named = ", min(item) AS example" if examples else ""
        return self._within_memory(
            lambda: self.rated.engine.rows(
                f"SELECT {listed}, count(*) AS items, max(predicted) AS predicted{named}{ends} "
                f"FROM ({self.sql()}) AS items GROUP BY {listed}",
                what=f"cells of label counts and predictions in {self.rated.source}",
                most=most,
                advice=self._advice,
            )
        )

    def _advice(self) -> str:
        """Say what to do if there are too many cells, which takes a count of the items."""
        enough = f"{-(-self.rated.n_items * self._bytes // 10**9)}GB"
        return (
            "Predictions with many different values make a cell an item: allow more memory "
            f"({option('memory', enough)}), put predictions into bins ({option('bins', 1000)}), or "
            "leave out columns that are no predictions."
        )

    def check_once(self, found: Rows) -> None:
        """Refuse items of which there are several rows of predictions."""
        if self.predicted is None or not (found["predicted"] > 1).any():
            return
        again = self.rated.engine.one(
            f"SELECT count(*) AS n, min(item) AS example FROM ({self.sql()}) AS items WHERE "
            "predicted > 1"
        )
        raise DataError(
            f"{self.predicted.relation.source}: {count(int(again['n']), 'item')} with more than "
            f"one row of predictions, such as '{again['example']}'. Keep one row per item."
        )

    def raters(self, least: int) -> int:
        """Count the raters of items that are used."""
        found = self._within_memory(
            lambda: self.rated.engine.fetch(
                f"SELECT count(rater) AS n FROM ({self._loads(least)}) AS loads"
            )
        )
        return int(found["n"][0])

    def loads(self, least: int) -> tuple[list[str], list[int]]:
        """Count the ratings of each rater, of items that are used."""
        found = self._within_memory(
            lambda: self.rated.engine.rows(
                self._loads(least),
                what=f"raters in {self.rated.source}",
            )
        )
        return [str(one) for one in found["rater"].tolist()], found["n"].tolist()

    def _loads(self, least: int) -> str:
        """Write the SELECT of how many ratings each rater gave, of items that are used."""
        rows, parts = self.rated.rows, self._parts.get(None, [self.sql()])
        if rows.number != len(parts):
            rows.divide(len(parts))
        items = dict(zip(rows.conditions, parts, strict=True))

        def counted(where: str) -> str:
            used = f"SELECT item FROM ({items[where]}) AS items WHERE {self.kept(least)}"
            return (
                f"SELECT rater, count(*) AS n FROM ({self.rated.every}) AS every WHERE label IS "
                f"NOT NULL AND {where} AND {self._item} IN ({used}) GROUP BY rater"
            )

        return added(rows.grouped("loads", counted), "rater", "n")

    def folded(self, least: int, total: int, seed: int, rater: str | None, most: int) -> Rows:
        """Count items that are used by cell, fold, and what a rater said."""
        return self._within_memory(lambda: self._folded(least, total, seed, rater, most), rater)

    def _folded(self, least: int, total: int, seed: int, rater: str | None, most: int) -> Rows:
        """Count the items of each cell by their rank among all."""
        engine = self.rated.engine
        keys = ", ".join(self.keys)
        ranked = self.ranked(least, seed, rater)
        step = max(-(-total // ENOUGH), 1)
        chosen = -(-total // step)
        fold = f"CAST(r % {min(FOLDS, total)} AS BIGINT)"
        deciding = (
            f"CAST(CASE WHEN r % {step} = 0 THEN floor(r / {step}) % {min(FOLDS, chosen)} ELSE -1 "
            "END AS BIGINT)"
        )
        return engine.rows(
            f"SELECT {keys}, given, fold, deciding, count(*) AS items FROM (SELECT {keys}, given, "
            f"{fold} AS fold, {deciding} AS deciding FROM ({ranked}) AS ranked) AS parts GROUP BY "
            f"{keys}, given, fold, deciding",
            what="cells of label counts, predictions and folds",
            most=most,
            advice=self._advice,
        )

    def ranked(self, least: int, seed: int, rater: str | None = None) -> str:
        """Write the SELECT of items that are used, with their rank r among all.

        By the first 32 bits of md5(seed|item), as in memory; bucket by bucket, or part by part,
        where an engine cannot rank all at once.
        """
        engine = self.rated.engine
        text = engine.dialect.text.format("item")
        key = engine.dialect.md5_32.format(f"concat('{seed}|', {text})")
        keys = ", ".join(self.keys)

        def keyed(items: str) -> str:
            return (
                f"SELECT {keys}, given, k, {text} AS item, CAST(floor(k / {_BUCKET}) AS BIGINT) AS "
                f"bucket FROM (SELECT *, {key} AS k FROM ({items}) AS items WHERE "
                f"{self.kept(least)}) AS keyed"
            )

        if not engine.ranks_at_once:
            return self._by_bucket(keyed(self.sql(rater)))
        if rater in self._parts:
            return self._by_part([keyed(part) for part in self._parts[rater]])
        return (
            f"SELECT {keys}, given, row_number() OVER (ORDER BY k, item) - 1 AS r FROM "
            f"({keyed(self.sql(rater))}) AS keyed"
        )

    def _by_bucket(self, keyed: str) -> str:
        """Write the SELECT of ranks, of which those of one bucket are found together."""
        sizes = self.rated.engine.rows(
            f"SELECT bucket, count(*) AS n FROM ({keyed}) AS keyed GROUP BY bucket", what="buckets"
        )
        order = np.argsort(sizes["bucket"])
        size = sizes["n"][order]
        before: list[int] = (np.cumsum(size) - size).tolist()
        starts = ", ".join(
            f"({b}, {n})" for b, n in zip(sizes["bucket"][order].tolist(), before, strict=True)
        )
        return (
            f"SELECT {', '.join(self.keys)}, given, row_number() OVER (PARTITION BY keyed.bucket "
            f"ORDER BY k, item) - 1 + start AS r FROM ({keyed}) AS keyed JOIN (SELECT * FROM "
            f"(VALUES {starts}) AS v(bucket, start)) AS starts ON keyed.bucket = starts.bucket"
        )

    def _by_part(self, parts: list[str]) -> str:
        """Write the SELECT of ranks, found and kept for one part of the keys at a time."""
        engine, number = self.rated.engine, min(_RANKED * len(parts), _MOST_RANKED)
        part = f"CAST(floor(k / {-(-_KEYS // number)}) AS BIGINT)"
        keyed = engine.divided("keyed", parts, part, number)
        sizes = engine.fetch(f"SELECT part, count(*) AS n FROM ({keyed}) AS keyed GROUP BY part")
        kept: list[str] = []
        start = 0
        for place in np.argsort(sizes["part"]).tolist():
            ranked = (
                f"SELECT {', '.join(self.keys)}, given, row_number() OVER (ORDER BY k, item) - 1 + "
                f"{start} AS r FROM ({keyed}) AS keyed WHERE part = {sizes['part'][place]}"
            )
            kept.append(f"SELECT * FROM {engine.keep(f'ranked_{place}', ranked)}")
            start += int(sizes["n"][place])
        return together(kept)

    def coded(self, values: NDArray[Any]) -> Codes:
        """Code values of a column, nulls among them, so that they can be compared."""
        if values.dtype.kind in "iu":
            return values.astype(np.int64)
        if values.dtype.kind == "f":
            # All NaN are one.
            return np.unique(values, return_inverse=True, equal_nan=True)[1].astype(np.int64)
        texts = np.array(["" if v is None else f"={v}" for v in values.tolist()], dtype=object)
        return np.unique(texts.astype(str), return_inverse=True)[1].astype(np.int64)

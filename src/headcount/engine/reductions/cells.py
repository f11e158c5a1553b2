"""Cells: items with the same label counts, of which the same is predicted, counted together."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

import numpy as np

from headcount.data.canonical import sorted_vocabulary
from headcount.data.labels import Labels
from headcount.data.predictions import Predictions
from headcount.data.scale import Scale
from headcount.engine.engines.base import Rows
from headcount.engine.ratings.rated import Rated
from headcount.engine.reductions.bins import Spread
from headcount.engine.reductions.items import Items
from headcount.engine.reductions.patterns import MOST_PATTERNS
from headcount.engine.reductions.predicted import Predicted
from headcount.engine.reductions.streamed import StreamedItems
from headcount.errors import DataError, option
from headcount.results.notes import Note
from headcount.results.provenance import Source
from headcount.stats.grouping import find_rows, group_rows
from headcount.typing import Codes, Flags

__all__ = ["AnyRatings", "RatedCells", "Split", "cells_of", "streamed_cells"]


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
    rated : Rated
    items : Items
        The queries behind it.
    found : dict of str to array
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
    streamed : StreamedItems or None
        Where what is predicted comes a part at a time: cells are then of items with the same label
        counts, and `predictions` are examples.
    given : (cells,) array of bool
        Whether every classifier says something of their items, where that is streamed.
    """

    rated: Rated
    items: Items
    found: Rows
    scale: Scale
    notes: tuple[Note, ...]
    counts: Codes
    weight: Codes
    there: Flags
    said: Codes
    predictions: Predictions | None = None
    most: int = MOST_PATTERNS
    streamed: StreamedItems | None = None
    given: Flags = field(default_factory=lambda: np.zeros(0, dtype=bool))

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

    def whole(self) -> RatedCells:
        """Bring what is predicted of all items at once, where there turn out to be few."""
        return cells_of(self.rated, self.items, self.notes, most=self.most)

    def raters_of(self, kept: Flags, least: int) -> int:
        """Count raters of the items of some cells, of which each has so many ratings at least."""
        if self.rated.n_raters is None or kept[self.there & self.counts.any(axis=1)].all():
            return self.rated.n_raters or 0
        return self.items.raters(least)

    def loads(self, least: int) -> dict[str, int]:
        """Ratings of each rater, of items with so many ratings that are predicted; in order."""
        texts, ratings = self.items.loads(least)
        ids, _ = sorted_vocabulary(texts)
        times = dict(zip(texts, ratings, strict=True))
        return {str(one): times[str(one)] for one in ids.tolist()}

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
        found = self.items.folded(least, total, seed, rater, max(self.most, MOST_PATTERNS))
        cell = self._cells(found)
        order = np.lexsort((found["given"], found["deciding"], found["fold"], cell))
        if not np.isin(cell, used).all() or int(found["items"].sum()) != total:
            raise DataError(
                f"{self.source}: what is predicted is blank in a way that {self.rated.engine.title}"
                f" reads differently. Read the data into memory ({option('engine', 'memory')})."
            )
        return Split(
            cell=cell[order],
            weight=found["items"][order],
            fold=found["fold"][order],
            deciding=found["deciding"][order],
            given=found["given"][order],
        )

    def _cells(self, found: Rows) -> Codes:
        """Find the cell of each row of a query that gives their columns."""
        names = self.items.keys
        both = [self.items.coded(np.concatenate([self.found[name], found[name]])) for name in names]
        size = len(self.weight)
        # Of items that are not among the ratings nothing is asked.
        there = self.there.astype(np.int64), np.ones(len(found["items"]), dtype=np.int64)
        known, new = [one[:size] for one in both], [one[size:] for one in both]
        return find_rows([*known, there[0]], [*new, there[1]])


AnyRatings = Labels | RatedCells
"""Ratings in memory, or reduced where they are."""


def cells_of(
    rated: Rated, items: Items, notes: tuple[Note, ...], *, most: int = MOST_PATTERNS
) -> RatedCells:
    """Count items by label counts and predictions, in the database; so many cells at most."""
    found = items.cells(most)
    counts = np.stack([found[name] for name in items.counted], axis=1)
    there = found["there"] > 0
    predicted = items.predicted
    said = np.full(len(there), -1)
    predictions: Predictions | None = None
    if predicted is not None:
        items.check_once(found)
        try:
            predictions, said, more = _said(items, predicted, found)
        except DataError:  # which names an item, if it can
            _said(items, predicted, items.cells(most, examples=True))
            raise
        notes = (*notes, *more)
    return RatedCells(
        rated=rated,
        items=items,
        found=found,
        scale=rated.scale,
        notes=notes,
        counts=counts,
        weight=found["items"],
        there=there,
        said=said,
        predictions=predictions,
        most=most,
    )


def streamed_cells(rated: Rated, streamed: StreamedItems, most: int) -> RatedCells:
    """Count items by label counts, and read examples of what is predicted; most as `cells_of`."""
    found, items = streamed.summary(), streamed.items
    items.check_once(found)
    is_predicted = found["predicted"] > 0
    if not is_predicted.any():
        raise DataError(f"{streamed.predicted.relation.source} has no predictions.")
    return RatedCells(
        rated=rated,
        items=items,
        found=found,
        scale=rated.scale,
        notes=rated.notes,
        counts=np.stack([found[name] for name in items.counted], axis=1),
        weight=found["items"],
        there=found["there"] > 0,
        said=np.where(is_predicted, 0, -1),
        predictions=streamed.said,
        most=most,
        streamed=streamed,
        given=found["given_all"] > 0,
    )


def _said(items: Items, predicted: Predicted, found: Rows) -> tuple[Predictions, Codes, list[Note]]:
    """Read what is predicted in different ways, each as an item; which of them, of each cell."""
    given = np.flatnonzero(found["predicted"] > 0)
    if not len(given):
        raise DataError(f"{predicted.relation.source} has no predictions.")
    first, way = group_rows([items.coded(found[name])[given] for name in predicted.names])
    rows = {name: found[name][given][first] for name in predicted.names}
    notes = _set_means(rows, found, predicted, given, way)
    example = found.get("example")
    names = np.arange(len(first)) if example is None else example[given][first]
    said = np.full(len(found["items"]), -1)
    said[given] = way  # readers sort items, and numbers are in order
    return predicted.read(rows, names), said, notes


def _set_means(
    rows: Rows, found: Rows, predicted: Predicted, given: Codes, group: Codes
) -> list[Note]:
    """Let numbers in bins count as the mean of those that share them; say what that changes."""
    notes: list[Note] = []
    names = dict(zip(predicted.names, predicted.columns, strict=True))
    for key, raw in predicted.binned:
        total, low, high = (
            found[f"{end}_{raw}"][given].astype(np.float64) for end in ("sum", "min", "max")
        )
        spread = Spread.of(group, found["items"][given], (total, low, high), len(rows[key]))
        rows[key] = spread.mean
        notes.append(spread.note(names[key].name, predicted.number or 0))
    return notes

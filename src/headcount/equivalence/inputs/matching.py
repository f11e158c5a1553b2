"""Items that were both rated and predicted."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol, Self, TypeVar

from headcount.data.labels import Labels
from headcount.data.predictions import Predictions
from headcount.data.vocabulary import match_ids
from headcount.engine.reductions.cells import RatedCells
from headcount.errors import DataError, count, some
from headcount.io.findings import LEAST_SHARED, few_shared, none_shared
from headcount.results.notes import Notes
from headcount.typing import Flags, Ints

__all__ = ["Predicts", "common_cells", "common_items"]


class Predicts(Protocol):
    """What says something about items: a classifier, or a judge that gives scores."""

    @property
    def predicted(self) -> Flags:
        """Whether it says something of each item."""
        ...

    def at(self, index: Ints) -> Self:
        """Take what it says at places of items; nothing where the place is -1."""
        ...


P = TypeVar("P", bound=Predicts)


def common_items(
    labels: Labels, predictions: Predictions, classifiers: Sequence[P], notes: Notes
) -> tuple[list[P], Flags]:
    """Bring predictions to the rated items, and find the items that every classifier predicts.

    Returns
    -------
    classifiers : list
        Their predictions for the items of `labels`.
    kept : (items,) array of bool
    """
    both = (labels.source, labels.items, predictions.source, predictions.items)
    where = match_ids(labels.items, predictions.items)
    found = where >= 0
    if not found.any():
        raise DataError(none_shared(*both))
    notes.extend(few_shared(*both))
    unknown = len(predictions.items) - int(found.sum())
    if unknown:
        rated = match_ids(predictions.items, labels.items) >= 0
        notes.caution(
            f"{predictions.source}: predictions for {count(unknown, 'item')} that nobody rated are "
            f"left out: {some(predictions.items[~rated].tolist())}."
        )
    moved = [classifier.at(where) for classifier in classifiers]
    kept = found.copy()
    for classifier in moved:
        kept &= classifier.predicted
    if not kept.any():
        raise DataError(f"{predictions.source}: no rated item is predicted by every classifier.")
    missing = labels.items[~kept]
    if len(missing):
        notes.caution(
            f"{predictions.source}: {count(len(missing), 'rated item')} not predicted by every "
            f"classifier, left out: {some(missing.tolist())}."
        )
    return moved, kept


def common_cells(
    cells: RatedCells, predictions: Predictions, classifiers: Sequence[P], notes: Notes
) -> tuple[list[P], Flags]:
    """Bring predictions to cells of items, and find those that every classifier predicts.

    As :func:`common_items`, of data that were reduced where they are; items are not named. What
    comes a part at a time stays as it is.
    """
    weight, there = cells.weight, cells.there
    shared = int(weight[there & (cells.said >= 0)].sum())
    ours, theirs = cells.n_items, int(weight[cells.said >= 0].sum())
    if not shared:
        raise DataError(
            f"no item is in both {cells.source} and {predictions.source}. Check the item columns."
        )
    if shared < LEAST_SHARED * min(ours, theirs):
        notes.warning(
            f"{count(shared, 'item')} {'is' if shared == 1 else 'are'} in both {cells.source} "
            f"({count(ours, 'item')}) and {predictions.source} ({count(theirs, 'item')}): few. The "
            "others are left out where both are needed. Check the item columns."
        )
    if theirs > shared:
        notes.caution(
            f"{predictions.source}: predictions for {count(theirs - shared, 'item')} that nobody "
            "rated are left out."
        )
    if cells.streamed is not None:
        moved, kept = list(classifiers), there & cells.given
    else:
        moved = [classifier.at(cells.said) for classifier in classifiers]
        kept = there & (cells.said >= 0)
        for classifier in moved:
            kept &= classifier.predicted
    if not kept.any():
        raise DataError(f"{predictions.source}: no rated item is predicted by every classifier.")
    missing = int(weight[there & ~kept].sum())
    if missing:
        notes.caution(
            f"{predictions.source}: {count(missing, 'rated item')} not predicted by every "
            "classifier, left out."
        )
    return moved, kept

"""Items that were both rated and predicted."""

from __future__ import annotations

import numpy as np

from headcount.data.labels import Labels
from headcount.data.predictions import Classifier, Predictions
from headcount.data.vocabulary import match_ids
from headcount.errors import DataError, count, some
from headcount.io.findings import few_shared, none_shared
from headcount.results.notes import Notes
from headcount.typing import Flags

__all__ = ["common_items"]


def common_items(
    labels: Labels, predictions: Predictions, classifiers: list[Classifier], notes: Notes
) -> tuple[list[Classifier], Flags]:
    """Bring predictions to the rated items, and find the items that every classifier predicts.

    Returns
    -------
    classifiers : list of Classifier
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
    moved: list[Classifier] = []
    kept = found.copy()
    for classifier in classifiers:
        table = np.full((len(labels.items), len(labels.scale)), np.nan)
        table[found] = classifier.probability[where[found]]
        moved.append(Classifier(classifier.name, classifier.kind, table))
        kept &= moved[-1].predicted
    if not kept.any():
        raise DataError(f"{predictions.source}: no rated item is predicted by every classifier.")
    missing = labels.items[~kept]
    if len(missing):
        notes.caution(
            f"{predictions.source}: {count(len(missing), 'rated item')} not predicted by every "
            f"classifier, left out: {some(missing.tolist())}."
        )
    return moved, kept

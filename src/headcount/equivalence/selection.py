"""Which items and classifiers are scored, and why the others are not."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from headcount.equivalence.scorers import Scorer
from headcount.errors import DataError, OptionError, count, some
from headcount.labels.counts import Counts
from headcount.labels.labels import Labels
from headcount.labels.predictions import Classifier, Predictions
from headcount.labels.vocabulary import match_ids

__all__ = ["check_ratings", "clipped", "common_items", "fitting", "survey_size"]

Flags = NDArray[np.bool_]

KEEP = 0.9
"""The default survey size keeps at least this share of the items."""


def check_ratings(labels: Labels, counts: Counts) -> None:
    """Raise DataError where no survey can predict anything."""
    used = np.flatnonzero(counts.multiplicity @ counts.patterns)
    if len(used) < 2:
        raise DataError(
            f"{labels.source}: every rating is '{labels.scale.labels[used[0]]}', so there is "
            "nothing to predict. Check that the label column is the right one (--label)."
        )
    if counts.ratings.max() < 2:
        raise DataError(
            f"{labels.source}: no item has two ratings, so no rater can be predicted from another. "
            "Check that the item column is the right one (--item), or collect more ratings."
        )


def fitting(predictions: Predictions, scorer: Scorer) -> tuple[list[Classifier], list[str]]:
    """Leave out hard classifiers under a scorer that needs probabilities; add notes."""
    classifiers = list(predictions.classifiers)
    if scorer.needs == "hard":
        soft = [c.name for c in classifiers if c.kind == "soft"]
        note = f"{some(soft)}: scored by the most probable label; labels that tie share the choice."
        return classifiers, [note] if soft else []
    hard = [c.name for c in classifiers if c.kind == "hard"]
    how = (
        f"scorer '{scorer.name}' needs probabilities. Soften a label by how often raters give each "
        "label when it is predicted (columns classifier:label), or use --scorer agreement with "
        "--combiner plurality."
    )
    if len(hard) == len(classifiers):
        raise DataError(
            f"{predictions.source}: only labels are predicted ({some(hard)}), but {how}"
        )
    notes = [f"left out: {some(hard)}, which predicts labels only; {how}"] if hard else []
    return [c for c in classifiers if c.kind == "soft"], notes


def common_items(
    labels: Labels, predictions: Predictions, classifiers: list[Classifier]
) -> tuple[list[Classifier], Flags, list[str]]:
    """Bring predictions to the rated items, and find the items that every classifier predicts."""
    where = match_ids(labels.items, predictions.items)
    found = where >= 0
    if not found.any():
        raise DataError(
            f"no item is in both {labels.source} ({some(labels.items.tolist())}) and "
            f"{predictions.source} ({some(predictions.items.tolist())}). Check the item columns."
        )
    notes: list[str] = []
    unknown = len(predictions.items) - int(found.sum())
    if unknown:
        known = match_ids(predictions.items, labels.items) >= 0
        notes.append(
            f"{predictions.source}: predictions for {count(unknown, 'item')} that nobody rated are "
            f"left out: {some(predictions.items[~known].tolist())}."
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
        notes.append(
            f"{predictions.source}: {count(len(missing), 'rated item')} not predicted by every "
            f"classifier, left out: {some(missing.tolist())}."
        )
    return moved, kept, notes


def survey_size(
    counts: Counts, kept: Flags, max_k: int | None, source: str
) -> tuple[int, Flags, list[str]]:
    """Choose the largest survey, and keep the items that can serve it and a reference rater."""
    ratings = counts.ratings_per_item
    most = int(ratings[kept].max()) - 1
    if most < 1:
        raise DataError(
            f"{source}: no item with predictions has two ratings, so no rater can be predicted "
            "from another. Collect more ratings."
        )
    if max_k is None:
        served = [(ratings[kept] > k).mean() for k in range(1, most + 1)]
        max_k = max((k for k, share in enumerate(served, 1) if share >= KEEP), default=1)
    elif max_k > most:
        raise OptionError(
            f"max_k (--max-k) {max_k} needs items with {max_k + 1} ratings, but no item in "
            f"{source} has more than {most + 1}. Ask for at most {most}."
        )
    enough = kept & (ratings > max_k)
    dropped = int((kept & ~enough).sum())
    note = (
        f"{dropped:,} of {count(int(kept.sum()), 'item')} left out: fewer than {max_k + 1} "
        f"ratings (a survey of {max_k} and a reference rater). --max-k chooses the size."
    )
    return max_k, enough, [note] if dropped else []


def clipped(classifier: Classifier, clip: float) -> tuple[Classifier, list[str]]:
    """Keep probabilities in [clip, 1 - clip] and normalise those that were not."""
    table = classifier.probability
    bounded = np.clip(table, clip, 1 - clip)
    changed = (bounded != table).any(axis=1)
    if classifier.kind == "hard" or not changed.any():
        return classifier, []
    table = table.copy()
    table[changed] = bounded[changed] / bounded[changed].sum(axis=1, keepdims=True)
    note = (
        f"{classifier.name}: probabilities of {count(int(changed.sum()), 'item')} were clipped to "
        f"[{clip:g}, {1 - clip:g}] and normalised."
    )
    return Classifier(classifier.name, classifier.kind, table), [note]

"""Which items and classifiers are scored against what, and why the others are not."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from headcount.data.labels import Labels
from headcount.data.predictions import Classifier, Predictions
from headcount.data.vocabulary import as_ids, encode, match_ids
from headcount.equivalence.calibration import FOLDS, calibrated
from headcount.equivalence.scorers.base import Scorer
from headcount.equivalence.surveys.exact import PooledItems
from headcount.equivalence.surveys.surveys import Pool, consensus
from headcount.errors import DataError, OptionError, count, some
from headcount.stats.grouping import group_rows
from headcount.typing import Flags, Floats, Ids

__all__ = ["Selection", "common_items", "select"]

Matrix = NDArray[np.int64]

KEEP = 0.9
"""The default survey size keeps at least this share of the items."""


@dataclass(eq=False)
class Selection:
    """The items that are scored, with all that is known of them.

    Parameters
    ----------
    kept : (all items,) array of bool
        The items used.
    items : array
        Their ids.
    counts : (items, labels) array of int
        Label counts of the raters who are asked: all, or the experts.
    amateurs : (items, labels) array of int or None
        Label counts of the amateurs, where there are experts.
    max_k, max_m : int
        Largest survey of raters, and of amateurs.
    reference : (items, labels) array of float
        Distribution of the reference label of each item.
    reference_raters : int
    states : (items, labels) array of float or None
        Known states that are the reference.
    classifiers : list of Classifier
    notes : list of str
    """

    kept: Flags
    items: Ids
    counts: Matrix
    amateurs: Matrix | None
    max_k: int
    max_m: int
    reference_raters: int
    states: Floats | None
    classifiers: list[Classifier]
    notes: list[str]
    reference: Floats = field(init=False)

    def __post_init__(self) -> None:
        if self.states is not None:
            self.reference = self.states
        elif self.reference_raters == 1:
            self.reference = self.counts / self.counts.sum(axis=1, keepdims=True)
        else:
            first, group = group_rows(self.counts.T)
            self.reference = consensus(self.counts[first], self.reference_raters)[group]

    @property
    def reference_name(self) -> str:
        """What predictions are scored against, in words."""
        if self.states is not None:
            return "the known state"
        who = "rater" if self.amateurs is None else "expert"
        if self.reference_raters == 1:
            return f"one {who}"
        return f"the plurality of {self.reference_raters} {who}s"

    def ratings_per_item(self) -> tuple[int, float, int]:
        """Smallest, median and largest number of ratings of an item."""
        ratings = self.counts.sum(axis=1)
        return int(ratings.min()), float(np.median(ratings)), int(ratings.max())

    def pools(self) -> list[PooledItems]:
        """Pools from which surveys are drawn: the raters, and the amateurs if there are any."""
        fixed = [] if self.states is None else list(self.states.T)
        first, pattern = group_rows([*self.counts.T, *fixed])
        known = self.reference_raters if self.states is None else self.states[first]
        pools = [PooledItems(Pool(self.counts[first], known), pattern, self.max_k)]
        if self.amateurs is not None:
            first, pattern = group_rows([*self.amateurs.T, *self.counts.T, *fixed])
            expert = self.counts[first] / self.counts[first].sum(axis=1, keepdims=True)
            pool = Pool(self.amateurs[first], self.reference[first], learns=expert)
            pools.append(PooledItems(pool, pattern, self.max_m))
        return pools


def select(
    labels: Labels,
    predictions: Predictions | None,
    scorer: Scorer,
    *,
    max_k: int | None,
    reference_raters: int,
    states: Predictions | None,
    experts: Collection[object] | None,
    clip: float | None,
    calibrate: str | None,
    rng: np.random.Generator,
) -> Selection:
    """Choose the items that can serve every survey and that every classifier predicts."""
    if max_k is not None and max_k < 1:
        raise OptionError(f"max_k (--max-k) must be at least 1 rater, not {max_k}.")
    if reference_raters < 1:
        raise OptionError(
            f"reference_raters (--reference-raters) must be at least 1, not {reference_raters}."
        )
    if states is not None and reference_raters > 1:
        raise OptionError("score against states or against several raters, not both.")
    notes: list[str] = []
    counts, amateurs = _counted(labels, experts)
    _check_ratings(labels, counts)
    kept = np.ones(len(labels.items), dtype=bool)
    classifiers: list[Classifier] = []
    if predictions is not None:
        aligned = predictions.align(labels.scale.labels, rated_in=labels.source)
        # Calibration makes hard classifiers soft, so that none is left out before it.
        classifiers = list(aligned.classifiers)
        if calibrate is None:
            classifiers, left_out = _fitting(aligned.source, classifiers, scorer)
            notes += left_out
        classifiers, kept, unmatched = common_items(labels, aligned, classifiers)
        notes += [*predictions.notes, *unmatched]
    known: Floats | None = None
    if states is not None:
        known, with_state, unmatched = _known_states(labels, states)
        kept &= with_state
        notes += unmatched

    who = "rating" if experts is None else "expert rating"
    ratings = counts.sum(axis=1)
    max_k, kept, short = _survey_size(ratings, kept, max_k, reference_raters, labels.source, who)
    notes += short
    max_m = 0
    if amateurs is not None:
        asked = amateurs.sum(axis=1)
        max_m, kept, short = _survey_size(asked, kept, None, 0, labels.source, "amateur rating")
        notes += short
    classifiers = [Classifier(c.name, c.kind, c.probability[kept]) for c in classifiers]
    if clip is not None:
        for place, classifier in enumerate(classifiers):
            classifiers[place], changed = _clipped(classifier, clip)
            notes += changed
    selected = Selection(
        kept,
        labels.items[kept],
        counts[kept],
        None if amateurs is None else amateurs[kept],
        max_k,
        max_m,
        reference_raters,
        None if known is None else known[kept],
        classifiers,
        notes,
    )
    if calibrate is not None and predictions is not None:
        both = [(raw, calibrated(raw, selected.reference, calibrate, rng)) for raw in classifiers]
        side_by_side = [classifier for pair in both for classifier in pair]
        selected.classifiers, left_out = _fitting(predictions.source, side_by_side, scorer)
        selected.notes += [
            f"calibrated ({calibrate}; labels by their empirical frequencies) in {FOLDS} parts: "
            "each item by what the items of the other parts teach.",
            *left_out,
        ]
    return selected


def _counted(labels: Labels, experts: Collection[object] | None) -> tuple[Matrix, Matrix | None]:
    """Label counts of each item: of all raters, or of experts and of the others."""
    if experts is None:
        return labels.matrix(), None
    codes, texts = encode(experts)
    del codes
    found = match_ids(as_ids(texts), labels.raters)
    unknown = [text for text, code in zip(texts, found.tolist(), strict=True) if code < 0]
    if unknown:
        raise DataError(
            f"{labels.source} has no ratings by {count(len(unknown), 'expert')}: {some(unknown)}. "
            f"Raters: {some(labels.raters.tolist())}."
        )
    expert = np.isin(labels.rater, found)
    if expert.all() or not expert.any():
        raise DataError(
            f"{labels.source}: {'all' if expert.all() else 'none'} of the ratings are by experts; "
            "experts and amateurs are both needed."
        )
    return labels.matrix(expert), labels.matrix(~expert)


def _check_ratings(labels: Labels, counts: Matrix) -> None:
    """Raise DataError where no survey can predict anything."""
    used = np.flatnonzero(counts.sum(axis=0))
    if len(used) < 2:
        raise DataError(
            f"{labels.source}: every rating is '{labels.scale.labels[used[0]]}', so there is "
            "nothing to predict. Check that the label column is the right one (--label)."
        )
    if counts.sum(axis=1).max() < 2:
        raise DataError(
            f"{labels.source}: no item has two ratings, so no rater can be predicted from another. "
            "Check that the item column is the right one (--item), or collect more ratings."
        )


def _fitting(
    source: str, classifiers: list[Classifier], scorer: Scorer
) -> tuple[list[Classifier], list[str]]:
    """Leave out hard classifiers under a scorer that needs probabilities; add notes."""
    hard = [c.name for c in classifiers if c.kind == "hard"]
    soft = [c.name for c in classifiers if c.kind == "soft"]
    if "hard" in scorer.kinds:
        chosen = scorer.name in ("agreement", "precision", "recall", "f1")
        note = f"{some(soft)}: scored by the most probable label; labels that tie share the choice."
        return classifiers, [note] if soft and chosen else []
    how = (
        f"scorer '{scorer.name}' needs probabilities. Soften a label by how often raters give each "
        "label when it is predicted (--calibrate empirical does, or columns classifier:label), or "
        "use --scorer agreement with --combiner plurality."
    )
    if len(hard) == len(classifiers):
        raise DataError(f"{source}: only labels are predicted ({some(hard)}), but {how}")
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


def _known_states(labels: Labels, states: Predictions) -> tuple[Floats, Flags, list[str]]:
    """Bring the states to the rated items."""
    if len(states.classifiers) != 1:
        names = [c.name for c in states.classifiers]
        raise DataError(f"{states.source}: expected one column group of states, not {some(names)}.")
    aligned = states.align(labels.scale.labels, rated_in=labels.source)
    moved, kept, notes = common_items(labels, aligned, list(aligned.classifiers))
    return moved[0].probability, kept, notes


def _survey_size(
    ratings: Matrix, kept: Flags, max_k: int | None, reserve: int, source: str, who: str
) -> tuple[int, Flags, list[str]]:
    """Choose the largest survey, and keep the items that can serve it and its reference."""
    most = int(ratings[kept].max()) - reserve
    if most < 1:
        raise DataError(
            f"{source}: no item used has {count(reserve + 1, who)}, which a survey of one and its "
            "reference need. Collect more, or use fewer reference raters."
        )
    if max_k is None:
        served = [(ratings[kept] >= k + reserve).mean() for k in range(1, most + 1)]
        max_k = max((k for k, share in enumerate(served, 1) if share >= KEEP), default=1)
    elif max_k > most:
        raise OptionError(
            f"max_k (--max-k) {max_k} needs items with {max_k + reserve} ratings, but no item in "
            f"{source} has more than {most + reserve}. Ask for at most {most}."
        )
    enough = kept & (ratings >= max_k + reserve)
    dropped = int((kept & ~enough).sum())
    reference = "a reference rater" if reserve == 1 else f"{reserve} reference raters"
    of = f" and {reference}" if reserve else ""
    note = (
        f"{dropped:,} of {count(int(kept.sum()), 'item')} left out: fewer than "
        f"{count(max_k + reserve, who)} (a survey of {max_k}{of}). --max-k chooses the size."
    )
    return max_k, enough, [note] if dropped else []


def _clipped(classifier: Classifier, clip: float) -> tuple[Classifier, list[str]]:
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

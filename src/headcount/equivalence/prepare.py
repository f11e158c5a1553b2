"""Which items and classifiers are scored against what, and why the others are not."""

from __future__ import annotations

from dataclasses import dataclass, field, replace

import numpy as np

from headcount.data.classifiers import Classifier
from headcount.data.labels import Labels
from headcount.data.predictions import Predictions
from headcount.data.vocabulary import as_ids, encode, match_ids
from headcount.equivalence.calibration.side_by_side import Calibrating
from headcount.equivalence.calibration.subjects import Subject, subjects_of
from headcount.equivalence.combiners.base import Combiner
from headcount.equivalence.combiners.catalogue import note_pair
from headcount.equivalence.inputs.choices import Choices, Kinds
from headcount.equivalence.inputs.matching import common_items
from headcount.equivalence.inputs.scale import is_ordered, note_scorer
from headcount.equivalence.scorers.base import Scorer
from headcount.equivalence.surveys.base import Design
from headcount.equivalence.surveys.surveys import Pool, PooledItems, consensus
from headcount.errors import DataError, OptionError, count, option, some
from headcount.results.notes import Notes
from headcount.stats.grouping import group_rows
from headcount.typing import Codes, Flags, Floats, Ids

__all__ = ["Prepared", "calibration_of", "check_positive", "choose_items", "prepare"]

LEAST_RATINGS = 2
"""Ratings with which an item that is not scored still tells how states are distributed."""
KEEP = 0.9
"""The default survey size keeps at least this share of the items."""


@dataclass(frozen=True, eq=False, kw_only=True)
class Prepared:
    """The items that are scored, with all that is known of them.

    Parameters
    ----------
    kept : (all items,) array of bool
        The items used.
    items : array
        Their ids.
    counts : (items, labels) array of int
        Label counts of the raters who are asked: all, or the experts.
    short : (other items, labels) array of int
        The same of items with too few ratings to be scored, which still tell of states.
    amateurs : (items, labels) array of int or None
        Label counts of the amateurs, where there are experts.
    n_raters : int
        Raters of the items used.
    max_k, max_m : int
        Largest survey of raters, and of amateurs.
    reference_raters : int
    states : (items, labels) array of float or None
        Known states that are the reference.
    classifiers : tuple of Classifier

    Attributes
    ----------
    reference : (items, labels) array of float
        Distribution of the reference label of each item.
    """

    kept: Flags
    items: Ids
    counts: Codes
    short: Codes
    amateurs: Codes | None
    n_raters: int
    max_k: int
    max_m: int
    reference_raters: int
    states: Floats | None
    classifiers: tuple[Classifier, ...]
    reference: Floats = field(init=False)

    def __post_init__(self) -> None:
        if self.states is not None:
            reference = self.states
        elif self.reference_raters == 1:
            reference = self.counts / self.counts.sum(axis=1, keepdims=True)
        else:
            first, group = group_rows(self.counts.T)
            reference = consensus(self.counts[first], self.reference_raters)[group]
        object.__setattr__(self, "reference", reference)

    @property
    def reference_name(self) -> str:
        """What predictions are scored against, in words."""
        if self.states is not None:
            return "the known state"
        who = "rater" if self.amateurs is None else "expert"
        if self.reference_raters == 1:
            return f"one {who}"
        return f"the plurality of {self.reference_raters} {who}s"

    @property
    def items_used(self) -> int:
        """Items that are scored."""
        return int(self.kept.sum())

    @property
    def items_dropped(self) -> int:
        """Items that are left out."""
        return int((~self.kept).sum())

    @property
    def ratings_per_item(self) -> tuple[int, float, int]:
        """Smallest, median and largest number of ratings of an item."""
        ratings = self.counts.sum(axis=1)
        return int(ratings.min()), float(np.median(ratings)), int(ratings.max())

    @property
    def n_ratings(self) -> int:
        """Ratings of the items used, those of amateurs included."""
        return int(self.counts.sum() + (0 if self.amateurs is None else self.amateurs.sum()))

    def design(self, combiner: Combiner, scorer: Scorer, seed: int = 0) -> Design:
        """Say what is scored: surveys from each pool of raters, and the classifiers."""
        return Design(
            pools=self.pools(seed),
            reference=self.reference,
            classifiers=self.classifiers,
            combiner=combiner,
            scorer=scorer,
        )

    def pools(self, seed: int = 0) -> list[PooledItems]:
        """Pools from which surveys are drawn: the raters, and the amateurs if there are any."""
        fixed = [] if self.states is None else list(self.states.T)
        first, pattern = group_rows([*self.counts.T, *fixed])
        reference = self.reference_raters if self.states is None else self.states[first]
        pool = Pool(self.counts[first], reference)
        pools = [PooledItems(pool, pattern, self.max_k, seed, self.short)]
        if self.amateurs is not None:
            first, pattern = group_rows([*self.amateurs.T, *self.counts.T, *fixed])
            expert = self.counts[first] / self.counts[first].sum(axis=1, keepdims=True)
            pool = Pool(self.amateurs[first], self.reference[first], learns=expert)
            pools.append(PooledItems(pool, pattern, self.max_m, seed))
        return pools


def prepare(
    labels: Labels,
    predictions: Predictions | None,
    kinds: Kinds,
    choices: Choices,
    *,
    rng: np.random.Generator,
    notes: Notes,
) -> Prepared:
    """Choose the items, and make classifiers of what is said of them."""
    prepared, subjects = choose_items(labels, predictions, kinds, choices, notes=notes)
    if predictions is None:
        return prepared
    seed = int(rng.integers(2**32)) if choices.calibration is not None else 0
    calibrating = calibration_of(prepared, labels, kinds, choices, seed=seed)
    return replace(prepared, classifiers=calibrating.classifiers(subjects, notes))


def calibration_of(
    prepared: Prepared, labels: Labels, kinds: Kinds, choices: Choices, *, seed: int
) -> Calibrating:
    """Say what classifiers are made by, on the items that were chosen."""
    return Calibrating(
        items=prepared.items,
        reference=prepared.reference,
        scale=labels.scale,
        ordered=is_ordered(labels, declared=choices.scale is not None),
        scorer=kinds.scorer,
        calibration=choices.calibration,
        # What leaves an item out when it learns pays for learning, and so must classifiers.
        two_sided=not getattr(kinds.combiner, "leaves_out", False),
        seed=seed,
    )


def choose_items(
    labels: Labels,
    predictions: Predictions | None,
    kinds: Kinds,
    choices: Choices,
    *,
    notes: Notes,
) -> tuple[Prepared, list[Subject]]:
    """Choose the items that can serve every survey and that every classifier predicts.

    Returns
    -------
    Prepared
        Without classifiers.
    list of Subject
        What is said of these items.
    """
    combiner, scorer, reference = kinds.combiner, kinds.scorer, choices.reference
    counts, amateurs = _counted(labels, choices.experts)
    _check_ratings(labels, counts)
    declared = choices.scale is not None
    note_pair(combiner, scorer, notes)
    note_scorer(scorer, labels, declared=declared, notes=notes)
    kept = np.ones(len(labels.items), dtype=bool)
    subjects: list[Subject] = []
    if predictions is not None:
        said = predictions.among(labels.scale.labels)
        notes.extend(predictions.notes)
        subjects = subjects_of(said, labels.scale.labels, notes)
        subjects, kept = common_items(labels, said, subjects, notes)
    states: Floats | None = None
    if reference.states is not None:
        states, with_state = _known_states(labels, reference.states, notes)
        kept &= with_state

    sizes = _Sizes(labels.source, notes)
    who = "rating" if choices.experts is None else "expert rating"
    ratings, asked_about = counts.sum(axis=1), kept
    max_k, kept = sizes.largest(ratings, kept, choices.max_k, reserve=reference.raters, who=who)
    max_m = 0
    if amateurs is not None:
        asked = amateurs.sum(axis=1)
        max_m, kept = sizes.largest(asked, kept, None, reserve=0, who="amateur rating")
    prepared = Prepared(
        kept=kept,
        items=labels.items[kept],
        counts=counts[kept],
        short=counts[asked_about & ~kept & (ratings >= LEAST_RATINGS)],
        amateurs=None if amateurs is None else amateurs[kept],
        n_raters=int(np.count_nonzero(np.bincount(labels.rater[kept[labels.item]]))),
        max_k=max_k,
        max_m=max_m,
        reference_raters=reference.raters,
        states=None if states is None else states[kept],
        classifiers=(),
    )
    subjects = [subject.at(np.flatnonzero(kept)) for subject in subjects]
    if choices.clip is not None:
        subjects = [_clipped(subject, choices.clip, notes) for subject in subjects]
    return prepared, subjects


def _counted(labels: Labels, experts: list[object] | None) -> tuple[Codes, Codes | None]:
    """Label counts of each item: of all raters, or of experts and of the others."""
    if experts is None:
        return labels.matrix(), None
    _, texts = encode(experts)
    rater = match_ids(as_ids(texts), labels.raters)
    unknown = [text for text, code in zip(texts, rater.tolist(), strict=True) if code < 0]
    if unknown:
        raise DataError(
            f"{labels.source} has no ratings by {count(len(unknown), 'expert')}: {some(unknown)}. "
            f"Raters: {some(labels.raters.tolist())}."
        )
    expert = np.isin(labels.rater, rater)
    if expert.all() or not expert.any():
        raise DataError(
            f"{labels.source}: {'all' if expert.all() else 'none'} of the ratings are by experts; "
            "experts and amateurs are both needed."
        )
    return labels.matrix(expert), labels.matrix(~expert)


def _check_ratings(labels: Labels, counts: Codes) -> None:
    """Raise DataError where no survey can predict anything."""
    used = np.flatnonzero(counts.sum(axis=0))
    if len(used) < 2:
        raise DataError(
            f"{labels.source}: every rating is '{labels.scale.labels[used[0]]}', so there is "
            "nothing to predict. Check that the label column is the right one "
            f"({option('label', ...)})."
        )
    if counts.sum(axis=1).max() < 2:
        raise DataError(
            f"{labels.source}: no item has two ratings, so no rater can be predicted from another. "
            f"Check that the item column is the right one ({option('item', ...)}), or collect more "
            "ratings."
        )


def _known_states(labels: Labels, states: Predictions, notes: Notes) -> tuple[Floats, Flags]:
    """Bring the states to the rated items."""
    if len(states.classifiers) != 1:
        names = [c.name for c in states.classifiers]
        raise DataError(f"{states.source}: expected one column group of states, not {some(names)}.")
    aligned = states.align(labels.scale.labels, rated_in=labels.source)
    moved, kept = common_items(labels, aligned, list(aligned.classifiers), notes)
    return moved[0].probability, kept


@dataclass(frozen=True)
class _Sizes:
    """Chooses sizes of surveys, and says what that leaves out."""

    source: str
    notes: Notes

    def largest(
        self, ratings: Codes, kept: Flags, max_k: int | None, *, reserve: int, who: str
    ) -> tuple[int, Flags]:
        """Choose the largest survey, and keep the items that can serve it and its reference."""
        most = int(ratings[kept].max()) - reserve
        if most < 1:
            raise DataError(
                f"{self.source}: no item used has {count(reserve + 1, who)}, which a survey of one "
                "and its reference need. Collect more, or use fewer reference raters."
            )
        if max_k is None:
            served = [(ratings[kept] >= k + reserve).mean() for k in range(1, most + 1)]
            max_k = max((k for k, share in enumerate(served, 1) if share >= KEEP), default=1)
        elif max_k > most:
            raise OptionError(
                f"{option('max_k', max_k)} needs items with {max_k + reserve} ratings, but no item "
                f"in {self.source} has more than {most + reserve}. Ask for at most {most}."
            )
        enough = kept & (ratings >= max_k + reserve)
        dropped = int((kept & ~enough).sum())
        if dropped:
            reference = "a reference rater" if reserve == 1 else f"{reserve} reference raters"
            of = f" and {reference}" if reserve else ""
            self.notes.caution(
                f"{dropped:,} of {count(int(kept.sum()), 'item')} left out: fewer than "
                f"{count(max_k + reserve, who)} (a survey of {max_k}{of}). {option('max_k')} "
                "chooses the size."
            )
        return max_k, enough


def _clipped(subject: Subject, clip: float, notes: Notes) -> Subject:
    """Keep probabilities in [clip, 1 - clip] and normalise those that were not."""
    table = subject.table
    if subject.kind != "soft":
        return subject
    bounded = np.clip(table, clip, 1 - clip)
    changed = (bounded != table).any(axis=1)
    if not changed.any():
        return subject
    table = table.copy()
    table[changed] = bounded[changed] / bounded[changed].sum(axis=1, keepdims=True)
    notes.info(
        f"{subject.name}: probabilities of {count(int(changed.sum()), 'item')} were clipped to "
        f"[{clip:g}, {1 - clip:g}] and normalised."
    )
    return replace(subject, table=table)


def check_positive(prepared: Prepared, scorer: Scorer, source: str) -> None:
    """Refuse probability 0 on a label that was given, where it scores minus infinity."""
    if not scorer.unbounded:
        return
    for classifier in prepared.classifiers:
        never = np.any((classifier.probability == 0) & (prepared.reference > 0), axis=1)
        if never.any():
            items = prepared.items[np.flatnonzero(never)]
            raise DataError(
                f"{source}: classifier '{classifier.name}' gives probability 0 to a label that a "
                f"rater gave, on {count(len(items), 'item')}: {some(items.tolist())}. Its "
                f"{scorer.name} score is minus infinity. Bound its probabilities, for example with "
                f"{option('clip', 0.001)}."
            )

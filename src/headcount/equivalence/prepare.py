"""Which items and classifiers are scored against what, and why the others are not."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace

import numpy as np

from headcount.data.classifiers import Classifier
from headcount.data.labels import Labels
from headcount.data.predictions import Predictions
from headcount.engine.reductions.cells import RatedCells
from headcount.engine.reductions.streamed import StreamedItems
from headcount.equivalence.calibration.classifiers import Calibrating
from headcount.equivalence.calibration.folding import Folded
from headcount.equivalence.calibration.outputs import Subject, note_clipped, subjects_of
from headcount.equivalence.combiners.base import Combiner
from headcount.equivalence.combiners.catalogue import note_pair
from headcount.equivalence.combiners.plurality import Plurality
from headcount.equivalence.combiners.states import States
from headcount.equivalence.inputs.choices import Choices, Kinds
from headcount.equivalence.inputs.counting import check_ratings, counted_labels
from headcount.equivalence.inputs.matching import common_cells, common_items
from headcount.equivalence.inputs.reduced import Reduced
from headcount.equivalence.inputs.scale import is_ordered, note_scorer
from headcount.equivalence.inputs.sizes import Sizes
from headcount.equivalence.inputs.streamed import Stream, impossible, stream_classifiers
from headcount.equivalence.scorers.base import Scorer
from headcount.equivalence.surveys.base import Block, Design
from headcount.equivalence.surveys.many_items import is_many
from headcount.equivalence.surveys.surveys import Pool, PooledItems, consensus
from headcount.errors import DataError, OptionError, count, option, some
from headcount.results.notes import Notes
from headcount.stats.grouping import group_rows
from headcount.stats.repeated import repeated_quantiles
from headcount.typing import Codes, Flags, Floats, Ids

__all__ = [
    "Prepared",
    "calibration_of",
    "check_kind",
    "check_positive",
    "choose_items",
    "prepare",
]

LEAST_RATINGS = 2
"""Ratings with which an item that is not scored still tells how states are distributed."""


@dataclass(frozen=True, eq=False, kw_only=True)
class Prepared:
    """The items that are scored, with all that is known of them.

    In memory a row is an item; of data that were reduced where they are, a row is a cell of items
    that are alike, with their number.

    Parameters
    ----------
    kept : (all items or cells,) array of bool
        Those used.
    items : array
        Their ids; of cells, an item of each or its number.
    weight : (rows,) array of int or None
        Items in each row; None if rows are items.
    dropped : int
        Items that are left out.
    counts : (items, labels) array of int
        Label counts of the raters who are asked: all, or the experts.
    short : (other items, labels) array of int
        The same of items with too few ratings to be scored, which still tell of states.
    short_weight : (other rows,) array of int or None
        Items in each of these.
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
    reduced : Reduced or None
        How rows were made, of data that were reduced where they are.
    streamed : function or None
        Gives what classifiers say of items that come a part at a time; rows are then patterns.

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
    dropped: int = 0
    weight: Codes | None = None
    short_weight: Codes | None = None
    reduced: Reduced | None = None
    streamed: Callable[[], Iterator[Block]] | None = None
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
        return len(self.counts) if self.weight is None else int(self.weight.sum())

    @property
    def items_dropped(self) -> int:
        """Items that are left out."""
        return self.dropped

    @property
    def ratings_per_item(self) -> tuple[int, float, int]:
        """Smallest, median and largest number of ratings of an item."""
        ratings = self.counts.sum(axis=1)
        times = None if self.weight is None else self.weight.astype(np.float64)
        middle = repeated_quantiles(ratings.astype(np.float64), np.array([0.5]), times)
        return int(ratings.min()), float(middle[0]), int(ratings.max())

    @property
    def n_ratings(self) -> int:
        """Ratings of the items used, those of amateurs included."""
        if self.weight is not None:
            return int(self.weight @ self.counts.sum(axis=1))
        return int(self.counts.sum() + (0 if self.amateurs is None else self.amateurs.sum()))

    def design(self, combiner: Combiner, scorer: Scorer, seed: int = 0) -> Design:
        """Say what is scored: surveys from each pool of raters, and the classifiers."""
        return Design(
            pools=self.pools(seed),
            reference=self.reference,
            classifiers=self.classifiers,
            combiner=combiner,
            scorer=scorer,
            weight=self.weight,
            streamed=self.streamed,
        )

    def pools(self, seed: int = 0) -> list[PooledItems]:
        """Pools from which surveys are drawn: the raters, and the amateurs if there are any."""
        fixed = [] if self.states is None else list(self.states.T)
        first, pattern = group_rows([*self.counts.T, *fixed])
        reference = self.reference_raters if self.states is None else self.states[first]
        pool = Pool(self.counts[first], reference)
        pools = [
            PooledItems(pool, pattern, self.max_k, seed, self.short, self.weight, self.short_weight)
        ]
        if self.amateurs is not None:
            first, pattern = group_rows([*self.amateurs.T, *self.counts.T, *fixed])
            expert = self.counts[first] / self.counts[first].sum(axis=1, keepdims=True)
            pool = Pool(self.amateurs[first], self.reference[first], learns=expert)
            pools.append(PooledItems(pool, pattern, self.max_m, seed))
        return pools


def prepare(
    labels: Labels | RatedCells,
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
    streamed = None if prepared.reduced is None else prepared.reduced.cells.streamed
    if streamed is not None:
        return _streamed(prepared, streamed, calibrating, subjects, choices.clip, notes)
    if prepared.reduced is not None and calibrating.learns(subjects):
        prepared, calibrating, subjects = _split(prepared, prepared.reduced, calibrating, subjects)
    return replace(prepared, classifiers=calibrating.classifiers(subjects, notes))


def calibration_of(
    prepared: Prepared,
    labels: Labels | RatedCells,
    kinds: Kinds,
    choices: Choices,
    *,
    seed: int,
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
    labels: Labels | RatedCells,
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
        What is said of these items; of examples, where items come a part at a time.
    """
    if not isinstance(labels, RatedCells) or labels.streamed is None:
        return _choose_items(labels, predictions, kinds, choices, notes=notes)
    said = Notes()
    chosen = _choose_items(labels, predictions, kinds, choices, notes=said)
    if is_many(chosen[0].items_used):
        notes.extend(said)
        return chosen
    whole = labels.whole()
    return _choose_items(whole, whole.predictions, kinds, choices, notes=notes)


def _choose_items(
    labels: Labels | RatedCells,
    predictions: Predictions | None,
    kinds: Kinds,
    choices: Choices,
    *,
    notes: Notes,
) -> tuple[Prepared, list[Subject]]:
    combiner, scorer, reference = kinds.combiner, kinds.scorer, choices.reference
    counts, amateurs = counted_labels(labels, choices.experts)
    check_ratings(labels, counts)
    declared = choices.scale is not None
    note_pair(combiner, scorer, notes)
    note_scorer(scorer, labels, declared=declared, notes=notes)
    cells = labels if isinstance(labels, RatedCells) else None
    kept = np.ones(len(counts), dtype=bool) if cells is None else cells.there
    subjects: list[Subject] = []
    if predictions is not None:
        said = predictions.among(labels.scale.labels)
        notes.extend(predictions.notes)
        subjects = subjects_of(said, labels.scale.labels, notes)
        if isinstance(labels, RatedCells):
            subjects, kept = common_cells(labels, said, subjects, notes)
        else:
            subjects, kept = common_items(labels, said, subjects, notes)
    states: Floats | None = None
    if reference.states is not None and isinstance(labels, Labels):
        states, with_state = _known_states(labels, reference.states, notes)
        kept &= with_state

    weight = None if cells is None else cells.weight
    sizes = Sizes(labels.source, notes, weight)
    who = "rating" if choices.experts is None else "expert rating"
    ratings, asked_about = counts.sum(axis=1), kept
    max_k, kept = sizes.largest(ratings, kept, choices.max_k, reserve=reference.raters, who=who)
    max_m = 0
    if amateurs is not None:
        asked = amateurs.sum(axis=1)
        max_m, kept = sizes.largest(asked, kept, None, reserve=0, who="amateur rating")
    short = asked_about & ~kept & (ratings >= LEAST_RATINGS)
    least = max_k + reference.raters
    prepared = Prepared(
        kept=kept,
        items=np.flatnonzero(kept) if isinstance(labels, RatedCells) else labels.items[kept],
        counts=counts[kept],
        short=counts[short],
        dropped=labels.n_items - (int(kept.sum()) if weight is None else int(weight[kept].sum())),
        weight=None if weight is None else weight[kept],
        short_weight=None if weight is None else weight[short],
        amateurs=None if amateurs is None else amateurs[kept],
        n_raters=_raters(labels, kept, least),
        max_k=max_k,
        max_m=max_m,
        reference_raters=reference.raters,
        states=None if states is None else states[kept],
        classifiers=(),
        reduced=None if cells is None else Reduced(cells, kept, least),
    )
    if cells is not None and cells.streamed is not None:
        return prepared, subjects
    rows = np.flatnonzero(kept)
    subjects = [subject.at(rows) for subject in subjects]
    if choices.clip is not None:
        for place, subject in enumerate(subjects):
            subjects[place], changed = subject.clipped(choices.clip)
            items = changed.sum() if prepared.weight is None else prepared.weight[changed].sum()
            note_clipped(subject.name, choices.clip, int(items), notes)
    return prepared, subjects


def _streamed(
    prepared: Prepared,
    streamed: StreamedItems,
    calibrating: Calibrating,
    subjects: Sequence[Subject],
    clip: float | None,
    notes: Notes,
) -> Prepared:
    """Make classifiers of what is predicted of items that come a part at a time."""
    first, _ = group_rows(prepared.counts.T)
    one = np.zeros(1, dtype=np.int64)
    calibrating = replace(
        calibrating,
        items=Folded(np.array([float(prepared.items_used)]), one, one),
        reference=prepared.reference[first],
    )
    stream = Stream(
        streamed=streamed,
        labels=calibrating.scale.labels,
        patterns=prepared.counts[first],
        items=prepared.items_used,
        least=prepared.max_k + prepared.reference_raters,
        clip=clip,
    )
    classifiers, blocks = stream_classifiers(stream, calibrating, subjects, notes)
    return replace(prepared, classifiers=classifiers, streamed=blocks)


def _split(
    prepared: Prepared, reduced: Reduced, calibrating: Calibrating, subjects: Sequence[Subject]
) -> tuple[Prepared, Calibrating, list[Subject]]:
    """Take each cell once a fold, so that what is learned without a fold can differ."""
    split = reduced.cells.split(reduced.kept, reduced.least, calibrating.seed)
    row = np.searchsorted(np.flatnonzero(reduced.kept), split.cell)
    prepared = replace(
        prepared,
        items=split.cell,
        counts=prepared.counts[row],
        weight=split.weight,
        reduced=replace(reduced, seed=calibrating.seed, split=split),
    )
    folded = Folded(split.weight.astype(np.float64), split.fold, split.deciding)
    calibrating = replace(calibrating, items=folded, reference=prepared.reference)
    return prepared, calibrating, [subject.at(row) for subject in subjects]


def _raters(labels: Labels | RatedCells, kept: Flags, least: int) -> int:
    """Count the raters of items that are used."""
    if isinstance(labels, RatedCells):
        return labels.raters_of(kept, least)
    who = labels.rater if kept.all() else labels.rater[kept[labels.item]]
    return int(np.count_nonzero(np.bincount(who)))


def _known_states(labels: Labels, states: Predictions, notes: Notes) -> tuple[Floats, Flags]:
    """Bring the states to the rated items."""
    if len(states.classifiers) != 1:
        names = [c.name for c in states.classifiers]
        raise DataError(f"{states.source}: expected one column group of states, not {some(names)}.")
    aligned = states.align(labels.scale.labels, rated_in=labels.source)
    moved, kept = common_items(labels, aligned, list(aligned.classifiers), notes)
    return moved[0].probability, kept


def check_positive(prepared: Prepared, scorer: Scorer, source: str) -> None:
    """Refuse probability 0 on a label that was given, where it scores minus infinity."""
    if not scorer.unbounded:
        return
    for classifier in prepared.classifiers:
        if not len(classifier.probability):
            continue  # of what is streamed, that has been seen
        never = np.any((classifier.probability == 0) & (prepared.reference > 0), axis=1)
        if never.any():
            items = prepared.items[np.flatnonzero(never)]
            if prepared.weight is None:
                where = f"{count(len(items), 'item')}: {some(items.tolist())}"
            else:
                where = count(int(prepared.weight[never].sum()), "item")
            raise impossible(source, classifier.name, where, scorer)


def check_kind(prepared: Prepared, kinds: Kinds) -> None:
    """Refuse labels beside probabilities, where a scorer is not fair to both."""
    combiner, scorer = kinds.combiner, kinds.scorer
    other = [c.name for c in prepared.classifiers if c.kind != combiner.kind]
    if not (other and getattr(scorer, "same_kind", False)):
        return
    labels = combiner.kind == "hard"
    give, instead = ("probabilities", States) if labels else ("labels", Plurality)
    raise OptionError(
        f"scorer '{scorer.name}' scores labels higher than probabilities that tell as much: "
        f"{some(other)} gives {give}, and combiner '{combiner.name}' does not. Use "
        f"{option('combiner', instead.name)}."
    )

"""Which items and classifiers are scored against what, and why the others are not."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Protocol, Self, TypeVar, get_args

import numpy as np

from headcount import options
from headcount.data.labels import Kind, Labels
from headcount.data.predictions import Classifier, Predictions
from headcount.data.vocabulary import as_ids, encode, match_ids, number_of
from headcount.engine.items import AnyRatings, RatedCells, Split
from headcount.equivalence.calibration import Folded
from headcount.equivalence.classifiers import (
    Calibrating,
    Subject,
    subjects_of,
)
from headcount.equivalence.combiners import Combiner, Plurality, States, note_pair
from headcount.equivalence.power_curve import Design
from headcount.equivalence.scorers import Scorer
from headcount.equivalence.surveys import Pool, PooledItems, consensus
from headcount.errors import DataError, OptionError, count, option, some
from headcount.io.values import LEAST_SHARED, match_items
from headcount.results.notes import Notes
from headcount.stats.arrays import find_rows, group_rows, repeated_quantiles
from headcount.typing import Codes, Flags, Floats, Ids, Ints

if TYPE_CHECKING:
    from headcount.equivalence.survey import Choices, Kinds

__all__ = [
    "Prepared",
    "prepare",
    "check_kind",
    "Sizes",
    "common_items",
    "count_raters",
    "on_scale",
    "check_scorer",
    "are_many_numbers",
    "are_numbers",
    "is_ordered",
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
    items_dropped : int
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
    cluster : (items,) array of int or None
        The cluster of each item, where items are not independent.

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
    items_dropped: int = 0
    weight: Codes | None = None
    short_weight: Codes | None = None
    reduced: Reduced | None = None
    cluster: Codes | None = None
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
            cluster=self.cluster,
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
    if kinds.scorer.unbounded:
        subjects = [_bounded(subject, prepared, notes) for subject in subjects]
    seed = int(rng.integers(2**32)) if choices.calibration is not None else 0
    calibrating = calibration_of(prepared, labels, kinds, choices, seed=seed)
    if prepared.reduced is not None and calibrating.learns(subjects):
        prepared, calibrating, subjects = _split(prepared, prepared.reduced, calibrating, subjects)
    return replace(prepared, classifiers=calibrating.classifiers(subjects, notes))


LEAST_PROBABILITY = 0.001
"""What a probability of 0 counts as, where such a score would be minus infinity."""


def _bounded(subject: Subject, prepared: Prepared, notes: Notes) -> Subject:
    """Bound the probabilities of a classifier that gives 0 to a label that a rater gave."""
    if subject.kind != "soft" or subject.confident:
        return subject
    never = ((subject.table == 0) & (prepared.reference > 0)).any(axis=1)
    if not never.any():
        return subject
    if prepared.weight is None:
        names = prepared.items[never].tolist()
        where = f"{count(len(names), 'item')} ({some(names)})"
    else:
        where = count(int(prepared.weight[never].sum()), "item")
    notes.caution(
        f"{subject.name}: probability 0 of labels that raters gave, of {where}. Its probabilities "
        f"are kept within {LEAST_PROBABILITY:g} and {1 - LEAST_PROBABILITY:g}, because the score "
        "would be minus infinity.",
        short=f"{subject.name}: probability 0 of labels that raters gave counts as "
        f"{LEAST_PROBABILITY:g}.",
    )
    return subject.bounded(LEAST_PROBABILITY)


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
        What is said of these items.
    """
    combiner, scorer, reserve = kinds.combiner, kinds.scorer, choices.reference_raters
    counts, amateurs = counted_labels(labels, choices.experts)
    check_ratings(labels, counts)
    note_pair(combiner, scorer, notes)
    cells = labels if isinstance(labels, RatedCells) else None
    kept = np.ones(len(counts), dtype=bool) if cells is None else cells.there
    subjects: list[Subject] = []
    if predictions is not None:
        predicted = predictions.among(labels.scale.labels)
        notes.extend(predictions.notes)
        subjects = subjects_of(predicted, labels.scale.labels, notes)
        subjects, kept = common_items(labels, predicted, subjects, notes)
    states: Floats | None = None
    if choices.states is not None and isinstance(labels, Labels):
        states, with_state = _known_states(labels, choices.states, notes)
        kept &= with_state

    weight = None if cells is None else cells.weight
    sizes = Sizes(labels.source, notes, weight)
    who = "rating" if choices.experts is None else "expert rating"
    ratings, asked_about = counts.sum(axis=1), kept
    max_k, kept = sizes.largest(ratings, kept, choices.max_k, reserve=reserve, who=who)
    max_m = 0
    if amateurs is not None:
        by_amateurs = amateurs.sum(axis=1)
        max_m, kept = sizes.largest(by_amateurs, kept, None, reserve=0, who="amateur rating")
    short = asked_about & ~kept & (ratings >= LEAST_RATINGS)
    least = max_k + reserve
    items: Ids = np.flatnonzero(kept) if isinstance(labels, RatedCells) else labels.items[kept]
    prepared = Prepared(
        kept=kept,
        items=items,
        counts=counts[kept],
        short=counts[short],
        items_dropped=labels.n_items - sizes.items(kept),
        weight=None if weight is None else weight[kept],
        short_weight=None if weight is None else weight[short],
        amateurs=None if amateurs is None else amateurs[kept],
        n_raters=count_raters(labels, kept, least),
        max_k=max_k,
        max_m=max_m,
        reference_raters=reserve,
        states=None if states is None else states[kept],
        classifiers=(),
        reduced=None if cells is None else Reduced(cells, kept, least),
        cluster=None if choices.cluster is None else choices.cluster.codes(items),
    )
    rows = np.flatnonzero(kept)
    subjects = [subject.at(rows) for subject in subjects]
    return prepared, subjects


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


def count_raters(labels: Labels | RatedCells, kept: Flags, least: int) -> int:
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


# How large surveys are, and which items can serve them.

KEEP = 0.9
"""The default survey size keeps at least this share of the items."""
LARGEST = 50
"""The largest survey by default: what more raters add is next to nothing by then."""


@dataclass(frozen=True)
class Sizes:
    """Chooses sizes of surveys, and says what that leaves out."""

    source: str
    notes: Notes
    weight: Codes | None = None

    def items(self, some_: Flags) -> int:
        """Count items of some rows."""
        return int(some_.sum()) if self.weight is None else int(self.weight[some_].sum())

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
            items = self.items(kept)
            served = [
                self.items(kept & (ratings >= k + reserve)) / items
                for k in range(1, min(most, LARGEST) + 1)
            ]
            max_k = max((k for k, share in enumerate(served, 1) if share >= KEEP), default=1)
            if most > LARGEST and served[-1] >= KEEP:
                self.notes.info(f"surveys are of up to {LARGEST} raters; see {option('max_k')}.")
        elif max_k > most:
            raise OptionError(
                f"{option('max_k', max_k)} needs items with {max_k + reserve} ratings, but no item "
                f"in {self.source} has more than {most + reserve}. Ask for at most {most}."
            )
        enough = kept & (ratings >= max_k + reserve)
        dropped = self.items(kept & ~enough)
        if dropped:
            of = f" and {reserve} to predict" if reserve else ""
            self.notes.caution(
                f"{dropped:,} of {count(self.items(kept), 'item')} left out: fewer than "
                f"{count(max_k + reserve, who)} ({max_k} to predict from{of}). {option('max_k')} "
                "sets how many to predict from."
            )
        return max_k, enough


# Items that were both rated and predicted.


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
    labels: Labels | RatedCells, predictions: Predictions, classifiers: Sequence[P], notes: Notes
) -> tuple[list[P], Flags]:
    """Bring predictions to the rated items, and find the items that every classifier predicts.

    Of data that were reduced where they are, items are not named.

    Returns
    -------
    classifiers : list
        Their predictions for the items, or cells of items, of `labels`.
    kept : (items,) array of bool
    """
    if isinstance(labels, RatedCells):
        where, there, unknown = _matched_cells(labels, predictions, notes)
    else:
        ours, theirs = labels.items, predictions.items
        where = match_items(labels.source, ours, predictions.source, theirs, notes)
        there = np.ones(len(where), dtype=bool)
        unknown = len(theirs) - int((where >= 0).sum())

    if unknown:
        names = ""
        if isinstance(labels, Labels):
            rated = match_ids(predictions.items, labels.items) >= 0
            names = f": {some(predictions.items[~rated].tolist())}"
        notes.caution(
            f"{predictions.source}: predictions for {count(unknown, 'item')} that nobody rated are "
            f"left out{names}."
        )
    moved = [classifier.at(where) for classifier in classifiers]
    kept = there & (where >= 0)
    for classifier in moved:
        kept &= classifier.predicted
    if not kept.any():
        raise DataError(f"{predictions.source}: no rated item is predicted by every classifier.")
    if isinstance(labels, RatedCells):
        missing, names = int(labels.weight[there & ~kept].sum()), ""
    else:
        missing, names = int((~kept).sum()), f": {some(labels.items[~kept].tolist())}"
    if missing:
        notes.caution(
            f"{predictions.source}: {count(missing, 'rated item')} not predicted by every "
            f"classifier, left out{names}."
        )
    return moved, kept


def _matched_cells(
    cells: RatedCells, predictions: Predictions, notes: Notes
) -> tuple[Codes, Flags, int]:
    """Find the prediction of each cell, which cells are rated, and items that nobody rated."""
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
    return cells.said, there, theirs - shared


# How many raters gave each label to each item; all raters, or experts and the others.


def counted_labels(
    labels: Labels | RatedCells, experts: list[object] | None
) -> tuple[Codes, Codes | None]:
    """Label counts of each item: of all raters, or of experts and of the others."""
    if isinstance(labels, RatedCells):
        return labels.counts, None
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


def check_ratings(labels: Labels | RatedCells, counts: Codes) -> None:
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


# Items that were counted where they are: the cells that rows were made of.


@dataclass(frozen=True, eq=False)
class Reduced:
    """How rows were made of cells.

    Parameters
    ----------
    cells : RatedCells
    kept : (cells,) array of bool
        Those used.
    least : int
        Ratings that each of their items has at least.
    seed : int
        Of the folds.
    split : Split or None
        The cell and folds of each row; None where rows are cells.
    """

    cells: RatedCells
    kept: Flags
    least: int
    seed: int = 0
    split: Split | None = None

    def said_by(self, rater: str) -> tuple[Ints, Codes, Codes]:
        """Split rows by what a rater said: the row, the label (-1: none), and items."""
        split = self.cells.split(self.kept, self.least, self.seed, rater)
        if self.split is None:
            row = np.searchsorted(np.flatnonzero(self.kept), split.cell)
            return row, split.given, split.weight
        rows, wanted = ((each.cell, each.fold, each.deciding) for each in (self.split, split))
        return find_rows(rows, wanted), split.given, split.weight


# The scale that labels are on, from the caller's door.

Rated = TypeVar("Rated", bound=Labels | RatedCells)


def on_scale(labels: Rated, scale: str | None) -> Rated:
    """Put labels on the scale that a caller names; as they were read if none is named."""
    if scale is None:
        return labels
    kind = options.one_of(scale, "scale", get_args(Kind), "scale")
    if kind == "interval" and not are_numbers(labels):
        raise OptionError(
            f"{option('scale', kind)} needs labels that are numbers, not "
            f"{some(labels.scale.labels, 10)}. Say {option('scale', 'ordinal')} if they have an "
            "order."
        )
    names, notes = list(labels.scale.labels), Notes(labels.notes)
    if (
        kind == "ordinal"
        and labels.scale.kind != "ordinal"
        and not are_numbers(labels)
        and len(names) > 2
        and names == sorted(names)
    ):
        notes.caution(
            f"the order of labels is that of the alphabet: {', '.join(names)}. List them from "
            f"lowest to highest if that is wrong ({option('labels', ...)})."
        )
    return replace(labels, scale=replace(labels.scale, kind=kind), notes=tuple(notes))


def check_scorer(scorer: Scorer, scale: str | None) -> None:
    """Refuse a scorer of numbers or ranks where a caller says that labels are only names."""
    if scale == "nominal" and getattr(scorer, "needs_numbers", False):
        raise OptionError(
            f"scorer '{scorer.name}' takes labels for numbers or ranks, and "
            f"{option('scale', 'nominal')} says that they are names. Choose another scorer, or "
            f"{option('scale', 'ordinal')} or {option('scale', 'interval')}."
        )


def are_numbers(labels: AnyRatings) -> bool:
    """Whether all labels are numbers."""
    return all(number_of(label) is not None for label in labels.scale.labels)


MANY_VALUES = 10
"""Different numbers above which nothing is learned value by value."""


def are_many_numbers(labels: AnyRatings, scale: str | None) -> bool:
    """Whether labels are numbers with many values, and nobody said otherwise."""
    by_name = scale in ("nominal", "ordinal") or labels.scale.kind == "ordinal"
    return len(labels.scale) > MANY_VALUES and not by_name and are_numbers(labels)


def is_ordered(labels: AnyRatings, *, declared: bool) -> bool:
    """Whether labels are in order or numbers; if nobody said so, numbers are taken for numbers."""
    return labels.scale.kind != "nominal" or (not declared and are_numbers(labels))

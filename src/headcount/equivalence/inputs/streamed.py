"""Classifiers of items that come a part at a time, so that none of them has to be held."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np

from headcount.data.classifiers import Classifier
from headcount.engine.reductions.streamed import StreamedItems
from headcount.equivalence.calibration.classifiers import Calibrating, Made
from headcount.equivalence.calibration.folding import Folded, parts_of
from headcount.equivalence.calibration.outputs import Subject, note_clipped, subjects_of
from headcount.equivalence.scorers.base import Scorer
from headcount.equivalence.surveys.base import Block
from headcount.errors import DataError, count, option
from headcount.results.notes import Notes
from headcount.stats.draws import FOLDS
from headcount.stats.grouping import find_rows, group_rows, group_sums
from headcount.typing import Codes, Floats, Ints

__all__ = ["Stream", "impossible", "stream_classifiers"]

MOST_LEARNED = 2_000_000
"""Different predictions, times folds, from which probabilities are learned at most."""


@dataclass(frozen=True, eq=False)
class _Part:
    """Some of the items: the pattern that each shows, what is said of it, and its rank."""

    pattern: Ints
    subjects: list[Subject]
    rank: Codes


@dataclass(frozen=True, eq=False, kw_only=True)
class Stream:
    """Items that are used, a part at a time.

    Parameters
    ----------
    streamed : StreamedItems
    labels : tuple of str
        Those of raters.
    patterns : (patterns, labels) array of int
        Label counts of the items, each once.
    items : int
        How many there are.
    least : int
        Ratings that each has at least.
    clip : float or None
        Bound of probabilities.
    """

    streamed: StreamedItems
    labels: tuple[str, ...]
    patterns: Codes
    items: int
    least: int
    clip: float | None

    @property
    def source(self) -> str:
        """What messages call the predictions."""
        return self.streamed.predicted.relation.source

    def parts(self, seed: int | None, notes: Notes) -> Iterator[_Part]:
        """Give parts; with ranks by that seed, if there is one, and what there is to say."""
        seen = 0
        for rows in self.streamed.parts(self.least, self.items, seed):
            read, index = self.streamed.read(rows)
            notes.extend(read.notes)
            # Names that only some items are called by are columns of all of them.
            subjects = subjects_of(read.among(self.labels), self.labels, Notes())
            subjects = [subject.at(index) for subject in subjects]
            counts = [rows[name] for name in self.streamed.items.counted]
            pattern = find_rows(self.patterns.T, counts)
            if not all(one.predicted.all() for one in subjects) or (pattern < 0).any():
                raise self._unlike()
            seen += len(pattern)
            yield _Part(pattern, subjects, rows["r"])
        if seen != self.items:
            raise self._unlike()

    def _unlike(self) -> DataError:
        return DataError(
            f"{self.source}: what is predicted is blank in a way that "
            f"{self.streamed.items.rated.engine.title} reads differently, or changed while it was "
            f"read. Read the data into memory ({option('engine', 'memory')})."
        )


def stream_classifiers(
    stream: Stream, calibrating: Calibrating, subjects: Sequence[Subject], notes: Notes
) -> tuple[tuple[Classifier, ...], Callable[[], Iterator[Block]]]:
    """Make classifiers of what is predicted of very many items.

    A pass over them learns what is to be calibrated, and looks for what cannot be scored.
    O(items), and a part of them is held at a time.

    Parameters
    ----------
    stream : Stream
    calibrating : Calibrating
        Whose rows are the patterns of `stream`.
    subjects : sequence of Subject
        What is said of examples.
    notes : Notes

    Returns
    -------
    classifiers : tuple of Classifier
        Without rows.
    blocks : function
        Gives all items, with the probabilities of these classifiers: another pass.
    """
    learning = [i for i, subject in enumerate(subjects) if calibrating.learns([subject])]
    seed = calibrating.seed if learning else None
    gathered = _first_pass(stream, calibrating, subjects, learning, notes)
    made = [
        gathered[place].made_of(subject, calibrating)
        if place in gathered
        else calibrating.made_of(subject)
        for place, subject in enumerate(subjects)
    ]
    calibrating.note(made, notes)
    learned = [
        None if one.calibrated is None else _Learned(gathered[place], one.calibrated.probability)
        for place, one in enumerate(made)
    ]

    def blocks() -> Iterator[Block]:
        for part in stream.parts(seed, Notes()):
            probability: list[Floats] = []
            for subject, one, of in zip(_clipped(stream, part), made, learned, strict=True):
                if one.raw is not None:
                    probability.append(subject.table)
                if of is not None:
                    probability.append(of(calibrating.learned_from(subject), part.rank))
            yield Block(part.pattern, np.ones(len(part.pattern)), probability)

    empty = np.empty((0, len(stream.labels)))
    return tuple(replace(c, probability=empty) for one in made for c in one.classifiers), blocks


def impossible(source: str, name: str, where: str, scorer: Scorer) -> DataError:
    """Say of which items a classifier calls a label impossible that was given."""
    return DataError(
        f"{source}: classifier '{name}' gives probability 0 to a label that a rater gave, on "
        f"{where}. Its {scorer.name} score is minus infinity. Bound its probabilities, for example "
        f"with {option('clip', 0.001)}."
    )


def _clipped(stream: Stream, part: _Part) -> list[Subject]:
    if stream.clip is None:
        return part.subjects
    return [subject.clipped(stream.clip)[0] for subject in part.subjects]


def _first_pass(
    stream: Stream,
    calibrating: Calibrating,
    subjects: Sequence[Subject],
    learning: list[int],
    notes: Notes,
) -> dict[int, _Gathered]:
    """Gather what subjects learn from, and look for labels given that are called impossible."""
    gathered = {place: _Gathered(subjects[place], stream) for place in learning}
    changed, never = (np.zeros(len(subjects), dtype=np.int64) for _ in range(2))
    for part in stream.parts(calibrating.seed if learning else None, notes):
        shares = calibrating.reference[part.pattern]
        if stream.clip is not None:
            changed += [s.clipped(stream.clip)[1].sum() for s in part.subjects]
        for place, subject in enumerate(_clipped(stream, part)):
            if place in gathered:
                gathered[place].add(calibrating.learned_from(subject), part, shares)
            elif subject.kind == "soft":
                never[place] += np.any((subject.table == 0) & (shares > 0), axis=1).sum()
    for subject, some, none in zip(subjects, changed.tolist(), never.tolist(), strict=True):
        note_clipped(subject.name, stream.clip or 0.0, some, notes)
        if none and calibrating.scorer.unbounded:
            where = count(none, "item")
            raise impossible(stream.source, subject.name, where, calibrating.scorer)
    return gathered


class _Gathered:
    """What one subject learns from: different predictions, by fold, and what raters say of them.

    Items with the same labels are kept apart from others where predictions are few, and among those
    that decide between ways to calibrate: of these, more than the mean of shares matters.
    """

    def __init__(self, subject: Subject, stream: Stream) -> None:
        self.name, self.stream = subject.name, stream
        self.are_few = subject.kind in ("hard", "names")
        self.keys = np.empty((0, 3), dtype=np.int64)  # fold, that of deciding items, and pattern
        self.table = np.empty((0, 0))
        self.sums = np.empty((0, 0))  # items, and the shares of labels among raters

    def add(self, table: Floats, part: _Part, shares: Floats) -> None:
        """Put items with the same prediction and folds together."""
        fold, deciding = parts_of(part.rank, self.stream.items)
        pattern = np.where((deciding >= 0) | self.are_few, part.pattern, -1)
        keys = np.column_stack([fold, deciding, pattern])
        sums = np.column_stack([np.ones(len(shares)), shares])
        if len(self.table):
            table = np.concatenate([self.table, table])
            keys = np.concatenate([self.keys, keys])
            sums = np.concatenate([self.sums, sums])
        first, group = group_rows([*table.T, *keys.T])
        self.table, self.keys = table[first], keys[first]
        each = [group_sums(group, column, len(first)) for column in sums.T]
        self.sums = np.column_stack(each)
        if len(first) > MOST_LEARNED:
            raise DataError(
                f"{self.stream.source}: '{self.name}' predicts in more than "
                f"{MOST_LEARNED // FOLDS:,} different ways, which are too many to learn "
                f"probabilities from. Put numbers into bins ({option('bins', 1000)})."
            )

    def made_of(self, subject: Subject, calibrating: Calibrating) -> Made:
        """Calibrate the subject by what was gathered of it."""
        fold, deciding, _ = self.keys.T
        items = self.sums[:, 0]
        by_these = replace(
            calibrating,
            items=Folded(items, fold, deciding),
            reference=self.sums[:, 1:] / items[:, None],
        )
        return by_these.made_of(replace(subject, table=self.table))


class _Learned:
    """Probabilities that were learned, by prediction and fold."""

    def __init__(self, gathered: _Gathered, probability: Floats) -> None:
        first, group = group_rows(gathered.table.T)
        self.known = gathered.table[first].T
        self.probability = probability
        self.place = np.zeros((len(first), FOLDS), dtype=np.intp)
        self.place[group, gathered.keys[:, 0]] = np.arange(len(group))
        self.folds = min(FOLDS, gathered.stream.items)

    def __call__(self, table: Floats, rank: Codes) -> Floats:
        """Find the probabilities after predictions, which were all gathered."""
        return self.probability[self.place[find_rows(self.known, table.T), rank % self.folds]]

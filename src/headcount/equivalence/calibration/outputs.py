"""What each classifier gives to be judged by: raters' labels, other names, or numbers."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from re import compile as pattern
from typing import Literal

import numpy as np

from headcount.data.classifiers import Classifier, taken
from headcount.data.predictions import Predictions
from headcount.data.scores import Score
from headcount.data.vocabulary import number_of
from headcount.equivalence.scorers.base import most_probable
from headcount.errors import DataError, closest, count, option, some
from headcount.io.values.merges import MERGES, spelt_as
from headcount.io.values.option_list import Several
from headcount.results.notes import Notes
from headcount.typing import Flags, Floats, Ints

__all__ = ["Subject", "note_clipped", "subjects_of"]

MOST_CODES = 2
"""Different numbers that may mean that there is no answer; more are steps of a longer scale."""
_LIST = pattern(r"[\[({]\s*-?[\d.]+(e-?\d+)?\s*,\s*-?[\d.]+")
"""Two numbers or more in brackets."""


@dataclass(frozen=True, eq=False, kw_only=True)
class Subject:
    """What one classifier says, in its own terms.

    Parameters
    ----------
    name : str
    kind : {"hard", "soft", "names", "numbers"}
        Raters' labels, their probabilities, names that raters do not use, or numbers.
    table : (items, columns) array
        Chances of each label or name, or one column of numbers; NaN: no prediction.
    confident : bool
        Whether probabilities were made of a verdict and its confidence.
    """

    name: str
    kind: Literal["hard", "soft", "names", "numbers"]
    table: Floats
    confident: bool = False

    @property
    def predicted(self) -> Flags:
        """Whether each item has a prediction."""
        return ~np.isnan(self.table[:, 0])

    def at(self, index: Ints) -> Subject:
        """Take what is said at places of items; nothing where the place is -1."""
        return replace(self, table=taken(self.table, index))

    def clipped(self, clip: float) -> tuple[Subject, Flags]:
        """Keep probabilities in [clip, 1 - clip], normalised; and tell which were not."""
        bounded = np.clip(self.table, clip, 1 - clip)
        changed = (bounded != self.table).any(axis=1) & self.predicted
        if self.kind != "soft" or not changed.any():
            return self, np.zeros(len(self.table), dtype=bool)
        table = self.table.copy()
        table[changed] = bounded[changed] / bounded[changed].sum(axis=1, keepdims=True)
        return replace(self, table=table), changed

    @property
    def raw(self) -> Classifier | None:
        """The classifier as it is, if it says what raters say."""
        if self.kind == "hard" or self.kind == "soft":
            return Classifier(self.name, self.kind, self.table)
        return None


def subjects_of(said: Predictions, labels: Sequence[str], notes: Notes) -> list[Subject]:
    """Sort out what classifiers say, of predictions whose first labels are those of raters."""
    more = said.labels[len(labels) :]
    subjects = [_subject(classifier, said.labels, len(labels)) for classifier in said.classifiers]
    numbers = [_of_score(score) for score in said.scores]
    if more:
        _note_names(said, len(labels), [s.name for s in subjects if s.kind == "names"], notes)
    _note_numbers([s for s in (*subjects, *numbers) if s.kind == "numbers"], labels, notes)
    return [*subjects, *numbers]


def note_clipped(name: str, clip: float, items: int, notes: Notes) -> None:
    """Say of how many items probabilities were clipped."""
    if items:
        notes.info(
            f"{name}: probabilities of {count(items, 'item')} were clipped to [{clip:g}, "
            f"{1 - clip:g}] and normalised."
        )


def _of_score(score: Score) -> Subject:
    return Subject(name=score.name, kind="numbers", table=score.values[:, None])


def _subject(classifier: Classifier, labels: Sequence[str], known: int) -> Subject:
    table = classifier.probability
    if not np.nansum(table[:, known:]) > 0:
        return Subject(
            name=classifier.name,
            kind=classifier.kind,
            table=table[:, :known],
            confident=classifier.confident,
        )
    used = np.flatnonzero(np.nansum(table, axis=0) > 0)
    numbers = [number_of(labels[code]) for code in used.tolist()]
    if None not in numbers:
        value = np.array(numbers, dtype=np.float64)
        return Subject(name=classifier.name, kind="numbers", table=table[:, used] @ value[:, None])
    _check_names(classifier.name, [labels[code] for code in used.tolist() if code >= known])
    # Probabilities of names count as the most probable name.
    chosen = np.full((len(table), len(used)), np.nan)
    given = classifier.predicted
    chosen[given] = most_probable(table[given][:, used])
    return Subject(name=classifier.name, kind="names", table=chosen)


def _check_names(classifier: str, names: list[str]) -> None:
    """Refuse what is a list of numbers written as text: each would count as a name of its own."""
    lists = [name for name in names if _LIST.search(name)]
    if lists:
        raise DataError(
            f"classifier '{classifier}' says {some(lists, 2)}: lists of numbers, which are no "
            "labels. If they are probabilities, give each label a column of its own, named "
            f"'{classifier}:label'."
        )


def _note_names(said: Predictions, n_labels: int, names: list[str], notes: Notes) -> None:
    if not names:
        return
    labels, more = said.labels[:n_labels], said.labels[n_labels:]
    ways = [way.name for way in MERGES if spelt_as(more, labels, [way.name])]
    twins = spelt_as(more, labels, ways)
    found = [(one, closest(one, labels, cutoff=0.8)) for one in more if one not in twins]
    near = [f"'{one}' ('{known[0]}'?)" for one, known in found if known]
    spelt = f" Correct what is only spelt otherwise: {', '.join(near)}." if near else ""
    if twins:
        alike = ", ".join(f"'{one}' and '{known}'" for one, known in list(twins.items())[:3])
        spelt = f" If {alike} are the same, say {option('merge', Several(ways))}.{spelt}"
    notes.caution(
        f"{said.source}: {count(len(more), 'label')} predicted by {some(names)} that no rater "
        f"uses: {some(more)}. What is predicted counts as a name, and stands for what raters say "
        f"where it is given.{spelt}"
    )


def _as_labels(subjects: list[Subject], labels: Sequence[str]) -> str:
    """Say how 0 and 1 may be read as what raters call no and yes."""
    said = {value for s in subjects for value in np.unique(s.table[s.predicted]).tolist()}
    ways = [way.name for way in MERGES if spelt_as(["0", "1"], labels, [way.name])]
    if not said <= {0, 1} or not ways:
        return ""
    names = spelt_as(["0", "1"], labels, ways)
    are = " and ".join(f"{number} is '{label}'" for number, label in names.items())
    return f" If {are}, say {option('merge', Several(ways))}."


def _note_numbers(subjects: list[Subject], labels: Sequence[str], notes: Notes) -> None:
    if subjects:
        spans = [
            f"'{s.name}' ({np.nanmin(s.table):g} to {np.nanmax(s.table):g})" for s in subjects[:6]
        ]
        more = f" and {len(subjects) - 6} more" if len(subjects) > 6 else ""
        notes.info(
            f"scores, from which probabilities of {some(labels, 6)} are learned: "
            f"{', '.join(spans)}{more}.{_as_labels(subjects, labels)}"
        )
    known = [number for label in labels if (number := number_of(label)) is not None]
    for subject in subjects if len(known) == len(labels) else ():
        said = subject.table[subject.predicted, 0]
        off = said[~np.isin(said, known)]
        values = [f"{value:g}" for value in np.unique(off)]
        few = 0 < len(values) <= MOST_CODES and 2 * len(off) < len(said)
        if few and not (said % 1).any():
            notes.caution(
                f"'{subject.name}': some predictions are {some(values)}, which no rater says, "
                "where the others are labels of raters. If that means that there is no answer, say "
                f"{option('missing', Several(values))}."
            )

"""Predictions: what classifiers say about items, as labels, probabilities or scores."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Literal, NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from headcount.data.vocabulary import (
    MISSING,
    as_ids,
    as_labels,
    encode,
    find_labels,
    in_order,
    number_of,
    number_text,
    sorted_vocabulary,
)
from headcount.errors import DataError, closest, count, option, some
from headcount.results.notes import Note, Source
from headcount.results.result import FIRST_ROWS, preview
from headcount.typing import Codes, Flags, Floats, Ids, Ints

__all__ = [
    "ANSWERS",
    "Classifier",
    "hard",
    "taken",
    "SUM_TOLERANCE",
    "ROUNDING",
    "Score",
    "Predictions",
]


# What one classifier predicts: labels, or probabilities of labels.

ANSWERS = {"hard": "labels", "soft": "probabilities", "score": "scores"}
"""What a classifier of each kind gives."""


@dataclass(frozen=True, eq=False)
class Classifier:
    """The predictions of one classifier for every item of a :class:`Predictions`.

    Parameters
    ----------
    name : str
    kind : {"hard", "soft"}
        Labels, or probabilities of labels.
    probability : (items, labels) array of float
        Probability of each label; 1 on the label of a hard classifier. A row of NaN: no
        prediction.
    confident : bool
        Whether probabilities were made of a verdict and its confidence.
    calibration : str or None
        How probabilities were learned from what the classifier says; None if they are its own.
    learned_from_few : bool
        Whether items were too few to learn them.
    learning_error : float
        Standard error of the score by what was learned wrongly, where that matters.
    """

    name: str
    kind: Literal["hard", "soft"]
    probability: Floats
    confident: bool = False
    calibration: str | None = None
    learned_from_few: bool = False
    learning_error: float = 0.0

    @property
    def predicted(self) -> Flags:
        """Whether each item has a prediction."""
        return ~np.isnan(self.probability[:, 0])

    def at(self, index: Ints) -> Classifier:
        """Take the predictions at places of items; none where the place is -1."""
        return replace(self, probability=taken(self.probability, index))

    def widened(self, n_labels: int) -> Classifier:
        """Add labels that are never predicted, after those there are."""
        more = np.zeros((len(self.probability), n_labels - self.probability.shape[1]))
        more[~self.predicted] = np.nan
        return replace(self, probability=np.concatenate([self.probability, more], axis=1))

    def said(self, row: int, labels: Sequence[str]) -> str:
        """Write what is predicted of an item: the label, or probabilities, the largest first."""
        shares = self.probability[row]
        if np.isnan(shares[0]):
            return ""
        order: list[int] = np.argsort(-shares, kind="stable").tolist()
        if self.kind == "hard":
            return labels[order[0]]
        return ", ".join(f"{labels[code]} {shares[code]:.2f}" for code in order[:3])


def hard(name: str, codes: Codes, n_labels: int) -> Classifier:
    """Make a hard classifier from label codes; -1 is no prediction."""
    rows = np.vstack([np.eye(n_labels), np.full(n_labels, np.nan)])  # the last is that of -1
    return Classifier(name, "hard", np.take(rows, codes, axis=0, mode="wrap"))


def taken(table: Floats, index: Ints) -> Floats:
    """Take rows of a table; a row of NaN where the place is -1."""
    there = index >= 0
    if there.all():
        same = len(index) == len(table) and bool((np.diff(index) == 1).all())
        return table if same else table[index]
    out = np.full((len(index), *table.shape[1:]), np.nan)
    out[there] = table[index[there]]
    return out


# Tables of probabilities: whether each row is a distribution, and rows that were rounded.

SUM_TOLERANCE = 1e-6
"""How far from 1 the probabilities of an item may sum."""
ROUNDING = 0.01
"""How far from 1 they may sum where they were rounded, and are divided by their sum."""
_ROWS_AT_A_TIME = 50_000


class Fault(NamedTuple):
    """Rows that are no distribution, all for the same reason, and what is wrong with the first."""

    rows: Flags
    words: str

    @property
    def first(self) -> int:
        """The first of the rows."""
        return int(np.flatnonzero(self.rows)[0])


def find_fault(
    table: Floats, labels: Sequence[str], *, tolerance: float = SUM_TOLERANCE
) -> Fault | None:
    """Find rows that are neither a probability distribution nor blank; None if there are none.

    Sums are 1 within `tolerance`.
    """
    if table.size and table.min() >= 0 and _sum_to_one(table, tolerance):
        return None
    off = np.abs(_row_sums(table) - 1) > tolerance
    blank = np.isnan(table)
    partly = np.any(blank, axis=1) & ~np.all(blank, axis=1)
    negative = np.any(table < 0, axis=1)
    if partly.any():
        row = table[np.argmax(partly)]
        return Fault(
            partly,
            f"no probability for label '{labels[int(np.argmax(np.isnan(row)))]}' but some for "
            "others. Fill it in, or leave all of them blank.",
        )
    if negative.any():
        row = table[np.argmax(negative)]
        return Fault(
            negative,
            f"probability {row.min():g} for label '{labels[int(np.argmin(row))]}'. "
            "Probabilities lie between 0 and 1.",
        )
    if off.any():
        row = table[np.argmax(off)]
        return Fault(
            off,
            f"probabilities that sum to {row.sum():.7g}, not to 1 within {tolerance:g}. Divide "
            "each by their sum.",
        )
    return None


def undo_rounding(table: Floats) -> tuple[Floats, int]:
    """Divide rows whose sum is 1 within .01 only by it; return the table and how many they are."""
    if _sum_to_one(table, SUM_TOLERANCE):
        return table, 0
    total = _row_sums(table)
    off = np.abs(total - 1)
    rounded = (off > SUM_TOLERANCE) & (off <= ROUNDING + 1e-9)
    if not rounded.any():
        return table, 0
    return table / np.where(rounded, total, 1.0)[:, None], int(rounded.sum())


def _sum_to_one(table: Floats, tolerance: float) -> bool:
    """Whether every row sums to 1; rows with blanks do not.

    Some rows at a time: fresh memory for a million sums takes longer than to sum them.
    """
    for start in range(0, len(table), _ROWS_AT_A_TIME):
        off = np.abs(_row_sums(table[start : start + _ROWS_AT_A_TIME]) - 1)
        if not (off <= tolerance).all():
            return False
    return True


def _row_sums(table: Floats) -> Floats:
    """Sum the rows of a table of few columns, in a tenth of the time that numpy's sum takes."""
    return np.einsum("ij->i", table)


# Numbers that a classifier gives to items: scores, which may turn out to be labels.


@dataclass(frozen=True, eq=False)
class Score:
    """Numbers that a classifier or judge gives to items, which are no labels of their own.

    Parameters
    ----------
    name : str
    values : (items,) array of float
        NaN: no score.
    """

    name: str
    values: Floats

    @property
    def predicted(self) -> Flags:
        """Whether each item has a score."""
        return ~np.isnan(self.values)

    def at(self, index: Ints) -> Score:
        """Take the scores at places of items; none where the place is -1."""
        return replace(self, values=taken(self.values, index))

    def as_labels(self, labels: Sequence[str]) -> Classifier | None:
        """Take the numbers for labels, if each is one of `labels`; None if some is not."""
        distinct = np.unique(self.values[~np.isnan(self.values)])
        if len(distinct) > len(labels):
            return None
        code = find_labels([number_text(float(value)) for value in distinct], labels)
        if (code < 0).any() or not len(distinct):
            return None
        codes = code[np.searchsorted(distinct, np.nan_to_num(self.values, nan=distinct[0]))]
        return hard(self.name, np.where(np.isnan(self.values), MISSING, codes), len(labels))


def labels_of_score(
    score: Score, labels: Sequence[str], *, source: str, rated_in: str
) -> Classifier:
    """Take scores as labels, or say what to do about them."""
    classifier = score.as_labels(labels)
    if classifier is None:
        span = f"from {np.nanmin(score.values):g} to {np.nanmax(score.values):g}"
        raise DataError(
            f"{source}: '{score.name}' gives scores {span}, and no labels that raters in "
            f"{rated_in} use: {some(labels, 10)}. Calibrate them first: turn each into a label "
            "or into probabilities, in columns classifier:label; or leave the column out."
        )
    return classifier


def check_score_names(names: Sequence[str], labels: Sequence[str], source: str) -> None:
    """Refuse scores that are called like the labels of raters: they are one classifier's.

    What stands before the last sign of a name may be the classifier (gpt_cat, gpt:dog), if
    every label has such a column, and labels are not numbers (judge_1, judge_2).
    """
    folded = {label.casefold() for label in labels}
    called = [name for name in names if name.casefold() in folded]
    groups: dict[str, dict[str, str]] = {}
    for name in names:
        before, _, after = re.sub(r"[:.| -]", "_", name).rpartition("_")
        groups.setdefault(before, {})[after.casefold()] = name
    for group in groups.values():
        if folded <= set(group) and not any(number_of(label) is not None for label in labels):
            called = max(called, [group[label] for label in sorted(folded)], key=len)
    if len(called) > 1:
        raise DataError(
            f"{source}: columns {some(called, 12)} are called like labels of raters, but "
            "their numbers do not sum to 1, so that they are not probabilities of one "
            "classifier. If they are, divide each by the sum of its row (log-odds: take the "
            "softmax). If each is a classifier of its own, name the columns after the "
            "classifiers."
        )


# Predictions: what classifiers say about items, as labels or as probabilities.


@dataclass(frozen=True, eq=False)
class Predictions:
    """Predictions of several classifiers for the same items.

    Build one with :meth:`from_labels` or :meth:`from_probabilities` (join them with ``+``), or
    read one with :func:`headcount.read_predictions`. All of them sort the items: integers by
    number, text by code point.

    Parameters
    ----------
    items : array
        Vocabulary of items.
    labels : tuple of str
        Vocabulary of labels.
    classifiers : tuple of Classifier
        Classifiers that predict labels or probabilities of labels.
    scores : tuple of Score
        Classifiers that give numbers, which have to be calibrated before any method can use them.
    source : str
        Where the predictions come from, for messages.
    notes : tuple of Note
    sources : tuple of Source
        Files that they were read from.
    dropped : mapping of str to int
        Rows or answers left out when they were read, by reason.

    Examples
    --------
    >>> hard = Predictions.from_labels(["a", "b"], {"judge": ["yes", "no"]})
    >>> table = [[0.2, 0.8], [1, 0]]
    >>> soft = Predictions.from_probabilities(["a", "b"], ["no", "yes"], {"lm": table})
    >>> hard + soft
    Predictions for 2 items: judge (hard), lm (soft); labels no, yes
    """

    items: Ids
    labels: tuple[str, ...]
    classifiers: tuple[Classifier, ...]
    source: str = "predictions"
    notes: tuple[Note, ...] = ()
    sources: tuple[Source, ...] = ()
    dropped: Mapping[str, int] = field(default_factory=dict[str, int])
    scores: tuple[Score, ...] = ()

    @classmethod
    def from_labels(
        cls,
        items: Iterable[object],
        columns: Mapping[str, Iterable[object]],
        *,
        source: str = "predictions",
    ) -> Predictions:
        """Take one column of labels a classifier; a missing entry is no prediction."""
        names = _unique_items(items, source)
        coded = {name: encode(column) for name, column in columns.items()}
        labels, _ = as_labels(list(dict.fromkeys(t for _, texts in coded.values() for t in texts)))
        classifiers: list[Classifier] = []
        for name, (codes, texts) in coded.items():
            _same_length(name, len(codes), len(names), source)
            code_of_text = find_labels(texts, labels)
            classifiers.append(
                hard(name, np.where(codes < 0, MISSING, code_of_text[codes]), len(labels))
            )
        return cls(
            items=names, labels=labels, classifiers=tuple(classifiers), source=source
        ).canonical()

    @classmethod
    def from_probabilities(
        cls,
        items: Iterable[object],
        labels: Sequence[object],
        columns: Mapping[str, ArrayLike],
        *,
        source: str = "predictions",
    ) -> Predictions:
        """Take one items x labels table of probabilities a classifier; NaN is no prediction."""
        names = _unique_items(items, source)
        texts = encode(labels)[1]
        if len(texts) < len(labels):
            raise DataError(f"{source}: labels must differ from each other: {some(labels, 10)}.")
        classifiers: list[Classifier] = []
        for name, values in columns.items():
            table = np.asarray(values, dtype=np.float64)
            _same_length(name, len(table), len(names), source)
            if table.ndim != 2 or table.shape[1] != len(labels):
                raise DataError(
                    f"{source}, classifier '{name}': expected a table of {len(names):,} items x "
                    f"{len(labels)} labels, got shape {table.shape}."
                )
            classifiers.append(Classifier(name, "soft", table))
        out = cls(items=names, labels=tuple(texts), classifiers=tuple(classifiers), source=source)
        out.check()
        return out.canonical()

    def renormalised(self) -> Predictions:
        """Divide probabilities that were rounded by their sum, where it is 1 within .01; say so."""
        notes, classifiers = list(self.notes), list(self.classifiers)
        for index, classifier in enumerate(self.classifiers):
            if classifier.kind == "hard":
                continue
            table, rounded = undo_rounding(classifier.probability)
            if rounded:
                classifiers[index] = replace(classifier, probability=table)
                notes.append(
                    Note(
                        f"{self.source}: probabilities of '{classifier.name}' for "
                        f"{count(rounded, 'item')} sum to 1 within {ROUNDING:g} only, and were "
                        "divided by their sum."
                    )
                )
        return replace(self, classifiers=tuple(classifiers), notes=tuple(notes))

    def check(
        self, rows: Sequence[int] | Codes | None = None, *, tolerance: float = SUM_TOLERANCE
    ) -> None:
        """Raise DataError unless every soft prediction is a probability distribution.

        `rows` are the row numbers that messages should name; sums are 1 within `tolerance`.
        """
        for classifier in self.classifiers:
            if classifier.kind == "hard":
                continue
            fault = find_fault(classifier.probability, self.labels, tolerance=tolerance)
            if fault is None:
                continue
            at = "" if rows is None else f", row {rows[fault.first]}"
            alike = int(fault.rows.sum())
            more = f" ({count(alike, 'item')} like it.)" if alike > 1 else ""
            raise DataError(
                f"{self.source}{at}: classifier '{classifier.name}' gives item "
                f"'{self.items[fault.first]}' {fault.words}{more}"
            )

    def align(self, labels: Sequence[str], *, rated_in: str) -> Predictions:
        """Put the probabilities in the order of `labels`; a label not there is an error.

        Scores that are all among the labels become labels; others are an error.
        """
        codes = find_labels(self.labels, labels)
        unknown = [label for label, code in zip(self.labels, codes, strict=True) if code < 0]
        if unknown:
            near = closest(unknown[0], labels)
            hint = f" Did you mean '{near[0]}'?" if near else ""
            users = [
                c.name
                for c in self.classifiers
                if np.nansum(c.probability[:, [self.labels.index(u) for u in unknown]]) > 0
            ]
            by = f" by {some(users)}" if users else ""
            raise DataError(
                f"{self.source}: {count(len(unknown), 'label')} predicted{by} that no rater in "
                f"{rated_in} uses: {some(unknown)}. Raters use: {some(labels, 10)}.{hint} Correct "
                f"them, or declare all the labels raters could choose ({option('labels', ...)}). "
                "Probabilities need a column classifier:label for each label, with decimal points."
            )
        numbers = [
            labels_of_score(score, labels, source=self.source, rated_in=rated_in)
            for score in self.scores
        ]
        classifiers = (*self._ordered(labels), *numbers)
        return replace(self, labels=tuple(labels), classifiers=classifiers, scores=())

    def among(self, labels: Sequence[str]) -> Predictions:
        """Put `labels` first, and those that are not among them after these.

        Scores that are all among the labels become labels; others stay scores.

        Examples
        --------
        >>> said = Predictions.from_labels([1, 2], {"judge": ["no", "can't tell"]})
        >>> said.among(["no", "yes"]).labels
        ('no', 'yes', "can't tell")
        """
        check_score_names([score.name for score in self.scores], labels, self.source)
        codes = find_labels(self.labels, labels)
        more = [label for label, code in zip(self.labels, codes, strict=True) if code < 0]
        both = (*labels, *more)
        read = {score.name: score.as_labels(labels) for score in self.scores}
        widened = [each.widened(len(both)) for each in read.values() if each is not None]
        return replace(
            self,
            labels=both,
            classifiers=(*self._ordered(both), *widened),
            scores=tuple(score for score in self.scores if read[score.name] is None),
        )

    def renamed(self, names: Mapping[str, str]) -> Predictions:
        """Call labels otherwise; the probabilities of those that become one are added.

        Examples
        --------
        >>> said = Predictions.from_labels([1, 2], {"judge": ["PASS", "FAIL"]})
        >>> said.renamed({"PASS": "pass", "FAIL": "fail"}).labels
        ('fail', 'pass')
        """
        called = tuple(names.get(label, label) for label in self.labels)
        if called == self.labels:
            return self
        labels, _ = as_labels(list(dict.fromkeys(called)))
        classifiers = replace(self, labels=called)._ordered(labels)
        return replace(self, labels=labels, classifiers=tuple(classifiers))

    def _ordered(self, labels: Sequence[str]) -> list[Classifier]:
        """Put the probabilities in the order of `labels`, which hold all of them."""
        codes = find_labels(self.labels, labels)
        classifiers: list[Classifier] = []
        for classifier in self.classifiers:
            table = np.zeros((len(self.items), len(labels)))
            np.add.at(table.T, codes, classifier.probability.T)
            table[~classifier.predicted] = np.nan
            classifiers.append(replace(classifier, probability=table))
        return classifiers

    def canonical(self) -> Predictions:
        """Return the same predictions with the items sorted, in which readers give them already.

        Integers by number, text by code point; classifiers keep their order. O(items log items).
        """
        if in_order(self.items):
            return self
        texts = self.items.tolist() if self.items.dtype == object else map(str, self.items)
        items, new_code = sorted_vocabulary(list(texts))
        if new_code is None:
            return self
        return replace(self.at(np.argsort(new_code)), items=items)

    def at(self, index: Ints) -> Predictions:
        """Take the predictions of the items at these places."""
        return replace(
            self,
            items=self.items[index],
            classifiers=tuple(each.at(index) for each in self.classifiers),
            scores=tuple(each.at(index) for each in self.scores),
        )

    def __post_init__(self) -> None:
        names = [c.name for c in (*self.classifiers, *self.scores)]
        doubled = [name for name in dict.fromkeys(names) if names.count(name) > 1]
        if doubled:
            raise DataError(
                f"{self.source}: several classifiers have the same name: {some(doubled)}. Give "
                "each a name of its own."
            )

    def __add__(self, other: Predictions) -> Predictions:
        if not np.array_equal(self.items, other.items):
            raise DataError("predictions can be joined only when they are for the same items.")
        labels, _ = as_labels(list(dict.fromkeys(self.labels + other.labels)))
        sides = [
            replace(side, scores=()).align(labels, rated_in="the other predictions")
            for side in (self, other)
        ]
        source = self.source if self.source == other.source else f"{self.source}, {other.source}"
        return Predictions(
            items=self.items,
            labels=labels,
            classifiers=sides[0].classifiers + sides[1].classifiers,
            source=source,
            notes=self.notes + other.notes,
            sources=self.sources + other.sources,
            dropped=Counter(self.dropped) + Counter(other.dropped),
            scores=self.scores + other.scores,
        )

    def __repr__(self) -> str:
        names = [f"{c.name} ({c.kind})" for c in self.classifiers]
        names += [f"{score.name} (score)" for score in self.scores]
        labels = f"; labels {', '.join(self.labels)}" if self.labels else ""
        return f"Predictions for {count(len(self.items), 'item')}: {', '.join(names)}{labels}"

    def columns(self) -> dict[str, list[object]]:
        """Return the predictions in long form: item, classifier, label, and probability if soft.

        A soft classifier has a row for each label; a score is a label that is a number.
        """
        rows: list[tuple[object, ...]] = []
        items: list[object] = self.items.tolist()
        for classifier in self.classifiers:
            predicted = np.flatnonzero(classifier.predicted).tolist()
            if classifier.kind == "hard":
                best = classifier.probability.argmax(axis=1)
                rows += [
                    (items[row], classifier.name, self.labels[best[row]], None) for row in predicted
                ]
            else:
                rows += [
                    (items[row], classifier.name, label, share)
                    for row in predicted
                    for label, share in zip(
                        self.labels, classifier.probability[row].tolist(), strict=True
                    )
                ]
        for score in self.scores:
            predicted = np.flatnonzero(~np.isnan(score.values)).tolist()
            rows += [(items[r], score.name, number_text(score.values[r]), None) for r in predicted]
        names = ["item", "classifier", "label", "probability"]
        columns = dict(zip(names, map(list, zip(*rows, strict=True)), strict=True))
        if all(share is None for share in columns["probability"]):
            del columns["probability"]
        return columns

    def _repr_html_(self) -> str:
        first = range(min(FIRST_ROWS, len(self.items)))
        columns: dict[str, list[object]] = {"item": [self.items[row] for row in first]}
        for classifier in self.classifiers:
            columns[classifier.name] = [classifier.said(row, self.labels) for row in first]
        for score in self.scores:
            columns[score.name] = [f"{score.values[row]:g}" for row in first]
        total = len(self.items)
        return preview(repr(self), columns, total=total, noun="item", notes=self.notes)


def _unique_items(items: Iterable[object], source: str) -> Ids:
    codes, texts = encode(items)
    if (codes < 0).any():
        row = int(np.flatnonzero(codes < 0)[0])
        raise DataError(f"{source}: prediction {row} has no item id. Give every row an item.")
    if len(texts) < len(codes):
        doubled = [texts[code] for code in np.flatnonzero(np.bincount(codes) > 1)]
        raise DataError(
            f"{source}: {count(len(doubled), 'item')} with more than one row of predictions: "
            f"{some(doubled)}. Keep one row per item."
        )
    return as_ids(texts)


def _same_length(name: str, length: int, items: int, source: str) -> None:
    if length != items:
        raise DataError(
            f"{source}: classifier '{name}' has {length:,} predictions for {items:,} items."
        )

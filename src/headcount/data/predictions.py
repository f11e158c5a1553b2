"""Predictions: what classifiers say about items, as labels or as probabilities."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace

import numpy as np
from numpy.typing import ArrayLike

from headcount.data.canonical import in_order, sorted_vocabulary
from headcount.data.classifiers import Classifier, hard
from headcount.data.preview import FIRST, preview
from headcount.data.probabilities import ROUNDING, SUM_TOLERANCE, find_fault, undo_rounding
from headcount.data.scores import Score, check_score_names, labels_of_score
from headcount.data.vocabulary import MISSING, as_ids, as_labels, encode, find_labels, number_text
from headcount.errors import DataError, closest, count, option, some
from headcount.results.notes import Note
from headcount.results.provenance import Source
from headcount.typing import Codes, Ids

__all__ = ["Predictions"]


@dataclass(frozen=True, eq=False)
class Predictions:
    """What several classifiers predict for the same items.

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
        Those that predict labels, or probabilities of labels.
    scores : tuple of Score
        Those that give numbers, which no method takes before they are calibrated.
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
            place = find_labels(texts, labels)
            classifiers.append(hard(name, np.where(codes < 0, MISSING, place[codes]), len(labels)))
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
        for place, one in enumerate(self.classifiers):
            if one.kind == "hard":
                continue
            table, rounded = undo_rounding(one.probability)
            if rounded:
                classifiers[place] = replace(one, probability=table)
                notes.append(
                    Note(
                        f"{self.source}: probabilities of '{one.name}' for "
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
        for one in self.classifiers:
            if one.kind == "hard":
                continue
            fault = find_fault(one.probability, self.labels, tolerance=tolerance)
            if fault is None:
                continue
            at = "" if rows is None else f", row {rows[fault.first]}"
            alike = int(fault.rows.sum())
            more = f" ({count(alike, 'item')} like it.)" if alike > 1 else ""
            raise DataError(
                f"{self.source}{at}: classifier '{one.name}' gives item "
                f"'{self.items[fault.first]}' {fault.words}{more}"
            )

    def align(self, labels: Sequence[str], *, rated_in: str) -> Predictions:
        """Put the probabilities in the order of `labels`; a label not there is an error.

        Scores that are all among the labels become labels; others are an error.
        """
        place = find_labels(self.labels, labels)
        unknown = [label for label, code in zip(self.labels, place, strict=True) if code < 0]
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
        place = find_labels(self.labels, labels)
        more = [label for label, code in zip(self.labels, place, strict=True) if code < 0]
        both = (*labels, *more)
        read = {score.name: score.as_labels(labels) for score in self.scores}
        widened = [one.widened(len(both)) for one in read.values() if one is not None]
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
        place = find_labels(self.labels, labels)
        classifiers: list[Classifier] = []
        for classifier in self.classifiers:
            table = np.zeros((len(self.items), len(labels)))
            np.add.at(table.T, place, classifier.probability.T)
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
        items, place = sorted_vocabulary(list(texts))
        if place is None:
            return self
        order = np.argsort(place)
        classifiers = tuple(
            replace(one, probability=one.probability[order]) for one in self.classifiers
        )
        scores = tuple(replace(one, values=one.values[order]) for one in self.scores)
        return replace(self, items=items, classifiers=classifiers, scores=scores)

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
        for one in self.classifiers:
            given = np.flatnonzero(one.predicted).tolist()
            if one.kind == "hard":
                best = one.probability.argmax(axis=1)
                rows += [(items[row], one.name, self.labels[best[row]], None) for row in given]
            else:
                rows += [
                    (items[row], one.name, label, share)
                    for row in given
                    for label, share in zip(self.labels, one.probability[row].tolist(), strict=True)
                ]
        for score in self.scores:
            given = np.flatnonzero(~np.isnan(score.values)).tolist()
            rows += [(items[r], score.name, number_text(score.values[r]), None) for r in given]
        names = ["item", "classifier", "label", "probability"]
        columns = dict(zip(names, map(list, zip(*rows, strict=True)), strict=True))
        if all(share is None for share in columns["probability"]):
            del columns["probability"]
        return columns

    def _repr_html_(self) -> str:
        first = range(min(FIRST, len(self.items)))
        columns: dict[str, list[object]] = {"item": [self.items[row] for row in first]}
        for one in self.classifiers:
            columns[one.name] = [one.said(row, self.labels) for row in first]
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

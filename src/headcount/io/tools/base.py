"""What a tool is: how to know its exports, and what is read of them."""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections import Counter
from typing import Any, ClassVar, Literal, NamedTuple

from headcount.data.outcomes import OUTCOMES
from headcount.errors import DataError
from headcount.io.reading import Reading
from headcount.io.tools.document import Document
from headcount.io.tools.values import BETWEEN, text_of
from headcount.results.notes import Notes

__all__ = ["KINDS", "Export", "Kind", "Tool"]

Kind = Literal["ratings", "predictions", "comparisons"]
KINDS: dict[Kind, tuple[str, ...]] = {
    "ratings": ("item", "rater", "label"),
    "predictions": ("item", "classifier", "label"),
    "comparisons": ("left", "right", "outcome", "rater"),
}
"""What a file can hold, and the columns of each."""


class Row(NamedTuple):
    """One answer: the cells of the columns of its kind, and the question it answers.

    `confidence` is how sure a classifier is of its label, where it says so.
    """

    question: str
    cells: tuple[str | None, ...]
    confidence: float | None = None


class Export:
    """What a tool's file holds: answers by kind and question, and what was left out and why.

    Attributes
    ----------
    answers : dict of kind to list of Row
    notes : Notes
    absent : dict of kind to str
        Why the file holds nothing of a kind, and what to do, where the tool knows.
    records : int
        Records of the file.
    """

    def __init__(self) -> None:
        self.answers: dict[Kind, list[Row]] = {kind: [] for kind in KINDS}
        self.notes = Notes()
        self.absent: dict[Kind, str] = {}
        self.records = 0
        self._dropped: dict[Kind, Counter[tuple[str | None, str]]] = {
            kind: Counter() for kind in KINDS
        }
        self._sets = False
        self._scores: dict[tuple[str, str], list[tuple[str | None, float]]] = {}

    def rate(self, question: str, item: Any, rater: Any, label: Any) -> None:
        """Add a rating; one without a label is dropped as empty."""
        self._add("ratings", question, (text_of(item), text_of(rater), self._label(label)))

    def predict(
        self, question: str, item: Any, classifier: Any, label: Any, confidence: Any = None
    ) -> None:
        """Add a prediction; one without a label is dropped as empty.

        `confidence` is how sure the classifier is of the label, as it says itself.
        """
        cells = (text_of(item), text_of(classifier), self._label(label))
        self._add("predictions", question, cells, _number(confidence))

    def score(self, question: str, item: Any, classifier: str, score: Any) -> None:
        """Add a number that a classifier gives beside its verdict, as one of a classifier more.

        They are read by :meth:`add_scores`, which a reader calls when all are known.
        """
        number = _number(score)
        if number is not None:
            given = self._scores.setdefault((question, f"{classifier} score"), [])
            given.append((text_of(item), number))

    def add_scores(self) -> None:
        """Read scores; where all are whole numbers they say what the verdict says, or a label."""
        for (question, name), given in self._scores.items():
            if any(not number.is_integer() for _, number in given):
                for item, number in given:
                    self.predict(question, item, name, number)

    def compare(self, question: str, pair: tuple[Any, Any], outcome: Any, rater: Any) -> None:
        """Add a comparison of a left and a right thing: left, right or tie."""
        left, right = pair
        if text_of(left) == text_of(right):
            self.drop("comparisons", "compared with itself", question)
            return
        cells = (text_of(left), text_of(right), text_of(outcome), text_of(rater))
        self._add("comparisons", question, cells)

    def prefer(self, question: str, pair: tuple[Any, Any], answer: Any, rater: Any) -> None:
        """Add a comparison if two things were shown, and the answer is one of them or a tie."""
        shown, said = tuple(map(text_of, pair)), text_of(answer)
        if None not in shown and said is not None and (said.lower() in OUTCOMES or said in shown):
            self.compare(question, pair, said, rater)

    def drop(self, kind: Kind, reason: str, question: str | None = None, times: int = 1) -> None:
        """Count answers that are left out; without a question, of whatever question is read."""
        if times:
            self._dropped[kind][question, reason] += times

    def questions(self, kind: Kind) -> list[str]:
        """Questions with answers of a kind, in the order of the file."""
        return list(dict.fromkeys(row.question for row in self.answers[kind]))

    def dropped(self, kind: Kind, question: str | None = None) -> dict[str, int]:
        """Answers left out of a question, or of all, by reason."""
        total: Counter[str] = Counter()
        for (own, reason), times in self._dropped[kind].items():
            if question is None or own in (None, question):
                total[reason] += times
        return dict(total)

    @property
    def has_sets(self) -> bool:
        """Whether some answers have several labels."""
        return self._sets

    def _label(self, label: Any) -> str | None:
        text = text_of(label)
        if isinstance(label, list) and text is not None and BETWEEN in text:
            self._sets = True
        return text

    def _add(
        self,
        kind: Kind,
        question: str,
        cells: tuple[str | None, ...],
        confidence: float | None = None,
    ) -> None:
        if cells[2] is None:
            self.drop(kind, "empty", question)
        elif cells[0] is None:
            self.drop(kind, "without an item", question)
        else:
            self.answers[kind].append(Row(question, cells, confidence))


def _number(value: Any) -> float | None:
    """Return a finite number; None for anything else."""
    if isinstance(value, bool) or not isinstance(value, int | float) or not math.isfinite(value):
        return None
    return float(value)


class Tool(ABC):
    """A tool. To read another, write one such class and put it into the list of tools.

    Attributes
    ----------
    name : str
        What users call it as the format of a file.
    title : str
        Its name in sentences.
    kinds : tuple of str
        What its exports can hold; asked for anything else, a file is none of them.
    """

    name: ClassVar[str]
    title: ClassVar[str]
    kinds: ClassVar[tuple[Kind, ...]] = tuple(KINDS)

    @abstractmethod
    def recognises(self, document: Document) -> bool:
        """Whether a file is an export of the tool, by what it holds."""

    @abstractmethod
    def read(self, document: Document, reading: Reading) -> Export:
        """Read what the file holds, for all its questions."""

    def refused(self, document: Document, why: str) -> DataError:
        """Error for an export that cannot be read right."""
        return DataError(f"{document.name} ({self.title}): {why}")

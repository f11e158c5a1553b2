"""What a classifier says of items: labels, probabilities, a verdict with confidence, or scores."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from headcount.data.classifiers import Classifier, hard
from headcount.data.scores import Score
from headcount.data.vocabulary import MISSING, find_labels, label_text
from headcount.errors import count
from headcount.results.notes import Notes
from headcount.typing import Codes, Floats

__all__ = [
    "CONFIDENCE",
    "NO_NAME",
    "Confident",
    "Distribution",
    "Numbers",
    "Said",
    "Verdict",
    "are_scores",
]

CONFIDENCE = ("confidence", "conf", "certainty", "probability", "prob", "score")
"""What a column is called that says how sure a verdict is."""
MOST_WHOLE = 20
"""Different whole numbers from which on they are scores."""
NO_NAME = "classifier"
"""Name of a classifier that has none."""


class Said(ABC):
    """What one classifier says, before the labels of all are known.

    Attributes
    ----------
    name : str
        The classifier's.
    kind : str
        What a note calls it.
    """

    name: str
    kind: ClassVar[str]

    @abstractmethod
    def used(self) -> Sequence[str]:
        """Labels that it uses."""

    @abstractmethod
    def taken(self, labels: Sequence[str], notes: Notes) -> Classifier | Score:
        """Put it in the order of all labels."""


@dataclass(frozen=True, eq=False)
class Verdict(Said):
    """A label an item: `codes` are places in `texts`, -1 where there is none."""

    name: str
    codes: Codes
    texts: Sequence[str]
    kind: ClassVar[str] = "hard"

    def used(self) -> Sequence[str]:
        """Labels of the verdicts."""
        return _given(self.codes, self.texts)

    def taken(self, labels: Sequence[str], notes: Notes) -> Classifier:
        """Put all the probability on the label."""
        return hard(self.name, _moved(self.codes, self.texts, labels), len(labels))


@dataclass(frozen=True, eq=False)
class Distribution(Said):
    """A probability of each label: `columns` are those of labels, NaN where there is none."""

    name: str
    columns: Mapping[str, Floats]
    kind: ClassVar[str] = "soft"

    def used(self) -> Sequence[str]:
        """Labels that have a column."""
        return list(self.columns)

    def taken(self, labels: Sequence[str], notes: Notes) -> Classifier:
        """Put each column in its place; labels without one have probability 0."""
        read = list(self.columns.values())
        table = np.zeros((len(read[0]), len(labels)))
        for place, numbers in zip(find_labels(self.used(), labels), read, strict=True):
            table[:, place] += numbers  # to what is there, if a label is written in two ways
        if all(np.isnan(numbers.sum()) for numbers in read):  # else no item lacks all of them
            table[np.all([np.isnan(numbers) for numbers in read], axis=0)] = np.nan
        return Classifier(self.name, "soft", table)


@dataclass(frozen=True, eq=False)
class Confident(Said):
    """A label an item, and how sure the classifier is of it, from 0 to 1.

    Parameters
    ----------
    name : str
    codes : (items,) array of int
    texts : sequence of str
    confidence : (items,) array of float
        NaN where it is not known, in which case the label counts alone.
    source : str
        For notes.
    """

    name: str
    codes: Codes
    texts: Sequence[str]
    confidence: Floats
    source: str
    kind: ClassVar[str] = "soft"

    def used(self) -> Sequence[str]:
        """Labels of the verdicts."""
        return _given(self.codes, self.texts)

    def taken(self, labels: Sequence[str], notes: Notes) -> Classifier:
        """Give the rest of the probability to the other labels, in equal parts."""
        codes = _moved(self.codes, self.texts, labels)
        if len(labels) < 2:
            notes.caution(
                f"{self.source}: '{self.name}' uses one label only, so that its confidence leaves "
                "nothing to another one; read as labels."
            )
            return hard(self.name, codes, len(labels))
        sure = np.where(np.isnan(self.confidence), 1.0, self.confidence)
        given = codes >= 0
        fixed = self._of_one_label(codes, sure, len(labels))
        if fixed is not None:
            sure = np.where(codes == fixed, sure, 1 - sure)
            notes.caution(
                f"{self.source}: the confidence of '{self.name}' is read as the probability of "
                f"'{labels[fixed]}', because it is .5 or more just where that is the verdict."
            )
        else:
            rest = "the other label" if len(labels) == 2 else "the other labels in equal parts"
            notes.info(
                f"{self.source}: '{self.name}' is a verdict with its confidence, which is read as "
                f"the probability of the verdict; the rest goes to {rest}."
            )
            unsure = given & (sure < 1 / len(labels))
            if unsure.any():
                notes.warning(
                    f"{self.source}: '{self.name}' gives its own verdict less than an equal share "
                    f"of the probability for {count(int(unsure.sum()), 'item')}. Check what the "
                    "confidence means."
                )
        table = np.repeat(((1 - sure) / (len(labels) - 1))[:, None], len(labels), axis=1)
        table[np.flatnonzero(given), codes[given]] = sure[given]
        table[~given] = np.nan
        return Classifier(self.name, "soft", table, confident=True)

    def _of_one_label(self, codes: Codes, sure: Floats, n_labels: int) -> int | None:
        """Label of which it is the probability, whatever the verdict; None if it is of the verdict.

        With two labels, such a number is high where the label is chosen and low where it is not.
        """
        if n_labels != 2 or not ((codes >= 0) & (sure < 0.5)).any():
            return None
        for label in (1, 0):
            chosen, other = sure[codes == label], sure[codes == 1 - label]
            if len(chosen) and len(other) and chosen.min() >= 0.5 and other.max() <= 0.5:
                return label
        return None


@dataclass(frozen=True, eq=False)
class Numbers(Said):
    """A score an item, which is no label; NaN where there is none."""

    name: str
    values: Floats
    kind: ClassVar[str] = "score"

    def used(self) -> Sequence[str]:
        """Use no labels."""
        return ()

    def taken(self, labels: Sequence[str], notes: Notes) -> Score:
        """Keep the numbers."""
        return Score(self.name, self.values)


def are_scores(numbers: Floats) -> bool:
    """Tell scores from labels that are numbers: they have fractions, or are many.

    Examples
    --------
    >>> are_scores(np.array([0.25, 0.5])), are_scores(np.array([1.0, 5.0, np.nan]))
    (True, False)
    """
    given = numbers[~np.isnan(numbers)]
    return bool(len(given)) and (bool((given % 1 != 0).any()) or len(np.unique(given)) > MOST_WHOLE)


def _given(codes: Codes, texts: Sequence[str]) -> list[str]:
    """Texts that some code is of; a column of several classifiers has those of all."""
    times = np.bincount(codes[codes >= 0], minlength=len(texts))
    return [text for text, given in zip(texts, times > 0, strict=True) if given]


def _moved(codes: Codes, texts: Sequence[str], labels: Sequence[str]) -> Codes:
    """Follow codes of own labels to their places among all."""
    place = np.append(find_labels([label_text(text) for text in texts], labels), MISSING)
    return place[codes]

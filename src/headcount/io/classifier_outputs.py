"""What a classifier says of items: labels, probabilities, a verdict with confidence, or scores."""

from __future__ import annotations

import os
import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import ClassVar, cast

import numpy as np

from headcount.data.predictions import ANSWERS, ROUNDING, Classifier, Predictions, Score, hard
from headcount.data.vocabulary import (
    MISSING,
    as_ids,
    as_labels,
    find_labels,
    label_text,
    number_of,
)
from headcount.errors import DataError, count, option, some
from headcount.io.cells import said_plainly
from headcount.io.findings import check_codes, check_failures
from headcount.io.opening import ids_of, renamed, values_of
from headcount.io.reading import Reading
from headcount.io.roles import LABEL_WORDS, ReadAs, plain_name
from headcount.io.tables import Table, with_row_numbers
from headcount.io.values import any_form
from headcount.results.notes import Notes
from headcount.typing import Codes, Floats, Ints

__all__ = [
    "CONFIDENCE",
    "Answers",
    "Verdict",
    "Distribution",
    "Numbers",
    "are_scores",
    "build",
    "items_of",
    "labels_of",
    "read_column",
    "confidence_of",
    "sum_to_one",
    "columns_of_shares",
    "called_like_labels",
    "check_sums",
    "split_names",
]


CONFIDENCE = ("confidence", "conf", "certainty", "probability", "prob", "score")
"""What a column is called that says how sure a verdict is."""
MOST_WHOLE = 20
"""Different whole numbers from which on they are scores."""
NO_NAME = "classifier"
"""Name of a classifier that has none."""


@dataclass(frozen=True, eq=False)
class Verdict:
    """A label an item, and perhaps how sure the classifier is of it, from 0 to 1.

    Parameters
    ----------
    name : str
    codes : (items,) array of int
        Positions in `texts`; -1 where there is no label.
    texts : sequence of str
    confidence : (items,) array of float or None
        NaN where it is not known, in which case the label counts alone; None if there is none.
    source, column : str
        The file and the column of confidence, for messages.
    """

    name: str
    codes: Codes
    texts: Sequence[str]
    confidence: Floats | None = None
    source: str = ""
    column: str = ""

    @property
    def kind(self) -> str:
        """What a note calls it."""
        return "hard" if self.confidence is None else "soft"

    def used(self) -> Sequence[str]:
        """Labels of the verdicts."""
        return _used(self.codes, self.texts)

    def among(self, labels: Sequence[str], notes: Notes) -> Classifier:
        """Put all probability on the label; or its confidence, and the rest on others equally."""
        own = [label_text(text) for text in self.texts]
        codes = np.append(find_labels(own, labels), MISSING)[self.codes]
        if self.confidence is not None and len(labels) < 2:
            notes.caution(
                f"{self.source}: '{self.name}' uses one label only, so that its confidence leaves "
                "nothing to another one; read as labels."
            )
        if self.confidence is None or len(labels) < 2:
            return hard(self.name, codes, len(labels))
        sure = np.where(np.isnan(self.confidence), 1.0, self.confidence)
        given = codes >= 0
        self._check_one_label(codes, sure, labels)
        rest = "the other label" if len(labels) == 2 else "the other labels in equal parts"
        notes.info(
            f"{self.source}: '{self.name}' is a verdict with its confidence, which is read as the "
            f"probability of the verdict; the rest goes to {rest}."
        )
        unsure = given & (sure < 1 / len(labels))
        if unsure.any():
            notes.warning(
                f"{self.source}: '{self.name}' gives its own verdict less than an equal share of "
                f"the probability for {count(int(unsure.sum()), 'item')}. Check what "
                f"'{self.column}' means; leave it out with {option('ignore', self.column)}."
            )
        table = np.repeat(((1 - sure) / (len(labels) - 1))[:, None], len(labels), axis=1)
        table[np.flatnonzero(given), codes[given]] = sure[given]
        table[~given] = np.nan
        return Classifier(self.name, "soft", table, confident=True)

    def _check_one_label(self, codes: Codes, sure: Floats, labels: Sequence[str]) -> None:
        """Refuse a probability of one of two labels: high where it is chosen, low where not."""
        if len(labels) != 2 or not ((codes >= 0) & (sure < 0.5)).any():
            return
        for code, label in enumerate(labels):
            chosen, other = sure[codes == code], sure[codes == 1 - code]
            if len(chosen) and len(other) and chosen.min() >= 0.5 and other.max() <= 0.5:
                raise DataError(
                    f"{self.source}, column '{self.column}': .5 or more just where '{self.name}' "
                    f"is '{label}', so it seems to be the probability of '{label}', and not of the "
                    f"verdict. Leave it out with {option('ignore', self.column)}, or replace both "
                    f"columns by '{self.name}:{labels[0]}' and '{self.name}:{labels[1]}'."
                )


@dataclass(frozen=True, eq=False)
class Distribution:
    """A probability of each label: `columns` are those of labels, NaN where there is none."""

    name: str
    columns: Mapping[str, Floats]
    kind: ClassVar[str] = "soft"

    def used(self) -> Sequence[str]:
        """Labels that have a column."""
        return list(self.columns)

    def among(self, labels: Sequence[str], notes: Notes) -> Classifier:
        """Put each column in its place; labels without one have probability 0."""
        columns = list(self.columns.values())
        table = np.zeros((len(columns[0]), len(labels)))
        for index, numbers in zip(find_labels(self.used(), labels), columns, strict=True):
            table[:, index] += numbers  # to what is there, if a label is written in two ways
        if all(np.isnan(numbers.sum()) for numbers in columns):  # else no item lacks all of them
            table[np.all([np.isnan(numbers) for numbers in columns], axis=0)] = np.nan
        return Classifier(self.name, "soft", table)


@dataclass(frozen=True, eq=False)
class Numbers:
    """A score an item, which is no label; NaN where there is none."""

    name: str
    values: Floats
    kind: ClassVar[str] = "score"

    def used(self) -> Sequence[str]:
        """Use no labels."""
        return ()

    def among(self, labels: Sequence[str], notes: Notes) -> Score:
        """Keep the numbers."""
        return Score(self.name, self.values)


Answers = Verdict | Distribution | Numbers
"""What one classifier says, before the labels of all are known."""


def are_scores(numbers: Floats) -> bool:
    """Tell scores from labels that are numbers: they have fractions, or are many.

    Examples
    --------
    >>> are_scores(np.array([0.25, 0.5])), are_scores(np.array([1.0, 5.0, np.nan]))
    (True, False)
    """
    given = numbers[~np.isnan(numbers)]
    return bool(len(given)) and (bool((given % 1 != 0).any()) or len(np.unique(given)) > MOST_WHOLE)


def _used(codes: Codes, texts: Sequence[str]) -> list[str]:
    """Texts that some code is of; a column of several classifiers has those of all."""
    times = np.bincount(codes[codes >= 0], minlength=len(texts))
    return [text for text, given in zip(texts, times > 0, strict=True) if given]


# What classifiers say, put together as predictions that are checked.


def build(
    table: Table, item: int, items: Sequence[str], row: Ints, answers: list[Answers], notes: Notes
) -> Predictions:
    """Put what classifiers say on the labels of all, and check it.

    `row` is a row of the table for each of the items, for messages.
    """
    used = {answer.name: answer.used() for answer in answers}
    labels, _ = as_labels(list(dict.fromkeys(text for texts in used.values() for text in texts)))
    silent = [
        answer.name for answer in answers if not (isinstance(answer, Numbers) or used[answer.name])
    ]
    if len(silent) == len(answers):
        raise DataError(f"{table.source}: no predictions; every value of {some(silent)} is blank.")
    if silent:
        notes.caution(f"{table.source}: left out, since every value is blank: {some(silent)}.")
        answers = [answer for answer in answers if answer.name not in silent]
    name = table.names[item] or "first column"
    kinds = ", ".join(f"{answer.name} ({ANSWERS[answer.kind]})" for answer in answers)
    text = f"{table.source}: item = '{name}', {count(len(answers), 'classifier')}: {kinds}."
    how = Notes()
    made = [answer.among(labels, how) for answer in answers]
    scores = tuple(predicted for predicted in made if isinstance(predicted, Score))
    if scores:
        how.info(
            f"{table.source}: the numbers of {some([score.name for score in scores])} are read as "
            "scores, not as labels."
        )
    predictions = Predictions(
        items=as_ids(list(items)),
        labels=labels,
        classifiers=tuple(predicted for predicted in made if isinstance(predicted, Classifier)),
        source=table.source,
        notes=(*notes, ReadAs(text, {"item": name}), *how),
        sources=table.sources,
        dropped=Counter(table.dropped),
        scores=scores,
    ).renormalised()
    with_row_numbers(
        table,
        lambda rows: predictions.check(None if rows is None else rows[row], tolerance=ROUNDING),
    )
    return predictions.canonical()


def items_of(table: Table, column: int, reading: Reading, notes: Notes) -> tuple[Codes, list[str]]:
    """Column of items, none of which is blank."""
    codes, texts = ids_of(table, column, reading, role="item", notes=notes)
    if (codes < 0).any():
        row = int(np.flatnonzero(codes < 0)[0])
        raise DataError(
            f"{table.at(row, column)}: no item. Every prediction needs the id of its item."
        )
    return codes, texts


MOST_WORDS = 20
"""Different texts from which on those that hardly ever come twice are no labels."""
LONG_TEXT = 4
"""Words of a text that is no label, where few rows show it."""


def labels_of(
    table: Table, column: int, reading: Reading, notes: Notes, rated: Sequence[str]
) -> tuple[Codes, list[str]]:
    """Column of labels, -1 where there is none.

    Explanations and codes for 'no answer', such as -1, are refused; `rated` are the labels of
    raters, which are none.
    """
    codes, texts = values_of(table, column, reading, role="label", notes=notes)
    used = _used(codes, texts)
    at = f"{table.source}, column '{table.names[column]}'"
    if any(text not in rated for text in used) and (said := said_plainly(used, at)) is not None:
        notes.extend([said.note(at)])
        names = dict(zip(used, said.texts, strict=True))
        codes, texts = renamed(codes, [names.get(text, text) for text in texts])
        used = _used(codes, texts)
    if any(label_text(text) not in rated for text in used):
        check_codes((codes, texts), table.source)
    times = np.bincount(codes[codes >= 0], minlength=len(texts)).tolist()
    uses = {text: number for text, number in zip(texts, times, strict=True) if number}
    check_failures(uses, at, known=rated)
    rows = sum(uses.values())
    if any(number_of(text) is not None for text in used) or 2 * len(used) < rows or rows < 5:
        return codes, texts
    words = sum(len(text.split()) for text in used) / len(used)
    if len(used) > MOST_WORDS or words >= LONG_TEXT:
        raise DataError(
            f"{at}: {count(len(used), 'different text')} in {count(rows, 'row')}, such as "
            f"{some([used[0][:60]])}: text, not labels. Leave the column out with "
            f"{option('ignore', table.names[column])}, and give the label, or the score, a column "
            "of its own."
        )
    return codes, texts


def read_column(
    table: Table, column: int, reading: Reading, notes: Notes, rated: Sequence[str]
) -> Answers:
    """Take a column for labels, or for scores; `rated` are the labels of raters."""
    name = table.names[column]
    numbers, wrong = table.numbers(column)
    if not reading.missing and not wrong.any() and are_scores(numbers):
        return Numbers(name, numbers.copy())  # the table keeps its own
    codes, texts = labels_of(table, column, reading, notes, rated)
    read = [number_of(text) for text in texts]
    if read and None not in read:
        numbers = np.array([*cast("list[float]", read), np.nan])[codes]
        if are_scores(numbers):
            return Numbers(name, numbers)
    return Verdict(name, codes, texts)


def confidence_of(table: Table, column: int) -> Floats:
    """Read confidence, from 0 to 1."""
    numbers = table.only_numbers(column)
    off = np.flatnonzero((numbers < 0) | (numbers > 1))
    if len(off):
        row = int(off[0])
        raise DataError(
            f"{table.at(row, column)}: confidence {numbers[row]:g}. Expected a number from 0 to 1; "
            "divide percentages by 100, or leave the column out "
            f"({option('ignore', table.names[column])})."
        )
    return numbers


# Columns of probabilities, one a label: which they are, and what their names say.

PROBABILITY = frozenset(
    {"", "p", "pr", "prob", "probs", "proba", "probability", "score", "softmax"}
)
"""What stands before or after a label in the name of a column, and names no classifier."""


def sum_to_one(table: Table, columns: Sequence[int]) -> bool:
    """Whether columns of numbers from 0 to 1 sum to 1 in every row that is not blank."""
    numbers = np.stack([table.numbers(column)[0] for column in columns])
    numbers = numbers[:, ~np.isnan(numbers).all(axis=0)]
    if (
        not numbers.size
        or not ((np.nan_to_num(numbers) >= 0) & (np.nan_to_num(numbers) <= 1)).all()
    ):
        return False
    return bool((np.abs(np.nansum(numbers, axis=0) - 1) <= ROUNDING + 1e-9).all())


def columns_of_shares(table: Table, columns: Sequence[int]) -> list[int]:
    """Find those columns of numbers from 0 to 1 that sum to 1 in every row, as probabilities do.

    None if they do not, or hold no fraction.
    """
    shares: list[int] = []
    for column in filter(table.is_numeric, columns):
        numbers, _ = table.numbers(column)
        given = numbers[~np.isnan(numbers)]
        if len(given) and ((given >= 0) & (given <= 1)).all():
            shares.append(column)
    if len(shares) < 2 or not sum_to_one(table, shares):
        return []
    fractions = any((np.nan_to_num(table.numbers(column)[0]) % 1).any() for column in shares)
    return shares if fractions else []


def called_like_labels(names: Sequence[str], labels: Sequence[str]) -> bool:
    """Whether all names are labels: of raters, common words for them, or numbers."""
    given = {any_form(label) for label in labels}
    return len(names) > 1 and all(
        any_form(name) in given or plain_name(name) in LABEL_WORDS or number_of(name) is not None
        for name in names
    )


def check_sums(table: Table, columns: Sequence[int], *, like_labels: bool) -> None:
    """Refuse columns that are called like labels, but are no probabilities, and percentages."""
    if len(columns) < 2 or sum_to_one(table, columns):
        return
    total = np.sum([np.nan_to_num(table.numbers(column)[0]) for column in columns], axis=0)
    given = total[total != 0]
    percentages = len(given) and (np.abs(given - 100) <= 100 * ROUNDING).all()
    if not (percentages or like_labels):
        return
    row = int(np.abs(total - 1).argmax())
    raise DataError(
        f"{table.at(row)}: {some([table.names[i] for i in columns], 12)} sum to {total[row]:.4g} "
        "and not to 1, so that they are not probabilities of one classifier. If they are, divide "
        "each by the sum of its row (percentages by 100; log-odds: take the softmax). If each is a "
        "classifier of its own, name the columns after the classifiers. If each answers a question "
        f"of its own, leave the others out ({option('ignore', ...)})."
    )


def split_names(columns: Sequence[str]) -> tuple[str, list[str]]:
    """Name of the classifier, and labels, of columns of probabilities.

    What all names begin with, and what all end with, is no part of the labels.

    Examples
    --------
    >>> split_names(["p_no", "p_yes"])
    ('classifier', ['no', 'yes'])
    >>> split_names(["gpt-4_no_prob", "gpt-4_yes_prob"])
    ('gpt-4', ['no', 'yes'])
    >>> split_names(["not toxic", "toxic"])
    ('classifier', ['not toxic', 'toxic'])
    """
    names = [column.strip() for column in columns]
    start = re.sub(r"[^_.|(/-]*$", "", os.path.commonprefix(names))  # noqa: RUF071
    end = os.path.commonprefix([name[::-1] for name in names])[::-1]  # noqa: RUF071
    end = re.sub(r"^[^_.|)/-]*", "", end)
    if not any(letter.isalpha() for letter in start):
        start = ""  # 1.2 and 1.5 are numbers
    words = (start.strip("_.|()/- "), end.strip("_.|()/- "))
    if words[1].lower() not in PROBABILITY:
        end = ""  # not_toxic and toxic, very_good and good
    labels = [name.removeprefix(start).removesuffix(end).strip() for name in names]
    if not all(labels) or len(set(labels)) < len(labels):
        return NO_NAME, names
    return (words[0] if words[0].lower() not in PROBABILITY else NO_NAME), labels

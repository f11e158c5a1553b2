"""What a classifier says of items: labels, probabilities, a verdict with confidence, or scores."""

from __future__ import annotations

import re
from abc import ABC, abstractmethod
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, cast

import numpy as np

from headcount.data.predictions import ROUNDING, Classifier, Predictions, Score, hard
from headcount.data.vocabulary import MISSING, as_labels, encode, find_labels, label_text, number_of
from headcount.errors import DataError, count, option, some
from headcount.io.findings import check_codes, check_failures
from headcount.io.opening import ids_of, values_of
from headcount.io.plain_values import check_ends, plainly, several_answers
from headcount.io.reading import Reading
from headcount.io.roles import LABEL_WORDS, ReadAs, plain_name, written_lists
from headcount.io.tables import Coded, Table, note_trimmed, with_row_numbers
from headcount.io.values import any_form
from headcount.results.notes import Notes
from headcount.typing import Codes, Floats, Ids, Ints

__all__ = [
    "CONFIDENCE",
    "Said",
    "Verdict",
    "Distribution",
    "Confident",
    "Numbers",
    "are_scores",
    "Found",
    "build",
    "items_of",
    "labels_of",
    "check_said",
    "column_said",
    "confidence_of",
    "columns_of_shares",
    "one_hot",
    "check_label_columns",
    "split_names",
    "refuse_percentages",
    "are_probabilities",
    "labels_in",
    "may_be_shares",
    "spread",
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


# What classifiers say, put together as predictions that are checked.


@dataclass(frozen=True, kw_only=True)
class Found:
    """Whose predictions were found: the item column, items, and a row of each."""

    item: int
    items: Ids
    row: Ints


def build(table: Table, found: Found, said: list[Said], notes: Notes) -> Predictions:
    """Put what classifiers say on the labels of all, and check it."""
    used = {one.name: one.used() for one in said}
    labels, _ = as_labels(list(dict.fromkeys(text for texts in used.values() for text in texts)))
    item = table.names[found.item] or "first column"
    if not labels and not any(isinstance(one, Numbers) for one in said):
        names = some([one.name for one in said])
        raise DataError(f"{table.source}: no predictions; every value of {names} is blank.")
    if silent := [one.name for one in said if not (isinstance(one, Numbers) or used[one.name])]:
        notes.caution(f"{table.source}: left out, since every value is blank: {some(silent)}.")
        said = [one for one in said if one.name not in silent]
    note_trimmed(table, notes)
    how = Notes()
    taken = [one.taken(labels, how) for one in said]
    kinds = ", ".join(f"{one.name} ({one.kind})" for one in said)
    text = f"{table.source}: item = '{item}', {count(len(said), 'classifier')}: {kinds}."
    first = ReadAs(text, {"item": item})
    scores = tuple(one for one in taken if isinstance(one, Score))
    if scores:
        how.info(
            f"{table.source}: the numbers of {some([one.name for one in scores])} are read as "
            "scores, not as labels."
        )
    predictions = Predictions(
        items=found.items,
        labels=labels,
        classifiers=tuple(one for one in taken if isinstance(one, Classifier)),
        source=table.source,
        notes=(*notes, first, *how),
        sources=table.sources,
        dropped=Counter(table.dropped),
        scores=scores,
    ).renormalised()
    with_row_numbers(
        table,
        lambda rows: predictions.check(
            None if rows is None else rows[found.row], tolerance=ROUNDING
        ),
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


def labels_of(table: Table, column: int, reading: Reading, notes: Notes) -> tuple[Codes, list[str]]:
    """Column of labels, -1 where there is none; of JSON, or numbers with signs, what it says."""
    codes, texts = values_of(table, column, reading, role="label", notes=notes)
    used = [text for text, n in zip(texts, _uses(codes, texts), strict=True) if n]
    said = plainly(used)
    if said is None:
        return codes, texts
    notes.caution(f"{table.source}, column '{table.names[column]}': {said.how}.")
    place: dict[str, int] = {}
    names = dict(zip(used, said.texts, strict=True))
    recode = [place.setdefault(names.get(text, text), len(place)) for text in texts]
    return np.array([*recode, -1])[codes], list(place)


def _uses(codes: Codes, texts: Sequence[str]) -> list[int]:
    return np.bincount(codes[codes >= 0], minlength=len(texts)).tolist()


MOST_WORDS = 20
"""Different texts from which on those that hardly ever come twice are no labels."""
LONG_TEXT = 4
"""Words of a text that is no label, where few rows show it."""


def check_said(table: Table, column: int, said: Coded, notes: Notes, known: Sequence[str]) -> None:
    """Refuse explanations where labels should be, and codes for 'no answer', such as -1.

    `known` are the labels of raters, which are none.
    """
    codes, texts = said
    strange = [label_text(text) not in known for text in texts]
    if any(strange):
        check_codes(said, table.source, what="prediction")
    used = [text for text, n in zip(texts, _uses(codes, texts), strict=True) if n]
    if any(strange):
        check_ends(used, f"{table.source}, column '{table.names[column]}'")
    rows = int((codes >= 0).sum())
    if keys := several_answers(used):
        raise DataError(
            f"{table.source}, column '{table.names[column]}': cells are JSON with several answers: "
            f"{some(keys)}. Give the one that people were asked for a column of its own."
        )
    times = dict(zip(texts, _uses(codes, texts), strict=True))
    check_failures(
        {text: times[text] for text in used},
        f"{table.source}, column '{table.names[column]}'",
        known=known,
    )
    if any(number_of(text) is not None for text in used) or 2 * len(used) < rows or rows < 5:
        return
    words = sum(len(text.split()) for text in used) / len(used)
    if len(used) > MOST_WORDS or words >= LONG_TEXT:
        raise DataError(
            f"{table.source}, column '{table.names[column]}': {count(len(used), 'different text')} "
            f"in {count(rows, 'row')}, such as {some([used[0][:60]])}: explanations, not labels. "
            "Give the label, or the score, a column of its own."
        )


def column_said(
    table: Table, column: int, reading: Reading, notes: Notes, known: Sequence[str]
) -> Said:
    """Take a column for labels, or for scores; `known` are the labels of raters."""
    name = table.names[column]
    numbers, wrong = table.numbers(column)
    if not reading.missing and not wrong.any() and are_scores(numbers):
        return Numbers(name, numbers.copy())  # the table keeps its own
    if lists := written_lists(table, [column]):
        raise DataError(f"{table.source}:{lists}")
    codes, texts = labels_of(table, column, reading, notes)
    check_said(table, column, (codes, texts), notes, known)
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
            f"divide percentages by 100, or leave the column out ({option('ignore', ...)})."
        )
    return numbers


# Columns of probabilities, one a label: which they are, and what their names say.

PROBABILITY = frozenset(
    {"", "p", "pr", "prob", "probs", "proba", "probability", "score", "softmax"}
)
"""What stands before or after a label in the name of a column, and names no classifier."""
_LOOKED_AT = 1_000
"""Rows in which a fraction shows, where there are many, that numbers are no labels."""


def columns_of_shares(table: Table, columns: Sequence[int]) -> list[int]:
    """Find those columns of numbers from 0 to 1 that sum to 1 in every row, as probabilities do.

    None if they do not, or hold no fraction.
    """
    shares: list[int] = []
    read: list[Floats] = []
    for column in columns:
        numbers, wrong = table.numbers(column)
        if wrong.any():
            continue
        given = numbers[~np.isnan(numbers)]
        if len(given) and ((given >= 0) & (given <= 1)).all():
            shares.append(column)
            read.append(numbers)
    if len(shares) < 2:
        return []
    each = np.stack(read)
    each = each[:, ~np.isnan(each).all(axis=0)]
    alike = (np.abs(np.nansum(each, axis=0) - 1) <= ROUNDING + 1e-9).all()
    return shares if alike and (np.nan_to_num(each) % 1).any() else []


def one_hot(table: Table, columns: Sequence[int], labels: Sequence[str]) -> list[int]:
    """Find columns of 0 and 1 of which each row has one 1, and which are called like labels."""
    numbers = [i for i in columns if not table.numbers(i)[1].any()]
    if len(numbers) < 2:
        return []
    known = {any_form(label) for label in labels} | LABEL_WORDS
    called = split_names([table.names[i] for i in numbers])[1]
    each = np.stack([table.numbers(i)[0] for i in numbers])
    whole = np.isin(each, (0.0, 1.0)).all() and (each.sum(axis=0) == 1).all()
    return numbers if whole and all(any_form(name) in known for name in called) else []


def check_label_columns(table: Table, columns: Sequence[int], labels: Sequence[str]) -> None:
    """Refuse columns of numbers that are called like labels, but are no probabilities of them.

    They would be read as the scores of several classifiers. What sums to 100 is percentages.

    Parameters
    ----------
    table : Table
    columns : sequence of int
    labels : sequence of str
        What the names of the columns say: the labels of ``name:label``, or the names.
    """
    if len(columns) < 2 or not all(map(_is_label, labels)):
        return
    read = [table.numbers(column) for column in columns]
    numbers = np.stack([numbers for numbers, _ in read])
    if any(wrong.any() for _, wrong in read) or not (np.nan_to_num(numbers) % 1).any():
        return
    row = int(np.flatnonzero(np.abs(np.nan_to_num(numbers).sum(axis=0) - 1) > ROUNDING)[0])
    names = some([table.names[column] for column in columns], 12)
    raise DataError(
        f"{table.at(row)}: columns {names} are called like labels, but their numbers sum to "
        f"{np.nansum(numbers[:, row]):.4g} and not to 1, so that they are no probabilities of one "
        "classifier. If they are, divide each by the sum of its row (log-odds: take the softmax). "
        "If each is a classifier of its own, name the columns after the classifiers. If each "
        f"answers a question of its own, leave the others out ({option('ignore', ...)})."
    )


def _is_label(name: str) -> bool:
    return plain_name(name) in LABEL_WORDS or number_of(name) is not None


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
    start = re.sub(r"[^_.|(/-]*$", "", _common(names))
    end = _common([name[::-1] for name in names])[::-1]
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


def _common(texts: Sequence[str]) -> str:
    """Letters with which all texts begin."""
    first = texts[0]
    alike = [len({text[: n + 1] for text in texts}) == 1 for n in range(len(first))]
    return first[: alike.index(False)] if False in alike else first


def refuse_percentages(table: Table, columns: list[int]) -> None:
    """Refuse columns that sum to 100 in every row, and would be taken for scores or labels."""
    if len(columns) < 2:
        return
    read = [table.numbers(column) for column in columns]
    if any(wrong.any() for _, wrong in read):
        return
    for rows in (slice(_LOOKED_AT), slice(None)):  # mostly, few rows tell that they do not
        total = np.sum([numbers[rows] for numbers, _ in read], axis=0)
        given = total[~np.isnan(total)]
        if not (np.abs(given - 100) <= 100 * ROUNDING).all():
            return
    if len(given):
        names = some([table.names[column] for column in columns])
        raise DataError(
            f"{table.source}, columns {names}: they sum to 100 in every row, as percentages do; "
            "expected probabilities, which sum to 1. Divide them by 100."
        )


def are_probabilities(table: Table, columns: list[int]) -> bool:
    """Tell columns name:label of probabilities from labels or scores that happen to be numbers."""
    read = [table.numbers(column) for column in columns]
    for numbers, wrong in read:
        if wrong.any() and wrong[np.argmax(wrong | ~np.isnan(numbers))]:  # the first that is given
            return False
    fractions = any((np.nan_to_num(numbers[:_LOOKED_AT]) % 1).any() for numbers, _ in read)
    if fractions and all(np.fmax.reduce(numbers) <= 1 for numbers, _ in read):
        return True
    numbers = np.stack([numbers for numbers, _ in read])
    given = numbers[~np.isnan(numbers)]
    total = np.nansum(numbers, axis=0)
    # Scores above 1 that hardly ever sum to 1 are those of several classifiers.
    if (given > 1).any() and np.mean(np.abs(total - 1) > ROUNDING) > 0.5:
        return False
    # Whole numbers are probabilities only if they choose one label an item.
    return bool((given % 1 != 0).any() or (total <= 1).all())


# Columns of records, each of which holds the probability of every label.


def labels_in(cells: Sequence[Any]) -> list[str] | None:
    """Labels that records of probabilities name; None if the cells are no such records."""
    labels: dict[str, None] = {}
    for cell in cells:
        if cell is None:
            continue
        record = _record(cell)
        if record is None or not all(isinstance(v, int | float | None) for v in record.values()):
            return None
        labels.update(dict.fromkeys(encode(list(record))[1]))
    return list(labels) or None


def may_be_shares(table: Table, column: int) -> bool:
    """Whether records may hold probabilities, and not counts of tokens and the like."""
    if labels_in(table.cells(column)) is None:
        return True  # for a message of its own
    values = np.nan_to_num(np.stack([*spread(table, column).values()]))
    return bool((values <= 1 + ROUNDING).all() or np.isclose(values.sum(axis=0), 100).all())


def _record(cell: Any) -> Mapping[Any, Any] | None:
    """Take a cell as probabilities by label; None if it is something else.

    A list of labels with their scores is what transformers' pipelines give.
    """
    if isinstance(cell, Mapping):
        return cast("Mapping[Any, Any]", cell)
    if not isinstance(cell, list) or not cell:
        return None
    record: dict[Any, Any] = {}
    for entry in cast("list[Any]", cell):
        if not isinstance(entry, Mapping) or set(cast("Any", entry)) != {"label", "score"}:
            return None
        if entry["label"] in record:
            return None
        record[entry["label"]] = entry["score"]
    return record


def _what(cells: Sequence[Any]) -> str:
    """Say what records hold instead, and what to do."""
    records = [cast("Mapping[Any, Any]", cell) for cell in cells if isinstance(cell, Mapping)]
    if not records:
        return ""
    keys = some([str(key) for key in records[0]])
    return f" These hold {keys}: give the verdict a column of its own, beside the item."


def spread(table: Table, column: int) -> dict[str, Floats]:
    """Columns of probabilities by label, of a column of records; a label left out has none."""
    cells = table.cells(column)
    labels = labels_in(cells)
    if labels is None:
        raise DataError(
            f"{table.source}, column '{table.names[column]}': expected records of labels and their "
            f'probabilities, such as {{"no": 0.3, "yes": 0.7}}.{_what(cells)}'
        )
    columns = {label: np.full(len(cells), np.nan) for label in labels}
    for row, cell in enumerate(cells):
        values = {encode([k])[1][0]: v for k, v in (_record(cell) or {}).items()}
        if any(value is not None for value in values.values()):
            for label in labels:
                value = values.get(label)
                columns[label][row] = 0.0 if value is None else float(value)
    return columns

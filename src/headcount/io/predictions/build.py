"""What classifiers say, put together as predictions that are checked."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import cast

import numpy as np

from headcount.data.classifiers import Classifier
from headcount.data.predictions import Predictions
from headcount.data.probabilities import ROUNDING
from headcount.data.scores import Score
from headcount.data.vocabulary import as_labels, label_text, number_of
from headcount.errors import DataError, count, option, some
from headcount.io.predictions.kinds import (
    Numbers,
    Said,
    Verdict,
    are_scores,
)
from headcount.io.reading import Reading
from headcount.io.roles.roles import ReadAs, written_lists
from headcount.io.tables.table import Coded, Table, note_trimmed, with_row_numbers
from headcount.io.values.cells import ids_of, values_of
from headcount.io.values.failures import check_failures
from headcount.io.values.json_answers import several_answers
from headcount.io.values.no_answer import check_codes
from headcount.io.values.plainly import plainly
from headcount.io.values.units import check_ends
from headcount.results.notes import Notes
from headcount.typing import Codes, Floats, Ids, Ints

__all__ = [
    "Found",
    "build",
    "check_said",
    "column_said",
    "confidence_of",
    "items_of",
    "labels_of",
]


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
        check_codes(said, None, table.source, notes, what="prediction")
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

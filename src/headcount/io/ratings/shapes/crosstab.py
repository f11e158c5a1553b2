"""Two raters' labels against each other: a cross table, or confusion matrix."""

from __future__ import annotations

import re
from dataclasses import dataclass

import numpy as np

from headcount.data.vocabulary import label_text, number_of
from headcount.errors import DataError, count, option, some
from headcount.io.ratings.shapes.base import Asked, Ratings, Shape
from headcount.io.roles.names import LABEL_WORDS, SUMMARY_WORDS
from headcount.io.roles.roles import find_role, plain_name
from headcount.io.tables.table import Table
from headcount.io.values.option_list import Several
from headcount.results.notes import Notes
from headcount.typing import Codes, Floats

__all__ = ["MOST_RATINGS", "Crosstab", "counted_items"]

MOST_LABELS = 100
MOST_RATINGS = 20_000_000
"""Ratings that are made of counts."""
_TWO_NAMES = re.compile(r"(.{1,60}?)(?:\s*[\\/|×]\s*|\s+(?:x|vs\.?|by|and)\s+)(.{1,60})")
"""What stands in the corner if it names rows and columns."""


@dataclass(frozen=True, eq=False)
class _Square:
    """Labels of rows and columns, and the numbers of items that have both."""

    rows: list[str]
    columns: list[str]
    counts: Floats
    corner: str


class Crosstab(Shape):
    """One label of a rater a row, one label of another a column: how many items have both."""

    name = "cross table"

    def fits(self, asked: Asked) -> bool:
        """Whether rows and columns are called alike, and cells hold numbers."""
        if asked.transpose is not None or any(asked.given.values()):
            return False
        square = _square(asked.table)
        return square is not None and (
            asked.labels is None or {*map(label_text, asked.labels)} >= {*square.rows}
        )

    def read(self, asked: Asked) -> Ratings:
        """Make as many items of each pair of labels as are counted."""
        table, square = asked.table, _square(asked.table)
        if square is None:
            raise DataError(f"{table.source}: no cross table.")
        _check(asked, square)
        labels = list(dict.fromkeys([*square.rows, *square.columns]))
        place = {label: code for code, label in enumerate(labels)}
        left, right = np.nonzero(square.counts)
        times = square.counts[left, right].astype(np.int64)
        named = _TWO_NAMES.fullmatch(square.corner[:130].strip())
        raters = [named[1].strip(), named[2].strip()] if named else ["rows", "columns"]
        codes = np.array([place[label] for label in square.rows])[left]
        others = np.array([place[label] for label in square.columns])[right]
        items, said = counted_items(table, np.stack([codes, others], axis=1), times)
        notes = Notes()
        notes.caution(
            f"{table.source}: rows and columns are called alike, so it is read as a cross table "
            f"of the labels of two raters, '{raters[0]}' and '{raters[1]}', which counts "
            f"{count(int(times.sum()), 'item')}. If rows are items, say "
            f"{option('transpose', False)}."
        )
        return Ratings(
            items=(items, [str(n + 1) for n in range(int(times.sum()))]),
            raters=(np.tile(np.arange(2), len(items) // 2), raters),
            labels=(said, labels),
            table=table,
            rows=np.zeros(len(items), dtype=np.int64),
            blanks=False,
            notes=notes,
        )


def counted_items(table: Table, patterns: Codes, times: Codes) -> tuple[Codes, Codes]:
    """Items and labels of patterns (rows of codes), each of which stands for several items."""
    total = int(times.sum())
    if total * patterns.shape[1] > MOST_RATINGS:
        raise DataError(
            f"{table.source}: counts of {total:,} items in all, which would be more than "
            f"{MOST_RATINGS:,} ratings. Is it a table of counts?"
        )
    said = np.repeat(patterns, times, axis=0)
    return np.repeat(np.arange(total), patterns.shape[1]), said.ravel()


def _square(table: Table) -> _Square | None:
    """Take a table whose rows and columns are called alike; None for any other."""
    names = table.names
    if table.form != "named" or table.exported or table.nested() or table.rows > MOST_LABELS + 5:
        return None
    if len(names) < 3 or plain_name(names[0]) in SUMMARY_WORDS:
        return None
    if any(find_role([names[0]], role) is not None for role in ("item", "rater")):
        return None
    columns = [i for i in range(1, len(names)) if plain_name(names[i]) not in SUMMARY_WORDS]
    codes, texts = table.codes(0)
    listed: list[int] = codes.tolist()
    rows = [
        row
        for row, code in enumerate(listed)
        if code >= 0 and plain_name(texts[code].rstrip(":")) not in SUMMARY_WORDS
    ]
    said = [label_text(texts[int(codes[row])]) for row in rows]
    called = [label_text(names[i]) for i in columns]
    if len({*said}) < len(said) or not {*said} <= {*called} or 2 * len(said) < len(called):
        return None
    if len(said) < 2:
        return None
    counts = np.zeros((len(rows), len(columns)))
    for place, column in enumerate(columns):
        numbers, wrong = table.numbers(column)
        if wrong[rows].any():
            return None
        counts[:, place] = np.nan_to_num(numbers[rows])
    return _Square(said, called, counts, names[0])


def _check(asked: Asked, square: _Square) -> None:
    """Refuse shares in place of counts, and tables that may hold ratings of people by people."""
    source, counts = asked.table.source, square.counts
    what = f"{source}: rows and columns are both called {some(square.columns)}"
    if (counts < 0).any() or (counts % 1).any():
        raise DataError(
            f"{what}, as in a cross table of two raters' labels, which needs whole numbers: how "
            "many items have both labels. Give the counts, not shares; if rows are items, say "
            f"{option('transpose', False)}."
        )
    if not counts.any():
        raise DataError(f"{source}: a cross table without a count.")
    if asked.labels is not None or _TWO_NAMES.fullmatch(square.corner[:130].strip()):
        return
    numbers = [number_of(label) for label in square.columns]
    cells = {label_text(f"{value:g}") for value in np.unique(counts)}
    if None not in numbers and not cells <= {*square.columns}:
        return
    if None in numbers and all(plain_name(label) in LABEL_WORDS for label in square.columns):
        return
    raise DataError(
        f"{what}: a cross table of two raters' labels (confusion matrix), or ratings. Say "
        f"{option('labels', Several(square.columns))} if cells count items, or "
        f"{option('transpose', False)} if rows are items and columns raters."
    )

"""One item a row, one column a label, which says how many gave it."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import cast

import numpy as np

from headcount.data.vocabulary import label_text
from headcount.errors import DataError, option, some
from headcount.io.predictions.probability_columns import columns_of_shares
from headcount.io.ratings.shapes.base import Asked, Ratings, Shape
from headcount.io.ratings.shapes.beside.other_columns import without_totals
from headcount.io.ratings.shapes.nested.cells import anonymous
from headcount.io.roles.names import LABEL_WORDS, REMARKS, SUMMARY_WORDS
from headcount.io.roles.roles import find_role, item_column, plain_name
from headcount.io.tables.table import Table
from headcount.io.values.option_list import Several
from headcount.results.notes import Notes

__all__ = ["CountColumns", "check_counts", "check_shares"]

LEAST_ROWS = 5
"""Rows whose numbers add up to the same sum that make columns counts of labels."""
COUNT_NAME = re.compile(
    r"(?i)(?:n|num|count|counts|votes|n_votes)[_ .:-](.+)|(.+)[_ .:-](?:count|counts|votes|n)"
)
RATER_NAME = re.compile(
    r"(?i)(?:r|rater|ann|annotator|coder|worker|judge|labell?er|reviewer|user|expert|person|"
    r"participant|respondent|assessor|observer|column)[_ .-]?\w{0,3}"
)


class CountColumns(Shape):
    """One item a row, one column a label, which says how many gave it."""

    name = "counts"

    def fits(self, asked: Asked) -> bool:
        """Whether columns are named as counts are, or their numbers add up to the same sum."""
        return bool(self._columns(asked))

    def read(self, asked: Asked) -> Ratings:
        """Make as many anonymous ratings of each label as are counted."""
        columns = self._columns(asked)
        item = item_column(asked.table, asked.given["item"])
        if item in columns:  # rows are items without names
            numbers = [str(number) for number in asked.table.row_numbers().tolist()]
            items, notes = (np.arange(asked.table.rows), numbers), Notes()
            notes.caution(f"{asked.table.source}: no column of items, so rows are numbered.")
        else:
            asked, items, notes = without_totals(asked, item)
        table = asked.table
        self._check_percent(asked, columns)
        named = all(COUNT_NAME.fullmatch(table.names[i]) for i in columns)
        names = [_counted(table.names[i]) if named else table.names[i] for i in columns]
        numbers = np.stack([np.nan_to_num(table.numbers(i)[0]) for i in columns], axis=1)
        times = numbers.astype(np.int64).ravel()
        rows = np.repeat(np.arange(table.rows), len(columns)).repeat(times)
        labels = np.tile(np.arange(len(columns)), table.rows).repeat(times)
        why = "" if named else f", as {self._why(asked, columns)}"
        notes.info(
            f"{table.source}: read as counts of the labels {some(names, 12)}, by anonymous "
            f"raters{why}. If columns are raters, name the labels with {option('labels', ...)}."
        )
        return anonymous(asked, items, rows, (labels, names), notes)

    def _columns(self, asked: Asked) -> list[int]:
        """Columns that hold counts; none if they may be anything else."""
        table, roles = asked.table, asked.roles
        if table.form != "named" or asked.nested or asked.given["rater"] or asked.given["label"]:
            return []
        if "rater" in roles or "label" in roles:
            return []
        column = item_column(table, asked.given["item"])
        others = [
            i
            for i in asked.rest({})
            if i != column and plain_name(table.names[i]) not in SUMMARY_WORDS | REMARKS
        ]
        if self._lacks_items(asked, column, others):
            return [column, *others]
        named = [i for i in others if COUNT_NAME.fullmatch(table.names[i])]
        if len(named) > 1 and _are_counts(table, named):
            return named
        if len(others) < 2 or any(RATER_NAME.fullmatch(table.names[i]) for i in others):
            return []
        if asked.labels is not None:
            same = {label_text(label) for label in asked.labels}
            names = {label_text(table.names[i]) for i in others}
            return others if names <= same and _are_counts(table, others) else []
        if not _are_counts(table, others):
            return []
        table = without_totals(asked, column)[0].table
        return others if _same_sums(table, others) or _of_labels(table, others) else []

    @staticmethod
    def _lacks_items(asked: Asked, column: int, others: Sequence[int]) -> bool:
        """Whether the first column counts a label as the others do, and none holds items."""
        table, columns = asked.table, [column, *others]
        if asked.given["item"] is not None or find_role(table.names, "item") is not None:
            return False
        codes, texts = table.codes(column)
        if len(texts) == len(codes) or not table.names[column] or len(columns) < 2:
            return False  # ids differ in every row
        if not _are_counts(table, columns):
            return False
        if asked.labels is not None:
            names = {label_text(table.names[i]) for i in columns}
            return names <= {label_text(label) for label in asked.labels}
        return _same_sums(table, columns) and not _same_sums(table, others)

    @staticmethod
    def _check_percent(asked: Asked, columns: Sequence[int]) -> None:
        """Refuse numbers that sum to 100 in every row, unless names say that they are counts."""
        table = asked.table
        named = all(COUNT_NAME.fullmatch(table.names[i]) for i in columns)
        if named or asked.labels is not None or not _same_sums(table, columns):
            return
        names = [table.names[i] for i in columns]
        if sum(float(np.nan_to_num(table.numbers(i)[0][0])) for i in columns) == 100:
            raise DataError(
                f"{table.source}: columns {some(names)} sum to 100 in every row: percentages, of "
                "which nobody knows how many raters they are of, or counts of 100 raters. Say "
                f"{option('labels', Several(names))} if they are counts; if not, give the counts."
            )

    @staticmethod
    def _why(asked: Asked, columns: Sequence[int]) -> str:
        if _same_sums(asked.table, columns):
            return "their numbers add up to the same sum in every row"
        return "columns are named as labels are"


def check_counts(asked: Asked, columns: Sequence[int]) -> None:
    """Refuse columns that may be raters, or may be labels and hold counts or marks of them.

    Raters' numbers go together, so that their sum varies more than they do; counts share a number
    of ratings, so that it varies less.
    """
    table = asked.table
    if asked.labels is not None or table.form != "named" or len(columns) < 2:
        return
    names = [table.names[i] for i in columns]
    if any(RATER_NAME.fullmatch(name) for name in names) or not _are_counts(table, columns):
        return
    numbers = np.stack([table.numbers(column)[0] for column in columns], axis=1)
    numbers = numbers[~np.isnan(numbers).any(axis=1)]
    if not len(numbers) or numbers.min() > 0:
        return
    values = sorted({label_text(f"{value:g}") for value in np.unique(numbers)})
    choice = (
        f"Say {option('labels', Several(names))} if they count labels; if they are raters, name "
        f"the labels that these gave with {option('labels', Several(values[:12]))}."
    )
    if numbers.max() == 1 and _are_labels(names):
        raise DataError(
            f"{table.source}: columns are named as labels are ({some(names)}) and mark which are "
            f"true of an item; nothing says who marked them. {choice}"
        )
    spread = numbers.sum(axis=1).var() / max(numbers.var(axis=0).sum(), 1e-300)
    if numbers.max() > 1 and spread < 1 - max(0.4, 2.5 / np.sqrt(len(numbers))):
        raise DataError(
            f"{table.source}: columns {some(names)} hold whole numbers that grow at each other's "
            f"expense, as counts of labels do and raters' labels do not. {choice}"
        )


def check_shares(asked: Asked, columns: Sequence[int]) -> None:
    """Refuse columns that sum to 1 in every row: probabilities, which no rater gives."""
    table = asked.table
    if asked.labels is not None or table.form != "named":
        return
    shares = columns_of_shares(table, columns)
    if shares and table.rows >= LEAST_ROWS:
        raise DataError(
            f"{table.source}: columns {some([table.names[i] for i in shares])} sum to 1 in every "
            "row, as the probabilities of labels do: predictions of a classifier, not ratings. "
            "Give them as predictions, beside a file of ratings; if columns are raters, name "
            f"the labels with {option('labels', '...')}."
        )
    names = [table.names[i] for i in columns]
    if len(names) > 1 and _are_labels(names) and _have_fractions(table, columns):
        raise DataError(
            f"{table.source}: columns are named as labels are ({some(names)}) and hold fractions: "
            "scores or shares of labels, which no rater gives. Give them as predictions, beside a "
            "file of ratings; if columns are raters, name the labels with "
            f"{option('labels', '...')}."
        )


def _have_fractions(table: Table, columns: Sequence[int]) -> bool:
    """Whether columns hold numbers only, some with fractions."""
    read = [table.numbers(column) for column in columns]
    return not any(wrong.any() for _, wrong in read) and any(
        bool((np.nan_to_num(numbers) % 1).any()) for numbers, _ in read
    )


def _are_labels(names: Sequence[str]) -> bool:
    return all(plain_name(name) in LABEL_WORDS for name in names)


def _of_labels(table: Table, columns: Sequence[int]) -> bool:
    """Whether columns are named as labels are, and count them."""
    if not _are_labels([table.names[i] for i in columns]):
        return False
    return max(float(np.nanmax(table.numbers(column)[0])) for column in columns) > 1


def _are_counts(table: Table, columns: Sequence[int]) -> bool:
    """Whether columns hold whole numbers from 0 on, and nothing else."""
    for column in columns:
        numbers, wrong = table.numbers(column)
        given = numbers[~np.isnan(numbers)]
        if wrong.any() or not len(given) or (given < 0).any() or (given % 1 != 0).any():
            return False
    return True


def _same_sums(table: Table, columns: Sequence[int]) -> bool:
    """Whether all rows add up to the same sum, and yet differ, as counts of a full panel do."""
    if table.rows < LEAST_ROWS:
        return False
    numbers = np.stack([table.numbers(column)[0] for column in columns], axis=1)
    sums = numbers.sum(axis=1)
    same = not np.isnan(sums).any() and sums.min() == sums.max() and sums[0] > 1
    return bool(same and len(np.unique(numbers, axis=0)) > 2)


def _counted(name: str) -> str:
    """Label whose count a column is."""
    found = COUNT_NAME.fullmatch(name)
    return name if found is None else cast("str", found.group(1) or found.group(2))

"""Columns of probabilities, one a label: which they are, and what their names say."""

from __future__ import annotations

import re
from collections.abc import Sequence

import numpy as np

from headcount.data.probabilities import ROUNDING
from headcount.data.vocabulary import number_of
from headcount.errors import DataError, option, some
from headcount.io.predictions.kinds import NO_NAME
from headcount.io.roles.names import LABEL_WORDS
from headcount.io.roles.roles import plain_name
from headcount.io.tables.table import Table
from headcount.io.values.merges import any_form
from headcount.typing import Floats

__all__ = [
    "are_probabilities",
    "check_label_columns",
    "columns_of_shares",
    "one_hot",
    "refuse_percentages",
    "split_names",
]

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

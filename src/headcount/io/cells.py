"""Columns as codes, without what is missing: blank, one of the usual words, or declared."""

from __future__ import annotations

import numpy as np

from headcount.data.vocabulary import MISSING, label_text
from headcount.io.reading import Reading
from headcount.io.table import Table
from headcount.io.words import WRITTEN_MISSING
from headcount.typing import Codes

__all__ = ["ids_of", "values_of"]

USUAL = WRITTEN_MISSING | {"NA", "N/A", "n/a", "#N/A", "na", ".", "-"}
"""Usual words for a value that is missing."""


def values_of(table: Table, column: int, reading: Reading) -> tuple[Codes, list[str]]:
    """Column of labels or outcomes; -1 where it is blank, a usual word for it or declared missing.

    A usual word that is declared a value by `reading` stays.
    """
    return _without(*table.codes(column), {*USUAL}, reading)


def ids_of(table: Table, column: int, reading: Reading) -> tuple[Codes, list[str]]:
    """Column of items, raters or classifiers; -1 where it is blank or declared missing."""
    return _without(*table.codes(column), set(), reading)


def _without(
    codes: Codes, texts: list[str], words: set[str], reading: Reading
) -> tuple[Codes, list[str]]:
    """Take words out of a vocabulary, however a number among them is written."""
    declared = {label_text(word) for word in reading.missing}
    kept = [text for text in texts if text not in words and label_text(text) not in declared]
    if len(kept) == len(texts):
        return codes, texts
    place = {text: code for code, text in enumerate(kept)}
    # The last entry is that of a blank, code -1.
    recode = np.array([*(place.get(text, MISSING) for text in texts), MISSING])
    return recode[codes], kept

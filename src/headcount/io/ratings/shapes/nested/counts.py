"""A record of label to count in a cell."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any, cast

import numpy as np

from headcount.data.vocabulary import encode
from headcount.io.ratings.shapes.base import Asked, Ratings, Shape
from headcount.io.ratings.shapes.nested.cells import anonymous, nested_items
from headcount.io.roles.names import LABEL_WORDS
from headcount.io.roles.roles import ReadAs, plain_name
from headcount.results.notes import Notes

__all__ = ["NestedCounts"]

COUNT_WORD = re.compile(r"(?i)count|vote|tally|distribution|freq|histogram")
"""What names say of columns that count labels."""


class NestedCounts(Shape):
    """A record of label to count in a cell, such as ``{"yes": 3, "no": 2}``."""

    name = "nested counts"

    def fits(self, asked: Asked) -> bool:
        """Whether a column holds such records."""
        return asked.may_nest and self._column(asked) is not None

    def read(self, asked: Asked) -> Ratings:
        """Make as many anonymous ratings of each label as are counted."""
        column = cast("int", self._column(asked))
        table, notes = asked.table, Notes()
        items, item_name = nested_items(asked, column)
        rows: list[int] = []
        labels: list[object] = []
        for row, cell in enumerate(asked.table.cells(column)):
            for label, times in cast("Mapping[Any, Any]", cell or {}).items():
                number = int(times or 0)
                rows += [row] * number
                labels += [label] * number
        text = (
            f"{table.source}: read as counts of labels in '{table.names[column]}', by anonymous "
            f"raters; item = '{item_name}'."
        )
        notes.extend([ReadAs(text, {"item": item_name})])
        return anonymous(asked, items, np.array(rows, dtype=np.int64), encode(labels), notes)

    def _column(self, asked: Asked) -> int | None:
        for column in asked.nested:
            cells = [cell for cell in asked.table.cells(column) if cell is not None]
            if cells and all(map(_whole_numbers, cells)) and self._counts(asked, column, cells):
                return column
        return None

    @staticmethod
    def _counts(asked: Asked, column: int, cells: Sequence[Mapping[Any, Any]]) -> bool:
        """Whether numbers count labels, and are not labels themselves, given by raters."""
        name = asked.table.names[column]
        if name == asked.given["label"]:
            return False
        keys = {str(key) for cell in cells for key in cell}
        if COUNT_WORD.search(name) or keys <= set(asked.labels or ()):
            return True
        if all(plain_name(key) in LABEL_WORDS for key in keys):
            return True
        return len({sum(value or 0 for value in cell.values()) for cell in cells}) == 1


def _whole_numbers(cell: Any) -> bool:
    """Whether a cell is a record of counts; a key that others have is None here."""
    if not isinstance(cell, Mapping):
        return False
    record = cast("Mapping[Any, Any]", cell)
    values = [value for value in record.values() if value is not None]
    return bool(values) and all(
        isinstance(v, int | float) and not isinstance(v, bool) and v >= 0 and v == int(v)
        for v in values
    )

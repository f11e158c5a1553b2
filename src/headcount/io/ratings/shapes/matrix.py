"""Rows and columns without names: items x raters."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from headcount.io.ratings.shapes.base import LONG, Asked, Ratings, Shape
from headcount.io.ratings.shapes.beside.strange_columns import MOST_WORDS
from headcount.io.ratings.shapes.records import ambiguous
from headcount.io.ratings.shapes.spread import spread, wide_note
from headcount.results.notes import Notes

__all__ = ["Matrix"]


class Matrix(Shape):
    """Rows and columns without names: items x raters."""

    name = "matrix"

    def fits(self, asked: Asked) -> bool:
        """Whether it is an array or a list of lists."""
        return asked.table.form == "matrix"

    def read(self, asked: Asked) -> Ratings:
        """Name items and raters by their numbers, from 0 on."""
        table = asked.table
        columns = [table.codes(column) for column in range(len(table.names))]
        seen = [set(texts) for _, texts in columns]
        # Three columns may be item, rater and label as well.
        own = len(seen) == len(LONG) and len(seen[0] - seen[1] - seen[2])
        if len(seen) == len(LONG) and (own > MOST_WORDS or not seen[0] & seen[2]):
            raise ambiguous(table)
        names = [str(i) for i in range(len(columns))]
        items = (np.arange(table.rows), [str(i) for i in range(table.rows)])
        raters = list(range(len(columns)))
        if asked.transpose:
            return spread(asked, items, raters, [f"{i}" for i in raters], transposed=True)
        notes = Notes([wide_note(table, "item", names)])
        return replace(spread(asked, items, raters, names), notes=notes)

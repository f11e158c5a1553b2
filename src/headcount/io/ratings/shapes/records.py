"""Rows without names of columns: item, rater, label."""

from __future__ import annotations

from headcount.errors import DataError
from headcount.io.ratings.shapes.base import LONG, Asked, Ratings, Shape
from headcount.io.ratings.shapes.long import rows_of
from headcount.io.tables.table import Table

__all__ = ["Records", "ambiguous"]


class Records(Shape):
    """Rows without names of columns: item, rater, label."""

    name = "records"

    def fits(self, asked: Asked) -> bool:
        """Whether it is a list of tuples."""
        return asked.table.form == "records"

    def read(self, asked: Asked) -> Ratings:
        """Take one rating a row, unless rows may be those of a matrix."""
        table = asked.table
        seen = [set(table.codes(column)[1]) for column in range(len(table.names))]
        if len(seen) != len(LONG) or (seen[0] & seen[2] and seen[1] & seen[2]):
            raise ambiguous(table)
        return rows_of(asked, dict(zip(LONG, range(len(LONG)), strict=True)))


def ambiguous(table: Table) -> DataError:
    """Error for rows that may be records or those of a matrix."""
    return DataError(
        f"{table.source}: rows without names of columns are read as (item, rater, label), if they "
        "are tuples of three, or as a matrix of items x raters, if they are lists or an array; "
        'these may be something else. Give a dict of columns: {"item": [...], "rater": [...], '
        '"label": [...]} if they are long, {"item": [...], "ann": [...], "bob": [...]} if wide.'
    )

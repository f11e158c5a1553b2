"""One item a row, one rater a column."""

from __future__ import annotations

import re

from headcount.errors import count, option, some
from headcount.io.roles import item_column
from headcount.io.shapes.base import Asked, Ratings, Shape
from headcount.io.shapes.spread import single, spread, wide_note

__all__ = ["Wide"]

QUESTION_NAME = re.compile(r"(?i)(?:q|item|question|task|doc|document|image|stimulus)[_ .-]?\d+")


class Wide(Shape):
    """One item a row, one rater a column."""

    name = "wide"

    def fits(self, asked: Asked) -> bool:
        """Anything may be wide."""
        return True

    def read(self, asked: Asked) -> Ratings:
        """Take one item a row, and one rater a column."""
        table = asked.table
        column = item_column(table, asked.given["item"])
        raters = [
            i
            for i, name in enumerate(table.names)
            if i != column and name and name not in asked.skip
        ]
        if not raters:
            raise single(table, column)
        names = [table.names[i] for i in raters]
        made = spread(asked, table.codes(column), raters, names)
        made.notes.info(wide_note(table, table.names[column] or "first column", names))
        nameless = sum(not name for i, name in enumerate(table.names) if i != column)
        if nameless:
            made.notes.caution(
                f"{table.source}: {count(nameless, 'column')} without a name left out."
            )
        asked_of = [name for name in names if QUESTION_NAME.fullmatch(name)]
        if asked.transpose is None and len(names) > 2 and len(asked_of) == len(names):
            made.notes.warning(
                f"{table.source}: columns are called {some(names)}, as items are. If raters are "
                f"the rows, say {option('transpose', True)}."
            )
        return made

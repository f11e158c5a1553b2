"""One item a row, one rater a column."""

from __future__ import annotations

import re

from headcount.errors import DataError, count, option, some
from headcount.io.ratings.shapes.base import Asked, Ratings, Shape
from headcount.io.ratings.shapes.count_columns import check_counts, check_shares
from headcount.io.ratings.shapes.other_columns import columns_beside, without_totals
from headcount.io.ratings.shapes.spread import single, spread, wide_note
from headcount.io.roles.names import SURVEY_TIMES
from headcount.io.roles.roles import item_column, plain_name
from headcount.results.notes import Notes

__all__ = ["Wide"]

QUESTION_NAME = re.compile(
    r"(?i)(?:q|item|question|task|doc|document|image|stimulus)[_ .-]?\d+|.*\?"
)


MANY_COLUMNS = 20
"""Columns from which on a table of few rows may have its items there."""


class Wide(Shape):
    """One item a row, one rater a column."""

    name = "wide"

    def fits(self, asked: Asked) -> bool:
        """Anything may be wide."""
        return True

    def read(self, asked: Asked) -> Ratings:
        """Take one item a row, and one rater a column."""
        notes = Notes()
        column = item_column(asked.table, asked.given["item"])
        _check_survey(asked)
        raters = columns_beside(asked, column, notes)
        if not raters:
            raise single(asked.table, column)
        check_counts(asked, raters)
        check_shares(asked, raters)
        asked, items, totals = without_totals(asked, column)
        table = asked.table
        names = [table.names[i] for i in raters]
        made = spread(asked, items, raters, names)
        made.notes.info(wide_note(table, table.names[column] or "first column", names))
        made.notes.extend([*notes, *totals])
        asked_of = [name for name in names if QUESTION_NAME.fullmatch(name)]
        if asked.transpose is None and len(names) > 2 and len(asked_of) == len(names):
            made.notes.warning(
                f"{table.source}: columns are called {some(names)}, as items are. If raters are "
                f"the rows, say {option('transpose', True)}."
            )
        elif asked.transpose is None and _is_lying(len(items[1]), len(names)):
            made.notes.warning(
                f"{table.source}: {count(len(items[1]), 'row')} and {len(names)} columns, read as "
                f"items and raters. If raters are the rows, say {option('transpose', True)}; if "
                f"they are not, {option('transpose', False)}."
            )
        return made


def _is_lying(rows: int, columns: int) -> bool:
    """Whether a table is so much wider than long that its rows may well be the raters."""
    return columns >= MANY_COLUMNS and columns >= 5 * rows


def _check_survey(asked: Asked) -> None:
    """Refuse answers to a survey, of which rows are raters, unless it is said how to read them."""
    table = asked.table
    if asked.transpose is not None or asked.given["item"] is not None or table.form != "named":
        return
    times = [name for name in table.names if plain_name(name) in SURVEY_TIMES]
    if times and len(table.names) > 2:
        raise DataError(
            f"{table.source}: column {some(times)} says when somebody answered, so that rows seem "
            f"to be answers, and what columns are is not clear. Say {option('transpose', True)} if "
            f"rows are raters and columns items; name the item column with {option('item', '...')} "
            f"if rows are items; columns that are neither are left out with "
            f"{option('ignore', times[0])}."
        )

"""One item a row, one rater a column."""

from __future__ import annotations

import numpy as np

from headcount.errors import DataError, count, option, some
from headcount.io.ratings.shapes.base import Asked, Ratings, Shape
from headcount.io.ratings.shapes.beside.other_columns import (
    check_facts,
    columns_beside,
    without_totals,
)
from headcount.io.ratings.shapes.count_columns import check_counts, check_shares
from headcount.io.ratings.shapes.name_grid import one_of_grid
from headcount.io.ratings.shapes.orientation import check_orientation
from headcount.io.ratings.shapes.spread import called, single, spread, wide_note
from headcount.io.ratings.shapes.transposed import has_items
from headcount.io.ratings.shapes.unnamed import check_repeated, lacks_items
from headcount.io.roles.names import SURVEY_TIMES
from headcount.io.roles.roles import item_column, plain_name
from headcount.results.notes import Notes

__all__ = ["Wide"]


class Wide(Shape):
    """One item a row, one rater a column."""

    name = "wide"

    def fits(self, asked: Asked) -> bool:
        """Anything may be wide."""
        return True

    def read(self, asked: Asked) -> Ratings:
        """Take one item a row, and one rater a column."""
        notes = Notes()
        _check_survey(asked)
        _check_flat(asked)
        if lacks_items(asked):
            return self._numbered(asked, notes)
        column = item_column(asked.table, asked.given["item"])
        check_repeated(asked)
        raters = columns_beside(asked, column, notes)
        if not raters:
            raise single(asked.table, column)
        check_counts(asked, raters)
        check_shares(asked, raters)
        asked, items, totals = without_totals(asked, column)
        table = asked.table
        raters, names = one_of_grid(asked, raters)
        made = spread(asked, items, raters, names)
        names = called(made)
        check_facts(asked, [i for i in raters if table.names[i] in names])
        made.notes.extend([wide_note(table, table.names[column] or "first column", names)])
        made.notes.extend([*notes, *totals])
        check_orientation(asked, column, items[1], names, made.notes)
        return made

    @staticmethod
    def _numbered(asked: Asked, notes: Notes) -> Ratings:
        """Take every column for a rater, and number the items."""
        table = asked.table
        raters = columns_beside(asked, -1, notes)
        check_counts(asked, raters)
        raters, names = one_of_grid(asked, raters)
        numbers = [str(number) for number in table.row_numbers().tolist()]
        made = spread(asked, (np.arange(table.rows), numbers), raters, names)
        names = called(made)
        check_facts(asked, [i for i in raters if table.names[i] in names])
        notes.caution(
            f"{table.source}: no column says what the items are, so each row is one, called by its "
            f"number; {count(len(names), 'rater')}: {some(names, 12)}. If the first column holds "
            f"items, name it with {option('item', table.names[0])}."
        )
        made.notes.extend(notes)
        return made


def _check_survey(asked: Asked) -> None:
    """Refuse answers to a survey, of which rows are raters, unless it is said how to read them."""
    table = asked.table
    if asked.transpose is not None or asked.given["item"] is not None or table.form != "named":
        return
    times = [name for name in table.names if plain_name(name) in SURVEY_TIMES]
    if has_items(asked):
        return
    if times and len(table.names) > 2:
        raise DataError(
            f"{table.source}: column {some(times)} says when somebody answered, so that rows seem "
            f"to be answers, and what columns are is not clear. Say {option('transpose', True)} if "
            f"rows are raters and columns items; name the item column with {option('item', '...')} "
            f"if rows are items; columns that are neither are left out with "
            f"{option('ignore', times[0])}."
        )


def _check_flat(asked: Asked) -> None:
    """Refuse lists in cells of which names do not say what they hold."""
    table = asked.table
    lists = [table.names[i] for i in asked.nested]
    if not lists:
        return
    raters = f" and that of their raters with {option('rater', '...')}" if len(lists) > 1 else ""
    raise DataError(
        f"{table.source}: cells of {some(lists)} are lists or records, and their names do not say "
        f"what they hold. Name the column of labels with {option('label', '...')}{raters}; leave "
        f"out what is neither with {option('ignore', lists[0])}."
    )

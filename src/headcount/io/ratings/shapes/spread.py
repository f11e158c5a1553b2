"""What wide data have in common: one rating a cell."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from headcount.data.vocabulary import MISSING, label_text
from headcount.errors import DataError, count, option, some
from headcount.io.ratings.shapes.base import Asked, Ratings
from headcount.io.ratings.shapes.beside.computed import computed_columns
from headcount.io.ratings.shapes.beside.decided import decided_columns, follows_others
from headcount.io.ratings.shapes.beside.strange_columns import check_columns, check_first_row
from headcount.io.roles.roles import ReadAs
from headcount.io.tables.table import Coded, Table
from headcount.io.values.missing import WRITTEN_MISSING
from headcount.results.notes import Notes
from headcount.typing import Codes

__all__ = ["called", "single", "spread", "wide_note"]


def spread(
    asked: Asked,
    rows: Coded,
    columns: Sequence[int],
    names: Sequence[str],
    *,
    transposed: bool = False,
) -> Ratings:
    """Take one rating a cell: rows are items and columns raters, or the other way round."""
    table, notes = asked.table, Notes()
    read = [table.codes(i) for i in columns]
    if table.form == "named" and asked.labels is None:
        check_first_row(table, read)
        if not transposed:
            kept = _without_computed(table, read, names, notes)
            columns, names = [columns[n] for n in kept], [names[n] for n in kept]
            read = [read[n] for n in kept]
    texts: dict[str, int] = {}
    coded: list[Codes] = []
    seen: list[set[str]] = []
    for codes, own in read:
        place = np.array([texts.setdefault(text, len(texts)) for text in own] or [0])
        coded.append(np.where(codes < 0, MISSING, place[codes]))
        seen.append({label_text(text) for text in own} - WRITTEN_MISSING)
    if table.form == "named":
        check_columns(asked, columns, seen, "item" if transposed else "rater")
    labels = (np.stack(coded, axis=1).ravel(), list(texts))
    by_row = (np.repeat(rows[0], len(columns)), rows[1])
    by_column = (np.tile(np.arange(len(columns)), len(rows[0])), list(names))
    orders = {table.categories(i) for i in columns}
    if empty := [name for name, own in zip(names, seen, strict=True) if not own]:
        notes.caution(f"{table.source}: columns without a rating: {some(empty, 12)}.")
    return Ratings(
        items=by_column if transposed else by_row,
        raters=by_row if transposed else by_column,
        labels=labels,
        table=table,
        rows=np.repeat(np.arange(len(rows[0])), len(columns)),
        blanks=False,
        order=orders.pop() if len(orders) == 1 else None,
        notes=notes,
    )


def _without_computed(
    table: Table, read: Sequence[Coded], names: Sequence[str], notes: Notes
) -> list[int]:
    """Places of the columns that were not computed from others; those that were are told."""
    made = {n: f"is {how} of the others" for n, how in computed_columns(read, names).items()}
    left = [place for place in range(len(names)) if place not in made]
    decided = decided_columns([read[n] for n in left])
    made |= {left[n]: f"says {how}" for n, how in decided.items()}
    for place, how in made.items():
        notes.caution(
            f"{table.source}: column '{names[place]}' is left out: in every row it {how}. "
            f"If it is a rater, name the labels with {option('labels', '...')}."
        )
    left = [place for place in range(len(names)) if place not in made]
    follows = follows_others([read[n] for n in left])
    if follows is not None:
        name = names[left[follows]]
        notes.warning(
            f"{table.source}: wherever the others agree, '{name}' says the same, as a decision "
            f"made from theirs does, and no rater. If it is one, leave it out with "
            f"{option('ignore', name)}."
        )
    return left


def called(made: Ratings) -> list[str]:
    """Names of the raters that are left."""
    return [] if made.raters is None else list(made.raters[1])


def wide_note(table: Table, item: str, raters: Sequence[str]) -> ReadAs:
    """Say which columns were taken for what."""
    text = (
        f"{table.source}: read as wide; item = '{item}', {count(len(raters), 'rater')}: "
        f"{some(raters, 12)}. A column that is no rater's is left out with "
        f"{option('ignore', '...')}."
    )
    return ReadAs(text, {"item": item})


def single(table: Table, column: int) -> DataError:
    """Error for a table without a column of ratings."""
    return DataError(
        f"{table.source}: a single column, '{table.names[column]}'. Long data need columns "
        "for item, rater and label; wide data one for the item and one a rater."
    )

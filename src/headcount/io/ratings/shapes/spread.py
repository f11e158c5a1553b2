"""What wide data have in common: one rating a cell."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from headcount.data.vocabulary import MISSING, label_text, number_of
from headcount.errors import DataError, count, option, some
from headcount.io.ratings.shapes.base import Asked, Ratings
from headcount.io.roles.roles import ReadAs, find_role
from headcount.io.tables.table import Coded, Table
from headcount.io.values.missing import WRITTEN_MISSING
from headcount.results.notes import Notes
from headcount.typing import Codes

__all__ = ["single", "spread", "wide_note"]

MOST_WORDS, MOST_NUMBERS = 5, 20
"""A wide column with more values than this that no other column shares is not a rater's."""
LEAST_ROWS = 5
"""Rows from which on a column of fewer values is none either, where the others share theirs."""
ROWS_COMPARED = 50


def spread(
    asked: Asked,
    rows: Coded,
    columns: Sequence[int],
    names: Sequence[str],
    *,
    transposed: bool = False,
) -> Ratings:
    """Take one rating a cell: rows are items and columns raters, or the other way round."""
    table = asked.table
    texts: dict[str, int] = {}
    coded: list[Codes] = []
    seen: list[set[str]] = []
    for i in columns:
        codes, own = table.codes(i)
        place = np.array([texts.setdefault(text, len(texts)) for text in own] or [0])
        coded.append(np.where(codes < 0, MISSING, place[codes]))
        seen.append({label_text(text) for text in own} - WRITTEN_MISSING)
    if table.form == "named":
        _check_columns(asked, columns, seen, "item" if transposed else "rater")
    labels = (np.stack(coded, axis=1).ravel(), list(texts))
    by_row = (np.repeat(rows[0], len(columns)), rows[1])
    by_column = (np.tile(np.arange(len(columns)), len(rows[0])), list(names))
    orders = {table.categories(i) for i in columns}
    notes = Notes()
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


def _check_columns(
    asked: Asked, columns: Sequence[int], seen: Sequence[set[str]], role: str
) -> None:
    """Refuse a wide table with a column that is clearly no rater's, or no item's."""
    table = asked.table
    worded = [any(number_of(text) is None for text in own) for own in seen]
    many = [len(own) > MOST_NUMBERS and not word for own, word in zip(seen, worded, strict=True)]
    # Where most columns are of many numbers, ratings are continuous and need share none.
    continuous = 2 * sum(many) > len(seen)
    for place, i in enumerate(columns):
        if len(columns) < 2 or (many[place] and continuous):
            continue
        most = MOST_WORDS if worded[place] else MOST_NUMBERS
        rest = [own for other, own in enumerate(seen) if other != place]
        if len(seen[place]) <= most and not (
            table.rows >= LEAST_ROWS and len(seen[place]) > 1 and _share_few(rest, table.rows)
        ):
            continue
        if asked.labels is None and (
            not seen[place] & set[str]().union(*rest) or _is_off_scale(seen[place], rest)
        ):
            if find_role([table.names[i]], "rater") is not None:
                raise DataError(
                    f"{table.source}: column '{table.names[i]}' names raters, so it has one row "
                    f"per rating, but its item or label is not found. Say which columns they are "
                    f"with {option('item')} and {option('label')}, one label at a time."
                )
            raise DataError(
                f"{table.source}, column '{table.names[i]}': {len(seen[place]):,} different values "
                f"that {_whose(seen[place], rest)}, so it is no {role}'s. Wide data have one "
                "column for the item, first, and one a rater; leave others out with "
                f"{option('ignore', table.names[i])}. If the data are long, name the columns with "
                f"{option('item')}, {option('rater')} and {option('label')}."
            )


def _share_few(columns: Sequence[set[str]], rows: int) -> bool:
    """Whether columns have few values, which all of them share: a scale that they use."""
    both = set[str].intersection(*columns)
    every = set[str]().union(*columns)
    return len(columns) > 1 and len(both) > 1 and 2 * len(every) <= rows


def _is_off_scale(own: set[str], rest: Sequence[set[str]]) -> bool:
    """Whether most numbers of a column lie off the few that all the others share: a length, say."""
    both, every = set[str].intersection(*rest), set[str]().union(*rest)
    numbers = [number_of(text) for text in every]
    if len(rest) < 2 or len(own) <= MOST_NUMBERS or 2 * len(both) < len(every) or None in numbers:
        return False
    scale = [number for number in numbers if number is not None]
    if not 1 < len(scale) <= MOST_NUMBERS:
        return False
    given = [number for text in own if (number := number_of(text)) is not None]
    off = sum(not min(scale) <= number <= max(scale) for number in given)
    return 2 * off > len(own)


def _whose(own: set[str], rest: Sequence[set[str]]) -> str:
    """Say whether no other column has a value of this one, or hardly any."""
    shared = bool(own & set[str]().union(*rest))
    return "lie mostly off the scale of the others" if shared else "no other column shares"


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

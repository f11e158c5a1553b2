"""What wide data have in common: one rating a cell."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from headcount.data.vocabulary import MISSING, number_of
from headcount.errors import DataError, count, option, some
from headcount.io.shapes.base import Asked, Ratings
from headcount.io.table import Coded, Table
from headcount.io.words import WRITTEN_MISSING
from headcount.typing import Codes

__all__ = ["single", "spread", "wide_note"]

MOST_WORDS, MOST_NUMBERS = 5, 20
"""A wide column with more values than this that no other column shares is not a rater's."""


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
        seen.append(set(own) - WRITTEN_MISSING)
    if table.form == "named":
        _check_raters(table, columns, seen)
    labels = (np.stack(coded, axis=1).ravel(), list(texts))
    by_row = (np.repeat(rows[0], len(columns)), rows[1])
    by_column = (np.tile(np.arange(len(columns)), len(rows[0])), list(names))
    orders = {table.categories(i) for i in columns}
    return Ratings(
        items=by_column if transposed else by_row,
        raters=by_row if transposed else by_column,
        labels=labels,
        table=table,
        rows=np.repeat(np.arange(len(rows[0])), len(columns)),
        blanks=False,
        order=orders.pop() if len(orders) == 1 else None,
    )


def _check_raters(table: Table, raters: Sequence[int], seen: list[set[str]]) -> None:
    """Refuse a wide table with a column that is clearly no rater's."""
    worded = [any(number_of(text) is None for text in own) for own in seen]
    many = [len(own) > MOST_NUMBERS and not word for own, word in zip(seen, worded, strict=True)]
    # Where most columns are of many numbers, ratings are continuous and need share none.
    continuous = 2 * sum(many) > len(seen)
    for place, i in enumerate(raters):
        if many[place] and continuous:
            continue
        most = MOST_WORDS if worded[place] else MOST_NUMBERS
        if len(raters) < 2 or len(seen[place]) <= most:
            continue
        others = set[str]().union(*(s for p, s in enumerate(seen) if p != place))
        if not seen[place] & others:
            raise DataError(
                f"{table.source}, column '{table.names[i]}': {len(seen[place]):,} different values "
                "that no other column shares, so it is no rater's. Wide data have one column for "
                "the item, first, and one a rater; leave others out with "
                f"{option('ignore', table.names[i])}. If the data are long, name the columns with "
                f"{option('item')}, {option('rater')} and {option('label')}."
            )


def wide_note(table: Table, item: str, raters: Sequence[str]) -> str:
    """Say which columns were taken for what."""
    return (
        f"{table.source}: read as wide; item = '{item}', {count(len(raters), 'rater')}: "
        f"{some(raters, 12)}. A column that is no rater's is left out with "
        f"{option('ignore', '...')}."
    )


def single(table: Table, column: int) -> DataError:
    """Error for a table without a column of ratings."""
    return DataError(
        f"{table.source}: a single column, '{table.names[column]}'. Long data need columns "
        "for item, rater and label; wide data one for the item and one a rater."
    )

"""Tables of ratings whose columns have names that say nothing: what their values tell."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from headcount.data.vocabulary import number_of
from headcount.errors import DataError, option
from headcount.io.ratings.shapes.base import LONG, Asked, Ratings, Shape
from headcount.io.ratings.shapes.crossed import MOST_LABELS, crossed_roles
from headcount.io.ratings.shapes.long import known_roles, read_as_long, rows_of
from headcount.io.ratings.shapes.orientation import are_raters
from headcount.io.roles.roles import find_role, item_column
from headcount.io.tables.table import Table

__all__ = ["UnnamedLong", "are_long", "check_repeated", "lacks_items"]

MORE_ITEMS = 2
"""How many times as many items as raters tell which is which, where names do not."""


def lacks_items(asked: Asked) -> bool:
    """Whether the first column is a rater's as the others are, so that none holds the items.

    It repeats values, and they are those of the others; or has numbers with fractions, as the
    others have. A column that is named as items are, or of which every value differs, holds items.
    """
    table, names = asked.table, asked.table.names
    if asked.given["item"] is not None or asked.transpose is not None or table.form != "named":
        return False
    if find_role(names, "item") is not None or len(names) < 2 or not all(names):
        return False
    if table.index_name() is not None or table.exported or item_column(table):
        return False
    codes, texts = table.codes(0)
    repeats = len(texts) < int((codes >= 0).sum())
    if repeats and len(texts) <= MOST_LABELS:
        own, others = set(texts), [set(table.codes(i)[1]) for i in range(1, len(names))]
        alike = sum(2 * len(own & other) >= min(len(own), len(other)) > 0 for other in others)
        return 2 * alike > len(others)
    if not _fractions(table, 0) or not all(_fractions(table, i) for i in range(1, len(names))):
        return False
    return repeats or are_raters(names) or not _in_order(texts)


def _fractions(table: Table, column: int) -> bool:
    """Whether a column holds numbers, some with fractions."""
    numbers, wrong = table.numbers(column)
    return not wrong.any() and bool((np.nan_to_num(numbers) % 1).any())


def _in_order(texts: Sequence[str]) -> bool:
    """Whether numbers only grow, as ids such as 1.1, 1.2, 2.1 do."""
    numbers = [number_of(text) for text in texts]
    known = [number for number in numbers if number is not None]
    return known == sorted(known)


def are_long(table: Table, columns: Sequence[int]) -> bool:
    """Whether three columns are an item, a rater and a label, in this order.

    Items come again, each of a rater once, raters are no labels, and items are clearly more.
    """
    (item, items), (rater, raters), (_, labels) = (table.codes(i) for i in columns)
    return (
        len(items) < len(item)
        and _once(item, rater, len(raters))
        and not {*raters} & {*labels}
        and len(items) >= MORE_ITEMS * len(raters)
    )


def _once(item: np.ndarray, rater: np.ndarray, n_raters: int) -> bool:
    """Whether no pair of item and rater comes twice."""
    return len(np.unique(item * max(n_raters, 1) + rater)) == len(item)


class UnnamedLong(Shape):
    """One rating a row, of which names of columns do not say what they hold."""

    name = "long, by its values"

    def fits(self, asked: Asked) -> bool:
        """Whether items come again, and values tell the other two columns."""
        return _unnamed_roles(asked) is not None

    def read(self, asked: Asked) -> Ratings:
        """Take one rating a row from three columns, and say which is read as what."""
        table, roles = asked.table, _unnamed_roles(asked)
        if roles is None:
            raise DataError(f"{table.source}: columns of item, rater and label are not clear.")
        made = rows_of(asked, roles)
        made.notes.extend([read_as_long(table, roles, by_values=True)])
        return made


def _comes_again(asked: Asked) -> int | None:
    """Find the column that would be the item's, if most rows repeat a value of it."""
    table = asked.table
    if any(asked.given.values()) or asked.transpose is not None or table.form != "named":
        return None
    if asked.nested or table.doubt or table.index_name() is not None:
        return None
    column = item_column(table)
    codes, texts = table.codes(column)
    return None if 2 * len(texts) > len(codes) or len(codes) < 3 else column


def _unnamed_roles(asked: Asked) -> dict[str, int] | None:
    """Columns of long data whose names say nothing, by their values; None if that is not clear."""
    if (crossed := crossed_roles(asked, known_roles(asked))) is not None:
        return crossed
    table, column = asked.table, _comes_again(asked)
    if column is None or lacks_items(asked) or "rater" in asked.roles:
        return None
    rest = [i for i in asked.rest({}) if i != column]
    for rater, label in (rest, rest[::-1]) if len(rest) == 2 else ():
        few = len(table.codes(label)[1]) <= MOST_LABELS
        if few and are_long(table, (column, rater, label)):
            return dict(zip(LONG, (column, rater, label), strict=True))
    return None


def check_repeated(asked: Asked) -> None:
    """Refuse wide data of which most rows repeat an item: they seem to be ratings."""
    table, column = asked.table, _comes_again(asked)
    if column is None or "rater" in asked.roles:
        return
    first = table.names[column]
    raise DataError(
        f"{table.source}: values of '{first}' come again and again, so that a row seems to be a "
        f"rating and no item. Name the columns with {option('item', '...')}, "
        f"{option('rater', '...')} and {option('label', '...')}. If each row is an item, give each "
        "an id of its own."
    )

"""Long data in which a column called id numbers the ratings, and another one holds the items."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from headcount.errors import option
from headcount.io.ratings.shapes.base import Asked
from headcount.io.roles.names import FACT_WORDS
from headcount.io.roles.roles import plain_name
from headcount.results.notes import Notes

__all__ = ["repeated_item"]

LEAST_ITEMS = 5
"""Items that a column must have."""
LEAST_RATINGS = 1.5
"""Ratings that they must have in the mean."""


def repeated_item(asked: Asked, roles: Mapping[str, int]) -> tuple[dict[str, int], Notes]:
    """Take another column for the item where the one that is called so differs in every row.

    Only where one other column can be: each rater says something of each of its values once at
    most, and several do of most.

    Returns
    -------
    roles : dict of str to int
    notes : Notes
        What was taken for the item, if it is another column.
    """
    table, found, notes = asked.table, dict(roles), Notes()
    if asked.given["item"] is not None or set(roles) != {"item", "rater", "label"}:
        return found, notes
    if table.exported or {*asked.nested} & {*roles.values()}:
        return found, notes
    codes, texts = table.codes(roles["item"])
    if len(texts) < len(codes) or len(codes) < LEAST_ITEMS:
        return found, notes
    rater, raters = table.codes(roles["rater"])
    others: list[int] = []
    for column in asked.rest(roles):
        if column in asked.nested or plain_name(table.names[column]) in FACT_WORDS:
            continue
        item, items = table.codes(column)
        whole = (item >= 0) & (rater >= 0)
        pairs = item[whole] * max(len(raters), 1) + rater[whole]
        enough = len(items) >= LEAST_ITEMS and len(pairs) >= LEAST_RATINGS * len(items)
        if enough and len(np.unique(pairs)) == len(pairs):
            others.append(column)
    if len(others) == 1:
        first, other = table.names[roles["item"]], table.names[others[0]]
        found["item"] = others[0]
        notes.caution(
            f"{table.source}: '{first}' differs in every row and numbers the ratings, so that "
            f"'{other}' is read as the item, which raters have in common. If it is '{first}', say "
            f"{option('item', first)}."
        )
    return found, notes

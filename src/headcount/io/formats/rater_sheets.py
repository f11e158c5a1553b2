"""Sheets of one workbook that hold what one rater each says of the same items."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from headcount.io.roles.names import ASPECTS, RATED_AT
from headcount.io.roles.roles import find_role, plain_name

__all__ = ["are_raters_sheets"]

LEAST_SHARED = 0.5
"""Share of the items of a sheet that other sheets have as well."""


def are_raters_sheets(titles: Sequence[str], sheets: Mapping[str, list[list[Any]]]) -> bool:
    """Whether each sheet holds a rater's labels: of the same items, once, in a column of labels.

    Not if a column names raters already, or if sheets are called by what was asked or when.

    Parameters
    ----------
    titles : sequence of str
        Names of the columns, which all sheets have.
    sheets : mapping of str to rows
        Rows below the titles, by the name of the sheet.

    Examples
    --------
    >>> rows = [["a", "yes"], ["b", "no"]]
    >>> are_raters_sheets(["item", "label"], {"ann": rows, "bob": rows})
    True
    >>> are_raters_sheets(["item", "label"], {"fluency": rows, "tone": rows})
    False
    >>> wide = [["a", "yes", "no"], ["b", "no", "no"]]
    >>> are_raters_sheets(["item", "ann", "bob"], {"old": wide, "new": wide})
    False
    """
    item = find_role(titles, "item")
    if item is None or find_role(titles, "rater") is not None:
        return False
    if any(len(row) != len(titles) for rows in sheets.values() for row in rows):
        return False  # something stands beside the table
    if find_role(titles, "label") is None and len(titles) > 2:
        return False
    if any(plain_name(name) in ASPECTS or RATED_AT.fullmatch(name.strip()) for name in sheets):
        return False
    items = [[str(row[item]) for row in rows if row[item] != ""] for rows in sheets.values()]
    once = all(own and len(own) == len({*own}) for own in items)
    return once and all(
        len({*own} & {one for m, other in enumerate(items) if m != n for one in other})
        >= LEAST_SHARED * len(own)
        for n, own in enumerate(items)
    )

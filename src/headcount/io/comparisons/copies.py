"""Rows that stand in a file more than once, which would make answers seem surer than they are."""

from __future__ import annotations

import numpy as np

from headcount.errors import count
from headcount.io.tables.table import Table
from headcount.results.notes import Notes
from headcount.typing import Codes

__all__ = ["COMMON", "LEAST_ROWS", "note_copies", "said_of_copies"]

MANY_ROWS, MANY_KINDS = 50, 10
"""Rows, and different ones among them, that do not come again in the same order by chance."""
LEAST_ROWS = 20
"""Rows below which the same answers may well come again."""
MOST_TIMES = 10
"""How often a file may stand in itself, at most, to be noticed."""
COMMON = 0.05
"""Share of rows that are copies of others from which that is said."""


def note_copies(table: Table, roles: dict[str, int], notes: Notes) -> None:
    """Warn if the rows are the same ones several times over, or if many rows come again.

    A row is a copy if it is the same as another in every column. Where a file has no columns but
    the items, the outcome, the rater and the weight, equal rows may be answers of their own, and
    only a file that repeats itself from beginning to end is spoken of.

    Notes
    -----
    O(rows) for the columns that were read; others are read until few copies are left.
    """
    used = sorted(set(roles.values()) - set(table.nested()))
    if not used:
        return
    n = len(table.codes(used[0])[0])
    if n < LEAST_ROWS:
        return
    codes = [table.codes(column)[0] for column in used]
    if (times := _times(codes, n)) > 1:
        notes.warning(
            f"{table.source}: all {n:,} rows are the same {n // times:,} comparisons {times} times "
            "over. Each counts as an answer of its own, so that intervals are too narrow, "
            "unless answers are clustered by rater or prompt; keep one copy of the file."
        )
        return
    apart = {*used, *table.nested()}
    others = [column for column in range(len(table.names)) if column not in apart]
    copies = _copies(table, codes, others) if others else 0
    if copies > COMMON * n:
        notes.warning(said_of_copies(table.source, copies, n))


def said_of_copies(source: str, copies: int, rows: int) -> str:
    """Say that many rows are copies of others, and what to do."""
    return (
        f"{source}: {copies:,} of {count(rows, 'row')} are exact copies of other rows. Each counts "
        "as an answer of its own, so that intervals are too narrow, unless answers are clustered "
        "by rater or prompt; remove the copies, if the same question was not asked again."
    )


def _times(codes: list[Codes], n: int) -> int:
    """How often the file stands in itself: the largest number, 1 if it does not."""
    for times in range(min(MOST_TIMES, n // LEAST_ROWS * 2), 1, -1):
        step = n // times
        if n % times == 0 and all(bool((code[step:] == code[:-step]).all()) for code in codes):
            # Rows that say 'a beats b' forty times are no copies of anything.
            return times if _is_varied([code[:step] for code in codes], step) else 1
    return 1


def _copies(table: Table, codes: list[Codes], others: list[int]) -> int:
    """Rows that are the same as an earlier one in all columns."""
    n, group = len(codes[0]), _groups(codes)
    for column in others:
        if n - int(group.max(initial=-1)) - 1 <= COMMON * n:
            break
        group = _joined(group, table.codes(column)[0])
    return n - int(group.max(initial=-1)) - 1


def _groups(codes: list[Codes]) -> Codes:
    """Give rows that are the same in all columns the same number."""
    group = np.zeros(len(codes[0]), dtype=np.int64)
    for code in codes:
        group = _joined(group, code)
    return group


def _is_varied(codes: list[Codes], n: int) -> bool:
    """Whether rows differ so much that the same ones do not come again, in order, by themselves.

    Most of them are of their own; or they are many, and too many for a cycle of a few.
    """
    times = np.bincount(_groups(codes))
    return 2 * len(times) > n or (n >= MANY_ROWS and len(times) >= MANY_KINDS)


def _joined(group: Codes, code: Codes) -> Codes:
    """Give rows that are the same in both the same number."""
    key = group * (int(code.max(initial=0)) + 2) + code + 1
    return np.unique(key, return_inverse=True)[1].reshape(-1)

"""Columns beside raters that were computed from theirs: means, sums, differences."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence

import numpy as np

from headcount.io.tables.table import Table
from headcount.typing import Floats

__all__ = ["computed_columns"]

LEAST_ROWS = 5
"""Rows in which the others differ from which on a column that fits them all is no accident."""
MOST_COLUMNS = 50
_RATER = re.compile(r"(?i)(?:rater|annotator|coder|judge|grader|reader|marker|examiner)[_ .-]?\d")
"""How names of raters begin, beside which a column of another name may be made of theirs."""


def computed_columns(table: Table, columns: Sequence[int]) -> dict[int, str]:
    """Columns that are the mean, the sum or the difference of all others, in every row.

    Returns
    -------
    dict of int to str
        The columns, and what each is.
    """
    found: dict[int, str] = {}
    if not 2 < len(columns) <= MOST_COLUMNS:
        return found
    read = {i: table.numbers(i) for i in columns}
    if any(wrong.any() for _, wrong in read.values()):
        return found
    raters = [i for i in columns if _RATER.match(table.names[i])]
    for column in reversed(columns):  # such columns mostly stand last
        rest = [i for i in columns if i != column and i not in found]
        sets = [(rest, False)]
        if len(raters) > 1 and column not in raters:
            sets.append(([i for i in rest if i in raters], True))
        for others, named in sets:
            how = _computed(read[column][0], [read[i][0] for i in others], named=named)
            if how:
                found[column] = how
                break
    return found


def _computed(own: Floats, rest: Sequence[Floats], *, named: bool) -> str:
    """Say what a column is of others, in every row; nothing if it is not computed."""
    if len(rest) < 2:
        return ""
    others = np.stack(rest, axis=1)
    rows = ~np.isnan(own) & ~np.isnan(others).all(axis=1)
    own, others = own[rows], others[rows]
    if len(own) < LEAST_ROWS or len(np.unique(own)) < 2:
        return ""
    low, high = np.nanmin(others, axis=1), np.nanmax(others, axis=1)
    if (high > low).sum() < LEAST_ROWS:
        return ""
    made: Iterable[tuple[str, Floats, float]] = _candidates(own, others, high - low)
    if named and (high > low).sum() >= 2 * LEAST_ROWS:
        made = [*made, ("the highest", high, 1e-9), ("the lowest", low, 1e-9)]
    return next((how for how, value, error in made if np.allclose(own, value, 0, error)), "")


def _candidates(own: Floats, others: Floats, apart: Floats) -> Iterator[tuple[str, Floats, float]]:
    """Yield what may have been computed, and how far rounding may be from it."""
    exact = 1e-9
    digits = next((d for d in range(1, 7) if np.allclose(own, own.round(d), 0, exact)), 6)
    fractions = bool((own % 1).any())
    yield "the mean", np.nanmean(others, axis=1), 0.5001 * 10.0**-digits if fractions else exact
    sums = np.nansum(others, axis=1)
    if own.max() > np.nanmax(others):  # else few raters said anything but 0
        yield "the sum", sums, exact
    if others.shape[1] == 2:
        yield "the difference", others[:, 0] - others[:, 1], exact
        yield "the difference", others[:, 1] - others[:, 0], exact
    if len(own) >= 2 * LEAST_ROWS:
        yield "the difference", apart, exact
        yield "1 where all agree, a comparison", (apart == 0).astype(np.float64), exact

"""Columns beside raters that were computed from theirs: means, sums, differences."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from headcount.io.tables.table import Table
from headcount.typing import Floats

__all__ = ["computed_columns"]

LEAST_ROWS = 5
"""Rows in which the others differ from which on a column that fits them all is no accident."""
MOST_COLUMNS = 50


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
    for column in reversed(columns):  # such columns mostly stand last
        rest = [read[i][0] for i in columns if i != column and i not in found]
        if len(rest) < 2:
            break
        own, others = read[column][0], np.stack(rest, axis=1)
        rows = ~np.isnan(own) & ~np.isnan(others).all(axis=1)
        own, others = own[rows], others[rows]
        low, high = np.nanmin(others, axis=1), np.nanmax(others, axis=1)
        if (high > low).sum() < LEAST_ROWS or len(np.unique(own)) < 2:
            continue
        for how, made, error in _candidates(own, others, high - low):
            if np.allclose(own, made, rtol=0, atol=error):
                found[column] = how
                break
    return found


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

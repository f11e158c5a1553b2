"""Tables of probabilities: whether each row is a distribution, and rows that were rounded."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from headcount.typing import Flags, Floats

__all__ = ["ROUNDING", "SUM_TOLERANCE", "Fault", "find_fault", "undo_rounding"]

SUM_TOLERANCE = 1e-6
"""How far from 1 the probabilities of an item may sum."""
ROUNDING = 0.01
"""How far from 1 they may sum where they were rounded, and are divided by their sum."""


class Fault(NamedTuple):
    """Rows that are no distribution, all for the same reason, and what is wrong with the first."""

    rows: Flags
    words: str

    @property
    def first(self) -> int:
        """The first of the rows."""
        return int(np.flatnonzero(self.rows)[0])


def find_fault(
    table: Floats, labels: Sequence[str], *, tolerance: float = SUM_TOLERANCE
) -> Fault | None:
    """Find rows that are neither a probability distribution nor blank; None if there are none.

    Sums are 1 within `tolerance`.
    """
    off = np.abs(_row_sums(table) - 1) > tolerance
    if table.size and table.min() >= 0 and not off.any():  # blanks: their least is NaN
        return None
    blank = np.isnan(table)
    partly = np.any(blank, axis=1) & ~np.all(blank, axis=1)
    negative = np.any(table < 0, axis=1)
    if partly.any():
        row = table[np.argmax(partly)]
        return Fault(
            partly,
            f"no probability for label '{labels[int(np.argmax(np.isnan(row)))]}' but some for "
            "others. Fill it in, or leave all of them blank.",
        )
    if negative.any():
        row = table[np.argmax(negative)]
        return Fault(
            negative,
            f"probability {row.min():g} for label '{labels[int(np.argmin(row))]}'. "
            "Probabilities lie between 0 and 1.",
        )
    if off.any():
        row = table[np.argmax(off)]
        return Fault(
            off,
            f"probabilities that sum to {row.sum():.7g}, not to 1 within {tolerance:g}. Divide "
            "each by their sum.",
        )
    return None


def undo_rounding(table: Floats) -> tuple[Floats, int]:
    """Divide rows whose sum is 1 within .01 only by it; return the table and how many they are."""
    total = _row_sums(table)
    off = np.abs(total - 1)
    rounded = (off > SUM_TOLERANCE) & (off <= ROUNDING + 1e-9)
    if not rounded.any():
        return table, 0
    return table / np.where(rounded, total, 1.0)[:, None], int(rounded.sum())


def _row_sums(table: Floats) -> Floats:
    """Sum the rows of a table of few columns, in a tenth of the time that numpy's sum takes."""
    return np.einsum("ij->i", table)

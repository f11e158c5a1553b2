"""Items that were counted where they are: the cells that rows were made of."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from headcount.engine.reductions.cells import RatedCells, Split
from headcount.stats.grouping import find_rows
from headcount.typing import Codes, Flags, Ints

__all__ = ["Reduced"]


@dataclass(frozen=True, eq=False)
class Reduced:
    """How rows were made of cells.

    Parameters
    ----------
    cells : RatedCells
    kept : (cells,) array of bool
        Those used.
    least : int
        Ratings that each of their items has at least.
    seed : int
        Of the folds.
    split : Split or None
        The cell and folds of each row; None where rows are cells.
    """

    cells: RatedCells
    kept: Flags
    least: int
    seed: int = 0
    split: Split | None = None

    def said_by(self, rater: str) -> tuple[Ints, Codes, Codes]:
        """Split rows by what a rater said: the row, the label (-1: none), and items."""
        found = self.cells.split(self.kept, self.least, self.seed, rater)
        if self.split is None:
            row = np.searchsorted(np.flatnonzero(self.kept), found.cell)
            return row, found.given, found.weight
        known, new = ((one.cell, one.fold, one.deciding) for one in (self.split, found))
        return find_rows(known, new), found.given, found.weight

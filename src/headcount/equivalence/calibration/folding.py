"""Which rows are held out together: items by their keys, in ten parts."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from headcount.stats.draws import ENOUGH, FOLDS, ranks
from headcount.typing import Codes, Flags, Floats, Ids

__all__ = ["FOLDS", "Folded"]


@dataclass(frozen=True, eq=False)
class Folded:
    """Rows, each of one item or of several that are alike, and the fold of each.

    Parameters
    ----------
    weight : (rows,) array
        Items that a row stands for.
    fold : (rows,) array of int
    deciding : (rows,) array of int
        The fold among the items that decide between calibrations; -1 of those that do not.
    """

    weight: Floats
    fold: Codes
    deciding: Codes

    @classmethod
    def of_items(cls, ids: Ids, seed: int) -> Folded:
        """Part items, a row each, by their ids."""
        fold, deciding = parts_of(ranks(ids, seed), len(ids))
        return cls(np.ones(len(ids)), fold, deciding)

    @property
    def items(self) -> int:
        """How many items there are."""
        return int(self.weight.sum())

    def decides(self) -> tuple[Flags, Folded]:
        """Take the rows that decide between calibrations."""
        some = self.deciding >= 0
        fold = self.deciding[some]
        return some, Folded(self.weight[some], fold, fold)


def parts_of(rank: Codes, items: int) -> tuple[Codes, Codes]:
    """Fold of items by their rank, and the fold among those that decide.

    Examples
    --------
    >>> parts_of(np.arange(3), 3)
    (array([0, 1, 2]), array([0, 1, 2]))
    """
    step = -(-items // ENOUGH)
    chosen = -(-items // step) if step else 0
    deciding = np.where(rank % max(step, 1) == 0, rank // max(step, 1) % min(FOLDS, chosen), -1)
    return rank % min(FOLDS, items), deciding

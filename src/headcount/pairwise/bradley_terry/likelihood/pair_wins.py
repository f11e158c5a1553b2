"""Comparisons added up by pair: all that a Bradley-Terry fit needs of them."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from headcount.data.comparisons import Comparisons
from headcount.pairwise.answers.row_order import has_exact_sums
from headcount.typing import Codes, Flags, Floats

__all__ = ["PairWins"]


@dataclass(frozen=True, eq=False)
class PairWins:
    """Wins, ties and losses of the first item of each cell against the second.

    A cell is a pair of items; a pair as it was shown, if sides matter; and a single comparison, if
    raters do. Cells are in the order of their first item, for the sake of the processor's cache.

    Parameters
    ----------
    n_items, n_raters : int
        `n_raters` is 0 where raters do not matter.
    first, second : (cells,) arrays of int
    rater : (cells,) array of int
        Empty where raters do not matter.
    win, loss : (cells,) arrays of float
        Weights of the comparisons that `first` won, and lost.
    tie : (cells,) array of float
        Weights of ties; empty if they are split into halves of a win and a loss.
    tied : (cells,) array of float
        How many of the comparisons were ties, where these are split and a comparison is one: empty
        with weights, with other shares of a point, and where raters matter.
    cell : (comparisons,) array of int
        Cell of each comparison.
    flipped : (comparisons,) array of bool
        Whether the left item of a comparison is the second of its cell.
    """

    n_items: int
    n_raters: int
    first: NDArray[np.int32]
    second: NDArray[np.int32]
    rater: NDArray[np.int32]
    win: Floats
    tie: Floats
    loss: Floats
    tied: Floats
    cell: Codes
    flipped: Flags

    @classmethod
    def of(cls, comparisons: Comparisons, *, split: bool, sided: bool, by_rater: bool) -> PairWins:
        """Add up comparisons.

        O(items + comparisons), by two counting sorts.

        Parameters
        ----------
        comparisons : Comparisons
        split : bool
            Make a tie half a win and half a loss; so is any share between 0 and 1.
        sided : bool
            Keep apart which of the two was shown on the left.
        by_rater : bool
            Keep apart who answered.

        Examples
        --------
        >>> played = Comparisons.from_columns("aba", "bac", ["left", "left", "tie"])
        >>> wins = PairWins.of(played, split=False, sided=False, by_rater=False)
        >>> wins.win, wins.tie, wins.loss
        (array([1., 0.]), array([0., 1.]), array([1., 0.]))
        """
        from headcount.pairwise.bradley_terry.likelihood._kernel import add_up, sort_pairs

        first, second, cell, flipped = sort_pairs(
            comparisons.left, comparisons.right, sided, not by_rater, len(comparisons.items)
        )
        rater, n_raters = np.zeros(0, dtype=np.int32), 0
        if by_rater and comparisons.rater is not None and comparisons.raters is not None:
            n_raters = len(comparisons.raters)
            rater = np.empty(len(cell), dtype=np.int32)
            rater[cell] = comparisons.rater
        win, tie, loss = add_up(
            cell, flipped, comparisons.outcome, comparisons.weights, split, len(first)
        )
        tied = np.zeros(0)
        if split and not by_rater and comparisons.weight is None and has_exact_sums(comparisons):
            at = comparisons.outcome == 0.5
            tied = np.bincount(cell[at], comparisons.answers[at], len(first)).astype(np.float64)
        n_items = len(comparisons.items)
        return cls(
            n_items=n_items,
            n_raters=n_raters,
            first=first,
            second=second,
            rater=rater,
            win=win,
            tie=tie,
            loss=loss,
            tied=tied,
            cell=cell,
            flipped=flipped,
        )

    def reweighted(self, outcome: Floats, weight: Floats) -> PairWins:
        """Add up the same comparisons with other weights. O(comparisons)."""
        from headcount.pairwise.bradley_terry.likelihood._kernel import add_up

        split = len(self.tie) < len(self.win)
        win, tie, loss = add_up(self.cell, self.flipped, outcome, weight, split, len(self.first))
        return replace(self, win=win, tie=tie, loss=loss, tied=np.zeros(0))

    def within(self, kept: Flags) -> PairWins:
        """Cells both items of which are kept; comparisons are not led back to them any more."""
        cells = kept[self.first] & kept[self.second]
        if cells.all():
            return self
        return replace(
            self,
            first=self.first[cells],
            second=self.second[cells],
            rater=self.rater[cells] if len(self.rater) else self.rater,
            win=self.win[cells],
            tie=self.tie[cells] if len(self.tie) else self.tie,
            loss=self.loss[cells],
            tied=self.tied[cells] if len(self.tied) else self.tied,
            cell=np.zeros(0, dtype=np.int64),
            flipped=np.zeros(0, dtype=bool),
        )

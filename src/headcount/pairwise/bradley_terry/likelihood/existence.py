"""Whether the position effect and the tie parameter have finite maximum-likelihood values."""

from __future__ import annotations

from importlib import import_module
from typing import Any

import numpy as np
from numpy.typing import NDArray

from headcount.errors import DataError, option
from headcount.pairwise.bradley_terry.likelihood.pair_wins import PairWins
from headcount.pairwise.bradley_terry.ties.base import TieModel
from headcount.pairwise.bradley_terry.ties.half import HALF

__all__ = ["refuse_runaway"]

REMEDY = f"or give a prior ({option('prior', 1)}), which keeps them finite."
NO_POSITION = f"fit without it ({option('position', False)})"


def refuse_runaway(wins: PairWins, ties: TieModel, *, sided: bool, source: str) -> None:
    r"""Raise a DataError if the shift or the cut runs off to infinity, or cannot be told.

    Ratings alone are finite in a strong component. A direction (x, p, q) of ratings, shift and cut
    in which the likelihood never falls satisfies, for each left l and right r,

    .. math:: x_l - x_r + p \ge q \text{ (win)}, \quad x_l - x_r + p \le -q \text{ (loss)}, \quad
              |x_l - x_r + p| \le q \text{ (tie)}

    A circle of wins on the left and one of wins on the right leave none but 0: the first gives
    :math:`p \ge q`, the second :math:`-p \ge q`, a tie :math:`q \ge 0`. Nearly all data have both.
    Those that do not are settled by linear programs.

    Parameters
    ----------
    wins : PairWins
        Cells of strong components.
    ties : TieModel
        If it has a cut, there are ties.
    sided : bool
        Whether there is a shift.
    source : str
        What messages call the data.
    """
    by_cut = ties.has_cut
    if not (sided or by_cut):
        return
    if sided and not (wins.loss.any() or (by_cut and wins.tie.any())):
        raise DataError(
            f"{source}: the left item won every comparison, so a position effect cannot be told "
            f"apart from winning. If the winner is always named first, {NO_POSITION}."
        )
    won, lost = wins.win > 0, wins.loss > 0
    forth, back = (wins.first[won], wins.second[won]), (wins.second[lost], wins.first[lost])
    if sided:
        if _has_circle(forth, wins.n_items) and _has_circle(back, wins.n_items):
            return
    else:
        both = [np.concatenate(ends) for ends in zip(forth, back, strict=True)]
        if _has_circle((both[0], both[1]), wins.n_items):
            return
    shift, cut = _unbounded(wins, sided=sided, by_cut=by_cut)
    if shift:
        raise DataError(
            f"{source}: the position effect cannot be told apart from the ratings, since the "
            f"answers are the same as if it had no bound. Show pairs both ways round, "
            f"{NO_POSITION}, {REMEDY}"
        )
    if cut:
        raise DataError(
            f"{source}: no wins go round in a circle, so that the tie parameter of "
            f"{option('ties', ties.name)} and the ratings have no bound. Use "
            f"{option('ties', HALF.name)}, {REMEDY}"
        )


def _has_circle(arrows: tuple[NDArray[np.int32], NDArray[np.int32]], n_items: int) -> bool:
    sparse: Any = import_module("scipy.sparse")  # untyped, and slow to import
    search: Any = import_module("scipy.sparse.csgraph")
    graph = sparse.csr_array((np.ones(len(arrows[0])), arrows), shape=(n_items, n_items))
    parts, _ = search.connected_components(graph, directed=True, connection="strong")
    return int(parts) < n_items


def _unbounded(wins: PairWins, *, sided: bool, by_cut: bool) -> tuple[bool, bool]:
    """Whether a shift, and a cut, other than 0 satisfy the inequalities."""
    sparse: Any = import_module("scipy.sparse")
    linprog: Any = import_module("scipy.optimize").linprog

    n = wins.n_items
    won, lost = np.flatnonzero(wins.win > 0), np.flatnonzero(wins.loss > 0)
    tied = np.flatnonzero(wins.tie > 0) if by_cut else won[:0]
    # Rows of sign * (x_l - x_r + p) + of_cut * q <= 0
    parts = [(won, -1.0, 1.0), (lost, 1.0, 1.0), (tied, 1.0, -1.0), (tied, -1.0, -1.0)]
    cell = np.concatenate([cells for cells, _, _ in parts])
    sign = np.concatenate([np.full(len(cells), s) for cells, s, _ in parts])
    of_cut = np.concatenate([np.full(len(cells), q) for cells, _, q in parts])
    row = np.arange(len(cell))
    ones = np.ones(len(cell), dtype=np.int64)
    places = np.concatenate([wins.first[cell], wins.second[cell], n * ones, (n + 1) * ones])
    values = np.concatenate([sign, -sign, sign, of_cut])
    matrix = sparse.coo_array((values, (np.tile(row, 4), places)), shape=(len(cell), n + 2)).tocsr()
    bounds = [(-float(n), float(n))] * n + [(-1.0, 1.0) if sided else (0.0, 0.0)]
    bounds += [(0.0, 1.0) if by_cut else (0.0, 0.0)]

    def most(place: int, sign: float) -> float:
        goal = np.zeros(n + 2)
        goal[place] = -sign
        found = linprog(goal, A_ub=matrix, b_ub=np.zeros(len(cell)), bounds=bounds)
        return -float(found.fun)

    shift = sided and max(most(n, 1.0), most(n, -1.0)) > 1e-6
    return shift, by_cut and most(n + 1, 1.0) > 1e-6

"""Standard errors of a Bradley-Terry fit, from the negative Hessian at its maximum."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from importlib import import_module
from typing import Any, NamedTuple

import numpy as np

from headcount.pairwise.bradley_terry.likelihood.model import Point, centred
from headcount.pairwise.bradley_terry.likelihood.newton import dot, solve
from headcount.typing import Codes, Floats

__all__ = ["EXACT", "SOLVED", "Errors", "standard_errors", "variance"]


EXACT = 2000
"""Items (with slopes, items and raters) of a block of which the Hessian is inverted."""
SOLVED = 1e-10


class Errors(NamedTuple):
    """Standard errors of all parameters, nan where there is none, and how they were found."""

    values: Floats
    method: str


def standard_errors(point: Point, block: Codes) -> Errors:
    r"""Find the standard errors of all parameters.

    The negative Hessian is cut into A, of items and slopes, which falls into blocks; C, of the
    shift and the cut; and B, of both. Then

    .. math:: \mathrm{cov} = \begin{pmatrix} A^+ + A^+ B S^{-1} B^T A^+ & \cdot \\
              \cdot & S^{-1} \end{pmatrix}, \quad S = C - B^T A^+ B

    The pseudo-inverse :math:`A^+` of a block of up to 2,000 is exact, under the constraint that
    ratings have mean 0: those of the block or, with a prior, all. In larger ones its diagonal is
    approximated by two terms of the series of walks from an item back to itself,
    :math:`1/d_i + \sum_j h_{ij}^2 / (d_i^2 d_j)`.

    Parameters
    ----------
    point : Point
        The fit.
    block : (items,) array of int
        Component of each item, or one block for all; -1 for those without a finite rating.

    Notes
    -----
    O(k^3) for a block of k up to 2,000, else O(cells).
    """
    model = point.model
    n = model.wins.n_items
    out = np.full(model.size, np.nan)
    # Slopes belong to the one block that all items are in.
    blocks = np.concatenate([block, np.zeros(model.wins.n_raters, dtype=np.int64)])
    approximate = _blocks(point, blocks, out)
    extra = np.flatnonzero(model.free[-2:]) + n + model.wins.n_raters
    if len(extra):
        inner = np.ones(model.size, dtype=bool)
        inner[-2:] = False

        def within(v: Floats) -> Floats:
            return np.where(inner, point.times(np.where(inner, v, 0.0)), 0.0)

        units = np.zeros((len(extra), model.size))
        units[np.arange(len(extra)), extra] = 1.0
        columns = [point.times(unit) for unit in units]
        diagonal = np.where(inner, point.diagonal, 0.0)
        solved = [
            solve(within, np.where(inner, c, 0.0), diagonal, model.gauge, tolerance=SOLVED)
            for c in columns
        ]
        if model.prior is None:
            for x in solved:
                x[:n] = centred(x[:n], block)  # a singular system leaves the mean open
        b, x = np.array(columns).T, np.array(solved).T
        s = np.linalg.inv(b[extra] - np.where(inner[:, None], b, 0.0).T @ x)
        out += np.sum((x @ s) * x, axis=1)
        out[extra] = np.diag(s)
    method = "observed information"
    if approximate:
        method += ", approximate diagonal of its inverse"
    # Rounding may leave a variance that is 0 just below it.
    return Errors(np.sqrt(np.maximum(out, 0.0)), method)


def _blocks(point: Point, blocks: Codes, out: Floats) -> bool:
    """Fill in the variances of items and slopes, the others known; say if some are approximate."""
    size = np.bincount(blocks[blocks >= 0])
    exact = (blocks >= 0) & (size <= EXACT)[blocks] if len(size) else blocks >= 0
    rough = (blocks >= 0) & ~exact
    if exact.any():
        _inverted(point, np.where(exact, blocks, -1), out)
    if rough.any():
        out[: len(rough)][rough] = _series(point)[: len(rough)][rough]
    return bool(rough.any())


def _inverted(point: Point, blocks: Codes, out: Floats) -> None:
    """Fill in variances by inverting each block; -1 is none."""
    from headcount.pairwise.bradley_terry.likelihood._kernel import information

    model, wins = point.model, point.model.wins
    n = wins.n_items
    cells = blocks[wins.first]
    order = np.argsort(cells, kind="stable")
    members = np.argsort(blocks, kind="stable")
    every = np.arange(int(blocks.max()) + 2)
    ends, starts = np.searchsorted(cells[order], every), np.searchsorted(blocks[members], every)
    index = np.full(len(blocks), -1)
    for b in range(len(ends) - 1):
        places, rows = members[starts[b] : starts[b + 1]], order[ends[b] : ends[b + 1]]
        if not len(places):
            continue
        index[places] = np.arange(len(places))
        arrays = (
            index,
            len(places),
            wins.first[rows],
            wins.second[rows],
            wins.rater[rows] if len(wins.rater) else wins.rater,
            point.z[:n],
            point.z[n:-2],
        )
        curve, score = point.curve[rows], point.score[rows]
        matrix = information(*arrays, score, curve) + model.dense_precision(places)
        held = [np.where(places < n, 1.0, 0.0), model.gauge[places]]
        # A matrix that is not positive is not one of a maximum: the fit has not converged.
        with suppress(np.linalg.LinAlgError):
            out[places] = _inverse_diagonal(matrix, held)
        if model.prior is not None:
            # The mean of the block is known by the prior alone, and 0 is the mean of all.
            rated = places[places < n]
            out[rated] += model.prior**2 * (1 / len(rated) - 1 / n)


def _series(point: Point) -> Floats:
    """Approximate variances by two terms of the series of walks."""
    from headcount.pairwise.bradley_terry.likelihood._kernel import squares

    wins, n = point.model.wins, point.model.wins.n_items
    diagonal = np.where(point.diagonal > 0, point.diagonal, np.inf)
    out = 1 / diagonal
    walks = squares(wins.first, wins.second, wins.rater, point.z[n:-2], point.curve, diagonal[:n])
    out[:n] += walks / diagonal[:n] ** 2
    return out


def _inverse_diagonal(matrix: Floats, held: Sequence[Floats]) -> Floats:
    """Diagonal of the inverse among vectors that are orthogonal to all `held`.

    These are the constant ratings, an eigenvector, and the gauge, orthogonal to it.
    """
    unit = float(np.trace(matrix)) / len(matrix)
    if unit == 0:
        return np.full(len(matrix), np.nan)
    directions = [a / np.sqrt(np.sum(a**2)) for a in held if a.any()]
    # Any multiple of aa' makes it regular, and drops out with the direction a again.
    half = _half_inverse(matrix + sum(unit * np.outer(a, a) for a in directions))
    out = np.sum(half**2, axis=0)
    for a in directions:
        along = half.T @ (half @ a)
        out -= along**2 / float(a @ along)
    return out


def _half_inverse(matrix: Floats) -> Floats:
    """Inverse of the Cholesky factor."""
    linear: Any = import_module("scipy.linalg")  # untyped, and slow to import
    lower = np.linalg.cholesky(matrix)
    return linear.solve_triangular(lower, np.eye(len(matrix)), lower=True)


def variance(point: Point, direction: Floats) -> float:
    """Variance of a linear combination of parameters, such as a difference of two ratings.

    One solution by conjugate gradients, exact at any size.
    """
    x = solve(point.times, direction, point.diagonal, point.model.gauge, tolerance=SOLVED)
    return dot(direction, x)

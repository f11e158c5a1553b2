r"""Robust covariance of a fit: what the answers vary by, not what the model says they should.

With H the negative Hessian, V its inverse where ratings have mean 0, and :math:`s_i` the derivative
of the log-likelihood of comparison i,

.. math:: \mathrm{cov} = V \Big( \sum_i \tilde s_i \tilde s_i^T \Big) V
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise
from typing import NamedTuple

import numpy as np

from headcount.data.comparisons import Comparisons
from headcount.pairwise.bradley_terry.likelihood.model import Point
from headcount.typing import Codes, Flags, Floats, Ints

__all__ = ["Clustered", "Meat", "clustered", "inverse", "single"]

LEAST_FREE = 1e-3
"""What leverage leaves of a comparison, at least."""


class Meat(NamedTuple):
    """Comparisons among items with finite ratings, at the maximum.

    `by_eta` and `by_cut` are the derivatives of each one's log-likelihood, weights included.
    """

    left: Codes
    right: Codes
    eta: Floats
    weight: Floats
    by_eta: Floats
    by_cut: Floats

    @classmethod
    def of(cls, point: Point, played: Comparisons, kept: Flags) -> tuple[Meat, Flags]:
        """Differentiate; also say which comparisons these are."""
        rows = kept[played.left] & kept[played.right]
        left, right = played.left[rows], played.right[rows]
        z, ties = point.z, point.model.ties
        eta = z[left] - z[right] + (z[-2] if point.model.sided else 0.0)
        weight, outcome = played.weights[rows], played.outcome[rows]
        by_eta, by_cut = ties.scores(eta, float(z[-1]), outcome)
        meat = cls(left, right, eta, weight, weight * by_eta, weight * by_cut)
        return meat, rows

    def select(self, rows: Ints) -> Meat:
        """Keep some comparisons."""
        return Meat(
            left=self.left[rows],
            right=self.right[rows],
            eta=self.eta[rows],
            weight=self.weight[rows],
            by_eta=self.by_eta[rows],
            by_cut=self.by_cut[rows],
        )

    def scaled(self, by: Floats) -> Meat:
        """Multiply derivatives."""
        return self._replace(by_eta=self.by_eta * by, by_cut=self.by_cut * by)


def inverse(point: Point, component: Codes) -> tuple[Floats, Floats]:
    """Write down H, and its inverse among ratings that have mean 0 in each component.

    Parameters
    ----------
    point : Point
        The maximum of a likelihood without a prior and without slopes.
    component : (items,) array of int
        -1 for items without a finite rating.

    Notes
    -----
    O(k^3) for k items.
    """
    model, n = point.model, point.model.wins.n_items
    wins = model.wins
    hessian = np.zeros((model.size, model.size))
    cell = wins.first.astype(np.int64) * n + wins.second
    joint = np.bincount(cell, point.curve, n * n).reshape(n, n)
    hessian[:n, :n] = np.diag(point.diagonal[:n]) - joint - joint.T
    for extra in np.flatnonzero(model.free[-2:]) + n:
        unit = np.zeros(model.size)
        unit[extra] = 1.0
        hessian[extra] = hessian[:, extra] = point.times(unit)
    kept = np.concatenate([component >= 0, model.free[-2:]])
    places = np.flatnonzero(kept)
    inner = hessian[np.ix_(places, places)]
    unit = float(np.trace(inner)) / max(len(places), 1) or 1.0
    # The mean of a component is free: any stiffness makes it regular, and drops out again.
    groups = component[component >= 0]
    along = np.zeros((len(places), int(groups.max()) + 1 if len(groups) else 0))
    along[np.arange(len(groups)), groups] = 1.0
    along /= np.sqrt(np.maximum(along.sum(axis=0), 1.0))
    loose: Floats = along @ along.T
    solved: Floats = np.linalg.inv(inner + unit * loose) - loose / unit
    out = np.zeros_like(hessian)
    out[np.ix_(places, places)] = (solved + solved.T) / 2
    return hessian, out


def single(meat: Meat, v: Floats, point: Point) -> Floats:
    r"""Covariance with each comparison for itself (HC3, MacKinnon and White 1985).

    :math:`\tilde s_i = s_i / (1 - h_i)` with the leverage :math:`h_i = w_i c_i x_i^T V x_i`, where
    :math:`c_i` is what a comparison tells of its log odds.

    Notes
    -----
    O(comparisons + k^3).
    """
    h = _leverage(meat, v, point)
    return _between(_outer(meat.scaled(1 / np.maximum(1 - h, LEAST_FREE)), point), v)


@dataclass(frozen=True, eq=False, kw_only=True)
class Clustered:
    """Covariance by clusters, degrees of freedom, and clusters that none can be left out of."""

    matrix: Floats
    df: Floats
    n: int
    pivotal: int


def clustered(meat: Meat, v: Floats, point: Point, cluster: Ints) -> Clustered:
    r"""Covariance with clusters of comparisons for themselves (CR3, Bell and McCaffrey 2002).

    The move of the ratings if cluster g is left out, to first order of the rest,
    :math:`b_g = (H - H_g)^{-1} s_g = V (I - H_g V)^{-1} s_g`, gives

    .. math:: \mathrm{cov} = \frac{G - 1}{G} \sum_g b_g b_g^T

    and parameter j has :math:`(\sum_g a_g)^2 / \sum_g a_g^2 - 1` degrees of freedom, with
    :math:`a_g = (V H_g V)_{jj}`. A cluster without which nothing would hold the ratings is counted
    by :math:`V s_g`.

    Notes
    -----
    O(t^3 + k t) for a cluster with t items among k.
    """
    n, size = point.model.wins.n_items, len(v)
    order = np.argsort(cluster, kind="stable")
    bounds = [*np.flatnonzero(np.diff(cluster[order], prepend=-1)).tolist(), len(order)]
    tell = meat.weight * point.model.ties.information(meat.eta, float(point.z[-1]))
    moves, parts, pivotal = list[Floats](), list[Floats](), 0
    extra = np.flatnonzero(point.model.free[-2:]) + n
    for start, end in pairwise(bounds):
        rows = order[start:end]
        mine = meat.select(rows)
        items, index = np.unique(np.concatenate([mine.left, mine.right]), return_inverse=True)
        touched = np.concatenate([items, extra])
        x = np.zeros((len(rows), len(touched)))
        at = np.arange(len(rows))
        x[at, index[: len(rows)]] += 1.0
        x[at, index[len(rows) :]] -= 1.0
        score = x * mine.by_eta[:, None]
        for k, place in enumerate(extra.tolist()):
            side = place == size - 2
            x[:, len(items) + k] = 1.0 if side else 0.0
            score[:, len(items) + k] = mine.by_eta if side else mine.by_cut
        h_g = x.T @ (x * tell[rows, None])
        s_g = score.sum(axis=0)
        rest = np.eye(len(touched)) - h_g @ v[np.ix_(touched, touched)]
        inflated, whole = _solve(rest, s_g)
        pivotal += not whole
        moves.append(v[:, touched] @ inflated)
        parts.append(np.sum((v[:, touched] @ h_g) * v[:, touched], axis=1))
    b, a = np.array(moves), np.maximum(np.array(parts), 0.0)
    total, squares = a.sum(axis=0), np.sum(a**2, axis=0)
    df = np.where(squares > 0, total**2 / np.where(squares > 0, squares, 1.0) - 1, np.inf)
    groups = len(b)
    matrix = (groups - 1) / groups * b.T @ b
    return Clustered(matrix=matrix, df=np.maximum(df, 1.0), n=groups, pivotal=pivotal)


def _solve(rest: Floats, score: Floats) -> tuple[Floats, bool]:
    """Solve for what is left without a cluster; its own score, and False, where nothing is."""
    values = np.linalg.svd(rest, compute_uv=False)
    if values[-1] < LEAST_FREE:
        return score, False
    return np.linalg.solve(rest, score).astype(np.float64), True


def _leverage(meat: Meat, v: Floats, point: Point) -> Floats:
    left, right = meat.left, meat.right
    own = np.diag(v)
    spread = own[left] + own[right] - 2 * v[left, right]
    if point.model.sided:
        spread = spread + own[-2] + 2 * (v[left, -2] - v[right, -2])
    return meat.weight * point.model.ties.information(meat.eta, float(point.z[-1])) * spread


def _outer(meat: Meat, point: Point) -> Floats:
    """Sum of the outer products of the scores. O(comparisons)."""
    n, size = point.model.wins.n_items, point.model.size
    out = np.zeros((size, size))
    square = meat.by_eta**2
    joint = np.bincount(meat.left * n + meat.right, square, n * n).reshape(n, n)
    joint += joint.T.copy()
    out[:n, :n] = np.diag(joint.sum(axis=1)) - joint

    def items(values: Floats) -> Floats:
        up, down = (np.bincount(side, values, n) for side in (meat.left, meat.right))
        return (up - down).astype(np.float64)

    side = np.full(len(square), float(point.model.sided))
    both = meat.by_eta * meat.by_cut
    out[:n, -2] = out[-2, :n] = items(square * side)
    out[:n, -1] = out[-1, :n] = items(both)
    out[-2, -2], out[-1, -1] = np.sum(square * side), np.sum(meat.by_cut**2)
    out[-2, -1] = out[-1, -2] = np.sum(both * side)
    return out


def _between(outer: Floats, v: Floats) -> Floats:
    return v @ outer @ v

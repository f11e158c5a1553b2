"""Standard errors of ratings by rankings: robust, with each ranking for itself or in clusters."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise
from typing import Any

import numpy as np

from headcount.pairwise.bradley_terry.likelihood.newton import dot, solve
from headcount.pairwise.bradley_terry.standard_errors.clusters import Clusters
from headcount.pairwise.bradley_terry.standard_errors.covariance import Covariance
from headcount.pairwise.bradley_terry.standard_errors.hessian import EXACT, SOLVED
from headcount.pairwise.bradley_terry.standard_errors.pooled import Said
from headcount.pairwise.bradley_terry.standard_errors.robust import (
    cluster_factor,
    positive,
    scaled_by,
    tell_of_clusters,
)
from headcount.pairwise.bradley_terry.standard_errors.sandwich import Part, inverse, jackknifed
from headcount.pairwise.plackett_luce.model import RankingPoint
from headcount.pairwise.plackett_luce.stages import Stages
from headcount.results.notes import Notes
from headcount.typing import Codes, Floats, Ints

__all__ = ["ranking_errors"]


def ranking_errors(
    point: RankingPoint, block: Codes, clusters: Clusters, *, robust: bool, notes: Notes
) -> Covariance:
    """Find the covariance of ratings.

    Parameters
    ----------
    point : RankingPoint
        The maximum.
    block : (items,) array of int
        What was fitted together; -1 for items without a finite rating.
    clusters : Clusters
        Rankings that belong together, by comparison; empty if each stands for itself.
    robust : bool
        By what rankings vary (CR3), or by the Hessian. With a prior it is the posterior's.
    notes : Notes
    """
    kept = block >= 0
    posterior = point.model.prior is not None
    if int(kept.sum()) > EXACT:
        plain = _by_series(point, kept)
        if posterior or not robust:
            return plain
        named, row = _ways(point, clusters)
        return scaled_by(plain, cluster_factor(_said(point), named, row[point.model.entry_stage]))
    v = _posterior(point) if posterior else inverse(point.hessian(), block, np.zeros(0, dtype=bool))
    if posterior or not robust:
        return _covariance(v, kept, None, "observed information")
    named, row = _ways(point, clusters)
    ways = [jackknifed(v, _parts(point, v, codes[row])) for codes in named.codes]
    matrix, df = ways[0].matrix, ways[0].df
    if len(ways) > 1:
        crossing = jackknifed(v, _parts(point, v, named.crossed[row]))
        matrix = positive(ways[0].matrix + ways[1].matrix - crossing.matrix)
        df = np.minimum(ways[0].df, ways[1].df)
    tell_of_clusters(named.names, ways, notes)
    return _covariance(matrix, kept, df, f"robust, clustered by {named.title} (CR3)")


def _covariance(matrix: Floats, kept: Any, df: Floats | None, method: str) -> Covariance:
    return Covariance(
        variance=np.where(kept, np.diag(matrix), np.nan),
        matrix=matrix,
        gap=None,
        df=np.full(len(matrix), np.inf) if df is None else df,
        method=method,
    )


def _posterior(point: RankingPoint) -> Floats:
    """Inverse of the Hessian with a prior, relative to the mean of all items, which is 0."""
    v = np.linalg.inv(point.hessian()).astype(np.float64)
    return v - point.model.prior**2 / len(v) if point.model.prior is not None else v


def _by_series(point: RankingPoint, kept: Any) -> Covariance:
    """Approximate variances by two terms of the series of walks, from the diagonal of H."""
    n = point.model.stages.n_items
    joint = point.sparse_hessian().tocoo()
    across = joint.row != joint.col
    diagonal = np.where(point.diagonal > 0, point.diagonal, np.inf)
    row, column = joint.row[across], joint.col[across]
    walks = np.bincount(row, joint.data[across] ** 2 / diagonal[column], n)
    variance = 1 / diagonal + walks / diagonal**2

    def gap(i: int, j: int) -> float:
        apart = np.zeros(n)
        apart[[i, j]] = 1.0, -1.0
        found = solve(point.times, apart, point.diagonal, np.zeros(n), tolerance=SOLVED)
        return dot(apart, found)

    return Covariance(
        variance=np.where(kept, variance, np.nan),
        matrix=None,
        gap=gap,
        df=np.full(n, np.inf),
        method="observed information, approximate diagonal of its inverse",
    )


def _ways(point: RankingPoint, clusters: Clusters) -> tuple[Clusters, Ints]:
    """Clusters that were asked for, or rankings; and the comparison that each stage is of."""
    row = point.model.stages.row
    if clusters.names:
        return clusters, row
    # A ranking is known by one of its comparisons, which all of its stages name; sums go by what
    # rankings say, not by the order of the file.
    rows, first = np.unique(row, return_index=True)
    codes = np.zeros(int(row.max(initial=0)) + 1, dtype=np.int64)
    codes[rows[np.argsort(first)]] = np.arange(len(rows))
    return Clusters(names=("ranking",), codes=(codes,)), row


def _said(point: RankingPoint) -> Said:
    s = point.model.stages
    tell = s.weight[point.model.entry_stage] * point.p * (1 - point.p)
    return Said(s.item, point.pull, tell)


def _parts(point: RankingPoint, v: Floats, cluster: Ints) -> Iterator[Part]:
    """Add up the stages of each cluster."""
    s = point.model.stages
    order = np.argsort(cluster, kind="stable")
    bounds = [*np.flatnonzero(np.diff(cluster[order], prepend=-1)).tolist(), len(order)]
    sizes = s.sizes
    for begin, end in pairwise(bounds):
        stages: Ints = order[begin:end]
        entries = _entries(s, stages)
        owner = np.repeat(np.arange(len(stages)), sizes[stages])
        touched, place = np.unique(s.item[entries], return_inverse=True)
        shares = np.zeros((len(stages), len(touched)))
        shares[owner, place] = point.p[entries]
        weighted = shares * s.weight[stages][:, None]
        information = np.diag(weighted.sum(axis=0)) - weighted.T @ shares
        score = np.bincount(place, point.pull[entries], len(touched)).astype(np.float64)
        rows = v[touched]
        yield Part(touched, score, information, np.sum(rows * (information @ rows), axis=0))


def _entries(s: Stages, stages: Ints) -> Ints:
    """Entries of some stages, one stage after the other."""
    sizes = s.sizes[stages]
    ends = np.cumsum(sizes)
    return np.repeat(s.start[stages] - (ends - sizes), sizes) + np.arange(int(sizes.sum()))

"""Errors of a fit by what the answers vary, whatever the model says they should."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from headcount.data.comparisons import Comparisons
from headcount.errors import count
from headcount.pairwise.bradley_terry.controls import Controlled
from headcount.pairwise.bradley_terry.likelihood.model import Point
from headcount.pairwise.bradley_terry.standard_errors.clusters import Clusters
from headcount.pairwise.bradley_terry.standard_errors.covariance import Covariance
from headcount.pairwise.bradley_terry.standard_errors.hessian import (
    EXACT,
    standard_errors,
    variance,
)
from headcount.pairwise.bradley_terry.standard_errors.pooled import Said, pooled_factor
from headcount.pairwise.bradley_terry.standard_errors.sandwich import (
    Clustered,
    Meat,
    clustered,
    hc3,
    hessian_of,
    inverse,
    squares_of_pairs,
)
from headcount.results.notes import Notes
from headcount.typing import Codes, Flags, Floats, Ints

__all__ = [
    "Factor",
    "Fitted",
    "by_hessian",
    "cluster_factor",
    "positive",
    "robust",
    "scaled_by",
    "tell_of_clusters",
]

FEW_CLUSTERS = 5
"""Clusters below which their spread says little of how far they spread."""
MOST_LEVERAGE = 0.9
"""That one answer counts with, at most."""


@dataclass(frozen=True, eq=False, kw_only=True)
class Fitted:
    """A fit whose errors are to be found.

    Parameters
    ----------
    point : Point
        The maximum.
    played : Comparisons
        Those that count.
    block : (items,) array of int
        What was fitted together; -1 for items without a finite rating.
    clusters : Clusters
        Comparisons that belong together.
    controlled : Controlled or None
        The maximum with controls, which then stands in place of `point`.
    """

    point: Point
    played: Comparisons
    block: Codes
    clusters: Clusters
    controlled: Controlled | None = None

    @property
    def kept(self) -> Flags:
        """Items with a finite rating."""
        return self.block >= 0

    @property
    def free(self) -> Flags:
        """Parameters other than ratings that were fitted."""
        c = self.controlled
        return self.point.model.free[-2:] if c is None else c.free

    def differentiated(self) -> tuple[Meat, Flags]:
        """Comparisons among items with finite ratings, at the maximum; and which they are."""
        rows = self.kept[self.played.left] & self.kept[self.played.right]
        if self.controlled is not None:
            z, extra = self.controlled.z, self.controlled.extra
        else:
            z, sided = self.point.z, float(self.point.model.sided)
            extra = np.full((len(self.played.left), 1), sided)
        return Meat.of(z, self.point.model.ties, self.played, rows, extra), rows

    def inverted(self) -> Floats:
        """Write down the inverse of the negative Hessian, or of what is expected of it."""
        if self.controlled is not None:
            return self.controlled.inverse
        return inverse(hessian_of(self.point), self.block, self.free)


def by_hessian(fit: Fitted) -> Covariance:
    """Errors as the model says: the inverse of the negative Hessian, or the posterior's."""
    if fit.controlled is not None:
        return _covariance(fit, fit.controlled.inverse, None, "expected information")
    found = standard_errors(fit.point, fit.block)
    return Covariance(
        variance=found.values**2,
        matrix=None,
        gap=lambda i, j: variance(fit.point, _difference(fit.point, i, j)),
        df=np.full(fit.point.model.size, np.inf),
        method=found.method,
    )


def robust(fit: Fitted, notes: Notes) -> Covariance:
    """Errors by the answers' own spread: HC3, or CR3 where comparisons come in clusters.

    With a prior, or with slopes of raters, errors are those of the posterior. Above 2,000 items
    they are those of the Hessian times one factor, by which squared residuals, or what clusters add
    up to, exceed what the model expects.

    References
    ----------
    MacKinnon and White (1985), Some heteroskedasticity-consistent covariance matrix estimators with
    improved finite sample properties, Journal of Econometrics 29. Bell and McCaffrey (2002), Bias
    reduction in standard errors for linear regression with multi-stage samples, Survey Methodology
    28. Cameron, Gelbach and Miller (2011), Robust inference with multiway clustering, Journal of
    Business & Economic Statistics 29.
    """
    point = fit.point
    if point.model.prior is not None or point.model.wins.n_raters or not fit.kept.any():
        return by_hessian(fit)
    alone = not fit.clusters.names and fit.controlled is None
    many = int(fit.kept.sum()) > EXACT
    if alone and len(point.model.wins.tied):
        if many:
            return _scaled_pairs(fit, notes)
        meat, rows = Meat.of_pairs(point), np.zeros(0, dtype=np.bool_)
    else:
        meat, rows = fit.differentiated()
    if not meat.by_eta.any():
        return _all_as_expected(fit, notes)
    if many:
        return _scaled(fit, meat, rows)
    v = fit.inverted()
    if fit.clusters.names:
        return _by_clusters(fit, meat, rows, v, notes)
    return _covariance(fit, hc3(meat, v), None, "robust (HC3)")


def _all_as_expected(fit: Fitted, notes: Notes) -> Covariance:
    """Take what the model says where answers do not vary at all: all are ties."""
    notes.caution(
        "Every answer is as the ratings expect, a tie, so that answers do not tell how far they "
        "vary; intervals are those of the model."
    )
    return by_hessian(fit)


def _by_clusters(fit: Fitted, meat: Meat, rows: Flags, v: Floats, notes: Notes) -> Covariance:
    """One way, or two: the sum of both less that of their crossing."""
    ways = [clustered(meat, v, codes[rows]) for codes in fit.clusters.codes]
    matrix, df = ways[0].matrix, ways[0].df
    if len(ways) > 1:
        crossing = clustered(meat, v, fit.clusters.crossed[rows])
        # A difference of covariances may be negative in some direction, where it knows nothing.
        matrix = positive(ways[0].matrix + ways[1].matrix - crossing.matrix)
        df = np.minimum(ways[0].df, ways[1].df)
    tell_of_clusters(fit.clusters.names, ways, notes)
    how = f"robust, clustered by {fit.clusters.title} (CR3)"
    return _covariance(fit, matrix, df, how)


def positive(matrix: Floats) -> Floats:
    """Return the nearest matrix without a negative variance in any direction."""
    values, vectors = np.linalg.eigh((matrix + matrix.T) / 2)
    return (vectors * np.maximum(values, 0.0)) @ vectors.T


def tell_of_clusters(names: Sequence[str], ways: Sequence[Clustered], notes: Notes) -> None:
    """Say if intervals rest on few clusters, or on some of them alone."""
    for name, way in zip(names, ways, strict=True):
        if way.n < FEW_CLUSTERS:
            notes.caution(
                f"Intervals rest on {count(way.n, name)} alone, too few to tell how far others "
                "would differ; take them as approximate."
            )
        if way.pivotal:
            notes.caution(
                f"Without {count(way.pivotal, name)} of {way.n:,} some ratings would have no "
                "bound, so that intervals may be too narrow."
            )


def _covariance(fit: Fitted, matrix: Floats, df: Floats | None, method: str) -> Covariance:
    free = np.concatenate([fit.kept, fit.free])
    size = len(free)
    return Covariance(
        variance=np.where(free, np.diag(matrix), np.nan),
        matrix=matrix,
        gap=None,
        df=np.full(size, np.inf) if df is None else df,
        method=method,
    )


def _scaled(fit: Fitted, meat: Meat, rows: Flags) -> Covariance:
    """Multiply the Hessian's by how much more, or less, the answers vary than the model says."""
    plain = by_hessian(fit)
    if fit.clusters.names:
        meat = meat.together()
        both = np.concatenate([meat.left, meat.right])
        score = np.concatenate([meat.by_eta, -meat.by_eta])
        said = Said(both, score, np.tile(meat.tell, 2))
        return scaled_by(plain, cluster_factor(said, fit.clusters, np.tile(rows.nonzero()[0], 2)))
    spread = plain.variance[meat.left] + plain.variance[meat.right]
    told = float(np.sum(meat.times * meat.tell))
    return _by_spread(plain, meat.times * meat.by_eta**2, meat.tell * spread, told)


def _scaled_pairs(fit: Fitted, notes: Notes) -> Covariance:
    """Do the same by pairs as they were added up, of which there are fewer."""
    squares, wins = squares_of_pairs(fit.point), fit.point.model.wins
    if not squares.any():
        return _all_as_expected(fit, notes)
    plain, curve = by_hessian(fit), fit.point.curve
    spread = plain.variance[wins.first] + plain.variance[wins.second]
    leverage = curve / (wins.win + wins.loss) * spread
    return _by_spread(plain, squares, leverage, float(curve.sum()))


def _by_spread(plain: Covariance, squares: Floats, leverage: Floats, expected: float) -> Covariance:
    """Multiply variances by squared residuals over what the model expects of them."""
    seen = float(np.sum(squares / (1 - np.minimum(leverage, MOST_LEVERAGE))))
    return scaled_by(plain, Factor(seen / expected, "the spread of the answers"))


class Factor(NamedTuple):
    """What variances are multiplied by, for what, and its degrees of freedom."""

    value: float
    words: str
    df: float = math.inf


def cluster_factor(said: Said, clusters: Clusters, row: Ints) -> Factor:
    """Find one factor for clusters, of one kind or of two: the sum of both less their crossing.

    `row` is the comparison that each entry is of.
    """
    ways = [pooled_factor(said, codes[row]) for codes in clusters.codes]
    groups = [len(np.unique(codes[row])) for codes in clusters.codes]
    phi = ways[0]
    if len(ways) > 1:
        phi = max(*ways, sum(ways) - pooled_factor(said, clusters.crossed[row]))
    words = f"how answers of the same {clusters.title} hang together"
    return Factor(phi, words, max(min(groups) - 1.0, 1.0))


def scaled_by(plain: Covariance, factor: Factor) -> Covariance:
    """Multiply variances by one factor."""
    phi, gap = factor.value, plain.gap
    return Covariance(
        variance=phi * plain.variance,
        matrix=None,
        gap=None if gap is None else lambda i, j: phi * gap(i, j),
        df=np.full(len(plain.df), factor.df),
        method=f"{plain.method}, times {phi:.3g} for {factor.words}",
    )


def _difference(point: Point, i: int, j: int) -> Floats:
    out = np.zeros(point.model.size)
    out[[i, j]] = 1.0, -1.0
    return out

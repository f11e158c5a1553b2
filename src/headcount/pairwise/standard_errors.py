"""How far fitted numbers may be off: by the Hessian, or by how much the answers vary."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from headcount import options
from headcount.data.comparisons import Comparisons
from headcount.errors import count
from headcount.pairwise.likelihood import Point, centred, dot, solve
from headcount.pairwise.sandwich import (
    Clustered,
    Clusters,
    Meat,
    clustered,
    hc3,
    hessian_of,
    inverse,
    squares_of_pairs,
)
from headcount.results.notes import Notes
from headcount.stats.estimate import Estimate
from headcount.stats.intervals import WALD, WALD_T
from headcount.typing import Codes, Flags, Floats, Ints

__all__ = [
    "ROBUST",
    "HESSIAN",
    "ERRORS",
    "Parameter",
    "Covariance",
    "EXACT",
    "SOLVED",
    "Errors",
    "standard_errors",
    "variance",
    "ScoreTerms",
    "pooled_factor",
    "Controlled",
    "Fitted",
    "by_hessian",
    "robust",
    "both_ways",
    "widened",
    "POSTERIOR",
    "tell_of_clusters",
    "Factor",
    "cluster_factor",
    "scaled_by",
]


# What standard errors can be by, in options.

POSTERIOR = "of the posterior"
ROBUST, HESSIAN = ERRORS = ("robust", "hessian")
"""By how much the answers vary, or as the model says."""


# A fitted number, its standard error, and the normal interval they make.


@dataclass(frozen=True)
class Parameter:
    """A fitted number, its standard error, and the degrees of freedom of that.

    Examples
    --------
    >>> Parameter(0.5, 0.1).estimate()
    0.5 (0.304 to 0.696)
    """

    value: float
    standard_error: float
    df: float = math.inf

    def estimate(self, level: float = 0.95) -> Estimate:
        """Add a normal (Wald) interval, or Student's where degrees of freedom are few."""
        method = WALD if math.isinf(self.df) else WALD_T
        return Estimate.from_error(
            self.value,
            self.standard_error,
            level=options.level(level),
            method=method,
            n=self.df + 1,
        )

    def times(self, unit: float) -> Parameter:
        """Write it in another unit."""
        return self.of(self.value * unit, unit)

    def of(self, value: float, slope: float) -> Parameter:
        """Write what becomes of it under a function with this value and slope (delta method)."""
        return Parameter(value, self.standard_error * slope, self.df)


# How far the parameters of a fit may be off, and how two of them go together.


@dataclass(frozen=True, eq=False, kw_only=True)
class Covariance:
    """Covariance of all parameters: ratings, the advantage of the left side and the cut.

    Parameters
    ----------
    variance : (parameters,) array
        nan where there is none.
    matrix : (parameters, parameters) array or None
        All of it, where it was written down; 0 with parameters that have none.
    gap : callable or None
        Variance of a difference of two ratings, by their positions, where `matrix` is None.
    df : (parameters,) array
        Degrees of freedom of each variance; infinite for normal intervals.
    method : str
        How it was found, in words.
    """

    variance: Floats
    matrix: Floats | None
    gap: Callable[[int, int], float] | None
    df: Floats
    method: str

    @property
    def errors(self) -> Floats:
        """Standard errors."""
        # Rounding may leave a variance that is 0 just below it.
        return np.sqrt(np.maximum(self.variance, 0.0))

    def of_gap(self, i: int, j: int) -> float:
        """Variance of the difference of two ratings."""
        if self.matrix is not None:
            m = self.matrix
            return max(float(m[i, i] + m[j, j] - 2 * m[i, j]), 0.0)
        if self.gap is not None:
            return self.gap(i, j)
        return float(self.variance[i] + self.variance[j])


# Standard errors of a Bradley-Terry fit, from the negative Hessian at its maximum.

EXACT = 2000
"""Items up to which the Hessian is inverted."""
SOLVED = 1e-10


class Errors(NamedTuple):
    """Standard errors of all parameters, nan where there is none, and how they were found."""

    values: Floats
    method: str


def standard_errors(point: Point, block: Codes) -> Errors:
    r"""Approximate the standard errors of all parameters, where items are many.

    The negative Hessian is cut into A, of items; C, of the shift and the cut; and B, of both. Then

    .. math:: \mathrm{cov} = \begin{pmatrix} A^+ + A^+ B S^{-1} B^T A^+ & \cdot \\
              \cdot & S^{-1} \end{pmatrix}, \quad S = C - B^T A^+ B

    The diagonal of the pseudo-inverse :math:`A^+` is approximated by two terms of the series of
    walks from an item back to itself, :math:`1/d_i + \sum_j h_{ij}^2 / (d_i^2 d_j)`.

    Parameters
    ----------
    point : Point
        The fit.
    block : (items,) array of int
        Component of each item, or one block for all; -1 for those without a finite rating.

    Notes
    -----
    O(cells).
    """
    model = point.model
    n = model.wins.n_items
    out = np.full(model.size, np.nan)
    out[:n][block >= 0] = _series(point)[:n][block >= 0]
    extra = np.flatnonzero(model.free[-2:]) + n
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
            solve(within, np.where(inner, c, 0.0), diagonal, tolerance=SOLVED) for c in columns
        ]
        if model.prior is None:
            for x in solved:
                x[:n] = centred(x[:n], block)  # a singular system leaves the mean open
        b, x = np.array(columns).T, np.array(solved).T
        s = np.linalg.inv(b[extra] - np.where(inner[:, None], b, 0.0).T @ x)
        out += np.sum((x @ s) * x, axis=1)
        out[extra] = np.diag(s)
    # Rounding may leave a variance that is 0 just below it.
    how = "observed information, approximate diagonal of its inverse"
    return Errors(np.sqrt(np.maximum(out, 0.0)), how)


def _series(point: Point) -> Floats:
    """Approximate variances by two terms of the series of walks."""
    from headcount.pairwise._kernels import squares

    wins, n = point.model.wins, point.model.wins.n_items
    diagonal = np.where(point.diagonal > 0, point.diagonal, np.inf)
    out = 1 / diagonal
    walks = squares(wins.first, wins.second, point.curve, diagonal[:n])
    out[:n] += walks / diagonal[:n] ** 2
    return out


def variance(point: Point, direction: Floats) -> float:
    """Variance of a linear combination of parameters, such as a difference of two ratings.

    One solution by conjugate gradients, exact at any size.
    """
    x = solve(point.times, direction, point.diagonal, tolerance=SOLVED)
    return dot(direction, x)


# One factor for all errors, where items are too many to write a covariance down.
#
# What a cluster g says of item j is added up: its score :math:`s_{gj}` and its information
# :math:`h_{gj}`, of :math:`H_j` in all. Were the model right and answers independent, the mean of
# :math:`s_{gj}^2 / (1 - h_{gj} / H_j)` would be :math:`h_{gj}`. The factor by which variances
# exceed those of the Hessian is
#
# .. math:: \phi = \frac{\sum_j \sum_g s_{gj}^2 / (1 - h_{gj} / H_j)}{\sum_j H_j}

MOST_SHARE = 0.9
"""Share of what is known about an item, from which on a cluster's is not told from the rest."""


class ScoreTerms(NamedTuple):
    """What answers say of single items: score and information of each, weights included."""

    item: Ints
    score: Floats
    tell: Floats


def pooled_factor(terms: ScoreTerms, cluster: Ints) -> float:
    """Find by how much answers of clusters vary more, or less, than the model says.

    Parameters
    ----------
    terms : ScoreTerms
        (entries,) arrays: an answer has one for each of its items.
    cluster : (entries,) array of int

    Notes
    -----
    O(entries log entries). What an answer of a cluster says of one item and what another says of
    another are taken as independent, as are the tastes for different items.

    Examples
    --------
    >>> terms = ScoreTerms(np.array([0, 0, 0, 0]), np.array([1.0, 1, -1, -1]), np.full(4, 0.5))
    >>> pooled_factor(terms, np.arange(4)), pooled_factor(terms, np.array([0, 0, 1, 1]))
    (2.6666666666666665, 8.0)
    """
    n = int(terms.item.max(initial=0)) + 1
    _, cell = np.unique(cluster * n + terms.item, return_inverse=True)
    cell = cell.reshape(-1)
    item = np.zeros(int(cell.max(initial=-1)) + 1, dtype=np.int64)
    item[cell] = terms.item
    score, tell = np.bincount(cell, terms.score), np.bincount(cell, terms.tell)
    total = np.bincount(terms.item, terms.tell, n)
    share = np.minimum(tell / np.maximum(total[item], 1e-300), MOST_SHARE)
    return float(np.sum(score**2 / (1 - share)) / np.sum(total))


@dataclass(frozen=True, eq=False, kw_only=True)
class Controlled:
    """The maximum with controls.

    Parameters
    ----------
    z : (parameters,) array
        Ratings, what a standard deviation of each control adds, the advantage of the left side, and
        the cut.
    extra : (comparisons, controls + 1) array
        Differences, and 1 for the left side, if it has an advantage.
    free : (controls + 2,) array of bool
        Which parameters other than ratings are fitted.
    inverse : (parameters, parameters) array
        Of the information.
    gradient, log_likelihood : float
    converged : bool
    n_iter : int
    """

    z: Floats
    extra: Floats
    free: Flags
    inverse: Floats
    gradient: float
    log_likelihood: float
    converged: bool
    n_iter: int


# Errors of a fit by what the answers vary, whatever the model says they should.

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
    noise : float
        Variance of answers as a share of what the model says, beside a prior that was fitted.
    """

    point: Point
    played: Comparisons
    block: Codes
    clusters: Clusters
    controlled: Controlled | None = None
    noise: float = 1.0

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
        hessian, prior = hessian_of(self.point), self.point.model.prior
        if prior is None:
            return inverse(hessian, self.block, self.free)
        # Ratings are relative to their mean, which is 0: along it the prior is all there is.
        return inverse(hessian, np.minimum(self.block, 0), self.free, held=prior**-2)


def by_hessian(fit: Fitted) -> Covariance:
    """Errors as the model says: the inverse of the negative Hessian, or the posterior's."""
    plain = _by_model(fit)
    if fit.noise == 1:
        return plain
    return scaled_by(plain, Factor(fit.noise, "ties, which are halves"))


def _by_model(fit: Fitted) -> Covariance:
    if fit.controlled is not None:
        return _covariance(fit, fit.controlled.inverse, None, "expected information")
    if int(fit.kept.sum()) <= EXACT:
        return _covariance(fit, fit.inverted(), None, "observed information")
    errors = standard_errors(fit.point, fit.block)
    return Covariance(
        variance=errors.values**2,
        matrix=None,
        gap=lambda i, j: variance(fit.point, _difference(fit.point, i, j)),
        df=np.full(fit.point.model.size, np.inf),
        method=errors.method,
    )


def robust(fit: Fitted, notes: Notes) -> Covariance:
    """Errors by the answers' own spread: HC3, or CR3 where comparisons come in clusters.

    With a prior, errors are those of the posterior, wider by what clusters add. Above 2,000 items
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
    if not fit.kept.any():
        return by_hessian(fit)
    alone = not fit.clusters.names and fit.controlled is None
    many = int(fit.kept.sum()) > EXACT
    if point.model.prior is not None:
        return _posterior(fit, notes, many=many)
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
    matrix, df = _of_clusters(fit, meat, rows, v, notes)
    return _covariance(fit, matrix, df, f"robust, clustered by {fit.clusters.title} (CR3)")


def _of_clusters(
    fit: Fitted, meat: Meat, rows: Flags, v: Floats, notes: Notes
) -> tuple[Floats, Floats]:
    ways = [clustered(meat, v, codes[rows]) for codes in fit.clusters.codes]
    crossing = clustered(meat, v, fit.clusters.crossed[rows]) if len(ways) > 1 else None
    tell_of_clusters(fit.clusters.names, ways, notes)
    return both_ways(ways, crossing)


def both_ways(ways: Sequence[Clustered], crossing: Clustered | None) -> tuple[Floats, Floats]:
    """Put clusters of two kinds together: the sum of both less that of their crossing."""
    if crossing is None:
        return ways[0].matrix, ways[0].df
    # A difference of covariances may be negative in some direction, where it knows nothing.
    values, vectors = np.linalg.eigh(ways[0].matrix + ways[1].matrix - crossing.matrix)
    matrix = (vectors * np.maximum(values, 0.0)) @ vectors.T
    return matrix, np.minimum(ways[0].df, ways[1].df)


def _posterior(fit: Fitted, notes: Notes, *, many: bool) -> Covariance:
    """Errors beside a prior: the posterior's, and as much more as clusters add."""
    meat, rows = fit.differentiated()
    clusters = fit.clusters.names and meat.by_eta.any()
    if many:
        return _scaled(fit, meat, rows) if clusters else by_hessian(fit)
    v = fit.inverted()
    if not clusters:
        return _covariance(fit, fit.noise * v, None, POSTERIOR)
    matrix, df = _of_clusters(fit, meat, rows, v, notes)
    wider = widened(fit.noise * v, matrix, hc3(meat, v), df)
    return _covariance(fit, *wider, f"{POSTERIOR}, clustered by {fit.clusters.title}")


def widened(
    posterior: Floats, clusters: Floats, alone: Floats, df: Floats
) -> tuple[Floats, Floats]:
    """Widen a posterior by what answers of a cluster have in common; with degrees of freedom.

    Answers of one item are few where there is a prior, and vary by luck alone: how far they do is
    left to the model, and only what clusters vary more than the answers in them is added.

    Parameters
    ----------
    posterior, clusters, alone : (parameters, parameters) arrays
        Covariances: of the posterior, by clusters, and with each answer for itself.
    df : (parameters,) array
        Degrees of freedom of that by clusters.
    """
    known, by_clusters = np.diag(posterior), np.diag(clusters)
    total = known + np.maximum(by_clusters - np.diag(alone), 0.0)
    stretch = np.sqrt(total / np.where(known > 0, known, 1.0))
    # Satterthwaite: only what clusters say of a rating is estimated from them.
    told = np.minimum(by_clusters, total)
    share = np.where(told > 0, total, 1.0) / np.where(told > 0, told, 1.0)
    return posterior * np.outer(stretch, stretch), np.maximum(df, 1.0) * share**2


def tell_of_clusters(names: Sequence[str], ways: Sequence[Clustered], notes: Notes) -> None:
    """Say if intervals rest on few clusters, or on some of them alone."""
    for name, way in zip(names, ways, strict=True):
        if way.n < FEW_CLUSTERS:
            notes.warning(
                f"Intervals rest on {count(way.n, name)} alone: they allow for how much these "
                f"differ, by Student's t with few degrees of freedom, and results may not hold for "
                "others.",
                short=f"With {count(way.n, name)}, results may not hold for others.",
                rank=2,
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
        terms = ScoreTerms(both, score, np.tile(meat.tell, 2))
        factor = cluster_factor(terms, fit.clusters, np.tile(rows.nonzero()[0], 2))
        if fit.point.model.prior is not None:  # what answers vary by is counted already
            factor = factor._replace(value=max(factor.value / fit.noise, 1.0))
        return scaled_by(plain, factor)
    spread = plain.variance[meat.left] + plain.variance[meat.right]
    expected = float(np.sum(meat.times * meat.tell))
    return _by_spread(plain, meat.times * meat.by_eta**2, meat.tell * spread, expected)


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
    spread = float(np.sum(squares / (1 - np.minimum(leverage, MOST_LEVERAGE))))
    return scaled_by(plain, Factor(spread / expected, "the spread of the answers"))


class Factor(NamedTuple):
    """What variances are multiplied by, for what, and its degrees of freedom."""

    value: float
    words: str
    df: float = math.inf


def cluster_factor(terms: ScoreTerms, clusters: Clusters, row: Ints) -> Factor:
    """Find one factor for clusters, of one kind or of two: the sum of both less their crossing.

    `row` is the comparison that each entry is of.
    """
    ways = [pooled_factor(terms, codes[row]) for codes in clusters.codes]
    groups = [len(np.unique(codes[row])) for codes in clusters.codes]
    phi = ways[0]
    if len(ways) > 1:
        phi = max(*ways, sum(ways) - pooled_factor(terms, clusters.crossed[row]))
    words = f"how answers of the same {clusters.title} depend on each other"
    return Factor(phi, words, max(min(groups) - 1.0, 1.0))


def scaled_by(plain: Covariance, factor: Factor) -> Covariance:
    """Multiply variances by one factor."""
    phi, gap = factor.value, plain.gap
    return Covariance(
        variance=phi * plain.variance,
        matrix=None if plain.matrix is None else phi * plain.matrix,
        gap=None if gap is None else lambda i, j: phi * gap(i, j),
        df=np.full(len(plain.df), factor.df),
        method=f"{plain.method}, times {phi:.3g} for {factor.words}",
    )


def _difference(point: Point, i: int, j: int) -> Floats:
    out = np.zeros(point.model.size)
    out[[i, j]] = 1.0, -1.0
    return out

"""Plackett-Luce: ratings of items from rankings, by maximum likelihood."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from importlib import import_module
from itertools import pairwise
from typing import Any

import numpy as np

from headcount.data.comparisons import Comparisons
from headcount.pairwise.answers import components, graph_sentences
from headcount.pairwise.fit import BradleyTerry, tell_of_climb, that_count
from headcount.pairwise.likelihood import centred, dot, maximise, solve
from headcount.pairwise.priors import (
    SPREAD_TOLERANCE,
    given_prior,
    needs_prior,
    spread_of,
    tell_of_prior,
    what_compares,
)
from headcount.pairwise.sandwich import Clusters, Part, choose_clusters, inverse, jackknifed
from headcount.pairwise.standard_errors import (
    EXACT,
    POSTERIOR,
    ROBUST,
    SOLVED,
    Covariance,
    ScoreTerms,
    both_ways,
    cluster_factor,
    scaled_by,
    tell_of_clusters,
    widened,
)
from headcount.pairwise.ties import HALF
from headcount.results.notes import Notes
from headcount.typing import Codes, Flags, Floats, Ints

__all__ = [
    "rate_rankings",
]


# Ratings of items from rankings, by maximum likelihood.


def rate_rankings(
    comparisons: Comparisons,
    *,
    prior: float | str | None,
    errors: str,
    cluster: str | Sequence[str],
    tolerance: float,
    max_iter: int,
    level: float,
    notes: Notes,
) -> BradleyTerry:
    """Rate items so that the rankings are as likely as they can be.

    Finite ratings exist where those of the pairs that rankings order do (Hunter 2004). Errors are
    robust with each ranking for itself, or with what they hang together by.

    Parameters
    ----------
    comparisons : Comparisons
        Pairs of rankings.
    prior, errors, cluster, tolerance, max_iter, level
        As in :func:`~headcount.pairwise.bradley_terry.bradley_terry`.
    notes : Notes

    Notes
    -----
    O(k^2) for each ranking of k items and step, of which there are about 6.

    References
    ----------
    Plackett (1975), The analysis of permutations, JRSS C 24(2). Luce (1959), Individual choice
    behavior. Hunter (2004), MM algorithms for generalized Bradley-Terry models, Annals of
    Statistics 32. Efron (1977), The efficiency of Cox's likelihood function for censored data, JASA
    72. Marley and Louviere (2005), Some probabilistic models of best, worst, and best-worst
    choices, Journal of Mathematical Psychology 49.
    """
    played = that_count(comparisons, HALF, errors)
    graph = components(played)
    kept = graph.finite & graph.compared
    width, fitted = given_prior(prior), needs_prior(prior, graph)
    if fitted:
        width = _fitted_prior(played, max_iter)
    if width is None:
        notes.extend(graph_sentences(graph, comparisons.items))
    else:
        apart = bool(what_compares(prior, graph).any())
        tell_of_prior(graph, comparisons, width, notes, fitted=fitted, apart=apart)
        kept[:] = True
    top = covariance = None
    rating = np.array([np.nan, np.inf, -np.inf])[graph.direction]
    if kept.any():
        model = RankingModel(Stages.of(played, kept), prior=width)
        top = maximise(model, np.zeros(len(kept)), tolerance=tolerance, max_iter=max_iter)
        tell_of_climb(top, tolerance, max_iter, notes)
        block: Codes = np.where(kept, 0 if width is not None else graph.component, -1)
        rating[kept] = centred(top.point.z, block)[kept]
        clusters, robust = choose_clusters(cluster, played), errors == ROBUST
        covariance = ranking_errors(top.point, block, clusters, robust=robust, notes=notes)
    return BradleyTerry(
        items=comparisons.items,
        rating=rating,
        standard_error=np.full(len(kept), np.nan) if covariance is None else covariance.errors,
        component=graph.component,
        compares=what_compares(prior, graph),
        tie_model=HALF,
        prior=width,
        prior_fitted=fitted,
        log_likelihood=math.nan if top is None else top.point.log_likelihood,
        converged=top is None or top.converged,
        n_iter=0 if top is None else top.n_iter,
        gradient=0.0 if top is None else float(np.abs(top.point.gradient).max()),
        method="none" if covariance is None else covariance.method,
        covariance=covariance,
        graph=graph,
        level=level,
        notes=tuple(notes),
    )


def _fitted_prior(played: Comparisons, max_iter: int) -> float:
    """Fit the spread of the prior of ratings."""
    stages = Stages.of(played, np.ones(len(played.items), dtype=bool))
    last = [np.zeros(len(played.items))]

    def climb(spread: float) -> tuple[RankingPoint, Any]:
        model = RankingModel(stages, prior=spread)
        top = maximise(model, last[-1], tolerance=SPREAD_TOLERANCE, max_iter=max_iter)
        last.append(top.point.z)
        return top.point, top.point.sparse_hessian()

    return spread_of(climb)


# Rankings as stages: at each, an item is chosen from those that are left.
#
# .. math:: P(c \mid S) = \frac{e^{\theta_c}}{\sum_{j \in S} e^{\theta_j}}
#
# A ranking is chosen from the best down (Plackett 1975, Luce 1959). Items that are tied are each
# chosen with an equal share of every stage at which one of them goes, and count in what is left
# with the share of them that is still there (Efron 1977): for two items, half a win for either.
# The worst of a set, of which no more is known, is chosen with :math:`-\theta` in place of
# :math:`\theta`.


@dataclass(frozen=True, eq=False, kw_only=True)
class Stages:
    """Choices from sets, one after the other: entries are the items of each set.

    Parameters
    ----------
    n_items : int
    start : (stages,) array of int
        First entry of each stage.
    item : (entries,) array of int
    part : (entries,) array of float
        How much of an item is in the set: 1, or less of those that are tied.
    chosen : (entries,) array of float
        What share of the choice an item has: 1 or 0, or less than 1 of those that are tied.
    sign : (stages,) array of float
        1 where the best was chosen, -1 where the worst was.
    weight : (stages,) array of float
    row : (stages,) array of int
        A comparison of the ranking that the stage is of.
    """

    n_items: int
    start: Ints
    item: Codes
    part: Floats
    chosen: Floats
    sign: Floats
    weight: Floats
    row: Ints

    @property
    def stage(self) -> Ints:
        """Stage of each entry."""
        return np.repeat(np.arange(len(self.start)), self.sizes)

    @property
    def sizes(self) -> Ints:
        """Items in each set."""
        return np.diff(self.start, append=len(self.item))

    @classmethod
    def of(cls, played: Comparisons, kept: Flags) -> Stages:
        """Put rankings together again from their pairs, among the items that are kept.

        Without some of its items, a ranking is one of the others. O(pairs log pairs).
        """
        n = len(played.items)
        rows = np.flatnonzero(kept[played.left] & kept[played.right])
        ranking = np.zeros(len(played), np.int64) if played.ranking is None else played.ranking
        names, whose = np.unique(ranking[rows], return_inverse=True)
        key = np.concatenate([whose * n + played.left[rows], whose * n + played.right[rows]])
        entries, index = np.unique(key, return_inverse=True)
        left, right = index[: len(rows)], index[len(rows) :]
        share = played.outcome[rows]
        size = len(entries)
        both = np.bincount(left, share, size) + np.bincount(right, 1 - share, size)
        won = both.astype(np.float64)
        met = np.bincount(left, minlength=size) + np.bincount(right, minlength=size)
        owner, item = entries // n, entries % n
        k = np.bincount(owner, minlength=len(names))
        complete = np.bincount(whose, minlength=len(names)) == k * (k - 1) // 2
        row = np.zeros(len(names), dtype=np.int64)
        row[whose[::-1]] = rows[::-1]
        made = _Builder(played=played, row=row)
        order = np.lexsort((item, -won, owner))
        start = np.concatenate([[0], np.cumsum(k)])
        _add_orders(made, order, start, item, won, complete)
        _add_extremes(made, order, start, item, (won, met), complete)
        return made.stages(n)


class _Builder:
    """Stages as they are found, set by set."""

    def __init__(self, *, played: Comparisons, row: Ints) -> None:
        self.played, self.row = played, row
        self.parts: list[tuple[Codes, Floats, Floats, Ints, Ints, Floats]] = []

    def sorted(
        self, ranking: Ints, order: Ints, start: Ints, item: Codes, k: int
    ) -> tuple[Ints, Codes]:
        """Rankings of k items, in the order of what they say, with their items, best first."""
        places: Ints = start[ranking][:, None] + np.arange(k)
        items = item[order[places]]
        weight = self.played.weights[self.row[ranking]]
        by_content = np.lexsort((weight, *items.T[::-1]))
        return ranking[by_content], items[by_content]

    def add(self, items: Codes, part: Floats, chosen: Floats, ranking: Ints, sign: float) -> None:
        """Add a stage of each of several rankings: (rankings, entries) items of one pattern."""
        n, k = len(items), len(part)
        self.parts.append(
            (
                items.ravel(),
                np.tile(part, n),
                np.broadcast_to(chosen, (n, k)).ravel(),
                np.full(n, k),
                ranking,
                np.full(n, sign),
            )
        )

    def stages(self, n_items: int) -> Stages:
        """Put all stages after one another, in the order of what they say."""
        item, part, chosen, size, ranking, sign = (
            np.concatenate(column) for column in zip(*self.parts, strict=True)
        )
        row = self.row[ranking]
        return Stages(
            n_items=n_items,
            start=np.cumsum(size) - size,
            item=item,
            part=part,
            chosen=chosen,
            sign=sign,
            weight=self.played.weights[row],
            row=row,
        )


def _add_orders(
    made: _Builder, order: Ints, start: Ints, item: Codes, won: Floats, complete: Flags
) -> None:
    """Add the stages of rankings of which the whole order is known, by their pattern of ties."""
    points = won[order]
    new = np.diff(points, prepend=np.inf) != 0
    new[start[:-1]] = True
    patterns: dict[bytes, list[int]] = {}
    for r in np.flatnonzero(complete).tolist():
        patterns.setdefault(new[start[r] : start[r + 1]].tobytes(), []).append(r)
    for pattern, members in sorted(patterns.items()):
        firsts = np.flatnonzero(np.frombuffer(pattern, dtype=bool))
        levels: list[int] = np.diff(firsts, append=len(pattern)).tolist()
        k = sum(levels)
        ranking, items = made.sorted(np.array(members), order, start, item, k)
        gone = 0
        for m in levels:
            last = 1 if k - gone - m else 2  # the last of those tied at the end needs no choice
            for left in range(m, last - 1, -1):
                part = np.ones(k - gone)
                part[:m] = left / m
                chosen = np.zeros(k - gone)
                chosen[:m] = 1 / m
                made.add(items[:, gone:], part, chosen, ranking, 1.0)
            gone += m


def _add_extremes(
    made: _Builder,
    order: Ints,
    start: Ints,
    item: Codes,
    points: tuple[Floats, Ints],
    complete: Flags,
) -> None:
    """Add the choice of the best, and that of the worst of the others, where no more is known."""
    won, met = points
    size = np.diff(start)
    first, last = order[start[:-1]], order[start[1:] - 1]
    best = (met[first] == size - 1) & (won[first] == size - 1)
    worst = (met[last] == size - 1) & (won[last] == 0)
    sizes: list[int] = np.unique(size[~complete]).tolist()
    for k in sizes:
        for has_best, has_worst in ((True, True), (True, False), (False, True)):
            same = ~complete & (size == k) & (best == has_best) & (worst == has_worst)
            ranking, items = made.sorted(np.flatnonzero(same), order, start, item, k)
            if has_best and len(ranking):
                made.add(items, np.ones(k), np.eye(k)[0], ranking, 1.0)
            if has_worst and len(ranking):
                rest, left = items[:, int(has_best) :], k - int(has_best)
                made.add(rest, np.ones(left), np.eye(left)[-1], ranking, -1.0)


# The Plackett-Luce log-likelihood with its gradient and Hessian.


def _added_up(stages: Stages, values: Floats) -> Floats:
    """Add up values of entries by item."""
    return np.bincount(stages.item, values, stages.n_items).astype(np.float64)


@dataclass(frozen=True, eq=False)
class RankingModel:
    r"""Ratings of items, and how likely they make the choices.

    .. math:: \ell = \sum_s w_s \Big( \pm \sum_j c_{sj} \theta_j -
              \log \sum_j m_{sj} e^{\pm \theta_j} \Big) - \sum_i \frac{\theta_i^2}{2 \tau^2}

    Parameters
    ----------
    stages : Stages
    prior : float or None
        Standard deviation :math:`\tau` of ratings around 0.
    """

    stages: Stages
    prior: float | None = None

    @property
    def exposure(self) -> Floats:
        """Weight of the choices that each item has a part in."""
        return self._exposure

    @cached_property
    def _exposure(self) -> Floats:
        return _added_up(self.stages, self.stages.weight[self.entry_stage])

    @property
    def precision(self) -> float:
        """Precision of the prior."""
        return 0.0 if self.prior is None else self.prior**-2

    def longest(self, z: Floats, step: Floats) -> float:
        """Take any step."""
        del z, step
        return 1.0

    def at(self, z: Floats) -> RankingPoint:
        """Evaluate it. O(entries)."""
        s = self.stages
        stage = self.entry_stage
        u = s.sign[stage] * z[s.item]
        top = np.maximum.reduceat(u, s.start)
        odds = s.part * np.exp(u - top[stage])
        total = np.add.reduceat(odds, s.start)
        p = odds / total[stage]
        weight = s.weight[stage]
        likelihood = float(np.sum(weight * s.chosen * u) - np.sum(s.weight * (np.log(total) + top)))
        pull = weight * s.sign[stage] * (s.chosen - p)
        gradient = _added_up(s, pull) - self.precision * z
        diagonal = _added_up(s, weight * p * (1 - p)) + self.precision
        return RankingPoint(
            model=self,
            z=z,
            value=likelihood - 0.5 * self.precision * float(np.sum(z**2)),
            log_likelihood=likelihood,
            gradient=gradient,
            diagonal=diagonal,
            p=p,
            pull=pull,
        )

    @cached_property
    def entry_stage(self) -> Ints:
        """Stage of each entry."""
        return self.stages.stage


@dataclass(frozen=True, eq=False, kw_only=True)
class RankingPoint:
    """A model at one vector of ratings.

    Parameters
    ----------
    model : RankingModel
    z : (items,) array
    value, log_likelihood : float
        With the penalty of the prior, and without.
    gradient, diagonal : (items,) arrays
        Of `value`; `diagonal` is that of the negative Hessian.
    p : (entries,) array
        Probability that an item is chosen.
    pull : (entries,) array
        What the choice says of its rating: the derivative of the log-likelihood.
    """

    model: RankingModel
    z: Floats
    value: float
    log_likelihood: float
    gradient: Floats
    diagonal: Floats
    p: Floats
    pull: Floats

    def times(self, v: Floats) -> Floats:
        """Negative Hessian times a vector. O(entries)."""
        s, stage = self.model.stages, self.model.entry_stage
        mine = v[s.item]
        mean = np.add.reduceat(self.p * mine, s.start)
        curved = s.weight[stage] * self.p * (mine - mean[stage])
        return _added_up(s, curved) + self.model.precision * v

    def hessian(self) -> Floats:
        """Write the negative Hessian down. O(sum of squares of set sizes)."""
        s, n = self.model.stages, self.model.stages.n_items
        out = np.zeros((n, n))
        sizes: list[int] = np.unique(s.sizes).tolist()
        for size in sizes:
            which = np.flatnonzero(s.sizes == size)
            entries: Ints = s.start[which][:, None] + np.arange(size)
            items, p = s.item[entries], self.p[entries]
            joint = s.weight[which][:, None, None] * p[:, :, None] * p[:, None, :]
            cell = items[:, :, None] * n + items[:, None, :]
            out -= np.bincount(cell.ravel(), joint.ravel(), n * n).reshape(n, n)
        s_weight = s.weight[self.model.entry_stage]
        out[np.arange(n), np.arange(n)] += np.bincount(s.item, s_weight * self.p, n)
        return out + self.model.precision * np.eye(n)

    def sparse_hessian(self) -> Any:
        """Write the negative Hessian down, as a sparse array."""
        sparse: Any = import_module("scipy.sparse")  # untyped, and slow to import
        s, stage, n = self.model.stages, self.model.entry_stage, self.model.stages.n_items
        root = np.sqrt(s.weight[stage]) * self.p
        shares = sparse.csr_array((root, (stage, s.item)), shape=(len(s.start), n))
        own = np.bincount(s.item, s.weight[stage] * self.p, n) + self.model.precision
        return sparse.diags_array(own).tocsr() - shares.T @ shares


# Standard errors of ratings by rankings: robust, with each ranking for itself or in clusters.


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
        return scaled_by(
            plain, cluster_factor(_score_terms(point), named, row[point.model.entry_stage])
        )
    v = _posterior(point) if posterior else inverse(point.hessian(), block, np.zeros(0, dtype=bool))
    if not robust or (posterior and not clusters.names):
        how = POSTERIOR if posterior else "observed information"
        return _covariance(v, None, how, kept=kept)
    named, row = _ways(point, clusters)
    ways = [jackknifed(v, _parts(point, v, codes[row])) for codes in named.codes]
    crossing = jackknifed(v, _parts(point, v, named.crossed[row])) if len(ways) > 1 else None
    matrix, df = both_ways(ways, crossing)
    tell_of_clusters(named.names, ways, notes)
    if posterior:
        each, row = _ways(point, Clusters())
        alone = jackknifed(v, _parts(point, v, each.codes[0][row])).matrix
        wider = widened(v, matrix, alone, df)
        return _covariance(*wider, f"{POSTERIOR}, clustered by {named.title}", kept=kept)
    return _covariance(matrix, df, f"robust, clustered by {named.title} (CR3)", kept=kept)


def _covariance(matrix: Floats, df: Floats | None, method: str, *, kept: Flags) -> Covariance:
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
        solution = solve(point.times, apart, point.diagonal, tolerance=SOLVED)
        return dot(apart, solution)

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


def _score_terms(point: RankingPoint) -> ScoreTerms:
    s = point.model.stages
    tell = s.weight[point.model.entry_stage] * point.p * (1 - point.p)
    return ScoreTerms(s.item, point.pull, tell)


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
        touched, column = np.unique(s.item[entries], return_inverse=True)
        shares = np.zeros((len(stages), len(touched)))
        shares[owner, column] = point.p[entries]
        weighted = shares * s.weight[stages][:, None]
        information = np.diag(weighted.sum(axis=0)) - weighted.T @ shares
        score = np.bincount(column, point.pull[entries], len(touched)).astype(np.float64)
        rows = v[touched]
        yield Part(touched, score, information, np.sum(rows * (information @ rows), axis=0))


def _entries(s: Stages, stages: Ints) -> Ints:
    """Entries of some stages, one stage after the other."""
    sizes = s.sizes[stages]
    ends = np.cumsum(sizes)
    return np.repeat(s.start[stages] - (ends - sizes), sizes) + np.arange(int(sizes.sum()))

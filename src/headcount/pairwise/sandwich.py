"""Robust covariance of a fit, where comparisons are independent or come in clusters."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any, NamedTuple, cast

import numpy as np

from headcount.data.comparisons import Comparisons
from headcount.errors import DataError, OptionError, option, unknown_name
from headcount.pairwise.answers import COMPARISON
from headcount.pairwise.likelihood import Point
from headcount.pairwise.ties import TieModel
from headcount.typing import Codes, Flags, Floats, Ints

__all__ = [
    "AUTO_CLUSTERS",
    "Clusters",
    "choose_clusters",
    "cluster_columns",
    "cluster_names",
    "unit_of",
    "uses_raters",
    "Meat",
    "hessian_of",
    "inverse",
    "hc3",
    "Clustered",
    "clustered",
    "Part",
    "jackknifed",
]


# Comparisons that belong together: of one prompt, of one rater.

AUTO_CLUSTERS, NO_CLUSTERS, BY_RATER = "auto", "none", "rater"


@dataclass(frozen=True, eq=False, kw_only=True)
class Clusters:
    """Which comparisons belong together, in at most two ways.

    Parameters
    ----------
    names : tuple of str
        What the clusters are; empty if each comparison stands for itself.
    codes : tuple of (comparisons,) arrays of int
    """

    names: tuple[str, ...] = ()
    codes: tuple[Ints, ...] = ()

    @property
    def title(self) -> str:
        """What they are, in words."""
        return " and ".join(self.names)

    @property
    def crossed(self) -> Ints:
        """What two ways have in common."""
        return np.unique(np.array(self.codes), axis=1, return_inverse=True)[1].reshape(-1)


def choose_clusters(cluster: str | Sequence[str], comparisons: Comparisons) -> Clusters:
    """Find the clusters that were asked for by name.

    ``"auto"`` means raters, where it is known who answered and there is more than one; ``"none"``
    none.

    Examples
    --------
    >>> played = Comparisons.from_columns("abab", "bcca", [1, 1, 0, 0], rater="xyxy")
    >>> choose_clusters("rater", played).title
    'rater'
    >>> choose_clusters("auto", played).names
    ('rater',)
    """
    names = cluster_names(cluster)
    if names == (NO_CLUSTERS,):
        return Clusters()
    if names == (AUTO_CLUSTERS,):
        return _automatic(comparisons)
    if len(names) > 2:
        raise OptionError(f"{option('cluster')} takes two columns at most, not {len(names)}.")
    return Clusters(names=names, codes=tuple(_column(name, comparisons) for name in names))


def cluster_columns(cluster: str | Sequence[str]) -> tuple[str, ...]:
    """Columns that have to be read for it."""
    return tuple(
        name
        for name in cluster_names(cluster)
        if name not in (AUTO_CLUSTERS, NO_CLUSTERS, BY_RATER)
    )


def unit_of(cluster: str | Sequence[str]) -> str:
    """Tell what a bootstrap draws: clusters of one kind, if they are named, or comparisons."""
    name, *more = cluster_names(cluster)
    if more:
        example = option("cluster", name)
        raise OptionError(f"A bootstrap draws clusters of one kind; name one column ({example}).")
    return COMPARISON if name in (AUTO_CLUSTERS, NO_CLUSTERS) else name


def uses_raters(cluster: str | Sequence[str]) -> bool:
    """Whether it may matter who answered."""
    return any(name in (AUTO_CLUSTERS, BY_RATER) for name in cluster_names(cluster))


def cluster_names(cluster: Any) -> tuple[str, ...]:
    """Return what was asked for, by name, from text with commas or several."""
    if isinstance(cluster, str):
        return tuple(part.strip() for part in cluster.split(",") if part.strip()) or (NO_CLUSTERS,)
    if isinstance(cluster, list | tuple):
        names = cast("Sequence[object]", cluster)
        if names and all(isinstance(name, str) for name in names):
            return tuple(str(name) for name in names)
    raise OptionError(
        f"{option('cluster')} must name one or two columns, or be {AUTO_CLUSTERS} or "
        f"{NO_CLUSTERS}; not {cluster!r}."
    )


def _automatic(comparisons: Comparisons) -> Clusters:
    rater = comparisons.rater
    if rater is None or np.all(rater == rater[:1]):
        return Clusters()
    return Clusters(names=(BY_RATER,), codes=(_column(BY_RATER, comparisons),))


def _column(name: str, comparisons: Comparisons) -> Ints:
    codes = comparisons.rater if name == BY_RATER else comparisons.clusters.get(name)
    if codes is None:
        available = [*comparisons.clusters, *([] if comparisons.rater is None else [BY_RATER])]
        if not available:
            raise DataError(
                f"{comparisons.source}: there is no column {name} to cluster comparisons by."
            )
        raise unknown_name("cluster", name, available, option_name="cluster")
    if (codes < 0).any():
        # Who is not known is nobody in particular: each such comparison stands for itself.
        alone = codes < 0
        codes = codes.copy()
        codes[alone] = codes.max() + 1 + np.arange(int(alone.sum()))
    if np.all(codes == codes[:1]):
        raise DataError(
            f"{comparisons.source}: all comparisons are of one {name}, so that clusters tell "
            f"nothing. Leave {option('cluster')} out."
        )
    return codes


# Robust covariance of a fit: what the answers vary by, not what the model says they should.
#
# With H the negative Hessian, V its inverse where ratings have mean 0, and :math:`s_i` the
# derivative of the log-likelihood of comparison i,
#
# .. math:: \mathrm{cov} = V \Big( \sum_i \tilde s_i \tilde s_i^T \Big) V

MOST_LEVERAGE = 0.5
"""Leverage of a cluster up to which something is left without it for sure."""
LEAST_FREE = 1e-3
"""What leverage leaves of a comparison, at least."""


class Meat(NamedTuple):
    """Comparisons among items with finite ratings, at the maximum.

    Parameters are the ratings, then what controls add, the advantage of the left side, and the cut.
    `by_eta` and `by_cut` are the derivatives of each comparison's log-likelihood, weights included,
    and `tell` is what it is expected to tell of its log odds. `extra` are the columns of the
    controls and of the left side: 1, or 0 where no side has an advantage. `times` are the answers
    that each stands for, of which `weight`, `by_eta`, `by_cut` and `tell` are those of one; where
    these are several answers to a pair, `by_eta` is the root of their mean square.
    """

    items: int
    left: Codes
    right: Codes
    eta: Floats
    weight: Floats
    by_eta: Floats
    by_cut: Floats
    tell: Floats
    extra: Floats
    times: Floats

    @classmethod
    def of(
        cls,
        z: Floats,
        ties: TieModel,
        played: Comparisons,
        rows: Flags,
        extra: Floats,
    ) -> Meat:
        """Differentiate some comparisons at the parameters z."""
        items = len(z) - extra.shape[1] - 1
        left, right, extra = played.left[rows], played.right[rows], extra[rows]
        eta, cut = z[left] - z[right] + extra @ z[items:-1], float(z[-1])
        weight = played.answer_weights[rows]
        by_eta, by_cut = ties.scores(eta, cut, played.outcome[rows])
        return cls(
            items=items,
            left=left,
            right=right,
            eta=eta,
            weight=weight,
            by_eta=weight * by_eta,
            by_cut=weight * by_cut,
            tell=weight * ties.information(eta, cut),
            extra=extra,
            times=played.answers[rows],
        )

    @classmethod
    def of_pairs(cls, point: Point) -> Meat:
        """Take pairs as they were added up, where ties are halves and nothing has a weight."""
        wins = point.model.wins
        number, squares = wins.win + wins.loss, squares_of_pairs(point)
        cells = len(wins.first)
        return cls(
            items=wins.n_items,
            left=wins.first.astype(np.int64),
            right=wins.second.astype(np.int64),
            eta=np.zeros(0),
            weight=np.ones(cells),
            by_eta=np.sqrt(squares / number),
            by_cut=np.zeros(cells),
            tell=point.curve / number,
            extra=np.full((cells, 1), float(point.model.sided)),
            times=number,
        )

    def select(self, rows: Ints) -> Meat:
        """Keep some comparisons."""
        return Meat(
            items=self.items,
            left=self.left[rows],
            right=self.right[rows],
            eta=self.eta[rows],
            weight=self.weight[rows],
            by_eta=self.by_eta[rows],
            by_cut=self.by_cut[rows],
            tell=self.tell[rows],
            extra=self.extra[rows],
            times=self.times[rows],
        )

    def together(self) -> Meat:
        """Add up the answers that each comparison stands for."""
        n = self.times
        return self._replace(
            weight=n * self.weight,
            by_eta=n * self.by_eta,
            by_cut=n * self.by_cut,
            tell=n * self.tell,
            times=np.ones(len(n)),
        )

    def scaled(self, by: Floats) -> Meat:
        """Multiply derivatives."""
        return self._replace(by_eta=self.by_eta * by, by_cut=self.by_cut * by)

    def sums(self, by_eta: Floats, by_cut: Floats) -> Floats:
        """Add up what comparisons have of their log odds and of the cut: (parameters,)."""
        items = self._of_items(by_eta)
        return np.concatenate([items, self.extra.T @ by_eta, [by_cut.sum()]])

    def gram(self, eta: Floats, both: Floats, cut: Floats) -> Floats:
        """Add up squares and products of log odds and cut, as a matrix of the parameters.

        O(comparisons) for each column of `extra`.
        """
        n = self.items
        out = np.zeros((n + self.extra.shape[1] + 1,) * 2)
        joint = np.bincount(self.left * n + self.right, eta, n * n).reshape(n, n)
        joint += joint.T.copy()
        out[:n, :n] = np.diag(joint.sum(axis=1)) - joint
        for k, column in enumerate(self.extra.T):
            out[:n, n + k] = out[n + k, :n] = self._of_items(eta * column)
        out[n:-1, n:-1] = self.extra.T @ (self.extra * eta[:, None])
        out[:n, -1] = out[-1, :n] = self._of_items(both)
        out[n:-1, -1] = out[-1, n:-1] = self.extra.T @ both
        out[-1, -1] = cut.sum()
        return out

    def _of_items(self, values: Floats) -> Floats:
        up, down = (np.bincount(side, values, self.items) for side in (self.left, self.right))
        return (up - down).astype(np.float64)


def squares_of_pairs(point: Point) -> Floats:
    """Add up the squared residuals of each pair's answers, where ties are halves: (pairs,)."""
    wins = point.model.wins
    p = np.clip((wins.win - point.score) / (wins.win + wins.loss), 0.0, 1.0)
    # (1 - p)^2 for a win, p^2 for a loss, (1/2 - p)^2 for a tie, which is half of each less 1/4
    return np.maximum(wins.win * (1 - p) ** 2 + wins.loss * p**2 - wins.tied / 4, 0.0)


def hessian_of(point: Point) -> Floats:
    """Write down the negative Hessian of a fit. O(k^2)."""
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
    return hessian


def inverse(hessian: Floats, component: Codes, free: Flags, held: float = 0.0) -> Floats:
    """Invert a Hessian among ratings that have mean 0 in each component.

    Parameters
    ----------
    hessian : (parameters, parameters) array
    component : (items,) array of int
        -1 for items without a finite rating.
    free : array of bool
        Which of the other parameters are fitted.
    held : float
        Precision of a prior, which is all that is known of the mean.

    Notes
    -----
    O(k^3) for k items.
    """
    kept = np.concatenate([component >= 0, free])
    places = np.flatnonzero(kept)
    inner = hessian[np.ix_(places, places)]
    unit = float(np.trace(inner)) / max(len(places), 1) or 1.0
    # The mean of a component is free: any stiffness makes it regular, and drops out again.
    groups = component[component >= 0]
    along = np.zeros((len(places), int(groups.max()) + 1 if len(groups) else 0))
    along[np.arange(len(groups)), groups] = 1.0
    along /= np.sqrt(np.maximum(along.sum(axis=0), 1.0))
    loose: Floats = along @ along.T
    solved: Floats = np.linalg.inv(inner + unit * loose) - loose / (unit + held)
    out = np.zeros_like(hessian)
    out[np.ix_(places, places)] = (solved + solved.T) / 2
    return out


def hc3(meat: Meat, v: Floats) -> Floats:
    r"""Covariance with each comparison for itself (HC3, MacKinnon and White 1985).

    :math:`\tilde s_i = s_i / (1 - h_i)` with the leverage :math:`h_i = w_i c_i x_i^T V x_i`, where
    :math:`c_i` is what a comparison tells of its log odds.

    Notes
    -----
    O(comparisons + k^3).
    """
    by = meat.scaled(1 / np.maximum(1 - _leverage(meat, v), LEAST_FREE))
    n = by.times
    return v @ by.gram(n * by.by_eta**2, n * by.by_eta * by.by_cut, n * by.by_cut**2) @ v


@dataclass(frozen=True, eq=False, kw_only=True)
class Clustered:
    """Covariance by clusters, degrees of freedom, and clusters that none can be left out of."""

    matrix: Floats
    df: Floats
    n: int
    pivotal: int


def clustered(meat: Meat, v: Floats, cluster: Ints) -> Clustered:
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
    return jackknifed(v, _parts(meat.together(), v, cluster))


class Part(NamedTuple):
    """A cluster: parameters that it says something of, its score there, and its information.

    `share` is the diagonal of V H_g V, of all parameters.
    """

    touched: Ints
    score: Floats
    information: Floats
    share: Floats


def _parts(meat: Meat, v: Floats, cluster: Ints) -> Iterator[Part]:
    """Add up each cluster of comparisons."""
    n = meat.items
    order = np.argsort(cluster, kind="stable")
    bounds = [*np.flatnonzero(np.diff(cluster[order], prepend=-1)).tolist(), len(order)]
    fitted = np.flatnonzero(np.diag(v)[n:] > 0)
    columns, has_cut = fitted[fitted < meat.extra.shape[1]], bool(v[-1, -1] > 0)
    for start, end in pairwise(bounds):
        rows = order[start:end]
        mine = meat.select(rows)
        items, index = np.unique(np.concatenate([mine.left, mine.right]), return_inverse=True)
        x = np.zeros((len(rows), len(items) + len(fitted)))
        at = np.arange(len(rows))
        x[at, index[: len(rows)]] += 1.0
        x[at, index[len(rows) :]] -= 1.0
        x[:, len(items) : len(items) + len(columns)] = mine.extra[:, columns]
        score = x * mine.by_eta[:, None]
        if has_cut:
            score[:, -1] = mine.by_cut
        yield Part(
            np.concatenate([items, fitted + n]),
            score.sum(axis=0),
            x.T @ (x * mine.tell[:, None]),
            _squares(v, mine, columns),
        )


AT_ONCE = 64
"""Comparisons whose rows of the covariance are looked at together: few, which stay in the cache."""


def _squares(v: Floats, meat: Meat, columns: Ints) -> Floats:
    """Add up the squares of x V over comparisons: the diagonal of V X' W X V.

    x is 1 at the left item, -1 at the right one, and has what `extra` says at the parameters after
    the items, of which some `columns` are fitted.
    """
    out = np.zeros(v.shape[1])
    for start in range(0, len(meat.left), AT_ONCE):
        rows = slice(start, start + AT_ONCE)
        moved = v[meat.left[rows]] - v[meat.right[rows]]
        if len(columns):
            moved += meat.extra[rows][:, columns] @ v[meat.items + columns]
        out += meat.tell[rows] @ moved**2
    return out


def jackknifed(v: Floats, parts: Iterable[Part]) -> Clustered:
    """Covariance by what leaving each cluster out changes; see :func:`clustered`."""
    moves, shares, pivotal = list[Floats](), list[Floats](), 0
    for touched, score, information, share in parts:
        inflated, whole = _solve(information @ v[np.ix_(touched, touched)], score)
        pivotal += not whole
        moves.append(inflated @ v[touched])
        shares.append(share)
    b, a = np.array(moves), np.maximum(np.array(shares), 0.0)
    total, squares = a.sum(axis=0), np.sum(a**2, axis=0)
    df = np.where(squares > 0, total**2 / np.where(squares > 0, squares, 1.0) - 1, np.inf)
    groups = len(b)
    matrix = (groups - 1) / groups * b.T @ b
    return Clustered(matrix=matrix, df=np.maximum(df, 1.0), n=groups, pivotal=pivotal)


def _solve(leverage: Floats, score: Floats) -> tuple[Floats, bool]:
    """Solve for what is left without a cluster; its own score, and False, where nothing is."""
    rest = np.eye(len(score)) - leverage
    # Its eigenvalues are not negative: where they add up to little, none takes all.
    if float(np.trace(leverage)) > MOST_LEVERAGE:
        values = np.linalg.svd(rest, compute_uv=False)
        if values[-1] < LEAST_FREE:
            return score, False
    return np.linalg.solve(rest, score).astype(np.float64), True


def _leverage(meat: Meat, v: Floats) -> Floats:
    left, right, n, own = meat.left, meat.right, meat.items, np.diag(v)
    spread = own[left] + own[right] - 2 * v[left, right]
    beside = v[n:-1]
    for k, column in enumerate(meat.extra.T):
        across = beside[k, left] - beside[k, right]
        spread = spread + column * (2 * across + meat.extra @ beside[k, n:-1])
    return meat.tell * spread

"""The Bradley-Terry log-likelihood of comparisons by pair, and how its maximum is found."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cached_property
from importlib import import_module
from typing import Any, Generic, NamedTuple, Protocol, TypeVar

import numpy as np
from numpy.typing import NDArray

from headcount.data.comparisons import Comparisons
from headcount.errors import DataError, option
from headcount.pairwise.answers import has_exact_sums
from headcount.pairwise.ties import HALF, TieModel, tie_model
from headcount.typing import Codes, Flags, Floats

__all__ = [
    "PairWins",
    "centred",
    "Model",
    "Point",
    "sparse_hessian",
    "refuse_runaway",
    "Spot",
    "Climb",
    "dot",
    "maximise",
    "solve",
]


# Comparisons added up by pair: all that a Bradley-Terry fit needs of them.


@dataclass(frozen=True, eq=False)
class PairWins:
    """Wins, ties and losses of the first item of each cell against the second.

    A cell is a pair of items, or a pair as it was shown, if sides matter. Cells are in the order
    of their first item, for the sake of the processor's cache.

    Parameters
    ----------
    n_items : int
    first, second : (cells,) arrays of int
    win, loss : (cells,) arrays of float
        Weights of the comparisons that `first` won, and lost.
    tie : (cells,) array of float
        Weights of ties; empty if they are split into halves of a win and a loss.
    tied : (cells,) array of float
        How many of the comparisons were ties, where these are split and a comparison is one: empty
        with weights, and with other shares of a point.
    cell : (comparisons,) array of int
        Cell of each comparison.
    flipped : (comparisons,) array of bool
        Whether the left item of a comparison is the second of its cell.
    """

    n_items: int
    first: NDArray[np.int32]
    second: NDArray[np.int32]
    win: Floats
    tie: Floats
    loss: Floats
    tied: Floats
    cell: Codes
    flipped: Flags

    @classmethod
    def of(cls, comparisons: Comparisons, *, split: bool, sided: bool = False) -> PairWins:
        """Add up comparisons.

        O(items + comparisons), by two counting sorts.

        Parameters
        ----------
        comparisons : Comparisons
        split : bool
            Make a tie half a win and half a loss; so is any share between 0 and 1.
        sided : bool
            Keep apart which of the two was shown on the left.

        Examples
        --------
        >>> played = Comparisons.from_columns("aba", "bac", ["left", "left", "tie"])
        >>> wins = PairWins.of(played, split=False)
        >>> wins.win, wins.tie, wins.loss
        (array([1., 0.]), array([0., 1.]), array([1., 0.]))
        """
        from headcount.pairwise._kernels import add_up, sort_pairs

        first, second, cell, flipped = sort_pairs(
            comparisons.left, comparisons.right, sided, True, len(comparisons.items)
        )
        win, tie, loss = add_up(
            cell, flipped, comparisons.outcome, comparisons.weights, split, len(first)
        )
        tied = np.zeros(0)
        if split and comparisons.weight is None and has_exact_sums(comparisons):
            at = comparisons.outcome == 0.5
            tied = np.bincount(cell[at], comparisons.answers[at], len(first)).astype(np.float64)
        n_items = len(comparisons.items)
        return cls(
            n_items=n_items,
            first=first,
            second=second,
            win=win,
            tie=tie,
            loss=loss,
            tied=tied,
            cell=cell,
            flipped=flipped,
        )

    def reweighted(self, outcome: Floats, weight: Floats) -> PairWins:
        """Add up the same comparisons with other weights. O(comparisons)."""
        from headcount.pairwise._kernels import add_up

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
            win=self.win[cells],
            tie=self.tie[cells] if len(self.tie) else self.tie,
            loss=self.loss[cells],
            tied=self.tied[cells] if len(self.tied) else self.tied,
            cell=np.zeros(0, dtype=np.int64),
            flipped=np.zeros(0, dtype=bool),
        )


# The Bradley-Terry log-likelihood with its penalties, gradient and Hessian.


def centred(rating: Floats, block: Codes) -> Floats:
    """Shift ratings to mean 0 in each block of items; -1 is none.

    Examples
    --------
    >>> centred(np.array([1.0, 3.0, 5.0, 7.0]), np.array([0, 0, 1, -1]))
    array([-1.,  1.,  0.,  7.])
    """
    kept = block >= 0
    if not kept.any():
        return rating.copy()
    mean = np.bincount(block[kept], rating[kept]) / np.maximum(np.bincount(block[kept]), 1)
    return np.where(kept, rating - mean[block], rating)


@dataclass(frozen=True, eq=False)
class Model:
    """What is fitted: one flat vector of parameters, and how well it does.

    The vector holds the ratings, then the shift in log odds for the item shown on the left, then
    the cut: log nu of Davidson, log theta of Rao and Kupper. Those that are not `free` stay as they
    are.

    Parameters
    ----------
    wins : PairWins
    ties : TieModel
        Or its name.
    sided : bool
        Whether the shift is fitted.
    prior : float or None
        Standard deviation of ratings around 0.
    """

    wins: PairWins
    ties: TieModel = HALF
    sided: bool = False
    prior: float | None = None

    def __post_init__(self) -> None:
        object.__setattr__(self, "ties", tie_model(self.ties))

    @property
    def size(self) -> int:
        """Number of parameters."""
        return self.wins.n_items + 2

    @cached_property
    def free(self) -> Flags:
        """Parameters that are fitted."""
        free = np.ones(self.size, dtype=bool)
        free[-2:] = self.sided, self.ties.has_cut
        return free

    @cached_property
    def points(self) -> tuple[Floats, Floats]:
        """Points that each item won, ties as halves, and that it played for."""
        from headcount.pairwise._kernels import totals

        wins = self.wins
        return totals(wins.first, wins.second, wins.win, wins.tie, wins.loss, wins.n_items)

    @property
    def exposure(self) -> Floats:
        """Weight of the comparisons that each parameter has a part in."""
        return self._exposure

    @cached_property
    def _exposure(self) -> Floats:
        played = self.points[1]
        out = np.full(self.size, played.sum() / 2)
        out[: len(played)] = played
        return out

    def start(self) -> Floats:
        """Return parameters to start from: log odds of winning."""
        z = np.zeros(self.size)
        # Half a win and half a loss more keep them finite. Saves a Newton step.
        won, played = self.points
        odds = np.log((won + 0.5) / (played - won + 0.5))
        # Against opponents of all ratings they are nearer to 0 than against an average one: by
        # 1 / sqrt(1 + variance / 1.7^2), if ratings are normal with that variance.
        z[: len(won)] = odds / np.sqrt(max(0.1, 1 - odds.var() / 1.7**2))
        if self.ties.has_cut:
            # The share of ties that equal items would have, were all items equal.
            share = float(self.wins.tie.sum() / self.exposure[-1])
            z[-1] = self.ties.start(share)
        return z

    def longest(self, z: Floats, step: Floats) -> float:
        """Longest part of a step that stays where the model is defined, 1 at most."""
        return self.ties.longest_step(float(z[-1]), float(step[-1]))

    def at(self, z: Floats) -> Point:
        """Evaluate the model. O(cells)."""
        from headcount.pairwise._kernels import evaluate

        wins, n = self.wins, self.wins.n_items
        cells = len(wins.first)
        score, curve = np.empty(cells), np.empty(cells)
        cross = np.empty(cells if self.ties.has_cut else 0)
        likelihood, gradient, diagonal = evaluate(
            self.ties.code,
            wins.first,
            wins.second,
            wins.win,
            wins.tie,
            wins.loss,
            z[:n],
            z[-2],
            z[-1],
            score,
            curve,
            cross,
        )
        tie_curve = float(diagonal[-1])
        pull = self.precision * z
        value = likelihood - 0.5 * float(np.sum(z * pull))
        gradient -= pull
        diagonal += self.precision
        gradient[~self.free] = 0.0
        return Point(
            model=self,
            z=z,
            value=float(value),
            log_likelihood=float(likelihood),
            gradient=gradient,
            diagonal=diagonal,
            tie_curve=tie_curve,
            score=score,
            curve=curve,
            cross=cross,
        )

    @cached_property
    def precision(self) -> Floats:
        """Precision of the prior of each parameter."""
        out = np.zeros(self.size)
        if self.prior is not None:
            out[:-1] = self.prior**-2
        return out


@dataclass(frozen=True, eq=False)
class Point:
    """A model at one vector of parameters.

    Parameters
    ----------
    model : Model
    z : (parameters,) array
    value, log_likelihood : float
        The log-likelihood with its penalties, and without.
    gradient, diagonal : (parameters,) arrays
        Of `value`; `diagonal` is that of the negative Hessian.
    tie_curve : float
        The last entry of the diagonal, which the kernel leaves to the caller.
    score, curve, cross : (cells,) arrays
    """

    model: Model
    z: Floats
    value: float
    log_likelihood: float
    gradient: Floats
    diagonal: Floats
    tie_curve: float
    score: Floats
    curve: Floats
    cross: Floats

    def times(self, v: Floats) -> Floats:
        """Negative Hessian of the free parameters times a vector of them. O(cells)."""
        from headcount.pairwise._kernels import times

        wins, free = self.model.wins, self.model.free
        v = np.where(free, v, 0.0)
        out = times(wins.first, wins.second, self.curve, self.cross, v)
        out[-1] += self.tie_curve * v[-1]
        out += self.model.precision * v
        out[~free] = 0.0
        return out


def sparse_hessian(point: Point) -> Any:
    """Write the negative Hessian of the ratings down, as a sparse array. O(cells)."""
    sparse: Any = import_module("scipy.sparse")  # untyped, and slow to import
    wins, n = point.model.wins, point.model.wins.n_items
    across = sparse.coo_array((point.curve, (wins.first, wins.second)), shape=(n, n)).tocsr()
    return sparse.diags_array(point.diagonal[:n]).tocsr() - across - across.T


# Whether the position effect and the tie parameter have finite maximum-likelihood values.

REMEDY = f"or give a prior ({option('prior', 1)}), which keeps them finite."
NO_POSITION = f"fit without it ({option('position', False)})"


def refuse_runaway(wins: PairWins, ties: TieModel, *, sided: bool, source: str) -> None:
    r"""Raise a DataError if the shift or the cut runs off to infinity, or is not identified.

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
            f"{source}: the left item won every comparison, so a position effect cannot be "
            f"separated from winning. If the winner is always named first, {NO_POSITION}."
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
            f"{source}: the position effect cannot be distinguished from the ratings, since the "
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

    def most(index: int, sign: float) -> float:
        goal = np.zeros(n + 2)
        goal[index] = -sign
        solution = linprog(goal, A_ub=matrix, b_ub=np.zeros(len(cell)), bounds=bounds)
        return -float(solution.fun)

    shift = sided and max(most(n, 1.0), most(n, -1.0)) > 1e-6
    return shift, by_cut and most(n + 1, 1.0) > 1e-6


# Truncated Newton: climb by conjugate gradients on the Hessian, which is never written down.

ROUNDING = 1e-12
"""Relative error of a log-likelihood summed over cells: smaller gains cannot be seen."""
FLOOR = 64 * np.finfo(np.float64).eps
"""Gradient, as a part of the weight of comparisons behind it, below which it is rounding."""
LEAST_STEP = 1e-9


class Spot(Protocol):
    """A model at one vector of parameters: its value, gradient and negative Hessian."""

    @property
    def z(self) -> Floats:
        """The parameters."""
        ...

    @property
    def value(self) -> float:
        """What is maximised."""
        ...

    @property
    def gradient(self) -> Floats:
        """Its derivatives."""
        ...

    @property
    def diagonal(self) -> Floats:
        """Diagonal of its negative Hessian."""
        ...

    def times(self, v: Floats) -> Floats:
        """Negative Hessian times a vector."""
        ...


Place = TypeVar("Place", bound=Spot)
PlaceOut = TypeVar("PlaceOut", bound=Spot, covariant=True)


class Hill(Protocol[PlaceOut]):
    """What can be climbed: a concave log-likelihood."""

    @property
    def exposure(self) -> Floats:
        """Weight of what each parameter has a part in."""
        ...

    def at(self, z: Floats) -> PlaceOut:
        """Evaluate it."""
        ...

    def longest(self, z: Floats, step: Floats) -> float:
        """Longest part of a step that stays where it is defined."""
        ...


class Climb(NamedTuple, Generic[Place]):
    """Where a climb ended."""

    point: Place
    converged: bool
    n_iter: int


def dot(a: Floats, b: Floats) -> float:
    """Inner product, without BLAS, whose threads cost more than they save at this length."""
    return float(np.sum(a * b))


def maximise(model: Hill[Place], start: Floats, *, tolerance: float, max_iter: int) -> Climb[Place]:
    """Maximise a model by Newton's method, each system solved no better than it needs to be.

    A step is halved until the value rises (Armijo); near the top, where the rise is lost in
    rounding, until the gradient falls. The value therefore never goes down by more than rounding.

    Parameters
    ----------
    model : Hill
    start : (parameters,) array
    tolerance : float
        Largest absolute entry of the gradient at the end. With so much weight on a parameter that
        rounding is above it, the rounding counts.
    max_iter : int
        Newton steps, at most.
    """
    limit = np.maximum(tolerance, FLOOR * model.exposure)
    point, n_iter = model.at(start), 0
    while True:
        size = np.abs(point.gradient)
        if bool((size <= limit).all()):
            return Climb(point, True, n_iter)
        if n_iter == max_iter:
            return Climb(point, False, n_iter)
        scaled = float(np.max(size / np.maximum(model.exposure, 1.0)))
        # Superlinear: the better the point, the better the system is solved.
        wanted = max(min(0.1, scaled**0.5), 0.3 * float(np.min(limit / np.maximum(size, limit))))
        step = solve(point.times, point.gradient, point.diagonal, tolerance=wanted)
        after = _line_search(model, point, step)
        if after is None:
            return Climb(point, False, n_iter)
        point, n_iter = after, n_iter + 1


def _line_search(model: Hill[Place], point: Place, step: Floats) -> Place | None:
    rise = dot(point.gradient, step)
    part = model.longest(point.z, step)
    noise = ROUNDING * (1.0 + abs(point.value))
    steepest = float(np.abs(point.gradient).max())
    while part > LEAST_STEP:
        after = model.at(point.z + part * step)
        gain = after.value - point.value
        if gain >= 1e-4 * part * rise and gain > noise:
            return after
        if gain >= -noise and float(np.abs(after.gradient).max()) < steepest:
            return after
        part /= 2
    return None


def solve(
    times: Callable[[Floats], Floats],
    right: Floats,
    diagonal: Floats,
    *,
    tolerance: float,
    max_iter: int = 2000,
) -> Floats:
    """Solve H x = b by conjugate gradients preconditioned with the diagonal of H.

    H may be singular if b is in its range. Where rounding leaves it no curve, the solution so far
    is returned.

    Parameters
    ----------
    times : callable
        H times a vector.
    right, diagonal : arrays
        b, and the diagonal of H.
    tolerance : float
        Norm of the residual, in the metric of the preconditioner, relative to that of b.
    max_iter : int
    """
    scale = 1.0 / np.where(diagonal > 0, diagonal, 1.0)
    x, residual = np.zeros_like(right), right
    search = scale * residual
    first = now = dot(residual, search)
    for n_iter in range(max_iter):
        if now <= tolerance**2 * first or now == 0:
            break
        image = times(search)
        bend = dot(search, image)
        if bend <= 0:
            return x if n_iter else search
        part = now / bend
        x += part * search
        residual = residual - part * image
        ahead = scale * residual
        before, now = now, dot(residual, ahead)
        search = ahead + now / before * search
    return x

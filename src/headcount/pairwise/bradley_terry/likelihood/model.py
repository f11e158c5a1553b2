"""The Bradley-Terry log-likelihood with its penalties, gradient and Hessian."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from importlib import import_module
from typing import Any

import numpy as np

from headcount.pairwise.bradley_terry.likelihood.pair_wins import PairWins
from headcount.pairwise.bradley_terry.ties.base import TieModel
from headcount.pairwise.bradley_terry.ties.catalogue import tie_model
from headcount.pairwise.bradley_terry.ties.half import HALF
from headcount.typing import Codes, Flags, Floats

__all__ = ["SLOPE_SD", "Model", "Point", "centred", "sparse_hessian"]


SLOPE_SD = 0.5
"""Standard deviation of the prior of a rater's slope, around 1."""


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

    The vector holds the ratings, then the raters' slopes, then the shift in log odds for the item
    shown on the left, then the cut: log nu of Davidson, log theta of Rao and Kupper. Those that are
    not `free` stay as they are.

    Parameters
    ----------
    wins : PairWins
    ties : TieModel
        Or its name.
    sided : bool
        Whether the shift is fitted.
    prior : float or None
        Standard deviation of ratings around 0, or around what the covariates say of them.
    covariates : (items, p) array or None
        With mean 0 and standard deviation 1.
    slopes : bool
        Whether the slopes are fitted, if `wins` has raters.
    """

    wins: PairWins
    ties: TieModel = HALF
    sided: bool = False
    prior: float | None = None
    covariates: Floats | None = None
    slopes: bool = True

    def __post_init__(self) -> None:
        object.__setattr__(self, "ties", tie_model(self.ties))

    @property
    def size(self) -> int:
        """Number of parameters."""
        return self.wins.n_items + self.wins.n_raters + 2

    @cached_property
    def free(self) -> Flags:
        """Parameters that are fitted."""
        free = np.ones(self.size, dtype=bool)
        free[self.wins.n_items : -2] = self.slopes
        free[-2:] = self.sided, self.ties.has_cut
        return free

    @cached_property
    def points(self) -> tuple[Floats, Floats]:
        """Points that each item won, ties as halves, and that it played for."""
        from headcount.pairwise.bradley_terry.likelihood._kernel import totals

        wins = self.wins
        return totals(wins.first, wins.second, wins.win, wins.tie, wins.loss, wins.n_items)

    @property
    def exposure(self) -> Floats:
        """Weight of the comparisons that each parameter has a part in."""
        return self._exposure

    @property
    def gauge(self) -> Floats:
        """Vector to which every step is orthogonal; 0 if there is no such constraint."""
        return self._gauge

    @cached_property
    def _exposure(self) -> Floats:
        wins, n = self.wins, self.wins.n_items
        played = self.points[1]
        out = np.full(self.size, played.sum() / 2)
        out[:n] = played
        if len(wins.rater):
            weight = wins.win + wins.loss + (wins.tie if len(wins.tie) else 0.0)
            out[n:-2] = np.bincount(wins.rater, weight, wins.n_raters)
        return out

    @cached_property
    def _gauge(self) -> Floats:
        """Hold the mean slope over comparisons, at 1.

        Slopes twice as large and ratings half as large are the same model.
        """
        gauge = np.zeros(self.size)
        if self.slopes:
            slopes = slice(self.wins.n_items, -2)
            gauge[slopes] = self.exposure[slopes] / max(float(self.exposure[-1]), 1.0)
        return gauge

    def start(self, rating: Floats | None = None) -> Floats:
        """Parameters to start from: log odds of winning, unless `rating` says otherwise."""
        z = np.zeros(self.size)
        if rating is None:
            # Half a win and half a loss more keep them finite. Saves a Newton step.
            won, played = self.points
            odds = np.log((won + 0.5) / (played - won + 0.5))
            # Against opponents of all ratings they are nearer to 0 than against an average one: by
            # 1 / sqrt(1 + variance / 1.7^2), if ratings are normal with that variance.
            z[: len(won)] = odds / np.sqrt(max(0.1, 1 - odds.var() / 1.7**2))
        else:
            z[: len(rating)] = np.where(np.isfinite(rating), rating, 0.0)
        z[self.wins.n_items : -2] = 1.0
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
        from headcount.pairwise.bradley_terry.likelihood._kernel import evaluate

        wins, n = self.wins, self.wins.n_items
        cells = len(wins.first)
        score, curve = np.empty(cells), np.empty(cells)
        cross = np.empty(cells if self.ties.has_cut else 0)
        likelihood, gradient, diagonal = evaluate(
            self.ties.code,
            wins.first,
            wins.second,
            wins.rater,
            wins.win,
            wins.tie,
            wins.loss,
            z[:n],
            z[n:-2],
            z[-2],
            z[-1],
            score,
            curve,
            cross,
        )
        tie_curve = float(diagonal[-1])
        value, pull = likelihood, self._precision(z, centred=True)
        value -= 0.5 * float(np.sum(self._centred(z) * pull))
        gradient -= pull
        diagonal += self._precision_diagonal
        gradient[~self.free] = 0.0
        held = float(np.sum(self.gauge**2))
        if held:
            gradient -= float(np.sum(self.gauge * gradient)) / held * self.gauge
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

    def _centred(self, z: Floats) -> Floats:
        """Parameters less the means of their priors."""
        out = z.copy()
        out[self.wins.n_items : -2] -= 1.0
        return out

    def _precision(self, z: Floats, *, centred: bool = False) -> Floats:
        """Precision matrix of the priors times `z`, or times `z` less the means."""
        z = self._centred(z) if centred else z
        n = self.wins.n_items
        out = np.zeros(self.size)
        out[n:-2] = z[n:-2] / SLOPE_SD**2
        if self.prior is not None:
            out[:n] = z[:n]
            if self.covariates is not None:
                out[:n] -= self.covariates @ (self.coefficients @ z[:n])
            out[:n] /= self.prior**2
            out[-2] = z[-2] / self.prior**2
        return out

    @cached_property
    def coefficients(self) -> Floats:
        """Matrix that leads from ratings to the likeliest coefficients: (I + X'X)^-1 X'."""
        x = np.zeros((self.wins.n_items, 0)) if self.covariates is None else self.covariates
        return np.linalg.inv(np.eye(x.shape[1]) + x.T @ x).astype(np.float64) @ x.T

    @cached_property
    def _precision_diagonal(self) -> Floats:
        out = self._precision(np.ones(self.size))
        if self.prior is not None and self.covariates is not None:
            n = self.wins.n_items
            explained = (self.covariates * self.coefficients.T).sum(axis=1)
            out[:n] = (1 - explained) / self.prior**2
        return out

    def dense_precision(self, places: Sequence[int] | Codes) -> Floats:
        """Precision matrix of the priors of the parameters at `places`."""
        places = np.asarray(places)
        out = np.diag(self._precision_diagonal[places])
        if self.prior is not None and self.covariates is not None:
            rated = np.flatnonzero(places < self.wins.n_items)
            x, lead = self.covariates[places[rated]], self.coefficients[:, places[rated]]
            precision = (np.eye(len(rated)) - x @ lead) / self.prior**2
            out[np.ix_(rated, rated)] = precision
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
        Of `value`, the gradient along the gauge; `diagonal` is that of the negative Hessian.
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
        from headcount.pairwise.bradley_terry.likelihood._kernel import times

        wins, n, free = self.model.wins, self.model.wins.n_items, self.model.free
        v = np.where(free, v, 0.0)
        out = times(
            wins.first,
            wins.second,
            wins.rater,
            self.z[:n],
            self.z[n:-2],
            self.score,
            self.curve,
            self.cross,
            v,
        )
        out[-1] += self.tie_curve * v[-1]
        out += self.model._precision(v)  # pyright: ignore[reportPrivateUsage]
        out[~free] = 0.0
        return out


def sparse_hessian(point: Point) -> Any:
    """Write the negative Hessian of the ratings down, as a sparse array. O(cells)."""
    sparse: Any = import_module("scipy.sparse")  # untyped, and slow to import
    wins, n = point.model.wins, point.model.wins.n_items
    across = sparse.coo_array((point.curve, (wins.first, wins.second)), shape=(n, n)).tocsr()
    return sparse.diags_array(point.diagonal[:n]).tocsr() - across - across.T

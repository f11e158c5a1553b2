"""The Plackett-Luce log-likelihood with its gradient and Hessian."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from importlib import import_module
from typing import Any

import numpy as np

from headcount.pairwise.plackett_luce.stages import Stages
from headcount.typing import Floats, Ints

__all__ = ["RankingModel", "RankingPoint"]


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
    def gauge(self) -> Floats:
        """No constraint: a step never moves the mean, which the Hessian does not see."""
        return np.zeros(self.stages.n_items)

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

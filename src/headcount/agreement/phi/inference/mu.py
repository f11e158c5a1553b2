"""The central value of each item, once the posterior of Phi is known."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from headcount.agreement.phi.inference.items import Patterns, group
from headcount.agreement.phi.inference.model import CELLS, Continuous, Group, gold_weights
from headcount.agreement.phi.inference.nodes import weights
from headcount.agreement.phi.inference.posterior import Posterior
from headcount.agreement.phi.scale import PhiScale
from headcount.results.frames import to_frame
from headcount.stats.grouping import group_rows
from headcount.typing import Codes, Floats, Ids

__all__ = ["PhiItems", "RatedItems", "central_values"]


MU_STEP = 0.2
"""Distance of nodes: quantiles are read between them, which needs more than integrals do."""
GRID = 256
"""Totals at which central values are found where more items differ in nothing else."""
LEAST = 1e-12
"""Distance from 0 and 1 at which a central value is taken for its logit."""


@dataclass(frozen=True, eq=False)
class PhiItems:
    """Central values of the items, in units of the labels.

    Parameters
    ----------
    item : array
        Ids of the items with two ratings or more.
    ratings : (items,) array of int
    mu, low, high : (items,) arrays
        Posterior mean of the central value and its equal-tailed interval.
    residual : (items,) array
        Sum of squares of the ratings around mu over n - 1 times the variance that the common
        precision leads to expect, mu (1 - mu) / (1 + p). Items well above 1 are contested more
        than the rest.
    level : float
    """

    item: Ids
    ratings: Codes
    mu: Floats
    low: Floats
    high: Floats
    residual: Floats
    level: float

    def columns(self) -> dict[str, list[Any]]:
        """Return one row an item."""
        return {name: getattr(self, name).tolist() for name in self.no_columns()}

    @classmethod
    def no_columns(cls) -> dict[str, list[Any]]:
        """Return the columns without a row."""
        return {name: [] for name in ("item", "ratings", "mu", "low", "high", "residual")}

    def to_frame(self, backend: str | None = None) -> Any:
        """One row an item, as a polars, pandas or pyarrow frame."""
        return to_frame(self.columns(), backend)

    def __len__(self) -> int:
        return len(self.item)


@dataclass(frozen=True, eq=False)
class RatedItems:
    """What :meth:`central` needs, kept by a result until somebody asks.

    Parameters
    ----------
    ids : array
    patterns : Patterns
    pattern : (items,) array of int or None
        Pattern of each item; None if each item is its own.
    item, unit : (ratings,) arrays
        Item and value from 0 to 1 of each rating.
    gold_sd : float
    scale : PhiScale
    """

    ids: Ids
    patterns: Patterns
    pattern: NDArray[np.intp] | None
    item: Codes
    unit: Floats
    gold_sd: float
    scale: PhiScale

    def central(self, posterior: Posterior, level: float) -> PhiItems:
        """Find central values with intervals."""
        mu, low, high = central_values(self.patterns, posterior, self.gold_sd, level)
        if self.pattern is not None:
            mu, low, high = mu[self.pattern], low[self.pattern], high[self.pattern]
        n = np.bincount(self.item, minlength=len(mu))
        square = np.bincount(self.item, (self.unit - mu[self.item]) ** 2, len(mu))
        p = float(posterior.joint.sum(axis=1) @ posterior.p)
        return PhiItems(
            item=self.ids,
            ratings=n,
            mu=self.scale.label(mu),
            low=self.scale.label(low),
            high=self.scale.label(high),
            residual=square / (n - 1) / (mu * (1 - mu) / (1 + p)),
            level=level,
        )


def central_values(
    of: Patterns, posterior: Posterior, gold_sd: float, level: float
) -> tuple[Floats, Floats, Floats]:
    """Posterior mean and equal-tailed interval of mu, on the scale from 0 to 1.

    p and the spread of mu are integrated out over the posterior. O(patterns x nodes x 14).
    """
    ratings = of.ratings.smooth
    if ratings is not None:
        return _interpolated(of, ratings, posterior, gold_sd, level)
    return _exact(of, posterior, gold_sd, level)


def _interpolated(
    of: Patterns, ratings: Continuous, posterior: Posterior, gold_sd: float, level: float
) -> tuple[Floats, Floats, Floats]:
    """Interpolate the logit of mu, nearly linear in the total logit, between a few totals."""
    first, code = group_rows([ratings.n, ratings.low, ratings.high, of.gold])
    out = np.empty((3, len(of.n)))
    order = np.argsort(code, kind="stable")
    for head, rows in zip(first, np.split(order, np.cumsum(np.bincount(code))[:-1]), strict=True):
        total = ratings.total[rows]
        at: Floats = total
        if len(rows) > GRID:
            at = np.linspace(float(total.min()), float(total.max()), GRID)
        some = of.take(np.full(len(at), head))
        here = Continuous(
            ratings.n[[head]].repeat(len(at)),
            at,
            ratings.low[[head]].repeat(len(at)),
            ratings.high[[head]].repeat(len(at)),
            ratings.end,
        )
        found = _exact(Patterns(here, some.n, some.gold, some.weight), posterior, gold_sd, level)
        for k, values in enumerate(found):
            if len(rows) > GRID:
                inside = np.clip(values, LEAST, 1 - LEAST)
                logit = np.interp(total, at, np.log(inside / (1 - inside)))
                out[k, rows] = 1 / (1 + np.exp(-logit))
            else:
                out[k, rows] = values
    return out[0], out[1], out[2]


def _exact(
    of: Patterns, posterior: Posterior, gold_sd: float, level: float
) -> tuple[Floats, Floats, Floats]:
    out = np.empty((3, len(of.n)))
    size = np.ceil(np.log2(np.maximum(of.n, 2)))
    for one in np.unique(size).tolist():
        for known in (False, True):
            rows = np.flatnonzero((size == one) & (np.isnan(of.gold) != known))
            if len(rows):
                (part,) = group(of.take(rows), gold_sd)
                out[:, rows] = _of_group(part, posterior, level)
    return out[0], out[1], out[2]


def _of_group(part: Group, posterior: Posterior, level: float) -> Floats:
    mass = posterior.joint.sum(axis=1)
    likely = np.flatnonzero(mass > 1e-4 * mass.max())
    among = posterior.joint.sum(axis=0)
    kept = np.flatnonzero(among > 1e-4 * among.max())
    joint, priors = posterior.joint[:, kept], posterior.priors.take(kept)
    at = part.nodes(float(posterior.p[likely[-1]]), priors, step=MU_STEP)
    prior = weights(at, priors)
    out = np.empty((3, part.ratings.patterns))
    block = max(1, CELLS // len(at.mu))
    for start in range(0, part.ratings.patterns, block):
        rows = slice(start, start + block)
        density = np.zeros((len(out[0, rows]), len(at.mu)))
        for row in likely.tolist():
            log_table = part.ratings.log_density(float(posterior.p[row]), at, rows)
            table = np.exp(log_table - log_table.max(axis=1, keepdims=True))
            if part.gold is None:
                # A prior under which the item cannot be has no part in it.
                total = np.maximum(table @ prior, 1e-300)
                density += table * ((joint[row] / total) @ prior.T)
            else:
                table *= gold_weights(at, part.gold, rows)
                density += mass[row] * table / table.sum(axis=1, keepdims=True)
        density /= density.sum(axis=1, keepdims=True)
        below = np.cumsum(density, axis=1) - density / 2
        out[0, rows] = density @ at.mu
        out[1, rows] = _quantile(at.mu, below, (1 - level) / 2)
        out[2, rows] = _quantile(at.mu, below, (1 + level) / 2)
    return out


def _quantile(mu: Floats, below: Floats, q: float) -> Floats:
    right = np.clip((below < q).sum(axis=1), 1, len(mu) - 1)
    row = np.arange(len(below))
    a, b = below[row, right - 1], below[row, right]
    share = np.clip((q - a) / np.maximum(b - a, 1e-300), 0, 1)
    return mu[right - 1] + share * (mu[right] - mu[right - 1])

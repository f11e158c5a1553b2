"""Ratings drawn from the normal distribution around a fit."""

from __future__ import annotations

import math
from importlib import import_module
from typing import Any

import numpy as np
from numpy.typing import NDArray

from headcount.pairwise.bradley_terry.result import BradleyTerry
from headcount.typing import Floats

__all__ = ["normal_draws"]


DENSE = 1000
"""Parameters up to which their Hessian is written down."""
MOST_CELLS = 20_000_000
"""Draws times items, at most."""


def normal_draws(fit: BradleyTerry, *, draws: int = 1000, rng: np.random.Generator) -> Floats:
    """Draw ratings around a fit: normal, with its covariance.

    For ranks and labels, which have no formula of their own. Up to 1,000 items the covariance is
    the full one; above, ratings are drawn with their standard errors, each for itself, which
    matters little among so many.

    Parameters
    ----------
    fit : BradleyTerry
    draws : int
        At most; fewer (but 100) for more than 20,000 items.
    rng : Generator

    Returns
    -------
    (draws, items) array
        Ratings that are not finite stay as they are.

    Notes
    -----
    O(k x pairs + k^3) for k <= 1,000 parameters.

    Examples
    --------
    >>> from headcount.pairwise.bradley_terry.bradley_terry import bradley_terry
    >>> from headcount.data.comparisons import Comparisons
    >>> played = Comparisons.from_columns("abab", "bcca", [1, 1, 0, 0])
    >>> fit = bradley_terry(played, errors="hessian")
    >>> drawn = normal_draws(fit, rng=np.random.default_rng(0))
    >>> fit.standard_error.round(2), drawn.std(axis=0).round(2)
    (array([0.83, 0.83, 0.96]), array([0.83, 0.83, 0.98]))
    """
    n, finite = len(fit.items), fit.finite
    draws = int(np.clip(MOST_CELLS // max(n, 1), min(100, draws), draws))
    out = np.tile(fit.rating, (draws, 1))
    if not finite.any():
        return out
    kept = finite.copy()
    if fit.point is not None:
        kept = fit.point.model.free.copy()
        kept[:n] &= finite
    places = np.flatnonzero(kept)
    if len(places) > DENSE:
        out[:, finite] += rng.normal(size=(draws, int(finite.sum()))) * fit.standard_error[finite]
        return out
    matrix = None if fit.covariance is None else fit.covariance.matrix
    if matrix is not None:
        places = places[places < n]
        noise = _from_matrix(matrix[np.ix_(places, places)], draws, rng)
    else:
        noise = math.sqrt(fit.noise) * _correlated(fit, places, draws, rng)
    rated = places < n
    out[:, places[rated]] += noise[:, rated]
    if fit.prior is None:
        # Only differences within a component are known; its mean is 0 by definition.
        for c in np.unique(fit.component[finite]):
            members = np.flatnonzero(finite & (fit.component == c))
            out[:, members] -= out[:, members].mean(axis=1, keepdims=True)
    return out


def _from_matrix(matrix: Floats, draws: int, rng: np.random.Generator) -> Floats:
    """Draw errors with a covariance that may be singular."""
    values, vectors = np.linalg.eigh(matrix)
    noise = rng.normal(size=(draws, len(matrix)))
    return noise @ (vectors * np.sqrt(np.maximum(values, 0.0))).T


def _correlated(
    fit: BradleyTerry, places: NDArray[np.intp], draws: int, rng: np.random.Generator
) -> Floats:
    """Draw errors of the parameters at `places`."""
    linear: Any = import_module("scipy.linalg")  # untyped, and slow to import
    point = fit.point
    if point is None:
        raise ValueError("a fit that was saved has no Hessian")
    hessian = np.empty((len(places), len(places)))
    unit = np.zeros(point.model.size)
    for row, place in enumerate(places):
        unit[place] = 1.0
        hessian[row] = point.times(unit)[places]
        unit[place] = 0.0
    scale = float(np.trace(hessian)) / len(places)
    if fit.prior is None:
        # The mean of a component is free. Any stiffness makes it regular, and centring drops it.
        component = fit.component[places[places < len(fit.items)]]
        same = component[:, None] == component[None, :]
        hessian[: len(component), : len(component)] += scale / np.sqrt(same.sum(axis=1)) * same
    gauge = point.model.gauge[places]
    lower = np.linalg.cholesky(hessian + scale * np.outer(gauge, gauge))
    noise = rng.normal(size=(draws, len(places)))
    errors = linear.solve_triangular(lower, noise.T, lower=True, trans=1).T
    if gauge.any():
        # Given that the mean slope is held.
        along = linear.cho_solve((lower, True), gauge)
        errors -= np.outer(errors @ gauge, along) / float(gauge @ along)
    return np.asarray(errors, dtype=np.float64)

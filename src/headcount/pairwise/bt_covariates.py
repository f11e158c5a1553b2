"""Covariates of items: read, standardised, and what they add to ratings."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, cast

import numpy as np
from numpy.typing import ArrayLike, NDArray

from headcount.errors import DataError, count, some
from headcount.labels.vocabulary import as_ids, match_ids
from headcount.pairwise.bt_errors import variance
from headcount.pairwise.bt_model import Point
from headcount.pairwise.bt_result import Parameter
from headcount.pairwise.comparisons import Comparisons

__all__ = ["coefficients", "read_covariates"]

Floats = NDArray[np.float64]


def read_covariates(
    covariates: Mapping[object, ArrayLike] | ArrayLike | None, comparisons: Comparisons
) -> tuple[Floats | None, Floats]:
    """Bring covariates to mean 0 and standard deviation 1; return them and their units.

    Examples
    --------
    >>> played = Comparisons.from_columns("ab", "bc", ["left", "left"])
    >>> read_covariates({"c": 5, "a": 1, "b": 3}, played)[0].round(2).ravel().tolist()
    [-1.22, 0.0, 1.22]
    """
    if covariates is None:
        return None, np.zeros(0)
    items, source = comparisons.items, comparisons.source
    if isinstance(covariates, Mapping):
        names = as_ids([str(key) for key in covariates])
        place = match_ids(items, names)
        if (place < 0).any():
            missing = items[place < 0].tolist()
            raise DataError(
                f"{source}: covariates lack {count(len(missing), 'item')}: {some(missing)}."
            )
        rows: list[list[float]] = [
            np.atleast_1d(np.asarray(row, dtype=np.float64)).tolist()
            for row in cast("list[Any]", list(covariates.values()))
        ]
        if len({len(row) for row in rows}) > 1:
            raise DataError("covariates: items have different numbers of covariates.")
        x = np.array([rows[p] for p in place.tolist()], dtype=np.float64)
    else:
        x = np.asarray(covariates, dtype=np.float64)
        x = x[:, None] if x.ndim == 1 else x
        if x.ndim != 2 or len(x) != len(items):
            raise DataError(
                f"covariates have the shape {x.shape}, but there are {count(len(items), 'item')} "
                f"in {source}. Give a row for each of comparisons.items, or a mapping."
            )
    if not np.isfinite(x).all():
        row, column = np.argwhere(~np.isfinite(x))[0]
        raise DataError(f"covariates: item '{items[row]}' has no number {column + 1}.")
    unit = x.std(axis=0)
    constant = np.flatnonzero(unit <= 1e-12 * np.abs(x).max(axis=0, initial=0))
    if len(constant):
        raise DataError(
            f"covariates: number {constant[0] + 1} is the same for all items, so it explains "
            "nothing. Leave it out."
        )
    return (x - x.mean(axis=0)) / unit, unit


def coefficients(point: Point, unit: Floats) -> tuple[Parameter, ...]:
    r"""Find what a unit of each covariate adds, given the ratings.

    Given the ratings, coefficients are normal with mean :math:`A \theta`,
    :math:`A = (I + X^T X)^{-1} X^T`, and covariance prior^2 :math:`(I + X^T X)^{-1}`; to this comes
    the uncertainty of the ratings.
    """
    model = point.model
    if model.covariates is None or model.prior is None:
        return ()
    x, n = model.covariates, model.wins.n_items
    own = model.prior**2 * np.diag(np.linalg.inv(np.eye(len(unit)) + x.T @ x))
    out: list[Parameter] = []
    for k, lead in enumerate(model.coefficients):
        direction = np.zeros(model.size)
        direction[:n] = lead
        error = np.sqrt(own[k] + variance(point, direction))
        out.append(Parameter(float(lead @ point.z[:n] / unit[k]), float(error / unit[k])))
    return tuple(out)

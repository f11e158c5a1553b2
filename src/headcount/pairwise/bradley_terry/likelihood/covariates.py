"""Covariates of items: read, standardised, and what they add to ratings."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple, cast

import numpy as np
from numpy.typing import ArrayLike

from headcount.data.comparisons import Comparisons
from headcount.data.vocabulary import as_ids, match_ids
from headcount.errors import DataError, count, some
from headcount.io.facts.item_facts import read_covariates
from headcount.io.load import take_facts
from headcount.pairwise.bradley_terry.likelihood.model import Point
from headcount.pairwise.bradley_terry.standard_errors.hessian import variance
from headcount.pairwise.bradley_terry.standard_errors.parameter import Parameter
from headcount.typing import Floats

__all__ = ["Covariates", "ItemNumbers", "coefficients", "standardised"]

ItemNumbers = Mapping[Any, ArrayLike | Mapping[str, float]] | ArrayLike | Any
"""Covariates as they are given: rows of numbers, items with numbers, named or not, or what
:func:`headcount.read_covariates` reads: a file or a frame."""


class Covariates(NamedTuple):
    """Covariates with mean 0 and standard deviation 1, what that is in their units, and names."""

    x: Floats | None
    unit: Floats
    names: tuple[str, ...]


def standardised(covariates: ItemNumbers | None, comparisons: Comparisons) -> Covariates:
    """Bring covariates to mean 0 and standard deviation 1.

    Examples
    --------
    >>> played = Comparisons.from_columns("ab", "bc", ["left", "left"])
    >>> standardised({"c": 5, "a": 1, "b": 3}, played).x.round(2).ravel().tolist()
    [-1.22, 0.0, 1.22]
    """
    if covariates is None:
        return Covariates(None, np.zeros(0), ())
    items, source = comparisons.items, comparisons.source
    names: list[str] = []
    if not isinstance(covariates, Mapping | Sequence | np.ndarray) or isinstance(covariates, str):
        covariates = take_facts(covariates, read_covariates, "covariates")
    if isinstance(covariates, Mapping):
        given = cast("Mapping[Any, Any]", covariates)
        index = match_ids(items, as_ids([str(key) for key in given]))
        if (index < 0).any():
            missing = items[index < 0].tolist()
            raise DataError(
                f"{source}: covariates lack {count(len(missing), 'item')}: {some(missing)}."
            )
        rows, names = _rows(list(given.values()))
        x = np.array([rows[i] for i in index.tolist()], dtype=np.float64)
    else:
        x = _numbers(covariates)
        x = x[:, None] if x.ndim == 1 else x
        if x.ndim != 2 or len(x) != len(items):
            raise DataError(
                f"covariates have the shape {x.shape}, but there are {count(len(items), 'item')} "
                f"in {source}. Give a row for each of comparisons.items, or a mapping."
            )
    names = names or [f"covariate {k + 1}" for k in range(x.shape[1])]
    if not np.isfinite(x).all():
        row, column = np.argwhere(~np.isfinite(x))[0]
        raise DataError(f"covariates: item '{items[row]}' has no finite '{names[column]}'.")
    with np.errstate(over="ignore"):
        unit = x.std(axis=0)
    large = np.flatnonzero(np.isinf(unit))
    if len(large):
        raise DataError(
            f"covariates: '{names[large[0]]}' is too large to compute with. Use a larger unit."
        )
    constant = np.flatnonzero(unit <= 1e-12 * np.abs(x).max(axis=0, initial=0))
    if len(constant):
        raise DataError(
            f"covariates: '{names[constant[0]]}' is the same for all items, so it explains "
            "nothing. Leave it out."
        )
    return Covariates((x - x.mean(axis=0)) / unit, unit, tuple(names))


def _rows(values: list[Any]) -> tuple[list[list[float]], list[str]]:
    """Numbers of each item in the same order, and their names, if they have any."""
    named = [cast("Mapping[str, Any]", row) for row in values if isinstance(row, Mapping)]
    names = list(named[0]) if named else []
    if named and (len(named) < len(values) or any(set(row) != set(names) for row in named)):
        raise DataError("covariates: items have different covariates. Give all to every item.")
    if named:
        values = [[row[name] for name in names] for row in named]
    rows: list[list[float]] = [np.atleast_1d(_numbers(row)).tolist() for row in values]
    if len({len(row) for row in rows}) > 1:
        raise DataError("covariates: items have different numbers of covariates.")
    return rows, names


def _numbers(values: Any) -> Floats:
    try:
        return np.asarray(values, dtype=np.float64)
    except (TypeError, ValueError):
        raise DataError("covariates must be numbers, as many for each item.") from None


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

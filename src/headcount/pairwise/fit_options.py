"""What a fit is asked for, checked: its options, covariates of items, and controls."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple, cast

import numpy as np
from numpy.typing import ArrayLike

from headcount.data.comparisons import Comparisons
from headcount.data.vocabulary import as_ids, match_ids
from headcount.errors import DataError, OptionError, count, option, some
from headcount.io.facts import read_covariates
from headcount.io.load import take_facts
from headcount.pairwise.answers import has_exact_sums, is_plain, sort_rows
from headcount.pairwise.likelihood import Point
from headcount.pairwise.priors import AUTO_PRIOR, NO_PRIOR
from headcount.pairwise.sandwich import Meat, inverse
from headcount.pairwise.standard_errors import ROBUST, Controlled, Parameter, variance
from headcount.pairwise.ties import TieModel, check_outcomes
from headcount.typing import Codes, Floats

__all__ = [
    "check_covariates",
    "FitOptions",
    "check_control",
    "that_count",
    "start_of",
    "ItemNumbers",
    "Covariates",
    "standardised",
    "coefficients",
    "Controls",
    "control_columns",
    "choose_controls",
    "climb_controls",
]


# Options of a fit, and the comparisons that count.


def check_covariates(covariates: object, prior: object) -> None:
    """Refuse covariates without a prior, before a file of them is read."""
    if covariates is not None and not isinstance(prior, int | float):
        raise OptionError(
            f"{option('covariates')} need a prior ({option('prior', 1)}): by how many logits the "
            "rating of an item may differ from what its covariates say of it. Without, ratings are "
            "free and leave nothing to explain."
        )


@dataclass(frozen=True, eq=False, kw_only=True)
class FitOptions:
    """Options of a fit, checked; see :func:`headcount.bradley_terry`."""

    ties: TieModel
    position: bool
    prior: float | str | None
    covariates: Any
    reliability: bool
    errors: str
    cluster: Any
    control: Any
    start: Any
    tolerance: float
    max_iter: int
    level: float


def check_control(control: Any, *, prior: object, reliability: object) -> None:
    """Refuse controls beside what they are not fitted with."""
    if not control_columns(control):
        return
    has_prior = prior not in (None, NO_PRIOR, AUTO_PRIOR)
    for name, value in (("prior", has_prior), ("reliability", bool(reliability))):
        if value:
            raise OptionError(
                f"{option('control')} and {option(name)} are not fitted together; leave one out."
            )


def that_count(comparisons: Comparisons, wanted: FitOptions) -> Comparisons:
    """Comparisons with a weight, after a look at their outcomes."""
    played = comparisons
    if wanted.reliability and comparisons.rater is None:
        raise DataError(
            f"{comparisons.source}: {option('reliability')} needs to know who answered, and there "
            "is no rater column."
        )
    if comparisons.weight is not None and not comparisons.weight.all():
        played = comparisons.select(comparisons.weight > 0)
    if not len(comparisons):
        raise DataError(f"{comparisons.source}: no comparisons.")
    if not len(played):
        raise DataError(f"{comparisons.source}: every comparison has weight 0, so none counts.")
    check_outcomes(wanted.ties, played)
    # Where cells are single comparisons, or sums are rounded, the order of rows would tell.
    rounded = wanted.reliability or not has_exact_sums(played)
    # Robust errors add up pairs where that is all there is to a comparison, and rows elsewhere.
    by_row = wanted.errors == ROBUST and (wanted.ties.has_cut or not is_plain(played))
    return sort_rows(played) if rounded or by_row else played


def start_of(start: Any, comparisons: Comparisons) -> Floats | None:
    """Check ratings to start from."""
    if start is None:
        return None
    try:
        rating = np.asarray(start, dtype=np.float64)
    except (TypeError, ValueError):
        raise OptionError(f"{option('start')} must be ratings: numbers, one per item.") from None
    if rating.shape != comparisons.items.shape:
        raise OptionError(
            f"{option('start')} has {count(rating.size, 'rating')}, but there are "
            f"{count(len(comparisons.items), 'item')} in {comparisons.source}. Give one for each "
            "of comparisons.items."
        )
    return rating


# Covariates of items: read, standardised, and what they add to ratings.

ItemNumbers = Mapping[Any, ArrayLike | Mapping[str, float]] | ArrayLike | Any
"""Covariates as they are given: rows of numbers, items with numbers, named or not, or what
:func:`headcount.io.facts.read_covariates` reads: a file or a frame."""


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
        by_item = cast("Mapping[Any, Any]", covariates)
        index = match_ids(items, as_ids([str(key) for key in by_item]))
        if (index < 0).any():
            missing = items[index < 0].tolist()
            raise DataError(
                f"{source}: covariates lack {count(len(missing), 'item')}: {some(missing)}."
            )
        rows, names = _rows(list(by_item.values()))
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


# What else answers go by: differences of the two items in what a comparison shows of them.
#
# .. math:: \eta = \theta_l - \theta_r + \delta + \sum_k \gamma_k d_k
#
# where :math:`d_k` is such a difference, in standard deviations: of the lengths of two answers,
# say. Ratings are then those of answers of the same length.

MOST_ITEMS = 2000
"""Items up to which matrices are written down."""


class Controls(NamedTuple):
    """Differences in standard deviations, (comparisons, controls); what that is; and names."""

    x: Floats
    unit: Floats
    names: tuple[str, ...]


def control_columns(controls: Any) -> tuple[str, ...]:
    """Return controls by name, such as ``("len_a:len_b",)``, from text with commas or several.

    Examples
    --------
    >>> control_columns("len_a:len_b, lists_a:lists_b")
    ('len_a:len_b', 'lists_a:lists_b')
    """
    if controls is None:
        return ()
    parts: list[object] = [controls]
    if isinstance(controls, str):
        parts = [part for part in controls.split(",") if part.strip()]
    elif isinstance(controls, list | tuple):
        parts = list(cast("Sequence[object]", controls))
    out: list[str] = []
    for part in parts:
        sides = [side.strip() for side in part.split(":")] if isinstance(part, str) else []
        if len(sides) != 2 or not all(sides):
            raise OptionError(
                f"{option('control')} must name two columns, of the left and of the right item, "
                f"such as len_a:len_b; not {part!r}."
            )
        out.append(":".join(sides))
    return tuple(dict.fromkeys(out))


def choose_controls(controls: Any, played: Comparisons, items: int) -> Controls:
    """Take the differences that were asked for, in their standard deviations around 0."""
    names = control_columns(controls)
    if not names:
        return Controls(np.zeros((len(played.left), 0)), np.zeros(0), ())
    if items > MOST_ITEMS:
        raise DataError(
            f"{played.source}: {option('control')} works up to {MOST_ITEMS:,} items, and there are "
            f"{items:,}."
        )
    missing = [name for name in names if name not in played.controls]
    if missing:
        kept = some([*played.controls]) if played.controls else "none"
        raise DataError(
            f"{played.source}: no differences {some(missing)} were read; there are: {kept}. Name "
            "them when the comparisons are read."
        )
    x = np.array([played.controls[name] for name in names]).T.reshape(len(played), -1)
    unit = np.sqrt(np.mean(x**2, axis=0))
    for name, size in zip(names, unit.tolist(), strict=True):
        if not size > 0:
            raise DataError(
                f"{played.source}: '{name}' is 0 in all comparisons, so that it explains nothing. "
                "Leave it out."
            )
    return Controls(x / unit, unit, names)


def climb_controls(
    start: Floats,
    ties: TieModel,
    played: Comparisons,
    controls: Controls,
    block: Codes,
    *,
    sided: bool,
    tolerance: float,
    max_iter: int,
) -> Controlled:
    """Maximise the log-likelihood with controls, by Fisher scoring with dense matrices.

    Parameters
    ----------
    start : (items + 2,) array
        The maximum without controls.
    ties : TieModel
    played : Comparisons
    controls : Controls
    block : (items,) array of int
        What is fitted together; -1 for items without a finite rating.
    sided : bool
        Whether the left side has an advantage.
    tolerance : float
        Largest absolute derivative at the end.
    max_iter : int

    Notes
    -----
    O(comparisons + k^3) a step for k items.
    """
    n, p = len(block), len(controls.names)
    extra = np.column_stack([controls.x, np.full(len(played), float(sided))])
    free = np.concatenate([np.ones(p, dtype=bool), [sided, ties.has_cut]])
    fitted = np.concatenate([block >= 0, free])
    rows = (block[played.left] >= 0) & (block[played.right] >= 0)
    z = np.concatenate([np.where(block >= 0, start[:n], 0.0), np.zeros(p), start[-2:]])

    def at(z: Floats) -> tuple[float, Meat]:
        meat = Meat.of(z, ties, played, rows, extra)
        return _log_likelihood(meat, ties, float(z[-1]), played.outcome[rows]), meat

    (value, meat), n_iter = at(z), 0
    while True:
        gradient = np.where(fitted, meat.sums(meat.by_eta, meat.by_cut), 0.0)
        v = inverse(_information(meat, ties, float(z[-1])), block, free)
        largest = float(np.abs(gradient).max())
        converged = largest <= tolerance
        if not converged and n_iter < max_iter:
            after = _step(z, v @ gradient, value, ties, at)
            if after is not None:
                (z, value, meat), n_iter = after, n_iter + 1
                continue
        return Controlled(
            z=z,
            extra=extra,
            free=free,
            inverse=v,
            gradient=largest,
            log_likelihood=value,
            converged=converged,
            n_iter=n_iter,
        )


def _step(
    z: Floats, step: Floats, value: float, ties: TieModel, at: Any
) -> tuple[Floats, float, Meat] | None:
    """Go a step uphill, or as far as it is uphill; None where it nowhere is."""
    part = ties.longest_step(float(z[-1]), float(step[-1])) if ties.has_cut else 1.0
    noise = 1e-12 * (1 + abs(value))
    while part > 1e-9:
        after, meat = at(z + part * step)
        if after >= value - noise:
            return z + part * step, after, meat
        part /= 2
    return None


def _log_likelihood(meat: Meat, ties: TieModel, cut: float, outcome: Floats) -> float:
    win, tie, loss = (np.log(np.maximum(p, 1e-300)) for p in ties.probabilities(meat.eta, cut))
    log_p = outcome * win + (1 - outcome) * loss
    if ties.has_cut:
        log_p = np.where(outcome == 0.5, tie, log_p)
    return float(np.sum(meat.weight * log_p))


def _information(meat: Meat, ties: TieModel, cut: float) -> Floats:
    """Add up the expected squares of the derivatives, as a matrix of the parameters."""
    both, of_cut = np.zeros((2, len(meat.eta)))
    if ties.has_cut:
        for p, y in zip(ties.probabilities(meat.eta, cut), (1.0, 0.5, 0.0), strict=True):
            by_eta, by_cut = ties.scores(meat.eta, cut, np.full(len(meat.eta), y))
            both += meat.weight * p * by_eta * by_cut
            of_cut += meat.weight * p * by_cut**2
    return meat.gram(meat.tell, both, of_cut)

"""What a fit is asked for, checked: its options, and controls."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple, cast

import numpy as np

from headcount.data.comparisons import Comparisons
from headcount.errors import DataError, OptionError, count, option, some
from headcount.pairwise.answers import has_exact_sums, is_plain, sort_rows
from headcount.pairwise.priors import AUTO_PRIOR, NO_PRIOR
from headcount.pairwise.sandwich import Meat, inverse
from headcount.pairwise.standard_errors import ROBUST, Controlled
from headcount.pairwise.ties import TieModel, check_outcomes
from headcount.typing import Codes, Floats

__all__ = [
    "FitOptions",
    "check_control",
    "that_count",
    "start_of",
    "Controls",
    "control_columns",
    "choose_controls",
    "climb_controls",
]


# Options of a fit, and the comparisons that count.


@dataclass(frozen=True, eq=False, kw_only=True)
class FitOptions:
    """Options of a fit, checked; see :func:`headcount.bradley_terry`."""

    ties: TieModel
    position: bool
    prior: float | str | None
    errors: str
    cluster: Any
    control: Any
    start: Any
    tolerance: float
    max_iter: int
    level: float


def check_control(control: Any, *, prior: object) -> None:
    """Refuse controls beside a prior, with which they are not fitted."""
    if control_columns(control) and prior not in (None, NO_PRIOR, AUTO_PRIOR):
        raise OptionError(
            f"{option('control')} and {option('prior')} are not fitted together; leave one out."
        )


def that_count(comparisons: Comparisons, wanted: FitOptions) -> Comparisons:
    """Comparisons with a weight, after a look at their outcomes."""
    played = comparisons
    if comparisons.weight is not None and not comparisons.weight.all():
        played = comparisons.select(comparisons.weight > 0)
    if not len(comparisons):
        raise DataError(f"{comparisons.source}: no comparisons.")
    if not len(played):
        raise DataError(f"{comparisons.source}: every comparison has weight 0, so none counts.")
    check_outcomes(wanted.ties, played)
    # Where sums are rounded, the order of rows would tell.
    rounded = not has_exact_sums(played)
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


# What else answers go by: differences of the two items in what a comparison shows of them.
#
# .. math:: \eta = \theta_l - \theta_r + \delta + \sum_k \gamma_k d_k
#
# where :math:`d_k` is such a difference, in standard deviations: of the lengths of two answers,
# say. Ratings are then those of answers of the same length.

RELATIVE = "relative"
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
        relative = len(sides) == 3 and sides[2] == RELATIVE
        if not (relative or len(sides) == 2) or not all(sides):
            raise OptionError(
                f"{option('control')} must name two columns, of the left and of the right item, "
                f"such as len_a:len_b, or len_a:len_b:{RELATIVE} for (a - b) / (a + b); not "
                f"{part!r}."
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

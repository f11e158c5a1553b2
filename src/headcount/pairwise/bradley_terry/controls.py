r"""What else answers go by: differences of the two items in what a comparison shows of them.

.. math:: \eta = \theta_l - \theta_r + \delta + \sum_k \gamma_k d_k

where :math:`d_k` is such a difference, in standard deviations: of the lengths of two answers, say.
Ratings are then those of answers of the same length.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple, cast

import numpy as np

from headcount.data.comparisons import Comparisons
from headcount.errors import DataError, OptionError, option, some
from headcount.pairwise.bradley_terry.standard_errors.sandwich import Meat, inverse
from headcount.pairwise.bradley_terry.ties.base import TieModel
from headcount.typing import Codes, Flags, Floats

__all__ = ["Controlled", "Controls", "choose_controls", "climb_controls", "control_columns"]

MOST_ITEMS = 2000
"""Items up to which matrices are written down."""


class Controls(NamedTuple):
    """Differences in standard deviations, (comparisons, controls); what that is; and names."""

    x: Floats
    unit: Floats
    names: tuple[str, ...]


@dataclass(frozen=True, eq=False, kw_only=True)
class Controlled:
    """The maximum with controls.

    Parameters
    ----------
    z : (parameters,) array
        Ratings, what a standard deviation of each control adds, the advantage of the left side, and
        the cut.
    extra : (comparisons, controls + 1) array
        Differences, and 1 for the left side, if it has an advantage.
    free : (controls + 2,) array of bool
        Which parameters other than ratings are fitted.
    inverse : (parameters, parameters) array
        Of the information.
    gradient, log_likelihood : float
    converged : bool
    n_iter : int
    """

    z: Floats
    extra: Floats
    free: Flags
    inverse: Floats
    gradient: float
    log_likelihood: float
    converged: bool
    n_iter: int


def control_columns(asked: Any) -> tuple[str, ...]:
    """Return controls by name, such as ``("len_a:len_b",)``, from text with commas or several.

    Examples
    --------
    >>> control_columns("len_a:len_b, lists_a:lists_b")
    ('len_a:len_b', 'lists_a:lists_b')
    """
    if asked is None:
        return ()
    parts: list[object] = [asked]
    if isinstance(asked, str):
        parts = [part for part in asked.split(",") if part.strip()]
    elif isinstance(asked, list | tuple):
        parts = list(cast("Sequence[object]", asked))
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


def choose_controls(asked: Any, played: Comparisons, items: int) -> Controls:
    """Take the differences that were asked for, in their standard deviations around 0."""
    names = control_columns(asked)
    if not names:
        return Controls(np.zeros((len(played.left), 0)), np.zeros(0), ())
    if items > MOST_ITEMS:
        raise DataError(
            f"{played.source}: {option('control')} works up to {MOST_ITEMS:,} items, and there are "
            f"{items:,}."
        )
    missing = [name for name in names if name not in played.controls]
    if missing:
        known = some([*played.controls]) if played.controls else "none"
        raise DataError(
            f"{played.source}: no differences {some(missing)} were read; there are: {known}. Name "
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
    one = outcome * win + (1 - outcome) * loss
    if ties.has_cut:
        one = np.where(outcome == 0.5, tie, one)
    return float(np.sum(meat.weight * one))


def _information(meat: Meat, ties: TieModel, cut: float) -> Floats:
    """Add up the expected squares of the derivatives, as a matrix of the parameters."""
    both, of_cut = np.zeros((2, len(meat.eta)))
    if ties.has_cut:
        for p, y in zip(ties.probabilities(meat.eta, cut), (1.0, 0.5, 0.0), strict=True):
            by_eta, by_cut = ties.scores(meat.eta, cut, np.full(len(meat.eta), y))
            both += meat.weight * p * by_eta * by_cut
            of_cut += meat.weight * p * by_cut**2
    return meat.gram(meat.tell, both, of_cut)

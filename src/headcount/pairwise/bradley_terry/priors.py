r"""The prior of ratings: how wide it is, and where there is one.

The spread :math:`\tau` of a normal prior is fitted by its marginal likelihood, with ratings
integrated out, under a lognormal prior of its own around 1. The largest one is taken that the
answers do not speak against: of which the logarithm is 1.35 lower, the end of a one-sided interval
of 95%. Too large a spread costs a little width, too small a one costs coverage.

Where items have few answers, ratings are integrated out by expectation propagation (see
:mod:`~headcount.pairwise.bradley_terry.likelihood.marginal`); with many, and for rankings, by
Laplace's approximation, which draws the likeliest spread down where answers are few:

.. math:: \log p(\tau) = \ell(\hat\theta_\tau) - \frac{|\hat\theta_\tau|^2}{2 \tau^2} - n \log \tau
          - \tfrac12 \log |H_\tau + I / \tau^2| - \tfrac12 \log^2 \tau
"""

from __future__ import annotations

import math
from collections.abc import Callable
from importlib import import_module
from typing import Any

import numpy as np

from headcount import options
from headcount.errors import OptionError, option
from headcount.pairwise.answers.graph import Graph
from headcount.pairwise.bradley_terry.likelihood.newton import Spot
from headcount.typing import Floats

__all__ = [
    "AUTO",
    "FITTED",
    "NONE",
    "check_prior",
    "given_prior",
    "likely_spread",
    "needs_prior",
    "spread_of",
]

AUTO, FITTED, NONE = WORDS = ("auto", "fitted", "none")
"""A prior where many ratings would have no bound; one in any case; and none."""
LIMITS = (1e-6, 1e6)
"""Priors of ratings that can be computed with, in logits."""
MANY_ITEMS = 5
"""Items without a bound from which on they are many."""
SPREADS = (0.1, 10.0)
"""Spreads among which the likeliest is looked for, in logits."""
STEPS, HALVINGS = 9, 6
WALK, BETWEEN = 0.2, 200
"""Step in the logarithm of a spread, in which slopes are taken as linear; parts of it."""
FALL = 1.35
"""By how much the log-likelihood of a spread may be lower than that of the likeliest."""
DENSE = 1000
"""Items up to which a determinant is that of a dense matrix."""
MOST_WALKS = 5e7
"""Products to compute, at most, for the third and fourth term of the series of a determinant."""


def check_prior(prior: Any) -> float | str | None:
    """Check a prior: a standard deviation, one of the words, or None for none."""
    if prior is None or (isinstance(prior, str) and prior == NONE):
        return None
    if isinstance(prior, str):
        if prior in WORDS:
            return prior
        try:
            prior = float(prior)
        except ValueError:
            raise OptionError(
                f"{option('prior')} must be a standard deviation in logits, such as 1 or 2, or one "
                f"of {', '.join(WORDS)}; not {prior!r}."
            ) from None
    return options.number(
        prior,
        "prior",
        least=LIMITS[0],
        most=LIMITS[1],
        such_as="1 or 2 (a standard deviation in logits)",
    )


def given_prior(prior: float | str | None) -> float | None:
    """Return a prior that was given as a number; None for none, and for one to be fitted."""
    return None if isinstance(prior, str) else prior


def needs_prior(prior: float | str | None, graph: Graph) -> bool:
    """Say whether the spread of a prior is to be fitted: asked for, or for want of bounds."""
    if prior != AUTO:
        return prior == FITTED
    loose = int(np.sum(graph.compared & ~graph.finite))
    return loose >= MANY_ITEMS


def likely_spread(slope: Callable[[float], float]) -> float:
    """Fit the spread of a prior: the largest that its marginal likelihood leaves open.

    Parameters
    ----------
    slope : callable
        Derivative of the log marginal likelihood by the logarithm of the spread.

    Notes
    -----
    Some ten spreads are looked at, from 1 downwards until the slope is positive, then upwards until
    the likelihood has fallen as far as it may. Slopes of more spreads than that are not needed.
    """
    low, high = (math.log(s) for s in SPREADS)

    def at(t: float) -> tuple[float, float]:
        return t, slope(math.exp(t)) - t  # that of the lognormal prior beside

    walked = [at(0.0)]
    while walked[0][1] < 0 and walked[0][0] > low:
        walked.insert(0, at(walked[0][0] - WALK))
    while walked[-1][0] < high:
        t, value = _summed(walked)
        if value[-1] < value.max() - FALL:
            break
        walked.append(at(walked[-1][0] + WALK))
    t, value = _summed(walked)
    best = int(value.argmax())
    open_ = value[best:] >= value[best] - FALL
    last = best + (len(open_) if open_.all() else int(open_.argmin())) - 1
    return float(f"{math.exp(t[last]):.3g}")


def _summed(walked: list[tuple[float, float]]) -> tuple[Floats, Floats]:
    """Add slopes up, between the spreads that were looked at as well."""
    ends: Floats = np.array([t for t, _ in walked])
    slopes: Floats = np.array([slope for _, slope in walked])
    places = np.arange(1 + BETWEEN * (len(ends) - 1)) / BETWEEN
    t: Floats = np.interp(places, np.arange(len(ends)), ends).astype(np.float64)
    between: Floats = np.interp(t, ends, slopes).astype(np.float64)
    steps = (between[1:] + between[:-1]) / 2 * np.diff(t)
    return t, np.concatenate([[0.0], np.cumsum(steps)])


def spread_of(climb: Callable[[float], tuple[Spot, Any]], *, noise: float = 1.0) -> float:
    """Fit the spread of a prior as :func:`likely_spread` does, by Laplace's approximation.

    Parameters
    ----------
    climb : callable
        From a spread to the maximum with it, and the negative Hessian of the ratings there, as a
        sparse array.
    noise : float
        Variance of answers as a share of what the model says.

    Notes
    -----
    About 25 fits. A determinant of more than 1,000 items is approximated by four terms of the
    series of its logarithm.
    """

    def evidence(t: float) -> float:
        # Answers that count 1 / noise, beside this prior, are answers that count once beside that.
        point, hessian = climb(math.exp(t) / math.sqrt(noise))
        n = hessian.shape[0]
        return point.value / noise - n * t - 0.5 * _log_determinant(hessian) - 0.5 * t**2

    low, high = (math.log(s) for s in SPREADS)
    grid: list[float] = np.linspace(low, high, STEPS).tolist()
    best = max(grid, key=evidence)
    width = grid[1] - grid[0]
    found = evidence(best)
    for _ in range(HALVINGS):
        width /= 2
        for t in (best - width, best + width):
            if low <= t <= high and (value := evidence(t)) > found:
                best, found = t, value
                break
    top, too_far = best, high
    for _ in range(HALVINGS + 2):
        middle = (top + too_far) / 2
        top, too_far = (middle, too_far) if evidence(middle) > found - FALL else (top, middle)
    return float(f"{math.exp(top):.3g}")


def _log_determinant(matrix: Any) -> float:
    """Logarithm of the determinant of a positive matrix with a heavy diagonal."""
    n = matrix.shape[0]
    if n <= DENSE:
        return float(np.linalg.slogdet(matrix.toarray())[1])
    sparse: Any = import_module("scipy.sparse")
    diagonal: Floats = matrix.diagonal()
    scale = sparse.diags_array(1 / np.sqrt(diagonal))
    # log |D - A| = sum log d - tr B^2 / 2 - tr B^3 / 3 - tr B^4 / 4 - ..., B = D^-1/2 A D^-1/2
    b = scale @ (sparse.diags_array(diagonal) - matrix) @ scale
    out = float(np.sum(np.log(diagonal))) - 0.5 * float((b * b).sum())
    if b.nnz**2 / n < MOST_WALKS:
        twice = b @ b
        out -= float((twice * b).sum()) / 3 + float((twice * twice).sum()) / 4
    return out

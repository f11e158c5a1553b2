r"""The prior of ratings: how wide it is, and where there is one.

The spread :math:`\tau` of a normal prior is fitted by its marginal likelihood, with ratings
integrated out by Laplace's approximation, under a lognormal prior of its own around 1:

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

__all__ = ["AUTO", "FITTED", "NONE", "check_prior", "given_prior", "needs_prior", "spread_of"]

AUTO, FITTED, NONE = WORDS = ("auto", "fitted", "none")
"""A prior where many ratings would have no bound; one in any case; and none."""
LIMITS = (1e-6, 1e6)
"""Priors of ratings that can be computed with, in logits."""
MANY_ITEMS, MANY_SHARE = 5, 0.05
"""Items without a bound, in number and as a share of all, from which on they are many."""
SPREADS = (0.1, 10.0)
"""Spreads among which the likeliest is looked for, in logits."""
STEPS, HALVINGS = 9, 6
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
    return loose >= max(MANY_ITEMS, MANY_SHARE * int(graph.compared.sum()))


def spread_of(climb: Callable[[float], tuple[Spot, Any]]) -> float:
    """Fit the spread of a prior by its marginal likelihood.

    Parameters
    ----------
    climb : callable
        From a spread to the maximum with it, and the negative Hessian of the ratings there, as a
        sparse array.

    Notes
    -----
    About 15 fits. A determinant of more than 1,000 items is approximated by four terms of the
    series of its logarithm.
    """

    def evidence(t: float) -> float:
        point, hessian = climb(math.exp(t))
        n = hessian.shape[0]
        return point.value - n * t - 0.5 * _log_determinant(hessian) - 0.5 * t**2

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
    return float(f"{math.exp(best):.3g}")


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

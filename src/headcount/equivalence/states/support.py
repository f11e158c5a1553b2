"""Possible states of items, and how probable a Dirichlet distribution finds each of them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

import numpy as np

from headcount.typing import Floats

__all__ = ["Support", "make_support"]

POINTS = 1024
"""Possible states of three labels or more."""
_LEAST = 1e-9
"""Smallest probability of a label in a state."""
_STEPS_PER_SD = 5
_TILTS = 3


class Support(Protocol):
    """Possible states, and the weights that a Dirichlet distribution gives them."""

    @property
    def theta(self) -> Floats:
        """Distributions over labels, none of them 0: (states, labels)."""
        ...

    def weigh(self, a: Floats) -> Floats:
        """Weights of states under Dirichlet distributions (data sets, labels)."""
        ...


@dataclass(frozen=True, eq=False)
class Cells:
    """States of two labels: each stands for a cell of probabilities of the first label.

    Parameters
    ----------
    theta : (states, 2) array
    edges : (states + 1,) array
        Of the cells, from 0 to 1.
    """

    theta: Floats
    edges: Floats

    def weigh(self, a: Floats) -> Floats:
        """Weights of states under Dirichlet distributions (data sets, labels)."""
        from scipy.special import betainc  # pyright: ignore[reportMissingTypeStubs]

        below = np.asarray(betainc(a[:, :1], a[:, 1:], self.edges), dtype=np.float64)
        return _normalised(np.diff(below, axis=1))


@dataclass(frozen=True, eq=False)
class Points:
    """States of any number of labels, spread as a distribution is.

    Parameters
    ----------
    theta : (states, labels) array
    log_density : (states,) array
        Log density of that distribution at each.
    """

    theta: Floats
    log_density: Floats

    def weigh(self, a: Floats) -> Floats:
        """Weights of states under Dirichlet distributions (data sets, labels)."""
        log_weight = log_dirichlet(a, self.theta) - self.log_density
        return _normalised(_tilted(log_weight, self.theta, a / a.sum(axis=1, keepdims=True)))


def make_support(a: Floats, ratings: int) -> Support:
    r"""Choose possible states for data to which a Dirichlet distribution `a` (labels,) was fitted.

    Of two labels they are a grid that is even in :math:`\arcsin \sqrt\theta`, where every state
    is equally hard to tell from its neighbours, with 5 steps to the standard error of an item.
    Of more, half are points of the fitted distribution and half of one with 1/2 for each label,
    which reaches all corners; both are spread evenly (Roberts' R sequence), so that nothing is
    drawn.

    Examples
    --------
    >>> support = make_support(np.array([1.0, 1.0, 1.0]), 5)
    >>> (support.weigh(np.array([[1.0, 1, 2]])) @ support.theta).round(2)
    array([[0.25, 0.25, 0.5 ]])
    """
    n_labels = len(a)
    if n_labels == 1:
        return Points(np.ones((1, 1)), np.zeros(1))
    if n_labels == 2:
        size = int(np.clip(np.pi * np.sqrt(ratings) * _STEPS_PER_SD, 100, 500)) | 1
        angle = np.linspace(0, np.pi / 2, size + 1)
        middle = np.sin((angle[1:] + angle[:-1]) / 2) ** 2
        return Cells(np.column_stack([middle, 1 - middle]), np.sin(angle) ** 2)
    half = np.full(n_labels, 0.5)
    theta = np.vstack([_spread(each, POINTS // 2) for each in (a, half)])
    densities = np.stack([log_dirichlet(each[None], theta)[0] for each in (a, half)])
    return Points(theta, np.logaddexp(densities[0], densities[1]) - np.log(2))


def log_dirichlet(a: Floats, theta: Floats) -> Floats:
    """Log density of Dirichlet distributions (data sets, labels) at states: (data sets, states)."""
    constant = _log_gamma(a.sum(axis=1)) - _log_gamma(a).sum(axis=1)
    return constant[:, None] + (a - 1) @ np.log(theta).T


def _normalised(weight: Floats) -> Floats:
    """Share out 1; never 0, from which EM could not come back."""
    kept = np.maximum(weight, 1e-300)
    return kept / kept.sum(axis=1, keepdims=True)


def _exp(log_weight: Floats) -> Floats:
    top: Floats = log_weight.max(axis=1, keepdims=True)
    return np.exp(log_weight - top)


def _tilted(log_weight: Floats, theta: Floats, mean: Floats) -> Floats:
    """Tilt weights a little, so that few points have the mean that all would have."""
    for _ in range(_TILTS):
        weight = _normalised(_exp(log_weight))
        found = weight @ theta
        square: Floats = np.einsum("ds,sl,sm->dlm", weight, theta, theta, optimize=True)
        spread = square - found[:, :, None] * found[:, None, :] + 1e-9 * np.eye(theta.shape[1])
        step = np.asarray(np.linalg.solve(spread, (mean - found)[..., None])[..., 0], np.float64)
        # A distribution with next to no spread is left as it is.
        log_weight = log_weight + np.clip(step, -5, 5) @ theta.T
    return _exp(log_weight)


def _spread(a: Floats, size: int) -> Floats:
    """Points of a Dirichlet distribution, as even as they can be."""
    from scipy.special import gammaincinv  # pyright: ignore[reportMissingTypeStubs]

    # Multiples of the powers of the root of x^(d + 1) = x + 1 fill d dimensions evenly.
    root = 2.0
    for _ in range(50):
        root = (1 + root) ** (1 / (len(a) + 1))
    u = (0.5 + np.arange(1, size + 1)[:, None] / root ** np.arange(1, len(a) + 1)) % 1
    # The logarithm of a gamma variate; where it is tiny, by the first term of its series.
    with np.errstate(divide="ignore"):
        log_x: Floats = np.log(np.asarray(gammaincinv(a, u), dtype=np.float64))
    series = (np.log(u) + _log_gamma(a + 1)) / a
    x = _exp(np.where(series < -20, series, log_x))
    theta = np.maximum(x / x.sum(axis=1, keepdims=True), _LEAST)
    return theta / theta.sum(axis=1, keepdims=True)


def _log_gamma(x: Floats) -> Floats:
    from scipy.special import gammaln  # pyright: ignore[reportMissingTypeStubs]

    return np.asarray(gammaln(x), dtype=np.float64)

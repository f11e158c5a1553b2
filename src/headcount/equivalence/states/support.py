"""Possible states of items, and how probable a Dirichlet distribution finds each of them."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from headcount.typing import Floats

__all__ = ["Support", "make_support"]

POINTS = 1024
"""Possible states of three labels or more."""
_LEAST = 1e-9
"""Smallest probability of a label in a state."""
_STEPS_PER_SD = 5


@dataclass(frozen=True, eq=False)
class Support:
    """Possible states, and the measure by which a Dirichlet distribution weighs them.

    Parameters
    ----------
    theta : (states, labels) array
        Distributions over labels, none of them 0.
    edges : (states + 1,) array or None
        Of two labels: the cells of probabilities of the first label that states stand for.
    log_density : (states,) array or None
        Of more labels: log density of the distribution from which states were drawn.
    """

    theta: Floats
    edges: Floats | None = None
    log_density: Floats | None = None

    def weigh(self, a: Floats) -> Floats:
        """Weights of states under Dirichlet distributions (data sets, labels)."""
        from scipy.special import betainc

        if self.edges is not None:
            below = betainc(a[:, :1], a[:, 1:], self.edges)
            weight = np.diff(below, axis=1)
        else:
            log_weight = log_dirichlet(a, self.theta) - self.log_density
            weight = np.exp(log_weight - log_weight.max(axis=1, keepdims=True))
        weight = np.maximum(weight, 1e-300)
        return weight / weight.sum(axis=1, keepdims=True)


def make_support(a: Floats, ratings: int) -> Support:
    """Choose possible states for data to which a Dirichlet distribution `a` (labels,) was fitted.

    Of two labels they are a grid that is even in :math:`\\arcsin \\sqrt\\theta`, where every state
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
        return Support(np.ones((1, 1)), log_density=np.zeros(1))
    if n_labels == 2:
        size = int(np.clip(np.pi * np.sqrt(ratings) * _STEPS_PER_SD, 100, 500)) | 1
        angle = np.linspace(0, np.pi / 2, size + 1)
        middle = np.sin((angle[1:] + angle[:-1]) / 2) ** 2
        return Support(np.column_stack([middle, 1 - middle]), edges=np.sin(angle) ** 2)
    half = np.full(n_labels, 0.5)
    theta = np.vstack([_spread(each, POINTS // 2) for each in (a, half)])
    densities = np.stack([log_dirichlet(each[None], theta)[0] for each in (a, half)])
    return Support(theta, log_density=np.logaddexp(*densities) - np.log(2))


def log_dirichlet(a: Floats, theta: Floats) -> Floats:
    """Log density of Dirichlet distributions (data sets, labels) at states: (data sets, states)."""
    from scipy.special import gammaln

    constant = gammaln(a.sum(axis=1)) - gammaln(a).sum(axis=1)
    return constant[:, None] + (a - 1) @ np.log(theta).T


def _spread(a: Floats, size: int) -> Floats:
    """Points of a Dirichlet distribution, as even as they can be."""
    from scipy.special import gammaincinv, gammaln

    # Multiples of the powers of the root of x^(d + 1) = x + 1 fill d dimensions evenly.
    root = 2.0
    for _ in range(50):
        root = (1 + root) ** (1 / (len(a) + 1))
    u = (0.5 + np.arange(1, size + 1)[:, None] / root ** np.arange(1, len(a) + 1)) % 1
    # The logarithm of a gamma variate; where it is tiny, by the first term of its series.
    with np.errstate(divide="ignore"):
        log_x = np.log(gammaincinv(a, u))
    series = (np.log(u) + gammaln(a + 1)) / a
    log_x = np.where(series < -20, series, log_x)
    x = np.exp(log_x - log_x.max(axis=1, keepdims=True))
    theta = np.maximum(x / x.sum(axis=1, keepdims=True), _LEAST)
    return theta / theta.sum(axis=1, keepdims=True)

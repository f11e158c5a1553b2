"""A Dirichlet distribution of item states, by maximum likelihood, for many data sets at once."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from headcount.typing import Codes, Floats

__all__ = ["fit_dirichlet"]

_LARGEST = 7.0
"""Parameters lie between exp(-7) and exp(7)."""
_SPREAD = 3.0
"""Standard deviation of the prior of the logarithm of the sum of the parameters."""
_STEPS = 50
_HALVINGS = 12
_TOLERANCE = 1e-5


def fit_dirichlet(patterns: Codes, multiplicity: Floats, start: Floats | None = None) -> Floats:
    r"""Fit the parameters of a Dirichlet-multinomial to the label counts of items.

    With :math:`C_{lj}` items that give label l more than j times, :math:`N_j` items with more than
    j ratings and :math:`A = \sum_l a_l`, it maximises

    .. math:: \sum_{l,j} C_{lj} \log(a_l + j) - \sum_j N_j \log(A + j)
              - \tfrac12 \Big(\frac{\log A - \log(L/2)}{3}\Big)^2

    over :math:`\log a_l \in [-7, 7]`, L labels. The last term, a tenth of an item's evidence, keeps
    the sum finite where every item is agreed upon, or where labels do not depend on the item.

    Parameters
    ----------
    patterns : (patterns, labels) array of int
        Label counts; numbers of ratings may differ.
    multiplicity : (data sets, patterns) array
        How many items show each pattern.
    start : (labels,) or (data sets, labels) array, optional
        Parameters to start from.

    Returns
    -------
    (data sets, labels) array

    Notes
    -----
    Newton steps in log a, with the curvature made negative definite and steps halved until the
    likelihood rises. O(labels x ratings) a step and data set, whatever the number of patterns.

    References
    ----------
    Minka, "Estimating a Dirichlet distribution", 2000.

    Examples
    --------
    Items on which two raters always agree, and as many on which they do as often as not:

    >>> fit_dirichlet(np.array([[2, 0], [1, 1], [0, 2]]), np.array([[30.0, 20, 30]])).round(2)
    array([[0.5, 0.5]])
    """
    n_labels = patterns.shape[1]
    most = int(patterns.sum(axis=1).max(initial=1))
    above = np.arange(most)
    given = multiplicity @ (patterns[:, :, None] > above).reshape(len(patterns), -1)
    given = given.reshape(-1, n_labels, most)
    rated = multiplicity @ (patterns.sum(axis=1)[:, None] > above)
    centre = np.log(n_labels / 2)

    def climb(log_a: Floats) -> tuple[Floats, Floats, Floats]:
        """Log-likelihood, gradient, and a positive definite stand-in for minus the curvature."""
        a = np.exp(log_a)
        total = a.sum(axis=-1)
        each, whole = a[..., None] + above, total[:, None] + above
        off = (np.log(total) - centre) / _SPREAD
        value = (given * np.log(each)).sum(axis=(1, 2)) - (rated * np.log(whole)).sum(axis=1)
        share = a / total[:, None]
        gradient = a * ((given / each).sum(axis=2) - (rated / whole).sum(axis=1)[:, None])
        gradient -= share * (off / _SPREAD)[:, None]
        diagonal = a**2 * (given / each**2).sum(axis=2) + 1e-6
        # The sum of the parameters takes part of the curvature away; never all of it.
        back = (rated / whole**2).sum(axis=1)
        most_back = 0.999 / (a**2 / diagonal).sum(axis=1)
        matrix = np.eye(n_labels) * diagonal[:, None, :]
        matrix -= np.minimum(back, most_back)[:, None, None] * a[:, :, None] * a[:, None, :]
        matrix += share[:, :, None] * share[:, None, :] / _SPREAD**2
        return value - off**2 / 2, gradient, matrix

    share = multiplicity @ patterns + 0.5
    first = share / share.sum(axis=1, keepdims=True) * n_labels / 2
    log_a = np.log(first if start is None else np.broadcast_to(start, first.shape))
    return np.exp(_maximise(climb, np.clip(log_a, -_LARGEST, _LARGEST)))


def _maximise(climb: Callable[[Floats], tuple[Floats, Floats, Floats]], at: Floats) -> Floats:
    """Climb from `at`, each row on its own, within the limits."""
    here = climb(at)
    for _ in range(_STEPS):
        value, gradient, matrix = here
        step = np.clip(np.linalg.solve(matrix, gradient[..., None])[..., 0], -2.0, 2.0)
        length = np.ones(len(at))
        there, reached = at, here
        for _ in range(_HALVINGS):
            there = np.clip(at + length[:, None] * step, -_LARGEST, _LARGEST)
            reached = climb(there)
            lower = reached[0] < value - 1e-9 * np.abs(value)
            if not lower.any():
                break
            length[lower] /= 2
        moved = float(np.abs(there - at).max(initial=0.0))
        at, here = there, reached
        if moved < _TOLERANCE:
            break
    return at

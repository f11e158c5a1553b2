"""The distribution of item states of two labels, by nonparametric maximum likelihood.

The state of an item is the distribution of the labels that raters would give it. No state is ever
seen, but the label counts of many items tell how states are distributed: the counts of an item
with state theta are multinomial, and one can look for the distribution of states that makes the
observed patterns most probable, whatever its shape. On a fixed set of possible states that is a
convex problem, solved here to a certified distance from its optimum.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from headcount.equivalence.ceiling.maximum_likelihood import TINY, maximise
from headcount.typing import Codes, Floats

__all__ = ["States", "fit_states"]


TOLERANCE = 1e-8
"""Largest mean gain of log-likelihood an item that any other distribution could still offer."""

LEAN = 0.02
"""Weight of a leaning, in items: next to nothing, but more than what the tolerance leaves open."""

_STEPS_PER_SD = 5


@dataclass(frozen=True, eq=False, kw_only=True)
class States:
    """A distribution of item states.

    Parameters
    ----------
    support : (states, labels) array
        The possible states: distributions over labels.
    weight : (states,) array
        Share of the items in each state.
    converged : bool
        Whether the fit is certified to be within the tolerance of the optimum.
    n_iter : int
        Newton steps taken.
    log_likelihood : float
        Natural log of the probability of all ratings, in the order in which they were given.
    gap : float
        The certificate: no distribution on the support has a log-likelihood that is larger by
        more than this, in natural log units an item.
    """

    support: Floats
    weight: Floats
    converged: bool
    n_iter: int
    log_likelihood: float
    gap: float

    @property
    def mean(self) -> Floats:
        """Mean state: the distribution of the label of one rater of one item; (labels,)."""
        return self.weight @ self.support


def fit_states(
    patterns: Codes,
    multiplicity: Floats,
    *,
    support: Floats | None = None,
    lean: Floats | None = None,
    max_iter: int = 50,
) -> States:
    r"""Fit the distribution of item states to the label counts of items, of two labels.

    Maximises over the weights :math:`g` of the possible states :math:`\theta_j`

    .. math:: \ell(g) = \sum_p m_p \log f_p,
              \qquad f_p = \sum_j g_j f_{pj}, \qquad f_{pj} = \prod_l \theta_{jl}^{w_{pl}}

    with :math:`m_p` items that show the label counts :math:`w_p`, n items in all. Items may have
    different numbers of ratings.

    The possible states are a grid that is even in :math:`\arcsin \sqrt\theta`, where every state
    is equally hard to tell from its neighbours, with 5 steps to the standard error of an item. An
    even grid of :math:`\theta` would miss rare labels, to which entropy is sensitive.

    Parameters
    ----------
    patterns : (patterns, labels) array of int
        Label counts; two labels are in use at most.
    multiplicity : (patterns,) array
        How many items show each pattern.
    support : (states, labels) array, optional
        Possible states, instead of those above.
    lean : (states,) array, optional
        Several distributions may fit equally well: k ratings an item tell no more than k
        moments. Among the best, take the one with the largest mean of this (see Notes).
    max_iter : int
        Most Newton steps.

    Returns
    -------
    States

    Notes
    -----
    A primal-dual interior-point method, as Koenker and Mizera (2014) advise: see
    :func:`~headcount.equivalence.ceiling.maximum_likelihood.maximise`. It needs 10 to 20 steps
    whatever the data, where EM needs thousands, and where the optimum is not unique it tends
    to the centre of the best fits, not to a corner. The certificate is the directional derivative
    (Lindsay 1983): :math:`\max_j \tfrac1n \sum_p m_p f_{pj} / f_p - 1`, over the states in use,
    bounds how much the log-likelihood can still gain an item. One step is O(patterns x states x
    min(patterns, states)).

    A leaning adds one pattern, with multiplicity .02 items (or :math:`2 \cdot 10^{-6} n`) and
    likelihood :math:`a_j` linear in `lean` under state j. That is too little evidence to move
    what the data determine, and decides what they leave open. `log_likelihood` leaves it out.

    References
    ----------
    Laird, "Nonparametric Maximum Likelihood Estimation of a Mixing Distribution", 1978.
    Lindsay, "The Geometry of Mixture Likelihoods", 1983.
    Koenker and Mizera, "Convex Optimization, Shape Constraints, Compound Decisions, and
    Empirical Bayes Rules", 2014.

    Examples
    --------
    Half of the items are always 'yes', half are 'yes' as often as 'no':

    >>> patterns = np.array([[4, 0], [3, 1], [2, 2], [1, 3], [0, 4]])
    >>> states = fit_states(patterns, np.array([17.0, 4, 6, 4, 1]))
    >>> states.converged
    True
    >>> for theta in (0.5, 1.0):
    ...     print(states.weight[np.abs(states.support[:, 0] - theta) < 0.02].sum().round(3))
    0.5
    0.5
    """
    items = np.asarray(multiplicity, dtype=np.float64)
    if support is None:
        support = _support(patterns, items)
    likelihood, scale = _likelihood(patterns, support)
    table, counted = likelihood, items
    if lean is not None:
        # Bounded away from 0, so that no state is ruled out by the leaning alone.
        row = lean - lean.min() + 1e-3 * max(np.ptp(lean), TINY)
        table = np.vstack([likelihood, row / row.max()])
        counted = np.append(items, max(LEAN, LEAN * 1e-4 * items.sum()))
    weight, gap, n_iter = maximise(table, counted[None] / counted.sum(), TOLERANCE, max_iter)
    fitted = np.where(items > 0, likelihood @ weight[0], 1.0)
    return States(
        support=support,
        weight=weight[0],
        converged=bool(gap[0] <= TOLERANCE),
        n_iter=int(n_iter[0]),
        log_likelihood=float(items @ (np.log(np.maximum(fitted, TINY)) + scale)),
        gap=float(gap[0]),
    )


def _likelihood(patterns: Codes, support: Floats) -> tuple[Floats, Floats]:
    """Probability of each pattern in each state, over its maximum; and the log of that maximum."""
    # A log of 0 times a count of 0 must be 0, and times any other count a probability of 0.
    log_theta = np.log(np.maximum(support, 1e-300)) * np.where(support > 0, 1.0, 1e3)
    log_p = patterns @ log_theta.T
    scale = log_p.max(axis=1)
    return np.exp(log_p - scale[:, None]), scale


def _support(patterns: Codes, items: Floats) -> Floats:
    """Possible states; see :func:`fit_states`."""
    used = np.flatnonzero((patterns * (items > 0)[:, None]).any(axis=0))
    points = np.ones((1, 1))
    if len(used) == 2:
        ratings = patterns.sum(axis=1).max()
        # The standard error of arcsin(sqrt(theta)) is 1 / (2 sqrt(ratings)); an odd number of
        # points puts one on 1/2.
        size = int(np.clip(np.pi * np.sqrt(ratings) * _STEPS_PER_SD, 100, 500)) | 1
        theta = np.sin(np.linspace(0, np.pi / 2, size)) ** 2
        points = np.column_stack([theta, 1 - theta])
    support = np.zeros((len(points), patterns.shape[1]))
    support[:, used] = points
    return support

"""The distribution of item states, by nonparametric maximum likelihood on the pattern table.

The state of an item is the distribution of the labels that raters would give it. No state is ever
seen, but the label counts of many items tell how states are distributed: the counts of an item
with state theta are multinomial, and one can look for the distribution of states that makes the
observed patterns most probable, whatever its shape. On a fixed set of possible states that is a
convex problem, solved here to a certified distance from its optimum.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import comb

import numpy as np

from headcount.equivalence.ceiling.maximum_likelihood import TINY, maximise
from headcount.errors import OptionError
from headcount.stats.grouping import group_rows
from headcount.typing import Codes, Flags, Floats

__all__ = ["MOST_LABELS", "States", "fit_cost", "fit_states"]


MOST_LABELS = 5
"""Labels in use for which the simplex can still be covered by a lattice."""

TOLERANCE = 1e-8
"""Largest mean gain of log-likelihood an item that any other distribution could still offer."""

LEAN = 0.02
"""Weight of a leaning, in items: next to nothing, but more than what the tolerance leaves open."""

_STEPS_PER_SD = 5
_LATTICE_POINTS = 600
_HEAVY = 40
_SOME_WEIGHT = 1e-4
# Patterns x states x min(patterns, states) above which draws are refitted on fewer states.
_DIRECT_WORK = 2e6
_REFIT_STATES = 150
_BLOCK_NUMBERS = 2_000_000
_ITERATIONS = 15


@dataclass(frozen=True, eq=False)
class States:
    """A distribution of item states, or one for each of several data sets.

    Parameters
    ----------
    support : (states, labels) array
        The possible states: distributions over labels.
    weight : (..., states) array
        Share of the items in each state.
    converged : (...) array of bool
        Whether the fit is certified to be within the tolerance of the optimum.
    n_iter : (...) array of int
        Newton steps taken.
    log_likelihood : (...) array
        Natural log of the probability of all ratings, in the order in which they were given.
    gap : (...) array
        The certificate: no distribution on the support has a log-likelihood that is larger by
        more than this, in natural log units an item.
    """

    support: Floats
    weight: Floats
    converged: Flags
    n_iter: Codes
    log_likelihood: Floats
    gap: Floats

    @property
    def mean(self) -> Floats:
        """Mean state: the distribution of the label of one rater of one item; (..., labels)."""
        return self.weight @ self.support


def fit_states(
    patterns: Codes,
    multiplicity: Floats,
    *,
    support: Floats | None = None,
    near: States | None = None,
    lean: Floats | None = None,
    tol: float = TOLERANCE,
    max_iter: int = 50,
) -> States:
    r"""Fit the distribution of item states to the label counts of items.

    Maximises over the weights :math:`g` of the possible states :math:`\theta_j`

    .. math:: \ell(g) = \sum_p m_p \log f_p,
              \qquad f_p = \sum_j g_j f_{pj}, \qquad f_{pj} = \prod_l \theta_{jl}^{w_{pl}}

    with :math:`m_p` items that show the label counts :math:`w_p`, n items in all. Items may have
    different numbers of ratings.

    The possible states of two labels are a grid that is even in :math:`\arcsin \sqrt\theta`,
    where every state is equally hard to tell from its neighbours, with 5 steps to the standard
    error of an item. An even grid of :math:`\theta` would miss rare labels, to which entropy is
    sensitive. Those of three to five labels are, likewise, a lattice of some 600 points that is
    even in the square roots of the probabilities, and the frequencies of the patterns; then
    points half a step away from the states that were given weight are added, as only there they
    can matter.

    Parameters
    ----------
    patterns : (patterns, labels) array of int
        Label counts.
    multiplicity : (patterns,) or (draws, patterns) array
        How many items show each pattern; each draw is a data set of its own.
    support : (states, labels) array, optional
        Possible states, instead of those above.
    near : States, optional
        A fit to data that resemble these, such as those from which the draws were resampled. It
        gives the support; where that makes too much work, only the 150 states are kept that are
        nearest to having weight, by directional derivative over its standard error. (With 3 to 5
        labels, 1,000 items and 10 raters, that moved the entropy of draws by a tenth of its
        standard error.)
    lean : (states,) array, optional
        Several distributions may fit equally well: k ratings an item tell no more than k
        moments. Among the best, take the one with the largest mean of this (see Notes).
    tol : float
        Stop when the certificate (the `gap` of the result) is at most this.
    max_iter : int
        Most Newton steps.

    Returns
    -------
    States

    Notes
    -----
    A primal-dual interior-point method, as Koenker and Mizera (2014) advise, for all draws at
    once: see :func:`~headcount.equivalence.ceiling.maximum_likelihood.maximise`. It needs 10 to 20
    steps whatever the data, where EM needs thousands, and where the optimum is not unique it tends
    to the centre of the best fits, not to a corner. The certificate is the directional derivative
    (Lindsay 1983): :math:`\max_j \tfrac1n \sum_p m_p f_{pj} / f_p - 1`, over the states in use,
    bounds how much the log-likelihood can still gain an item. One step is O(patterns x states x
    min(patterns, states)) a draw.

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
    >>> bool(states.converged)
    True
    >>> for theta in (0.5, 1.0):
    ...     print(states.weight[np.abs(states.support[:, 0] - theta) < 0.02].sum().round(3))
    0.5
    0.5
    """
    draws = np.atleast_2d(np.asarray(multiplicity, dtype=np.float64))
    typical = draws.mean(axis=0)
    if near is not None:
        support = near.support
    elif support is None:
        support = _support(patterns, typical)
    likelihood, scale = _likelihood(patterns, support)
    chosen = np.ones(len(support), dtype=bool)
    if near is not None and likelihood.size * min(likelihood.shape) > _DIRECT_WORK:
        chosen = _nearest(likelihood, typical, near, _REFIT_STATES)
    table, items = likelihood[:, chosen], draws
    if lean is not None:
        # Bounded away from 0, so that no state is ruled out by the leaning alone.
        row = lean[chosen] - lean[chosen].min() + 1e-3 * max(np.ptp(lean[chosen]), TINY)
        amount = np.maximum(LEAN, LEAN * 1e-4 * draws.sum(axis=1, keepdims=True))
        table = np.vstack([table, row / row.max()])
        items = np.hstack([draws, amount])

    weight = np.zeros((len(draws), len(support)))
    gap = np.empty(len(draws))
    n_iter = np.empty(len(draws), dtype=np.int64)
    block = max(1, _BLOCK_NUMBERS // table.size)
    for first in range(0, len(draws), block):
        part = slice(first, first + block)
        share = items[part] / items[part].sum(axis=1, keepdims=True)
        weight[part, chosen], gap[part], n_iter[part] = maximise(table, share, tol, max_iter)
    fitted = np.where(draws > 0, weight @ likelihood.T, 1.0)
    log_likelihood = (draws * (np.log(np.maximum(fitted, TINY)) + scale)).sum(axis=1)
    one = 0 if np.ndim(multiplicity) == 1 else slice(None)
    return States(
        support=support,
        weight=weight[one],
        converged=np.asarray(gap <= tol)[one],
        n_iter=n_iter[one],
        log_likelihood=np.asarray(log_likelihood)[one],
        gap=gap[one],
    )


def fit_cost(patterns: Codes, near: States) -> float:
    """Estimate the floating-point operations of refitting one draw near a fit to all items.

    Examples
    --------
    >>> patterns = np.array([[2, 0], [1, 1], [0, 2]])
    >>> fit_cost(patterns, fit_states(patterns, np.array([5.0, 2, 3]))) < 1e6
    True
    """
    n, size = len(patterns), len(near.support)
    if n * size * min(n, size) > _DIRECT_WORK:
        size = min(size, max(_REFIT_STATES, int((near.weight > _SOME_WEIGHT).sum())))
    small = min(n, size)
    return _ITERATIONS * (2.0 * n * size * small + small**3)


def _likelihood(patterns: Codes, support: Floats) -> tuple[Floats, Floats]:
    """Probability of each pattern in each state, over its maximum; and the log of that maximum."""
    # A log of 0 times a count of 0 must be 0, and times any other count a probability of 0.
    log_theta = np.log(np.maximum(support, 1e-300)) * np.where(support > 0, 1.0, 1e3)
    log_p = patterns @ log_theta.T
    scale = log_p.max(axis=1)
    return np.exp(log_p - scale[:, None]), scale


def _nearest(likelihood: Floats, items: Floats, fit: States, size: int) -> Flags:
    """Choose the states that another sample of items is most likely to give weight."""
    ratio = likelihood / np.maximum(likelihood @ fit.weight, TINY)[:, None]
    # A state gets weight when its directional derivative is 0; samples move it by its error.
    slack = items.sum() - items @ ratio
    error: Floats = np.sqrt(items @ (ratio - 1) ** 2)
    place = np.argsort(slack / np.maximum(error, TINY), kind="stable")
    # Less than a tenth of an item may go, or a rare pattern could lose its only state.
    chosen = fit.weight > min(_SOME_WEIGHT, 0.1 / items.sum())
    chosen[place[:size]] = True
    return chosen


def _support(patterns: Codes, items: Floats) -> Floats:
    """Possible states; see :func:`fit_states`."""
    seen = np.flatnonzero((patterns * (items > 0)[:, None]).any(axis=0))
    if len(seen) > MOST_LABELS:
        raise OptionError(
            f"the distribution of item states is fitted for up to {MOST_LABELS} labels, not for "
            f"the {len(seen)} in use. Merge rare labels."
        )
    used = patterns[:, seen]
    if len(seen) == 1:
        points = np.ones((1, 1))
    elif len(seen) == 2:
        ratings = patterns.sum(axis=1).max()
        # The standard error of arcsin(sqrt(theta)) is 1 / (2 sqrt(ratings)); an odd number of
        # points puts one on 1/2.
        size = int(np.clip(np.pi * np.sqrt(ratings) * _STEPS_PER_SD, 100, 500)) | 1
        theta = np.sin(np.linspace(0, np.pi / 2, size)) ** 2
        points = np.column_stack([theta, 1 - theta])
    else:
        points = _simplex_support(used, items)
    support = np.zeros((len(points), patterns.shape[1]))
    support[:, seen] = points
    return support


def _simplex_support(patterns: Codes, items: Floats) -> Floats:
    """Lattice and pattern frequencies, refined around the states that have weight."""
    n_labels = patterns.shape[1]
    parts = max(m for m in range(1, 41) if comb(m + n_labels - 1, n_labels - 1) <= _LATTICE_POINTS)
    common = np.argsort(-items, kind="stable")[:_LATTICE_POINTS]
    frequency = patterns[common] / np.maximum(patterns[common].sum(axis=1, keepdims=True), 1)
    support = _distinct(np.vstack([_squares(compositions(parts, n_labels)), frequency]))
    shift = (np.eye(n_labels)[:, None] - np.eye(n_labels)[None, :]).reshape(-1, n_labels)
    fit = fit_states(patterns, items, support=support, tol=1e-5)
    heavy = np.argsort(-fit.weight, kind="stable")[:_HEAVY]
    root = np.sqrt(support[heavy[fit.weight[heavy] > 1e-3]])
    root /= root.sum(axis=1, keepdims=True)
    around = np.maximum(root[:, None] + shift / (2 * parts), 0).reshape(-1, n_labels)
    kept = support[_nearest(_likelihood(patterns, support)[0], items, fit, _LATTICE_POINTS)]
    return _distinct(np.vstack([kept, _squares(around)]))


def _squares(root: Floats | Codes) -> Floats:
    """Points that are even in the square roots of the probabilities."""
    square = np.asarray(root, dtype=np.float64) ** 2
    return square / square.sum(axis=1, keepdims=True)


def _distinct(points: Floats) -> Floats:
    first, _ = group_rows(np.round(points, 9).T)
    return points[first]


def compositions(total: int, parts: int) -> Codes:
    """All ways to write `total` as a sum of `parts` counts, in lexicographic order.

    Examples
    --------
    >>> compositions(2, 2)
    array([[0, 2],
           [1, 1],
           [2, 0]])
    """
    rows = np.zeros((1, 0), dtype=np.int64)
    left = np.array([total])
    for _ in range(parts - 1):
        choices = left + 1
        row = np.repeat(np.arange(len(rows)), choices)
        taken = np.arange(len(row)) - np.repeat(np.cumsum(choices) - choices, choices)
        rows = np.column_stack([rows[row], taken])
        left = left[row] - taken
    return np.column_stack([rows, left])

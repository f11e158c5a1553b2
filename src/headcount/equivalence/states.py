"""The distribution of item states: how the labels that raters would give vary between items."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from headcount.typing import Codes, Floats

__all__ = [
    "MOST_LABELS",
    "FittedStates",
    "can_fit",
    "exp_rows",
    "fit_states",
    "make_support",
    "fit_dirichlet",
]


# The distribution of item states: a Dirichlet, roughened as far as held-out items bear it.

MOST_LABELS = 10
"""Labels in use for which the possible states can still be spread over the simplex."""
FOLDS = 20
MOST_STEPS = 512
MOST_WORK = 1e10
"""Floating-point operations that roughening may take: a few seconds."""
MOST_NUMBERS = 30_000_000
"""Patterns times states above which the distribution stays a Dirichlet."""

_PATIENCE = 2
"""Doublings of the steps that may go by without a better held-out likelihood."""
_FARTHER = 2
"""Doublings by which steps go on, of three labels or more, where a Dirichlet clearly fails."""
_UNUSED = 1e-9
"""Probability of a label that nobody gave."""
_BLOCK_NUMBERS = 4_000_000


@dataclass(frozen=True, eq=False, kw_only=True)
class FittedStates:
    """A distribution of item states, fitted to all items and to all but those of each fold.

    Parameters
    ----------
    used : (used labels,) array of int
        The labels that somebody gave.
    n_labels : int
        Labels of the scale.
    support : Support
        Possible states, over the labels used.
    patterns : (patterns, used labels) array of int
        Label counts to which it was fitted.
    weight : (states,) array
        Share of the items in each state.
    fold_weight : (folds, states) array
        The same, without the items of a fold.
    fold_share : (folds, patterns) array
        Share of the items of a pattern that are in each fold.
    dirichlet : (used labels,) array
        Parameters of the distribution from which roughening started.
    steps : int
        Steps of EM that followed.
    as_good : (fits, states) array
        Weights after other numbers of steps, which fit held-out items about as well.
    multiplicity : (patterns,) array of int
        How many items show each pattern.
    held_out : (patterns,) array
        Log probability of a held-out item of each pattern, in natural logs.
    """

    used: Codes
    n_labels: int
    support: Support
    patterns: Codes
    weight: Floats
    fold_weight: Floats
    fold_share: Floats
    dirichlet: Floats
    steps: int
    as_good: Floats
    multiplicity: Codes
    held_out: Floats

    @property
    def theta(self) -> Floats:
        """Possible states over all labels: (states, labels)."""
        out = np.zeros((len(self.support.theta), self.n_labels))
        out[:, self.used] = self.support.theta
        return out

    def predict(self, observed: Codes) -> Floats:
        """Predict the next label after each row of label counts: (1 + folds, rows, labels).

        First as all items teach, then as those outside each fold do.
        """
        weight = np.vstack([self.weight, self.fold_weight])
        out = np.full((len(weight), len(observed), self.n_labels), _UNUSED)
        theta = self.support.theta
        block = max(1, _BLOCK_NUMBERS // len(theta))
        for start in range(0, len(observed), block):
            part = slice(start, start + block)
            likelihood = _likelihood(observed[part][:, self.used], theta)
            for label, column in zip(self.used.tolist(), theta.T, strict=True):
                out[:, part, label] = (weight * column) @ likelihood.T
        out[..., self.used] /= out[..., self.used].sum(axis=-1, keepdims=True)
        return out / out.sum(axis=-1, keepdims=True)

    def refit(self, multiplicity: Floats) -> Floats:
        """Fit to other data sets (draws, patterns), with as many steps: (draws, states).

        They may be of the first patterns; the items of the others are then the same in all.
        """
        others = self.multiplicity[multiplicity.shape[1] :].astype(np.float64)
        multiplicity = np.hstack([multiplicity, np.tile(others, (len(multiplicity), 1))])
        a = fit_dirichlet(self.patterns, multiplicity, self.dirichlet)
        weight = self.support.weigh(a)
        if not self.steps:
            return weight
        likelihood = _likelihood(self.patterns, self.support.theta)
        share = _shares(multiplicity)
        return _em(weight, likelihood, share, self.steps)


def can_fit(patterns: Codes) -> bool:
    """Whether so many labels are in use that states can still be spread over the simplex."""
    return int(np.count_nonzero(patterns.any(axis=0))) <= MOST_LABELS


def fit_states(
    patterns: Codes, multiplicity: Codes, *, seed: int = 0, n_folds: int = FOLDS
) -> FittedStates:
    r"""Fit the distribution of item states to the label counts of items.

    1. A Dirichlet distribution is fitted by maximum likelihood, see :func:`fit_dirichlet`.
    2. It is put on possible states :math:`\theta_j`, see :func:`make_support`, as weights
       :math:`g_j`.
    3. EM moves the weights towards the nonparametric maximum of the likelihood,

       .. math:: g_j \leftarrow g_j \frac1n \sum_p m_p f_{pj} / f_p, \qquad
                 f_{pj} = \prod_l \theta_{jl}^{w_{pl}}, \quad f_p = \sum_j g_j f_{pj}

       for :math:`m_p` of n items with the label counts :math:`w_p`.
    4. All this is done for all items, and again without each of twenty folds. The number of
       steps, 0 (the Dirichlet), 1, 2, 4 ... 512, is the one under which held-out items are most
       probable; of three labels or more, four times that, if they are so by more than a standard
       error over the Dirichlet. Held-out items pay for learning, and so ask for too smooth a fit;
       surveys are scored in and out, where that price cancels and the smoothness stays (see
       ``docs/studies/survey.md``).

    Parameters
    ----------
    patterns : (patterns, labels) array of int
        Label counts; numbers of ratings may differ.
    multiplicity : (patterns,) array of int
        How many items show each pattern.
    seed : int
        Decides how the items of each pattern are shared out among folds. Items of one pattern are
        alike, so that their number in each fold says all: the order of items and their ids do not
        matter.
    n_folds : int

    Returns
    -------
    FittedStates

    Notes
    -----
    O(patterns x states x folds) a step, with at most 1,024 states.

    Examples
    --------
    Half of the items are always 'yes', half are 'yes' as often as 'no':

    >>> patterns = np.array([[4, 0], [3, 1], [2, 2], [1, 3], [0, 4]])
    >>> states = fit_states(patterns, np.array([170, 40, 60, 40, 10]))
    >>> states.predict(np.array([[0, 0], [3, 0], [0, 1]]))[0].round(2)
    array([[0.75, 0.25],
           [0.94, 0.06],
           [0.5 , 0.5 ]])
    """
    used = np.flatnonzero(patterns.any(axis=0))
    counts = patterns[:, used]
    held = _folds(multiplicity, min(n_folds, int(multiplicity.sum())), seed)
    sets = np.vstack([multiplicity, multiplicity - held]).astype(np.float64)
    whole = fit_dirichlet(counts, sets[:1])
    a = np.vstack([whole, fit_dirichlet(counts, sets[1:], whole[0])])
    support = make_support(whole[0], int(counts.sum(axis=1).max()))
    path = _Path(multiplicity, held)
    path.add(0, support.weigh(a))
    if len(counts) * len(support.theta) <= MOST_NUMBERS:
        path.roughen(sets, _likelihood(counts, support.theta))
    chosen = path.farther(_FARTHER if len(used) > 2 else 0)
    weight = path.weights[chosen]
    return FittedStates(
        used=used,
        n_labels=patterns.shape[1],
        support=support,
        patterns=counts,
        weight=weight[0],
        fold_weight=weight[1:],
        fold_share=held / np.maximum(multiplicity, 1),
        dirichlet=whole[0],
        steps=path.steps[chosen],
        as_good=path.as_good(chosen),
        multiplicity=multiplicity,
        held_out=path.fits[path.best] if path.fits else np.zeros(len(counts)),
    )


class _Path:
    """Fits after more and more steps of EM, and how probable they find held-out items."""

    def __init__(self, multiplicity: Codes, held: Codes) -> None:
        self.multiplicity, self.held = multiplicity, held
        self.steps: list[int] = []
        self.weights: list[Floats] = []
        self.fits: list[Floats] = []
        self.best = 0

    def add(self, steps: int, weight: Floats, likelihood: Floats | None = None) -> None:
        """Add a fit to all items and without each fold: (1 + folds, states)."""
        self.steps.append(steps)
        self.weights.append(weight)
        if likelihood is not None:
            self.judge(likelihood)

    def judge(self, likelihood: Floats) -> None:
        """Find the log probability of a held-out item of each pattern, under the last fit."""
        fitted = np.log(np.maximum(self.weights[-1][1:] @ likelihood.T, 1e-300))
        self.fits.append((self.held * fitted).sum(axis=0) / np.maximum(self.multiplicity, 1))
        if self.multiplicity @ (self.fits[-1] - self.fits[self.best]) > 0:
            self.best = len(self.fits) - 1

    def roughen(self, sets: Floats, likelihood: Floats) -> None:
        """Double the steps until held-out items have become less probable twice in a row."""
        self.judge(likelihood)
        share = _shares(sets)
        most = min(MOST_STEPS, int(MOST_WORK / (4 * likelihood.size * len(sets))))
        while len(self.fits) - 1 - self.best <= _PATIENCE:
            more = max(self.steps[-1], 1)
            if self.steps[-1] + more > most:
                break
            weight = _em(self.weights[-1], likelihood, share, more)
            self.add(self.steps[-1] + more, weight, likelihood)

    def farther(self, doublings: int) -> int:
        """Find the place so many doublings beyond the best, if the Dirichlet is clearly worse."""
        total, error = self._worse(0)
        if not self.best or total <= error:
            return self.best
        return min(self.best + doublings, len(self.weights) - 1)

    def as_good(self, chosen: int) -> Floats:
        """Weights of a fit, and of those that held-out items do not speak against by an error."""
        kept = [self.weights[chosen][0]]
        for index, weight in enumerate(self.weights[: len(self.fits)]):
            total, error = self._worse(index)
            if index != chosen and total <= error:
                kept.append(weight[0])
        return np.array(kept)

    def _worse(self, index: int) -> tuple[float, float]:
        """By how much held-out items are less probable than under the best, and its error."""
        if not self.fits:
            return 0.0, 0.0
        worse = self.fits[self.best] - self.fits[index]
        total = float(self.multiplicity @ worse)
        spread = self.multiplicity @ (worse - total / self.multiplicity.sum()) ** 2
        return total, float(np.sqrt(spread))


def _folds(multiplicity: Codes, n_folds: int, seed: int) -> Codes:
    """Share items out among folds of equal size: how many of each pattern are in each."""
    rng = np.random.default_rng(seed)
    left = multiplicity.copy()
    out = np.empty((n_folds, len(left)), dtype=np.int64)
    for fold in range(n_folds):
        size = -(-int(left.sum()) // (n_folds - fold))
        out[fold] = rng.multivariate_hypergeometric(left, size, method="marginals")
        left = left - out[fold]
    return out


def _likelihood(patterns: Codes, theta: Floats) -> Floats:
    """Probability of each pattern in each state, over its maximum: (patterns, states)."""
    log_p = patterns @ np.log(theta).T
    return np.exp(log_p - log_p.max(axis=1, keepdims=True))


def _shares(multiplicity: Floats) -> Floats:
    return multiplicity / np.maximum(multiplicity.sum(axis=1, keepdims=True), 1)


def _em(weight: Floats, likelihood: Floats, share: Floats, steps: int) -> Floats:
    """Take steps of EM, each data set (a row of `weight` and of `share`) on its own."""
    some_items = share.any(axis=1, keepdims=True)  # without any, weights stay as they are
    for _ in range(steps):
        fitted = weight @ likelihood.T
        moved = weight * ((share / np.maximum(fitted, 1e-300)) @ likelihood)
        weight = np.where(some_items, moved, weight)
    return weight


# Possible states of items, and how probable a Dirichlet distribution finds each of them.

POINTS = 1024
"""Possible states of three labels or more."""
_LEAST = 1e-9
"""Smallest probability of a label in a state."""
_STEPS_PER_SD = 5
_TILTS = 3


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


Support = Cells | Points
"""Possible states, and the weights that a Dirichlet distribution gives them."""


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


def exp_rows(logs: Floats) -> Floats:
    """Exponentials of each row, but for a factor that keeps the largest at 1."""
    top: Floats = logs.max(axis=1, keepdims=True)
    return np.exp(logs - top)


def _tilted(log_weight: Floats, theta: Floats, mean: Floats) -> Floats:
    """Tilt weights a little, so that few points have the mean that all would have."""
    for _ in range(_TILTS):
        weight = _normalised(exp_rows(log_weight))
        current = weight @ theta
        square: Floats = np.einsum("ds,sl,sm->dlm", weight, theta, theta, optimize=True)
        spread = square - current[:, :, None] * current[:, None, :] + 1e-9 * np.eye(theta.shape[1])
        step = np.asarray(np.linalg.solve(spread, (mean - current)[..., None])[..., 0], np.float64)
        # A distribution with next to no spread is left as it is.
        log_weight = log_weight + np.clip(step, -5, 5) @ theta.T
    return exp_rows(log_weight)


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
    x = exp_rows(np.where(series < -20, series, log_x))
    theta = np.maximum(x / x.sum(axis=1, keepdims=True), _LEAST)
    return theta / theta.sum(axis=1, keepdims=True)


def _log_gamma(x: Floats) -> Floats:
    from scipy.special import gammaln  # pyright: ignore[reportMissingTypeStubs]

    return np.asarray(gammaln(x), dtype=np.float64)


# A Dirichlet distribution of item states, by maximum likelihood, for many data sets at once.

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
    rated_label = multiplicity @ (patterns[:, :, None] > above).reshape(len(patterns), -1)
    rated_label = rated_label.reshape(-1, n_labels, most)
    rated = multiplicity @ (patterns.sum(axis=1)[:, None] > above)
    centre = np.log(n_labels / 2)

    def climb(log_a: Floats) -> tuple[Floats, Floats, Floats]:
        """Log-likelihood, gradient, and a positive definite stand-in for minus the curvature."""
        a = np.exp(log_a)
        total = a.sum(axis=-1)
        each, whole = a[..., None] + above, total[:, None] + above
        off = (np.log(total) - centre) / _SPREAD
        value = (rated_label * np.log(each)).sum(axis=(1, 2)) - (rated * np.log(whole)).sum(axis=1)
        share = a / total[:, None]
        gradient = a * ((rated_label / each).sum(axis=2) - (rated / whole).sum(axis=1)[:, None])
        gradient -= share * (off / _SPREAD)[:, None]
        diagonal = a**2 * (rated_label / each**2).sum(axis=2) + 1e-6
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

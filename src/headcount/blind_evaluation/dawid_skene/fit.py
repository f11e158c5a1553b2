"""Fits of Dawid and Skene's model to rows of votes, and refits to bootstrap samples of them."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace

import numpy as np

from headcount import options
from headcount.blind_evaluation.blocks import Blocks
from headcount.blind_evaluation.dawid_skene.class_names import best_names
from headcount.blind_evaluation.dawid_skene.em import Climb, Model, Parameters, climb
from headcount.blind_evaluation.votes import Votes
from headcount.errors import OptionError, option
from headcount.typing import Flags, Floats, Seed

__all__ = [
    "MAX_ITER", "SMOOTHING", "TOLERANCE", "Best", "Climbing", "DawidSkene", "Refits", "climb_best",
    "fit", "refits",
]  # fmt: skip

SMOOTHING = 0.5
TOLERANCE = 1e-6
MAX_ITER = 1000
SAME = 1e-3
"""Objectives this close are one optimum, which EM has climbed to from two sides."""
LIFT = 1e-3
"""Share of chance that a given start is mixed with where EM could not leave a probability of 0."""


@dataclass(frozen=True, eq=False)
class DawidSkene:
    """A fit of Dawid and Skene's model.

    Parameters
    ----------
    prior : (classes,) array
        How common each true class is; classes are the labels.
    confusion : (classifiers, classes, labels) array
        Probability that a classifier gives a label where a class is true. Equal ones where
        nothing is known: a class that nothing belongs to, a classifier without votes.
    truth : (rows, classes) array
        Probability of each class given the votes of a row. Zeros where nothing explains them, which
        happens to rows of weight 0 only.
    table : (classifiers, classes, labels) array
        Expected number of votes by true class and label, as :class:`Metrics` take it.
    log_likelihood : float
        Logarithm of the probability of all votes, summed over items. If votes are weighted it is
        a pseudo-likelihood: good to compare fits with the same weights, and for nothing else.
    trace : tuple of float
        What EM climbs, at each point of its path: the log-likelihood, plus the logarithm of the
        smoothing prior. Never falls.
    converged : bool
    n_iter : int
        Passes over the votes; of the fit that was kept, if there were restarts.
    origin : str
        Where the fit started: 'vote shares', 'a previous fit' or 'restart n'.
    switched : bool
        Whether votes would agree better with the classes under other names. Never after a
        restart, whose classes are named to agree best.
    smoothing : float
    vote_weight : (classifiers,) array
    """

    prior: Floats
    confusion: Floats
    truth: Floats
    table: Floats
    log_likelihood: float
    trace: tuple[float, ...]
    converged: bool
    n_iter: int
    origin: str
    switched: bool
    smoothing: float
    vote_weight: Floats


@dataclass(frozen=True, kw_only=True)
class Climbing:
    """How to fit by EM: from where, and how far.

    Parameters
    ----------
    smoothing : float
        Votes added to each cell of each confusion matrix: the posterior mode under a Dirichlet
        prior with 1 + smoothing. 0 is the paper's maximum likelihood. The prior of the classes is
        not smoothed, so that no item can belong to a label that nobody gives.
    restarts : int
        Further fits, from confusion matrices that are mixed with random ones.
    tolerance : float
        Stop where an EM step adds less to the log-likelihood of all items (the objective, with
        smoothing). It is not divided by their number: with a million items, parameters that fall
        short by a millionth an item may be a standard error from the optimum.
    max_iter : int
        Most passes over the votes, in each fit.
    rng : int or Generator
        For the restarts.
    """

    smoothing: float = SMOOTHING
    restarts: int = 0
    tolerance: float = TOLERANCE
    max_iter: int = MAX_ITER
    rng: Seed = 0

    def __post_init__(self) -> None:
        options.number(self.smoothing, "smoothing", least=0)
        options.whole(self.restarts, "restarts", least=0)
        options.number(self.tolerance, "tolerance", least=0)
        options.whole(self.max_iter, "max_iter", least=1)


AS_USUAL = Climbing()


def fit(
    votes: Votes,
    weight: Floats | None = None,
    *,
    vote_weight: Floats | None = None,
    start: DawidSkene | None = None,
    how: Climbing = AS_USUAL,
) -> DawidSkene:
    r"""Fit Dawid and Skene's model by EM.

    An item has true class c with probability :math:`p_c`, and classifier k gives it label l with
    probability :math:`\pi_{kcl}`, whatever others give. Then the votes on item m have probability
    :math:`\sum_c p_c \prod_{k, l} \pi_{kcl}^{n_{mkl}}`; if a classifier votes on it repeatedly,
    each vote counts.

    Parameters
    ----------
    votes : Votes
    weight : (rows,) array, optional
        How often each row counts. Default: its multiplicity.
    vote_weight : (classifiers,) array, optional
        Power to which each classifier's probabilities are taken: ``votes.group_weight`` makes a
        group of classifiers that err together count as one. Default: 1.
    start : DawidSkene, optional
        Start from this fit instead of vote shares.
    how : Climbing
        Smoothing, restarts, and when to stop.

    Notes
    -----
    O(votes x classes) a pass, and memory for the confusion matrices beside the votes. All in
    logarithms.

    The likelihood does not change if classes swap names. From vote shares, a class starts as the
    items that are given its label, and EM rarely leaves that; `switched` says when it did. A
    restart replaces the fit only if its objective is higher by more than what convergence leaves
    open, so that the same optimum under other names never does. If one does, its classes get the
    names with which most votes agree.

    On bluebirds, RTE, sentiment and the LLM judges (2 classes, single and grouped), smoothing
    from 0 to 2 changes the correlation of estimated with actual accuracy by at most .006. But it
    keeps items from being certain: at .5 the log-loss of the truth of RTE falls from 1.16 to .35,
    of sentiment from .47 to .37. None of 20 restarts on each found a better optimum, so that there
    are none by default; with six classes of LLM judges some did.

    References
    ----------
    Dawid and Skene (1979), "Maximum likelihood estimation of observer error-rates using the EM
    algorithm", Applied Statistics 28.

    Examples
    --------
    >>> from headcount import Labels
    >>> from headcount.blind_evaluation.votes import collect
    >>> labels = Labels.from_triples(
    ...     [1, 1, 1, 2, 2, 2, 3, 3, 3, 4, 4, 4], list("abc") * 4, list("nnyyyynnnyyn")
    ... )
    >>> votes = collect(labels)
    >>> found = fit(votes)
    >>> found.truth[votes.row_of].argmax(axis=1), found.converged
    (array([0, 1, 0, 1]), True)
    """
    smoothing = how.smoothing
    vote_weight = np.ones(len(votes.classifiers)) if vote_weight is None else vote_weight
    if not np.all(vote_weight > 0):
        raise OptionError(f"{option('vote_weight')} must be above 0 for every classifier.")
    weight = np.ascontiguousarray(votes.multiplicity if weight is None else weight, np.float64)
    model = Model(
        Blocks.of(votes, weight), np.ascontiguousarray(vote_weight, np.float64), smoothing
    )
    found = climb_best(model, how, start)
    best = found.climb
    return DawidSkene(
        prior=best.at.prior,
        confusion=_by_class(best.at.confusion),
        truth=model.posterior(best.at, votes),
        table=_by_class(best.step.count),
        log_likelihood=best.step.log_likelihood,
        trace=best.trace,
        converged=best.converged,
        n_iter=best.n_iter,
        origin=found.origin,
        switched=found.switched,
        smoothing=smoothing,
        vote_weight=model.vote_weight,
    )


@dataclass(frozen=True, eq=False)
class Best:
    """The best of all climbs, from where it started, and whether its classes swapped names."""

    climb: Climb
    origin: str
    switched: bool


def climb_best(model: Model, how: Climbing, start: DawidSkene | None = None) -> Best:
    """Climb from vote shares, or from a fit, and from as many other starts as are asked for."""
    if start is None:
        origin, begin = "vote shares", model.vote_shares()
    else:
        origin, begin = "a previous fit", _from_fit(start, how.smoothing)
    best = climb(model, begin, tolerance=how.tolerance, max_iter=how.max_iter)
    names = best_names(best.step.count, model.vote_weight)
    generator = options.seed(how.rng)
    for n in range(1, how.restarts + 1):
        near = _perturbed(begin, generator)
        other = climb(model, near, tolerance=how.tolerance, max_iter=how.max_iter)
        if other.step.objective > best.step.objective + SAME:
            best, origin = _renamed(other, model.vote_weight), f"restart {n}"
            names = np.arange(len(names))
    return Best(best, origin, not np.array_equal(names, np.arange(len(names))))


@dataclass(frozen=True, eq=False)
class Refits:
    """Fits to bootstrap samples.

    Parameters
    ----------
    prior : (draws, classes) array
    table : (draws, classifiers, classes, labels) array
        Expected number of votes by true class and label; :class:`Metrics` make scores of them.
    converged : (draws,) array of bool
    """

    prior: Floats
    table: Floats
    converged: Flags


def refits(
    votes: Votes,
    fitted: DawidSkene,
    draws: Iterable[Floats],
    *,
    tolerance: float = TOLERANCE,
    max_iter: int = MAX_ITER,
) -> Refits:
    """Fit every bootstrap sample to convergence, from the fit to all items.

    Smoothing and vote weights are those of `fitted`. The start keeps the names of the classes.

    Parameters
    ----------
    votes : Votes
        What `fitted` was fitted to.
    fitted : DawidSkene
    draws : iterable of (draws, rows) arrays
        Blocks of weights, as :func:`headcount.stats.draws.resample` yields them.
    tolerance, max_iter
        As in :class:`Climbing`.

    Notes
    -----
    O(votes x classes) a pass, and 10 to 20 passes a draw. Holds the tables of all draws.
    """
    Climbing(tolerance=tolerance, max_iter=max_iter)
    begin = _from_fit(fitted, fitted.smoothing)
    ends = [
        climb(
            Model(Blocks.of(votes, weight), fitted.vote_weight, fitted.smoothing),
            begin,
            tolerance=tolerance,
            max_iter=max_iter,
        )
        for block in draws
        for weight in np.ascontiguousarray(block, np.float64)
    ]
    return Refits(
        prior=np.stack([end.at.prior for end in ends]),
        table=_by_class(np.stack([end.step.count for end in ends])),
        converged=np.array([end.converged for end in ends]),
    )


def _by_class(by_label: Floats) -> Floats:
    """Turn (..., labels, classes), which the kernel wants, into (..., classes, labels)."""
    return np.ascontiguousarray(np.swapaxes(by_label, -1, -2))


def _from_fit(start: DawidSkene, smoothing: float) -> Parameters:
    confusion = _by_class(start.confusion)
    if smoothing == 0 or start.smoothing == 0:
        confusion = (1 - LIFT) * confusion + LIFT / confusion.shape[1]
    return Parameters(start.prior, confusion)


def _perturbed(around: Parameters, rng: np.random.Generator) -> Parameters:
    """Mix each classifier's matrix with a random one, more or less; an empty class stays so."""
    shape = around.confusion.shape
    chance = rng.standard_exponential(shape)
    chance /= chance.sum(axis=1, keepdims=True)
    share = rng.random((shape[0], 1, 1))
    return Parameters(around.prior, (1 - share) * around.confusion + share * chance)


def _renamed(end: Climb, vote_weight: Floats) -> Climb:
    """Give the classes the names with which most votes agree; that changes no likelihood."""
    old = np.argsort(best_names(end.step.count, vote_weight))
    at = Parameters(end.at.prior[old], np.ascontiguousarray(end.at.confusion[:, :, old]))
    return replace(end, at=at, step=replace(end.step, count=end.step.count[:, :, old]))

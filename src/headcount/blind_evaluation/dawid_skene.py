"""Dawid and Skene's model: votes in, true labels and errors of raters out."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from headcount import options
from headcount.blind_evaluation.prepare import provenance_of, take_groups, take_labelled
from headcount.blind_evaluation.votes import (
    Blocks,
    LogLinear,
    Votes,
    collect,
    counted,
    softmax_and_total,
)
from headcount.errors import OptionError, count, option
from headcount.results.fields import json_value
from headcount.results.notes import Notes, Provenance
from headcount.results.result import ALL, Page, Result
from headcount.results.tables import Table
from headcount.stats.arrays import exact_sum
from headcount.stats.estimate import Estimate
from headcount.typing import Codes, Floats, Ids

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = [
    "SMOOTHING",
    "TOLERANCE",
    "dawid_skene",
    "DawidSkene",
    "Climbing",
    "fit",
    "refits",
    "Parameters",
    "Step",
    "Model",
    "climb",
    "DawidSkeneResult",
]


SMOOTHING = 0.5
TOLERANCE = 1e-6
MAX_ITER = 1000


def dawid_skene(
    labels: Any,
    *,
    groups: Any = None,
    smoothing: float = SMOOTHING,
    tolerance: float = TOLERANCE,
    max_iter: int = MAX_ITER,
) -> DawidSkeneResult:
    """Estimate true labels of items and error rates of raters by Dawid and Skene's EM.

    Parameters
    ----------
    labels : Labels, Predictions, path or frame
        The label that each rater gave to each item, or what :func:`headcount.read_votes` takes.
        Read it with ``duplicates="all"`` to count repeated votes.
    groups : mapping of rater to group, path or frame, optional
        Raters who make the same errors; each group has the weight of one rater.
    smoothing, tolerance, max_iter
        See :func:`headcount.blind_evaluation.dawid_skene.fit`, which gives the formula, explains
        how classes keep their names, and gives reasons for the defaults.

    Returns
    -------
    DawidSkeneResult

    Notes
    -----
    O(votes log votes) to group items with the same votes, then O(rows x votes x labels) for each of
    about 10 to 30 passes.

    The model assumes that raters err independently given the true label. If they do not, the
    estimates may be wrong without any sign in the fit; :func:`headcount.blind` tests for this.

    References
    ----------
    Dawid and Skene (1979), "Maximum likelihood estimation of observer error-rates using the EM
    algorithm", Applied Statistics 28.

    Examples
    --------
    >>> from headcount import Labels
    >>> labels = Labels.from_triples(
    ...     [1, 1, 1, 2, 2, 2, 3, 3, 3, 4, 4, 4], list("abc") * 4, list("nnyyyynnnyyn")
    ... )
    >>> result = dawid_skene(labels)
    >>> result
    Dawid-Skene: 12 votes on 4 items by 3 raters, converged after 9 passes
    log-likelihood -7.17; prior n .50, y .50
    <BLANKLINE>
    How often each rater is right: in all, and by true label
    rater  accuracy    n    y
    -------------------------
    a           .79  .79  .79
    b           .79  .79  .79
    c           .50  .50  .50
    <BLANKLINE>
    right only if raters err independently of each other where the true label is the
    same
    >>> result.label
    array(['n', 'y', 'n', 'y'], dtype=object)
    >>> result.confusion["c"].round(2)
    array([[0.5, 0.5],
           [0.5, 0.5]])
    """
    notes = Notes()
    source = take_labelled(labels, notes)
    given_groups = take_groups(groups, [str(name) for name in source.raters], notes, noun="rater")
    votes = collect(source, groups=given_groups)
    voted = np.flatnonzero(votes.row_of >= 0)
    without = len(source.items) - len(voted)
    if without:
        notes.caution(f"{count(without, 'item')} without votes left out.")
    fitted = fit(
        votes,
        vote_weight=None if given_groups is None else votes.group_weight,
        how=Climbing(smoothing=smoothing, tolerance=tolerance, max_iter=max_iter),
    )
    _tell(fitted, notes)
    return DawidSkeneResult(
        labels=votes.labels,
        raters=votes.classifiers,
        items=source.items[voted],
        prior=dict(zip(votes.labels, fitted.prior.tolist(), strict=True)),
        confusion=dict(zip(votes.classifiers, fitted.confusion, strict=True)),
        truth=fitted.truth[votes.row_of[voted]],
        log_likelihood=fitted.log_likelihood,
        weighted=given_groups is not None,
        converged=fitted.converged,
        n_iter=fitted.n_iter,
        votes=len(source),
        notes=tuple(notes),
        provenance=DawidSkeneProvenance(
            **vars(provenance_of(source, votes)), smoothing=fitted.smoothing
        ),
    )


def _tell(fitted: DawidSkene, notes: Notes) -> None:
    """Say what a reader of the fit should know."""
    if not fitted.converged:
        notes.warning(
            f"EM did not converge in {fitted.n_iter:,} passes over the votes; raise "
            f"{option('max_iter')}."
        )
    if fitted.switched:
        notes.warning(
            "Votes would agree better with the true labels under other names: what the fit calls "
            "a label may be another. Look at the confusion matrices."
        )


# Fits of Dawid and Skene's model to rows of votes, and refits to bootstrap samples of them.

LIFT = 1e-3
"""Share of chance in a refit's start where EM could not leave a probability of 0."""


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
        Passes over the votes.
    switched : bool
        Whether votes would agree better with the classes under other names.
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
    switched: bool
    smoothing: float
    vote_weight: Floats


@dataclass(frozen=True, kw_only=True)
class Climbing:
    """How to fit by EM.

    Parameters
    ----------
    smoothing : float
        Votes added to each cell of each confusion matrix: the posterior mode under a Dirichlet
        prior with 1 + smoothing. 0 is the paper's maximum likelihood. The prior of the classes is
        not smoothed, so that no item can belong to a label that nobody gives.
    tolerance : float
        Stop where an EM step adds less to the log-likelihood of all items (the objective, with
        smoothing). It is not divided by their number: with a million items, parameters that fall
        short by a millionth an item may be a standard error from the optimum.
    max_iter : int
        Most passes over the votes.
    """

    smoothing: float = SMOOTHING
    tolerance: float = TOLERANCE
    max_iter: int = MAX_ITER

    def __post_init__(self) -> None:
        options.number(self.smoothing, "smoothing", least=0)
        options.number(self.tolerance, "tolerance", least=0)
        options.whole(self.max_iter, "max_iter", least=1)


AS_USUAL = Climbing()


def fit(
    votes: Votes,
    weight: Floats | None = None,
    *,
    vote_weight: Floats | None = None,
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
    how : Climbing
        Smoothing, and when to stop.

    Notes
    -----
    O(votes x classes) a pass, and memory for the confusion matrices beside the votes. All in
    logarithms.

    The likelihood does not change if classes swap names. From vote shares, a class starts as the
    items that are given its label, and EM rarely leaves that; `switched` says when it did.

    On bluebirds, RTE, sentiment and the LLM judges (2 classes, single and grouped), smoothing
    from 0 to 2 changes the correlation of estimated with actual accuracy by at most .006. But it
    keeps items from being certain: at .5 the log-loss of the truth of RTE falls from 1.16 to .35,
    of sentiment from .47 to .37. None of 20 random starts on each found a better optimum.

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
    best = climb(model, how)
    names = best_names(best.step.count, model.vote_weight)
    return DawidSkene(
        prior=best.at.prior,
        confusion=_by_class(best.at.confusion),
        truth=model.posterior(best.at, votes),
        table=_by_class(best.step.count),
        log_likelihood=best.step.log_likelihood,
        trace=best.trace,
        converged=best.converged,
        n_iter=best.n_iter,
        switched=not np.array_equal(names, np.arange(len(names))),
        smoothing=smoothing,
        vote_weight=model.vote_weight,
    )


def refits(
    votes: Votes, fitted: DawidSkene, draws: Iterable[Floats], how: Climbing = AS_USUAL
) -> Floats:
    """Fit every bootstrap sample to convergence, from the fit to all items.

    Smoothing and vote weights are those of `fitted`. The start keeps the names of the classes.

    Parameters
    ----------
    votes : Votes
        What `fitted` was fitted to.
    fitted : DawidSkene
    draws : iterable of (draws, rows) arrays
        Blocks of weights, as :func:`headcount.stats.draws.resample` yields them.
    how : Climbing
        When to stop.

    Returns
    -------
    (draws, classifiers, classes, labels) array
        Expected number of votes by true class and label; :class:`Metrics` make scores of them.

    Notes
    -----
    O(votes x classes) a pass, and 10 to 20 passes a draw. Holds the tables of all draws.
    """
    confusion = _by_class(fitted.confusion)
    if fitted.smoothing == 0:
        confusion = (1 - LIFT) * confusion + LIFT / confusion.shape[1]
    begin = Parameters(fitted.prior, confusion)
    tables = [
        climb(
            Model(Blocks.of(votes, weight), fitted.vote_weight, fitted.smoothing), how, begin
        ).step.count
        for block in draws
        for weight in np.ascontiguousarray(block, np.float64)
    ]
    return _by_class(np.stack(tables))


def _by_class(by_label: Floats) -> Floats:
    """Turn (..., labels, classes), which the kernel wants, into (..., classes, labels)."""
    return np.ascontiguousarray(np.swapaxes(by_label, -1, -2))


# Expectation maximisation for Dawid and Skene's model: steps that never lose likelihood.

ROUNDING = 1e-15
"""Relative error of an exact sum: a smaller gain says nothing."""
FAST_GAIN = 1e-3
"""Steps that gain more, an item, are still choosing an optimum, and are left to EM alone."""
FARTHEST = 8.0
KEPT = 0.1
"""Least share of a probability after an EM step that an extrapolation leaves it."""


@dataclass(frozen=True, eq=False)
class Parameters:
    """What the model has: how common classes are, and how each classifier confuses them.

    Parameters
    ----------
    prior : (classes,) array
    confusion : (classifiers, labels, classes) array
        Probability of a label where a class is true; sums to 1 over labels.
    """

    prior: Floats
    confusion: Floats


@dataclass(frozen=True, eq=False)
class Step:
    """One EM step.

    Parameters
    ----------
    log_likelihood : float
        Of the parameters that the step starts from.
    objective : float
        The same with smoothing: what no step lowers.
    count : (classifiers, labels, classes) array
        Expected votes, by label and true class, at these parameters.
    after : Parameters
        Where the step leads.
    """

    log_likelihood: float
    objective: float
    count: Floats
    after: Parameters


@dataclass(frozen=True, eq=False)
class Model:
    r"""Votes and what they are fitted with.

    With weights :math:`w_m` of items, :math:`v_k` of classifiers and s for smoothing, EM climbs

    .. math:: \sum_m w_m \log \sum_c p_c \prod_{k, l} \pi_{kcl}^{v_k n_{mkl}}
              + s \sum_k v_k \sum_{c, l} \log \pi_{kcl},

    where :math:`n_{mkl}` counts the votes of classifier k for label l on item m. Labels that a
    classifier is known to have given before are added to s, cell by cell.

    Parameters
    ----------
    blocks : Blocks
        Votes, and how often each row counts. A step goes over them once, and memory beside a block
        is that of the parameters.
    vote_weight : (classifiers,) array
    smoothing : float
    """

    blocks: Blocks
    vote_weight: Floats
    smoothing: float

    @property
    def added(self) -> Floats:
        """Votes added to each cell: smoothing, and what is known about classifiers."""
        prior_counts = self.blocks.known
        return np.asarray(self.smoothing if prior_counts is None else self.smoothing + prior_counts)

    @cached_property
    def items(self) -> float:
        """Weight of all rows."""
        return math.fsum(float(weight.sum()) for _, weight in self.blocks)

    def vote_shares(self) -> Parameters:
        """Find the parameters if each class is as probable as its share of the votes.

        O(votes x classes).
        """
        prior_count, count = self._zeros()
        for votes, weight in self.blocks:
            share = votes.label_counts(self.vote_weight)
            share /= share.sum(axis=1, keepdims=True)
            prior_count += weight @ share
            count += counted(votes, weight, share)
        return self._maximise(prior_count, count)

    def step(self, at: Parameters) -> Step:
        """Take one EM step: a pass over the votes, O(votes x classes)."""
        model = LogLinear(*self.scores(at))
        prior_count, count = self._zeros()
        fits: list[float] = []
        for votes, weight in self.blocks:
            truth, terms = softmax_and_total(model.log(votes))
            explained = weight > 0  # what nothing explains is in rows of no weight only
            # To the last digit: late steps gain less than what a plain sum would lose.
            fits.append(exact_sum(weight[explained] * terms[explained]))
            prior_count += weight @ truth
            count += counted(votes, weight, truth)
        fit, score = math.fsum(fits), model.score
        added = np.broadcast_to(self.added, score.shape)
        penalty = float((added[added > 0] * score[added > 0]).sum())
        return Step(fit, fit + penalty, count, self._maximise(prior_count, count))

    def posterior(self, at: Parameters, v: Votes) -> Floats:
        """Probability of each class in each row of a block: (rows, classes). O(votes x classes).

        Zeros in a row that no class can explain; only rows of weight 0 are such.
        """
        return LogLinear(*self.scores(at))(v)

    def _zeros(self) -> tuple[Floats, Floats]:
        size = self.blocks.n_labels
        return np.zeros(size), np.zeros((self.blocks.n_classifiers, size, size))

    def scores(self, at: Parameters) -> tuple[Floats, Floats]:
        """Logarithms of how common classes are, and of what each vote says: see LogLinear."""
        # 0 stays 0 in EM, so that it has to be -inf here: a small number in its place could grow.
        return _log(at.prior), self.vote_weight[:, None, None] * _log(at.confusion)

    def _maximise(self, prior_count: Floats, count: Floats) -> Parameters:
        """M step. The weight of a classifier's votes cancels in the shares of its own votes."""
        smoothed = count + self.added
        total = smoothed.sum(axis=1, keepdims=True)
        equal = np.full_like(smoothed, 1 / count.shape[1])
        confusion = np.divide(smoothed, total, out=equal, where=total > 0)
        return Parameters(prior_count / prior_count.sum(), confusion)


@dataclass(frozen=True, eq=False)
class Climb:
    """Where EM ended.

    Parameters
    ----------
    at : Parameters
    step : Step
        The step from there, which tells its likelihood and expected counts.
    trace : tuple of float
        Objective at each point accepted; never falls.
    n_iter : int
        Passes over the votes.
    converged : bool
        Whether the last EM step gained less than the tolerance.
    """

    at: Parameters
    step: Step
    trace: tuple[float, ...]
    n_iter: int
    converged: bool


def climb(model: Model, how: Climbing, at: Parameters | None = None) -> Climb:
    """Take EM steps, from vote shares by default, until one gains less than the tolerance.

    Notes
    -----
    Near an optimum EM moves along a line by ever smaller steps. So after two of them that gain
    little, one leaps ahead (squared extrapolation, on square roots of probabilities) and stays
    there only if the objective has not fallen. That halves the passes. Convergence is judged by
    EM steps alone.

    References
    ----------
    Varadhan and Roland (2008), "Simple and globally convergent methods for accelerating the
    convergence of any EM algorithm", Scandinavian Journal of Statistics 35.
    """
    at = model.vote_shares() if at is None else at
    now = model.step(at)
    trace, n_iter = [now.objective], 1
    slow = FAST_GAIN * model.items
    while n_iter < how.max_iter:
        following = model.step(now.after)
        n_iter += 1
        gain = following.objective - now.objective
        if gain < max(how.tolerance, ROUNDING * abs(now.objective)):
            if gain > 0:
                at, now = now.after, following
                trace.append(now.objective)
            return Climb(at, now, tuple(trace), n_iter, True)
        trace.append(following.objective)
        before, at, now = at, now.after, following
        if gain < slow and n_iter < how.max_iter:
            ahead = _leap(before, at, now.after)
            leapt = model.step(ahead)
            n_iter += 1
            if leapt.objective >= now.objective:
                at, now = ahead, leapt
                trace.append(now.objective)
    return Climb(at, now, tuple(trace), n_iter, False)


def _leap(first: Parameters, second: Parameters, third: Parameters) -> Parameters:
    r"""Extrapolate two EM steps: :math:`x_0 + 2 a r + a^2 v` with :math:`a = |r| / |v|`."""
    points = [np.concatenate([p.prior, p.confusion.ravel()]) for p in (first, second, third)]
    x, y, z = (np.sqrt(point) for point in points)
    r = y - x
    v = z - y - r
    bend = float(v @ v)
    length = np.clip(np.sqrt(r @ r / bend), 1.0, FARTHEST) if bend > 0 else 1.0
    # No probability that EM leaves above 0 may become 0, for it could not come back.
    end = np.maximum(x + 2 * length * r + length**2 * v, 0.0) ** 2
    end = np.maximum(end, KEPT * points[2])
    size = len(first.prior)
    prior, confusion = end[:size], end[size:].reshape(first.confusion.shape)
    return Parameters(prior / prior.sum(), confusion / confusion.sum(axis=1, keepdims=True))


def _log(probability: Floats) -> Floats:
    return np.log(probability, out=np.full_like(probability, -np.inf), where=probability > 0)


# Names of classes, which a likelihood does not know.


def best_names(count: Floats, vote_weight: Floats) -> Codes:
    """Label that each class should be called by, for most votes to agree with it: (classes,).

    Parameters
    ----------
    count : (classifiers, labels, classes) array
        Expected votes.
    vote_weight : (classifiers,) array

    Notes
    -----
    An assignment problem; O(classes^3). Ties keep the names as they are, for a class that nothing
    belongs to may be called anything.

    Examples
    --------
    >>> best_names(np.array([[[1.0, 8], [9, 2]]]), np.ones(1))
    array([1, 0])
    """
    agree = np.einsum("k,klc->cl", vote_weight, count)
    if (np.diag(agree) >= np.maximum(agree.max(axis=0), agree.max(axis=1))).all():
        return np.arange(len(agree))  # without scipy.optimize, which takes long to import
    import scipy.optimize  # pyright: ignore[reportMissingTypeStubs]

    optimize: Any = scipy.optimize
    names: Codes = optimize.linear_sum_assignment(agree, maximize=True)[1]
    own = np.arange(len(agree))
    return own if agree[own, names].sum() <= np.trace(agree) * (1 + 1e-9) else names


# What Dawid and Skene's model says of items and raters.


@dataclass(frozen=True, kw_only=True)
class DawidSkeneProvenance(Provenance):
    """How a fit came about: `smoothing` beside what every result tells."""

    smoothing: float


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class DawidSkeneResult(Result):
    """True labels of items and error rates of raters, by Dawid and Skene's EM.

    Parameters
    ----------
    labels, raters : tuple of str
    items : array
        The items with votes.
    prior : dict of label to float
        How common each true label is.
    confusion : dict of rater to (labels, labels) array
        Probability that a rater gives a label (column) when a label is true (row).
    truth : (items, labels) array
        Probability of each label for each item.
    log_likelihood : float
        Log-likelihood of all votes; a pseudo-likelihood if they are weighted.
    weighted : bool
        Whether each group has the weight of one rater.
    converged : bool
    n_iter : int
        Passes over the votes.
    votes : int

    Examples
    --------
    >>> from headcount import dawid_skene
    >>> len(dawid_skene("example:votes").columns()["label"])
    200
    """

    provenance: DawidSkeneProvenance
    labels: tuple[str, ...]
    raters: tuple[str, ...]
    items: Ids
    prior: dict[str, float]
    confusion: dict[str, Floats]
    truth: Floats
    log_likelihood: float
    weighted: bool
    converged: bool
    n_iter: int
    votes: int

    @property
    def label(self) -> NDArray[np.object_]:
        """Most probable label of each item; the first of those that tie."""
        return np.array(self.labels, dtype=object)[self.truth.argmax(axis=1)]

    @property
    def accuracy(self) -> dict[str, float]:
        """Probability that a rater gives the true label, where all items are rated alike."""
        prior = np.array(list(self.prior.values()))
        return {name: float(prior @ np.diag(m)) for name, m in self.confusion.items()}

    @property
    def backend(self) -> str | None:
        """The kind of frame that the votes came from."""
        return self.provenance.backend

    def page(self) -> Page:
        """Say how the fit went, how common labels are, and how good raters seem."""
        size = (
            f"{count(self.votes, 'vote')} on {count(len(self.items), 'item')} by "
            f"{count(len(self.raters), 'rater')}"
        )
        state = "converged after" if self.converged else "NOT converged after"
        passes = "1 pass" if self.n_iter == 1 else f"{self.n_iter:,} passes"
        kind = "weighted log-likelihood" if self.weighted else "log-likelihood"
        prior = ", ".join(f"{name} {_short(p)}" for name, p in self.prior.items())
        return Page(
            [
                f"Dawid-Skene: {size}, {state} {passes}",
                f"{kind} {self.log_likelihood:,.2f}; prior {prior}",
            ],
            [_raters(self)],
            [
                "right only if raters err independently of each other where the true label is "
                "the same"
            ],
        )

    def columns(self) -> dict[str, list[Any]]:
        """Return one row per item: item, label, probability."""
        return {
            "item": self.items.tolist(),
            "label": self.label.tolist(),
            "probability": self.truth.max(axis=1).tolist(),
        }

    def document(self) -> dict[str, Any]:
        """Return items with their probabilities, raters with their errors, and the fit."""
        columns, accuracy = self.columns(), self.accuracy
        columns["probabilities"] = [
            dict(zip(self.labels, row, strict=True)) for row in self.truth.tolist()
        ]
        document = {
            "items": [
                dict(zip(columns, row, strict=True)) for row in zip(*columns.values(), strict=True)
            ],
            "raters": [
                {"rater": name, "accuracy": accuracy[name], "confusion": table}
                for name, table in self.confusion.items()
            ],
            "labels": self.labels,
            "prior": self.prior,
            "log_likelihood": self.log_likelihood,
            "weighted": self.weighted,
            "converged": self.converged,
            "iterations": self.n_iter,
            "smoothing": self.provenance.smoothing,
        }
        return json_value(document)

    def plot(self, ax: Axes | None = None) -> Axes:
        """Draw how often each rater is right, best first.

        Parameters
        ----------
        ax : matplotlib Axes, optional
            Where to draw; a new figure by default.
        """
        from headcount.blind_evaluation.plot import plot_right

        right = sorted(self.accuracy.items(), key=lambda pair: -pair[1])
        words = "probability of the true label, if raters err independently"
        return plot_right([(name, Estimate(value)) for name, value in right], words, 0.95, ax)


# Dawid and Skene's fit in words.

MOST_RATERS = 20
"""Raters that are printed, best first."""
MOST_LABELS = 6
"""Labels up to which raters' accuracy is printed by true label."""


def _raters(result: DawidSkeneResult) -> Table:
    """How often raters are right, in all and where each label is true."""
    accuracy = result.accuracy
    best = sorted(result.raters, key=lambda name: -accuracy[name])
    labels = result.labels if len(result.labels) <= MOST_LABELS else ()
    body = [
        [
            name,
            _short(accuracy[name]),
            *(_short(p) for p in np.diag(result.confusion[name])[: len(labels)]),
        ]
        for name in best[:MOST_RATERS]
    ]
    rest = len(best) - MOST_RATERS
    return Table(
        ["rater", "accuracy", *labels],
        body,
        title="How often each rater is right: in all, and by true label",
        more=f"and {count(rest, 'more rater')}{ALL}" if rest > 0 else "",
    )


def _short(share: float) -> str:
    return f"{share:.2f}".removeprefix("0")

"""Methods that need no gold labels, methods of users, and the list of all."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any, cast

import numpy as np

from headcount.blind_evaluation.dawid_skene import TOLERANCE, Climbing, DawidSkene, refits
from headcount.blind_evaluation.gold_methods import (
    GLM,
    PPI,
    SVM,
    AdaBoost,
    CalibratedMajority,
    Direct,
    NaiveBayes,
)
from headcount.blind_evaluation.metrics import Metrics
from headcount.blind_evaluation.scoring import (
    FixedTruth,
    Method,
    Scored,
    Scoring,
    Sizes,
    Task,
    against,
    by_draw,
    covariance,
    crowd_tables,
)
from headcount.blind_evaluation.truth_models import mixture, shrunk
from headcount.blind_evaluation.votes import (
    Blocks,
    TruthOf,
    Votes,
    leave_group_out,
    leave_one_out,
    majority,
    vote_shares,
    winners,
)
from headcount.errors import OptionError, option, unknown_name
from headcount.stats.arrays import Matrix, sparse_columns
from headcount.stats.intervals import BY_CROWD
from headcount.typing import Floats

__all__ = [
    "Majority",
    "LeaveOneOut",
    "Sampling",
    "RoundRobin",
    "round_robin",
    "robin_influence",
    "EM",
    "em_summary",
    "worker_scores",
    "Consensus",
    "own_method",
    "METHODS",
    "DIAGNOSING",
    "CHECKING",
    "GROUPED_PAIR",
    "DIRECT",
    "LABELLING",
    "RANKING",
    "choose_methods",
]


# What most say is true: the votes of all, or of the others.


class Majority(FixedTruth):
    """The label with most votes is true; ties are shared."""

    name = "majority"
    short = "majority"
    fits = "equal"
    words = "the majority is right; a classifier's own vote counts"

    def truth(self, votes: Votes) -> Floats:
        """Find the majority of all votes."""
        return majority(votes)


class LeaveOneOut(FixedTruth):
    """The label with most votes of the others is true."""

    name = "leave-one-out"
    short = "leave one out"
    title = "the majority of the others"
    words = "the majority of the others is right"
    by_vote = True

    def truth(self, votes: Votes) -> Floats:
        """Find the majority of the others, for each vote."""
        return leave_one_out(votes)


class LeaveGroupOut(FixedTruth):
    """The label with most votes of the other groups is true."""

    name = "leave-group-out"
    short = "leave group out"
    title = "the majority of the other groups"
    words = "the majority of the other groups is right, each group with the same weight"
    by_vote = True
    grouped = True

    def truth(self, votes: Votes) -> Floats:
        """Find the majority of the other groups, for each vote."""
        return leave_group_out(votes)


# Sampling: each item takes the label of a random classifier.


class Sampling(FixedTruth):
    """Each item takes the label of a random classifier; the mean over all such label sets."""

    name = "sampling"
    short = "sampling"
    on_request = True
    words = "each item takes the label of a random classifier"

    def truth(self, votes: Votes) -> Floats:
        """Find the share of votes of each label, which is the limit of many label sets."""
        return vote_shares(votes)


# Round robin: every classifier is the truth for all others in turn.

MOST_DENSE = 10**7
"""Cells up to which a dense product beats a sparse one."""
MOST_ROBIN_WORK = 2 * 10**10
"""Multiplications up to which it is worked out, on the data and in all bootstrap samples."""


class RoundRobin(Method):
    """Each classifier is the truth for all others in turn."""

    name = "round-robin"
    short = "round robin"
    on_request = True
    words = "each classifier is the truth for all others in turn"

    def score(self, task: Task) -> Scoring:
        """Score, with intervals if that does not take too long."""
        votes, weight, metrics = task.votes, task.weight, task.metrics
        scores = round_robin(votes, weight, metrics)
        work = len(weight) * (len(votes.classifiers) * len(votes.labels)) ** 2
        if work > MOST_ROBIN_WORK:
            task.notes.caution("Round robin has no intervals and ranks: classifiers are too many.")
            return Scoring(Scored(scores=scores, draws=scores[None][:0]), None)
        spread = covariance(robin_influence(votes, weight, metrics), weight)
        scored = Scored(scores=scores, draws=scores[None][:0], covariance=spread)
        if work * task.settings.bootstrap > MOST_ROBIN_WORK:
            task.notes.caution(
                "Intervals of round robin are normal ones, to first order: a bootstrap would take "
                "too long."
            )
            return Scoring(scored, None)
        return Scoring(
            scored,
            lambda weights: np.stack([round_robin(votes, w, metrics) for w in weights]),
        )


def duels(votes: Votes, weight: Floats) -> Floats:
    """Tables of every two classifiers on the items that both labelled: (K, K, labels, labels).

    Entry ``[k, l, i, j]`` counts the items to which l gives label i and k gives label j: l is the
    truth, and k is judged. O(sum over rows of votes^2).
    """
    total, size = len(votes.classifiers), len(votes.labels)
    said_matrix = _said(votes)
    both = _dense((said_matrix.T * weight) @ said_matrix)
    return both.reshape(total, size, total, size).transpose(2, 0, 1, 3)


def round_robin(votes: Votes, weight: Floats, metrics: Metrics) -> Floats:
    """Mean score of each classifier with every other as the truth: (metrics, classifiers).

    Others that share no item with it, or for which the score is undefined, are left out of the
    mean; nan where none is left.

    References
    ----------
    Jung and Lease (2012), Section 3.1.1.
    """
    score = _judged(metrics.scores(duels(votes, weight)))
    number = (~np.isnan(score)).sum(axis=1)
    total = np.nansum(score, axis=1)
    return np.divide(total, number, out=np.full_like(total, np.nan), where=number > 0).T


def robin_influence(votes: Votes, weight: Floats, metrics: Metrics) -> list[Matrix]:
    """Find what one item of each row adds to the error of each mean score, to first order.

    The mean over the others of the influence with each of them as the truth; see
    :func:`headcount.blind_evaluation.scoring.influence`. O(sum over rows of votes^2).
    """
    total, size = len(votes.classifiers), len(votes.labels)
    tables = duels(votes, weight)
    ratio = metrics.ratios(tables)
    usable = ~np.isnan(_judged(metrics.scores(tables)))
    bottom = np.einsum("mcij,klij->klmc", metrics.denominator, tables)
    number = np.maximum(usable.sum(axis=1, keepdims=True), 1)
    number = number * np.maximum(metrics.counted(ratio), 1)
    share = np.divide(1.0, bottom, out=np.zeros_like(bottom), where=~np.isnan(ratio))
    share *= (usable / number)[..., None]
    share_of_ratio = share * np.nan_to_num(ratio)
    said_matrix = _dense(_said(votes))
    out: list[Matrix] = []
    for m in range(len(metrics.names)):
        change = np.einsum("klc,cij->klij", share[:, :, m], metrics.numerator[m])
        change -= np.einsum("klc,cij->klij", share_of_ratio[:, :, m], metrics.denominator[m])
        # For each row and what k says (j), the sum over what the others (l) say (i).
        by_label = said_matrix @ change.transpose(1, 2, 0, 3).reshape(total * size, total * size)
        value = by_label[votes.row, votes.classifier.astype(np.int64) * size + votes.label]
        shape = (total, len(votes.multiplicity))
        out.append(sparse_columns(value, votes.classifier, votes.start, shape))
    return out


def _judged(score: Floats) -> Floats:
    """Leave out classifiers as their own truth."""
    own = np.arange(len(score))
    score[own, own] = np.nan
    return score


def _dense(matrix: Matrix) -> Floats:
    return matrix.toarray() if hasattr(matrix, "toarray") else matrix


def _said(votes: Votes) -> Matrix:
    """Whether each classifier gave each label: (rows, classifiers * labels), dense if small."""
    matrix = votes.said.T
    return matrix.toarray() if matrix.shape[0] * matrix.shape[1] <= MOST_DENSE else matrix


# EM: the truth by Dawid and Skene's model, with a vote for each classifier or each group.

MOST_REFIT_WORK = 2 * 10**10
"""Multiplications up to which it is fitted anew in every bootstrap sample."""
REFIT_ITERATIONS = 10
"""Iterations that a warm-started refit takes, about."""


MANY_ITEMS, CLOSE_GAIN = 20_000, 1e-6
"""Items from which on a refit may stop at a gain of so much an item. Of 100,000 items and 1,000
workers, accuracies then are within .06 standard errors, in a third of the time."""


class EM(Method):
    """Dawid and Skene's model, in which classifiers err independently."""

    name = "em"
    short = "EM"
    title = "Dawid-Skene"
    fits = "errors"
    words = "classifiers err independently of each other (Dawid-Skene)"
    refitted = True
    covers = True

    def score(self, task: Task) -> Scoring:
        """Fit the data, and every bootstrap sample from there if that does not take too long."""
        votes, metrics, settings = task.votes, task.metrics, task.settings
        fitted = task.dawid_skene(grouped=self.grouped)
        scoring = against(task, fitted.truth, fitted)
        work = len(votes.label) * len(votes.labels) * REFIT_ITERATIONS * settings.bootstrap
        self._tell(task, fitted, too_long=work > MOST_REFIT_WORK)
        if work > MOST_REFIT_WORK:
            return scoring

        def refit(weights: Floats) -> Floats:
            close = TOLERANCE if votes.items < MANY_ITEMS else CLOSE_GAIN * votes.items
            again = refits(votes, fitted, [weights], Climbing(tolerance=close))
            return np.swapaxes(metrics.scores(again), 1, 2)

        return replace(scoring, again=refit)

    def _tell(self, task: Task, fitted: DawidSkene, *, too_long: bool) -> None:
        if not fitted.converged:
            task.notes.warning(
                f"{self.short} has not converged after {fitted.n_iter:,} iterations: its scores "
                "are not those of the maximum of the likelihood."
            )
        if not task.settings.bootstrap:
            task.notes.caution(
                f"Without bootstrap samples, intervals and ranks of {self.short} take the fitted "
                f"truth as given. Both are too narrow; draw some ({option('bootstrap', 200)})."
            )
        if too_long:
            task.notes.caution(
                f"Intervals of {self.short} take the fitted truth as given: to fit it anew in "
                "every bootstrap sample would take too long. They are too narrow."
            )


class GroupedEM(EM):
    """Dawid and Skene's model with one vote for each group."""

    name = "grouped-em"
    short = "grouped EM"
    title = "Dawid-Skene, by group"
    fits = ""
    words = "groups err independently of each other (Dawid-Skene, a vote weighs 1 / group size)"
    grouped = True
    covers = False  # not of members of a group: see docs/studies/blind.md


def em_summary(fit: DawidSkene, labels: Sequence[str]) -> dict[str, Any]:
    """Write what a fit is like, for the JSON document."""
    return {
        "prior": dict(zip(labels, fit.prior.tolist(), strict=True)),
        "log_likelihood": fit.log_likelihood,
        "converged": fit.converged,
        "iterations": fit.n_iter,
        "smoothing": fit.smoothing,
    }


# Methods that fit a truth to all votes, and judge a classifier by its labels and by the crowd.


class CrowdModel(Method):
    r"""A model of the truth that takes the crowd into account in what it says of a classifier.

    Votes count for what they are worth.

    The table of truth and labels of each classifier gets that of all classifiers added, in the
    weight of k labels: accuracy is :math:`(h_j + k \mu) / (n_j + k)`. So five labels, all of them
    right, do not make an accuracy of 1. k is what the crowd says: see
    :func:`headcount.blind_evaluation.truth_models.strength`. Intervals are Beta ones with the
    variance of the posterior, in which the truth of items is uncertain too.
    """

    by_number = True

    def truth_of(self, task: Task) -> TruthOf:
        """Fit the truth: from a block of votes to the probability of each label in its rows."""
        return mixture(task.blocks, self.fits, task.settings.climbing)

    def score(self, task: Task) -> Scoring:
        """Score by tables that the crowd has been added to."""
        truth = self.truth_of(task)(task.votes)
        scored = worker_scores(task.blocks, lambda _: truth, task.metrics)
        return Scoring(replace(scored, truth=truth), None)


def worker_scores(blocks: Blocks, truth_of: TruthOf, metrics: Metrics) -> Scored:
    """Score workers by their tables of truth and label, to which that of the crowd is added."""
    decided = crowd_tables(blocks, lambda votes: winners(truth_of(votes)))
    table = shrunk(crowd_tables(blocks, truth_of), decided)
    scores = metrics.scores(table).T
    variance = variance_of_scores(blocks, truth_of, metrics, table)
    return Scored(
        scores=scores,
        draws=scores[None][:0],
        covariance=np.stack([np.diag(each) for each in variance]),
        sizes=Sizes(
            effective=_effective(metrics, scores, variance),
            added=np.zeros_like(scores),
            # A vote is as often in the tables as its row counts.
            labelled=decided.sum(axis=(1, 2)).round().astype(np.int64),
            interval=BY_CROWD,
        ),
    )


def variance_of_scores(
    blocks: Blocks, truth_of: TruthOf, metrics: Metrics, counted: Floats
) -> Floats:
    r"""Variance of scores by tables with the crowd in them: (metrics, classifiers).

    A ratio :math:`\theta` of n items has :math:`\theta (1 - \theta) / (n + 1)`, as a Beta
    posterior; a mean over labels the mean of theirs. To that comes what the truth of each item,
    which is known up to probabilities, adds to first order. O(votes x labels x metrics).
    """
    ratio = metrics.ratios(counted)
    number = np.maximum(metrics.counted(ratio), 1)
    bottom = np.einsum("mcij,kij->kmc", metrics.denominator, counted)
    inverse = np.divide(1.0, bottom, out=np.zeros_like(bottom), where=bottom > 0)
    inverse /= number[..., None]
    ratio = np.nan_to_num(ratio)
    change = np.einsum("kmc,mcij->kmij", inverse, metrics.numerator)
    change -= np.einsum("kmc,kmc,mcij->kmij", inverse, ratio, metrics.denominator)
    out = np.empty((len(metrics.kinds), blocks.n_classifiers))
    for m, kind in enumerate(metrics.kinds):
        size = bottom[:, m] / (2 if kind.of_union else 1)
        # A share of 0 or 1 may still be otherwise, by half an item.
        middle = (ratio[:, m] * size + 0.5) / (size + 1)
        share = middle * (1 - middle) / (size + 1)
        if kind.by_label:
            out[m] = share.sum(axis=1) / number[:, m] ** 2
        else:  # the same for every label
            out[m] = share[:, 0]
    for votes, weight in blocks:
        row, truth = votes.row, truth_of(votes)
        often = weight[row]
        for m, add in enumerate(out):
            mean, square = np.zeros(len(row)), np.zeros(len(row))
            for label in range(truth.shape[1]):  # one by one, for there may be many votes
                likely, z = truth[row, label], change[votes.classifier, m, label, votes.label]
                mean += likely * z
                square += likely * z**2
            unknown = np.maximum(square - mean**2, 0)
            add += np.bincount(votes.classifier, often * unknown, minlength=len(add))
    return out


def _effective(metrics: Metrics, scores: Floats, variance: Floats) -> Floats:
    """Items of known truth that would give a share such a variance."""
    out = np.empty_like(scores)
    for m, kind in enumerate(metrics.kinds):
        share, own = np.nan_to_num(scores[m]), variance[m]
        if kind.of_union and metrics.positive is not None:
            own = own * (2 / (2 - share) ** 2) ** 2
            share = share / (2 - share)
        own = np.maximum(own, 1e-12)
        # At 0 or 1 the variance is that of half an item of n: .5 / n^2.
        out[m] = np.maximum(np.maximum(share * (1 - share) / own, np.sqrt(0.5 / own)) - 1, 0.5)
    return out


class OneCoin(CrowdModel):
    """Every classifier has one accuracy, whatever the label."""

    name = "one-coin"
    short = "one coin"
    fits = "coin"
    words = "classifiers err independently, and as often whatever the label"
    on_request = True


class EasyHard(CrowdModel):
    """Every label has easy and hard items, which classifiers confuse otherwise."""

    name = "easy-hard"
    short = "easy/hard"
    fits = "kinds"
    words = "classifiers err independently among items that are as hard (two kinds a label)"
    on_request = True


class Consensus(CrowdModel):
    """The average of equal votes, one coin, Dawid and Skene's model, and easy and hard items."""

    name = "consensus"
    short = "consensus"
    title = "average of four models"
    fits = "all"
    words = "classifiers err independently"
    covers = True


# Methods of users: a function of the votes, or an object that has one.

ROUNDING = 1e-6
"""How far from 1 the probabilities of an item may sum."""


class OwnMethod(Method):
    """A method of a user by its truth, with the names and needs that its object tells."""

    def __init__(self, own: Any, truth: Callable[[Votes], Any]) -> None:
        name = getattr(own, "name", None) or getattr(own, "__name__", type(own).__name__)
        if not isinstance(name, str) or not name.strip() or name == "<lambda>":
            raise OptionError(
                f"{option('methods')}: a method of your own needs a name. Write it as a function "
                "with one (def), or give it an attribute 'name'."
            )
        self.name = name
        self.short = str(getattr(own, "short", name.replace("_", " ")))
        first = (getattr(own, "__doc__", None) or "").strip().split("\n")[0].rstrip(".")
        self.words = str(getattr(own, "words", first or "a method of the user's own"))
        self.grouped = bool(getattr(own, "grouped", False))
        self.informed = bool(getattr(own, "informed", False))
        self.covers = bool(getattr(own, "covers", False))
        self.refitted = bool(getattr(own, "refitted", True))
        self._truth = truth

    def score(self, task: Task) -> Scoring:
        """Score against the truth, found anew in every bootstrap sample if it is to be."""
        scoring = against(task, self._checked(task.votes))
        if not self.refitted:
            return scoring

        def truth_of(weight: Floats) -> Floats:
            return self._checked(replace(task.votes, multiplicity=weight.astype(np.int64)))

        return replace(scoring, again=by_draw(task, truth_of))

    def _checked(self, votes: Votes) -> Floats:
        value = self._truth(votes)
        try:
            truth = np.asarray(value, dtype=np.float64)
        except (TypeError, ValueError):
            raise OptionError(
                f"method '{self.name}' must return an array of numbers, not {type(value).__name__}."
            ) from None
        rows, size = len(votes.multiplicity), len(votes.labels)
        if truth.shape not in ((rows, size), (len(votes.label), size)):
            raise OptionError(
                f"method '{self.name}' must return a probability of each label for each row of "
                f"votes, an array of {rows:,} x {size:,}, not one of "
                f"{' x '.join(f'{n:,}' for n in truth.shape) or 'no dimension'}."
            )
        total = truth.sum(axis=1)
        is_share = (np.abs(total - 1) < ROUNDING) | (total == 0)
        if not np.isfinite(truth).all() or (truth < 0).any() or not is_share.all():
            raise OptionError(
                f"method '{self.name}' must return probabilities: numbers from 0 on that sum to 1 "
                "in each row, or to 0 where there is no truth."
            )
        return truth


def own_method(method: Any) -> Method:
    """Make a method of what a user gave: an object with `truth`, or a function.

    A subclass of :class:`~headcount.blind_evaluation.scoring.Method` is one already.

    Notes
    -----
    ``truth(votes)`` finds the probability of each label, (rows, labels); or (votes, labels), if it
    depends on whose vote is judged. A row is a pattern of votes, which ``votes.multiplicity`` items
    share; in a bootstrap sample this is how often they were drawn, perhaps 0. Each row sums to 1,
    or to 0 if it has no truth. A function is such a ``truth``.

    Attributes that an object may have: `name`, `short` and `words`, what it is called, what heads
    its column, and what it assumes; `grouped` and `informed`, whether it needs groups of
    classifiers, or gold labels (``votes.gold``), False by default; and `refitted`, whether to find
    the truth anew in every bootstrap sample, True by default. False is quicker, and as good if the
    truth of an item depends on the votes on that item alone.

    Examples
    --------
    >>> def first_label(votes):
    ...     "The first label is always right."
    ...     return np.eye(len(votes.labels))[np.zeros(len(votes.multiplicity), dtype=int)]
    >>> mine = own_method(first_label)
    >>> mine.name, mine.short, mine.words
    ('first_label', 'first label', 'The first label is always right')
    """
    if isinstance(method, Method):
        return method
    truth = getattr(method, "truth", method)
    if callable(truth) and not isinstance(method, type):
        return OwnMethod(method, truth)
    raise OptionError(
        f"{option('methods')} must be names of methods, functions of votes, or objects with a "
        f"function 'truth', not {method!r}."
    )


# The ways to estimate how good classifiers are, in one list.

METHODS: dict[str, Method] = {
    method.name: method
    for method in (
        RoundRobin(),
        Sampling(),
        Majority(),
        LeaveOneOut(),
        LeaveGroupOut(),
        EM(),
        GroupedEM(),
        OneCoin(),
        EasyHard(),
        Consensus(),
        CalibratedMajority(),
        NaiveBayes(),
        GLM(),
        SVM(),
        AdaBoost(),
        Direct(),
        PPI(),
    )
}
"""By name, blind methods first. Their scores are right only if what their words say is."""

DIAGNOSING = METHODS[EM.name]
"""In whose fit signs of dependence are looked for."""
CHECKING = METHODS[LeaveOneOut.name]
"""With whose order of classifiers that of the fit is compared."""
GROUPED_PAIR = METHODS[GroupedEM.name], METHODS[LeaveGroupOut.name]
"""The two whose orders are compared in their place where classifiers have groups."""
DIRECT = METHODS[Direct.name]
"""The evaluation on gold with which others are compared."""
LABELLING = METHODS[Consensus.name]
"""Whose truth the labels of items are."""
RANKING: dict[str, tuple[type[Method], ...]] = {
    "gold": (PPI, Direct),
    "copied": (GroupedEM,),
    "grouped": (LeaveGroupOut, GroupedEM),
    "two": (LeaveOneOut, LeaveGroupOut, Majority, RoundRobin, Sampling),
    "dependent": (LeaveGroupOut, LeaveOneOut, Majority, RoundRobin, Sampling),
    "sparse": (Consensus,),
    "independent": (EM, GroupedEM, LeaveGroupOut, LeaveOneOut),
}
"""Which methods rank, the first of them that is asked for: where people labelled enough items;
copies of classifiers count as one, and the others seem to err independently; the user gave groups;
there are two classifiers; they seem to err together; some labelled few items; and else."""


def choose_methods(wanted: Any, *, groups: bool, gold: bool) -> dict[str, Method]:
    """Find methods by name, and take users' own; by default all that the data allow.

    Parameters
    ----------
    wanted : sequence of str, function or object, or None
    groups, gold : bool
        Whether there are groups, and labels of people.
    """
    if wanted is None:
        return {
            name: method
            for name, method in METHODS.items()
            if not method.on_request
            and (groups or not method.grouped)
            and (gold or not method.informed)
        }
    chosen: dict[str, Method] = {}
    several = isinstance(wanted, list | tuple)
    entries = cast("Sequence[Any]", wanted) if several else [wanted]
    for entry in entries:
        method = _named(entry) if isinstance(entry, str) else own_method(entry)
        other = chosen.get(method.name, METHODS.get(method.name, method))
        if other is not method:
            raise OptionError(
                f"{option('methods')}: two methods are called '{method.name}'. Give yours another "
                "name."
            )
        if method.grouped and not groups:
            raise OptionError(
                f"method '{method.name}' needs groups of classifiers: give them by name "
                f"({option('groups', ...)}), or by a pattern of names "
                f"({option('group_pattern', '^[^-]+')})."
            )
        if method.informed and not gold:
            raise OptionError(
                f"method '{method.name}' needs labels of some items: give gold "
                f"({option('gold', ...)}) or crowd labels ({option('crowd', ...)})."
            )
        chosen[method.name] = method
    if not chosen:
        raise OptionError(
            f"{option('methods')} must name one method or more: {', '.join(METHODS)}."
        )
    return chosen


def _named(name: str) -> Method:
    if name not in METHODS:
        raise unknown_name("method", name, list(METHODS), option_name="methods")
    return METHODS[name]

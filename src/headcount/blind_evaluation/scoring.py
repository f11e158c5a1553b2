"""What a method is: what it is given, what it assumes, and how it scores."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np

from headcount import options
from headcount.blind_evaluation.dawid_skene import (
    SMOOTHING,
    Climbing,
    DawidSkene,
    fit,
)
from headcount.blind_evaluation.metrics import METRICS, Metrics
from headcount.blind_evaluation.votes import Blocks, TruthOf, Votes, counted
from headcount.results.notes import Notes
from headcount.stats.arrays import Matrix, sparse_columns
from headcount.stats.draws import resample
from headcount.stats.intervals import BY_GOLD, IntervalMethod
from headcount.typing import Codes, Floats, Kernel, Progress, Seed

__all__ = [
    "Settings",
    "seeds_of",
    "Task",
    "NotPossible",
    "Scored",
    "Scoring",
    "Method",
    "FixedTruth",
    "crowd_tables",
    "against",
    "by_draw",
    "score_all",
    "tables",
    "influence",
    "covariance",
    "ENOUGH_ITEMS",
    "Sizes",
    "gold_sizes",
]


# What a method is to score.


@dataclass(frozen=True, kw_only=True)
class Settings:
    """How to estimate: options of :func:`headcount.blind`, checked.

    `named_seed` is the seed as it was given, None for a generator.
    """

    metrics: Sequence[str] = METRICS
    positive: str | None = None
    methods: Sequence[Any] | None = None
    bootstrap: int = 0
    level: float = 0.95
    seed: int = 0
    named_seed: int | None = None
    smoothing: float = SMOOTHING

    @property
    def climbing(self) -> Climbing:
        """How to fit by EM."""
        return Climbing(smoothing=self.smoothing)


def seeds_of(seed: Seed) -> tuple[int, int | None]:
    """Find the seed of draws and folds, and the number that was given; None for a generator."""
    generator, number = options.seed(seed), options.seed_number(seed)
    return int(generator.integers(2**32)) if number is None else number, number


@dataclass(frozen=True, eq=False, kw_only=True)
class Task:
    """What a method is to score.

    Parameters
    ----------
    votes : Votes
    metrics : Metrics
    settings : Settings
    notes : Notes
        Takes what there is to say.
    """

    votes: Votes
    metrics: Metrics
    settings: Settings
    notes: Notes

    @cached_property
    def weight(self) -> Floats:
        """How often each row counts: its multiplicity."""
        return self.votes.multiplicity.astype(np.float64)

    @cached_property
    def _fits(self) -> dict[bool, DawidSkene]:
        return {}

    def dawid_skene(self, *, grouped: bool) -> DawidSkene:
        """Fit Dawid and Skene's model, once for all methods that need it.

        `grouped` gives every group one vote, in place of every classifier.
        """
        if grouped not in self._fits:
            self._fits[grouped] = fit(
                self.votes,
                vote_weight=self.votes.group_weight if grouped else None,
                how=self.settings.climbing,
            )
        return self._fits[grouped]

    @property
    def blocks(self) -> Blocks:
        """All votes as one block."""
        return Blocks.of(self.votes, self.weight)

    @property
    def shape(self) -> tuple[int, int]:
        """Metrics and classifiers."""
        return len(self.metrics.kinds), len(self.votes.classifiers)


# What a method is: how it is called, what it assumes, and how it scores.


class NotPossible(Exception):
    """A method has no scores on these data. The message is the reason, for a result."""


@dataclass(frozen=True, eq=False, kw_only=True)
class Scored:
    """What one method says of all classifiers.

    Parameters
    ----------
    scores : (metrics, classifiers) array
        Nan where undefined.
    draws : (bootstrap, metrics, classifiers) array
        The same on bootstrap samples; empty where there are none.
    covariance : (metrics, classifiers, classifiers) array or None
        Of the scores, to first order, given the truth that the method sees.
    truth : (rows, labels) array or None
        That truth, where it is one for all classifiers and metrics.
    fit : DawidSkene or None
        The model behind it, where there is one.
    sizes : Sizes or None
        What the scores are worth, if intervals and tests are to come from that.
    undefined : str or None
        Why the method has no scores.
    """

    scores: Floats
    draws: Floats
    covariance: Floats | None = None
    truth: Floats | None = None
    fit: DawidSkene | None = None
    sizes: Sizes | None = None
    undefined: str | None = None


@dataclass(frozen=True, eq=False)
class Scoring:
    """Scores on the data, and how to find them again on bootstrap samples.

    Parameters
    ----------
    scored : Scored
        Without draws.
    again : callable or None
        From (draws, rows) weights to (draws, metrics, classifiers) scores; None if that would take
        too long.
    """

    scored: Scored
    again: Kernel | None


class Method(ABC):
    """A way to estimate how good classifiers are.

    Attributes
    ----------
    name : str
        What users call it.
    short : str
        Heads its column in a table.
    title : str
        What a sentence calls it; `short` if "".
    words : str
        What it assumes. Its scores are right only if that is so.
    grouped : bool
        Whether it uses groups of classifiers.
    informed : bool
        Whether it uses gold or crowd labels of some items.
    covers : bool
        Whether studies found its intervals to cover true scores, where its assumption holds.
    refitted : bool
        Whether its truth is fitted, and fitted anew in every bootstrap sample.
    learn : bool
        Whether it needs scikit-learn.
    by_number : bool
        Whether its intervals come from numbers of labels, and not from bootstrap samples.
    on_request : bool
        Whether it is used only if it is named.
    by_vote : bool
        Whether its truth differs between those who voted on an item, so that it labels none.
    fits : str
        The model of the truth that it fits, by which new items are labelled too; nothing if none.
    """

    name: str
    short: str
    words: str
    title: str = ""
    grouped: bool = False
    informed: bool = False
    covers: bool = False
    refitted: bool = False
    learn: bool = False
    by_number: bool = False
    on_request: bool = False
    by_vote: bool = False
    fits: str = ""

    @abstractmethod
    def score(self, task: Task) -> Scoring:
        """Score all classifiers; :class:`NotPossible` if the data do not suffice."""

    def items(self, votes: Votes) -> int:
        """Items that its scores rest on."""
        return votes.items


class FixedTruth(Method):
    """A method whose truth of an item depends on the votes on that item alone."""

    @abstractmethod
    def truth(self, votes: Votes) -> Floats:
        """Probability of each label: (rows, labels), or (votes, labels) if voters differ in it."""

    def score(self, task: Task) -> Scoring:
        """Score against the truth, which is the same in all bootstrap samples."""
        return against(task, self.truth(task.votes))


def crowd_tables(blocks: Blocks, truth_of: TruthOf) -> Floats:
    """Tables of truth and vote, (classifiers, labels, labels), added up over blocks."""
    out = np.zeros((blocks.n_classifiers, blocks.n_labels, blocks.n_labels))
    for votes, weight in blocks:
        truth = truth_of(votes)
        if _by_row(votes, truth):
            out += np.swapaxes(counted(votes, weight, truth), 1, 2)
        else:
            out += tables(votes, truth, weight)
    return out


def against(task: Task, truth: Floats, fit: DawidSkene | None = None) -> Scoring:
    """Score against a truth that does not depend on the bootstrap sample.

    Parameters
    ----------
    task : Task
    truth : (rows, labels) or (votes, labels) array
        Probabilities of the labels; zeros where there is no truth.
    fit : DawidSkene, optional
        What the truth comes from.

    Notes
    -----
    O(votes x labels) a sample.
    """
    votes, weight, metrics = task.votes, task.weight, task.metrics
    table = table_kernel(votes, truth)

    def again(weights: Floats) -> Floats:
        return np.swapaxes(metrics.scores(table(weights)), 1, 2)

    one_for_all = truth if len(truth) == len(votes.multiplicity) else None
    items = None if one_for_all is None else float(weight[truth.sum(axis=1) > 0].sum())
    scores = again(weight[None])[0]
    scored = Scored(
        scores=scores,
        draws=scores[None][:0],
        covariance=covariance(influence(votes, truth, weight, metrics), weight, items),
        truth=one_for_all,
        fit=fit,
    )
    return Scoring(scored, again)


def by_draw(task: Task, truth_of: Callable[[Floats], Floats]) -> Kernel:
    """Score against a truth that is found anew on each bootstrap sample; nan where there is none.

    `truth_of` makes a truth of (rows,) weights.
    """

    def again(weights: Floats) -> Floats:
        out = np.full((len(weights), *task.shape), np.nan)
        for draw, weight in zip(out, weights, strict=True):
            try:
                truth = truth_of(weight)
            except NotPossible:
                continue
            draw[:] = task.metrics.scores(tables(task.votes, truth, weight)).T
        return out

    return again


# Every method on the data and on the same bootstrap samples.

MOST_WEIGHTS_HELD = 4 * 10**6
"""Weights held at once while resampling: 32 MB."""


def score_all(
    task: Task, methods: Iterable[Method], progress: Progress | None = None
) -> dict[str, Scored]:
    """Score all classifiers by all methods, on the data and on common bootstrap samples.

    Notes
    -----
    Where the truth does not depend on the sample (votes, sampling, direct), one costs
    O(votes x labels). Dawid-Skene is fitted anew to each from where it was, round robin counts
    anew; above about 2 * 10^10 multiplications in all they are not, and a note says so. Truths that
    scikit-learn learned stay as they are, which a note says too.
    """
    settings, multiplicity = task.settings, task.votes.multiplicity
    methods = list(methods)
    if settings.bootstrap and (learned := [method.short for method in methods if method.learn]):
        task.notes.info(
            f"Intervals of {', '.join(learned)} take the truth as learned: it is not learned anew "
            "in bootstrap samples. They are too narrow."
        )
    first = {method.name: _on_data(method, task) for method in methods}
    again: dict[str, Kernel] = {
        name: scoring.again for name, scoring in first.items() if scoring.again is not None
    }
    draws: dict[str, list[Floats]] = {name: [] for name in again}
    rng = np.random.default_rng(settings.seed)
    done = 0
    block = max(1, MOST_WEIGHTS_HELD // len(multiplicity))
    for weights in resample(multiplicity, settings.bootstrap, rng, block=block):
        for name, kernel in again.items():
            draws[name].append(kernel(weights))
        done += len(weights)
        if progress is not None:
            progress(done, settings.bootstrap)
    return {
        name: replace(scoring.scored, draws=np.concatenate(draws[name]))
        if draws.get(name)
        else scoring.scored
        for name, scoring in first.items()
    }


def _on_data(method: Method, task: Task) -> Scoring:
    try:
        return method.score(task)
    except NotPossible as reason:
        nothing = np.full(task.shape, np.nan)
        return Scoring(Scored(scores=nothing, draws=nothing[None][:0], undefined=str(reason)), None)


# Classifiers scored against a truth that is known up to probabilities, and how sure that is.

MOST_PROBABILITIES_HELD = 4 * 10**6
"""Weighted probabilities that are held at once: 32 MB."""


def table_kernel(votes: Votes, truth: Floats) -> Kernel:
    """Prepare the tables of truth and vote: from (draws, rows) weights to (draws, K, L, L).

    `truth` is the probability of each label, (rows, labels); or (votes, labels) where it depends
    on who is judged, which takes more memory. A row of zeros has no truth, and adds nothing.
    O(votes x labels) a draw.
    """
    size, total = len(votes.labels), len(votes.classifiers)
    if _by_row(votes, truth):
        step = max(1, MOST_PROBABILITIES_HELD // max(truth.size, 1))

        def at_once(weights: Floats) -> Floats:
            worth = weights.T[:, :, None] * truth[:, None]
            counted = votes.said @ worth.reshape(len(truth), -1)
            return counted.reshape(total, size, len(weights), size).transpose(2, 0, 3, 1)

        return lambda weights: np.concatenate(
            [at_once(weights[first : first + step]) for first in range(0, len(weights), step)]
        )
    first = votes.classifier * size**2 + votes.label
    cell = first[:, None] + np.arange(size, dtype=first.dtype) * size
    shape = (total * size**2, len(votes.multiplicity))
    parts = sparse_columns(truth.ravel(), cell.ravel(), votes.start * size, shape)
    return lambda weights: np.asarray((parts @ weights.T).T).reshape(-1, total, size, size)


def _by_row(votes: Votes, truth: Floats) -> bool:
    """Whether the truth is one of rows, and not of votes."""
    return len(truth) == len(votes.multiplicity) != len(votes.label)


def tables(votes: Votes, truth: Floats, weight: Floats) -> Floats:
    """Tables of truth and vote: (..., classifiers, labels, labels).

    Parameters
    ----------
    truth : (rows, labels) or (votes, labels) array
    weight : (..., rows) array
        How often each row counts: its multiplicity, or bootstrap samples.

    Notes
    -----
    O(votes x labels) a draw.
    """
    out = table_kernel(votes, truth)(np.atleast_2d(weight))
    return out.reshape(*weight.shape[:-1], *out.shape[1:])


def influence(votes: Votes, truth: Floats, weight: Floats, metrics: Metrics) -> list[Matrix]:
    r"""Find what one item of each row adds to the error of each score, to first order.

    For a ratio of sums :math:`\theta = \sum_m a_m / \sum_m b_m` it is
    :math:`z_m = (a_m - \theta b_m) / \sum_m b_m`; for a mean of ratios the mean of theirs.

    Returns
    -------
    list of sparse (classifiers, rows) arrays
        One a metric. Weighted by `weight` their rows sum to 0.
    """
    size = len(votes.labels)
    counted = tables(votes, truth, weight)
    ratio = metrics.ratios(counted)
    number = np.maximum(metrics.counted(ratio), 1)
    ratio = np.nan_to_num(ratio)
    bottom = np.einsum("mcij,kij->kmc", metrics.denominator, counted)
    inverse = np.divide(1.0, bottom, out=np.zeros_like(bottom), where=bottom > 0)
    inverse /= number[..., None]
    # Coefficient of each cell of a classifier's table in its z.
    change = np.einsum("kmc,mcij->kmij", inverse, metrics.numerator)
    change -= np.einsum("kmc,kmc,mcij->kmij", inverse, ratio, metrics.denominator)
    row, by_row = votes.row, _by_row(votes, truth)
    shape = (len(votes.classifiers), len(votes.multiplicity))
    out: list[Matrix] = []
    for m in range(len(metrics.names)):
        value = np.zeros(len(row))
        for label in range(size):
            likely = truth[row, label] if by_row else truth[:, label]
            value += likely * change[votes.classifier, m, label, votes.label]
        out.append(sparse_columns(value, votes.classifier, votes.start, shape))
    return out


def covariance(parts: list[Matrix], weight: Floats, items: float | None = None) -> Floats:
    r"""Covariance of the classifiers' scores, (metrics, classifiers, classifiers).

    :math:`S_{kl} = \frac{n}{n-1} \sum_m w_m z_{km} z_{lm}`, so that for accuracies on the same
    items the test of a difference is the paired t-test. n is the number of `items` with a truth;
    all by default. Nan where that is 1.
    """
    n = weight.sum() if items is None else items
    scale = n / (n - 1) if n > 1 else np.nan
    return np.stack([(z * weight @ z.T).toarray() * scale for z in parts])


# How many independent items scores are worth.

ENOUGH_ITEMS = 20
"""Items from which on intervals hold well enough to be given: see docs/studies/blind.md."""


@dataclass(frozen=True, eq=False, kw_only=True)
class Sizes:
    """What scores are worth, from which intervals and tests are made.

    Parameters
    ----------
    effective : (metrics, classifiers) array
        Independent items of known truth that would tell a score as well.
    added : (metrics, classifiers) array
        Variance of one error more or less, which is added in tests: where nobody errs, the
        variance that is seen is none, but that of other items would be some.
    labelled : (classifiers,) array of int
        Items that each classifier labelled, of those that count.
    interval : IntervalMethod
        The kind of interval that they make.
    """

    effective: Floats
    added: Floats
    labelled: Codes
    interval: IntervalMethod


# How many gold labels a score is worth, for intervals and tests that hold for few of them.

MOST_GAIN = 20
"""Times as many items as have gold that votes may be taken to be worth."""


def gold_sizes(
    votes: Votes,
    truth: Floats,
    weight: Floats,
    metrics: Metrics,
    direct: list[Matrix],
    used: list[Matrix],
) -> Sizes:
    r"""Find how many items with gold each score is worth.

    With m the items that a score is a share of (those called positive for precision, those that
    are for recall), :math:`u = m^{-2}`, and the influences z of items on the score by gold alone
    and on the score that is used,

    .. math:: n_e = m / \max(.05, n / N, (V + u) / (V_0 + u)), \quad
        V_0 = \sum z_0^2, \quad V = \sum z^2,

    so that direct evaluation has m items, and votes that halve the variance double them; but never
    more than if all N items that a classifier labelled had gold, as n of them have. F1 of
    one label is found by Jaccard's share, of which m is true and false positives and false
    negatives. The mean over C labels has
    :math:`u = \sum_c (C m_c)^{-2}`, :math:`d = \sum_c (C m_c)^{-1}`,
    :math:`\theta_0 = (\theta + d) / (1 + 2 d)`, and

    .. math:: m = \min(\theta_0 (1 - \theta_0) / (V_0 + u), \sum_c m_c).

    Where items were drawn with probabilities that differ, and count w each, m is
    :math:`(\sum w)^2 / \sum w^2` (Kish), and :math:`V_0` the variance that as many items would
    have if drawn at random: :math:`\sum w z_0^2` of items that count 1, times :math:`\sum w / m`.

    Parameters
    ----------
    votes : Votes
    truth : (rows, labels) array
        Gold, times how much each item counts; zeros without.
    weight : (rows,) array
        How often each row counts.
    metrics : Metrics
    direct, used : list of sparse (classifiers, rows) arrays
        Influences of items by gold alone, and of the scores whose worth is asked for; one a
        metric, as of :func:`headcount.blind_evaluation.scoring.influence`.

    References
    ----------
    Korn and Graubard (1998), "Confidence intervals for proportions with small expected number of
    positive counts estimated from survey data", Survey Methodology 24. Kish (1965), Survey
    sampling.
    """
    counted = tables(votes, truth, weight)
    scores = metrics.scores(counted).T
    counts = votes.gold_weight
    before = np.stack([(z * z) @ (weight / counts) for z in direct])
    after = np.stack([(z * z) @ weight for z in used])
    whole = np.einsum("mcij,kij->mkc", metrics.denominator, counted)
    squares = tables(votes, truth * counts[:, None], weight)
    squared = np.einsum("mcij,kij->mkc", metrics.denominator, squares)
    share = np.divide(whole, squared, out=np.ones_like(whole), where=squared > 0)
    bottom = whole * share  # Kish's number of items; `whole` itself where all count the same
    total = whole.sum(axis=2)
    before *= np.divide(total, bottom.sum(axis=2), out=np.ones_like(total), where=total > 0)
    least = np.maximum(_share_with_gold(votes, weight), 1 / MOST_GAIN)
    effective, added = np.zeros_like(scores), np.zeros_like(scores)
    for m, kind in enumerate(metrics.kinds):
        theta = np.nan_to_num(scores[m])
        if metrics.positive is not None or not kind.by_label:
            slope, size = np.ones_like(theta), np.maximum(bottom[m, :, 0], 1.0)
            if kind.of_union and metrics.positive is not None:
                # F1 = 2 TP / (P + S), and of the P + S those that are both count twice.
                size = np.maximum(bottom[m, :, 0] * (1 - theta / 2), 1.0)
                slope = 2 / (2 - theta) ** 2
            unit = size**-2.0
            variance_before, gained = before[m] * slope**2, after[m] * slope**2
        else:
            each = bottom[m] / 2 if kind.of_union else bottom[m]
            size, unit = _of_mean(theta, before[m], each, calls=kind.of_calls)
            variance_before, gained = before[m], after[m]
        effective[m] = size / np.maximum((gained + unit) / (variance_before + unit), least)
        added[m] = unit
    return Sizes(
        effective=effective,
        added=added,
        labelled=tables(votes, truth / counts[:, None], weight)
        .sum(axis=(1, 2))
        .round()
        .astype(np.int64),
        interval=BY_GOLD,
    )


def _share_with_gold(votes: Votes, weight: Floats) -> Floats:
    """Share of the items of each classifier that have gold."""
    often, has_gold = weight[votes.row], (votes.gold >= 0)[votes.row]
    with_gold, items = (
        np.bincount(votes.classifier, part, minlength=len(votes.classifiers))
        for part in (often * has_gold, often)
    )
    return np.divide(with_gold, items, out=np.ones_like(items), where=items > 0)


def _of_mean(
    theta: Floats, variance: Floats, each: Floats, *, calls: bool
) -> tuple[Floats, Floats]:
    """Items that a mean over labels is worth, and its unit; `each` is (classifiers, labels)."""
    # A label that is never true is left out; one that is never given counts, as one item.
    there = np.ones_like(each) if calls else (each > 0).astype(np.float64)
    share = there / np.maximum(there.sum(axis=1, keepdims=True), 1)
    weight = share / np.maximum(each, 1)
    unit = np.maximum((weight**2).sum(axis=1), 1e-12)
    step = weight.sum(axis=1)
    middle = (theta + step) / (1 + 2 * step)
    size = np.minimum(middle * (1 - middle) / (variance + unit), each.sum(axis=1))
    return np.maximum(size, 1.0), unit

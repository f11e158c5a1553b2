"""Models of the true labels: equal votes, one coin, Dawid-Skene, easy and hard items."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from headcount.blind_evaluation.dawid_skene import Climbing, Model, climb
from headcount.blind_evaluation.scoring import crowd_tables
from headcount.blind_evaluation.votes import (
    Blocks,
    LogLinear,
    TruthOf,
    Votes,
    counted,
    softmax,
    winners,
)
from headcount.stats.intervals import share_interval
from headcount.typing import Floats

__all__ = [
    "Scores",
    "strength",
    "shrunk",
    "one_coin",
    "easy_hard",
    "Mixture",
    "mixture",
    "weighted_shares",
    "confusion_intervals",
]


# Passes over the votes until the truth stays as it is.

Scores = Callable[[Floats, Floats], tuple[Floats, Floats]]
"""From how common classes are, (classes,) items, and expected votes, (classifiers, labels,
classes), to the logarithms of the same as probabilities."""

STEADY = 1e-4
"""Largest change of a probability at which the truth is taken to stay."""
MOST_PASSES, FEWEST_PASSES, MOST_VISITS = 300, 30, 5 * 10**7
"""Passes at most: fewer where votes are many, whose labels settle long before their last digits.
With 1,000,000 votes 50 in place of 216 moves the share of right labels by .0001."""


def until_steady(blocks: Blocks, first: TruthOf, scores: Scores) -> LogLinear:
    """Go over the votes from a first truth, (rows, classes), until it changes no more.

    Votes count as `group_weight` says. Returns the model of the last pass. O(votes x classes) a
    pass.
    """
    held: list[Floats] = []
    prior, count, visits = 0.0, 0.0, 0
    for votes, weight in blocks:
        truth, visits = first(votes), visits + len(votes.label)
        prior, count = prior + weight @ truth, count + counted(votes, weight, truth)
        held.append(truth)
    vote_weight = blocks.group_weight[:, None, None]
    model = LogLinear(np.zeros(0), np.zeros((0, 0, 0)))
    for _ in range(min(MOST_PASSES, max(FEWEST_PASSES, MOST_VISITS // visits))):
        log_prior, score = scores(np.asarray(prior), np.asarray(count))
        score = np.ascontiguousarray(score * vote_weight)
        model = LogLinear(log_prior, score)
        prior, count, change = 0.0, 0.0, 0.0
        for k, (v, weight) in enumerate(blocks):
            truth = model(v)
            change = max(change, float(np.abs(truth - held[k]).max()))
            held[k] = truth
            prior, count = prior + weight @ truth, count + counted(v, weight, truth)
        if change < STEADY:
            break
    return model


# What the crowd is like: how far the accuracies of classifiers differ.

STRENGTHS = 2.0 ** np.arange(11)
"""Labels' worth of knowledge of the crowd that are tried."""


def strength(hits: Floats, number: Floats, weight: Floats | float = 1.0) -> tuple[float, float]:
    r"""How many labels' worth of knowledge the crowd gives of one classifier, and its accuracy.

    If accuracies have the distribution :math:`\mathrm{Beta}(k \mu, k (1 - \mu))`, a classifier
    with h hits in n labels has an accuracy of :math:`(h + k \mu) / (n + k)`, a posterior mean.
    :math:`\mu` is the share of hits in all labels, and k the power of 2, from 1 to 1,024, with the
    highest beta-binomial likelihood: high where all are alike.

    Parameters
    ----------
    hits, number : (classifiers,) arrays
        Labels that are right, which may be expected numbers, and labels.
    weight : (classifiers,) array, optional
        How much each counts: a copy is no other classifier.

    Returns
    -------
    k, mu : float

    Examples
    --------
    Two of two labels are right; others are right in .6 to .9 of theirs.

    >>> k, mu = strength(np.array([60.0, 75, 80, 90, 2]), np.array([100.0, 100, 100, 100, 2]))
    >>> k, round(mu, 2), round((2 + k * mu) / (2 + k), 2)
    (16.0, 0.76, 0.79)
    """
    likelihood, mu = _by_strength(hits, number, weight)
    return float(STRENGTHS[int(np.argmax(likelihood))]), mu


def _by_strength(
    hits: Floats, number: Floats, weight: Floats | float = 1.0
) -> tuple[Floats, float]:
    """Log-likelihood of every strength, and the accuracy of the crowd."""
    from scipy import special  # pyright: ignore[reportMissingTypeStubs]

    log_beta: Any = special.betaln  # pyright: ignore[reportUnknownMemberType]
    # A crowd that makes no error, or nothing else, still may.
    mu = float((np.sum(weight * hits) + 0.5) / (np.sum(weight * number) + 1))
    k = STRENGTHS[:, None]
    likelihood = log_beta(hits + k * mu, number - hits + k * (1 - mu)) - log_beta(
        k * mu, k * (1 - mu)
    )
    return (weight * likelihood).sum(axis=1), mu


def shrunk(tables: Floats, decided: Floats) -> Floats:
    """Tables of truth and label, (classifiers, labels, labels), with that of the crowd added.

    As many labels' worth k of the table of all classifiers are added as `decided` says, the same
    tables if the likeliest label of every item is true. Expected hits would do, were they not drawn
    towards each other by the model that they come from: of 200 simulated workers with 3 labels an
    item, 85% of the intervals held by these, and 96% by hits that are decided.

    1 / k is its mean over all strengths that are tried, by their likelihood (see :func:`strength`).
    Of many workers that is the likeliest; three classifiers do not tell how much alike they are,
    and with the likeliest k, often 1,024, 72 to 78% of the intervals of their confusions held, in
    place of 90% (40 data sets of 200 items).

    Examples
    --------
    >>> good, bad = np.array([[45.0, 5], [5, 45]]), np.array([[30.0, 20], [20, 30]])
    >>> three = np.stack([good, bad, np.diag([2.0, 1])])
    >>> shrunk(three, three)[2].round(1)
    array([[3.6, 0.5],
           [0.5, 2.5]])
    """
    likelihood, _ = _by_strength(np.einsum("kii->k", decided), decided.sum(axis=(1, 2)))
    share = np.exp(likelihood - likelihood.max())
    k = share.sum() / (share @ (1 / STRENGTHS))
    pooled = tables.sum(axis=0)
    return tables + k * pooled / pooled.sum()


# One coin: a classifier is right as often whatever the label; few labels tell little of it.


def one_coin(blocks: Blocks, start: TruthOf, *, alike: bool = False) -> LogLinear:
    r"""Probability of each label if every classifier has one accuracy: (rows, labels).

    Classifier j gives the true label with probability :math:`a_j`, and else label l where c is
    true with the share :math:`e_{cl}` of all classifiers' errors there, one added to each. EM
    with :math:`a_j = (h_j + k \mu) / (n_j + k)` for :math:`h_j` expected hits in :math:`n_j`
    labels, those known from before included; k and :math:`\mu` as the crowd has them
    (:func:`headcount.blind_evaluation.truth_models.strength`), found anew in every pass. All
    labels are as likely beforehand: with shares that are fitted too, one label takes over where
    classifiers lean to it (bluebirds: .58 of the items right, in place of .72).

    Parameters
    ----------
    blocks : Blocks
    start : callable
        Where to start in a block, such as shares of votes.
    alike : bool
        All classifiers have the accuracy of the crowd, so that the majority is the likeliest.

    Notes
    -----
    O(votes x labels) a pass.

    Examples
    --------
    Where two of five are right more often, the votes of all five are not worth the same.

    >>> from headcount import Labels
    >>> from headcount.blind_evaluation.votes import vote_shares
    >>> from headcount.blind_evaluation.votes import collect
    >>> said = ["nynynynynn", "nynynynynn", "nyyynnnyyy", "yynnnyyyny", "nnnyyynynn"]
    >>> cells = [(i, k, row[i]) for k, row in enumerate(said) for i in range(10)]
    >>> votes = collect(Labels.from_triples(*zip(*cells)))
    >>> truth_of = one_coin(Blocks.of(votes, votes.multiplicity.astype(float)), vote_shares)
    >>> truth_of(votes)[votes.row_of].argmax(axis=1)
    array([0, 1, 0, 1, 0, 1, 0, 1, 0, 0])
    """
    size, prior_counts = blocks.n_labels, blocks.known
    own = np.arange(size)
    number = (
        np.zeros(blocks.n_classifiers) if prior_counts is None else prior_counts.sum(axis=(1, 2))
    )
    for votes, weight in blocks:
        number += np.bincount(votes.classifier, weight[votes.row], minlength=len(number))

    def scores(_: Floats, count: Floats) -> tuple[Floats, Floats]:
        if prior_counts is not None:
            count = count + prior_counts
        hits = count[:, own, own].sum(axis=1)
        k, mu = strength(hits, number, blocks.one_vote)
        own_part = np.full(len(hits), mu) if alike else (hits + k * mu) / (number + k)
        right = np.clip(own_part, 1e-9, 1 - 1e-9)
        errors = count.sum(axis=0) + 1
        errors[own, own] = 0
        errors /= errors.sum(axis=0)
        table = (1 - right)[:, None, None] * errors
        table[:, own, own] = right[:, None]
        return np.zeros(size), np.log(table)

    return until_steady(blocks, start, scores)


# Easy and hard items: every label has two kinds of items, which classifiers confuse otherwise.

KINDS = (0.25, 0.75)
"""Quantiles of the share of the top vote around which the two kinds of items start."""
RIGHT, WRONG, KIND = 4.0, 1.0, 0.05
"""Dirichlet priors: of the true label, of another one, of a kind within its label."""


def easy_hard(blocks: Blocks, start: TruthOf) -> LogLinear:
    r"""Probability of each label if every label has easy and hard items: (rows, labels).

    Items have a label and one of two kinds within it, and every classifier a row of confusion for
    each label and kind. Errors that go together because some items are hard for all are then no
    sign of a bad classifier. Fitted by variational Bayes: expected logarithms
    :math:`\psi(n_{jcsl} + \beta_{cl}) - \psi(\sum_l n_{jcsl} + \beta_{cl})` in place of logarithms
    of shares, with :math:`\beta` 4 for the true label and 1 for others, and a Dirichlet(.05) for
    the kinds of a label.

    Parameters
    ----------
    blocks : Blocks
    start : callable
        Shares of votes in a block. An item starts as the kind to whose quantile of the share of
        the top vote (.25 or .75) it is nearer, to a degree.

    Notes
    -----
    O(votes x labels) a pass. Deterministic.

    References
    ----------
    Li, Rubinstein and Cohn (2019), "Exploiting worker correlation for label aggregation in
    crowdsourcing" (EBCC), ICML; two subtypes.
    """
    from scipy import special  # pyright: ignore[reportMissingTypeStubs]

    digamma: Any = special.psi  # pyright: ignore[reportUnknownMemberType]
    size, kinds = blocks.n_labels, len(KINDS)
    of_label = np.repeat(np.eye(size), kinds, axis=1)  # labels x classes
    added = WRONG + (RIGHT - WRONG) * of_label
    if blocks.known is not None:  # of which nobody knows on which kind of items they were given
        added = added + blocks.known @ (of_label / kinds)
    level = _levels(blocks, start)

    def first(votes: Votes) -> Floats:
        share = start(votes)
        near = np.exp(-0.5 * ((level(share.max(axis=1))[:, None] - np.array(KINDS)) * 2) ** 2)
        near /= near.sum(axis=1, keepdims=True)
        return (share[:, :, None] * near[:, None, :]).reshape(len(share), size * kinds)

    def scores(prior: Floats, count: Floats) -> tuple[Floats, Floats]:
        by_kind = prior.reshape(size, kinds)
        total = by_kind.sum(axis=1)
        label = digamma(total + 1) - digamma(total.sum() + size)
        kind = digamma(by_kind + KIND) - digamma(total + kinds * KIND)[:, None]
        table = count + added
        score = digamma(table) - digamma(table.sum(axis=1, keepdims=True))
        return (label[:, None] + kind).ravel(), score

    return replace(until_steady(blocks, first, scores), kinds=kinds)


def _levels(blocks: Blocks, start: TruthOf) -> Callable[[Floats], Floats]:
    """Tell of the share of a top vote which share of items is below it, and half of its equals."""
    values, numbers = np.empty(0), np.empty(0)
    for votes, weight in blocks:
        values, at = np.unique(
            np.concatenate([values, start(votes).max(axis=1)]), return_inverse=True
        )
        numbers = np.bincount(at, np.concatenate([numbers, weight]), len(values))
    upto = np.cumsum(numbers)
    level = (upto - numbers / 2) / upto[-1]
    return lambda value: level[np.searchsorted(values, value)]


# The consensus: the mean of four models, which fail on different crowds.


@dataclass(frozen=True, eq=False)
class Mixture:
    """The mean of what some models say, to a power: below 1 it is less sure of itself.

    Parameters
    ----------
    parts : tuple of LogLinear
    power : float
    weights : tuple of float
        How much each part counts; all the same if there are none.
    """

    parts: tuple[LogLinear, ...]
    power: float = 1.0
    weights: tuple[float, ...] = ()

    def __call__(self, votes: Votes) -> Floats:
        """Probability of each label in each row: (rows, labels)."""
        return self._mean(part(votes) for part in self.parts)

    def without_each(self, votes: Votes) -> Floats:
        """Probability of each label by the other votes of its item, for each vote."""
        return self._mean(part.without_each(votes) for part in self.parts)

    def _mean(self, truths: Iterable[Floats]) -> Floats:
        weights = self.weights or (1.0,) * len(self.parts)
        weighted = (w * truth for w, truth in zip(weights, truths, strict=True))
        return tempered(sum(weighted, start=np.zeros(1)) / sum(weights), self.power)


def tempered(truth: Floats, power: float) -> Floats:
    """Take probabilities to a power, and let each row sum to 1 again."""
    return truth if power == 1 else softmax(power * np.log(np.maximum(truth, 1e-300)))


CLOSE_GAIN = 1e-5
"""Gain of log-likelihood an item below which steps change no label."""
FEW, FEW_EQUAL, EQUAL = 10, 3.0, 0.5
"""Classifiers of a crowd, and the weight of equal votes in the average: of few judges a family may
be the truth of every other model."""


def mixture(blocks: Blocks, name: str, climbing: Climbing) -> Mixture:
    """Fit a model (equal, coin, errors, kinds), or the average of all: that is the consensus.

    Dawid and Skene's has too many parameters for workers with few labels, one coin too few for
    those who lean to a label, easy and hard items hurt where such workers are many, and equal
    votes keep the average near the majority where the others fail (docs/studies/blind.md).
    """
    shares = weighted_shares(blocks)
    equal = replace(blocks, group_weight=blocks.one_vote)
    climbing = replace(climbing, tolerance=max(climbing.tolerance, CLOSE_GAIN * _items(blocks)))
    ways: dict[str, Callable[[], LogLinear]] = {
        "equal": lambda: one_coin(equal, weighted_shares(equal), alike=True),
        "coin": lambda: one_coin(blocks, shares),
        "errors": lambda: _dawid_skene(blocks, climbing),
        "kinds": lambda: easy_hard(blocks, shares),
    }
    if name in ways:
        return Mixture((ways[name](),))
    weight = FEW_EQUAL if 4 <= blocks.n_classifiers < FEW else EQUAL
    return Mixture(tuple(way() for way in ways.values()), weights=(weight, 1.0, 1.0, 1.0))


def _items(blocks: Blocks) -> float:
    return sum(float(weight.sum()) for _, weight in blocks)


def _dawid_skene(blocks: Blocks, climbing: Climbing) -> LogLinear:
    model = Model(blocks, np.ascontiguousarray(blocks.group_weight), climbing.smoothing)
    return LogLinear(*model.scores(climb(model, climbing).at))


def weighted_shares(blocks: Blocks) -> TruthOf:
    """Share of the votes that each label has, each vote for what it is worth: (rows, labels)."""

    def shares(votes: Votes) -> Floats:
        counts = votes.counts(blocks.group_weight)
        return counts / counts.sum(axis=1, keepdims=True)

    return shares


# How each classifier confuses labels, given what a model takes for the truth.


def confusion_intervals(blocks: Blocks, truth_of: TruthOf, level: float) -> Floats:
    r"""Probability of what a classifier gives (column) where a label is true (row).

    The table of each classifier has that of the crowd added
    (:func:`headcount.blind_evaluation.truth_models.shrunk`); a row of R labels has the cells
    :math:`\theta`, whose variance is about :math:`\theta (1 - \theta) / (R + 1)` and what the truth
    of the items adds, which is known up to probabilities. Beta intervals. O(votes x labels).

    Returns
    -------
    (3, classifiers, labels, labels) array
        Values, and lower and upper ends.
    """
    decided = crowd_tables(blocks, lambda votes: winners(truth_of(votes)))
    table = shrunk(crowd_tables(blocks, truth_of), decided)
    total = table.sum(axis=2, keepdims=True)
    value = np.divide(table, total, out=np.full_like(table, 1 / blocks.n_labels), where=total > 0)
    unsure = crowd_tables(blocks, lambda votes: truth_of(votes) * (1 - truth_of(votes)))
    every = unsure.sum(axis=2, keepdims=True)
    # Of the unsure labels those that are the cell's are 1 - theta from it, the others theta.
    from_truth = (unsure * (1 - value) ** 2 + (every - unsure) * value**2) / total**2
    # A cell of none or all may still be otherwise, by half a label.
    middle = (value * total + 0.5) / (total + 1)
    spread = middle * (1 - middle)
    effective = np.maximum(spread / (spread / (total + 1) + from_truth) - 1, 0.5)
    low, high = share_interval(value, effective, level)
    return np.stack([value, low, high])

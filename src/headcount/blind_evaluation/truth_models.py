"""Consensus: models of the true labels, and the labels of items that a model finds."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np

from headcount.blind_evaluation.scoring import CrowdScored, Method, Scored, crowd_tables
from headcount.blind_evaluation.votes import Blocks, Crowd, TruthOf, Votes, winners
from headcount.data.labels import Labels
from headcount.errors import DataError, OptionError, option
from headcount.results.result import to_frame
from headcount.stats.intervals import share_interval
from headcount.typing import Codes, Floats, Ids

__all__ = [
    "Scores",
    "counted",
    "strength",
    "shrunk",
    "one_coin",
    "easy_hard",
    "confusion_intervals",
    "ItemLabels",
    "UNSURE",
    "label_items",
    "no_labels",
    "label_crowd",
]


# Passes over the votes until the truth stays as it is.

Scores = Callable[[Floats, Floats], tuple[Floats, Floats]]
"""From how common classes are, (classes,) items, and expected votes, (classifiers, labels,
classes), to the logarithms of the same as probabilities."""

STEADY = 1e-4
"""Largest change of a probability at which the truth is taken to stay."""
MOST_PASSES = 300


def until_steady(blocks: Blocks, first: TruthOf, scores: Scores) -> TruthOf:
    """Go over the votes from a first truth, (rows, classes), until it changes no more.

    Every group of classifiers has one vote. Returns the truth of any block: what the last pass
    made of it. O(votes x classes) a pass.
    """
    from headcount.blind_evaluation._kernels import expect

    held: list[Floats] = []
    prior, count = 0.0, 0.0
    for votes, weight in blocks:
        truth = np.array(first(votes), dtype=np.float64, order="C")  # the kernel changes it
        prior, count = prior + weight @ truth, count + counted(votes, weight, truth)
        held.append(truth)
    truth_of, vote_weight = first, blocks.group_weight[:, None, None]
    for _ in range(MOST_PASSES):
        log_prior, score = scores(np.asarray(prior), np.asarray(count))
        score = np.ascontiguousarray(score * vote_weight)
        prior, count, change = np.zeros(len(log_prior)), np.zeros(score.shape), 0.0
        for truth, (v, weight) in zip(held, blocks, strict=True):
            moved = expect(v.start, v.classifier, v.label, weight, log_prior, score, truth, count)
            change = max(change, float(moved))
            prior += weight @ truth
        truth_of = partial(_posterior, log_prior, score)
        if change < STEADY:
            break
    return truth_of


def _posterior(log_prior: Floats, score: Floats, votes: Votes) -> Floats:
    """Probability of each class in each row of a block."""
    from headcount.blind_evaluation._kernels import posterior

    truth = np.empty((len(votes.multiplicity), len(log_prior)))
    posterior(votes.start, votes.classifier, votes.label, log_prior, score, truth)
    return truth


def counted(votes: Votes, weight: Floats, truth: Floats) -> Floats:
    """Count votes by classifier, label and class of the truth: (classifiers, labels, classes)."""
    size, classes = len(votes.labels), truth.shape[1]
    cell = votes.classifier.astype(np.int64) * size + votes.label
    by_vote = (weight[:, None] * truth)[votes.row]
    shape = (len(votes.classifiers) * size, classes)
    out = np.empty(shape)
    for c in range(classes):
        out[:, c] = np.bincount(cell, weights=by_vote[:, c], minlength=shape[0])
    return out.reshape(len(votes.classifiers), size, classes)


# What the crowd is like: how far the accuracies of classifiers differ.

STRENGTHS = 2.0 ** np.arange(11)
"""Labels' worth of knowledge of the crowd that are tried."""


def strength(hits: Floats, number: Floats) -> tuple[float, float]:
    r"""How many labels' worth of knowledge the crowd gives of one classifier, and its accuracy.

    If accuracies have the distribution :math:`\mathrm{Beta}(k \mu, k (1 - \mu))`, a classifier
    with h hits in n labels has an accuracy of :math:`(h + k \mu) / (n + k)`, a posterior mean.
    :math:`\mu` is the share of hits in all labels, and k the power of 2, from 1 to 1,024, with the
    highest beta-binomial likelihood: high where all are alike.

    Parameters
    ----------
    hits, number : (classifiers,) arrays
        Labels that are right, which may be expected numbers, and labels.

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
    likelihood, mu = _by_strength(hits, number)
    return float(STRENGTHS[int(np.argmax(likelihood))]), mu


def _by_strength(hits: Floats, number: Floats) -> tuple[Floats, float]:
    """Log-likelihood of every strength, and the accuracy of the crowd."""
    from scipy import special  # pyright: ignore[reportMissingTypeStubs]

    log_beta: Any = special.betaln  # pyright: ignore[reportUnknownMemberType]
    # A crowd that makes no error, or nothing else, still may.
    mu = float((hits.sum() + 0.5) / (number.sum() + 1))
    k = STRENGTHS[:, None]
    likelihood = log_beta(hits + k * mu, number - hits + k * (1 - mu)) - log_beta(
        k * mu, k * (1 - mu)
    )
    return likelihood.sum(axis=1), mu


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


def one_coin(blocks: Blocks, start: TruthOf) -> TruthOf:
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

    Returns
    -------
    callable
        The truth of any block.

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
        k, mu = strength(hits, number)
        right = np.clip((hits + k * mu) / (number + k), 1e-9, 1 - 1e-9)
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


def easy_hard(blocks: Blocks, start: TruthOf) -> TruthOf:
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

    truth_of = until_steady(blocks, first, scores)
    return lambda votes: truth_of(votes).reshape(-1, size, kinds).sum(axis=2)


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


# The labels of items that a model finds, to be used or to be written.


@dataclass(frozen=True, eq=False, kw_only=True)
class ItemLabels:
    """The label of each item with votes, by one model.

    Parameters
    ----------
    items : array
        None where items with the same votes were put together before they came here.
    label : (items,) array of str
        The likeliest; the first of those that tie.
    probability : (items, labels) array
        Of each label; right only if what the model assumes is so.
    votes : (items,) array of int
        Labels that classifiers gave to the item.
    labels : tuple of str
    model, words : str
        The method that found them, and what it assumes.
    backend : str or None
        The kind of frame that the votes came from.
    times : (items,) array of int or None
        How many items each stands for, where they were put together.
    """

    items: Ids
    label: Ids
    probability: Floats
    votes: Codes
    labels: tuple[str, ...]
    model: str
    words: str
    backend: str | None = None
    times: Codes | None = None

    def __len__(self) -> int:
        return len(self.items) if self.times is None else int(self.times.sum())

    def columns(self) -> dict[str, list[Any]]:
        """Return one row an item: item, label, probability of each label, votes, model.

        Probabilities have six digits: further ones differ between machines.

        Raises
        ------
        DataError
            If items were put together, so that they have no names.
        """
        if self.times is not None:
            raise DataError(
                "the labels of single items need votes one by one, and these were counted where "
                f"they are. Allow memory for all of them ({option('memory', ...)})."
            )
        return label_columns(
            self.items.tolist(), self.labels, self.probability, self.votes, self.model
        )

    def to_frame(self, backend: str | None = None) -> Any:
        """Return the rows as a data frame: pandas, polars or pyarrow."""
        return to_frame(self.columns(), backend or self.backend)

    def to_dict(self) -> dict[str, Any]:
        """Return the JSON form, a summary; items have a file of their own."""
        times = np.ones(len(self.items)) if self.times is None else self.times.astype(np.float64)
        return label_summary(
            self.model, self.words, self.labels, label_sums(self.probability, times)
        )


def label_columns(
    items: list[Any], labels: Sequence[str], probability: Floats, votes: Codes, model: str
) -> dict[str, list[Any]]:
    """Make one row an item: item, label (the first of those that tie), probabilities, votes."""
    names = np.array(labels, dtype=object)
    rounded = _six_digits(probability)
    return {
        "item": items,
        "label": names[probability.argmax(axis=1)].tolist(),
        **{f"probability:{label}": rounded[:, code].tolist() for code, label in enumerate(labels)},
        "votes": votes.tolist(),
        "model": [model] * len(items),
    }


def label_sums(probability: Floats, times: Floats) -> Floats:
    """Sum over items: how many, how sure, how many unsure, and how often each label comes out."""
    best = probability.max(axis=1)
    sums = [times.sum(), times @ best, times @ (best < UNSURE)]
    return np.concatenate([sums, times @ winners(probability)])


def label_summary(model: str, words: str, labels: Sequence[str], sums: Floats) -> dict[str, Any]:
    """Write what the labels of items are like, for the JSON document."""
    items = float(sums[0])
    return {
        "model": model,
        "assumes": words,
        "items": round(items),
        "shares": dict(zip(labels, (sums[3:] / items).tolist(), strict=True)),
        "mean_probability": float(sums[1] / items),
        "unsure": round(float(sums[2])),
    }


def _six_digits(probability: Floats) -> Floats:
    """Round to six digits, however small: none becomes 0."""
    size = np.floor(np.log10(np.maximum(probability, 1e-16)))
    scale = 10.0 ** (5 - size)
    return np.where(probability > 1e-16, np.round(probability * scale) / scale, probability)


UNSURE = 0.8
"""Probability of the likeliest label below which an item counts as unsure."""


def label_items(method: Method, scored: Scored, labels: Labels, votes: Votes) -> ItemLabels:
    """Make the labels of items of what a method takes for the truth."""
    if scored.truth is None or method.direct:
        raise no_labels(method, scored.undefined)
    voted = np.flatnonzero(votes.row_of >= 0)
    row = votes.row_of[voted]
    truth = scored.truth[row]
    return ItemLabels(
        items=labels.items[voted],
        label=np.array(votes.labels, dtype=object)[truth.argmax(axis=1)],
        probability=truth,
        votes=np.diff(votes.start)[row],
        labels=votes.labels,
        model=method.name,
        words=method.words,
        backend=labels.backend,
        times=None if labels.item_times is None else labels.item_times[voted],
    )


def no_labels(method: Method, why: str | None) -> OptionError:
    """Say that a method finds no labels of items, and why."""
    reason = f" ({why})" if why else ""
    return OptionError(
        f"method '{method.name}' gives no labels of items{reason}. Take another, such as "
        "consensus, em or majority."
    )


def label_crowd(crowd: Crowd, method: Method, scored: CrowdScored) -> ItemLabels:
    """Make the labels of items of what a method takes for the truth. One pass."""
    truth_of = scored.truth
    if truth_of is None:
        raise no_labels(method, scored.undefined)
    truth = np.concatenate([truth_of(votes) for votes, _ in crowd.blocks])
    whole = Scored(scores=scored.scores, draws=scored.scores[None][:0], truth=truth)
    return label_items(method, whole, crowd.about, crowd.votes)

"""Votes: distinct rows of labels that classifiers gave, at once or in blocks, and majorities."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from headcount.data.labels import Labels, Scale
from headcount.data.predictions import Predictions
from headcount.data.vocabulary import MISSING, find_labels, number_of
from headcount.errors import DataError, count, some
from headcount.results.notes import Note
from headcount.stats.arrays import Matrix, group_rows, sparse, sparse_columns
from headcount.stats.draws import folds as keyed_folds
from headcount.typing import Codes, Floats

__all__ = [
    "Votes",
    "collect",
    "as_votes",
    "soft_votes",
    "vote_shares",
    "majority",
    "leave_one_out",
    "leave_group_out",
    "shares_of_others",
    "winners",
    "TruthOf",
    "LogLinear",
    "softmax",
    "softmax_and_total",
    "counted",
    "Blocks",
    "crowd_blocks",
]


Small = NDArray[np.int32]
"""Codes of votes, which are many: half the memory."""

LARGEST = 62
"""Bits of the digits that are put together to sort rows."""


@dataclass(frozen=True, eq=False)
class Votes:
    """What classifiers said, with items that got the same votes put together.

    All estimates depend on items only through their votes (and gold label), so an item is a row
    of votes with a multiplicity: 10 classifiers with 2 labels have at most 1,024 rows, however
    many the items. A row is a slice of `classifier` and `label`, so that few votes an item cost
    little however many the classifiers.

    Parameters
    ----------
    classifiers, labels : tuple of str
        Vocabularies.
    start : (rows + 1,) array of int
        The votes of row r are those from ``start[r]`` to ``start[r + 1]``.
    classifier, label : (votes,) arrays of int
        Who voted, and for what.
    multiplicity : (rows,) array of int
        Items with these votes.
    gold : (rows,) array of int
        Their gold label; -1 where it is unknown.
    fold : (rows,) array of int
        Part of the gold items that they belong to, for cross-fitting; -1 without gold.
    group : (classifiers,) array of int
        Group of each classifier; each its own where no groups are known.
    groups : tuple of str
        Names of the groups; empty where no groups are known.
    one_vote : (classifiers,) array
        Weight of each classifier's vote that counts copies as one, and all others alike.
    row_of : (items,) array of int
        Row of each item, as the labels had them; -1 for items without votes.
    drawn : (rows,) array or None
        How much an item with gold counts: the inverse of the probability with which it was drawn,
        1 on average over these. None where all count the same.
    known : (classifiers, given labels, true labels) array or None
        Labels that classifiers are known to have given before, which models add to the votes.
    soft : (votes, labels) array or None
        Probability that a vote gives to each label, where classifiers gave probabilities; shares
        of votes, and what is learned from gold, go by these.
    copied : bool
        Whether groups are copies that were found, and not given.
    worth : (classifiers,) array or None
        What each vote counts for in models of the truth, where families were found or given.
    """

    classifiers: tuple[str, ...]
    labels: tuple[str, ...]
    start: Codes
    classifier: Small
    label: Small
    multiplicity: Codes
    gold: Codes
    fold: Codes
    group: Codes
    groups: tuple[str, ...]
    one_vote: Floats
    row_of: Codes
    drawn: Floats | None = None
    known: Floats | None = None
    soft: Floats | None = None
    copied: bool = False
    worth: Floats | None = None

    @property
    def gold_weight(self) -> Floats:
        """How much an item with gold counts, 1 on average: (rows,)."""
        return np.ones(len(self.multiplicity)) if self.drawn is None else self.drawn

    @property
    def row(self) -> Codes:
        """Row of each vote."""
        return np.repeat(np.arange(len(self.multiplicity)), np.diff(self.start))

    @property
    def items(self) -> int:
        """Number of items with votes."""
        return int(self.multiplicity.sum())

    @property
    def group_weight(self) -> Floats:
        """Weight of each classifier's vote that gives every group the same: 1 / group size."""
        return 1 / np.bincount(self.group)[self.group]

    @cached_property
    def labelled(self) -> Codes:
        """Number of labels that each classifier gave."""
        number = np.bincount(
            self.classifier, self.multiplicity[self.row], minlength=len(self.classifiers)
        )
        return number.round().astype(np.int64)

    @cached_property
    def said(self) -> Matrix:
        """Whether each classifier voted for each label: sparse (classifiers * labels, rows)."""
        size = len(self.labels)
        shape = (len(self.classifiers) * size, len(self.multiplicity))
        cell = self.classifier * size + self.label
        return sparse_columns(np.ones(len(cell)), cell, self.start, shape)

    @cached_property
    def said_of(self) -> Matrix:
        """The same by row: sparse (rows, classifiers * labels)."""
        return self.said.T

    def counts(self, weight: Floats | None = None) -> Floats:
        """Votes for each label, (rows, labels); `weight` is that of each classifier.

        A vote that is made of probabilities counts in part for each label.
        """
        if self.soft is not None:
            value = self.soft if weight is None else self.soft * weight[self.classifier, None]
            return np.add.reduceat(value, self.start[:-1], axis=0)
        key = self.row * len(self.labels) + self.label
        cells = len(self.multiplicity) * len(self.labels)
        value = None if weight is None else weight[self.classifier]
        table = np.bincount(key, weights=value, minlength=cells).astype(np.float64)
        return table.reshape(-1, len(self.labels))

    def label_counts(self, weight: Floats | None = None) -> Floats:
        """Votes whose label is each, (rows, labels): whole ones, of probabilities the likeliest."""
        return (self if self.soft is None else replace(self, soft=None)).counts(weight)

    def indicator(self, label: int) -> Matrix:
        """Whether each classifier voted for a label: a sparse (rows, classifiers) matrix."""
        mine = np.flatnonzero(self.label == label)
        shape = (len(self.multiplicity), len(self.classifiers))
        return sparse(np.ones(len(mine)), self.row[mine], self.classifier[mine], shape)


def collect(
    labels: Labels,
    *,
    gold: Mapping[Any, str] | None = None,
    groups: Mapping[str, str] | None = None,
    drawn: Mapping[Any, float] | None = None,
    known: Floats | None = None,
    soft: Floats | None = None,
    folds: int = 5,
    seed: int = 0,
) -> Votes:
    """Put items with the same votes together.

    Parameters
    ----------
    labels : Labels
        Who gave which label to what; raters are the classifiers. Items with the same votes may
        have been put together already (`item_times`), if they have no gold.
    gold : mapping of item to label, optional
        Items with different gold labels, or in different folds, are kept apart.
    groups : mapping of classifier to group, optional
    drawn : mapping of item to float, optional
        Probability with which each item with gold was drawn; items that differ are kept apart.
    known : (classifiers, given labels, true labels) array, optional
        Labels that classifiers gave before.
    soft : (classifiers, items, labels) array, optional
        Probabilities behind the labels; items that differ in these are kept apart.
    folds : int
        Parts into which items with gold are dealt, by a key of the item and the seed.
    seed : int
        For the folds.

    Notes
    -----
    Rows are in lexicographic order, whatever order items came in. O(votes + items log items).

    Examples
    --------
    >>> labels = Labels.from_triples([1, 1, 2, 2, 3], list("ababa"), [0, 1, 0, 1, 1])
    >>> collect(labels).multiplicity
    array([2, 1])
    """
    names = tuple(str(name) for name in labels.raters)
    size = len(labels.scale)
    gold_code, fold = _gold(labels, gold or {}, folds, seed)
    fold_of, item_weight = fold, None
    if drawn:
        item_weight = _weights(labels, gold_code, drawn)
        _, kind = np.unique(item_weight, return_inverse=True)
        # Folds of items that count for more or less are other folds, as far as rows go.
        fold = np.where(fold < 0, fold, fold + folds * kind)
    if soft is not None:
        columns = np.round(np.nan_to_num(soft, nan=-1.0), 12)
        fold = group_rows([fold, *np.moveaxis(columns, 1, -1).reshape(-1, soft.shape[1])])[1]
    group, group_names = group_codes(names, groups)

    # One key a vote sorts several times faster than three columns.
    key = (labels.item * len(names) + labels.rater) * size + labels.label
    if (key[1:] < key[:-1]).any():
        key.sort()
    item, vote = np.divmod(key, len(names) * size)
    classifier, label = (part.astype(np.int32) for part in np.divmod(vote, size))
    n_votes = np.bincount(item, minlength=len(labels.items))
    voted = np.flatnonzero(n_votes)
    start = np.concatenate([[0], np.cumsum(n_votes[voted])])

    codes = classifier.astype(np.int64) * size + label + 1
    about = (gold_code[voted] + 1) * (int(fold.max(initial=0)) + 2) + fold[voted] + 1
    place = _sorted_places(codes, start[:-1], start[1:], about)
    _, first, row = np.unique(place, return_index=True, return_inverse=True)

    length = np.diff(start)[first]
    kept = np.concatenate([[0], np.cumsum(length)])
    source: Codes = np.arange(int(kept[-1])) + np.repeat(start[first] - kept[:-1], length)
    votes = Votes(
        classifiers=names,
        labels=labels.scale.labels,
        start=kept,
        classifier=classifier[source],
        label=label[source],
        multiplicity=np.bincount(row, labels.times_of_items[voted]).astype(np.int64),
        gold=gold_code[voted][first],
        fold=fold_of[voted][first],
        group=group,
        groups=group_names,
        one_vote=np.ones(len(names)),
        row_of=np.full(len(labels.items), MISSING),
        drawn=None if item_weight is None else item_weight[voted][first],
        known=known,
        soft=None if soft is None else soft[classifier[source], item[source]],
    )
    votes.row_of[voted] = row
    return votes


def _sorted_places(codes: Codes, begin: Codes, end: Codes, key: Codes) -> Codes:
    """Place of each row if all are sorted, by a key and then vote by vote; equal rows share one.

    As many votes as fit are the digits of one number, by which rows are sorted; those that are
    still equal go on to their next votes. O(rows log rows) for all but rows that begin alike.
    """
    base = int(codes.max(initial=0)) + 1
    digits = max(1, int(LARGEST / np.log2(base)))
    place = np.zeros(len(begin), dtype=np.int64)
    left = _refine(place, np.arange(len(begin)), key)
    longest = int((end - begin)[left].max(initial=0))
    for at in range(0, longest, digits):
        key = np.zeros(len(left), dtype=np.int64)
        for vote in (begin[left] + digit for digit in range(at, at + digits)):
            given_label = codes[np.minimum(vote, len(codes) - 1)]
            key = key * base + np.where(vote < end[left], given_label, 0)
        left = left[_refine(place, left, key)]
        if not len(left):
            break
    return place


def _refine(rank: Codes, rows: Codes, key: Codes) -> NDArray[np.intp]:
    """Sort rows that share a place by a key, and return which of them still share one."""
    mine = rank[rows]
    order = np.lexsort((key, mine)) if mine.any() else np.argsort(key, kind="stable")
    mine, key = mine[order], key[order]
    index = np.arange(len(rows))
    is_next = np.append(True, mine[1:] != mine[:-1])
    is_new = is_next | np.append(True, key[1:] != key[:-1])
    group = np.maximum.accumulate(np.where(is_next, index, 0))
    within = np.maximum.accumulate(np.where(is_new, index, 0))
    rank[rows[order]] = mine + within - group
    return order[~(is_new & np.append(is_new[1:], True))]


def _gold(labels: Labels, gold: Mapping[Any, str], folds: int, seed: int) -> tuple[Codes, Codes]:
    """Gold label and fold of each item; -1 where it has none."""
    code = np.full(len(labels.items), MISSING)
    fold = np.full(len(labels.items), MISSING)
    label_code = {label: i for i, label in enumerate(labels.scale.labels)}
    by_text = {str(item): label for item, label in gold.items()}
    for i, item in enumerate(labels.items.tolist() if gold else []):
        # Items that were put together have no name.
        label = None if item is None else by_text.get(str(item))
        if label is not None:
            code[i] = label_code[label]
    has_gold = np.flatnonzero(code >= 0)
    if gold and not len(has_gold):
        raise DataError(
            f"none of the {count(len(gold), 'item')} with gold is among the items of "
            f"{labels.source}. Check that both name items the same way."
        )
    fold[has_gold] = keyed_folds(labels.items[has_gold], folds, seed)
    return code, fold


def _weights(labels: Labels, gold: Codes, drawn: Mapping[Any, float]) -> Floats:
    """Find how much each item with gold counts, 1 on average; 1 elsewhere."""
    by_text = {str(item): value for item, value in drawn.items()}
    has_gold = np.flatnonzero(gold >= 0)
    inverse = np.array([1 / by_text[str(item)] for item in labels.items[has_gold].tolist()])
    out = np.ones(len(gold))
    out[has_gold] = inverse / inverse.mean()
    return out


def group_codes(
    names: tuple[str, ...], groups: Mapping[str, str] | None
) -> tuple[Codes, tuple[str, ...]]:
    """Code of the group of each classifier, and names of groups; each its own without groups."""
    if groups is None:
        return np.arange(len(names)), ()
    # A classifier that is in no group is one of its own.
    own = [groups.get(name, name) for name in names]
    group_names = tuple(dict.fromkeys(own))
    group_code = {name: i for i, name in enumerate(group_names)}
    return np.array([group_code[name] for name in own]), group_names


def as_votes(predictions: Predictions) -> Labels:
    """Take the label that each classifier finds most probable; the first of equals."""
    items: list[Codes] = []
    raters: list[Codes] = []
    labels_given: list[Codes] = []
    ties = 0
    for code, classifier in enumerate(predictions.classifiers):
        rows = np.flatnonzero(classifier.predicted)
        table = classifier.probability[rows]
        ties += int(((table == table.max(axis=1, keepdims=True)).sum(axis=1) > 1).sum())
        items.append(rows)
        raters.append(np.full(len(rows), code))
        labels_given.append(table.argmax(axis=1))
    notes = list(predictions.notes)
    soft = [c.name for c in predictions.classifiers if c.kind == "soft"]
    if soft:
        tied = f" (the first of equals, {count(ties, 'time')})" if ties else ""
        notes.append(
            Note(
                f"Probabilities of {some(soft, 6)}: their likeliest label is scored{tied}; shares "
                "of votes, and what is learned from gold, use the probabilities."
            )
        )
    names = np.empty(len(predictions.classifiers), dtype=object)
    names[:] = [c.name for c in predictions.classifiers]
    return Labels(
        items=predictions.items,
        raters=names,
        scale=Scale(predictions.labels),
        item=np.concatenate(items),
        rater=np.concatenate(raters),
        label=np.concatenate(labels_given),
        source=predictions.source,
        notes=tuple(notes),
        sources=predictions.sources,
        dropped=predictions.dropped,
    )


def soft_votes(
    predictions: Predictions, labels: Labels, at_least: float | None = None
) -> Floats | None:
    """Find the probabilities behind labels: (classifiers, items, labels); None if there are none.

    `labels` are those of :func:`as_votes`, perhaps in another order and with labels that only
    people give; or, cut at a number, with those below it first. Where classifiers may abstain by
    a label, there is no probability of it, and labels count alone.
    """
    if not any(c.kind == "soft" for c in predictions.classifiers):
        return None
    by_name = {c.name: c.probability for c in predictions.classifiers}
    table = np.stack([by_name[str(name)] for name in labels.raters.tolist()])
    if at_least is None:
        code = find_labels(predictions.labels, labels.scale.labels)
    else:
        numbers = [number_of(label) or 0.0 for label in predictions.labels]
        code = (np.array(numbers) >= at_least).astype(np.int64)
    if (code < 0).any():
        return None
    move = np.equal.outer(code, np.arange(len(labels.scale))).astype(np.float64)
    return np.where(np.isnan(table[..., :1]), np.nan, np.nan_to_num(table) @ move)


# What most say is true: the votes of all, or of the others; and shares of votes.


def vote_shares(votes: Votes) -> Floats:
    r"""Share of the votes that each label has: (rows, labels).

    Scores against it are the limit of the paper's sampling method. There every item takes its
    label from a classifier drawn at random, many times; on average it has label c with
    probability :math:`q_{mc}`, the share of votes for c. Accuracy and precision are sums over
    votes with a fixed denominator, so their means are exact. The denominators of recall and
    specificity are drawn too; there the ratio of means differs from the mean by O(1 / items).

    References
    ----------
    Jung and Lease (2012), Section 3.1.2, after Voorhees (2000).
    """
    counts = votes.counts()
    return counts / counts.sum(axis=1, keepdims=True)


def majority(votes: Votes) -> Floats:
    """Label with most votes, ties shared equally: the mean over random tie-breaks. (rows, labels).

    References
    ----------
    Jung and Lease (2012), Equation 1.
    """
    return winners(votes.counts())


def leave_one_out(votes: Votes) -> Floats:
    """Majority of the votes of all others, for each vote: (votes, labels).

    In a majority of all, a classifier votes for itself, and seems better than it is. Zeros where
    nobody else voted.
    """
    return winners(_others(votes, np.arange(len(votes.classifiers)), None))


def leave_group_out(votes: Votes) -> Floats:
    """Majority of the votes of other groups, each group with the same weight: (votes, labels).

    A vote weighs 1 / size of its group. Zeros where no other group voted.
    """
    return winners(_others(votes, votes.group, votes.group_weight))


def shares_of_others(votes: Votes) -> Floats:
    """Share of the votes of other groups that each label has, for each vote: (votes, labels).

    A vote weighs 1 / size of its group. Without groups every classifier is one of its own, and
    the others are all but itself. Zeros where no other group voted.

    Examples
    --------
    >>> from headcount import Labels
    >>> from headcount.blind_evaluation.votes import collect
    >>> labels = Labels.from_triples([1, 1, 1], ["a", "b", "c"], ["no", "no", "yes"])
    >>> shares_of_others(collect(labels))
    array([[0.5, 0.5],
           [0.5, 0.5],
           [1. , 0. ]])
    """
    others = _others(votes, votes.group, votes.group_weight)
    total = others.sum(axis=1, keepdims=True)
    # Of weights such as 1/3, taken away again, rounding may be left.
    return np.divide(others, total, out=np.zeros_like(others), where=total > 1e-9)


def winners(counts: Floats) -> Floats:
    """Share of each label in the truth if the label with most votes is true; zeros without votes.

    Examples
    --------
    >>> winners(np.array([[3.0, 1], [2, 2], [0, 0]]))
    array([[1. , 0. ],
           [0.5, 0.5],
           [0. , 0. ]])
    """
    most = counts.max(axis=1, keepdims=True)
    # Weights such as 1/3 add up to 1 only within rounding.
    best = (counts >= most - 1e-9 * (1 + most)) & (most > 1e-9)
    return best / np.maximum(best.sum(axis=1, keepdims=True), 1)


def _others(votes: Votes, group: Codes, weight: Floats | None) -> Floats:
    """Votes for each label in the row of each vote, without those of its own group."""
    size = len(votes.labels)
    mine = votes.row * len(votes.classifiers) + group[votes.classifier]
    _, own = np.unique(mine, return_inverse=True)
    value = None if weight is None else weight[votes.classifier]
    if votes.soft is None:
        cells = size * (own.max() + 1)
        own_votes = np.bincount(own * size + votes.label, weights=value, minlength=cells)
        own_votes = own_votes.reshape(-1, size)
    else:
        own_votes = np.zeros((int(own.max()) + 1, size))
        np.add.at(own_votes, own, votes.soft if value is None else votes.soft * value[:, None])
    others = votes.counts(weight)[votes.row] - own_votes[own]
    return np.maximum(others, 0)


# Votes that are gone over a block at a time: one of them where all fit into memory.

TruthOf = Callable[[Votes], Floats]
"""From a block of votes to the probability of each label in each of its rows."""


IMPOSSIBLE = -1e3
"""Logarithm of a probability of 0, where it is taken away again."""
LEAST_LOG = -1e300


@dataclass(frozen=True, eq=False)
class LogLinear:
    r"""A fitted model: log-probabilities of classes are sums over the votes on an item.

    Parameters
    ----------
    prior : (classes,) array
        Logarithms of how common classes are.
    score : (classifiers, labels, classes) array
        What a vote adds to the logarithm of each class.
    kinds : int
        Classes of each label, which stand side by side.
    """

    prior: Floats
    score: Floats
    kinds: int = 1

    def __call__(self, votes: Votes) -> Floats:
        """Probability of each label in each row: (rows, labels). O(votes x classes)."""
        return self._by_label(softmax(self.log(votes)))

    def without_each(self, votes: Votes) -> Floats:
        """Probability of each label by the other votes of its item, for each vote."""
        score = np.maximum(self.score, IMPOSSIBLE)  # so that it can be taken away
        own = score[votes.classifier, votes.label]
        return self._by_label(softmax(replace(self, score=score).log(votes)[votes.row] - own))

    def log(self, votes: Votes) -> Floats:
        """Logarithm of each class and the votes of each row, together: (rows, classes)."""
        log = votes.said_of @ self.score.reshape(-1, len(self.prior))
        for column, common in zip(log.T, self.prior, strict=True):
            column += common
        return log

    def _by_label(self, truth: Floats) -> Floats:
        if self.kinds == 1:
            return truth
        return sum((truth[:, k :: self.kinds] for k in range(self.kinds)), start=np.zeros(1))


def softmax(log: Floats) -> Floats:
    """Turn rows of logarithms into probabilities; zeros where all are -inf."""
    return softmax_and_total(log)[0]


def softmax_and_total(log: Floats) -> tuple[Floats, Floats]:
    """Turn rows of logarithms into probabilities, and find the logarithm of what each row adds to.

    Classes are few and rows are many: numpy is several times as fast along contiguous columns.
    """
    columns = np.ascontiguousarray(log.T)
    most = np.maximum(columns.max(axis=0), LEAST_LOG)
    np.exp(np.subtract(columns, most, out=columns), out=columns)
    total = columns.sum(axis=0)
    columns /= np.maximum(total, 1e-300)
    with np.errstate(divide="ignore"):
        return np.ascontiguousarray(columns.T), most + np.log(total)


def counted(votes: Votes, weight: Floats, truth: Floats) -> Floats:
    """Count votes by classifier, label and class of the truth: (classifiers, labels, classes)."""
    table = votes.said @ (weight[:, None] * truth)
    return table.reshape(len(votes.classifiers), len(votes.labels), -1)


@dataclass(frozen=True, eq=False, kw_only=True)
class Blocks:
    """Whole items at a time: what sums over items are made of.

    Parameters
    ----------
    pairs : iterable of (Votes, (rows,) array)
        Votes, and how often each of their rows counts. It can be gone over many times.
    n_classifiers, n_labels : int
    group_weight : (classifiers,) array
        Weight of each classifier's vote: what it is worth, or what gives every group the same.
    one_vote : (classifiers,) array
        Weight that counts copies as one, and all others alike.
    known : (classifiers, given labels, true labels) array or None
        Labels that classifiers are known to have given before.
    """

    pairs: Iterable[tuple[Votes, Floats]]
    n_classifiers: int
    n_labels: int
    group_weight: Floats
    one_vote: Floats
    known: Floats | None = None

    @classmethod
    def of(cls, votes: Votes, weight: Floats) -> Blocks:
        """Take all votes as one block."""
        return cls(
            pairs=[(votes, weight)],
            n_classifiers=len(votes.classifiers),
            n_labels=len(votes.labels),
            group_weight=votes.group_weight if votes.worth is None else votes.worth,
            one_vote=votes.one_vote,
            known=votes.known,
        )

    def __iter__(self) -> Iterator[tuple[Votes, Floats]]:
        return iter(self.pairs)


# Votes of a crowd in blocks.

MOST_IN_BLOCK = 2**19
"""Votes of a block with two labels; of more labels fewer, for what is made of a vote has one number
a label. Some hundred megabytes."""


def crowd_blocks(votes: Votes) -> Blocks:
    """Cut votes that are in memory into blocks of whole rows."""
    whole = Blocks.of(votes, votes.multiplicity.astype(np.float64))
    parts = [_rows(votes, low, high) for low, high in _blocks(votes.start, len(votes.labels))]
    return replace(whole, pairs=[(part, part.multiplicity.astype(np.float64)) for part in parts])


def _blocks(start: Codes, n_labels: int) -> Iterator[tuple[int, int]]:
    """First row of each block, and the first after it; a block is one row at least."""
    low, rows = 0, len(start) - 1
    size = max(2 * MOST_IN_BLOCK // max(n_labels, 2), 1)
    while low < rows:
        most = int(start[low]) + size
        high = max(int(np.searchsorted(start, np.int64(most), side="right")) - 1, low + 1)
        yield low, high
        low = high


def _rows(votes: Votes, low: int, high: int) -> Votes:
    """Take some rows."""
    first, last = int(votes.start[low]), int(votes.start[high])
    return replace(
        votes,
        start=votes.start[low : high + 1] - first,
        classifier=votes.classifier[first:last],
        label=votes.label[first:last],
        multiplicity=votes.multiplicity[low:high],
        gold=votes.gold[low:high],
        fold=votes.fold[low:high],
        row_of=np.arange(high - low),
        drawn=None if votes.drawn is None else votes.drawn[low:high],
        soft=None if votes.soft is None else votes.soft[first:last],
    )

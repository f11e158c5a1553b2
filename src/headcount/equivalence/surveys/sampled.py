"""Algorithms 2-3 of the paper as they stand: some sets of raters of each size, drawn at random.

The cross-check of the exact engine, and what is left where the surveys are too many to count.
"""

from __future__ import annotations

from itertools import combinations
from math import comb

import numpy as np
from numpy.typing import NDArray

from headcount.equivalence.combiners.combiners import ABC, Combiner
from headcount.equivalence.prepare import Selection
from headcount.equivalence.scorers.base import Scorer
from headcount.equivalence.surveys.exact import PooledItems, Scores
from headcount.equivalence.surveys.surveys import consensus, log_factorials
from headcount.stats.draws import resample
from headcount.stats.grouping import group_rows
from headcount.typing import Floats, Progress

__all__ = ["Sampled"]

Matrix = NDArray[np.int64]

_BLOCK_PAIRS = 4_000_000


class Sampled:
    """Curves and classifier scores from sampled sets of raters.

    Where all items have the same number of ratings, a set of raters is the same for all items:
    all sets of a size if they are at most `samples`, else so many different ones. Where numbers
    differ there are no columns to choose, and each item's raters are chosen on their own; a
    survey of k always has k labels. A set of raters is scored against all raters who are not in
    it, each item with the same weight, and scores are averaged over sets.

    In bootstrap draws the sets stay the same and `abc` does not learn anew.

    Cost: O(samples x sizes x draws x items), and for `abc` O(samples x items x patterns) a size.
    """

    def __init__(
        self,
        selected: Selection,
        combiner: Combiner,
        scorer: Scorer,
        *,
        samples: int,
        rng: np.random.Generator,
    ) -> None:
        self.selected, self.combiner, self.scorer, self.samples = (
            selected,
            combiner,
            scorer,
            samples,
        )
        self.seed = int(rng.integers(2**63))
        self.pools = selected.pools()
        self.helped = np.zeros(selected.max_k + 1)
        counts = (
            [selected.counts]
            if selected.amateurs is None
            else [
                selected.counts,
                selected.amateurs,
            ]
        )
        self.ratings = [_laid_out(matrix, rng) for matrix in counts]
        self.bound = [
            scorer.bind(c.probability, selected.reference, c.kind) for c in selected.classifiers
        ]

    def observed(self) -> Scores:
        """Score the data themselves."""
        return self._scores(np.ones((1, len(self.selected.counts))), None)

    def bootstrap(self, draws: int, rng: np.random.Generator, progress: Progress | None) -> Scores:
        """Score `draws` resamples of the items."""
        n = len(self.selected.counts)
        blocks = list(resample(np.ones(n, dtype=np.int64), draws, rng, block=max(draws, 1)))
        weight = blocks[0] if blocks else np.empty((0, n))
        return self._scores(weight, progress)

    def _scores(self, weight: Floats, progress: Progress | None) -> Scores:
        sizes = sum(pool.max_k + 1 for pool in self.pools)
        curves: list[Floats] = []
        done = 0
        for pool, ratings in zip(self.pools, self.ratings, strict=True):
            curve = np.zeros((len(weight), pool.max_k + 1))
            surveys = _Asked(pool, ratings, self.combiner, self.samples, self.seed)
            for k in range(pool.max_k + 1):
                prediction, reference, group, short = surveys.ask(k)
                for p, r, g in zip(prediction, reference, group, strict=True):
                    if len(weight):
                        scored = self.scorer.bind(p, r, self.combiner.kind, g)
                        curve[:, k] += scored(weight) / len(prediction)
                if pool is self.pools[0]:
                    self.helped[k] = short
                done += 1
                if progress is not None and len(weight):
                    progress(done, sizes)
            curves.append(curve)
        scores = np.empty((len(weight), len(self.bound)))
        for c, scored in enumerate(self.bound):
            scores[:, c] = scored(weight) if len(weight) else 0.0
        patterns = np.zeros((len(weight), len(self.pools[0].pool.patterns)))
        np.add.at(patterns.T, self.pools[0].pattern, weight.T)
        return Scores(curves, scores, patterns)


class _Asked:
    """Surveys of growing size from one pool: who is asked, what is predicted."""

    def __init__(
        self,
        pool: PooledItems,
        ratings: Matrix,
        combiner: Combiner,
        samples: int,
        seed: int,
    ) -> None:
        self.pool, self.ratings, self.combiner, self.samples = pool, ratings, combiner, samples
        self.rng = np.random.default_rng(seed)
        self.labels = pool.pool.patterns.shape[1]
        n, width = ratings.shape
        self.rectangular = bool((ratings >= 0).all())
        if self.rectangular:
            orders = np.array([self.rng.permutation(width) for _ in range(samples)])
            self.orders = np.broadcast_to(orders[:, None, :], (samples, n, width))
        else:
            keys = self.rng.random((samples, n, width))
            keys[:, ratings < 0] = 2.0  # blanks last
            self.orders = np.argsort(keys, axis=-1)
        self.previous: Floats | None = None

    def ask(self, k: int) -> tuple[Floats, Floats, NDArray[np.intp], float]:
        """Predictions, references and what was observed, by set and item; and lack of support."""
        n, width = self.ratings.shape
        sets = comb(width, k)
        every = self.rectangular and sets <= self.samples
        if every:
            columns = np.array(list(combinations(range(width), k)), dtype=np.intp).reshape(sets, k)
            chosen = np.broadcast_to(columns[:, None, :], (sets, n, k))
        else:
            chosen = self.orders[..., :k]
        asked = np.take_along_axis(
            np.broadcast_to(self.ratings, (len(chosen), n, width)), chosen, axis=-1
        )
        observed = _count(asked, self.labels)
        reference = self._reference(observed)
        group = group_rows(observed.reshape(-1, self.labels).T)[1].reshape(observed.shape[:2])
        if not isinstance(self.combiner, ABC):
            flat = observed.reshape(-1, self.labels)
            return self.combiner.predict(flat).reshape(observed.shape), reference, group, 0.0
        prediction, short = self._abc(asked, None if every else self.previous)
        if not every:
            self.previous = prediction
        elif not self.rectangular or comb(width, k + 1) > self.samples:
            # The next size follows the orders: what they predicted at this size is needed.
            prefix = np.take_along_axis(
                np.broadcast_to(self.ratings, (self.samples, n, width)),
                self.orders[..., :k],
                axis=-1,
            )
            self.previous, _ = self._abc(prefix, None)
        return prediction, reference, group, float(short.mean())

    def _reference(self, observed: Matrix) -> Floats:
        pool = self.pool.pool
        if not isinstance(pool.reference, int):
            return np.broadcast_to(pool.reference[self.pool.pattern], observed.shape)
        left = (pool.patterns[self.pool.pattern] - observed).reshape(-1, self.labels)
        first, group = group_rows(left.T)
        return consensus(left[first], pool.reference)[group].reshape(observed.shape)

    def _abc(self, asked: Matrix, previous: Floats | None) -> tuple[Floats, NDArray[np.bool_]]:
        sets, n, k = asked.shape
        multiplicity = np.bincount(self.pool.pattern, minlength=len(self.pool.pool.patterns))
        pattern = np.broadcast_to(self.pool.pattern, (sets, n)).ravel()
        flat = None if previous is None else previous.reshape(-1, self.labels)
        prediction, short = _abc_rows(
            self.pool, multiplicity, pattern, asked.reshape(sets * n, k), flat, self.labels
        )
        return prediction.reshape(sets, n, self.labels), short.reshape(sets, n)


def _abc_rows(
    pool: PooledItems,
    multiplicity: Matrix,
    pattern: NDArray[np.intp],
    asked: Matrix,
    previous: Floats | None,
    n_labels: int,
) -> tuple[Floats, NDArray[np.bool_]]:
    """Predict after each row of labels asked, in that order, learning from all other items.

    Where support is lacking, the shorter survey is the one without the rater asked last: over
    random orders that is the mean over which rater is missing.
    """
    observed = _count(asked, n_labels)
    first, group = group_rows(observed.T)
    joint, support = _expected(pool.pool.patterns, multiplicity, pool.pool.learns, observed[first])
    own = _own(pool.pool.patterns, pool.pool.learns, pattern, observed)
    others = joint[group] - own
    supported = support[group] - (own > 0) > 0.5
    short = ~np.all(supported, axis=1)
    known = np.where(supported, others, 0.0)
    total = known.sum(axis=1, keepdims=True)
    shorter = np.full((int(short.sum()), n_labels), 1 / n_labels)
    if short.any() and asked.shape[1]:
        if previous is None:
            rows = np.flatnonzero(short)
            shorter, _ = _abc_rows(
                pool, multiplicity, pattern[rows], asked[rows, :-1], None, n_labels
            )
        else:
            shorter = previous[short]
    prediction = known / np.where(total > 0, total, 1.0)
    prediction[short] = (known[short] + shorter) / (1 + total[short])
    return prediction, short


def _expected(
    patterns: Matrix, multiplicity: Matrix, learns: Floats | None, observed: Matrix
) -> tuple[Floats, Floats]:
    """Sum, for each observation and next label, expected items, and items that can show it."""
    joint, support = np.zeros(observed.shape), np.zeros(observed.shape)
    block = max(1, _BLOCK_PAIRS // patterns.size)
    for start in range(0, len(observed), block):
        part = observed[start : start + block]
        fits = np.all(patterns[None, :, :] >= part[:, None, :], axis=-1)
        state, pattern = np.nonzero(fits)
        each = _own(patterns, learns, pattern, part[state])
        items = multiplicity[pattern][:, None]
        np.add.at(joint, start + state, items * each)
        np.add.at(support, start + state, items * (each > 0))
    return joint, support


def _own(
    patterns: Matrix, learns: Floats | None, pattern: NDArray[np.intp], observed: Matrix
) -> Floats:
    """Probability that an item of the pattern shows the observation, and then each label."""
    w = patterns[pattern]
    n, k = w.sum(axis=1), observed.sum(axis=1)
    table = log_factorials(int(n.max(initial=0)))
    left = w - observed
    log_p = (table[w] - table[observed] - table[left]).sum(axis=1)
    log_p -= table[n] - table[k] - table[n - k]
    next_label = left / np.maximum(n - k, 1)[:, None] if learns is None else learns[pattern]
    return np.exp(log_p)[:, None] * next_label


def _count(asked: Matrix, n_labels: int) -> Matrix:
    """Label counts of the labels along the last axis."""
    return np.stack([(asked == label).sum(axis=-1) for label in range(n_labels)], axis=-1)


def _laid_out(counts: Matrix, rng: np.random.Generator) -> Matrix:
    """Labels of each item in a random order, padded with -1: (items, most ratings)."""
    n, n_labels = len(counts), int(counts.shape[1])
    ratings = counts.sum(axis=1)
    width = int(ratings.max())
    label = np.repeat(np.tile(np.arange(n_labels, dtype=np.int64), n), counts.ravel())
    item = np.repeat(np.arange(n, dtype=np.int64), ratings)
    order = np.lexsort((rng.random(len(item)), item))
    place = np.arange(len(item)) - np.repeat(np.cumsum(ratings) - ratings, ratings)
    matrix = np.full((n, width), -1)
    matrix[item, place] = label[order]
    return matrix

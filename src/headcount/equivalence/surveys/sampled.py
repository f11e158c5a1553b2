"""Algorithms 2-3 of the paper as they stand: some sets of raters of each size, drawn at random.

The cross-check of counting all surveys, and what is left where they are too many to count.
"""

from __future__ import annotations

from itertools import combinations
from math import comb
from typing import NamedTuple

import numpy as np

from headcount.equivalence.combiners.base import Learned
from headcount.equivalence.surveys.base import Design, Scores
from headcount.equivalence.surveys.surveys import Asked, PooledItems, consensus, count_labels
from headcount.stats.draws import resample
from headcount.stats.grouping import group_rows
from headcount.typing import Codes, Floats, Ints, Progress

__all__ = ["Sampled"]


class Sampled:
    """Curves and classifier scores from sampled sets of raters.

    Where all items have the same number of ratings, a set of raters is the same for all items:
    all sets of a size if they are at most `samples`, else so many different ones. Where numbers
    differ there are no columns to choose, and each item's raters are chosen on their own; a
    survey of k always has k labels. A set of raters is scored against all raters who are not in
    it, each item with the same weight, and scores are averaged over sets.

    In bootstrap samples the sets stay the same and no combiner learns anew.

    Cost: O(samples x sizes x draws x items), and for a combiner that learns O(samples x items x
    patterns) a size.

    Parameters
    ----------
    design : Design
    samples : int
        Sets of raters drawn of each size.
    rng : Generator
    """

    name: str = "sampled"
    counts_all: bool = False

    def __init__(self, design: Design, *, samples: int, rng: np.random.Generator) -> None:
        self.design, self.samples = design, samples
        self.seed = int(rng.integers(2**63))
        self.helped = np.zeros(design.pools[0].max_k + 1)
        self.ratings = [_laid_out(pool.counts, rng) for pool in design.pools]
        self._learned = [design.combiner.learn(pool) for pool in design.pools]
        self.learned = self._learned[0]
        self._classifiers = [
            design.scorer.bind(c.probability, design.reference, c.kind) for c in design.classifiers
        ]

    def observed(self) -> Scores:
        """Score the data themselves."""
        return self._scores(np.ones((1, len(self.design.reference))), None)

    def bootstrap(self, draws: int, rng: np.random.Generator, progress: Progress | None) -> Scores:
        """Score `draws` resamples of the items."""
        n = len(self.design.reference)
        blocks = list(resample(np.ones(n, dtype=np.int64), draws, rng, block=max(draws, 1)))
        weight = blocks[0] if blocks else np.empty((0, n))
        return self._scores(weight, progress)

    def _scores(self, weight: Floats, progress: Progress | None) -> Scores:
        pools, combiner, scorer = self.design.pools, self.design.combiner, self.design.scorer
        sizes = sum(pool.max_k + 1 for pool in pools)
        curves: list[Floats] = []
        done = 0
        for pool, ratings, learned in zip(pools, self.ratings, self._learned, strict=True):
            curve = np.zeros((len(weight), pool.max_k + 1))
            surveys = _GrowingSurveys(pool, ratings, learned, self.samples, self.seed)
            for k in range(pool.max_k + 1):
                asked = surveys.ask(k)
                for p, r, g in zip(asked.prediction, asked.reference, asked.group, strict=True):
                    if len(weight):
                        scored = scorer.bind(p, r, combiner.kind, g)
                        ways = len(p) // weight.shape[1]  # each of the same share
                        curve[:, k] += scored(np.tile(weight, ways)) / len(asked.prediction)
                if pool is pools[0]:
                    self.helped[k] = asked.helped
                done += 1
                if progress is not None and len(weight):
                    progress(done, sizes)
            curves.append(curve)
        scores = np.empty((len(weight), len(self._classifiers)))
        for c, scored in enumerate(self._classifiers):
            scores[:, c] = scored(weight) if len(weight) else 0.0
        patterns = np.zeros((len(weight), len(pools[0].pool.patterns)))
        np.add.at(patterns.T, pools[0].pattern, weight.T)
        return Scores(curves, scores, patterns)


class _Answers(NamedTuple):
    """What surveys of a size predict and are scored against, by set of raters and item.

    `group` numbers what was observed; `helped` is the share of surveys that lacked support.
    """

    prediction: Floats
    reference: Floats
    group: Ints
    helped: float


class _GrowingSurveys:
    """Surveys of growing size from one pool: who is asked, what is predicted."""

    def __init__(
        self, pool: PooledItems, ratings: Codes, learned: Learned, samples: int, seed: int
    ) -> None:
        self.pool, self.ratings, self.learned, self.samples = pool, ratings, learned, samples
        rng = np.random.default_rng(seed)
        self.labels = pool.pool.patterns.shape[1]
        self.multiplicity = pool.multiplicity
        n, width = ratings.shape
        self.rectangular = bool((ratings >= 0).all())
        if self.rectangular:
            orders = np.array([rng.permutation(width) for _ in range(samples)])
            self.orders = np.broadcast_to(orders[:, None, :], (samples, n, width))
        else:
            keys = rng.random((samples, n, width))
            keys[:, ratings < 0] = 2.0  # blanks last
            self.orders = np.argsort(keys, axis=-1)
        self.previous: Floats | None = None

    def ask(self, k: int) -> _Answers:
        """Ask k raters of each item, in each of several sets."""
        n, width = self.ratings.shape
        sets = comb(width, k)
        every = self.rectangular and sets <= self.samples
        if every:
            columns = np.array(list(combinations(range(width), k)), dtype=np.intp).reshape(sets, k)
            chosen = np.broadcast_to(columns[:, None, :], (sets, n, k))
        else:
            chosen = self.orders[..., :k]
        ratings = np.broadcast_to(self.ratings, (len(chosen), n, width))
        label = np.take_along_axis(ratings, chosen, axis=-1)
        observed = count_labels(label, self.labels)
        group = group_rows(observed.reshape(-1, self.labels).T)[1].reshape(observed.shape[:2])
        pattern = np.broadcast_to(self.pool.pattern, (len(chosen), n)).ravel()
        asked = Asked(self.pool.pool, self.multiplicity, pattern, label.reshape(len(chosen) * n, k))
        # Only surveys that follow the orders are those of the size before with one rater more.
        shorter = None if every else self.previous
        ways = self.learned.sampled(asked, shorter)
        self.previous = None if every else ways[0].prediction
        predicted = [way.prediction.reshape(observed.shape) for way in ways]
        return _Answers(
            np.concatenate(predicted, axis=1),
            np.tile(self._reference(observed), (1, len(ways), 1)),
            np.tile(group, (1, len(ways))),
            float(ways[0].helped.mean()),
        )

    def _reference(self, observed: Codes) -> Floats:
        pool = self.pool.pool
        if not isinstance(pool.reference, int):
            return np.broadcast_to(pool.reference[self.pool.pattern], observed.shape)
        left = (self.pool.counts - observed).reshape(-1, self.labels)
        first, group = group_rows(left.T)
        return consensus(left[first], pool.reference)[group].reshape(observed.shape)


def _laid_out(counts: Codes, rng: np.random.Generator) -> Codes:
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

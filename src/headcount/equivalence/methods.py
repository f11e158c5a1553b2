"""How surveys are scored: all of them, those of very many items, or a sample."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import cached_property
from itertools import combinations
from math import comb
from typing import TYPE_CHECKING, Any, NamedTuple, cast

import numpy as np

from headcount.equivalence.combiners import Combiner, Frequency, Learned, States
from headcount.equivalence.power_curve import (
    Block,
    Design,
    Influence,
    Method,
    PowerCurve,
    Scores,
)
from headcount.equivalence.states import can_fit
from headcount.equivalence.surveys import Asked, PooledItems, consensus, count_labels, count_surveys
from headcount.errors import OptionError, option, some
from headcount.results.notes import Notes
from headcount.stats.arrays import counted, group_rows
from headcount.stats.draws import resample, resample_clusters
from headcount.typing import Codes, Floats, Ints, Progress

if TYPE_CHECKING:
    from headcount.equivalence.survey import Settings

__all__ = [
    "Exact",
    "Sums",
    "draws_of",
    "influence_of",
    "MANY",
    "is_many",
    "ManyItems",
    "Sampled",
    "FEW_ITEMS",
    "largest_counted",
    "smooths",
    "choose_method",
    "all_agree",
    "note_agreed",
    "largest_supported",
    "few_for_labels",
    "note_learning",
]


# All surveys that the data hold, counted; bootstrap resamples with common draws.

_BLOCK_NUMBERS = 8_000_000
MOST_SKEWED = 1_000
"""Kinds of items above which skewness moves the low end of a worth by next to nothing."""
_STEP = 1e-4
"""Part of an item by which data are changed to see what it adds."""


class Exact:
    """Curves and classifier scores as functions of how often each kind of item is drawn.

    Items that show the same patterns and the same predictions are one cell; a data set is the
    number of items in each cell. Building costs O(labels x classifiers x n log n), for the cells.

    Parameters
    ----------
    design : Design

    Attributes
    ----------
    first : (cells,) array of int
        An item of each cell.
    together : dict of str to function
        What scores classifiers together with a rater, to be filled in.
    """

    name: str = "exact"
    counts_all: bool = True

    def __init__(self, design: Design) -> None:
        pools, combiner, scorer = design.pools, design.combiner, design.scorer
        columns = [column for c in design.classifiers for column in c.probability.T]
        first, cell = group_rows([*(p.pattern for p in pools), *columns])
        self.first, self.multiplicity = first, counted(cell, design.weight)
        self._cluster, self._cell = design.cluster, cell
        self.together: dict[str, Callable[[Floats], Floats]] = {}
        self._by_pattern = [Sums(p.pattern[first], len(p.pool.patterns)) for p in pools]
        self.curves = [PowerCurve(p, combiner, scorer) for p in pools]
        self._classifiers = [
            scorer.bind(c.probability[first], design.reference[first], c.kind)
            for c in design.classifiers
        ]
        self.unsupported, self.learned = self.curves[0].unsupported, self.curves[0].learned

    def score(self, drawn: Floats) -> Scores:
        """Score data sets, given as the number of items in each cell: (draws, cells)."""
        patterns = [sums(drawn) for sums in self._by_pattern]
        curves = [curve(items) for curve, items in zip(self.curves, patterns, strict=True)]
        scores = np.empty((len(drawn), len(self._classifiers)))
        for c, scored in enumerate(self._classifiers):
            scores[:, c] = scored(drawn)
        together = {name: scored(drawn) for name, scored in self.together.items()}
        return Scores(curves, scores, patterns[0], together)

    def observed(self) -> Scores:
        """Score the data themselves."""
        return self.score(self.multiplicity[None, :].astype(np.float64))

    def bootstrap(self, draws: int, rng: np.random.Generator, progress: Progress | None) -> Scores:
        """Score `draws` resamples of the items."""
        parts = [self.score(np.empty((0, len(self.multiplicity))))]
        items = self.multiplicity, self._cluster, self._cell
        parts += [self.score(drawn) for drawn in draws_of(*items, draws, rng, progress)]
        return Scores(
            [np.concatenate(curves) for curves in zip(*(p.curves for p in parts), strict=True)],
            np.concatenate([p.classifiers for p in parts]),
            np.concatenate([p.patterns for p in parts]),
            {name: np.concatenate([p.together[name] for p in parts]) for name in self.together},
        )

    def influence(self) -> Influence | None:
        """Find what each item, or cluster of items, adds to the scores."""
        return influence_of(self.score, self.multiplicity, self._cluster, self._cell)


def draws_of(
    multiplicity: Codes,
    cluster: Codes | None,
    cell: Ints,
    draws: int,
    rng: np.random.Generator,
    progress: Progress | None = None,
) -> Iterator[Floats]:
    """Draw items, or clusters of them: how often each cell was drawn, some draws at once."""
    if cluster is None:
        block = max(1, _BLOCK_NUMBERS // len(multiplicity))
        blocks = resample(multiplicity, draws, rng, block=block)
    else:
        block, sums = max(1, _BLOCK_NUMBERS // len(cluster)), Sums(cell, len(multiplicity))
        blocks = map(sums, resample_clusters(cluster, draws, rng, block=block))
    done = 0
    for drawn in blocks:
        yield drawn
        done += len(drawn)
        if progress is not None:
            progress(done, draws)


def influence_of(
    score: Callable[[Floats], Scores], multiplicity: Codes, cluster: Codes | None, cell: Ints
) -> Influence | None:
    """Find what each item, or cluster of items, adds to scores, by small changes.

    None where kinds of items are so many that skewness does not matter.
    """
    n = len(multiplicity)
    if n > MOST_SKEWED:
        return None
    times = multiplicity.astype(np.float64)
    base, moved = score(times[None]), score(times + _STEP * np.eye(n))
    groups = 0 if cluster is None else int(cluster.max()) + 1

    def slope(there: Floats, here: Floats) -> Floats:
        slopes = (there - here) / _STEP
        if cluster is None:
            return slopes
        out = np.zeros((groups, slopes.shape[1]))
        np.add.at(out, cluster, slopes[cell])
        return out

    scores = Scores(
        [slope(a, b) for a, b in zip(moved.curves, base.curves, strict=True)],
        slope(moved.classifiers, base.classifiers),
        moved.patterns,
    )
    return Influence(np.ones(groups) if groups else times, scores)


class Sums:
    """Sums of columns by group, in one pass."""

    def __init__(self, group: Ints, size: int) -> None:
        self.size = size
        # Cells are in lexicographic order: the first pool's patterns are sorted already.
        self.order = None if (np.diff(group) >= 0).all() else np.argsort(group, kind="stable")
        ordered = group if self.order is None else group[self.order]
        self.starts = np.searchsorted(ordered, np.arange(size))

    def __call__(self, columns: Floats) -> Floats:
        """Add up columns (rows, columns) by group: (rows, groups)."""
        ordered = columns if self.order is None else columns[:, self.order]
        return np.add.reduceat(ordered, self.starts, axis=1)


# Very many items: classifiers scored by sums over the items of each pattern, none held by itself.
#
# A bootstrap sample of n items draws the number of items of each pattern, and then so many of those
# that show it. What the latter add to a sum of statistics is a sum of many independent terms, so
# that of very many items it is normal: sums and products of the statistics are all that is needed.

MANY = 2**18
"""Items from which on sums are normal. Of scores between -30 and 0 bits with a standard deviation
of half a bit, the skewness of their mean is .12 at most, which moves ends of intervals by .06
standard errors; docs/studies/survey.md."""
_ROUNDING = 1e-12
"""Share of a variance below which what is left of it is rounding."""


def is_many(items: int) -> bool:
    """Whether items are so many that each of them need not be held."""
    return items > MANY


def are_many(design: Design) -> bool:
    """Whether items are so many that classifiers are scored by sums over patterns."""
    return (
        design.cluster is None
        and is_many(design.items)
        and bool(design.classifiers)
        and len(design.pools) == 1
        and hasattr(design.scorer, "statistics")
    )


class ManyItems:
    r"""Curves exactly, and classifiers by sums over the items of each pattern.

    With :math:`\bar s_p` the mean statistics of the :math:`n_p` items of pattern p and
    :math:`\Sigma` their covariance within patterns, a bootstrap sample in which :math:`m_p` items
    show pattern p has the mean statistics

    .. math:: \frac1n \sum_p m_p \bar s_p + \frac{1}{\sqrt n} N(0, \Sigma)

    where m is multinomial: drawn as such, together with the curve. O(items) once, whatever the
    number of draws, and O(patterns) a draw; a block of items is held at a time.

    Parameters
    ----------
    design : Design
    """

    name: str = "exact"
    counts_all: bool = True

    def __init__(self, design: Design) -> None:
        self.design = design
        self.multiplicity = design.pools[0].multiplicity
        self.curve = PowerCurve(design.pools[0], design.combiner, design.scorer)
        self.unsupported, self.learned = self.curve.unsupported, self.curve.learned

    def observed(self) -> Scores:
        """Score the data themselves."""
        patterns = self.multiplicity[None, :].astype(np.float64)
        return self._scores(patterns, np.zeros((1, self._sums.size)))

    def bootstrap(self, draws: int, rng: np.random.Generator, progress: Progress | None) -> Scores:
        """Score `draws` resamples of the items."""
        m = self.multiplicity
        drawn = draws_of(m, None, np.arange(len(m)), draws, rng, progress)
        patterns = np.concatenate([np.empty((0, len(m))), *drawn])
        normal = rng.standard_normal((draws, self._sums.size))
        return self._scores(patterns, normal)

    def influence(self) -> None:
        """Items are so many that skewness does not matter."""

    @cached_property
    def _sums(self) -> _Sums:
        """Sums of the statistics of all items, which takes a pass over them."""
        design, reference = self.design, self.design.by_pattern()
        scorer, sums = cast(Any, design.scorer), None
        for block in design.blocks():
            pairs = zip(design.classifiers, block.probability, strict=True)
            of_rows = reference[block.pattern]
            each = [scorer.statistics(p, of_rows, c.kind) for c, p in pairs]
            statistics: Floats = np.concatenate(each, axis=1)
            sums = sums or _Sums(len(self.multiplicity), statistics.shape[1])
            sums.add(block, statistics)
        return cast(_Sums, sums)

    def _scores(self, patterns: Floats, normal: Floats) -> Scores:
        """Score data sets: items of each pattern, and normal numbers for what is within these."""
        scorer, sums = cast(Any, self.design.scorer), self._sums
        n = patterns.sum(axis=1, keepdims=True)
        means = patterns @ sums.means(self.multiplicity) / n
        means += normal @ sums.within(self.multiplicity).T / np.sqrt(n)
        classifiers = len(self.design.classifiers)
        each = means.shape[1] // max(classifiers, 1)
        scores = scorer.finish(means.reshape(len(means), classifiers, each))
        return Scores([self.curve(patterns)], scores, patterns)


class _Sums:
    """Sums of statistics of the items of each pattern, and of their products over all items."""

    def __init__(self, patterns: int, size: int) -> None:
        self.size = size
        self.total = np.zeros((patterns, size))
        self.products = np.zeros((size, size))

    def add(self, block: Block, statistics: Floats) -> None:
        """Add up the statistics (rows, statistics) of a block."""
        weighted = statistics * block.weight[:, None]
        for index, column in enumerate(weighted.T):
            self.total[:, index] += np.bincount(block.pattern, column, len(self.total))
        self.products += weighted.T @ statistics

    def means(self, multiplicity: Codes) -> Floats:
        """Mean statistics of the items of each pattern: (patterns, statistics)."""
        return self.total / multiplicity[:, None]

    def within(self, multiplicity: Codes) -> Floats:
        """Lower triangular root of the covariance within patterns, which may be singular."""
        n = multiplicity.sum()
        between = self.means(multiplicity).T @ self.total
        return _root((self.products - between) / n, np.diag(self.products) / n)


def _root(covariance: Floats, scale: Floats) -> Floats:
    """Root of a covariance by Cholesky's method; what is left of a variance by rounding is none.

    Examples
    --------
    >>> _root(np.array([[4.0, 2.0], [2.0, 1.0]]), np.array([4.0, 1.0]))
    array([[2., 0.],
           [1., 0.]])
    """
    root = np.zeros_like(covariance)
    for j in range(len(covariance)):
        left = covariance[j:, j] - root[j:, :j] @ root[j, :j]
        if left[0] > _ROUNDING * scale[j]:
            root[j:, j] = left / np.sqrt(left[0])
    return root


# Algorithms 2-3 of the paper as they stand: some sets of raters of each size, drawn at random.
#
# The cross-check of counting all surveys, and what is left where they are too many to count.


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
        self.unsupported = np.zeros(design.pools[0].max_k + 1)
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
        ones = np.ones(n, dtype=np.int64)
        drawn = draws_of(ones, self.design.cluster, np.arange(n), draws, rng)
        weight = np.concatenate([np.empty((0, n)), *drawn])
        return self._scores(weight, progress)

    def influence(self) -> None:
        """Scores carry an error of sampling besides, which is not skewed."""

    def _scores(self, weight: Floats, progress: Progress | None) -> Scores:
        pools, combiner, scorer = self.design.pools, self.design.combiner, self.design.scorer
        sizes = sum(pool.max_k + 1 for pool in pools)
        curves: list[Floats] = []
        done = 0
        for pool, ratings, learned in zip(pools, self.ratings, self._learned, strict=True):
            curve = np.zeros((len(weight), pool.max_k + 1))
            surveys = _GrowingSurveys(pool, ratings, learned, self.samples, self.seed)
            for k in range(pool.max_k + 1):
                answers = surveys.ask(k)
                for p, r, g in zip(*answers[:3], strict=True):
                    if len(weight):
                        scored = scorer.bind(p, r, combiner.kind, g)
                        ways = len(p) // weight.shape[1]  # each of the same share
                        curve[:, k] += scored(np.tile(weight, ways)) / len(answers.prediction)
                if pool is pools[0]:
                    self.unsupported[k] = answers.unsupported
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

    `group` numbers what was observed; `unsupported` is the share of surveys that lacked support.
    """

    prediction: Floats
    reference: Floats
    group: Ints
    unsupported: float


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
        surveys = Asked(
            self.pool.pool, self.multiplicity, pattern, label.reshape(len(chosen) * n, k)
        )
        # Only surveys that follow the orders are those of the size before with one rater more.
        shorter = None if every else self.previous
        ways = self.learned.sampled(surveys, shorter)
        self.previous = None if every else ways[0].prediction
        predicted = [way.prediction.reshape(observed.shape) for way in ways]
        return _Answers(
            np.concatenate(predicted, axis=1),
            np.tile(self._reference(observed), (1, len(ways), 1)),
            np.tile(group, (1, len(ways))),
            float(ways[0].unsupported.mean()),
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
    nth = np.arange(len(item)) - np.repeat(np.cumsum(ratings) - ratings, ratings)
    matrix = np.full((n, width), -1)
    matrix[item, nth] = label[order]
    return matrix


# Sizes of data below which statements do not hold.

FEW_ITEMS = 20
"""Items below which words stand in place of a worth, and there are no intervals."""


# How surveys are scored: all of them, or a sample.

SETS = 200
"""Sets of raters of each size that are drawn where surveys are too many to count."""
MOST_NUMBERS = 20_000_000
"""Survey outcomes times labels that are counted at most."""
MOST_COUNTED = 4_000_000_000
"""Outcomes times labels squared, the time that counting takes, at most."""
MOST_HELD = 100_000_000
"""Sampled sets times items times labels, the memory that sampling takes, at most."""
MOST_COMPARED = 100_000_000_000
"""Sampled surveys times patterns times labels that a combiner that learns compares at most."""
QUICK_OUTCOMES = 4_000_000
"""Outcomes times labels up to which surveys of the default size are counted: a second or two."""
UNSUPPORTED = 0.2
"""Share of surveys without support from which learning is said to cost too much."""
REMEMBERED = 0.6
"""The same, above which surveys of many labels are left out: what follows them is smoothed too much
where raters agree, and judges look worth more than they are; docs/studies/survey.md."""
ITEMS_A_LABEL = 5
"""Items a label below which, of many labels, there is no worth; docs/studies/survey.md."""
SMOOTHED, MOST_SMOOTHED = 1, 2
"""Raters of a survey up to which what follows it is smoothed well enough: always, and at best."""


def largest_counted(design: Design, settings: Settings, *, asked: bool) -> int:
    """Find the largest survey to score: the largest of which all can be counted.

    Where nobody asked for a size: the largest of which all are counted within seconds. What
    follows a survey that was sampled is not smoothed, and of many labels it is remembered.
    """
    pool = design.pools[0]
    if settings.samples is not None or (asked and not smooths(design)):
        return pool.max_k
    most = _most_outcomes(design)
    if not asked and not smooths(design):
        most = min(most, QUICK_OUTCOMES // design.reference.shape[1])
    outcomes = np.cumsum(count_surveys(pool.pool.patterns, pool.max_k))
    counted = int(np.searchsorted(outcomes, most, side="right")) - 1
    return pool.max_k if counted < SMOOTHED else min(pool.max_k, counted)


def smooths(design: Design) -> bool:
    """Whether labels are so many that what follows surveys is smoothed."""
    combiner = design.combiner
    learns = combiner.bayesian and not combiner.leaves_out
    return learns and not can_fit(design.pools[0].pool.patterns)


def _most_outcomes(design: Design) -> int:
    """Count the outcomes of surveys up to which all are counted."""
    n_labels = design.reference.shape[1]
    return min(MOST_NUMBERS // n_labels, MOST_COUNTED // n_labels**2)


def choose_method(design: Design, settings: Settings, notes: Notes) -> Method:
    """Count all surveys if that is possible, else or where it is asked for sample them."""
    pools = design.pools
    outcomes = sum(count_surveys(p.pool.patterns, p.max_k).sum() for p in pools)
    n_labels = pools[0].pool.patterns.shape[1]
    too_many = outcomes > _most_outcomes(design)
    estimate = (
        f"surveys of up to {max(p.max_k for p in pools)} raters over {n_labels} labels have "
        f"{outcomes:,.0f} different outcomes, more than the {_most_outcomes(design):,} that are "
        "counted"
    )
    if settings.samples is None and not too_many:
        return ManyItems(design) if are_many(design) else Exact(design)
    if settings.samples is None and smooths(design):
        raise _refused(design, f", or use {option('combiner', Frequency.name)}")
    if design.weight is not None:
        raise OptionError(
            f"{estimate if too_many else f'surveys are to be sampled ({Sampled.name})'}, and items "
            "that are reduced where they are cannot be sampled one by one. Ask for smaller surveys "
            f"({option('max_k', ...)}), or read the data into memory "
            f"({option('engine', 'memory')})."
        )
    samples = settings.samples or SETS
    _check_sampling(design, samples)
    why, instead = (f"{estimate}; ", " instead") if too_many else ("", "")
    notes.caution(
        f"{why}up to {samples:,} sets of raters of each size were drawn{instead} (method "
        f"'{Sampled.name}'), so that scores carry sampling error, which the intervals leave out."
    )
    return Sampled(design, samples=samples, rng=settings.rng)


def _check_sampling(design: Design, samples: int) -> None:
    """Refuse what would take gigabytes or hours: many items, each with many of very many labels."""
    held = max(samples * len(p.pattern) * p.pool.patterns.shape[1] for p in design.pools)
    compared = sum(len(p.pattern) * p.pool.patterns.size * p.max_k for p in design.pools)
    if held > MOST_HELD:
        raise _refused(design, "")
    if design.combiner.bayesian and samples * compared > MOST_COMPARED:
        instead = f"{option('combiner', Frequency.name)}, or ask for smaller surveys"
        raise _refused(design, f", use {instead} ({option('max_k', 1)})")


def _refused(design: Design, instead: str) -> OptionError:
    """Say that labels are too many, and what to do about it."""
    items, labels = len(design.reference), design.reference.shape[1]
    return OptionError(
        f"{labels:,} labels are too many for surveys of up to "
        f"{max(pool.max_k for pool in design.pools)} raters of {items:,} items, counted or "
        f"sampled. Check that the label column is the right one ({option('label', ...)}), put "
        f"numbers into a few ranges first{instead}."
    )


def all_agree(pool: PooledItems) -> bool:
    """Whether the raters of every item give it the same label."""
    return bool(((pool.pool.patterns > 0).sum(axis=1) == 1).all())


def note_agreed(pool: PooledItems, notes: Notes) -> None:
    """Say that a rater tells all that there is to know, where raters never differ."""
    if all_agree(pool):
        notes.caution(
            "the raters of every item agree, so that one rater tells all that there is to know, "
            "and no classifier can be worth more than that.",
            short="Raters never disagree: one rater tells all there is to know.",
        )


def largest_supported(scoring: Method, design: Design) -> int:
    """Find the largest survey of which the data teach what follows, or 0.

    Where what followed is counted with the item in and out (many labels), surveys of one rater are
    smoothed well enough; those of two are, unless many of them were not seen on another item.
    """
    last = len(scoring.unsupported) - 1
    if not smooths(design):
        return last
    remembered = np.flatnonzero(scoring.unsupported > REMEMBERED)
    supported = last if not len(remembered) else max(int(remembered[0]) - 1, SMOOTHED)
    return min(last, supported, MOST_SMOOTHED)


def few_for_labels(design: Design, notes: Notes) -> bool:
    """Say what many labels do to a worth; whether items are too few to tell it."""
    pool = design.pools[0]
    if not smooths(design):
        return False
    labels = int(np.count_nonzero(pool.pool.patterns.any(axis=0)))
    if int(pool.multiplicity.sum()) < ITEMS_A_LABEL * labels:
        notes.warning(
            f"with {labels:,} labels these items are too few to learn what follows each of them: "
            f"it takes {ITEMS_A_LABEL} a label. Put labels into fewer groups."
        )
        return True
    if pool.max_k > SMOOTHED and design.classifiers:
        notes.caution(
            f"with {labels:,} labels what follows surveys of {pool.max_k} raters is learned from "
            f"few items: worths above {SMOOTHED} are approximate, more often too high than too "
            "low (in simulations 95% intervals covered the truth in 83% to 98% of data sets)."
        )
    learned = [c.name for c in design.classifiers if c.learning_error and not c.learned_from_few]
    if learned:
        notes.caution(
            f"with {labels:,} labels what raters say after each label is learned from few items; "
            f"intervals of {some(learned, 3)} allow for that, and are approximate (in simulations "
            "of 500 and more items 95% intervals covered the truth in 93% to 100% of data sets)."
        )
    return False


def note_learning(scoring: Method, combiner: Combiner, scores: Scores, notes: Notes) -> bool:
    """Warn where what a combiner has not learned yet is booked as merit of classifiers."""
    if not combiner.leaves_out:
        return False
    curve = scores.curves[0][0]
    falls = np.flatnonzero(np.diff(curve) < 0)
    large = np.flatnonzero(scoring.unsupported > UNSUPPORTED)
    if not len(falls) and not len(large):
        return False
    why = (
        f"{falls[0] + 1} raters score less than {falls[0]}"
        if len(falls)
        else f"after {scoring.unsupported[large[0]]:.0%} of surveys of {large[0]} some label was "
        "never seen on another item"
    )
    notes.warning(
        f"{combiner.name} had too few items to learn from ({why}), so that its curve is too low "
        "and classifiers seem worth more raters than they are. Use "
        f"{option('combiner', States.name)}.",
        short=f"{combiner.name} had too few items to learn from; classifiers seem worth too much.",
    )
    return True

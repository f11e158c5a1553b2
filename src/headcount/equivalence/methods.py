"""How surveys are scored: of items held one by one, or of very many."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import cached_property
from typing import Any, cast

import numpy as np

from headcount.equivalence.combiners import Combiner, States
from headcount.equivalence.power_curve import (
    Block,
    Design,
    Influence,
    Method,
    PowerCurve,
    Scores,
)
from headcount.equivalence.states import can_fit
from headcount.equivalence.surveys import PooledItems, count_surveys
from headcount.errors import OptionError, option, some
from headcount.results.notes import Notes
from headcount.stats.arrays import counted, group_rows
from headcount.stats.draws import resample, resample_clusters
from headcount.typing import Codes, Floats, Ints, Progress

__all__ = [
    "Exact",
    "Sums",
    "draws_of",
    "influence_of",
    "MANY",
    "is_many",
    "ManyItems",
    "FEW_ITEMS",
    "largest_counted",
    "smooths",
    "choose_method",
    "too_many",
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
        What scores classifiers together with raters, to be filled in.
    """

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


# Sizes of data below which statements do not hold.

FEW_ITEMS = 20
"""Items below which words stand in place of a worth, and there are no intervals."""


# How large surveys may be, and how they are scored.

MOST_NUMBERS = 20_000_000
"""Survey outcomes times labels that are counted at most."""
MOST_COUNTED = 4_000_000_000
"""Outcomes times labels squared, the time that counting takes, at most."""
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


def largest_counted(pool: PooledItems, *, quick: bool) -> int:
    """Find the largest survey up to which all surveys can be counted; quick: within seconds."""
    n_labels = int(pool.pool.patterns.shape[1])
    most = min(MOST_NUMBERS // n_labels, MOST_COUNTED // n_labels**2)
    if quick:
        most = min(most, QUICK_OUTCOMES // n_labels)
    outcomes = np.cumsum(count_surveys(pool.pool.patterns, pool.max_k))
    return int(np.searchsorted(outcomes, most, side="right")) - 1


def smooths(design: Design) -> bool:
    """Whether labels are so many that what follows surveys is smoothed."""
    combiner = design.combiner
    learns = combiner.bayesian and not combiner.leaves_out
    return learns and not can_fit(design.pools[0].pool.patterns)


def choose_method(design: Design) -> Method:
    """Count surveys with every item held, or by sums over very many."""
    return ManyItems(design) if are_many(design) else Exact(design)


def too_many(design: Design, countable: int) -> OptionError:
    """Say that surveys have too many outcomes to count, and what to do about it."""
    labels, max_k = design.reference.shape[1], max(pool.max_k for pool in design.pools)
    if countable >= 1:
        return OptionError(
            f"surveys of up to {max_k} raters over {labels:,} labels have too many outcomes to "
            f"count. Ask for at most {countable} ({option('max_k', countable)})."
        )
    return OptionError(
        f"{labels:,} labels are too many for surveys of {design.items:,} items. Check that the "
        f"label column is the right one ({option('label', ...)}), or put numbers into a few ranges "
        "first."
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

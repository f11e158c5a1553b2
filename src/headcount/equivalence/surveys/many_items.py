"""Very many items: classifiers scored by sums over the items of each pattern, none held by itself.

A bootstrap sample of n items draws the number of items of each pattern, and then so many of those
that show it. What the latter add to a sum of statistics is a sum of many independent terms, so that
of very many items it is normal: sums and products of the statistics are all that is needed.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Any, cast

import numpy as np

from headcount.equivalence.surveys.base import Block, Design, Scores
from headcount.equivalence.surveys.curve import PowerCurve
from headcount.stats.draws import resample
from headcount.typing import Codes, Floats, Progress

__all__ = ["MANY", "ManyItems", "Together", "are_many", "is_many"]

MANY = 2**18
"""Items from which on sums are normal. Of scores between -30 and 0 bits with a standard deviation
of half a bit, the skewness of their mean is .12 at most, which moves ends of intervals by .06
standard errors; docs/studies/many_items.md."""
_BLOCK_NUMBERS = 8_000_000
_ROUNDING = 1e-12
"""Share of a variance below which what is left of it is rounding."""


def is_many(items: int) -> bool:
    """Whether items are so many that each of them need not be held."""
    return items > MANY


def are_many(design: Design) -> bool:
    """Whether items are so many that classifiers are scored by sums over patterns."""
    return (
        is_many(design.items)
        and bool(design.classifiers)
        and len(design.pools) == 1
        and hasattr(design.scorer, "statistics")
    )


@dataclass(frozen=True, eq=False)
class Together:
    """Classifiers together with raters: statistics of rows, of which scores are made.

    Parameters
    ----------
    sizes : int
        Surveys of 1, 2 ... raters.
    statistics : function of a block
        (rows, sizes times statistics).
    """

    sizes: int
    statistics: Callable[[Block], Floats]


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
    samples, rng
        Not used: nothing is sampled.

    Attributes
    ----------
    together : dict of str to Together
        Classifiers together with raters, to be filled in before anything is scored.
    """

    name: str = "exact"
    counts_all: bool = True

    def __init__(self, design: Design, *, samples: int = 0, rng: object = None) -> None:
        del samples, rng
        self.design = design
        self.multiplicity = design.pools[0].multiplicity
        self.curve = PowerCurve(design.pools[0], design.combiner, design.scorer)
        self.helped, self.learned = self.curve.helped, self.curve.learned
        self.together: dict[str, Together] = {}

    def observed(self) -> Scores:
        """Score the data themselves."""
        patterns = self.multiplicity[None, :].astype(np.float64)
        return self._scores(patterns, np.zeros((1, self._sums.size)))

    def bootstrap(self, draws: int, rng: np.random.Generator, progress: Progress | None) -> Scores:
        """Score `draws` resamples of the items."""
        patterns = np.empty((draws, len(self.multiplicity)))
        block = max(1, _BLOCK_NUMBERS // len(self.multiplicity))
        done = 0
        for drawn in resample(self.multiplicity, draws, rng, block=block):
            patterns[done : done + len(drawn)] = drawn
            done += len(drawn)
            if progress is not None:
                progress(done, draws)
        normal = rng.standard_normal((draws, self._sums.size))
        return self._scores(patterns, normal)

    @cached_property
    def _sums(self) -> _Sums:
        """Sums of the statistics of all items, which takes a pass over them."""
        reference = self.design.by_pattern()
        sums: _Sums | None = None
        for block in self.design.blocks():
            statistics = np.concatenate(list(self._statistics(block, reference)), axis=1)
            if sums is None:
                sums = _Sums(len(self.multiplicity), statistics.shape[1])
            sums.add(block, statistics)
        return _Sums(len(self.multiplicity), 0) if sums is None else sums

    def _statistics(self, block: Block, reference: Floats) -> Iterator[Floats]:
        scorer = cast(Any, self.design.scorer)
        of_rows = reference[block.pattern]
        for classifier, p in zip(self.design.classifiers, block.probability, strict=True):
            yield scorer.statistics(p, of_rows, classifier.kind)
        for both in self.together.values():
            yield both.statistics(block)

    def _scores(self, patterns: Floats, normal: Floats) -> Scores:
        """Score data sets: items of each pattern, and normal numbers for what is within these."""
        scorer, sums = cast(Any, self.design.scorer), self._sums
        n = patterns.sum(axis=1, keepdims=True)
        means = patterns @ sums.means(self.multiplicity) / n
        means += normal @ sums.within(self.multiplicity).T / np.sqrt(n)
        names = [c.name for c in self.design.classifiers]
        sizes = [1] * len(names) + [both.sizes for both in self.together.values()]
        each = means.shape[1] // sum(sizes)
        scores = scorer.finish(means.reshape(len(means), sum(sizes), each))
        parts = np.split(scores, np.cumsum(sizes)[:-1], axis=1)
        return Scores(
            [self.curve(patterns)],
            np.concatenate(parts[: len(names)], axis=1),
            patterns,
            dict(zip(self.together, parts[len(names) :], strict=True)),
        )


class _Sums:
    """Sums of statistics of the items of each pattern, and of their products over all items."""

    def __init__(self, patterns: int, size: int) -> None:
        self.size = size
        self.total = np.zeros((patterns, size))
        self.products = np.zeros((size, size))

    def add(self, block: Block, statistics: Floats) -> None:
        """Add up the statistics (rows, statistics) of a block."""
        weighted = statistics * block.weight[:, None]
        for place, column in enumerate(weighted.T):
            self.total[:, place] += np.bincount(block.pattern, column, len(self.total))
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

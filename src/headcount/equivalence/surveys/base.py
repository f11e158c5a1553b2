"""What is scored, and what every way of scoring it gives: the scores of many data sets."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Protocol

import numpy as np

from headcount.data.classifiers import Classifier
from headcount.equivalence.combiners.base import Combiner, Learned
from headcount.equivalence.scorers.base import Scorer
from headcount.equivalence.surveys.surveys import PooledItems
from headcount.typing import Codes, Floats, Ints, Progress

__all__ = ["Block", "Design", "Method", "Scores"]

_BLOCK = 2**17
"""Rows of a block: what is made of them fits into the cache of a processor, or nearly."""


@dataclass(frozen=True, eq=False)
class Block:
    """Some of the rows, and what classifiers say of them.

    Parameters
    ----------
    pattern : (rows,) array of int
        The pattern of the first pool that each shows.
    weight : (rows,) array
        Items that each stands for.
    probability : sequence of (rows, labels) arrays
        Of each classifier.
    """

    pattern: Ints
    weight: Floats
    probability: Sequence[Floats]


@dataclass(frozen=True, eq=False, kw_only=True)
class Design:
    """Who is asked, who predicts, and how predictions are made and scored.

    Parameters
    ----------
    pools : sequence of PooledItems
        One power curve is drawn from each; classifiers are compared with the first.
    reference : (items, labels) array
        Distribution of the label against which classifiers are scored.
    classifiers : sequence of Classifier
    combiner : Combiner
    scorer : Scorer
    weight : (items,) array of int, optional
        Items that each row stands for, where rows are of several that are alike.
    streamed : function, optional
        Gives blocks of items that are not held in memory; classifiers then have no rows.
    """

    pools: Sequence[PooledItems]
    reference: Floats
    classifiers: Sequence[Classifier]
    combiner: Combiner
    scorer: Scorer
    weight: Codes | None = None
    streamed: Callable[[], Iterator[Block]] | None = None

    @property
    def items(self) -> int:
        """Items that are scored."""
        return len(self.reference) if self.weight is None else int(self.weight.sum())

    def blocks(self) -> Iterator[Block]:
        """Give all rows, and what classifiers say of them, a part at a time."""
        if self.streamed is not None:
            yield from self.streamed()
            return
        pattern = self.pools[0].pattern
        for start in range(0, len(pattern), _BLOCK):
            part = slice(start, start + _BLOCK)
            weight = np.ones(len(pattern[part])) if self.weight is None else self.weight[part]
            yield Block(
                pattern[part],
                weight.astype(np.float64),
                [c.probability[part] for c in self.classifiers],
            )

    def by_pattern(self) -> Floats:
        """Return the reference of each pattern of the first pool: (patterns, labels)."""
        pattern = self.pools[0].pattern
        out = np.empty((len(self.pools[0].pool.patterns), self.reference.shape[1]))
        out[pattern] = self.reference
        return out


@dataclass(frozen=True, eq=False)
class Scores:
    """Scores of several data sets.

    Parameters
    ----------
    curves : list of (draws, sizes) arrays
        The power curve of each pool.
    classifiers : (draws, classifiers) array
    patterns : (draws, patterns) array
        The data sets: how many items show each pattern of the first pool.
    together : dict of str to (draws, sizes) arrays
        Classifiers together with 1, 2 ... raters, where that was scored.
    """

    curves: list[Floats]
    classifiers: Floats
    patterns: Floats
    together: dict[str, Floats] = field(default_factory=dict[str, Floats])


class Method(Protocol):
    """A way to score the surveys that the data hold."""

    name: str
    counts_all: bool
    """Whether every survey is counted, so that scores carry no error of sampling."""
    helped: Floats
    """Share of the surveys of each size, of the first pool, for which the combiner lacked support.

    Known once the data have been scored.
    """
    learned: Learned
    """The combiner, with what it learned from the first pool."""

    def __init__(self, design: Design, *, samples: int, rng: np.random.Generator) -> None: ...

    def observed(self) -> Scores:
        """Score the data themselves."""
        ...

    def bootstrap(self, draws: int, rng: np.random.Generator, progress: Progress | None) -> Scores:
        """Score `draws` resamples of the items, the same for curves and classifiers."""
        ...

"""Resample items with replacement, as how often each is drawn."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from headcount.errors import OptionError, count
from headcount.stats.text import percent

__all__ = ["as_generator", "few_draws", "resample"]

_RARE = 20
"""Items of a rare cell at most. A cell of a multinomial costs some 100 ns, an item drawn 5 ns."""


def as_generator(rng: int | np.random.Generator) -> np.random.Generator:
    """Turn a seed into a generator; a generator is used as it is."""
    if isinstance(rng, int) and rng < 0:
        raise OptionError(f"rng (--seed) must be a whole number from 0 on, not {rng}.")
    return np.random.default_rng(rng)


def few_draws(draws: int, level: float) -> list[str]:
    """Say if draws are too few for the ends of their intervals, in a note.

    Examples
    --------
    >>> few_draws(500, 0.95)
    []
    """
    if not draws or draws * (1 - level) >= 2:
        return []
    return [
        f"{count(draws, 'bootstrap draw')} cannot show the ends of a {percent(level)} interval; "
        f"take {round(2 / (1 - level)):,} or more, better ten times as many (--bootstrap)."
    ]


def resample(
    multiplicity: NDArray[np.int64], draws: int, rng: np.random.Generator, *, block: int
) -> Iterator[NDArray[np.float64]]:
    """Draw n items with replacement, `draws` times, where equal items share a cell.

    Parameters
    ----------
    multiplicity : (cells,) array of int
        How many items each cell holds; n is their sum.
    draws : int
        Number of bootstrap draws.
    rng : Generator
    block : int
        Draws to yield at once. The numbers drawn do not depend on it.

    Yields
    ------
    (block, cells) array of float
        How often each cell was drawn; each row sums to n.

    Notes
    -----
    O(cells + items in rare cells) a draw, so never much more than O(cells): a multinomial shares
    the n items out among common cells and all rare ones together, and the items of the latter are
    drawn one by one and counted. The distribution is that of a multinomial over all cells.

    Examples
    --------
    >>> drawn = next(resample(np.array([3, 1]), 4, np.random.default_rng(0), block=4))
    >>> drawn.sum(axis=1)
    array([4., 4., 4., 4.])
    """
    n = int(multiplicity.sum())
    is_rare = multiplicity <= _RARE
    common, rare = np.flatnonzero(~is_rare), np.flatnonzero(is_rare)
    cell = np.repeat(np.arange(len(rare)), multiplicity[rare])  # of each item in a rare cell
    alone = bool((multiplicity[rare] == 1).all())  # an item's number is then that of its cell
    share = np.append(multiplicity[common], len(cell)) / max(n, 1)

    def counted(items: int) -> NDArray[np.intp]:
        index = rng.integers(0, len(cell), size=items)
        return np.bincount(index if alone else cell[index], minlength=len(rare))

    for start in range(0, draws, block):
        size = min(block, draws - start)
        if not len(rare):
            yield rng.multinomial(n, share[:-1], size=size).astype(np.float64)
            continue
        weight = np.empty((size, len(multiplicity)))
        for row in weight:
            if not len(common):
                row[:] = counted(n)
                continue
            taken = rng.multinomial(n, share)
            row[common] = taken[:-1]
            row[rare] = counted(taken[-1])
        yield weight

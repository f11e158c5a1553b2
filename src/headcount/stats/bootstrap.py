"""Resample items with replacement, as how often each is drawn."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from headcount.errors import OptionError

__all__ = ["as_generator", "resample"]

# A multinomial draw costs about 80 ns a cell, an index drawn and counted about 8 ns an item.
_CELLS_PER_ITEM = 0.1


def as_generator(rng: int | np.random.Generator) -> np.random.Generator:
    """Turn a seed into a generator; a generator is used as it is."""
    if isinstance(rng, int) and rng < 0:
        raise OptionError(f"rng (--seed) must be a whole number from 0 on, not {rng}.")
    return np.random.default_rng(rng)


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
    O(cells) a draw when items are much repeated (a multinomial), else O(n) (indices, counted).
    Both have the same distribution.

    Examples
    --------
    >>> drawn = next(resample(np.array([3, 1]), 4, np.random.default_rng(0), block=4))
    >>> drawn.sum(axis=1)
    array([4., 4., 4., 4.])
    """
    cells = len(multiplicity)
    n = int(multiplicity.sum())
    few = cells < _CELLS_PER_ITEM * n
    owner = None if few or cells == n else np.repeat(np.arange(cells), multiplicity)
    for start in range(0, draws, block):
        size = min(block, draws - start)
        if few:
            yield rng.multinomial(n, multiplicity / n, size=size).astype(np.float64)
            continue
        weight = np.empty((size, cells))
        for row in weight:
            index = rng.integers(0, n, size=n)
            row[:] = np.bincount(index if owner is None else owner[index], minlength=cells)
        yield weight

"""Draws that depend on the data and the seed alone, never on the order of rows.

Patterns are sorted, so that a multinomial over them is the same whatever order items came in. What
depends on single items goes by a key of the item and the seed.
"""

from __future__ import annotations

from collections.abc import Iterator
from hashlib import md5

import numpy as np
from numpy.typing import NDArray

from headcount.typing import Codes, Ids

__all__ = [
    "ENOUGH",
    "FOLDS",
    "folds",
    "keys",
    "ranks",
    "resample",
    "resample_clusters",
    "effective_clusters",
    "CLUSTER_FREEDOM",
]

FOLDS = 10
"""Parts of the items, of which each is predicted by what the others teach."""
ENOUGH = 20_000
"""Items that decide between ways to calibrate; of more, some are drawn by their ids."""
_MANY = 50_000
"""Items from which starting a database pays."""
CLUSTER_FREEDOM = 0.6
"""Degrees of freedom of a cluster: sums over clusters are far from normal, and a few large ones
decide; found by simulation, see docs/studies/survey.md."""
_RARE = 20
"""Items of a rare cell at most. A cell of a multinomial costs some 100 ns, an item drawn 5 ns."""


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
            drawn = rng.multinomial(n, share)
            row[common] = drawn[:-1]
            row[rare] = counted(drawn[-1])
        yield weight


def resample_clusters(
    cluster: Codes, draws: int, rng: np.random.Generator, *, block: int
) -> Iterator[NDArray[np.float64]]:
    """Draw clusters of items, whole and with replacement, `draws` times.

    Fewer are drawn than there are, so that what is made of draws varies as much as Student's
    distribution says it should: of G clusters G / f^2, f^2 = (t / z)^2 G / (G - 1), with t and z
    of a 95% interval, and degrees of freedom `CLUSTER_FREEDOM` times the effective number less 1.

    Parameters
    ----------
    cluster : (items,) array of int
        The cluster of each item, from 0 on.
    draws, rng, block
        As in :func:`resample`.

    Yields
    ------
    (block, items) array of float
        How much each item counts; rows sum to the number of items on average.

    Examples
    --------
    >>> cluster = np.repeat(np.arange(30), 2)
    >>> drawn = next(resample_clusters(cluster, 4, np.random.default_rng(0), block=4))
    >>> bool((drawn[:, ::2] == drawn[:, 1::2]).all())
    True
    """
    from scipy.special import stdtrit  # pyright: ignore[reportMissingTypeStubs]

    number = int(cluster.max(initial=-1)) + 1
    freedom = max(CLUSTER_FREEDOM * (effective_clusters(cluster) - 1), 1.0)
    wider = (float(stdtrit(freedom, 0.975)) / 1.959964) ** 2 * number / max(number - 1, 1)
    chosen = max(1, round(number / wider))
    for start in range(0, draws, block):
        size = min(block, draws - start)
        drawn = rng.multinomial(chosen, np.full(number, 1 / number), size=size)
        yield (drawn[:, cluster] * (number / chosen)).astype(np.float64, copy=False)


def effective_clusters(cluster: Codes) -> float:
    """Find how many clusters of equal size tell as much: (sum n)^2 / sum n^2.

    Examples
    --------
    >>> effective_clusters(np.array([0, 0, 1, 1])), effective_clusters(np.array([0, 0, 0, 1]))
    (2.0, 1.6)
    """
    sizes = np.bincount(cluster).astype(np.float64)
    return float(sizes.sum()) ** 2 / float((sizes**2).sum())


def keys(ids: Ids, seed: int) -> NDArray[np.uint32]:
    """Give each item a number that depends on its id and the seed alone: (items,).

    The first 32 bits of md5(seed|id), most significant first, which every database can compute as
    well. O(items).

    Examples
    --------
    >>> keys(np.array(["a", "b"], dtype=object), seed=0)
    array([1296414312, 1013764134], dtype=uint32)
    """
    if len(ids) >= _MANY and (
        ids.dtype.kind == "i"
        or (ids.dtype == object and all(type(item) is str for item in ids.tolist()))
    ):
        return _keys_at_once(ids, seed)
    return np.fromiter(
        (
            int.from_bytes(
                md5(f"{seed}|{item}".encode(), usedforsecurity=False).digest()[:4], "big"
            )
            for item in ids.tolist()
        ),
        dtype=np.uint32,
        count=len(ids),
    )


def _keys_at_once(ids: Ids, seed: int) -> NDArray[np.uint32]:
    """Let the database find the keys of many items, which takes it a quarter of the time."""
    from duckdb import connect

    with connect() as database:
        database.register("ids", {"id": ids})
        made = database.execute(
            "SELECT CAST('0x' || substr(md5(concat(CAST(? AS VARCHAR), '|', id)), 1, 8) "
            "AS UINTEGER) AS key FROM ids",
            [str(seed)],
        )
        return np.asarray(made.fetchnumpy()["key"], dtype=np.uint32)


def folds(ids: Ids, number: int, seed: int) -> Codes:
    """Part items into folds of equal size, to within one, by their keys: (items,) from 0 on.

    The fold of an item does not depend on the order of items. O(items log items).

    Examples
    --------
    >>> folds(np.array(["a", "b", "c", "d"], dtype=object), 2, seed=0).tolist()
    [0, 1, 0, 1]
    """
    return ranks(ids, seed) % number


def ranks(ids: Ids, seed: int) -> Codes:
    """Rank items by their keys, and by name where keys are equal: (items,) from 0 on.

    O(items log items).

    Examples
    --------
    >>> ranks(np.array(["a", "b", "c", "d"], dtype=object), seed=0).tolist()
    [2, 1, 0, 3]
    """
    key = keys(ids, seed)
    order = np.argsort(key, kind="stable")
    equal = np.flatnonzero(np.diff(key[order]) == 0)
    tied = np.unique(np.concatenate([equal, equal + 1]))  # places of items whose key others have
    some = order[tied]
    order[tied] = some[np.lexsort((ids[some].astype(str), key[some]))]
    out = np.empty(len(ids), dtype=np.int64)
    out[order] = np.arange(len(ids))
    return out

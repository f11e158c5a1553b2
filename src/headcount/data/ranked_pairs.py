"""Rankings as the pairs that they order, from which they can be put together again."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import cast

import numpy as np

from headcount.data.vocabulary import encode
from headcount.errors import DataError
from headcount.typing import Codes, Flags, Floats, Ints

__all__ = ["RankedPairs", "coded_rankings", "disjoint_pairs", "ranked_pairs", "tied_items"]


@dataclass(frozen=True, eq=False, kw_only=True)
class RankedPairs:
    """Pairs of items that rankings put in order, the better one on the left.

    Parameters
    ----------
    left, right : (pairs,) arrays of int
    share : (pairs,) array of float
        1, or 0.5 where the two are tied.
    ranking : (pairs,) array of int
        The ranking that each is of.
    """

    left: Codes
    right: Codes
    share: Floats
    ranking: Codes


def ranked_pairs(
    ranking: Codes, item: Codes, level: Codes, *, middle: int | None = None
) -> RankedPairs:
    """Write down every pair of items of each ranking.

    Parameters
    ----------
    ranking, item : (entries,) arrays of int
        An item that stands in a ranking; once, at most.
    level : (entries,) array of int
        Smaller is better; items of the same level are tied.
    middle : int, optional
        The level of items of which it is not known how they compare: those that are neither the
        best nor the worst.

    Notes
    -----
    O(k^2) for a ranking of k items.

    Examples
    --------
    >>> made = ranked_pairs(np.array([0, 0, 0]), np.array([7, 5, 6]), np.array([1, 0, 1]))
    >>> made.left, made.right, made.share
    (array([5, 5, 6]), array([6, 7, 7]), array([1. , 1. , 0.5]))
    """
    order = np.lexsort((item, level, ranking))
    ranking, item, level = ranking[order], item[order], level[order]
    names, start, size = np.unique(ranking, return_index=True, return_counts=True)
    parts: list[tuple[Codes, Codes, Floats, Codes]] = []
    sizes: list[int] = np.unique(size).tolist()
    for k in sizes:
        rows = start[size == k]
        entries: Ints = rows[:, None] + np.arange(k)
        first, second = np.triu_indices(k, 1)
        a, b = entries[:, first].ravel(), entries[:, second].ravel()
        known = np.ones(len(a), dtype=bool)
        if middle is not None:
            known = (level[a] != middle) | (level[b] != middle)
        share = np.where(level[a] < level[b], 1.0, 0.5)
        whose = np.repeat(names[size == k], len(first))
        parts.append((item[a][known], item[b][known], share[known], whose[known]))
    left, right, share, whose = (np.concatenate(column) for column in zip(*parts, strict=True))
    order = np.argsort(whose, kind="stable")
    return RankedPairs(
        left=left[order], right=right[order], share=share[order], ranking=whose[order]
    )


def disjoint_pairs(ranking: Codes, left: Codes, right: Codes) -> Flags:
    """Mark pairs of each ranking that have no item in common, as many as come first.

    In the model of Plackett and Luce the answers to such pairs are independent of each other.

    Parameters
    ----------
    ranking, left, right : (pairs,) arrays of int
        In an order that does not go by who won.

    Examples
    --------
    >>> disjoint_pairs(np.zeros(6, int), np.array([0, 0, 0, 1, 1, 2]), np.array([1, 2, 3, 2, 3, 3]))
    array([ True, False, False, False, False,  True])
    """
    used: set[tuple[int, int]] = set()
    out = np.zeros(len(ranking), dtype=bool)
    rows = zip(ranking.tolist(), left.tolist(), right.tolist(), strict=True)
    for row, (whose, a, b) in enumerate(rows):
        if (whose, a) not in used and (whose, b) not in used:
            used |= {(whose, a), (whose, b)}
            out[row] = True
    return out


def coded_rankings(
    rankings: Iterable[Iterable[object]], source: str
) -> tuple[RankedPairs, list[str], int]:
    """Write rankings, each of which lists items, the best first, as pairs.

    Returns
    -------
    pairs : RankedPairs
    items : list of str
    rankings : int
        How many there are.
    """
    rows, names, levels = list[int](), list[object](), list[int]()
    n = 0
    for n, ranking in enumerate(rankings, 1):
        for level, entry in enumerate(ranking):
            tied = tied_items(entry)
            rows += [n - 1] * len(tied)
            names += tied
            levels += [level] * len(tied)
    codes, texts = encode(names)
    ranking, level = np.array(rows, dtype=np.int64), np.array(levels, dtype=np.int64)
    twice = np.unique(np.stack([ranking, codes]), axis=1).shape[1] < len(codes)
    if twice or (codes < 0).any():
        raise DataError(f"{source}: a ranking must name each of its items once, and no blank.")
    if n == 0 or np.bincount(ranking, minlength=n).max(initial=0) < 2:
        raise DataError(f"{source}: no ranking of two items or more.")
    return ranked_pairs(ranking, codes, level), texts, n


def tied_items(entry: object) -> list[object]:
    """Items that stand on one place of a ranking: several in a list, or one by itself."""
    if isinstance(entry, list | tuple | set | frozenset):
        return list(cast("Iterable[object]", entry))
    return [entry]

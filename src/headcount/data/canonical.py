"""The canonical order of data, so that nothing depends on the order in which rows came.

Vocabularies are sorted: integers by number, text by code point. Rows follow their codes.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import islice
from operator import lt

import numpy as np

from headcount.data.vocabulary import as_ids
from headcount.typing import Codes, Ids, Ints

__all__ = ["in_order", "recoded", "sorted_rows", "sorted_vocabulary"]

_LARGEST = 2**62


def in_order(ids: Ids) -> bool:
    """Whether ids are in canonical order, each once. O(ids).

    Examples
    --------
    >>> in_order(np.array([9, 10])), in_order(np.array(["9", "10"], dtype=object))
    (True, False)
    """
    if ids.dtype != object:
        return bool((ids[1:] > ids[:-1]).all())
    texts: list[str] = ids.tolist()
    return all(map(lt, texts, islice(texts, 1, None)))


def sorted_vocabulary(texts: Sequence[str]) -> tuple[Ids, Codes | None]:
    """Make a vocabulary of ids in canonical order, and say where each text went.

    Parameters
    ----------
    texts : sequence of str
        Ids, each once.

    Returns
    -------
    ids : array
        Integers if all are, else text.
    place : (ids,) array of int or None
        Place in `ids` of each text; None if all stayed where they were.

    Notes
    -----
    O(ids log ids); O(ids) if they are in order already.

    Examples
    --------
    >>> sorted_vocabulary(["10", "9"])
    (array([ 9, 10]), array([1, 0]))
    >>> sorted_vocabulary(["a10", "a9"])
    (array(['a10', 'a9'], dtype=object), None)
    """
    ids = as_ids(texts)
    if in_order(ids):
        return ids, None
    if ids.dtype != object:
        order = np.argsort(ids)
    else:
        # The list of texts sorts in half the time of the array of objects.
        order = np.array(sorted(range(len(texts)), key=texts.__getitem__), dtype=np.int64)
    place = np.empty(len(order), dtype=np.int64)
    place[order] = np.arange(len(order))
    return ids[order], place


def recoded(codes: Codes, place: Codes | None) -> Codes:
    """Follow codes to where a vocabulary put them; -1, missing, stays. O(codes).

    Examples
    --------
    >>> recoded(np.array([0, -1, 1]), np.array([1, 0]))
    array([ 1, -1,  0])
    """
    if place is None:
        return codes
    return np.append(place, -1)[codes]  # code -1 is the last entry


def sorted_rows(item: Codes, rater: Codes, n_raters: int) -> Ints | None:
    """Rows in the order of item and rater, equal ones as they came; None if they are already.

    O(n log n) in rows; O(n) if they are sorted.

    Examples
    --------
    >>> sorted_rows(np.array([1, 0, 1]), np.array([1, 0, 0]), 2)
    array([1, 2, 0])
    """
    key = item * n_raters + rater
    if bool((key[1:] >= key[:-1]).all()):
        return None
    rows = len(key)
    if (int(key.max()) + 1) * rows > _LARGEST:
        return np.argsort(key, kind="stable")
    # The row as the last digit of the key: sorting numbers is quicker than sorting places.
    both = key * rows + np.arange(rows)
    both.sort()
    return both % rows

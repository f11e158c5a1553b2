"""Comparisons in an order that depends on what they say, not on how their rows came."""

from __future__ import annotations

import numpy as np

from headcount.data.comparisons import Comparisons
from headcount.typing import Ints

__all__ = ["content_order", "has_exact_sums", "is_plain", "sort_rows"]


def content_order(comparisons: Comparisons) -> Ints:
    """Order rows by their items, outcome, rater and weight: (comparisons,) positions.

    Rows that are equal in all of these are interchangeable, so whatever is drawn for rows in this
    order is the same for every order of the file. O(n log n).

    Examples
    --------
    >>> played = Comparisons.from_columns("bab", "cbc", [1, 1, 0])
    >>> again = played.select(np.array([2, 0, 1]))
    >>> sort_rows(played).outcome.tolist() == sort_rows(again).outcome.tolist()
    True
    """
    pair = comparisons.left * len(comparisons.items) + comparisons.right
    if is_plain(comparisons):
        halves = np.rint(2 * comparisons.outcome).astype(np.int64)
        return np.argsort(pair * 3 + halves, kind="stable")  # one key is faster than two
    keys = [comparisons.outcome, pair]
    keys = keys if comparisons.rater is None else [comparisons.rater, *keys]
    keys = keys if comparisons.weight is None else [comparisons.weight, *keys]
    keys = [*comparisons.controls.values(), *comparisons.clusters.values(), *keys]
    return np.lexsort(keys)


def sort_rows(comparisons: Comparisons) -> Comparisons:
    """Put comparisons in the order of their content."""
    return comparisons.select(content_order(comparisons))


def is_plain(comparisons: Comparisons) -> bool:
    """Say whether a comparison is two items and who won, or a tie, and nothing else."""
    more = comparisons.rater is not None or comparisons.weight is not None
    more = more or bool(comparisons.controls) or bool(comparisons.clusters)
    return not more and has_exact_sums(comparisons)


def has_exact_sums(comparisons: Comparisons) -> bool:
    """Say whether points add up without rounding, and so to the same digits in any order.

    Whole and half points do; weights and shares of other sizes do not.
    """
    halves = 2 * comparisons.outcome
    exact = bool((halves == np.rint(halves)).all())
    weight = comparisons.weight
    return exact and (weight is None or bool((weight == np.rint(weight)).all()))

"""A pilot in canonical order, and what is asked of it, checked."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any, NamedTuple

import numpy as np

from headcount import options
from headcount.data.comparisons import Comparisons
from headcount.errors import DataError, OptionError, count, option
from headcount.typing import Codes

__all__ = ["Asked", "Question", "in_order", "pilot_sizes"]

FEWEST = 10
"""Items of a pilot, at least."""
MOST_ITEMS = 10**12
MOST_COMPARISONS = 10**15
"""Items and comparisons to plan for: only their ratio to those of the pilot is computed."""
MOST_REPEATS = 100_000
"""Random sets of a size: scores of all are kept, 1 kB a set."""
MOST_VOTES = 10_000
"""Votes on an item, which are simulated."""


def in_order(comparisons: Comparisons) -> Comparisons:
    """Sort items by name and comparisons by content, so that rows may come in any order.

    O(n log n).

    Examples
    --------
    >>> made = in_order(Comparisons.from_columns("cb", "aa", ["left", "tie"]))
    >>> made.items[made.left], made.outcome
    (array(['b', 'c'], dtype=object), array([0.5, 1. ]))
    """
    names = np.argsort(comparisons.items, kind="stable")
    code = np.empty(len(names), dtype=np.int64)
    code[names] = np.arange(len(names))
    left, right = code[comparisons.left], code[comparisons.right]
    rows = np.lexsort((comparisons.weights, comparisons.outcome, right, left))
    named = replace(comparisons, items=comparisons.items[names], left=left, right=right)
    return named.select(rows)


class Asked(NamedTuple):
    """Answers of a pilot by pair: their rows, the pair of each, and how many each pair has."""

    rows: Codes
    pair: Codes
    answers: Codes

    @classmethod
    def of(cls, pilot: Comparisons) -> Asked:
        """Sort the answers of a pilot by pair. O(n log n)."""
        n = len(pilot.items)
        key = np.minimum(pilot.left, pilot.right) * n + np.maximum(pilot.left, pilot.right)
        _, pair, answers = np.unique(key, return_inverse=True, return_counts=True)
        rows = np.argsort(pair, kind="stable")
        return cls(rows, pair[rows], answers)


@dataclass(frozen=True, kw_only=True)
class Question:
    """What a plan is to answer.

    Parameters
    ----------
    items : int
        Items that are to be labelled, N.
    target_f1 : float or None
    budget : int or None
        Comparisons.
    votes : int or None
        Votes an item to compare the cost with.
    level : float
        Coverage of intervals.
    """

    items: int
    target_f1: float | None = None
    budget: int | None = None
    votes: int | None = None
    level: float = 0.95

    @classmethod
    def check(
        cls, *, items: Any, target_f1: Any, budget: Any, raters_per_item: Any, level: Any
    ) -> Question:
        """Check what the caller asked for."""
        if target_f1 is None and budget is None:
            raise OptionError(
                "nothing to plan for: give the f1 that you want "
                f"({option('target_f1', 0.8)}), the number of comparisons that you can pay for "
                f"({option('budget', 5000)}), or both."
            )
        if target_f1 is not None:
            # .5 is chance.
            target_f1 = options.number(target_f1, "target_f1", above=0.5, below=1, such_as="0.8")
        if budget is not None:
            budget = options.whole(budget, "budget", least=1, most=MOST_COMPARISONS)
        if raters_per_item is not None:
            raters_per_item = options.whole(
                raters_per_item, "raters_per_item", least=1, most=MOST_VOTES
            )
        return cls(
            items=options.whole(items, "items", least=2, most=MOST_ITEMS),
            target_f1=target_f1,
            budget=budget,
            votes=raters_per_item,
            level=options.level(level),
        )


def pilot_sizes(items: int) -> tuple[int, ...]:
    """Sizes of the sets of items to try: even, from half the pilot to all of it.

    Examples
    --------
    >>> pilot_sizes(41)
    (20, 24, 30, 34, 40)
    """
    if items < FEWEST:
        raise DataError(
            f"a pilot of {count(items, 'item')} is too small to plan from; compare at least "
            f"{FEWEST} items with each other."
        )
    wanted = np.linspace(items / 2, items, 5).astype(np.int64) // 2 * 2
    return tuple(sorted({int(n) for n in wanted}))

"""Which comparisons place an item, and which join two populations."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from headcount.data.comparisons import Comparisons
from headcount.data.vocabulary import match_ids
from headcount.errors import DataError, count, some
from headcount.pairwise.bradley_terry.result import BradleyTerry
from headcount.results.notes import Notes
from headcount.typing import Codes

__all__ = ["advice", "anchored_rows", "crossing", "winner"]

FEW = 20
"""Bridges, and FEW_ITEMS items on either side, below which a note says that they are few."""
FEW_ITEMS = 5
ONE_SIDED = 0.1
"""Share of points that one side takes of all bridges, below which a note says so."""


def anchored_rows(answers: Comparisons, reference: BradleyTerry, notes: Notes) -> dict[int, Codes]:
    """Find the comparisons of each new item with rated items of the reference.

    Comparisons with weight 0 count for nothing.
    """
    known = match_ids(answers.items, reference.items)
    left, right = known[answers.left] >= 0, known[answers.right] >= 0
    rated = np.zeros(len(answers.items), dtype=bool)
    rated[known >= 0] = reference.finite[known[known >= 0]]
    anchored = rated[answers.left] | rated[answers.right]
    used = (left ^ right) & anchored & (answers.weights > 0)
    for dropped, why in (
        (left & right, "between two items of the reference"),
        (~left & ~right, "between two new items, which only join_populations() uses"),
        ((left ^ right) & ~anchored, "with items of the reference that have no finite rating"),
    ):
        if dropped.any():
            notes.caution(f"{count(int(dropped.sum()), 'comparison')} {why}, not used.")
    if not used.any():
        raise DataError(
            f"{answers.source}: no comparison of a new item with an item of the reference, such as "
            f"{some(reference.items[reference.finite])}. Check the names."
        )
    found: dict[int, Codes] = {}
    for item in np.flatnonzero(known < 0).tolist():
        rows = np.flatnonzero(used & ((answers.left == item) | (answers.right == item)))
        if len(rows):
            found[item] = rows
        else:
            notes.caution(
                f"'{answers.items[item]}' met no item of the reference, so is not placed."
            )
    return found


def crossing(
    a: Comparisons, b: Comparisons, bridges: Comparisons, notes: Notes
) -> tuple[Comparisons, float]:
    """Turn bridges so that the item of a is on the left; and the share of points these take."""
    shared = match_ids(b.items, a.items) >= 0
    if shared.any():
        raise DataError(
            f"{some(b.items[shared])} in both populations. Items in common join them by "
            "themselves: put all comparisons into one file and rate them together."
        )
    of_a, of_b = match_ids(bridges.items, a.items), match_ids(bridges.items, b.items)
    unknown = (of_a < 0) & (of_b < 0)
    if unknown.any():
        raise DataError(
            f"{bridges.source}: {some(bridges.items[unknown])} in neither population. Check the "
            "names."
        )
    in_a = of_a >= 0
    between = in_a[bridges.left] != in_a[bridges.right]
    if not between.all():
        inside = count(int(np.sum(~between)), "comparison")
        notes.caution(f"{inside} of {bridges.source} within one population, not used.")
    used = bridges.select(between)
    if not len(used):
        raise DataError(
            f"{bridges.source}: no comparison of an item of one population with one of the other."
        )
    flipped = ~in_a[used.left]
    used = replace(
        used,
        left=np.where(flipped, used.right, used.left),
        right=np.where(flipped, used.left, used.right),
        outcome=np.where(flipped, 1 - used.outcome, used.outcome),
    )
    won = float(np.sum(used.weights * used.outcome) / np.sum(used.weights))
    _tell(used, won, notes)
    return used, won


def _tell(used: Comparisons, won: float, notes: Notes) -> None:
    """Say if bridges are few, or if one side took nearly all points."""
    n_a, n_b = len(np.unique(used.left)), len(np.unique(used.right))
    if len(used) < FEW or min(n_a, n_b) < FEW_ITEMS:
        notes.warning(
            f"Few bridges: {len(used):,} between {count(n_a, 'item')} and {count(n_b, 'item')}. "
            f"{FEW} between {FEW_ITEMS} items of each make the shift less a matter of single items."
        )
    if 0 < min(won, 1 - won) < ONE_SIDED:
        notes.warning(
            f"One-sided bridges: {winner(won)} took {max(won, 1 - won):.0%} of the points, so "
            f"that few answers fix the shift. {advice(won)}"
        )


def winner(won: float) -> str:
    """Name the population that took more of the points."""
    return "the first population" if won > 0.5 else "the second population"


def advice(won: float) -> str:
    """Say which comparisons would tell more."""
    strong, weak = ("second", "first") if won > 0.5 else ("first", "second")
    return f"Compare strong items of the {strong} with weak ones of the {weak}."

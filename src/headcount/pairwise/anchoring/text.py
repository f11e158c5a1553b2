"""Items placed and populations joined, in words."""

from __future__ import annotations

import numpy as np

from headcount.errors import count, percent
from headcount.pairwise.anchoring.records import JoinedRecord, PlacementRecord
from headcount.results.text import ALL, Page, Table
from headcount.typing import Floats

__all__ = ["joined_page", "placement_page"]

SHOWN = 30
"""Rows of a table, at most."""


def placement_page(found: PlacementRecord) -> Page:
    """Say where items came out, best first."""
    head = ["item", "rating", "interval", f"rank among {found.reference:,}", "ranks", "n"]
    body = [
        [
            str(each.item),
            each.rating.show(each.rating.value),
            each.rating.interval(),
            f"{each.rank.value:.0f}",
            each.rank.interval(0),
            f"{each.answers:,}",
        ]
        for each in found.items[:SHOWN]
    ]
    headline = (
        f"{count(len(found.items), 'item')} placed among {count(found.reference, 'rated item')}."
    )
    foot = (
        f"Ratings in logits, on the scale of the reference; {percent(found.provenance.level or 0)} "
        "intervals; n is the number of comparisons with it."
    )
    return Page([headline], [Table(head, body, more=_more(len(found.items)))], [foot])


def joined_page(found: JoinedRecord) -> Page:
    """Say how far the populations lie apart, and how all items compare."""
    body = [
        [name, f"{len(items):,}", f"{np.isfinite(rating).sum():,}", *_spread(rating)]
        for name, items, rating in (
            ("a", found.items_a, found.rating_a),
            ("b", found.items_b, found.rating_b),
        )
    ]
    head = ["population", "items", "rated", "mean", "lowest", "highest"]
    names = [*map(str, found.items_a), *map(str, found.items_b)]
    rating = np.concatenate([found.rating_a, found.rating_b])
    of = ["a"] * len(found.items_a) + ["b"] * len(found.items_b)
    best = np.argsort(-rating, kind="stable")  # NaN comes last
    rows: list[list[str]] = [
        [names[k], of[k], f"{rating[k]:.3f}" if np.isfinite(rating[k]) else "not finite"]
        for k in best[:SHOWN].tolist()
    ]
    how = "each rated on its own and kept" if found.held else "all comparisons fitted together"
    foot = (
        f"{count(found.bridges, 'bridge')}, of whose points the first population took "
        f"{found.won_by_a:.0%}; {how}. Ratings in logits, on the scale of the first population."
    )
    table = Table(["item", "population", "rating"], rows, more=_more(len(names)))
    return Page([_shift(found)], [Table(head, body), table], [foot])


def _shift(found: JoinedRecord) -> str:
    shift = found.shift
    if shift.undefined is not None:
        return f"The populations cannot be put on one scale: {shift.undefined}."
    side = "above" if shift.value >= 0 else "below"
    return (
        f"Items of the second population lie {abs(shift.value):.3f} logits {side} those of the "
        f"first on average (shift {shift.show(shift.value)}, {percent(shift.level or 0)} interval "
        f"{shift.interval()})."
    )


def _spread(rating: Floats) -> list[str]:
    finite = rating[np.isfinite(rating)]
    if not len(finite):
        return ["", "", ""]
    return [f"{round(float(x), 3) + 0.0:.3f}" for x in (finite.mean(), finite.min(), finite.max())]


def _more(rows: int) -> str:
    rest = rows - SHOWN
    return f"and {rest:,} more{ALL}" if rest > 0 else ""

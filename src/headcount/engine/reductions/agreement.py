"""Ratings for agreement: counted by label pattern, rater and label."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from headcount.data.labels import Labels
from headcount.data.reduced import labels_of_cells
from headcount.engine.engines.parts import added, together
from headcount.engine.ratings.rated import Rated
from headcount.errors import option
from headcount.typing import Codes

__all__ = ["MOST_CELLS", "count_ratings"]

MOST_PATTERNS = 2_000_000
"""Label patterns that may come back."""
MOST_CELLS = 10_000_000
"""Cells of pattern, rater and label that may come back: 160 MB."""


def count_ratings(rated: Rated, *, raters: bool = True) -> Labels:
    """Count ratings in the database, by what agreement needs of them.

    Two groupings: items by how often they were given each label; ratings by that pattern, rater
    and label. No item is joined with itself. O(ratings), and O(cells) comes back.

    Parameters
    ----------
    rated : Rated
    raters : bool
        Whether it matters who rated. Without, cells are of patterns and labels.
    """
    return rated.rows.within_memory(lambda: _counted(rated, raters=raters))


def _counted(rated: Rated, *, raters: bool) -> Labels:
    """Count them, in parts if they are in parts."""
    engine, q = rated.engine, len(rated.scale)
    names = ", ".join(f"n{code}" for code in range(q))
    items = {
        where: engine.keep(f"counted_items_{i}", rated.counts(where=where))
        for i, where in enumerate(rated.rows.conditions)
    }
    every_item = together([f"SELECT * FROM {part}" for part in items.values()])
    patterns = engine.keep(
        "label_patterns",
        f"SELECT {names}, count(*) AS items, row_number() OVER (ORDER BY {names}) - 1 AS pattern "
        f"FROM ({every_item}) AS counted_items GROUP BY {names}",
    )
    found = engine.rows(
        f"SELECT {names}, items, pattern FROM {patterns}",
        what=f"label patterns in {rated.source}",
        most=MOST_PATTERNS,
        advice=f"Check that the label column is the right one ({option('label', ...)}), or put "
        "labels into fewer groups.",
    )
    order = np.argsort(found["pattern"])
    item_times = found["items"][order].astype(np.int64)
    counts = np.stack([found[f"n{code}"] for code in range(q)], axis=1)[order].astype(np.int64)
    who: tuple[Codes, list[str]] | None = None
    if rated.anonymous or not raters:
        pattern, label = np.nonzero(counts)
        times = counts[pattern, label] * item_times[pattern]
    else:
        key, times, people = _by_rater(rated, items, patterns, q)
        label, rest = key % q, key // q
        who, pattern = (rest % len(people), people), rest // len(people)
    made = labels_of_cells(
        pattern,
        who,
        (label, rated.scale.labels),
        times,
        item_times,
        scale=rated.scale,
        source=rated.source,
        notes=rated.notes,
        sources=rated.sources,
        dropped=rated.dropped,
        backend=rated.backend,
    )
    if who is None and not rated.anonymous:
        return replace(made, anonymous=False, counted_raters=rated.n_raters)
    return made


def _by_rater(
    rated: Rated, items: dict[str, str], patterns: str, q: int
) -> tuple[Codes, Codes, list[str]]:
    """Count ratings by pattern, rater and label, which come back as one number."""
    engine = rated.engine
    known = engine.keep(
        "known_raters",
        "SELECT rater, row_number() OVER (ORDER BY rater) - 1 AS place FROM "
        f"(SELECT DISTINCT rater FROM ({rated.ratings}) AS ratings) AS each_rater",
    )
    fixed = option("raters", "fixed")
    listed = engine.rows(
        f"SELECT rater, place FROM {known}",
        what=f"raters in {rated.source}",
        most=MOST_CELLS,
        advice=f"For intervals for these raters alone, say {fixed}.",
    )
    order = np.argsort(listed["place"])
    people = [str(one) for one in listed["rater"][order].tolist()]
    same = " AND ".join(f"counted_items.n{code} = label_patterns.n{code}" for code in range(q))

    def counted(where: str) -> str:
        ratings = f"SELECT * FROM ({rated.every}) AS every WHERE label IS NOT NULL AND {where}"
        placed = (
            f"SELECT item, pattern FROM (SELECT * FROM {items[where]}) AS counted_items JOIN "
            f"{patterns} ON {same}"
        )
        return (
            "SELECT placed.pattern AS pattern, ratings.rater AS rater, ratings.label AS label, "
            f"count(*) AS n FROM ({ratings}) AS ratings JOIN ({placed}) AS placed ON ratings.item "
            "= placed.item GROUP BY placed.pattern, ratings.rater, ratings.label"
        )

    cells = added(rated.rows.grouped("rated_cells", counted), "pattern, rater, label", "n")
    found = engine.rows(
        f"SELECT (CAST(pattern AS BIGINT) * {len(people)} + place) * {q} + label AS cell, n FROM "
        f"({cells}) AS cells JOIN {known} ON cells.rater = known_raters.rater",
        what=f"cells of label pattern, rater and label in {rated.source}",
        most=MOST_CELLS,
        advice=f"For intervals for these raters alone, say {fixed}; or give some items only.",
    )
    return found["cell"].astype(np.int64), found["n"].astype(np.int64), people

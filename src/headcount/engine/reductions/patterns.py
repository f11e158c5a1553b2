"""Label patterns: items that received the same number of each label, counted together."""

from __future__ import annotations

import numpy as np

from headcount.engine.engines.parts import added
from headcount.engine.ratings.rated import Rated
from headcount.errors import option
from headcount.stats.grouping import group_rows
from headcount.typing import Codes

__all__ = ["MOST_PATTERNS", "patterns_of"]

MOST_PATTERNS = 2_000_000
"""Patterns, or cells of pattern and prediction, that may come back."""


def patterns_of(rated: Rated) -> tuple[Codes, Codes]:
    """Count items by their label counts, in the database.

    Returns
    -------
    patterns : (patterns, labels) array of int
        In lexicographic order; items without a rating are one of them.
    multiplicity : (patterns,) array of int
        How many items show each.
    """
    names = [f"n{code}" for code in range(len(rated.scale))]
    listed = ", ".join(names)

    def counted(where: str) -> str:
        items = rated.counts(where=where)
        return f"SELECT {listed}, count(*) AS items FROM ({items}) AS counted GROUP BY {listed}"

    found = rated.rows.within_memory(
        lambda: rated.engine.rows(
            added(rated.rows.grouped("counted", counted), listed, "items"),
            what=f"label patterns in {rated.source}",
            most=MOST_PATTERNS,
            advice=f"Check that the label column is the right one ({option('label', ...)}), or put "
            "labels into fewer groups.",
        )
    )
    patterns = np.stack([found[name] for name in names], axis=1).astype(np.int64)
    first, _ = group_rows(patterns.T)  # engines give rows in any order
    return patterns[first], found["items"][first].astype(np.int64)

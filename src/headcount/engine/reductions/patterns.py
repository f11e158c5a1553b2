"""Label patterns: items that received the same number of each label, counted together."""

from __future__ import annotations

import numpy as np

from headcount.engine.engines.parts import within_memory
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
    found = within_memory(
        rated.engine,
        "counted",
        lambda where: rated.counts(where=where),
        lambda counted: rated.engine.rows(
            f"SELECT {listed}, count(*) AS items FROM ({counted}) AS counted GROUP BY {listed}",
            what=f"label patterns in {rated.source}",
            most=MOST_PATTERNS,
            advice=f"Check that the label column is the right one ({option('label', ...)}), or put "
            "labels into fewer groups.",
        ),
    )
    patterns = np.stack([found[name] for name in names], axis=1).astype(np.int64)
    first, _ = group_rows(patterns.T)  # engines give rows in any order
    return patterns[first], found["items"][first].astype(np.int64)

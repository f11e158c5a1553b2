"""Small tables to run functions on."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

__all__ = ["sample_comparisons", "sample_predictions", "sample_ratings"]


def sample_ratings(*, items: int = 40, raters: int = 5, seed: int = 0) -> dict[str, list[Any]]:
    """Make a small table of ratings, long and in no order: item, rater, label (1 to 3).

    Examples
    --------
    >>> sorted(sample_ratings())
    ['item', 'label', 'rater']
    """
    rng = np.random.default_rng(seed)
    ease = rng.normal(size=items)
    rows: list[tuple[Any, ...]] = [
        (f"q{item}", f"r{rater}", int(1 + (noise > -0.5) + (noise > 0.5)))
        for item in range(items)
        for rater, noise in enumerate(ease[item] + rng.normal(scale=0.7, size=raters))
        if rng.random() > 0.15
    ]
    rows = [rows[row] for row in rng.permutation(len(rows)).tolist()]
    return _columns(["item", "rater", "label"], rows)


def sample_predictions(*, items: int = 40, seed: int = 1) -> dict[str, list[Any]]:
    """Make a small table of predictions, long: a soft and a hard classifier of the same items."""
    rng = np.random.default_rng(seed)
    rows: list[tuple[Any, ...]] = []
    for item in rng.permutation(items).tolist():
        share = rng.dirichlet([2, 2, 2]).round(3)
        share[2] = 1 - share[0] - share[1]
        rows += [
            (f"q{item}", "lm", label, float(p)) for label, p in enumerate(share.tolist(), start=1)
        ]
        rows.append((f"q{item}", "judge", int(1 + share.argmax()), None))
    return _columns(["item", "classifier", "label", "probability"], rows)


def sample_comparisons(
    *, items: int = 8, comparisons: int = 120, raters: int = 6, seed: int = 2
) -> dict[str, list[Any]]:
    """Make a small table of comparisons: left, right, outcome (with ties), rater."""
    rng = np.random.default_rng(seed)
    rating = rng.normal(size=items)
    rows: list[tuple[Any, ...]] = []
    for _ in range(comparisons):
        left, right = rng.choice(items, size=2, replace=False).tolist()
        chance = 1 / (1 + math.exp(rating[right] - rating[left]))
        won = "left" if rng.random() < chance else "right"
        outcome = "tie" if rng.random() < 0.1 else won
        rows.append((f"m{left}", f"m{right}", outcome, f"r{rng.integers(raters)}"))
    return _columns(["left", "right", "outcome", "rater"], rows)


def _columns(names: Sequence[str], rows: Sequence[Sequence[Any]]) -> dict[str, list[Any]]:
    return {name: [row[place] for row in rows] for place, name in enumerate(names)}

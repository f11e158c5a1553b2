"""How the answer moves with the largest survey, which decides what items are used."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from headcount.data.predictions import Predictions
from headcount.engine.reductions.cells import AnyRatings
from headcount.equivalence.inputs.choices import Choices, Kinds
from headcount.equivalence.prepare import Prepared, prepare
from headcount.equivalence.surveys.choice import largest_supported
from headcount.equivalence.surveys.crossing import crossings
from headcount.equivalence.surveys.exact import Exact
from headcount.equivalence.surveys.surveys import count_surveys
from headcount.equivalence.worth.estimates import FEW
from headcount.errors import option
from headcount.results.notes import Notes
from headcount.stats.estimate import Estimate

__all__ = ["note_moves"]

MOST_ITEMS = 50_000
MOST_OUTCOMES = 200_000
"""Items, and outcomes of surveys, up to which the answer is found again."""
MOST_NAMES = 2
ENOUGH = 50
"""Items that the largest of the other surveys should serve."""


def note_moves(
    labels: AnyRatings,
    predictions: Predictions | None,
    kinds: Kinds,
    choices: Choices,
    used: Prepared,
    seed: int,
) -> str | None:
    """Say what classifiers are worth on the items that serve smaller and larger surveys.

    None where all items have as many ratings, so that no item depends on the size.
    """
    if predictions is None or used.amateurs is not None or labels.n_items > MOST_ITEMS:
        return None
    # Of items that can be scored: what no classifier predicts serves no survey.
    ratings = np.concatenate([used.counts.sum(axis=1), used.short.sum(axis=1)])
    if used.weight is not None and used.short_weight is not None:
        ratings = np.repeat(ratings, np.concatenate([used.weight, used.short_weight]))
    most = int(ratings.max()) - choices.reference.raters
    # Half as large, twice, and the largest of which enough items can tell something.
    far = int(np.sort(ratings)[-min(ENOUGH, len(ratings))]) - choices.reference.raters
    sizes = {max(1, used.max_k // 2), min(2 * used.max_k, most), max(far, used.max_k)}
    sizes = sorted(sizes - {used.max_k})
    if int(ratings.min()) == int(ratings.max()) or not sizes:
        return None
    said = [
        text
        for k in sizes
        if (text := _worth(labels, predictions, kinds, replace(choices, max_k=k), seed, used.max_k))
    ]
    if not said:
        return None
    n = len(used.classifiers)
    whose = f" (the first {MOST_NAMES} of {n} classifiers)" if n > MOST_NAMES else ""
    return f"how the answer moves with {option('max_k')}{whose}: {'; '.join(said)}."


def _worth(
    labels: AnyRatings,
    predictions: Predictions,
    kinds: Kinds,
    choices: Choices,
    seed: int,
    used: int,
) -> str | None:
    """Tell the worth of the first classifiers with another largest survey than was used."""
    rng = np.random.default_rng(seed)
    prepared = prepare(labels, predictions, kinds, choices, rng=rng, notes=Notes())
    if prepared.items_used < FEW:
        return None
    design = prepared.design(kinds.combiner, kinds.scorer, seed)
    pool = design.pools[0]
    if count_surveys(pool.pool.patterns, pool.max_k).sum() > MOST_OUTCOMES:
        return None
    scoring = Exact(design)
    if largest_supported(scoring, design) < prepared.max_k:
        return None
    scores = scoring.observed()
    worth = crossings(np.maximum.accumulate(scores.curves[0], axis=1), scores.classifiers)[0]
    if prepared.max_k < used and not np.isfinite(worth[:MOST_NAMES]).any():
        return None  # beyond surveys that are smaller, which tells nothing
    names = [c.name for c in prepared.classifiers][:MOST_NAMES]
    parts = [
        f"{name} {_shown(value, prepared.max_k)}"
        for name, value in zip(names, worth.tolist(), strict=False)
    ]
    return f"{prepared.max_k} ({prepared.items_used:,} items): {', '.join(parts)}"


def _shown(value: float, max_k: int) -> str:
    return Estimate(value, bounds=(0, max_k)).show(value, 2)

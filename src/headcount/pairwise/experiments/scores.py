"""How well labels agree with true ones, in one run and over many."""

from __future__ import annotations

import math
from collections.abc import Mapping

import numpy as np

from headcount.errors import count
from headcount.results.notes import Notes
from headcount.stats.estimate import Estimate
from headcount.stats.intervals.from_draws import OVER_RUNS
from headcount.stats.intervals.no_interval import ONE_RUN
from headcount.typing import Flags, Floats

__all__ = ["SCORES", "defined", "over_runs", "score_labels", "standard_error", "tell_undefined"]

SCORES = ("f1", "f1_negative", "accuracy", "bias")


def score_labels(label: Flags, truth: Flags, feature: Flags) -> Floats:
    """Score labels against true ones, as :data:`SCORES` has them; NaN where undefined.

    Examples
    --------
    >>> truth = np.array([True, True, False, False])
    >>> score_labels(np.array([True, False, False, False]), truth, truth).round(3)
    array([ 0.667,  0.8  ,  0.75 , -0.5  ])
    """
    both = int(np.sum(label & truth))
    wrong = int(np.sum(label != truth))
    neither = len(truth) - both - wrong
    shown = int(feature.sum())
    gap = int(label[feature].sum()) - int(truth[feature].sum())
    return np.array(
        [
            2 * both / (2 * both + wrong) if both + wrong else math.nan,
            2 * neither / (2 * neither + wrong) if neither + wrong else math.nan,
            1 - wrong / len(truth),
            gap / shown if shown else math.nan,
        ]
    )


def defined(values: Floats) -> Floats:
    """Keep the scores of the runs in which there is one."""
    return values[np.isfinite(values)]


def over_runs(values: Floats, level: float) -> Estimate:
    """Mean of what is defined, and the percentiles that hold `level` of it."""
    kept = defined(values)
    if not len(kept):
        return Estimate(math.nan, undefined="no item has the label or the discriminatory feature")
    mean = float(kept.mean())
    if len(kept) == 1:
        return Estimate(mean, method=ONE_RUN.name)
    return Estimate.from_draws(mean, kept, level=level, method=OVER_RUNS)


def standard_error(values: Floats) -> float | None:
    """Compute the standard error of a mean over runs; None for one run."""
    kept = defined(values)
    return float(kept.std(ddof=1)) / math.sqrt(len(kept)) if len(kept) > 1 else None


def tell_undefined(scores: Mapping[str, Floats], notes: Notes) -> None:
    """Say in how many runs a score is undefined."""
    undefined = np.any([np.isnan(found).any((1, 2)) for found in scores.values()], axis=0)
    if undefined.any():
        notes.caution(
            f"a score is undefined in {int(undefined.sum()):,} of "
            f"{count(len(undefined), 'run')}, where no item has the label or the discriminatory "
            "feature; means leave them out. Simulate more items."
        )

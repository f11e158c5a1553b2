"""Classifiers against each other and against surveys, from common bootstrap draws."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import combinations

import numpy as np

from headcount.stats.estimate import Estimate
from headcount.typing import Floats

__all__ = ["Comparison", "compare", "p_beats"]


@dataclass(frozen=True)
class Comparison:
    """How two classifiers compare.

    Parameters
    ----------
    a, b : str
        Names of the classifiers.
    raters : Estimate
        How many raters more a is worth than b. Where one of them is censored, so is this; where
        both are on the same side it is undefined.
    p_a_better : float or None
        Share of bootstrap samples in which a scores higher than b; ties count half. None without
        them.
    """

    a: str
    b: str
    raters: Estimate
    p_a_better: float | None


def compare(
    names: Sequence[str],
    worth: Floats,
    worth_drawn: Floats,
    scores_drawn: Floats,
    *,
    max_k: int,
    level: float,
) -> tuple[Comparison, ...]:
    """Compare every two classifiers.

    Parameters
    ----------
    names : sequence of str
    worth : (classifiers,) array
        Equivalences; infinite where censored.
    worth_drawn, scores_drawn : (draws, classifiers) arrays
        The same, and scores, of common bootstrap draws.
    max_k : int
        Largest survey.
    level : float
        Coverage of the intervals.
    """
    out: list[Comparison] = []
    for a, b in combinations(range(len(names)), 2):
        low, high = _difference(worth[[a]], worth[[b]], max_k)
        lead = scores_drawn[:, a] - scores_drawn[:, b]
        drawn = _as_scores_say(_difference(worth_drawn[:, a], worth_drawn[:, b], max_k), lead)
        better = _share_above(scores_drawn[:, a], scores_drawn[:, b])
        raters = _estimate((float(low[0]), float(high[0])), drawn, max_k=max_k, level=level)
        out.append(Comparison(names[a], names[b], raters, better))
    return tuple(out)


def p_beats(score_drawn: Floats, curves_drawn: Floats) -> tuple[float, ...] | None:
    """Share of draws in which a classifier scores higher than k raters, k = 0, 1, 2 ..."""
    if not len(score_drawn):
        return None
    shares = [_share_above(score_drawn, curve) for curve in curves_drawn.T]
    return tuple(share for share in shares if share is not None)


def _share_above(a: Floats, b: Floats) -> float | None:
    if not len(a):
        return None
    return float(np.count_nonzero(a > b) + np.count_nonzero(a == b) / 2) / len(a)


def _difference(a: Floats, b: Floats, max_k: int) -> tuple[Floats, Floats]:
    """Smallest and largest difference that censored equivalences allow."""
    # Below 0 means somewhere in (-inf, 0); above max_k somewhere in (max_k, inf).
    a_low, a_high = np.where(a == np.inf, max_k, a), np.where(a == -np.inf, 0, a)
    b_low, b_high = np.where(b == np.inf, max_k, b), np.where(b == -np.inf, 0, b)
    return a_low - b_high, a_high - b_low


def _as_scores_say(ends: tuple[Floats, Floats], lead: Floats) -> tuple[Floats, Floats]:
    """Let who scores less never be worth more, where both are censored on the same side."""
    low, high = ends
    return np.where(lead >= 0, np.maximum(low, 0), low), np.where(
        lead <= 0, np.minimum(high, 0), high
    )


def _estimate(
    ends: tuple[float, float], drawn: tuple[Floats, Floats], *, max_k: int, level: float
) -> Estimate:
    """Estimate a difference from its smallest and largest value, in the data and in draws."""
    low, high = ends
    if math.isinf(low) and math.isinf(high):
        return Estimate(math.nan, undefined="both are censored on the same side")
    value = low if low == high else math.inf if math.isinf(high) else -math.inf
    bounds = (
        high if math.isfinite(high) and low != high else -float(max_k),
        low if math.isfinite(low) and low != high else float(max_k),
    )
    below, above = (Estimate.from_draws(value, each, level=level) for each in drawn)
    return replace(below, high=above.high, bounds=bounds)

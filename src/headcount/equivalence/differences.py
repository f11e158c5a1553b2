"""Classifiers against each other and against surveys, from common bootstrap draws."""

from __future__ import annotations

import math
from dataclasses import dataclass
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
        Share of bootstrap draws in which a scores higher than b; ties count half. None without
        draws.
    """

    a: str
    b: str
    raters: Estimate
    p_a_better: float | None


def compare(
    names: list[str],
    worth: Floats,
    worth_drawn: Floats,
    scores_drawn: Floats,
    *,
    max_k: int,
    level: float,
) -> list[Comparison]:
    """Compare every two classifiers.

    Parameters
    ----------
    names : list of str
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
        low_drawn, high_drawn = _difference(worth_drawn[:, a], worth_drawn[:, b], max_k)
        better = _share_above(scores_drawn[:, a], scores_drawn[:, b])
        raters = _estimate(float(low[0]), float(high[0]), low_drawn, high_drawn, max_k, level)
        out.append(Comparison(names[a], names[b], raters, better))
    return out


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


def _estimate(
    low: float, high: float, low_drawn: Floats, high_drawn: Floats, max_k: int, level: float
) -> Estimate:
    undefined = None
    value = low if low == high else math.inf if math.isinf(high) else -math.inf
    bounds = (
        high if math.isfinite(high) and low != high else -float(max_k),
        low if math.isfinite(low) and low != high else float(max_k),
    )
    if math.isinf(low) and math.isinf(high):
        undefined, value, bounds = "both are censored on the same side", math.nan, None
    ends = [Estimate.from_draws(value, drawn, level=level) for drawn in (low_drawn, high_drawn)]
    if undefined:
        return Estimate(value, undefined=undefined)
    return Estimate(value, ends[0].low, ends[1].high, ends[0].level, ends[0].method, bounds)

"""Phi's result, from plain arrays: which likelihood, which prior, and what to say of the cases."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np

from headcount.agreement.phi.items import binned, compress, continuous, group, mirror, moments
from headcount.agreement.phi.model import log_likelihood
from headcount.agreement.phi.mu import RatedItems
from headcount.agreement.phi.posterior import MOST_P, Posterior, posterior
from headcount.agreement.phi.prior import Priors
from headcount.agreement.phi.result import PhiResult
from headcount.agreement.phi.scale import PhiScale
from headcount.stats.estimate import Estimate
from headcount.typing import Codes, Floats, Ids

__all__ = ["fit", "undefined"]


UNIFORM = 1 / math.sqrt(3)
"""Spread of a central value that may be anywhere: k = 2."""
LEAST_SD = 1 / 500
"""Standard deviation of a gold prior, at least: nodes must be as close as that."""
HOW = "highest posterior density"


def fit(
    result: PhiResult,
    ids: Ids,
    item: Codes,
    x: Floats,
    truth: Floats,
    gold_sd: float,
    scale: PhiScale,
    level: float,
) -> PhiResult:
    """Fill in a result.

    Parameters
    ----------
    result : PhiResult
        What is known already: method, sizes and notes.
    ids : (items,) array
    item : (ratings,) array of int
        Item of each rating; each item has two or more.
    x : (ratings,) array
        Ratings, in units of the labels.
    truth : (items,) array
        Known central values, nan where there is none.
    gold_sd : float
        Standard deviation of their priors, in units of the labels.
    scale : PhiScale
    level : float
    """
    unit = scale.unit(x)
    has_gold = bool(np.isfinite(truth).any())
    example = np.empty(len(truth))
    example[item] = x
    unanimous = not has_gold and bool((example[item] == x).all())
    paper = result.method == "paper"
    if unanimous and (paper or scale.points == 2):
        # Under a flat prior on p nothing bounds it, and two points say nothing of it.
        one = Estimate(1.0, 1.0, 1.0, level, HOW) if paper else Estimate(1.0, level=level)
        return _unanimous(replace(result, estimate=one, map=1.0, p_positive=1.0))
    if scale.points == 2 and not paper:
        return undefined(
            result,
            "not identified on a scale of two points, where raters who agree on each item and "
            "raters who are torn alike over all of them give the same ratings; use a kappa or "
            "Krippendorff's alpha",
        )
    in_units = truth if not has_gold else scale.unit(truth)
    if scale.binned and not paper:
        points = scale.points or 0
        patterns, pattern = binned(item, scale.point(x), in_units, points=points)
        product = 0.0
    else:
        points = None if paper else scale.points
        patterns, product = continuous(item, unit, in_units, points=points)
        pattern = None
    sd = max(gold_sd * scale.unit_size, LEAST_SD)
    groups = group(compress(mirror(patterns)), sd)

    def surface(p: float, priors: Priors, step: float) -> Floats:
        return log_likelihood(groups, p, priors, log_product=product, step=step)

    fixed = paper or unanimous or bool(np.isfinite(truth).all())
    found = posterior(
        surface,
        flat="p" if paper else "phi",
        start=moments(item, unit, points=points),
        spread=UNIFORM if fixed else None,
    )
    low, high = found.highest(level)
    filled = replace(
        result,
        estimate=Estimate(found.mean, low, high, level, HOW),
        map=found.mode,
        p_positive=found.above_zero,
        spread=None if fixed else found.mean_spread,
        posterior=found,
        rated=RatedItems(ids, patterns, pattern, item, unit, sd, scale),
    )
    if unanimous:
        one = Estimate(1.0, low, 1.0, level, HOW)
        return _unanimous(replace(filled, estimate=one, map=1.0))
    most = int(patterns.n.max())
    return replace(filled, notes=(*result.notes, *_warnings(filled, most, found)))


def _unanimous(result: PhiResult) -> PhiResult:
    note = "Phi: the raters of every item agree in full, so Phi is 1 by definition; " + (
        "nothing in the data bounds its precision."
        if result.posterior is None
        else "its interval rests on a uniform prior of the central values."
    )
    return replace(result, unanimous=True, notes=(*result.notes, note))


def undefined(result: PhiResult, why: str) -> PhiResult:
    """Say why a result has no value."""
    return replace(result, estimate=Estimate(math.nan, undefined=why))


def _warnings(result: PhiResult, most: int, found: Posterior) -> list[str]:
    notes: list[str] = []
    unbiased = result.method == "unbiased"
    if result.items_used == 1:
        notes.append(
            "Phi: only one item, which a precision of its own may fit too well; rely on the "
            "interval alone."
        )
    if most == 2:
        notes.append(
            "Phi: no item has more than two ratings, from which little is learned of each item's "
            "central value"
            + ("; with few items the mean is pulled towards 0 (see map)." if unbiased else ".")
        )
    if result.method == "paper":
        notes.append(
            "Phi: method 'paper' is the published model, which is far off: upwards where raters "
            "are few, downwards on few points with many raters. Method 'unbiased' is not."
        )
    if float(found.joint[-1].sum()) > 1e-6 and found.p[-1] >= 0.99 * MOST_P:
        notes.append(
            f"Phi: the precision is beyond {MOST_P:,.0f}, where Phi is 1 to all digits; intervals "
            "of central values are too wide."
        )
    return notes

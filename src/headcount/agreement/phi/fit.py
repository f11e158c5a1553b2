"""Phi from plain arrays: which likelihood, which prior, and what to say of the cases."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np

from headcount.agreement.phi.items import (
    Patterns,
    binned,
    compress,
    continuous,
    group,
    mirror,
    moments,
)
from headcount.agreement.phi.methods import Method
from headcount.agreement.phi.model import log_likelihood
from headcount.agreement.phi.mu import RatedItems
from headcount.agreement.phi.posterior import MOST_P, Posterior, posterior
from headcount.agreement.phi.prepare import Prepared
from headcount.agreement.phi.prior import Priors
from headcount.agreement.phi.records import PhiFit
from headcount.results.notes import Notes
from headcount.stats.estimate import Estimate
from headcount.stats.intervals.from_model import HIGHEST_DENSITY
from headcount.typing import Floats

__all__ = ["fit"]


UNIFORM = 1 / math.sqrt(3)
"""Spread of a central value that may be anywhere: k = 2."""
LEAST_SD = 1 / 500
"""Standard deviation of a gold prior, at least: nodes must be as close as that."""
TWO_POINTS = (
    "not identified on a scale of two points, where raters who agree on each item and raters who "
    "are torn alike over all of them give the same ratings; use a kappa or Krippendorff's alpha"
)


def fit(data: Prepared, method: Method, level: float, notes: Notes) -> PhiFit:
    """Find Phi with its posterior; or why it has none.

    Parameters
    ----------
    data : Prepared
    method : Method
    level : float
        Probability of the highest-density interval.
    notes : Notes
        Takes what a reader should know.
    """
    if not len(data.item):
        return _undefined("no item has two ratings, so nobody can agree with anybody")
    scale = data.scale
    two_points = scale.points == 2 and method.intervals
    if data.unanimous and (two_points or not method.intervals):
        # Under a flat prior on p nothing bounds it, and two points say nothing of it.
        _note_unanimous(notes, bounded=False)
        one = Estimate(1.0, level=level)
        if not two_points:
            one = replace(one, low=1.0, high=1.0, method=HIGHEST_DENSITY.name)
        return PhiFit(estimate=one, map=1.0, p_positive=1.0, unanimous=True)
    if two_points:
        return _undefined(TWO_POINTS)
    return _fit(data, method, level, notes)


def _fit(data: Prepared, method: Method, level: float, notes: Notes) -> PhiFit:
    scale, item = data.scale, data.item
    unit = scale.unit(data.x)
    truth = scale.unit(data.truth)
    points = scale.points if method.intervals else None
    pattern = None
    if scale.binned and method.intervals:
        patterns, pattern = binned(item, scale.point(data.x), truth, points=scale.points or 0)
        product = 0.0
    else:
        patterns, product = continuous(item, unit, truth, points=points)
    sd = max(data.gold_sd * scale.unit_size, LEAST_SD)
    groups = group(compress(mirror(patterns)), sd)

    def surface(p: float, priors: Priors, step: float) -> Floats:
        return log_likelihood(groups, p, priors, log_product=product, step=step)

    fixed = not method.learned or data.unanimous or bool(np.isfinite(truth).all())
    found = posterior(
        surface,
        flat_in_p=method.flat_in_p,
        start=moments(item, unit, points=points),
        spread=UNIFORM if fixed else None,
    )
    how = HIGHEST_DENSITY.name
    low, high = found.highest(level)
    if data.unanimous:
        _note_unanimous(notes, bounded=True)
        estimate = Estimate(1.0, low=low, high=1.0, level=level, method=how)
    else:
        _note_doubts(notes, method, patterns, found)
        estimate = Estimate(
            found.mean, low=low, high=high, level=level, method=HIGHEST_DENSITY.name
        )
    return PhiFit(
        estimate=estimate,
        map=1.0 if data.unanimous else found.mode,
        p_positive=found.above_zero,
        unanimous=data.unanimous,
        spread=None if fixed else found.mean_spread,
        posterior=found,
        rated=RatedItems(
            ids=data.ids,
            patterns=patterns,
            pattern=pattern,
            item=item,
            unit=unit,
            gold_sd=sd,
            scale=scale,
        ),
    )


def _undefined(why: str) -> PhiFit:
    return PhiFit(estimate=Estimate(math.nan, undefined=why))


def _note_unanimous(notes: Notes, *, bounded: bool) -> None:
    notes.caution(
        "Phi: the raters of every item agree in full, so Phi is 1 by definition; "
        + (
            "its interval rests on a uniform prior of the central values."
            if bounded
            else "nothing in the data bounds its precision."
        )
    )


def _note_doubts(notes: Notes, method: Method, patterns: Patterns, found: Posterior) -> None:
    if patterns.weight.sum() == 1:
        notes.warning(
            "Phi: only one item, which a precision of its own may fit too well; rely on the "
            "interval alone, or have more items rated."
        )
    if patterns.n.max() == 2:
        pulled = "; with few items the mean is pulled towards 0 (see map)"
        notes.caution(
            "Phi: no item has more than two ratings, from which little is learned of each item's "
            f"central value{'' if method.flat_in_p else pulled}."
        )
    if method.warning:
        notes.warning(method.warning)
    if float(found.joint[-1].sum()) > 1e-6 and found.p[-1] >= 0.99 * MOST_P:
        notes.caution(
            f"Phi: the precision is beyond {MOST_P:,.0f}, where Phi is 1 to all digits; intervals "
            "of central values are too wide."
        )

"""Values with intervals: for these raters, over items; and for raters like these, over both."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from headcount.agreement.coefficients.base import Coefficient
from headcount.agreement.coefficients.engine import Engine
from headcount.agreement.prepare import Prepared
from headcount.agreement.raters.interval import Crossed, crossed_variance
from headcount.agreement.raters.populations import Scope
from headcount.stats.estimate import Estimate
from headcount.stats.intervals.from_draws import BIAS_CORRECTED
from headcount.typing import Floats

__all__ = ["Estimates", "Sampling", "estimate", "like_these", "too_few"]

MOST_WORK = 5 * 10**7
"""Work, in multiplications, up to which coefficients of raters are resampled: about .1 s. With more
ratings than that, intervals by linear terms are as good."""


@dataclass(frozen=True, kw_only=True)
class Sampling:
    """What varies, and how intervals show it.

    Parameters
    ----------
    scope : Scope
        For whom intervals hold.
    draws : int
        Bootstrap samples of items.
    level : float
    """

    scope: Scope
    draws: int
    level: float


@dataclass(frozen=True, eq=False, kw_only=True)
class Estimates:
    """Coefficients with intervals, and how it went.

    Parameters
    ----------
    coefficients, these_raters, analytic : dict of str to Estimate
        Those of the scope; those over items only; and of these the analytic ones.
    crossed : dict of str to Crossed
        What intervals for raters like these are made of.
    drawn : dict of str to array
        Values on the bootstrap samples of those that have a value.
    skipped : list of str
        Coefficients that would take too long to resample.
    """

    coefficients: dict[str, Estimate]
    these_raters: dict[str, Estimate]
    analytic: dict[str, Estimate]
    crossed: dict[str, Crossed]
    drawn: Mapping[str, Floats]
    skipped: list[str]

    def at_least(self, name: str, least: float) -> float | None:
        """Probability that a coefficient is at least so much, by its interval; None without one."""
        if name in self.crossed:
            return self.crossed[name].at_least(least)
        drawn = self.drawn.get(name, np.zeros(0))
        known = drawn[~np.isnan(drawn)]
        return float((known >= least).mean()) if len(known) else None


def estimate(engine: Engine, sampling: Sampling, rng: np.random.Generator) -> Estimates:
    """Find all coefficients of an engine, with intervals from the same draws of items."""
    data, draws, level = engine.data, sampling.draws, sampling.level
    analytic = engine.analytic(level)
    bare = [name for name in engine.values if engine.coefficients[name].bare(data)]
    skipped = [
        name
        for name in engine.values
        if name not in bare
        and (one := engine.coefficients[name]).resampled
        and draws * one.work(data) > MOST_WORK
    ]
    # Resampling one item gives that item again: an interval would be a point.
    drawn = engine.bootstrap(draws if data.items_used > 1 else 0, rng, leave_out=[*skipped, *bare])
    these: dict[str, Estimate] = {}
    crossed: dict[str, Crossed] = {}
    for name, reason in engine.reasons.items():
        if reason is not None:
            these[name] = Estimate(float("nan"), undefined=reason)
            continue
        one = engine.coefficients[name]
        if one.bare(data):
            these[name] = Estimate(engine.values[name])
            continue
        unsampled = name in skipped or not one.resampled
        found = like_these(one, data) if sampling.scope.crossed or unsampled else None
        if unsampled and found is not None:
            analytic.setdefault(name, found.estimate(level, crossed=False))
        plain = analytic.get(name, Estimate(engine.values[name]))
        these[name] = _interval(plain, drawn.get(name, np.zeros(0)), level, biased=one.biased(data))
        if sampling.scope.crossed and found is not None:
            crossed[name] = found
    return Estimates(
        coefficients=these | {name: one.estimate(level) for name, one in crossed.items()},
        these_raters=these,
        analytic=analytic,
        crossed=crossed,
        drawn={name: values for name, values in drawn.items() if name in engine.values},
        skipped=skipped,
    )


def like_these(one: Coefficient, data: Prepared) -> Crossed | None:
    """Give what its interval for raters like these is made of; None if there is none.

    There is none for one item, nor where nothing varies.
    """
    influence = one.influence(data) if data.items_used > 1 else None
    if influence is None:
        return None
    variance = crossed_variance(influence, data.panel, data.items_used)
    if not variance.total > 0:
        return None
    return Crossed(
        value=influence.value,
        variance=variance,
        influence=influence,
        effective=data.panel.effective,
        scale=one.fisher(data),
        items=data.items_used,
    )


def _interval(plain: Estimate, draws: Floats, level: float, *, biased: bool) -> Estimate:
    """Take the interval of the draws; where they are too few, the analytic one, if any.

    Where a correction for bias leaves the value outside its own interval, it is so biased that
    there is none.
    """
    known = draws[~np.isnan(draws)]
    if not len(known) or too_few(len(known), len(draws)):
        return plain
    if not biased:
        return Estimate.from_draws(plain.value, known, level=level)
    found = Estimate.from_draws(plain.value, known, level=level, method=BIAS_CORRECTED)
    low, high = found.low, found.high
    if low is None or high is None or not low <= plain.value <= high:
        return Estimate(plain.value)
    return found


def too_few(known: int, draws: int) -> bool:
    """Whether a coefficient is undefined in too many of the draws for an interval from them."""
    return 2 * known < draws

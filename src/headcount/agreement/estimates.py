"""Values with intervals: from the bootstrap, or analytic ones where it cannot serve."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from headcount.agreement.coefficients.engine import Engine
from headcount.stats.estimate import Estimate
from headcount.stats.intervals.from_draws import BIAS_CORRECTED, PERCENTILE
from headcount.typing import Floats

__all__ = ["Estimates", "estimate", "too_few"]

MOST_WORK = 10**9
"""Work, in multiplications, up to which coefficients of raters are resampled."""


@dataclass(frozen=True, eq=False, kw_only=True)
class Estimates:
    """Coefficients with intervals, and how it went.

    Parameters
    ----------
    coefficients, analytic : dict of str to Estimate
    drawn : dict of str to array
        Values on the bootstrap samples of those that have a value.
    skipped : list of str
        Coefficients that would take too long to resample.
    """

    coefficients: dict[str, Estimate]
    analytic: dict[str, Estimate]
    drawn: Mapping[str, Floats]
    skipped: list[str]


def estimate(engine: Engine, draws: int, level: float, rng: np.random.Generator) -> Estimates:
    """Find all coefficients of an engine, with intervals from the same draws of items."""
    data = engine.data
    analytic = engine.analytic(level)
    skipped = [
        name for name in engine.values if draws * engine.coefficients[name].work(data) > MOST_WORK
    ]
    # Resampling one item gives that item again: an interval would be a point.
    drawn = engine.bootstrap(draws if data.items_used > 1 else 0, rng, leave_out=skipped)
    estimates: dict[str, Estimate] = {}
    for name, reason in engine.reasons.items():
        if reason is not None:
            estimates[name] = Estimate(float("nan"), undefined=reason)
        else:
            plain = analytic.get(name, Estimate(engine.values[name]))
            biased = engine.coefficients[name].biased(data)
            estimates[name] = _interval(plain, drawn.get(name, np.zeros(0)), level, biased=biased)
    return Estimates(
        coefficients=estimates,
        analytic=analytic,
        drawn={name: values for name, values in drawn.items() if name in engine.values},
        skipped=skipped,
    )


def _interval(plain: Estimate, draws: Floats, level: float, *, biased: bool) -> Estimate:
    """Take the interval of the draws; where they are too few, the analytic one, if any."""
    known = draws[~np.isnan(draws)]
    if not len(known) or too_few(len(known), len(draws)):
        return plain
    method = BIAS_CORRECTED if biased else PERCENTILE
    return Estimate.from_draws(plain.value, known, level=level, method=method)


def too_few(known: int, draws: int) -> bool:
    """Whether a coefficient is undefined in too many of the draws for an interval from them."""
    return 2 * known < draws

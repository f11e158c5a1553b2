"""How much there is to know: the ceiling, classifiers' shares of it, and raters to buy."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from headcount.equivalence.ceiling.ceiling import find_ceiling
from headcount.equivalence.ceiling.extrapolated_curve import BEYOND, Continued
from headcount.equivalence.ceiling.larger_surveys import survey_score
from headcount.equivalence.ceiling.records import Available, RatersFor
from headcount.equivalence.surveys.base import Design, Scores
from headcount.results.notes import Notes
from headcount.stats.estimate import Estimate, decimals
from headcount.stats.intervals.from_draws import RANGE
from headcount.stats.intervals.no_interval import EXACT
from headcount.typing import Floats

__all__ = ["available"]

SHARES = (0.9, 0.95, 0.99)
"""Shares of the ceiling for which the number of raters is told."""
_NARROW = 0.02
"""Share of the gain up to which a range is not worth telling."""


def available(
    design: Design,
    continued: Continued,
    found: Scores,
    drawn: Scores,
    *,
    level: float,
    notes: Notes,
) -> Available:
    """Tell what infinitely many raters score, and what follows from it.

    The value is where the continued curve ends. K ratings an item tell K moments of the states and
    no more, so that other distributions may fit as well and end elsewhere: the interval covers
    their range. With two labels it is found exactly (:func:`find_ceiling`); with more, it reaches
    down to two raters more than the data hold, as states that come in a few kinds are taken for
    smoother ones, whose ceiling is higher by .05 to .1 bits (see ``docs/studies/survey.md``). The
    share of a classifier reaches up to 1 where the data do not show that a rater adds anything to
    it: then it may know all that there is to know, whatever states were fitted.

    Parameters
    ----------
    design : Design
    continued : Continued
    found, drawn : Scores
        Of the data, and of bootstrap samples of them.
    level : float
    notes : Notes
    """
    least, most = _range(design, continued)
    top, gain = continued.score[-1], continued.score[-1] - continued.score[0]
    low, high = continued.stretched(least, most)
    if design.scorer.in_bits:  # no probability is above 1
        most = min(most, -top)
        high = replace(high, score=np.minimum(high.score, 0), drawn=np.minimum(high.drawn, 0))
    narrow = bool(most - least <= _NARROW * abs(gain))
    if not narrow:
        digits = decimals(max(abs(continued.score)))
        notes.caution(
            "the ratings fit several ceilings: from "
            f"{top + least:.{digits}f} to {top + most:.{digits}f}. More "
            "items do not tell them apart, more ratings of each item do; the interval of "
            "infinitely many raters covers them all."
        )

    def spread(value: float, ends: tuple[Floats, Floats]) -> Estimate:
        return range_estimate(value, np.minimum(*ends), np.maximum(*ends), level=level)

    def at_least(last: Floats, estimate: Estimate) -> Estimate:
        """Infinitely many raters are no worse than the largest survey, which more draws know."""
        known = Estimate.from_draws(estimate.value, last, level=level)
        if known.low is None or known.high is None or estimate.low is None or estimate.high is None:
            return estimate
        low = min(max(estimate.low, known.low), estimate.value)
        return replace(estimate, low=low, high=max(estimate.high, known.high))

    def over_base(curve: Continued) -> Floats:
        return curve.drawn[:, -1] - curve.drawn[:, 0]

    def share(classifier: int) -> Estimate:
        if gain <= 0:
            return Estimate(np.nan, undefined="infinitely many raters gain nothing over no rater")
        h = drawn.classifiers[: len(continued.drawn), classifier] - continued.drawn[:, 0]
        ends = [
            np.clip(h / np.where(each > 0, each, np.inf), 0, 1)
            for each in (over_base(low), over_base(high))
        ]
        value = (float(found.classifiers[0, classifier]) - continued.score[0]) / gain
        estimate = spread(float(np.clip(value, 0, 1)), (ends[0], ends[1]))
        return replace(estimate, high=1.0) if nothing_more(classifier) else estimate

    def nothing_more(classifier: int) -> bool:
        """Whether a rater may add nothing to a classifier, so that it has all there is."""
        both = drawn.together.get(design.classifiers[classifier].name)
        if both is None or not len(both):
            return False
        added = both[:, 0] - drawn.classifiers[:, classifier]
        return bool(np.quantile(added, (1 - level) / 2) <= 0)

    def raters(part: float) -> RatersFor:
        value, _ = continued.raters_for_share(part)
        ends = [each.raters_for_share(part)[1] for each in (continued, low, high)]
        estimate = range_estimate(value, np.min(ends, axis=0), np.max(ends, axis=0), level=level)
        return RatersFor(f"{part:.0%} of the ceiling", estimate)

    sizes = np.isfinite(continued.sizes)
    base, last = drawn.curves[0][:, 0], drawn.curves[0][:, -1]
    return Available(
        score=at_least(last, spread(float(top), (low.drawn[:, -1], high.drawn[:, -1]))),
        gain=at_least(last - base, spread(float(gain), (over_base(low), over_base(high)))),
        performance_ratio={c.name: share(i) for i, c in enumerate(design.classifiers)},
        raters_for=tuple(raters(part) for part in SHARES),
        sizes=continued.sizes[sizes].astype(np.int64),
        curve=continued.score[sizes],
        states=design.pools[0].states.theta,
        weights=design.pools[0].states.weight,
        draws=len(continued.drawn),
        narrow=narrow,
    )


def range_estimate(value: float, low: Floats, high: Floats, *, level: float) -> Estimate:
    """Interval for a value that data determine only up to a range: see :class:`Range`.

    The range of the data themselves holds the value, and so does the interval.

    Examples
    --------
    >>> range_estimate(2.0, np.array([1.0, 1.5]), np.array([2.5, 3.0]), level=0.95)
    2 (1 to 3)
    """
    ends = RANGE.ends(low, high, level)
    if ends is None:
        return Estimate(value, method=EXACT.name)
    return Estimate(
        value,
        low=min(ends.low, value),
        high=max(ends.high, value),
        level=level,
        method=RANGE.name,
    )


def _range(design: Design, continued: Continued) -> tuple[float, float]:
    """How far below and above the ceiling others lie that fit the data as well."""
    pool, combiner, scorer = design.pools[0], design.combiner, design.scorer
    fit, top = pool.states, continued.score[-1]
    last = continued.score[continued.sizes <= pool.max_k].max()
    if len(fit.used) == 2:
        best = find_ceiling(
            pool.pool.patterns, pool.multiplicity.astype(np.float64), combiner, scorer
        )
        # All that fit best score alike up to the largest survey: they differ in what is beyond.
        states = best.states
        at = survey_score(states.support, states.weight, pool.max_k, combiner, scorer)
        ends = [float(last + each - at) - top for each in (best.low, best.high)]
        return max(min(ends[0], 0.0), last - top), max(ends[1], 0.0)
    tops = [
        float(scorer.score(fit.theta, fit.theta, weight, combiner.kind))
        - float(survey_score(fit.theta, weight, pool.max_k, combiner, scorer))
        for weight in fit.as_good
    ]
    # Two raters more than the data hold are what a worth is extrapolated to.
    near = continued.score[continued.sizes <= pool.max_k + BEYOND].max()
    return float(near - top), max(tops) - tops[0]

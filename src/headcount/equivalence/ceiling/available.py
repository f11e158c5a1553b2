"""How much there is to know: the ceiling, classifiers' shares of it, and raters to buy."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from headcount.equivalence.ceiling.ceiling import (
    Ceiling,
    Continued,
    continue_curve,
    find_ceiling,
    range_estimate,
    refit_ceiling,
)
from headcount.equivalence.ceiling.larger_surveys import survey_sizes
from headcount.equivalence.ceiling.records import Available, RatersFor
from headcount.equivalence.ceiling.states import MOST_LABELS, States
from headcount.equivalence.surveys.base import Design, Scores
from headcount.errors import option
from headcount.results.notes import Notes
from headcount.stats.estimate import Estimate
from headcount.typing import Floats

__all__ = ["available"]


SHARES = (0.9, 0.95, 0.99)
"""Shares of the ceiling for which the number of raters is told."""
MOST_DRAWS = 100
"""Draws for which the curve is continued; its intervals need no more."""


def available(
    design: Design, found: Scores, drawn: Scores, *, level: float, notes: Notes
) -> Available | None:
    """Estimate the ceiling from label patterns, with the draws of the bootstrap.

    None, with a note, for more labels than the distribution of states can be fitted for.

    Parameters
    ----------
    design : Design
    found, drawn : Scores
        Of the data, and of bootstrap samples of them.
    level : float
    notes : Notes
    """
    patterns, combiner, scorer = design.pools[0].pool.patterns, design.combiner, design.scorer
    used = int(np.count_nonzero(patterns.sum(axis=0)))
    if used > MOST_LABELS:
        notes.caution(f"no ceiling: states are fitted for up to {MOST_LABELS} labels, not {used}.")
        return None
    ceiling = find_ceiling(patterns, found.patterns[0], combiner, scorer)
    refits = _first(ceiling, 0)
    if len(drawn.patterns):
        refits = refit_ceiling(ceiling, patterns, drawn.patterns, combiner, scorer)
    draws = len(refits.score)
    if used > 2:
        # With several labels the fit follows chance as well as states, and no resample tells by
        # how much. The largest survey is a floor that no chance lifts.
        ceiling = replace(ceiling, low=np.minimum(ceiling.low, found.curves[0][0, -1]))
        refits = replace(refits, low=np.minimum(refits.low, drawn.curves[0][:draws, -1]))
        notes.caution(
            "ceiling: with more than two labels its value is somewhat too high (by .01 to .04 bits "
            "in simulations of 1,000 items with 4 or 5 labels); its interval reaches down to the "
            "score of the largest survey."
        )
    _note_fit(ceiling, draws, len(drawn.patterns), notes)
    few = min(draws, MOST_DRAWS)
    sizes = survey_sizes(patterns.shape[1], max(few, 1))
    curve = continue_curve(ceiling, combiner, scorer, sizes)
    curves = continue_curve(_first(refits, few), combiner, scorer, sizes) if draws else None
    return Available(
        score=range_estimate(float(ceiling.score), refits.low, refits.high, level=level),
        gain=range_estimate(
            float(ceiling.gain),
            refits.low - refits.baseline,
            refits.high - refits.baseline,
            level=level,
        ),
        performance_ratio={
            classifier.name: _ratio(
                ceiling, refits, found.classifiers[:, c], drawn.classifiers[:draws, c], level
            )
            for c, classifier in enumerate(design.classifiers)
        },
        raters_for=(
            *_for_shares(curve, curves, level),
            *(
                _for_score(
                    classifier.name,
                    (curve, float(found.classifiers[0, c])),
                    None if curves is None else (curves, drawn.classifiers[:few, c]),
                    level,
                )
                for c, classifier in enumerate(design.classifiers)
            ),
        ),
        sizes=sizes,
        curve=np.asarray(curve.score, dtype=np.float64),
        states=ceiling.states.support,
        weights=ceiling.states.weight,
        converged=bool(np.all(ceiling.states.converged)),
        draws=draws,
        narrow=ceiling.narrow,
    )


def _note_fit(ceiling: Ceiling, refitted: int, draws: int, notes: Notes) -> None:
    """Say what a reader of the ceiling should know."""
    if not bool(np.all(ceiling.states.converged)):
        notes.warning(
            "ceiling: the fit of the item states did not converge, so that the ceiling and what "
            "follows from it may be wrong. The power curve and the raters that classifiers are "
            f"worth do not depend on it; {option('ceiling', False)} leaves it out."
        )
    if 0 < refitted < draws:
        notes.info(
            f"ceiling: refitted to the first {refitted:,} of {draws:,} bootstrap samples, to save "
            "time."
        )
    elif not ceiling.narrow:
        notes.caution(
            "ceiling: it cannot be determined from so few ratings per item, whatever the number of "
            f"items; it lies between {float(ceiling.low):.3f} and {float(ceiling.high):.3f} on "
            "these data, and its interval covers that range."
        )


def _for_shares(curve: Continued, curves: Continued | None, level: float) -> list[RatersFor]:
    """Find how many raters gain each share of the ceiling."""
    out: list[RatersFor] = []
    for share in SHARES:
        value = curve.raters_for_share(share)[0]
        drawn = None if curves is None else curves.raters_for_share(share)
        raters = _raters(float(value), drawn, curve, level)
        out.append(RatersFor(f"{share:.0%} of the ceiling", raters))
    return out


def _for_score(
    name: str,
    found: tuple[Continued, float],
    drawn: tuple[Continued, Floats] | None,
    level: float,
) -> RatersFor:
    """Find how many raters score as much as a classifier."""
    curve, score = found
    ends = None if drawn is None else drawn[0].raters_for_score(drawn[1])
    return RatersFor(name, _raters(float(curve.raters_for_score(score)[0]), ends, curve, level))


def _raters(
    value: float, drawn: tuple[Floats, Floats, Floats] | None, curve: Continued, level: float
) -> Estimate:
    """Make an estimate of a number of raters; beyond the largest survey it is censored."""
    _, low, high = (np.empty(0),) * 3 if drawn is None else drawn
    return range_estimate(value, low, high, level=level, bounds=(0.0, float(curve.sizes[-1])))


def _first(ceiling: Ceiling, draws: int) -> Ceiling:
    """Keep the ceilings of the first data sets."""

    def first(states: States) -> States:
        return replace(states, weight=np.atleast_2d(states.weight)[:draws])

    def score(each: Floats) -> Floats:
        return np.atleast_1d(each)[:draws]

    # Where the range is narrow all three are one object, and stay so.
    kept = {id(s): first(s) for s in (ceiling.states, ceiling.lowest, ceiling.highest)}
    return Ceiling(
        states=kept[id(ceiling.states)],
        lowest=kept[id(ceiling.lowest)],
        highest=kept[id(ceiling.highest)],
        score=score(ceiling.score),
        low=score(ceiling.low),
        high=score(ceiling.high),
        baseline=score(ceiling.baseline),
    )


def _ratio(ceiling: Ceiling, refits: Ceiling, h: Floats, h_drawn: Floats, level: float) -> Estimate:
    """Share of the available gain that a classifier provides."""
    if float(ceiling.gain) <= 0:
        return Estimate(np.nan, undefined="infinitely many raters gain nothing over no rater")
    value = float((h[0] - ceiling.baseline) / ceiling.gain)
    gain = h_drawn - refits.baseline
    ends = [gain / (refits.low - refits.baseline), gain / (refits.high - refits.baseline)]
    return range_estimate(value, np.minimum(*ends), np.maximum(*ends), level=level)

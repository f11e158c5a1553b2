"""How much there is to know: the ceiling, classifiers' shares of it, and raters to buy."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from headcount.equivalence.ceiling.ceiling import (
    Ceiling,
    continue_curve,
    find_ceiling,
    range_estimate,
    refit_ceiling,
)
from headcount.equivalence.ceiling.larger_surveys import survey_sizes
from headcount.equivalence.ceiling.states import MOST_LABELS, States
from headcount.equivalence.combiners.combiners import Combiner
from headcount.equivalence.scorers.base import Scorer
from headcount.equivalence.surveys.exact import Scores
from headcount.stats.estimate import Estimate
from headcount.typing import Floats

__all__ = ["Available", "RatersFor", "available"]


SHARES = (0.9, 0.95, 0.99)
"""Shares of the ceiling for which the number of raters is told."""
MOST_DRAWS = 100
"""Draws for which the curve is continued; its intervals need no more."""


@dataclass(frozen=True)
class RatersFor:
    """How many raters reach a target."""

    target: str
    raters: Estimate


@dataclass(frozen=True, eq=False)
class Available:
    """The score of infinitely many raters, and what follows from it.

    Parameters
    ----------
    score, gain : Estimate
        Of infinitely many raters; the gain is over no rater.
    performance_ratio : dict of str to Estimate
        For each classifier, its share of the available gain.
    raters_for : tuple of RatersFor
        Numbers of raters that gain a share of the ceiling, or that score as much as a classifier.
    sizes, curve : arrays
        The power curve under the fitted states, also beyond the data.
    states, weights : (states, labels) and (states,) arrays
        The fitted distribution of item states.
    converged : bool
        Whether the fit of the data is certified.
    draws : int
        Bootstrap draws that were refitted; 0 without intervals.
    narrow : bool
        Whether the ratings of an item are enough to tell the ceiling, but for chance.
    """

    score: Estimate
    gain: Estimate
    performance_ratio: dict[str, Estimate]
    raters_for: tuple[RatersFor, ...]
    sizes: NDArray[np.int64]
    curve: Floats
    states: Floats
    weights: Floats
    converged: bool
    draws: int
    narrow: bool

    def to_dict(self) -> dict[str, Any]:
        """Return the JSON form; performance ratios stand with the classifiers."""
        return {
            "score": self.score.to_dict(),
            "gain": self.gain.to_dict(),
            "raters_for": [
                {"target": r.target, "raters": r.raters.to_dict()} for r in self.raters_for
            ],
            "curve": [
                {"k": k, "score": s}
                for k, s in zip(self.sizes.tolist(), self.curve.tolist(), strict=True)
            ],
            "converged": self.converged,
            "draws": self.draws,
            "narrow": self.narrow,
        }


def available(
    patterns: NDArray[np.int64],
    found: Scores,
    drawn: Scores,
    names: Sequence[str],
    combiner: Combiner,
    scorer: Scorer,
    *,
    level: float,
) -> tuple[Available | None, list[str]]:
    """Estimate the ceiling from label patterns, with the draws of the bootstrap; add notes.

    None, with a note, for more labels than the distribution of states can be fitted for.
    """
    used = int(np.count_nonzero(patterns.sum(axis=0)))
    if used > MOST_LABELS:
        return None, [f"no ceiling: states are fitted for up to {MOST_LABELS} labels, not {used}."]
    ceiling = find_ceiling(patterns, found.patterns[0], combiner, scorer)
    refits = _first(ceiling, 0)
    if len(drawn.patterns):
        refits = refit_ceiling(ceiling, patterns, drawn.patterns, combiner, scorer)
    draws = len(refits.score)
    notes: list[str] = []
    if used > 2:
        # With several labels the fit follows chance as well as states, and no resample tells by
        # how much. The largest survey is a floor that no chance lifts.
        ceiling = replace(ceiling, low=np.minimum(ceiling.low, found.curves[0][0, -1]))
        refits = replace(refits, low=np.minimum(refits.low, drawn.curves[0][:draws, -1]))
        notes.append(
            "ceiling: with more than two labels its value is somewhat too high (by .01 to .04 bits "
            "in simulations of 1,000 items with 4 or 5 labels); its interval reaches down to the "
            "score of the largest survey."
        )
    if not bool(np.all(ceiling.states.converged)):
        notes.append("ceiling: the fit of the item states did not converge; take it with care.")
    if 0 < draws < len(drawn.patterns):
        notes.append(
            f"ceiling: refitted to the first {draws:,} of {len(drawn.patterns):,} bootstrap draws."
        )
    elif not ceiling.narrow:
        notes.append(
            "ceiling: the ratings of an item are too few to tell it, whatever the number of items; "
            f"it lies between {float(ceiling.low):.3f} and {float(ceiling.high):.3f} on these "
            "data, and its interval covers that range."
        )
    ratio = {
        name: _ratio(ceiling, refits, found.classifiers[:, c], drawn.classifiers[:draws, c], level)
        for c, name in enumerate(names)
    }
    sizes = survey_sizes(patterns.shape[1], min(max(draws, 1), MOST_DRAWS))
    curve = continue_curve(ceiling, combiner, scorer, sizes)
    few = _first(refits, min(draws, MOST_DRAWS))
    curves = continue_curve(few, combiner, scorer, sizes) if draws else None
    bounds = (0.0, float(sizes[-1]))
    none = (np.empty(0), np.empty(0), np.empty(0))

    def raters(
        value: tuple[Floats, Floats, Floats], draws: tuple[Floats, Floats, Floats]
    ) -> Estimate:
        return range_estimate(float(value[0]), draws[1], draws[2], level=level, bounds=bounds)

    targets = [
        RatersFor(
            f"{share:.0%} of the ceiling",
            raters(
                curve.raters_for_share(share),
                none if curves is None else curves.raters_for_share(share),
            ),
        )
        for share in SHARES
    ]
    for c, name in enumerate(names):
        h = float(found.classifiers[0, c])
        h_drawn = drawn.classifiers[: len(few.score), c]
        reached = none if curves is None else curves.raters_for_score(h_drawn)
        targets.append(RatersFor(name, raters(curve.raters_for_score(h), reached)))
    return (
        Available(
            score=range_estimate(float(ceiling.score), refits.low, refits.high, level=level),
            gain=range_estimate(
                float(ceiling.gain),
                refits.low - refits.baseline,
                refits.high - refits.baseline,
                level=level,
            ),
            performance_ratio=ratio,
            raters_for=tuple(targets),
            sizes=sizes,
            curve=np.asarray(curve.score, dtype=np.float64),
            states=ceiling.states.support,
            weights=ceiling.states.weight,
            converged=bool(np.all(ceiling.states.converged)),
            draws=draws,
            narrow=ceiling.narrow,
        ),
        notes,
    )


def _first(ceiling: Ceiling, draws: int) -> Ceiling:
    """Keep the ceilings of the first data sets."""

    def first(states: States) -> States:
        return replace(states, weight=np.atleast_2d(states.weight)[:draws])

    def score(each: Floats) -> Floats:
        return np.atleast_1d(each)[:draws]

    # Where the range is narrow all three are one object, and stay so.
    kept = {id(s): first(s) for s in (ceiling.states, ceiling.lowest, ceiling.highest)}
    return Ceiling(
        kept[id(ceiling.states)],
        kept[id(ceiling.lowest)],
        kept[id(ceiling.highest)],
        score(ceiling.score),
        score(ceiling.low),
        score(ceiling.high),
        score(ceiling.baseline),
    )


def _ratio(ceiling: Ceiling, refits: Ceiling, h: Floats, h_drawn: Floats, level: float) -> Estimate:
    """Share of the available gain that a classifier provides."""
    if float(ceiling.gain) <= 0:
        return Estimate(np.nan, undefined="infinitely many raters gain nothing over no rater")
    value = float((h[0] - ceiling.baseline) / ceiling.gain)
    gain = h_drawn - refits.baseline
    ends = [gain / (refits.low - refits.baseline), gain / (refits.high - refits.baseline)]
    return range_estimate(value, np.minimum(*ends), np.maximum(*ends), level=level)

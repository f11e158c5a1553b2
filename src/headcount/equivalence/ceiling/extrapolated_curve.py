"""The power curve beyond the data: what more raters than an item has would add.

Up to its largest survey the curve is measured. From there it is continued by what the fitted
distribution of item states says that more raters add, up to infinitely many, who know the state of
every item. So all that is said of raters is read off one curve.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import comb

import numpy as np

from headcount.equivalence.ceiling.larger_surveys import raters_for, survey_score, survey_sizes
from headcount.equivalence.scorers.base import most_probable
from headcount.equivalence.states.fit import can_fit
from headcount.equivalence.surveys.base import Design, Scores
from headcount.typing import Codes, Floats, Progress

__all__ = ["BEYOND", "FEW_ITEMS", "Continued", "continue_curve", "why_not"]

BEYOND = 2
"""Raters beyond the largest survey up to which a worth is extrapolated."""
FEW_ITEMS = 50
FEW_RATINGS = 3
MOST_WORK = 1e9
"""Floating-point operations of refits, and of scores, for all draws: some tenths of a second."""
MOST_DRAWS = 100
LEAST_DRAWS = 20
REFITTED_AT_ONCE = 20
"""Draws after which progress is told."""


@dataclass(frozen=True, eq=False)
class Continued:
    """The power curve from no rater to infinitely many, of the data and of bootstrap samples.

    Parameters
    ----------
    sizes : (sizes,) array of float
        Numbers of raters: 0, 1, 2 ..., some larger ones, infinity.
    max_k : int
        The largest survey that the data hold.
    score : (sizes,) array
        Of the data.
    drawn : (draws, sizes) array
        Of bootstrap samples; of some of them, where refitting all would take long.
    """

    sizes: Floats
    max_k: int
    score: Floats
    drawn: Floats

    def near(self, draws: int) -> tuple[Floats, Floats]:
        """Gains over the largest survey, of up to :data:`BEYOND` raters more, also of `draws`.

        What was refitted for some draws is used for the others again.
        """
        place = (self.sizes > self.max_k) & (self.sizes <= self.max_k + BEYOND)
        at = int(np.flatnonzero(self.sizes == self.max_k)[0])
        found = self.score[place] - self.score[at]
        if not len(self.drawn):
            return found, np.empty((0, len(found)))
        drawn = self.drawn[:, place] - self.drawn[:, [at]]
        return found, drawn[np.arange(draws) % len(drawn)]

    def stretched(self, least: float, most: float) -> tuple[Continued, Continued]:
        """Move the end of the curve, and what lies between it and the data in proportion."""
        beyond = self.sizes > self.max_k

        def moved(curve: Floats, by: float) -> Floats:
            top, last = curve[..., -1:], curve[..., [np.flatnonzero(~beyond)[-1]]]
            rise = np.where(top > last, top - last, 1.0)
            part = np.where(beyond, (curve - last) / rise, 0.0)
            return curve + part * np.maximum(by, last - top)

        low, high = (
            Continued(self.sizes, self.max_k, moved(self.score, by), moved(self.drawn, by))
            for by in (least, most)
        )
        return low, high

    def raters_for_share(self, share: float) -> tuple[float, Floats]:
        """Find how many raters gain a share of what infinitely many do: of the data, of draws."""

        def find(curve: Floats) -> Floats:
            base, top = curve[..., 0], curve[..., -1]
            return raters_for(self.sizes, curve, base + share * (top - base))

        return float(find(self.score)), find(self.drawn)


def why_not(design: Design) -> str | None:
    """Say why these data do not tell what more raters would add, if they do not."""
    pool = design.pools[0]
    patterns = pool.pool.patterns
    rated = patterns.sum(axis=1)
    ratings, items = int(rated.max()), int(pool.multiplicity @ (rated >= FEW_RATINGS))
    if not can_fit(patterns):
        return "states are not fitted for so many labels"
    if items < FEW_ITEMS:
        return (
            f"these ratings are too few to tell it ({items:,} items have {FEW_RATINGS} ratings or "
            f"more; it takes {FEW_ITEMS})"
        )
    if _outcomes(ratings, patterns.shape[1]) * 1e4 > MOST_WORK:
        return f"surveys of {ratings} raters have too many outcomes"
    return None


def continue_curve(
    design: Design, found: Scores, drawn: Scores, progress: Progress | None = None
) -> Continued:
    r"""Continue the power curve of the data, and of bootstrap samples.

    With :math:`m_k` the score of surveys of k raters under the fitted states, and K the largest
    survey of the data,

    .. math:: c_k = c_K + (m_k - m_K), \qquad k > K,

    and :math:`m_\infty` the score of knowing the state. States are fitted anew to each draw. Of a
    combiner that is still learning (abc) the largest surveys are not to be built upon: there the
    curve is :math:`c_0 + (m_k - m_0)` for all k.

    Notes
    -----
    O(draws x steps x patterns x states), and O(draws x outcomes x states x labels) a size; as
    many draws as :data:`MOST_WORK` allows, 100 at most. `progress` is told of these, after all
    bootstrap samples.
    """
    pool, combiner, scorer = design.pools[0], design.combiner, design.scorer
    fit, max_k = pool.states, pool.max_k
    theta = fit.theta
    most = _draws(fit.steps * len(fit.patterns) * len(theta) * 4, len(drawn.patterns))
    first = 0 if combiner.leaves_out else max_k
    sizes = _sizes(first, max_k, len(fit.used), len(theta) * max(most, 1))

    def model(weight: Floats) -> Floats:
        known = most_probable(theta) if combiner.kind == "hard" else theta
        scores = [survey_score(theta, weight, int(k), combiner, scorer) for k in sizes]
        top = np.asarray(scorer.score(known, theta, weight, combiner.kind))
        return np.column_stack([*scores, top])

    def joined(curve: Floats, model: Floats) -> Floats:
        if combiner.leaves_out:
            made = curve[:, :1] + model - model[:, :1]
            # More raters than the data hold are never worse than the best survey of the data.
            beyond = np.append(sizes >= max_k, True)
            made = np.where(beyond, np.maximum(made, curve.max(axis=1, keepdims=True)), made)
        else:
            made = np.hstack([curve, curve[:, -1:] + model[:, 1:] - model[:, :1]])
        return np.minimum(made, 0.0) if scorer.in_bits else made  # no probability is above 1

    curve = joined(found.curves[0], model(fit.weight[None]))[0]
    parts = [np.empty((0, len(curve)))]
    for start in range(0, most, REFITTED_AT_ONCE):
        some = slice(start, min(start + REFITTED_AT_ONCE, most))
        refitted = model(fit.refit(drawn.patterns[some]))
        parts.append(joined(drawn.curves[0][some], refitted))
        if progress is not None:
            total = len(drawn.patterns)
            progress(total + int(some.stop), total + most)
    draws = np.concatenate(parts)
    if combiner.bayesian:
        # More raters are never worse under the fitted states; rounding and steps apart.
        curve, draws = np.maximum.accumulate(curve), np.maximum.accumulate(draws, axis=1)
    return Continued(np.concatenate([np.arange(first), sizes, [np.inf]]), max_k, curve, draws)


def _sizes(first: int, max_k: int, n_labels: int, work: int) -> Codes:
    """Sizes to score: all up to two beyond the data, then some while they are cheap."""
    sizes = list(range(first, max_k + BEYOND + 1))
    spent = sum(_outcomes(k, n_labels) for k in sizes)
    for k in survey_sizes(n_labels).tolist():
        if k > sizes[-1] * 1.25:
            spent += _outcomes(k, n_labels)
            if spent * n_labels * work * 2 > MOST_WORK:
                break
            sizes.append(k)
    return np.array(sizes)


def _outcomes(k: int, n_labels: int) -> int:
    return comb(k + n_labels - 1, n_labels - 1)


def _draws(work: float, draws: int) -> int:
    return min(draws, MOST_DRAWS, max(LEAST_DRAWS, int(MOST_WORK / max(work, 1))))

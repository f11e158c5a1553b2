"""Whether items are enough to learn what raters say after each of many labels."""

from __future__ import annotations

import numpy as np

from headcount.equivalence.calibration.base import base_shares
from headcount.equivalence.scorers.base import Scorer
from headcount.typing import Floats

__all__ = ["MANY_LABELS", "cost_of_learning", "error_of_learning"]

MANY_LABELS = 10
"""Labels above which what was learned may be remembered."""

WRONG = 0.4
"""Part of what is corrected by which the correction may be wrong; ``docs/studies/survey.md``."""


def cost_of_learning(
    held_out: Floats, two_sided: Floats, reference: Floats, weight: Floats
) -> float:
    """Find how much better items are predicted with themselves in than out, in standard errors.

    Of the mean gain in log score over the share of each label among all items. Half of the
    difference is what is corrected, and the correction errs by a tenth of that or so: of ten
    errors, by half an error.

    Parameters
    ----------
    held_out : (items, labels) array
        Predictions by what the other folds teach.
    two_sided : (items, labels) array
        The mean of these and of predictions by what all items teach.
    reference : (items, labels) array
        Share of each label among the reference raters.
    weight : (items,) array
        Items that each row stands for.
    """

    def score(prediction: Floats) -> Floats:
        return (reference * np.log(np.maximum(prediction, 1e-300))).sum(axis=1)

    n = float(weight.sum())
    gained = score(two_sided) - score(
        np.broadcast_to(base_shares(reference, weight), held_out.shape)
    )
    mean = float(weight @ gained) / n
    error = np.sqrt(float(weight @ (gained - mean) ** 2) / n / n)
    more = float(weight @ (score(2 * two_sided - held_out) - score(held_out))) / n
    return more / max(float(error), 1e-12)


def error_of_learning(
    held_out: Floats, two_sided: Floats, reference: Floats, weight: Floats, scorer: Scorer
) -> float:
    """Find the standard error of a score that what was learned wrongly adds to that of the items.

    What is lost on items left out and won by having them in need not be the same: half of the
    difference is corrected, and :data:`WRONG` of that is the error. Parameters are those of
    :func:`cost_of_learning`, and the scorer.
    """
    inside, outside = (
        float(scorer.score(prediction, reference, weight, "soft"))
        for prediction in (2 * two_sided - held_out, held_out)
    )
    return WRONG * abs(inside - outside) / 2

"""The t-tests of the alternative annotator test, and the adjustment of their p-values."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from headcount.typing import Codes, Floats

__all__ = ["Sample", "adjust", "p_values", "passes_from", "sample_of"]


class Sample(NamedTuple):
    """What the t-tests need of W^h - W^f, a value a rater: items, mean and standard error."""

    n: Codes
    mean: Floats
    error: Floats


def sample_of(rater: Codes, d: Floats, ratings: Codes, tested: Codes) -> Sample:
    """Reduce the differences of each rating to those of each rater tested.

    Parameters
    ----------
    rater, d : (ratings,) arrays
        Who rated, and W^h - W^f.
    ratings : (raters,) array of int
        Ratings of each rater.
    tested : array of int
        Codes of raters.
    """
    mean = np.bincount(rater, d, len(ratings)) / np.maximum(ratings, 1)
    square = np.bincount(rater, (d - mean[rater]) ** 2, len(ratings))[tested]
    n = ratings[tested]
    return Sample(n, mean[tested], np.sqrt(square / (n - 1) / n))


def p_values(sample: Sample, epsilon: float) -> Floats:
    """Left tail of the t-test that the mean of W^h - W^f is epsilon or more."""
    # The distribution function alone: scipy.stats takes longer to import.
    from scipy.special import stdtr  # pyright: ignore[reportMissingTypeStubs]

    # Without any spread the mean is taken at its word: below epsilon or not.
    t = np.where(sample.mean < epsilon, -np.inf, np.inf)
    np.divide(sample.mean - epsilon, sample.error, out=t, where=sample.error > 0)
    return np.asarray(stdtr(sample.n - 1, t), dtype=np.float64)


def adjust(p: Floats) -> Floats:
    r"""Adjust p-values for the false discovery rate under any dependence.

    The k-th smallest of m becomes
    :math:`\min_{i \ge k} \min(1, p_{(i)} \, m \, (1 + 1/2 + \dots + 1/m) / i)`
    (Benjamini and Yekutieli 2001). O(m log m).

    Examples
    --------
    >>> adjust(np.array([0.04, 0.01])).round(6)
    array([0.06, 0.03])
    """
    order = np.argsort(p)
    rank = np.arange(1, len(p) + 1)
    scaled = p[order] * len(p) * (1 / rank).sum() / rank
    out = np.empty(len(p))
    out[order] = np.minimum(np.minimum.accumulate(scaled[::-1])[::-1], 1)
    return out


def passes_from(sample: Sample, q: float, share: float) -> float:
    """Smallest epsilon at which at least a share of the raters are won, to within 1e-12.

    A p-value falls as epsilon grows and adjusting keeps the order, so the verdict changes once.
    At -1, the least that a mean can be, nothing is won; far enough up, everything is.
    """

    def passes(epsilon: float) -> bool:
        won = int((adjust(p_values(sample, epsilon)) <= q).sum())
        return won >= share * len(sample.n)

    low, high = -1.0, 1.0
    while not passes(high):
        low, high = high, 2 * high
    while high - low > 1e-12 * max(1.0, high):
        middle = (low + high) / 2
        low, high = (low, middle) if passes(middle) else (middle, high)
    return high

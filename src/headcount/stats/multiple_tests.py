"""Many tests at once."""

from __future__ import annotations

import numpy as np

from headcount.typing import Floats

__all__ = ["benjamini_hochberg", "holm"]


def holm(p_value: Floats) -> Floats:
    r"""Adjust p-values for how many they are: (tests,), nan where there is no test.

    The i-th smallest of m becomes the largest of :math:`(m - j + 1) p_{(j)}` for j up to i, at
    most 1. Rejecting at most .05 makes any false rejection at most 5% likely, however the tests
    depend on each other.

    Examples
    --------
    >>> holm(np.array([0.01, 0.04, np.nan, 0.03]))
    array([0.03, 0.06,  nan, 0.06])
    """
    tested = np.flatnonzero(~np.isnan(p_value))
    order = tested[np.argsort(p_value[tested], kind="stable")]
    out = np.full(len(p_value), np.nan)
    steps = np.arange(len(order), 0, -1) * p_value[order]
    out[order] = np.minimum(np.maximum.accumulate(steps), 1)
    return out


def benjamini_hochberg(p_value: Floats) -> Floats:
    r"""Adjust p-values so that few of those rejected are false: (tests,), nan without a test.

    The i-th smallest of m becomes the smallest of :math:`m p_{(j)} / j` for j from i on. Of those
    rejected at .05, 5% at most are false on average, if tests are independent of each other.

    References
    ----------
    Benjamini and Hochberg (1995), Controlling the false discovery rate: a practical and powerful
    approach to multiple testing, JRSS B 57(1).

    Examples
    --------
    >>> benjamini_hochberg(np.array([0.01, 0.04, np.nan, 0.03]))
    array([0.03, 0.04,  nan, 0.04])
    """
    tested = np.flatnonzero(~np.isnan(p_value))
    order = tested[np.argsort(p_value[tested], kind="stable")]
    out = np.full(len(p_value), np.nan)
    steps = len(order) * p_value[order] / np.arange(1, len(order) + 1)
    out[order] = np.minimum(np.minimum.accumulate(steps[::-1])[::-1], 1)
    return out

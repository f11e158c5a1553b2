"""Many tests at once."""

from __future__ import annotations

import numpy as np

from headcount.typing import Floats

__all__ = ["holm"]


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

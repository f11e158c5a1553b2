"""Ratios that may be undefined."""

from __future__ import annotations

import numpy as np

from headcount.typing import Floats

__all__ = ["SMALL", "ratio"]

SMALL = 1e-12
"""Means of numbers of at most 1 that are below this are rounding error."""


def ratio(top: Floats, bottom: Floats, *, least: float = 0.0) -> Floats:
    """Divide; NaN where the divisor is not above `least`, without a warning."""
    out = np.full(np.broadcast_shapes(np.shape(top), np.shape(bottom)), np.nan)
    np.divide(top, bottom, out=out, where=bottom > least)
    return out

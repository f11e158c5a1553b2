"""Arrays as JSON has them."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

__all__ = ["to_json"]


def to_json(value: NDArray[np.float64] | float | None) -> Any:
    """Nested lists of numbers, or a number; None for what is not finite.

    Examples
    --------
    >>> to_json(np.array([[1.0, np.nan], [0.5, 2.0]]))
    [[1.0, None], [0.5, 2.0]]
    """
    if value is None:
        return None
    if isinstance(value, np.ndarray) and value.ndim:
        return [to_json(part) for part in value]
    return float(value) if np.isfinite(value) else None

"""Types that every room shares: arrays by what they hold, and callbacks."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

__all__ = ["Codes", "Flags", "Floats", "Ids", "Ints", "Kernel", "Progress", "Seed"]

Floats = NDArray[np.float64]
Codes = NDArray[np.int64]
"""Whole numbers: codes of items, raters and labels (-1: missing), and counts."""
Ints = NDArray[np.intp]
"""Positions in an array, as numpy returns them."""
Flags = NDArray[np.bool_]
Ids = NDArray[Any]
"""A vocabulary of ids: int64 where all are integers, else an object array of str."""
Kernel = Callable[[Floats], Floats]
"""How often each pattern (or item) is drawn, (draws, patterns), to a statistic, (draws, ...)."""
Progress = Callable[[int, int], None]
"""Called with what is done and what there is to do."""
Seed = int | np.random.Generator

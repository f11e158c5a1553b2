"""Whether two JSON documents say the same, to 1e-9."""

from __future__ import annotations

from typing import Any

import numpy as np

NAMES = ("sources", "backend")
"""Keys of where data came from, which differ between a file and a frame."""


def differences(a: Any, b: Any, where: str = "") -> list[str]:
    """List where two documents differ."""
    if isinstance(a, dict) and isinstance(b, dict):
        keys = [key for key in {*a, *b} if key not in NAMES]
        return [
            text for key in keys for text in differences(a.get(key), b.get(key), f"{where}.{key}")
        ]
    if isinstance(a, list) and isinstance(b, list) and len(a) == len(b):
        pairs = enumerate(zip(a, b, strict=True))
        return [text for i, (x, y) in pairs for text in differences(x, y, f"{where}[{i}]")]
    if isinstance(a, float) and isinstance(b, float) and np.isclose(a, b, 1e-9, 1e-9, True):
        return []
    return [] if a == b else [f"{where}: {a!r} is not {b!r}"]

"""For whom intervals hold: for raters drawn as these were, or for others like these."""

from __future__ import annotations

from dataclasses import dataclass

__all__ = ["FIXED", "RATERS", "SAMPLE", "RaterKind"]


@dataclass(frozen=True)
class RaterKind:
    """What the raters are taken for.

    Parameters
    ----------
    name : str
    words : str
        For whom intervals of a worth then hold.
    """

    name: str
    words: str


FIXED = RaterKind("fixed", "raters drawn as these were")
SAMPLE = RaterKind("sample", "raters like these")
RATERS = {kind.name: kind for kind in (FIXED, SAMPLE)}
"""By name; the first is the default."""

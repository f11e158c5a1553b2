"""What every way to make an interval knows of itself."""

from __future__ import annotations

from typing import ClassVar, NamedTuple

__all__ = ["Ends", "IntervalMethod"]


class Ends(NamedTuple):
    """Ends of an interval."""

    low: float
    high: float


class IntervalMethod:
    """A way to make an interval.

    Attributes
    ----------
    name : str
        What results and JSON print as `method`.
    assumes : str
        For whom the interval holds, and what has to be true for it to hold.
    undefined : str
        When there is no interval.
    """

    name: ClassVar[str]
    assumes: ClassVar[str]
    undefined: ClassVar[str]

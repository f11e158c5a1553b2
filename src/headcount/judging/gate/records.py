"""Conditions and what they come to, as plain records."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

from headcount.stats.estimate import Estimate

__all__ = [
    "Condition",
    "Gate",
    "Status",
    "WORDS",
]

Status = Literal["pass", "fail", "cannot tell"]
"""Whether an interval lies above a mark, below it, or on both sides of it."""
WORDS: dict[Status, str] = {"pass": "yes", "fail": "no", "cannot tell": "cannot tell"}
"""Statuses as answers."""


@dataclass(frozen=True, kw_only=True)
class Condition:
    """Whether a judge meets one condition, decided on an interval.

    Parameters
    ----------
    name : str
        Of the kind of condition.
    words : str
        What is asked, such as "worth at least 2 raters".
    mark : float
    estimate : Estimate or None
        What is compared with the mark; None where there is none.
    shown : str
        The number and its interval, in words.
    status : {"pass", "fail", "cannot tell"}
    items : int
        Items that it rests on.
    more_items : int or None
        Items to label besides, to know with a power of 80% if the gap is as large as it seems; None
        if it is known, or would take too many.
    why : str
        Why it cannot be told; "" where it can.
    """

    name: str
    words: str
    mark: float
    estimate: Estimate | None
    shown: str
    status: Status
    items: int
    more_items: int | None = None
    why: str = ""

    def to_dict(self) -> dict[str, Any]:
        """Return the JSON form."""
        found = None if self.estimate is None else self.estimate.to_dict()
        return {**vars(self), "estimate": found}


@dataclass(frozen=True, kw_only=True)
class Gate:
    """What all conditions come to, of all judges: passed if all are, failed if one is.

    Parameters
    ----------
    status : {"pass", "fail", "cannot tell"}
    line : str
        One line for a log.
    """

    status: Status
    line: str

    def to_dict(self) -> dict[str, Any]:
        """Return the JSON form."""
        return dict(vars(self))

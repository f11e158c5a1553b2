"""Units in which ratings are written."""

from __future__ import annotations

import math
from dataclasses import dataclass

__all__ = ["ELO_POINTS", "LOGIT", "SCALES", "RatingScale"]


@dataclass(frozen=True, kw_only=True)
class RatingScale:
    """A unit of ratings; an own one is given as `scale`.

    Parameters
    ----------
    name : str
    per_logit : float
        Units in a logit.
    unit : str
        What the units are called.
    digits : int
        Digits after the point that are shown.
    meaning : str
        What a difference in ratings means, if that needs words.

    Examples
    --------
    >>> round(ELO_POINTS.per_logit * math.log(10))
    400
    """

    name: str
    per_logit: float
    unit: str
    digits: int
    meaning: str = ""


LOGIT = RatingScale(name="logit", per_logit=1.0, unit="logits", digits=3)
ELO_POINTS = RatingScale(
    name="elo",
    per_logit=400 / math.log(10),
    unit="points",
    digits=0,
    meaning="400 points make the odds of winning 10 times larger",
)
SCALES = (LOGIT, ELO_POINTS)
"""All scales by name."""

"""The kinds of scale that labels are on, and what each lets one do with them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from headcount.agreement.distances import Distance, Nominal, Quadratic, Ranks, Ratio
from headcount.typing import Floats

__all__ = ["INTERVAL", "NOMINAL", "SCALES", "ScaleKind"]


@dataclass(frozen=True, kw_only=True)
class ScaleKind:
    """A kind of scale.

    Parameters
    ----------
    name : str
    counts : str
        How a disagreement counts, to end a sentence with.
    distance : callable
        Makes the distance of labels of what they are worth.
    ordered : bool
        Whether labels have an order.
    numeric : bool
        Whether labels must be numbers.
    ranked : bool
        Whether only the order counts, not how far apart labels are.
    from_zero : bool
        Whether numbers must not be negative.
    """

    name: str
    counts: str
    distance: Callable[[Floats], Distance]
    ordered: bool = True
    numeric: bool = False
    ranked: bool = False
    from_zero: bool = False


NOMINAL = ScaleKind(
    name="nominal", counts="labels are the same or not", distance=Nominal, ordered=False
)
ORDINAL = ScaleKind(
    name="ordinal", counts="a disagreement counts by ranks", distance=Ranks, ranked=True
)
INTERVAL = ScaleKind(
    name="interval",
    counts="a disagreement counts by its squared difference",
    distance=Quadratic,
    numeric=True,
)
RATIO = ScaleKind(
    name="ratio",
    counts="a disagreement counts by its squared ratio",
    distance=Ratio,
    numeric=True,
    from_zero=True,
)

SCALES = {kind.name: kind for kind in (NOMINAL, ORDINAL, INTERVAL, RATIO)}
"""By name: names, names in order, numbers, and numbers from 0 on of which ratios matter."""

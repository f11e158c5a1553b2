"""The kinds of scale that labels are on, and what each lets one do with them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from headcount.agreement.scales.distances import Distance, Nominal, Quadratic, Ranks, Ratio
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
    title : str
        What to call alpha on it; the name, unless another is given.
    tabled : bool
        Whether distances are from a table: those of sets, or a caller's own.
    members : tuple of tuple of str
        What each label holds, where labels are sets.
    """

    name: str
    counts: str
    distance: Callable[[Floats], Distance]
    ordered: bool = True
    numeric: bool = False
    ranked: bool = False
    from_zero: bool = False
    title: str = ""
    tabled: bool = False
    members: tuple[tuple[str, ...], ...] = ()

    @property
    def near(self) -> bool:
        """Whether labels may differ by a part: a disagreement is not all or nothing."""
        return self.ordered or self.tabled


NOMINAL = ScaleKind(
    name="nominal", counts="every disagreement counts the same", distance=Nominal, ordered=False
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

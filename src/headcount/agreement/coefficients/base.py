"""What every coefficient knows of itself."""

from __future__ import annotations

from abc import ABC, abstractmethod

from headcount.agreement.prepare import Prepared
from headcount.agreement.raters.influence import Influence
from headcount.stats.estimate import Estimate
from headcount.stats.intervals.fisher import Fisher
from headcount.typing import Floats, Kernel

__all__ = ["Coefficient"]

VERDICTS = {
    1: "is more than chance",
    -1: "is less than chance",
    0: "cannot be distinguished from chance",
}
NEAR_ZERO = 0.2
"""An interval that contains 0 and ends below this says that there is no agreement; one that goes
on beyond it cannot tell."""


class Coefficient(ABC):
    """A coefficient of agreement.

    Attributes
    ----------
    name : str
        For programs: a key of the JSON document.
    title : str
        For people.
    symbol : str
        What it is called in a formula; the title, unless another is given.
    chance : str
        In a few words, where agreement by chance is taken from.
    assumes : str
        What the number rests on, in a sentence or two.
    corrected : bool
        Whether it is 0 where raters agree as often as by chance.
    recommended : bool
        Whether it is among those to report first.
    brief : bool
        Whether tables of every two raters show it.
    nominal : bool
        Whether it counts labels as the same or not, whatever the scale.
    by_rater : bool
        Whether it matters who rated: it then needs draws of items, not of patterns.
    over_pairs : bool
        Whether it is a mean over pairs of raters: it then needs counts of their cells.
    resampled : bool
        Whether its interval for these raters is from bootstrap samples; else it is analytic.
    least : float
        The lowest value that it may have.
    from_single : str
        What it takes from items with a single rating; "" if nothing.
    """

    name: str
    title: str
    chance: str
    assumes: str
    symbol: str = ""
    corrected: bool = True
    recommended: bool = False
    brief: bool = False
    nominal: bool = False
    by_rater: bool = False
    over_pairs: bool = False
    resampled: bool = True
    least: float = -1.0
    from_single: str = ""

    @abstractmethod
    def kernel(self, data: Prepared) -> Kernel:
        """Prepare the coefficient, which has a value on the data.

        Returns
        -------
        Kernel
            Of how often each pattern is drawn, (draws, patterns), to (draws,) values, NaN where
            there is none; of items, (draws, items), if it is `by_rater`; of cells of
            ``data.rater_pairs``, (draws, cells), if it is `over_pairs`.
        """

    def undefined(self, data: Prepared) -> str | None:
        """Say why it has no value on data with two ratings of an item; None if it may have one."""
        return None

    def no_value(self, data: Prepared) -> str:
        """Say why its value turned out to be NaN."""
        return "ratings do not differ enough to tell agreement from chance"

    def interval(
        self, data: Prepared, value: float, level: float, change: Floats | None = None
    ) -> Estimate | None:
        """Find its interval without resampling; None if there is no standard one.

        `change` is how a mean over pairs changes with each item, (items,).
        """
        return None

    def slope(self, data: Prepared) -> Floats | None:
        """How a mean over pairs changes with the count of each cell, (cells,); None for others."""
        return None

    def influence(self, data: Prepared) -> Influence | None:
        """How it changes with items, raters and ratings; None if it is not known.

        Without it, there is no interval for raters like these.
        """
        return None

    def fisher(self, data: Prepared) -> Fisher:
        """Give the scale on which its interval for raters like these is symmetric."""
        return Fisher(self.least)

    def by_pair(self, data: Prepared, level: float) -> list[Estimate] | None:
        """Its value for every two raters who share an item; None if it has none for two."""
        return None

    def work(self, data: Prepared) -> int:
        """Multiplications that one draw costs; 0 if they are few, whatever the data."""
        return 0

    def bare(self, data: Prepared) -> bool:
        """Whether no interval of it would hold on these data, so that it has none."""
        return False

    def biased(self, data: Prepared) -> bool:
        """Whether draws of it are off by as much again as it is itself."""
        return False

    def direction(self, estimate: Estimate) -> int | None:
        """Say if agreement is more than chance (1), less (-1) or neither can be said (0).

        None where the coefficient is not corrected for chance, or has no interval.
        """
        low, high = estimate.low, estimate.high
        if not self.corrected or low is None or high is None or low == high:
            return None
        return 1 if low > 0 else -1 if high < 0 else 0

    def why(self, data: Prepared) -> str:
        """Say why to report it, in a sentence; "" if it is not the one to report."""
        return ""

    def differs(self, data: Prepared, value: float, reported: float) -> str:
        """Say what it says that the reported one does not; "" if it need not stand beside it."""
        return ""

    def none(self, estimate: Estimate) -> bool:
        """Whether an interval around 0 is so tight that there is no agreement to speak of."""
        return (
            self.direction(estimate) == 0
            and estimate.high is not None
            and estimate.high < NEAR_ZERO
        )

    def verdict(self, estimate: Estimate, *, whom: str = "") -> str:
        """Say how agreement compares with chance; "" where that cannot be said."""
        direction = self.direction(estimate)
        if direction is None:
            return ""
        start = f"{whom} " if whom else ""
        if self.none(estimate):
            most = estimate.show(estimate.high)
            return f"{start}there is no agreement beyond chance, or at most {most}"
        few = ": the ratings are too few" if direction == 0 else ""
        return f"{start}agreement {VERDICTS[direction]}{few}"

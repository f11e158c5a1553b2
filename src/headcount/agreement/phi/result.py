"""What :func:`headcount.agreement.phi.phi.phi` returns."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
from typing import Literal

import numpy as np

from headcount.agreement.phi.mu import PhiItems, RatedItems
from headcount.agreement.phi.posterior import Posterior
from headcount.errors import DataError, OptionError, count, percent
from headcount.results.text import wrap
from headcount.stats.estimate import Estimate
from headcount.typing import Floats

__all__ = ["Method", "PhiResult", "Verdict"]

Method = Literal["unbiased", "paper"]
Verdict = Literal["agreement", "disagreement", "cannot tell", "undefined"]


@dataclass(frozen=True, eq=False)
class PhiResult:
    """Phi with its posterior.

    Parameters
    ----------
    estimate : Estimate
        Posterior mean and highest-density interval; or why there is none.
    map : float or None
        Where the posterior density is highest.
    p_positive : float or None
        Posterior probability that Phi > 0.
    method : {"unbiased", "paper"}
    limits : (float, float) or None
        Ends of the scale.
    points : int or None
        Equally spaced points on it; None if ratings are continuous.
    items_used, items_dropped : int
        Items with two ratings or more, and the others.
    ratings_used : int
        Ratings of the items used.
    unanimous : bool
        Whether the raters of every item agree in full. Phi is then 1 by definition.
    notes : tuple of str
        What a reader should know.
    spread : float or None
        Posterior mean of 2 sd(mu), which the unbiased method learns, for items turned at random:
        0 if all have their central value in the middle of the scale, .58 if it is anywhere, 1 if
        it is at either end.
    posterior : Posterior or None
        The grid behind the numbers.
    """

    estimate: Estimate
    map: float | None
    p_positive: float | None
    method: Method
    limits: tuple[float, float] | None
    points: int | None
    items_used: int
    items_dropped: int
    ratings_used: int
    unanimous: bool = False
    notes: tuple[str, ...] = ()
    spread: float | None = None
    posterior: Posterior | None = field(default=None, repr=False)
    rated: RatedItems | None = field(default=None, repr=False)

    @property
    def value(self) -> float:
        """Posterior mean; nan if undefined."""
        return self.estimate.value

    @property
    def low(self) -> float | None:
        """Lower end of the interval."""
        return self.estimate.low

    @property
    def high(self) -> float | None:
        """Upper end of the interval."""
        return self.estimate.high

    @property
    def verdict(self) -> Verdict:
        """What the interval says: agreement if it lies above 0, disagreement if below."""
        if self.estimate.undefined is not None:
            return "undefined"
        low, high = self.estimate.low, self.estimate.high
        if low is None or high is None:
            return "agreement" if self.unanimous else "cannot tell"
        return "agreement" if low > 0 else "disagreement" if high < 0 else "cannot tell"

    @property
    def words(self) -> str:
        """The verdict as a sentence."""
        if self.estimate.undefined is not None:
            return f"Phi is undefined: {self.estimate.undefined}"
        where = f"the {percent(self.estimate.level or 0)} interval of Phi"
        if self.unanimous:
            few = f", but on so few ratings that {where} contains 0"
            in_full = "the raters of every item agree in full"
            return f"{self.verdict}: {in_full}{few if self.verdict == 'cannot tell' else ''}"
        if self.verdict == "agreement":
            return f"agreement: {where} lies above 0, what ratings at random would give"
        if self.verdict == "disagreement":
            return (
                f"disagreement: {where} lies below 0; ratings of an item are further apart than "
                "at random"
            )
        return (
            f"cannot tell: {where} contains 0; either there are too few ratings, or items differ "
            "in how much they are agreed on"
        )

    @property
    def density(self) -> tuple[Floats, Floats]:
        """Values of Phi and its posterior density there, for a plot; empty if it has none."""
        if self.posterior is None:
            return np.zeros(0), np.zeros(0)
        return self.posterior.density()

    def items(self, level: float | None = None) -> PhiItems:
        """Find the central value of each item, with an interval.

        O(patterns x nodes); for continuous ratings, items that differ in the sum of their logits
        only are interpolated from 256 of them.
        """
        if level is None or level == self.estimate.level:
            return self._items
        if not 0 < level < 1:
            raise OptionError(f"level must lie between 0 and 1, such as .95, not {level:g}.")
        return self._central(level)

    @cached_property
    def _items(self) -> PhiItems:
        return self._central(self.estimate.level or 0.95)

    def _central(self, level: float) -> PhiItems:
        if self.posterior is None or self.rated is None:
            why = self.estimate.undefined or "every item is unanimous"
            raise DataError(f"there are no central values without a posterior of Phi: {why}.")
        return self.rated.central(self.posterior, level)

    def to_dict(self) -> dict[str, object]:
        """Return the JSON form."""
        return {
            **self.estimate.to_dict(),
            "undefined": self.estimate.undefined,
            "map": self.map,
            "p_positive": self.p_positive,
            "verdict": self.verdict,
            "method": self.method,
            "limits": None if self.limits is None else list(self.limits),
            "points": self.points,
            "unanimous": self.unanimous,
        }

    def __repr__(self) -> str:
        if self.estimate.undefined is not None:
            return wrap(f"Phi undefined: {self.estimate.undefined}", "  ")
        e = self.estimate
        interval = f" ({e.interval()})" if e.low is not None else ""
        scale = "continuous" if self.points is None else f"{self.points:,} points"
        size = f"{count(self.ratings_used, 'rating')} of {count(self.items_used, 'item')}"
        head = f"Phi {e.show(e.value)}{interval}, method '{self.method}', {scale}, {size}"
        return f"{wrap(head, '  ')}\n{wrap(self.words, '  ')}"

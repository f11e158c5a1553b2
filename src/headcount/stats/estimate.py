"""A number with its uncertainty, and the ways in which it may be no plain number."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import Literal

from headcount.stats.intervals import EXACT, PERCENTILE, FromDraws, FromError
from headcount.typing import Floats

__all__ = ["Estimate", "decimals", "digits_apart"]

MOST_DECIMALS = 6


def digits_apart(x: float, limits: Iterable[float], least: int = 2) -> int:
    """Digits with which a number, as it is printed, is on the same side of limits as it is.

    Examples
    --------
    >>> digits_apart(0.665, [0.667]), digits_apart(0.66, [0.667]), digits_apart(0.5, [])
    (3, 2, 2)
    """
    digits, limits = least, list(limits)
    while digits < MOST_DECIMALS and any((round(x, digits) > y) != (x > y) for y in limits):
        digits += 1
    return digits


def decimals(largest: float, least: int = 3) -> int:
    """Decimals that show three digits of the largest of some numbers.

    Examples
    --------
    >>> decimals(-1.3), decimals(0.25), decimals(0.0031)
    (3, 3, 5)
    """
    size = abs(largest)
    if not (math.isfinite(size) and size > 0):
        return least
    return min(max(least, 2 - math.floor(math.log10(size))), MOST_DECIMALS)


Side = Literal["below", "above"]


@dataclass(frozen=True)
class Estimate:
    """A value with its interval, and how they were computed.

    Parameters
    ----------
    value : float
        The estimate; `-inf` or `inf` if it is censored, `nan` if it is undefined.
    low, high : float or None
        Ends of the interval; `None` if there is none. Either end may be censored.
    level : float or None
        Nominal coverage of the interval.
    method : str
        How the interval was computed: a name of :mod:`headcount.stats.intervals`, and what else it
        assumes.
    bounds : (float, float) or None
        The range of values that the data can distinguish; a value outside it is censored.
    undefined : str or None
        Why there is no value.
    known : float or None
        The largest value within the data, if larger ones are extrapolated.

    Examples
    --------
    >>> Estimate(3.359, 2.8, 4.1, level=0.95, method="bootstrap")
    3.359 (2.8 to 4.1)
    >>> worth = Estimate(math.inf, 7.25, math.inf, level=0.95, method="bootstrap", bounds=(0, 9))
    >>> worth
    > 9 (7.25 to > 9)
    >>> worth.censored
    'above'
    >>> replace(worth, low=math.inf)
    > 9 (all > 9)
    """

    value: float
    low: float | None = None
    high: float | None = None
    level: float | None = None
    method: str = ""
    bounds: tuple[float, float] | None = None
    undefined: str | None = None
    known: float | None = None

    @classmethod
    def from_draws(
        cls,
        value: float,
        draws: Floats,
        *,
        level: float,
        bounds: tuple[float, float] | None = None,
        method: FromDraws = PERCENTILE,
    ) -> Estimate:
        """Add the interval of bootstrap `draws`; none where there are no draws."""
        ends = method.ends(value, draws, level)
        if ends is None:
            return cls(value, bounds=bounds, method=EXACT.name)
        low, high = ends
        return cls(value, low=low, high=high, level=level, method=method.name, bounds=bounds)

    @classmethod
    def from_error(
        cls,
        value: float,
        error: float,
        *,
        level: float,
        method: FromError,
        n: float = 2,
        limits: tuple[float, float] = (-math.inf, math.inf),
    ) -> Estimate:
        """Add the interval of a standard error over n items, cut at limits; none where n < 2."""
        ends = method.ends(value, error, level, n)
        if ends is None:
            return cls(value)
        low, high = max(ends.low, limits[0]), min(ends.high, limits[1])
        return cls(value, low=low, high=high, level=level, method=method.name)

    @property
    def censored(self) -> Side | None:
        """Side of the bounds on which the value lies, if it lies outside them."""
        return self._side(self.value)

    @property
    def extrapolated(self) -> bool:
        """Whether the value lies beyond what data hold, but not outside the bounds."""
        beyond = self.known is not None and self.value > self.known
        return beyond and self.censored is None

    def ceil(self) -> Estimate:
        """Round value and ends up; a percentile interval keeps its meaning."""

        def up(x: float) -> float:
            return float(math.ceil(x)) if math.isfinite(x) else x

        return replace(
            self,
            value=up(self.value),
            low=None if self.low is None else up(self.low),
            high=None if self.high is None else up(self.high),
        )

    def to_dict(self) -> dict[str, float | int | str | bool | None]:
        """Return the JSON form; null for what is censored or undefined, and what marks it."""
        out: dict[str, float | int | str | bool | None] = {
            "value": self._number(self.value),
            "low": self._number(self.low),
            "high": self._number(self.high),
        }
        if self.bounds is not None:
            out["censored"] = self.censored
            out["low_censored"] = self._side(self.low)
            out["high_censored"] = self._side(self.high)
        if self.known is not None:
            out["extrapolated"] = self.extrapolated
        if self.undefined is not None:
            out["undefined"] = self.undefined
        return out

    def show(self, x: float | None, digits: int = 3) -> str:
        """Write one of the three numbers, as `< 0` or `> 9` where it is censored."""
        if x is None:
            return ""
        side = self._side(x)
        if side is not None and self.bounds is not None:
            sign, bound = ("<", self.bounds[0]) if side == "below" else (">", self.bounds[1])
            whole = float(bound).is_integer()
            return f"{sign} {bound:.0f}" if whole else f"{sign} {bound:.{digits}f}"
        return f"{round(x, digits) + 0.0:.{digits}f}"  # + 0.0 makes a minus zero a zero

    def interval(self, digits: int = 3) -> str:
        """Write the interval in words, or nothing where there is none."""
        if self.low is None or self.high is None:
            return ""
        if self._all_censored():
            return f"all {self.show(self.low, digits)}"
        return f"{self.show(self.low, digits)} to {self.show(self.high, digits)}"

    def __repr__(self) -> str:
        if self.undefined is not None:
            return f"undefined: {self.undefined}"

        def short(x: float) -> str:
            return f"{x:.4g}" if self._side(x) is None else self.show(x)

        if self.low is None or self.high is None:
            return short(self.value)
        if self._all_censored():
            return f"{short(self.value)} ({self.interval()})"
        return f"{short(self.value)} ({short(self.low)} to {short(self.high)})"

    def _all_censored(self) -> bool:
        """Whether both ends lie outside the bounds, on the same side."""
        side = self._side(self.low)
        return side is not None and side == self._side(self.high)

    def _side(self, x: float | None) -> Side | None:
        if x is None or self.bounds is None:
            return None
        return "below" if x < self.bounds[0] else "above" if x > self.bounds[1] else None

    def _number(self, x: float | None) -> float | None:
        return x if x is not None and math.isfinite(x) else None

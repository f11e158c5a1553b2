"""How labels become numbers between 0 and 1, for Phi."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from headcount import options
from headcount.data.labels import Labels
from headcount.data.vocabulary import number_of, number_text
from headcount.errors import DataError, OptionError, count, option, some
from headcount.results.notes import Notes
from headcount.typing import Floats

__all__ = ["Points", "PhiScale", "find_scale", "label_values"]

CONTINUOUS = "continuous"
Points = int | Literal["continuous"]

MOST_BINS = 21
"""Points of a scale on which every rating counts as an interval, at most. On finer scales the
middle of an interval says as much, but for the two at the ends; Phi differs by .003 at most."""
FEW_POINTS = 101
"""Points that labels are first tried on, such as thirds or a slider from 0 to 100."""
MOST_POINTS = 100_001
"""Points of a scale that is recognised as one; finer numbers are continuous."""
LIKERT = 10
"""Width of integer limits up to which every whole number between them is taken for a point."""


@dataclass(frozen=True)
class PhiScale:
    """The range of the ratings, and the points on it.

    Parameters
    ----------
    low, high : float
        Ends of the scale.
    points : int or None
        Number of equally spaced points; None if ratings are continuous.
    squeeze : int or None
        What keeps ratings off 0 and 1: they become (x (squeeze - 1) + 1/2) / squeeze. With the
        number of points for `squeeze`, that is the middle of a point's interval.

    Examples
    --------
    >>> scale = PhiScale(1, 5, points=5, squeeze=5)
    >>> scale.unit(np.array([1.0, 3.0, 5.0])), scale.point(np.array([1.0, 3.0, 5.0]))
    (array([0.1, 0.5, 0.9]), array([0, 2, 4]))
    >>> scale.label(np.array([0.05, 0.5]))
    array([1., 3.])
    """

    low: float
    high: float
    points: int | None = None
    squeeze: int | None = None

    @property
    def binned(self) -> bool:
        """Whether all ratings are intervals, in the unbiased method."""
        return self.points is not None and self.points <= MOST_BINS

    @property
    def unit_size(self) -> float:
        """What 1 on the scale of the labels is on the scale from 0 to 1."""
        return self._share / (self.high - self.low)

    @property
    def _share(self) -> float:
        return 1.0 if self.squeeze is None else (self.squeeze - 1) / self.squeeze

    def unit(self, value: Floats) -> Floats:
        """Map labels into the range from 0 to 1."""
        return (value - self.low) * self.unit_size + (1 - self._share) / 2

    def point(self, value: Floats) -> NDArray[np.int64]:
        """Place of labels among the points of the scale, the lowest being 0."""
        steps = (self.points or 2) - 1
        return np.rint((value - self.low) / (self.high - self.low) * steps).astype(np.int64)

    def label(self, unit: Floats) -> Floats:
        """Map numbers from 0 to 1 back to labels, none beyond the ends of the scale."""
        value = self.low + (unit - (1 - self._share) / 2) / self.unit_size
        return np.clip(value, self.low, self.high)


def label_values(labels: Labels, notes: Notes | None = None) -> Floats:
    """Return what each label of the scale is worth as a number.

    Labels that are no numbers but in order (an ordinal scale) count as 1, 2, 3 ...
    """
    names = labels.scale.labels
    try:
        value = np.fromiter(map(float, names), dtype=np.float64, count=len(names))
        if np.isfinite(value).all():
            return value
    except ValueError:
        pass  # some label is no number; find out which
    if labels.scale.kind == "ordinal":
        if notes is not None:
            notes.caution(
                f"Phi: labels {some(names)} are no numbers; they count as equally spaced, 1 to "
                f"{len(names)}."
            )
        return np.arange(1.0, len(names) + 1)
    wrong = [name for name in names if number_of(name) is None]
    raise DataError(
        f"{labels.source}: Phi needs labels that are numbers, but found {some(wrong)}. Use "
        "Fleiss' kappa or Krippendorff's alpha for names, or declare an ordinal scale to have "
        "labels count as equally spaced."
    )


def find_scale(
    labels: Labels,
    *,
    limits: tuple[float, float] | None,
    points: Points | None,
    squeeze: int | None,
    notes: Notes,
) -> PhiScale:
    """Find the ends of the scale and the points on it.

    Parameters
    ----------
    labels : Labels
    limits, points
        What the caller says of the scale; found from the labels where it is None.
    squeeze : int, optional
        Moves ratings off the limits; without it, that is left to the points of the scale.
    notes : Notes
        Takes what was found.
    """
    value, source = label_values(labels, notes), labels.source
    low, high = _limits(value, limits, source)
    found = _points(value, low, high, points, given=limits is not None)
    if limits is None:
        spaced = f", {found} equally spaced points" if found == len(value) else ""
        notes.info(
            f"Phi: limits {low:.6g} to {high:.6g} inferred from the labels"
            f"{spaced}; give {option('limits')} if the scale is wider, for Phi depends on them."
        )
    if found is not None and found <= FEW_POINTS and points is None and found != len(value):
        notes.info(
            f"Phi: read as a scale of {found} equally spaced points, of which {len(value)} are "
            f"labels; in Python, say {option('points', ...)} if it has others."
        )
    if squeeze is not None:
        return PhiScale(low, high, found, squeeze)
    if found is None and not ((value > low) & (value < high)).all():
        # On the limits a density is 0 or infinite: they are moved by half of what one of so many
        # ratings has of the scale.
        margin = (high - low) / (2 * max(len(labels) - 1, 1))
        if limits is not None:
            on_limits = int(
                np.isin(labels.label, np.flatnonzero((value <= low) | (value >= high))).sum()
            )
            notes.info(
                f"Phi: {count(on_limits, 'continuous rating')} on the limits {number_text(low)} or "
                f"{number_text(high)}, where a density is 0 or infinite; the limits are moved "
                f"outwards by {margin:.2g}."
            )
        low, high = low - margin, high + margin
    return PhiScale(low, high, found, found)


def _limits(value: Floats, limits: tuple[float, float] | None, source: str) -> tuple[float, float]:
    if limits is None:
        low, high = float(value.min()), float(value.max())
        if low == high:
            raise DataError(
                f"{source}: every rating is {number_text(low)} and the limits of the scale are not "
                f"given, so nothing says how close that is. Give {option('limits')}."
            )
        return low, high
    low, high = _checked_limits(limits)
    outside = value[(value < low) | (value > high)]
    if len(outside):
        raise DataError(
            f"{source}: {count(len(outside), 'label')} outside the limits {number_text(low)} "
            f"to {number_text(high)}: {some(map(number_text, outside.tolist()))}. Correct "
            f"them, or widen {option('limits')}."
        )
    return low, high


def _checked_limits(limits: tuple[float, float]) -> tuple[float, float]:
    try:
        low, high = map(float, limits)
    except (TypeError, ValueError):
        low = high = np.nan  # too many, too few, or no numbers
    if not (np.isfinite(low) and np.isfinite(high) and low < high):
        raise OptionError(
            f"{option('limits')} must be two numbers, the lower first, not {limits!r}."
        )
    return low, high


def _points(
    value: Floats, low: float, high: float, points: Points | None, *, given: bool
) -> int | None:
    if isinstance(points, str):
        options.one_of(points, "points", [CONTINUOUS])
        return None
    share = (value - low) / (high - low)
    if points is not None:
        options.whole(points, "points", least=2, most=MOST_POINTS)
        off = value[~_whole(share * (points - 1))]
        if len(off):
            raise DataError(
                f"labels {some(map(number_text, off.tolist()))} are none of {points} equally "
                f"spaced points from {number_text(low)} to {number_text(high)}. Check "
                f"{option('points')} and {option('limits')}."
            )
        return points
    ends = np.array([low, high])
    if given and high - low <= LIKERT and _decimal(ends) and _decimal(value):
        return round(high - low) + 1
    if len(value) <= FEW_POINTS:
        for candidate in range(2, FEW_POINTS + 1):
            if _whole(share * (candidate - 1)).all():
                return candidate
    for size in (1.0, 10.0, 100.0, 1000.0, 10_000.0):
        if _decimal(ends * size) and _decimal(value * size):
            fine = round((high - low) * size) + 1
            return fine if fine <= MOST_POINTS else None
    return None


def _decimal(x: Floats) -> bool:
    # The first few tell most data that are not.
    return all(bool((np.abs(y - np.rint(y)) < 1e-6).all()) for y in (x[:100], x))


def _whole(x: Floats) -> NDArray[np.bool_]:
    # Thirds are often written with four digits.
    return np.abs(x - np.rint(x)) < 1e-3

"""What Phi starts from: ratings as numbers from 0 to 1, and true values."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from headcount import options
from headcount.data.labels import Labels
from headcount.data.vocabulary import number_of, number_text
from headcount.errors import DataError, OptionError, count, option, some
from headcount.results.notes import Notes
from headcount.typing import Codes, Flags, Floats, Ids

__all__ = [
    "Points",
    "PhiScale",
    "label_values",
    "ends_known",
    "PhiRatings",
    "prepare_phi",
]


# How labels become numbers between 0 and 1, for Phi.

CONTINUOUS = "continuous"
Points = Literal["continuous"]

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

    Labels that are not numbers but in order (an ordinal scale) count as 1, 2, 3 ...
    """
    names = labels.scale.labels
    try:
        value = np.fromiter(map(float, names), dtype=np.float64, count=len(names))
        if np.isfinite(value).all():
            return value
    except ValueError:
        pass  # some label is not a number; find out which
    if labels.scale.kind == "ordinal":
        if notes is not None:
            notes.caution(
                f"Phi: labels {some(names)} are not numbers; they count as equally spaced, 1 to "
                f"{len(names)}."
            )
        return np.arange(1.0, len(names) + 1)
    wrong = [name for name in names if number_of(name) is None]
    raise DataError(
        f"{labels.source}: Phi needs labels that are numbers, but found {some(wrong)}. Use "
        "Fleiss' kappa or Krippendorff's alpha for names, or declare an ordinal scale to have "
        "labels count as equally spaced."
    )


def ends_known(labels: Labels) -> bool:
    """Whether the labels say where their scale ends, which measurements and counts do not.

    Labels in a declared order are the whole scale. Numbers have ends if they are whole and go from
    0 or 1, or from minus to plus, over no more than `LIKERT`, or are a slider's from 0 to 100.
    """
    if labels.scale.kind == "ordinal":
        return True
    value = label_values(labels)
    low, high = float(value.min()), float(value.max())
    return _decimal(value) and (
        (low in (0, 1, -high) and high - low <= LIKERT) or (low, high) == (0, 100)
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
    n_points = _points(value, low, high, points, limited=limits is not None)
    if limits is None:
        spaced = f", {n_points} equally spaced points" if n_points == len(value) else ""
        notes.info(
            f"Phi: limits {low:.6g} to {high:.6g} inferred from the labels"
            f"{spaced}; give {option('limits')} if the scale is wider, because Phi depends on them."
        )
    if points is None and n_points != len(value) and n_points and n_points <= FEW_POINTS:
        notes.info(
            f"Phi: read as a scale of {n_points} equally spaced points, of which {len(value)} are "
            f"labels; give {option('limits')} if it has others."
        )
    if squeeze is not None:
        return PhiScale(low, high, n_points, squeeze)
    if n_points is None and not ((value > low) & (value < high)).all():
        # On the limits a density is 0 or infinite: they are moved by half of what one of so many
        # ratings has of the scale.
        margin = (high - low) / (2 * max(len(labels) - 1, 1))
        if limits is not None:
            notes.info(
                f"Phi: continuous ratings on the limits {number_text(low)} or {number_text(high)}, "
                f"where a density is 0 or infinite; the limits are moved outwards by {margin:.2g}."
            )
        low, high = low - margin, high + margin
    return PhiScale(low, high, n_points, n_points)


def _limits(value: Floats, limits: tuple[float, float] | None, source: str) -> tuple[float, float]:
    if limits is None:
        low, high = float(value.min()), float(value.max())
        if low == high:
            raise DataError(
                f"{source}: every rating is {number_text(low)} and the limits of the scale are not "
                f"given, so nothing says how close that is. Give {option('limits')}."
            )
        return low, high
    try:
        low, high = map(float, limits)
    except (TypeError, ValueError):
        low = high = np.nan  # too many, too few, or no numbers
    if not (np.isfinite(low) and np.isfinite(high) and low < high):
        raise OptionError(
            f"{option('limits')} must be two numbers, the lower first, not {limits!r}."
        )
    outside = value[(value < low) | (value > high)]
    if len(outside):
        raise DataError(
            f"{source}: {count(len(outside), 'label')} outside the limits {number_text(low)} "
            f"to {number_text(high)}: {some(map(number_text, outside.tolist()))}. Correct "
            f"them, or widen {option('limits')}."
        )
    return low, high


def _points(
    value: Floats, low: float, high: float, points: Points | None, *, limited: bool
) -> int | None:
    if points is not None:
        options.one_of(points, "points", [CONTINUOUS])
        return None
    share = (value - low) / (high - low)
    ends = np.array([low, high])
    if limited and high - low <= LIKERT and _decimal(ends) and _decimal(value):
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


# What Phi starts from: ratings of items with two or more.


@dataclass(frozen=True, eq=False, kw_only=True)
class PhiRatings:
    """Ratings of the items with two or more.

    Parameters
    ----------
    ids : (items,) array
    item : (ratings,) array of int
        Item of each rating.
    rater : (ratings,) array of int
        Who gave it.
    x : (ratings,) array
        Ratings, in units of the labels.
    scale : PhiScale
    unbiased : bool
        Whether it is measured by the unbiased method; else by the published one.
    weight : (items,) array or None
        Items that each stands for, of ratings that were added up by pattern; None: one.
    """

    ids: Ids
    item: Codes
    rater: Codes
    x: Floats
    scale: PhiScale
    unbiased: bool = True
    weight: Floats | None = None

    @property
    def n_items(self) -> int:
        """Items with two ratings or more."""
        return len(self.ids) if self.weight is None else int(self.weight.sum())

    @property
    def n_ratings(self) -> int:
        """Ratings of them."""
        return len(self.item) if self.weight is None else int(self.weight[self.item].sum())

    def keep(self, ratings: Flags) -> PhiRatings:
        """Leave out some ratings, and the items that are left with less than two."""
        n = np.bincount(self.item[ratings], minlength=len(self.ids))
        rest = replace(self, item=self.item[ratings], rater=self.rater[ratings], x=self.x[ratings])
        return rest if (n >= 2).all() else rest.only(n >= 2)

    def only(self, items: Flags) -> PhiRatings:
        """Keep some items."""
        rows = items[self.item]
        return replace(
            self,
            ids=self.ids[np.flatnonzero(items)],
            item=(np.cumsum(items) - 1)[self.item[rows]],
            rater=self.rater[rows],
            x=self.x[rows],
            weight=None if self.weight is None else self.weight[items],
        )

    def some_items(self, most: int) -> PhiRatings:
        """Take so many items at most, evenly spread over their order."""
        n = len(self.ids)
        if n <= most:
            return self
        kept = np.zeros(n, dtype=bool)
        kept[np.linspace(0, n - 1, most).astype(np.intp)] = True
        return self.only(kept)

    @cached_property
    def unanimous(self) -> bool:
        """Whether the raters of every item agree in full."""
        example = np.empty(len(self.ids))
        example[self.item] = self.x
        return bool((example[self.item] == self.x).all())


def prepare_phi(
    labels: Labels,
    *,
    unbiased: bool,
    limits: tuple[float, float] | None,
    points: Points | None,
    notes: Notes,
) -> PhiRatings:
    """Find the scale, and keep the items with two ratings or more, as numbers. O(ratings)."""
    if not len(labels):
        raise DataError(f"{labels.source}: no ratings.")
    # Of anonymous raters there are at least as many as have rated one item.
    most = labels.n_raters or int(labels.ratings_per_item.max())
    squeeze = None if unbiased else most
    scale = find_scale(labels, limits=limits, points=points, squeeze=squeeze, notes=notes)
    rated = labels.ratings_per_item
    times = np.ones(len(rated), dtype=np.int64) if labels.item_times is None else labels.item_times
    if single := int(times[rated == 1].sum()):
        notes.info(f"Phi: {count(single, 'item')} with a single rating left out.")
    kept = rated >= 2
    if labels.reduced:
        return replace(_of_patterns(labels, scale, kept, times), unbiased=unbiased)
    rows = kept[labels.item]
    return PhiRatings(
        ids=labels.items[np.flatnonzero(kept)],
        item=(np.cumsum(kept) - 1)[labels.item[rows]],
        rater=labels.rater[rows],
        x=label_values(labels)[labels.label[rows]],
        scale=scale,
        unbiased=unbiased,
    )


def _of_patterns(labels: Labels, scale: PhiScale, kept: Flags, times: Codes) -> PhiRatings:
    """Take each pattern of ratings that were added up for an item, with the number of them."""
    counts = labels.matrix()[kept]
    pattern, label = np.nonzero(counts)
    number = counts[pattern, label]
    return PhiRatings(
        ids=np.arange(len(counts)),
        item=np.repeat(pattern, number),
        rater=np.zeros(int(number.sum()), dtype=np.int64),
        x=label_values(labels)[np.repeat(label, number)],
        scale=scale,
        weight=times[kept].astype(np.float64),
    )

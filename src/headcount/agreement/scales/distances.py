"""How far apart two labels are, and sums of distances without a table of labels squared."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from headcount.typing import Floats, Ints

__all__ = ["Distance", "Linear", "Nominal", "Quadratic", "Ranks", "Ratio", "Tabled"]

BLOCK = 2**21
"""Cells of the label-by-label table that are held at once, where sums have no shorter form."""

Total = Callable[[Floats], Floats]
"""Sums over the group of each entry."""


@dataclass(frozen=True, eq=False)
class Distance(ABC):
    """A distance between labels, between 0 and 1.

    Parameters
    ----------
    values : (labels,) array
        What the labels are worth, ascending.

    Examples
    --------
    >>> five = Quadratic(np.array([1.0, 2, 3, 4, 5]))
    >>> five.between(np.array([0, 0]), np.array([1, 4]))
    array([0.0625, 1.    ])
    >>> five.spread(np.arange(5), np.array([1.0, 0, 0, 0, 1]), np.array([0]))
    array([1.   , 0.625, 0.5  , 0.625, 1.   ])
    """

    values: Floats
    squared: ClassVar[bool] = False
    """Whether it is the squared difference of values, whose sums follow from three moments."""

    @property
    def span(self) -> float:
        """Largest minus smallest value; 1 for a single value, so that it can divide."""
        return float(self.values[-1] - self.values[0]) or 1.0

    @property
    def unit_values(self) -> Floats:
        """Values scaled to between 0 and 1."""
        return (self.values - self.values[0]) / self.span

    @abstractmethod
    def between(self, a: Ints, b: Ints) -> Floats:
        """Distance of labels, given as codes."""

    def spread(self, label: Ints, weight: Floats, start: Ints) -> Floats:
        """For each entry, sum weight x distance over the entries of its group.

        Parameters
        ----------
        label : (entries,) array of int
            Ascending and distinct within a group.
        weight : (..., entries) array
            Not negative.
        start : (groups,) array of int
            First entry of each group.

        Returns
        -------
        (..., entries) array

        Notes
        -----
        O(entries), from sums, moments or sorted cumulative sums; O(entries x longest group) for
        ratios and tables, which have no such form. The memory is that of the result.
        """
        group = np.repeat(np.arange(len(start)), np.diff(start, append=len(label)))

        def total(x: Floats) -> Floats:
            return np.add.reduceat(x, start, axis=-1)[..., group]

        return self._spread(label, weight, Groups(start, group, total))

    @abstractmethod
    def _spread(self, label: Ints, weight: Floats, groups: Groups) -> Floats: ...


@dataclass(frozen=True, eq=False)
class Groups:
    """First entry of each group, the group of each entry, and sums over it."""

    start: Ints
    of_entry: Ints
    total: Total


class Nominal(Distance):
    """Whether labels differ."""

    def between(self, a: Ints, b: Ints) -> Floats:
        """Return 0 for the same label, 1 for others."""
        return (a != b).astype(np.float64)

    def _spread(self, label: Ints, weight: Floats, groups: Groups) -> Floats:
        return groups.total(weight) - weight


class Linear(Distance):
    """|x - y|, of values scaled to span 1."""

    def between(self, a: Ints, b: Ints) -> Floats:
        """Absolute difference."""
        return np.abs(self.unit_values[a] - self.unit_values[b])

    def _spread(self, label: Ints, weight: Floats, groups: Groups) -> Floats:
        return _linear(self.unit_values[label], weight, groups)


class Quadratic(Distance):
    """(x - y)^2, of values scaled to span 1."""

    squared = True

    def between(self, a: Ints, b: Ints) -> Floats:
        """Squared difference."""
        return np.abs(self.unit_values[a] - self.unit_values[b]) ** 2

    def _spread(self, label: Ints, weight: Floats, groups: Groups) -> Floats:
        return _quadratic(self.unit_values[label], weight, groups)


class Ranks(Distance):
    """Gwet's ordinal distance: m (m + 1) / 2 for labels m places apart, over its largest."""

    @property
    def unit_values(self) -> Floats:
        """Places, scaled to between 0 and 1."""
        return np.arange(len(self.values)) / self._most

    @property
    def _most(self) -> int:
        return max(len(self.values) - 1, 1)

    def between(self, a: Ints, b: Ints) -> Floats:
        """Return m (m + 1) / (most (most + 1)) for labels m = most |x - y| places apart."""
        apart = np.abs(self.unit_values[a] - self.unit_values[b])
        return apart * (self._most * apart + 1) / (self._most + 1)

    def _spread(self, label: Ints, weight: Floats, groups: Groups) -> Floats:
        x = self.unit_values[label]
        squares, linear = _quadratic(x, weight, groups), _linear(x, weight, groups)
        return (self._most * squares + linear) / (self._most + 1)


class _ByPair(Distance):
    """A distance whose sums are found pair by pair."""

    def _spread(self, label: Ints, weight: Floats, groups: Groups) -> Floats:
        group = groups.of_entry
        out = np.zeros(weight.shape)
        if len(group) and group[-1] == 0:  # one group: a matrix product, a slice at a time
            step = max(1, BLOCK // len(label))
            for first in range(0, len(label), step):
                some = slice(first, first + step)
                out[..., some] = weight @ self.between(label[:, None], label[None, some])
            return out
        for shift in range(1, len(label)):  # many short groups: neighbours, further and further
            left = np.flatnonzero(group[shift:] == group[:-shift])
            if not len(left):
                break
            right = left + shift
            d = self.between(label[left], label[right])
            out[..., left] += d * weight[..., right]
            out[..., right] += d * weight[..., left]
        return out


class Ratio(_ByPair):
    """((x - y) / (x + y))^2, over its largest."""

    def between(self, a: Ints, b: Ints) -> Floats:
        """Squared difference, relative to the sum."""
        x, y = self.values[a], self.values[b]
        # Two zeros do not differ; the span over the sum of the ends is the largest ratio.
        total = np.where(x + y > 0, x + y, 1.0)
        largest = self.span / (float(self.values[0] + self.values[-1]) or 1.0)
        return ((x - y) / total / largest) ** 2


@dataclass(frozen=True, eq=False)
class Tabled(_ByPair):
    """What a table says: distances of sets, or a caller's own.

    Parameters
    ----------
    table : (labels, labels) array
        Symmetric, from 0 to 1, 0 on the diagonal.
    """

    table: Floats

    def between(self, a: Ints, b: Ints) -> Floats:
        """Look them up."""
        return self.table[a, b]


def _quadratic(x: Floats, weight: Floats, groups: Groups) -> Floats:
    """Sum of squared differences, about the group's mean so that nothing cancels.

    n (x - m)^2 + sum of w (x - m)^2.
    """
    n = groups.total(weight)
    mean = np.divide(groups.total(weight * x), n, out=np.zeros(n.shape), where=n > 0)
    square = (x - mean) ** 2
    return n * square + groups.total(weight * square)


def _linear(x: Floats, weight: Floats, groups: Groups) -> Floats:
    """Sum of absolute differences, from cumulative sums of what lies below."""
    start, group = groups.start, groups.of_entry
    below = np.cumsum(weight, axis=-1)
    below_x = np.cumsum(weight * x, axis=-1)
    before = (below - weight)[..., start][..., group]
    before_x = (below_x - weight * x)[..., start][..., group]
    below, below_x = below - before, below_x - before_x
    return 2 * (x * below - below_x) + groups.total(weight * x) - x * groups.total(weight)

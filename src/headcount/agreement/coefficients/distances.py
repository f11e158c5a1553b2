"""How far apart two labels are, and sums of distances without a table of labels squared."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np

from headcount.typing import Floats, Ints

__all__ = ["Distance"]

Kind = Literal["nominal", "linear", "quadratic", "ranks", "ratio"]

BLOCK = 2**21
"""Cells of the label-by-label table that are held at once, for the ratio distance only."""


@dataclass(frozen=True, eq=False)
class Distance:
    """A distance between labels, between 0 and 1.

    Parameters
    ----------
    kind : {"nominal", "linear", "quadratic", "ranks", "ratio"}
        With values x and y, scaled to span 1: whether they differ; |x - y|; (x - y)^2; Gwet's
        ordinal distance, which is m (m + 1) / 2 for labels m places apart, over its largest;
        and ((x - y) / (x + y))^2, over its largest.
    values : (labels,) array
        Ascending.

    Examples
    --------
    >>> five = Distance("quadratic", np.array([1.0, 2, 3, 4, 5]))
    >>> five.between(np.array([0, 0]), np.array([1, 4]))
    array([0.0625, 1.    ])
    >>> five.spread(np.arange(5), np.array([1.0, 0, 0, 0, 1]), np.array([0]))
    array([1.   , 0.625, 0.5  , 0.625, 1.   ])
    """

    kind: Kind
    values: Floats

    @property
    def span(self) -> float:
        """Largest minus smallest value; 1 for a single value, so that it can divide."""
        return float(self.values[-1] - self.values[0]) or 1.0

    @property
    def unit_values(self) -> Floats:
        """Values scaled to between 0 and 1; places for the distance of ranks."""
        if self.kind == "ranks":
            return np.arange(len(self.values)) / max(len(self.values) - 1, 1)
        return (self.values - self.values[0]) / self.span

    def between(self, a: Ints, b: Ints) -> Floats:
        """Distance of labels, given as codes."""
        if self.kind == "nominal":
            return (a != b).astype(np.float64)
        if self.kind == "ratio":
            x, y = self.values[a], self.values[b]
            # Two zeros do not differ; the span over the sum of the ends is the largest ratio.
            total = np.where(x + y > 0, x + y, 1.0)
            largest = self.span / (float(self.values[0] + self.values[-1]) or 1.0)
            return ((x - y) / total / largest) ** 2
        apart = np.abs(self.unit_values[a] - self.unit_values[b])
        if self.kind == "linear":
            return apart
        if self.kind == "quadratic":
            return apart**2
        most = max(len(self.values) - 1, 1)
        return apart * (most * apart + 1) / (most + 1)

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
        the ratio distance, which has no such form. The memory is that of the result.
        """
        group = np.repeat(np.arange(len(start)), np.diff(start, append=len(label)))

        def total(x: Floats) -> Floats:
            return np.add.reduceat(x, start, axis=-1)[..., group]

        if self.kind == "nominal":
            return total(weight) - weight
        if self.kind == "ratio":
            return self._ratio_spread(label, weight, group)
        x = self.unit_values[label]
        n = total(weight)
        out = np.zeros(weight.shape)
        if self.kind in ("quadratic", "ranks"):
            # About the group's mean, so that nothing cancels: n (x - m)^2 + sum of w (x - m)^2.
            mean = np.divide(total(weight * x), n, out=np.zeros(n.shape), where=n > 0)
            square = (x - mean) ** 2
            out = n * square + total(weight * square)
        if self.kind in ("linear", "ranks"):
            below = np.cumsum(weight, axis=-1)
            below_x = np.cumsum(weight * x, axis=-1)
            before = (below - weight)[..., start][..., group]
            before_x = (below_x - weight * x)[..., start][..., group]
            below, below_x = below - before, below_x - before_x
            linear = 2 * (x * below - below_x) + total(weight * x) - x * n
            if self.kind == "linear":
                return linear
            # m (m + 1) / (most (most + 1)) for labels m = most |x - y| places apart.
            most = max(len(self.values) - 1, 1)
            out = (most * out + linear) / (most + 1)
        return out

    def _ratio_spread(self, label: Ints, weight: Floats, group: Ints) -> Floats:
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

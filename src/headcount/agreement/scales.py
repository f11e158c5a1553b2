"""How labels are compared: kinds of scale, distances, sets, and distances of a caller."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any, ClassVar

import numpy as np

from headcount import options
from headcount.data.facts import Distances
from headcount.data.labels import Labels, Scale
from headcount.data.vocabulary import Sets, as_labels, find_sets, split_all
from headcount.errors import DataError, OptionError, closest, count, option
from headcount.results.notes import Notes
from headcount.typing import Floats, Ints

__all__ = [
    "Distance",
    "Nominal",
    "Linear",
    "Quadratic",
    "Ranks",
    "Ratio",
    "ScaleKind",
    "NOMINAL",
    "INTERVAL",
    "SCALES",
    "MASI",
    "SET_DISTANCES",
    "Metric",
]


# How far apart two labels are, and sums of distances without a table of labels squared.

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


# The kinds of scale that labels are on, and what each lets one do with them.


@dataclass(frozen=True, kw_only=True)
class ScaleKind:
    """A kind of scale.

    Parameters
    ----------
    name : str
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
    distance: Callable[[Floats], Distance]
    ordered: bool = True
    numeric: bool = False
    ranked: bool = False
    from_zero: bool = False
    title: str = ""
    tabled: bool = False
    members: tuple[tuple[str, ...], ...] = ()


NOMINAL = ScaleKind(name="nominal", distance=Nominal, ordered=False)
ORDINAL = ScaleKind(name="ordinal", distance=Ranks, ranked=True)
INTERVAL = ScaleKind(name="interval", distance=Quadratic, numeric=True)
RATIO = ScaleKind(name="ratio", distance=Ratio, numeric=True, from_zero=True)

SCALES = {kind.name: kind for kind in (NOMINAL, ORDINAL, INTERVAL, RATIO)}
"""By name: names, names in order, numbers, and numbers from 0 on of which ratios matter."""


# How far apart two sets of labels are.


def _jaccard(both: Floats, a: Floats, b: Floats) -> Floats:
    """1 - |A and B| / |A or B|; two empty sets are the same."""
    either = a + b - both
    return 1 - np.where(either > 0, both, 1.0) / np.maximum(either, 1)


def _masi(both: Floats, a: Floats, b: Floats) -> Floats:
    """1 - J M: M is 1 for equal sets, 2/3 where one contains the other, else 1/3."""
    contained = both == np.minimum(a, b)
    kind = np.where(contained, np.where(a == b, 1.0, 2 / 3), 1 / 3)
    return 1 - (1 - _jaccard(both, a, b)) * kind


@dataclass(frozen=True)
class SetDistance:
    """A distance of sets, from 0 for the same set to 1 for sets that share nothing.

    Parameters
    ----------
    name : str
    title : str
        For people.
    apart : callable
        Finds it from the members that two sets share, and those of each.

    References
    ----------
    Jaccard (1912), "The distribution of the flora in the alpine zone"; Passonneau (2006),
    "Measuring agreement on set-valued items (MASI) for semantic and pragmatic annotation".
    """

    name: str
    title: str
    apart: Callable[[Floats, Floats, Floats], Floats]

    def table(self, sets: Sequence[Sequence[str]]) -> Floats:
        """Compare each set with each: (sets, sets). O(sets squared x members)."""
        names = sorted({name for members in sets for name in members})
        holds = np.array([[name in members for name in names] for members in sets], dtype=float)
        size = holds.sum(axis=1)
        return self.apart(holds @ holds.T, size[:, None], size[None, :])


MASI = SetDistance("masi", "MASI", _masi)
JACCARD = SetDistance("jaccard", "Jaccard", _jaccard)
SET_DISTANCES = {kind.name: kind for kind in (MASI, JACCARD)}
"""By name; the first is the default."""


# How labels are compared, as a caller says: the scale, sets in cells, distances of their own.

NO_SETS = "none"
"""What to call the separator of cells that hold one label each."""
SETS, OWN = "sets", "distance"
"""Names of the scales of sets, and of a caller's distances."""
MOST_SETS = 5000
"""Different labels whose distances are held in a table, at most."""


@dataclass(frozen=True, eq=False, kw_only=True)
class Metric:
    """How labels are compared.

    Parameters
    ----------
    scale : str or None
        The kind of scale; None to find it.
    sets : str or None
        What separates the labels of a cell, "none" if each cell holds one; None to find it.
    of_sets : SetDistance or None
        How far apart sets are; None: MASI, if labels are sets.
    own : Distances or None
        A caller's distances.
    """

    scale: str | None = None
    sets: str | None = None
    of_sets: SetDistance | None = None
    own: Distances | None = None

    @classmethod
    def of(cls, scale: Any = None, sets: Any = None, distance: Any = None) -> Metric:
        """Check the options, and read distances."""
        if scale is not None:
            options.one_of(scale, "scale", list(SCALES))
        if sets is not None and (not isinstance(sets, str) or not sets.strip()):
            raise OptionError(
                f"{option('sets')} must be what separates the labels of a cell, such as ';', or "
                f"'{NO_SETS}' if each cell holds one, not {sets!r}."
            )
        of_sets = SET_DISTANCES.get(distance.lower()) if isinstance(distance, str) else None
        own = None if distance is None or of_sets is not None else _own(distance)
        specified = {
            "scale": scale is not None,
            "sets": sets not in (None, NO_SETS) or of_sets is not None,
            "distance": own is not None,
        }
        if len(chosen := [option(name) for name, is_set in specified.items() if is_set]) > 1:
            raise OptionError(
                f"{chosen[0]} and {chosen[1]} both say how labels differ. Choose one."
            )
        if of_sets is not None and sets == NO_SETS:
            raise OptionError(
                f"{option('distance', of_sets.name)} is of sets, and each cell is to be one label "
                f"({option('sets', NO_SETS)}). Choose one."
            )
        return cls(scale=scale, sets=sets, of_sets=of_sets, own=own)

    def apply(self, labels: Labels, notes: Notes) -> tuple[Labels, str | ScaleKind | None]:
        """Give the labels, with sets written one way, and what kind of scale they are on.

        The kind is the name that the caller gave, or None to find it, where labels are no sets and
        have no distances of their own. Notes say what was found.
        """
        if self.own is not None:
            _check_size(labels, len(labels.scale))
            return labels, _of_table(self.own.of(labels.scale.labels, labels.source))
        if self.scale is not None or self.sets == NO_SETS:
            return labels, self.scale
        sets = self._sets(labels)
        if sets is None:
            return labels, None
        distance = self.of_sets or MASI
        if self.sets is None:
            _note(notes, labels, sets, distance)
        return _as_sets(labels, sets, distance)

    def _sets(self, labels: Labels) -> Sets | None:
        texts = labels.scale.labels
        if self.sets is not None:
            sets = split_all(texts, self.sets)
            if all(len(members) < 2 for members in sets.members):
                raise DataError(
                    f"{labels.source}: no label holds '{self.sets}', which is to separate labels "
                    f"of a cell ({option('sets')})."
                )
            return sets
        uses = np.bincount(labels.label, labels.times, len(texts)).astype(np.int64)
        sets = find_sets(texts, uses) if labels.scale.kind == NOMINAL.name else None
        if sets is None and self.of_sets is not None:
            raise DataError(
                f"{labels.source}: {option('distance', self.of_sets.name)} is of sets, and no cell "
                f"seems to hold several labels. Say what separates them: {option('sets', ';')}."
            )
        return sets


def _own(distance: Any) -> Distances:
    """Read distances."""
    from headcount.io.label_order import read_distances

    if isinstance(distance, str) and not Path(distance).suffix and not Path(distance).exists():
        near = closest(distance, list(SET_DISTANCES))
        hint = f" Did you mean '{near[0]}'?" if near else ""
        raise OptionError(
            f"{option(OWN)} must be {' or '.join(SET_DISTANCES)}, for sets, or a file of "
            f"distances; there is no file '{distance}'.{hint}"
        )
    try:
        return read_distances(distance)
    except (DataError, OptionError) as error:
        if error.option is None:
            error.option = OWN
        raise


def _of_table(table: Floats) -> ScaleKind:
    return ScaleKind(
        name=OWN,
        title="own distances",
        distance=partial(Tabled, table=table),
        ordered=False,
        tabled=True,
    )


def _as_sets(labels: Labels, sets: Sets, distance: SetDistance) -> tuple[Labels, ScaleKind]:
    names, index = as_labels(sets.names())
    _check_size(labels, len(names))
    members: list[tuple[str, ...]] = [()] * len(names)
    for code, held in zip(index.tolist(), sets.members, strict=True):
        members[code] = held
    kind = ScaleKind(
        name=SETS,
        title=distance.title,
        distance=partial(Tabled, table=distance.table(members)),
        ordered=False,
        tabled=True,
        members=tuple(members),
    )
    return labels.relabelled(index, Scale(names)), kind


def _check_size(labels: Labels, different: int) -> None:
    if different > MOST_SETS:
        raise DataError(
            f"{labels.source}: {different:,} different labels are too many to compare each with "
            f"each; at most {MOST_SETS:,}."
        )


def _note(notes: Notes, labels: Labels, sets: Sets, distance: SetDistance) -> None:
    """Say that cells were read as sets, and how not to."""
    single = len({name for members in sets.members for name in members})
    notes.caution(
        f"{labels.source}: {sets.found_in(labels.scale.labels)}, and are read as sets of "
        f"{count(single, 'label')}, whatever their order; distances are {distance.title}'s. If "
        f"each cell is one label, say {option('sets', NO_SETS)}."
    )

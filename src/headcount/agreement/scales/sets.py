"""How far apart two sets of labels are."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from typing import ClassVar

import numpy as np

from headcount.typing import Floats

__all__ = ["MASI", "SET_DISTANCES", "Jaccard", "Masi", "SetDistance"]


class SetDistance(ABC):
    """A distance of sets, from 0 for the same set to 1 for sets that share nothing.

    Attributes
    ----------
    name : str
    title : str
        For people.
    counts : str
        How a disagreement counts, to end a sentence with.
    """

    name: ClassVar[str]
    title: ClassVar[str]
    counts: ClassVar[str]

    def table(self, sets: Sequence[Sequence[str]]) -> Floats:
        """Compare each set with each: (sets, sets). O(sets squared x members)."""
        members = {
            name: code for code, name in enumerate(dict.fromkeys(m for s in sets for m in s))
        }
        holds = np.zeros((len(sets), max(len(members), 1)))
        for row, one in enumerate(sets):
            holds[row, [members[name] for name in one]] = 1
        size = holds.sum(axis=1)
        both = holds @ holds.T
        return self.apart(both, size[:, None], size[None, :])

    @abstractmethod
    def apart(self, both: Floats, a: Floats, b: Floats) -> Floats:
        """Find the distance of two sets, from the members that they share and those of each."""


class Jaccard(SetDistance):
    """One minus the share of all members of either set that are in both.

    References
    ----------
    Jaccard (1912), "The distribution of the flora in the alpine zone".
    """

    name = "jaccard"
    title = "Jaccard"
    counts = "two sets differ by the share of their labels that they do not have in common"

    def apart(self, both: Floats, a: Floats, b: Floats) -> Floats:
        """1 - |A and B| / |A or B|; two empty sets are the same."""
        either = a + b - both
        return 1 - np.where(either > 0, both, 1.0) / np.maximum(either, 1)


class Masi(Jaccard):
    """Measuring agreement on set-valued items: Jaccard's, times how one set contains the other.

    1 - J M, where M is 1 for equal sets, 2/3 where one contains the other, 1/3 where they share
    members, and 0 where they share none.

    References
    ----------
    Passonneau (2006), "Measuring agreement on set-valued items (MASI) for semantic and pragmatic
    annotation".
    """

    name = "masi"
    title = "MASI"
    counts = (
        "two sets differ by the labels that they do not have in common, less where one contains "
        "the other"
    )

    def apart(self, both: Floats, a: Floats, b: Floats) -> Floats:
        """1 - J M."""
        contained = both == np.minimum(a, b)
        kind = np.where(contained, np.where(a == b, 1.0, 2 / 3), 1 / 3)
        return 1 - (1 - super().apart(both, a, b)) * kind


MASI = Masi()
SET_DISTANCES: dict[str, SetDistance] = {one.name: one for one in (MASI, Jaccard())}
"""By name; the first is the default."""

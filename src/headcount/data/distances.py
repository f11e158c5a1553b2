"""How far apart labels are, as somebody says."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from headcount.data.vocabulary import find_labels
from headcount.errors import DataError, some
from headcount.results.provenance import Source
from headcount.typing import Floats

__all__ = ["Distances"]


@dataclass(frozen=True, eq=False)
class Distances:
    """A distance of every two labels.

    Parameters
    ----------
    labels : tuple of str
    table : (labels, labels) array
        Symmetric, not negative, 0 on the diagonal.
    source : str
        Where they come from, for messages.
    sources : tuple of Source
        Files that they were read from.

    Examples
    --------
    >>> Distances(("no", "maybe", "yes"), np.array([[0, 1, 2], [1, 0, 1], [2, 1, 0]]))
    Distances of 3 labels: no, maybe, yes
    """

    labels: tuple[str, ...]
    table: Floats
    source: str = "distance"
    sources: tuple[Source, ...] = ()

    def of(self, labels: Sequence[str], source: str) -> Floats:
        """Give those of some labels, over the largest of all: (labels, labels).

        `source` is where the labels come from.
        """
        code = find_labels(labels, self.labels)
        if (code < 0).any():
            absent = [name for name, row in zip(labels, code.tolist(), strict=True) if row < 0]
            raise DataError(
                f"{self.source}: no distance of {some(absent)}, which {source} has as a label. It "
                f"has those of {some(self.labels, 8)}. Add a row and a column for each."
            )
        largest = float(self.table.max(initial=0.0))
        if not largest:
            raise DataError(f"{self.source}: every distance is 0. Labels that differ need some.")
        return self.table[np.ix_(code, code)] / largest

    def __repr__(self) -> str:
        return f"Distances of {len(self.labels)} labels: {', '.join(self.labels)}"

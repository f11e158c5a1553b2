"""Labels of items that are found a block of votes at a time."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from headcount.blind_evaluation.blocks import TruthOf
from headcount.blind_evaluation.consensus.labels import (
    ItemLabels,
    label_columns,
    label_items,
    label_summary,
    label_sums,
    no_labels,
)
from headcount.blind_evaluation.crowds.crowd import Crowd, StoredVotes
from headcount.blind_evaluation.methods.base import CrowdScored, Method, Scored
from headcount.results.frames import to_frame
from headcount.typing import Floats

__all__ = ["StoredLabels", "label_crowd"]


@dataclass(frozen=True, eq=False, kw_only=True)
class StoredLabels:
    """The label of each item of votes in files, by one model.

    Parameters
    ----------
    stored : StoredVotes
    truth : function
        The probabilities of each label in a block.
    sums : array
        What they are like: see :func:`headcount.blind_evaluation.consensus.labels.label_sums`.
    labels : tuple of str
    model, words : str
        The method that found them, and what it assumes.
    backend : str or None
        The kind of frame that the votes came from.
    """

    stored: StoredVotes
    truth: TruthOf
    sums: Floats
    labels: tuple[str, ...]
    model: str
    words: str
    backend: str | None = None
    times = None
    """Every item has a name."""

    def __len__(self) -> int:
        return round(float(self.sums[0]))

    def parts(self) -> Iterator[dict[str, list[Any]]]:
        """Yield rows a block at a time, as those of :meth:`ItemLabels.columns`."""
        for block, (votes, _) in enumerate(self.stored):
            number = np.diff(votes.start)
            items = self.stored.items(block)
            yield label_columns(items, self.labels, self.truth(votes), number, self.model)

    def columns(self) -> dict[str, list[Any]]:
        """Return all rows, which takes as much memory as they do."""
        out: dict[str, list[Any]] = {}
        for part in self.parts():
            for name, values in part.items():
                out.setdefault(name, []).extend(values)
        return out

    def to_frame(self, backend: str | None = None) -> Any:
        """Return the rows as a data frame: pandas, polars or pyarrow."""
        return to_frame(self.columns(), backend or self.backend)

    def to_dict(self) -> dict[str, Any]:
        """Return the JSON form, a summary; items have a file of their own."""
        return label_summary(self.model, self.words, self.labels, self.sums)


def label_crowd(crowd: Crowd, method: Method, scored: CrowdScored) -> ItemLabels | StoredLabels:
    """Make the labels of items of what a method takes for the truth. One pass."""
    truth_of = scored.truth
    if truth_of is None:
        raise no_labels(method, scored.undefined)
    if crowd.votes is not None:
        truth = np.concatenate([truth_of(votes) for votes, _ in crowd.blocks])
        whole = Scored(scores=scored.scores, draws=scored.scores[None][:0], truth=truth)
        return label_items(method, whole, crowd.about, crowd.votes)
    if crowd.stored is None:
        raise ValueError("a crowd has its votes in memory or in files")
    sums = np.zeros(3 + len(crowd.labels))
    for votes, weight in crowd.blocks:
        sums += label_sums(truth_of(votes), weight)
    return StoredLabels(
        stored=crowd.stored,
        truth=truth_of,
        sums=sums,
        labels=crowd.labels,
        model=method.name,
        words=method.words,
        backend=crowd.about.backend,
    )

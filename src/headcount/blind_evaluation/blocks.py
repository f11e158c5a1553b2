"""Votes that are gone over a block at a time: one of them where all fit into memory."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass

from headcount.blind_evaluation.votes import Votes
from headcount.typing import Floats

__all__ = ["Blocks", "TruthOf"]

TruthOf = Callable[[Votes], Floats]
"""From a block of votes to the probability of each label in each of its rows."""


@dataclass(frozen=True, eq=False, kw_only=True)
class Blocks:
    """Whole items at a time: what sums over items are made of.

    Parameters
    ----------
    pairs : iterable of (Votes, (rows,) array)
        Votes, and how often each of their rows counts. It can be gone over many times.
    n_classifiers, n_labels : int
    group_weight : (classifiers,) array
        Weight of each classifier's vote that gives every group the same.
    known : (classifiers, given labels, true labels) array or None
        Labels that classifiers are known to have given before.
    at_once : bool
        Whether all are in memory, so that something of each block can be held too.
    """

    pairs: Iterable[tuple[Votes, Floats]]
    n_classifiers: int
    n_labels: int
    group_weight: Floats
    known: Floats | None = None
    at_once: bool = True

    @classmethod
    def of(cls, votes: Votes, weight: Floats) -> Blocks:
        """Take all votes as one block."""
        return cls(
            pairs=[(votes, weight)],
            n_classifiers=len(votes.classifiers),
            n_labels=len(votes.labels),
            group_weight=votes.group_weight,
            known=votes.known,
        )

    def __iter__(self) -> Iterator[tuple[Votes, Floats]]:
        return iter(self.pairs)

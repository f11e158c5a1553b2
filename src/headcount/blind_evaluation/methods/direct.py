"""Direct evaluation: the gold labels of some items are the truth, and other items say nothing."""

from __future__ import annotations

from dataclasses import replace
from types import MappingProxyType
from typing import Any

import numpy as np

from headcount.blind_evaluation.blocks import Blocks
from headcount.blind_evaluation.methods.base import (
    CrowdScored,
    FixedTruth,
    NotPossible,
    Scoring,
    Situation,
)
from headcount.blind_evaluation.methods.tasks import CrowdTask, Task
from headcount.blind_evaluation.scoring.gold_sizes import gold_sizes
from headcount.blind_evaluation.scoring.tables import influence, tables
from headcount.blind_evaluation.votes import Votes
from headcount.data.vocabulary import MISSING
from headcount.typing import Flags, Floats

__all__ = ["Direct", "gold_truth", "rows_with_gold", "weighted_gold"]


class Direct(FixedTruth):
    """Gold is true, and items without gold say nothing."""

    name = "direct"
    short = "direct"
    words = "items with gold are a random sample of all, or drawn with known probabilities"
    informed = True
    covers = True
    by_number = True
    direct = True
    ranks_when = MappingProxyType({Situation.GOLD: 2})

    def truth(self, votes: Votes) -> Floats:
        """Take the gold labels, each by the inverse of the probability that it was drawn with."""
        return weighted_gold(votes)

    def score(self, task: Task) -> Scoring:
        """Score on gold; how many labels there are tells how sure a score is."""
        votes, truth = task.votes, self.truth(task.votes)
        found = super().score(task)
        parts = influence(votes, truth, task.weight, task.metrics)
        sizes = gold_sizes(votes, truth, task.weight, task.metrics, parts, parts)
        return Scoring(replace(found.scored, sizes=sizes), None)

    def score_crowd(self, task: CrowdTask) -> CrowdScored:
        """Score on gold; the rows that have it are gathered. One pass."""
        votes = rows_with_gold(task.blocks)
        if votes is None:
            raise NotPossible("no item has gold")
        truth, weight = self.truth(votes), votes.multiplicity.astype(np.float64)
        parts = influence(votes, truth, weight, task.metrics)
        return CrowdScored(
            scores=task.metrics.scores(tables(votes, truth, weight)).T,
            truth=None,
            sizes=gold_sizes(votes, truth, weight, task.metrics, parts, parts),
        )

    def items(self, votes: Votes) -> int:
        """Count items with gold."""
        return int(votes.multiplicity[votes.gold >= 0].sum())


def rows_with_gold(blocks: Blocks) -> Votes | None:
    """Gather the rows that have gold; None if there are none.

    Of other labels only their number matters: each classifier has one row of them, without gold.
    """
    parts: list[Votes] = []
    others, first = np.zeros(blocks.n_classifiers, dtype=np.int64), None
    for votes, _ in blocks:
        first = first or votes
        rows = votes.gold >= 0
        if rows.any():
            parts.append(_those(votes, rows))
        theirs = ~rows[votes.row]
        number = np.where(rows, 0, votes.multiplicity)[votes.row][theirs]
        found = np.bincount(votes.classifier[theirs], number, minlength=len(others))
        others += found.round().astype(np.int64)
    if first is None or not parts:
        return None
    who = np.flatnonzero(others)
    unknown = np.full(len(who), MISSING)
    parts.append(
        replace(
            first,
            start=np.arange(len(who) + 1),
            classifier=who.astype(np.int32),
            label=np.zeros(len(who), dtype=np.int32),
            multiplicity=others[who],
            gold=unknown,
            fold=unknown,
            drawn=None if first.drawn is None else np.ones(len(who)),
        )
    )
    length = np.concatenate([np.diff(part.start) for part in parts])
    fields = ("classifier", "label", "multiplicity", "gold", "fold")
    joined: dict[str, Any] = {
        name: np.concatenate([getattr(part, name) for part in parts]) for name in fields
    }
    weights = [part.gold_weight for part in parts]
    return replace(
        first,
        start=np.concatenate([[0], np.cumsum(length)]),
        row_of=np.arange(len(length)),
        drawn=None if first.drawn is None else np.concatenate(weights),
        soft=None,
        **joined,
    )


def _those(votes: Votes, rows: Flags) -> Votes:
    """Take some rows."""
    theirs = rows[votes.row]
    return replace(
        votes,
        start=np.concatenate([[0], np.cumsum(np.diff(votes.start)[rows])]),
        classifier=votes.classifier[theirs],
        label=votes.label[theirs],
        multiplicity=votes.multiplicity[rows],
        gold=votes.gold[rows],
        fold=votes.fold[rows],
        drawn=None if votes.drawn is None else votes.drawn[rows],
        soft=None,
    )


def weighted_gold(votes: Votes) -> Floats:
    """Gold label of each row, times how much it counts: (rows, labels). Zeros without gold.

    Scores against it are ratios of sums weighted by inverse probabilities (Hájek), which are right
    in the mean however items were drawn, if each could be.
    """
    return gold_truth(votes) * votes.gold_weight[:, None]


def gold_truth(votes: Votes) -> Floats:
    """Gold label of each row, as probabilities: (rows, labels). Zeros without gold.

    Scores against it are those of the whole population only if the items with gold are a random
    sample of it. O(rows x labels).

    Examples
    --------
    >>> from headcount import Labels
    >>> from headcount.blind_evaluation.votes import collect
    >>> labels = Labels.from_triples([1, 2, 3], ["a", "a", "a"], ["no", "yes", "no"])
    >>> votes = collect(labels, gold={1: "no", 2: "no"})
    >>> gold_truth(votes)[votes.row_of]
    array([[1., 0.],
           [1., 0.],
           [0., 0.]])

    References
    ----------
    Jung and Lease (2012), Section 3.3.
    """
    return np.equal.outer(votes.gold, np.arange(len(votes.labels))).astype(np.float64)

"""What Dawid and Skene's model is given, reduced to rows of votes."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from headcount.blind_evaluation.prepare import take_groups, take_labelled
from headcount.blind_evaluation.votes import Votes, collect
from headcount.data.labels import Labels
from headcount.errors import count
from headcount.results.notes import Notes
from headcount.typing import Codes, Floats

__all__ = ["Prepared", "prepare"]


@dataclass(frozen=True, eq=False, kw_only=True)
class Prepared:
    """Labels, their rows of votes, and the items that have votes.

    `vote_weight` is None where every rater has one vote, and not every group.
    """

    labels: Labels
    votes: Votes
    voted: Codes
    vote_weight: Floats | None


def prepare(data: Any, groups: Any, notes: Notes) -> Prepared:
    """Read what has to be read, and put items with the same votes together."""
    labels = take_labelled(data, notes)
    found = take_groups(groups, [str(name) for name in labels.raters], notes, noun="rater")
    votes = collect(labels, groups=found)
    voted = np.flatnonzero(votes.row_of >= 0)
    without = len(labels.items) - len(voted)
    if without:
        notes.caution(f"{count(without, 'item')} without votes left out.")
    return Prepared(
        labels=labels,
        votes=votes,
        voted=voted,
        vote_weight=None if found is None else votes.group_weight,
    )

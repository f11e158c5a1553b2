"""Classifiers that are copies of each other: the same labels, more often than chance allows."""

from __future__ import annotations

import math
from collections import defaultdict

import numpy as np

from headcount.data.labels import Labels
from headcount.errors import count, some
from headcount.results.notes import Notes
from headcount.typing import Codes

__all__ = ["find_copies", "group_copies"]

FEWEST = 20
"""Items below which two may well give the same labels."""
BY_CHANCE = 0.001
"""Probability that any two of all classifiers are taken for copies and are none, at most."""


def group_copies(labels: Labels, notes: Notes) -> dict[str, str] | None:
    """Make groups of copies, named so and after their first; None where there are none."""
    groups: dict[str, str] = {}
    for members in find_copies(labels):
        names = [str(labels.raters[k]) for k in members]
        groups |= dict.fromkeys(names, f"copies of {names[0]}")
        theirs = labels.item[labels.rater == members[0]]
        items = count(int(labels.times_of_items[theirs].sum()), "item")
        notes.caution(
            f"{some(names, 5)} never differ ({items}), which independent classifiers would not do: "
            "they count as one, a group with a single vote."
        )
    return groups or None


def find_copies(labels: Labels) -> list[tuple[int, ...]]:
    """Find classifiers that gave the same labels to the same items, by code.

    Two that agree with others on a share p of n items at most agree on all of them with a
    probability of about :math:`p^n`, if they are independent. They are copies where that is below
    .001 over the number of pairs, and n 20 or more: so not where both may be perfect. O(labels log
    labels).

    Examples
    --------
    >>> rng = np.random.default_rng(1)
    >>> said = rng.integers(0, 2, size=(30, 4))
    >>> said[:, 2] = said[:, 0]
    >>> item, who = np.indices(said.shape).reshape(2, -1)
    >>> find_copies(Labels.from_triples(item, who, said.ravel()))
    [(0, 2)]
    """
    order = np.lexsort((labels.label, labels.item, labels.rater))
    item, label = labels.item[order], labels.label[order]
    ends = np.cumsum(np.bincount(labels.rater, minlength=len(labels.raters)))
    number = np.bincount(labels.rater, labels.times, minlength=len(labels.raters))
    alike: defaultdict[bytes, list[int]] = defaultdict(list)
    for k, (begin, end) in enumerate(zip([0, *ends[:-1].tolist()], ends.tolist(), strict=True)):
        if number[k] >= FEWEST:
            alike[item[begin:end].tobytes() + label[begin:end].tobytes()].append(k)
    size = len(labels.raters)
    least = math.log(BY_CHANCE / max(size * (size - 1) / 2, 1))
    found: list[tuple[int, ...]] = []
    for members in alike.values():
        if len(members) > 1:
            chance = _closest(labels, members)
            if 0 < chance < 1 and number[members[0]] * math.log(chance) < least:
                found.append(tuple(members))
    return found


def _closest(labels: Labels, members: list[int]) -> float:
    """Find the largest share of items on which another classifier agrees; 1 if there is none."""
    mine: Codes = np.full(len(labels.items), -1)
    own = labels.rater == members[0]
    mine[labels.item[own]] = labels.label[own]
    theirs = ~np.isin(labels.rater, members) & (mine[labels.item] >= 0)
    who, times = labels.rater[theirs], labels.times_of_items[labels.item[theirs]]
    same = labels.label[theirs] == mine[labels.item[theirs]]
    shared = np.bincount(who, times, minlength=len(labels.raters))
    agreed = np.bincount(who, same * times, minlength=len(labels.raters))
    enough = shared >= FEWEST
    return float((agreed[enough] / shared[enough]).max()) if enough.any() else 1.0

"""Which pairs to ask next: those of which the answers will tell most."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from typing import Any, cast

import numpy as np

from headcount import options
from headcount.data.comparisons import Comparisons
from headcount.io.load import take_comparisons
from headcount.pairwise.answers.graph import components
from headcount.pairwise.bradley_terry.result import BradleyTerry
from headcount.pairwise.planning.tasks.goals import Goal
from headcount.pairwise.planning.tasks.kinds import CHECK, INFORMATIVE, JOIN, RANDOM
from headcount.pairwise.planning.tasks.neighbours import Groups, Pair, neighbours
from headcount.pairwise.planning.tasks.order import arrange, balanced
from headcount.pairwise.planning.tasks.posterior import Posterior
from headcount.pairwise.planning.tasks.prepare import (
    MOST_TASKS,
    Batch,
    all_answers,
    known_ratings,
    listed_items,
)
from headcount.pairwise.planning.tasks.result import Tasks
from headcount.pairwise.planning.tasks.until import Standing, how_far
from headcount.results.notes import Notes
from headcount.results.provenance import Provenance
from headcount.typing import Codes, Seed

__all__ = ["Tasks", "next_pairs"]

AT_FIRST = 2
"""Comparisons an item of a first batch whose size was not given: each item comes four times."""
PARTS = 3
"""Batches in which what a goal still takes is asked for, at least: answers may teach better."""


def next_pairs(
    comparisons: Any = None,
    *,
    number: int | None = None,
    items: Any = (),
    new_items: Iterable[object] = (),
    goal: str | Goal | None = None,
    until: Any = None,
    price: float | None = None,
    fit: BradleyTerry | None = None,
    random_share: float = 0.0,
    checks: float = 0.05,
    per_rater: int | None = None,
    level: float = 0.95,
    rng: Seed = 0,
) -> Tasks:
    r"""Choose the next pairs of items to have compared; or say that no more are needed.

    Items are ordered by what they may be rated: their ratings so far plus noise as large as these
    are uncertain, and neighbours are paired. So close items meet more and more often, whose answers
    tell most, and at the start, when nothing is known, pairs are a random matching: every item
    once, and none more often. For labels and for the best few, items whose side of the cut is not
    known come more often (see :mod:`headcount.pairwise.planning.tasks.goals`).

    With `until`, the share of the goal that is reached is estimated from the posterior of the
    ratings, a normal prior of which has the width that the answers tell. The goal counts as reached
    when that is so with probability .9.

    Pairs so chosen are no random ones: rate them by Bradley-Terry, not by points won.

    Parameters
    ----------
    comparisons : Comparisons, or what :func:`headcount.read_comparisons` takes, optional
        Answers so far; a tuple holds several of them, such as several files. None if there are
        none.
    number : int, optional
        Tasks in all, 1,000,000 at most. Default: with `until`, two for each item at first, and
        then a third of what the goal is expected to take, but one for two items at least and
        two for each at most.
    items : int, or iterable, optional
        All items, or how many there are; those of the comparisons need not be among them.
    new_items : iterable, optional
        Items without any comparison yet; another name of `items`.
    goal : {"ratings", "labels", "top:K"} or Goal, optional
        What the answers are for: ratings of all items, labels (above or below the average item),
        or the best K. Default: that of `until`, or ratings.
    until : str, optional
        When to stop: a goal and the share of it that is enough, such as "labels 0.9" (nine labels
        of ten are right), "top:10 0.8" (eight of the best ten are found) or "ratings 0.9" (the
        squared correlation with the true ratings).
    price : float, optional
        Of one comparison, to say what the rest costs.
    fit : BradleyTerry, optional
        Ratings of the comparisons. Default: fitted with a prior. Where they are not finite, an
        item counts as rated two standard deviations of the prior from 0.
    random_share : float
        Share of the pairs, checks aside, that are drawn at random.
    checks : float
        Share of the tasks that repeat another of them with sides swapped, .5 at most. A rater who
        looks says the same again.
    per_rater : int, optional
        Most tasks of a rater. Tasks then come with the number of a rater; a check goes to the
        rater of the task that it repeats, unless `per_rater` is 1. Many checks take more raters.
    level : float
        Coverage of the intervals of what is reached and of what it still takes.
    rng : int or Generator
        Seed or generator.

    Returns
    -------
    Tasks

    Notes
    -----
    O((answers + items log items) x steps): 0.2 s for 500 items with 6,000 answers, 5 s for 10,000
    items with 50,000.

    How many comparisons this saves against random pairs, and whether goals that are said to be
    reached are, is simulated in docs/studies/loop.md.

    References
    ----------
    Pollitt (2012), The method of adaptive comparative judgement, Assessment in Education 19(3).
    Thompson (1933), On the likelihood that one unknown probability exceeds another, Biometrika 25.

    Examples
    --------
    >>> first = next_pairs(items=["a", "b", "c", "d"], number=4, checks=0)
    >>> list(zip(first.left, first.right))
    [('b', 'c'), ('b', 'a'), ('c', 'd'), ('a', 'd')]
    >>> from headcount import Comparisons
    >>> answers = Comparisons.from_columns(first.left, first.right, [1, 0, 0.5, 1])
    >>> next_pairs(answers, until="labels 0.9", number=2, price=0.1).standing.done
    False
    """
    batch = Batch.check(
        number=number, random_share=random_share, checks=checks, per_rater=per_rater,
        goal=goal, until=until, price=price, level=level,
    )  # fmt: skip
    generator = options.seed(rng)
    notes = Notes()
    listed, new = listed_items(items, "items"), listed_items(new_items, "new_items")
    several = isinstance(comparisons, tuple)
    given = cast("Sequence[Any]", comparisons) if several else [comparisons]
    parts = [take_comparisons(each) for each in given if each is not None]
    asked = all_answers(parts, listed, new, notes)
    batch.goal.check(len(asked.items))
    known = known_ratings(asked, fit)
    standing = None
    if batch.until is not None:
        standing = how_far(
            asked, known, batch.until, price=batch.price, level=batch.level, rng=generator
        )
        _tell_early(standing, notes)
    wanted = _wanted(batch, standing, len(asked.items))
    left, right, kinds, slot = _tasks(asked, known, batch, wanted, generator, notes)
    return Tasks(
        left=asked.items[left],
        right=asked.items[right],
        kind=tuple(kinds),
        slot=slot,
        goal=batch.goal.written,
        standing=standing,
        price=batch.price,
        provenance=Provenance(
            source=asked.source,
            sources=asked.sources,
            dropped=asked.dropped,
            items_used=len(asked.items),
            n_ratings=len(asked),
            n_raters=None if asked.raters is None else len(asked.raters),
            level=None if standing is None else batch.level,
            seed=options.seed_number(rng),
            backend=asked.backend,
        ),
        notes=tuple(notes),
    )


def _wanted(batch: Batch, standing: Standing | None, items: int) -> int:
    """Tell how many tasks: as given; none if the goal is reached; else a part of what it takes."""
    if standing is not None and standing.done:
        return 0
    if batch.number is not None:
        return batch.number
    if standing is None or standing.more is None:
        return min(math.ceil(AT_FIRST * items), MOST_TASKS)
    # Not too few: batches cost time, and who looks often stops on luck.
    part = max(items / 2, standing.more.value / PARTS)
    return math.ceil(min(part, AT_FIRST * items, MOST_TASKS))


def _tasks(
    asked: Comparisons,
    known: Posterior,
    batch: Batch,
    wanted: int,
    rng: np.random.Generator,
    notes: Notes,
) -> tuple[Codes, Codes, list[str], Codes | None]:
    """Choose pairs, their sides, checks, an order and raters."""
    n_checks = min(round(batch.checks * wanted), wanted // 2)
    pairs, kinds = _choose(asked, known, batch, wanted - n_checks, rng, notes)
    first, second = np.array(pairs, dtype=np.int64).reshape(-1, 2).T
    n = len(asked.items)
    more_left = np.bincount(asked.left, minlength=n) - np.bincount(asked.right, minlength=n)
    left, right = balanced(first, second, more_left, rng)
    repeated = rng.permutation(len(pairs))[:n_checks]
    if n_checks and batch.per_rater == 1:
        notes.caution("With one task a rater, checks go to others than the tasks that they repeat.")
    slots = batch.per_rater if wanted else None
    order, slot = arrange(len(pairs), repeated, slots, rng)
    kinds += [CHECK.name] * n_checks
    return (
        np.concatenate([left, right[repeated]])[order],
        np.concatenate([right, left[repeated]])[order],
        np.array(kinds, dtype=object)[order].tolist(),
        slot,
    )


def _choose(
    asked: Comparisons,
    known: Posterior,
    batch: Batch,
    wanted: int,
    rng: np.random.Generator,
    notes: Notes,
) -> tuple[list[Pair], list[str]]:
    """Choose neighbours, then random pairs; name their kinds."""
    n = len(asked.items)
    group = np.arange(n)
    graph = components(asked)
    group = np.where(graph.compared, graph.component, graph.n_components + group)
    groups = Groups(np.unique(group, return_inverse=True)[1])
    low, high = np.minimum(asked.left, asked.right), np.maximum(asked.left, asked.right)
    key, answers = np.unique(low * n + high, return_counts=True)
    times = {divmod(int(k), n): int(c) for k, c in zip(key, answers, strict=True)}
    at_random = round(batch.random_share * wanted)
    chosen = neighbours(known, batch.goal, groups, times, wanted - at_random, rng)
    pairs = [pair for pair, _ in chosen]
    kinds = [JOIN.name if joins else INFORMATIVE.name for _, joins in chosen]
    for pair in _random(n, at_random, set(pairs), rng):
        groups.join(*pair)
        pairs.append(pair)
    kinds += [RANDOM.name] * at_random
    left = len({groups.find(item) for item in range(n)})
    if left > 1 and wanted:
        notes.info(
            f"After these tasks the items still fall into {left:,} groups that no comparison "
            "joins; later ones will join them."
        )
    return pairs, kinds


def _random(n: int, wanted: int, taken: set[Pair], rng: np.random.Generator) -> list[Pair]:
    """Draw different pairs, none of them taken, as long as there are any."""
    found: list[Pair] = []
    while len(found) < wanted:
        if len(taken) >= n * (n - 1) // 2:
            taken.clear()
        i = int(rng.integers(n))
        j = (i + int(rng.integers(1, n))) % n
        pair = (min(i, j), max(i, j))
        if pair not in taken:
            taken.add(pair)
            found.append(pair)
    return found


def _tell_early(standing: Standing, notes: Notes) -> None:
    """Say if answers are so few that what they tell of the spread may change."""
    if standing.more is not None and standing.each < 2 * AT_FIRST and not standing.done:
        notes.caution(
            f"With {standing.each:.1f} answers an item, it is hardly known how far they lie apart, "
            "so that the number of comparisons still needed may change much. It settles from "
            f"{2 * AT_FIRST:g} an item on."
        )

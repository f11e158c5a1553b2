"""Which pairs to ask about next: those of which the answers will tell most."""

from __future__ import annotations

import itertools
import math
from collections.abc import Sequence
from dataclasses import replace
from typing import Any, cast

import numpy as np

from headcount import options
from headcount.data.comparisons import Comparisons
from headcount.engine.taking import take_comparisons
from headcount.errors import DataError, OptionError, count, option, some
from headcount.pairwise.answers import components, in_order
from headcount.pairwise.forecast import Posterior, fit_posterior, see_average
from headcount.pairwise.goals import RATINGS, Goal, Standing, Until, choose_goal, how_far
from headcount.pairwise.tasks import CHECK, INFORMATIVE, JOIN, Tasks, arrange, balanced
from headcount.results.notes import Notes, Provenance
from headcount.typing import Codes, Floats, Seed

__all__ = [
    "next_pairs",
    "all_answers",
    "Groups",
    "neighbours",
]


AT_FIRST = 2
"""Comparisons an item of a first batch whose size was not given: each item comes four times."""
PARTS = 3
"""Batches in which what a goal still takes is asked for, at least: answers may teach better."""


def next_pairs(
    comparisons: Any = None,
    *,
    number: int | None = None,
    items: Any = (),
    goal: str | Goal | None = None,
    until: Any = None,
    cost: float | None = None,
    checks: float = 0.05,
    per_rater: int | None = None,
    level: float = 0.95,
    seed: Seed = 0,
) -> Tasks:
    r"""Choose the next pairs of items to compare, or say that no more are needed.

    Items are sorted by their ratings so far plus noise as large as the standard errors, and
    neighbours are paired. So items with similar ratings meet more and more often, because these
    answers are the most informative. At the start pairs are a random matching, in which every item
    appears once. For labels and for the best few, items near the cut appear more often (see
    :mod:`headcount.pairwise.goals`).

    With `until`, the share of the goal that is reached is estimated from the posterior of the
    ratings, with a normal prior whose width is fitted to the answers. The goal counts as reached
    if its posterior probability is at least .9.

    Such pairs are not random: rate them by Bradley-Terry, not by points won.

    Parameters
    ----------
    comparisons : Comparisons, or what :func:`headcount.read_comparisons` takes, optional
        Answers so far, or a tuple of several, such as files. None if there are none.
    number : int, optional
        Number of tasks, 1,000,000 at most. Default: with `until`, two per item at first, and then a
        third of what the goal is expected to need, but at least half as many and at most twice as
        many as there are items.
    items : int, or iterable, optional
        All items, or how many there are; items of the comparisons need not be among them.
    goal : {"ratings", "labels", "top:K"} or Goal, optional
        What the answers are for: ratings of all items, labels (above or below the average item),
        or the best K. Default: that of `until`, or ratings.
    until : str, optional
        When to stop: a goal and a share that is enough, such as "labels 0.9" (nine of ten labels
        are right), "top:10 0.8" (eight of the best ten are found) or "ratings 0.9" (the squared
        correlation with the true ratings).
    cost : float, optional
        Cost of one comparison, to estimate the total.
    checks : float
        Share of the tasks that repeat another task with the sides swapped, .5 at most. A rater who
        looks at the items gives the same answer again.
    per_rater : int, optional
        Maximum number of tasks per rater. Tasks then have the number of a rater; a check goes to
        the rater of the task that it repeats, unless `per_rater` is 1. Many checks need more
        raters.
    level : float
        Coverage of the intervals of the share reached and of the comparisons still needed.
    seed : int or Generator
        Seed or generator.

    Returns
    -------
    Tasks

    Notes
    -----
    O((answers + items log items) x steps): 0.2 s for 500 items with 6,000 answers, 5 s for 10,000
    items with 50,000.

    docs/studies/pairs.md shows how many comparisons this saves compared with random pairs, and how
    often goals that are reported as reached are really reached.

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
    >>> next_pairs(answers, until="labels 0.9", number=2, cost=0.1).standing.done
    False
    """
    if number is None and until is None:
        raise OptionError(
            f"say how many tasks are wanted ({option('number', 200)}), or when to stop "
            f"({option('until', 'labels 0.9')}).",
        )
    aim, stop = _goal(goal, until)
    if number is not None:
        number = options.whole(number, "number", least=1, most=MOST_TASKS)
    if per_rater is not None:
        per_rater = options.whole(per_rater, "per_rater", least=1)
    checks = options.number(checks, "checks", least=0, most=0.5)
    cost = None if cost is None else options.number(cost, "cost", least=0)
    level, generator, notes = options.level(level), options.seed(seed), Notes()
    listed = listed_items(items)
    several = isinstance(comparisons, tuple)
    sources = cast("Sequence[Any]", comparisons) if several else [comparisons]
    parts = [take_comparisons(each) for each in sources if each is not None]
    answers = all_answers(parts, listed, notes, named=not isinstance(items, int | np.integer))
    n = len(answers.items)
    aim.check(n)
    posterior = see_average(fit_posterior(answers, n), answers)
    standing = None
    if stop is not None:
        standing = how_far(answers, posterior, stop, cost=cost, level=level, rng=generator)
        _tell_early(standing, notes)
    wanted = _wanted(number, standing, n)
    n_checks = min(round(checks * wanted), wanted // 2)
    pairs, kinds = _choose(answers, posterior, aim, wanted - n_checks, generator, notes)
    first, second = np.array(pairs, dtype=np.int64).reshape(-1, 2).T
    more_left = np.bincount(answers.left, minlength=n) - np.bincount(answers.right, minlength=n)
    left, right = balanced(first, second, more_left, generator)
    repeated = generator.permutation(len(pairs))[:n_checks]
    if n_checks and per_rater == 1:
        notes.caution(
            "With one task per rater, checks go to others than the tasks that they repeat."
        )
    order, slot = arrange(len(pairs), repeated, per_rater if wanted else None, generator)
    kinds += [CHECK.name] * n_checks
    return Tasks(
        left=answers.items[np.concatenate([left, right[repeated]])[order]],
        right=answers.items[np.concatenate([right, left[repeated]])[order]],
        kind=tuple(np.array(kinds, dtype=object)[order].tolist()),
        slot=slot,
        goal=aim.written,
        standing=standing,
        cost=cost,
        provenance=Provenance(
            source=answers.source,
            sources=answers.sources,
            dropped=answers.dropped,
            items_used=n,
            n_ratings=len(answers),
            n_raters=None if answers.raters is None else len(answers.raters),
            level=None if standing is None else level,
            seed=options.seed_number(seed),
            backend=answers.backend,
        ),
        notes=tuple(notes),
    )


def _wanted(number: int | None, standing: Standing | None, items: int) -> int:
    """Tell how many tasks: as given; none if the goal is reached; else a part of what it takes."""
    if standing is not None and standing.done:
        return 0
    if number is not None:
        return number
    if standing is None or standing.more is None:
        return min(math.ceil(AT_FIRST * items), MOST_TASKS)
    # Not too few: batches cost time, and who looks often stops on luck.
    part = max(items / 2, standing.more.value / PARTS)
    return math.ceil(min(part, AT_FIRST * items, MOST_TASKS))


def _choose(
    comparisons: Comparisons,
    posterior: Posterior,
    goal: Goal,
    wanted: int,
    rng: np.random.Generator,
    notes: Notes,
) -> tuple[list[Pair], list[str]]:
    """Choose neighbours, and name their kinds."""
    n = len(comparisons.items)
    graph = components(comparisons)
    group = np.where(graph.compared, graph.component, graph.n_components + np.arange(n))
    groups = Groups(np.unique(group, return_inverse=True)[1])
    low = np.minimum(comparisons.left, comparisons.right)
    high = np.maximum(comparisons.left, comparisons.right)
    key, answers = np.unique(low * n + high, return_counts=True)
    times = {divmod(int(k), n): int(c) for k, c in zip(key, answers, strict=True)}
    chosen = neighbours(posterior, goal, groups, times, wanted, rng)
    left = len({groups.find(item) for item in range(n)})
    if left > 1 and wanted:
        notes.info(
            f"After these tasks the items still fall into {left:,} groups that no comparison "
            "joins; later ones will join them."
        )
    kinds = [JOIN.name if joins else INFORMATIVE.name for _, joins in chosen]
    return [pair for pair, _ in chosen], kinds


def _tell_early(standing: Standing, notes: Notes) -> None:
    """Say if answers are so few that what they tell of the spread may change."""
    if standing.more is not None and standing.each < 2 * AT_FIRST and not standing.done:
        notes.caution(
            f"With {standing.each:.1f} answers an item, it is hardly known how far they lie apart, "
            "so that the number of comparisons still needed may change much. It settles from "
            f"{2 * AT_FIRST:g} an item on."
        )


# What pairs are chosen from: answers so far, all items, and what is asked for.

MOST_TASKS = 1_000_000
MOST_ITEMS = 1_000_000
COPIED = 20
"""Answers from which on two files that hold the same ones are spoken of."""


def _goal(goal: str | Goal | None, until: Any) -> tuple[Goal, Until | None]:
    """Check what the answers are for, and when to stop."""
    stop = None if until is None else Until.check(until)
    wanted = RATINGS if goal is None else choose_goal(goal)
    if stop is not None and goal is not None and wanted.written != stop.goal.written:
        raise OptionError(
            f"{option('goal', wanted.written)} and {option('until', until)} name different "
            "goals. Leave the first out.",
        )
    return wanted if stop is None else stop.goal, stop


def listed_items(items: Any) -> list[str]:
    """Take a list of items, or make one of a number of them, called from 1 on."""
    if isinstance(items, int | np.integer) and not isinstance(items, bool):
        number = options.whole(items, "items", least=2, most=MOST_ITEMS)
        return [str(k + 1) for k in range(number)]
    return [str(item) for item in options.listed(items, "items", "items")]


def all_answers(
    parts: Sequence[Comparisons], listed: Sequence[str], notes: Notes, *, named: bool
) -> Comparisons:
    """Put answers together with all items, in an order that rows and files do not change."""
    parts = [in_order(part) for part in parts]
    _tell_copies(parts, notes)
    made = replace(Comparisons.joined(parts, listed), notes=())
    if len(made.items) < 2:
        raise DataError(
            "there are no items to compare: give answers, or two items or more "
            f"({option('items', '...')})."
        )
    for part in parts:
        notes.extend(part.notes)
    if listed and parts:
        _tell_others(made, set(listed), notes, named=named)
    return in_order(made)


def _tell_copies(parts: Sequence[Comparisons], notes: Notes) -> None:
    """Warn if two files hold the same answers."""
    for k, part in enumerate(parts):
        for other in parts[:k]:
            if len(part) >= COPIED and part.columns() == other.columns():
                notes.warning(
                    f"{part.source} holds the same {len(part):,} answers as {other.source}. Each "
                    "counts as an answer of its own; leave one of them out."
                )


def _tell_others(answers: Comparisons, listed: set[str], notes: Notes, *, named: bool) -> None:
    """Say if items of the answers are not in the list; or refuse, where they were counted."""
    compared = answers.items[np.unique(np.concatenate([answers.left, answers.right]))]
    others = [str(item) for item in compared if str(item) not in listed]
    if others and len(others) == len(compared) and not named:
        raise OptionError(
            f"{option('items', len(listed))}: no item of the answers is called 1 to "
            f"{len(listed):,}. They are {some(others)}. Leave it out, or give all items by name."
        )
    if others:
        notes.caution(
            f"the list of items lacks {count(len(others), 'item')} of the answers: "
            f"{some(others)}. They are rated and asked about like the others."
        )


# Pairs of items that stand close to each other, as far as is known.

TOLD = 0.2
"""Information of an answer about an item: p (1 - p) of close items, some of it about the other."""
NEAREST, FARTHEST = 4, 64
"""Items that an item is paired with rather, the nearest ones; and those it may be paired with."""
FAR = 3.0
"""Logits between items whose answer is not worth asking for, besides what is not known of them."""

Pair = tuple[int, int]


class Groups:
    """Groups of items that comparisons join."""

    def __init__(self, group: Codes) -> None:
        first = np.full(int(group.max(initial=-1)) + 1, -1)
        first[group[::-1]] = np.arange(len(group))[::-1]
        self.parent: list[int] = first[group].tolist()

    def find(self, item: int) -> int:
        """Find the item that stands for the group of an item."""
        while self.parent[item] != item:
            self.parent[item] = item = self.parent[self.parent[item]]
        return item

    def join(self, a: int, b: int) -> bool:
        """Join the groups of two items; False if they are one already."""
        first, second = self.find(a), self.find(b)
        self.parent[second] = first
        return first != second


def expected_sd(sd: Floats, noise: float) -> Floats:
    """Foresee standard deviations once each item was asked about once more."""
    return sd / np.sqrt(1 + TOLD / noise * sd**2)


def neighbours(
    posterior: Posterior,
    goal: Goal,
    groups: Groups,
    times: dict[Pair, int],
    wanted: int,
    rng: np.random.Generator,
) -> list[tuple[Pair, bool]]:
    """Choose pairs of items that stand close to each other; and say if they join groups.

    As many places as there are items are filled in four rounds, or more if the goal is about few of
    them, each by the items with which the goal has most to gain; their standard deviations then
    come down as one answer is expected to bring them. Items are ordered by ratings that are drawn
    from what is known about them, and neighbours are paired. Of the four nearest the one goes first
    that was asked for least often, then one that joins two groups. No pair comes twice while there
    are others. At the start, this is a random matching: every item once, and none more often.

    O(pairs + items log items) a batch, about 10 ms for 10,000 items.

    Parameters
    ----------
    posterior : Posterior
    goal : Goal
    groups : Groups
        Is changed.
    times : dict of pair to int
        How often pairs were asked for, the smaller code first; is changed.
    wanted : int
    rng : Generator
    """
    n, sd = len(posterior.rating), posterior.sd.copy()
    matching = _Matching(posterior, groups, times)
    chosen: list[tuple[Pair, bool]] = []
    again = False
    while len(chosen) < wanted:
        # A few items may have met all others of them: then look at as many as there are.
        places = n - n % 2 if again else min(n - n % 2, 2 * (wanted - len(chosen)))
        items = _fill(posterior, goal, sd, places, rng)
        drawn = posterior.rating[items] + posterior.sd[items] * rng.standard_normal(len(items))
        order: list[int] = items[np.argsort(drawn, kind="stable")].tolist()
        pairs = matching.pairs(order)
        chosen += [(pair, groups.join(*pair)) for pair in pairs[: wanted - len(chosen)]]
        if again and not pairs:
            matching.relax()
        again = not pairs
    return _joined(chosen, posterior, groups, rng)


def _joined(
    chosen: list[tuple[Pair, bool]], posterior: Posterior, groups: Groups, rng: np.random.Generator
) -> list[tuple[Pair, bool]]:
    """Join the groups that are left, by pairs in place of the last ones that join nothing."""
    n = len(posterior.rating)
    if len({groups.find(item) for item in range(n)}) == 1:
        return chosen
    drawn = posterior.rating + posterior.sd * rng.standard_normal(n)
    order: list[int] = np.argsort(drawn, kind="stable").tolist()
    others = [k for k, (_, joins) in enumerate(chosen) if not joins]
    had = np.bincount([item for pair, _ in chosen for item in pair], minlength=n)
    usual = math.ceil(2 * len(chosen) / n)
    for any_item in (False, True):  # at first those that do not come more often than others
        for pair in itertools.starmap(_pair, itertools.pairwise(order)):
            if others and (any_item or had[[*pair]].max() <= usual) and groups.join(*pair):
                last = others.pop()
                had[[*chosen[last][0]]] -= 1
                had[[*pair]] += 1
                chosen[last] = (pair, True)
    return chosen


def _fill(
    posterior: Posterior, goal: Goal, sd: Floats, places: int, rng: np.random.Generator
) -> Codes:
    """Fill places with the items that gain most, as many at a time as the goal says."""
    n, gap = len(sd), posterior.rating - goal.cut(posterior.rating, sd)
    filled: list[Codes] = []
    had = np.zeros(n)
    while places > 0:
        gain = goal.gain(gap, sd)
        each = min(goal.at_once(gain), places)
        # Of items with the same gain, such as all at the start, those go first that came least.
        order = np.lexsort((rng.random(n), had, -gain))
        best = order[:each]
        sd[best] = expected_sd(sd[best], posterior.noise)
        had[best] += 1
        filled.append(best)
        places -= each
    return np.concatenate(filled)


class _Matching:
    """Pairs neighbours in an order of items that may hold an item several times."""

    def __init__(self, posterior: Posterior, groups: Groups, times: dict[Pair, int]) -> None:
        self.rating: list[float] = posterior.rating.tolist()
        self.sd: list[float] = posterior.sd.tolist()
        self.groups, self.times = groups, times
        self.chosen: dict[Pair, int] = {}
        self.most, self.reach = 1, FAR

    def relax(self) -> None:
        """Let pairs come again, and items meet that lie further apart."""
        self.most, self.reach = self.most + 1, 2 * self.reach

    def pairs(self, order: list[int]) -> list[Pair]:
        """Pair items, each with one of those after it."""
        pairs: list[Pair] = []
        used = [False] * len(order)
        for k, item in enumerate(order):
            other = None if used[k] else self._other(order, used, k)
            if other is not None:
                used[k] = used[other] = True
                pair = _pair(item, order[other])
                pairs.append(pair)
                self.times[pair] = self.times.get(pair, 0) + 1
                self.chosen[pair] = self.chosen.get(pair, 0) + 1
        return pairs

    def _other(self, order: list[int], used: list[bool], k: int) -> int | None:
        """Find the place of the item to pair with: near, seldom asked for, of another group."""
        best: tuple[int, bool, int] | None = None
        tried = 0
        for position in range(k + 1, len(order)):
            if used[position] or order[position] == order[k]:
                continue
            tried += 1
            if self._allowed(order[k], order[position]):
                joined = self.groups.find(order[k]) == self.groups.find(order[position])
                key = (self.times.get(_pair(order[k], order[position]), 0), joined, position)
                best = key if best is None else min(best, key)
            if (tried >= NEAREST and best is not None) or tried >= FARTHEST:
                break
        return None if best is None else best[2]

    def _allowed(self, a: int, b: int) -> bool:
        """Whether a pair was not chosen too often, and its answer is open."""
        apart = abs(self.rating[a] - self.rating[b]) - self.sd[a] - self.sd[b]
        return apart < self.reach and self.chosen.get(_pair(a, b), 0) < self.most


def _pair(a: int, b: int) -> Pair:
    return (min(a, b), max(a, b))

"""What pairs are chosen from: answers so far, all items, and what is asked for."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from headcount import options
from headcount.data.canonical import sorted_vocabulary
from headcount.data.comparisons import Comparisons
from headcount.data.vocabulary import match_ids
from headcount.errors import DataError, OptionError, count, option, some
from headcount.pairwise.bradley_terry.result import BradleyTerry
from headcount.pairwise.planning.prepare import in_order
from headcount.pairwise.planning.tasks.goals import RATINGS, Goal, choose_goal
from headcount.pairwise.planning.tasks.posterior import (
    FIRST_SPREAD,
    Posterior,
    fit_posterior,
    see_average,
)
from headcount.pairwise.planning.tasks.until import Until
from headcount.results.notes import Notes
from headcount.typing import Codes, Ids

__all__ = ["Batch", "all_answers", "known_ratings", "listed_items"]

MOST_TASKS = 1_000_000
MOST_ITEMS = 1_000_000
COPIED = 20
"""Answers from which on two files that hold the same ones are spoken of."""


@dataclass(frozen=True, kw_only=True)
class Batch:
    """How many tasks are wanted, of what kinds, and what for.

    Parameters
    ----------
    number : int or None
        Tasks in all; None for as many as the goal calls for.
    checks : float
        Share of tasks that repeat another.
    random_share : float
        Share of the others that are drawn at random.
    per_rater : int or None
        Most tasks of a rater.
    goal : Goal
    until : Until or None
    price : float or None
        Of a comparison.
    level : float
    """

    number: int | None
    checks: float
    random_share: float
    per_rater: int | None
    goal: Goal
    until: Until | None
    price: float | None
    level: float

    @classmethod
    def check(
        cls,
        *,
        number: Any,
        random_share: Any,
        checks: Any,
        per_rater: Any,
        goal: Any,
        until: Any,
        price: Any,
        level: Any,
    ) -> Batch:
        """Check what the caller asked for; checks are a share, since each repeats another task."""
        if number is None and until is None:
            raise OptionError(
                f"say how many tasks are wanted ({option('number', 200)}), or when to stop "
                f"({option('until', 'labels 0.9')}).",
            )
        stop = None if until is None else Until.check(until)
        wanted = RATINGS if goal is None else choose_goal(goal)
        if stop is not None and goal is not None and wanted.written != stop.goal.written:
            raise OptionError(
                f"{option('goal', wanted.written)} and {option('until', until)} name different "
                "goals. Leave the first out.",
            )
        return cls(
            number=None
            if number is None
            else options.whole(number, "number", least=1, most=MOST_TASKS),
            checks=options.number(checks, "checks", least=0, most=0.5),
            random_share=options.share(random_share, "random_share"),
            per_rater=None if per_rater is None else options.whole(per_rater, "per_rater", least=1),
            goal=wanted if stop is None else stop.goal,
            until=stop,
            price=None if price is None else options.number(price, "price", least=0),
            level=options.level(level),
        )


def listed_items(items: Any, name: str) -> list[str]:
    """Take a list of items, or make one of a number of them, called from 1 on."""
    if isinstance(items, int | np.integer) and not isinstance(items, bool) and name == "items":
        number = options.whole(items, name, least=2, most=MOST_ITEMS)
        return [str(k + 1) for k in range(number)]
    return [str(item) for item in options.listed(items, name, "items")]


def all_answers(
    parts: Sequence[Comparisons], listed: Sequence[str], new: Sequence[str], notes: Notes
) -> Comparisons:
    """Put answers together with all items, in an order that rows and files do not change.

    `listed` are all items, as far as the caller knows, and `new` those without an answer.
    """
    parts = [in_order(part) for part in parts]
    _tell_copies(parts, notes)
    texts = [*listed, *new, *(str(item) for part in parts for item in part.items)]
    names, _ = sorted_vocabulary(list(dict.fromkeys(texts)))
    if len(names) < 2:
        raise DataError(
            "there are no items to compare: give answers, or two items or more "
            f"({option('items', '...')})."
        )
    whose = [None if part.raters is None else list(map(str, part.raters)) for part in parts]
    raters, _ = sorted_vocabulary(sorted({name for each in whose for name in each or ()}))
    made = Comparisons(
        items=names,
        left=_joined([match_ids(part.items, names)[part.left] for part in parts]),
        right=_joined([match_ids(part.items, names)[part.right] for part in parts]),
        outcome=np.concatenate([np.zeros(0), *(part.outcome for part in parts)]),
        rater=_joined([_raters(part, raters) for part in parts]) if len(raters) else None,
        raters=raters if len(raters) else None,
        weight=np.concatenate([np.zeros(0), *(part.weights for part in parts)]),
        source=", ".join(part.source for part in parts) or "no answers",
        sources=tuple(source for part in parts for source in part.sources),
        dropped=sum((Counter(part.dropped) for part in parts), Counter[str]()),
        backend=next((part.backend for part in parts if part.backend), None),
    )
    for part in parts:
        notes.extend(part.notes)
    if listed and parts:
        _tell_others(made, {*listed, *new}, notes)
    return in_order(made)


def known_ratings(asked: Comparisons, fit: Any) -> Posterior:
    """Rate items by the answers; or take the fit that was given."""
    n = len(asked.items)
    if fit is None:
        return see_average(fit_posterior(asked, n), asked)
    if not isinstance(fit, BradleyTerry):
        raise OptionError(f"{option('fit')} must be what bradley_terry returns, not {fit!r}.")
    index = match_ids(fit.items, asked.items)
    compared = np.zeros(n, dtype=bool)
    compared[asked.left] = compared[asked.right] = True
    rated = np.zeros(n, dtype=bool)
    rated[index[index >= 0]] = True
    if (index < 0).any() or (compared & ~rated).any():
        raise OptionError(f"{option('fit')} is not one of these comparisons: its items are others.")
    spread = FIRST_SPREAD if fit.prior is None else fit.prior
    known = replace(Posterior.prior(n), spread=spread, sd=np.full(n, spread))
    known.rating[index] = np.nan_to_num(fit.rating, nan=0.0, posinf=2 * spread, neginf=-2 * spread)
    known.sd[index] = np.where(fit.finite, np.nan_to_num(fit.standard_error, nan=spread), spread)
    return known


def _joined(parts: list[Codes]) -> Codes:
    return np.concatenate([np.zeros(0, dtype=np.int64), *parts])


def _raters(part: Comparisons, raters: Ids) -> Codes:
    """Codes of the raters of a part among all; -1 where they are not known."""
    if part.rater is None or part.raters is None:
        return np.full(len(part), -1)
    return np.append(match_ids(part.raters, raters), -1)[part.rater]


def _tell_copies(parts: Sequence[Comparisons], notes: Notes) -> None:
    """Warn if two files hold the same answers."""
    for k, part in enumerate(parts):
        for other in parts[:k]:
            if len(part) >= COPIED and part.columns() == other.columns():
                notes.warning(
                    f"{part.source} holds the same {len(part):,} answers as {other.source}. Each "
                    "counts as an answer of its own; leave one of them out."
                )


def _tell_others(asked: Comparisons, listed: set[str], notes: Notes) -> None:
    """Say if items of the answers are not in the list."""
    compared = asked.items[np.unique(np.concatenate([asked.left, asked.right]))]
    others = [str(item) for item in compared if str(item) not in listed]
    if others:
        notes.caution(
            f"{count(len(others), 'item')} of the answers not in the list of items: "
            f"{some(others)}. They are rated and asked about like the others."
        )

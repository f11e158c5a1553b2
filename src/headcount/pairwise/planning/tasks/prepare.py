"""What pairs are chosen from: ratings so far, groups that nothing joins, and what is asked for."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from headcount import options
from headcount.data.comparisons import Comparisons
from headcount.data.vocabulary import as_ids, match_ids
from headcount.errors import OptionError, option
from headcount.pairwise.answers.graph import components
from headcount.pairwise.bradley_terry.bradley_terry import bradley_terry
from headcount.pairwise.bradley_terry.result import BradleyTerry
from headcount.pairwise.planning.tasks.information import Information
from headcount.typing import Codes, Floats, Ids

__all__ = ["Batch", "Design", "Pair", "make_design"]

PRIOR_SD = 2.0
"""Standard deviation of ratings, in logits, before the comparisons say what it is."""
EM_STEPS = 8
LEAST_SD = 0.1
MOST_TASKS = 1_000_000

Pair = tuple[int, int]


@dataclass(frozen=True, kw_only=True)
class Batch:
    """How many tasks are wanted, and of what kinds.

    Parameters
    ----------
    number : int
        Tasks in all.
    checks : int
        Tasks that repeat another.
    random_share : float
        Share of the others that are drawn at random.
    per_rater : int or None
        Most tasks of a rater.
    """

    number: int
    checks: int
    random_share: float
    per_rater: int | None

    @classmethod
    def check(cls, *, number: Any, random_share: Any, checks: Any, per_rater: Any) -> Batch:
        """Check what the caller asked for; checks are a share, since each repeats another task."""
        number = options.whole(number, "number", least=1, most=MOST_TASKS)
        share = options.number(checks, "checks", least=0, most=0.5)
        if per_rater is not None:
            per_rater = options.whole(per_rater, "per_rater", least=1)
        return cls(
            number=number,
            checks=min(round(share * number), number // 2),
            random_share=options.share(random_share, "random_share"),
            per_rater=per_rater,
        )

    @property
    def pairs(self) -> int:
        """Tasks that are no checks."""
        return self.number - self.checks


@dataclass(frozen=True, eq=False, kw_only=True)
class Design:
    """What pairs are chosen from; grows as they are.

    Parameters
    ----------
    asked : Comparisons
        Answers so far, in canonical order.
    names : array
        All items, the new ones last.
    rating : (items,) array
    prior : float
        Standard deviation of ratings, in logits.
    group : (items,) array of int
        Items of a group are joined by comparisons.
    rng : Generator
    chosen : list of pairs
        Codes of items, the smaller first.
    taken : set of pairs
        Those not to be chosen again in this round.
    """

    asked: Comparisons
    names: Ids
    rating: Floats
    prior: float
    group: Codes
    rng: np.random.Generator
    chosen: list[Pair] = field(default_factory=list[Pair])
    taken: set[Pair] = field(default_factory=set[Pair])

    @property
    def groups(self) -> int:
        """Groups of items that no comparison joins."""
        return len(np.unique(self.group))

    @property
    def more_left(self) -> Codes:
        """How much more often each item was on the left so far."""
        n = len(self.names)
        on_right = np.bincount(self.asked.right, minlength=n)
        return np.bincount(self.asked.left, minlength=n) - on_right

    def add(self, pairs: Iterable[Pair]) -> None:
        """Choose pairs."""
        self.chosen.extend(pairs)
        self.taken.update(self.chosen)

    def information(self) -> Information:
        """Sum up what is known of the ratings, once the pairs chosen so far are answered."""
        new = np.array(self.chosen, dtype=np.int64).reshape(-1, 2)
        return Information(
            self.rating,
            np.concatenate([self.asked.left, new[:, 0]]),
            np.concatenate([self.asked.right, new[:, 1]]),
            np.concatenate([self.asked.weights, np.ones(len(new))]),
            prior=self.prior,
            rng=self.rng,
        )


def make_design(
    asked: Comparisons, new_items: Any, fit: BradleyTerry | None, rng: np.random.Generator
) -> Design:
    """Rate items, add the new ones, and find groups that nothing joins."""
    names = _with_new(asked, new_items)
    n, n_old = len(names), len(asked.items)
    fit, index = _fit(asked, fit)
    prior = PRIOR_SD if fit.prior is None else fit.prior
    rating = np.zeros(n)
    rating[:n_old] = np.nan_to_num(fit.rating[index], nan=0.0, posinf=2 * prior, neginf=-2 * prior)
    graph = components(asked)
    group = np.concatenate([graph.component, graph.n_components + np.arange(n - n_old)])
    return Design(asked=asked, names=names, rating=rating, prior=prior, group=group, rng=rng)


def _fit(asked: Comparisons, fit: Any) -> tuple[BradleyTerry, Codes]:
    """Take the fit that was given, or make one; and find the items in it."""
    if fit is None:
        fit = _fitted(asked)
    if not isinstance(fit, BradleyTerry):
        raise OptionError(f"{option('fit')} must be what bradley_terry returns, not {fit!r}.")
    index = match_ids(asked.items, fit.items)
    if len(fit.items) != len(asked.items) or (index < 0).any():
        raise OptionError(f"{option('fit')} is not one of these comparisons: its items are others.")
    return fit, index


def _fitted(asked: Comparisons) -> BradleyTerry:
    """Fit with a prior as wide as the ratings are spread, found by steps of EM.

    Too wide a prior lets noise pass for differences, and the pairs that then look alike are
    compared over and over.
    """
    fit = bradley_terry(asked, prior=PRIOR_SD)
    for _ in range(EM_STEPS):
        sd = float(np.sqrt(np.mean(fit.rating**2 + fit.standard_error**2)))
        fit = bradley_terry(asked, prior=max(sd, LEAST_SD), start=fit.rating)
    return fit


def _with_new(asked: Comparisons, new_items: Any) -> Ids:
    """List all items, the new ones last."""
    texts = [str(item) for item in options.listed(new_items, "new_items", "items")]
    fresh = as_ids(texts) if texts else asked.items[:0]
    added = [t for t, at in zip(texts, match_ids(fresh, asked.items), strict=True) if at < 0]
    if not added:
        return asked.items
    return as_ids([*map(str, asked.items), *dict.fromkeys(added)])

"""Join two populations that were rated apart, by comparisons between them."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from headcount.data.comparisons import Comparisons
from headcount.data.vocabulary import as_ids, match_ids
from headcount.errors import DataError, count, some
from headcount.pairwise.bradley_terry.bradley_terry import bradley_terry
from headcount.pairwise.bradley_terry.errors import variance
from headcount.pairwise.bradley_terry.result import BradleyTerry, quantile
from headcount.results.frames import to_frame
from headcount.stats.estimate import Estimate
from headcount.typing import Floats, Ids

__all__ = ["Joined", "join"]

FEW = 20
"""Bridges, and FEW_ITEMS items on either side, below which a note says that they are few."""
FEW_ITEMS = 5
ONE_SIDED = 0.1
"""Share of points that one side takes of all bridges, below which a note says so."""


@dataclass(frozen=True, repr=False, eq=False)
class Joined:
    """Two populations on one scale, that of the first: its mean is 0.

    Parameters
    ----------
    items_a, items_b : arrays
    rating_a, rating_b : arrays
        In logits; as a fit gives them where they are not finite.
    shift : Estimate
        By how much the mean rating of b is above that of a, over items with finite ratings;
        undefined where bridges do not say.
    bridges : int
    won_by_a : float
        Share of the points of all bridges that items of a took.
    held : bool
        Whether both were rated apart and held; else all comparisons were fitted together.
    notes : tuple of str
    """

    items_a: Ids
    items_b: Ids
    rating_a: Floats
    rating_b: Floats
    shift: Estimate
    bridges: int
    won_by_a: float
    held: bool
    notes: tuple[str, ...] = ()

    def to_frame(self, backend: str | None = None) -> Any:
        """Return one row an item (population, item, rating), as a data frame."""
        table: dict[str, list[Any]] = {
            "population": ["a"] * len(self.items_a) + ["b"] * len(self.items_b),
            "item": [*map(str, self.items_a), *map(str, self.items_b)],
            "rating": [*self.rating_a.tolist(), *self.rating_b.tolist()],
        }
        return to_frame(table, backend)

    def __repr__(self) -> str:
        return (
            f"Joined: {count(len(self.items_a), 'item')} and {count(len(self.items_b), 'item')} by "
            f"{count(self.bridges, 'bridge')}; the second lie higher by {self.shift}"
        )


def join(
    comparisons_a: Comparisons,
    comparisons_b: Comparisons,
    bridges: Comparisons,
    *,
    hold: bool = False,
    prior: float | None = None,
    level: float = 0.95,
) -> Joined:
    r"""Put the ratings of two populations on one scale.

    By default all comparisons are fitted together. With `hold`, each population is rated apart and
    stays as it is; bridges between i of a and j of b only say how far the second is to be moved,

    .. math:: P(i \succ j) = \frac{1}{1 + e^{-(\theta_i - \phi_j - \delta)}}

    by maximum likelihood.

    Parameters
    ----------
    comparisons_a, comparisons_b : Comparisons
        Within each population. They share no item.
    bridges : Comparisons
        Between items of both.
    hold : bool
        Keep the differences within each population as they are.
    prior : float, optional
        Standard deviation of a normal prior of ratings, in logits, which keeps those of undefeated
        items finite. With all fitted together it also pulls the two means together.
    level : float
        Coverage of the interval.

    Returns
    -------
    Joined

    Notes
    -----
    The standard error of the shift is that of the difference of the two means under the joint fit,
    exact at any size. With `hold`, W being the information :math:`\sum p(1-p)` of all bridges, and
    :math:`w_i` that of the bridges of an item with standard error :math:`s_i`, it is the root of
    :math:`1/W + \sum (w_i s_i / W)^2`: errors of the ratings of different items are taken as
    independent.

    Cost: that of the fits.

    Examples
    --------
    >>> a = Comparisons.from_columns("abca", "bcab", [1, 1, 1, 0])
    >>> b = Comparisons.from_columns("xyzx", "yzxy", [1, 1, 1, 0])
    >>> bridges = Comparisons.from_columns("abcabc", "xyzyzx", [1, 1, 1, 0, 0, 1])
    >>> join(a, b, bridges)
    Joined: 3 items and 3 items by 6 bridges; the second lie higher by -0.7955 (-2.607 to 1.016)
    """
    shared = match_ids(comparisons_b.items, comparisons_a.items) >= 0
    if shared.any():
        raise DataError(
            f"{some(comparisons_b.items[shared])} in both populations. Items in common join them "
            "by themselves: put all comparisons into one file and rate them together."
        )
    crossing, won_by_a, notes = _crossing(comparisons_a, comparisons_b, bridges)
    build = _held if hold else _together
    return build(comparisons_a, comparisons_b, crossing, prior, level, won_by_a, notes)


def _crossing(
    a: Comparisons, b: Comparisons, bridges: Comparisons
) -> tuple[Comparisons, float, list[str]]:
    """Bridges with the item of a on the left, the share of points that these take, and notes."""
    of_a, of_b = match_ids(bridges.items, a.items), match_ids(bridges.items, b.items)
    unknown = (of_a < 0) & (of_b < 0)
    if unknown.any():
        raise DataError(
            f"{bridges.source}: {some(bridges.items[unknown])} in neither population. Check the "
            "names."
        )
    in_a = of_a >= 0
    between = in_a[bridges.left] != in_a[bridges.right]
    notes = list(dict.fromkeys([*a.notes, *b.notes, *bridges.notes]))
    if not between.all():
        inside = count(int(np.sum(~between)), "comparison")
        notes.append(f"{inside} of {bridges.source} within one population, not used.")
    used = bridges.select(between)
    if not len(used):
        raise DataError(
            f"{bridges.source}: no comparison of an item of one population with one of the other."
        )
    flipped = ~in_a[used.left]
    left = np.where(flipped, used.right, used.left)
    right = np.where(flipped, used.left, used.right)
    outcome = np.where(flipped, 1 - used.outcome, used.outcome)
    used = replace(used, left=left, right=right, outcome=outcome)
    won = float(np.sum(used.weights * outcome) / np.sum(used.weights))
    n_a, n_b = len(np.unique(left)), len(np.unique(right))
    if len(used) < FEW or min(n_a, n_b) < FEW_ITEMS:
        notes.append(
            f"Few bridges: {len(used):,} between {count(n_a, 'item')} and {count(n_b, 'item')}. "
            f"{FEW} between {FEW_ITEMS} items of each make the shift less a matter of single items."
        )
    if 0 < min(won, 1 - won) < ONE_SIDED:
        notes.append(
            f"One-sided bridges: {_winner(won)} took {max(won, 1 - won):.0%} of the points, so "
            f"that few answers fix the shift. {_advice(won)}"
        )
    return used, won, notes


def _together(
    a: Comparisons,
    b: Comparisons,
    bridges: Comparisons,
    prior: float | None,
    level: float,
    won: float,
    notes: list[str],
) -> Joined:
    """Fit all comparisons together."""
    n_a, n = len(a.items), len(a.items) + len(b.items)
    names = as_ids([*map(str, a.items), *map(str, b.items)])
    code = match_ids(bridges.items, names)
    joint = Comparisons(
        names,
        np.concatenate([a.left, n_a + b.left, code[bridges.left]]),
        np.concatenate([a.right, n_a + b.right, code[bridges.right]]),
        np.concatenate([a.outcome, b.outcome, bridges.outcome]),
        weight=np.concatenate([a.weights, b.weights, bridges.weights]),
        source="all comparisons",
    )
    fit = bradley_terry(joint, prior=prior)
    finite = fit.finite
    direction = np.zeros(0 if fit.point is None else fit.point.model.size)
    kept_a, kept_b = finite & (np.arange(n) < n_a), finite & (np.arange(n) >= n_a)
    joined = kept_a.any() and kept_b.any() and fit.point is not None
    joined = joined and (prior is not None or len(np.unique(fit.component[finite])) == 1)
    if joined and fit.point is not None:
        value = float(fit.rating[kept_b].mean() - fit.rating[kept_a].mean())
        direction[:n][kept_b], direction[:n][kept_a] = 1 / kept_b.sum(), -1 / kept_a.sum()
        half = quantile(level) * math.sqrt(variance(fit.point, direction))
        shift = Estimate(value, value - half, value + half, level, "Wald, joint fit")
        rating = fit.rating - fit.rating[kept_a].mean()
    else:
        shift, rating = _no_shift(won), fit.rating
    return Joined(
        a.items, b.items, rating[:n_a], rating[n_a:], shift, len(bridges), won, False,
        (*notes, *fit.notes),
    )  # fmt: skip


def _held(
    a: Comparisons,
    b: Comparisons,
    bridges: Comparisons,
    prior: float | None,
    level: float,
    won: float,
    notes: list[str],
) -> Joined:
    """Rate both apart, and fit the shift alone."""
    fit_a, fit_b = (bradley_terry(each, prior=prior) for each in (a, b))
    notes += [note for note in (*fit_a.notes, *fit_b.notes) if note not in notes]
    one = match_ids(bridges.items, a.items)[bridges.left]
    two = match_ids(bridges.items, b.items)[bridges.right]
    usable = _main(fit_a)[one] & _main(fit_b)[two]
    if not usable.all():
        notes.append(
            f"{count(int(np.sum(~usable)), 'bridge')} of items without a finite rating in the "
            "largest group of their population, not used."
        )
    one, two, outcome = one[usable], two[usable], bridges.outcome[usable]
    weight = bridges.weights[usable]
    gap = fit_a.rating[one] - fit_b.rating[two]
    points = float(np.sum(weight * outcome))
    rating_b = fit_b.rating
    if not 0 < points < np.sum(weight):
        shift = _no_shift(won)
    else:
        value = _offset(gap, points, weight)
        each = weight * 0.25 / np.cosh((gap - value) / 2) ** 2
        total = float(each.sum())
        known = 1 / total
        for place, fit in ((one, fit_a), (two, fit_b)):
            of_item = np.bincount(place, each, len(fit.items)) / total
            known += float(np.sum((of_item * np.nan_to_num(fit.standard_error)) ** 2))
        half = quantile(level) * math.sqrt(known)
        shift = Estimate(value, value - half, value + half, level, "Wald, ratings held")
        rating_b = fit_b.rating + value
    return Joined(
        a.items, b.items, fit_a.rating, rating_b, shift, len(one), won, True, tuple(notes)
    )


def _main(fit: BradleyTerry) -> NDArray[np.bool_]:
    """Items whose ratings are finite and compare with those of the largest group."""
    return fit.finite & ((fit.component == 0) | (fit.prior is not None))


def _offset(gap: Floats, points: float, weight: Floats) -> float:
    """Shift at which items of a are expected to take as many points as they did, by bisection."""
    low, high = float(gap.min()) - 50.0, float(gap.max()) + 50.0
    for _ in range(200):
        middle = (low + high) / 2
        expected = float(np.sum(weight * 0.5 * (1 + np.tanh((gap - middle) / 2))))
        # The larger the shift, the fewer points are expected of a.
        low, high = (middle, high) if expected > points else (low, middle)
    return (low + high) / 2


def _winner(won: float) -> str:
    return "the first population" if won > 0.5 else "the second population"


def _advice(won: float) -> str:
    strong, weak = ("second", "first") if won > 0.5 else ("first", "second")
    return f"Compare strong items of the {strong} with weak ones of the {weak}."


def _no_shift(won: float) -> Estimate:
    if won in (0.0, 1.0):
        why = f"{_winner(won)} won every bridge, so that the shift has no bound. {_advice(won)}"
    else:
        why = "the bridges do not join items with finite ratings. Ask for more, or give a prior."
    return Estimate(math.nan, undefined=why)

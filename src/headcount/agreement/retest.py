"""How far raters agree with themselves, where they rated items twice."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from headcount.agreement.coefficients import Alpha
from headcount.agreement.prepare import Prepared
from headcount.agreement.raters import (
    FIXED,
    Crossed,
    CrossedVariance,
    Panel,
    RaterKind,
    crossed_variance,
    find_scope,
)
from headcount.agreement.ratings import Influence
from headcount.agreement.scales import Distance
from headcount.errors import count, percent
from headcount.results.fields import Record, listing, shown
from headcount.results.tables import Table
from headcount.stats.arrays import SMALL, group_sums, ratio
from headcount.stats.estimate import Estimate
from headcount.stats.intervals import Fisher
from headcount.typing import Codes, Floats

__all__ = [
    "Twice",
    "measure_retest",
    "Retest",
    "retest_blocks",
]


FEW_ITEMS = 10
LEAST_OTHER = 8
"""Items rated twice, and ratings among these other than the commonest label of a rater, below which
there is no interval; of all raters together it is approximate if they have fewer on average. See
docs/studies/agreement.md."""


@dataclass(frozen=True, eq=False)
class Twice:
    r"""Pairs of ratings of an item by the same rater, and disagreement without each of them.

    .. math:: \alpha = 1 - \frac{\sum_j O_j}{\sum_j E_j}, \quad O_j = \sum_i d(x_{ij}, y_{ij}),
        \quad E_j = n_j \frac{\sum_{kl} g_{jk} g_{jl} d(k, l)}{2 n_j (2 n_j - 1)}

    with n_j items that rater j rated twice, and g_jk how often j gave label k to them. What is
    expected is of the rater's own labels, so that a rater who gives one label to everything is not
    called consistent. For one rater it is Krippendorff's alpha of the two ratings.

    Parameters
    ----------
    item, rater : (pairs,) arrays of int
    far, same : (pairs,) arrays
        Distance of the two ratings, and 1 where they are the same label.
    n, other, observed, expected : (raters,) arrays
        n_j, ratings other than the rater's commonest label, O_j and E_j.
    without : (pairs,) array
        E_j without each pair.
    """

    item: Codes
    rater: Codes
    far: Floats
    same: Floats
    n: Floats
    other: Floats
    observed: Floats
    expected: Floats
    without: Floats

    @classmethod
    def of(cls, data: Prepared, distance: Distance) -> Twice:
        """Put first and second ratings together. O(ratings), exact."""
        first, again = data.labels, data.labels.again
        if again is None:
            raise ValueError("there are no second ratings")
        raters, q = len(first.raters), len(first.scale)
        key = first.item * raters + first.rater
        order = np.argsort(key, kind="stable")
        row = order[np.searchsorted(key[order], again.item * raters + again.rater)]
        x, y, rater = first.label[row], again.label, again.rater
        n = np.bincount(rater, minlength=raters).astype(np.float64)
        # Labels of each rater, and the sum of distances from each of them.
        habit, index, counts = np.unique(
            np.concatenate([rater * q + x, rater * q + y]), return_inverse=True, return_counts=True
        )
        present, start = np.unique(habit // q, return_index=True)
        spread = distance.spread(habit % q, counts.astype(np.float64), start)
        total = np.zeros(raters)
        total[present] = np.add.reduceat(counts * spread, start)
        most = np.zeros(raters)
        most[present] = np.maximum.reduceat(counts, start)
        far = distance.between(x, y)
        own = spread[index[: len(x)]] + spread[index[len(x) :]]
        left = total[rater] - 2 * own + 2 * far
        return cls(
            item=again.item,
            rater=rater,
            far=far,
            same=(x == y).astype(np.float64),
            n=n,
            other=2 * n - most,
            observed=group_sums(rater, far, raters),
            expected=_expected(total, n),
            without=_expected(np.maximum(left, 0.0), n[rater] - 1),
        )

    def pooled(self) -> Influence:
        """Alpha of all raters together, and how it changes without each item, rater and pair."""
        observed, chance = self.observed.sum(), self.expected.sum()
        change = self.expected[self.rater] - self.without
        value = float(_alpha(observed, chance))
        items, item = np.unique(self.item, return_inverse=True)
        n = len(items)
        by_item = _alpha(
            observed - group_sums(item, self.far, n), chance - group_sums(item, change, n)
        )
        by_pair = _alpha(observed - self.far, chance - change)
        by_rater = _alpha(observed - self.observed, chance - self.expected)
        return Influence(
            value=value,
            items=np.nan_to_num(value - by_item) * (n - 1) / n,
            ratings=np.nan_to_num(value - by_pair),
            without=np.where(self.n > 0, by_rater, np.nan),
        )


def _expected(total: Floats, n: Floats) -> Floats:
    """E_j, of the sum of distances of all 2 n_j ratings."""
    return np.nan_to_num(ratio(n * total, 2 * n * (2 * n - 1)))


def _alpha(observed: Floats, expected: Floats) -> Floats:
    return 1 - ratio(np.asarray(observed), np.asarray(expected), least=SMALL)


def measure_retest(data: Prepared, level: float, raters: RaterKind) -> Retest | None:
    """Find how far raters agree with themselves; None without second ratings.

    Intervals are by the jackknife: of one rater over items, of all over items, or over items and
    raters where these are a sample.
    """
    again = data.labels.again
    if again is None or not len(again):
        return None
    twice = Twice.of(data, Alpha().distance(data))
    # Nothing but pairs of ratings by one rater, so that no rater dominates another.
    panel = Panel(twice.n, np.zeros(len(twice.n)), anonymous=False)
    scope = find_scope(panel, raters)
    pooled, items = twice.pooled(), len(np.unique(twice.item))
    few = _few(items, float(twice.other.sum()))
    variance = crossed_variance(pooled, panel, items)
    return Retest(
        ratings=len(again),
        items=items,
        percent=float(twice.same.mean()),
        agreement=_estimate(pooled, variance, items, level, few=few, crossed=scope.crossed),
        these_raters=_estimate(pooled, variance, items, level, few=few, crossed=False),
        holds_for=scope.words,
        approximate=bool(twice.other.sum() < LEAST_OTHER * panel.raters),
        raters=_of_raters(data, twice),
    )


def _of_raters(data: Prepared, twice: Twice) -> tuple[RaterRetest, ...]:
    """Each rater, lowest agreement first."""
    alpha = _alpha(twice.observed, twice.expected)
    same = group_sums(twice.rater, twice.same, len(twice.n))
    names: list[str | int] = data.labels.raters.tolist()
    listed = [
        RaterRetest(
            rater=names[row],
            items=int(twice.n[row]),
            percent=float(same[row] / twice.n[row]),
            agreement=None if np.isnan(alpha[row]) else float(alpha[row]),
        )
        for row in np.flatnonzero(twice.n).tolist()
    ]
    return tuple(sorted(listed, key=lambda rater: (rater.percent, str(rater.rater))))


def _few(items: int, other: float) -> bool:
    """Whether items, or ratings of them other than the commonest label, are too few."""
    return items < FEW_ITEMS or other < LEAST_OTHER


def _estimate(
    influence: Influence,
    variance: CrossedVariance,
    items: int,
    level: float,
    *,
    few: bool,
    crossed: bool,
) -> Estimate:
    if np.isnan(influence.value):
        return Estimate(float("nan"), undefined="every rating is the same")
    if few or not variance.total > 0:
        return Estimate(influence.value)
    return Crossed(
        value=influence.value,
        variance=variance,
        influence=influence,
        effective=1.0,  # of raters who differ in severity, which plays no part
        scale=Fisher(),
        items=items,
    ).estimate(level, crossed=crossed)


# What is found where raters rated items twice, as plain records.


@dataclass(frozen=True, kw_only=True)
class RaterRetest(Record):
    """How far a rater agrees with themselves.

    Parameters
    ----------
    rater : str or int
    items : int
        Rated twice.
    percent : float
        Share of them with the same label both times.
    agreement : float or None
        Krippendorff's alpha of the two ratings; None where every rating is the same.
    """

    rater: str | int = field(metadata=shown("rater", str))
    items: int = field(metadata=shown("items"))
    percent: float = field(metadata=shown("same label", ".0%"))
    agreement: float | None = field(metadata=shown(Alpha.name, ".3f"))


@dataclass(frozen=True, kw_only=True)
class Retest(Record):
    """How far raters agree with themselves.

    Parameters
    ----------
    ratings, items : int
        Ratings that repeat an item by the same rater, and items that these are of.
    percent : float
        Share of them that are the same as the first.
    agreement, these_raters : Estimate
        Krippendorff's alpha of all raters together, with intervals for whom `holds_for` says, and
        for these raters.
    holds_for : str
    approximate : bool
        Whether raters gave so few labels other than their commonest that the intervals may be too
        narrow.
    raters : tuple of RaterRetest
        Lowest agreement first.
    """

    ratings: int
    items: int
    percent: float
    agreement: Estimate
    these_raters: Estimate
    holds_for: str
    approximate: bool
    raters: tuple[RaterRetest, ...]


# How far raters agree with themselves, in a sentence and a table.


def retest_blocks(retest: Retest, level: float) -> list[Table | str]:
    """Say it of all raters, and of each."""
    e, these = retest.agreement, retest.these_raters
    times = count(retest.ratings, "rating")
    same = "is" if retest.ratings == 1 else "are"
    sentence = f"The same rater twice: {retest.percent:.0%} of {times} {same} the same as the first"
    if e.undefined is None:
        sentence += f"; {Alpha.name} {e.show(e.value)}"
    if e.low is not None:
        # Of one rater, nothing needs to be said of others.
        whom = f" {retest.holds_for}" if len(retest.raters) > 1 else ""
        beside = f", {FIXED.words} {these.interval()}" if retest.holds_for != FIXED.words else ""
        sentence += f" ({percent(level)} interval{whom} {e.interval()}{beside}"
        if retest.approximate:
            sentence += "; approximate, as raters hardly gave labels other than their commonest"
        sentence += ")"
    blocks: list[Table | str] = [f"{sentence}."]
    if len(retest.raters) > 1:
        title = "each rater with themselves, lowest agreement first"
        blocks.append(listing(retest.raters, title=title, noun="rater"))
    return blocks

"""One side of a comparison, and the difference of two."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from headcount.agreement.raters.influence import Influence
from headcount.agreement.raters.interval import CrossedVariance, crossed_variance
from headcount.agreement.raters.panel import Panel
from headcount.data.labels import Labels
from headcount.stats.estimate import Estimate
from headcount.stats.grouping import group_sums
from headcount.stats.intervals.crossed import DIFFERENCE
from headcount.stats.intervals.from_error import LINEARISED
from headcount.typing import Floats, Ids, Ints

__all__ = ["Part", "difference"]


@dataclass(frozen=True, eq=False)
class Part:
    """A coefficient of some ratings, and how it changes with each of them.

    Parameters
    ----------
    labels : Labels
        Whose items and raters the arrays of `influence` are of.
    influence : Influence
    panel : Panel
    """

    labels: Labels
    influence: Influence
    panel: Panel


@dataclass(frozen=True)
class Contrast:
    """A difference with its interval, and the probability that it is above 0."""

    estimate: Estimate
    p_higher: float | None


def difference(a: Part, b: Part, level: float, *, crossed: bool) -> Contrast:
    """Find how much more one part agrees than the other.

    Items and raters that are in both are left out of both at once, so that what they have in common
    cancels. V_I is of the items' changes in the difference, V_J of leaving out each rater, V_X of
    single ratings. O(ratings).

    Parameters
    ----------
    a, b : Part
    level : float
    crossed : bool
        Whether raters are a sample.
    """
    items, (item_a, item_b) = _union(a.labels.items, b.labels.items)
    raters, (rater_a, rater_b) = _union(a.labels.raters, b.labels.raters)
    cell_a = item_a[a.labels.item] * raters + rater_a[a.labels.rater]
    cell_b = item_b[b.labels.item] * raters + rater_b[b.labels.rater]
    cells, cell = np.unique(np.concatenate([cell_a, cell_b]), return_inverse=True)
    value = a.influence.value - b.influence.value
    joint = Influence(
        value=value,
        items=_spread(item_a, a.influence.items, items) - _spread(item_b, b.influence.items, items),
        ratings=group_sums(
            cell, np.concatenate([a.influence.ratings, -b.influence.ratings]), len(cells)
        ),
        without=value + _change(a, rater_a, raters) - _change(b, rater_b, raters),
    )
    paired = _spread(rater_a, a.panel.paired, raters) + _spread(rater_b, b.panel.paired, raters)
    panel = Panel(paired, paired, anonymous=a.panel.anonymous or b.panel.anonymous)
    used = int(np.count_nonzero(joint.items)) or 1
    variance = crossed_variance(joint, panel, used)
    return _contrast(value, variance, used, level, crossed=crossed)


def _contrast(
    value: float, variance: CrossedVariance, items: int, level: float, *, crossed: bool
) -> Contrast:
    from scipy.special import stdtr  # pyright: ignore[reportMissingTypeStubs]

    total = variance.total if crossed else variance.items
    freedom = variance.freedom if crossed else max(items - 1, 1)
    if not total > 0:
        return Contrast(Estimate(value), None)
    error = float(np.sqrt(total))
    low, high = DIFFERENCE.ends(value, error, level, freedom=freedom)
    name = DIFFERENCE.name if crossed else LINEARISED.name
    found = Estimate(value, low=max(low, -2.0), high=min(high, 2.0), level=level, method=name)
    return Contrast(found, float(stdtr(freedom, value / error)))


def _union(a: Ids, b: Ids) -> tuple[int, tuple[Ints, Ints]]:
    """Give the ids of two vocabularies common numbers."""
    names = np.array([str(one) for one in (*a.tolist(), *b.tolist())], dtype=object).astype(str)
    every, code = np.unique(names, return_inverse=True)
    return len(every), (code[: len(a)], code[len(a) :])


def _spread(code: Ints, values: Floats, size: int) -> Floats:
    return group_sums(code, values, size)


def _change(part: Part, code: Ints, raters: int) -> Floats:
    """How the coefficient changes without each rater; 0 where that is not known."""
    change = np.nan_to_num(part.influence.without - part.influence.value)
    return _spread(code, np.where(part.panel.paired > 0, change, 0.0), raters)

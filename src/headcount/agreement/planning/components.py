"""What a pilot says of the variance of a coefficient, and what follows for other designs."""

from __future__ import annotations

from dataclasses import dataclass, replace
from importlib import import_module
from typing import Any

import numpy as np

from headcount.agreement.coefficients.base import Coefficient
from headcount.agreement.estimates import like_these
from headcount.agreement.prepare import Prepared
from headcount.agreement.raters.interval import Crossed, CrossedVariance, freedom_of
from headcount.agreement.raters.populations import Scope
from headcount.data.labels import Labels
from headcount.stats.estimate import Estimate
from headcount.typing import Floats

__all__ = ["Components", "find_components"]

LIKELY, SAFE = 0.5, 0.2
"""Probabilities that raters differ more than the plan takes them to; and than the safe one does."""
THIN, THINNINGS = (2, 3, 4), 10
"""Ratings that items are left with, at random, and how often that is done."""


@dataclass(frozen=True, kw_only=True)
class Components:
    """Parts of the variance, each for one item, rater or rating.

    Parameters
    ----------
    pilot : Crossed
        The coefficient on the pilot, and what its interval is made of.
    crossed : bool
        Whether raters are a sample who differ; else `raters` plays no part.
    item, item_rating, item_pair : float
        Variance over items: what more ratings of each do not make smaller, what goes with one over
        their number, and what goes with one over the number of pairs.
    rater, most_rater : float
        Variance over raters: what it is as likely to exceed as not; and what it stays below four
        times in five, given how few raters it was seen on.
    rating : float
        Variance over single ratings, which those over items and raters share.
    """

    pilot: Crossed
    crossed: bool
    item: float
    item_rating: float
    item_pair: float
    rater: float
    most_rater: float
    rating: float

    @property
    def cautious(self) -> Components:
        """The same, with raters who differ as much as they may."""
        return replace(self, rater=self.most_rater)

    def variance(self, items: int, raters: int, each: int) -> CrossedVariance:
        r"""Find the variance where N items have m ratings `each`, spread over M raters.

        .. math:: V_I = \frac{1}{N} \left(a + \frac{4 b}{m} + \frac{2 c}{m (m - 1)}\right), \quad
            V_J - V_X = \frac{d}{M}, \quad V_X = \frac{e}{N m}

        The disagreement on an item is a mean over pairs of its ratings, a U-statistic of order 2:
        a, b and c are the variances of Hoeffding's decomposition (1948). Degrees of freedom
        are as for an interval of such data.
        """
        v_items = float(_weights(each) @ [self.item, self.item_rating, self.item_pair]) / items
        v_ratings = self.rating / (items * each)
        v_raters = self.rater / raters + v_ratings
        of_raters = freedom_of(float(raters))
        total = v_items + self.rater / raters
        bottom = v_items**2 / (items - 1) + v_raters**2 / of_raters
        freedom = max(total**2 / bottom, min(of_raters, items - 1)) if bottom > 0 else items - 1
        return CrossedVariance(v_items, v_raters, v_ratings, freedom)

    def expect(self, items: int, raters: int, each: int, level: float) -> Estimate:
        """Give the interval to expect of such a design, if the coefficient stays the same."""
        design = replace(
            self.pilot,
            variance=self.variance(items, raters, each),
            effective=float(raters),
            items=items,
        )
        return design.estimate(level, crossed=self.crossed)


def find_components(
    one: Coefficient, data: Prepared, scope: Scope, rng: np.random.Generator
) -> Components | None:
    """Find the parts on a pilot; None where nothing varies. O(ratings), some thirty times.

    Leaving each item two, three and four of its ratings, at random, shows what the variance over
    items would be with so many.
    """
    pilot = like_these(one, data)
    if pilot is None:
        return None
    sizes = data.ratings.per_item
    used = sizes[sizes > 1]
    n, k = float(len(used)), float(len(used) / (1 / used).sum())
    seen = {k: n * pilot.variance.items}
    for few in THIN:
        if few < k and (found := _with_few(one, data, few, rng)) is not None:
            seen[few] = found
    item, item_rating, item_pair = _split(seen)
    # Of the influence of items and ratings, their sums of squares are all that is needed.
    nothing = np.zeros(0)
    slim = replace(pilot.influence, items=nothing, ratings=nothing, without=nothing)
    return Components(
        pilot=replace(pilot, influence=slim),
        crossed=scope.crossed,
        item=item,
        item_rating=item_rating,
        item_pair=item_pair,
        rater=_of_rater(pilot, data.panel.effective, LIKELY) if scope.crossed else 0.0,
        most_rater=_of_rater(pilot, data.panel.effective, SAFE) if scope.crossed else 0.0,
        rating=pilot.variance.ratings * float(used.sum()),
    )


def _of_rater(pilot: Crossed, raters: float, unlucky: float) -> float:
    r"""Give what the variance over one rater exceeds with a probability.

    .. math:: n_e \max\left(0, \frac{f}{\chi^2_{f, u}} V_J - V_X\right)

    A sum of squares over few raters is below its mean more often than above it, and less V_X it is
    often 0: taken as it is, a plan would promise too much.
    """
    from scipy.special import chdtri  # pyright: ignore[reportMissingTypeStubs]

    freedom = freedom_of(raters)
    times = freedom / float(chdtri(freedom, 1 - unlucky))
    return max(times * pilot.variance.raters - pilot.variance.ratings, 0.0) * raters


def _weights(ratings: float) -> Floats:
    """Give what each part weighs in the variance of an item with so many ratings."""
    return np.array([1.0, 4 / ratings, 2 / (ratings * (ratings - 1))])


def _split(seen: dict[float, float]) -> tuple[float, float, float]:
    """Find the parts, none below 0, from the variance with several numbers of ratings.

    With two ratings an item, all of it is taken to stay. With three, what stays is between
    2 C_1 - C_2 and C_1, covariances of pairs of ratings with one and with two in common: the middle
    is taken.
    """
    optimize: Any = import_module("scipy.optimize")  # untyped, and slow to import
    most = max(seen)
    if len(seen) == 1:
        return seen[most], 0.0, 0.0
    if len(seen) == 2:
        two = seen[2]
        one = min(max((seen[most] - two * _shared(most, 2)) / _shared(most, 1), 0.0), two)
        stays = (max(2 * one - two, 0.0) + one) / 2
        return stays, one - stays, max(two - 2 * one + stays, 0.0)
    rows = np.stack([_weights(ratings) for ratings in seen])
    value = np.array(list(seen.values()))
    found: Floats = optimize.nnls(rows / value[:, None], np.ones(len(value)))[0]
    item, item_rating, item_pair = found.tolist()
    return item, item_rating, item_pair


def _shared(ratings: float, common: int) -> float:
    """Share of two pairs of three ratings that have so many in common: one or two."""
    both = 2 / (ratings * (ratings - 1))
    return both if common == 2 else 1 - both


def _with_few(one: Coefficient, data: Prepared, few: int, rng: np.random.Generator) -> float | None:
    """Variance over items, times items, where each has so few ratings: mean over thinnings."""
    found: list[float] = []
    for _ in range(THINNINGS):
        thin = replace(data, labels=_thinned(data.labels, few, rng))
        if one.undefined(thin) is None and (crossed := like_these(one, thin)) is not None:
            found.append(thin.items_used * crossed.variance.items)
    return float(np.mean(found)) if found else None


def _thinned(labels: Labels, few: int, rng: np.random.Generator) -> Labels:
    """Leave every item so many of its ratings, at random."""
    order = np.lexsort((rng.random(len(labels)), labels.item))
    item = labels.item[order]
    first = np.searchsorted(item, np.arange(len(labels.items)))
    kept = np.sort(order[np.arange(len(item)) - first[item] < few])
    return replace(
        labels, item=labels.item[kept], rater=labels.rater[kept], label=labels.label[kept]
    )

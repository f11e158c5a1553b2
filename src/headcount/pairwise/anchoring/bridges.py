"""The shift between two populations, from comparisons that bridge them."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from headcount.data.comparisons import Comparisons
from headcount.data.vocabulary import as_ids, match_ids
from headcount.errors import count
from headcount.pairwise.anchoring.prepare import advice, winner
from headcount.pairwise.bradley_terry.bradley_terry import bradley_terry
from headcount.pairwise.bradley_terry.result import BradleyTerry
from headcount.pairwise.bradley_terry.standard_errors.hessian import variance
from headcount.pairwise.bradley_terry.standard_errors.kinds import HESSIAN
from headcount.results.notes import Notes
from headcount.stats.estimate import Estimate
from headcount.stats.intervals.from_error import WALD_HELD, WALD_JOINT, Wald
from headcount.typing import Flags, Floats

__all__ = ["Bridges", "Shifted"]


class Shifted(NamedTuple):
    """Ratings of both populations on one scale, the shift, and the bridges that tell it."""

    rating_a: Floats
    rating_b: Floats
    shift: Estimate
    bridges: int


@dataclass(frozen=True, eq=False, kw_only=True)
class Bridges:
    """Two populations, and the comparisons between them.

    Parameters
    ----------
    a, b : Comparisons
        Within each population.
    crossing : Comparisons
        Between items of both, that of a on the left.
    won : float
        Share of the points of all bridges that items of a took.
    prior : float or None
        Standard deviation of ratings, in logits.
    level : float
    notes : Notes
        Takes what a reader should know.
    """

    a: Comparisons
    b: Comparisons
    crossing: Comparisons
    won: float
    prior: float | None
    level: float
    notes: Notes

    def together(self) -> Shifted:
        """Fit all comparisons together."""
        fit = bradley_terry(self._joint(), prior=self.prior, errors=HESSIAN)
        self.notes.extend(fit.notes)
        of_a, of_b = (match_ids(each.items, fit.items) for each in (self.a, self.b))
        first = np.isin(np.arange(len(fit.items)), of_a)
        kept_a, kept_b = fit.finite & first, fit.finite & ~first
        joined = kept_a.any() and kept_b.any()
        joined &= self.prior is not None or len(np.unique(fit.component[fit.finite])) == 1
        if not joined or fit.point is None:
            rating_a, rating_b = fit.rating[of_a], fit.rating[of_b]
            return Shifted(rating_a, rating_b, self._undefined(), len(self.crossing))
        direction = np.zeros(fit.point.model.size)
        direction[np.flatnonzero(kept_b)] = 1 / kept_b.sum()
        direction[np.flatnonzero(kept_a)] = -1 / kept_a.sum()
        value = float(fit.rating[kept_b].mean() - fit.rating[kept_a].mean())
        shift = self._wald(value, variance(fit.point, direction), WALD_JOINT)
        rating = fit.rating - fit.rating[kept_a].mean()
        return Shifted(rating[of_a], rating[of_b], shift, len(self.crossing))

    def held(self) -> Shifted:
        """Rate both apart, and fit the shift alone."""
        fit_a, fit_b = (
            bradley_terry(each, prior=self.prior, errors=HESSIAN) for each in (self.a, self.b)
        )
        self.notes.extend([*fit_a.notes, *fit_b.notes])
        one = match_ids(self.crossing.items, self.a.items)[self.crossing.left]
        two = match_ids(self.crossing.items, self.b.items)[self.crossing.right]
        usable = _main(fit_a)[one] & _main(fit_b)[two]
        if not usable.all():
            self.notes.caution(
                f"{count(int(np.sum(~usable)), 'bridge')} of items without a finite rating in the "
                "largest group of their population, not used."
            )
        one, two = one[usable], two[usable]
        weight, outcome = self.crossing.weights[usable], self.crossing.outcome[usable]
        points = float(np.sum(weight * outcome))
        if not 0 < points < np.sum(weight):
            return Shifted(fit_a.rating, fit_b.rating, self._undefined(), len(one))
        gap = fit_a.rating[one] - fit_b.rating[two]
        value = _offset(gap, points, weight)
        each = weight * 0.25 / np.cosh((gap - value) / 2) ** 2
        total = float(each.sum())
        known = 1 / total
        for index, fit in ((one, fit_a), (two, fit_b)):
            of_item = np.bincount(index, each, len(fit.items)) / total
            known += float(np.sum((of_item * np.nan_to_num(fit.standard_error)) ** 2))
        shift = self._wald(value, known, WALD_HELD)
        return Shifted(fit_a.rating, fit_b.rating + value, shift, len(one))

    def _joint(self) -> Comparisons:
        """Put all comparisons together, items of a first."""
        a, b, n_a = self.a, self.b, len(self.a.items)
        names = as_ids([*map(str, a.items), *map(str, b.items)])
        code = match_ids(self.crossing.items, names)
        left, right = code[self.crossing.left], code[self.crossing.right]
        return Comparisons(
            items=names,
            left=np.concatenate([a.left, n_a + b.left, left]),
            right=np.concatenate([a.right, n_a + b.right, right]),
            outcome=np.concatenate([a.outcome, b.outcome, self.crossing.outcome]),
            weight=np.concatenate([a.weights, b.weights, self.crossing.weights]),
            source="all comparisons",
        )

    def _wald(self, value: float, variance: float, method: Wald) -> Estimate:
        return Estimate.from_error(value, math.sqrt(variance), level=self.level, method=method)

    def _undefined(self) -> Estimate:
        if self.won in (0.0, 1.0):
            why = (
                f"{winner(self.won)} won every bridge, so that the shift has no bound. "
                f"{advice(self.won)}"
            )
        else:
            why = (
                "the bridges do not join items with finite ratings. Ask for more, or give a prior."
            )
        return Estimate(math.nan, undefined=why)


def _main(fit: BradleyTerry) -> Flags:
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

"""Coefficients and Phi of random subsets of the items."""

from __future__ import annotations

from typing import Any

import numpy as np

from headcount.agreement.coefficients.base import Coefficient
from headcount.agreement.coefficients.engine import Engine
from headcount.agreement.phi.methods import Method
from headcount.agreement.phi.prepare import prepare, take_gold
from headcount.agreement.phi.subsets import at_once, phis_of_subsets
from headcount.agreement.raters.panel import Panel
from headcount.agreement.raters.populations import FIXED, find_scope
from headcount.data.labels import Labels
from headcount.results.notes import Notes
from headcount.stats.estimate import Estimate
from headcount.stats.intervals.from_draws import OVER_SUBSETS
from headcount.stats.intervals.from_model import MEAN_HIGHEST_DENSITY
from headcount.typing import Floats, Ints

__all__ = ["PhisOfSubsets", "spreads"]


def spreads(
    one: Coefficient, engine: Engine, drawn: list[dict[str, Floats]], sizes: int, level: float
) -> list[Estimate]:
    """Mean and spread over the subsets of each size on which a coefficient has a value."""
    if one.name not in engine.coefficients:
        return [Estimate(float("nan"), undefined=engine.reasons[one.name])] * sizes
    out: list[Estimate] = []
    for values in np.stack([run[one.name] for run in drawn]).T:
        known = values[~np.isnan(values)]
        if not len(known):
            out.append(Estimate(float("nan"), undefined=one.no_value(engine.data)))
            continue
        mean = float(known.mean())
        out.append(Estimate.from_draws(mean, known, level=level, method=OVER_SUBSETS))
    return out


class PhisOfSubsets:
    """Phi of the first so many items of random orders, for each of several sizes.

    Parameters
    ----------
    labels : Labels
    sizes : list of int
    repeats : int
        Orders that it is measured on.
    limits, method, gold, gold_sd, level
        Of :func:`headcount.phi`.
    """

    def __init__(
        self,
        labels: Labels,
        sizes: list[int],
        repeats: int,
        *,
        limits: tuple[float, float] | None,
        method: Method,
        gold: Any,
        gold_sd: float | None,
        level: float,
    ) -> None:
        truth = take_gold(gold, gold_sd, labels)
        self.data = prepare(labels, method, limits=limits, points=None, gold=truth, notes=Notes())
        self.sizes, self.repeats, self.level, self.method = sizes, repeats, level, method
        self.scope = find_scope(Panel.from_labels(labels), FIXED)
        self.rated = np.flatnonzero(np.bincount(labels.item, minlength=len(labels.items)) >= 2)
        self.waiting: list[Ints] = []
        self.found: list[list[Estimate]] = [[] for _ in sizes]
        self.added = 0

    def add(self, order: Ints) -> None:
        """Take an order of the items; measured with others, some at a time."""
        if self.added == self.repeats:
            return
        self.added += 1
        place = np.empty(len(order), dtype=np.intp)
        place[order] = np.arange(len(order))
        self.waiting.append(place[self.rated])
        if self.added == self.repeats or len(self.waiting) == at_once(len(self.rated)):
            places, self.waiting = np.stack(self.waiting), []
            for size, found in zip(self.sizes, self.found, strict=True):
                found += phis_of_subsets(
                    self.data, self.method, self.level, self.scope, places < size
                )

    def means(self) -> list[Estimate]:
        """Mean of Phi where it has a value, and of the ends of its intervals, for each size."""
        return [_mean(found, self.level) for found in self.found]


def _mean(found: list[Estimate], level: float) -> Estimate:
    known = [(e.value, e.low, e.high) for e in found if e.low is not None and e.high is not None]
    if not known:
        return found[0]
    value, low, high = (float(mean) for mean in np.mean(known, axis=0))
    return Estimate(value, low=low, high=high, level=level, method=MEAN_HIGHEST_DENSITY.name)

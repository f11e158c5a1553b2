"""Coefficients and Phi of random subsets of the items."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace

import numpy as np

from headcount.agreement.coefficients.base import Coefficient
from headcount.agreement.coefficients.engine import Engine
from headcount.agreement.phi.result import PhiResult
from headcount.agreement.prepare import Prepared
from headcount.data.labels import Labels
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


@dataclass(frozen=True, eq=False)
class PhisOfSubsets:
    """Phi of subsets of the items, each measured once."""

    data: Prepared
    measure: Callable[[Labels], PhiResult]
    wanted: bool
    known: dict[bytes, Estimate] = field(default_factory=dict[bytes, Estimate])
    runs: list[list[Estimate]] = field(default_factory=list[list[Estimate]])

    def add(self, order: Ints, sizes: list[int]) -> None:
        """Measure the first so many items of an order, for each of `sizes`."""
        if self.wanted:
            self.runs.append([self._of(np.sort(order[:size])) for size in sizes])

    def means(self, sizes: int, level: float) -> list[Estimate]:
        """Mean of Phi where it has a value, and of the ends of its intervals, for each size."""
        if not self.runs:
            why = "labels on a nominal scale have no order"
            return [Estimate(float("nan"), undefined=why)] * sizes
        return [_mean(list(column), level) for column in zip(*self.runs, strict=True)]

    def _of(self, items: Ints) -> Estimate:
        # Small data have few subsets, and all items are one subset in every order.
        key = items.tobytes()
        if key not in self.known:
            self.known[key] = self.measure(_part(self.data.for_phi, items)).estimate
        return self.known[key]


def _part(labels: Labels, items: Ints) -> Labels:
    """Ratings of some of the items; the scale stays."""
    chosen = np.zeros(len(labels.items), dtype=bool)
    chosen[items] = True
    rows = chosen[labels.item]
    return replace(
        labels, item=labels.item[rows], rater=labels.rater[rows], label=labels.label[rows]
    )


def _mean(found: list[Estimate], level: float) -> Estimate:
    known = [(e.value, e.low, e.high) for e in found if e.low is not None and e.high is not None]
    if not known:
        return found[0]
    value, low, high = (float(mean) for mean in np.mean(known, axis=0))
    return Estimate(value, low=low, high=high, level=level, method=MEAN_HIGHEST_DENSITY.name)

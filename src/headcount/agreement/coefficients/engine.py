"""Evaluate coefficients on the data and on resamples of their items."""

from __future__ import annotations

from collections.abc import Collection, Iterable

import numpy as np

from headcount.agreement.coefficients.base import Coefficient
from headcount.agreement.patterns import item_weights
from headcount.agreement.prepare import Prepared
from headcount.stats.draws import resample
from headcount.stats.estimate import Estimate
from headcount.typing import Floats, Ints

__all__ = ["Engine"]

BLOCK = 2 * 10**6
"""Cells that are held at once: draws x patterns, items or cells of rater pairs."""


class Engine:
    """Coefficients as functions of how often each pattern, item and pair of labels is drawn.

    Parameters
    ----------
    data : Prepared
    coefficients : iterable of Coefficient
    asked : bool
        Whether the caller asked for them by name; else those that make no sense of continuous
        ratings have no value there.

    Attributes
    ----------
    data : Prepared
    asked : bool
    coefficients : dict of str to Coefficient
        Those that may have a value on the data, by name.
    values : dict of str to float
        Those that have one.
    reasons : dict of str to str or None
        Of all, why there is no value.
    """

    def __init__(
        self, data: Prepared, coefficients: Iterable[Coefficient], *, asked: bool = True
    ) -> None:
        wanted = {one.name: one for one in coefficients}
        self.data, self.asked = data, asked
        too_fine = None if asked else data.too_fine
        self.reasons = {
            name: data.no_pair
            or (too_fine if one.nominal else None)
            or one.undefined(data)
            or (data.added_up if one.by_rater else None)
            for name, one in wanted.items()
        }
        self.coefficients = {n: one for n, one in wanted.items() if self.reasons[n] is None}
        self._kernels = {name: one.kernel(data) for name, one in self.coefficients.items()}
        values = self._observed()
        for name, one in self.coefficients.items():
            if np.isnan(values[name]):
                self.reasons[name] = one.no_value(data)
        self.values = {n: value for n, value in values.items() if self.reasons[n] is None}

    @property
    def over_pairs(self) -> list[Coefficient]:
        """Means over pairs of raters."""
        return [one for one in self.coefficients.values() if one.over_pairs]

    def analytic(self, level: float) -> dict[str, Estimate]:
        """Intervals without resampling, of the coefficients for which there is a standard one."""
        if self.data.items_used < 2:
            return {}
        changes: dict[str, Floats] = {}
        for name in self.values:
            if (slope := self.coefficients[name].slope(self.data)) is not None:
                changes[name] = slope
        if changes:  # all at once, since pairs of ratings are gone through
            by_item = self.data.rater_pairs.by_item(list(changes.values()))
            changes = dict(zip(changes, by_item, strict=True))
        estimates: dict[str, Estimate] = {}
        for name, value in self.values.items():
            one = self.coefficients[name]
            interval = one.interval(self.data, value, level, changes.get(name))
            if interval is not None:
                estimates[name] = interval
        return estimates

    def bootstrap(
        self, draws: int, rng: np.random.Generator, *, leave_out: Collection[str] = ()
    ) -> dict[str, Floats]:
        """Values on `draws` resamples of items, the same for all coefficients but some."""
        p = self.data.patterns
        wanted = [
            one
            for name, one in self.coefficients.items()
            if name not in leave_out and one.resampled
        ]
        # Coefficients of patterns and of raters go through the same draws one after the other,
        # each in blocks of a size that suits it.
        seed, item_seed = rng.integers(2**63, size=2).tolist()
        parts: dict[str, list[Floats]] = {one.name: [] for one in wanted}
        if names := [one.name for one in wanted if not one.by_rater]:
            block = _block(len(p), p.n_labels)
            for drawn in resample(p.multiplicity, draws, np.random.default_rng(seed), block=block):
                for name in names:
                    parts[name].append(self._kernels[name](drawn))
        if names := [one.name for one in wanted if one.by_rater]:
            within = np.random.default_rng(item_seed)
            block = self._item_block(names)
            for drawn in resample(p.multiplicity, draws, np.random.default_rng(seed), block=block):
                items = item_weights(p, drawn, within)
                for name, values in self._of_items(items, names).items():
                    parts[name].append(values)
        return {name: np.concatenate(part or [np.zeros(0)]) for name, part in parts.items()}

    def on_items(self, items: Floats) -> dict[str, Floats]:
        """Values where each item counts so many times: (draws, items) weights to (draws,)."""
        p = self.data.patterns
        patterns = np.empty((len(items), len(p)))
        for row, weight in zip(patterns, items, strict=True):
            row[:] = np.bincount(p.pattern, weights=weight, minlength=len(p))
        by_rater = [one.name for one in self.coefficients.values() if one.by_rater]
        of_items = self._of_items(items, by_rater)
        return {
            name: of_items[name] if one.by_rater else self._kernels[name](patterns)
            for name, one in self.coefficients.items()
        }

    def subsets(self, sizes: list[int], order: Ints) -> dict[str, Floats]:
        """Values on the first so many items of an order, for each of `sizes`: (sizes,)."""
        weight = np.zeros((len(sizes), len(self.data.patterns.items)))
        for row, size in zip(weight, sizes, strict=True):
            row[order[:size]] = 1
        return self.on_items(weight)

    def _observed(self) -> dict[str, float]:
        p = self.data.patterns
        patterns, items = p.multiplicity[None, :].astype(np.float64), np.ones((1, len(p.items)))
        values: dict[str, float] = {}
        for name, one in self.coefficients.items():
            if one.over_pairs:
                weight = self.data.rater_pairs.count[None, :]
            else:
                weight = items if one.by_rater else patterns
            values[name] = float(self._kernels[name](weight)[0])
        return values

    def _of_items(self, items: Floats, names: Collection[str]) -> dict[str, Floats]:
        """Values of coefficients of raters for (draws, items) weights."""
        over_pairs = {name for name in names if self.coefficients[name].over_pairs}
        cells = self.data.rater_pairs.counts(items) if over_pairs else items
        return {name: self._kernels[name](cells if name in over_pairs else items) for name in names}

    def _item_block(self, names: Collection[str]) -> int:
        over_pairs = any(self.coefficients[name].over_pairs for name in names)
        cells = 4 * len(self.data.rater_pairs.key) if over_pairs else 0
        return _block(len(self.data.patterns.items), len(self.data.labels.raters), cells)


def _block(*widths: int) -> int:
    """Draws to take at once."""
    return max(1, BLOCK // max(widths))

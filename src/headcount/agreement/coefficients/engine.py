"""Evaluate coefficients on the data and on resamples of their items."""

from __future__ import annotations

from collections.abc import Collection
from functools import cached_property

import numpy as np

from headcount.agreement.coefficients.alpha import alpha, alpha_ranks
from headcount.agreement.coefficients.distances import Distance
from headcount.agreement.coefficients.icc import icc1, icc2k
from headcount.agreement.coefficients.kappas import fleiss, gwet, percent
from headcount.agreement.coefficients.patterns import item_weights
from headcount.agreement.coefficients.rater_pairs import PairTable, kappas
from headcount.agreement.prepare import Setting
from headcount.stats.draws import resample
from headcount.typing import Floats, Ints, Kernel

__all__ = ["BY_PAIR", "BY_RATER", "Engine"]

BY_PAIR = ("scott", "cohen", "cohen_linear", "cohen_quadratic")
"""Coefficients that are means over pairs of raters."""

BY_RATER = (*BY_PAIR, "icc2k")
"""Coefficients for which it matters who rated: they need draws of items, not of patterns."""

BLOCK = 2 * 10**6
"""Cells that are held at once: draws x patterns, items or cells of rater pairs."""


class Engine:
    """Coefficients by name, as functions of how often each pattern and each item is drawn.

    Parameters
    ----------
    setting : Setting
    names : collection of str
        The coefficients wanted; those that are undefined on the data must not be among them.
    """

    def __init__(self, setting: Setting, names: Collection[str]) -> None:
        self.setting = setting
        self.names = tuple(names)
        self.by_pattern = {name: self._kernel(name) for name in names if name not in BY_RATER}
        self.by_pair = {name: self._pairs(name) for name in names if name in BY_PAIR}

    @cached_property
    def table(self) -> PairTable:
        """Counts of labels by pair of raters."""
        return PairTable.from_labels(self.setting.labels)

    def distance(self, name: str) -> Distance:
        """Distance that a coefficient uses; for alpha on an ordinal scale see alpha_ranks."""
        setting = self.setting
        if name in ("cohen_linear", "cohen_quadratic") and setting.numbers is not None:
            kind = "linear" if name == "cohen_linear" else "quadratic"
            return Distance(kind, setting.numbers)
        return setting.graded if name in ("alpha", "ac2") else setting.nominal

    def observed(self) -> dict[str, float]:
        """Values on the data themselves."""
        p = self.setting.patterns
        weight = p.multiplicity[None, :].astype(np.float64)
        found = {name: kernel(weight) for name, kernel in self.by_pattern.items()}
        if self.by_pair:
            counts = self.table.count[None, :]
            found |= {name: _mean(kernel(counts)) for name, kernel in self.by_pair.items()}
        if "icc2k" in self.names:
            found["icc2k"] = self._icc2k(np.ones((1, len(p.items))))
        return {name: float(found[name][0]) for name in self.names}

    def bootstrap(
        self, draws: int, rng: np.random.Generator, *, leave_out: Collection[str] = ()
    ) -> dict[str, Floats]:
        """Values on `draws` resamples of items, the same for all coefficients but some."""
        p = self.setting.patterns
        names = [name for name in self.names if name not in leave_out]
        # Coefficients of patterns and of raters go through the same draws one after the other,
        # each in blocks of a size that suits it.
        seed, item_seed = rng.integers(2**63, size=2).tolist()
        parts: dict[str, list[Floats]] = {name: [] for name in names}
        by_pattern = {name: self.by_pattern[name] for name in names if name in self.by_pattern}
        if by_pattern:
            block = _block(len(p), p.n_labels)
            for drawn in resample(p.multiplicity, draws, np.random.default_rng(seed), block=block):
                for name, kernel in by_pattern.items():
                    parts[name].append(kernel(drawn))
        if by_item := [name for name in names if name in BY_RATER]:
            within = np.random.default_rng(item_seed)
            block = self._item_block(by_item)
            for drawn in resample(p.multiplicity, draws, np.random.default_rng(seed), block=block):
                items = item_weights(p, drawn, within)
                for name, values in self._of_items(items, by_item).items():
                    parts[name].append(values)
        return {name: np.concatenate(part or [np.zeros(0)]) for name, part in parts.items()}

    def subsets(self, sizes: list[int], order: Ints) -> dict[str, Floats]:
        """Values on the first so many items of an order, for each of `sizes`: (sizes,)."""
        p = self.setting.patterns
        by_item = [name for name in self.names if name in BY_RATER]
        weight = np.zeros((len(sizes), len(p.items)))
        patterns = np.empty((len(sizes), len(p)))
        for taken, row, size in zip(weight, patterns, sizes, strict=True):
            taken[order[:size]] = 1
            row[:] = np.bincount(p.pattern, weights=taken, minlength=len(p))
        found = {name: kernel(patterns) for name, kernel in self.by_pattern.items()}
        return found | self._of_items(weight, by_item)

    def _of_items(self, items: Floats, names: Collection[str]) -> dict[str, Floats]:
        """Values of coefficients of raters for (draws, items) weights."""
        found: dict[str, Floats] = {}
        if by_pair := [name for name in names if name in BY_PAIR]:
            counts = self._cells(items)
            found = {name: _mean(self.by_pair[name](counts)) for name in by_pair}
        if "icc2k" in names:
            found["icc2k"] = self._icc2k(items)
        return found

    def _item_block(self, names: Collection[str]) -> int:
        cells = 4 * len(self.table.key) if set(names) & set(BY_PAIR) else 0
        return _block(len(self.setting.patterns.items), len(self.setting.labels.raters), cells)

    @cached_property
    def _cells(self) -> Kernel:
        return self.table.cells()

    @cached_property
    def _icc2k(self) -> Kernel:
        labels, numbers = self.setting.labels, self.setting.numbers
        values = np.zeros(len(labels.scale)) if numbers is None else numbers
        return icc2k(
            labels.item,
            labels.rater,
            values[labels.label],
            items=len(labels.items),
            raters=len(labels.raters),
        )

    def _kernel(self, name: str) -> Kernel:
        setting, p = self.setting, self.setting.patterns
        if name == "percent":
            return percent(p)
        if name == "fleiss":
            return fleiss(p)
        if name in ("ac1", "ac2"):
            return gwet(p, self.distance(name))
        if name == "alpha":
            return alpha_ranks(p) if setting.scale == "ordinal" else alpha(p, self.distance(name))
        return icc1(p, np.zeros(p.n_labels) if setting.numbers is None else setting.numbers)

    def _pairs(self, name: str) -> Kernel:
        return kappas(self.table, self.distance(name), pooled=name == "scott")


def _block(*widths: int) -> int:
    """Draws to take at once."""
    return max(1, BLOCK // max(widths))


def _mean(values: Floats) -> Floats:
    """Mean over pairs that have a value; NaN where none has."""
    known = ~np.isnan(values)
    n = known.sum(axis=1)
    total = np.where(known, values, 0.0).sum(axis=1)
    return np.where(n > 0, total / np.maximum(n, 1), np.nan)

"""Reliability: whether raters give a label as often as a classifier says they do."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from headcount.equivalence.surveys.base import Design
from headcount.equivalence.surveys.many_items import is_many
from headcount.stats.grouping import counted, group_rows
from headcount.stats.repeated import repeated_quantiles
from headcount.typing import Codes, Floats

__all__ = ["Reliability", "reliabilities"]

BINS = 10
FEW = 20
"""Probabilities with at most so many different values, to .01, are compared value by value."""
STEP = 2.0**-14
"""Steps of probabilities that are told apart, of very many items."""


@dataclass(frozen=True, kw_only=True)
class Reliability:
    """How often raters give a label, among items where a classifier gives it some probability.

    Parameters
    ----------
    name : str
        The classifier.
    label : str
        The label looked at; "any label" where there are more than two.
    predicted, observed : tuple of float
        Mean probability, and share of raters, in each bin.
    error : tuple of float
        Standard error of the share, over items.
    items : tuple of int
        Items in each bin.
    """

    name: str
    label: str
    predicted: tuple[float, ...]
    observed: tuple[float, ...]
    error: tuple[float, ...]
    items: tuple[int, ...]

    def to_dict(self) -> dict[str, Any]:
        """Return the JSON form."""
        return {
            "name": self.name,
            "label": self.label,
            "bins": [
                {"predicted": p, "observed": o, "error": e, "items": n}
                for p, o, e, n in zip(
                    self.predicted, self.observed, self.error, self.items, strict=True
                )
            ],
        }


def reliabilities(
    design: Design, labels: tuple[str, ...], positive: str | None
) -> tuple[Reliability, ...]:
    """Bin the probabilities of soft classifiers into tenths, and compare with the shares of raters.

    With two labels, or a positive one, that label; else all labels together, each against the
    rest. O(items log items); of very many items O(items), probabilities in steps of
    :data:`STEP`.
    """
    soft = [(i, c.name) for i, c in enumerate(design.classifiers) if c.kind == "soft"]
    chosen = positive if positive is not None else labels[1] if len(labels) == 2 else None
    columns = (
        slice(None) if chosen is None else slice(labels.index(chosen), labels.index(chosen) + 1)
    )
    name = "any label" if chosen is None else chosen
    if not is_many(design.items):
        found = [
            _each(design.classifiers[i].probability, design.reference, columns, design.weight)
            for i, _ in soft
        ]
    else:
        found = _steps(design, [i for i, _ in soft], columns)
    return tuple(_binned(one, name, each) for (_, one), each in zip(soft, found, strict=True))


@dataclass(frozen=True, eq=False)
class _Shares:
    """Probabilities, shares of raters and their squares, of so many items each."""

    predicted: Floats
    share: Floats
    square: Floats
    items: Floats


def _each(probability: Floats, reference: Floats, columns: slice, weight: Codes | None) -> _Shares:
    """Put rows of which the same is said and predicted together."""
    p, share = probability[:, columns], reference[:, columns]
    first, cell = group_rows([p.ravel(), share.ravel()])
    each = counted(cell, None if weight is None else np.repeat(weight, p.shape[1]))
    share = share.ravel()[first]
    return _Shares(p.ravel()[first], share, share**2, each.astype(np.float64))


def _steps(design: Design, places: list[int], columns: slice) -> list[_Shares]:
    """Put items together of which about the same is predicted: in one pass, a block at a time."""
    reference = design.by_pattern()[:, columns]
    size = int(1 / STEP) + 1
    sums = np.zeros((len(places), 4, size))
    for block in design.blocks():
        share = reference[block.pattern]
        weight = np.repeat(block.weight, share.shape[1])
        for total, i in zip(sums, places, strict=True):
            p = block.probability[i][:, columns].ravel()
            step = (p / STEP).astype(np.intp)
            values = (p, share.ravel(), share.ravel() ** 2, np.ones(len(p)))
            for row, value in zip(total, values, strict=True):
                row += np.bincount(step, weight * value, size)
    return [_Shares(*(row[each[3] > 0] for row in _means(each))) for each in sums]


def _means(sums: Floats) -> tuple[Floats, Floats, Floats, Floats]:
    n = np.maximum(sums[3], 1)
    return sums[0] / n, sums[1] / n, sums[2] / n, sums[3]


def _binned(name: str, label: str, each: _Shares) -> Reliability:
    """Compare probabilities with shares value by value where they are few, else in tenths."""
    p, items = each.predicted, each.items
    # Calibrated in parts, one value becomes ten that hardly differ: they are one bin.
    values, group = np.unique(np.round(p, 2), return_inverse=True)
    if len(values) > FEW:
        edges = repeated_quantiles(p, np.linspace(0, 1, BINS + 1)[1:-1], items)
        _, group = np.unique(np.searchsorted(edges, p, side="right"), return_inverse=True)
    n = np.bincount(group, items)
    predicted, observed, square = (
        np.bincount(group, items * x) / n for x in (p, each.share, each.square)
    )
    spread = np.maximum(square - observed**2, 0)
    return Reliability(
        name=name,
        label=label,
        predicted=tuple(predicted.tolist()),
        observed=tuple(observed.tolist()),
        error=tuple(np.sqrt(spread / np.maximum(n - 1, 1)).tolist()),
        items=tuple(n.astype(np.int64).tolist()),
    )

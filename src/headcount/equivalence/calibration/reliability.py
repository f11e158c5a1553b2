"""Reliability: whether raters give a label as often as a classifier says they do."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from headcount.data.classifiers import Classifier
from headcount.stats.grouping import counted, group_rows
from headcount.stats.repeated import repeated_quantiles
from headcount.typing import Codes, Floats

__all__ = ["Reliability", "reliability"]

BINS = 10
FEW = 20
"""Probabilities with at most so many different values, to .01, are compared value by value."""


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


def reliability(
    classifier: Classifier,
    reference: Floats,
    labels: tuple[str, ...],
    positive: str | None,
    weight: Codes | None = None,
) -> Reliability:
    """Bin a classifier's probabilities into tenths, and compare with the shares of raters.

    With two labels, or a positive one, that label; else all labels together, each against the
    rest. A row stands for so many items as its weight says. O(items log items).
    """
    if positive is not None or len(labels) == 2:
        name = positive if positive is not None else labels[1]
        column = labels.index(name)
        p, share = classifier.probability[:, column], reference[:, column]
    else:
        name, p, share = "any label", classifier.probability.ravel(), reference.ravel()
        weight = None if weight is None else np.repeat(weight, len(labels))
    first, cell = group_rows([p, share])
    p, share, each = p[first], share[first], counted(cell, weight).astype(np.float64)
    # Calibrated in parts, one value becomes ten that hardly differ: they are one bin.
    values, group = np.unique(np.round(p, 2), return_inverse=True)
    if len(values) > FEW:
        edges = repeated_quantiles(p, np.linspace(0, 1, BINS + 1)[1:-1], each)
        _, group = np.unique(np.searchsorted(edges, p, side="right"), return_inverse=True)
    n = np.bincount(group, each)
    predicted, observed = (np.bincount(group, each * x) / n for x in (p, share))
    spread = np.maximum(np.bincount(group, each * share**2) / n - observed**2, 0)
    return Reliability(
        name=classifier.name,
        label=name,
        predicted=tuple(predicted.tolist()),
        observed=tuple(observed.tolist()),
        error=tuple(np.sqrt(spread / np.maximum(n - 1, 1)).tolist()),
        items=tuple(n.astype(np.int64).tolist()),
    )

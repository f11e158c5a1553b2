"""Metrics of classifiers, as ratios of sums over a table of truth and vote."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from headcount.errors import unknown_name
from headcount.typing import Floats

__all__ = ["METRICS", "Metrics", "choose_metrics"]

METRICS = ("accuracy", "precision", "recall", "specificity", "f1")


@dataclass(frozen=True, eq=False)
class Metrics:
    r"""Metrics :math:`\frac1C \sum_c \langle N_c, T \rangle / \langle D_c, T \rangle`.

    `T[i, j]` is the number of items (their expected number, where truth is uncertain) whose true
    label is i and to which the classifier gives j. One class c counts where a label is positive,
    else every label in turn counts as the positive one (macro average).

    Parameters
    ----------
    names : tuple of str
    labels : tuple of str
    positive : int or None
        The positive label, or None for macro averages.
    numerator, denominator : (metrics, classes, labels, labels) arrays
        N and D.
    """

    names: tuple[str, ...]
    labels: tuple[str, ...]
    positive: int | None
    numerator: Floats
    denominator: Floats

    def ratios(self, tables: Floats) -> Floats:
        """Each class's ratio, (..., metrics, classes); nan where it is 0 / 0.

        `tables` are (..., labels, labels).
        """
        top = np.einsum("mcij,...ij->...mc", self.numerator, tables)
        bottom = np.einsum("mcij,...ij->...mc", self.denominator, tables)
        # A sum of weights that cancel may miss 0 by rounding.
        empty = bottom <= 1e-12 * (1 + np.abs(tables).sum(axis=(-1, -2))[..., None, None])
        return np.divide(top, bottom, out=np.full_like(top, np.nan), where=~empty)

    def counted(self, ratios: Floats) -> NDArray[np.int64]:
        """Classes that each metric is the mean over, (..., metrics); 0 where it is undefined."""
        known = ~np.isnan(ratios)
        number = known.sum(axis=-1)
        if self.positive is None and "precision" in self.names:
            place = self.names.index("precision")
            number[..., place] = np.where(number[..., place] > 0, ratios.shape[-1], 0)
        return number

    def scores(self, tables: Floats) -> Floats:
        """Each metric, (..., metrics); nan where it is undefined.

        In a macro average a label that the classifier never gives has precision 0, and one that
        is never true is left out.
        """
        ratio = self.ratios(tables)
        number = self.counted(ratio)
        total = np.nansum(ratio, axis=-1)
        return np.divide(total, number, out=np.full_like(total, np.nan), where=number > 0)


def choose_metrics(
    labels: Sequence[str], *, names: Sequence[str] = METRICS, positive: str | None = None
) -> Metrics:
    """Make metrics by name.

    Parameters
    ----------
    labels : sequence of str
        The labels, in order.
    names : sequence of str
        accuracy, precision, recall, specificity, f1.
    positive : str, optional
        The positive label. Default: the second of two labels; macro averages with more.

    Examples
    --------
    >>> metrics = choose_metrics(["no", "yes"])
    >>> metrics.scores(np.array([[50, 10], [5, 35]])).round(3)
    array([0.85 , 0.778, 0.875, 0.833, 0.824])
    """
    size = len(labels)
    if positive is not None and positive not in labels:
        raise unknown_name("positive label", positive, list(labels))
    code = labels.index(positive) if positive is not None else 1 if size == 2 else None
    classes = list(range(size)) if code is None else [code]
    tops = np.zeros((len(names), len(classes), size, size))
    bottoms = np.zeros_like(tops)
    for m, name in enumerate(names):
        if name not in METRICS:
            raise unknown_name("metric", name, METRICS)
        for c, label in enumerate(classes):
            is_true = np.zeros((size, size))
            is_true[label] = 1
            is_said = is_true.T
            hit = is_true * is_said
            top, bottom = {
                "accuracy": (np.eye(size), np.ones((size, size))),
                "precision": (hit, is_said),
                "recall": (hit, is_true),
                "specificity": ((1 - is_true) * (1 - is_said), 1 - is_true),
                "f1": (2 * hit, is_true + is_said),
            }[name]
            tops[m, c], bottoms[m, c] = top, bottom
    return Metrics(tuple(names), tuple(labels), code, tops, bottoms)

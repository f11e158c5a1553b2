"""Metrics of classifiers, as ratios of sums over a table of truth and vote."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from headcount import options
from headcount.errors import OptionError, option, unknown_name
from headcount.stats.intervals.beta import share_interval
from headcount.typing import Codes, Floats

__all__ = ["METRICS", "Metric", "Metrics", "Quality", "choose_metrics", "head_of"]

Terms = Callable[[Floats, Floats], tuple[Floats, Floats]]
"""From what is true and what is said, (labels, labels) of 0 and 1, to numerator and denominator."""

Quality = Callable[[Floats, Floats, float, float], Floats]
"""How good a truth is: by true and false positives, of so many positive and negative items."""


@dataclass(frozen=True)
class Metric:
    """One metric.

    Parameters
    ----------
    name : str
    head : str
        Heads its column in a table.
    terms : callable
        Which cells of a table its numerator and denominator count, for one positive label.
    quality : callable
        What is tuned in its place where a truth is calibrated. Alone, recall is best if all items
        are positive, specificity if none is, and precision if very few are; this leans towards
        the metric, but has its best value in between.
    of_calls : bool
        Whether it is a share of what a classifier says; a label never given then counts as 0.
    by_label : bool
        Whether it looks at one label against the others; accuracy does not.
    of_union : bool
        Whether it is F1, which is no share of items, but grows with one: Jaccard's, of the items
        that are or are called positive those that are both.
    """

    name: str
    head: str
    terms: Terms
    quality: Quality
    of_calls: bool = False
    by_label: bool = True
    of_union: bool = False


def _accuracy(hit: Floats, false: Floats, positive: float, negative: float) -> Floats:
    return (hit + negative - false) / (positive + negative)


def _f_half(hit: Floats, false: Floats, positive: float, _: float) -> Floats:
    return 5 * hit / (4 * hit + 4 * false + positive)


def _f1(hit: Floats, false: Floats, positive: float, _: float) -> Floats:
    return 2 * hit / (hit + false + positive)


def _f1_of_negative(hit: Floats, false: Floats, positive: float, negative: float) -> Floats:
    return _f1(negative - false, positive - hit, negative, positive)


KINDS: dict[str, Metric] = {
    kind.name: kind
    for kind in (
        Metric(
            "accuracy",
            "ACC",
            lambda t, s: (np.eye(len(t)), np.ones_like(t)),
            _accuracy,
            by_label=False,
        ),
        Metric("precision", "PRE", lambda t, s: (t * s, s), _f_half, of_calls=True),
        Metric("recall", "REC", lambda t, s: (t * s, t), _f1),
        Metric("specificity", "SPE", lambda t, s: ((1 - t) * (1 - s), 1 - t), _f1_of_negative),
        Metric("f1", "F1", lambda t, s: (2 * t * s, t + s), _f1, of_union=True),
    )
}
METRICS = tuple(KINDS)
"""Their names. Quality is accuracy for accuracy, F1 for recall and F1, F1 of the negative label for
specificity, and F 1/2, which weighs it above recall, for precision."""


MANY_CELLS = 10**6
"""Cells of tables from which on products of matrices add them up, which are faster."""


def _sums(chosen: Floats, tables: Floats) -> Floats:
    """Sum of the chosen cells of tables, (..., labels, labels): (..., metrics, classes)."""
    if tables.ndim < 4 or tables.size < MANY_CELLS:
        return np.einsum("mcij,...ij->...mc", chosen, tables)
    flat = chosen.reshape(-1, chosen.shape[-1] ** 2).T
    out = np.empty((*tables.shape[:-2], *chosen.shape[:2]))
    for part, place in zip(tables, out, strict=True):
        place[:] = (part.reshape(-1, len(flat)) @ flat).reshape(place.shape)
    return out


@dataclass(frozen=True, eq=False)
class Metrics:
    r"""Metrics :math:`\frac1C \sum_c \langle N_c, T \rangle / \langle D_c, T \rangle`.

    `T[i, j]` is the number of items (their expected number, where truth is uncertain) whose true
    label is i and to which the classifier gives j. One class c counts where a label is positive,
    else every label in turn counts as the positive one (macro average).

    Parameters
    ----------
    kinds : tuple of Metric
    labels : tuple of str
    positive : int or None
        The positive label, or None for macro averages.
    numerator, denominator : (metrics, classes, labels, labels) arrays
        N and D.
    """

    kinds: tuple[Metric, ...]
    labels: tuple[str, ...]
    positive: int | None
    numerator: Floats
    denominator: Floats

    @property
    def names(self) -> tuple[str, ...]:
        """Names of the metrics."""
        return tuple(kind.name for kind in self.kinds)

    def ratios(self, tables: Floats) -> Floats:
        """Each class's ratio, (..., metrics, classes); nan where it is 0 / 0.

        `tables` are (..., labels, labels).
        """
        top, bottom = (_sums(part, tables) for part in (self.numerator, self.denominator))
        # A sum of weights that cancel may miss 0 by rounding.
        empty = bottom <= 1e-12 * (1 + np.abs(tables).sum(axis=(-1, -2))[..., None, None])
        return np.divide(top, bottom, out=np.full_like(top, np.nan), where=~empty)

    def counted(self, ratios: Floats) -> Codes:
        """Classes that each metric is the mean over, (..., metrics); 0 where it is undefined."""
        number = (~np.isnan(ratios)).sum(axis=-1)
        if self.positive is None:
            for m, kind in enumerate(self.kinds):
                if kind.of_calls:
                    number[..., m] = np.where(number[..., m] > 0, ratios.shape[-1], 0)
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

    def interval(
        self, m: int, value: Floats | float, size: Floats | float, level: float
    ) -> tuple[Floats, Floats]:
        """Interval of scores by metric `m` that so many independent items tell as well.

        F1 of one label is :math:`2 J / (1 + J)` of Jaccard's share J, whose interval is mapped.
        """
        union = self.positive is not None and self.kinds[m].of_union
        share = np.clip(value, 0, 1)
        low, high = share_interval(share / (2 - share) if union else share, size, level)
        if union:
            low, high = 2 * low / (1 + low), 2 * high / (1 + high)
        return np.minimum(low, share), np.maximum(high, share)


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
    wanted = options.several_of(names, "metrics", METRICS, "metric")
    if not wanted:
        raise OptionError(
            f"{option('metrics')} must name one metric or more: {', '.join(METRICS)}."
        )
    kinds = tuple(KINDS[name] for name in wanted)
    size = len(labels)
    if positive is not None and positive not in labels:
        raise unknown_name("positive label", positive, list(labels), option_name="positive")
    code = labels.index(positive) if positive is not None else 1 if size == 2 else None
    classes = list(range(size)) if code is None else [code]
    numerator = np.zeros((len(kinds), len(classes), size, size))
    denominator = np.zeros_like(numerator)
    for m, kind in enumerate(kinds):
        for c, label in enumerate(classes):
            is_true = np.zeros((size, size))
            is_true[label] = 1
            numerator[m, c], denominator[m, c] = kind.terms(is_true, is_true.T)
    return Metrics(
        kinds=kinds,
        labels=tuple(labels),
        positive=code,
        numerator=numerator,
        denominator=denominator,
    )


def head_of(name: str) -> str:
    """Say what heads the column of a metric in a table."""
    return KINDS[name].head if name in KINDS else name

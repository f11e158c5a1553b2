"""Bland and Altman's limits of agreement of two raters."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np

from headcount.agreement.prepare import Prepared
from headcount.stats.estimate import Estimate
from headcount.stats.intervals.from_error import STUDENT
from headcount.typing import Floats, Ints

__all__ = ["LimitsOfAgreement", "limits_of_agreement"]

LEAST_ITEMS = 3
"""Items that two raters share, at least, for limits of their differences."""
WITHIN = 1.959963984540054
"""Standard deviations within which 95% of normal differences lie."""


@dataclass(frozen=True, kw_only=True)
class LimitsOfAgreement:
    """How two raters differ: a less b, on the items that both rated.

    Parameters
    ----------
    a, b : str or int
        The raters.
    items : int
        That both rated.
    bias : Estimate
        Mean difference.
    lower, upper : Estimate
        Limits of agreement, between which 95% of the differences lie if they are normal.
    mean, difference : (items,) arrays
        Of the two ratings of each item; of equal ones once, where `times` says how often.
    times : (items,) array or None
        Items that each stands for; None: one.
    """

    a: str | int
    b: str | int
    items: int
    bias: Estimate
    lower: Estimate
    upper: Estimate
    mean: Floats = field(repr=False)
    difference: Floats = field(repr=False)
    times: Floats | None = field(default=None, repr=False)

    @property
    def rows(self) -> dict[str, Estimate]:
        """The three, by what they are called."""
        return {
            "mean difference": self.bias,
            "lower limit of agreement": self.lower,
            "upper limit of agreement": self.upper,
        }

    def to_dict(self) -> dict[str, Any]:
        """Return the JSON form."""
        return {
            "a": self.a,
            "b": self.b,
            "items": self.items,
            "bias": self.bias.to_dict(),
            "lower": self.lower.to_dict(),
            "upper": self.upper.to_dict(),
        }


def limits_of_agreement(data: Prepared, level: float) -> LimitsOfAgreement | None:
    r"""Find the limits of two raters on a scale of numbers; None for others.

    With differences d of n items, of mean :math:`\bar d` and standard deviation s, the limits are
    :math:`\bar d \pm 1.96 s`. Standard errors are :math:`s / \sqrt n` of the mean and
    :math:`s \sqrt{1/n + 1.96^2 / (2 (n - 1))}` of a limit; intervals are Student's, with n - 1
    degrees of freedom.

    References
    ----------
    Bland and Altman (1999), "Measuring agreement in method comparison studies".
    """
    labels = data.labels
    raters = np.unique(labels.rater)
    if not _of_two(data):
        return None
    table, times = _counted(data, raters) if labels.reduced else (_both(data, raters), None)
    n = len(table) if times is None else int(times.sum())
    if n < LEAST_ITEMS:
        return None
    difference = table[:, 0] - table[:, 1]
    mean = float(np.average(difference, weights=times))
    square = float(np.average(np.square(difference - mean), weights=times))
    sd = float(np.sqrt(square * n / (n - 1)))
    error = sd * float(np.sqrt(1 / n + WITHIN**2 / (2 * (n - 1))))

    def estimate(value: float, error: float) -> Estimate:
        return Estimate.from_error(value, error, level=level, method=STUDENT, n=n)

    names: list[str | int] = labels.raters[raters].tolist()
    return LimitsOfAgreement(
        a=names[0],
        b=names[1],
        items=n,
        bias=estimate(mean, sd / float(np.sqrt(n))),
        lower=estimate(mean - WITHIN * sd, error),
        upper=estimate(mean + WITHIN * sd, error),
        mean=table.mean(axis=1),
        difference=difference,
        times=times,
    )


def _of_two(data: Prepared) -> bool:
    """Whether ratings are numbers by two raters, who are told apart."""
    labels = data.labels
    known = not labels.anonymous and labels.counted_raters is None
    return known and data.scale.numeric and len(np.unique(labels.rater)) == 2


def _both(data: Prepared, raters: Ints) -> Floats:
    """Put the ratings of both side by side: (items that both rated, 2)."""
    labels = data.labels
    table = np.full((len(labels.items), 2), np.nan)
    table[labels.item, np.searchsorted(raters, labels.rater)] = data.numbers[labels.label]
    return table[~np.isnan(table).any(axis=1)]


def _counted(data: Prepared, raters: Ints) -> tuple[Floats, Floats]:
    """Do the same of ratings that were added up: different pairs, and items with each.

    Two ratings of an item by two raters are one of each, so that what one of them said tells what
    the other did.
    """
    labels = data.labels
    counts = labels.matrix()
    pairs = counts.sum(axis=1) == 2
    rows = np.flatnonzero(pairs[labels.item] & (labels.rater == raters[0]))
    rest = counts[labels.item[rows]]
    rest[np.arange(len(rows)), labels.label[rows]] -= 1
    table = data.numbers[np.stack([labels.label[rows], rest.argmax(axis=1)], axis=1)]
    times = np.ones(len(rows)) if labels.times is None else labels.times[rows]
    return table, times.astype(np.float64)

"""Grades: how far classifiers are off, where labels are numbers in order."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from headcount.blind_evaluation.scoring.tables import tables
from headcount.blind_evaluation.votes import Votes
from headcount.data.vocabulary import number_of
from headcount.stats.estimate import Estimate
from headcount.stats.intervals.beta import BY_GOLD, share_interval
from headcount.stats.intervals.from_error import STUDENT
from headcount.typing import Floats

__all__ = ["GRADES", "are_grades", "errors_by_tables", "grade_errors"]

GRADES = ("mean_absolute_error", "bias", "weighted_kappa")
UNSEEN = 2
"""Errors that an interval of bias allows for beside those that were seen."""


def grade_errors(
    votes: Votes, truth: Floats, level: float | None = None
) -> list[dict[str, Estimate]]:
    r"""How far each classifier is from the true grade: one entry a classifier.

    The mean of :math:`|y - t|`, the mean of :math:`y - t` (above 0 for one that grades too high),
    and Cohen's kappa with quadratic weights, of given grades y and true grades t. Empty where
    labels are not three numbers or more.

    A judge that makes no error on n items may still make one: with V the variance of a mean, n
    the items (of different weight: Kish's number), and u the largest error that the classifier
    made, or one grade, the mean absolute error is u times a share of

    .. math:: n_e = p_0 (1 - p_0) / (V / u^2 + n^{-2}) (z / t)^2, \quad
        p_0 = (n \theta + 1) / (n + 2)

    items; t is Student's quantile. Bias has his interval, of the variance
    :math:`V + (2 u / n)^2`. How often they hold is in docs/studies/blind_grades.md.

    Parameters
    ----------
    votes : Votes
    truth : (rows, labels) array
        Probabilities of the true label, or gold times how much an item counts; zeros where it is
        unknown.
    level : float, optional
        Of intervals, for gold: there are none if it is None.

    References
    ----------
    Cohen (1968), "Weighted kappa", Psychological Bulletin 70.
    """
    if not are_grades(votes.labels):
        return []
    weight = votes.multiplicity.astype(np.float64)
    squared = tables(votes, truth * votes.gold_weight[:, None], weight)
    return errors_by_tables(votes.labels, tables(votes, truth, weight), squared, level)


def are_grades(labels: Sequence[str]) -> bool:
    """Whether labels are three numbers or more."""
    return len(labels) > 2 and all(number_of(label) is not None for label in labels)


def errors_by_tables(
    labels: Sequence[str], counted: Floats, squared: Floats, level: float | None = None
) -> list[dict[str, Estimate]]:
    """Find the same from tables of truth and label, and of squared weights: one a classifier."""
    value = np.array([number_of(label) for label in labels], dtype=np.float64)
    apart = value - value[:, None]  # given less true: (true, given)
    return [
        {} if table.sum() < 2 else _errors(table, squares, apart, level)
        for table, squares in zip(counted, squared, strict=True)
    ]


def _errors(
    table: Floats, squares: Floats, apart: Floats, level: float | None
) -> dict[str, Estimate]:
    """Describe one classifier, by sums of weights and of their squares: (true, given)."""
    total = float(table.sum())
    expected = np.outer(table.sum(axis=1), table.sum(axis=0)) / total
    by_chance = float((expected * apart**2).sum())
    kappa = (
        Estimate(1 - float((table * apart**2).sum()) / by_chance)
        if by_chance > 0
        else Estimate(float("nan"), undefined="one grade only")
    )
    size, bias = (float((table * x).sum()) / total for x in (np.abs(apart), apart))
    found = (Estimate(size), Estimate(bias), kappa)
    n = total**2 / float(squares.sum())
    if level is not None and n >= 2:
        largest = float(np.abs(apart)[table > 0].max())
        unit = max(largest, float(np.abs(apart)[apart != 0].min()))

        def variance(x: Floats, mean: float) -> float:
            return float((squares * (x - mean) ** 2).sum()) / total**2 * n / (n - 1)

        found = (
            _size(size, variance(np.abs(apart), size), n, unit, level),
            _bias(bias, variance(apart, bias) + (UNSEEN * unit / n) ** 2, n, apart, level),
            kappa,
        )
    return dict(zip(GRADES, found, strict=True))


def _size(value: float, variance: float, n: float, unit: float, level: float) -> Estimate:
    """Add the interval of a mean absolute error, as of a share of the largest error."""
    from scipy import special  # pyright: ignore[reportMissingTypeStubs]

    normal: Any = special.ndtri  # pyright: ignore[reportUnknownMemberType]
    share = value / unit
    middle = (n * share + 1) / (n + 2)
    narrowed = (float(normal((1 + level) / 2)) / STUDENT.quantile(level, n)) ** 2
    size = middle * (1 - middle) / (variance / unit**2 + n**-2.0) * narrowed
    low, high = share_interval(share, size, level)
    return Estimate(
        value, low=float(low) * unit, high=float(high) * unit, level=level, method=BY_GOLD.name
    )


def _bias(value: float, variance: float, n: float, apart: Floats, level: float) -> Estimate:
    span = float(apart.max())
    error = float(np.sqrt(variance))
    return Estimate.from_error(value, error, level=level, method=STUDENT, n=n, limits=(-span, span))

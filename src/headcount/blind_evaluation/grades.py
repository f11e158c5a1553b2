"""Grades: how far classifiers are off, where labels are numbers in order."""

from __future__ import annotations

import numpy as np

from headcount.blind_evaluation.scoring.tables import tables
from headcount.blind_evaluation.votes import Votes
from headcount.data.vocabulary import number_of
from headcount.stats.estimate import Estimate
from headcount.stats.intervals.from_error import FIRST_ORDER
from headcount.typing import Floats

__all__ = ["GRADES", "grade_errors"]

GRADES = ("mean_absolute_error", "bias", "weighted_kappa")


def grade_errors(votes: Votes, truth: Floats, level: float) -> list[dict[str, Estimate]]:
    r"""How far each classifier is from the true grade: one entry a classifier.

    The mean of :math:`|y - t|`, the mean of :math:`y - t` (above 0 for one that grades too high),
    and Cohen's kappa with quadratic weights, of given grades y and true grades t. The true grade
    is known up to probabilities; intervals are normal, to first order, and take these as given.
    Empty where labels are not three numbers or more.

    Parameters
    ----------
    votes : Votes
    truth : (rows, labels) array
        Probabilities of the true label; zeros where it is unknown.
    level : float

    References
    ----------
    Cohen (1968), "Weighted kappa", Psychological Bulletin 70.
    """
    numbers = [number_of(label) for label in votes.labels]
    value = np.array([np.nan if x is None else x for x in numbers])
    if len(value) < 3 or np.isnan(value).any():
        return []
    apart = value - value[:, None]  # given less true: (true, given)
    weight = votes.multiplicity.astype(np.float64)
    return [
        {} if table.sum() < 2 else _errors(table, apart, level)
        for table in tables(votes, truth, weight)
    ]


def _errors(table: Floats, apart: Floats, level: float) -> dict[str, Estimate]:
    n = float(table.sum())

    def mean(x: Floats, least: float) -> Estimate:
        value = float((table * x).sum() / n)
        spread = float((table * (x - value) ** 2).sum() / n)
        error = float(np.sqrt(spread / (n - 1)))
        span = float(np.abs(apart).max())
        return Estimate.from_error(
            value, error, level=level, method=FIRST_ORDER, n=int(n), limits=(least, span)
        )

    expected = np.outer(table.sum(axis=1), table.sum(axis=0)) / n
    by_chance = float((expected * apart**2).sum())
    kappa = (
        Estimate(1 - float((table * apart**2).sum()) / by_chance)
        if by_chance > 0
        else Estimate(float("nan"), undefined="one grade only")
    )
    found = (mean(np.abs(apart), 0.0), mean(apart, -float(np.abs(apart).max())), kappa)
    return dict(zip(GRADES, found, strict=True))

r"""What a model of ties is: what a tie says, and what it adds to the likelihood.

The log-likelihood of a comparison depends on the log odds :math:`\eta` and, in two of the models,
on a parameter of ties, whose logarithm is called the cut. The compiled kernel knows each model by
its code.
"""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from typing import ClassVar

import numpy as np

from headcount.typing import Floats

__all__ = ["TieModel", "logistic", "logistics"]


class TieModel(ABC):
    """What a tie says of two items.

    A model with a parameter has finite ratings only if, beside what ratings need, no direction is
    left in which the cut grows and no answer gets less likely: in nearly all data because some wins
    go round in a circle
    (see :func:`~headcount.pairwise.bradley_terry.likelihood.existence.refuse_runaway`).

    Attributes
    ----------
    name : str
    title : str
        In words.
    code : int
        By which the kernel knows its likelihood: one of
        :mod:`~headcount.pairwise.bradley_terry.ties.codes`.
    parameter : str
        What its parameter is called; "" for a model without one.
    without_ties : float
        Value of the parameter where there are no ties.
    """

    name: str
    title: ClassVar[str]
    code: ClassVar[int]
    parameter: ClassVar[str] = ""
    without_ties: ClassVar[float] = math.nan

    @property
    def has_cut(self) -> bool:
        """Whether ties have a parameter, which is fitted."""
        return bool(self.parameter)

    @abstractmethod
    def start(self, share: float) -> float:
        """Return the cut at which equal items tie with probability `share`."""

    @abstractmethod
    def win_probability(self, gap: float, parameter: float) -> float:
        """Return the probability of a win from a difference in ratings.

        `parameter` is that of ties, if the model has one.
        """

    @abstractmethod
    def scores(self, eta: Floats, cut: float, outcome: Floats) -> tuple[Floats, Floats]:
        """Differentiate the log-likelihood of single comparisons, by log odds and by the cut.

        `outcome` is the share of the point that the left item got.
        """

    @abstractmethod
    def probabilities(self, eta: Floats, cut: float) -> tuple[Floats, Floats, Floats]:
        """Return the probabilities that the left item wins, ties and loses."""

    def information(self, eta: Floats, cut: float) -> Floats:
        """Return what a comparison is expected to tell of its log odds: the mean square score."""
        shares = zip(self.probabilities(eta, cut), (1.0, 0.5, 0.0), strict=True)
        return sum(
            (p * self.scores(eta, cut, np.full(len(eta), y))[0] ** 2 for p, y in shares),
            start=np.zeros(len(eta)),
        )

    def longest_step(self, cut: float, step: float) -> float:
        """Return the longest part of a step of the cut that stays where the model is defined."""
        del cut, step
        return 1.0


def logistics(x: Floats) -> Floats:
    """Return the logistic function of an array."""
    return 0.5 * (1 + np.tanh(x / 2))


def logistic(x: float) -> float:
    """Return the logistic function."""
    return 0.5 * (1 + math.tanh(x / 2))

r"""Models of ties, one class each: what a tie says, and what it adds to the likelihood.

The log-likelihood of a comparison depends on the log odds :math:`\eta` and, in two of the models,
on a parameter of ties, whose logarithm is called the cut. The compiled kernel knows each model by
its code.
"""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from typing import Any, ClassVar

import numpy as np

from headcount.data.comparisons import Comparisons
from headcount.errors import DataError, OptionError, count, option
from headcount.pairwise.bradley_terry import tie_codes
from headcount.pairwise.kinds import choose

__all__ = ["DAVIDSON", "HALF", "RAO_KUPPER", "TIES", "TieModel", "tie_model"]


class TieModel(ABC):
    """What a tie says of two items.

    A model with a parameter has finite ratings only if, beside what ratings need, no direction is
    left in which the cut grows and no answer gets less likely: in nearly all data because some wins
    go round in a circle (see :func:`~headcount.pairwise.bradley_terry.existence.refuse_runaway`).

    Attributes
    ----------
    name : str
    title : str
        In words.
    code : int
        By which the kernel knows its likelihood: one of
        :mod:`~headcount.pairwise.bradley_terry.tie_codes`.
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

    def longest_step(self, cut: float, step: float) -> float:
        """Return the longest part of a step of the cut that stays where the model is defined."""
        del cut, step
        return 1.0

    def check(self, comparisons: Comparisons) -> None:
        """Refuse outcomes that the model has no probability for."""
        if not self.has_cut:
            return
        between = ~np.isin(comparisons.outcome, (0.0, 0.5, 1.0))
        asked, instead = option("ties", self.name), option("ties", HALF.name)
        if between.any():
            raise DataError(
                f"{comparisons.source}: outcome {comparisons.outcome[between][0]:g} is neither a "
                f"win nor a tie ({count(int(between.sum()), 'comparison')} like it), but {asked} "
                f"knows nothing else. Use {instead}."
            )
        if (comparisons.outcome == 0.5).all():
            raise DataError(
                f"{comparisons.source}: every comparison is a tie, which {asked} cannot rate. "
                f"Use {instead}."
            )


class Half(TieModel):
    r"""A tie is half a win for either; so is any other share of the point.

    .. math:: P(l \succ r) = \frac{1}{1 + e^{-\eta}}
    """

    name = "half"
    title = "half a win for either"
    code = tie_codes.HALF

    def start(self, share: float) -> float:
        """Return 0: there is no cut."""
        del share
        return 0.0

    def win_probability(self, gap: float, parameter: float = math.nan) -> float:
        """Return the logistic function of the gap."""
        del parameter
        return _logistic(gap)


class Davidson(TieModel):
    r"""Ties are the likelier the closer the items, with a parameter :math:`\nu`.

    .. math:: P(l) : P(r) : P(\text{tie}) = e^{\eta/2} : e^{-\eta/2} : \nu

    References
    ----------
    Davidson (1970), On extending the Bradley-Terry model to accommodate ties in paired comparison
    experiments, JASA 65.

    Examples
    --------
    >>> round(DAVIDSON.win_probability(0.0, parameter=1.0), 4)
    0.3333
    """

    name = "davidson"
    title = "Davidson's model"
    code = tie_codes.DAVIDSON
    parameter = "Davidson's nu"
    without_ties = 0.0

    def start(self, share: float) -> float:
        """Return log nu; ties have probability nu / (2 + nu) among equals."""
        return math.log(2 * share / (1 - share))

    def win_probability(self, gap: float, parameter: float) -> float:
        """Return the probability of a win, a tie being none."""
        rest = math.exp(-abs(gap) / 2)
        top = 1.0 if gap >= 0 else rest**2
        return top / (1 + rest**2 + parameter * rest)


class RaoKupper(TieModel):
    r"""A tie is a difference too small to see, with a threshold :math:`\log\theta`.

    .. math:: P(l) = \frac{1}{1 + \theta e^{-\eta}}, \quad
              P(r) = \frac{1}{1 + \theta e^{\eta}}, \quad \theta \ge 1

    References
    ----------
    Rao and Kupper (1967), Ties in paired-comparison experiments, JASA 62.

    Examples
    --------
    >>> round(RAO_KUPPER.win_probability(0.0, parameter=2.0), 4)
    0.3333
    """

    name = "rao-kupper"
    title = "Rao and Kupper's model"
    code = tie_codes.RAO_KUPPER
    parameter = "Rao and Kupper's theta"
    without_ties = 1.0

    def start(self, share: float) -> float:
        """Return log theta; ties have probability (theta - 1) / (theta + 1) among equals."""
        return 2 * math.atanh(share)

    def win_probability(self, gap: float, parameter: float) -> float:
        """Return the probability of a win, a tie being none."""
        return _logistic(gap - math.log(parameter))

    def longest_step(self, cut: float, step: float) -> float:
        """Keep log theta above 0."""
        return -0.9 * cut / step if cut + step <= 0 else 1.0


HALF = Half()
DAVIDSON = Davidson()
RAO_KUPPER = RaoKupper()
TIES: tuple[TieModel, ...] = (HALF, DAVIDSON, RAO_KUPPER)
"""All models of ties."""


def tie_model(value: Any) -> TieModel:
    """Find a model of ties by its name; a model itself is taken as it is.

    Examples
    --------
    >>> tie_model("davidson").parameter
    "Davidson's nu"
    """
    found = choose(value, TIES, TieModel, "ties")
    code = getattr(found, "code", None)
    like = next((model for model in TIES if code is not None and model.code == code), None)
    # The kernel would take any other code for one of its models, and return its numbers.
    if like is None or like.has_cut != found.has_cut:
        known = ", ".join(f"{model.code} ({model.name})" for model in TIES)
        parameter = "" if like is None else ", and has a parameter where that model has one"
        raise OptionError(
            f"{option('ties')}: '{found.name}' must have the code of a likelihood that the fit "
            f"knows{parameter}: {known}; not {code!r}."
        )
    return found


def _logistic(x: float) -> float:
    return 0.5 * (1 + math.tanh(x / 2))

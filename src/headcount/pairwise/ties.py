"""Models of ties: what a tie says, and what it adds to the likelihood."""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Sequence
from typing import Any, ClassVar, Protocol, TypeVar

import numpy as np

from headcount.data.comparisons import Comparisons
from headcount.errors import DataError, OptionError, count, option, unknown_name
from headcount.typing import Floats

__all__ = [
    "Named",
    "choose",
    "HALF_CODE",
    "DAVIDSON_CODE",
    "RAO_KUPPER_CODE",
    "CODES",
    "TieModel",
    "logistic",
    "Half",
    "HALF",
    "Davidson",
    "DAVIDSON",
    "RAO_KUPPER",
    "TIES",
    "tie_model",
    "check_outcomes",
]


# What comes in kinds: chosen by name from a list, or given as an object of one's own.


class Named(Protocol):
    """A kind: what it is called in options and JSON."""

    @property
    def name(self) -> str:
        """The name."""
        ...


Kind = TypeVar("Kind", bound=Named)


def choose(
    value: Any, kinds: Sequence[Kind], base: type[Kind], option_name: str, title: str = ""
) -> Kind:
    """Find a kind by its name; an object of the kind's base class is taken as it is.

    Parameters
    ----------
    value : str or object
        What the caller gave.
    kinds : sequence
        The kinds that have names.
    base : type
        The class that all of them extend.
    option_name : str
        The option that took it, for the error to carry.
    title : str
        What messages call the kind; the option's name if "".
    """
    if isinstance(value, base):
        return value
    for kind in kinds:
        if isinstance(value, str) and kind.name == value:
            return kind
    names = [kind.name for kind in kinds]
    raise unknown_name(title or option_name, value, names, option_name=option_name)


# Codes by which the compiled kernel knows the models of ties.
# They are not in the kernel's file, which needs numba, which takes long to import.

HALF_CODE = 0
DAVIDSON_CODE = 1
RAO_KUPPER_CODE = 2
CODES = (HALF_CODE, DAVIDSON_CODE, RAO_KUPPER_CODE)
"""All of them."""


# What a model of ties is: what a tie says, and what it adds to the likelihood.
#
# The log-likelihood of a comparison depends on the log odds :math:`\eta` and, in two of the models,
# on a parameter of ties, whose logarithm is called the cut. The compiled kernel knows each model by
# its code.


class TieModel(ABC):
    """What a tie says of two items.

    A model with a parameter has finite ratings only if, beside what ratings need, no direction is
    left in which the cut grows and no answer gets less likely: in nearly all data because some wins
    go round in a circle
    (see :func:`~headcount.pairwise.likelihood.refuse_runaway`).

    Attributes
    ----------
    name : str
    title : str
        In words.
    code : int
        By which the kernel knows its likelihood: one of
        :mod:`~headcount.pairwise.ties`.
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


class Half(TieModel):
    r"""A tie is half a win for either; so is any other share of the point.

    .. math:: P(l \succ r) = \frac{1}{1 + e^{-\eta}}
    """

    name = "half"
    title = "half a win for either"
    code = HALF_CODE

    def start(self, share: float) -> float:
        """Return 0: there is no cut."""
        del share
        return 0.0

    def win_probability(self, gap: float, parameter: float = math.nan) -> float:
        """Return the logistic function of the gap."""
        del parameter
        return logistic(gap)

    def scores(self, eta: Floats, cut: float, outcome: Floats) -> tuple[Floats, Floats]:
        """Return the share of the point less the share expected; nothing by the cut."""
        del cut
        return outcome - logistics(eta), np.zeros(len(eta))

    def information(self, eta: Floats, cut: float) -> Floats:
        """Return p (1 - p), in one step."""
        del cut
        win = logistics(eta)
        return win * (1 - win)

    def probabilities(self, eta: Floats, cut: float) -> tuple[Floats, Floats, Floats]:
        """Return the logistic function and what is left: ties have no probability of their own."""
        del cut
        win = logistics(eta)
        return win, np.zeros(len(eta)), 1 - win


HALF = Half()


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
    code = DAVIDSON_CODE
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

    def scores(self, eta: Floats, cut: float, outcome: Floats) -> tuple[Floats, Floats]:
        """Return half the point less half the lead expected, and ties less those expected."""
        win, tie, loss = self.probabilities(eta, cut)
        return outcome - 0.5 - (win - loss) / 2, (outcome == 0.5) - tie

    def probabilities(self, eta: Floats, cut: float) -> tuple[Floats, Floats, Floats]:
        """Return shares of e^(eta/2), nu and e^(-eta/2), without overflow."""
        logs = np.array([eta / 2, np.full(len(eta), cut), -eta / 2])
        win, tie, loss = np.exp(logs - logs.max(axis=0))
        total = win + tie + loss
        return win / total, tie / total, loss / total


DAVIDSON = Davidson()


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
    code = RAO_KUPPER_CODE
    parameter = "Rao and Kupper's theta"
    without_ties = 1.0

    def start(self, share: float) -> float:
        """Return log theta; ties have probability (theta - 1) / (theta + 1) among equals."""
        return 2 * math.atanh(share)

    def win_probability(self, gap: float, parameter: float) -> float:
        """Return the probability of a win, a tie being none."""
        return logistic(gap - math.log(parameter))

    def scores(self, eta: Floats, cut: float, outcome: Floats) -> tuple[Floats, Floats]:
        """Return the derivatives of log P(win), log P(loss) and log P(tie), as the outcome is."""
        up, down = logistics(cut - eta), logistics(cut + eta)
        tie, left = outcome == 0.5, outcome == 1.0
        by_eta = np.where(tie, up - down, np.where(left, up, -down))
        per_tie = 2 / -math.expm1(-2 * cut) if cut > 0 else math.inf
        by_cut = np.where(tie, per_tie - up - down, -np.where(left, up, down))
        return by_eta, by_cut

    def probabilities(self, eta: Floats, cut: float) -> tuple[Floats, Floats, Floats]:
        """Return the two logistic functions beyond the threshold, and what lies between."""
        win, loss = logistics(eta - cut), logistics(-eta - cut)
        return win, np.maximum(1 - win - loss, 0.0), loss

    def longest_step(self, cut: float, step: float) -> float:
        """Keep log theta above 0."""
        return -0.9 * cut / step if cut + step <= 0 else 1.0


RAO_KUPPER = RaoKupper()


# The models of ties, by name.

TIES: tuple[TieModel, ...] = (HALF, DAVIDSON, RAO_KUPPER)
"""All models; another one is a class of :class:`TieModel` with a code, listed here."""


def tie_model(value: Any) -> TieModel:
    """Find a model of ties by its name; a model itself is taken as it is.

    Examples
    --------
    >>> tie_model("davidson").parameter
    "Davidson's nu"
    """
    model = choose(value, TIES, TieModel, "ties")
    code = getattr(model, "code", None)
    like = next((other for other in TIES if code is not None and other.code == code), None)
    # The kernel would take any other code for one of its models, and return its numbers.
    if like is None or like.has_cut != model.has_cut:
        models = ", ".join(f"{other.code} ({other.name})" for other in TIES)
        parameter = "" if like is None else ", and has a parameter where that model has one"
        raise OptionError(
            f"{option('ties')}: '{model.name}' must have the code of a likelihood that the fit "
            f"knows{parameter}: {models}; not {code!r}."
        )
    return model


def check_outcomes(model: TieModel, comparisons: Comparisons) -> None:
    """Refuse outcomes that the model has no probability for."""
    if not model.has_cut:
        return
    between = ~np.isin(comparisons.outcome, (0.0, 0.5, 1.0))
    wanted, instead = option("ties", model.name), option("ties", HALF.name)
    if between.any():
        raise DataError(
            f"{comparisons.source}: outcome {comparisons.outcome[between][0]:g} is neither a "
            f"win nor a tie ({count(int(between.sum()), 'comparison')} like it), but {wanted} "
            f"knows nothing else. Use {instead}."
        )
    if (comparisons.outcome == 0.5).all():
        raise DataError(
            f"{comparisons.source}: every comparison is a tie, which {wanted} cannot rate. "
            f"Use {instead}."
        )

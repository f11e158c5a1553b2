"""What the scorers that come with the package have in common."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable

from headcount.data.scale import Scale
from headcount.equivalence.scorers.base import ANY, Group, Kind
from headcount.typing import Floats

__all__ = ["BuiltInScorer"]


class BuiltInScorer(ABC):
    """A scorer that says what it is called and what it takes in attributes of its class.

    Parameters
    ----------
    scale : Scale
    positive : int or None
        The label to look at, for scorers that look at one.

    Attributes
    ----------
    name, unit : str
    kinds : set of {"hard", "soft", "mean"}
        Kinds of prediction that it scores.
    unbounded : bool
        Whether probability 0 on a label that was given scores minus infinity.
    by_choice : bool
        Whether a soft prediction counts as its most probable label.
    in_bits : bool
        Whether scores are logarithms of probabilities, so that gains can be information.
    relative : bool
        Whether only differences between predictions count, however small.
    takes_positive : bool
        Whether it looks at one label if it is given one.
    needs_numbers : bool
        Whether labels must be numbers, or in order.
    calibrates : bool
        Whether a label is scored as a number with no more than its own risk, so that it is shown
        as probabilities besides.
    of_distributions : bool
        Whether it scores a whole distribution, so that a label by itself counts as certainty.
    same_kind : bool
        Whether labels score more than probabilities that tell as much, so that classifiers and
        surveys are only compared where both give the one or the other.
    unfair : str
        Why means are not scored, where that needs to be said.
    fairest : {"hard", "soft", "mean"} or None
        What surveys had best predict, where a classifier would else look better than it is.
    """

    name: str
    unit: str
    kinds: frozenset[Kind] = ANY
    unbounded: bool = False
    by_choice: bool = False
    in_bits: bool = False
    relative: bool = False
    takes_positive: bool = False
    needs_numbers: bool = False
    calibrates: bool = False
    of_distributions: bool = False
    same_kind: bool = False
    unfair: str = ""
    fairest: Kind | None = None

    @abstractmethod
    def __init__(self, scale: Scale, positive: int | None = None) -> None: ...

    @abstractmethod
    def bind(
        self, prediction: Floats, reference: Floats, kind: Kind, group: Group | None = None
    ) -> Callable[[Floats], Floats]:
        """Do what does not depend on weights; the answer scores weights (..., rows)."""

    @abstractmethod
    def score(
        self, prediction: Floats, reference: Floats, weight: Floats, kind: Kind = "soft"
    ) -> Floats:
        """Score tables with predictions (..., rows, labels) and weights (..., rows)."""

"""What a scorer is, and what kinds of prediction there are."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Literal, Protocol, runtime_checkable

from headcount.errors import OptionError, option
from headcount.typing import Floats, Ints

__all__ = ["ANY", "SOFT", "Group", "Kind", "OwnScorer", "Scorer", "most_probable"]

Kind = Literal["hard", "soft", "mean"]
"""What a prediction is: a label (chances of choosing each), probabilities, or a mean."""
Group = Ints
"""Rows that observed the same."""


@runtime_checkable
class Scorer(Protocol):
    """A way to score predictions against reference labels.

    Of a user's own scorer only `name`, `kinds` and `score` are asked for; the rest has defaults,
    see :class:`OwnScorer`.
    """

    @property
    def name(self) -> str:
        """What users call it."""
        ...

    @property
    def kinds(self) -> frozenset[Kind]:
        """Kinds of prediction that it scores."""
        ...

    @property
    def unit(self) -> str:
        """Unit of the score, for axes."""
        ...

    @property
    def unbounded(self) -> bool:
        """Whether probability 0 on a label that was given scores minus infinity."""
        ...

    @property
    def by_choice(self) -> bool:
        """Whether a soft prediction counts as its most probable label."""
        ...

    @property
    def in_bits(self) -> bool:
        """Whether scores are logarithms of probabilities, so that gains can be information."""
        ...

    def bind(
        self, prediction: Floats, reference: Floats, kind: Kind, group: Group | None = None
    ) -> Callable[[Floats], Floats]:
        """Do what does not depend on weights; the answer scores weights (..., rows).

        Rows of the same `group` have the same prediction but for the item that each leaves out.
        """
        ...

    def score(
        self, prediction: Floats, reference: Floats, weight: Floats, kind: Kind = "soft"
    ) -> Floats:
        """Score tables with predictions (..., rows, labels) and weights (..., rows)."""
        ...


ANY: frozenset[Kind] = frozenset({"hard", "soft"})
SOFT: frozenset[Kind] = frozenset({"soft"})


@dataclass(frozen=True)
class OwnScorer:
    """A user's own scorer, with defaults for what it does not say.

    Parameters
    ----------
    own : object
        With `name`, `kinds` and `score` as of :class:`Scorer`, and perhaps the rest of it.
    """

    own: Any

    def __post_init__(self) -> None:
        if not all(hasattr(self.own, part) for part in ("name", "kinds", "score")):
            raise OptionError(
                f"{option('scorer')} must be the name of a scorer, or an object with name, kinds "
                f"and score, not {type(self.own).__name__}."
            )

    @property
    def name(self) -> str:
        """What the user calls it."""
        return str(self.own.name)

    @property
    def kinds(self) -> frozenset[Kind]:
        """Kinds of prediction that it scores."""
        return frozenset(self.own.kinds)

    @property
    def unit(self) -> str:
        """Unit of the score; its name by default."""
        return str(getattr(self.own, "unit", self.name))

    @property
    def unbounded(self) -> bool:
        """Whether it can score minus infinity; not by default."""
        return bool(getattr(self.own, "unbounded", False))

    @property
    def by_choice(self) -> bool:
        """Whether it looks at the most probable label; not by default."""
        return bool(getattr(self.own, "by_choice", False))

    @property
    def in_bits(self) -> bool:
        """Whether scores are logarithms of probabilities; not by default."""
        return bool(getattr(self.own, "in_bits", False))

    def bind(
        self, prediction: Floats, reference: Floats, kind: Kind, group: Group | None = None
    ) -> Callable[[Floats], Floats]:
        """Bind as the user's scorer does; by default it scores anew."""
        if hasattr(self.own, "bind"):
            return self.own.bind(prediction, reference, kind, group)
        return lambda weight: self.score(prediction, reference, weight, kind)

    def score(
        self, prediction: Floats, reference: Floats, weight: Floats, kind: Kind = "soft"
    ) -> Floats:
        """Score as the user's scorer does."""
        return self.own.score(prediction, reference, weight, kind)


def most_probable(prediction: Floats) -> Floats:
    """Choose the most probable label of each row; labels that tie share the choice.

    Examples
    --------
    >>> import numpy as np
    >>> most_probable(np.array([[0.2, 0.4, 0.4], [0.1, 0.9, 0.0]]))
    array([[0. , 0.5, 0.5],
           [0. , 1. , 0. ]])
    """
    # A tie is one of probabilities that are equal but for rounding.
    top = prediction >= prediction.max(axis=-1, keepdims=True) - 1e-12
    return top / top.sum(axis=-1, keepdims=True)

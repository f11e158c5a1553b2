"""Combiners that users write: a function of counts, or an object that predicts from counts."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol, get_args, runtime_checkable

import numpy as np

from headcount.equivalence.combiners.base import FromCounts
from headcount.equivalence.scorers.base import Kind
from headcount.errors import OptionError, some
from headcount.typing import Codes, Floats

__all__ = ["FromFunction", "FromObject", "Predictor", "Written"]

Written = Callable[[dict[str, int]], str | Mapping[str, float]]
"""A function that takes a dict of counts and returns a label, or a dict of probabilities."""


@runtime_checkable
class Predictor(Protocol):
    """A combiner as an object: what it is called, what it predicts, and how."""

    @property
    def name(self) -> str:
        """What users call it."""
        ...

    @property
    def kind(self) -> Kind:
        """What it predicts: labels (hard), probabilities (soft) or a mean."""
        ...

    def predict(self, observed: Codes) -> Floats:
        """Predict from each row of label counts: a row of probabilities or of chances."""
        ...


@dataclass(frozen=True)
class FromObject(FromCounts):
    """A combiner that a user wrote as an object with `name`, `kind` and `predict`."""

    own: Predictor

    def __post_init__(self) -> None:
        if self.own.kind not in get_args(Kind):
            raise OptionError(
                f"combiner '{self.own.name}' is of kind '{self.own.kind}'; it must be "
                f"{' or '.join(get_args(Kind))}."
            )

    @property
    def name(self) -> str:
        """What the user calls it."""
        return self.own.name

    @property
    def kind(self) -> Kind:
        """What it predicts."""
        return self.own.kind

    def predict(self, observed: Codes) -> Floats:
        """Predict as the object does; an answer of another shape is an error."""
        predicted = np.asarray(self.own.predict(observed), dtype=np.float64)
        if predicted.shape != observed.shape:
            raise OptionError(
                f"combiner '{self.name}' predicted an array of shape {predicted.shape} from counts "
                f"of shape {observed.shape}; it must give one probability a label and row."
            )
        return predicted


@dataclass(frozen=True)
class FromFunction(FromCounts):
    """A combiner that a user wrote as a function of a dict of counts.

    What it predicts, labels or probabilities, is found by asking it about no rater.
    """

    function: Written
    labels: tuple[str, ...]

    @property
    def name(self) -> str:
        """Name of the function."""
        return getattr(self.function, "__name__", type(self.function).__name__)

    @property
    def kind(self) -> Kind:
        """What it returns after no rater."""
        return self._call([0] * len(self.labels))[0]

    def predict(self, observed: Codes) -> Floats:
        """Call the function for each row of label counts."""
        rows = [self._call([int(c) for c in counts]) for counts in observed]
        return np.array([row for _, row in rows])

    def _call(self, counts: Sequence[int]) -> tuple[Kind, list[float]]:
        labels = self.labels
        given = dict(zip(labels, counts, strict=True))
        answer = self.function(dict(given))
        if not isinstance(answer, Mapping):
            if answer not in labels:
                raise OptionError(
                    f"combiner '{self.name}' returned label '{answer}' for {given}; it must return "
                    f"one of {some(labels, 10)}, or a dict of their probabilities."
                )
            return "hard", [float(label == answer) for label in labels]
        probabilities = [float(answer.get(label, 0.0)) for label in labels]
        wrong = set(answer) - set(labels) or min(probabilities) < 0
        if wrong or abs(sum(probabilities) - 1) > 1e-6:
            raise OptionError(
                f"combiner '{self.name}' returned {dict(answer)} for {given}; it must return a "
                f"label, or a dict that gives {some(labels, 10)} probabilities that sum to 1."
            )
        return "soft", probabilities

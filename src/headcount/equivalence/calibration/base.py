"""What a calibration is, and the imaginary item that keeps its probabilities above 0."""

from __future__ import annotations

from typing import Any, Protocol, runtime_checkable

from headcount.errors import ExtraError
from headcount.typing import Floats

__all__ = ["Calibration", "base_shares", "from_sklearn", "with_imaginary_item"]


@runtime_checkable
class Calibration(Protocol):
    """A way to calibrate.

    One that is `of_numbers`, which a user's own need not say, learns from a column of numbers.
    """

    @property
    def name(self) -> str:
        """What users call it."""
        ...

    @property
    def softens(self) -> bool:
        """Whether it makes probabilities of labels."""
        ...

    def fit(self, learned: Floats, shares: Floats, prediction: Floats) -> Floats:
        """Learn from predictions and label shares of some items; calibrate those of others.

        Parameters
        ----------
        learned, shares : (items, labels) arrays
            Predictions, and the share of each label among the reference raters. Predictions that
            are names which raters do not use have other columns, and numbers have one.
        prediction : (others, labels) array

        Returns
        -------
        (others, labels) array
        """
        ...


def with_imaginary_item(fitted: Floats, base: Floats, n: int) -> Floats:
    """Add an item that answers as all the others do to the n that were learned from."""
    return (n * fitted + base) / (n + 1)


def base_shares(shares: Floats) -> Floats:
    """Share of each label, with one imaginary item that gives each the same."""
    return (shares.sum(axis=0) + 1 / shares.shape[1]) / (len(shares) + 1)


def from_sklearn(module: str) -> Any:
    """Import a module of scikit-learn, or say how to install it."""
    from importlib import import_module

    try:
        return import_module(f"sklearn.{module}")
    except ImportError:
        raise ExtraError("this calibration", "scikit-learn", "learn") from None

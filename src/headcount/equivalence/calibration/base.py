"""What a calibration is, and the imaginary item that keeps its probabilities above 0."""

from __future__ import annotations

from typing import Any, Protocol, runtime_checkable

import numpy as np

from headcount.errors import ExtraError, OptionError, option
from headcount.typing import Floats

__all__ = ["Calibration", "base_shares", "fitted", "from_sklearn", "with_imaginary_item"]

MOST_REPEATED = 5_000_000
"""Items that are listed one by one for a calibration that does not take weights."""


@runtime_checkable
class Calibration(Protocol):
    """A way to calibrate.

    One that is `of_numbers`, which a user's own need not say, learns from a column of numbers. One
    that `weighs` takes the number of items that each row stands for as a fourth argument.
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


def fitted(
    how: Calibration, learned: Floats, shares: Floats, prediction: Floats, weight: Floats
) -> Floats:
    """Calibrate by rows that stand for several items each."""
    if (weight == 1).all():
        return how.fit(learned, shares, prediction)
    if getattr(how, "weighs", False):
        weighing: Any = how
        return weighing.fit(learned, shares, prediction, weight)
    if weight.sum() > MOST_REPEATED:
        raise OptionError(
            f"{option('calibrate')}: '{how.name}' takes items one by one, and {weight.sum():,.0f} "
            "are too many. Let it take weights: an attribute 'weighs' that is true, and a fourth "
            "argument of 'fit'."
        )
    times = weight.astype(np.int64)
    return how.fit(np.repeat(learned, times, axis=0), np.repeat(shares, times, axis=0), prediction)


def with_imaginary_item(fitted: Floats, base: Floats, n: float) -> Floats:
    """Add an item that answers as all the others do to the n that were learned from."""
    return (n * fitted + base) / (n + 1)


def base_shares(shares: Floats, weight: Floats | None = None) -> Floats:
    """Share of each label, with one imaginary item that gives each the same."""
    n = len(shares) if weight is None else weight.sum()
    total = shares.sum(axis=0) if weight is None else weight @ shares
    return (total + 1 / shares.shape[1]) / (n + 1)


def from_sklearn(module: str) -> Any:
    """Import a module of scikit-learn, or say how to install it."""
    from importlib import import_module

    try:
        return import_module(f"sklearn.{module}")
    except ImportError:
        raise ExtraError("this calibration", "scikit-learn", "learn") from None

"""Pearson's correlation of predicted and reference numbers."""

from __future__ import annotations

import numpy as np

from headcount.data.scale import Scale
from headcount.data.vocabulary import number_of
from headcount.equivalence.scorers.base import Kind
from headcount.equivalence.scorers.sums import SumScorer
from headcount.errors import OptionError, some
from headcount.typing import Floats

__all__ = ["Correlation"]


class Correlation(SumScorer):
    r"""Pearson correlation of the predicted with the reference number; labels must be numbers.

    A soft prediction counts as its mean :math:`\sum_l p_l v_l`, a hard one as the number that it
    says. 0 where predictions or labels do not vary, as those of no rater.
    """

    name, unit = "correlation", "Pearson's r"
    kinds = frozenset[Kind]({"hard", "soft", "mean"})
    relative = needs_numbers = True

    def __init__(self, scale: Scale, positive: int | None = None) -> None:
        super().__init__(scale, positive)
        numbers = [number_of(label) for label in scale.labels]
        if any(number is None for number in numbers):
            raise OptionError(
                f"scorer '{self.name}' needs labels that are numbers, not {some(scale.labels, 10)}."
            )
        self.value = np.array(numbers, dtype=np.float64)

    def statistics(self, prediction: Floats, reference: Floats, kind: Kind) -> Floats:
        """Take the numbers, their squares and their product."""
        value = self.value
        x, y = prediction @ value, reference @ value
        # A hard prediction is one of several numbers by chance; a soft one is their mean.
        x2 = prediction @ value**2 if kind == "hard" else x**2
        return np.stack(np.broadcast_arrays(x, x2, y, reference @ value**2, x * y), axis=-1)

    def finish(self, means: Floats) -> Floats:
        """Divide the covariance by the standard deviations."""
        x, x2, y, y2, xy = np.moveaxis(means, -1, 0)
        variance = np.maximum(x2 - x**2, 0) * np.maximum(y2 - y**2, 0)
        # Rounding leaves some 1e-17 where there is no variance at all.
        flat = variance <= 1e-24 * np.maximum(x2 * y2, 1e-300)
        return np.where(flat, 0.0, (xy - x * y) / np.sqrt(np.where(flat, 1.0, variance)))

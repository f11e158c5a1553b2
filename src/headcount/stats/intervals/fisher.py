"""Fisher's transformation, on which intervals of coefficients are symmetric."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

__all__ = ["Fisher", "OfMean"]

NEAR = 1e-12
"""How near to its ends a number may be."""


@dataclass(frozen=True)
class Fisher:
    """Fisher's transformation of a number between `low` and 1.

    Examples
    --------
    >>> round(Fisher().to(0.5), 4), round(Fisher().back(0.5493), 4)
    (0.5493, 0.5)
    """

    low: float = -1.0

    def to(self, x: float) -> float:
        """Transform: artanh of x moved to between -1 and 1."""
        return float(np.arctanh(np.clip(self._centred(x), NEAR - 1, 1 - NEAR)))

    def back(self, z: float) -> float:
        """Transform back."""
        return self.low + (1 - self.low) * (float(np.tanh(z)) + 1) / 2

    def slope(self, x: float) -> float:
        """How the transformed number changes with x."""
        return 2 / (1 - self.low) / max(1 - self._centred(x) ** 2, NEAR)

    def _centred(self, x: float) -> float:
        return 2 * (x - self.low) / (1 - self.low) - 1


@dataclass(frozen=True)
class OfMean(Fisher):
    """Of the mean of k ratings: through one rating, by Spearman and Brown.

    Examples
    --------
    >>> scale = OfMean(k=4)
    >>> round(scale.back(scale.to(0.8)), 4), round(scale.back(Fisher().to(0.5)), 4)
    (0.8, 0.8)
    """

    k: float = 1.0

    def to(self, x: float) -> float:
        """Transform that of one rating."""
        return super().to(self._single(x))

    def back(self, z: float) -> float:
        """From one rating to the mean; no less than the mean can be."""
        one = super().back(z)
        return max(self.k * one / max(1 + (self.k - 1) * one, NEAR), self.low)

    def slope(self, x: float) -> float:
        """How it changes with that of the mean."""
        return super().slope(self._single(x)) * self.k / (self.k - (self.k - 1) * x) ** 2

    def _single(self, x: float) -> float:
        return x / (self.k - (self.k - 1) * x)

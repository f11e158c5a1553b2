"""Isotonic regression."""

from __future__ import annotations

import numpy as np

from headcount.equivalence.calibration.base import base_shares, from_sklearn, with_imaginary_item
from headcount.typing import Floats

__all__ = ["Isotonic"]


class Isotonic:
    """A monotone function of each label's probability, then normalised (needs scikit-learn)."""

    name: str = "isotonic"
    softens: bool = False
    weighs: bool = True

    def fit(
        self, learned: Floats, shares: Floats, prediction: Floats, weight: Floats | None = None
    ) -> Floats:
        """Fit an isotonic regression a label."""
        regression = from_sklearn("isotonic").IsotonicRegression
        base = base_shares(shares, weight)
        # With two labels one regression says it all.
        columns = range(1, 2) if shares.shape[1] == 2 else range(shares.shape[1])
        fitted = np.empty_like(prediction)
        for column in columns:
            rule = regression(y_min=0, y_max=1, out_of_bounds="clip")
            rule.fit(learned[:, column], shares[:, column], sample_weight=weight)
            fitted[:, column] = rule.predict(prediction[:, column])
        if shares.shape[1] == 2:
            fitted[:, 0] = 1 - fitted[:, 1]
        total = fitted.sum(axis=1, keepdims=True)
        fitted = np.where(total > 0, fitted / np.where(total > 0, total, 1), base)
        n = len(learned) if weight is None else weight.sum()
        return with_imaginary_item(fitted, base, n)

"""Logistic regression."""

from __future__ import annotations

import numpy as np

from headcount.equivalence.calibration.base import base_shares, from_sklearn, with_imaginary_item
from headcount.typing import Floats

__all__ = ["Platt"]


class Platt:
    """A logistic regression on the logarithms of the probabilities (needs scikit-learn)."""

    name: str = "platt"
    softens: bool = False
    weighs: bool = True

    def fit(
        self, learned: Floats, shares: Floats, prediction: Floats, weight: Floats | None = None
    ) -> Floats:
        """Fit a regression to one row an item and label, weighted by the label's share."""
        regression = from_sklearn("linear_model").LogisticRegression
        base = base_shares(shares, weight)
        if np.count_nonzero(shares.sum(axis=0)) < 2:
            return np.tile(base, (len(prediction), 1))

        def features(p: Floats) -> Floats:
            logs = np.log(np.maximum(p, 1e-12))
            return logs[:, 1:] - logs[:, :1]

        item, label = np.nonzero(shares)
        rule = regression(C=1e6, max_iter=1000)
        times = np.ones(len(learned)) if weight is None else weight
        rule.fit(features(learned)[item], label, sample_weight=shares[item, label] * times[item])
        fitted = np.zeros_like(prediction)
        fitted[:, rule.classes_] = rule.predict_proba(features(prediction))
        return with_imaginary_item(fitted, base, times.sum())

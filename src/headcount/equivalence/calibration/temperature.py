"""One temperature for all probabilities, and a bias a label."""

from __future__ import annotations

import numpy as np

from headcount.equivalence.calibration.base import base_shares, with_imaginary_item
from headcount.equivalence.calibration.numbers import minimum
from headcount.typing import Floats

__all__ = ["Temperature"]

LEAST = 1e-3
"""Probabilities below this are taken for it: confidence of 1 is rarely certainty."""
RIDGE = 0.05


class Temperature:
    r"""Probabilities to a power, times a factor a label: :math:`q_l \propto e^{a_l} p_l^{b}`.

    By maximum likelihood. Few parameters, for a verdict whose confidence was read as its
    probability (Guo et al. 2017, with a bias a label).
    """

    name: str = "temperature"
    softens: bool = False
    weighs: bool = True

    def fit(
        self, learned: Floats, shares: Floats, prediction: Floats, weight: Floats | None = None
    ) -> Floats:
        """Fit the power and the factors to shares of labels."""
        base = base_shares(shares, weight)
        times = np.ones((len(learned), 1)) if weight is None else weight[:, None]
        logs = _logs(learned)

        def objective(parameters: Floats) -> tuple[float, Floats]:
            p = _softmax(parameters[1:] + parameters[0] * logs)
            loss = -(times * shares * np.log(np.maximum(p, 1e-300))).sum()
            error = times * (p - shares)
            gradient = np.concatenate([[(error * logs).sum()], error.sum(axis=0)])
            penalty = RIDGE * parameters
            return float(loss + parameters @ penalty / 2), gradient + penalty

        found = minimum(objective, np.concatenate([[0.5], np.zeros(len(base))]))
        fitted = _softmax(found[1:] + found[0] * _logs(prediction))
        return with_imaginary_item(fitted, base, times.sum())


def _logs(p: Floats) -> Floats:
    return np.log(np.maximum(p, LEAST))


def _softmax(x: Floats) -> Floats:
    p = np.exp(x - x.max(axis=1, keepdims=True))
    return p / p.sum(axis=1, keepdims=True)

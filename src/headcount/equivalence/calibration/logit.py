"""A number and labels that have no order: the multinomial logit."""

from __future__ import annotations

import numpy as np

from headcount.equivalence.calibration.base import base_shares, with_imaginary_item
from headcount.equivalence.calibration.numbers import Cubic, minimum, pooled
from headcount.typing import Floats

__all__ = ["Logit"]

RIDGE = 0.5
"""Penalty on slopes, in items."""


class Logit:
    r"""Odds of labels without an order, cubic in a number.

    .. math:: P(y = l \mid x) \propto \exp(a_l + b_{l1} z_1 + b_{l2} z_2 + b_{l3} z_3)

    with :math:`z_1, z_2, z_3` uncorrelated polynomials of the number's normal score; by maximum
    likelihood, with a penalty on slopes.
    """

    name: str = "logit"
    softens: bool = True
    of_numbers: bool = True
    weighs: bool = True

    def fit(
        self, learned: Floats, shares: Floats, prediction: Floats, weight: Floats | None = None
    ) -> Floats:
        """Fit intercepts and slopes to shares of labels; predict after other numbers."""
        base = base_shares(shares, weight)
        n = len(learned) if weight is None else weight.sum()
        cubic = Cubic.learned(learned[:, 0], weight)
        numbers, total = pooled(learned[:, 0], shares, weight)
        x, shape = _with_one(cubic(numbers)), (cubic.degree + 1, len(base))

        def objective(parameters: Floats) -> tuple[float, Floats]:
            table = parameters.reshape(shape)
            logs = x @ table
            logs -= logs.max(axis=1, keepdims=True)
            p = np.exp(logs)
            p /= p.sum(axis=1, keepdims=True)
            loss = -(total * np.log(np.maximum(p, 1e-300))).sum()
            gradient = x.T @ (total.sum(axis=1, keepdims=True) * p - total)
            loss += RIDGE / 2 * (table[1:] ** 2).sum()
            gradient[1:] += RIDGE * table[1:]
            return float(loss), gradient.ravel()

        start = np.concatenate([np.log(base), np.zeros(cubic.degree * len(base))])
        found = minimum(objective, start).reshape(shape)
        logs = _with_one(cubic(prediction[:, 0])) @ found
        p = np.exp(logs - logs.max(axis=1, keepdims=True))
        return with_imaginary_item(p / p.sum(axis=1, keepdims=True), base, n)


def _with_one(x: Floats) -> Floats:
    return np.concatenate([np.ones((len(x), 1)), x], axis=1)

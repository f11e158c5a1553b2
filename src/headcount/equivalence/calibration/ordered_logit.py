"""A number and labels in order: the cumulative logit."""

from __future__ import annotations

import numpy as np

from headcount.equivalence.calibration.base import base_shares, with_imaginary_item
from headcount.equivalence.calibration.numbers import Cubic, minimum, pooled
from headcount.typing import Floats

__all__ = ["OrderedLogit"]

RIDGE = 0.05
"""Penalty on slopes, in items: what keeps a judge that is never wrong from infinite ones."""
NARROWEST, WIDEST = -9.0, 4.0
"""Logarithms between which thresholds lie apart, in logits."""


class OrderedLogit:
    r"""Proportional odds of labels in order, cubic in a number.

    .. math:: P(y \le l \mid x) = \sigma(\theta_l - b_1 z_1 - b_2 z_2 - b_3 z_3)

    with :math:`z_1, z_2, z_3` uncorrelated polynomials of the number's normal score; by maximum
    likelihood, with a slight penalty on slopes (McCullagh 1980). Cubic, since a score need
    not be linear in the logit, nor rise.

    Examples
    --------
    >>> x = np.linspace(-1, 1, 60)[:, None]
    >>> shares = np.eye(2)[(x[:, 0] > 0).astype(int)]
    >>> OrderedLogit().fit(x, shares, np.array([[-0.9], [0.9]])).round(1)
    array([[1., 0.],
           [0., 1.]])
    """

    name: str = "ordered-logit"
    softens: bool = True
    of_numbers: bool = True
    weighs: bool = True

    def fit(
        self, learned: Floats, shares: Floats, prediction: Floats, weight: Floats | None = None
    ) -> Floats:
        """Fit thresholds and slopes to shares of labels; predict after other numbers."""
        base = base_shares(shares, weight)
        n = len(learned) if weight is None else weight.sum()
        cubic = Cubic.learned(learned[:, 0], weight)
        numbers, total = pooled(learned[:, 0], shares, weight)
        x = cubic(numbers)
        cuts = len(base) - 1

        def thresholds(parameters: Floats) -> Floats:
            return parameters[0] + np.concatenate([[0.0], np.cumsum(np.exp(parameters[1:cuts]))])

        def objective(parameters: Floats) -> tuple[float, Floats]:
            slopes = parameters[cuts:]
            below = _logistic(thresholds(parameters) - (x @ slopes)[:, None])
            p = np.maximum(_between(below), 1e-300)
            loss = -(total * np.log(p)).sum() + RIDGE / 2 * slopes @ slopes
            # d loss / d P(y <= l), then through the logistic to thresholds and slopes.
            each = -total / p
            slope = (each[:, :-1] - each[:, 1:]) * below * (1 - below)
            by_cut = slope.sum(axis=0)
            gradient = np.empty_like(parameters)
            gradient[0] = by_cut.sum()
            gradient[1:cuts] = np.cumsum(by_cut[::-1])[::-1][1:] * np.exp(parameters[1:cuts])
            gradient[cuts:] = -slope.sum(axis=1) @ x + RIDGE * slopes
            return float(loss), gradient

        start = np.concatenate([_start(base), np.zeros(cubic.degree)])
        bounds = [
            (-30.0, 30.0),
            *[(NARROWEST, WIDEST)] * (cuts - 1),
            *[(-30.0, 30.0)] * cubic.degree,
        ]
        found = minimum(objective, start, bounds)
        eta = cubic(prediction[:, 0]) @ found[cuts:]
        fitted = _between(_logistic(thresholds(found) - eta[:, None]))
        return with_imaginary_item(fitted, base, n)


def _start(base: Floats) -> Floats:
    """Thresholds that give the shares of labels, whatever the number."""
    up_to = np.cumsum(base)[:-1]
    logits = np.log(up_to / (1 - up_to))
    gaps = np.log(np.maximum(np.diff(logits), 1e-6))
    return np.concatenate([logits[:1], np.clip(gaps, NARROWEST, WIDEST)])


def _between(below: Floats) -> Floats:
    """Probabilities of labels, of those of labels up to each."""
    ends = np.zeros((len(below), 1)), np.ones((len(below), 1))
    return np.diff(np.concatenate([ends[0], below, ends[1]], axis=1), axis=1)


def _logistic(x: Floats) -> Floats:
    return 1 / (1 + np.exp(-np.clip(x, -500, 500)))

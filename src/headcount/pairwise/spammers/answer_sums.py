"""The distribution of a sum over independent answers."""

from __future__ import annotations

from importlib import import_module
from typing import Any

import numpy as np

from headcount.typing import Codes, Floats

__all__ = ["chance_below"]


EXACT = 200
"""Answers up to which the distribution of their sum is added up."""
BINS = 400
"""Bins of that distribution in a standard deviation."""
MOST_BINS = 20_000
FARTHEST = 40.0
"""How far the saddlepoint is looked for, in standard deviations."""


def chance_below(chance: Floats, value: Floats, answer: Codes) -> float:
    """Probability that a sum over answers is at most what was observed.

    Answers are independent, and each adds a `value` that depends on it. The distribution of the sum
    is added up answer by answer, exactly but for values rounded to 1/400 of its standard deviation;
    above 200 answers it is approximated at the saddlepoint, which is good to a percent or so of the
    probability, however small [1]_.

    Parameters
    ----------
    chance, value : (3, answers) arrays
        Probability of each answer, and what it adds.
    answer : (answers,) array of int
        The answers observed.

    Notes
    -----
    O(bins x answers), with some hundred bins times the root of the number of answers.

    References
    ----------
    .. [1] Lugannani and Rice (1980), Saddle point approximation for the distribution of the sum of
       independent random variables, Advances in Applied Probability 12(2).

    Examples
    --------
    >>> coin = np.array([[0.5], [0.0], [0.5]])
    >>> value = np.array([[0.0], [0.0], [1.0]])
    >>> answer = np.array([2, 0, 0])
    >>> chance_below(np.repeat(coin, 3, axis=1), np.repeat(value, 3, axis=1), answer)
    0.5
    """
    places = np.arange(len(answer))
    # What an answer that cannot be would add does not matter.
    value = np.where(chance > 0, value, value[answer, places])
    spread = float(np.ptp(value, axis=0).sum()) if len(answer) else 0.0
    if spread == 0:
        return 1.0
    mean = np.sum(chance * value, axis=0)
    sd = float(np.sqrt(np.sum(chance * (value - mean) ** 2)))
    if len(answer) > EXACT:
        return _saddlepoint(chance, (value - mean) / sd, answer)
    bins = min(BINS / sd, MOST_BINS / spread)
    step = np.rint((value - value.min(axis=0)) * bins).astype(np.int64)
    total = np.zeros(int(step.max(axis=0).sum()) + 1)
    total[0], reach = 1.0, 1
    for k in places:
        after = reach + int(step[:, k].max())
        here, total[:after] = total[:reach].copy(), 0.0
        for p, s in zip(chance[:, k], step[:, k], strict=True):
            total[s : s + reach] += p * here
        reach = after
    seen = int(step[answer, places].sum())
    return float(min(total[: seen + 1].sum(), 1.0))


def _saddlepoint(chance: Floats, value: Floats, answer: Codes) -> float:
    """Approximate the probability of a sum at most that observed; it has mean 0 and variance 1."""
    special: Any = import_module("scipy.special")
    seen = float(value[answer, np.arange(len(answer))].sum())

    def cumulants(t: float) -> tuple[float, float, float]:
        top = np.max(t * value, axis=0)
        tilted = chance * np.exp(t * value - top)
        total = tilted.sum(axis=0)
        tilted /= total
        mean = np.sum(tilted * value, axis=0)
        spread = np.sum(tilted * (value - mean) ** 2)
        return float(np.sum(top + np.log(total))), float(mean.sum()), float(spread)

    # The mean of the tilted sum rises with t, and is that observed at the saddlepoint.
    low, high = -FARTHEST, FARTHEST
    for _ in range(60):
        middle = (low + high) / 2
        low, high = (middle, high) if cumulants(middle)[1] < seen else (low, middle)
    t = (low + high) / 2
    k, _, spread = cumulants(t)
    w = np.sign(t) * np.sqrt(2 * max(t * seen - k, 0.0))
    if abs(w) < 1e-3:
        return float(special.ndtr(seen))
    u = t * np.sqrt(spread)
    density = np.exp(-w * w / 2) / np.sqrt(2 * np.pi)
    return float(np.clip(special.ndtr(w) + density * (1 / w - 1 / u), 0.0, 1.0))

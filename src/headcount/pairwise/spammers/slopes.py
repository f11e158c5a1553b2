"""How far the answers of each rater go with what the ratings of the others expect."""

from __future__ import annotations

from dataclasses import dataclass, replace
from importlib import import_module
from typing import Any

import numpy as np

from headcount.typing import Codes, Floats

__all__ = ["Honest", "Slopes", "honest_slopes", "rater_slopes"]

TRIMMED = 2.5
"""Standard deviations below the honest mean from which a rater has no part in it."""
LEAST_SPREAD = 0.05
"""Standard deviation of honest slopes, at least."""
ROUNDS = 50


@dataclass(frozen=True, eq=False, kw_only=True)
class Slopes:
    """Of each rater: (raters,) arrays.

    Parameters
    ----------
    n : array
        Answers that count: those that decide for one of two items which are not rated alike.
    slope : array
        Of the answer (1 for the left item) on its expectation, with an intercept of the rater's
        own, who may favour a side: 1 for one who sees what the others see, 0 for one who answers at
        random. nan where nothing varies in what is expected.
    error : array
        Standard error of the slope of one whose answers are as expected.
    own_error : array
        Standard error by how far the rater's own answers lie from the line, or `error` where that
        is larger: answers at random vary more than those that are expected.
    p_random : array
        Probability that answers given without looking would have as large a slope: one-sided, by
        Pitman's approximation to permutations of the rater's own answers; 1 where these never vary.
    """

    n: Floats
    slope: Floats
    error: Floats
    own_error: Floats
    p_random: Floats

    def times(self, unit: float) -> Slopes:
        """Write slopes in another unit."""
        return replace(
            self,
            slope=self.slope * unit,
            error=self.error * unit,
            own_error=self.own_error * unit,
        )


def rater_slopes(expected: Floats, answer: Floats, rater: Codes, n_raters: int) -> Slopes:
    r"""Regress the answers of each rater on their expectations.

    .. math:: b = \frac{\sum (x - \bar x) y}{\sum (x - \bar x)^2}, \quad
              \mathrm{var}(b) = \frac{\sum (x - \bar x)^2 x (1 - x)}{(\sum (x - \bar x)^2)^2}

    Notes
    -----
    O(answers).

    References
    ----------
    Pitman (1937), Significance tests which may be applied to samples from any populations, II.

    Examples
    --------
    >>> expected, answer = np.array([0.9, 0.8, 0.1, 0.2, 0.5]), np.array([1.0, 1, 0, 0, 1])
    >>> found = rater_slopes(expected, answer, np.zeros(5, dtype=np.int64), 1)
    >>> found.slope.round(2), found.error.round(2), found.p_random.round(3)
    (array([1.4]), array([0.48]), array([0.018]))
    """
    special: Any = import_module("scipy.special")

    def total(values: Floats) -> Floats:
        return np.bincount(rater, values, n_raters).astype(np.float64)

    n = total(np.ones(len(rater)))
    some = np.maximum(n, 1)
    x, y = expected - (total(expected) / some)[rater], answer - (total(answer) / some)[rater]
    xx, xy, yy = total(x**2), total(x * y), total(y**2)
    noise = total(x**2 * expected * (1 - expected))
    varies = xx > 1e-12 * some
    with np.errstate(divide="ignore", invalid="ignore"):
        slope = np.where(varies, xy / xx, np.nan)
        error = np.where(varies, np.sqrt(noise) / xx, np.nan)
        residual = y - np.where(varies, slope, 0.0)[rater] * x
        scatter = total(x**2 * residual**2) * n / np.maximum(n - 2, 1)
        own_error = np.fmax(error, np.where(varies, np.sqrt(scatter) / xx, np.nan))
        r = np.clip(np.where(varies & (yy > 0), xy / np.sqrt(xx * yy), 0.0), -1, 1)
        t = r * np.sqrt((n - 2) / np.maximum(1 - r**2, 1e-300))
    tested = varies & (yy > 0) & (n > 2)
    p_random = np.where(tested, special.stdtr(np.maximum(n - 2, 1), -np.where(tested, t, 0)), 1.0)
    return Slopes(n=n, slope=slope, error=error, own_error=own_error, p_random=p_random)


@dataclass(frozen=True)
class Honest:
    """Normal distribution of the slopes of raters who look at the items."""

    mean: float
    spread: float

    def below(self, slopes: Slopes) -> Floats:
        """Probability that one of them would have as small a slope; nan where there is none."""
        special: Any = import_module("scipy.special")
        t = (slopes.slope - self.mean) / np.hypot(self.spread, slopes.error)
        # Slopes of few answers have longer tails than the normal distribution.
        return np.asarray(special.stdtr(np.maximum(slopes.n - 2, 1), t), dtype=np.float64)


def honest_slopes(slopes: Slopes, judged: Codes) -> Honest:
    """Find how the slopes of those spread who look at the items.

    The mean is without those who lie 2.5 standard deviations or more below it; the spread is that
    of the upper half, among whom there are hardly any who answer at random.

    Parameters
    ----------
    slopes : Slopes
    judged : array of int
        Raters with enough answers.
    """
    b, error = slopes.slope[judged], slopes.error[judged]
    mean, spread = float(np.median(b)), LEAST_SPREAD
    for _ in range(ROUNDS):
        before = mean, spread
        sd = np.hypot(spread, error)
        kept = (b - mean) / sd > -TRIMMED
        mean = float(np.sum((b / sd**2)[kept]) / np.sum((1 / sd**2)[kept]))
        upper = b > mean
        excess = float(np.mean((b[upper] - mean) ** 2 - error[upper] ** 2)) if upper.any() else 0.0
        spread = float(np.sqrt(max(excess, LEAST_SPREAD**2)))
        if abs(mean - before[0]) + abs(spread - before[1]) < 1e-9:
            break
    return Honest(mean, spread)

"""Correlation of two lists of scores or ranks, and Hotelling's test of two correlations."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from headcount.typing import Floats

__all__ = ["Hotelling", "hotelling", "kendall", "pearson", "spearman", "swaps"]

ROUNDING = 1e-12


@dataclass(frozen=True)
class Hotelling:
    """A triangle test.

    Parameters
    ----------
    t, p_value : float
        nan where there is no test.
    undefined : str or None
        Why there is none.
    """

    t: float
    p_value: float
    undefined: str | None = None

    def __iter__(self) -> Iterator[float]:
        return iter((self.t, self.p_value))


def hotelling(r_xy: float, r_xz: float, r_yz: float, n: int) -> Hotelling:
    r"""Test whether y and z are equally correlated with x.

    Parameters
    ----------
    r_xy, r_xz, r_yz : float
        Correlations between x and y, x and z, y and z.
    n : int
        Cases that all three are known of.

    Returns
    -------
    Hotelling
        Unpacks to t and its two-sided p-value.

    Notes
    -----
    With :math:`|R| = 1 - r_{xy}^2 - r_{xz}^2 - r_{yz}^2 + 2 r_{xy} r_{xz} r_{yz}`,

    .. math:: t = (r_{xy} - r_{xz}) \sqrt{\frac{(n - 3) (1 + r_{yz})}{2 |R|}}

    with n - 3 degrees of freedom. It needs n > 3, and no correlation of 1 or -1. For rank
    correlations it is used as the paper does, without theory to support it.

    References
    ----------
    Hotelling (1940); Jung and Lease (2012), Equation 12.

    Examples
    --------
    >>> t, p = hotelling(0.73, 0.61, 0.66, 120)
    >>> round(t, 4), round(p, 4)
    (2.3784, 0.019)
    """
    from scipy.special import stdtr  # pyright: ignore[reportMissingTypeStubs]

    given = np.array([r_xy, r_xz, r_yz])
    if np.isnan(given).any():
        return _none("a correlation is undefined")
    if n <= 3:
        return _none(f"it needs 4 cases or more, and there are {n}")
    if (np.abs(given) >= 1 - ROUNDING).any():
        return _none("a correlation is 1 or -1")
    bottom = 1 - float(given @ given) + 2 * r_xy * r_xz * r_yz
    if bottom <= ROUNDING:
        # Three vectors in one plane; or rank correlations that no three lists of scores have.
        return _none("the three correlations determine each other")
    t = (r_xy - r_xz) * float(np.sqrt((n - 3) * (1 + r_yz) / (2 * bottom)))
    return Hotelling(t, float(2 * stdtr(n - 3, -abs(t))))


def pearson(x: Floats, y: Floats) -> float:
    """Correlation of two lists, where both are known; nan if one of them does not vary.

    Examples
    --------
    >>> round(pearson(np.array([1.0, 2, 3]), np.array([1.0, 2, 4])), 3)
    0.982
    """
    x, y = _known(x, y)
    if len(x) < 2:
        return float("nan")
    a, b = x - x.mean(), y - y.mean()
    spread = float(np.sqrt((a @ a) * (b @ b)))
    size = ROUNDING * len(x) * float(np.abs(x).max() * np.abs(y).max() + ROUNDING)
    return float(np.clip(a @ b / spread, -1, 1)) if spread > size else float("nan")


def spearman(x: Floats, y: Floats) -> float:
    """Correlation of the ranks of two lists; ties share their mean rank."""
    x, y = _known(x, y)
    return pearson(_mean_ranks(x), _mean_ranks(y))


def kendall(x: Floats, y: Floats) -> float:
    r"""Kendall's tau-b: concordant minus discordant pairs, over pairs without ties.

    :math:`(C - D) / \sqrt{(n_0 - n_x) (n_0 - n_y)}` with :math:`n_0` pairs in all, and
    :math:`n_x` and :math:`n_y` tied in x and in y. nan if one of them does not vary. O(K^2).

    Examples
    --------
    >>> round(kendall(np.array([1.0, 1, 3, 4]), np.array([1.0, 2, 4, 3])), 3)
    0.548
    """
    a, b = _signs(x, y)
    spread = float(np.sqrt(np.abs(a).sum() * np.abs(b).sum()))
    return float((a * b).sum()) / spread if spread > 0 else float("nan")


def swaps(x: Floats, y: Floats) -> float:
    """Share of all pairs that one list has in the opposite order to the other, in percent.

    Pairs that are tied in either list count as no swap. nan without a pair.

    References
    ----------
    Voorhees (2000); Jung and Lease (2012), Section 4.4.

    Examples
    --------
    >>> round(swaps(np.array([1.0, 1, 3, 4]), np.array([2.0, 1, 4, 3])), 1)
    16.7
    """
    a, b = _signs(x, y)
    return 100 * float((a * b < 0).sum()) / len(a) if len(a) else float("nan")


def _signs(x: Floats, y: Floats) -> tuple[Floats, Floats]:
    """Which of every two is the larger, in either list."""
    x, y = _known(x, y)
    one, two = np.triu_indices(len(x), 1)
    return _sign(x[one] - x[two]), _sign(y[one] - y[two])


def _sign(difference: Floats) -> Floats:
    return np.where(np.abs(difference) > ROUNDING, np.sign(difference), 0.0)


def _known(x: Floats, y: Floats) -> tuple[Floats, Floats]:
    both = ~(np.isnan(x) | np.isnan(y))
    return x[both], y[both]


def _mean_ranks(x: Floats) -> Floats:
    _, place, number = np.unique(x, return_inverse=True, return_counts=True)
    last = np.cumsum(number)
    return (last - (number - 1) / 2)[place]


def _none(why: str) -> Hotelling:
    return Hotelling(float("nan"), float("nan"), why)

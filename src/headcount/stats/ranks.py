"""Ranks and how sure they are, correlation of two rankings, and many tests at once."""

from __future__ import annotations

from dataclasses import dataclass
from importlib import import_module
from statistics import NormalDist
from typing import Any

import numpy as np

from headcount import options
from headcount.typing import Codes, Floats, Ints

__all__ = [
    "ranks",
    "Spread",
    "may_be_first_value",
    "rank_intervals",
    "kendall",
    "holm",
    "benjamini_hochberg",
]


# Ranks of ratings, 1 being the best, and how sure they are.

MOST_TOGETHER = 2000
"""Items of which draws give a whole covariance."""
GRID = 2001
"""Degrees of freedom of which quantiles are looked up."""
HALVINGS = 60
"""Steps to find a critical value to all its digits."""
MANY = 2000
"""Items above which a kernel counts those that differ significantly."""
CELLS = 4_000_000
"""Pairs of items that are tested at a time."""


def ranks(ratings: Floats, *, component: Codes | None = None) -> Floats:
    """Rank items: one more than the number of items that are rated higher.

    Ratings that differ by less than a fit can tell (8 digits after the point) share a rank.

    Parameters
    ----------
    ratings : (..., items) array
        Infinite ratings are ranked; nan is not, and neither ranks nor counts.
    component : (items,) array of int, optional
        Items are ranked within each.

    Notes
    -----
    O(n log n) for n items.

    Examples
    --------
    >>> ranks(np.array([0.5, np.inf, -1.0, np.nan, 0.5]))
    array([ 2.,  1.,  4., nan,  2.])
    """
    table = np.atleast_2d(ratings)
    out = np.full(table.shape, np.nan)
    groups = np.zeros(table.shape[1], dtype=np.int64) if component is None else component
    order = np.argsort(groups, kind="stable")
    ends = np.flatnonzero(np.diff(groups[order])) + 1
    for members in np.split(order, ends):
        for row, into in zip(-np.round(table[:, members], 8), out, strict=True):
            # nan sorts to the end, where nobody is rated higher because of it.
            into[members] = np.searchsorted(np.sort(row), row, side="left") + 1.0
    out[np.isnan(table)] = np.nan
    return out.reshape(ratings.shape)


@dataclass(frozen=True, eq=False, kw_only=True)
class Spread:
    """How far ratings may be off, and each from each other.

    Parameters
    ----------
    variance : (items,) array
    covariance : (items, items) array or None
        None where ratings are taken as independent of each other.
    df : (items,) array or None
        Degrees of freedom; None for the normal distribution.
    """

    variance: Floats
    covariance: Floats | None = None
    df: Floats | None = None

    @classmethod
    def of_draws(cls, draws: Floats) -> Spread:
        """Estimate it from bootstrap draws of finite ratings: (draws, items)."""
        if draws.shape[1] > MOST_TOGETHER:
            return cls(variance=draws.var(axis=0, ddof=1))
        covariance = np.cov(draws, rowvar=False).reshape(draws.shape[1], -1)
        return cls(variance=np.diag(covariance).copy(), covariance=covariance)

    def select(self, items: Ints) -> Spread:
        """Keep some items."""
        c = self.covariance
        return Spread(
            variance=self.variance[items],
            covariance=None if c is None else c[np.ix_(items, items)],
            df=None if self.df is None else self.df[items],
        )

    @property
    def is_independent(self) -> bool:
        """Whether ratings are taken as independent of each other, and as normal."""
        return self.covariance is None and (self.df is None or bool(np.isinf(self.df).all()))

    def df_of_gaps(self, rows: slice) -> Floats | None:
        """Degrees of freedom of these variances, after Satterthwaite: (rows, items)."""
        if self.df is None or np.isinf(self.df).all():
            return None
        parts = self.variance**2 / self.df
        both = parts[rows, None] + parts
        total = (self.variance[rows, None] + self.variance) ** 2
        return np.maximum(total / np.where(both > 0, both, 1e-300), 1.0)

    def of_gaps(self, rows: slice) -> Floats:
        """Variances of the differences of some items from all: (rows, items)."""
        out = self.variance[rows, None] + self.variance
        return out if self.covariance is None else out - 2 * self.covariance[rows]


def may_be_first_value(items: int, level: float = 0.95) -> float:
    r"""Critical value of the largest of all differences from one item (Dunnett 1955).

    The c for which :math:`\int \Phi(c\sqrt 2 + u)^{n - 1} \phi(u)\,du` is `level`: n - 1 other
    items, all as good as this one and rated with the same error, are all rated less than c standard
    errors of a difference above it with that probability.

    Examples
    --------
    >>> [round(may_be_first_value(n), 2) for n in (10, 30, 200, 1000, 10_000)]
    [2.42, 2.74, 3.2, 3.53, 3.94]
    """
    special: Any = import_module("scipy.special")
    u = np.linspace(-9, 9, 2001)
    density = np.exp(-(u**2) / 2) / np.sqrt(2 * np.pi) * (u[1] - u[0])

    # By the tail, which has more digits than a level next to 1.
    tail = min(1 - level, 1 - 1e-6)

    def beyond(c: float) -> float:
        within = (items - 1) * special.log_ndtr(c * np.sqrt(2) + u)
        return float(-np.expm1(within) @ density) - tail

    low, high = -12.0, 12.0
    for _ in range(HALVINGS):  # without scipy.optimize, which takes long to import
        middle = (low + high) / 2
        low, high = (middle, high) if beyond(middle) > 0 else (low, middle)
    return (low + high) / 2


def rank_intervals(
    rating: Floats, spread: Spread, *, level: float = 0.95, each: bool = False
) -> tuple[Floats, Floats]:
    r"""Find the ranks that tests of each item against every other leave open.

    With :math:`t_{jk} = (\theta_k - \theta_j) / \sqrt{R_{jk}}`, where R is the variance of the
    difference, item j ranks between :math:`1 + \#\{k: t_{jk} > z\}` and
    :math:`n - \#\{k: t_{jk} < -z\}`. It may be first, and its interval begins at 1, if no item is
    rated higher than it by c standard errors, c being Dunnett's value
    (:func:`may_be_first_value`); and last likewise. Where several may be first, each may be second
    as well. On average over items intervals hold the true
    rank as often as `level` says, and so does the set of those that may be first hold the best.

    With `each`, the errors of all tests of an item are counted together, by Holm's step-down: the
    interval of every single item holds its rank [1]_.

    Parameters
    ----------
    rating : (items,) array
        Finite.
    spread : Spread
    level : float
    each : bool

    Notes
    -----
    O(n^2) for n items, some hundred rows at a time.

    References
    ----------
    .. [1] Mogstad, Romano, Shaikh and Wilhelm (2024), Inference for ranks with applications to
       mobility across neighbourhoods and academic achievement across countries, The Review of
       Economic Studies 91.

    Examples
    --------
    >>> rating, spread = np.array([2.0, 1.9, 0.0]), Spread(variance=np.array([0.01, 0.01, 0.01]))
    >>> low, high = rank_intervals(rating, spread)
    >>> low, high
    (array([1., 1., 3.]), array([2., 2., 3.]))
    """
    level, n = options.level(level), len(rating)
    low, high = np.ones(n), np.full(n, float(n))
    if n < 2:
        return low, high
    first = may_be_first_value(n, level)
    z = -NormalDist().inv_cdf((1 - level) / 2)
    if n > MANY and not each and first > 0 and spread.is_independent:
        above, below = _told_apart(rating, spread.variance, z)
        some_above, some_below = _told_apart(rating, spread.variance, first)
        low = np.where(some_above > 0, 1.0 + above, 1.0)
        high = np.where(some_below > 0, n - 1.0 * below, float(n))
        return _not_alone(low, high)
    rows = max(1, CELLS // n)
    for start in range(0, n, rows):
        part = slice(start, min(start + rows, n))
        gap = rating - rating[part, None]
        error, df = np.sqrt(np.maximum(spread.of_gaps(part), 0.0)), spread.df_of_gaps(part)
        if each:
            with np.errstate(divide="ignore", invalid="ignore"):
                t = np.nan_to_num(gap / error)
            low[part], high[part] = _step_down(t, part, df, level)
            continue
        bound = _quantiles(df, z) * error
        low[part] = 1 + np.sum(gap > bound, axis=1)
        high[part] = n - np.sum(gap < -bound, axis=1)
        bound = _quantiles(df, first) * error
        low[part][~(gap > bound).any(axis=1)] = 1
        high[part][~(gap < -bound).any(axis=1)] = n
    return (low, high) if each else _not_alone(low, high)


def _not_alone(low: Floats, high: Floats) -> tuple[Floats, Floats]:
    """Call nobody first for sure where another may be first too; and last likewise."""
    n = len(low)
    if np.sum(low == 1) > 1:
        high = np.maximum(high, 2.0)
    if np.sum(high == n) > 1:
        low = np.minimum(low, n - 1.0)
    return low, high


def _told_apart(rating: Floats, variance: Floats, z: float) -> tuple[Ints, Ints]:
    """Count items that are rated more than z standard errors higher than each, and lower."""
    from headcount.stats._rank_kernel import told_apart

    order = np.argsort(rating, kind="stable")
    above, below = np.zeros((2, len(rating)), dtype=np.int64)
    above[order], below[order] = told_apart(rating[order], variance[order], z)
    return above, below


def _quantiles(df: Floats | None, z: float) -> Floats | float:
    """Student's quantiles where the normal one is z."""
    if df is None or z <= 0:
        return z
    special: Any = import_module("scipy.special")
    # Interpolated over 1 / df, since there is one of every two items: good to 5 digits.
    inverse: Floats = np.arange(GRID) / (GRID - 1.0)
    table: Floats = special.stdtrit(1 / np.maximum(inverse, 1e-9), special.ndtr(z))
    return np.exp(np.interp(1 / df, inverse, np.log(table)))


def _step_down(t: Floats, part: slice, df: Floats | None, level: float) -> tuple[Floats, Floats]:
    """Ranks that Holm's tests of some items against all others leave open."""
    special: Any = import_module("scipy.special")
    n = t.shape[1]
    p: Floats = 2 * special.ndtr(-np.abs(t))
    if df is not None:
        p = 2 * special.stdtr(np.minimum(df, 1e6), -np.abs(t))
    at = np.arange(len(t))
    p[at, np.arange(n)[part]] = np.inf  # an item is not tested against itself
    order = np.argsort(p, axis=1, kind="stable")
    allowed: Floats = (1 - level) / np.arange(n - 1, 0, -1, dtype=np.float64)
    holds = np.logical_and.accumulate(np.take_along_axis(p, order, 1)[:, :-1] <= allowed, axis=1)
    different = np.zeros(t.shape, dtype=bool)
    np.put_along_axis(different, order[:, :-1], holds, 1)
    above, below = different & (t > 0), different & (t < 0)
    return 1.0 + np.sum(above, axis=1), n - np.sum(below, axis=1, dtype=float)


# Correlation of two lists of scores or ranks.

ROUNDING = 1e-12


def kendall(x: Floats, y: Floats) -> float:
    r"""Kendall's tau-b: concordant minus discordant pairs, over pairs without ties.

    :math:`(C - D) / \sqrt{(n_0 - n_x) (n_0 - n_y)}` with :math:`n_0` pairs in all, and
    :math:`n_x` and :math:`n_y` tied in x and in y. nan if one of them does not vary. O(K^2).

    Examples
    --------
    >>> round(kendall(np.array([1.0, 1, 3, 4]), np.array([1.0, 2, 4, 3])), 3)
    0.548
    """
    both = ~(np.isnan(x) | np.isnan(y))
    first, second = np.triu_indices(int(both.sum()), 1)
    a, b = (_sign(each[both][first] - each[both][second]) for each in (x, y))
    spread = float(np.sqrt(np.abs(a).sum() * np.abs(b).sum()))
    return float((a * b).sum()) / spread if spread > 0 else float("nan")


def _sign(difference: Floats) -> Floats:
    return np.where(np.abs(difference) > ROUNDING, np.sign(difference), 0.0)


# Many tests at once.


def holm(p_value: Floats) -> Floats:
    r"""Adjust p-values for how many they are: (tests,), nan where there is no test.

    The i-th smallest of m becomes the largest of :math:`(m - j + 1) p_{(j)}` for j up to i, at
    most 1. Rejecting at most .05 makes any false rejection at most 5% likely, however the tests
    depend on each other.

    Examples
    --------
    >>> holm(np.array([0.01, 0.04, np.nan, 0.03]))
    array([0.03, 0.06,  nan, 0.06])
    """
    tested = np.flatnonzero(~np.isnan(p_value))
    order = tested[np.argsort(p_value[tested], kind="stable")]
    out = np.full(len(p_value), np.nan)
    steps = np.arange(len(order), 0, -1) * p_value[order]
    out[order] = np.minimum(np.maximum.accumulate(steps), 1)
    return out


def benjamini_hochberg(p_value: Floats) -> Floats:
    r"""Adjust p-values so that few of those rejected are false: (tests,), nan without a test.

    The i-th smallest of m becomes the smallest of :math:`m p_{(j)} / j` for j from i on. Of those
    rejected at .05, 5% at most are false on average, if tests are independent of each other.

    References
    ----------
    Benjamini and Hochberg (1995), Controlling the false discovery rate: a practical and powerful
    approach to multiple testing, JRSS B 57(1).

    Examples
    --------
    >>> benjamini_hochberg(np.array([0.01, 0.04, np.nan, 0.03]))
    array([0.03, 0.04,  nan, 0.04])
    """
    tested = np.flatnonzero(~np.isnan(p_value))
    order = tested[np.argsort(p_value[tested], kind="stable")]
    out = np.full(len(p_value), np.nan)
    steps = len(order) * p_value[order] / np.arange(1, len(order) + 1)
    out[order] = np.minimum(np.minimum.accumulate(steps[::-1])[::-1], 1)
    return out

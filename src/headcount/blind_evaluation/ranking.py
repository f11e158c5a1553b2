"""Ranks of classifiers that only differ where a test says so."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from headcount import options
from headcount.errors import DataError
from headcount.results.arrays import to_json
from headcount.stats.multiple_tests import holm
from headcount.typing import Codes, Flags, Floats

__all__ = ["Ranking", "PairedTests", "copeland", "paired_tests", "rank"]

ROUNDING = 1e-12
"""Differences and variances below this share of what they are made of are rounding errors."""


@dataclass(frozen=True, eq=False)
class Ranking:
    """Places that differ only where a test says so.

    Parameters
    ----------
    rank : (K,) array
        1 and the number of others that are significantly better, so that those with rank 1 are
        the ones that no test tells from the best. nan without a score.
    wins, defeats : (K,) arrays of int
        Others that it is significantly better, or worse, than.
    tests : PairedTests
        Of the hypotheses that two have the same score.
    level : float
        Confidence at which a difference counts.
    """

    rank: Floats
    wins: Codes
    defeats: Codes
    tests: PairedTests
    level: float

    @cached_property
    def p_value(self) -> Floats:
        """Of the hypothesis that two have the same score: (K, K), symmetric, nan without a test."""
        return self.tests.p_value

    @cached_property
    def adjusted(self) -> Floats:
        """The same after Holm's correction over all pairs."""
        one, two = np.triu_indices(len(self.rank), 1)
        out = np.full_like(self.p_value, np.nan)
        out[one, two] = out[two, one] = holm(self.p_value[one, two])
        return out

    @property
    def by_balance(self) -> Floats:
        """Copeland's ranks, by significant wins minus defeats, as the paper compares methods by."""
        return copeland((self.wins - self.defeats).astype(np.float64), ~np.isnan(self.rank))

    def to_dict(self) -> dict[str, Any]:
        """Return the JSON form."""
        return {
            "rank": [None if np.isnan(x) else int(x) for x in self.rank],
            "wins": self.wins.tolist(),
            "defeats": self.defeats.tolist(),
            "p_values": to_json(self.p_value),
            "adjusted_p_values": to_json(self.adjusted),
            "level": self.level,
        }


def rank(
    scores: Floats,
    covariance: Floats,
    n: float | Codes,
    *,
    added: Floats | None = None,
    level: float = 0.95,
) -> Ranking:
    """Rank classifiers by one metric: by how many others are significantly better.

    Parameters
    ----------
    scores : (K,) array
        Higher is better; nan where there is none.
    covariance : (K, K) array
        Covariance of the scores over items, as of :func:`tables.covariance`.
    n : float or (K,) array of int
        Items, in all or of each classifier.
    added : (K,) array, optional
        Variance that each score has beyond what is seen; none by default.
    level : float
        Confidence at which a difference counts.

    Notes
    -----
    Paired t-tests of every two classifiers, and Holm's correction over all pairs. A rank is 1 and
    the number of others that are significantly better. So the best score always has rank 1, and
    shares it with all that no other is significantly better than; ranks below mean the same one
    step down. They need not go by scores: few labels tell little, so that a classifier with few
    may share a rank with much better ones. O(K^2 log K).

    The tests are for the labels that were taken as the truth. They do not know that those may be
    wrong.

    References
    ----------
    Jung and Lease (2012), Section 4.3; Holm (1979), "A simple sequentially rejective multiple
    test procedure".

    Examples
    --------
    The paper's example: a is better than c, and b cannot be told from either.

    >>> found = rank(np.array([0.9, 0.8, 0.7]), np.eye(3) * 0.003, 1000)
    >>> found.adjusted[0].round(3)
    array([  nan, 0.394, 0.03 ])
    >>> found.rank
    array([1., 1., 2.])
    """
    options.level(level)
    tests = paired_tests(scores, covariance, n, added)
    # Guards against 1 - .95 = .050000000000000044.
    better = tests.significant(round(1 - level, 12)) & (scores[:, None] > scores)
    wins, defeats = better.sum(axis=1), better.sum(axis=0)
    return Ranking(
        rank=np.where(np.isnan(scores), np.nan, 1.0 + defeats),
        wins=wins,
        defeats=defeats,
        tests=tests,
        level=level,
    )


@dataclass(frozen=True, eq=False)
class PairedTests:
    """T-tests of every two classifiers.

    Parameters
    ----------
    t : (K, K) array
        Absolute values; nan where there is no test, as on the diagonal.
    freedom : (K, K) array
        Degrees of freedom.
    """

    t: Floats
    freedom: Floats

    @cached_property
    def p_value(self) -> Floats:
        """Two-sided: (K, K), symmetric, nan where there is no test."""
        one, two = np.nonzero(np.triu(~np.isnan(self.t), 1))
        out = np.full_like(self.t, np.nan)
        out[one, two] = out[two, one] = _two_sided(self.t[one, two], self.freedom[one, two])
        return out

    def significant(self, alpha: float) -> Flags:
        """Whether Holm's correction of all tests leaves a p-value of at most alpha: (K, K).

        What is below alpha / m is so whatever the others are, and what is above alpha never: of a
        million tests few p-values lie between, and only these are computed. The t distribution has
        heavier tails than the normal one, by which the upper bound goes.
        """
        from scipy import special  # pyright: ignore[reportMissingTypeStubs]

        one, two = np.nonzero(np.triu(~np.isnan(self.t), 1))
        t, freedom = self.t[one, two], self.freedom[one, two]
        out = np.zeros(self.t.shape, dtype=bool)
        if not len(t):
            return out
        quantile: Any = special.stdtrit  # pyright: ignore[reportUnknownMemberType]
        normal: Any = special.ndtri  # pyright: ignore[reportUnknownMemberType]
        # Bounds a little further out than they need be, since these functions round as well.
        surely = t > -quantile(freedom.min(), alpha / (2 * len(t))) * (1 + 1e-6)
        between = np.flatnonzero(~surely & (t > -normal(alpha / 2) * (1 - 1e-6)))
        p = _two_sided(t[between], freedom[between])
        order = np.argsort(p, kind="stable")
        left = len(t) - int(surely.sum()) - np.arange(len(order))
        passed = np.logical_and.accumulate(left * p[order] <= alpha)
        surely[between[order[passed]]] = True
        out[one, two] = out[two, one] = surely
        return out


def _two_sided(t: Floats, freedom: Floats) -> Floats:
    from scipy.special import stdtr  # pyright: ignore[reportMissingTypeStubs]

    return 2 * stdtr(freedom, -t)


def paired_tests(
    scores: Floats, covariance: Floats, n: float | Codes, added: Floats | None = None
) -> PairedTests:
    r"""Test the differences of every two scores.

    :math:`t = (s_k - s_l) / \sqrt{S_{kk} + S_{ll} - 2 S_{kl} + u_k + u_l}` with n - 1 degrees of
    freedom (of the classifier with fewer items), two-sided; for accuracies on the same items, and
    nothing added, it is the paired t-test. Where the difference has no variance, p is 1 for equal
    scores and else 0.

    Examples
    --------
    >>> found = paired_tests(np.array([0.8, 0.6]), np.array([[0.01, 0.005], [0.005, 0.01]]), 26)
    >>> found.p_value.round(4)
    array([[   nan, 0.0565],
           [0.0565,    nan]])
    """
    items = np.broadcast_to(np.asarray(n, dtype=np.float64), scores.shape)
    if items.max(initial=0) < 2:
        raise DataError(f"a test needs 2 items or more, and there is {items.max(initial=0):g}.")
    own = covariance.diagonal()
    more = np.zeros_like(own) if added is None else added
    total = own[:, None] + own
    variance = total - 2 * covariance + more[:, None] + more
    difference = scores[:, None] - scores
    some = (variance > ROUNDING * total) & ~np.isnan(difference)
    t = np.where(np.abs(difference) > ROUNDING, np.inf, 0.0)
    np.divide(np.abs(difference), np.sqrt(np.maximum(variance, 0)), out=t, where=some)
    freedom = np.minimum(items[:, None], items) - 1
    t[np.isnan(difference) | (freedom < 1)] = np.nan
    np.fill_diagonal(t, np.nan)
    return PairedTests(t, freedom)


def copeland(balance: Floats, known: Flags | None = None) -> Floats:
    """Rank by wins minus defeats, the highest first: ties share the best of their places.

    Examples
    --------
    >>> copeland(np.array([1.0, -2, 1]))
    array([1., 3., 1.])
    """
    known = ~np.isnan(balance) if known is None else known
    ordered = np.sort(-balance[known])
    rank = np.searchsorted(ordered, -balance) + 1.0
    return np.where(known, rank, np.nan)

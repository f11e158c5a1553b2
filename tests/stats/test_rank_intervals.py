"""Ranks by tests of all pairs, against a double loop, and the values of Dunnett's table."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from headcount.stats import ranks as module
from headcount.stats.ranks import Spread, may_be_first_value, rank_intervals


@pytest.mark.parametrize(
    ("others", "value"), [(1, 1.64), (2, 1.92), (3, 2.06), (4, 2.16), (5, 2.23), (9, 2.42)]
)
def test_dunnetts_table(others, value):
    """One-sided 5% points for infinitely many degrees of freedom (Dunnett 1955, table 1a)."""
    assert may_be_first_value(others + 1) == pytest.approx(value, abs=0.006)


def test_first_value_at_any_level():
    assert may_be_first_value(2, 0.5) == pytest.approx(0, abs=1e-6)
    assert may_be_first_value(2, 0.99) == pytest.approx(stats.norm.ppf(0.99), abs=1e-6)
    assert 8 < may_be_first_value(5, 1 - 2**-53) < 9
    assert np.isfinite(may_be_first_value(5, 1e-12))


def slow(rating, covariance, df, level):
    n = len(rating)
    low, high = [], []
    dunnett = may_be_first_value(n, level)
    for j in range(n):
        better = worse = 0
        first = last = True
        for k in range(n):
            if k == j:
                continue
            error = np.sqrt(covariance[j, j] + covariance[k, k] - 2 * covariance[j, k])
            t = (rating[k] - rating[j]) / error
            own, other = covariance[j, j], covariance[k, k]
            few = (own + other) ** 2 / (own**2 / df[j] + other**2 / df[k] or 1e-300)
            z = stats.t.ppf((1 + level) / 2, few)
            c = stats.t.ppf(stats.norm.cdf(dunnett), few)
            better, worse = better + (t > z), worse + (t < -z)
            first, last = first and t <= c, last and t >= -c
        low.append(1 if first else 1 + better)
        high.append(n if last else n - worse)
    if low.count(1) > 1:
        high = [max(one, 2) for one in high]
    if high.count(n) > 1:
        low = [min(one, n - 1) for one in low]
    return low, high


def slow_each(rating, covariance, level):
    """Holm's tests of an item against all others, one by one."""
    n = len(rating)
    low, high = [], []
    for j in range(n):
        tests = []
        for k in range(n):
            if k != j:
                error = np.sqrt(covariance[j, j] + covariance[k, k] - 2 * covariance[j, k])
                t = (rating[k] - rating[j]) / error
                tests.append((2 * stats.norm.sf(abs(t)), t > 0))
        better = worse = 0
        for done, (p, above) in enumerate(sorted(tests)):
            if p > (1 - level) / (n - 1 - done):
                break
            better, worse = better + above, worse + (not above)
        low.append(1 + better)
        high.append(n - worse)
    return low, high


@given(st.integers(0, 10_000), st.integers(2, 9), st.sampled_from([0.8, 0.95]), st.booleans())
@settings(max_examples=60, deadline=None)
def test_a_double_loop(seed, n, level, few):
    rng = np.random.default_rng(seed)
    half = rng.normal(size=(n, n + 2))
    covariance = half @ half.T / n
    rating = rng.normal(size=n) * rng.choice([0.5, 2.0, 8.0])
    df = rng.uniform(3, 30, n) if few else np.full(n, np.inf)
    spread = Spread(variance=np.diag(covariance), covariance=covariance, df=df if few else None)
    low, high = rank_intervals(rating, spread, level=level)
    assert (low.tolist(), high.tolist()) == slow(rating, covariance, df, level)
    if not few:
        low, high = rank_intervals(rating, spread, level=level, each=True)
        assert (low.tolist(), high.tolist()) == slow_each(rating, covariance, level)


def test_rows_at_a_time_change_nothing(monkeypatch):
    rng = np.random.default_rng(1)
    rating, spread = rng.normal(size=30) * 3, Spread(variance=rng.uniform(0.5, 1, 30))
    for each in (False, True):
        one = rank_intervals(rating, spread, each=each)
        with monkeypatch.context() as patch:
            patch.setattr(module, "CELLS", 70)
            two = rank_intervals(rating, spread, each=each)
        assert [x.tolist() for x in one] == [x.tolist() for x in two]


def test_equal_items_may_all_be_first_and_last():
    low, high = rank_intervals(np.zeros(7), Spread(variance=np.ones(7)))
    assert (low == 1).all()
    assert (high == 7).all()
    assert [x.tolist() for x in rank_intervals(np.zeros(1), Spread(variance=np.ones(1)))] == [
        [1],
        [1],
    ]


def test_each_item_by_itself_is_no_narrower_than_on_average():
    rng = np.random.default_rng(2)
    rating, spread = rng.normal(size=40) * 3, Spread(variance=np.full(40, 0.4))
    low, high = rank_intervals(rating, spread)
    wide_low, wide_high = rank_intervals(rating, spread, each=True)
    inner = (low > 1) & (high < 40)
    assert (wide_low[inner] <= low[inner]).all()
    assert (wide_high[inner] >= high[inner]).all()


def test_nobody_is_first_for_sure_where_another_may_be():
    """Differences of 2.1 standard errors: more than 1.96, and less than Dunnett's 2.42 of ten."""
    rating = np.array([2.1, 0.0, *np.arange(-20.0, -100.0, -10.0)])
    low, high = rank_intervals(rating, Spread(variance=np.full(10, 0.5)))
    assert (low[:2].tolist(), high[:2].tolist()) == ([1, 1], [2, 2])

"""Ranks by tests of all pairs, and sums by group."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from headcount.stats import arrays as grouping
from headcount.stats import ranks as module
from headcount.stats.arrays import group_rows
from headcount.stats.ranks import Spread, may_be_first_value, rank_intervals

# Ranks by tests of all pairs, against a double loop, and the values of Dunnett's table.


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


@settings(max_examples=20, deadline=None)
@given(seed=st.integers(0, 1000), n=st.integers(2, 40), alike=st.booleans())
def test_a_kernel_counts_the_same_among_very_many(seed, n, alike):
    rng = np.random.default_rng(seed)
    rating = np.round(rng.normal(size=n), 1)  # some are equal
    spread = Spread(variance=np.full(n, 0.04) if alike else rng.gamma(1.0, 0.1, n))
    expected = rank_intervals(rating, spread)
    before = module.MANY
    module.MANY = 0
    try:
        found = rank_intervals(rating, spread)
    finally:
        module.MANY = before
    assert [ends.tolist() for ends in found] == [ends.tolist() for ends in expected]


SMALL = st.integers(-2, 3)
WIDE = st.sampled_from([-(2**62), -(2**31), -1, 0, 2**31 - 1, 2**31, 2**62])
"""Digits of four such columns overflow, and each is too wide to be one."""
MIDDLE = st.sampled_from([0, 1, 2**30, 2**31 - 1])
"""Digits of three such columns overflow, but each is one."""


@pytest.mark.parametrize("dtype", [np.int64, np.float64])
@pytest.mark.parametrize("values", [SMALL, MIDDLE, WIDE])
@given(data=st.data())
def test_groups_are_unique_rows(values, dtype, data):
    width = data.draw(st.integers(1, 5))
    rows = data.draw(st.lists(st.lists(values, min_size=width, max_size=width), min_size=1))
    matrix = np.array(rows, dtype=dtype)
    first, group = group_rows(matrix.T)
    expected, index, inverse = np.unique(matrix, axis=0, return_index=True, return_inverse=True)
    np.testing.assert_array_equal(matrix[first], expected)
    np.testing.assert_array_equal(first, index)
    np.testing.assert_array_equal(group, inverse.ravel())


@given(st.lists(st.tuples(st.booleans(), st.sampled_from([0.5, np.nan]), st.integers(0, 1))))
def test_columns_of_many_kinds(rows):
    columns = [np.array(column) for column in zip(*rows, strict=True)] or [np.zeros(0, dtype=int)]
    _, group = group_rows(columns)
    known = [(one, str(other), third) for one, other, third in rows]  # NaN is equal to itself
    for i, one in enumerate(known):
        for j, other in enumerate(known):
            assert (group[i] == group[j]) == (one == other)


@pytest.mark.parametrize("looked_at", [1, 3])
@given(data=st.data())
def test_long_columns_of_few_values_are_grouped_as_by_a_sort(looked_at, data):
    """Also where the rows looked at first miss a value, or there is NaN."""
    values = st.sampled_from([-0.0, 0.0, 0.25, 1.0, 3.0, np.nan])
    column = np.array(data.draw(st.lists(values, min_size=3, max_size=40)))
    other = np.array(data.draw(st.lists(st.integers(0, 2), min_size=len(column))))[: len(column)]
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(grouping, "_LONG", 10**9)
        patch.setattr(grouping, "_FEW_KEYS", 0)
        patch.setattr(grouping, "_by_table", _by_sort)
        expected = group_rows([column, other])
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(grouping, "_LONG", 3)
        patch.setattr(grouping, "_LOOKED_AT", looked_at)
        patch.setattr(grouping, "_FEW_VALUES", 4)
        found = group_rows([column, other])
    for one, two in zip(found, expected, strict=True):
        np.testing.assert_array_equal(one, two)


def _by_sort(key, size):
    return np.unique(key, return_index=True, return_inverse=True)[1:]


def test_no_column_is_an_error():
    with pytest.raises(ValueError, match="at least one column"):
        group_rows([])

"""Estimates, draws, and intervals from them, from errors and from sizes."""

from __future__ import annotations

import ast
import math
import re
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.integrate import quad
from scipy.stats import beta, binom, norm, t

import headcount
from headcount import Estimate
from headcount.results.notes import few_draws
from headcount.stats import draws as keyed
from headcount.stats.draws import folds, keys, resample
from headcount.stats.intervals import (
    DELTA,
    FROM_ERROR,
    INTERVALS,
    PERCENTILE,
    POSTERIOR_ON_GRID,
    RANGE,
    STUDENT,
    WALD,
    share_interval,
)


def test_percentile_ends_are_draws():
    draws = np.arange(1, 1001, dtype=float)[::-1]
    estimate = Estimate.from_draws(500.0, draws, level=0.95)
    # Positions 24.975 and 974.025 of 0..999, rounded outwards.
    assert (estimate.low, estimate.high) == (25, 976)
    assert estimate.method == "percentile bootstrap"


@given(
    st.lists(st.floats(allow_nan=False), min_size=1, max_size=50),
    st.floats(0.01, 0.99),
)
def test_infinite_draws_never_make_nan(draws, level):
    estimate = Estimate.from_draws(0.0, np.array(draws), level=level)
    assert estimate.low in draws
    assert estimate.high in draws
    assert estimate.low <= estimate.high


def test_no_draws_no_interval():
    estimate = Estimate.from_draws(1.5, np.empty(0), level=0.95)
    assert estimate.to_dict() == {"value": 1.5, "low": None, "high": None}
    assert repr(estimate) == "1.5"
    assert estimate.interval() == ""


def test_censored_ends():
    estimate = Estimate(2.5, -math.inf, math.inf, 0.95, "x", bounds=(0, 9))
    assert repr(estimate) == "2.5 (< 0 to > 9)"
    assert estimate.interval(1) == "< 0 to > 9"
    assert estimate.censored is None
    assert estimate.to_dict() == {
        "value": 2.5, "low": None, "high": None,
        "censored": None, "low_censored": "below", "high_censored": "above",
    }  # fmt: skip
    assert estimate.ceil().value == 3
    assert estimate.ceil().high == math.inf


def test_undefined_says_why():
    estimate = Estimate(math.nan, undefined="every rating is 'yes'")
    assert repr(estimate) == "undefined: every rating is 'yes'"
    assert estimate.to_dict()["undefined"] == "every rating is 'yes'"
    assert estimate.to_dict()["value"] is None


def test_bounds_themselves_are_not_censored():
    assert Estimate(0.0, bounds=(0, 9)).censored is None
    assert Estimate(9.0, bounds=(0, 9)).censored is None


@pytest.mark.parametrize(("level", "low", "high"), [(0.9, 1, 20), (0.5, 5, 16)])
def test_small_number_of_draws(level, low, high):
    estimate = Estimate.from_draws(0.0, np.arange(1.0, 21.0), level=level)
    assert (estimate.low, estimate.high) == (low, high)


def drawn(multiplicity, draws, seed, block=100):
    rng = np.random.default_rng(seed)
    return np.concatenate(list(resample(np.array(multiplicity), draws, rng, block=block)))


COMMON, ALONE, RARE = [50, 30, 21], [1] * 10, [3, 1, 0, 1, 1]
MIXED = [40, 3, 25, 20, 1, 0, 11]
"""Cells of all kinds, in no order."""


@pytest.mark.parametrize("multiplicity", [COMMON, ALONE, RARE, [0, 2], MIXED])
def test_draws_are_multinomial(multiplicity):
    """All ways to draw have the mean and covariance of n draws with replacement."""
    n = sum(multiplicity)
    p = np.array(multiplicity) / n
    weights = drawn(multiplicity, 20_000, 1)
    assert (weights.sum(axis=1) == n).all()
    # The standard error of each mean is sqrt(n p (1 - p) / 20000) <= .036; five of them.
    np.testing.assert_allclose(weights.mean(axis=0), n * p, atol=0.18)
    expected = n * (np.diag(p) - np.outer(p, p))
    # A sample covariance of 20,000 draws is good to 1% of the product of deviations, or so.
    np.testing.assert_allclose(np.cov(weights.T), expected, atol=0.05 * expected.max())


@pytest.mark.parametrize("multiplicity", [COMMON, ALONE, RARE, MIXED])
def test_blocks_do_not_change_the_numbers(multiplicity):
    expected = drawn(multiplicity, 10, 3)
    for block in (1, 3, 10):
        np.testing.assert_array_equal(drawn(multiplicity, 10, 3, block), expected)


@pytest.mark.parametrize(
    ("draws", "level", "least"),
    [(1, 0.95, "40"), (39, 0.95, "40"), (199, 0.99, "200"), (41, 0.95, None), (0, 0.9, None)],
)
def test_too_few_draws_are_told(draws, level, least):
    notes = few_draws(draws, level)
    assert [f"take {least} or more" in note for note in notes] == ([True] if least else [])


IDS = np.array([f"item {i}" for i in range(23)], dtype=object)


def test_keys_go_by_the_id_and_the_seed_alone():
    order = np.random.default_rng(1).permutation(len(IDS))
    np.testing.assert_array_equal(keys(IDS[order], 7), keys(IDS, 7)[order])
    assert (keys(IDS, 7) != keys(IDS, 8)).all()
    # Integers and the same ids as text have the same keys, as they are in any database.
    np.testing.assert_array_equal(keys(np.array([1, 20]), 0), keys(np.array(["1", "20"]), 0))


@pytest.mark.parametrize("number", [2, 5, 23])
def test_folds_go_by_keys_and_are_of_equal_size(number):
    order = np.random.default_rng(2).permutation(len(IDS))
    expected = folds(IDS, number, seed=3)
    np.testing.assert_array_equal(folds(IDS[order], number, seed=3), expected[order])
    sizes = np.bincount(expected, minlength=number)
    assert len(sizes) == number
    assert sizes.max() - sizes.min() <= 1
    assert number == len(IDS) or (folds(IDS, number, seed=4) != expected).any()


TEXTS = st.text(st.characters(blacklist_categories=("Cs",)), max_size=5)


@given(
    st.lists(TEXTS, min_size=2) | st.lists(st.integers(-(2**63), 2**63 - 1), min_size=2),
    st.integers(0, 2**40),
)
@settings(max_examples=20, deadline=None)
def test_the_database_finds_the_same_keys(ids, seed):
    ids = np.array(ids, dtype=object if isinstance(ids[0], str) else np.int64)
    slow = keyed.keys(ids, seed)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(keyed, "_MANY", 2)
        np.testing.assert_array_equal(keyed.keys(ids, seed), slow)


def test_items_of_equal_keys_are_ranked_by_name(monkeypatch):
    monkeypatch.setattr(keyed, "keys", lambda ids, seed: np.array([7, 3, 7, 3, 1, 7], np.uint32))
    ids = np.array(["b", "d", "a", "c", "z", "c"], dtype=object)
    assert keyed.ranks(ids, 0).tolist() == [4, 2, 3, 1, 0, 5]
    assert keyed.ranks(np.array([2, 10, 1, 9, 0, 11]), 0).tolist() == [5, 1, 3, 2, 0, 4]


SOURCE = Path(headcount.__file__).parent
PAGE = Path(__file__).parents[2] / "docs" / "methods" / "intervals.md"


def test_the_page_says_what_each_assumes_and_when_there_is_none():
    page = PAGE.read_text(encoding="utf-8")
    rows = re.findall(r"^\| `(.+?)` \| .{10,} \| .{5,} \|$", page, re.MULTILINE)
    assert sorted(rows) == sorted(INTERVALS)


def test_no_estimate_spells_its_method():
    """Names come from the classes: no string stands where an estimate is made."""
    spelt = [
        f"{path.relative_to(SOURCE)}:{node.lineno}"
        for path in SOURCE.rglob("*.py")
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if isinstance(node, ast.Call)
        and isinstance(node.func, ast.Name)
        and node.func.id in ("Estimate", "replace", "cls")
        for keyword in node.keywords
        if keyword.arg == "method" and isinstance(keyword.value, ast.Constant)
    ]
    assert not spelt


@given(
    value=st.floats(-1, 1),
    error=st.floats(0, 10),
    n=st.integers(2, 1000),
    level=st.floats(0.5, 0.999),
)
def test_intervals_of_an_error_agree_with_scipy(value, error, n, level):
    # Both invert the same distribution functions; ends differ by rounding alone.
    student, normal = (each.ends(value, error, level, n) for each in (STUDENT, DELTA))
    wald = WALD.ends(value, error, level)
    assert student == pytest.approx(t.interval(level, n - 1, value, max(error, 1e-300)), abs=1e-9)
    for found in (normal, wald):
        assert found == pytest.approx(norm.interval(level, value, max(error, 1e-300)), abs=1e-9)


@pytest.mark.parametrize("method", FROM_ERROR, ids=lambda method: method.name)
def test_no_interval_of_one_item_or_an_unknown_error(method):
    assert method.ends(0.5, 0.1, 0.95, 1) is None
    assert method.ends(0.5, math.nan, 0.95) is None
    assert Estimate.from_error(0.5, math.nan, level=0.95, method=method) == Estimate(0.5)


def test_intervals_are_cut_at_limits():
    found = Estimate.from_error(0.9, 0.5, level=0.95, method=DELTA, n=9, limits=(0.0, 1.0))
    assert (found.low, found.high, found.method) == (0.0, 1.0, DELTA.name)


@given(st.lists(st.floats(-5, 5), min_size=1, max_size=50), st.floats(0.01, 0.99))
def test_a_range_that_is_a_point_makes_the_percentile_interval(draws, level):
    table = np.array(draws)
    assert RANGE.ends(table, table, level) == PERCENTILE.ends(0.0, table, level)


def test_a_grid_is_cut_where_the_tails_reach():
    grid = np.arange(5.0)
    assert POSTERIOR_ON_GRID.ends(grid, np.array([0.1, 0.2, 0.4, 0.2, 0.1]), 0.5) == (1.0, 3.0)


# Intervals of shares from an effective number of items.


@given(st.floats(-0.2, 1.2), st.floats(0.5, 500), st.floats(0.05, 0.995))
def test_it_holds_the_share_and_has_a_width(value, size, level):
    low, high = share_interval(value, size, level)
    assert 0 <= low <= min(max(value, 0), 1) <= high <= 1
    assert high > low


@given(st.integers(1, 60), st.data())
def test_it_lies_between_jeffreys_and_clopper_and_pearson(n, data):
    x = data.draw(st.integers(0, n))
    low, high = share_interval(x / n, float(n), 0.95)
    if 0 < x < n:
        # Rounding of the share moves the ends by less than this.
        assert beta.ppf(0.025, x, n - x + 1) - 1e-9 <= low <= beta.ppf(0.025, x + 0.5, n - x + 0.5)
        assert beta.ppf(0.975, x + 0.5, n - x + 0.5) <= high <= beta.ppf(0.975, x + 1, n - x) + 1e-9


def test_the_ends_leave_out_half_of_the_rest_by_integration():
    low, high = (float(end) for end in share_interval(0.9, 40.0, 0.9))
    below, _ = quad(lambda p: beta.pdf(p, 36.25, 4.75), 0, low)
    above, _ = quad(lambda p: beta.pdf(p, 36.75, 4.25), high, 1)
    assert (below, above) == pytest.approx((0.05, 0.05), abs=1e-9)


@pytest.mark.parametrize("n", [20, 50, 200])
def test_exact_coverage_of_a_binomial_share(n):
    """By summing over all counts: no share is covered less than 91.5%, the mean is above 95%."""
    x = np.arange(n + 1)
    low, high = share_interval(x / n, float(n), 0.95)
    shares = np.linspace(0.02, 0.998, 400)
    inside = (low[:, None] <= shares) & (shares <= high[:, None])
    covered = (binom.pmf(x[:, None], n, shares) * inside).sum(axis=0)
    assert covered.min() > 0.915
    assert 0.95 < covered.mean() < 0.985


def test_more_items_narrow_it():
    sizes = np.array([5.0, 20, 100, 1000])
    low, high = share_interval(np.full(4, 0.97), sizes, 0.95)
    assert (np.diff(high - low) < 0).all()

from __future__ import annotations

import ast
import math
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import norm, t

import headcount
from headcount.stats.estimate import Estimate
from headcount.stats.intervals.catalogue import INTERVALS
from headcount.stats.intervals.from_draws import BIAS_CORRECTED, PERCENTILE, RANGE
from headcount.stats.intervals.from_error import DELTA, FROM_ERROR, STUDENT, WALD
from headcount.stats.intervals.from_model import POSTERIOR_ON_GRID

SOURCE = Path(headcount.__file__).parent
PAGE = Path(__file__).parents[2] / "docs" / "methods" / "intervals.md"


def test_each_says_what_it_assumes_and_when_there_is_none():
    for method in INTERVALS.values():
        assert method.assumes
        assert method.undefined


def test_the_page_lists_them_all():
    page = PAGE.read_text(encoding="utf-8")
    for method in INTERVALS.values():
        assert f"| `{method.name}` | {method.assumes} | {method.undefined} |" in page


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


def test_bias_is_taken_off_twice():
    draws = np.array([0.1, 0.2, 0.3])  # .3 below the value, which is taken to be .3 too low
    assert BIAS_CORRECTED.ends(0.5, draws, 0.95) == pytest.approx((0.7, 0.9))
    assert BIAS_CORRECTED.ends(0.9, draws, 0.95) == (1.0, 1.0)
    assert BIAS_CORRECTED.ends(0.9, draws[:0], 0.95) is None


@given(st.lists(st.floats(-5, 5), min_size=1, max_size=50), st.floats(0.01, 0.99))
def test_a_range_that_is_a_point_makes_the_percentile_interval(draws, level):
    table = np.array(draws)
    assert RANGE.ends(table, table, level) == PERCENTILE.ends(0.0, table, level)


def test_a_grid_is_cut_where_the_tails_reach():
    grid = np.arange(5.0)
    assert POSTERIOR_ON_GRID.ends(grid, np.array([0.1, 0.2, 0.4, 0.2, 0.1]), 0.5) == (1.0, 3.0)

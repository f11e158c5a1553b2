from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from headcount import Estimate


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

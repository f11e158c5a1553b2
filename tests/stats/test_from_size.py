"""Intervals of shares from an effective number of items."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.integrate import quad
from scipy.stats import beta, binom

from headcount.stats.intervals.beta import share_interval


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

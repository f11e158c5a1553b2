"""Sums on arrays, beside slow exact ones."""

from __future__ import annotations

import math

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from headcount.stats.arrays import exact_sum

LOGARITHMS = st.floats(-1e6, 0) | st.floats(-1e-300, 0) | st.just(0.0)


@given(values=arrays(np.float64, st.integers(0, 300), elements=LOGARITHMS))
def test_exact_sum_has_the_last_digit(values):
    exact = math.fsum(values.tolist())
    # One rounding of what is above the unit, one of what is below, and one where they meet.
    assert abs(exact_sum(values) - exact) <= 2 * np.spacing(abs(exact))


def test_exact_sum_keeps_what_a_plain_sum_loses():
    values = np.concatenate([np.full(100_000, 0.1), [1e7], np.full(100_000, 1e-9)])
    assert exact_sum(values) == math.fsum(values.tolist())
    assert values.sum() != math.fsum(values.tolist())


def test_exact_sum_of_minus_infinity_is_minus_infinity():
    assert exact_sum(np.array([-1.0, -np.inf])) == -np.inf

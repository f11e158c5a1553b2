"""What must not matter to Bradley-Terry ratings, and what must in a known way."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from headcount.pairwise.bradley_terry.bradley_terry import bradley_terry
from tests.pairwise.bradley_terry.data import random_comparisons

OPTIONS = [
    {},
    {"position": True},
    {"ties": "davidson", "position": True},
    {"ties": "rao-kupper"},
    {"prior": 0.8, "position": True},
    {"reliability": True, "position": True},
]
# Fits stop at a gradient of 1e-8, and curvatures here are 1 or more.
CLOSE = {"rtol": 0, "atol": 1e-7}
seeds = st.integers(0, 10_000)
options = st.sampled_from(OPTIONS)


def played(seed: int, **kind):
    return random_comparisons(6, 60, ties=0.2, shift=0.3, raters=4, seed=seed, **kind)


@given(seeds, options)
@settings(max_examples=18)
def test_order_of_items_raters_and_rows(seed, kind):
    before = played(seed, weights=True)
    rng = np.random.default_rng(seed)
    rows = rng.permutation(len(before))
    item, rater = rng.permutation(6), rng.permutation(4)
    after = replace(
        before.select(rows),
        left=item[before.left[rows]],
        right=item[before.right[rows]],
        rater=rater[before.rater[rows]],
    )
    one, two = bradley_terry(before, **kind), bradley_terry(after, **kind)
    np.testing.assert_allclose(two.rating[item], one.rating, **CLOSE)
    np.testing.assert_allclose(two.standard_error[item], one.standard_error, **CLOSE)
    if one.slope is not None:
        np.testing.assert_allclose(two.slope[rater], one.slope, **CLOSE)
        np.testing.assert_allclose(two.slope_error[rater], one.slope_error, **CLOSE)


@given(seeds, options)
@settings(max_examples=18)
def test_swapping_all_sides_turns_the_position_effect_and_nothing_else(seed, kind):
    before = played(seed)
    after = replace(before, left=before.right, right=before.left, outcome=1 - before.outcome)
    one, two = bradley_terry(before, **kind), bradley_terry(after, **kind)
    np.testing.assert_allclose(two.rating, one.rating, **CLOSE)
    np.testing.assert_allclose(two.standard_error, one.standard_error, **CLOSE)
    if one.position is not None:
        assert two.position.value == pytest.approx(-one.position.value, abs=1e-7)
        assert two.position.standard_error == pytest.approx(one.position.standard_error, abs=1e-7)
    if one.tie is not None:
        assert two.tie.value == pytest.approx(one.tie.value, abs=1e-7)


@given(seeds, options)
@settings(max_examples=18)
def test_turning_all_outcomes_turns_all_ratings(seed, kind):
    before = played(seed)
    after = replace(before, outcome=1 - before.outcome)
    one, two = bradley_terry(before, **kind), bradley_terry(after, **kind)
    np.testing.assert_allclose(two.rating, -one.rating, **CLOSE)


@given(seeds, st.sampled_from(OPTIONS[:4]))
@settings(max_examples=12)
def test_all_data_twice_halve_the_variance(seed, kind):
    before = played(seed)
    rows = np.tile(np.arange(len(before)), 2)
    kind = {**kind, "errors": "hessian"}
    one, two = bradley_terry(before, **kind), bradley_terry(before.select(rows), **kind)
    np.testing.assert_allclose(two.rating, one.rating, **CLOSE)
    np.testing.assert_allclose(two.standard_error * np.sqrt(2), one.standard_error, **CLOSE)
    assert two.log_likelihood == pytest.approx(2 * one.log_likelihood, rel=1e-12)


@given(seeds, options)
@settings(max_examples=12)
def test_weights_are_repetitions(seed, kind):
    before = played(seed)
    times = np.random.default_rng(seed).integers(1, 4, len(before))
    heavy = replace(before, weight=times.astype(float))
    long = before.select(np.repeat(np.arange(len(before)), times))
    kind = {**kind, "errors": "hessian"}
    one, two = bradley_terry(heavy, **kind), bradley_terry(long, **kind)
    np.testing.assert_allclose(two.rating, one.rating, **CLOSE)
    np.testing.assert_allclose(two.standard_error, one.standard_error, **CLOSE)


@given(seeds)
@settings(max_examples=12)
def test_fair_sides_change_nothing(seed):
    """Every pair shown both ways with the same outcome has no position effect."""
    before = played(seed)
    rows = np.tile(np.arange(len(before)), 2)
    both = before.select(rows)
    n = len(before)
    left, right, outcome = both.left.copy(), both.right.copy(), both.outcome.copy()
    left[n:], right[n:], outcome[n:] = before.right, before.left, 1 - before.outcome
    fair = replace(both, left=left, right=right, outcome=outcome)
    one, two = bradley_terry(before), bradley_terry(fair, position=True)
    np.testing.assert_allclose(two.rating, one.rating, **CLOSE)
    assert two.position.value == pytest.approx(0, abs=1e-8)


def test_a_wide_prior_is_none_and_a_narrow_one_leaves_nothing():
    data = played(0)
    free = bradley_terry(data, errors="hessian")
    wide, narrow = bradley_terry(data, prior=1e4), bradley_terry(data, prior=1e-3)
    np.testing.assert_allclose(wide.rating, free.rating, atol=1e-6)
    np.testing.assert_allclose(wide.standard_error, free.standard_error, atol=1e-6)
    assert np.abs(narrow.rating).max() < 1e-4
    # Relative to the mean of six: 1/1000 times the root of 5/6.
    np.testing.assert_allclose(narrow.standard_error, 1e-3 * np.sqrt(5 / 6), rtol=1e-3)


def test_two_ties_split_as_a_win_and_a_loss():
    data = played(1)
    tied = data.outcome == 0.5
    split = data.select(np.concatenate([np.arange(len(data)), np.flatnonzero(tied)]))
    outcome, weight = split.outcome.copy(), np.ones(len(split))
    halves = outcome == 0.5
    outcome[: len(data)][tied] = 1.0
    outcome[len(data) :] = 0.0
    weight[halves] = 0.5
    after = bradley_terry(replace(split, outcome=outcome, weight=weight))
    np.testing.assert_allclose(after.rating, bradley_terry(data).rating, **CLOSE)


def test_ratings_have_mean_zero_in_each_component():
    data = played(2)
    two = replace(
        data,
        items=np.arange(12),
        left=np.concatenate([data.left, data.left + 6]),
        right=np.concatenate([data.right, data.right + 6]),
        outcome=np.concatenate([data.outcome, 1 - data.outcome]),
        rater=None,
        raters=None,
    )
    one = bradley_terry(data)
    for prior in (None, 1.0):
        fit = bradley_terry(two, prior=prior)
        assert fit.rating[:6].mean() == pytest.approx(0, abs=1e-8)
        assert fit.rating[6:].mean() == pytest.approx(0, abs=1e-8)
        if prior is None:
            np.testing.assert_allclose(fit.rating, np.append(one.rating, -one.rating), **CLOSE)
            np.testing.assert_allclose(fit.standard_error[:6], one.standard_error, **CLOSE)

"""Very many items, scored by sums over patterns: as if each of them were drawn."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from headcount import running_example, survey
from headcount.data.predictions import Predictions
from headcount.equivalence.calibration.numbers import pooled, rounded
from headcount.equivalence.raters import population_notes
from headcount.equivalence.surveys import many_items
from headcount.equivalence.surveys.base import Block
from headcount.equivalence.surveys.many_items import _root, _Sums
from headcount.equivalence.worth import by_max_k


@pytest.fixture
def few_are_many(monkeypatch):
    for module, name in (
        (many_items, "MANY"), (by_max_k, "MOST_ITEMS"), (population_notes, "MOST_ITEMS")
    ):  # fmt: skip
        monkeypatch.setattr(module, name, 500)


def continuous(n, seed=0):
    """Ratings, and probabilities that all differ, of two classifiers."""
    labels, predictions = running_example(n, 6, rng=seed)
    rng = np.random.default_rng(seed)
    columns = {}
    for noise in (0.4, 1.2):
        p = predictions.classifiers[-1].probability[:, 1]
        logit = np.log(p / (1 - p)) + rng.normal(0, noise, n)
        q = 1 / (1 + np.exp(-logit))
        columns[f"noise {noise}"] = np.column_stack([1 - q, q])
    return labels, Predictions.from_probabilities(predictions.items, predictions.labels, columns)


@given(
    items=st.lists(
        st.tuples(st.integers(0, 3), st.integers(-8, 8), st.integers(-8, 8), st.integers(1, 4)),
        min_size=1,
        max_size=60,
    )
)
def test_sums_have_the_covariance_of_a_bootstrap_sample(items):
    """Between patterns and within them, variances add up to that of items drawn one by one."""
    pattern, a, b, weight = np.array(items).T
    _, pattern = np.unique(pattern, return_inverse=True)
    statistics = np.column_stack([a / 4, b / 8, a * b / 16.0])
    multiplicity = np.bincount(pattern, weight).astype(np.int64)
    sums = _Sums(len(multiplicity), 3)
    half = len(pattern) // 2
    for part in (slice(None, half), slice(half, None)):
        block = Block(pattern[part], weight[part].astype(float), [])
        sums.add(block, statistics[part])
    n = multiplicity.sum()
    mean = np.average(statistics, axis=0, weights=weight)
    each = sums.means(multiplicity)
    np.testing.assert_allclose(multiplicity @ each / n, mean, atol=1e-12)
    away = each - mean
    between = (away * multiplicity[:, None]).T @ away / n
    root = sums.within(multiplicity)
    assert (np.triu(root, 1) == 0).all()
    one_by_one = np.cov(statistics.T, fweights=weight, ddof=0)
    # What is left out as rounding is 1e-12 of a sum of squares, of which these are at most 16.
    np.testing.assert_allclose(between + root @ root.T, one_by_one, atol=1e-10)


@given(st.integers(0, 2**32 - 1), st.integers(1, 5), st.integers(1, 5))
def test_roots_of_covariances_that_may_be_singular(seed, size, rank):
    loads = np.random.default_rng(seed).normal(size=(size, min(rank, size)))
    covariance = loads @ loads.T
    root = _root(covariance, np.diag(covariance))
    np.testing.assert_allclose(root @ root.T, covariance, atol=1e-6 * np.abs(covariance).max())


def test_scores_are_those_of_items_held_one_by_one(few_are_many, monkeypatch):
    data = continuous(4000)
    by_sums = survey(*data, bootstrap=2000, rng=1)
    monkeypatch.setattr(many_items, "MANY", 10**9)
    held = survey(*data, bootstrap=2000, rng=1)
    for one, other in zip(by_sums.classifiers, held.classifiers, strict=True):
        assert one.score.value == pytest.approx(other.score.value, abs=1e-12)
        assert one.equivalence.value == pytest.approx(other.equivalence.value, abs=1e-9)
        # 2,000 draws know the ends of an interval to some 4% of its width.
        width = other.score.high - other.score.low
        assert one.score.low == pytest.approx(other.score.low, abs=0.12 * width)
        assert one.score.high == pytest.approx(other.score.high, abs=0.12 * width)
        for a, b in zip(one.with_raters, other.with_raters, strict=True):
            # Of many items predictions are rounded to steps of .02 of their logarithm.
            assert a.score.value == pytest.approx(b.score.value, abs=2e-3)
            assert a.score.high - a.score.low == pytest.approx(b.score.high - b.score.low, rel=0.15)
    (a,), (b,) = by_sums.comparisons, held.comparisons
    assert a.raters.low == pytest.approx(b.raters.low, abs=0.15)
    for a, b in zip(by_sums.reliability, held.reliability, strict=True):
        np.testing.assert_allclose(a.predicted, b.predicted, atol=1e-3)
        np.testing.assert_allclose(a.observed, b.observed, atol=0.01)
        assert sum(a.items) == sum(b.items) == 4000


def test_the_same_whatever_the_order_of_items(few_are_many):
    labels, predictions = continuous(1500)
    rng = np.random.default_rng(3)
    order = rng.permutation(len(predictions.items))
    shuffled = Predictions.from_probabilities(
        predictions.items[order],
        predictions.labels,
        {c.name: c.probability[order] for c in predictions.classifiers},
    )
    one = survey(labels, predictions, bootstrap=50, rng=2)
    other = survey(labels, shuffled, bootstrap=50, rng=2)
    assert one.to_dict()["classifiers"] == other.to_dict()["classifiers"]


def test_a_judge_as_good_as_chance_and_a_copy(few_are_many):
    labels, predictions = continuous(1200)
    p = np.tile([[0.5, 0.5]], (1200, 1))
    copy = predictions.classifiers[0].probability
    columns = {"chance": p, "one": copy, "copy": copy}
    made = Predictions.from_probabilities(predictions.items, predictions.labels, columns)
    found = survey(labels, made, bootstrap=100, rng=1)
    assert found["chance"].score.low == found["chance"].score.high == -1
    assert found["one"].score == found["copy"].score
    (same,) = [c for c in found.comparisons if {c.a, c.b} == {"one", "copy"}]
    assert same.p_a_better == 0.5


@settings(max_examples=50)
@given(st.floats(allow_nan=False, allow_infinity=False, width=32))
def test_rounding_keeps_what_is_round_and_the_order(x):
    once = rounded(np.array([x]))
    assert rounded(once) == once
    assert abs(once[0] - x) <= abs(x) / 2**12
    assert rounded(np.array([-x])) == -once
    assert rounded(np.array([np.nextafter(np.float32(x), np.float32(np.inf))])) >= once


@given(st.integers(0, 2**32 - 1))
def test_numbers_are_pooled_whether_rows_are_split_or_not(seed):
    rng = np.random.default_rng(seed)
    x = rng.integers(0, 900, 4000).astype(float)
    shares = rng.dirichlet([1, 1, 1], len(x))
    _, group = np.unique(x, return_inverse=True)
    weight = np.bincount(group).astype(float)
    mean = np.stack([np.bincount(group, column) for column in shares.T], axis=1) / weight[:, None]
    values, total = pooled(x, shares)
    at_once = pooled(np.unique(x), mean, weight)
    np.testing.assert_allclose(at_once[0], values, atol=1e-9)
    np.testing.assert_allclose(at_once[1], total, atol=1e-9)
    assert total.sum() == pytest.approx(len(x))

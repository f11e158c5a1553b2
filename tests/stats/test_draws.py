from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from headcount.results.notes import few_draws
from headcount.stats import draws as keyed
from headcount.stats.draws import folds, keys, resample


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

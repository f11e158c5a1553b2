"""Paired tests, Holm's correction, ranks by them and Copeland's order."""

from __future__ import annotations

import json

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import ttest_rel
from statsmodels.stats.multitest import multipletests

from headcount.blind_evaluation.metrics import choose_metrics
from headcount.blind_evaluation.ranking import copeland, paired_tests, rank
from headcount.blind_evaluation.scoring.tables import covariance, influence, tables
from headcount.blind_evaluation.votes import collect
from headcount.errors import DataError, OptionError
from headcount.stats.multiple_tests import holm
from tests.blind_evaluation.cases import as_labels


def scored(table: np.ndarray, gold: np.ndarray, metric: str) -> tuple[np.ndarray, np.ndarray]:
    """Scores of complete binary votes and their covariance."""
    votes = collect(as_labels(table, 2), gold={i: str(g) for i, g in enumerate(gold)}, folds=1)
    weight = votes.multiplicity.astype(float)
    truth = np.eye(2)[votes.gold]
    metrics = choose_metrics(votes.labels, names=[metric])
    spread = covariance(influence(votes, truth, weight, metrics), weight)[0]
    return metrics.scores(tables(votes, truth, weight))[:, 0], spread


@given(st.integers(0, 10**6), st.integers(5, 60))
def test_accuracies_have_the_paired_t_test(seed, n):
    rng = np.random.default_rng(seed)
    gold = rng.integers(0, 2, n)
    table = np.where(rng.random((n, 4)) < [0.9, 0.8, 0.6, 0.6], gold[:, None], 1 - gold[:, None])
    scores, spread = scored(table, gold, "accuracy")
    found = paired_tests(scores, spread, n).p_value
    right = (table == gold[:, None]).astype(float)
    for k in range(4):
        for j in range(4):
            difference = right[:, k] - right[:, j]
            if k != j and difference.std() > 0:
                expected = ttest_rel(right[:, k], right[:, j]).pvalue
                # The variance is a difference of sums of about n terms.
                assert found[k, j] == pytest.approx(expected, rel=1e-6)
            elif k != j:
                assert found[k, j] == (1 if difference[0] == 0 else 0)


@pytest.mark.parametrize("metric", ["precision", "recall", "f1"])
def test_other_metrics_have_the_right_size(metric):
    """Two classifiers of the same quality: 5% of tests should reject; of 200, 1.5% to 10%."""
    rng = np.random.default_rng(5)
    rejected = 0
    for _ in range(200):
        gold = (rng.random(300) < 0.4).astype(int)
        table = np.where(rng.random((300, 2)) < 0.8, gold[:, None], 1 - gold[:, None])
        scores, spread = scored(table, gold, metric)
        rejected += paired_tests(scores, spread, 300).p_value[0, 1] < 0.05
    assert 3 <= rejected <= 20


p_values = st.lists(st.one_of(st.floats(0, 1), st.just(0.0), st.just(float("nan"))), max_size=12)


@given(p_values)
def test_holm_by_its_definition(values):
    """Go up the p-values; each is multiplied by how many are left, and none falls again."""
    found = holm(np.array(values))
    left = [(p, i) for i, p in enumerate(values) if not np.isnan(p)]
    most = 0.0
    for step, (p, i) in enumerate(sorted(left)):
        most = max(most, min(1.0, p * (len(left) - step)))
        assert found[i] == pytest.approx(most, rel=1e-12)
    assert np.isnan(found).sum() == len(values) - len(left)


def test_holm_is_that_of_statsmodels():
    p = np.random.default_rng(0).random(40) ** 4
    np.testing.assert_allclose(holm(p), multipletests(p, method="holm")[1], rtol=1e-12)


def test_the_example_of_the_paper():
    """A beats C, and B ties with both: one win, two ties, one defeat (Section 4.3)."""
    found = rank(np.array([0.9, 0.8, 0.7]), np.eye(3) * 0.003, 1000)
    assert (found.adjusted < 0.05).tolist() == [
        [False, False, True],
        [False, False, False],
        [True, False, False],
    ]
    assert found.wins.tolist() == [1, 0, 0]
    assert found.defeats.tolist() == [0, 0, 1]
    assert found.rank.tolist() == [1, 1, 2]  # nobody is significantly better than b
    assert found.by_balance.tolist() == [1, 2, 3]


def test_ties_share_the_best_place():
    # Two far ahead of two others, within each of which nothing is significant.
    found = rank(np.array([0.5, 0.9, 0.501, 0.901]), np.eye(4) * 1e-4, 1000)
    assert found.rank.tolist() == [3, 1, 3, 1]
    assert copeland(np.array([2.0, 2, 0, -1, -1, -2])).tolist() == [1, 1, 3, 4, 4, 6]


def test_without_variance_scores_are_taken_at_their_word():
    found = rank(np.array([0.7, 0.7, 0.6]), np.full((3, 3), 0.01), 50)
    assert found.p_value[0, 1] == 1
    assert found.p_value[0, 2] == 0
    assert found.rank.tolist() == [1, 1, 3]


def test_no_score_no_rank():
    spread = np.eye(3) * 1e-6
    found = rank(np.array([0.2, np.nan, 0.8]), spread, 100)
    np.testing.assert_array_equal(found.rank, [2, np.nan, 1])
    assert np.isnan(found.adjusted[1]).all()
    # One test only, so that nothing is to correct.
    assert found.adjusted[0, 2] == found.p_value[0, 2]
    document = json.loads(json.dumps(found.to_dict(), allow_nan=False))
    assert document["rank"] == [2, None, 1]
    assert document["p_values"][1] == [None, None, None]


@given(st.integers(0, 10**6), st.permutations(range(5)))
def test_order_of_classifiers_does_not_matter(seed, order):
    rng = np.random.default_rng(seed)
    scores, root = rng.random(5), rng.normal(size=(5, 5)) / 10
    spread = root @ root.T
    found = rank(scores, spread, 40, level=0.7)
    turned = rank(scores[order], spread[np.ix_(order, order)], 40, level=0.7)
    np.testing.assert_array_equal(turned.rank, found.rank[order])
    # Wins and defeats are two sides of the same pairs.
    assert found.wins.sum() == found.defeats.sum()


@given(st.integers(0, 10**6), st.sampled_from([0.5, 0.9, 0.95, 0.999]), st.integers(2, 60))
def test_what_is_significant_is_what_holm_says(seed, level, n):
    """Most p-values are never computed; ranks are the same as if all were."""
    rng = np.random.default_rng(seed)
    size = int(rng.integers(2, 25))
    scores, root = rng.random(size).round(2), rng.normal(size=(size, size)) / 10
    scores[rng.random(size) < 0.1] = np.nan
    spread = root @ root.T * rng.choice([0.001, 0.1, 1])
    items = rng.integers(1, n + 2, size) if seed % 2 else n
    found = rank(scores, spread, np.maximum(items, 2), level=level)
    better = (found.adjusted <= round(1 - level, 12)) & (scores[:, None] > scores)
    assert found.defeats.tolist() == better.sum(axis=0).tolist()
    assert found.wins.tolist() == better.sum(axis=1).tolist()


def test_bad_options():
    with pytest.raises(OptionError, match="level"):
        rank(np.array([0.5, 0.6]), np.eye(2), 10, level=95)
    with pytest.raises(DataError, match="2 items"):
        rank(np.array([0.5, 0.6]), np.eye(2), 1)

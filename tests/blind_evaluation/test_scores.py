"""Scores against a truth, and their errors, by all ways to see the truth in votes."""

from __future__ import annotations

from collections import Counter

import numpy as np
import pytest
from hypothesis import given
from scipy.stats import ttest_rel
from sklearn.metrics import f1_score, precision_score, recall_score

from headcount.blind_evaluation.methods.round_robin import robin_influence, round_robin
from headcount.blind_evaluation.methods.sampling import sampled_scores
from headcount.blind_evaluation.methods.vote_truth import (
    leave_group_out,
    leave_one_out,
    majority,
    vote_shares,
)
from headcount.blind_evaluation.metrics import METRICS, choose_metrics
from headcount.blind_evaluation.scoring.tables import covariance, influence, tables
from headcount.blind_evaluation.votes import Votes
from headcount.errors import OptionError
from tests.blind_evaluation.cases import as_votes, naive_score, vote_tables

Case = tuple[np.ndarray, int]


def shares(said: list[int], n_labels: int, *, only_most: bool) -> list[float]:
    """Share of each label among votes, or of each winner among the winners."""
    counts = [said.count(label) for label in range(n_labels)]
    if only_most:
        counts = [int(c == max(counts) > 0) for c in counts]
    return [c / max(1, sum(counts)) for c in counts]


def naive(table: np.ndarray, n_labels: int, name: str, k: int, metric: str) -> float:
    """Score of classifier k, item by item."""
    pairs: list[tuple[float, int, int]] = []
    for row in table:
        if row[k] < 0:
            continue
        votes = [
            int(v) for j, v in enumerate(row) if v >= 0 and (name != "leave-one-out" or j != k)
        ]
        truth = shares(votes, n_labels, only_most=name != "sampling")
        pairs += [(q, label, int(row[k])) for label, q in enumerate(truth)]
    return naive_mean(pairs, n_labels, metric)


def naive_mean(pairs: list[tuple[float, int, int]], n_labels: int, metric: str) -> float:
    if n_labels == 2:
        return naive_score(pairs, metric, 1)
    scores = [naive_score(pairs, metric, label) for label in range(n_labels)]
    if metric == "precision":
        scores = [0.0 if np.isnan(s) else s for s in scores] if sum(p[0] for p in pairs) else scores
    defined = [s for s in scores if not np.isnan(s)]
    return sum(defined) / len(defined) if defined else np.nan


TRUTHS = {"sampling": vote_shares, "majority": majority, "leave-one-out": leave_one_out}


@pytest.mark.parametrize("name", TRUTHS)
@given(case=vote_tables())
def test_scores_against_votes_equal_counting(name: str, case: Case):
    table, n_labels = case
    votes = as_votes(table, n_labels)
    metrics = choose_metrics(votes.labels)
    weight = votes.multiplicity.astype(float)
    found = metrics.scores(tables(votes, TRUTHS[name](votes), weight))
    expected = [
        [naive(table, n_labels, name, k, metric) for metric in METRICS]
        for k in range(table.shape[1])
    ]
    np.testing.assert_allclose(found, expected, atol=1e-12)


@given(case=vote_tables())
def test_round_robin_equals_counting(case: Case):
    table, n_labels = case
    votes = as_votes(table, n_labels)
    found = round_robin(votes, votes.multiplicity.astype(float), choose_metrics(votes.labels))
    for k in range(table.shape[1]):
        for m, metric in enumerate(METRICS):
            scores: list[float] = []
            for other in range(table.shape[1]):
                both = (table[:, k] >= 0) & (table[:, other] >= 0)
                if other != k and both.any():
                    pairs = [(1.0, int(row[other]), int(row[k])) for row in table[both]]
                    scores.append(naive_mean(pairs, n_labels, metric))
            defined = [s for s in scores if not np.isnan(s)]
            expected = np.mean(defined) if defined else np.nan
            np.testing.assert_allclose(found[m, k], expected, atol=1e-12)


def test_round_robin_of_many_adds_up_the_same(monkeypatch: pytest.MonkeyPatch):
    """Counts are whole numbers, so that products of matrices give every digit of the sums."""
    rng = np.random.default_rng(2)
    votes = as_votes(rng.integers(-1, 3, size=(50, 6)), 3)
    weight, metrics = votes.multiplicity.astype(float), choose_metrics(votes.labels)
    few = round_robin(votes, weight, metrics)
    monkeypatch.setattr("headcount.blind_evaluation.metrics.MANY_CELLS", 1)
    np.testing.assert_array_equal(round_robin(votes, weight, metrics), few)


@given(case=vote_tables(missing=False))
def test_sampling_is_round_robin_and_oneself(case: Case):
    """On complete data: 1 / K + (K - 1) / K round robin, for accuracy, and for precision of those
    that give the label."""
    table, n_labels = case
    votes = as_votes(table, n_labels)
    metrics = choose_metrics(votes.labels, names=["accuracy", "precision"], positive="1")
    weight = votes.multiplicity.astype(float)
    robin = round_robin(votes, weight, metrics)
    sampling = metrics.scores(tables(votes, vote_shares(votes), weight)).T
    k = table.shape[1]
    np.testing.assert_allclose(sampling, 1 / k + (k - 1) / k * robin, atol=1e-12)


def test_literal_draws_meet_the_closed_form():
    rng = np.random.default_rng(3)
    truth = rng.integers(0, 2, size=300)
    table = np.where(rng.random((300, 6)) < 0.75, truth[:, None], 1 - truth[:, None])
    votes = as_votes(table, 2)
    metrics = choose_metrics(votes.labels)
    closed = metrics.scores(tables(votes, vote_shares(votes), votes.multiplicity.astype(float))).T
    drawn = sampled_scores(votes, metrics, draws=400, rng=rng)
    # One draw varies by about .03; the mean of 400 by .0015. Recall's closed form is off by less
    # than 1 / 300.
    np.testing.assert_allclose(drawn, closed, atol=0.008)


def test_leave_group_out_by_hand():
    # c0 and c1 are one group (weight 1/2 each), c2 and c3 groups of their own.
    table = np.array([[1, 1, 0, 0], [1, 0, 1, 0], [1, 1, -1, -1]])
    votes = as_votes(table, 2, groups={"c0": "g", "c1": "g"})
    truth = leave_group_out(votes)
    item = np.argsort(votes.row_of)  # of each row
    by_vote = {
        (int(item[r]), int(k)): q.tolist()
        for r, k, q in zip(votes.row, votes.classifier, truth, strict=True)
    }
    assert by_vote[0, 0] == [1, 0]  # c2 and c3 say 0
    assert by_vote[0, 2] == [0.5, 0.5]  # the group says 1 with weight 1, c3 says 0
    assert by_vote[1, 0] == [0.5, 0.5]
    assert by_vote[1, 2] == [1, 0]  # the group is split, c3 says 0
    assert by_vote[2, 0] == [0, 0]  # nobody else voted


def test_leave_group_out_of_single_groups_is_leave_one_out():
    table = np.random.default_rng(0).integers(-1, 3, size=(30, 5))
    table[table.max(axis=1) < 0, 0] = 0
    plain = as_votes(table, 3)
    alone = as_votes(table, 3, groups={f"c{k}": f"g{k}" for k in range(5)})
    np.testing.assert_allclose(leave_group_out(alone), leave_one_out(plain))


def test_metrics_equal_scikit_learns():
    rng = np.random.default_rng(1)
    true, said = rng.integers(0, 3, size=(2, 200))
    weight = rng.random(200)
    table = np.zeros((3, 3))
    np.add.at(table, (true, said), weight)
    found = choose_metrics(["0", "1", "2"], names=["precision", "recall", "f1"]).scores(table)
    expected = [
        score(true, said, average="macro", sample_weight=weight)
        for score in (precision_score, recall_score, f1_score)
    ]
    np.testing.assert_allclose(found, expected)


def test_metric_without_positive_calls_is_undefined():
    metrics = choose_metrics(["no", "yes"])
    found = dict(zip(METRICS, metrics.scores(np.array([[5.0, 0], [3, 0]])), strict=True))
    assert np.isnan(found["precision"])
    assert found["recall"] == 0
    assert found["f1"] == 0


def test_unknown_names_are_refused():
    with pytest.raises(OptionError, match="did you mean 'recall'"):
        choose_metrics(["a", "b"], names=["recal"])
    with pytest.raises(OptionError, match="unknown positive label 'c'"):
        choose_metrics(["a", "b"], positive="c")


def simulated(items: int = 400, rng: int = 2) -> Votes:
    random = np.random.default_rng(rng)
    truth = random.integers(0, 3, size=items)
    wrong = random.integers(0, 3, size=(items, 5))
    table = np.where(random.random((items, 5)) < [0.9, 0.8, 0.7, 0.6, 0.5], truth[:, None], wrong)
    table[random.random(table.shape) < 0.1] = -1
    table[:, 0] = np.abs(table[:, 0])
    return as_votes(table, 3)


def test_influence_where_a_label_is_never_true():
    """A macro average leaves the label out, and so must the influence."""
    table = np.array([[0, 1], [1, 2], [0, 0], [1, 1], [1, 0]])
    gold = {str(i): str(label) for i, label in enumerate([0, 1, 0, 1, 0])}
    votes = as_votes(table, 3, gold=gold)
    metrics = choose_metrics(votes.labels)
    weight = votes.multiplicity.astype(float)
    truth = np.eye(3)[votes.gold]
    parts = influence(votes, truth, weight, metrics)
    step = 1e-6 * np.eye(len(weight))
    more, less = (metrics.scores(tables(votes, truth, weight + s)) for s in (step, -step))
    for m in range(len(METRICS)):
        slope = (more - less)[:, :, m].T / 2e-6
        np.testing.assert_allclose(parts[m].toarray(), slope, atol=1e-7)


@pytest.mark.parametrize("name", [*TRUTHS, "round-robin"])
def test_influence_is_the_derivative_of_the_scores(name: str):
    """Weight one row a little more: the scores change as the influence says."""
    votes = simulated(60)
    metrics = choose_metrics(votes.labels)
    weight = votes.multiplicity.astype(float)

    def scores(weight: np.ndarray) -> np.ndarray:
        if name == "round-robin":
            return round_robin(votes, weight, metrics)
        return metrics.scores(tables(votes, TRUTHS[name](votes), weight)).T

    if name == "round-robin":
        parts = robin_influence(votes, weight, metrics)
    else:
        parts = influence(votes, TRUTHS[name](votes), weight, metrics)
    step = 1e-6
    for row in range(0, len(weight), 7):
        more, less = weight.copy(), weight.copy()
        more[row] += step
        less[row] -= step
        slope = (scores(more) - scores(less)) / (2 * step)
        claimed = np.stack([np.asarray(z[:, [row]].todense()).ravel() for z in parts])
        np.testing.assert_allclose(claimed, slope, atol=1e-7)


def test_difference_of_accuracies_is_the_paired_t_test():
    rng = np.random.default_rng(5)
    truth = rng.integers(0, 2, size=150)
    table = np.where(rng.random((150, 2)) < [0.8, 0.7], truth[:, None], 1 - truth[:, None])
    votes = as_votes(table, 2, gold={str(i): str(t) for i, t in enumerate(truth)})
    metrics = choose_metrics(votes.labels, names=["accuracy"])
    weight = votes.multiplicity.astype(float)
    gold = np.eye(2)[votes.gold]
    cov = covariance(influence(votes, gold, weight, metrics), weight)[0]
    score = metrics.scores(tables(votes, gold, weight))[:, 0]
    t = (score[0] - score[1]) / np.sqrt(cov[0, 0] + cov[1, 1] - 2 * cov[0, 1])
    right = 1.0 * (table == truth[:, None])
    assert t == pytest.approx(ttest_rel(right[:, 0], right[:, 1]).statistic)


@given(case=vote_tables())
def test_order_of_items_and_names_of_labels_do_not_matter(case: Case):
    table, n_labels = case
    votes, turned = as_votes(table, n_labels), as_votes(table[::-1], n_labels)
    swapped = as_votes(np.where(table < 0, -1, n_labels - 1 - table), n_labels)
    for truth in TRUTHS.values():
        scores = [
            choose_metrics(v.labels, positive=p).scores(tables(v, truth(v), v.multiplicity * 1.0))
            for v, p in ((votes, "0"), (turned, "0"), (swapped, str(n_labels - 1)))
        ]
        np.testing.assert_allclose(scores[1], scores[0], atol=1e-12)
        np.testing.assert_allclose(scores[2], scores[0], atol=1e-12)


def test_majority_shares_ties():
    votes = as_votes(np.array([[0, 1, 2, 2], [0, 0, 1, 1]]), 3)
    assert Counter(map(tuple, majority(votes).tolist())) == {(0, 0, 1): 1, (0.5, 0.5, 0): 1}

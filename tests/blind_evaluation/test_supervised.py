"""Truth learned from gold: against naive ways, scikit-learn itself, and by invariants."""

from __future__ import annotations

import sys
from collections.abc import Callable

import numpy as np
import pytest
from hypothesis import assume, given, settings
from sklearn.ensemble import AdaBoostClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.naive_bayes import CategoricalNB
from sklearn.svm import LinearSVC

from headcount.blind_evaluation.methods.base import NotPossible
from headcount.blind_evaluation.methods.calibrated_majority import calibrated_majority
from headcount.blind_evaluation.methods.direct import gold_truth
from headcount.blind_evaluation.methods.learned import adaboost, glm, svm
from headcount.blind_evaluation.methods.naive_bayes import naive_bayes
from headcount.blind_evaluation.methods.vote_truth import majority
from headcount.blind_evaluation.metrics import METRICS, choose_metrics
from headcount.blind_evaluation.scoring.tables import tables
from headcount.blind_evaluation.votes import Votes
from headcount.errors import ExtraError
from headcount.typing import Floats
from tests.blind_evaluation import gold_cases as naive
from tests.blind_evaluation.cases import as_votes
from tests.blind_evaluation.gold_cases import Item, items_of

Case = tuple[Votes, np.ndarray]


def possible(items: list[Item]) -> bool:
    """Whether there are two labels of gold to learn from, whatever fold is left out."""
    known = [x for x in items if x.gold >= 0]
    folds = [None, *{x.fold for x in known}]
    return all(len({x.gold for x in known if x.fold != fold}) >= 2 for fold in folds)


def counted(votes: Votes) -> np.ndarray:
    return votes.multiplicity.astype(float)


@given(naive.gold_cases())
def test_naive_bayes_against_naive(case: Case):
    votes, weight = case
    items = items_of(votes, weight)
    if not possible(items):
        with pytest.raises(NotPossible, match="too few gold labels"):
            naive_bayes(votes, weight)
        return
    truth = naive_bayes(votes, weight)
    for item in items:
        expected = naive.naive_bayes(item, items, len(votes.labels))
        assert truth[item.row] == pytest.approx(expected, abs=1e-12)


@settings(max_examples=40)
@given(naive.gold_cases())
def test_calibrated_majority_against_naive(case: Case):
    votes, weight = case
    items = items_of(votes, weight)
    assume(possible(items))
    for positive in (0, 1):
        metrics = choose_metrics(votes.labels, positive=votes.labels[positive])
        truths = calibrated_majority(votes, weight, metrics)
        for name, truth in zip(METRICS, truths, strict=True):
            for item in items:
                expected = naive.naive_calibrated(item, items, len(votes.labels), name, positive)
                assert truth[item.row] == pytest.approx(expected, abs=1e-12)


def case(n_labels: int, seed: int = 0, *, missing: float = 0.0, items: int = 300) -> Votes:
    """Seven classifiers of different skill; gold for half of the items."""
    rng = np.random.default_rng(seed)
    truth = rng.integers(0, n_labels, size=items)
    skill = np.linspace(0.3, 0.8, 7)
    other = rng.integers(0, n_labels, size=(items, 7))
    table = np.where(rng.random((items, 7)) < skill, truth[:, None], other)
    gone = rng.random(table.shape) < missing
    gone[:, 0] = False
    table = np.where(gone, -1, table)
    return as_votes(table, n_labels, gold={i: str(truth[i]) for i in range(items // 2)})


def dense(items: list[Item], votes: Votes) -> np.ndarray:
    """One-hot votes of single items."""
    size = len(votes.labels)
    out = np.zeros((len(items), len(votes.classifiers) * size))
    for i, item in enumerate(items):
        for k, label in item.said.items():
            out[i, k * size + label] = 1
    return out


def by_items(votes: Votes, weight: np.ndarray, predict: Callable[..., Floats]) -> Floats:
    """Truth of each row as learned from single items, none with a weight."""
    items = items_of(votes, weight)
    truth = np.full((len(weight), len(votes.labels)), np.nan)
    for fold in np.unique(votes.fold):
        mine = [x for x in items if x.fold == fold]
        known = naive.teachers(mine[0], items)
        gold = np.array([x.gold for x in known])
        truth[[x.row for x in mine]] = predict(dense(known, votes), gold, dense(mine, votes))
    return truth


def probabilities(rule: Callable[[], LogisticRegression]) -> Callable[..., Floats]:
    def predict(train: np.ndarray, gold: np.ndarray, rows: np.ndarray) -> Floats:
        return rule().fit(train, gold).predict_proba(rows)

    return predict


def labels(rule: Callable[[], LinearSVC | AdaBoostClassifier], size: int) -> Callable[..., Floats]:
    def predict(train: np.ndarray, gold: np.ndarray, rows: np.ndarray) -> Floats:
        return np.eye(size)[rule().fit(train, gold).predict(rows)]

    return predict


@pytest.mark.parametrize(("n_labels", "missing"), [(2, 0.0), (2, 0.4), (3, 0.2)])
def test_rules_against_scikit_learn_on_single_items(n_labels: int, missing: float):
    votes = case(n_labels, missing=missing)
    weight = counted(votes) * np.random.default_rng(1).integers(1, 3, size=len(votes.multiplicity))
    expected = by_items(
        votes, weight, probabilities(lambda: LogisticRegression(max_iter=10_000, tol=1e-6))
    )
    # Both stop at a gradient of 1e-6, on nearly the same path.
    assert glm(votes, weight) == pytest.approx(expected, abs=1e-6)
    expected = by_items(votes, weight, labels(lambda: LinearSVC(dual=False), n_labels))
    assert np.array_equal(svm(votes, weight), expected)
    expected = by_items(votes, weight, labels(lambda: AdaBoostClassifier(random_state=0), n_labels))
    # Among equally good stumps rounding decides, so a few items may differ.
    assert np.abs(adaboost(votes, weight) - expected).sum(axis=1).mean() < 0.02


@pytest.mark.parametrize("n_labels", [2, 3])
def test_naive_bayes_against_scikit_learn(n_labels: int):
    votes = case(n_labels, seed=3)

    def predict(train: np.ndarray, gold: np.ndarray, rows: np.ndarray) -> Floats:
        shape = (-1, len(votes.classifiers), n_labels)
        codes, asked = (x.reshape(shape).argmax(axis=2) for x in (train, rows))
        return CategoricalNB(alpha=1, min_categories=n_labels).fit(codes, gold).predict_proba(asked)

    expected = by_items(votes, counted(votes), predict)
    assert naive_bayes(votes, counted(votes)) == pytest.approx(expected, abs=1e-9)


RULES = {"naive Bayes": naive_bayes, "GLM": glm, "SVM": svm, "AdaBoost": adaboost}


@pytest.mark.parametrize("rule", RULES.values(), ids=RULES.keys())
def test_a_truth_is_a_distribution_close_to_gold(rule: Callable[[Votes, Floats], Floats]):
    votes = case(3, missing=0.1)
    truth = rule(votes, counted(votes))
    assert truth.sum(axis=1) == pytest.approx(1)
    assert truth.min() >= 0
    gold = gold_truth(votes)
    weight = counted(votes) * (votes.gold >= 0)
    right = float(((truth * gold).sum(axis=1) * weight).sum() / weight.sum())
    # Guessing is right for 33%, and the best classifier for 87%.
    assert 0.65 < right < 0.99


@pytest.mark.parametrize("rule", RULES.values(), ids=RULES.keys())
def test_no_item_sees_its_own_gold(rule: Callable[[Votes, Floats], Floats]):
    """Gold of one fold turned round leaves the truth of that fold as it was."""
    votes = case(2)
    before = rule(votes, counted(votes))
    mine = votes.fold == 2
    votes.gold[mine] = 1 - votes.gold[mine]
    after = rule(votes, counted(votes))
    assert np.array_equal(before[mine], after[mine])
    assert not np.array_equal(before[~mine], after[~mine])


@pytest.mark.parametrize("rule", [naive_bayes, glm], ids=["naive Bayes", "GLM"])
def test_invariant_to_order_and_names(rule: Callable[[Votes, Floats], Floats]):
    """Of items without gold, whose truth does not depend on the folds."""
    rng = np.random.default_rng(5)
    truth = rng.integers(0, 3, size=120)
    table = np.where(rng.random((120, 4)) < 0.6, truth[:, None], rng.integers(0, 3, (120, 4)))
    gold = {i: str(truth[i]) for i in range(60)}

    def unlabelled(votes: Votes, items: np.ndarray) -> Floats:
        return rule(votes, counted(votes))[votes.row_of[items]]

    base = unlabelled(as_votes(table, 3, gold=gold), np.arange(60, 120))
    classifiers, names = rng.permutation(4), rng.permutation(3)
    moved = as_votes(
        names[table[::-1][:, classifiers]],
        3,
        gold={119 - i: str(names[int(x)]) for i, x in gold.items()},
    )
    found = unlabelled(moved, 119 - np.arange(60, 120))
    # Logistic regression stops at a gradient of 1e-6.
    assert found[:, names] == pytest.approx(base, abs=1e-4 if rule is glm else 1e-12)


def test_a_threshold_undoes_a_bias():
    """Classifiers that say yes too easily: half the votes are no evidence of a yes."""
    rng = np.random.default_rng(6)
    truth = (rng.random(2000) < 0.4).astype(int)
    table = (rng.random((2000, 10)) < np.where(truth, 0.9, 0.5)[:, None]).astype(int)
    votes = as_votes(table, 2, gold={i: str(truth[i]) for i in range(500)})
    metrics = choose_metrics(votes.labels)
    by_name = dict(zip(METRICS, calibrated_majority(votes, counted(votes), metrics), strict=True))
    row = votes.row_of
    error = np.abs(by_name["accuracy"][row, 1] - truth).mean()
    assert error < 0.08 < 0.2 < np.abs(majority(votes)[row, 1] - truth).mean()
    # Precision wants fewer positive items than recall does.
    assert by_name["precision"][row, 1].sum() <= by_name["recall"][row, 1].sum()
    assert by_name["recall"] is by_name["f1"]


def test_specificity_is_recall_of_the_other_label():
    votes = case(2, seed=7)
    one, other = (
        calibrated_majority(votes, counted(votes), choose_metrics(votes.labels, positive=label))
        for label in ("0", "1")
    )
    place = {name: i for i, name in enumerate(METRICS)}
    assert one[place["recall"]] == pytest.approx(other[place["specificity"]])
    assert one[place["accuracy"]] == pytest.approx(other[place["accuracy"]])


def test_good_votes_keep_the_majority():
    """Where 1/2 is among the best thresholds it stays."""
    truth = np.array([0, 1] * 20)
    table = np.repeat(truth[:, None], 5, axis=1)
    table[:10, 0] = 1 - table[:10, 0]
    votes = as_votes(table, 2, gold={i: str(truth[i]) for i in range(30)})
    for truth_ in calibrated_majority(votes, counted(votes), choose_metrics(votes.labels)):
        assert np.array_equal(truth_, majority(votes))


@pytest.mark.parametrize(
    ("gold", "reason"),
    [
        ({0: "0", 1: "0"}, "all are '0'$"),
        ({0: "0", 1: "1"}, "all are '.' in the gold labels from which one fold is predicted"),
        ({0: "0"}, "all are '0'$"),
        ({}, "there are none"),
    ],
)
def test_too_little_gold_says_so(gold: dict[int, str], reason: str):
    votes = as_votes(np.array([[0, 1], [1, 1], [0, 0]]), 2, gold=gold)
    for rule in RULES.values():
        with pytest.raises(NotPossible, match=reason):
            rule(votes, counted(votes))
    with pytest.raises(NotPossible, match=reason):
        calibrated_majority(votes, counted(votes), choose_metrics(votes.labels))


def test_a_label_without_gold_has_no_chance():
    votes = case(3)
    votes.gold[votes.gold == 2] = -1
    votes.fold[votes.gold < 0] = -1
    for rule in RULES.values():
        truth = rule(votes, counted(votes))
        assert not truth[:, 2].any()
        assert truth.sum(axis=1) == pytest.approx(1)


def test_votes_that_tell_nothing():
    """AdaBoost cannot start; naive Bayes and GLM give the share of each label."""
    votes = as_votes(np.zeros((40, 2), dtype=int), 2, gold={i: str(i % 2) for i in range(40)})
    assert len(votes.multiplicity) == 10
    weight = np.ones(10)
    with pytest.raises(NotPossible, match="no vote tells the gold labels apart"):
        adaboost(votes, weight)
    for rule in (naive_bayes, glm):
        assert rule(votes, weight) == pytest.approx(0.5)


def test_logistic_regression_keeps_the_scores():
    """A fit to the votes keeps the table of truth and vote, but for the penalty."""
    votes = case(2, seed=9, items=2000)
    metrics = choose_metrics(votes.labels)
    weight = counted(votes) * (votes.gold >= 0)
    learned, direct = (
        metrics.scores(tables(votes, truth, weight))
        for truth in (glm(votes, weight), gold_truth(votes))
    )
    # Cross-fitting keeps it only nearly: 1,000 items, with an error of 1.5% in each accuracy.
    assert learned == pytest.approx(direct, abs=0.01)


def test_without_scikit_learn(monkeypatch: pytest.MonkeyPatch):
    for module in ("sklearn.linear_model", "sklearn.svm", "sklearn.ensemble"):
        monkeypatch.setitem(sys.modules, module, None)
    votes = case(2, items=40)
    for rule in (glm, svm, adaboost):
        with pytest.raises(ExtraError, match="scikit-learn"):
            rule(votes, counted(votes))
    naive_bayes(votes, counted(votes))

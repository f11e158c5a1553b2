"""Probabilities are used by methods that can: shares of votes, and what gold teaches."""

from __future__ import annotations

import numpy as np
import pytest

from headcount import Predictions, blind
from headcount.blind_evaluation.dependence.suspicion import given_others
from headcount.blind_evaluation.methods.cross_fitting import features_of
from headcount.blind_evaluation.methods.vote_truth import shares_of_others, vote_shares
from headcount.blind_evaluation.prepare import People, prepare
from headcount.results.notes import Notes


def judged(n: int = 60, seed: int = 1):
    rng = np.random.default_rng(seed)
    truth = rng.random(n) < 0.4
    table = np.clip(np.where(truth, 0.7, 0.3)[:, None] + rng.normal(0, 0.25, (n, 3)), 0.01, 0.99)
    table = np.round(table, 2)
    said = {f"j{k}": np.c_[1 - table[:, k], table[:, k]] for k in range(3)}
    return Predictions.from_probabilities(range(n), ["no", "yes"], said), table, truth


def test_shares_are_means_of_probabilities():
    predictions, table, _ = judged()
    votes = prepare(predictions, People(), seed=0, notes=Notes()).votes
    assert vote_shares(votes)[votes.row_of][:, 1] == pytest.approx(table.mean(axis=1))
    for n, row in enumerate(votes.row_of.tolist()):
        mine = slice(votes.start[row], votes.start[row + 1])
        for place, k in zip(range(mine.start, mine.stop), votes.classifier[mine], strict=True):
            others = [table[n, j] for j in range(3) if j != k]
            assert shares_of_others(votes)[place, 1] == pytest.approx(np.mean(others))
    features = features_of(votes).toarray()[votes.row_of]
    assert features[:, 1::2] == pytest.approx(table)


def test_labels_by_majority_go_by_probabilities():
    said = {"a": [[0.1, 0.9]] * 4, "b": [[0.55, 0.45]] * 4, "c": [[0.55, 0.45]] * 4}
    said["a"] = [[0.1, 0.9], [0.1, 0.9], [0.9, 0.1], [0.9, 0.1]]
    predictions = Predictions.from_probabilities(range(4), ["no", "yes"], said)
    found = blind(predictions, bootstrap=0, labels_by="majority", methods=["majority"])
    # Two of three say no, if barely, but the mean of the first items is .6 for yes.
    assert list(found.labels.label) == ["yes", "yes", "no", "no"]


def test_a_cut_puts_probabilities_together_and_order_does_not_matter():
    rng = np.random.default_rng(2)
    table = {f"j{k}": rng.dirichlet(np.ones(4), size=40).round(6) for k in range(3)}
    table = {name: own / own.sum(axis=1, keepdims=True) for name, own in table.items()}
    grades = Predictions.from_probabilities(range(40), ["0", "1", "2", "3"], table)
    votes = prepare(grades, People(at_least=2), seed=0, notes=Notes()).votes
    high = np.mean([own[:, 2:].sum(axis=1) for own in table.values()], axis=0)
    # The label that is scored is that of the likeliest grade; the share goes by probabilities.
    assert vote_shares(votes)[votes.row_of][:, 1] == pytest.approx(high)
    turned = Predictions.from_probabilities(
        range(39, -1, -1), ["0", "1", "2", "3"], {n: own[::-1] for n, own in table.items()}
    )
    one, two = (blind(x, at_least=2, bootstrap=10).to_dict() for x in (grades, turned))
    assert one["classifiers"] == two["classifiers"]


def test_certain_probabilities_are_labels():
    _, table, truth = judged(80)
    sure = (table > 0.5).astype(float)
    soft = Predictions.from_probabilities(
        range(80), ["no", "yes"], {f"j{k}": np.c_[1 - sure[:, k], sure[:, k]] for k in range(3)}
    )
    hard = Predictions.from_labels(
        range(80), {f"j{k}": np.where(sure[:, k] > 0, "yes", "no") for k in range(3)}
    )
    gold = {i: "yes" if truth[i] else "no" for i in range(50)}
    methods = ["majority", "leave-one-out", "em", "ppi", "naive-bayes", "direct"]
    one, two = (
        blind(x, gold=gold, bootstrap=0, methods=methods).to_dict()["classifiers"]
        for x in (soft, hard)
    )
    for a, b in zip(one, two, strict=True):
        for method in methods:
            for metric, value in a["estimates"][method].items():
                assert value["value"] == pytest.approx(b["estimates"][method][metric]["value"])


def test_signs_of_dependence_are_those_of_the_likeliest_labels():
    """Kappa, and residuals given the others, leave out whole votes: parts of them are none."""
    rng = np.random.default_rng(7)
    truth = rng.random(200) < 0.4
    table = np.clip(np.where(truth, 0.65, 0.35)[:, None] + rng.normal(0, 0.2, (200, 6)), 0.01, 0.99)
    said = {f"j{k}": np.c_[1 - table[:, k], table[:, k]] for k in range(6)}
    soft = blind(Predictions.from_probabilities(range(200), ["no", "yes"], said), bootstrap=0)
    hard = {name: np.where(p[:, 1] > 0.5, "yes", "no").tolist() for name, p in said.items()}
    labels = blind({"item": list(range(200)), **hard}, bootstrap=0)
    one, two = soft.diagnostics, labels.diagnostics
    assert one.fleiss == pytest.approx(two.fleiss)
    assert one.fleiss_without == pytest.approx(two.fleiss_without)
    assert [f.members for f in one.families] == [f.members for f in two.families]
    votes = prepare(soft_predictions(said), People(), seed=0, notes=Notes()).votes
    plain = prepare(soft_predictions(said, sure=True), People(), seed=0, notes=Notes()).votes
    found, expected = (
        given_others(each, each.multiplicity.astype(float)).correlation for each in (votes, plain)
    )
    np.testing.assert_allclose(found, expected, atol=1e-9)


def soft_predictions(said: dict[str, np.ndarray], *, sure: bool = False) -> Predictions:
    tables = {name: np.round(p) if sure else p for name, p in said.items()}
    return Predictions.from_probabilities(range(200), ["no", "yes"], tables)

"""Classifiers and raters together: what is learned, and what is told of it."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.optimize import minimize
from scipy.special import logsumexp

from headcount import Labels, Predictions, running_example, survey
from headcount.equivalence.worth.log_pool import fit_log_pool


@pytest.mark.parametrize("truth", [1, 2])
def test_a_classifier_and_a_rater_are_worth_one_rater_more(truth):
    """A classifier that saw labels of other raters, and one more of them, by construction."""
    rng = np.random.default_rng(truth)
    theta = rng.dirichlet([1.0, 2.0], size=3000)
    labels = Labels.from_triples(
        np.repeat(np.arange(3000), 5),
        np.tile(np.arange(5), 3000),
        (rng.random((3000, 5)) > theta[:, :1]).astype(int).ravel(),
    )
    judge = (rng.multinomial(truth, theta) + np.array([1, 2])) / (truth + 3)
    predictions = Predictions.from_probabilities(range(3000), ["0", "1"], {"m": judge})
    result = survey(labels, predictions, bootstrap=50)
    one, two = (point.equivalence for point in result["m"].with_raters)
    # The standard error of a worth is some .15 here.
    assert one.value == pytest.approx(truth + 1, abs=0.45)
    assert two.value == pytest.approx(truth + 2, abs=0.6)
    assert one.low < one.value < one.high
    document = result.to_dict()["classifiers"][0]["with_raters"]
    assert [point["k"] for point in document] == [1, 2]
    assert "with 1" in str(result)


def test_a_classifier_that_knows_nothing_adds_nothing():
    labels, _ = running_example(400, 5, rng=3)
    coin = np.random.default_rng(0).dirichlet([20.0, 20.0], size=400)
    predictions = Predictions.from_probabilities(labels.items, labels.scale.labels, {"coin": coin})
    result = survey(labels, predictions, bootstrap=0)
    one = result["coin"].with_raters[0].equivalence
    assert one.value == pytest.approx(1, abs=0.1)
    assert survey(labels, predictions, bootstrap=0, combiner="abc")["coin"].with_raters == ()


def test_without_what_raters_add():
    labels, predictions = running_example(100, 3, rng=3)
    result = survey(labels, predictions, bootstrap=0, together=False)
    assert all(c.with_raters == () for c in result.classifiers)
    assert "with 1 rater" not in str(result)


def test_with_raters_no_more_than_one_beyond_the_largest_survey():
    """Two beyond, ordinal labels' intervals cover too little: docs/studies/survey.md."""
    labels, predictions = running_example(300, 3, rng=3)
    result = survey(labels, predictions, bootstrap=20)
    assert result["omniscient"].equivalence.bounds == (0, 4)
    together = [point.equivalence for point in result["omniscient"].with_raters]
    assert [worth.bounds for worth in together] == [(0, 3), (0, 3)]
    assert together[0].censored == "above"


class TestLogPool:
    """Coefficients against scipy, and against refits without each item."""

    @pytest.fixture
    def rows(self):
        rng = np.random.default_rng(5)
        logs = np.log(rng.dirichlet([1.0, 1.0, 1.0], size=(120, 2))).transpose(0, 2, 1)
        reference = rng.dirichlet([0.3, 0.3, 0.3], size=120)
        item = np.repeat(np.arange(40), 3)
        within = np.tile([0.5, 0.3, 0.2], 40)
        return logs, reference, np.stack([within * (1 + item % 3), within]), item

    @staticmethod
    def slow(logs, reference, weight, start):
        def loss(b):
            log_q = logs @ b
            log_q = log_q - logsumexp(log_q, axis=1, keepdims=True)
            return -weight @ (reference * log_q).sum(axis=1) + 0.5 * ((b - start) ** 2).sum()

        return minimize(loss, start, method="BFGS", options={"gtol": 1e-9}).x

    def test_maximises_the_likelihood(self, rows):
        start = np.array([1.0, 0.0])
        found, _ = fit_log_pool(*rows, start)
        np.testing.assert_allclose(found, self.slow(*rows[:2], rows[2][0], start), atol=1e-5)

    def test_leaves_one_item_of_each_kind_out(self, rows):
        logs, reference, (among, within), item = rows
        start = np.array([1.0, 0.0])
        found, without = fit_log_pool(*rows, start)
        for kind in range(5):
            left = among - np.where(item == kind, within, 0)
            refit = self.slow(logs, reference, left, start)
            # To first order: what is left is small beside what leaving out moves.
            moved = np.abs(refit - found).max()
            np.testing.assert_allclose(without[kind], refit, atol=0.25 * moved)


def test_who_knows_the_label_may_have_all_there_is_to_know():
    """States of few kinds are taken for smoother ones, whose ceiling is too high."""
    rng = np.random.default_rng(2)
    truth = rng.integers(2, size=300)
    label = np.where(rng.random((300, 5)) < 0.1, 1 - truth[:, None], truth[:, None])
    labels = Labels.from_triples(
        np.repeat(np.arange(300), 5), np.tile(np.arange(5), 300), label.ravel()
    )
    knows = [{"item": str(i), "judge": str(t)} for i, t in enumerate(truth)]
    result = survey(labels, knows, bootstrap=100)
    assert result.ceiling.performance_ratio["judge"].high == 1
    # Half of the time it says the other label: then a rater does add something.
    errs = np.where(rng.random(300) < 0.3, 1 - truth, truth)
    half = [{"item": str(i), "judge": str(t)} for i, t in enumerate(errs)]
    share = survey(labels, half, bootstrap=100).ceiling.performance_ratio["judge"]
    assert share.value < share.high < 0.5


def test_predictions_are_rounded_where_they_are_many(monkeypatch):
    """Rounding by a fiftieth of a log moves a score by the square of that, and no more."""
    labels, _ = running_example(600, 4, rng=3)
    judge = np.random.default_rng(0).dirichlet([2.0, 2.0], size=600)
    predictions = Predictions.from_probabilities(labels.items, labels.scale.labels, {"m": judge})

    def scores():
        found = survey(labels, predictions, bootstrap=0)
        return [point.score.value for point in found["m"].with_raters]

    exact = scores()
    monkeypatch.setattr("headcount.equivalence.worth.together.ROUND_FROM", 1)
    rounded = scores()
    assert rounded != exact
    # Half of what is averaged is by one of twenty folds, which rounding draws anew.
    assert rounded == pytest.approx(exact, abs=1e-3)

"""What the paper's theory says of the running example, whose states are known."""

from __future__ import annotations

import numpy as np
import pytest

from headcount import running_example
from tests.equivalence import survey

SHARE = np.array([0.7, 0.2, 0.1])
STATE = np.array([0.8, 0.1, 0.5])


@pytest.fixture(scope="module")
def large():
    return running_example(200_000, 10, rng=20)


def entropy(p):
    return -(p * np.log2(p) + (1 - p) * np.log2(1 - p))


def test_baseline_and_omniscient_classifier(large):
    labels, predictions = large
    result = survey(labels, predictions, bootstrap=0)
    # c_0 is minus the entropy of a random label; the omniscient classifier pays the mean entropy
    # of the states. Standard error of either mean over 200,000 items: about .0006.
    baseline, ceiling = -entropy(SHARE @ STATE), -(SHARE @ entropy(STATE))
    assert (baseline, ceiling) == pytest.approx((-0.951, -0.699), abs=0.0005)
    assert result.curve[0].score.value == pytest.approx(baseline, abs=0.002)
    assert result["omniscient"].score.value == pytest.approx(ceiling, abs=0.002)


def test_agreement_of_one_rater(large):
    labels, _ = large
    result = survey(labels, combiner="plurality", scorer="agreement", bootstrap=0)
    # One rater's label agrees with another's if both say cat or both say dog: p^2 + (1 - p)^2.
    expected = SHARE @ (STATE**2 + (1 - STATE) ** 2)
    assert result.curve[0].score.value == pytest.approx(0.5, abs=1e-12)
    assert result.curve[1].score.value == pytest.approx(expected, abs=0.002)


def test_gain_is_mutual_information(large):
    """Theorem 1: abc with cross-entropy gains I(next label; k labels)."""
    labels, _ = large
    result = survey(labels, max_k=4, bootstrap=0)
    for k in range(5):
        count = np.arange(k + 1)
        choose = np.array([np.prod([(k - j) / (j + 1) for j in range(c)]) for c in count])
        # Joint distribution of the state and of how many of k raters say cat.
        joint = (
            SHARE[:, None] * choose * STATE[:, None] ** count * (1 - STATE[:, None]) ** (k - count)
        )
        p_next = (joint * STATE[:, None]).sum(axis=0) / joint.sum(axis=0)
        expected = entropy(SHARE @ STATE) - joint.sum(axis=0) @ entropy(p_next)
        assert result.curve[k].gain.value == pytest.approx(expected, abs=0.002)


def test_combiners_rank_as_theorem_3_says(large):
    labels, _ = large
    abc, frequency = (survey(labels, combiner=c, bootstrap=0) for c in ("abc", "frequency"))
    for ours, theirs in zip(abc.curve[1:], frequency.curve[1:], strict=True):
        assert ours.score.value > theirs.score.value
    scores = [point.score.value for point in abc.curve]
    assert scores == sorted(scores)


def test_gain_of_a_calibrated_classifier_is_its_mutual_information(large):
    """Theorem 2: cross-entropy of a calibrated classifier gains I(prediction; label)."""
    labels, predictions = large
    result = survey(labels, predictions, bootstrap=0)
    says_cat = np.array([0.9, 0.05, 0.5])
    joint = np.array([SHARE * says_cat, SHARE * (1 - says_cat)])  # answer x state
    p_answer = joint.sum(axis=1)
    p_cat = joint @ STATE / p_answer
    expected = entropy(SHARE @ STATE) - p_answer @ entropy(p_cat)
    assert result["calibrated"].gain.value == pytest.approx(expected, abs=0.002)


def test_no_combiner_agrees_more_often_than_abc(large):
    """The most probable label after Bayes' rule is the best guess, plurality included."""
    labels, _ = large
    abc, plurality = (
        survey(labels, combiner=c, scorer="agreement", bootstrap=0) for c in ("abc", "plurality")
    )
    for ours, theirs in zip(abc.curve, plurality.curve, strict=True):
        # Both are means over 200,000 items; they may be equal, up to what was learned.
        assert ours.score.value > theirs.score.value - 1e-4
    assert abc.curve[2].score.value > plurality.curve[2].score.value + 0.01

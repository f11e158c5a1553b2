"""The ceiling: true values on known states, honest intervals, the curve beyond the data."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from headcount import ABC, Frequency, Plurality, running_example, survey
from headcount.data.scale import Scale
from headcount.equivalence.ceiling.ceiling import (
    continue_curve,
    find_ceiling,
    range_estimate,
    refit_ceiling,
    state_score,
)
from headcount.equivalence.ceiling.larger_surveys import raters_for, survey_score, survey_sizes
from headcount.equivalence.ceiling.states import States, compositions, fit_states
from headcount.equivalence.scorers.scorers import SCORERS

SHARE = np.array([0.7, 0.2, 0.1])
P_CAT = np.array([0.8, 0.1, 0.5])
TRUE_GAIN = 0.2516


def scorer(name, labels=2):
    return SCORERS[name](Scale(tuple("12345"[:labels])), None)


def entropy(p):
    p = np.asarray(p)
    return -(p * np.log2(np.where(p > 0, p, 1))).sum(axis=-1)


def known(support, weight):
    """States that are given, not fitted."""
    weight = np.asarray(weight, dtype=float)
    one = np.ones(weight.shape[:-1])
    return States(np.asarray(support, dtype=float), weight, one > 0, one.astype(int), one, one)


@pytest.fixture(scope="module")
def urn():
    """The true states of the running example."""
    return known(np.column_stack([P_CAT, 1 - P_CAT]), SHARE)


def resamples(multiplicity, draws, seed=0):
    n = multiplicity.sum()
    return np.random.default_rng(seed).multinomial(n, multiplicity / n, size=draws).astype(float)


def test_ceiling_of_known_states(urn):
    """The paper's section 6: -.699 with the state, -.951 without, .252 bits between."""
    score = state_score(urn, scorer("cross-entropy"))
    baseline = survey_score(urn, 0, ABC(), scorer("cross-entropy"))
    assert (score, baseline) == pytest.approx((-0.6994, -0.9507), abs=1e-3)
    assert score - baseline == pytest.approx(TRUE_GAIN, abs=1e-4)
    # Agreement: a known state lets one say its more common label.
    assert state_score(urn, scorer("agreement")) == pytest.approx(0.7 * 0.8 + 0.2 * 0.9 + 0.1 * 0.5)
    brier = -SHARE @ (1 - P_CAT**2 - (1 - P_CAT) ** 2)
    assert state_score(urn, scorer("brier")) == pytest.approx(brier)


def test_running_example_mean_and_coverage():
    """Twenty data sets of 1,000 items x 10 raters: the mean gain and its intervals.

    The gain is the ceiling less the score of no rater under the fitted states: minus the entropy
    of their mean. (The power curve's own k = 0 leaves one item out, which is 1/n bits or so less.)
    The standard deviation of a gain is .012, that of the mean .003.
    """
    rule, gains, covered = scorer("cross-entropy"), [], 0
    for seed in range(20):
        counts = running_example(1000, 10, rng=seed)[0].counts()
        found = find_ceiling(counts.patterns, counts.multiplicity, ABC(), rule)
        draws = resamples(counts.multiplicity, 200, seed)
        again = refit_ceiling(found, counts.patterns, draws, ABC(), rule)
        assert found.states.converged
        assert again.states.converged.all()
        gains.append(found.gain)
        interval = range_estimate(
            float(found.gain),
            again.low - again.baseline,
            again.high - again.baseline,
            level=0.95,
        )
        covered += interval.low <= TRUE_GAIN <= interval.high
    assert np.mean(gains) == pytest.approx(TRUE_GAIN, abs=0.01)
    assert covered >= 17


def test_three_ratings_leave_a_range_that_holds_the_truth():
    """Many items do not help: three ratings tell three moments."""
    rng = np.random.default_rng(0)
    state = P_CAT[rng.choice(3, size=200_000, p=SHARE)]
    multiplicity = np.bincount(rng.binomial(3, state), minlength=4)
    patterns = np.column_stack([np.arange(4), 3 - np.arange(4)])
    found = find_ceiling(patterns, multiplicity, ABC(), scorer("cross-entropy"))
    low, high = found.low - found.baseline, found.high - found.baseline
    assert not found.narrow
    assert low < TRUE_GAIN < high
    assert high - low > 0.03
    # All that three ratings tell is the same at both ends: the score of two raters, for one.
    ends = [
        survey_score(end, 2, ABC(), scorer("cross-entropy"))
        for end in (found.lowest, found.highest)
    ]
    assert ends[0] == pytest.approx(ends[1], abs=1e-4)


def test_brier_ceiling_is_known_from_two_ratings():
    """The Brier score is made of second moments, so no range is left, and it has a closed form."""
    patterns = np.array([[2, 0], [1, 1], [0, 2]])
    multiplicity = np.array([50, 20, 30])
    found = find_ceiling(patterns, multiplicity, ABC(), scorer("brier"))
    # Two raters of the same item differ in 20% of items: -E[1 - p^2 - q^2] = -E[2pq] = -.2.
    assert found.score == pytest.approx(-0.2, abs=1e-4)
    assert found.high - found.low == pytest.approx(0, abs=1e-3)


@settings(max_examples=15, deadline=None)
@given(st.integers(2, 5), st.integers(0, 10_000))
def test_curve_beyond_the_data_by_enumeration(k, seed):
    """Sum over every sequence of k labels, for three labels and three states."""
    rng = np.random.default_rng(seed)
    support, weight = rng.dirichlet(np.ones(3), size=3), rng.dirichlet(np.ones(3))
    expected = 0.0
    for sequence in np.ndindex(*(3,) * k):
        joint = weight * np.prod(support[:, sequence], axis=1)
        expected -= joint.sum() * entropy(joint @ support / joint.sum())
    states = known(support, weight)
    score = survey_score(states, k, ABC(), scorer("cross-entropy", 3))
    assert score == pytest.approx(expected, abs=1e-10)
    for combiner, name in ((Frequency(), "cross-entropy"), (Plurality(), "agreement")):
        observed = np.array([np.bincount(s, minlength=3) for s in np.ndindex(*(3,) * k)])
        prediction = combiner.predict(observed)
        joint = np.array([weight * np.prod(support[:, s], axis=1) for s in np.ndindex(*(3,) * k)])
        next_label = joint @ support
        each = np.log2(prediction) if name == "cross-entropy" else prediction
        got = survey_score(states, k, combiner, scorer(name, 3))
        assert got == pytest.approx((next_label * each).sum(), abs=1e-10)


@pytest.mark.parametrize("name", list(SCORERS))
def test_any_scorer_has_a_ceiling_and_draws(name):
    rng = np.random.default_rng(5)
    patterns, multiplicity = np.unique(
        rng.multinomial(5, rng.dirichlet([1, 1, 1], size=200)), axis=0, return_counts=True
    )
    rule = scorer(name, 3)
    found = find_ceiling(patterns, multiplicity, ABC(), rule)
    again = refit_ceiling(found, patterns, resamples(multiplicity, 5), ABC(), rule)
    assert found.low <= found.score <= found.high
    assert again.score.shape == again.baseline.shape == (5,)
    assert np.isfinite(again.score).all()
    # More raters never hurt the Bayesian combiner, and none beats the state itself. (Scorers
    # other than proper scoring rules need not rise at every step.)
    if name in ("cross-entropy", "brier", "agreement"):
        curve = continue_curve(found, ABC(), rule, np.array([0, 1, 2, 4, 8, 16]))
        assert np.all(np.diff(curve.score) >= -1e-9)
        assert curve.score[-1] <= found.score
        assert curve.score[0] == pytest.approx(found.baseline)


def test_curve_tends_to_the_ceiling(urn):
    rule = scorer("cross-entropy")
    scores = [survey_score(urn, k, ABC(), rule) for k in (9, 100, 1000)]
    # The paper measures .223 bits with nine raters, on 1,000 items.
    assert scores[0] - survey_score(urn, 0, ABC(), rule) == pytest.approx(0.223, abs=0.005)
    assert state_score(urn, rule) - scores[1] < 0.001
    assert state_score(urn, rule) - scores[2] < 1e-6


def test_continued_curve_meets_the_curve_of_the_data():
    """Within the data the fitted states give the curve that surveys of real labels give.

    The power curve leaves the predicted item out, which costs it some 1/n bits a size.
    """
    labels, _ = running_example(5000, 10, rng=3)
    counts = labels.counts()
    found = find_ceiling(counts.patterns, counts.multiplicity, ABC(), scorer("cross-entropy"))
    result = survey(labels, bootstrap=0)
    for k in (0, 1, 4, 9):
        fitted = survey_score(found.states, k, ABC(), scorer("cross-entropy"))
        assert fitted == pytest.approx(result.curve[k].score.value, abs=0.003)


def test_raters_for_targets():
    counts = running_example(1000, 10, rng=0)[0].counts()
    rule, sizes = scorer("cross-entropy"), survey_sizes(2, 20)
    found = find_ceiling(counts.patterns, counts.multiplicity, ABC(), rule)
    curve = continue_curve(found, ABC(), rule, sizes)
    value, low, high = curve.raters_for_share(0.99)
    assert low <= value <= high
    assert 10 < value < 1000
    # What is read off between two sizes is what a survey of that size scores.
    target = found.baseline + 0.99 * found.gain
    below, above = (
        survey_score(found.states, k, ABC(), rule) for k in (int(value), int(value) + 1)
    )
    assert below - 1e-5 <= target <= above + 1e-5
    assert curve.raters_for_share(0.0)[0] == pytest.approx(0)
    assert curve.raters_for_score(found.score)[0] == np.inf
    assert curve.raters_for_score(-2.0)[0] == -np.inf
    # Each draw has its own curve, target and answer.
    again = refit_ceiling(found, counts.patterns, resamples(counts.multiplicity, 20), ABC(), rule)
    drawn = continue_curve(again, ABC(), rule, sizes).raters_for_share(0.99)[0]
    assert drawn.shape == (20,)
    assert drawn.min() < value < drawn.max()


@settings(max_examples=30, deadline=None)
@given(st.lists(st.floats(0.01, 1), min_size=4, max_size=4), st.floats(0, 1))
def test_raters_for_inverts_the_curve(steps, where):
    sizes, curve = np.array([0, 1, 2, 3, 6]), np.concatenate([[0.0], np.cumsum(steps)])
    h = where * curve[-1]
    k = raters_for(sizes, curve, h)
    if k <= 3:
        assert np.interp(k, sizes, curve) == pytest.approx(h, abs=1e-9)
    else:
        assert np.interp(-1 / k, [-1 / 3, -1 / 6], curve[3:]) == pytest.approx(h, abs=1e-9)


def test_sizes_are_bounded():
    assert survey_sizes(2)[-1] == 1000
    for labels in (3, 4, 5):
        assert len(compositions(int(survey_sizes(labels)[-1]), labels)) <= 20_000
    assert survey_sizes(5, 10_000)[-1] < survey_sizes(5)[-1]


def test_fewer_draws_are_refitted_when_it_takes_too_long_and_that_is_told():
    counts = running_example(300, 5, rng=0)[0].counts()
    rule = scorer("cross-entropy")
    found = find_ceiling(counts.patterns, counts.multiplicity, ABC(), rule)
    draws = resamples(counts.multiplicity, 60)
    few = refit_ceiling(found, counts.patterns, draws, ABC(), rule, most_operations=1.0)
    assert len(few.score) == 20
    every = refit_ceiling(found, counts.patterns, draws, ABC(), rule)
    assert len(every.score) == 60
    assert few.score == pytest.approx(every.score[:20], abs=1e-9)


def test_refits_of_narrow_ranges_take_the_range_along():
    counts = running_example(1000, 10, rng=0)[0].counts()
    rule = scorer("cross-entropy")
    found = find_ceiling(counts.patterns, counts.multiplicity, ABC(), rule)
    again = refit_ceiling(found, counts.patterns, counts.multiplicity[None, :], ABC(), rule)
    assert found.narrow
    for one, other in (
        (again.score, found.score),
        (again.low, found.low),
        (again.high, found.high),
    ):
        assert one[0] == pytest.approx(other, abs=1e-4)


def test_hard_combiners_have_a_ceiling_of_labels(urn):
    assert state_score(urn, scorer("agreement"), "hard") == pytest.approx(0.79)
    theta = np.array([[0.6, 0.4], [0.3, 0.7]])
    # DMI of labels: joint frequencies of the more common label and a rater's.
    joint = np.array([[0.3, 0.2], [0.15, 0.35]])
    found = state_score(known(theta, [0.5, 0.5]), scorer("dmi"), "hard")
    assert found == pytest.approx(abs(np.linalg.det(joint)))


def test_range_estimate_without_draws_has_no_interval():
    none = np.empty(0)
    estimate = range_estimate(1.5, none, none, level=0.95)
    assert (estimate.value, estimate.low, estimate.high) == (1.5, None, None)


def test_weights_of_draws_are_distributions():
    patterns, multiplicity = compositions(4, 3), np.arange(1, 16)
    near = fit_states(patterns, multiplicity.astype(float))
    draws = fit_states(patterns, resamples(multiplicity, 6), near=near)
    assert draws.weight.sum(axis=1) == pytest.approx(np.ones(6))

"""The ceiling: its true values, its intervals, and how survey reports it."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from headcount import (
    ABC,
    DirichletStates,
    Labels,
    OptionError,
    Predictions,
    running_example,
    simulate_ratings,
    survey,
)
from headcount.data.labels import Scale
from headcount.equivalence import power_curve as larger_surveys
from headcount.equivalence.ceiling import (
    States,
    find_ceiling,
    fit_states,
    range_estimate,
    state_score,
)
from headcount.equivalence.ceiling import _slope as slope_of
from headcount.equivalence.combiners import Frequency, Plurality
from headcount.equivalence.power_curve import (
    Continued,
    Scores,
    compositions,
    raters_for,
    survey_sizes,
)
from headcount.equivalence.scorers import SCORERS
from headcount.equivalence.worth import Estimates
from tests.equivalence import full, script

FIGURES = script("survey_figures")
"""The distribution of states and other figures, which are no part of the package."""

# The ceiling: true values on known states, honest intervals, the curve beyond the data.

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
    return States(
        support=np.asarray(support, dtype=float),
        weight=np.asarray(weight, dtype=float),
        converged=True,
        n_iter=0,
        log_likelihood=0.0,
        gap=0.0,
    )


@pytest.fixture(scope="module")
def urn():
    """The true states of the running example."""
    return known(np.column_stack([P_CAT, 1 - P_CAT]), SHARE)


def survey_score(states, k, combiner, rule):
    return larger_surveys.survey_score(states.support, states.weight, k, combiner, rule)


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


def test_three_ratings_leave_a_range_that_holds_the_truth():
    """Many items do not help: three ratings tell three moments."""
    rng = np.random.default_rng(0)
    state = P_CAT[rng.choice(3, size=200_000, p=SHARE)]
    multiplicity = np.bincount(rng.binomial(3, state), minlength=4)
    patterns = np.column_stack([np.arange(4), 3 - np.arange(4)])
    found = find_ceiling(patterns, multiplicity, ABC(), scorer("cross-entropy"))
    rule = scorer("cross-entropy")
    low, high = (
        end - survey_score(found.states, 0, ABC(), rule) for end in (found.low, found.high)
    )
    assert low < TRUE_GAIN < high
    assert high - low > 0.03
    # All that three ratings tell is the same at both ends: the score of two raters, for one.
    slope = slope_of(found.states, rule, "soft")
    ends = [
        survey_score(fit_states(patterns, multiplicity, lean=lean), 2, ABC(), rule)
        for lean in (-slope, slope)
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


def test_curve_tends_to_the_ceiling(urn):
    rule = scorer("cross-entropy")
    scores = [survey_score(urn, k, ABC(), rule) for k in (9, 100, 1000)]
    # The paper measures .223 bits with nine raters, on 1,000 items.
    assert scores[0] - survey_score(urn, 0, ABC(), rule) == pytest.approx(0.223, abs=0.005)
    assert state_score(urn, rule) - scores[1] < 0.001
    assert state_score(urn, rule) - scores[2] < 1e-6


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


@pytest.mark.parametrize("seed", range(10))
def test_running_example(seed):
    """The truth is .2516 bits; the standard deviation of an estimate over data sets is .012.

    Ten of ten lie within three of these, and their mean (see below) within one.
    """
    gain = survey(running_example(1000, 10, seed=seed)[0], bootstrap=0).ceiling.gain.value
    assert gain == pytest.approx(TRUE_GAIN, abs=0.036)


def test_running_example_mean_and_coverage():
    """The standard error of the mean of ten is .004."""
    gains = [
        survey(running_example(1000, 10, seed=seed)[0], bootstrap=100).ceiling.gain
        for seed in range(10)
    ]
    assert np.mean([gain.value for gain in gains]) == pytest.approx(TRUE_GAIN, abs=0.012)
    assert sum(gain.low <= TRUE_GAIN <= gain.high for gain in gains) >= 8


@pytest.mark.parametrize("name", ["cross-entropy", "brier", "agreement", "auc", "f1", "dmi"])
def test_any_scorer_has_a_ceiling_above_its_curve(name):
    labels = simulate_ratings(80, 5, states=DirichletStates((1.0, 1.0, 1.0)), seed=5).labels
    result = survey(labels, scorer=name, bootstrap=20)
    top = result.ceiling
    assert top.score.low <= top.score.value <= top.score.high
    assert (np.diff(top.curve) >= -1e-9).all()
    assert top.score.value >= top.curve[-1] - 1e-9
    # Up to the largest survey it is the curve of the data.
    assert top.curve[:5] == pytest.approx([p.score.value for p in result.curve])


def test_ends_of_continued_curves_move_and_what_is_measured_does_not():
    sizes = np.array([0, 1, 2, 3, np.inf])
    curve = Continued(sizes, 2, np.array([0, 0.5, 0.7, 0.8, 0.9]), np.empty((0, 5)))
    low, high = curve.stretched(-0.1, 0.1)
    assert low.score == pytest.approx([0, 0.5, 0.7, 0.75, 0.8])
    assert high.score == pytest.approx([0, 0.5, 0.7, 0.85, 1.0])
    # No ceiling is below what surveys score.
    assert curve.stretched(-1, 0)[0].score[-1] == pytest.approx(0.7)
    # .5 of 1 is reached by one rater; .855 is half way from 3 to infinity, in 1/k.
    assert high.raters_for_share(0.5)[0] == pytest.approx(1)
    assert curve.raters_for_share(0.85 / 0.9)[0] == pytest.approx(6)


# The ceiling as survey reports it: shares of it, raters to buy, and what it cannot tell.


@pytest.fixture(scope="module")
def result():
    return survey(*running_example(1000, 10, seed=3), bootstrap=100)


def test_omniscience_is_the_ceiling(result):
    ceiling = result.ceiling
    assert ceiling.gain.low < 0.2516 < ceiling.gain.high  # the truth of the running example
    assert ceiling.score.low < result["omniscient"].score.value < ceiling.score.high
    ratio = ceiling.performance_ratio
    assert ratio["omniscient"].low < 1.02
    assert ratio["omniscient"].high > 0.98
    # The calibrated classifier has I(answer; label) = .1301 of .2516 bits.
    assert ratio["calibrated"].low < 0.1301 / 0.2516 < ratio["calibrated"].high
    assert ceiling.narrow
    assert ceiling.draws == 100


def test_raters_to_buy(result):
    raters = {r.target: r.raters for r in result.ceiling.raters_for}
    shares = [raters[f"{share}% of the ceiling"].value for share in (90, 95)]
    assert shares == sorted(shares)


def test_continued_curve_tends_to_the_ceiling(result):
    curve = result.ceiling.curve
    assert (np.diff(curve) > -1e-9).all()
    assert curve[-1] == pytest.approx(result.ceiling.score.value, abs=0.005)
    for k in (1, 5, 9):
        assert curve[k] == pytest.approx(result.curve[k].score.value)


def test_words_json_and_plot(result):
    assert "∞ raters" in full(result)
    assert "reach 90% of the gain of infinitely many" in " ".join(full(result).split())
    document = result.to_dict()
    assert document["ceiling"]["gain"]["value"] == result.ceiling.gain.value
    assert document["classifiers"][0]["performance_ratio"]["value"] < 1
    assert document["ceiling"]["raters_for"][0]["target"] == "90% of the ceiling"
    assert "ceiling: ∞ raters" in [text.get_text() for text in result.plot().texts]
    (axes,) = FIGURES.plot_states(result).axes
    assert axes.get_xlabel() == "probability that a rater says dog"
    assert sum(bar.get_height() for bar in axes.patches) == pytest.approx(1)


def test_columns_of_states_are_no_comb():
    """Evenly spread states of a grid that does not fit twenty columns look even."""
    states = np.linspace(0, 1, 101)
    heights = FIGURES._columns(states, np.full(101, 1 / 101))
    np.testing.assert_allclose(heights[1:-1], 5 / 101, atol=1e-12)
    assert heights.sum() == pytest.approx(1)
    ends = FIGURES._columns(np.array([0.0, 1.0]), np.array([0.3, 0.7]))[[0, -1]]
    assert ends.tolist() == [0.3, 0.7]


def test_without_bootstrap_there_are_no_intervals():
    ceiling = survey(*running_example(200, 6, seed=1), bootstrap=0).ceiling
    assert ceiling.score.low is None
    assert all(r.raters.low is None for r in ceiling.raters_for)
    assert [r.raters.value for r in ceiling.raters_for[:2]] == sorted(
        r.raters.value for r in ceiling.raters_for[:2]
    )
    assert ceiling.performance_ratio["omniscient"].low is None


def test_few_ratings_tell_a_range():
    labels, _ = running_example(500, 3, seed=1)
    result = survey(labels, bootstrap=50)
    assert not result.ceiling.narrow
    assert any(
        "the ceiling (the score of infinitely many raters) is known only" in note
        for note in result.notes
    )
    assert result.ceiling.gain.low < 0.2516 < result.ceiling.gain.high


def test_several_labels_have_a_floor_and_a_note():
    made = simulate_ratings(300, 6, states=DirichletStates((0.5, 0.5, 0.5)), seed=2)
    result = survey(made.labels, bootstrap=30)
    # Two raters more than the six ratings allow: a survey of 5, and 2.
    assert result.ceiling.score.low <= result.ceiling.curve[7]
    assert any(
        "the ceiling (the score of infinitely many raters) is known only" in note
        for note in result.notes
    )
    assert len(FIGURES.plot_states(result).axes) == 3


def test_where_there_is_no_ceiling():
    labels, predictions = running_example(60, 5, seed=1)
    assert survey(labels, ceiling=False, bootstrap=0).ceiling is None
    assert survey(labels, reference=3, bootstrap=0).ceiling is None
    assert survey(labels, samples=200, bootstrap=0).ceiling is None
    made = simulate_ratings(40, 4, states=DirichletStates((1.0,) * 6), seed=2)
    result = survey(made.labels, bootstrap=0)
    assert result.ceiling is None
    assert any(
        "these ratings are too few to tell it (40 items have 3" in note for note in result.notes
    )
    many = simulate_ratings(60, 4, states=DirichletStates((1.0,) * 11), seed=2)
    notes = survey(many.labels, bootstrap=0, max_k=1).notes
    assert any("states are not fitted for so many labels" in note for note in notes)
    assert result.to_dict()["ceiling"] is None
    with pytest.raises(OptionError, match="was not fitted"):
        FIGURES.plot_states(result)
    grid = FIGURES.of_every_scorer(labels, predictions, combiner="plurality", bootstrap=0)
    assert len(grid) > 3
    assert len([each for each in FIGURES.plot_grid(grid).axes if each.axison]) == len(grid)


def test_no_information_at_all_is_undefined():
    """Every item shows the same pattern: nothing to know, and a ratio of nothing."""
    rng = np.random.default_rng(1)
    n = 60
    shuffled = np.array([rng.permutation([0, 0, 1, 1]) for _ in range(n)])
    from headcount import Labels

    labels = Labels.from_triples(
        np.repeat(np.arange(n), 4), np.tile(np.arange(4), n), shuffled.ravel()
    )
    half = Predictions.from_probabilities(range(n), ["0", "1"], {"h": [[0.5, 0.5]] * n})
    result = survey(labels, half, bootstrap=0)
    ratio = result.ceiling.performance_ratio["h"]
    assert ratio.undefined is not None or abs(result.ceiling.gain.value) > 1e-9
    assert math.isfinite(result.ceiling.score.value)


def test_progress_goes_on_while_the_curve_is_continued():
    told = []
    survey(*running_example(100, 4, seed=1), bootstrap=50, progress=lambda *x: told.append(x))
    assert told[0] == (50, 50)
    assert told[1:] == [(70, 100), (90, 100), (100, 100)]


def test_an_interval_beyond_the_data_allows_for_other_states():
    curve, more = np.array([[0.0, 0.5, 0.8]]), np.array([0.1, 0.15])

    def scores(draws):
        return Scores([np.tile(curve, (draws, 1))], np.full((draws, 1), 0.85), np.ones((draws, 50)))

    made = Estimates(scores(1), scores(40), 0.95, (more, np.tile(more, (40, 1))))
    worth = made.classifiers(["judge"])[0].worth
    assert worth.value == pytest.approx(2.5)  # half of what one more adds
    assert (worth.low, worth.high) == pytest.approx((2 + 0.05 / 0.125, 2 + 0.05 / 0.075))
    inside = Estimates(scores(1), scores(40), 0.95)._worth(np.array([0.65]), np.full(40, 0.65))
    assert inside.low == inside.value == inside.high


def ends(estimate):
    return estimate.low, estimate.value, estimate.high


@pytest.mark.parametrize("combiner", ["states", "abc"])
def test_infinitely_many_raters_are_no_worse_than_those_of_the_data(combiner):
    """Fewer samples are refitted than drawn: quantiles of the two differ by chance."""
    rng = np.random.default_rng(4)
    states = rng.dirichlet(np.ones(5), size=100)
    rows = [(i, r, rng.choice(5, p=p)) for i, p in enumerate(states) for r in range(5)]
    labels = Labels.from_triples(*zip(*rows, strict=True))
    result = survey(labels, combiner=combiner, bootstrap=200, seed=1)
    last, top = result.curve[-1], result.ceiling
    assert np.all(np.array(ends(top.score)) >= ends(last.score))
    assert np.all(np.array(ends(top.gain)) >= ends(last.gain))


@pytest.mark.parametrize("combiner", ["states", "abc"])
def test_raters_who_always_agree_leave_nothing_to_gain(combiner):
    """abc learns more of two raters than its first prediction and the states add up to."""
    label = np.random.default_rng(1).integers(3, size=200)
    rows = [(i, r, "abc"[x]) for i, x in enumerate(label) for r in range(3)]
    labels = Labels.from_triples(*zip(*rows, strict=True))
    result = survey(labels, combiner=combiner, bootstrap=100, seed=1)
    assert result.ceiling.score.value >= result.curve[-1].score.value
    assert result.ceiling.score.high <= 0

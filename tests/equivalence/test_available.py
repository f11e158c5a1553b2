"""The ceiling as survey reports it: shares of it, raters to buy, and what it cannot tell."""

from __future__ import annotations

import math

import numpy as np
import pytest

from headcount import (
    DirichletStates,
    Labels,
    OptionError,
    Predictions,
    running_example,
    simulate_ratings,
    survey,
)
from headcount.equivalence.drawing.figures import _columns, plot_states
from headcount.equivalence.surveys.base import Scores
from headcount.equivalence.worth.estimates import Estimates


@pytest.fixture(scope="module")
def result():
    return survey(*running_example(1000, 10, rng=3), bootstrap=100)


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
    shares = [raters[f"{share}% of the ceiling"].value for share in (90, 95, 99)]
    assert shares == sorted(shares)
    # One curve says both.
    assert raters["calibrated"] == result["calibrated"].equivalence
    assert raters["omniscient"].censored == "above"


def test_continued_curve_tends_to_the_ceiling(result):
    curve = result.ceiling.curve
    assert (np.diff(curve) > -1e-9).all()
    assert curve[-1] == pytest.approx(result.ceiling.score.value, abs=0.005)
    for k in (1, 5, 9):
        assert curve[k] == pytest.approx(result.curve[k].score.value)


def test_words_json_and_plot(result):
    assert "∞ raters" in repr(result)
    assert "for 90% of the gain of infinitely many raters" in " ".join(repr(result).split())
    document = result.to_dict()
    assert document["ceiling"]["gain"]["value"] == result.ceiling.gain.value
    assert document["classifiers"][0]["performance_ratio"]["value"] < 1
    assert document["ceiling"]["raters_for"][0]["target"] == "90% of the ceiling"
    labels = [line.get_label() for line in result.plot().get_lines()]
    assert "∞ raters: the ceiling" in labels
    (axes,) = plot_states(result).axes
    assert axes.get_xlabel() == "probability that a rater says dog"
    assert sum(bar.get_height() for bar in axes.patches) == pytest.approx(1)


def test_columns_of_states_are_no_comb():
    """Evenly spread states of a grid that does not fit twenty columns look even."""
    states = np.linspace(0, 1, 101)
    heights = _columns(states, np.full(101, 1 / 101))
    np.testing.assert_allclose(heights[1:-1], 5 / 101, atol=1e-12)
    assert heights.sum() == pytest.approx(1)
    assert _columns(np.array([0.0, 1.0]), np.array([0.3, 0.7]))[[0, -1]].tolist() == [0.3, 0.7]


def test_without_bootstrap_there_are_no_intervals():
    ceiling = survey(*running_example(200, 6, rng=1), bootstrap=0).ceiling
    assert ceiling.score.low is None
    assert all(r.raters.low is None for r in ceiling.raters_for)
    assert [r.raters.value for r in ceiling.raters_for[:3]] == sorted(
        r.raters.value for r in ceiling.raters_for[:3]
    )
    assert ceiling.performance_ratio["omniscient"].low is None


def test_few_ratings_tell_a_range():
    labels, _ = running_example(500, 3, rng=1)
    result = survey(labels, bootstrap=50)
    assert not result.ceiling.narrow
    assert any("the ratings fit several ceilings: from" in note for note in result.notes)
    assert result.ceiling.gain.low < 0.2516 < result.ceiling.gain.high


def test_several_labels_have_a_floor_and_a_note():
    made = simulate_ratings(300, 6, states=DirichletStates((0.5, 0.5, 0.5)), rng=2)
    result = survey(made.labels, bootstrap=30)
    # Two raters more than the six ratings allow: a survey of 5, and 2.
    assert result.ceiling.score.low <= result.ceiling.curve[7]
    assert any("the ratings fit several ceilings: from" in note for note in result.notes)
    assert len(plot_states(result).axes) == 3


def test_where_there_is_no_ceiling():
    labels, predictions = running_example(60, 5, rng=1)
    assert survey(labels, ceiling=False, bootstrap=0).ceiling is None
    assert survey(labels, reference_raters=3, bootstrap=0).ceiling is None
    assert survey(labels, method="sampled", bootstrap=0).ceiling is None
    made = simulate_ratings(40, 4, states=DirichletStates((1.0,) * 6), rng=2)
    result = survey(made.labels, bootstrap=0)
    assert result.ceiling is None
    assert any(
        "these ratings are too few to tell it (40 items have 3" in note for note in result.notes
    )
    many = simulate_ratings(60, 4, states=DirichletStates((1.0,) * 11), rng=2)
    notes = survey(many.labels, bootstrap=0, max_k=1).notes
    assert any("states are not fitted for so many labels" in note for note in notes)
    assert result.to_dict()["ceiling"] is None
    with pytest.raises(OptionError, match="was not fitted"):
        plot_states(result)
    del predictions


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
    survey(*running_example(100, 4, rng=1), bootstrap=50, progress=lambda *x: told.append(x))
    assert told[0] == (50, 50)
    assert told[1:] == [(70, 100), (90, 100), (100, 100)]


def test_an_interval_beyond_the_data_allows_for_other_states():
    curve, more = np.array([[0.0, 0.5, 0.8]]), np.array([0.1, 0.15])

    def scores(draws):
        return Scores([np.tile(curve, (draws, 1))], np.full((draws, 1), 0.85), np.ones((draws, 50)))

    made = Estimates(scores(1), scores(40), 0.95, (more, np.tile(more, (40, 1))))
    worth = made.classifiers(["judge"])[0].equivalence
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
    result = survey(labels, combiner=combiner, bootstrap=200, rng=1)
    last, top = result.curve[-1], result.ceiling
    assert np.all(np.array(ends(top.score)) >= ends(last.score))
    assert np.all(np.array(ends(top.gain)) >= ends(last.gain))


@pytest.mark.parametrize("combiner", ["states", "abc"])
def test_raters_who_always_agree_leave_nothing_to_gain(combiner):
    """abc learns more of two raters than its first prediction and the states add up to."""
    label = np.random.default_rng(1).integers(3, size=200)
    rows = [(i, r, "abc"[x]) for i, x in enumerate(label) for r in range(3)]
    labels = Labels.from_triples(*zip(*rows, strict=True))
    result = survey(labels, combiner=combiner, bootstrap=100, rng=1)
    assert result.ceiling.score.value >= result.curve[-1].score.value
    assert result.ceiling.score.high <= 0

"""Numbers with many values: components of variance in place of what follows each value."""

from __future__ import annotations

from itertools import permutations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from headcount import Labels, OptionError, Predictions, survey
from headcount.data.predictions import Score
from headcount.equivalence import numbers


def rated(said, judge=None):
    """Ratings of every item by every rater, and a judge's numbers."""
    items, raters = said.shape
    labels = Labels.from_triples(
        np.repeat(np.arange(items), raters), np.tile(np.arange(raters), items), said.ravel()
    )
    if judge is None:
        return labels, None
    table = {"item": np.arange(items), "judge": judge}
    return labels, table


def drawn(seed, items=60, raters=4, noise=8.0):
    rng = np.random.default_rng(seed)
    state = rng.normal(50, 15, items)
    said = np.round(state[:, None] + rng.normal(0, 12, (items, raters)), 1)
    return said, state + rng.normal(0, noise, items)


def slow_moments(said):
    """Variance of a rating and covariance of two raters of an item, over all ordered pairs."""
    n, raters = said.shape
    pairs = [(said[:, a], said[:, b]) for a, b in permutations(range(raters), 2)]
    left = said - said.mean(axis=1, keepdims=True) - said.mean(axis=0) + said.mean()
    residual = (left**2).sum() / (n - 1) / (raters - 1)
    levels = max(said.mean(axis=0).var(ddof=1) - residual / n, 0)
    centre = said.mean() ** 2 - said.mean(axis=1).var() / (n - 1) - levels / raters
    shared = np.mean([a * b for a, b in pairs]) - centre
    return np.mean(said**2) - centre, shared


@given(st.integers(0, 50), st.integers(2, 5))
def test_the_curve_is_that_of_means_over_all_pairs_of_raters(seed, raters):
    said, judge = drawn(seed, items=40, raters=raters)
    labels, predictions = rated(said, judge)
    result = survey(labels, predictions, bootstrap=0)
    variance, shared = slow_moments(said)
    for point in result.curve[1:]:
        expected = shared / np.sqrt(variance * (shared + (variance - shared) / point.k))
        assert point.score.value == pytest.approx(expected, abs=1e-9)
    joint = np.cov(judge, said.mean(axis=1))[0, 1]
    expected = joint / np.sqrt(judge.var(ddof=1) * variance)
    assert result["judge"].score.value == pytest.approx(expected, abs=1e-9)
    assert result.ceiling.score.value == pytest.approx(np.sqrt(shared / variance), abs=1e-9)


def test_it_is_the_correlation_of_raters_drawn_from_very_many_items():
    """The formula against the plain correlation of a mean of two raters with a third."""
    said, judge = drawn(1, items=20_000, raters=3)
    result = survey(*rated(said, judge), bootstrap=0)
    two = np.corrcoef((said[:, 0] + said[:, 1]) / 2, said[:, 2])[0, 1]
    assert result.curve[2].score.value == pytest.approx(two, abs=0.01)
    squared = survey(*rated(said, judge), bootstrap=0, scorer="squared-error")
    slope, start = np.polyfit((said[:, 0] + said[:, 1]) / 2, said[:, 2], 1)
    left = np.mean((said[:, 2] - start - slope * (said[:, 0] + said[:, 1]) / 2) ** 2)
    assert -squared.curve[2].score.value == pytest.approx(left, rel=0.02)
    assert squared["judge"].score.value == pytest.approx(
        -np.mean((judge[:, None] - said) ** 2), rel=1e-6
    )


def test_a_judge_with_a_rater_beside_it_is_the_best_line_in_both():
    said, judge = drawn(2, items=20_000, raters=3)
    result = survey(*rated(said, judge), bootstrap=0, scorer="correlation")
    design = np.column_stack([np.ones(len(judge)), judge, said[:, 0]])
    fitted = design @ np.linalg.lstsq(design, said[:, 1], rcond=None)[0]
    expected = np.corrcoef(fitted, said[:, 1])[0, 1]
    assert result["judge"].with_rater.score.value == pytest.approx(expected, abs=0.01)


def test_units_and_order_do_not_matter():
    said, judge = drawn(3)
    labels, predictions = rated(said, judge)
    result = survey(labels, predictions, bootstrap=100)
    moved = survey(*rated(said * 10 + 1000, judge), bootstrap=100)
    assert moved["judge"].worth.value == pytest.approx(result["judge"].worth.value, abs=1e-6)
    order = np.random.default_rng(1).permutation(len(said))
    table = {"item": order, "judge": judge[order]}
    again = survey(labels, table, bootstrap=100)
    assert again["judge"].worth == result["judge"].worth


def test_it_is_the_default_and_gives_way_to_what_is_asked_for():
    said, judge = drawn(4)
    labels, predictions = rated(said, judge)
    default = survey(labels, predictions, bootstrap=0)
    assert (default.provenance.combiner, default.provenance.scorer) == ("mean", "correlation")
    named = survey(labels, predictions, bootstrap=0, combiner="mean", scorer="correlation")
    assert named.columns() == default.columns()
    few = survey(*rated(np.clip(np.round(said / 20), 1, 5).astype(int), judge), bootstrap=0)
    assert few.provenance.combiner == "states"
    words = np.char.add("w", np.clip(np.round(said / 10), 0, 10).astype(int).astype(str))
    assert survey(rated(words)[0], bootstrap=0).provenance.combiner == "states"


def test_squared_error_shows_judges_as_they_are_and_after_a_line():
    said, judge = drawn(5, items=200)
    result = survey(*rated(said, judge + 30), bootstrap=100, scorer="squared-error")
    assert [c.name for c in result.classifiers] == ["judge", "judge (linear)"]
    assert result["judge"].worth.censored == "below"
    assert result["judge (linear)"].calibration == "linear"
    straight = survey(*rated(said, judge), bootstrap=100, scorer="squared-error")
    a, b = result["judge (linear)"].worth, straight["judge (linear)"].worth
    assert a.value == pytest.approx(b.value, abs=1e-6)


def test_intervals_clusters_and_plots():
    said, judge = drawn(6, items=120)
    labels, predictions = rated(said, judge)
    result = survey(labels, predictions, bootstrap=200)
    worth = result["judge"].worth
    assert worth.low < worth.value < worth.high
    clusters = {item: item // 2 for item in range(120)}
    clustered = survey(labels, predictions, bootstrap=200, cluster=clusters)["judge"].worth
    assert clustered.value == worth.value
    assert clustered.low != worth.low
    pytest.importorskip("matplotlib")
    assert result.plot().get_xlabel()
    assert "numbers with" in result.to_text(details=True)


@pytest.mark.parametrize("scorer", ["correlation", "squared-error"])
def test_leads_without_a_rater_are_those_of_the_others(scorer):
    said, judge = drawn(9, raters=4)
    said = said + np.array([0.0, 5.0, -8.0, 2.0])  # raters of other levels
    labels, table = rated(said, judge)

    def leads(of):
        result = survey(of, table, scorer=scorer, bootstrap=0, max_k=2)
        curve = [point.score.value for point in result.curve]
        return np.array([[c.score.value - k for k in curve] for c in result.classifiers])

    captured = []

    class Spy(numbers.RaterVariance):
        @classmethod
        def of(cls, changes, labels, prepared):
            captured.extend(changes)
            return super().of(changes, labels, prepared)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(numbers, "RaterVariance", Spy)
        result = survey(labels, table, scorer=scorer, bootstrap=60, intervals="sample", max_k=2)
    assert result.provenance.raters.name == "sample"
    for rater, change in enumerate(captured):
        others, _ = rated(np.delete(said, rater, axis=1))
        assert change[0] == pytest.approx(leads(others) - leads(labels), abs=1e-9)
    for one in result.classifiers:
        assert one.worth.low <= one.worth.value


def test_few_raters_have_wider_intervals_beside_them():
    rng = np.random.default_rng(1)
    said, judge = drawn(2, items=150, raters=3)
    levels = np.array([0.0, 14.0, -12.0])
    labels, table = rated(np.round(said + levels + rng.normal(0, [2, 5, 9], said.shape), 1), judge)
    one = survey(labels, table, bootstrap=100)["judge"]
    assert one.like_these.low <= one.worth.low
    assert one.like_these.high >= one.worth.high
    assert one.like_these != one.worth


def test_raters_alone_have_a_curve():
    labels, _ = rated(drawn(8)[0])
    result = survey(labels, bootstrap=50)
    assert not result.classifiers
    assert result.curve[1].score.value > 0
    assert result.ceiling is not None
    assert "Next" in str(result)


def test_words_among_numbers_and_one_rating_are_refused():
    said, _ = drawn(7)
    labels, _ = rated(said)
    names = Predictions.from_labels(range(60), {"judge": ["good", "bad"] * 30})
    with pytest.raises(Exception, match="raters"):
        survey(labels, names, bootstrap=0)
    with pytest.raises(OptionError, match="max_k"):
        survey(labels, max_k=9, bootstrap=0)


def test_constant_judges_and_items_that_do_not_differ():
    said, _ = drawn(8)
    flat = survey(*rated(said, np.full(60, 5.0)), bootstrap=50)
    assert flat["judge"].score.value == 0.0
    rng = np.random.default_rng(1)
    noise = survey(*rated(np.round(rng.normal(50, 10, (60, 3)), 1), rng.normal(size=60)))
    assert all(np.isfinite(point.score.value) for point in noise.curve)


def test_scores_without_a_file_are_taken():
    said, judge = drawn(9)
    labels, _ = rated(said)
    scores = (Score("judge", judge),)
    given_scores = Predictions(items=labels.items, labels=(), classifiers=(), scores=scores)
    assert survey(labels, given_scores, bootstrap=0)["judge"].worth.value > 0

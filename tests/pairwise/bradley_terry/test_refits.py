"""Bootstrap refits, rank intervals, and the coverage of intervals."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from headcount.data.comparisons import Comparisons
from headcount.errors import DataError, OptionError
from headcount.pairwise.bradley_terry.bradley_terry import bradley_terry
from headcount.pairwise.bradley_terry.standard_errors.refits import refit
from headcount.pairwise.pairs import pairs
from headcount.stats.ranks import Spread, rank_intervals, ranks
from tests.pairwise.bradley_terry.data import random_comparisons


def test_spread_is_the_standard_error():
    played = random_comparisons(10, 1500, seed=1)
    fit = bradley_terry(played)
    refits = refit(played, fit, draws=200)
    assert refits.ratings.shape == (200, 10)
    # Standard deviations of 200 draws are good to 5%; ten of them together to 2% or so.
    ratio = refits.ratings.std(axis=0, ddof=1) / fit.standard_error
    assert ratio.mean() == pytest.approx(1, abs=0.06)
    assert np.abs(refits.ratings.mean(axis=0) - fit.rating).max() < 0.03
    assert not refits.held.any()
    assert refits.notes == ()


def test_each_draw_is_the_fit_of_its_weights():
    """Weights are drawn for equal comparisons together, in the order of their content."""
    played = random_comparisons(6, 200, ties=0.2, shift=0.4, seed=2)
    played = played.select(np.lexsort((played.outcome, played.right, played.left)))
    kind = {"ties": "davidson", "position": True}
    fit = bradley_terry(played, **kind)
    refits = refit(played, fit, draws=3, rng=5)
    rng = np.random.default_rng(5)
    content = np.stack([played.left, played.right, played.outcome])
    _, first, size = np.unique(content, axis=1, return_index=True, return_counts=True)
    for draw, position, tie in zip(refits.ratings, refits.position, refits.tie, strict=True):
        weight = np.zeros(len(played))
        for row, drawn in zip(first, rng.poisson(size), strict=True):
            weight[row] = drawn
        again = bradley_terry(replace(played, weight=weight), **kind)
        # A prior of 10 logits pulls at 2.5 by 0.025 wins; curvatures are 3 and more.
        np.testing.assert_allclose(draw, again.rating, atol=1e-2)
        assert position == pytest.approx(again.position.value, abs=1e-2)
        assert tie == pytest.approx(again.tie.value, abs=1e-2)


@pytest.mark.parametrize(("ties", "none"), [("davidson", 0.0), ("rao-kupper", 1.0)])
def test_a_draw_without_ties_has_the_parameter_of_no_ties(ties, none):
    """One tie among 41 comparisons is not in a third of the draws."""
    played = Comparisons.from_columns("ab" * 20 + "a", "ba" * 20 + "b", [1] * 40 + [0.5])
    refits = refit(played, bradley_terry(played, ties=ties), draws=60)
    missing = refits.tie == none
    assert 10 < missing.sum() < 35
    assert (refits.tie[~missing] > none).all()


def test_raters_are_drawn_whole():
    """Every answer ten times by one rater says no more than once."""
    base = random_comparisons(6, 300, seed=3)
    rows = np.repeat(np.arange(len(base)), 10)
    copied = replace(base.select(rows), rater=rows, raters=np.arange(len(base)))
    fit = bradley_terry(copied)
    by_row = refit(copied, fit, draws=200).ratings.std(axis=0)
    by_rater = refit(copied, fit, draws=200, by="rater").ratings.std(axis=0)
    assert (by_rater / by_row).mean() == pytest.approx(np.sqrt(10), rel=0.08)
    errors = bradley_terry(base).standard_error
    assert (by_rater / errors).mean() == pytest.approx(1, abs=0.08)


def test_same_seed_same_draws():
    played = random_comparisons(5, 50, seed=4)
    fit = bradley_terry(played)
    one, two = refit(played, fit, draws=3, rng=1), refit(played, fit, draws=3, rng=1)
    np.testing.assert_array_equal(one.ratings, two.ratings)
    assert not np.array_equal(one.ratings, refit(played, fit, draws=3, rng=2).ratings)


def test_items_that_lose_nothing_in_a_draw_are_held_and_counted():
    """Item 0 lost once in 21: in a third of draws it does not lose at all."""
    left = np.concatenate([np.zeros(21, dtype=np.int64), np.ones(10, dtype=np.int64)])
    right = np.concatenate([np.tile([1, 2, 1], 7), np.full(10, 2)])
    outcome = np.concatenate([[0.0], np.ones(20), np.tile([1.0, 0.0], 5)])
    played = Comparisons(np.arange(3), left, right, outcome)
    fit = bradley_terry(played)
    refits = refit(played, fit, draws=300)
    assert refits.held[0] / 300 == pytest.approx(np.exp(-1), abs=0.09)
    assert np.isfinite(refits.ratings).all()
    assert refits.ratings.max() < 10
    assert "lost nothing or won nothing" in refits.notes[0]


def test_infinite_ratings_stay():
    played = Comparisons.from_columns("abcbcbcac", "bcbcbcbdd", [1] * 9)
    fit = bradley_terry(played)
    refits = refit(played, fit, draws=20)
    place = {item: k for k, item in enumerate(fit.items)}
    assert (refits.ratings[:, place["a"]] == np.inf).all()
    assert (refits.ratings[:, place["d"]] == -np.inf).all()
    result = pairs(played, bootstrap=20)
    for item, ends in {"a": (1, None, None), "b": (2, 2, 3), "d": (4, None, None)}.items():
        rank = result[item].rank
        assert (rank.value, rank.low, rank.high) == ends


def test_draws_that_cannot_be_fitted_are_counted():
    played = Comparisons.from_columns("ab", "ba", [1, 1], rater=["r", "s"])
    refits = refit(played, bradley_terry(played, position=True, prior=1.0), draws=50, by="rater")
    empty = np.isnan(refits.ratings).all(axis=1)
    # Neither rater is in one of e^2 draws: 7 of 50.
    assert 1 < empty.sum() < 20
    np.testing.assert_array_equal(np.isnan(refits.position), empty)
    assert any(f"{empty.sum()} bootstrap samples" in note for note in refits.notes)
    low, high = rank_intervals(np.zeros(2), Spread.of_draws(refits.ratings[~empty]))
    assert (low.tolist(), high.tolist()) == ([1, 1], [2, 2])


@pytest.mark.parametrize("kind", [{"prior": 1.0}, {"reliability": True}, {"ties": "rao-kupper"}])
def test_other_models_are_refitted_too(kind):
    played = random_comparisons(6, 400, ties=0.1, raters=4, seed=6)
    fit = bradley_terry(played, **kind)
    refits = refit(played, fit, draws=60)
    ratio = refits.ratings.std(axis=0) / fit.standard_error
    assert ratio.mean() == pytest.approx(1, abs=0.2)


def test_covariates_are_refitted_too():
    played = random_comparisons(6, 400, seed=6)
    fit = bradley_terry(played, covariates=np.arange(6.0), prior=1.0)
    refits = refit(played, fit, draws=60)
    assert np.abs(refits.ratings.mean(axis=0) - fit.rating).max() < 0.1


def test_options_that_cannot_be_served():
    played = random_comparisons(5, 50)
    fit = bradley_terry(played)
    with pytest.raises(OptionError, match="draws"):
        refit(played, fit, draws=0)
    with pytest.raises(OptionError, match="unit to draw"):
        refit(played, fit, draws=1, by="item")
    with pytest.raises(DataError, match="no rater"):
        refit(played, fit, draws=1, by="rater")
    with pytest.raises(DataError, match="not the comparisons"):
        refit(random_comparisons(4, 50), fit, draws=1)
    with pytest.raises(OptionError, match="level"):
        rank_intervals(np.zeros(2), Spread(variance=np.ones(2)), level=1.0)


@given(st.lists(st.sampled_from([-np.inf, -1.0, 0.5, 2.0, np.inf, np.nan]), min_size=1, max_size=8))
def test_ranks_count_who_is_better(values):
    found = ranks(np.array(values))
    for value, rank in zip(values, found, strict=True):
        if np.isnan(value):
            assert np.isnan(rank)
        else:
            assert rank == 1 + sum(other > value for other in values)


def test_ranks_within_components():
    table = np.array([[3.0, 1.0, 9.0, 8.0], [1.0, 3.0, 9.0, 8.0]])
    found = ranks(table, component=np.array([0, 0, 1, 1]))
    assert found.tolist() == [[1, 2, 1, 2], [2, 1, 1, 2]]


def test_ranks_over_draws_go_by_their_differences():
    """A difference of 3 with draws of standard deviation sqrt(2): 2.12 standard errors."""
    rng = np.random.default_rng(0)
    draws = rng.normal(size=(20_000, 2))
    spread = Spread.of_draws(draws)
    rating = np.array([3.0, 0.0])
    assert [x.tolist() for x in rank_intervals(rating, spread, level=0.95)] == [[1, 2], [1, 2]]
    assert [x.tolist() for x in rank_intervals(rating, spread, level=0.98)] == [[1, 1], [2, 2]]
    # Two that move together are told apart by less.
    both = draws[:, :1] + 0.1 * draws
    near = Spread.of_draws(both)
    assert [x.tolist() for x in rank_intervals(0.2 * rating, near)] == [[1, 2], [1, 2]]
    apart = Spread(variance=both.var(axis=0))
    assert [x.tolist() for x in rank_intervals(0.2 * rating, apart)] == [[1, 1], [2, 2]]


def test_equal_ratings_share_a_rank_whatever_the_rounding():
    assert ranks(np.array([0.1 + 0.2, 0.3, 0.0])).tolist() == [1, 1, 3]


@pytest.mark.parametrize("ties", ["half", "davidson"])
def test_intervals_cover(ties):
    """95% intervals of ratings, of probabilities, and of the position effect.

    80 fits of 12 items: 960 ratings (not quite independent), so that 2.5% is 3 standard errors.
    """
    rng = np.random.default_rng(11)
    n, m, nu, shift = 12, 360, 0.6, 0.3
    inside, sides, chances = [], [], []
    for _ in range(80):
        theta = rng.normal(size=n)
        left = rng.integers(0, n, m)
        right = (left + rng.integers(1, n, m)) % n
        eta = theta[left] - theta[right] + shift
        weights = np.array([np.exp(eta / 2), np.exp(-eta / 2), np.full(m, nu)])
        weights[2] *= ties == "davidson"
        chance = np.cumsum(weights / weights.sum(axis=0), axis=0)
        outcome = np.array([1.0, 0.0, 0.5])[(rng.random(m) > chance).sum(axis=0)]
        fit = bradley_terry(
            Comparisons(np.arange(n), left, right, outcome), ties=ties, position=True
        )
        if not fit.finite.all():
            continue
        z = (fit.rating - theta + theta.mean()) / fit.standard_error
        inside.append(np.abs(z) < 1.96)
        side = fit.position.estimate()
        sides.append(side.low <= shift <= side.high)
        for a, b in ((0, 1), (2, 3), (4, 5)):
            e = np.exp((theta[a] - theta[b]) / 2)
            truth = e / (e + 1 / e + nu * (ties == "davidson"))
            found = fit.probability(a, b)
            chances.append(found.low <= truth <= found.high)
    assert 0.925 < np.mean(inside) < 0.975
    assert 0.92 < np.mean(chances) < 0.98
    assert np.mean(sides) > 0.88

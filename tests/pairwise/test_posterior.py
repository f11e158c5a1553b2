"""What answers tell of ratings before new tasks are chosen, and how far goals are reached."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from headcount import next_pairs
from headcount.data.comparisons import Comparisons
from headcount.pairwise.planning.tasks.goals import GOALS, choose_goal
from headcount.pairwise.planning.tasks.posterior import Posterior, fit_posterior, variances
from headcount.pairwise.planning.tasks.simulate_remaining import play_on
from headcount.pairwise.planning.tasks.until import Until, how_far
from tests.pairwise.bradley_terry.data import random_comparisons


def exact_variances(n, first, second, weight, prior):
    matrix = prior * np.eye(n)
    for i, j, w in zip(first, second, weight, strict=True):
        matrix[i, i] += w
        matrix[j, j] += w
        matrix[i, j] -= w
        matrix[j, i] -= w
    return np.diag(np.linalg.inv(matrix))


@given(st.integers(0, 10_000))
@settings(max_examples=25)
def test_variances_are_exact_where_the_graph_is_a_tree(seed):
    rng = np.random.default_rng(seed)
    second = np.arange(1, 12)
    first = (rng.random(11) * second).astype(np.int64)
    weight = rng.uniform(0.05, 0.5, 11)
    found = variances(13, first, second, weight, 0.7)
    # One item was never compared; messages of a tree settle, up to rounding.
    np.testing.assert_allclose(found, exact_variances(13, first, second, weight, 0.7), rtol=1e-7)


def test_variances_are_close_among_many_items():
    asked = random_comparisons(300, 1500, seed=1)
    weight = np.full(len(asked), 0.2)
    found = variances(300, asked.left, asked.right, weight, 1.0)
    exact = exact_variances(300, asked.left, asked.right, weight, 1.0)
    np.testing.assert_allclose(found, exact, rtol=0.02)


def answers(n, number, sd, seed, ties=0.0):
    rng = np.random.default_rng(seed)
    theta = sd * rng.normal(size=n)
    left = rng.integers(0, n, number)
    right = (left + rng.integers(1, n, number)) % n
    won = (rng.random(number) < 1 / (1 + np.exp(theta[right] - theta[left]))).astype(float)
    won[rng.random(number) < ties] = 0.5
    return theta - theta.mean(), Comparisons(np.arange(n), left, right, won)


@pytest.mark.parametrize("sd", [0.5, 1.0, 2.0])
def test_spread_and_labels_are_found_with_the_right_confidence(sd):
    theta, asked = answers(400, 4000, sd, seed=2)
    known = fit_posterior(asked, 400)
    # 20 answers an item: the logarithm of the spread has a standard error of .1.
    assert abs(math.log(known.spread / sd)) < 0.3
    assert known.noise == 1
    z = (known.rating - theta) / known.sd
    # 400 squares with variance 2 have a mean with standard error .07.
    assert np.mean(z**2) == pytest.approx(1, abs=0.25)
    goal = choose_goal("labels")
    right = float(goal.share(known.rating, theta[None, :])[0])
    expected = goal.expected(known.rating, known.sd)
    # A share of 400 labels has a standard error of .02.
    assert expected == pytest.approx(right, abs=0.05)


def test_ties_count_as_answers_that_vary_less():
    _, asked = answers(200, 3000, 1.0, seed=1, ties=0.5)
    assert fit_posterior(asked, 200).noise == pytest.approx(0.5, abs=0.06)


def test_without_answers_nothing_is_known():
    none = Comparisons(np.arange(5), *(np.zeros(0, dtype=np.int64),) * 2, np.zeros(0))
    known = fit_posterior(none, 5)
    assert (known.rating == 0).all()
    assert math.isinf(known.spread_error)


@pytest.mark.parametrize("name", ["ratings", "labels", "top:7"])
def test_what_is_expected_now_is_what_draws_give(name):
    rng = np.random.default_rng(3)
    goal, rating, sd = choose_goal(name), rng.normal(size=300), rng.uniform(0.2, 0.6, 300)
    rating -= rating.mean()
    drawn = rating + sd * rng.normal(size=(4000, 300))
    # Means of thousands of shares, each of them with a standard deviation below .1; what is
    # expected of the best holds up to the rounding of the cut, which draws move.
    tolerance = 0.06 if name.startswith("top") else 0.015
    assert goal.expected(rating - goal.cut(rating, sd), sd) == pytest.approx(
        float(goal.share(rating, drawn).mean()), abs=tolerance
    )
    # Knowing all, all is reached; and what it takes to get there grows with what is wanted.
    sure = np.full(300, 1e-9)
    assert goal.expected(rating - goal.cut(rating, sure), sure) == pytest.approx(1, abs=0.05)
    gain = goal.gain(rating - goal.cut(rating, sd), sd)
    assert gain.shape == (300,)
    assert (gain >= 0).all()


def test_more_is_needed_the_more_is_wanted_and_the_less_is_known():
    _, asked = answers(150, 900, 1.0, seed=4)
    known = fit_posterior(asked, 150)

    def more(target):
        rng = np.random.default_rng(0)
        until = Until(choose_goal("labels"), target)
        return how_far(asked, known, until, price=None, level=0.95, rng=rng)

    needs = [more(target).more for target in (0.8, 0.85, 0.9)]
    values = [each.value for each in needs]
    assert values == sorted(values)
    assert all(each.low <= each.value <= each.high for each in needs)
    assert more(0.5).done
    assert more(0.999).more.censored == "above"


def test_goals_know_their_names():
    assert [choose_goal(name).written for name in ("ratings", "labels", "top:3")] == [
        "ratings", "labels", "top:3",
    ]  # fmt: skip
    assert list(GOALS) == ["ratings", "labels", "top"]
    assert isinstance(Posterior.prior(3), Posterior)


@pytest.mark.parametrize("seed", range(3))
def test_few_answers_do_not_make_items_lie_further_apart(seed):
    """Of four answers an item, a normal posterior finds a spread of 4 or more in place of 2."""
    theta, asked = answers(200, 400, 2.0, seed=seed)
    # The logarithm of the spread has a standard error of .2.
    assert abs(math.log(fit_posterior(asked, 200).spread / theta.std())) < 0.5


def test_a_loop_that_is_played_on_stops_at_once_where_nothing_is_wanted():
    _, asked = answers(100, 600, 1.0, seed=1)
    known = fit_posterior(asked, 100)
    goal, rng = choose_goal("labels"), np.random.default_rng(0)
    told = {"asked": 600, "luck": 1.28, "spare": 0.0, "draws": 20, "rng": rng}
    assert (play_on(known, goal, 0.3, **told) == 50).all()
    assert np.isinf(play_on(known, goal, 0.9999, **told)).all()
    at_85, at_90 = (np.median(play_on(known, goal, target, **told)) for target in (0.85, 0.9))
    assert 50 <= at_85 < at_90


def test_what_a_loop_still_takes_is_foreseen():
    """A loop of 100 items: steps are many, of one draw of items, so that most are asked to hold."""
    rng = np.random.default_rng(7)
    theta, parts, ahead = 1.5 * rng.normal(size=100), [], []
    tasks = next_pairs(items=range(100), until="labels 0.85", checks=0)
    while not tasks.standing.done:
        left, right = (np.array([int(x) for x in side]) for side in (tasks.left, tasks.right))
        won = (rng.random(len(left)) < 1 / (1 + np.exp(theta[right] - theta[left]))).astype(float)
        parts.append(Comparisons(np.arange(100), left, right, won))
        tasks = next_pairs(tuple(parts), items=range(100), until="labels 0.85", checks=0)
        ahead.append((sum(map(len, parts)), tasks.standing.more))
    end = ahead.pop()[0]
    held = [more.low <= end - asked <= more.high for asked, more in ahead]
    assert len(held) > 3
    assert np.mean(held) > 0.6

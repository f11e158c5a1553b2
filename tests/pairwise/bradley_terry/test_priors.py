"""A prior whose spread is fitted, where many ratings would have no bound."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pytest

from headcount.data.comparisons import Comparisons
from headcount.errors import OptionError
from headcount.pairwise.bradley_terry import priors
from headcount.pairwise.bradley_terry.bradley_terry import bradley_terry
from headcount.pairwise.bradley_terry.likelihood.marginal import Evidence
from headcount.pairwise.bradley_terry.likelihood.model import Model, sparse_hessian
from headcount.pairwise.bradley_terry.likelihood.newton import maximise
from headcount.pairwise.bradley_terry.likelihood.pair_wins import PairWins
from headcount.pairwise.bradley_terry.priors import spread_of
from headcount.pairwise.bradley_terry.ties.half import HALF
from headcount.pairwise.pairs import pairs


def matched(items, rounds, spread, seed=0):
    """Compare every item once a round, with a partner drawn at random."""
    rng = np.random.default_rng(seed)
    theta = rng.normal(size=items) * spread
    order = np.concatenate([rng.permutation(items) for _ in range(rounds)])
    left, right = order[::2], order[1::2]
    win = rng.random(len(left)) < 1 / (1 + np.exp(theta[right] - theta[left]))
    return Comparisons.from_columns(left, right, win.astype(float))


def slow_evidence(played, tau):
    """Laplace's approximation with dense matrices."""
    fit = bradley_terry(played, prior=tau, errors="hessian")
    theta, left, right = fit.rating, played.left, played.right
    p = 1 / (1 + np.exp(theta[right] - theta[left]))
    h = np.eye(len(theta)) / tau**2
    for a, b, c in zip(left, right, p * (1 - p), strict=True):
        h[a, a] += c
        h[b, b] += c
        h[a, b] -= c
        h[b, a] -= c
    fits = np.sum(np.log(np.where(played.outcome == 1, p, 1 - p)))
    log_tau = math.log(tau)
    return (
        fits - np.sum(theta**2) / (2 * tau**2) - len(theta) * log_tau
        - np.linalg.slogdet(h)[1] / 2 - log_tau**2 / 2
    )  # fmt: skip


def laplace(played):
    """Fit a spread by Laplace's approximation, as where answers are many."""
    wins = PairWins.of(played, split=True, sided=False, by_rater=False)

    def climb(spread):
        model = Model(wins, prior=spread)
        point = maximise(model, model.start(), tolerance=1e-6, max_iter=100).point
        return point, sparse_hessian(point)

    return spread_of(climb)


def test_the_spread_is_the_largest_that_is_likely():
    played = matched(40, 6, 1.0)
    tau = laplace(played)
    best = max(slow_evidence(played, spread) for spread in np.geomspace(0.2, tau, 25))
    # On a grid of 12%, and to three digits: the rise is flat at the best.
    assert slow_evidence(played, tau) == pytest.approx(best - 1.35, abs=0.1)
    assert slow_evidence(played, 1.2 * tau) < best - 1.35


def test_a_series_stands_in_for_large_determinants(monkeypatch):
    played = matched(120, 6, 1.0, seed=2)
    dense = laplace(played)
    monkeypatch.setattr(priors, "DENSE", 10)
    assert laplace(played) == pytest.approx(dense, rel=0.05)


def evidence(played, **more):
    wins = PairWins.of(played, split=True, sided=False, by_rater=False)
    return Evidence(wins=wins, ties=HALF, **more)


@pytest.mark.parametrize("spread", [0.3, 1.0, 3.0])
def test_pairs_that_do_not_touch_say_nothing_of_the_spread(spread):
    # Whoever wins, half of such pairs would: the likelihood is the same at every spread.
    assert evidence(matched(100, 1, 1.0)).slope(spread) == pytest.approx(0, abs=0.3)


@pytest.mark.parametrize("outcome", [(1, 1), (1, 0), (0.5, 1), (0.5, 0.5)])
@pytest.mark.parametrize("spread", [0.5, 2.0])
def test_the_slope_is_that_of_the_integral(outcome, spread):
    # a - b - c, on a grid of all three ratings.
    played = Comparisons.from_columns("ab", "bc", outcome)
    x = np.linspace(-7, 7, 81)
    a, b, c = spread * np.array(np.meshgrid(x, x, x, indexing="ij"))
    log = -0.5 * (a**2 + b**2 + c**2) / spread**2
    for gap, y in ((a - b, outcome[0]), (b - c, outcome[1])):
        log = log - y * np.logaddexp(0, -gap) - (1 - y) * np.logaddexp(0, gap)
    weight = np.exp(log)
    exact = float(np.sum(weight * (a**2 + b**2 + c**2)) / weight.sum()) / spread**2 - 3
    assert evidence(played).slope(spread) == pytest.approx(exact, abs=0.03)


@pytest.mark.parametrize("rounds", [4, 10])
@pytest.mark.parametrize("spread", [0.5, 2.0])
def test_the_spread_is_found(spread, rounds):
    # The likeliest is where the slope is 0; 400 items tell it to 10%, and 95% of them are in 25%.
    found = evidence(matched(400, rounds, spread))
    assert found.slope(0.75 * spread) > 0 > found.slope(1.35 * spread)
    fitted = bradley_terry(matched(400, rounds, spread), prior="fitted").prior
    assert 0.9 * spread < fitted < 1.6 * spread


def test_ties_as_halves_vary_less_and_say_more():
    played = matched(300, 10, 1.0)
    ties = np.random.default_rng(1).random(len(played)) < 0.5
    played = replace(played, outcome=np.where(ties, 0.5, played.outcome))
    fit = bradley_terry(played, prior="fitted")
    assert fit.noise == pytest.approx(0.5, abs=0.1)
    # Half of the answers pull to the middle: the ratings that halves are about spread by .45 or so.
    assert 0.35 < fit.prior < 0.6
    # Answers that count 1 / noise, in the plain way.
    again = replace(played, weight=np.full(len(played), 1 / fit.noise))
    plain = bradley_terry(again, prior=fit.prior, errors="hessian")
    assert fit.rating - fit.mean == pytest.approx(plain.rating, abs=1e-6)
    assert fit.standard_error == pytest.approx(plain.standard_error, abs=1e-6)


def test_order_and_names_do_not_matter_to_the_spread():
    played = matched(80, 3, 1.5)
    rng = np.random.default_rng(0)
    rows, names = rng.permutation(len(played)), rng.permutation(80)
    other = Comparisons.from_columns(
        names[played.left[rows]], names[played.right[rows]], played.outcome[rows]
    )
    fit, again = (bradley_terry(data, prior="fitted") for data in (played, other))
    assert fit.prior == pytest.approx(again.prior, rel=2e-3)


def test_sparse_data_get_a_prior_by_themselves():
    played = matched(60, 3, 1.0)
    result = pairs(played)
    assert result.fit["prior_fitted"]
    assert result.fit["not_finite"] == 0
    assert any("undefeated, in 3 comparisons each" in note for note in result.notes)
    free = pairs(played, prior="none")
    assert free.fit["prior"] is None
    assert free.fit["not_finite"] > 5


def test_items_that_won_once_are_not_on_top_of_everything():
    rng = np.random.default_rng(5)
    theta = np.linspace(-2, 2, 20)
    left = rng.integers(20, size=400)
    right = (left + rng.integers(1, 20, size=400)) % 20
    win = (rng.random(400) < 1 / (1 + np.exp(theta[right] - theta[left]))).astype(float)
    new = np.arange(20, 28)  # each beat the worst item, once
    played = Comparisons.from_columns([*left, *new], [*right, *[0] * 8], [*win, *np.ones(8)])
    result = pairs(played)
    assert set(result.fit["undefeated"]) >= {*new.tolist()}
    assert all(i.item < 20 for i in result.items[:6])


def test_a_few_undefeated_items_get_none():
    rng = np.random.default_rng(4)
    left = rng.integers(30, size=900)
    right = (left + rng.integers(1, 30, size=900)) % 30
    win = np.where(left == 7, 1.0, np.where(right == 7, 0.0, rng.random(900) < 0.5))
    result = pairs(Comparisons.from_columns(left, right, win))
    assert result.fit["prior"] is None
    assert result.fit["undefeated"] == [7]


@pytest.mark.parametrize("prior", ["wide", -1, "-1"])
def test_no_such_prior(prior):
    with pytest.raises(OptionError, match="prior"):
        pairs(matched(10, 4, 1.0), prior=prior)


def test_a_few_items_far_above_do_not_move_the_average():
    # A tenth of the items 4 logits above: drawn in, they would lift the others to the average.
    rng = np.random.default_rng(3)
    theta = np.where(np.arange(200) < 20, 4.0, rng.normal(0, 0.5, 200))
    theta -= theta.mean()
    order = np.concatenate([rng.permutation(200) for _ in range(12)])
    left, right = order[::2], order[1::2]
    win = rng.random(len(left)) < 1 / (1 + np.exp(theta[right] - theta[left]))
    played = Comparisons(np.arange(200), left, right, win.astype(float))
    fit = bradley_terry(played, prior="fitted")
    low = theta < 1
    before, after = (np.mean((r - theta)[low]) for r in (fit.rating - fit.mean, fit.rating))
    assert fit.mean < 0
    assert abs(after) < 0.6 * abs(before)
    labels = {item.item: item.label for item in pairs(played, prior="fitted").items}
    right_ones = np.mean([(labels[i] == "above") == (theta[i] > 0) for i in range(200)])
    assert right_ones > np.mean((fit.rating - fit.mean > 0) == (theta > 0))

"""Priors, data for which there is no finite rating, and options that cannot be served."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from headcount.data.comparisons import Comparisons
from headcount.errors import DataError, OptionError
from headcount.pairwise import priors
from headcount.pairwise.bradley_terry import bradley_terry
from headcount.pairwise.likelihood import (
    Model,
    PairWins,
    _unbounded,
    maximise,
    refuse_runaway,
    sparse_hessian,
)
from headcount.pairwise.pairs import pairs
from headcount.pairwise.priors import Evidence, spread_of
from headcount.pairwise.ties import HALF, tie_model
from tests.pairwise.data import random_comparisons

# A prior whose spread is fitted, where a rating would have no bound.


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
    wins = PairWins.of(played, split=True)

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
    wins = PairWins.of(played, split=True)
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


def test_one_undefeated_item_is_enough_and_bars_nobody():
    """Twenty boards of ten items like each other but for one, and a newcomer who won once."""
    for seed in range(20):
        rng = np.random.default_rng(seed)
        theta = np.append(np.zeros(9), 0.8)
        left = rng.integers(10, size=600)
        right = (left + rng.integers(1, 10, size=600)) % 10
        win = rng.random(600) < 1 / (1 + np.exp(theta[right] - theta[left]))
        rows = [*left, 10], [*right, 0], [*win.astype(float), 1.0]
        result = pairs(Comparisons.from_columns(*rows))
        assert result.fit["prior_fitted"]
        assert result.fit["undefeated"] == [10]
        assert result[9].may_be_first
        assert sum(i.may_be_first for i in result.items) > 1
        assert math.isfinite(result[10].rating.high)


def test_groups_stay_apart_beside_a_prior_that_nobody_asked_for():
    left = [*"abcabc", *"xyxy", "n"]
    right = [*"bcacab", *"yxyx", "a"]
    result = pairs(Comparisons.from_columns(left, right, [1, 0, 1, 1, 0, 0, 1, 1, 0, 1, 1]))
    assert result.fit["prior_fitted"]
    assert {i.item: i.component for i in result.items}["x"] == 1
    assert "no comparisons join" in result.probability("a", "x").undefined
    assert {i.component for i in pairs(result.compared, prior="fitted").items} == {0}


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
    assert any("lie far above the others" in note for note in fit.notes)
    assert not any("lie far" in note for note in bradley_terry(matched(200, 6, 1.0)).notes)
    labels = {item.item: item.label for item in pairs(played, prior="fitted").items}
    right_ones = np.mean([(labels[i] == "above") == (theta[i] > 0) for i in range(200)])
    assert right_ones > np.mean((fit.rating - fit.mean > 0) == (theta > 0))


# Data for which there is no finite rating, and options that cannot be served.


def game(text: str) -> Comparisons:
    """'ab' is a win of a over b, 'a=b' a tie; the first is on the left."""
    words = text.split()
    return Comparisons.from_columns(
        [w[0] for w in words],
        [w[-1] for w in words],
        ["tie" if "=" in w else "left" for w in words],
    )


def rated(fit) -> dict[str, float]:
    return dict(zip(fit.items.tolist(), fit.rating.tolist(), strict=True))


def test_undefeated_and_winless_are_infinite_and_said_so():
    fit = bradley_terry(game("ab ac bc cb bd cd bc"))
    found = rated(fit)
    assert found["a"] == np.inf
    assert found["d"] == -np.inf
    assert found["b"] - found["c"] == pytest.approx(np.log(2), abs=1e-8)
    assert found["b"] == pytest.approx(-found["c"])
    assert np.isnan(fit.standard_error).tolist() == [True, False, False, True]
    assert fit.finite.tolist() == [False, True, True, False]
    text = " ".join(fit.notes)
    assert "'a'" in text
    assert "'d'" in text
    assert "prior=1" in text
    assert {note.severity for note in fit.notes} == {"caution"}
    assert fit.converged
    # Comparisons with infinite gaps are certain: the rest is the likelihood of b against c.
    expected = 2 * np.log(2 / 3) + np.log(1 / 3)
    assert fit.log_likelihood == pytest.approx(expected)


def test_probability_at_infinity():
    fit = bradley_terry(game("ab ac bc cb bd cd bc xa"))
    sure = fit.probability("a", "d")
    assert (sure.value, sure.low) == (1.0, None)
    assert fit.probability("d", "b").value == 0.0
    assert fit.probability("a", "x").undefined is not None


def test_no_two_items_beat_each_other():
    fit = bradley_terry(game("ab bc ac"), position=True)
    assert fit.rating[[0, 2]].tolist() == [np.inf, -np.inf]
    assert np.isnan(fit.rating[1])
    assert np.isnan(fit.standard_error).all()
    assert fit.converged
    assert fit.position is None
    assert fit.log_likelihood == 0


def test_components_are_rated_apart():
    fit = bradley_terry(game("ab ba ab xy yx yx yx"))
    found = rated(fit)
    assert found["a"] == pytest.approx(np.log(2) / 2)
    assert found["y"] == pytest.approx(np.log(3) / 2)
    assert fit.component[0] == fit.component[1] != fit.component[2] == fit.component[3]
    assert any("groups" in note for note in fit.notes)
    assert "no comparisons join" in fit.probability("a", "x").undefined


def test_a_prior_joins_components_and_says_on_what_ground():
    fit = bradley_terry(game("ab ba ab xy xy"), prior=1.0)
    assert fit.finite.all()
    assert any("prior is right" in note for note in fit.notes)
    assert any("but for the prior" in note for note in fit.notes)
    across = fit.probability("a", "x")
    within = fit.probability("a", "b")
    assert across.high - across.low > within.high - within.low


def test_an_item_that_was_never_compared():
    data = game("ab ba ac ca ad da").select(np.arange(4))
    fit = bradley_terry(data)
    assert np.isnan(fit.rating[3])
    assert any("never compared" in note for note in fit.notes)
    held = bradley_terry(data, prior=2.0)
    assert held.rating[3] == 0
    # Relative to the mean of four.
    assert held.standard_error[3] == pytest.approx(2 * np.sqrt(3 / 4))


def test_weight_zero_is_no_comparison():
    data = game("ab ba ab ca")
    weight = np.array([1.0, 1, 1, 0])
    fit = bradley_terry(replace(data, weight=weight))
    assert rated(fit)["a"] == pytest.approx(np.log(2) / 2)
    assert np.isnan(rated(fit)["c"])
    with pytest.raises(DataError, match="weight 0"):
        bradley_terry(replace(data, weight=0 * weight))


def test_no_ties_leave_the_plain_model():
    data = game("ab ba ab bc ca")
    for ties, neutral in (("davidson", 0.0), ("rao-kupper", 1.0)):
        fit = bradley_terry(data, ties=ties)
        np.testing.assert_allclose(fit.rating, bradley_terry(data).rating, atol=1e-9)
        assert fit.tie.value == neutral
        assert any("no ties" in note for note in fit.notes)
        assert fit.tie.estimate().low is None


def test_ties_outside_the_core_do_not_count():
    fit = bradley_terry(game("ab bc ca xa x=y"), ties="davidson")
    assert rated(fit)["x"] == rated(fit)["y"] == np.inf
    assert fit.tie.value == 0
    assert any("no ties among items with a finite rating" in note for note in fit.notes)


def test_few_steps_are_not_enough_and_said_so():
    fit = bradley_terry(random_comparisons(20, 300), max_iter=1)
    assert not fit.converged
    assert any("not converged" in note for note in fit.notes)


@pytest.mark.parametrize(
    ("options", "error", "words"),
    [
        ({"ties": "davison"}, OptionError, "did you mean 'davidson'"),
        ({"prior": 0}, OptionError, "prior"),
        ({"prior": np.inf}, OptionError, "prior"),
        ({"tolerance": 0}, OptionError, "tolerance"),
        ({"max_iter": 0}, OptionError, "max_iter"),
    ],
)
def test_options_that_cannot_be_served(options, error, words):
    with pytest.raises(error, match=words):
        bradley_terry(game("ab ba bc cb"), **options)


def test_outcomes_between_have_no_place_in_models_of_ties():
    data = Comparisons.from_columns("ab", "ba", [0.7, 1])
    assert bradley_terry(data).finite.all()
    with pytest.raises(DataError, match="outcome 0"):
        bradley_terry(data, ties="davidson")


@pytest.mark.parametrize("ties", ["davidson", "rao-kupper"])
def test_nothing_but_ties(ties):
    data = game("a=b b=c")
    assert bradley_terry(data).rating.tolist() == pytest.approx([0, 0, 0])
    with pytest.raises(DataError, match="every comparison is a tie"):
        bradley_terry(data, ties=ties)


@pytest.mark.parametrize("ties", ["davidson", "rao-kupper"])
def test_wins_and_ties_that_run_off_together(ties):
    """P(tie) = P(a) = 1/2 is likeliest, and only reached at infinity."""
    with pytest.raises(DataError, match="circle"):
        bradley_terry(game("ab a=b"), ties=ties)
    assert bradley_terry(game("ab a=b"), ties=ties, prior=1.0).converged
    # No circle of wins here either, but a that is two wins above c cannot be one tie away.
    fit = bradley_terry(game("ab bc a=c"), ties=ties)
    assert fit.converged
    assert fit.finite.all()


def test_position_that_cannot_be_told():
    with pytest.raises(DataError, match="named first"):
        bradley_terry(game("ab ba bc cb"), position=True)
    # a and b always on the left, c and d on the right: a shift of both is a position effect.
    data = Comparisons.from_columns("aabbabab", "ccccdddd", [1, 0, 1, 0, 1, 0, 0, 1])
    assert bradley_terry(data).finite.all()
    with pytest.raises(DataError, match="both ways round"):
        bradley_terry(data, position=True)
    fit = bradley_terry(data, position=True, prior=1.0)
    assert fit.converged
    assert abs(fit.position.value) < 1


@given(st.integers(0, 100_000), st.sampled_from(["half", "davidson"]), st.booleans())
@settings(max_examples=40)
def test_circles_of_wins_and_linear_programs_agree(seed, ties, sided):
    """Where circles say that all is bounded, no direction is left; where not, fits run off."""
    data = random_comparisons(3, 7, ties=0.3, seed=seed, circle=False)
    fit = bradley_terry(data)
    if not fit.finite.all() or (ties != "half" and not (data.outcome == 0.5).any()):
        return
    wins = PairWins.of(data, split=ties == "half", sided=sided)
    by_cut = ties != "half"
    unbounded = any(_unbounded(wins, sided=sided, by_cut=by_cut))
    if by_cut and (data.outcome == 0.5).all():
        return
    if unbounded:
        with pytest.raises(DataError):
            refuse_runaway(wins, tie_model(ties), sided=sided, source="games")
        return
    found = bradley_terry(data, ties=ties, position=sided)
    assert found.converged
    # Data of seven answers have no ratings further apart than that, unless they run off.
    assert np.abs(found.point.z).max() < 8

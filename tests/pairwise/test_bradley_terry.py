"""Bradley-Terry ratings: the model, other programs, and invariants."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from headcount.data.comparisons import Comparisons
from headcount.pairwise.bradley_terry import bradley_terry
from headcount.pairwise.likelihood import Model, PairWins, maximise, solve
from headcount.pairwise.standard_errors import standard_errors, variance
from tests.pairwise.data import differences, naive_fit, naive_value, random_comparisons, unpack

# The log-likelihood, its gradient and its Hessian, by numerical differences.

TIES = ["half", "davidson", "rao-kupper"]


def build(ties="half", *, sided=False, prior=None, weights=False, seed=0) -> Model:
    played = random_comparisons(5, 40, ties=0.3, weights=weights, seed=seed)
    wins = PairWins.of(played, split=ties == "half", sided=sided)
    return Model(wins, ties, sided, prior)


def somewhere(model: Model, seed: int = 1) -> np.ndarray:
    rng = np.random.default_rng(seed)
    z = model.start()
    z[:5] = rng.normal(size=5)
    if model.sided:
        z[-2] = 0.4
    if model.ties.has_cut:
        z[-1] = 0.7
    return z


MODELS = [
    *({"ties": t, "sided": s, "weights": w} for t in TIES for s in (False, True) for w in (0, 1)),
    {"prior": 0.7},
    *({"ties": t, "sided": True, "prior": 2.0} for t in TIES),
]


@pytest.mark.parametrize("kind", MODELS)
def test_gradient_and_hessian_are_derivatives(kind):
    model = build(**kind)
    z, free = somewhere(model), model.free

    def along(v):
        return np.where(free, v, 0.0)

    point = model.at(z)
    # Fourth-order differences with steps of 1e-3 are good to 1e-9 or so.
    numeric = differences(lambda x: model.at(x).value, z)
    np.testing.assert_allclose(point.gradient, along(numeric), atol=1e-7)

    hessian = -differences(lambda x: model.at(x).gradient, z)
    for v in np.random.default_rng(2).normal(size=(3, len(z))):
        v = along(v)
        np.testing.assert_allclose(along(point.times(v)), along(hessian @ v), atol=1e-7)
    np.testing.assert_allclose(point.diagonal[free], np.diag(hessian)[free], atol=1e-7)


@pytest.mark.parametrize("ties", TIES)
def test_log_likelihood_is_the_papers(ties):
    played = random_comparisons(5, 40, ties=0.3, weights=True)
    wins = PairWins.of(played, split=ties == "half", sided=True)
    model = Model(wins, ties, True, None)
    z = somewhere(model)
    expected = naive_value(played, z[:5], ties=ties, shift=z[-2], cut=z[-1])
    assert model.at(z).log_likelihood == pytest.approx(expected, rel=1e-12)


def test_log_likelihood_of_whole_and_of_broken_weights():
    """Whole weights are multiplied up before the logarithm is taken, others are not."""
    played = random_comparisons(4, 2000)
    wins = PairWins.of(played, split=True, sided=True)
    z = np.array([30.0, 0.1, -1.0, -20.0, 0.3, 0.0])
    theta, eta = z[:4], None
    eta = theta[played.left] - theta[played.right] + 0.3
    expected = -np.logaddexp(0, np.where(played.outcome == 1, -eta, eta)).sum()
    assert Model(wins, "half", True, None).at(z).value == pytest.approx(expected, rel=1e-12)


@pytest.mark.parametrize("ties", TIES)
def test_tails_neither_overflow_nor_vanish(ties):
    model = build(ties, sided=True)
    z = somewhere(model)
    z[:5] *= 500
    point = model.at(z)
    assert np.isfinite(point.value)
    assert np.isfinite(point.gradient).all()


def test_value_never_falls_on_the_way_up():
    model = build("rao-kupper", sided=True, prior=2.0)
    z, values = model.start(), []
    for _ in range(15):
        climb = maximise(model, z, tolerance=1e-9, max_iter=1)
        z = climb.point.z
        values.append(climb.point.value)
    assert climb.converged
    assert (np.diff(values) >= -1e-12 * abs(values[-1])).all()


def test_conjugate_gradients_stop_where_the_matrix_bends_down():
    right = np.array([1.0, 1.0])
    step = solve(lambda v: np.array([1.0, -2.0]) * v, right, np.ones(2), tolerance=0.1)
    assert step @ right > 0


def test_cells_are_added_up_alike_however_they_come():
    played = random_comparisons(4, 60, ties=0.3, weights=True)
    wins = PairWins.of(played, split=False)
    assert len(wins.first) == 6
    for i, j, win, tie, loss in zip(
        wins.first, wins.second, wins.win, wins.tie, wins.loss, strict=True
    ):
        total = np.zeros(3)
        for k in range(len(played)):
            pair = {int(played.left[k]), int(played.right[k])}
            if pair == {int(i), int(j)}:
                share = played.outcome[k] if played.left[k] == i else 1 - played.outcome[k]
                total[{1.0: 0, 0.5: 1, 0.0: 2}[share]] += played.weights[k]
        np.testing.assert_allclose([win, tie, loss], total)
    again = wins.reweighted(played.outcome, played.weights)
    np.testing.assert_array_equal(again.win, wins.win)
    np.testing.assert_array_equal(again.tie, wins.tie)


# Ratings against other programs, a direct optimiser, and what is known by hand.


def test_two_items_have_the_log_odds():
    played = Comparisons.from_columns("aaaab", "bbbba", [1, 1, 1, 0, 1])
    fit = bradley_terry(played, errors="hessian")
    assert fit.rating.tolist() == pytest.approx([math.log(1.5) / 2, -math.log(1.5) / 2], abs=1e-9)
    # The variance of the log odds is 1/3 + 1/2; each rating has half the difference.
    assert fit.standard_error.tolist() == pytest.approx([math.sqrt(5 / 6) / 2] * 2, abs=1e-9)
    assert fit.log_likelihood == pytest.approx(3 * math.log(0.6) + 2 * math.log(0.4))
    assert fit.converged
    assert fit.gradient <= 1e-8


def test_two_items_with_ties_fit_all_three_shares():
    """Two parameters and three shares: the models give back what was seen."""
    played = Comparisons.from_columns("aaaaaaaaaa", "bbbbbbbbbb", [1] * 5 + [0] * 2 + [0.5] * 3)
    davidson = bradley_terry(played, ties="davidson")
    assert davidson.rating[0] - davidson.rating[1] == pytest.approx(math.log(5 / 2), abs=1e-8)
    assert davidson.tie.value == pytest.approx(3 / math.sqrt(10), abs=1e-8)
    kupper = bradley_terry(played, ties="rao-kupper")
    # P(a) = 1 / (1 + theta e^-d), P(b) = 1 / (1 + theta e^d)
    assert kupper.tie.value == pytest.approx(math.sqrt((1 / 0.5 - 1) * (1 / 0.2 - 1)), abs=1e-8)
    for fit in (davidson, kupper):
        assert fit.probability("a", "b").value == pytest.approx(0.5, abs=1e-8)
        assert fit.probability("b", "a").value == pytest.approx(0.2, abs=1e-8)
        log = 5 * math.log(0.5) + 2 * math.log(0.2) + 3 * math.log(0.3)
        assert fit.log_likelihood == pytest.approx(log)


@pytest.mark.parametrize("case", [0, 1, 2])
def test_choix(golden, case):
    """Frozen results of choix; its iterations and its ridge are good to about 1e-8."""
    data = golden("bradley_terry")["cases"][case]
    winner, loser = np.array(data["winner"]), np.array(data["loser"])
    played = Comparisons(np.arange(data["n_items"]), winner, loser, np.ones(len(winner)))
    np.testing.assert_allclose(bradley_terry(played).rating, data["rating"], atol=1e-6)
    # A penalty of a times the squares is a prior with standard deviation 1 / sqrt(2 a).
    ridge = bradley_terry(played, prior=1.0)
    np.testing.assert_allclose(ridge.rating, data["rating_alpha_half"], atol=1e-6)


@pytest.mark.parametrize("sided", [False, True])
@pytest.mark.parametrize("n", [4, 30])
def test_logistic_regression(n, sided):
    """One column an item (the last left out), and one of ones for the side."""
    from sklearn.linear_model import LogisticRegression

    played = random_comparisons(n, 12 * n, shift=0.5, weights=True, seed=n)
    x = np.zeros((len(played), n))
    x[np.arange(len(x)), played.left] = 1
    x[np.arange(len(x)), played.right] = -1
    model = LogisticRegression(
        C=np.inf, fit_intercept=sided, tol=1e-10, max_iter=10_000, solver="newton-cholesky"
    )
    model.fit(x[:, :-1], played.outcome, sample_weight=played.weight)
    expected = np.append(model.coef_[0], 0.0)
    fit = bradley_terry(played, position=sided)
    np.testing.assert_allclose(fit.rating, expected - expected.mean(), atol=1e-6)
    if fit.position is not None:
        assert fit.position.value == pytest.approx(model.intercept_[0], abs=1e-6)


@pytest.mark.parametrize("ties", TIES)
@pytest.mark.parametrize("sided", [False, True])
def test_direct_optimiser(ties, sided):
    played = random_comparisons(5, 60, ties=0.25, shift=0.4, weights=True, seed=3)
    fit = bradley_terry(played, ties=ties, position=sided)
    direct = naive_fit(played, ties, sided=sided)
    # BFGS stops at a gradient of 1e-7 with curvatures of 1 and more.
    np.testing.assert_allclose(fit.rating, direct["theta"], atol=1e-6)
    assert fit.log_likelihood == pytest.approx(naive_value(played, ties=ties, **direct), abs=1e-9)
    if sided:
        assert fit.position.value == pytest.approx(direct["shift"], abs=1e-6)
    if ties != "half":
        assert fit.tie.value == pytest.approx(math.exp(direct["cut"]), abs=1e-6)


@pytest.mark.parametrize("ties", TIES)
def test_standard_errors_are_those_of_the_numerical_hessian(ties):
    played = random_comparisons(5, 60, ties=0.25, shift=0.4, seed=4)
    fit = bradley_terry(played, ties=ties, position=True, errors="hessian")
    z = fit.point.z
    free = np.append(fit.rating[:4], z[-2:])
    on = np.append(np.ones(5), ties != "half")

    def slope(x):
        return differences(lambda y: naive_value(played, ties=ties, **unpack(y, 5)), x)

    hessian = -differences(slope, free)[np.ix_(on > 0, on > 0)]
    covariance = np.linalg.inv(hessian)
    # The last rating is minus the sum of the others.
    lead = np.vstack([np.eye(4), -np.ones(4)])
    errors = np.sqrt(np.diag(lead @ covariance[:4, :4] @ lead.T))
    # Differences of differences are good to 1e-6 or so.
    np.testing.assert_allclose(fit.standard_error, errors, rtol=1e-5)
    assert fit.position.standard_error == pytest.approx(math.sqrt(covariance[4, 4]), rel=1e-5)
    if ties != "half":
        error = fit.tie.value * math.sqrt(covariance[5, 5])
        assert fit.tie.standard_error == pytest.approx(error, rel=1e-5)
    gap = lead[0] - lead[1]
    direction = np.zeros(7)
    direction[:2] = 1, -1
    expected = gap @ covariance[:4, :4] @ gap
    assert variance(fit.point, direction) == pytest.approx(expected, rel=1e-5)


def test_approximate_standard_errors_are_close(monkeypatch):
    played = random_comparisons(300, 20_000, seed=5)
    exact = bradley_terry(played, position=True, errors="hessian")
    monkeypatch.setattr("headcount.pairwise.standard_errors.EXACT", 10)
    rough = standard_errors(exact.point, np.zeros(300, dtype=np.int64))
    assert exact.method == "observed information"
    assert "approximate" in rough.method
    # 133 comparisons an item; what is left out is of the order of 1/300.
    np.testing.assert_allclose(rough.values[:300], exact.standard_error, rtol=0.01)
    assert rough.values[-2] == pytest.approx(exact.position.standard_error, rel=1e-6)


def test_balanced_design_has_the_order_of_wins():
    rng = np.random.default_rng(6)
    left, right = np.triu_indices(12, 1)
    left, right = np.tile(left, 3), np.tile(right, 3)
    played = Comparisons(np.arange(12), left, right, rng.integers(0, 2, len(left)) * 1.0)
    wins = np.bincount(left, played.outcome, 12) + np.bincount(right, 1 - played.outcome, 12)
    fit = bradley_terry(played)
    assert fit.finite.all()
    assert (np.diff(fit.rating[np.argsort(wins, kind="stable")]) >= -1e-8).all()


@given(st.integers(0, 10_000), st.sampled_from(TIES), st.booleans())
@settings(max_examples=15)
def test_no_neighbour_is_likelier(seed, ties, sided):
    """Concave, so a maximum among neighbours is the maximum."""
    played = random_comparisons(4, 20, ties=0.3, shift=0.5, seed=seed)
    fit = bradley_terry(played, ties=ties, position=sided)
    assert fit.converged
    z = fit.point.z
    rng = np.random.default_rng(seed)
    best = fit.point.value
    for _ in range(10):
        step = np.where(fit.point.model.free, 0.05 * rng.normal(size=len(z)), 0.0)
        step[-1] = max(step[-1], -0.5 * z[-1]) if ties == "rao-kupper" else step[-1]
        assert fit.point.model.at(z + step).value <= best + 1e-9


def test_huge_weights_converge_to_rounding():
    played = random_comparisons(6, 60, seed=8)
    heavy = Comparisons(
        played.items, played.left, played.right, played.outcome, weight=np.full(len(played), 1e9)
    )
    fit = bradley_terry(heavy)
    assert fit.converged
    np.testing.assert_allclose(fit.rating, bradley_terry(played).rating, atol=1e-8)


def test_climate_pilot(data_folder):
    table = np.loadtxt(
        data_folder / "pairs/climate_pilot/comparisons.csv", delimiter=",", dtype=str
    )
    played = Comparisons.from_columns(table[:, 0], table[:, 1], table[:, 2])
    fit = bradley_terry(played)
    assert fit.finite.all()
    n = len(played.items)
    wins = np.bincount(played.left, played.outcome, n)
    wins += np.bincount(played.right, 1 - played.outcome, n)
    # All 820 pairs were compared twice: the order is that of wins, the scale is not.
    order = np.argsort(wins, kind="stable")
    assert (np.diff(fit.rating[order]) >= -1e-8).all()
    assert np.corrcoef(fit.rating, wins)[0, 1] == pytest.approx(0.99982, abs=1e-5)
    found = dict(zip(fit.items.tolist(), fit.rating.tolist(), strict=True))
    # 53.5 of 80 points, the most; 23 twice, the fewest.
    assert max(found, key=found.get) == "1214776587540762624"
    assert set(sorted(found, key=found.get)[:2]) == {"1230073036554096640", "1336734601721606146"}
    assert max(found.values()) == pytest.approx(0.716, abs=1e-3)
    assert min(found.values()) == pytest.approx(-0.919, abs=1e-3)
    # The right side was chosen more often than chance allows.
    sided = bradley_terry(played, ties="davidson", position=True)
    assert sided.position.estimate().high < -0.2


# What must not matter to Bradley-Terry ratings, and what must in a known way.

OPTIONS = [
    {},
    {"position": True},
    {"ties": "davidson", "position": True},
    {"ties": "rao-kupper"},
    {"prior": 0.8, "position": True},
]
# Fits stop at a gradient of 1e-8, and curvatures here are 1 or more.
CLOSE = {"rtol": 0, "atol": 1e-7}
seeds = st.integers(0, 10_000)
options = st.sampled_from(OPTIONS)


def played(seed: int, **kind):
    return random_comparisons(6, 60, ties=0.2, shift=0.3, raters=4, seed=seed, **kind)


@given(seeds, options)
@settings(max_examples=18)
def test_order_of_items_raters_and_rows(seed, kind):
    before = played(seed, weights=True)
    rng = np.random.default_rng(seed)
    rows = rng.permutation(len(before))
    item, rater = rng.permutation(6), rng.permutation(4)
    after = replace(
        before.select(rows),
        left=item[before.left[rows]],
        right=item[before.right[rows]],
        rater=rater[before.rater[rows]],
    )
    one, two = bradley_terry(before, **kind), bradley_terry(after, **kind)
    np.testing.assert_allclose(two.rating[item], one.rating, **CLOSE)
    np.testing.assert_allclose(two.standard_error[item], one.standard_error, **CLOSE)


@given(seeds, options)
@settings(max_examples=18)
def test_swapping_all_sides_turns_the_position_effect_and_nothing_else(seed, kind):
    before = played(seed)
    after = replace(before, left=before.right, right=before.left, outcome=1 - before.outcome)
    one, two = bradley_terry(before, **kind), bradley_terry(after, **kind)
    np.testing.assert_allclose(two.rating, one.rating, **CLOSE)
    np.testing.assert_allclose(two.standard_error, one.standard_error, **CLOSE)
    if one.position is not None:
        assert two.position.value == pytest.approx(-one.position.value, abs=1e-7)
        assert two.position.standard_error == pytest.approx(one.position.standard_error, abs=1e-7)
    if one.tie is not None:
        assert two.tie.value == pytest.approx(one.tie.value, abs=1e-7)


@given(seeds, options)
@settings(max_examples=18)
def test_turning_all_outcomes_turns_all_ratings(seed, kind):
    before = played(seed)
    after = replace(before, outcome=1 - before.outcome)
    one, two = bradley_terry(before, **kind), bradley_terry(after, **kind)
    np.testing.assert_allclose(two.rating, -one.rating, **CLOSE)


@given(seeds, st.sampled_from(OPTIONS[:4]))
@settings(max_examples=12)
def test_all_data_twice_halve_the_variance(seed, kind):
    before = played(seed)
    rows = np.tile(np.arange(len(before)), 2)
    kind = {**kind, "errors": "hessian"}
    one, two = bradley_terry(before, **kind), bradley_terry(before.select(rows), **kind)
    np.testing.assert_allclose(two.rating, one.rating, **CLOSE)
    np.testing.assert_allclose(two.standard_error * np.sqrt(2), one.standard_error, **CLOSE)
    assert two.log_likelihood == pytest.approx(2 * one.log_likelihood, rel=1e-12)


@given(seeds, options)
@settings(max_examples=12)
def test_weights_are_repetitions(seed, kind):
    before = played(seed)
    times = np.random.default_rng(seed).integers(1, 4, len(before))
    heavy = replace(before, weight=times.astype(float))
    long = before.select(np.repeat(np.arange(len(before)), times))
    kind = {**kind, "errors": "hessian"}
    one, two = bradley_terry(heavy, **kind), bradley_terry(long, **kind)
    np.testing.assert_allclose(two.rating, one.rating, **CLOSE)
    np.testing.assert_allclose(two.standard_error, one.standard_error, **CLOSE)


@given(seeds)
@settings(max_examples=12)
def test_fair_sides_change_nothing(seed):
    """Every pair shown both ways with the same outcome has no position effect."""
    before = played(seed)
    rows = np.tile(np.arange(len(before)), 2)
    both = before.select(rows)
    n = len(before)
    left, right, outcome = both.left.copy(), both.right.copy(), both.outcome.copy()
    left[n:], right[n:], outcome[n:] = before.right, before.left, 1 - before.outcome
    fair = replace(both, left=left, right=right, outcome=outcome)
    one, two = bradley_terry(before), bradley_terry(fair, position=True)
    np.testing.assert_allclose(two.rating, one.rating, **CLOSE)
    assert two.position.value == pytest.approx(0, abs=1e-8)


def test_a_wide_prior_is_none_and_a_narrow_one_leaves_nothing():
    data = played(0)
    free = bradley_terry(data, errors="hessian")
    wide, narrow = (bradley_terry(data, prior=s, cluster="none") for s in (1e4, 1e-3))
    np.testing.assert_allclose(wide.rating, free.rating, atol=1e-6)
    np.testing.assert_allclose(wide.standard_error, free.standard_error, atol=1e-6)
    assert np.abs(narrow.rating).max() < 1e-4
    # Relative to the mean of six: 1/1000 times the root of 5/6.
    np.testing.assert_allclose(narrow.standard_error, 1e-3 * np.sqrt(5 / 6), rtol=1e-3)


def test_two_ties_split_as_a_win_and_a_loss():
    data = played(1)
    tied = data.outcome == 0.5
    split = data.select(np.concatenate([np.arange(len(data)), np.flatnonzero(tied)]))
    outcome, weight = split.outcome.copy(), np.ones(len(split))
    halves = outcome == 0.5
    outcome[: len(data)][tied] = 1.0
    outcome[len(data) :] = 0.0
    weight[halves] = 0.5
    after = bradley_terry(replace(split, outcome=outcome, weight=weight))
    np.testing.assert_allclose(after.rating, bradley_terry(data).rating, **CLOSE)


def test_ratings_have_mean_zero_in_each_component():
    data = played(2)
    two = replace(
        data,
        items=np.arange(12),
        left=np.concatenate([data.left, data.left + 6]),
        right=np.concatenate([data.right, data.right + 6]),
        outcome=np.concatenate([data.outcome, 1 - data.outcome]),
        rater=None,
        raters=None,
    )
    one = bradley_terry(data, cluster="none")
    for prior in (None, 1.0):
        fit = bradley_terry(two, prior=prior)
        assert fit.rating[:6].mean() == pytest.approx(0, abs=1e-8)
        assert fit.rating[6:].mean() == pytest.approx(0, abs=1e-8)
        if prior is None:
            np.testing.assert_allclose(fit.rating, np.append(one.rating, -one.rating), **CLOSE)
            np.testing.assert_allclose(fit.standard_error[:6], one.standard_error, **CLOSE)

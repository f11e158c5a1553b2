"""Ratings against other programs, a direct optimiser, and what is known by hand."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from headcount.data.comparisons import Comparisons
from headcount.pairwise.bradley_terry.bradley_terry import bradley_terry
from headcount.pairwise.bradley_terry.standard_errors.hessian import standard_errors, variance
from tests.pairwise.bradley_terry.data import (
    differences,
    naive_fit,
    naive_value,
    random_comparisons,
    unpack,
)

TIES = ["half", "davidson", "rao-kupper"]


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
    monkeypatch.setattr("headcount.pairwise.bradley_terry.standard_errors.hessian.EXACT", 10)
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


def test_start_changes_the_way_and_not_the_end():
    played = random_comparisons(30, 600, seed=7)
    cold = bradley_terry(played)
    warm = bradley_terry(played, start=cold.rating)
    assert warm.n_iter == 0
    np.testing.assert_allclose(warm.rating, cold.rating, atol=1e-9)
    far = bradley_terry(played, start=20 * np.arange(30))
    assert far.converged
    np.testing.assert_allclose(far.rating, cold.rating, atol=1e-8)


def test_huge_weights_converge_to_rounding():
    played = random_comparisons(6, 60, seed=8)
    heavy = Comparisons(
        played.items, played.left, played.right, played.outcome, weight=np.full(len(played), 1e9)
    )
    fit = bradley_terry(heavy)
    assert fit.converged
    np.testing.assert_allclose(fit.rating, bradley_terry(played).rating, atol=1e-8)


def test_prior_with_covariates_is_the_joint_posterior_mode():
    """Ratings and coefficients by one penalised logistic regression, written out."""
    played = random_comparisons(8, 80, seed=9)
    x = np.random.default_rng(9).normal(3.0, 5.0, size=(8, 2))
    fit = bradley_terry(played, covariates=x, prior=0.8)
    unit = x.std(axis=0)
    standard = (x - x.mean(axis=0)) / unit

    # Parameters u (8) and b (2), both with prior N(0, 0.8^2).
    design = np.zeros((len(played), 8))
    design[np.arange(len(design)), played.left] = 1
    design[np.arange(len(design)), played.right] = -1
    design = np.hstack([design, design @ standard])
    w = np.zeros(10)
    for _ in range(50):
        p = 1 / (1 + np.exp(-design @ w))
        hessian = design.T @ (design * (p * (1 - p))[:, None]) + np.eye(10) / 0.8**2
        w += np.linalg.solve(hessian, design.T @ (played.outcome - p) - w / 0.8**2)
    covariance = np.linalg.inv(hessian)
    lead = np.hstack([np.eye(8), standard])
    np.testing.assert_allclose(fit.rating, lead @ w, atol=1e-7)
    lead -= lead.mean(axis=0)  # relative to the mean rating
    errors = np.sqrt(np.diag(lead @ covariance @ lead.T))
    np.testing.assert_allclose(fit.standard_error, errors, atol=1e-7)
    for k, parameter in enumerate(fit.coefficients):
        assert parameter.value == pytest.approx(w[8 + k] / unit[k], abs=1e-7)
        error = math.sqrt(covariance[8 + k, 8 + k]) / unit[k]
        assert parameter.standard_error == pytest.approx(error, abs=1e-7)
    by_item = {str(i): x[i] for i in reversed(range(8))}
    again = bradley_terry(played, covariates=by_item, prior=0.8)
    np.testing.assert_array_equal(again.rating, fit.rating)


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

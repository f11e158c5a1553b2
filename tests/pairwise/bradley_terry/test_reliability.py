"""Raters' own slopes: recovered, bounded, and as a direct optimiser finds them."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.optimize import minimize

from headcount.data.comparisons import Comparisons
from headcount.pairwise.bradley_terry.bradley_terry import bradley_terry
from headcount.pairwise.bradley_terry.likelihood.model import SLOPE_SD
from tests.pairwise.bradley_terry.data import naive_value, random_comparisons


def crowd(slopes, answers: int, *, n: int = 40, seed: int = 0) -> Comparisons:
    rng = np.random.default_rng(seed)
    slopes = np.asarray(slopes, dtype=float)
    theta = 1.5 * rng.normal(size=n)
    rater = np.repeat(np.arange(len(slopes)), answers)
    left = rng.integers(0, n, len(rater))
    right = (left + rng.integers(1, n, len(rater))) % n
    eta = slopes[rater] * (theta[left] - theta[right])
    outcome = (rng.random(len(rater)) < 1 / (1 + np.exp(-eta))).astype(float)
    return Comparisons(np.arange(n), left, right, outcome, rater, np.arange(len(slopes)))


def test_direct_optimiser():
    played = random_comparisons(4, 60, raters=3, shift=0.3, seed=1)
    prior = 2.0
    share = np.bincount(played.rater) / len(played)

    def negative(z):
        # The last slope follows from the mean over comparisons, which is 1.
        slope = np.append(z[4:6], (1 - share[:2] @ z[4:6]) / share[2])
        penalty = (z[:4] @ z[:4] + z[6] ** 2) / (2 * prior**2)
        penalty += np.sum((slope - 1) ** 2) / (2 * SLOPE_SD**2)
        return penalty - naive_value(played, z[:4], shift=z[6], slope=slope)

    found = minimize(negative, [0, 0, 0, 0, 1, 1, 0], method="BFGS", options={"gtol": 1e-6}).x
    fit = bradley_terry(played, reliability=True, position=True, prior=prior)
    assert fit.converged
    # BFGS on numerical gradients, which are good to 1e-7 or so.
    np.testing.assert_allclose(fit.rating, found[:4], atol=1e-5)
    np.testing.assert_allclose(fit.slope[:2], found[4:6], atol=1e-5)
    assert fit.position.value == pytest.approx(found[6], abs=1e-5)
    assert fit.slope @ share == pytest.approx(1, abs=1e-12)


def test_slope_errors_are_those_of_the_constrained_hessian():
    """Change of variables to the free ones, and back, with numbers of the kernel itself."""
    played = crowd([1, 1, 0, 1], 60, n=6)
    fit = bradley_terry(played, reliability=True)
    point = fit.point
    size = 6 + 4
    full = np.array([point.times(e)[:size] for e in np.eye(point.model.size)[:size]])
    # Columns span the directions that leave the sum of ratings and the mean slope as they are.
    held = np.zeros((2, size))
    held[0, :6] = 1
    held[1, 6:] = 1
    basis = np.linalg.svd(held)[2][2:].T
    covariance = basis @ np.linalg.inv(basis.T @ full @ basis) @ basis.T
    errors = np.sqrt(np.diag(covariance))
    np.testing.assert_allclose(fit.standard_error, errors[:6], rtol=1e-8)
    np.testing.assert_allclose(fit.slope_error, errors[6:], rtol=1e-8)


def test_spammers_are_near_zero_and_the_contrary_below():
    slopes = np.ones(40)
    slopes[:6] = 0
    slopes[6] = -1
    fit = bradley_terry(crowd(slopes, 100), reliability=True)
    assert fit.converged
    assert np.abs(fit.slope[:6]).max() < 0.5
    assert np.abs(fit.slope[:6].mean()) < 0.25
    assert fit.slope[6] < -0.5
    assert fit.slope[7:].min() > 0.5
    # Errors are of the right size: good raters differ by chance alone.
    z = (fit.slope[7:] - fit.slope[7:].mean()) / fit.slope_error[7:]
    assert 0.7 < z.std() < 1.3


def test_slopes_help_to_rate():
    """Half the raters answer at random: trusting all alike is worse."""
    slopes = np.repeat([1.0, 0.0], 20)
    gain = []
    for seed in range(3):
        played = crowd(slopes, 50, seed=seed)
        theta = 1.5 * np.random.default_rng(seed).normal(size=40)
        with_slopes = bradley_terry(played, reliability=True).rating
        alike = bradley_terry(played, prior=5.0).rating
        gain.append(np.corrcoef(with_slopes, theta)[0, 1] - np.corrcoef(alike, theta)[0, 1])
    assert min(gain) > 0


def test_few_answers_in_perfect_order_do_not_run_off():
    """Rater 1 has three answers, all as the others see it."""
    rng = np.random.default_rng(0)
    left, right = rng.integers(0, 5, 300), np.zeros(300, dtype=np.int64)
    right = (left + rng.integers(1, 5, 300)) % 5
    outcome = (left > right).astype(float)
    flip = rng.random(300) < 0.15
    outcome[flip] = 1 - outcome[flip]
    played = Comparisons(
        np.arange(5),
        np.append(left, [4, 3, 4]),
        np.append(right, [0, 0, 1]),
        np.append(outcome, [1.0, 1, 1]),
        np.append(np.zeros(300, dtype=np.int64), [1, 1, 1]),
        np.arange(2),
    )
    fit = bradley_terry(played, reliability=True)
    assert fit.converged
    assert 0.9 < fit.slope[1] < 2
    assert fit.slope_error[1] > 0.3
    assert any("prior" in note for note in fit.notes)


def test_a_rater_without_comparisons_has_no_slope():
    played = random_comparisons(5, 40, raters=3)
    rows = played.rater != 1
    fit = bradley_terry(played.select(rows), reliability=True)
    assert np.isnan(fit.slope).tolist() == [False, True, False]
    assert np.isnan(fit.slope_error).tolist() == [False, True, False]


@pytest.mark.parametrize("ties", ["davidson", "rao-kupper"])
def test_slopes_with_ties(ties):
    played = random_comparisons(8, 400, ties=0.2, raters=5, shift=0.3)
    fit = bradley_terry(played, ties=ties, position=True, reliability=True)
    assert fit.converged
    assert fit.gradient <= 1e-8
    assert np.isfinite(fit.slope_error).all()
    assert fit.tie.standard_error > 0

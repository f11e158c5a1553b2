"""Items of a pilot that fall into two clumps."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy import stats

from headcount.data.comparisons import Comparisons
from headcount.pairwise.planning.forecast.clumps import Clumps, find_clumps
from headcount.pairwise.planning.forecast.comparisons_needed import forecast


def items(rng, centers, spread, n=40, error=0.25):
    true = rng.choice(centers, n) + spread * rng.normal(size=n)
    return true + error * rng.normal(size=n), np.full(n, error)


def test_two_clumps_are_found_and_one_is_left_alone():
    found = [find_clumps(*items(np.random.default_rng(s), [-1, 1], 0.3)) for s in range(5)]
    alone = [find_clumps(*items(np.random.default_rng(s), [0], 1.0)) for s in range(25)]
    assert all(each is not None for each in found)
    # Schwarz's criterion with three more parameters and 40 items: 11 in twice the likelihood.
    assert sum(each is not None for each in alone) <= 1
    for each in found:
        np.testing.assert_allclose(each.center, [-1, 1], atol=0.35)
        assert each.share.sum() == pytest.approx(1)


def test_the_likelihood_is_that_of_the_mixture_and_em_never_lowers_it():
    rating, error = items(np.random.default_rng(1), [-1, 1], 0.5)
    error = error * np.linspace(0.5, 2, len(error))
    at = Clumps(
        share=np.array([0.4, 0.6]),
        center=np.array([-0.2, 0.3]),
        spread=np.array([0.8, 0.5]),
        log_likelihood=-math.inf,
    )
    for _ in range(20):
        before, at = at, at.improved(rating, error)
        density = sum(
            share * stats.norm.pdf(rating, center, np.hypot(spread, error))
            for share, center, spread in zip(at.share, at.center, at.spread, strict=True)
        )
        constant = 0.5 * len(rating) * math.log(2 * math.pi)
        assert at.log_likelihood == pytest.approx(np.log(density).sum() + constant)
        assert at.log_likelihood >= before.log_likelihood - 1e-9


def test_draws_have_the_moments_of_the_posterior():
    clumps = Clumps(
        share=np.array([0.5, 0.5]),
        center=np.array([-1.0, 1.0]),
        spread=np.array([0.3, 0.3]),
        log_likelihood=0.0,
    )
    drawn = clumps.draw(
        np.array([0.0, 5.0]), np.array([0.4, 0.4]), 20_000, np.random.default_rng(0)
    )
    # In the middle either clump; far above, the upper one, of which half the way is told.
    assert np.mean(drawn[:, 0] > 0) == pytest.approx(0.5, abs=0.02)
    told = 0.4**-2 / (0.4**-2 + 0.3**-2)
    assert drawn[:, 1].mean() == pytest.approx(1 + told * 4, abs=0.01)
    assert drawn[:, 1].std() == pytest.approx((0.4**-2 + 0.3**-2) ** -0.5, abs=0.01)


def test_a_plan_counts_with_clumps():
    rng = np.random.default_rng(3)
    theta = rng.choice([-1.0, 1.0], 40) + 0.3 * rng.normal(size=40)
    left, right = (np.tile(side, 2) for side in np.triu_indices(40, 1))
    won = (rng.random(len(left)) < 1 / (1 + np.exp(theta[right] - theta[left]))).astype(float)
    found = forecast(Comparisons(np.arange(40), left, right, won), np.random.default_rng(0))
    assert found.clumps is not None
    needed = found.needed(0.8, 1000, 0.95)
    # Simulations need 2,500; normal ratings with the same spread would need 5,400.
    assert needed.value == pytest.approx(2500, rel=0.25)
    assert needed.high < 5400
    assert len(found.clumps.to_dict()) == 2
    assert found.clumps.words.endswith(" logits")

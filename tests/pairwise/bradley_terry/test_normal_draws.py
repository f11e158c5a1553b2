"""Draws have the covariance of the fit."""

from __future__ import annotations

import numpy as np
import pytest

from headcount.data.comparisons import Comparisons
from headcount.pairwise.bradley_terry.bradley_terry import bradley_terry
from headcount.pairwise.bradley_terry.standard_errors import normal_draws as module
from headcount.pairwise.bradley_terry.standard_errors.hessian import variance
from headcount.pairwise.bradley_terry.standard_errors.normal_draws import normal_draws
from tests.pairwise.bradley_terry.data import random_comparisons


@pytest.mark.parametrize(
    "options",
    [
        {},
        {"prior": 1.0},
        {"ties": "davidson", "position": True},
        {"reliability": True, "prior": 2.0},
        {"prior": 1.0, "covariates": np.arange(6.0)},
    ],
)
def test_standard_errors_and_differences(options):
    played = random_comparisons(6, 400, seed=5, ties=0.2, raters=5)
    fit = bradley_terry(played, **options, errors="hessian")
    drawn = normal_draws(fit, draws=20000, rng=np.random.default_rng(0))
    # An sd from 20,000 draws is known to .5%; four of these.
    np.testing.assert_allclose(drawn.mean(axis=0), fit.rating, atol=0.02)
    direction = np.zeros(fit.point.model.size)
    direction[[0, 4]] = 1.0, -1.0
    between = np.sqrt(variance(fit.point, direction))
    assert (drawn[:, 0] - drawn[:, 4]).std() == pytest.approx(between, rel=0.02)
    if not options.get("prior"):
        np.testing.assert_allclose(drawn.std(axis=0), fit.standard_error, rtol=0.02)
        np.testing.assert_allclose(drawn.sum(axis=1), 0, atol=1e-9)


@pytest.mark.parametrize("options", [{}, {"ties": "davidson", "position": True}])
def test_robust_errors_and_differences(options):
    played = random_comparisons(6, 400, seed=5, ties=0.2, raters=5)
    fit = bradley_terry(played, **options)
    assert "clustered by rater" in fit.method
    drawn = normal_draws(fit, draws=20000, rng=np.random.default_rng(0))
    between = np.sqrt(fit.covariance.of_gap(0, 4))
    # As above: an sd from 20,000 draws is known to .5%.
    assert (drawn[:, 0] - drawn[:, 4]).std() == pytest.approx(between, rel=0.02)
    np.testing.assert_allclose(drawn.std(axis=0), fit.standard_error, rtol=0.02)


def test_components_and_infinite_ratings():
    played = Comparisons.from_columns(
        ["u", "a", "b", "a", "x", "y"], ["a", "b", "a", "b", "y", "x"], ["left"] * 6
    )
    fit = bradley_terry(played)
    drawn = normal_draws(fit, draws=500, rng=np.random.default_rng(0))
    place = {name: k for k, name in enumerate(fit.items)}
    assert np.isposinf(drawn[:, place["u"]]).all()
    for pair in ("ab", "xy"):
        np.testing.assert_allclose(drawn[:, [place[n] for n in pair]].sum(axis=1), 0, atol=1e-9)


def test_many_items_are_drawn_each_for_itself(monkeypatch):
    monkeypatch.setattr(module, "DENSE", 5)
    fit = bradley_terry(random_comparisons(6, 400, seed=5))
    drawn = normal_draws(fit, draws=20000, rng=np.random.default_rng(0))
    np.testing.assert_allclose(drawn.std(axis=0), fit.standard_error, rtol=0.02)
    monkeypatch.setattr(module, "MOST_CELLS", 6 * 150)
    assert normal_draws(fit, rng=np.random.default_rng(0)).shape == (150, 6)

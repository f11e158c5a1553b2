"""A prior whose spread is fitted, where many ratings would have no bound."""

from __future__ import annotations

import math

import numpy as np
import pytest

from headcount.data.comparisons import Comparisons
from headcount.errors import OptionError
from headcount.pairwise.bradley_terry import priors
from headcount.pairwise.bradley_terry.bradley_terry import bradley_terry
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


def test_the_spread_is_the_likeliest():
    played = matched(40, 6, 1.0)
    tau = bradley_terry(played, prior="fitted").prior
    at = slow_evidence(played, tau)
    assert all(slow_evidence(played, tau * by) <= at + 1e-3 for by in (0.7, 0.9, 1.1, 1.4))


@pytest.mark.parametrize("spread", [0.5, 2.0])
def test_the_spread_is_found(spread):
    # 150 items: some 10% of it; Laplace's approximation draws it down a little as well.
    fitted = bradley_terry(matched(150, 10, spread), prior="fitted").prior
    assert fitted == pytest.approx(spread, rel=0.3)


def test_a_series_stands_in_for_large_determinants(monkeypatch):
    played = matched(120, 6, 1.0, seed=2)
    dense = bradley_terry(played, prior="fitted").prior
    monkeypatch.setattr(priors, "DENSE", 10)
    assert bradley_terry(played, prior="fitted").prior == pytest.approx(dense, rel=0.05)


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

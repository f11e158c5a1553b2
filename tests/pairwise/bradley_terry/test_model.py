"""The log-likelihood, its gradient and its Hessian, by numerical differences."""

from __future__ import annotations

import numpy as np
import pytest

from headcount.pairwise.bradley_terry.likelihood._kernel import information
from headcount.pairwise.bradley_terry.likelihood.model import Model
from headcount.pairwise.bradley_terry.likelihood.newton import maximise, solve
from headcount.pairwise.bradley_terry.likelihood.pair_wins import PairWins
from tests.pairwise.bradley_terry.data import differences, naive_value, random_comparisons

TIES = ["half", "davidson", "rao-kupper"]


def build(ties="half", *, sided=False, prior=None, p=0, raters=0, weights=False, seed=0) -> Model:
    played = random_comparisons(5, 40, ties=0.3, raters=raters, weights=weights, seed=seed)
    wins = PairWins.of(played, split=ties == "half", sided=sided, by_rater=raters > 0)
    x = np.random.default_rng(seed).normal(size=(5, p)) if p else None
    return Model(wins, ties, sided, prior, x)


def somewhere(model: Model, seed: int = 1) -> np.ndarray:
    rng = np.random.default_rng(seed)
    z = model.start(rng.normal(size=5))
    z[5:-2] = rng.normal(1, 0.5, model.wins.n_raters)
    if model.sided:
        z[-2] = 0.4
    if model.ties.has_cut:
        z[-1] = 0.7
    return z


MODELS = [
    *({"ties": t, "sided": s, "weights": w} for t in TIES for s in (False, True) for w in (0, 1)),
    {"prior": 0.7},
    {"prior": 0.7, "p": 2, "sided": True},
    *({"ties": t, "raters": 3, "sided": True, "prior": 2.0} for t in TIES),
]


@pytest.mark.parametrize("kind", MODELS)
def test_gradient_and_hessian_are_derivatives(kind):
    model = build(**kind)
    z, free = somewhere(model), model.free

    def along(v):
        # Only what is free counts, and of the slopes only what leaves their mean.
        v = np.where(free, v, 0.0)
        a = model.gauge
        return v - (a @ v) / (a @ a) * a if a.any() else v

    point = model.at(z)
    # Fourth-order differences with steps of 1e-3 are good to 1e-9 or so.
    numeric = differences(lambda x: model.at(x).value, z)
    np.testing.assert_allclose(point.gradient, along(numeric), atol=1e-7)

    hessian = -differences(lambda x: model.at(x).gradient, z)
    for v in np.random.default_rng(2).normal(size=(3, len(z))):
        v = along(v)
        np.testing.assert_allclose(along(point.times(v)), along(hessian @ v), atol=1e-7)
    if not model.gauge.any():
        np.testing.assert_allclose(point.diagonal[free], np.diag(hessian)[free], atol=1e-7)


@pytest.mark.parametrize("ties", TIES)
@pytest.mark.parametrize("raters", [0, 3])
def test_log_likelihood_is_the_papers(ties, raters):
    played = random_comparisons(5, 40, ties=0.3, raters=raters, weights=True)
    wins = PairWins.of(played, split=ties == "half", sided=True, by_rater=raters > 0)
    model = Model(wins, ties, True, None)
    z = somewhere(model)
    slope = z[5:-2] if raters else None
    expected = naive_value(played, z[:5], ties=ties, shift=z[-2], cut=z[-1], slope=slope)
    assert model.at(z).log_likelihood == pytest.approx(expected, rel=1e-12)


def test_log_likelihood_of_whole_and_of_broken_weights():
    """Whole weights are multiplied up before the logarithm is taken, others are not."""
    played = random_comparisons(4, 2000)
    wins = PairWins.of(played, split=True, sided=True, by_rater=False)
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


@pytest.mark.parametrize("raters", [0, 3])
def test_dense_information_is_the_product_with_unit_vectors(raters):
    model = build(raters=raters, prior=2.0)
    point = model.at(somewhere(model))
    wins, size = model.wins, 5 + raters
    dense = information(
        np.arange(size), size, wins.first, wins.second, wins.rater, point.z[:5], point.z[5:-2],
        point.score, point.curve,
    ) + model.dense_precision(np.arange(size))  # fmt: skip
    columns = np.array([point.times(e)[:size] for e in np.eye(model.size)[:size]])
    np.testing.assert_allclose(dense, columns, atol=1e-12)


def test_dense_precision_with_covariates_inverts_the_marginal_covariance():
    model = build(prior=0.5, p=2)
    covariance = 0.25 * (np.eye(5) + model.covariates @ model.covariates.T)
    np.testing.assert_allclose(
        model.dense_precision(np.arange(5)), np.linalg.inv(covariance), atol=1e-12
    )


def test_value_never_falls_on_the_way_up():
    model = build("rao-kupper", sided=True, raters=3, prior=2.0)
    z, values = model.start(), []
    for _ in range(15):
        climb = maximise(model, z, tolerance=1e-9, max_iter=1)
        z = climb.point.z
        values.append(climb.point.value)
        assert model.gauge @ z == pytest.approx(1.0, abs=1e-12)
    assert climb.converged
    assert (np.diff(values) >= -1e-12 * abs(values[-1])).all()


def test_conjugate_gradients_solve_within_the_gauge():
    rng = np.random.default_rng(0)
    root = rng.normal(size=(6, 6))
    matrix, right, a = root @ root.T, rng.normal(size=6), rng.normal(size=6)
    x = solve(lambda v: matrix @ v, right, np.diag(matrix), a, tolerance=1e-12)
    # Lagrange: H x + t a = b, a'x = 0.
    full = np.block([[matrix, a[:, None]], [a[None, :], np.zeros((1, 1))]])
    np.testing.assert_allclose(x, np.linalg.solve(full, np.append(right, 0))[:6], atol=1e-8)


def test_conjugate_gradients_stop_where_the_matrix_bends_down():
    right = np.array([1.0, 1.0])
    step = solve(lambda v: np.array([1.0, -2.0]) * v, right, np.ones(2), np.zeros(2), tolerance=0.1)
    assert step @ right > 0


def test_cells_are_added_up_alike_however_they_come():
    played = random_comparisons(4, 60, ties=0.3, weights=True)
    wins = PairWins.of(played, split=False, sided=False, by_rater=False)
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

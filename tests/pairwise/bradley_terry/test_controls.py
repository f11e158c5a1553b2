"""Style control: the maximum and its errors by a dense twin, invariants, and how it is read."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from headcount import pairs, read_comparisons
from headcount.errors import DataError, OptionError
from headcount.pairwise.bradley_terry.bradley_terry import bradley_terry
from tests.pairwise.bradley_terry.data import random_comparisons
from tests.pairwise.bradley_terry.test_robust import design, log_likelihood

NAME = "len_a:len_b"


def controlled(n=150, *, gamma=0.6, seed=0, ties=0.2, clusters=0, items=5, sd=1.0):
    """Answers that also go by a difference."""
    rng = np.random.default_rng(seed)
    base = random_comparisons(items, n, ties=ties, seed=seed)
    x = rng.normal(0, sd, len(base))
    flip = rng.random(len(base)) < np.tanh(np.abs(gamma * x) / 2)
    outcome = np.where(flip & (base.outcome != 0.5), x * np.sign(gamma) > 0, base.outcome)
    cluster = {"p": rng.integers(0, clusters, len(base))} if clusters else {}
    return replace(base, outcome=outcome.astype(float), controls={NAME: x}, clusters=cluster)


def newton(data, sided):
    """Logistic regression with half wins, dense: coefficients, and HC3 of them."""
    x = data.controls[NAME] / np.sqrt(np.mean(data.controls[NAME] ** 2))
    full = np.column_stack([design(data, sided=sided, cut=0), x])
    beta = np.zeros(full.shape[1])
    for _ in range(50):
        p = 1 / (1 + np.exp(-full @ beta))
        v = np.linalg.inv(full.T @ (full * (p * (1 - p))[:, None]))
        beta = beta + v @ (full.T @ (data.outcome - p))
    h = p * (1 - p) * np.einsum("ij,jk,ik->i", full, v, full)
    score = full * ((data.outcome - p) / (1 - h))[:, None]
    return beta, v @ (score.T @ score) @ v, v


@given(st.integers(0, 100), st.booleans())
@settings(max_examples=15, deadline=None)
def test_a_logistic_regression(seed, sided):
    data = controlled(seed=seed)
    fit = bradley_terry(data, control=NAME, position=sided)
    beta, hc3, model = newton(data, sided)
    np.testing.assert_allclose(fit.rating[:4], beta[:4], atol=1e-7)
    effect = fit.control_effects[0]
    assert effect.value == pytest.approx(beta[-1], abs=1e-7)
    assert effect.standard_error**2 == pytest.approx(hc3[-1, -1], rel=1e-6)
    np.testing.assert_allclose(fit.standard_error[:4] ** 2, np.diag(hc3)[:4], rtol=1e-6)
    if sided:
        assert fit.position.value == pytest.approx(beta[4], abs=1e-7)
        assert fit.position.standard_error**2 == pytest.approx(hc3[4, 4], rel=1e-6)
    plain = bradley_terry(data, control=NAME, position=sided, errors="hessian")
    np.testing.assert_allclose(plain.standard_error[:4] ** 2, np.diag(model)[:4], rtol=1e-6)


@pytest.mark.parametrize("ties", ["davidson", "rao-kupper"])
def test_models_of_ties_are_at_their_maximum(ties):
    """No parameter can be moved to make the answers likelier."""
    data = controlled(seed=3)
    fit = bradley_terry(data, control=NAME, ties=ties, position=True)
    x = data.controls[NAME] / fit.control_units[0]
    cut = np.log(fit.tie.value)

    def value(rating, gamma, shift, cut):
        eta = rating[data.left] - rating[data.right] + gamma * x + shift
        return sum(log_likelihood(ties, e, cut, y) for e, y in zip(eta, data.outcome, strict=True))

    here = (fit.rating, fit.control_effects[0].value, fit.position.value, cut)
    top = value(*here)
    assert fit.log_likelihood == pytest.approx(top, rel=1e-9)
    for k in range(4):
        for step in (-0.01, 0.01):
            there = list(here)
            there[k] = here[k] + step * (np.eye(5)[0] if k == 0 else 1.0)
            assert value(*there) < top


def test_clusters_and_order_and_sides():
    rng = np.random.default_rng(0)
    data = controlled(300, seed=4, clusters=30)
    fit = bradley_terry(data, control=NAME, cluster="p")
    assert "clustered by p" in fit.method
    mixed = bradley_terry(data.select(rng.permutation(len(data))), control=NAME, cluster="p")
    assert mixed.standard_error.tolist() == fit.standard_error.tolist()
    turn = rng.random(len(data)) < 0.5
    other = replace(
        data,
        left=np.where(turn, data.right, data.left),
        right=np.where(turn, data.left, data.right),
        outcome=np.where(turn, 1 - data.outcome, data.outcome),
        controls={NAME: np.where(turn, -1, 1) * data.controls[NAME]},
    )
    turned = bradley_terry(other, control=NAME, cluster="p")
    np.testing.assert_allclose(turned.rating, fit.rating, atol=1e-7)
    np.testing.assert_allclose(turned.standard_error, fit.standard_error, rtol=1e-6)
    # Another unit changes nothing but the unit.
    metres = replace(data, controls={NAME: 1000 * data.controls[NAME]})
    again = bradley_terry(metres, control=NAME, cluster="p")
    assert again.control_effects[0].value == pytest.approx(fit.control_effects[0].value, abs=1e-9)
    assert again.control_units[0] == pytest.approx(1000 * fit.control_units[0])


def test_an_item_with_long_answers_loses_its_lead():
    """Item 4 is average, but always long, and raters like what is long."""
    rng = np.random.default_rng(1)
    n, theta = 3000, np.array([0.5, 0.25, 0.0, -0.75, 0.0])
    left = rng.integers(0, 5, n)
    right = (left + rng.integers(1, 5, n)) % 5
    length = rng.normal(size=(2, n)) + 2 * np.array([left == 4, right == 4])
    eta = theta[left] - theta[right] + 0.8 * (length[0] - length[1])
    data = {
        "left": left.tolist(),
        "right": right.tolist(),
        "outcome": np.where(rng.random(n) < 1 / (1 + np.exp(-eta)), "left", "right").tolist(),
        "len_a": length[0].tolist(),
        "len_b": length[1].tolist(),
    }
    plain, result = pairs(data), pairs(data, control=NAME)
    assert plain.items[0].item == 4
    assert [i.item for i in result.items[:2]] == [0, 1]
    for i in result.items:
        # Four standard errors, by the draws of this seed.
        assert abs(i.rating.value - theta[i.item]) < (i.rating.high - i.rating.low)
    (control,) = result.fit["controls"]
    assert control["low"] / control["unit"] < 0.8 < control["high"] / control["unit"]
    assert (result.fit["moves"][0]["item"], result.fit["moves"][0]["before"]) == (4, 1)
    text = str(result)
    assert "Control len_a:len_b:" in text
    assert "Ranks that this moved most: 4 from 1 to" in " ".join(text.split())
    assert plain.fit["moves"] is None


def test_what_cannot_be_controlled_for():
    data = controlled()
    with pytest.raises(OptionError, match="two columns, of the left and of the right item"):
        bradley_terry(data, control="len_a")
    with pytest.raises(DataError, match="no differences 'a:b' were read"):
        bradley_terry(data, control="a:b")
    with pytest.raises(OptionError, match="prior"):
        bradley_terry(data, control=NAME, prior=1.0)
    with pytest.raises(OptionError, match="reliability"):
        pairs(data, control=NAME, reliability=True)
    with pytest.raises(OptionError, match="bootstrap"):
        pairs(data, control=NAME, bootstrap=10)
    with pytest.raises(OptionError, match="control"):
        pairs(data, control=NAME, method="elo")
    with pytest.raises(DataError, match="is 0 in all comparisons"):
        bradley_terry(replace(data, controls={NAME: np.zeros(len(data))}), control=NAME)
    rows = {"left": ["a", "b"], "right": ["b", "a"], "outcome": [1, 0], "len_a": [1, 2]}
    with pytest.raises(DataError, match="no column 'len_b' for the control"):
        read_comparisons(rows, controls=[NAME])
    with pytest.raises(DataError, match=r"row 1, column 'len_b'.*expected a number, found 'x'"):
        read_comparisons(rows | {"len_b": ["3", "x"]}, controls=[NAME])
    with pytest.raises(DataError, match=r"row 1, column 'len_b'.*found none"):
        read_comparisons(rows | {"len_b": [3.0, None]}, controls=[NAME])
    read = read_comparisons(rows | {"len_b": [3, 1]}, controls=[NAME])
    assert read.controls[NAME].tolist() == [-2, 1]

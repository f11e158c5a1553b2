"""The distribution of item states: certified optimum, monotone likelihood, known cases."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from headcount.equivalence.ceiling.larger_surveys import compositions
from headcount.equivalence.ceiling.states import fit_states


def log_likelihood(patterns, multiplicity, support, weight):
    """Term by term, as the formula says."""
    total = 0.0
    for pattern, m in zip(patterns, multiplicity, strict=True):
        chance = sum(
            g * np.prod([t ** int(w) for t, w in zip(theta, pattern, strict=True)])
            for theta, g in zip(support, weight, strict=True)
        )
        total += m * np.log(chance) if m else 0.0
    return total


def directional_derivative(patterns, multiplicity, states):
    f = np.prod(states.support[None] ** patterns[:, None], axis=-1)
    return (multiplicity / (f @ states.weight)) @ f / multiplicity.sum() - 1


@st.composite
def tables(draw):
    patterns = compositions(draw(st.integers(1, 6)), 2)
    size = len(patterns)
    multiplicity = draw(st.lists(st.integers(0, 30), min_size=size, max_size=size))
    if not any(multiplicity):
        multiplicity[0] = 1
    return patterns, np.array(multiplicity, dtype=float)


@settings(max_examples=40, deadline=None)
@given(tables())
def test_fit_is_certified_and_its_likelihood_is_what_it_says(table):
    patterns, multiplicity = table
    states = fit_states(patterns, multiplicity)
    assert states.converged
    assert states.weight.min() >= 0
    assert states.weight.sum() == pytest.approx(1, abs=1e-12)
    shown = multiplicity > 0
    # Lindsay: at the optimum no direction gains, and those with weight neither lose.
    gap = directional_derivative(patterns[shown], multiplicity[shown], states)
    assert gap.max() <= 2e-8
    assert states.weight @ np.abs(gap) <= 1e-6
    assert states.log_likelihood == pytest.approx(
        log_likelihood(patterns, multiplicity, states.support, states.weight), abs=1e-8
    )


@settings(max_examples=25, deadline=None)
@given(tables())
def test_likelihood_is_monotone(table):
    patterns, multiplicity = table
    path = [
        float(fit_states(patterns, multiplicity, max_iter=steps).log_likelihood)
        for steps in range(12)
    ]
    # Rounding of a sum of up to 200 logs is some 1e-12.
    assert np.all(np.diff(path) >= -1e-8 * multiplicity.sum())


def test_stopped_early_says_so():
    patterns = compositions(4, 2)
    states = fit_states(patterns, np.array([9.0, 2, 4, 1, 7]), max_iter=2)
    assert not states.converged
    assert states.n_iter == 2
    assert states.gap > 1e-8


@pytest.mark.filterwarnings("ignore:Values in x were outside bounds")  # SLSQP's own steps
@pytest.mark.parametrize("seed", range(3))
def test_same_optimum_as_a_general_solver(seed):
    optimize = pytest.importorskip("scipy.optimize")
    rng = np.random.default_rng(seed)
    patterns = compositions(5, 2)
    multiplicity = rng.integers(0, 40, size=6).astype(float)
    theta = np.linspace(0, 1, 9)
    support = np.column_stack([theta, 1 - theta])
    f = np.prod(support[None] ** patterns[:, None], axis=-1)
    n = multiplicity.sum()
    found = optimize.minimize(
        lambda w: -multiplicity @ np.log(f @ w) / n,
        np.full(9, 1 / 9),
        jac=lambda w: -(multiplicity / (f @ w)) @ f / n,
        bounds=[(1e-12, 1)] * 9,
        constraints={"type": "eq", "fun": lambda w: w.sum() - 1, "jac": np.ones_like},
        method="SLSQP",
        options={"ftol": 1e-14, "maxiter": 1000},
    )
    states = fit_states(patterns, multiplicity, support=support)
    # SLSQP stops where a step gains 1e-14 an item; it is good to about 1e-7 in all.
    assert states.log_likelihood == pytest.approx(-n * found.fun, abs=1e-4)
    assert states.log_likelihood >= -n * found.fun - 1e-6


def test_two_ratings_have_a_closed_form():
    """With 2 ratings the fit is exact where yes-yes and no-no are common enough: 4ac >= b^2."""
    patterns = np.array([[2, 0], [1, 1], [0, 2]])
    states = fit_states(patterns, np.array([50.0, 20, 30]))
    f = np.prod(states.support[None] ** patterns[:, None], axis=-1) @ states.weight
    assert f * [1, 2, 1] == pytest.approx([0.5, 0.2, 0.3], abs=1e-6)
    # Less varied than one coin: all items have the same state, the mean.
    alike = fit_states(patterns, np.array([10.0, 80, 10]))
    assert alike.weight @ (alike.support[:, 0] - 0.5) ** 2 == pytest.approx(0, abs=1e-6)


def test_one_rating_an_item_tells_the_mean_only():
    patterns = np.array([[1, 0], [0, 1]])
    states = fit_states(patterns, np.array([30.0, 70]))
    assert states.mean == pytest.approx([0.3, 0.7], abs=1e-6)
    square = states.support[:, 0] ** 2
    low = fit_states(patterns, np.array([30.0, 70]), lean=-square)
    high = fit_states(patterns, np.array([30.0, 70]), lean=square)
    # Between all items alike (the grid steps by .02 there) and all items sure.
    assert low.weight @ square == pytest.approx(0.09, abs=1e-3)
    assert high.weight @ square == pytest.approx(0.3, abs=1e-3)


def test_leaning_costs_no_likelihood():
    rng = np.random.default_rng(0)
    counts = np.bincount(rng.binomial(3, rng.random(500)), minlength=4).astype(float)
    patterns = np.column_stack([np.arange(4), 3 - np.arange(4)])
    states = fit_states(patterns, counts)
    sharp = np.abs(states.support[:, 0] - 0.5)
    ends = [fit_states(patterns, counts, lean=s * sharp) for s in (-1, 1)]
    for end in ends:
        # A leaning weighs .02 items, so it can cost at most .02 x log of its spread.
        assert end.log_likelihood == pytest.approx(states.log_likelihood, abs=0.02)
    low, high = (end.weight @ sharp for end in ends)
    assert low < states.weight @ sharp < high


def test_ragged_patterns_and_labels_never_used():
    patterns = np.array([[3, 0, 0], [0, 0, 2], [1, 0, 1], [2, 0, 3]])
    states = fit_states(patterns, np.array([10.0, 5, 3, 4]))
    assert states.support.shape[1] == 3
    assert not states.support[:, 1].any()
    assert states.converged


def test_support_is_fine_enough():
    """Twice as many states gain next to nothing: less than .01 in log-likelihood."""
    rng = np.random.default_rng(4)
    for ratings in (3, 10, 40):
        count = np.bincount(rng.binomial(ratings, rng.beta(0.5, 1, 2000)), minlength=ratings + 1)
        patterns = np.column_stack([np.arange(ratings + 1), ratings - np.arange(ratings + 1)])
        states = fit_states(patterns, count.astype(float))
        theta = np.sin(np.linspace(0, np.pi / 2, 2 * len(states.support) - 1)) ** 2
        finer = fit_states(
            patterns, count.astype(float), support=np.column_stack([theta, 1 - theta])
        )
        assert 0 <= finer.log_likelihood - states.log_likelihood + 1e-4 < 0.02


def test_one_label():
    states = fit_states(np.array([[3], [2]]), np.array([4.0, 1.0]))
    assert states.weight == pytest.approx([1.0])
    assert states.log_likelihood == pytest.approx(0)

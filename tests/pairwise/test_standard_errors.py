"""Errors of ratings: robust, with controls, by refits and by draws."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from headcount import pairs, read_comparisons
from headcount.data.comparisons import Comparisons
from headcount.errors import DataError, OptionError
from headcount.pairwise import methods as normal_draws_module
from headcount.pairwise import standard_errors as module
from headcount.pairwise.bradley_terry import bradley_terry
from headcount.pairwise.methods import normal_draws, refit
from headcount.pairwise.standard_errors import variance
from headcount.pairwise.ties import tie_model
from headcount.stats.ranks import Spread, rank_intervals, ranks
from tests.pairwise.data import random_comparisons

# Robust errors: scores by numerical derivatives, HC3 and CR3 by a slow twin, and invariants.

TIES = ("half", "davidson", "rao-kupper")
ITEMS = 5


def log_likelihood(ties, eta, cut, outcome):
    """Log-probability of one answer, written down from the papers."""
    if ties == "half":
        return outcome * -np.log1p(np.exp(-eta)) + (1 - outcome) * -np.log1p(np.exp(eta))
    if ties == "davidson":
        parts = [np.exp(eta / 2), np.exp(cut), np.exp(-eta / 2)]
        total = sum(parts)
        shares = [part / total for part in parts]
    else:
        win = 1 / (1 + np.exp(cut - eta))
        loss = 1 / (1 + np.exp(cut + eta))
        shares = [win, 1 - win - loss, loss]
    return np.log(shares[{1.0: 0, 0.5: 1, 0.0: 2}[outcome]])


@given(st.sampled_from(TIES), st.floats(-3, 3), st.floats(0.3, 2), st.sampled_from([0.0, 0.5, 1.0]))
def test_scores_are_the_derivatives_of_the_log_likelihood(ties, eta, cut, outcome):
    model, step = tie_model(ties), 1e-5
    by_eta, by_cut = model.scores(np.array([eta]), cut, np.array([outcome]))

    def at(x, y):
        return log_likelihood(ties, x, y, outcome)

    # Central differences are good to step^2 times a third derivative below 100, and to rounding.
    slope = (at(eta + step, cut) - at(eta - step, cut)) / (2 * step)
    assert by_eta[0] == pytest.approx(slope, abs=1e-8)
    slope = (at(eta, cut + step) - at(eta, cut - step)) / (2 * step)
    assert by_cut[0] == pytest.approx(slope, abs=1e-8)


@given(st.sampled_from(TIES), st.floats(-3, 3), st.floats(0.1, 2))
def test_probabilities_and_information(ties, eta, cut):
    model = tie_model(ties)
    shares = [float(p[0]) for p in model.probabilities(np.array([eta]), cut)]
    assert sum(shares) == pytest.approx(1, abs=1e-12)
    if ties != "half":
        seen = [np.exp(log_likelihood(ties, eta, cut, y)) for y in (1.0, 0.5, 0.0)]
        assert shares == pytest.approx(seen, abs=1e-12)
    else:
        assert shares[1] == 0
    squares = [
        p * model.scores(np.array([eta]), cut, np.array([y]))[0][0] ** 2
        for p, y in zip(shares, (1.0, 0.5, 0.0), strict=True)
    ]
    assert model.information(np.array([eta]), cut)[0] == pytest.approx(sum(squares), abs=1e-12)


def design(played, *, sided, cut):
    """Rows of the design, dense: the last rating is minus the sum of the others."""
    x = np.zeros((len(played), len(played.items)))
    rows = np.arange(len(played))
    x[rows, played.left] += 1
    x[rows, played.right] -= 1
    x = x @ np.vstack([np.eye(len(played.items) - 1), -np.ones(len(played.items) - 1)])
    columns = [x, *([np.ones((len(x), 1))] if sided else []), *([np.zeros((len(x), 1))] * cut)]
    return np.hstack(columns)


def twin(played, fit, cluster=None):
    """Variances of ratings and position as the books have them, with dense matrices and loops."""
    ties, sided = fit.tie_model.name, fit.position is not None
    has_cut = ties != "half"
    x = design(played, sided=sided, cut=has_cut)
    z = fit.point.z
    shift = z[-2] if sided else 0.0
    eta = fit.rating[played.left] - fit.rating[played.right] + shift
    cut, weight, step = float(z[-1]), played.weights, 1e-5

    def value(e, c):
        pairs = zip(e, played.outcome, strict=True)
        return np.array([log_likelihood(ties, one, c, y) for one, y in pairs])

    by_eta = (value(eta + step, cut) - value(eta - step, cut)) / (2 * step)
    scores = x * (weight * by_eta)[:, None]
    by_cut = (value(eta, cut + step) - value(eta, cut - step)) / (2 * step)
    if has_cut:
        scores[:, -1] = weight * by_cut
    # The negative Hessian, by differences of the scores of all comparisons together.
    hessian = np.zeros((x.shape[1],) * 2)
    wide = 1e-4
    beta = np.zeros(x.shape[1])

    def gradient(move):
        e, c = eta + x @ move, cut + (move[-1] if has_cut else 0.0)
        first = (value(e + step, c) - value(e - step, c)) / (2 * step)
        out = (x * (weight * first)[:, None]).sum(axis=0)
        if has_cut:
            out[-1] = weight @ ((value(e, c + step) - value(e, c - step)) / (2 * step))
        return out

    for k in range(len(beta)):
        move = beta.copy()
        move[k] = wide
        hessian[:, k] = -(gradient(move) - gradient(-move)) / (2 * wide)
    v = np.linalg.inv((hessian + hessian.T) / 2)
    tell = weight * tie_model(ties).information(eta, cut)
    total = np.zeros_like(v)
    if cluster is None:
        free = 1 - tell * np.einsum("ij,jk,ik->i", x, v, x)
        total = v @ ((scores / free[:, None]).T @ (scores / free[:, None])) @ v
    groups = np.zeros(0) if cluster is None else cluster
    for g in np.unique(groups):
        rows = groups == g
        part = x[rows].T @ (x[rows] * tell[rows, None])
        rest = np.eye(len(v)) - part @ v
        # Without cluster g the maximum moves by this much, to first order.
        b = v @ np.linalg.solve(rest, scores[rows].sum(axis=0))
        total += np.outer(b, b)
    if cluster is not None:
        n = len(np.unique(groups))
        total *= (n - 1) / n
    lead = np.vstack([np.eye(ITEMS - 1), -np.ones(ITEMS - 1)])
    ratings = np.diag(lead @ total[: ITEMS - 1, : ITEMS - 1] @ lead.T)
    return ratings, total[ITEMS - 1, ITEMS - 1] if sided else None


@given(st.integers(0, 200), st.sampled_from(TIES), st.booleans(), st.booleans())
@settings(max_examples=15, deadline=None)
def test_hc3_is_that_of_dense_matrices(seed, ties, sided, weights):
    played = random_comparisons(ITEMS, 90, ties=0.25, weights=weights, shift=0.3, seed=seed)
    fit = bradley_terry(played, ties=ties, position=sided, cluster="none")
    assert fit.method == "robust (HC3)"
    ratings, position = twin(played, fit)
    # Differences of differences are good to 1e-5 or so.
    np.testing.assert_allclose(fit.standard_error**2, ratings, rtol=2e-4)
    if sided:
        assert fit.position.standard_error**2 == pytest.approx(position, rel=2e-4)


@given(st.integers(0, 200), st.sampled_from(TIES), st.booleans(), st.booleans())
@settings(max_examples=15, deadline=None)
def test_cr3_is_that_of_dense_matrices(seed, ties, sided, weights):
    played = random_comparisons(
        ITEMS, 150, ties=0.25, weights=weights, shift=0.3, raters=12, seed=seed
    )
    fit = bradley_terry(played, ties=ties, position=sided, cluster="rater")
    assert fit.method == "robust, clustered by rater (CR3)"
    ratings, position = twin(played, fit, played.rater)
    np.testing.assert_allclose(fit.standard_error**2, ratings, rtol=2e-4)
    if sided:
        assert fit.position.standard_error**2 == pytest.approx(position, rel=2e-4)


def test_leaving_comparisons_out_moves_ratings_as_hc3_has_it():
    """The jackknife, by refits: delete-one moves equal those of first order up to second order."""
    played = random_comparisons(4, 300, seed=2)
    fit = bradley_terry(played, cluster="none")
    moves = np.array(
        [
            bradley_terry(played.select(np.arange(len(played)) != i), errors="hessian").rating
            - fit.rating
            for i in range(len(played))
        ]
    )
    jackknife = np.sqrt((moves**2).sum(axis=0))
    # One of 75 comparisons an item is 1.3% of what is known of it.
    np.testing.assert_allclose(fit.standard_error, jackknife, rtol=0.02)


@pytest.mark.parametrize(
    ("options", "close"),
    [({}, 1e-9), ({"position": True}, 1e-9), ({"ties": "davidson", "position": True}, 1e-3)],
)
def test_clusters_of_one_are_no_clusters(options, close):
    """Up to the factor (G - 1) / G.

    HC3 also inflates the score of the cut, which CR3 does not: a difference of second order.
    """
    played = random_comparisons(6, 200, ties=0.2, shift=0.3, seed=1)
    alone = replace(played, clusters={"prompt": np.arange(len(played))})
    one = bradley_terry(played, cluster="none", **options)
    two = bradley_terry(alone, cluster="prompt", **options)
    np.testing.assert_allclose(
        two.standard_error, one.standard_error * np.sqrt(1 - 1 / len(played)), rtol=close
    )


@pytest.mark.parametrize("ties", TIES)
def test_copies_in_one_cluster_add_nothing(ties):
    """A file given twice, clustered by the row copied, has the errors of the file given once."""
    played = random_comparisons(6, 200, ties=0.2, seed=3)
    cluster = np.arange(len(played)) // 4
    once = replace(played, clusters={"prompt": cluster})
    rows = np.tile(np.arange(len(played)), 2)
    twice = replace(played.select(rows), clusters={"prompt": cluster[rows]})
    one, two = (bradley_terry(data, ties=ties, cluster="prompt") for data in (once, twice))
    np.testing.assert_allclose(two.standard_error, one.standard_error, rtol=1e-6)
    np.testing.assert_allclose(two.covariance.df, one.covariance.df, rtol=1e-6)
    # Without clusters the copies count as answers of their own; leverage is halved as well.
    alone, bare = (bradley_terry(d, ties=ties, cluster="none") for d in (once, twice))
    np.testing.assert_allclose(bare.standard_error * np.sqrt(2), alone.standard_error, rtol=0.05)


def test_order_of_rows_and_names_of_clusters_change_nothing():
    rng = np.random.default_rng(0)
    played = random_comparisons(6, 200, ties=0.2, seed=4)
    cluster = rng.integers(0, 20, len(played))
    named = replace(played, clusters={"prompt": cluster})
    other = replace(played, clusters={"prompt": rng.permutation(20)[cluster]})
    one, two = (bradley_terry(data, cluster="prompt") for data in (named, other))
    np.testing.assert_allclose(two.standard_error, one.standard_error, rtol=1e-10)
    again = bradley_terry(named.select(rng.permutation(len(played))), cluster="prompt")
    assert again.standard_error.tolist() == one.standard_error.tolist()


def test_two_ways_are_both_less_their_crossing():
    """Clusters of one crossed with prompts: what is left is the prompts' own."""
    played = random_comparisons(6, 300, seed=5)
    prompt, alone = np.arange(len(played)) // 10, np.arange(len(played))
    data = replace(played, clusters={"prompt": prompt, "row": alone})
    one = bradley_terry(data, cluster="prompt")
    both = bradley_terry(data, cluster=["prompt", "row"])
    assert both.method == "robust, clustered by prompt and row (CR3)"
    np.testing.assert_allclose(both.standard_error, one.standard_error, rtol=1e-9)


def test_ties_as_halves_are_not_as_far_apart_as_wins():
    """With 80% ties a half says less than a coin: the Hessian does not know."""
    played = random_comparisons(10, 2000, ties=0.8, seed=6)
    robust = bradley_terry(played)
    model = bradley_terry(played, errors="hessian")
    assert (robust.standard_error / model.standard_error).mean() == pytest.approx(0.45, abs=0.06)


def scale_above(items, monkeypatch):
    """Take one factor above so many items, with the errors of the Hessian exact as before."""
    exact, errors = module.EXACT, module._by_model

    def exact_errors(*given):
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(module, "EXACT", exact)
            return errors(*given)

    monkeypatch.setattr(module, "EXACT", items)
    monkeypatch.setattr(module, "_by_model", exact_errors)


def test_many_items_have_one_factor(monkeypatch):
    played = random_comparisons(40, 4000, ties=0.5, seed=7)
    dense = bradley_terry(played)
    scale_above(20, monkeypatch)
    scaled = bradley_terry(played)
    assert "times" in scaled.method
    # All items alike here: one factor is nearly theirs, each of which is known to some 5%.
    np.testing.assert_allclose(scaled.standard_error, dense.standard_error, rtol=0.15)
    ratio = scaled.standard_error / dense.standard_error
    assert ratio.mean() == pytest.approx(1, abs=0.02)


def test_many_items_have_one_factor_of_clusters(monkeypatch):
    rng = np.random.default_rng(3)
    n, groups, each = 30, 150, 30
    group = np.repeat(np.arange(groups), each)
    # Each shows six items, over and over, of which it has a taste of its own.
    seen = np.array([rng.permutation(n)[:6] for _ in range(groups)])
    left, right = np.array([rng.permutation(6)[:2] for _ in group]).T
    left, right = seen[group, left], seen[group, right]
    taste = rng.normal(size=(groups, n)) + np.linspace(-1, 1, n)
    win = rng.random(len(group)) < 1 / (1 + np.exp(taste[group, right] - taste[group, left]))
    played = replace(
        Comparisons.from_columns(left, right, win.astype(float)), clusters={"p": group}
    )
    dense = bradley_terry(played, cluster="p")
    alone = bradley_terry(played, cluster="none")
    scale_above(20, monkeypatch)
    scaled = bradley_terry(played, cluster="p")
    assert "answers of the same p" in scaled.method
    assert dense.standard_error.mean() > 1.3 * alone.standard_error.mean()
    # One factor for all, and items taken one by one: within a tenth of CR3 on average.
    ratio = scaled.standard_error / dense.standard_error
    assert ratio.mean() == pytest.approx(1, abs=0.1)
    both = bradley_terry(replace(played, rater=group, raters=np.arange(groups)), cluster="p,rater")
    # Two ways that are the same are one.
    np.testing.assert_allclose(both.standard_error, scaled.standard_error)


def test_few_clusters_and_pivotal_ones_are_said():
    played = random_comparisons(5, 200, seed=8)
    few = bradley_terry(
        replace(played, clusters={"p": np.arange(len(played)) * 4 // len(played)}), cluster="p"
    )
    assert any("rest on 4 ps alone" in note for note in few.notes)
    assert few.covariance.df[:5].max() <= 3
    # All comparisons of one item with the others are by one rater.
    base = random_comparisons(4, 200, seed=9)
    more = random_comparisons(5, 400, seed=9)
    more = more.select(((more.left == 4) | (more.right == 4)).nonzero()[0])
    data = Comparisons(
        np.arange(5),
        np.concatenate([base.left, more.left]),
        np.concatenate([base.right, more.right]),
        np.concatenate([base.outcome, more.outcome]),
        clusters={
            "p": np.concatenate([np.arange(len(base)) * 20 // len(base), np.full(len(more), 99)])
        },
    )
    fit = bradley_terry(data, cluster="p")
    assert any("Without 1 p of 21 some ratings would have no bound" in note for note in fit.notes)


def test_clusters_that_cannot_be_served():
    played = random_comparisons(5, 100, raters=3, seed=8)
    with pytest.raises(OptionError, match="unknown cluster 'promt'"):
        bradley_terry(replace(played, clusters={"prompt": played.rater}), cluster="promt")
    with pytest.raises(OptionError, match="two columns at most"):
        bradley_terry(played, cluster="a,b,c")
    with pytest.raises(OptionError, match="must name one or two columns"):
        bradley_terry(played, cluster=3)
    bare = random_comparisons(5, 100, seed=8)
    with pytest.raises(DataError, match="no column prompt"):
        bradley_terry(bare, cluster="prompt")
    with pytest.raises(DataError, match="all comparisons are of one prompt"):
        bradley_terry(
            replace(bare, clusters={"prompt": np.zeros(len(bare), int)}), cluster="prompt"
        )


def test_raters_are_clusters_by_default_where_they_are_known():
    often = random_comparisons(5, 100, raters=6, seed=1)
    assert "rater" in bradley_terry(often).method
    three = bradley_terry(random_comparisons(5, 100, raters=3, seed=1))
    assert "rater" in three.method
    assert three.covariance.df[:5].max() < 3
    assert any("3 rater" in note for note in three.notes)
    assert "rater" not in bradley_terry(replace(often, rater=np.zeros(len(often), int))).method
    # Somebody unknown stands for nobody else.
    unknown = replace(often, rater=np.where(np.arange(len(often)) < 3, -1, often.rater))
    assert bradley_terry(unknown).method == bradley_terry(unknown, cluster="rater").method


# Style control: the maximum and its errors by a dense twin, invariants, and how it is read.

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
    assert "Control len_a:len_b:" in result.to_text(details=True)


def test_what_cannot_be_controlled_for():
    data = controlled()
    with pytest.raises(OptionError, match="two columns, of the left and of the right item"):
        bradley_terry(data, control="len_a")
    with pytest.raises(DataError, match="no differences 'a:b' were read"):
        bradley_terry(data, control="a:b")
    with pytest.raises(OptionError, match="prior"):
        bradley_terry(data, control=NAME, prior=1.0)
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


# Bootstrap refits, rank intervals, and the coverage of intervals.


def test_spread_is_the_standard_error():
    played = random_comparisons(10, 1500, seed=1)
    fit = bradley_terry(played)
    refits = refit(played, fit, draws=200)
    assert refits.ratings.shape == (200, 10)
    # Standard deviations of 200 draws are good to 5%; ten of them together to 2% or so.
    ratio = refits.ratings.std(axis=0, ddof=1) / fit.standard_error
    assert ratio.mean() == pytest.approx(1, abs=0.06)
    assert np.abs(refits.ratings.mean(axis=0) - fit.rating).max() < 0.03
    assert not refits.held.any()
    assert refits.notes == ()


def test_each_draw_is_the_fit_of_its_weights():
    """Weights are drawn for equal comparisons together, in the order of their content."""
    played = random_comparisons(6, 200, ties=0.2, shift=0.4, seed=2)
    played = played.select(np.lexsort((played.outcome, played.right, played.left)))
    kind = {"ties": "davidson", "position": True}
    fit = bradley_terry(played, **kind)
    refits = refit(played, fit, draws=3, seed=5)
    rng = np.random.default_rng(5)
    content = np.stack([played.left, played.right, played.outcome])
    _, first, size = np.unique(content, axis=1, return_index=True, return_counts=True)
    for draw, position, tie in zip(refits.ratings, refits.position, refits.tie, strict=True):
        weight = np.zeros(len(played))
        for row, drawn in zip(first, rng.poisson(size), strict=True):
            weight[row] = drawn
        again = bradley_terry(replace(played, weight=weight), **kind)
        # A prior of 10 logits pulls at 2.5 by 0.025 wins; curvatures are 3 and more.
        np.testing.assert_allclose(draw, again.rating, atol=1e-2)
        assert position == pytest.approx(again.position.value, abs=1e-2)
        assert tie == pytest.approx(again.tie.value, abs=1e-2)


@pytest.mark.parametrize(("ties", "none"), [("davidson", 0.0), ("rao-kupper", 1.0)])
def test_a_draw_without_ties_has_the_parameter_of_no_ties(ties, none):
    """One tie among 41 comparisons is not in a third of the draws."""
    played = Comparisons.from_columns("ab" * 20 + "a", "ba" * 20 + "b", [1] * 40 + [0.5])
    refits = refit(played, bradley_terry(played, ties=ties), draws=60)
    missing = refits.tie == none
    assert 10 < missing.sum() < 35
    assert (refits.tie[~missing] > none).all()


def test_raters_are_drawn_whole():
    """Every answer ten times by one rater says no more than once."""
    base = random_comparisons(6, 300, seed=3)
    rows = np.repeat(np.arange(len(base)), 10)
    copied = replace(base.select(rows), rater=rows, raters=np.arange(len(base)))
    fit = bradley_terry(copied)
    by_row = refit(copied, fit, draws=200).ratings.std(axis=0)
    by_rater = refit(copied, fit, draws=200, unit="rater").ratings.std(axis=0)
    assert (by_rater / by_row).mean() == pytest.approx(np.sqrt(10), rel=0.08)
    errors = bradley_terry(base).standard_error
    assert (by_rater / errors).mean() == pytest.approx(1, abs=0.08)


def test_same_seed_same_draws():
    played = random_comparisons(5, 50, seed=4)
    fit = bradley_terry(played)
    one, two = refit(played, fit, draws=3, seed=1), refit(played, fit, draws=3, seed=1)
    np.testing.assert_array_equal(one.ratings, two.ratings)
    assert not np.array_equal(one.ratings, refit(played, fit, draws=3, seed=2).ratings)


def test_items_that_lose_nothing_in_a_draw_are_held_and_counted():
    """Item 0 lost once in 21: in a third of draws it does not lose at all."""
    left = np.concatenate([np.zeros(21, dtype=np.int64), np.ones(10, dtype=np.int64)])
    right = np.concatenate([np.tile([1, 2, 1], 7), np.full(10, 2)])
    outcome = np.concatenate([[0.0], np.ones(20), np.tile([1.0, 0.0], 5)])
    played = Comparisons(np.arange(3), left, right, outcome)
    fit = bradley_terry(played)
    refits = refit(played, fit, draws=300)
    assert refits.held[0] / 300 == pytest.approx(np.exp(-1), abs=0.09)
    assert np.isfinite(refits.ratings).all()
    assert refits.ratings.max() < 10
    assert "lost nothing or won nothing" in refits.notes[0]


def test_infinite_ratings_stay():
    played = Comparisons.from_columns("abcbcbcac", "bcbcbcbdd", [1] * 9)
    fit = bradley_terry(played)
    refits = refit(played, fit, draws=20)
    place = {item: k for k, item in enumerate(fit.items)}
    assert (refits.ratings[:, place["a"]] == np.inf).all()
    assert (refits.ratings[:, place["d"]] == -np.inf).all()
    result = pairs(played, bootstrap=20, prior="none")
    # Those without a bound may stand anywhere: they bar b neither from the first rank nor the last.
    for item, ends in {"a": (1, None, None), "b": (2, 1, 4), "d": (4, None, None)}.items():
        rank = result[item].rank
        assert (rank.value, rank.low, rank.high) == ends


def test_draws_that_cannot_be_fitted_are_counted():
    played = Comparisons.from_columns("ab", "ba", [1, 1], rater=["r", "s"])
    refits = refit(played, bradley_terry(played, position=True, prior=1.0), draws=50, unit="rater")
    empty = np.isnan(refits.ratings).all(axis=1)
    # Neither rater is in one of e^2 draws: 7 of 50.
    assert 1 < empty.sum() < 20
    np.testing.assert_array_equal(np.isnan(refits.position), empty)
    assert any(f"{empty.sum()} bootstrap samples" in note for note in refits.notes)
    low, high = rank_intervals(np.zeros(2), Spread.of_draws(refits.ratings[~empty]))
    assert (low.tolist(), high.tolist()) == ([1, 1], [2, 2])


@pytest.mark.parametrize("kind", [{"prior": 1.0}, {"ties": "rao-kupper"}])
def test_other_models_are_refitted_too(kind):
    played = random_comparisons(6, 400, ties=0.1, raters=4, seed=6)
    fit = bradley_terry(played, cluster="none", **kind)
    refits = refit(played, fit, draws=60)
    ratio = refits.ratings.std(axis=0) / fit.standard_error
    assert ratio.mean() == pytest.approx(1, abs=0.2)


def test_options_that_cannot_be_served():
    played = random_comparisons(5, 50)
    fit = bradley_terry(played)
    with pytest.raises(OptionError, match="draws"):
        refit(played, fit, draws=0)
    for name in ("item", "rater"):
        with pytest.raises(DataError, match=f"no {name} column"):
            refit(played, fit, draws=1, unit=name)
    with pytest.raises(DataError, match="not the comparisons"):
        refit(random_comparisons(4, 50), fit, draws=1)
    with pytest.raises(OptionError, match="level"):
        rank_intervals(np.zeros(2), Spread(variance=np.ones(2)), level=1.0)


@given(st.lists(st.sampled_from([-np.inf, -1.0, 0.5, 2.0, np.inf, np.nan]), min_size=1, max_size=8))
def test_ranks_count_who_is_better(values):
    found = ranks(np.array(values))
    for value, rank in zip(values, found, strict=True):
        if np.isnan(value):
            assert np.isnan(rank)
        else:
            assert rank == 1 + sum(other > value for other in values)


def test_ranks_within_components():
    table = np.array([[3.0, 1.0, 9.0, 8.0], [1.0, 3.0, 9.0, 8.0]])
    found = ranks(table, component=np.array([0, 0, 1, 1]))
    assert found.tolist() == [[1, 2, 1, 2], [2, 1, 1, 2]]


def test_ranks_over_draws_go_by_their_differences():
    """A difference of 3 with draws of standard deviation sqrt(2): 2.12 standard errors."""
    rng = np.random.default_rng(0)
    draws = rng.normal(size=(20_000, 2))
    spread = Spread.of_draws(draws)
    rating = np.array([3.0, 0.0])
    assert [x.tolist() for x in rank_intervals(rating, spread, level=0.95)] == [[1, 2], [1, 2]]
    assert [x.tolist() for x in rank_intervals(rating, spread, level=0.98)] == [[1, 1], [2, 2]]
    # Two that move together are told apart by less.
    both = draws[:, :1] + 0.1 * draws
    near = Spread.of_draws(both)
    assert [x.tolist() for x in rank_intervals(0.2 * rating, near)] == [[1, 2], [1, 2]]
    apart = Spread(variance=both.var(axis=0))
    assert [x.tolist() for x in rank_intervals(0.2 * rating, apart)] == [[1, 1], [2, 2]]


def test_equal_ratings_share_a_rank_whatever_the_rounding():
    assert ranks(np.array([0.1 + 0.2, 0.3, 0.0])).tolist() == [1, 1, 3]


@pytest.mark.parametrize("ties", ["half", "davidson"])
def test_intervals_cover(ties):
    """95% intervals of ratings, of probabilities, and of the position effect.

    80 fits of 12 items: 960 ratings (not quite independent), so that 2.5% is 3 standard errors.
    """
    rng = np.random.default_rng(11)
    n, m, nu, shift = 12, 360, 0.6, 0.3
    inside, sides, chances = [], [], []
    for _ in range(80):
        theta = rng.normal(size=n)
        left = rng.integers(0, n, m)
        right = (left + rng.integers(1, n, m)) % n
        eta = theta[left] - theta[right] + shift
        weights = np.array([np.exp(eta / 2), np.exp(-eta / 2), np.full(m, nu)])
        weights[2] *= ties == "davidson"
        chance = np.cumsum(weights / weights.sum(axis=0), axis=0)
        outcome = np.array([1.0, 0.0, 0.5])[(rng.random(m) > chance).sum(axis=0)]
        fit = bradley_terry(
            Comparisons(np.arange(n), left, right, outcome), ties=ties, position=True
        )
        if not fit.finite.all():
            continue
        z = (fit.rating - theta + theta.mean()) / fit.standard_error
        inside.append(np.abs(z) < 1.96)
        side = fit.position.estimate()
        sides.append(side.low <= shift <= side.high)
        for a, b in ((0, 1), (2, 3), (4, 5)):
            e = np.exp((theta[a] - theta[b]) / 2)
            truth = e / (e + 1 / e + nu * (ties == "davidson"))
            found = fit.probability(a, b)
            chances.append(found.low <= truth <= found.high)
    assert 0.925 < np.mean(inside) < 0.975
    assert 0.92 < np.mean(chances) < 0.98
    assert np.mean(sides) > 0.88


# Draws have the covariance of the fit.


@pytest.mark.parametrize(
    "options",
    [
        {},
        {"prior": 1.0},
        {"ties": "davidson", "position": True},
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
    fit = bradley_terry(random_comparisons(6, 400, seed=5))
    fit = replace(fit, covariance=replace(fit.covariance, matrix=None))
    drawn = normal_draws(fit, draws=20000, rng=np.random.default_rng(0))
    np.testing.assert_allclose(drawn.std(axis=0), fit.standard_error, rtol=0.02)
    monkeypatch.setattr(normal_draws_module, "MOST_CELLS", 6 * 150)
    assert normal_draws(fit, rng=np.random.default_rng(0)).shape == (150, 6)

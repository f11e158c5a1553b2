"""Robust errors: scores by numerical derivatives, HC3 and CR3 by a slow twin, and invariants."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from headcount.data.comparisons import Comparisons
from headcount.errors import DataError, OptionError
from headcount.pairwise.bradley_terry.bradley_terry import bradley_terry
from headcount.pairwise.bradley_terry.standard_errors import robust as module
from headcount.pairwise.bradley_terry.ties.catalogue import tie_model
from tests.pairwise.bradley_terry.data import random_comparisons

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
    ties, sided = fit.ties, fit.position is not None
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


def test_many_items_have_one_factor(monkeypatch):
    played = random_comparisons(40, 4000, ties=0.5, seed=7)
    dense = bradley_terry(played)
    monkeypatch.setattr(module, "EXACT", 20)
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
    monkeypatch.setattr(module, "EXACT", 20)
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


def test_raters_are_clusters_by_default_where_they_answered_often():
    often = random_comparisons(5, 100, raters=6, seed=1)
    assert "rater" in bradley_terry(often).method
    assert "rater" not in bradley_terry(replace(often, rater=np.arange(len(often)))).method
    assert "rater" not in bradley_terry(random_comparisons(5, 100, raters=4, seed=1)).method
    # Somebody unknown stands for nobody; those who ask for raters get each as a cluster.
    unknown = replace(often, rater=np.where(np.arange(len(often)) < 3, -1, often.rater))
    assert "rater" not in bradley_terry(unknown).method
    assert "rater" in bradley_terry(unknown, cluster="rater").method

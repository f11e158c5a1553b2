"""Ratings by rankings: published numbers, a slow twin, and what must not change them."""

from __future__ import annotations

import json
import math
from itertools import combinations
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import minimize

from headcount.data.comparisons import Comparisons
from headcount.errors import OptionError
from headcount.io.comparisons import read_comparisons
from headcount.pairwise import plackett_luce as errors_module
from headcount.pairwise import standard_errors as hessian
from headcount.pairwise.bradley_terry import bradley_terry

GOLDEN = json.loads((Path(__file__).parents[1] / "golden" / "plackett_luce.json").read_text())


def random_rankings(n=8, rankings=60, size=4, seed=0, ties=0.0):
    rng = np.random.default_rng(seed)
    theta = np.linspace(-1, 1, n)
    out = []
    for _ in range(rankings):
        items = rng.choice(n, size, replace=False)
        order = items[np.argsort(-(theta[items] + rng.gumbel(size=size)))]
        ranking = [[int(order[0])]]
        for item in order[1:].tolist():
            if rng.random() < ties:
                ranking[-1].append(item)
            else:
                ranking.append([item])
        out.append(ranking)
    return out


def slow_log_likelihood(theta, rankings):
    """Choose item by item; of those tied, each in turn by its share, and Efron's sets."""
    total = 0.0
    for ranking in rankings:
        left = [i for level in ranking for i in level]
        for level in ranking:
            rest = [i for i in left if i not in level]
            m = len(level)
            for j in range(m):
                if not rest and j == m - 1:
                    continue
                odds = sum(math.exp(theta[i]) for i in rest)
                odds += (m - j) / m * sum(math.exp(theta[i]) for i in level)
                total += sum(theta[i] for i in level) / m - math.log(odds)
            left = rest
    return total


def test_ratings_are_those_of_choix():
    fit = bradley_terry(Comparisons.from_rankings(GOLDEN["rankings"]))
    # choix stops at 1e-13, this at 1e-8 wins.
    np.testing.assert_allclose(fit.rating, GOLDEN["ratings"], atol=1e-8)


def row_of(items, **ends) -> dict[str, str]:
    """A set of items, one a column, and which of them is best or worst."""
    shown = {f"item{n}": str(item) for n, item in enumerate(items, 1)}
    return shown | {end: str(item) for end, item in ends.items()}


def test_the_best_of_a_set_is_that_of_choix():
    rows = [row_of([best, *others], best=best) for best, others in GOLDEN["top1"]]
    fit = bradley_terry(read_comparisons(rows))
    np.testing.assert_allclose(fit.rating, GOLDEN["top1_ratings"], atol=1e-8)


@settings(max_examples=8, deadline=None)
@given(seed=st.integers(0, 1000), ties=st.sampled_from([0.0, 0.4]))
def test_the_maximum_is_that_of_a_slow_twin(seed, ties):
    rankings = random_rankings(5, 40, 3, seed, ties)
    fit = bradley_terry(Comparisons.from_rankings(rankings))
    if not fit.finite.all():
        return
    found = slow_log_likelihood(fit.rating, rankings)
    assert found == pytest.approx(fit.log_likelihood, abs=1e-9)
    best = minimize(lambda t: -slow_log_likelihood(t, rankings), np.zeros(5), method="BFGS")
    # BFGS stops at a gradient of 1e-5.
    np.testing.assert_allclose(fit.rating, best.x - best.x.mean(), atol=1e-4)
    assert -best.fun <= fit.log_likelihood + 1e-9


def test_rankings_of_two_are_comparisons():
    two = [[a, b] for ranking in random_rankings(6, 80, 2) for (a,), (b,) in [ranking]]
    ranked = bradley_terry(Comparisons.from_rankings(two))
    first, second = zip(*two, strict=True)
    compared = bradley_terry(Comparisons.from_columns(first, second, [1] * len(two)))
    np.testing.assert_allclose(ranked.rating, compared.rating, atol=1e-8)
    # CR3 with a cluster each is HC3, but for (G - 1) / G.
    share = math.sqrt((len(two) - 1) / len(two))
    np.testing.assert_allclose(ranked.standard_error, share * compared.standard_error, rtol=1e-6)


def test_a_tie_of_two_is_half_a_win_for_either():
    rankings = [[["a", "b"]], ["a", "b"], ["b", "a"], ["b", "a"]]
    fit = bradley_terry(Comparisons.from_rankings(rankings))
    pairs = Comparisons.from_columns("abbb", "baaa", [1, 1, 1, 0.5])
    np.testing.assert_allclose(fit.rating, bradley_terry(pairs).rating, atol=1e-8)


def test_the_worst_of_a_set_is_the_best_of_it_upside_down():
    rng = np.random.default_rng(1)
    sets = [rng.choice(5, 3, replace=False) for _ in range(60)]
    ends = [rng.permutation(s)[:2] for s in sets]
    rows = [row_of(s, best=b, worst=w) for s, (b, w) in zip(sets, ends, strict=True)]
    turned = [{**row, "best": row["worst"], "worst": row["best"]} for row in rows]
    # Of three items the best, and of the two others the worst: the order is known, as a ranking.
    whole = Comparisons.from_rankings(
        [[b, *(i for i in s if i not in (b, w)), w] for s, (b, w) in zip(sets, ends, strict=True)]
    )
    fit = bradley_terry(read_comparisons(rows))
    np.testing.assert_allclose(fit.rating, bradley_terry(whole).rating, atol=1e-8)
    four = [{**row, "item4": "x"} for row in rows]
    four += [{**row, "item4": "x", "best": "x"} for row in turned[:20]]
    four += [{**row, "item4": "x", "worst": "x"} for row in turned[:20]]
    up = bradley_terry(read_comparisons(four))
    down = bradley_terry(
        read_comparisons([{**r, "best": r["worst"], "worst": r["best"]} for r in four])
    )
    # The best first and then the worst is not quite the worst first and then the best.
    np.testing.assert_allclose(up.rating, -down.rating, atol=0.15)


def test_errors_are_those_of_leaving_each_ranking_out():
    rankings = random_rankings(6, 30, 4, seed=3)
    fit = bradley_terry(Comparisons.from_rankings(rankings))
    without = np.array(
        [
            bradley_terry(Comparisons.from_rankings(rankings[:i] + rankings[i + 1 :])).rating
            for i in range(len(rankings))
        ]
    )
    n = len(rankings)
    moved = without - fit.rating
    jackknife = np.sqrt((n - 1) / n * np.sum(moved**2, axis=0))
    # CR3 is the jackknife to first order.
    np.testing.assert_allclose(fit.standard_error, jackknife, rtol=0.12)


def test_the_order_of_rankings_changes_no_digit():
    rankings = random_rankings(seed=5, ties=0.2)
    rater = [f"r{i % 7}" for i in range(len(rankings))]
    fit = bradley_terry(Comparisons.from_rankings(rankings, rater=rater))
    again = bradley_terry(Comparisons.from_rankings(rankings[::-1], rater=rater[::-1]))
    assert fit.rating.tolist() == again.rating.tolist()
    assert fit.standard_error.tolist() == again.standard_error.tolist()
    alone = bradley_terry(Comparisons.from_rankings(rankings))
    turned = bradley_terry(Comparisons.from_rankings(rankings[::-1]))
    assert alone.standard_error.tolist() == turned.standard_error.tolist()


def test_weights_are_repetitions_for_ratings():
    rankings = random_rankings(5, 20, 3, seed=6)
    weighted = bradley_terry(Comparisons.from_rankings(rankings, weight=[2.0] + [1] * 19))
    repeated = bradley_terry(Comparisons.from_rankings([rankings[0], *rankings]))
    np.testing.assert_allclose(weighted.rating, repeated.rating, atol=1e-7)


def test_without_some_items_a_ranking_is_one_of_the_others():
    played = Comparisons.from_rankings([[9, *(i for level in r for i in level)] for r in
                                        random_rankings(5, 40, 4)])  # fmt: skip
    fit = bradley_terry(played)  # 9 is always first
    plain = bradley_terry(Comparisons.from_rankings(random_rankings(5, 40, 4)))
    assert fit.rating[-1] == math.inf
    np.testing.assert_allclose(fit.rating[:-1], plain.rating, atol=1e-8)


def test_many_items_have_one_factor(monkeypatch):
    played = Comparisons.from_rankings(random_rankings(12, 400, 4))
    dense = bradley_terry(played)
    for module in (hessian, errors_module):
        monkeypatch.setattr(module, "EXACT", 5)
    scaled = bradley_terry(played)
    assert "answers of the same ranking" in scaled.method
    # Two terms of the series, and one factor for all items.
    np.testing.assert_allclose(scaled.standard_error, dense.standard_error, rtol=0.2)
    pair = [str(dense.items[i]) for i in (0, 1)]
    wide, near = (fit.probability(*pair) for fit in (dense, scaled))
    assert near.high - near.low == pytest.approx(wide.high - wide.low, rel=0.2)


def test_a_prior_keeps_everything_finite():
    rankings = [["a", "b", "c"], ["a", "c", "b"], ["d", "e"]]
    fit = bradley_terry(Comparisons.from_rankings(rankings), prior=1.0)
    assert np.isfinite(fit.rating).all()
    assert np.isfinite(fit.standard_error).all()
    fitted = bradley_terry(Comparisons.from_rankings(rankings), prior="fitted")
    assert fitted.prior_fitted
    assert fitted.prior > 0


@pytest.mark.parametrize("option", [{"position": True}, {"ties": "davidson"}])
def test_rankings_refuse_what_means_nothing_to_them(option):
    with pytest.raises(OptionError, match="Rankings have no"):
        bradley_terry(Comparisons.from_rankings(["abc", "bca"], rater="xy"), **option)


def test_pairs_of_a_ranking_lead_back_to_it():
    rankings = random_rankings(6, 10, 4, ties=0.5)
    played = Comparisons.from_rankings(rankings)
    assert len(played) == sum(math.comb(sum(map(len, r)), 2) for r in rankings)
    assert played.n_rankings == 10
    assert played.appearances.sum() == sum(len(level) for r in rankings for level in r)
    for r, ranking in enumerate(rankings):
        place = {item: i for i, level in enumerate(ranking) for item in level}
        mine = played.select(played.ranking == r)
        names = played.items
        for left, right, share in zip(mine.left, mine.right, mine.outcome, strict=True):
            a, b = place[int(names[left])], place[int(names[right])]
            assert share == (1.0 if a < b else 0.5)
        assert len(mine) == len(list(combinations(place, 2)))

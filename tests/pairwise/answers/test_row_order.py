"""The order of rows changes no digit: of ratings, ranks, intervals, Elo and verdicts."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from headcount.pairwise.answers.row_order import has_exact_sums, sort_rows
from headcount.pairwise.bradley_terry.bradley_terry import bradley_terry
from headcount.pairwise.bradley_terry.standard_errors.refits import refit
from headcount.pairwise.pairs import pairs
from headcount.pairwise.spammers import left_out as left_out_module
from headcount.pairwise.spammers.spammers import find_spammers
from headcount.simulation.labelling import LabellingModel, simulate_comparisons
from tests.pairwise.bradley_terry.data import random_comparisons

PLAIN = random_comparisons(8, 160, ties=0.2, shift=0.3, raters=6, seed=3)
WEIGHTED = random_comparisons(8, 160, ties=0.2, shift=0.3, raters=6, weights=True, seed=3)
CROWD = simulate_comparisons(
    LabellingModel(items=30, raters=15, spammers=0.2, comparisons=300), rng=2
)[0]


def shuffled(comparisons, seed=0):
    return comparisons.select(np.random.default_rng(seed).permutation(len(comparisons)))


@pytest.mark.parametrize("data", [PLAIN, WEIGHTED], ids=["plain", "weighted"])
@pytest.mark.parametrize(
    "options",
    [
        {},
        {"ties": "davidson", "position": True},
        {"reliability": True},
        {"bootstrap": 12},
        {"bootstrap": 12, "by": "rater", "ties": "rao-kupper"},
        {"method": "elo", "epochs": 7},
        {"method": "elo", "bootstrap": 3},
        {"method": "elo", "bootstrap": 3, "by": "rater", "epochs": 5},
        {"label": "quantile:0.7", "prior": 1.0, "bootstrap": 5},
    ],
    ids=str,
)
def test_pairs(data, options):
    assert pairs(shuffled(data), **options).to_dict() == pairs(data, **options).to_dict()


@pytest.mark.parametrize("options", [{"by_rater": True}, {"drop_spammers": True, "bootstrap": 5}])
def test_raters(options):
    one, two = pairs(CROWD, **options).to_dict(), pairs(shuffled(CROWD), **options).to_dict()
    assert one == two
    assert any(r["spammer"] for r in one["raters"])


def test_raters_in_groups_and_winners_first(monkeypatch):
    """Groups go by the names of raters, and sides are drawn by the content of comparisons."""
    monkeypatch.setattr(left_out_module, "MOST_FITS", 4)
    monkeypatch.setattr(left_out_module, "GROUPS", 4)
    turn = CROWD.outcome == 0
    first = replace(
        CROWD,
        left=np.where(turn, CROWD.right, CROWD.left),
        right=np.where(turn, CROWD.left, CROWD.right),
        outcome=np.where(turn, 1.0, CROWD.outcome),
    )
    for data in (CROWD, first):
        assert find_spammers(data).to_dict() == find_spammers(shuffled(data)).to_dict()


def test_the_order_given_is_kept_where_it_is_asked_for():
    options = {"method": "elo", "order": "given", "k": 1.0}
    one, two = pairs(PLAIN, **options), pairs(shuffled(PLAIN), **options)
    assert [i.rating for i in one.items] != [i.rating for i in two.items]


def test_other_seeds_draw_other_samples():
    fit = bradley_terry(PLAIN)
    one, two = refit(PLAIN, fit, draws=2, rng=1), refit(shuffled(PLAIN), fit, draws=2, rng=2)
    assert not np.array_equal(one.ratings, two.ratings)


@given(st.integers(0, 1000))
@settings(max_examples=25)
def test_sorted_rows_are_the_same_rows_in_an_order_of_their_own(seed):
    data = random_comparisons(3, 30, ties=0.3, raters=2, weights=seed % 2 == 0, seed=seed)
    again = shuffled(data, seed)

    def rows(c):
        return list(zip(c.left, c.right, c.outcome, c.rater, c.weights, strict=True))

    assert rows(sort_rows(data)) == rows(sort_rows(again))
    assert sorted(rows(sort_rows(data))) == sorted(rows(data))


def test_sums_of_halves_are_exact_and_others_are_not():
    assert has_exact_sums(PLAIN)
    assert not has_exact_sums(WEIGHTED)
    assert has_exact_sums(replace(PLAIN, weight=np.full(len(PLAIN), 3.0)))
    assert not has_exact_sums(replace(PLAIN, outcome=np.full(len(PLAIN), 0.1)))

"""Labels: where the cut lies, and how likely an item is to be above it."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from headcount.errors import OptionError
from headcount.pairwise.bradley_terry.bradley_terry import bradley_terry
from headcount.pairwise.bradley_terry.standard_errors.hessian import variance
from headcount.pairwise.bradley_terry.standard_errors.normal_draws import normal_draws
from headcount.pairwise.labelling.catalogue import choose_rule
from headcount.pairwise.labelling.label_items import label_items
from tests.pairwise.bradley_terry.data import random_comparisons

ITEMS = np.array(list("abcdef"), dtype=object)
ONE = np.zeros(6, dtype=np.int64)
RATING = np.array([2.0, 1.0, 0.5, -0.5, -1.0, -2.0])


def labels(rule, rating=RATING, component=ONE):
    return label_items(rule, rating, component, None)[0]


def test_sign_is_by_the_average_of_the_component():
    component = np.array([0, 0, 0, 0, 1, 1])
    got = labels(choose_rule("sign", None, ITEMS), RATING, component)
    assert got == ["above", "above", "below", "below", "above", "below"]  # averages .75 and -1.5


def test_quantiles_cut_off_their_share():
    for q, above in ((0.75, 2), (0.5, 3), (0.1, 5)):
        assert labels(choose_rule(f"quantile:{q}", None, ITEMS)).count("above") == above


def test_anchors_at_the_boundary_and_on_both_sides():
    boundary = choose_rule("sign", ["b", "c"], ITEMS)
    assert boundary.at(RATING, ONE).tolist() == [0.75] * 6
    assert labels(choose_rule("anchors", ["c"], ITEMS))[2] is None  # at the cut itself
    sides = {"a": "positive", "b": "positive", "f": "Negative"}
    assert choose_rule("sign", sides, ITEMS).at(RATING, ONE).tolist() == [-0.25] * 6


def test_anchors_reach_as_far_as_their_component():
    component = np.array([0, 0, 0, 1, 1, 1])
    got = labels(choose_rule("sign", ["b"], ITEMS), RATING, component)
    assert got == ["above", None, "below", None, None, None]


def test_infinite_ratings_have_a_label_and_do_not_move_the_cut():
    rating = np.array([math.inf, 1.0, 0.5, -0.5, -1.0, math.nan])
    for cut in (choose_rule("sign", None, ITEMS), choose_rule("anchors", ["a", "c"], ITEMS)):
        assert np.isfinite(cut.at(rating, ONE)).all()
        got = labels(cut, rating)
        assert (got[0], got[5]) == ("above", None)
        assert np.isnan(
            label_items(cut, rating, ONE, np.tile(rating, (9, 1)), error=np.ones(6))[1][[0, 5]]
        ).all()


def test_probabilities_are_those_of_the_exact_difference():
    """Normal draws against the variance of a contrast; 1,000 draws give an sd to 2.2%."""
    played = random_comparisons(8, 300, seed=2)
    fit = bradley_terry(played)
    cut = choose_rule("sign", ["0", "3"], fit.items)
    draws = normal_draws(fit, rng=np.random.default_rng(0))
    _, above = label_items(cut, fit.rating, fit.component, draws, error=fit.standard_error)
    for i in range(8):
        direction = np.zeros(fit.point.model.size)
        direction[i] += 1
        direction[[0, 3]] -= 0.5
        error = math.sqrt(variance(fit.point, direction))
        z = (fit.rating[i] - fit.rating[[0, 3]].mean()) / error
        # Five of those 2.2% move a normal probability by less than .11 z phi(z) <= .03.
        assert above[i] == pytest.approx(0.5 * math.erfc(-z / math.sqrt(2)), abs=0.03)


def test_probability_above_the_average_is_exact():
    """The standard error of a rating is that of its distance to the mean, so no draw matters."""
    played = random_comparisons(8, 300, seed=2)
    fit = bradley_terry(played)
    few = normal_draws(fit, draws=3, rng=np.random.default_rng(0))
    cut = choose_rule("sign", None, fit.items)
    _, above = label_items(cut, fit.rating, fit.component, few, error=fit.standard_error)
    z = fit.rating / fit.standard_error
    assert above == pytest.approx([0.5 * math.erfc(-x / math.sqrt(2)) for x in z.tolist()])


def test_without_a_draw_that_was_fitted_there_is_no_probability():
    cut = choose_rule("sign", None, ITEMS)
    got, above = label_items(cut, RATING, ONE, np.full((3, 6), np.nan))
    assert got[0] == "above"
    assert np.isnan(above).all()


def test_bootstrap_probability_is_a_share_of_draws():
    draws = np.array([[1.0, 0.0], [1.0, 2.0], [0.0, 0.0], [3.0, 1.0]])
    cut = choose_rule("sign", ["b"], np.array(["a", "b"], dtype=object))
    _, above = label_items(cut, draws[0], np.zeros(2, dtype=np.int64), draws)
    assert above.tolist() == [(2 + 0.5) / 4, 0.5]


@given(st.lists(st.floats(-5, 5), min_size=6, max_size=6), st.floats(0.1, 3), st.floats(-3, 3))
def test_labels_do_not_depend_on_origin_and_scale(rating, scale, shift):
    rating = np.round(rating, 3)
    for cut in (
        choose_rule("sign", None, ITEMS),
        choose_rule("quantile:0.3", None, ITEMS),
        choose_rule("sign", {"a": "positive", "d": "negative"}, ITEMS),
    ):
        distance = rating - cut.at(rating, ONE)
        clear = np.abs(distance) > 1e-6
        before, after = labels(cut, rating), labels(cut, scale * rating + shift)
        assert [x for x, c in zip(before, clear, strict=True) if c] == [
            x for x, c in zip(after, clear, strict=True) if c
        ]


@pytest.mark.parametrize(
    ("label", "anchors", "said"),
    [
        ("quantile:1.5", None, "between 0 and 1"),
        ("quantile:half", None, "between 0 and 1"),
        ("median", None, "unknown label"),
        ("anchors", None, "needs the anchors"),
        ("sign", ["z"], "unknown anchor"),
        ("sign", {"a": "good"}, "unknown side"),
        ("sign", {"a": "positive"}, "one positive and one negative"),
        ("sign", {"a": "boundary", "b": "negative"}, "one kind or the other"),
    ],
)
def test_what_cannot_be_read(label, anchors, said):
    with pytest.raises(OptionError, match=said):
        choose_rule(label, anchors, ITEMS)

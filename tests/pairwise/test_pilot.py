"""What a pilot says: its accuracy curve, the laws fitted to it, and items in two clumps."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from headcount.data.comparisons import Comparisons
from headcount.errors import DataError
from headcount.pairwise.answers import in_order
from headcount.pairwise.forecast import Clumps, find_clumps, forecast
from headcount.pairwise.pilot import (
    AccuracyCurve,
    Sampler,
    crossing,
    fit_laws,
    pilot_sizes,
)
from tests.pairwise.data import random_comparisons

# Accuracy against the number of comparisons, from sub-samples of a pilot.


def accuracy_curves(pilot, *, sizes, repeats, rng):
    return Sampler(pilot, repeats).curves(sizes, rng)


def naive_f1(pilot, members, rows, reference, n):
    """f1 of the positive label, from points added up one by one and a confusion table."""
    points = dict.fromkeys(members, 0.0)
    for row in rows[:n]:
        more = pilot.weights[row] * (pilot.outcome[row] - 0.5)
        points[pilot.left[row]] += more
        points[pilot.right[row]] -= more
    called = {i for i in members if points[i] > np.median(list(points.values()))}
    truth = {i for i in members if reference[i] > np.median([reference[j] for j in members])}
    return 2 * len(called & truth) / (len(called) + len(truth))


@given(st.integers(0, 10_000), st.sampled_from([6, 10]))
@settings(max_examples=25)
def test_scores_agree_with_a_confusion_table(seed, size):
    # Random weights make all points different, so that no tie is broken at random.
    pilot = random_comparisons(12, 150, seed=seed, weights=True)
    rng = np.random.default_rng(seed)
    reference = rng.normal(size=12)
    sampler = Sampler(pilot, 1)
    drawn = sampler.draw(size, np.int64(seed))
    # Enough that every item has been compared: items without points are equal.
    least = max(
        min(k for k, row in enumerate(drawn.rows, 1) if i in (pilot.left[row], pilot.right[row]))
        for i in drawn.members
    )
    steps = np.unique(np.linspace(least, len(drawn.rows), 4).astype(int))
    vars(sampler)["truth"] = reference
    found = sampler.score(drawn, steps)
    for n, f1 in zip(steps, found, strict=True):
        assert f1 == pytest.approx(naive_f1(pilot, drawn.members, drawn.rows, reference, n))


def test_set_holds_all_comparisons_of_its_items_once():
    pilot = random_comparisons(14, 200, seed=3)
    drawn = Sampler(pilot, 1).draw(8, np.int64(1))
    members = set(drawn.members)
    assert len(members) == 8
    wanted = [
        row
        for row in range(len(pilot))
        if pilot.left[row] in members and pilot.right[row] in members
    ]
    assert sorted(drawn.rows) == wanted


def test_all_answers_of_all_items_reproduce_the_full_pilot():
    pilot = random_comparisons(20, 400, seed=1, weights=True)
    (curve,) = accuracy_curves(pilot, sizes=[20], repeats=5, rng=np.random.default_rng(0))
    assert (curve.f1[:, -1] == 1).all()  # which is what leaking means


def test_chance_without_comparisons_and_more_with_more():
    pilot = random_comparisons(30, 900, seed=2, spread=2.0)
    (curve,) = accuracy_curves(pilot, sizes=[24], repeats=100, rng=np.random.default_rng(0))
    # Means of 100 sets, each with a standard deviation of about .1.
    assert curve.mean[0] == pytest.approx(0.5, abs=0.05)
    assert curve.mean[-1] > curve.mean[5] > curve.mean[0]


def test_sets_without_comparisons_are_left_out():
    pilot = random_comparisons(40, 0, seed=0)  # a circle, both ways round: 80 answers
    curves = accuracy_curves(
        pilot, sizes=[20, 40], repeats=10,
        rng=np.random.default_rng(0),
    )  # fmt: skip
    assert [curve.items for curve in curves] == [40]


def test_sizes_are_even_and_small_pilots_refused():
    for items in range(10, 60):
        sizes = pilot_sizes(items)
        assert all(size % 2 == 0 for size in sizes)
        assert sizes == tuple(sorted(set(sizes)))
        assert sizes[-1] == items // 2 * 2
    with pytest.raises(DataError, match="pilot of 9 items is too small"):
        pilot_sizes(9)


@given(st.integers(0, 1000))
@settings(max_examples=20)
def test_order_of_rows_and_of_items_is_lost(seed):
    pilot = random_comparisons(9, 40, seed=seed, ties=0.2, weights=seed % 2 == 0)
    columns = [pilot.items[pilot.left], pilot.items[pilot.right], pilot.outcome, pilot.weights]
    order = np.random.default_rng(seed).permutation(len(pilot))
    one, two = (
        in_order(Comparisons.from_columns(*(c[rows] for c in columns[:3]), weight=columns[3][rows]))
        for rows in (np.arange(len(pilot)), order)
    )
    for name in ("items", "left", "right", "outcome", "weight"):
        np.testing.assert_array_equal(getattr(one, name), getattr(two, name))
    assert sorted(zip(*(c.tolist() for c in columns), strict=True)) == list(
        zip(one.items[one.left], one.items[one.right], one.outcome, one.weight, strict=True)
    )


# Both laws, on curves for which the answer is known.

SIZES = (20, 24, 30, 34, 40)


def growth(name, items):
    """g(N) of a law, written out."""
    return {"N": items, "N log N": items * math.log(items)}[name]


def curves(law, *, most=40.0, noise=0.0, repeats=30):
    """Curves on which f1 = .5 + .1 sqrt(n / g(N)), 0.8 where n = 9 g(N)."""
    rng = np.random.default_rng(0)
    made = []
    for size in SIZES:
        n = np.unique(np.linspace(0, most * growth(law, size), 400).astype(np.int64))
        f1 = np.minimum(0.5 + 0.1 * np.sqrt(n / growth(law, size)), 1.0)
        made.append(AccuracyCurve(size, n, f1 + noise * rng.normal(size=(repeats, len(n)))))
    return made


def fit(made, **options):
    asked = {"items": 1000, "target_f1": 0.8, "budget": None, "level": 0.95, **options}
    return fit_laws(made, rng=np.random.default_rng(1), **asked)


@pytest.mark.parametrize(("law", "place"), [("N", 0), ("N log N", 1)])
def test_the_law_that_made_the_curves_is_found(law, place):
    found = fit(curves(law))
    right, wrong = found.laws[place], found.laws[1 - place]
    assert found.fits == law == right.name
    # Linear interpolation between 400 points.
    assert right.factor == pytest.approx(9, rel=1e-3)
    assert right.comparisons.value == pytest.approx(9 * growth(law, 1000), rel=1e-3)
    assert right.spread < 0.005
    # ln 40 / ln 20 = 1.23: the other law is off by that much over the sizes.
    assert wrong.spread == pytest.approx(0.2, abs=0.03)
    for needed in found.sizes:
        assert needed.comparisons.value == pytest.approx(9 * growth(law, needed.items), rel=5e-3)


def test_factor_is_the_least_squares_fit_of_log_n():
    made = curves("N", noise=0.02)
    found = fit(made)
    reached = np.array([each.comparisons.value for each in found.sizes])
    for law in found.laws:
        design = np.log([growth(law.name, size) for size in SIZES])
        assert math.log(law.factor) == pytest.approx(np.mean(np.log(reached) - design))
        low, high = law.comparisons.low, law.comparisons.high
        assert low <= law.comparisons.value <= high


def test_no_law_is_preferred_where_noise_hides_it():
    assert fit(curves("N", noise=0.5, repeats=5, most=12)).fits is None


def test_a_target_that_is_not_reached_is_censored_not_extrapolated():
    found = fit(curves("N", most=4.0))  # f1 .7 at most
    assert all(each.comparisons.censored == "above" for each in found.sizes)
    assert found.sizes[0].f1.value == pytest.approx(0.7)
    for law in found.laws:
        assert math.isnan(law.factor)
        assert law.comparisons.censored == "above"
        assert law.comparisons.to_dict()["value"] is None
    # What 40 items tried, 4 comparisons an item, and for N log N what 20 items did.
    assert found.laws[0].comparisons.bounds == (0, 4000)
    tried = 80 / (20 * math.log(20)) * 1000 * math.log(1000)
    assert found.laws[1].comparisons.bounds == (0, math.floor(tried))
    assert found.fits is None


def test_laws_use_the_sizes_that_reached_the_target():
    made = curves("N")
    made[0] = AccuracyCurve(20, made[0].comparisons[:40], made[0].f1[:, :40])
    found = fit(made)
    assert [each.comparisons.censored for each in found.sizes] == ["above"] + [None] * 4
    assert found.laws[0].factor == pytest.approx(9, rel=1e-3)


def test_budget_is_the_inverse_of_the_target():
    made = curves("N")
    for law, n in zip(("N", "N log N"), (9000, 20_000), strict=True):
        bought = {each.name: each.f1 for each in fit(made, budget=n, target_f1=None).laws}[law]
        rates = [n / growth(law, 1000) * growth(law, size) / size for size in SIZES]
        assert bought.value == pytest.approx(np.mean(0.5 + 0.1 * np.sqrt(rates)), abs=1e-3)
    assert fit(made, budget=9000, target_f1=None).laws[0].comparisons is None
    beyond = fit(made, budget=41_000, target_f1=None).laws[0].f1
    assert beyond.censored == "above"
    assert beyond.show(beyond.value) == "> 1"


def test_crossing_is_where_the_curve_is_first_as_high():
    n, f1 = np.array([0, 10, 20, 30]), np.array([0.5, 0.7, 0.7, 0.9])
    assert crossing(n, f1, 0.7) == 10
    assert crossing(n, f1, 0.8) == pytest.approx(25)
    assert crossing(n, f1, 0.91) == math.inf


# Items of a pilot that fall into two clumps.


def items(rng, centers, spread, n=40, error=0.25):
    true = rng.choice(centers, n) + spread * rng.normal(size=n)
    return true + error * rng.normal(size=n), np.full(n, error)


def test_two_clumps_are_found_and_one_is_left_alone():
    found = [find_clumps(*items(np.random.default_rng(s), [-1, 1], 0.3)) for s in range(5)]
    alone = [find_clumps(*items(np.random.default_rng(s), [0], 1.0)) for s in range(25)]
    assert all(each is not None for each in found)
    # Schwarz's criterion with three more parameters and 40 items: 11 in twice the likelihood.
    assert sum(each is not None for each in alone) <= 1
    for each in found:
        np.testing.assert_allclose(each.center, [-1, 1], atol=0.35)
        assert each.share.sum() == pytest.approx(1)


def test_the_likelihood_is_that_of_the_mixture_and_em_never_lowers_it():
    rating, error = items(np.random.default_rng(1), [-1, 1], 0.5)
    error = error * np.linspace(0.5, 2, len(error))
    at = Clumps(
        share=np.array([0.4, 0.6]),
        center=np.array([-0.2, 0.3]),
        spread=np.array([0.8, 0.5]),
        log_likelihood=-math.inf,
    )
    for _ in range(20):
        before, at = at, at.improved(rating, error)
        density = sum(
            share * stats.norm.pdf(rating, center, np.hypot(spread, error))
            for share, center, spread in zip(at.share, at.center, at.spread, strict=True)
        )
        constant = 0.5 * len(rating) * math.log(2 * math.pi)
        assert at.log_likelihood == pytest.approx(np.log(density).sum() + constant)
        assert at.log_likelihood >= before.log_likelihood - 1e-9


def test_draws_have_the_moments_of_the_posterior():
    clumps = Clumps(
        share=np.array([0.5, 0.5]),
        center=np.array([-1.0, 1.0]),
        spread=np.array([0.3, 0.3]),
        log_likelihood=0.0,
    )
    drawn = clumps.draw(
        np.array([0.0, 5.0]), np.array([0.4, 0.4]), 20_000, np.random.default_rng(0)
    )
    # In the middle either clump; far above, the upper one, of which half the way is told.
    assert np.mean(drawn[:, 0] > 0) == pytest.approx(0.5, abs=0.02)
    told = 0.4**-2 / (0.4**-2 + 0.3**-2)
    assert drawn[:, 1].mean() == pytest.approx(1 + told * 4, abs=0.01)
    assert drawn[:, 1].std() == pytest.approx((0.4**-2 + 0.3**-2) ** -0.5, abs=0.01)


def test_a_plan_counts_with_clumps():
    rng = np.random.default_rng(3)
    theta = rng.choice([-1.0, 1.0], 40) + 0.3 * rng.normal(size=40)
    left, right = (np.tile(side, 2) for side in np.triu_indices(40, 1))
    won = (rng.random(len(left)) < 1 / (1 + np.exp(theta[right] - theta[left]))).astype(float)
    found = forecast(Comparisons(np.arange(40), left, right, won), np.random.default_rng(0))
    assert found.clumps is not None
    needed = found.needed(0.8, 1000, 0.95)
    # Simulations need 2,500; normal ratings with the same spread would need 5,400.
    assert needed.value == pytest.approx(2500, rel=0.25)
    assert needed.high < 5400
    assert len(found.clumps.to_dict()) == 2
    assert found.clumps.words.endswith(" logits")

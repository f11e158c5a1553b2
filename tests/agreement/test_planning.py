"""Plans of ratings: parts of the variance, designs, and what is said of them."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from headcount import DataError, Labels, OptionError, agree, plan_agreement
from headcount.agreement.coefficients import PREFERRED
from headcount.agreement.estimates import like_these
from headcount.agreement.planning import _split, assumed, find_components
from headcount.agreement.prepare import prepare
from headcount.agreement.raters import SAMPLE, find_scope
from headcount.agreement.scales import SCALES


def labels_of(table: np.ndarray) -> Labels:
    items, raters = np.indices(table.shape)
    return Labels.from_triples(
        items.ravel().tolist(), [f"r{j}" for j in raters.ravel()], table.ravel().tolist()
    )


def ordered(items: int, raters: int, seed: int, severity: float = 0.4) -> Labels:
    rng = np.random.default_rng(seed)
    x = rng.normal(3, 1, (items, 1)) + severity * rng.normal(size=raters)
    return labels_of(np.clip(np.rint(x + 0.8 * rng.normal(size=(items, raters))), 1, 5).astype(int))


def components(labels: Labels):
    data = prepare(labels, None)
    scope = find_scope(data.panel, SAMPLE)
    return data, find_components(PREFERRED, data, scope, np.random.default_rng(0))


def test_parts_of_a_u_statistic_are_found_again():
    """Hand-derived: with parts 2, 3 and 5 the variance is 2 + 12 / m + 10 / (m (m - 1))."""
    seen = {m: 2 + 12 / m + 10 / (m * (m - 1)) for m in (2.0, 3.0, 4.0, 10.0)}
    assert _split(seen) == pytest.approx((2, 3, 5), rel=1e-6)


def test_three_ratings_leave_a_range_of_which_the_middle_is_taken():
    """V(2) = C_2 = 13 and V(3) = (2 C_1 + C_2) / 3 with C_1 = 5: a is from 0 to 5."""
    item, rating, pair = _split({3.0: (2 * 5 + 13) / 3, 2: 13.0})
    assert (item, rating, pair) == pytest.approx((2.5, 2.5, 13 - 10 + 2.5))
    assert item + 4 * rating / 3 + 2 * pair / 6 == pytest.approx((2 * 5 + 13) / 3)


def test_two_ratings_an_item_say_nothing_of_more():
    assert _split({2.0: 7.0}) == (7.0, 0.0, 0.0)


@pytest.mark.parametrize(("raters", "crossed"), [(8, True), (3, False), (2, False)])
def test_the_design_of_the_pilot_has_the_interval_of_the_pilot(raters, crossed):
    """Exactly for these raters; for others but for freedom, where single ratings vary more."""
    labels = ordered(300, raters, 1)
    parts = components(labels)[1]
    assert parts is not None
    parts = replace(parts, crossed=crossed)
    found = agree(labels, coefficients="alpha", intervals="sample" if crossed else "fixed")["alpha"]
    expected = parts.expect(300, raters, raters, 0.95)
    close = 0.01 if crossed else 1e-9
    assert (expected.low, expected.high) == pytest.approx((found.low, found.high), abs=close)
    assert expected.value == found.value


@pytest.mark.parametrize(
    ("shares", "kind"),
    [([0.5, 0.5], "nominal"), ([0.8, 0.1, 0.1], "nominal"), ([0.2] * 5, "interval"),
     ([0.25] * 4, "ratio")],
)  # fmt: skip
def test_parts_without_a_pilot_are_those_of_simulated_raters(shares, kind):
    """Of 20,000 items by raters who know or guess: the variance and alpha itself."""
    alpha, items = 0.6, 20_000
    parts = assumed(alpha, np.array(shares), SCALES[kind])
    rng = np.random.default_rng(5)
    for raters in (2, 3, 6):
        true = rng.choice(len(shares), (items, 1), p=shares)
        guess = rng.choice(len(shares), (items, raters), p=shares)
        table = np.where(rng.random((items, raters)) < alpha**0.5, true, guess)
        data = prepare(labels_of(table + 1 if kind == "ratio" else table), kind)
        found = like_these(PREFERRED, data)
        assert found is not None
        assert found.value == pytest.approx(alpha, abs=0.02)
        expected = parts.variance(items, raters, raters).items
        # A variance over 20,000 items has an error of a few percent.
        assert found.variance.items == pytest.approx(expected, rel=0.08)


def test_a_plan_without_a_pilot():
    plan = plan_agreement(alpha=0.7, n_labels=2, n_raters=3, half_width=0.1)
    assert plan.best is not None
    assert plan.rare is not None
    assert (plan.best.raters, plan.assumed, plan.holds_for) == (3, True, "for these raters")
    assert plan.best.half_width <= 0.1 < plan.rare.half_width + 0.01
    assert plan.rare.items > 2 * plan.best.items
    said = " ".join(str(plan).split())
    assert ("no plan has fewer than 50 items" in said) is any(d.items == 50 for d in plan.designs)
    assert f"have {plan.best.items} items rated by 3 raters (" in said
    assert f"If 90% of the ratings are the same label, {plan.rare.items} items are needed" in said
    # What agree finds on such data is as wide.
    rng = np.random.default_rng(1)
    widths: list[float] = []
    for _ in range(20):
        true, guess = rng.integers(0, 2, (plan.best.items, 1)), rng.integers(0, 2, (170, 3))
        knows = rng.random((plan.best.items, 3)) < 0.7**0.5
        labels = labels_of(np.where(knows, true, guess[: plan.best.items]))
        found = agree(labels, coefficients="alpha", intervals="fixed")["alpha"]
        widths.append((found.high - found.low) / 2)
    assert np.mean(widths) == pytest.approx(0.1, abs=0.01)


def test_three_coders_are_not_answered_with_eighty():
    for options in ({}, {"n_raters": 3}, {"n_raters": 4}):
        plan = plan_agreement(ordered(100, 3, 6), half_width=0.1, **options)
        assert plan.best is not None
        assert plan.best.raters == options.get("n_raters", 3)
        assert max(design.raters for design in plan.designs) <= 8
        assert min(design.items for design in plan.designs) >= 50
        assert any("for these raters only" in note for note in plan.notes)


@pytest.mark.parametrize("raters", [3, 5, 20])
def test_more_items_and_more_raters_vary_less(raters):
    _, parts = components(ordered(200, 8, 2))
    assert parts is not None
    for items in (20, 100, 1000):
        here = parts.variance(items, raters, raters).total
        assert parts.variance(2 * items, raters, raters).total < here
        assert parts.variance(items, raters + 1, raters).total < here
        assert parts.variance(items, raters + 1, raters + 1).total < here


def test_a_plan_meets_what_was_asked_for_and_no_smaller_one_does():
    plan = plan_agreement(ordered(150, 8, 3), half_width=0.12, cost=0.5)
    assert plan.best is not None
    assert plan.best.half_width <= 0.12
    assert plan.best.total_cost == pytest.approx(0.5 * plan.best.items * plan.best.raters)
    for design in plan.designs:
        assert design.half_width <= 0.12
        assert 1.1 * design.ratings >= plan.best.ratings
        if design.items > 50:
            fewer = plan.components.expect(design.items - 1, design.raters, design.each, 0.95)
            assert (fewer.high - fewer.low) / 2 > 0.12


def test_with_few_raters_no_number_of_items_is_enough():
    plan = plan_agreement(ordered(300, 8, 4, severity=0.8), half_width=0.1)
    assert plan.too_few is not None
    assert min(one.raters for one in plan.designs) > plan.too_few
    assert "no number of items is enough" in str(plan)


def test_few_raters_of_a_pilot_may_all_be_alike_by_luck():
    plan = plan_agreement(ordered(60, 8, 2), half_width=0.15)
    assert "pilot's 8 raters show little of how much others differ" in " ".join(str(plan).split())
    assert "show little" not in str(plan_agreement(ordered(60, 12, 2), half_width=0.15))


def test_at_least():
    pilot = ordered(150, 8, 5, severity=0)
    plan = plan_agreement(pilot, at_least=0.4)
    assert plan.best is not None
    assert plan.best.expected.low >= 0.4
    never = plan_agreement(pilot, at_least=0.9)
    assert never.best is None
    assert never.designs == ()
    assert "below 0.9" in str(never)
    assert len(never.to_frame()) == 0


def test_two_raters_are_planned_for_as_they_are():
    plan = plan_agreement(ordered(100, 2, 6), half_width=0.1)
    assert plan.holds_for == "for these raters"
    assert any("two raters cannot show" in str(note) for note in plan.notes)
    assert plan.components.rater == 0
    assert [one.raters for one in plan.designs] == [2]


def test_order_of_rows_and_seed():
    pilot = ordered(60, 5, 7)
    again = plan_agreement(pilot, half_width=0.2)
    assert again.to_dict() == plan_agreement(pilot, half_width=0.2).to_dict()


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({}, "give either half_width=0.1 or at_least=0.667.$"),
        ({"half_width": 0.1, "at_least": 0.5}, "not both"),
        ({"half_width": 0}, "half_width"),
        ({"at_least": 1}, "at_least"),
        ({"half_width": 0.1, "cost": -1}, "cost"),
        ({"half_width": 0.1, "alpha": 0.7}, "are for a plan without a pilot"),
        ({"half_width": 0.1, "n_raters": 1}, "n_raters"),
    ],
)
def test_wrong_options(options, message):
    with pytest.raises(OptionError, match=message):
        plan_agreement(ordered(20, 3, 8), **options)


def test_a_plan_needs_a_pilot_or_what_alpha_may_be():
    with pytest.raises(OptionError, match=r"such as n_labels=2, n_raters=3"):
        plan_agreement(alpha=0.7, half_width=0.1)


def test_pilots_that_cannot_tell():
    with pytest.raises(DataError, match=r"19 items .* too few to plan from. Have 20 or more"):
        plan_agreement(ordered(19, 4, 1), half_width=0.1)
    same = labels_of(np.ones((10, 3), dtype=int))
    with pytest.raises(DataError, match="every rating is '1'"):
        plan_agreement(same, half_width=0.1)
    alone = Labels.from_triples([1, 2], ["a", "a"], ["x", "y"])
    with pytest.raises(DataError, match="one rater"):
        plan_agreement(alone, half_width=0.1)


def test_a_crowd_keeps_its_ratings_of_an_item():
    whole = ordered(300, 30, 9)
    rng = np.random.default_rng(0)
    some = np.array([rng.permutation(30) < 5 for _ in range(300)]).ravel()
    table = Labels.from_triples(
        whole.items[whole.item[some]].tolist(),
        whole.raters[whole.rater[some]].tolist(),
        [whole.scale.labels[code] for code in whole.label[some]],
    )
    plan = plan_agreement(table, half_width=0.08)
    assert plan.each == 5
    assert plan.best is not None
    assert plan.best.ratings == 5 * plan.best.items
    assert all(one.raters >= 5 for one in plan.designs)
    assert "rated 5 times each, by" in " ".join(str(plan).split())
    assert plan_agreement(whole, half_width=0.08).each is None


def test_sets_are_planned_for_as_sets():
    rng = np.random.default_rng(3)
    names = np.array(["a", "b", "c"])
    held = rng.random((40, 1, 3)) < 0.5
    held = held ^ (rng.random((40, 5, 3)) < 0.1)
    shuffled = [rng.permutation(names[one]) for one in held.reshape(-1, 3)]
    table = np.array([";".join(one) or "c" for one in shuffled], dtype=object).reshape(40, 5)
    labels = labels_of(table)
    plan = plan_agreement(labels, half_width=0.2)
    expected = agree(labels, coefficients="alpha", bootstrap=0)["alpha"]
    assert plan.pilot.value == pytest.approx(expected.value)
    assert (plan.scale, plan.distance) == ("sets", "MASI")
    assert "Krippendorff's alpha (MASI)" in str(plan)
    alone = plan_agreement(labels, half_width=0.2, sets="none")
    assert alone.distance is None
    assert alone.pilot.value < plan.pilot.value

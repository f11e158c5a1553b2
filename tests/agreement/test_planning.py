"""Plans of ratings: parts of the variance, designs, and what is said of them."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from scipy import stats

from headcount import DataError, Labels, OptionError, agree, plan_agreement
from headcount.agreement.coefficients import PREFERRED
from headcount.agreement.estimates import like_these
from headcount.agreement.planning import _split, find_components
from headcount.agreement.prepare import prepare
from headcount.agreement.raters import SAMPLE, find_scope


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


def test_the_design_of_the_pilot_has_the_interval_of_the_pilot():
    """Exactly, but for the split over items: that is fitted to thinned items as well.

    With the variance over raters that was seen: a plan takes more, for the pilot's raters are few.
    """
    data, parts = components(ordered(300, 8, 1))
    assert parts is not None
    found = like_these(PREFERRED, data)
    assert found is not None
    seen = found.variance.of_raters * data.panel.effective
    assert seen < parts.rater < parts.most_rater
    parts = replace(parts, rater=seen)
    expected = parts.expect(300, 8, 8, 0.95)
    assert (expected.low, expected.high) == pytest.approx(tuple(found.ends(0.95)), abs=0.01)
    assert expected.value == found.value


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
        if design.items > 20:
            fewer = plan.components.expect(design.items - 1, design.raters, design.each, 0.95)
            assert (fewer.high - fewer.low) / 2 > 0.12
    assert {one.kind for one in plan.otherwise} <= {"more items", "more raters"}
    for other in plan.otherwise:
        assert other.ratings <= plan.best.ratings


def test_with_few_raters_no_number_of_items_is_enough():
    plan = plan_agreement(ordered(300, 8, 4, severity=0.8), half_width=0.1)
    assert plan.too_few is not None
    assert min(one.raters for one in plan.designs) > plan.too_few
    assert "no number of items is enough" in str(plan)


@pytest.mark.parametrize(("raters", "severity"), [(3, 0.0), (4, 0.6)])
def test_few_raters_of_a_pilot_may_all_be_alike_by_luck(raters, severity):
    """Hand-derived: n_e (f V_J / q - V_X), q a quantile of chi-squared with f = .75 (n_e - 1)."""
    data, parts = components(ordered(100, raters, 11, severity=severity))
    assert parts is not None
    variance, freedom = parts.pilot.variance, 0.75 * (raters - 1)
    for found, unlucky in ((parts.rater, 0.5), (parts.most_rater, 0.2)):
        upper = variance.raters * freedom / stats.chi2.ppf(unlucky, freedom)
        assert found == pytest.approx(raters * max(upper - variance.ratings, 0), rel=1e-9)
    plan = plan_agreement(data.labels, half_width=0.15)
    said = " ".join(str(plan).split())
    assert plan.few_raters
    assert f"The pilot's {raters} raters show little of how much others differ" in said
    if plan.safe is None:
        assert "it may take more than 100 raters" in said
    else:
        assert plan.safe.kind == "safe"
        assert plan.safe.raters >= plan.best.raters
        assert f"to have enough four times in five, have {plan.safe.raters} raters" in said


def test_twelve_raters_of_a_pilot_are_believed():
    plan = plan_agreement(ordered(60, 12, 2), half_width=0.15)
    assert not plan.few_raters
    assert plan.safe is None
    assert "show little" not in str(plan)


def test_at_least():
    pilot = ordered(150, 8, 5, severity=0)
    plan = plan_agreement(pilot, at_least=0.4)
    assert plan.best is not None
    assert plan.best.expected.low >= 0.4
    never = plan_agreement(pilot, at_least=0.9)
    assert never.best is None
    assert never.designs == ()
    assert "not above 0.9" in str(never)
    assert len(never.to_frame()) == 1  # the pilot


def test_two_raters_are_planned_for_as_they_are():
    plan = plan_agreement(ordered(100, 2, 6), half_width=0.1)
    assert plan.holds_for == "for these raters"
    assert any("two raters cannot show" in str(note) for note in plan.notes)
    assert plan.components.rater == 0
    assert [one.raters for one in plan.designs] == [2]
    assert plan.otherwise == ()


def test_order_of_rows_and_seed():
    pilot = ordered(60, 5, 7)
    again = plan_agreement(pilot, half_width=0.2)
    assert again.to_dict() == plan_agreement(pilot, half_width=0.2).to_dict()


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({}, "give one of half_width=0.1 and at_least=0.667"),
        ({"half_width": 0.1, "at_least": 0.5}, "give one of"),
        ({"half_width": 0}, "half_width"),
        ({"at_least": 1}, "at_least"),
        ({"half_width": 0.1, "cost": -1}, "cost"),
    ],
)
def test_wrong_options(options, message):
    with pytest.raises(OptionError, match=message):
        plan_agreement(ordered(20, 3, 8), **options)


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


def test_the_same_money_may_buy_less_than_the_pilot_had():
    said = str(plan_agreement(ordered(150, 8, 3), half_width=0.15))
    assert "its raters" in said
    assert "more items " not in said

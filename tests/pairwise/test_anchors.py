"""Placing items among rated ones."""

from __future__ import annotations

import json
import math

import numpy as np
import polars as pl
import pytest

from headcount.data.comparisons import Comparisons
from headcount.errors import DataError, HeadcountError, OptionError
from headcount.pairwise.anchoring.anchors import AnchorSearch
from headcount.pairwise.anchoring.place_items import place_items as place
from headcount.pairwise.bradley_terry.bradley_terry import bradley_terry
from tests.pairwise.bradley_terry.data import random_comparisons


@pytest.fixture(scope="module")
def reference():
    return bradley_terry(random_comparisons(30, 3000, seed=0, spread=1.5))


def naive_posterior(reference, answers, prior, grid):
    """Density on a grid, answer by answer, from probabilities."""
    density = np.exp(-0.5 * ((grid - reference.rating.mean()) / prior) ** 2)
    for anchor, share in answers:
        gap = grid - reference.rating[anchor]
        slope = 1 / math.sqrt(1 + math.pi * reference.standard_error[anchor] ** 2 / 8)
        p = 1 / (1 + np.exp(-slope * gap))
        density = density * p**share * (1 - p) ** (1 - share)
    return density / density.sum()


def test_posterior_is_the_product_of_prior_and_answers(reference):
    answers = [(3, 1.0), (7, 0.0), (12, 0.5), (3, 1.0)]
    search = AnchorSearch(reference, prior=2.0)
    for anchor, share in answers:
        search.answer(anchor, share)
    grid, weight = search.posterior
    fine = np.linspace(grid[0], grid[-1], 20_001)
    wanted = naive_posterior(reference, answers, 2.0, fine)
    mean = float(np.sum(fine * wanted))
    step = grid[1] - grid[0]
    np.testing.assert_allclose(
        weight, naive_posterior(reference, answers, 2.0, grid), rtol=1e-9, atol=1e-15
    )
    assert search.rating.value == pytest.approx(mean, abs=1e-3)
    low, high = fine[np.searchsorted(np.cumsum(wanted), [0.025, 0.975])]
    assert search.rating.low == pytest.approx(low, abs=2 * step)
    assert search.rating.high == pytest.approx(high, abs=2 * step)
    assert search.answers == 4


def test_next_anchor_has_the_most_information(reference):
    search = AnchorSearch(reference)
    search.answer(5, "left")
    grid, weight = search.posterior

    def entropy(p):
        return -p * math.log(p) - (1 - p) * math.log(1 - p)

    gains = {}
    for anchor in range(30):
        if anchor == 5:  # asked already
            continue
        slope = 1 / math.sqrt(1 + math.pi * reference.standard_error[anchor] ** 2 / 8)
        p = [1 / (1 + math.exp(-slope * (x - reference.rating[anchor]))) for x in grid]
        expected = sum(w * each for w, each in zip(weight, p, strict=True))
        inside = sum(w * entropy(each) for w, each in zip(weight, p, strict=True))
        gains[anchor] = entropy(expected) - inside
    assert search.next_anchor() == max(gains, key=gains.get)


def test_order_of_answers_does_not_matter_and_sides_mirror(reference):
    one, two, mirror = (AnchorSearch(reference, prior=2.0) for _ in range(3))
    answers = [(3, "left"), (9, "right"), (20, "tie")]
    for anchor, said in answers:
        one.answer(anchor, said)
    for anchor, said in reversed(answers):
        two.answer(anchor, said)
    np.testing.assert_allclose(one.posterior[1], two.posterior[1])
    mirror.answer(3, "right")
    up = AnchorSearch(reference, prior=2.0)
    up.answer(3, "left")
    assert mirror.rating.value < one.rating.value < up.rating.value + 1


def test_raters_who_never_err_make_it_a_binary_search():
    # Anchors so far apart that answers are sure: the item between two of them is found in
    # about log2(31) steps.
    from dataclasses import replace

    made = bradley_terry(random_comparisons(31, 4000, seed=1))
    sure = replace(made, rating=30.0 * (np.arange(31) - 15), standard_error=np.zeros(31))
    rating = 30.0 * 6.5
    search = AnchorSearch(sure, prior=300.0, width=31.0)
    while not search.done:
        anchor = search.next_anchor()
        search.answer(anchor, "left" if rating > sure.rating[anchor] else "right")
    assert search.answers <= 6
    assert search.rank.value == 10  # nine anchors, 22 to 30, are above
    assert search.rating.value == pytest.approx(rating, abs=15)


def test_intervals_cover_and_errors_shrink_with_width():
    covered, answers, errors = [], {1.5: [], 2.5: []}, {1.5: [], 2.5: []}
    for seed in range(60):
        rng = np.random.default_rng(seed)
        theta = 1.5 * rng.normal(size=20)
        left = np.repeat(np.arange(20), 19)
        right = np.concatenate([np.delete(np.arange(20), i) for i in range(20)])
        said = (rng.random(380) < 1 / (1 + np.exp(theta[right] - theta[left]))).astype(float)
        reference = bradley_terry(Comparisons(np.arange(20), left, right, said), prior=3.0)
        true = 1.5 * rng.normal()
        for width in (1.5, 2.5):
            search = AnchorSearch(reference, width=width, most=60)
            while not search.done:
                anchor = search.next_anchor()
                search.answer(anchor, float(rng.random() < 1 / (1 + np.exp(theta[anchor] - true))))
            found = search.rating
            assert search.answers == 60 or found.high - found.low <= width
            # The scale of the reference has mean 0.
            error = found.value - (true - theta.mean())
            covered.append(found.low <= true - theta.mean() <= found.high)
            answers[width].append(search.answers)
            errors[width].append(error)
    # 120 intervals, two on the same reference each: 95% +- 2% (one standard error); .875 is more
    # than 3 below.
    assert np.mean(covered) > 0.875
    assert np.mean(answers[1.5]) > 1.5 * np.mean(answers[2.5])
    assert np.std(errors[1.5]) < np.std(errors[2.5])


def test_place_is_the_search_with_the_same_answers(reference):
    answers = Comparisons.from_columns(
        ["x", 4, "x", "y", 9], [3, "x", 8, 2, "y"], ["left", "left", "tie", "right", "right"]
    )
    found = place(answers, reference, prior=2.0)
    search = AnchorSearch(reference, prior=2.0)
    for anchor, said in ((3, "left"), (4, "right"), (8, "tie")):
        search.answer(anchor, said)
    assert found["x"].rating.value == pytest.approx(search.rating.value)
    assert found["x"].rank == search.rank
    assert (found["x"].answers, found["y"].answers) == (3, 2)
    assert [each.item for each in found.items] == sorted(
        ["x", "y"], key=lambda name: -found[name].rating.value
    )
    assert found.to_frame("polars").shape == (2, 8)
    assert all(len(line) <= 80 for line in repr(found).splitlines())
    with pytest.raises(OptionError, match="unknown item 'z'"):
        found["z"]


def test_weights_count_as_repetitions(reference):
    twice = Comparisons.from_columns(["x", "x"], [3, 3], [1, 1])
    heavy = Comparisons.from_columns(["x"], [3], [1], weight=[2.0])
    one, two = place(twice, reference)["x"], place(heavy, reference)["x"]
    assert one.rating.value == pytest.approx(two.rating.value)


def test_what_is_not_used_is_told(reference):
    answers = Comparisons.from_columns(
        ["x", 1, "x", "w"], [3, 2, "y", "x"], ["left", "left", "tie", "right"]
    )
    found = place(answers, reference)
    assert [each.item for each in found.items] == ["x"]
    told = " ".join(found.notes)
    assert "1 comparison between two items of the reference" in told
    assert "2 comparisons between two new items" in told
    assert "'y' met no item of the reference" in told
    with pytest.raises(DataError, match="no comparison of a new item"):
        place(Comparisons.from_columns(["x"], ["y"], [1]), reference)


def test_bad_input_is_refused(reference):
    search = AnchorSearch(reference)
    with pytest.raises(OptionError, match="unknown anchor '99'"):
        search.answer(99, "left")
    with pytest.raises(OptionError, match="outcome 'maybe'"):
        search.answer(3, "maybe")
    with pytest.raises(OptionError, match="outcome '7'"):
        search.answer(3, 7)
    for weight in (-1, 0, math.nan, math.inf):
        with pytest.raises(OptionError, match="weight must be a number above 0"):
            search.answer(3, "left", weight=weight)
    assert search.answers == 0
    with pytest.raises(OptionError, match="width must be a number above 0"):
        AnchorSearch(reference, width=0)
    with pytest.raises(OptionError, match="level must be a number between 0 and 1"):
        AnchorSearch(reference, level=95)
    with pytest.raises(OptionError, match="most must be a whole number from 1 on"):
        AnchorSearch(reference, most=2.5)
    with pytest.raises(OptionError, match="prior must be a number above 0"):
        AnchorSearch(reference, prior="wide")
    with pytest.raises(OptionError, match="reference must be rated items, as bradley_terry"):
        AnchorSearch(123)
    apart = Comparisons.from_columns("abxy", "bayx", [1, 1, 1, 1])
    with pytest.raises(DataError, match="groups that do not compare"):
        AnchorSearch(bradley_terry(apart))
    chain = Comparisons.from_columns("ab", "bc", [1, 1])
    with pytest.raises(DataError, match="less than two items with a finite rating"):
        AnchorSearch(bradley_terry(chain))


def test_all_doors_of_a_placement(reference):
    answers = Comparisons.from_columns(["x", "x", "y"], [3, 8, 2], [1, 0.5, 0])
    found = place(answers, reference)
    assert str(found).startswith("2 items placed among 30 rated items.\n")
    told = json.loads(json.dumps(found.to_dict()))
    assert [each["item"] for each in told["items"]] == [each.item for each in found.items]
    assert told["items"][0]["rating"]["value"] == found.items[0].rating.value
    assert told["reference"] == 30
    assert told["data"]["items"] == {"used": 2, "dropped": 0}
    axes = found.plot()
    assert [text.get_text() for text in axes.get_yticklabels()] == [i.item for i in found.items]
    assert "2 items placed" in found._repr_html_()
    frame = pl.DataFrame(
        {"left": ["x", "x", "y"], "right": ["3", "8", "2"], "outcome": [1.0, 0.5, 0.0]}
    )
    assert place(frame, reference).columns() == found.columns()
    for bad in (123, []):
        with pytest.raises(HeadcountError):
            place(bad, reference)
    with pytest.raises(OptionError, match="level must be"):
        place(answers, reference, level=2)


def test_order_of_answers_changes_no_digit(reference):
    rng = np.random.default_rng(0)
    left, right = ["x"] * 40, rng.integers(0, 30, 40).tolist()
    outcome, weight = rng.choice([0, 0.5, 1], 40), rng.uniform(0.1, 2, 40)
    found = []
    for seed in range(3):
        order = np.random.default_rng(seed).permutation(40)
        rows = [left[k] for k in order], [right[k] for k in order], outcome[order]
        found.append(place(Comparisons.from_columns(*rows, weight=weight[order]), reference))
    assert found[0].columns() == found[1].columns() == found[2].columns()


def test_answers_without_weight_do_not_count(reference):
    answers = Comparisons.from_columns(["x", "x"], [3, 4], [1, 0], weight=[1.0, 0.0])
    alone = Comparisons.from_columns(["x"], [3], [1])
    assert place(answers, reference)["x"] == place(alone, reference)["x"]

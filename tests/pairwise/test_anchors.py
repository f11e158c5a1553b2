"""Items placed among rated ones, step by step."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pytest

from headcount.data.comparisons import Comparisons
from headcount.errors import DataError, OptionError
from headcount.pairwise.anchors import AnchorSearch, anchor_items
from headcount.pairwise.bradley_terry import bradley_terry
from tests.pairwise.data import random_comparisons

# Placing items among rated ones.


@pytest.fixture(scope="module")
def reference():
    return bradley_terry(random_comparisons(30, 3000, seed=0, spread=1.5))


def search_among(reference, *, width=2.0, most=30):
    return AnchorSearch(
        reference.items, reference.rating, reference.standard_error,
        width=width, most=most, level=0.95,
    )  # fmt: skip


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
    search, prior = search_among(reference), 2 * reference.rating.std()
    for anchor, share in answers:
        search.answer(anchor, share)
    grid, weight = search.posterior
    fine = np.linspace(grid[0], grid[-1], 20_001)
    wanted = naive_posterior(reference, answers, prior, fine)
    mean = float(np.sum(fine * wanted))
    step = grid[1] - grid[0]
    np.testing.assert_allclose(
        weight, naive_posterior(reference, answers, prior, grid), rtol=1e-9, atol=1e-15
    )
    assert search.rating.value == pytest.approx(mean, abs=1e-3)
    low, high = fine[np.searchsorted(np.cumsum(wanted), [0.025, 0.975])]
    assert search.rating.low == pytest.approx(low, abs=2 * step)
    assert search.rating.high == pytest.approx(high, abs=2 * step)
    assert search.answers == 4


def test_next_anchor_has_the_most_information(reference):
    search = search_among(reference)
    search.answer(5, 1.0)
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
    assert search.next_anchors(1) == [max(gains, key=gains.get)]


def test_order_of_answers_does_not_matter_and_sides_mirror(reference):
    one, two, mirror = (search_among(reference) for _ in range(3))
    answers = [(3, 1.0), (9, 0.0), (20, 0.5)]
    for anchor, said in answers:
        one.answer(anchor, said)
    for anchor, said in reversed(answers):
        two.answer(anchor, said)
    np.testing.assert_allclose(one.posterior[1], two.posterior[1])
    mirror.answer(3, 0.0)
    up = search_among(reference)
    up.answer(3, 1.0)
    assert mirror.rating.value < one.rating.value < up.rating.value + 1


def test_raters_who_never_err_make_it_a_binary_search():
    # Anchors so far apart that answers are sure: the item between two of them is found in
    # about log2(31) steps.

    made = bradley_terry(random_comparisons(31, 4000, seed=1))
    sure = replace(made, rating=30.0 * (np.arange(31) - 15), standard_error=np.zeros(31))
    rating = 30.0 * 6.5
    search = search_among(sure, width=31.0)
    while not search.done:
        (anchor,) = search.next_anchors(1)
        search.answer(anchor, float(rating > sure.rating[anchor]))
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
            search = search_among(reference, width=width, most=60)
            while not search.done:
                (anchor,) = search.next_anchors(1)
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


def test_bad_input_is_refused(reference):
    search = search_among(reference)
    with pytest.raises(OptionError, match="unknown anchor '99'"):
        search.answer(99, 1.0)
    assert search.answers == 0


# Items placed among rated ones step by step.


def rated(names, number, seed, shift=0.0):
    rng = np.random.default_rng(seed)
    theta = {name: shift + z for name, z in zip(names, rng.normal(size=len(names)), strict=True)}
    left, right = rng.choice(names, number), rng.choice(names, number)
    keep = left != right
    left, right = left[keep], right[keep]
    return theta, Comparisons.from_columns(left, right, won(theta, left, right, rng))


def won(theta, left, right, rng):
    gap = np.array([theta[a] - theta[b] for a, b in zip(left, right, strict=True)])
    return (rng.random(len(gap)) < 1 / (1 + np.exp(-2 * gap))).astype(float)


def test_a_search_finds_how_far_a_population_lies_from_another():
    anchors, bench = rated([f"b{k}" for k in range(30)], 900, 1)
    others, base = rated([f"m{k}" for k in range(30)], 900, 2, shift=0.7)
    theta, rng = anchors | others, np.random.default_rng(3)
    answers = ()
    found = anchor_items(bench, average_of=base, number=20)
    for _ in range(20):
        if found.done:
            break
        new = Comparisons.from_columns(
            found.left, found.right, won(theta, found.left, found.right, rng)
        )
        answers = (*answers, new)
        found = anchor_items(bench, average_of=base, answers=answers, number=20)
    assert found.done
    assert str(found).startswith("Done: 5 items placed among 30 anchors")
    placed = [2 * theta[each.item] - 2 * np.mean(list(anchors.values())) for each in found.items]
    # Five items with standard errors of .5 logits each, and those of the anchors.
    assert found.average.value == pytest.approx(float(np.mean(placed)), abs=0.9)
    labels = found.labels()
    assert {"above", "below"} == set(labels["label"])
    above = np.array(labels["probability"]) >= 0.5
    assert (above == (np.array(labels["rating"]) >= found.average.value)).all()


def test_answers_of_several_files_are_those_of_one():
    _, bench = rated(list("abcdef"), 80, 1)
    one = Comparisons.from_columns(["x", "b"], ["a", "x"], [1, 0.5])
    two = Comparisons.from_columns(["c", "d"], ["x", "e"], [1, 1])
    both = Comparisons.from_columns(["x", "b", "c"], ["a", "x", "x"], [1, 0.5, 1])
    apart = anchor_items(bench, items=["x"], answers=(one, two))
    together = anchor_items(bench, items=["x"], answers=both)
    assert apart.items[0].answers == 3
    assert apart.items[0].rating.value == pytest.approx(together.items[0].rating.value)
    assert apart.right.tolist() == together.right.tolist()
    assert list(apart.notes) == ["1 answer of other pairs, not used."]


def test_what_cannot_be_done_is_said():
    _, bench = rated(list("abcdef"), 80, 1)
    for options, message in (
        ({"anchors": bench}, "give either items to place"),
        ({"anchors": bench, "items": ["x"], "average_of": bench}, "give either items to place"),
    ):
        with pytest.raises(OptionError, match=message):
            anchor_items(**options)
    with pytest.raises(DataError, match="among the anchors already"):
        anchor_items(bench, items=["a"])
    with pytest.raises(DataError, match="no answer compares an item that is sought"):
        anchor_items(bench, items=["x"], answers=bench)
    with pytest.raises(DataError, match="no items to place"):
        anchor_items(bench, items=[])

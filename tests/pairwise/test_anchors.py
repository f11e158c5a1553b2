"""Items placed among rated ones, and two populations that are joined."""

from __future__ import annotations

import json
import math
from dataclasses import replace

import numpy as np
import polars as pl
import pytest
from scipy.optimize import minimize_scalar

import headcount
from headcount.data.comparisons import Comparisons
from headcount.errors import DataError, HeadcountError, OptionError
from headcount.pairwise.anchors import AnchoringState, AnchorSearch, anchor_items
from headcount.pairwise.bradley_terry import bradley_terry
from headcount.pairwise.placing import join_populations as join
from headcount.pairwise.placing import place_items as place
from tests.pairwise.data import random_comparisons

# Placing items among rated ones.


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
    found = anchor_items(bench, average_of=base, number=20)
    for _ in range(20):
        if found.done:
            break
        answers = Comparisons.from_columns(
            found.left, found.right, won(theta, found.left, found.right, rng)
        )
        # Through JSON and back, as from one command to the next.
        state = json.loads(json.dumps(found.state.to_dict()))
        found = anchor_items(state=state, answers=answers, number=20)
    assert found.done
    assert str(found).startswith("Done: 5 items placed among 30 anchors")
    placed = [2 * theta[each.item] - 2 * np.mean(list(anchors.values())) for each in found.items]
    # Five items with standard errors of .5 logits each, and those of the anchors.
    assert found.average.value == pytest.approx(float(np.mean(placed)), abs=0.9)
    labels = found.labels()
    assert {"above", "below"} == set(labels["label"])
    above = np.array(labels["probability"]) >= 0.5
    assert (above == (np.array(labels["rating"]) >= found.average.value)).all()


def test_answers_count_once_whether_files_grow_or_not():
    _, bench = rated(list("abcdef"), 80, 1)
    first = anchor_items(bench, items=["x"], number=2)
    one = Comparisons.from_columns(["x", "b"], ["a", "x"], [1, 0.5])
    more = Comparisons.from_columns(["x", "b", "c"], ["a", "x", "x"], [1, 0.5, 1])
    state = anchor_items(state=first.state, answers=one).state
    assert sorted(state.answers) == [("x", "a", 1.0), ("x", "b", 0.5)]
    assert anchor_items(state=state, answers=one).state == state
    grown = anchor_items(state=state, answers=more).state
    alone = anchor_items(state=state, answers=Comparisons.from_columns(["c"], ["x"], [1])).state
    assert grown == alone
    assert len(grown.answers) == 3
    search, n = grown.search("x")
    slow = AnchorSearch.among(
        search.anchors, np.array(grown.rating), np.array(grown.standard_error),
        width=2.0, most=30, level=0.95,
    )  # fmt: skip
    for _, anchor, share in reversed(grown.answers):
        slow.answer(anchor, share)
    assert n == 3
    assert slow.rating.value == pytest.approx(search.rating.value)


def test_what_cannot_be_done_is_said():
    _, bench = rated(list("abcdef"), 80, 1)
    first = anchor_items(bench, items=["x"])
    for options, message in (
        ({}, "comparisons of the items to place others among"),
        ({"anchors": bench}, "give either items to place"),
        ({"anchors": bench, "items": ["x"], "average_of": bench}, "give either items to place"),
        ({"anchors": bench, "state": first.state}, "state holds the anchors and the items"),
    ):
        with pytest.raises(OptionError, match=message):
            anchor_items(**options)
    with pytest.raises(DataError, match="among the anchors already"):
        anchor_items(bench, items=["a"])
    with pytest.raises(DataError, match="no answer compares an item that is sought"):
        anchor_items(state=first.state, answers=bench)
    with pytest.raises(DataError, match="no such file"):
        AnchoringState.read("no/state.json")
    with pytest.raises(DataError, match="parts of the state are missing"):
        AnchoringState.read({"kind": "headcount anchoring"})


# Joining two populations by comparisons between them.


def named(comparisons, letter):
    items = np.array([f"{letter}{i}" for i in range(len(comparisons.items))], dtype=object)
    return replace(comparisons, items=items)


def populations(seed=0, *, shift=0.7, bridges=60, mixed=True):
    """12 and 9 items whose means differ by `shift`, and bridges in either order."""
    rng = np.random.default_rng(seed)
    theta = [rng.normal(size=n) for n in (12, 9)]
    theta = [theta[0] - theta[0].mean(), theta[1] - theta[1].mean() + shift]

    def answered(mine, yours, left, right):
        return (rng.random(len(left)) < 1 / (1 + np.exp(yours[right] - mine[left]))).astype(float)

    made = []
    for letter, own in zip("ab", theta, strict=True):
        n = len(own)
        left = np.tile(np.repeat(np.arange(n), n - 1), 4)
        right = np.tile(np.concatenate([np.delete(np.arange(n), i) for i in range(n)]), 4)
        outcome = answered(own, own, left, right)
        made.append(named(Comparisons(np.arange(n), left, right, outcome), letter))
    left, right = rng.integers(0, 12, bridges), rng.integers(0, 9, bridges)
    outcome = answered(*theta, left, right)
    first, second = [f"a{i}" for i in left], [f"b{j}" for j in right]
    if mixed:
        for k in range(0, bridges, 2):
            first[k], second[k], outcome[k] = second[k], first[k], 1 - outcome[k]
    return (*made, Comparisons.from_columns(first, second, outcome))


def test_joint_fit_is_that_of_all_comparisons_in_one_file():
    a, b, bridges = populations()
    found = join(a, b, bridges)
    rows = [
        (each.items[each.left].tolist(), each.items[each.right].tolist(), each.outcome.tolist())
        for each in (a, b, bridges)
    ]
    left, right, outcome = ([*x, *y, *z] for x, y, z in zip(*rows, strict=True))
    fit = bradley_terry(Comparisons.from_columns(left, right, outcome))
    wanted = dict(zip(fit.items, fit.rating, strict=True))
    rated = dict(zip([*found.items_a, *found.items_b], [*found.rating_a, *found.rating_b],
                     strict=True))  # fmt: skip
    mean = np.mean([wanted[item] for item in a.items])
    for item, rating in rated.items():
        assert rating == pytest.approx(wanted[item] - mean, abs=1e-7)
    assert found.shift.value == pytest.approx(found.rating_b.mean() - found.rating_a.mean())
    assert found.rating_a.mean() == pytest.approx(0, abs=1e-12)

    # The standard error, from the Hessian written out and its pseudo-inverse.
    place = {item: k for k, item in enumerate(rated)}
    theta = np.array(list(rated.values()))
    hessian = np.zeros((21, 21))
    for i, j in zip(left, right, strict=True):
        direction = np.zeros(21)
        direction[[place[i], place[j]]] = 1, -1
        p = 1 / (1 + math.exp(-direction @ theta))
        hessian += p * (1 - p) * np.outer(direction, direction)
    contrast = np.concatenate([np.full(12, -1 / 12), np.full(9, 1 / 9)])
    error = math.sqrt(contrast @ np.linalg.pinv(hessian) @ contrast)
    assert (found.shift.high - found.shift.low) / 2 == pytest.approx(1.959964 * error, rel=1e-5)


def test_held_shift_is_the_likeliest_and_leaves_differences_alone():
    a, b, bridges = populations(1)
    found = join(a, b, bridges, hold=True)
    one, two = bradley_terry(a), bradley_terry(b)
    np.testing.assert_allclose(found.rating_a, one.rating)
    np.testing.assert_allclose(found.rating_b, two.rating + found.shift.value)
    rating = {**dict(zip(a.items, one.rating, strict=True)),
              **dict(zip(b.items, two.rating, strict=True))}  # fmt: skip

    def negative(shift):
        total = 0.0
        for i, j, share in zip(bridges.left, bridges.right, bridges.outcome, strict=True):
            ends = [bridges.items[i], bridges.items[j]]
            x, y = (rating[e] + (shift if e.startswith("b") else 0) for e in ends)
            p = 1 / (1 + math.exp(y - x))
            total -= share * math.log(p) + (1 - share) * math.log(1 - p)
        return total

    best = minimize_scalar(negative, bounds=(-5, 5), method="bounded", options={"xatol": 1e-9})
    assert found.shift.value == pytest.approx(best.x, abs=1e-6)
    assert found.held


@pytest.mark.parametrize("hold", [False, True])
def test_intervals_of_the_shift_cover(hold):
    covered = []
    for seed in range(120):
        shift = join(*populations(seed + 100), hold=hold).shift
        covered.append(shift.low <= 0.7 <= shift.high)
    # 95% of 120, with a standard error of 2%.
    assert 0.88 <= np.mean(covered) <= 1


@pytest.mark.parametrize("hold", [False, True])
def test_the_other_way_round_the_shift_changes_sign(hold):
    a, b, bridges = populations(2)
    one, two = join(a, b, bridges, hold=hold), join(b, a, bridges, hold=hold)
    assert one.shift.value == pytest.approx(-two.shift.value, abs=1e-6)
    assert one.shift.low == pytest.approx(-two.shift.high, abs=1e-6)
    assert one.won_by_a == pytest.approx(1 - two.won_by_a)
    side = "above" if one.shift.value > 0 else "below"
    said = f"Items of the second population lie {abs(one.shift.value):.3f} logits {side} those of"
    assert " ".join(repr(one).split()).startswith(said)
    assert "60 bridges" in repr(one)
    assert one.to_frame("polars").columns == ["population", "item", "rating"]


@pytest.mark.parametrize("hold", [False, True])
def test_one_sided_bridges_have_no_shift(hold):
    a, b, bridges = populations(3, mixed=False)
    all_won = replace(bridges, outcome=np.ones(len(bridges)))
    found = join(a, b, all_won, hold=hold)
    assert "the first population won every bridge" in found.shift.undefined
    assert "Compare strong items of the second with weak ones of the first" in (
        " ".join(repr(found).split())
    )
    assert math.isnan(found.shift.value)
    if not hold:
        # A prior makes it finite.
        assert join(a, b, all_won, prior=3.0).shift.value < -1
    nearly = replace(bridges, outcome=np.array([0.0, 0.0] + [1.0] * 58))
    told = join(a, b, nearly, hold=hold)
    assert any(note.startswith("One-sided bridges: the first population took 97%")
               for note in told.notes)  # fmt: skip


def test_few_bridges_and_useless_ones_are_told():
    a, b, _ = populations(4)
    rows = Comparisons.from_columns(
        ["a1", "a2", "a1", "b1"], ["b1", "b2", "a2", "a3"], [1, 0, 1, 1]
    )
    found = join(a, b, rows)
    assert found.bridges == 3
    assert "1 comparison of comparisons within one population, not used." in found.notes
    assert any(
        note.startswith("Few bridges: 3 between 3 items and 2 items") for note in found.notes
    )
    more = join(*populations(4))
    assert not any("bridges" in note for note in more.notes)


def test_bridges_of_items_without_a_finite_rating_are_not_used_when_held():
    a, b, bridges = populations(5)
    top = Comparisons.from_columns(["a99"] * 3, ["a1", "a2", "a3"], [1, 1, 1])
    left, right = (
        [*a.items[a.left], *top.items[top.left]],
        [*a.items[a.right], *top.items[top.right]],
    )
    a = Comparisons.from_columns(left, right, [*a.outcome, *top.outcome])
    extra = [*bridges.items[bridges.left], "a99"], [*bridges.items[bridges.right], "b1"]
    more = Comparisons.from_columns(*extra, [*bridges.outcome, 1])
    one, two = join(a, b, more, hold=True), join(a, b, bridges, hold=True)
    assert one.shift == two.shift
    assert any("1 bridge of items without a finite rating" in note for note in one.notes)


def test_bad_bridges_are_refused():
    a, b, bridges = populations(6)
    with pytest.raises(DataError, match="'c1' in neither population"):
        join(a, b, Comparisons.from_columns(["a1"], ["c1"], [1]))
    with pytest.raises(DataError, match="no comparison of an item of one population"):
        join(a, b, Comparisons.from_columns(["a1"], ["a2"], [1]))
    with pytest.raises(DataError, match="in both populations"):
        join(a, a, bridges)
    made = named(random_comparisons(4, 10), "z")
    assert join(a, made, Comparisons.from_columns(["a1", "z1"], ["z1", "a2"], [1, 1])).bridges == 2


def test_all_doors_of_joined_populations():
    a, b, bridges = populations(7)
    found = join(a, b, bridges)
    told = json.loads(json.dumps(found.to_dict(), allow_nan=False))
    assert told["shift"]["value"] == found.shift.value
    assert [each["rating"] for each in told["items"]] == [*found.rating_a, *found.rating_b]
    assert told["bridges"] == 60
    assert told["data"]["items"]["used"] == 21
    best = max(told["items"], key=lambda each: each["rating"])
    assert repr(found).split("item  ")[1].splitlines()[2].split()[:2] == [
        best["item"], best["population"],
    ]  # fmt: skip
    axes = found.plot()
    assert len(axes.lines[0].get_xdata()) == 12
    assert "Items of the second population" in found._repr_html_()
    assert headcount.join_populations is join
    # Infinite ratings are null in JSON, and told in words.
    top = Comparisons.from_columns(["a99"] * 3, ["a1", "a2", "a3"], [1, 1, 1])
    left = [*a.items[a.left], *top.items[top.left]]
    right = [*a.items[a.right], *top.items[top.right]]
    more = Comparisons.from_columns(left, right, [*a.outcome, *top.outcome])
    told = join(more, b, bridges).to_dict()["items"]
    assert [each["item"] for each in told if each["rating"] is None] == ["a99"]
    assert "not finite" in repr(join(more, b, bridges))


@pytest.mark.parametrize(
    "options", [{"hold": 1}, {"prior": 0}, {"prior": "wide"}, {"level": 2}, {"level": "x"}]
)
def test_bad_options_are_refused(options):
    with pytest.raises(OptionError, match=next(iter(options))):
        join(*populations(8), **options)


def test_what_readers_take_is_read():
    data = populations(9)
    frames = [
        pl.DataFrame(
            {
                "left": each.items[each.left].tolist(),
                "right": each.items[each.right].tolist(),
                "outcome": each.outcome,
            }
        )
        for each in data
    ]
    assert join(*frames).shift.value == pytest.approx(join(*data).shift.value)
    for bad in (123, None):
        with pytest.raises(HeadcountError):
            join(data[0], data[1], bad)

"""Joining two populations by comparisons between them."""

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
from headcount.pairwise.anchoring.join_populations import join_populations as join
from headcount.pairwise.bradley_terry.bradley_terry import bradley_terry
from tests.pairwise.bradley_terry.data import random_comparisons


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


def test_bad_input_is_refused():
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

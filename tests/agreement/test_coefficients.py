"""Coefficients: by definition, in the literature, under what must not matter, and users' own."""

from __future__ import annotations

import json
import math
import pickle
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from headcount import Labels, OptionError, Scale, agree, phi
from headcount.agreement import Coefficient
from headcount.agreement.coefficients import COEFFICIENTS
from headcount.agreement.ratings import Patterns
from headcount.agreement.result import RESERVED
from headcount.agreement.scales import Linear, Nominal, Quadratic, Ranks, Ratio
from headcount.engine.counts import sort_cells
from headcount.stats.estimate import Estimate
from tests.agreement import naive
from tests.agreement.data import (
    PARADOXES,
    added_up,
    agree_by_share,
    as_labels,
    from_counts,
    paradox,
    ragged,
    random_labels,
    table,
)
from tests.agreement.naive import shared

# Every coefficient against its definition, on random ragged data.

ALL = list(COEFFICIENTS)
SCALES = ["nominal", "ordinal", "interval", "ratio"]
GRADED = {"ordinal": naive.ranks, "interval": naive.quadratic, "ratio": naive.ratio}


def check(estimate, expected: float | None) -> None:
    if expected is None:
        assert estimate.undefined
        assert math.isnan(estimate.value)
        assert estimate.low is None
    else:
        assert estimate.undefined is None
        # Both add a few dozen numbers of order 1.
        assert estimate.value == pytest.approx(expected, abs=1e-9)


@given(ragged(), st.sampled_from(SCALES))
@settings(max_examples=150)
def test_coefficients_of_patterns(drawn, scale):
    data, labels = drawn
    result = agree(as_labels(data, labels), scale=scale, coefficients=ALL, bootstrap=0)
    check(result["percent"], naive.percent(data))
    check(result["fleiss"], naive.fleiss(data, labels))
    check(result["ac1"], naive.gwet(data, labels, naive.nominal))
    # On an ordinal scale labels are their places.
    place = {x: k for k, x in enumerate(labels)}
    placed = {i: {r: place[x] for r, x in item.items()} for i, item in data.items()}
    if scale == "nominal":
        check(result["alpha"], naive.alpha(data, naive.nominal))
        check(result["ac2"], naive.gwet(data, labels, naive.nominal))
    elif scale == "ordinal":
        check(result["alpha"], naive.alpha_ordinal(data))
        check(result["ac2"], naive.gwet(placed, list(place.values()), naive.ranks))
    else:
        check(result["alpha"], naive.alpha(data, GRADED[scale]))
        check(result["ac2"], naive.gwet(data, labels, GRADED[scale]))


@given(ragged(), st.sampled_from(SCALES))
@settings(max_examples=150)
def test_coefficients_of_pairs_of_raters(drawn, scale):
    data, labels = drawn
    result = agree(
        as_labels(data, labels), scale=scale, coefficients=ALL, bootstrap=0, by_rater=True
    )
    check(result["cohen"], naive.mean_kappa(data, naive.nominal))
    check(result["scott"], naive.mean_kappa(data, naive.nominal, pooled=True))
    place = {x: k for k, x in enumerate(labels)}
    if scale == "ordinal" or len(labels) == 2:
        data = {i: {r: place[x] for r, x in item.items()} for i, item in data.items()}
    if scale == "nominal" and len(labels) > 2:
        assert result["cohen_linear"].undefined
    else:
        check(result["cohen_linear"], naive.mean_kappa(data, naive.linear))
        check(result["cohen_quadratic"], naive.mean_kappa(data, naive.quadratic))
    if any(result[name].undefined is None for name in ("cohen", "scott")):
        both = naive.shared(data)
        assert {frozenset((pair.a, pair.b)) for pair in result.pairs} == set(map(frozenset, both))
        for pair in result.pairs:
            ratings = both[min(pair.a, pair.b), max(pair.a, pair.b)]
            assert pair.items == len(ratings)
            for name, pooled in (("cohen", False), ("scott", True)):
                several = len(ratings) > 1
                wanted = naive.kappa(ratings, naive.nominal, pooled=pooled) if several else None
                check(pair.coefficients[name], wanted)


@given(ragged())
@settings(max_examples=100)
def test_icc1(drawn):
    data, labels = drawn
    result = agree(as_labels(data, labels), scale="interval", coefficients=ALL, bootstrap=0)
    check(result["icc1"], naive.icc1(data))


@given(ragged(complete=True, least=2))
@settings(max_examples=100)
def test_icc2k_of_complete_data(drawn):
    data, labels = drawn
    result = agree(as_labels(data, labels), scale="interval", coefficients=ALL, bootstrap=0)
    check(result["icc2k"], naive.icc2k(data))


# Worked examples from the literature, and other libraries where they define the same thing.


def observers(rows):
    """Ratings whose rows are observers; a point is missing."""
    columns = zip(*(row.split() for row in rows), strict=True)
    return table([[None if x == "." else x for x in column] for column in columns])


@pytest.fixture
def reliability(golden):
    """Krippendorff's 12 units."""
    return observers(golden("agreement")["krippendorff"]["rows"])


@pytest.mark.parametrize("scale", SCALES)
def test_krippendorff(golden, reliability, scale):
    expected = golden("agreement")["krippendorff"]["alpha"][scale]
    value = agree(reliability, scale=scale, bootstrap=0)["alpha"].value
    assert value == pytest.approx(expected, abs=5e-4)  # printed to three decimals


@pytest.mark.parametrize("example", range(3))
def test_other_examples_of_alpha(golden, example):
    given = golden("agreement")["alpha"]["examples"][example]
    for scale, expected in given["alpha"].items():
        result = agree(observers(given["rows"]), scale=scale, bootstrap=0)
        assert result["alpha"].value == pytest.approx(expected, abs=5e-4)


@pytest.mark.parametrize("scale", SCALES)
def test_gwet(golden, reliability, scale):
    expected = golden("agreement")["krippendorff"]
    result = agree(reliability, scale=scale, bootstrap=0, intervals="fixed")
    assert result["percent"].value == pytest.approx(expected["percent"], abs=1e-9)
    for name, (value, low) in expected["gwet"][scale].items():
        assert result[name].value == pytest.approx(value, abs=1e-9)
        assert result[name].low == pytest.approx(low, abs=1e-9)
        assert result[name].high == 1
        assert result[name].method == "linearised, t interval"


def test_fleiss(golden):
    example = golden("agreement")["fleiss"]
    result = agree(from_counts(example["counts"]), scale="nominal", bootstrap=0)
    assert result["fleiss"].value == pytest.approx(example["fleiss"], abs=5e-4)


def test_fleiss_1971(golden):
    example = golden("agreement")["fleiss_1971"]
    result = agree(from_counts(example["counts"]), scale="nominal", bootstrap=0)
    assert result["fleiss"].value == pytest.approx(example["fleiss"], abs=5e-4)
    # Printed .555, which .5556 is when cut off.
    assert result["percent"].value == pytest.approx(example["percent"], abs=1e-3)


def test_cohen(golden):
    for example in golden("agreement")["cohen"]["tables"]:
        counts = np.array(example["counts"])
        rows = [[a, b] for (a, b), n in np.ndenumerate(counts) for _ in range(n)]
        result = agree(table(rows), scale="ordinal", bootstrap=0)
        assert result["cohen"].value == pytest.approx(example["cohen"], abs=5e-4)


def test_shrout_and_fleiss(golden):
    example = golden("agreement")["icc"]
    result = agree(table(example["rows"]), bootstrap=0, intervals="fixed")
    for name in ("icc1", "icc2k"):
        found = result[name]
        assert [found.value, found.low, found.high] == pytest.approx(example[name], abs=5e-3)
        assert found.method == "F interval"


@pytest.mark.parametrize("name", [name for name in PARADOXES if name != "1"])
def test_paradoxes(golden, name):
    expected = golden("agreement")["paradoxes"]
    result = agree(paradox(name), bootstrap=0)
    assert result["percent"].value == pytest.approx(expected["percent"][name], abs=5e-6)
    alpha = expected["alpha"][name]
    if alpha is None:
        assert result["alpha"].undefined == "every rating is '1'"
    else:
        assert result["alpha"].value == pytest.approx(alpha, abs=5e-4)


def test_random_guessing():
    result = agree(paradox("1"), coefficients=["percent", "alpha"], bootstrap=0)
    # One in 1,001 by chance; 4,950 pairs of each of 1,000 items leave an error of 1.4e-5.
    assert result["percent"].value == pytest.approx(1 / 1001, abs=6e-5)
    # The standard error is about sqrt(2 / items) / raters.
    assert result["alpha"].value == pytest.approx(0, abs=2e-3)


def test_statsmodels():
    rater = pytest.importorskip("statsmodels.stats.inter_rater")
    labels = random_labels(60, 2, 4, seed=3)
    result = agree(labels, scale="interval", bootstrap=0)
    counts = np.zeros((4, 4))
    by_rater = labels.label.reshape(60, 2)
    np.add.at(counts, (by_rater[:, 0], by_rater[:, 1]), 1)
    for name, weights in [("cohen", None), ("cohen_linear", "linear"), ("cohen_quadratic", "fc")]:
        theirs = rater.cohens_kappa(counts, wt=weights)
        assert result[name].value == pytest.approx(theirs.kappa, abs=1e-12)
        half = (result[name].high - result[name].low) / 2
        assert half == pytest.approx(1.959963985 * theirs.std_kappa, abs=1e-8)
    many = random_labels(60, 5, 4, seed=3)
    theirs = rater.fleiss_kappa(many.matrix(), method="fleiss")
    assert agree(many, bootstrap=0)["fleiss"].value == pytest.approx(theirs, abs=1e-12)


# What must not matter, and what follows from the formulas.

NOMINAL = ["percent", "alpha", "fleiss", "ac1", "ac2", "scott", "cohen"]


def values(labels: Labels, scale: str = "interval") -> dict[str, float]:
    found = agree(labels, scale=scale, coefficients=list(COEFFICIENTS), bootstrap=0).coefficients
    return {name: estimate.value for name, estimate in found.items()}


@given(ragged(), st.randoms(use_true_random=False), st.sampled_from(["ordinal", "interval"]))
@settings(max_examples=50)
def test_order_and_names_of_items_and_raters_do_not_matter(drawn, random, scale):
    data, labels = drawn
    before = as_labels(data, labels)
    rows = list(range(len(before)))
    random.shuffle(rows)
    raters = list(range(len(before.raters)))
    random.shuffle(raters)
    item, rater = before.item[rows], np.array(raters)[before.rater[rows]]
    items = np.arange(len(before.items))[::-1]
    after = replace(before, items=items, item=item, rater=rater, label=before.label[rows])
    assert values(after, scale) == pytest.approx(values(before, scale), abs=1e-9, nan_ok=True)


@given(ragged())
@settings(max_examples=50)
def test_names_of_labels_do_not_matter_on_a_nominal_scale(drawn):
    data, labels = drawn
    before = as_labels(data, labels)
    after = replace(before, label=len(labels) - 1 - before.label)
    first, second = values(before, "nominal"), values(after, "nominal")
    for name in NOMINAL:
        assert second[name] == pytest.approx(first[name], abs=1e-9, nan_ok=True)


@given(ragged(), st.floats(0.1, 50), st.floats(-100, 100))
@settings(max_examples=50)
def test_shift_and_unit_do_not_matter_on_an_interval_scale(drawn, unit, shift):
    data, labels = drawn
    before = as_labels(data, labels)
    texts = tuple(repr(unit * x + shift) for x in labels)
    after = replace(before, scale=Scale(texts))
    assert values(after) == pytest.approx(values(before), abs=1e-6, nan_ok=True)


@given(ragged())
@settings(max_examples=50)
def test_reversing_the_scale_does_not_matter(drawn):
    data, labels = drawn
    before = as_labels(data, labels)
    reverse = Scale(tuple(str(-x) for x in labels))  # declared in descending order
    after = replace(before, scale=reverse)
    for scale in ("ordinal", "interval"):
        assert values(after, scale) == pytest.approx(values(before, scale), abs=1e-9, nan_ok=True)


@given(ragged(), st.integers(2, 4))
@settings(max_examples=50)
def test_repeating_the_items_changes_only_the_sample_corrections(drawn, times):
    data, labels = drawn
    once = values(as_labels(data, labels))
    more = {k * 100 + i: item for k in range(times) for i, item in data.items()}
    again = values(as_labels(more, labels))
    # All but alpha, pooled kappas and the ICCs are functions of the mean item; but pairs of
    # raters that share one item are left out until it is there twice.
    alone = min((len(both) for both in shared(data).values()), default=2) < 2
    left_out = {name for name, one in COEFFICIENTS.items() if one.over_pairs and alone}
    corrected = {n for n in COEFFICIENTS if n.startswith(("alpha", "pooled", "icc"))}
    for name in set(COEFFICIENTS) - corrected - left_out:
        assert again[name] == pytest.approx(once[name], abs=1e-9, nan_ok=True)
    # 1 - alpha goes with n - 1, the number of ratings less one.
    n = sum(len(item) for item in data.values() if len(item) > 1)
    if n > 1 and not np.isnan(once["alpha"]):
        ratio = (times * n - 1) / times / (n - 1)
        assert 1 - again["alpha"] == pytest.approx((1 - once["alpha"]) * ratio, abs=1e-9)


@given(ragged())
@settings(max_examples=50)
def test_limits(drawn):
    data, labels = drawn
    found = values(as_labels(data, labels), "nominal")
    if np.isnan(found["percent"]):
        return
    assert 0 <= found["percent"] <= 1
    for name in ("alpha", "fleiss", "ac1"):
        assert np.isnan(found[name]) or found[name] <= found["percent"] + 1e-12
    if found["percent"] == 1:
        assert all(np.isnan(x) or x == pytest.approx(1, abs=1e-12) for x in found.values())


@given(ragged(), st.sampled_from(["ordinal", "interval", "ratio"]))
@settings(max_examples=40)
def test_phi_and_the_page_hold_on_any_data(drawn, scale):
    """What all coefficients leave out above: Phi of ragged data, and its words."""
    data, labels = drawn
    result = agree(as_labels(data, labels), scale=scale, bootstrap=0, by_item=True, by_rater=True)
    phi = result.phi.estimate
    assert phi.undefined or -1 <= phi.value <= 1
    if phi.low is not None:
        assert phi.low <= phi.value <= phi.high
    assert max(map(len, str(result).splitlines())) <= 80
    assert result.to_dict()["phi"]["verdict"] == result.phi.verdict


@pytest.mark.parametrize("scale", ["nominal", "ordinal", "interval"])
def test_two_labels_are_the_same_on_every_scale(scale):
    labels = random_labels(40, 4, 2, missing=0.3, seed=5)
    assert values(labels, scale) == pytest.approx(values(labels, "nominal"), abs=1e-12, nan_ok=True)


def test_alpha_tends_to_fleiss_on_large_complete_data():
    found = values(random_labels(5000, 3, 3, seed=1), "nominal")
    # They differ by the factor (n - 1) / n.
    assert found["alpha"] == pytest.approx(found["fleiss"], abs=2e-4)


def test_scott_of_two_raters_is_fleiss():
    found = values(random_labels(50, 2, 3, seed=1), "nominal")
    assert found["scott"] == pytest.approx(found["fleiss"], abs=1e-12)


def test_icc2k_of_incomplete_data_finds_the_variances():
    """Items of variance 4, raters of 1, rest of 1, five raters of fifteen an item."""
    rng = np.random.default_rng(0)
    items, raters, k = 4000, 15, 5
    rater = np.argsort(rng.random((items, raters)), axis=1)[:, :k]
    item = np.repeat(np.arange(items), k)
    of_rater = rng.normal(size=raters)
    of_rater = (of_rater - of_rater.mean()) / of_rater.std()
    rating = 2 * rng.normal(size=items)[item] + of_rater[rater.ravel()] + rng.normal(size=items * k)
    names, code = np.unique(rating.round(2), return_inverse=True)
    scale = Scale(tuple(f"{x:.2f}" for x in names), kind="interval")
    labels = Labels(np.arange(items), np.arange(raters), scale, item, rater.ravel(), code)
    found = agree(labels, coefficients=["icc2k"], bootstrap=0)["icc2k"].value
    # The variance between 15 raters is 15/14; errors of variances are about 2%.
    assert found == pytest.approx(4 / (4 + (15 / 14 + 1) / k), abs=0.01)


@given(
    st.lists(st.lists(st.integers(0, 3), min_size=4, max_size=4), min_size=1, max_size=5),
    st.sampled_from([Nominal, Linear, Quadratic, Ranks, Ratio]),
)
def test_spread_is_the_sum_of_distances(weights, kind):
    distance = kind(np.array([0.0, 1, 3, 7]))
    label = np.tile(np.arange(4), len(weights))
    start = 4 * np.arange(len(weights))
    table = distance.between(np.arange(4)[:, None], np.arange(4)[None, :])
    assert table.max() == pytest.approx(1)
    found = distance.spread(label, np.array(weights, dtype=float).ravel(), start)
    assert found == pytest.approx((np.array(weights) @ table).ravel(), abs=1e-12)


@pytest.mark.parametrize("labels", [3, 40])
def test_patterns_hold_every_rating(labels, monkeypatch):
    ratings = random_labels(200, 5, labels, missing=0.4, seed=2)
    rated = np.flatnonzero(np.bincount(ratings.item, minlength=200))
    for most in (5 * 10**7, 0):  # found by sorting, and each item a pattern of its own
        monkeypatch.setattr("headcount.agreement.ratings.MOST_CELLS", most)
        p = Patterns.from_labels(ratings)
        dense = np.zeros((len(p), labels))
        dense[p.group, p.label] = p.count
        assert np.array_equal(dense[p.pattern], ratings.matrix()[rated])
        assert np.array_equal(p.items, rated)
        assert np.array_equal(np.bincount(p.pattern), p.multiplicity)
        assert len(p) == (len(np.unique(ratings.matrix()[rated], axis=0)) if most else len(rated))


# A user's own coefficient: a function, an object, or a class, beside ours.


def my_percent(counts):
    """Percent agreement, as a user would write it."""
    n = counts.sum(axis=1)
    kept = n > 1
    pairs = (counts * (counts - 1)).sum(axis=1)[kept] / (n * (n - 1))[kept]
    return pairs.mean() if kept.any() else math.nan


class MyAlpha:
    """Krippendorff's nominal alpha, from a table of counts."""

    name = "my_alpha"
    title = "my alpha"
    chance = "all ratings"
    corrected = True

    def value(self, counts):
        counts = counts[counts.sum(axis=1) > 1].astype(float)
        n = counts.sum(axis=1, keepdims=True)
        total = counts.sum(axis=0)
        expected = (total.sum() ** 2 - (total**2).sum()) / (total.sum() - 1)
        observed = ((n * n - (counts**2).sum(axis=1, keepdims=True)) / (n - 1)).sum()
        return 1 - observed / expected if expected > 0 else math.nan


class MostCommon(Coefficient):
    """A kernel of patterns: mean share of an item's most common label."""

    name = "most_common"
    title = "most common label"
    chance = "not corrected for chance"
    assumes = "Nothing."
    corrected = False

    def kernel(self, data):
        p = data.patterns
        share = np.maximum.reduceat(p.count, p.start) / p.ratings
        return lambda weight: weight @ share / weight.sum(axis=1)


def test_a_function_is_a_coefficient_like_ours():
    labels = random_labels(60, 4, 3, missing=0.4, seed=3)
    result = agree(
        labels, scale="nominal", coefficients=["percent", my_percent], seed=5, intervals="fixed",
        bootstrap=500,
    )  # fmt: skip
    ours, theirs = result["percent"], result["my_percent"]
    assert list(result.coefficients) == ["percent", "my_percent"]
    assert theirs.value == pytest.approx(ours.value, abs=1e-12)
    # The same draws, so the same ends.
    assert (theirs.low, theirs.high) == pytest.approx((ours.low, ours.high), abs=1e-12)
    assert theirs.method == "percentile bootstrap"
    assert "my_percent" in str(result)


def test_an_object_has_a_title_and_its_words():
    labels = random_labels(60, 4, 3, missing=0.4, seed=3)
    result = agree(
        labels, scale="nominal", coefficients=[MyAlpha(), "alpha"], seed=5, intervals="fixed",
        bootstrap=500,
    )  # fmt: skip
    ours, theirs = result["alpha"], result["my_alpha"]
    assert (theirs.value, theirs.low, theirs.high) == pytest.approx(
        (ours.value, ours.low, ours.high), abs=1e-12
    )
    alone = agree(labels, scale="nominal", coefficients=MyAlpha(), seed=5)
    assert str(alone).startswith("my alpha = .")
    assert "agreement is more than chance" in " ".join(str(alone).split())
    document = json.loads(json.dumps(alone.to_dict()))
    assert document["my_alpha"]["value"] == pytest.approx(ours.value)
    assert pickle.loads(pickle.dumps(alone)).to_dict() == alone.to_dict()


def test_a_kernel_of_patterns():
    labels = table([["a", "a", "b"], ["b", "b", None], ["a", "b", "c"]])
    found = agree(labels, coefficients=[MostCommon()], bootstrap=30)["most_common"]
    assert found.value == pytest.approx((2 / 3 + 1 + 1 / 3) / 3)
    assert found.low < found.value < found.high


def test_own_coefficients_by_share():
    curve = agree_by_share(paradox("8b"), coefficients=["percent", my_percent], repeats=5)
    for point in curve.points:
        ours, theirs = point.coefficients.values()
        assert theirs.value == pytest.approx(ours.value, abs=1e-12)
    assert curve.titles["my_percent"] == "my_percent"


def test_nothing_to_say_is_undefined():
    result = agree(paradox("2"), coefficients=[MyAlpha()])
    assert result["my_alpha"].undefined == "its function gives no number on these ratings"
    one = agree(table([["a"], ["b"]]), coefficients=[my_percent])
    assert one["my_percent"].undefined == "there is only one rater"


def test_too_large_for_a_table(monkeypatch):
    monkeypatch.setattr("headcount.agreement.estimates.MOST_CELLS", 10)
    found = agree(paradox("8a"), coefficients=[my_percent])["my_percent"]
    assert found.undefined == "40 items x 2 labels are too many for a table"


def called(name):
    def own(counts):
        return 0.5

    own.__name__ = name
    return own


def much(counts):
    return "much"


@pytest.mark.parametrize(
    ("given", "message"),
    [
        (5, "must be names among percent, alpha"),
        ([5], "takes names, functions of an"),
        ([MyAlpha], "takes names, functions of an"),
        ([], "is empty: name some of percent, alpha"),
        ([lambda counts: 0.5], "a coefficient of your own needs a name"),
        ([much], "must return a number, not str"),
        ([called("alpha")], "something else is called 'alpha' already"),
        ([called("notes")], "something else is called 'notes' already"),
        ([called("own"), called("own")], "something else is called 'own' already"),
    ],
)
def test_what_is_no_coefficient(given, message):
    with pytest.raises(OptionError, match=message) as error:
        agree(paradox("8a"), coefficients=given)
    assert error.value.option == "coefficients"


def test_taken_names_are_the_keys_of_the_document():
    keys = agree(paradox("8a"), bootstrap=0).to_dict().keys()
    assert keys - COEFFICIENTS.keys() == set(RESERVED)


def test_the_headline_does_not_compare_an_own_coefficient_with_chance():
    headline = str(agree(paradox("8a"), coefficients=["alpha", called("mine")], bootstrap=50))
    assert headline.startswith("Krippendorff's alpha (nominal) = .")
    assert "\nmine " in headline


# Ratings that were added up by label pattern give what single ratings give.

FROM_PATTERNS = ("percent", "alpha", "fleiss", "ac1", "ac2", "icc1", "icc1k")


def ratings(seed: int, *, items: int = 40, raters: int = 7, labels: int = 4) -> Labels:
    rng = np.random.default_rng(seed)
    item, rater = (one.ravel() for one in np.mgrid[:items, :raters])
    truth = rng.integers(0, labels, items)[item]
    label = np.where(rng.random(len(item)) < 0.6, truth, rng.integers(0, labels, len(item)))
    kept = rng.random(len(item)) < 0.5
    kept[:2] = True
    return Labels.from_triples(item[kept], [f"r{one}" for one in rater[kept]], label[kept] + 1)


def same(a: Estimate, b: Estimate) -> bool:
    ends = [(a.value, b.value), (a.low, b.low), (a.high, b.high)]
    return a.undefined == b.undefined and all(
        x is y is None or (x is not None and y is not None and np.isclose(x, y, 0, 1e-9, True))
        for x, y in ends
    )


@settings(max_examples=15, deadline=None)
@given(
    st.integers(0, 10**6),
    st.sampled_from(["nominal", "ordinal", "interval", "ratio"]),
    st.integers(2, 8),
    st.sampled_from(["sample", "fixed"]),
)
def test_same_as_single_ratings(seed: int, scale: str, labels: int, raters: str) -> None:
    one_by_one = ratings(seed, labels=labels)
    options = {"scale": scale, "coefficients": FROM_PATTERNS, "bootstrap": 60, "intervals": raters}
    asked = {"seed": seed, "by_rater": True, "by_category": True}
    a, b = (agree(data, **options, **asked) for data in (one_by_one, added_up(one_by_one)))
    for name in FROM_PATTERNS:
        assert same(a[name], b[name]), name
        assert same(a.these_raters[name], b.these_raters[name]), name
    assert a.provenance.ratings_per_item == b.provenance.ratings_per_item
    assert a.to_dict()["data"] == b.to_dict()["data"]
    assert a.report is not None
    assert b.report is not None
    assert a.report.sentence == b.report.sentence
    by_name = [{str(r.rater): r for r in result.raters} for result in (a, b)]
    for name, rater in by_name[0].items():
        assert same(rater.agreement, by_name[1][name].agreement)
        assert rater.ratings == by_name[1][name].ratings
        if rater.bias is not None:
            other = by_name[1][name]
            assert rater.bias == pytest.approx(other.bias, abs=1e-9)
            assert rater.consistency == pytest.approx(other.consistency, abs=1e-9)
    categories = {one.label: one for one in b.categories}
    for one in a.categories:
        assert same(one.agreement, categories[one.label].agreement)
        assert one.share == pytest.approx(categories[one.label].share)


@given(st.integers(0, 10**6))
@settings(max_examples=10, deadline=None)
def test_cells_in_any_order(seed: int) -> None:
    whole = added_up(ratings(seed))
    rng = np.random.default_rng(seed)
    patterns, cells = rng.permutation(len(whole.items)), rng.permutation(len(whole.item))
    assert whole.times is not None
    assert whole.item_times is not None
    made = sort_cells(
        replace(
            whole,
            item=np.argsort(patterns)[whole.item][cells],
            rater=whole.rater[cells],
            label=whole.label[cells],
            times=whole.times[cells],
            item_times=whole.item_times[patterns],
        )
    )
    for name in ("item", "rater", "label", "times", "item_times"):
        assert (getattr(made, name) == getattr(whole, name)).all(), name
    assert len(made) == len(ratings(seed))
    assert made.n_items == ratings(seed).n_items


def test_anonymous_raters() -> None:
    labels = Labels.from_codes(
        (np.array([0, 0, 0, 1, 1, 2]), ["a", "b", "c"]), None, (np.array([0, 0, 1, 1, 1, 0]), "xy")
    )
    a, b = agree(labels), agree(added_up(labels))
    assert same(a["alpha"], b["alpha"])
    assert b.provenance.n_raters is None


def test_items_without_a_rating() -> None:
    made = Labels(
        items=np.arange(3),
        raters=np.array(["ann", "bob"], dtype=object),
        scale=Scale(("no", "yes")),
        item=np.array([0, 0, 1, 1]),
        rater=np.array([0, 1, 0, 1]),
        label=np.array([0, 0, 0, 1]),
        times=np.array([3, 3, 2, 2]),
        item_times=np.array([3, 2, 4]),
    )
    result = agree(made)
    assert result.provenance.items_unrated == 4
    assert result["percent"].value == 0.6


def test_what_is_left_out() -> None:
    result = agree(added_up(ratings(1)), scale="interval")
    assert "added up" in (result["conger"].undefined or "")
    assert any("no value of coefficients" in note for note in result.notes)
    assert any("its interval is for these raters only" in note for note in result.notes)
    with pytest.raises(OptionError, match="by_item"):
        agree(added_up(ratings(1)), by_item=True)


@pytest.mark.parametrize("limits", [None, (1, 9)])
def test_phi(limits: tuple[int, int] | None) -> None:
    one, two = (
        phi(labels, limits=limits, intervals="fixed")
        for labels in (ratings(1), added_up(ratings(1)))
    )
    assert (one.value, one.low, one.high) == pytest.approx((two.value, two.low, two.high), abs=1e-9)
    p, q = one.provenance, two.provenance
    assert (p.items_used, p.n_ratings) == (q.items_used, q.n_ratings)
    assert one.withheld == two.withheld
    paper = phi(added_up(ratings(1)), limits=limits, method="paper")
    assert "method 'unbiased'" in (paper.estimate.undefined or "")

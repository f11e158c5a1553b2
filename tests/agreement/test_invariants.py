"""What must not matter, and what follows from the formulas."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from headcount import Labels, Scale
from headcount.agreement import agree
from headcount.agreement.coefficients.catalogue import COEFFICIENTS
from headcount.agreement.patterns import Patterns
from headcount.agreement.scales.distances import Linear, Nominal, Quadratic, Ranks, Ratio

from .data import as_labels, ragged, random_labels
from .naive import shared

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
    # All but alpha, Conger's kappas and the ICCs are functions of the mean item; but pairs of
    # raters that share one item are left out until it is there twice.
    alone = min((len(both) for both in shared(data).values()), default=2) < 2
    left_out = {name for name, one in COEFFICIENTS.items() if one.over_pairs and alone}
    corrected = {n for n in COEFFICIENTS if n.startswith(("alpha", "conger", "icc"))}
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
    # Kendall's W needs all ratings, and has no value on any of them.
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
        monkeypatch.setattr("headcount.agreement.patterns.MOST_CELLS", most)
        p = Patterns.from_labels(ratings)
        dense = np.zeros((len(p), labels))
        dense[p.group, p.label] = p.count
        assert np.array_equal(dense[p.pattern], ratings.matrix()[rated])
        assert np.array_equal(p.items, rated)
        assert np.array_equal(np.bincount(p.pattern), p.multiplicity)
        assert len(p) == (len(np.unique(ratings.matrix()[rated], axis=0)) if most else len(rated))

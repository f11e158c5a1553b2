"""Intervals: resampled items, their law, and what happens where draws are undefined."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from headcount import Labels, phi
from headcount.agreement import agree, agree_by_share, paradox
from headcount.agreement.coefficients.catalogue import COEFFICIENTS, choose
from headcount.agreement.coefficients.engine import Engine
from headcount.agreement.patterns import Patterns, item_weights
from headcount.agreement.prepare import prepare

from .data import random_labels, table

ALL = list(COEFFICIENTS)


def repeated(labels: Labels, times: np.ndarray) -> Labels:
    """Labels in which each item occurs so many times, as new items."""
    parts = [np.flatnonzero(labels.item == i) for i in np.repeat(np.arange(len(times)), times)]
    item = np.repeat(np.arange(len(parts)), [len(part) for part in parts])
    rows = np.concatenate(parts)
    return replace(
        labels,
        items=np.arange(len(parts)),
        item=item,
        rater=labels.rater[rows],
        label=labels.label[rows],
    )


@pytest.mark.parametrize("scale", ["nominal", "ordinal", "interval", "ratio"])
def test_a_draw_is_the_coefficient_of_the_items_drawn(scale):
    labels = random_labels(12, 4, 4, missing=0.3, seed=4)
    data = prepare(labels, scale)
    rng = np.random.default_rng(1)
    engine = Engine(data, COEFFICIENTS.values())
    wanted = {
        name
        for name in ALL
        if agree(labels, scale=scale, coefficients=[name], bootstrap=0)[name].undefined is None
    }
    for _ in range(5):
        items = rng.integers(0, 3, len(data.labels.items))
        found = engine.on_items(items[None, :].astype(float))
        direct = agree(
            repeated(data.labels, items), scale=scale, coefficients=ALL, bootstrap=0
        ).coefficients
        assert set(found) == wanted
        for name, value in found.items():
            assert value[0] == pytest.approx(direct[name].value, abs=1e-9, nan_ok=True)


def test_draws_follow_the_law_of_resampled_items():
    """Mean and spread of the draws are those of items drawn one by one, within their errors."""
    labels = random_labels(40, 3, 3, missing=0.2, seed=7)
    data = prepare(labels, "nominal")
    names = ["percent", "alpha", "fleiss", "ac1", "cohen", "scott"]
    engine = Engine(data, choose(names)[0])
    draws = engine.bootstrap(2000, np.random.default_rng(1))
    rng = np.random.default_rng(2)
    n = len(data.labels.items)
    index = rng.integers(0, n, (2000, n))
    items = np.stack([np.bincount(row, minlength=n) for row in index]).astype(float)
    assert set(draws) == set(names)
    for name, direct in engine.on_items(items).items():
        spread = direct.std()
        # Standard errors of a mean and of a standard deviation of 2,000 draws, three of each.
        assert draws[name].mean() == pytest.approx(direct.mean(), abs=4.5 * spread / 2000**0.5)
        assert draws[name].std() == pytest.approx(spread, rel=4.5 / 4000**0.5)


def test_items_of_a_pattern_are_drawn_alike():
    labels = table([["a", "a"], ["a", "a"], ["a", "b"], ["b", "b"]])
    p = Patterns.from_labels(labels)
    drawn = np.tile([2.0, 1.0, 1.0], (4000, 1))[:, np.argsort(np.argsort(-p.multiplicity))]
    items = item_weights(p, drawn, np.random.default_rng(0))
    assert items.sum(axis=1) == pytest.approx(4)
    assert items[:, 2:].min() == items[:, 2:].max() == 1
    assert (items[:, 0] + items[:, 1] == 2).all()
    # Two draws of two items: one twice in a quarter of the cases, with an error of .007.
    assert (items[:, 0] == 2).mean() == pytest.approx(0.25, abs=0.03)


def test_draws_are_the_same_whatever_else_is_asked_for():
    labels = random_labels(50, 4, 3, missing=0.2, seed=1)
    together = agree(labels, bootstrap=50, rng=3)
    for name in ("alpha", "cohen", "icc2k"):
        assert agree(labels, coefficients=[name], bootstrap=50, rng=3)[name] == together[name]


def test_draws_do_not_depend_on_the_block(monkeypatch):
    labels = random_labels(50, 4, 3, missing=0.2, seed=1)
    before = agree(labels, bootstrap=30, rng=3).coefficients
    monkeypatch.setattr("headcount.agreement.coefficients.engine.BLOCK", 1)
    monkeypatch.setattr("headcount.agreement.rater_pairs.pair_table.BLOCK", 7)
    monkeypatch.setattr("headcount.agreement.rater_pairs.pair_table.MOST_KEYS", 0)
    monkeypatch.setattr("headcount.agreement.scales.distances.BLOCK", 1)
    after = agree(labels, bootstrap=30, rng=3).coefficients
    for name, estimate in before.items():
        assert after[name].undefined == estimate.undefined  # Kendall's W, for ratings are missing
        if estimate.undefined is None:
            assert after[name].value == pytest.approx(estimate.value, abs=1e-12)
            assert after[name].low == pytest.approx(estimate.low, abs=1e-12)


@pytest.mark.parametrize("name", ["percent", "fleiss", "ac1", "ac2", "scott", "cohen", "icc1"])
def test_bootstrap_and_analytic_intervals_agree_on_large_data(name):
    labels = random_labels(1500, 4, 3, seed=2)
    result = agree(labels, scale="interval", coefficients=[name], bootstrap=1000, raters="fixed")
    boot, formula = result[name], result.analytic[name]
    width = formula.high - formula.low
    # Each end of a percentile interval from 1,000 draws has an error of about 2% of the width.
    # The F interval takes ratings to be normal, which numbers 1 to 3 are not.
    most = 0.2 if name == "icc1" else 0.08
    assert boot.low == pytest.approx(formula.low, abs=most * width)
    assert boot.high == pytest.approx(formula.high, abs=most * width)


def test_analytic_intervals_stand_in_where_resampling_takes_too_long(monkeypatch):
    labels = random_labels(30, 3, 3, seed=2)
    monkeypatch.setattr("headcount.agreement.estimates.MOST_WORK", 0)
    result = agree(labels, bootstrap=100, raters="fixed")
    assert result["alpha"].method == "percentile bootstrap"
    assert result["cohen"].method == "delta method over items"
    assert result["icc2k"].method == "F interval"
    assert any(note.startswith("not resampled") for note in result.notes)


def test_undefined_draws_are_left_out_and_counted():
    result = agree(paradox("8c"), bootstrap=400)
    said = [note for note in result.notes if note.startswith("undefined in ")]
    (note,) = [note for note in said if "Krippendorff" in note]
    assert "Krippendorff's alpha; Fleiss' kappa" in note  # one note for all
    # All four items agreed positive: (2/4)^4; negative: (1/4)^4.
    lost = int(note.split(" in ")[1].split(" of ")[0])
    assert lost / 400 == pytest.approx(0.0664, abs=0.04)
    assert result["alpha"].low is not None


def test_mostly_undefined_draws_give_no_interval():
    # Alpha needs the first two items in a draw of eight: 1 - 2 (7/8)^8 + (6/8)^8 = .41 have both.
    rows = [["a", "a"], ["b", "b"], *[["a", None]] * 6]
    result = agree(table(rows), bootstrap=400)
    assert result["alpha"].value == 1
    assert result["alpha"].low is None
    assert any("too many for an interval" in note for note in result.notes)
    assert result["percent"].low == 1


def test_share_of_data():
    labels = random_labels(200, 3, 3, missing=0.2, seed=3)
    curve = agree_by_share(
        labels, shares=[0.1, 0.5, 1.0], coefficients=["alpha", "percent", "cohen"], repeats=30
    )
    whole = agree(labels, bootstrap=0)
    last = curve.points[-1].coefficients
    for name, estimate in last.items():
        assert estimate.value == pytest.approx(whole[name].value, abs=1e-9)
        assert estimate.low == pytest.approx(estimate.high, abs=1e-9)
    widths = [p.coefficients["alpha"].high - p.coefficients["alpha"].low for p in curve.points]
    assert widths[0] > widths[1] > widths[2]
    assert [point.items for point in curve.points] == [20, 100, 200]
    assert curve.to_dict()["points"][0]["alpha"]["value"] is not None
    assert len(curve.to_frame("pandas")) == 9


def test_share_of_data_that_have_no_alpha():
    curve = agree_by_share(paradox("2"), shares=[0.5], repeats=3)
    assert curve.points[0].coefficients["alpha"].undefined == "every rating is '1'"
    assert "undefined" in repr(curve)


def test_share_of_data_with_phi():
    labels = random_labels(60, 4, 5, missing=0.1, seed=3)
    options = {"limits": (0, 6), "level": 0.9}
    curve = agree_by_share(
        labels, shares=[0.1, 0.5, 1.0], coefficients=["phi", "percent"], repeats=4, **options
    )
    assert list(curve.points[0].coefficients) == ["percent", "phi"]
    whole = phi(labels, **options, raters="fixed", check=False).estimate
    last = curve.points[-1].coefficients["phi"]
    found = [last.value, last.low, last.high, last.level]
    assert found == pytest.approx([whole.value, whole.low, whole.high, 0.9], abs=1e-9)
    # Unlike the bands of coefficients, that of Phi does not close: it is Phi's own interval.
    widths = [p.coefficients["phi"].high - p.coefficients["phi"].low for p in curve.points]
    assert widths[0] > widths[1] > widths[2] > 0.05
    plain = agree_by_share(labels, shares=[0.1, 0.5, 1.0], coefficients=["percent"], repeats=4)
    for with_phi, without in zip(curve.points, plain.points, strict=True):
        assert with_phi.coefficients["percent"].value == without.coefficients["percent"].value


def test_share_of_data_without_phi():
    names = table([["a", "b", "c"], ["a", "a", "b"]])
    curve = agree_by_share(names, coefficients=["phi"], shares=[1.0], repeats=2)
    assert "no order" in curve.points[0].coefficients["phi"].undefined
    two = table([[0, 1, 1], [0, 0, 0]])
    curve = agree_by_share(two, coefficients=["phi"], shares=[1.0], repeats=2, scale="interval")
    assert "two points" in curve.points[0].coefficients["phi"].undefined

"""Ratings that were added up by label pattern give what single ratings give."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from headcount import DataError, Labels, OptionError, agree, phi
from headcount.data.reduced import added_up, labels_of_cells
from headcount.stats.estimate import Estimate

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
    options = {"scale": scale, "coefficients": FROM_PATTERNS, "bootstrap": 60, "raters": raters}
    asked = {"rng": seed, "by_rater": True, "by_category": True}
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
        if rater.severity is not None:
            other = by_name[1][name]
            assert rater.severity == pytest.approx(other.severity, abs=1e-9)
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
    place = np.argsort(patterns)
    made = labels_of_cells(
        place[whole.item][cells],
        (whole.rater[cells], [str(one) for one in whole.raters]),
        (whole.label[cells], list(whole.scale.labels)),
        whole.times[cells],
        whole.item_times[patterns],
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
    made = labels_of_cells(
        np.array([0, 0, 1, 1]),
        (np.array([0, 1, 0, 1]), ["ann", "bob"]),
        (np.array([0, 0, 0, 1]), ["no", "yes"]),
        np.array([3, 3, 2, 2]),
        np.array([3, 2, 4]),
    )
    result = agree(made)
    assert result.provenance.items_unrated == 4
    assert result["percent"].value == 0.6


def test_what_is_left_out() -> None:
    result = agree(added_up(ratings(1)), scale="interval")
    assert "added up" in (result["conger"].undefined or "")
    assert any("no value of coefficients" in note for note in result.notes)
    assert any("Phi: its interval holds for these raters only" in note for note in result.notes)
    with pytest.raises(OptionError, match="by_item"):
        agree(added_up(ratings(1)), by_item=True)
    with pytest.raises(OptionError, match="one by one"):
        agree(added_up(ratings(1)), scale="interval", gold={"1": 2}, gold_sd=1)


@pytest.mark.parametrize("limits", [None, (1, 9)])
def test_phi(limits: tuple[int, int] | None) -> None:
    one, two = (
        phi(labels, limits=limits, raters="fixed") for labels in (ratings(1), added_up(ratings(1)))
    )
    assert (one.value, one.low, one.high) == pytest.approx((two.value, two.low, two.high), abs=1e-9)
    assert (one.items_used, one.ratings_used) == (two.items_used, two.ratings_used)
    assert one.withheld == two.withheld
    paper = phi(added_up(ratings(1)), limits=limits, method="paper")
    assert "method 'unbiased'" in (paper.estimate.undefined or "")


def test_labels_that_are_not_declared() -> None:
    from headcount.data.scale import Scale

    cells = (np.array([0]), None, (np.array([0]), ["maybe"]), np.array([2]), np.array([1]))
    with pytest.raises(DataError, match="2 ratings with labels"):
        labels_of_cells(*cells, scale=Scale(("no", "yes")))
    with pytest.raises(DataError, match="no ratings"):
        labels_of_cells(*cells[:3], np.array([0]), np.array([1]))

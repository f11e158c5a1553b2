"""Bland and Altman's limits of agreement, and Kendall's W."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from headcount import Labels, agree
from headcount.agreement.coefficients.kendall import concordance

# Bland and Altman (1986), table 1: peak flow by a Wright meter and by a mini Wright meter, the
# first measurement of each. They print a mean difference of -2.1 and a standard deviation of 38.8.
WRIGHT = [494, 395, 516, 434, 476, 557, 413, 442, 650, 433, 417, 656, 267, 478, 178, 423, 427]
MINI = [512, 430, 520, 428, 500, 600, 364, 380, 658, 445, 432, 626, 260, 477, 259, 350, 451]


def wide(*columns: list[int]) -> Labels:
    table = np.array(columns).T
    item, rater = np.indices(table.shape)
    return Labels.from_triples(
        item.ravel().tolist(), [f"r{j}" for j in rater.ravel()], table.ravel().tolist()
    )


def test_published_limits_of_agreement():
    found = agree(wide(WRIGHT, MINI), bootstrap=20).bland_altman
    assert found is not None
    assert found.bias.value == pytest.approx(-2.1, abs=0.05)
    sd = (found.upper.value - found.lower.value) / 2 / 1.96
    assert sd == pytest.approx(38.8, abs=0.05)
    # Their section on precision: standard errors 9.4 and 16.3 (sqrt(3 s^2 / n); ours is
    # sqrt(1/n + 1.96^2 / (2 (n - 1))) s, 16.4), and Student's quantile 2.12.
    t = stats.t.ppf(0.975, 16)
    assert (found.bias.high - found.bias.value) / t == pytest.approx(9.4, abs=0.05)
    assert (found.upper.high - found.upper.value) / t == pytest.approx(16.4, abs=0.05)


def test_limits_are_for_two_raters_on_a_scale_of_numbers():
    assert agree(wide(WRIGHT, MINI, MINI), bootstrap=0).bland_altman is None
    words = Labels.from_triples([1, 1, 2, 2], ["a", "b"] * 2, ["x", "y", "x", "x"])
    assert agree(words, bootstrap=0).bland_altman is None
    assert agree(wide([1, 2], [2, 3]), bootstrap=0).bland_altman is None  # two items


def test_items_that_one_of_them_rated_are_left_out():
    rows = [(i, "a", x) for i, x in enumerate(WRIGHT)] + [(i, "b", x) for i, x in enumerate(MINI)]
    whole = agree(Labels.from_triples(*zip(*rows, strict=True)), bootstrap=0).bland_altman
    more = Labels.from_triples(*zip(*rows, (99, "a", 300), strict=True))
    found = agree(more, bootstrap=0).bland_altman
    assert (found.items, found.bias) == (whole.items, whole.bias)


def test_limits_are_printed_drawn_and_written():
    result = agree(wide(WRIGHT, MINI), bootstrap=20)
    assert "upper limit of agreement" in str(result)
    assert set(result.to_dict()["bland_altman"]) == {"a", "b", "items", "bias", "lower", "upper"}
    assert (result.to_frame()["kind"] == "difference").sum() == 3


def test_kendalls_w_by_hand():
    """Three rankings of three items: sums 4, 6 and 8, so S = 8 and W = 12 * 8 / (9 * 24)."""
    table = np.array([[0, 0, 1], [1, 2, 0], [2, 1, 2]])
    assert concordance(table, 3)(np.ones((1, 3)))[0] == pytest.approx(96 / 216)
    same = np.repeat(np.arange(5)[:, None], 4, axis=1)
    assert concordance(same, 5)(np.ones((1, 5)))[0] == pytest.approx(1)


@given(
    st.integers(3, 12).flatmap(
        lambda items: st.integers(3, 6).flatmap(
            lambda raters: st.lists(
                st.lists(st.integers(0, 4), min_size=items, max_size=items),
                min_size=raters,
                max_size=raters,
            )
        )
    )
)
def test_kendalls_w_is_friedmans_statistic_over_its_most(columns):
    """W = chi^2 / (m (n - 1)), and scipy corrects Friedman's statistic for ties too."""
    table = np.array(columns).T
    items, raters = table.shape
    found = concordance(table, 5)(np.ones((1, items)))[0]
    if all(len(set(column)) == 1 for column in columns):
        assert np.isnan(found)
        return
    expected = stats.friedmanchisquare(*table).statistic / (raters * (items - 1))
    assert found == pytest.approx(expected, abs=1e-9)


def test_weights_are_copies_of_items():
    table = np.array([[0, 1, 2], [1, 1, 0], [3, 2, 3], [2, 0, 1]])
    weight = np.array([[2.0, 0, 1, 3]])
    copies = table[[0, 0, 2, 3, 3, 3]]
    assert concordance(table, 4)(weight) == pytest.approx(concordance(copies, 4)(np.ones((1, 6))))


@pytest.mark.parametrize("points", [4, 1000])
def test_kendalls_w_is_an_icc_of_ranks(points):
    """Hand-derived: W = (1 + (m - 1) ICC(3,1)) / m of the ranks, ties or not; so its interval."""
    rng = np.random.default_rng(points)
    x = rng.normal(size=(40, 1)) + rng.normal(size=(40, 6))
    table = np.clip((x + 3) / 6 * points, 0, points - 1).astype(int)
    ranks = [stats.rankdata(column).tolist() for column in table.T]
    found = agree(wide(*table.T.tolist()), bootstrap=0, scale="interval")
    of_ranks = agree(wide(*ranks), coefficients="icc3", bootstrap=0, scale="interval")["icc3"]
    for of_w, of_icc in zip(
        (found["kendall_w"].value, found["kendall_w"].low, found["kendall_w"].high),
        (of_ranks.value, of_ranks.low, of_ranks.high),
        strict=True,
    ):
        assert of_w == pytest.approx((1 + 5 * of_icc) / 6, abs=1e-9)
    assert found.to_dict()["kendall_w"]["holds_for"] == "for raters like these"
    fixed = agree(wide(*table.T.tolist()), bootstrap=200, raters="fixed")["kendall_w"]
    assert found["kendall_w"].low < fixed.low < fixed.value < fixed.high


def test_rankings_are_told_apart_from_ratings():
    ranks = wide([1, 2, 3, 4], [2, 1, 3, 4], [1, 3, 2, 4])
    assert "kendall_w" in {other.name for other in agree(ranks, bootstrap=50).report.others}
    ratings = wide([1, 2, 2, 4], [2, 1, 3, 4], [1, 3, 2, 4])
    found = agree(ratings, bootstrap=50)
    assert "kendall_w" not in {other.name for other in found.report.others}
    assert found["kendall_w"].undefined is None
    fine = wide([1.25, 2.5, 3.125, 4], [2.75, 1.5, 3.5, 4.5], [1.75, 3.75, 2.25, 4.25])
    assert "kendall_w" not in {other.name for other in agree(fine, bootstrap=50).report.others}
    missing = Labels.from_triples([1, 1, 2, 2, 3], ["a", "b", "a", "b", "a"], [1, 2, 3, 1, 2])
    assert "everybody" in agree(missing, bootstrap=0)["kendall_w"].undefined

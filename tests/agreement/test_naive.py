"""Every coefficient against its definition, on random ragged data."""

from __future__ import annotations

import math

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from headcount.agreement import agree
from headcount.agreement.coefficients.catalogue import COEFFICIENTS

from . import naive
from .data import as_labels, ragged

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

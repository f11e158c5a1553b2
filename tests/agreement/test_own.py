"""A user's own coefficient: a function, an object, or a class, beside ours."""

from __future__ import annotations

import json
import math
import pickle

import numpy as np
import pytest

from headcount import OptionError, agree_by_share
from headcount.agreement import Coefficient, agree, paradox
from headcount.agreement.coefficients.catalogue import COEFFICIENTS
from headcount.agreement.records import TAKEN

from .data import random_labels, table


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
        labels, scale="nominal", coefficients=["percent", my_percent], rng=5, raters="fixed"
    )
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
        labels, scale="nominal", coefficients=[MyAlpha(), "alpha"], rng=5, raters="fixed"
    )
    ours, theirs = result["alpha"], result["my_alpha"]
    assert (theirs.value, theirs.low, theirs.high) == pytest.approx(
        (ours.value, ours.low, ours.high), abs=1e-12
    )
    alone = agree(labels, scale="nominal", coefficients=MyAlpha(), rng=5)
    assert str(alone).startswith("my alpha 0.")
    assert "Agreement is more than chance" in str(alone)
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
    assert "my_percent" in str(curve)


def test_nothing_to_say_is_undefined():
    result = agree(paradox("2"), coefficients=[MyAlpha()])
    assert result["my_alpha"].undefined == "its function gives no number on these ratings"
    one = agree(table([["a"], ["b"]]), coefficients=[my_percent])
    assert one["my_percent"].undefined == "there is one rater"


def test_too_large_for_a_table(monkeypatch):
    monkeypatch.setattr("headcount.agreement.coefficients.user_defined.MOST_CELLS", 10)
    found = agree(paradox("8a"), coefficients=[my_percent])["my_percent"]
    assert found.undefined == "40 items x 2 labels are too many for a table"


def test_not_resampled_where_it_takes_too_long(monkeypatch):
    monkeypatch.setattr("headcount.agreement.estimates.MOST_WORK", 0)
    result = agree(paradox("8a"), coefficients=[my_percent])
    assert result["my_percent"].low is None
    assert any("not resampled" in note and "my_percent" in note for note in result.notes)


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
    assert keys - COEFFICIENTS.keys() == set(TAKEN)


def test_the_headline_does_not_compare_an_own_coefficient_with_chance():
    headline = str(agree(paradox("8a"), coefficients=["alpha", called("mine")], bootstrap=50))
    assert headline.startswith("Krippendorff's alpha (nominal) 0.")
    assert "\nmine " in headline

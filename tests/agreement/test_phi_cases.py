"""Phi where the data or the options are awkward: what is answered, said or refused."""

from __future__ import annotations

import math

import numpy as np
import pytest

from headcount.agreement.phi.inference.posterior import phi_of
from headcount.agreement.phi.phi import phi
from headcount.data.labels import Labels
from headcount.data.scale import Scale
from headcount.errors import DataError, OptionError


def rated(rows) -> Labels:
    """Labels of a table, one row an item and one column a rater; nan is missing."""
    table = np.asarray(rows, dtype=float)
    items, raters = table.shape
    return Labels.from_triples(
        np.repeat(np.arange(items), raters), np.tile(np.arange(raters), items), table.ravel()
    )


def test_value_outside_the_limits():
    with pytest.raises(DataError, match=r"1 label outside the limits 1 to 4: '5'.*widen limits"):
        phi(rated([[1, 5], [2, 2]]), limits=(1, 4))


def test_number_on_a_limit():
    moved = phi(rated([[0, 0.123456], [0.5, 0.2]]), limits=(0, 1), points="continuous")
    # By half of 1 / (ratings - 1) of the scale.
    assert moved.limits == pytest.approx((-1 / 6, 7 / 6))
    assert any("1 continuous rating on the limits 0 or 1" in note for note in moved.notes)
    inferred = phi(rated([[0.1000001, 0.123456], [0.5, 0.2]]))
    assert inferred.limits[0] < 0.1 < 0.5 < inferred.limits[1]
    assert any("limits" in note and "inferred" in note for note in inferred.notes)


def sliders(on_limit: int) -> np.ndarray:
    """Ratings of 48 items by 5 raters who agree closely, of which some slipped to an end."""
    rng = np.random.default_rng(2)
    mu = rng.uniform(0.2, 0.8, (48, 1))
    x = rng.beta(100 * mu, 100 * (1 - mu), (48, 5))
    x.ravel()[rng.choice(240, on_limit, replace=False)] = 0
    return x


def test_one_rating_on_a_limit_does_not_keep_phi_back():
    """One slip of 240 makes items look as if they differed in agreement; Phi is the same."""
    found = phi(rated(sliders(1)), limits=(0, 1), raters="fixed")
    without = phi(rated(sliders(0)), limits=(0, 1), raters="fixed")
    assert found.withheld is None
    assert found.value == pytest.approx(without.value, abs=0.1)
    (note,) = [note for note in found.notes if "at an end of the scale" in note]
    assert "1 of 240 ratings" in note
    assert note.severity == "caution"
    assert not [note for note in without.notes if "at an end" in note]


def test_many_ratings_on_a_limit_do():
    found = phi(rated(sliders(24)), limits=(0, 1), raters="fixed")
    assert found.withheld is not None


def test_raters_are_left_out_of_some_of_many_items(monkeypatch):
    """From half of the items the interval for raters like these comes out much the same."""
    rng = np.random.default_rng(5)
    mu, own = rng.random((400, 1)), 6 * np.exp(0.8 * rng.normal(size=6))
    ratings = rated(np.ceil(5 * rng.beta(mu * own, (1 - mu) * own)).clip(1, 5))
    whole = phi(ratings, limits=(1, 5))
    monkeypatch.setattr("headcount.agreement.phi.widening.MOST_ITEMS", 200)
    some = phi(ratings, limits=(1, 5))
    assert some.value == whole.value
    assert some.these_raters == whole.these_raters
    assert some.low < some.these_raters.low
    # Raters differ by chance on other items: the width is within a third.
    assert some.high - some.low == pytest.approx(whole.high - whole.low, rel=1 / 3)


def test_all_ratings_equal():
    found = phi(rated([[3, 3], [3, 3], [3, 3]]), limits=(1, 5))
    assert (found.value, found.map, found.high) == (1, 1, 1)
    assert found.unanimous
    assert 0 < found.low < 1
    assert found.verdict == "agreement"
    assert any("Phi is 1 by definition" in note for note in found.notes)
    with pytest.raises(DataError, match="every rating is 3 and the limits"):
        phi(rated([[3, 3], [3, 3]]))


def test_every_item_unanimous():
    found = phi(rated([[1, 1, 1], [5, 5, 5], [2, 2, 2]]), limits=(1, 5))
    assert found.value == 1
    assert found.unanimous
    two = phi(rated([[0, 0], [1, 1]]))
    assert (two.value, two.low, two.unanimous) == (1, None, True)
    assert two.verdict == "agreement"
    with pytest.raises(DataError, match="no central values"):
        two.items()


def test_words_say_what_the_verdict_says():
    few = phi(rated([[1, 1], [3, 3], [5, 5]]), limits=(1, 5))
    assert few.unanimous
    assert few.low < 0
    assert few.verdict == "cannot tell"
    assert few.words.startswith("cannot tell: the raters of every item agree in full, but ")
    more = phi(rated([[1, 1, 1], [3, 3, 3], [5, 5, 5]] * 3), limits=(1, 5))
    assert more.words == "agreement: the raters of every item agree in full"


def test_inferred_points_are_told():
    """1, 3 and 5 may be all of a scale of three points, or some of one of five."""
    inferred = phi(rated([[1, 3], [3, 5], [5, 5]]))
    assert inferred.points == 3
    assert "limits 1 to 5 inferred from the labels, 3 equally spaced points" in inferred.notes[0]


def test_level_of_items():
    found = phi(rated([[1, 2], [3, 5], [5, 5]]), limits=(1, 5))
    with pytest.raises(OptionError, match="level must be a number between 0 and 1"):
        found.items(2)


def test_two_points():
    found = phi(rated([[0, 1], [1, 1], [0, 0]]))
    assert math.isnan(found.value)
    assert found.verdict == "undefined"
    assert "not identified on a scale of two points" in found.estimate.undefined
    assert "kappa" in repr(found)
    assert "alpha" in found.words
    assert found.to_dict()["value"] is None
    assert found.density[0].size == 0


def test_items_with_one_rating():
    nan = math.nan
    table = [[1, 2, 2], [4, nan, 5], [3, 3, 3], [nan, nan, 1], [2, nan, nan]]
    found = phi(rated(table), limits=(1, 5))
    assert (found.items_used, found.items_dropped, found.ratings_used) == (3, 2, 8)
    assert "Phi: 2 items with a single rating left out." in found.notes
    assert found.value == phi(rated(table[:3]), limits=(1, 5)).value
    nothing = phi(rated([[1, nan], [nan, 3]]), limits=(1, 5))
    assert nothing.verdict == "undefined"
    assert "no item has two ratings" in nothing.estimate.undefined


def test_one_item_and_two_ratings_answer_and_warn():
    found = phi(rated([[2, 3]]), limits=(1, 5))
    assert found.verdict == "cannot tell"
    assert any("only one item" in note for note in found.notes)
    assert any("more than two ratings" in note for note in found.notes)
    assert any("far off" in n for n in phi(rated([[2, 3]]), limits=(1, 5), method="paper").notes)


def test_what_the_scale_is_read_as():
    assert phi(rated([[1, 3], [5, 3]])).points == 3
    assert phi(rated([[1, 3], [5, 3]]), limits=(1, 5)).points == 5
    assert phi(rated([[0, 0.3333], [0.6667, 1]])).points == 4
    assert phi(rated([[0, 25], [50, 75]]), limits=(0, 100)).points == 5
    assert phi(rated([[0, 1000], [17, 18]])).points == 1001
    noted = phi(rated([[1, 2], [5, 2]]))
    assert any("5 equally spaced points, of which 3 are labels" in note for note in noted.notes)
    words = Labels.from_triples(
        [0, 0, 1, 1], [0, 1, 0, 1], ["bad", "good", "fair", "fair"],
        scale=Scale(("bad", "fair", "good"), kind="ordinal"),
    )  # fmt: skip
    assert phi(words).limits == (1, 3)
    with pytest.raises(DataError, match="Phi needs labels that are numbers, but found 'no'"):
        phi(Labels.from_triples([0, 0], [0, 1], ["no", "1"]))
    with pytest.raises(DataError, match="none of 4 equally spaced points"):
        phi(rated([[1, 3], [5, 3]]), points=4)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"method": "papper"}, "did you mean 'paper'"),
        ({"level": 1.0}, "level must be a number between 0 and 1"),
        ({"limits": (5, 1)}, "the lower first"),
        ({"limits": (1, 5, 6)}, "must be two numbers"),
        ({"limits": 5}, "must be two numbers"),
        ({"gold": {0: 1}}, "gold needs gold_sd"),
        ({"gold_sd": 1}, "give gold=... as well"),
        ({"gold": {0: 1}, "gold_sd": 0}, "above 0"),
        ({"gold": {0: 9}, "gold_sd": 1}, "outside the limits"),
        ({"gold": [1], "gold_sd": 1}, "gold has 1 values"),
        ({"points": 1}, "from 2 to 100,001, not 1"),
    ],
)
def test_options_that_cannot_be_served(options, message):
    with pytest.raises((OptionError, DataError), match=message):
        phi(rated([[1, 2], [5, 3]]), **options)


def test_numbers_that_are_almost_equal_have_phi_one():
    found = phi(rated([[0.5, 0.5 + 1e-7], [0.2, 0.2 + 1e-7], [0.7, 0.7]] * 9), limits=(0, 1))
    # Nine items of two ratings against a prior that is flat up to 1.
    assert found.value == pytest.approx(1, abs=1e-3)
    assert found.low == pytest.approx(1, abs=1e-3)
    assert phi_of(np.array([2000.0]))[0] == 1

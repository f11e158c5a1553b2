"""Raters who count more or less."""

from __future__ import annotations

import numpy as np
import pytest

from headcount.data.comparisons import Comparisons
from headcount.errors import DataError
from headcount.pairwise.pairs import pairs


def crowd(seed=0, raters=8, answers=20):
    rng = np.random.default_rng(seed)
    n = raters * answers
    left = rng.integers(5, size=n)
    right = (left + rng.integers(1, 5, size=n)) % 5
    rater = np.repeat(np.arange(raters), answers)
    return Comparisons.from_columns(left, right, rng.integers(2, size=n), rater=rater)


def test_a_rater_of_weight_two_counts_twice():
    played = crowd()
    weighted = pairs(played, rater_weights={str(r): 2 if r == 3 else 1 for r in range(8)})
    again = played.select(np.concatenate([np.arange(160), np.flatnonzero(played.rater == 3)]))
    repeated = pairs(again, cluster="rater")
    for a, b in zip(weighted.items, repeated.items, strict=True):
        assert a.item == b.item
        assert a.rating.value == pytest.approx(b.rating.value, abs=1e-7)
        # Clusters know that it is the same rater.
        assert a.rating.low == pytest.approx(b.rating.low, abs=1e-6)


def test_only_the_sizes_of_weights_to_each_other_matter():
    played = crowd(1)
    weights = {str(r): r + 1 for r in range(8)}
    one = pairs(played, rater_weights=weights, cluster="none")
    ten = pairs(played, rater_weights={r: 10 * w for r, w in weights.items()}, cluster="none")
    assert [i.rating.low for i in one.items] == pytest.approx([i.rating.low for i in ten.items])


def test_weight_0_leaves_a_rater_out(tmp_path):
    played = crowd(2)
    path = tmp_path / "weights.csv"
    path.write_text("rater,weight\n" + "".join(f"{r},{int(r != 5)}\n" for r in range(8)))
    without = pairs(played.select(played.rater != 5))
    result = pairs(played, rater_weights=path)
    assert [i.rating.value for i in result.items] == pytest.approx(
        [i.rating.value for i in without.items], abs=1e-7
    )
    assert any("weighted by weights.csv, from 0 to 1" in note for note in result.notes)


@pytest.mark.parametrize(
    ("weights", "match"),
    [
        ({"0": 1}, "no weight of 7 raters"),
        ({str(r): 0 for r in range(8)}, "no rater has a weight above 0"),
        ({str(r): -1 for r in range(8)}, "not negative"),
    ],
)
def test_weights_that_cannot_be_used(weights, match):
    with pytest.raises(DataError, match=match):
        pairs(crowd(), rater_weights=weights)


def test_weights_need_raters():
    with pytest.raises(DataError, match="no rater column"):
        pairs(Comparisons.from_columns("ab", "ba", [1, 1]), rater_weights={"x": 1})

"""The same rater twice on an item: how far raters agree with themselves."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from headcount import DataError, Labels, agree, read_ratings
from headcount.agreement.prepare import prepare
from headcount.agreement.retest.retest import Twice
from headcount.agreement.scales.distances import Nominal, Quadratic

from . import naive


def rows(n=60, raters=3, seed=1):
    """Ratings on 1 to 5, every second item twice."""
    rng = np.random.default_rng(seed)
    truth = rng.normal(3, 1.2, n)
    out = []
    for time in (1, 2):
        for i in range(0, n, time):
            for j in range(raters):
                x = truth[i] + rng.normal(0, 0.4 + 0.3 * j)
                out.append((i, f"r{j}", int(np.clip(round(x), 1, 5))))
    return out


def read(triples):
    return Labels.from_triples(*zip(*triples, strict=True), duplicates="retest")


def test_first_ratings_are_compared_between_raters():
    data = rows()
    labels = read(data)
    assert len(labels) == 180
    assert len(labels.again) == 90
    first = Labels.from_triples(*zip(*data[:180], strict=True))
    assert agree(labels)["alpha"] == agree(first)["alpha"]
    assert any("90 ratings repeat an item and rater" in note for note in labels.notes)


def test_one_rater_is_alpha_of_two_columns():
    """Each rater's alpha is Krippendorff's of first and second ratings as two raters."""
    data = rows()
    found = agree(read(data), scale="interval").retest
    again = data[180:]
    known = {(i, r): x for i, r, x in data[:180]}
    for one in found.raters:
        pairs = [(i, known[i, r], x) for i, r, x in again if r == one.rater]
        items, a, b = zip(*pairs, strict=True)
        labels = Labels.from_triples([*items, *items], ["1"] * 30 + ["2"] * 30, [*a, *b])
        other = agree(labels, scale="interval", bootstrap=0)
        assert one.items == 30
        assert one.percent == pytest.approx(other["percent"].value)
        assert one.agreement.value == pytest.approx(other["alpha"].value)
        assert one.agreement.low < one.agreement.value < one.agreement.high


triples = st.lists(
    st.tuples(st.integers(0, 4), st.integers(0, 2), st.integers(1, 4), st.integers(1, 4)),
    min_size=2,
    max_size=12,
    unique_by=lambda x: x[:2],
)


def pooled(pairs, distance, leave=lambda i, j: False):
    """Alpha of all raters by loops, without some pairs."""
    seen = chance = 0.0
    kept = [x for x in pairs if not leave(*x[:2])]
    for rater in {j for _, j, _, _ in kept}:
        mine = [(x, y) for _, j, x, y in kept if j == rater]
        every = [x for pair in mine for x in pair]
        seen += sum(distance(x, y) for x, y in mine)
        n = len(every)
        total = sum(distance(x, y) for x in every for y in every)
        chance += len(mine) * total / (n * (n - 1))
    return None if chance < 1e-9 else 1 - seen / chance


@given(triples)
@settings(max_examples=80, deadline=None)
def test_without_items_raters_and_pairs_by_loops(pairs):
    data = [(i, j, x) for i, j, x, _ in pairs] + [(i, j, y) for i, j, _, y in pairs]
    for scale, distance, far in (
        ("nominal", Nominal, naive.nominal),
        ("interval", Quadratic, naive.quadratic),
    ):
        ready = prepare(read(data), scale)
        span = max(ready.numbers) - min(ready.numbers) if scale == "interval" else 1
        twice = Twice.of(ready, distance(ready.numbers))
        value = pooled(pairs, far)
        if value is None or not span:
            continue
        found = twice.pooled()
        assert found.value == pytest.approx(value, abs=1e-9)
        items = sorted({i for i, *_ in pairs})
        n = len(items)
        for row, item in enumerate(items):
            left = pooled(pairs, far, lambda i, _, item=item: i == item)
            change = 0.0 if left is None else (value - left) * (n - 1) / n
            assert found.items[row] == pytest.approx(change, abs=1e-9)
        for row, rater in enumerate(ready.labels.raters.tolist()):
            left = pooled(pairs, far, lambda _, j, rater=rater: j == rater)
            expected = np.nan if left is None else left
            assert found.without[row] == pytest.approx(expected, abs=1e-9, nan_ok=True)
        for row, (i, j) in enumerate(zip(twice.item.tolist(), twice.rater.tolist(), strict=True)):
            one = (ready.labels.items[i], ready.labels.raters[j])
            left = pooled(pairs, far, lambda i, j, one=one: (i, j) == one)
            change = 0.0 if left is None else value - left
            assert found.ratings[row] == pytest.approx(change, abs=1e-9)


def test_one_label_always_is_not_called_consistent():
    data = [(i, "a", "x") for i in range(12)] * 2
    data += [(i, "b", "xy"[i % 2]) for i in range(12)] * 2
    found = agree(read(data)).retest
    by = {one.rater: one for one in found.raters}
    assert by["a"].agreement.undefined == "every rating is the same"
    assert by["b"].agreement.value == 1
    assert found.percent == found.agreement.value == 1


def test_a_single_rater():
    """Nothing between raters, but something to say."""
    data = [row for row in rows() if row[1] == "r0"]
    result = agree(read(data))
    text = " ".join(str(result).split())
    assert text.startswith("Agreement between raters cannot be measured: there is one rater.")
    assert "The same rater twice: " in text
    assert result.to_dict()["retest"]["ratings"] == 30


def test_third_ratings_are_left_out_and_told():
    labels = read([(1, "a", "x"), (1, "a", "y"), (1, "a", "x"), (2, "a", "y"), (1, "b", "x")])
    assert len(labels) == 3
    assert len(labels.again) == 1
    assert labels.again.scale.labels[labels.again.label[0]] == "y"
    assert labels.dropped == {"repeated": 1}
    assert any("third time" in note for note in labels.notes)


def test_nothing_is_rated_twice():
    labels = read([(1, "a", "x"), (1, "b", "y"), (2, "a", "x"), (2, "b", "x")])
    result = agree(labels)
    assert result.retest is None
    assert any("no rater labels an item twice" in note for note in result.notes)


def test_sets_and_unrated_items_keep_second_ratings(tmp_path):
    path = tmp_path / "r.csv"
    lines = ["0,a,"] + [f"{i},{r},{x}" for i, r, x in twice_sets()]
    path.write_text("item,rater,label\n" + "\n".join(lines))
    found = agree(read_ratings(path, duplicates="retest")).retest
    assert found.percent == 1  # the second time in another order
    assert found.agreement.value == 1
    with pytest.raises(DataError, match="repeat an item and rater"):
        read_ratings(path)


def twice_sets():
    cells = ["x;y", "x", "y", "y;z", "z", "x;z"] * 2
    first = [(i, r, cell) for i, cell in enumerate(cells, 1) for r in "ab"]
    return first + [(i, r, ";".join(reversed(cell.split(";")))) for i, r, cell in first]


def test_the_order_of_ratings_plays_no_part():
    labels = read(rows())
    turned = replace(
        labels, item=labels.item[::-1], rater=labels.rater[::-1], label=labels.label[::-1]
    )
    assert agree(turned).retest.to_dict() == agree(labels).retest.to_dict()
    assert agree(turned.canonical()).retest.to_dict() == agree(labels).retest.to_dict()


def test_rare_labels_make_the_interval_of_all_raters_approximate():
    """The one bad cell of docs/studies/retest.md: 20 items, of which two are yes, by 20 raters."""
    rng = np.random.default_rng(4)
    data = [
        (i, f"r{j}", "yes" if (rng.random() < 0.9) == (i < 2) else "no")
        for _ in range(2)
        for i in range(20)
        for j in range(20)
    ]
    rare = agree(read(data), coefficients="alpha", bootstrap=0)
    assert rare.retest.approximate
    assert "approximate, as raters hardly gave" in " ".join(str(rare).split())
    assert not agree(read(rows()), coefficients="alpha", bootstrap=0).retest.approximate

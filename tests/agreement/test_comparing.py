"""Agreement compared: of two sets of ratings, of strata, of some raters with the others."""

from __future__ import annotations

import json
from dataclasses import replace

import numpy as np
import pytest

from headcount import DataError, OptionError, compare_agreement
from headcount.agreement import agree
from headcount.agreement.coefficients.catalogue import COEFFICIENTS
from headcount.agreement.prepare import prepare

from .data import random_labels, table


def test_a_difference_is_that_of_the_values():
    a, b = random_labels(60, 7, 3, seed=1), random_labels(80, 7, 3, skill=0.8, seed=2)
    found = compare_agreement(a, b, scale="nominal")
    values = [agree(x, scale="nominal", coefficients="alpha", bootstrap=0)["alpha"] for x in (a, b)]
    (one,) = found.differences
    assert one.difference.value == pytest.approx(values[0].value - values[1].value, abs=1e-12)
    assert one.difference.high < 0
    assert one.p_higher < 0.05
    for group, value in zip(found.groups, values, strict=True):
        e = group.agreement
        assert (e.value, e.low, e.high) == pytest.approx((value.value, value.low, value.high))
    turned = compare_agreement(b, a, scale="nominal").differences[0].difference
    assert (turned.low, turned.high) == pytest.approx((-one.difference.high, -one.difference.low))


def test_the_same_ratings_do_not_differ():
    labels = random_labels(40, 6, 3)
    (one,) = compare_agreement(labels, labels).differences
    assert one.difference.value == 0
    assert one.difference.low is None


def test_what_is_common_cancels():
    """The same items: a difference of two like panels is surer than apart."""
    rng = np.random.default_rng(3)
    share = rng.choice([0.02, 0.5, 0.98], (200, 1))  # items on which all panels agree, or none
    labels = table((rng.random((200, 12)) < share).astype(int).tolist())
    halves = [labels.rater < 6, labels.rater >= 6]
    parts = [
        replace(labels, item=labels.item[k], rater=labels.rater[k], label=labels.label[k])
        for k in halves
    ]
    named = [replace(x, raters=np.array([f"r{j}" for j in range(12)], dtype=object)) for x in parts]
    (paired,) = compare_agreement(*named).differences
    other = replace(named[1], items=np.arange(1000, 1200))
    (apart,) = compare_agreement(named[0], other).differences
    assert paired.difference.value == apart.difference.value
    width = paired.difference.high - paired.difference.low
    assert width < apart.difference.high - apart.difference.low


def test_strata():
    labels = random_labels(90, 6, 3, seed=4)
    by = {i: "abc"[i % 3] for i in range(80)}
    found = compare_agreement(labels, by=by)
    assert [one.name for one in found.groups] == ["a", "b", "c"]
    assert [one.items for one in found.groups] == [27, 27, 26]
    assert len(found.differences) == 3
    assert any("10 items without a stratum" in note for note in found.notes)
    document = json.loads(json.dumps(found.to_dict(), allow_nan=False))
    assert document["groups"][0]["agreement"]["low"] is not None
    assert len(found.to_frame("pandas")) == 6
    assert max(map(len, str(found).splitlines())) <= 80


def by_loops(rows, pairs):
    """Pooled Conger's kappa of complete ratings over some pairs of raters."""
    far = expected = 0.0
    n = len(rows)
    for a, b in pairs:
        far += sum(rows[i][a] != rows[i][b] for i in range(n))
        apart = [rows[i][a] != rows[k][b] for i in range(n) for k in range(n) if i != k]
        expected += n * np.mean(apart)
    return 1 - far / expected


def test_some_raters_against_the_others():
    labels = random_labels(25, 6, 3, seed=5)
    rows = labels.label.reshape(25, 6)
    found = compare_agreement(labels, against=[5], scale="nominal")
    mixed = [(j, 5) for j in range(5)]
    human = [(a, b) for a in range(5) for b in range(a + 1, 5)]
    assert found.groups[0].agreement.value == pytest.approx(by_loops(rows, mixed), abs=1e-12)
    assert found.groups[1].agreement.value == pytest.approx(by_loops(rows, human), abs=1e-12)
    assert found.groups[0].raters == 5
    assert [one.ratings for one in found.groups] == [150, 125]
    # Without a human, both lose that human's pairs.
    data = prepare(labels, "nominal")
    table = data.rater_pairs
    one = COEFFICIENTS["conger"].influence_of(data, (table.a == 5) | (table.b == 5))
    rest = by_loops(rows, [(j, 5) for j in range(5) if j != 2])
    assert one.without[2] == pytest.approx(rest, abs=1e-12)


def test_what_cannot_be_compared():
    labels = random_labels(20, 6, 3)
    with pytest.raises(OptionError, match="give one of"):
        compare_agreement(labels)
    with pytest.raises(OptionError, match="no rater is called 'zoe'"):
        compare_agreement(labels, against=["zoe"])
    with pytest.raises(OptionError, match="must have 2 to 12 different values"):
        compare_agreement(labels, by=dict.fromkeys(range(20), "x"))
    with pytest.raises(DataError, match="agreement cannot be measured"):
        compare_agreement(labels, by={0: "a", 1: "b"} | dict.fromkeys(range(2, 20), "b"),
                          coefficient="icc1")  # fmt: skip


def test_categories():
    labels = random_labels(60, 6, 3, seed=6)
    result = agree(labels, scale="nominal", bootstrap=0, by_category=True)
    assert {one.label for one in result.categories} == {"1", "2", "3"}
    values = [one.agreement.value for one in result.categories]
    assert values == sorted(values)
    one = result.categories[0]
    two = replace(labels, label=(labels.label == int(one.label) - 1).astype(np.int64))
    alone = agree(two, scale="nominal", coefficients="alpha", bootstrap=0)["alpha"]
    assert one.agreement.value == pytest.approx(alone.value, abs=1e-12)
    assert (one.agreement.low, one.agreement.high) == pytest.approx((alone.low, alone.high))
    assert "each label against all others" in str(result)
    assert sum(one.share for one in result.categories) == pytest.approx(1)


def test_a_rater_who_is_always_higher_is_harsh_not_random():
    rng = np.random.default_rng(2)
    truth = rng.integers(2, 7, (60, 1))
    near = truth + rng.integers(0, 2, (60, 4))
    rows = np.hstack([near, truth + 2, rng.integers(1, 10, (60, 1))])
    result = agree(table(rows.tolist()), bootstrap=0, by_rater=True, by_item=True)
    by_rater = {one.rater: one for one in result.raters}
    assert result.raters[0].rater == 5  # at random: least consistent
    assert by_rater[5].consistency < 0.3
    assert by_rater[4].consistency > 0.8
    assert by_rater[4].severity > 1
    others = (rows.sum(axis=1) - rows[:, 4]) / 5
    assert by_rater[4].severity == pytest.approx((rows[:, 4] - others).mean())
    assert by_rater[4].consistency == pytest.approx(np.corrcoef(rows[:, 4], others)[0, 1])
    assert 5 in (result.pairs[0].a, result.pairs[0].b)  # worst first
    item = next(one for one in result.items if one.item == 7)
    assert item.said == {str(j): str(x) for j, x in enumerate(rows[7].tolist())}
    nominal = agree(table(rows.tolist()), scale="nominal", bootstrap=0, by_rater=True)
    assert nominal.raters[0].severity is None


def test_few_raters_have_both_intervals():
    labels = random_labels(60, 4, 3, seed=2)
    half = {item: "even" if item % 2 == 0 else "odd" for item in range(60)}
    found = compare_agreement(labels, by=half, scale="nominal")
    fixed = compare_agreement(labels, by=half, scale="nominal", raters="fixed")
    for a, b in zip(found.groups, fixed.groups, strict=True):
        assert a.these_raters == b.agreement
        assert b.these_raters is None
    assert found.differences[0].these_raters == fixed.differences[0].difference
    assert "for these raters" in str(found)
    assert max(map(len, str(found).splitlines())) <= 80
    many = compare_agreement(random_labels(60, 7, 3, seed=2), by=half, scale="nominal")
    assert many.groups[0].these_raters is None


def test_files_of_the_same_name_are_told_apart(tmp_path):
    rows = "item,ann,bob,cy\n" + "".join(f"{i},{i % 2},{i % 3 % 2},{i % 2}\n" for i in range(30))
    for folder in ("first", "second"):
        (tmp_path / folder).mkdir()
        (tmp_path / folder / "r.csv").write_text(rows)
    with (tmp_path / "second" / "r.csv").open("a") as file:
        file.write("30,NA,1,1\n31,0,0,n/a\n")
    paths = [tmp_path / folder / "r.csv" for folder in ("first", "second")]
    found = compare_agreement(*paths)
    assert [one.name for one in found.groups] == ["first/r.csv", "second/r.csv"]
    assert any(note.startswith("second/r.csv: ") for note in found.notes)
    same = compare_agreement(paths[0], paths[0])
    assert [one.name for one in same.groups] == ["r.csv (1)", "r.csv (2)"]

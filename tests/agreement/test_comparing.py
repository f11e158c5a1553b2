"""Agreement compared: sets of ratings, strata, two raters, and raters with themselves."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from headcount import DataError, Labels, OptionError, agree, compare_agreement, read_ratings
from headcount.agreement.coefficients import COEFFICIENTS
from headcount.agreement.comparison import Twice
from headcount.agreement.prepare import prepare
from headcount.agreement.scales import Nominal, Quadratic
from tests.agreement import naive
from tests.agreement.data import random_labels, table

# Agreement compared: of two sets of ratings, of strata, of some raters with the others.


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
    assert [one.raters for one in found.groups] == [6, 5]
    assert [one.ratings for one in found.groups] == [150, 125]
    few = compare_agreement(random_labels(25, 3, 3, seed=5), against=[2])
    assert any("without '2', two raters cannot show how" in str(note) for note in few.notes)
    # Without a human, both lose that human's pairs.
    data = prepare(labels, "nominal")
    table = data.rater_pairs
    one = COEFFICIENTS["pooled_kappa"].influence_of(data, (table.a == 5) | (table.b == 5))
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
    assert by_rater[4].bias > 1
    others = (rows.sum(axis=1) - rows[:, 4]) / 5
    assert by_rater[4].bias == pytest.approx((rows[:, 4] - others).mean())
    assert by_rater[4].consistency == pytest.approx(np.corrcoef(rows[:, 4], others)[0, 1])
    assert 5 in (result.pairs[0].a, result.pairs[0].b)  # worst first
    item = next(one for one in result.items if one.item == 7)
    assert item.said == {str(j): str(x) for j, x in enumerate(rows[7].tolist())}
    nominal = agree(table(rows.tolist()), scale="nominal", bootstrap=0, by_rater=True)
    assert nominal.raters[0].bias is None


def test_few_raters_are_told_of():
    labels = random_labels(60, 4, 3, seed=2)
    half = {item: "even" if item % 2 == 0 else "odd" for item in range(60)}
    found = compare_agreement(labels, by=half, scale="nominal")
    assert any("For these alone: intervals='fixed'" in note for note in found.notes)
    assert max(map(len, str(found).splitlines())) <= 80
    fixed = compare_agreement(labels, by=half, scale="nominal", intervals="fixed")
    assert fixed.holds_for == "for these raters"
    many = compare_agreement(random_labels(60, 7, 3, seed=2), by=half, scale="nominal")
    assert not any("For these alone" in note for note in many.notes)


def test_files_of_the_same_name_are_called_by_their_paths(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    rows = "item,ann,bob,cy\n" + "".join(f"{i},{i % 2},{i % 3 % 2},{i % 2}\n" for i in range(30))
    for folder in ("first", "second"):
        (tmp_path / folder).mkdir()
        (tmp_path / folder / "r.csv").write_text(rows)
    with (tmp_path / "second" / "r.csv").open("a") as file:
        file.write("30,NA,1,1\n31,0,0,n/a\n")
    paths = [Path(folder, "r.csv") for folder in ("first", "second")]
    found = compare_agreement(*paths)
    assert [one.name for one in found.groups] == ["first/r.csv", "second/r.csv"]
    assert any(note.startswith("second/r.csv: ") for note in found.notes)
    same = compare_agreement(paths[0], paths[0])
    assert [one.name for one in same.groups] == ["r.csv (1)", "r.csv (2)"]


# Bland and Altman's limits of agreement.

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
    assert "upper limit" in str(result)
    assert "upper limit of agreement" in result.to_text(details=True)
    assert set(result.to_dict()["bland_altman"]) == {"a", "b", "items", "bias", "lower", "upper"}
    assert (result.to_frame()["kind"] == "difference").sum() == 3


# The same rater twice on an item: how far raters agree with themselves.


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
        assert one.agreement == pytest.approx(other["alpha"].value)


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
    assert by["a"].agreement is None
    assert by["b"].agreement == 1
    assert found.percent == found.agreement.value == 1


def test_a_single_rater():
    """Nothing between raters, but something to say."""
    data = [row for row in rows() if row[1] == "r0"]
    result = agree(read(data))
    text = " ".join(str(result).split())
    assert text.startswith("Agreement between raters cannot be measured: there is only one rater.")
    assert "Ratings repeated by the same rater: " in text
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
    """The bad cell of docs/studies/agreement.md: 20 items, of which two are yes, by 20 raters."""
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

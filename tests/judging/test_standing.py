from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from headcount import Labels, Predictions, agree
from headcount.judging.beside_people.beside_people import FEWEST_ITEMS, standing_of
from headcount.judging.beside_people.kappas import compare, pairs_of
from headcount.judging.prepare import prepare
from headcount.results.notes import Notes

from .naive import kappas

LEVEL = 0.95


def made(columns, judge, **options):
    """Put wide columns of people and a judge's column on one scale."""
    items = range(len(judge))
    triples = [(i, who, x) for who, said in columns.items() for i, x in enumerate(said) if x]
    labels = Labels.from_triples(*map(list, zip(*triples, strict=True)))
    predictions = Predictions.from_labels(items, {"judge": [x or None for x in judge]})
    given_ = {"scale": None, "positive": None, "by": None, "notes": Notes(), **options}
    return prepare(labels, predictions, **given_)


def random_data(seed, items=60, people=4, labels="12345", missing=0.2):
    rng = np.random.default_rng(seed)
    state = rng.dirichlet(np.full(len(labels), 0.5), size=items)

    def one(gone=missing):
        said = [str(rng.choice(list(labels), p=p)) for p in state]
        return [x if rng.random() >= gone else "" for x in said]

    return {f"p{k}": one() for k in range(people)}, one(0.05)


ratings_of = st.lists(
    st.tuples(*[st.sampled_from(["", "x", "y", "z"])] * 4), min_size=4, max_size=25
)


@given(ratings_of)
def test_kappas_are_those_of_loops_over_pairs(rows):
    """Sparse ratings of three people and a judge; to rounding, 1e-9."""
    codes = {"x": 0, "y": 1, "z": 2}
    ratings = {(i, h): codes[row[h]] for i, row in enumerate(rows) for h in range(3) if row[h]}
    judge = {i: codes[row[3]] for i, row in enumerate(rows) if row[3]}
    if not ratings:
        return
    item, rater = (np.array(part) for part in zip(*sorted(ratings), strict=True))
    label = np.array([ratings[key] for key in sorted(ratings)])
    says = np.array([judge.get(i, -1) for i in range(len(rows))])
    present = np.unique(rater[says[item] >= 0])
    if not len(present):
        return
    pairs = pairs_of(item, rater, label, says, compared=present, labels=3)
    for distance in (1 - np.eye(3), (np.arange(3)[:, None] - np.arange(3)) ** 2 / 4):
        found = compare(pairs, distance)
        slow = kappas(ratings, judge, range(3), lambda a, b, d=distance: d[a, b])
        for k, h in enumerate(present.tolist()):
            person, judged = slow[h]
            if math.isnan(person) or math.isnan(judged):
                assert math.isnan(found.person[k])
                assert math.isnan(found.judge[k])
            else:
                assert found.person[k] == pytest.approx(person, abs=1e-9)
                assert found.judge[k] == pytest.approx(judged, abs=1e-9)


def test_by_hand():
    """Two people and a judge on four items, x or y.

    ann xxyy, bob xxyx, judge xyyy. ann and bob differ on 1 of 4; of the 12 pairs of different items
    ann's label and bob's differ in 8 - 1 = 7 (of all 16, ann's two x meet bob's one y, ann's two y
    bob's three x: 8). So kappa = 1 - 1 / (4 x 7 / 12) = 4 / 7. The judge in ann's place differs
    from bob on items 2 and 4: 2; of all 16 pairs one x meets one y, three y three x: 10, so 8 of 12
    of different items; kappa = 1 - 2 / (4 x 8 / 12) = 1 / 4.
    """
    ann, bob, judge = [0, 0, 1, 1], [0, 0, 1, 0], np.array([0, 1, 1, 1])
    item, rater = np.arange(4).repeat(2), np.tile([0, 1], 4)
    label = np.array([x for both in zip(ann, bob, strict=True) for x in both])
    pairs = pairs_of(item, rater, label, judge, compared=np.array([0, 1]), labels=2)
    found = compare(pairs, 1 - np.eye(2))
    assert found.person[0] == pytest.approx(4 / 7)
    assert found.judge[0] == pytest.approx(1 / 4)


def test_of_two_people_it_is_congers_kappa():
    columns, judge = random_data(1, people=2, labels="xyz", missing=0)
    one = standing_of((p := made(columns, judge)).judges[0], p, LEVEL)
    kept = [i for i, x in enumerate(judge) if x]
    items = {who: [said[i] for i in kept] for who, said in columns.items()}
    conger = agree({"item": kept, **items}, bootstrap=0)["conger"].value
    assert one.people_kappa.value == pytest.approx(conger, abs=1e-12)
    half = one.kappa.value - one.people_kappa.value / 2
    assert one.over_half.value == pytest.approx(half, abs=1e-12)
    assert one.over_half.low < half < one.over_half.high


@given(st.integers(0, 10_000), st.booleans())
def test_who_swaps_places_with_the_judge_swaps_kappas(seed, ordered):
    labels = "12345" if ordered else "xyz"
    columns, judge = random_data(seed, items=25, people=3, labels=labels, missing=0)
    judge = [a or b for a, b in zip(judge, columns["p0"], strict=True)]
    both = []
    for mine, theirs in ((columns["p0"], judge), (judge, columns["p0"])):
        prepared = made({**columns, "p0": mine}, theirs)
        found = standing_of(prepared.judges[0], prepared, LEVEL)
        both.append({row.person: row for row in found.people}["p0"])
    assert both[0].kappa == pytest.approx(both[1].judge_kappa, abs=1e-12)
    assert both[0].agreement == pytest.approx(both[1].judge_agreement, abs=1e-12)
    assert both[0].recall == pytest.approx(both[1].judge_recall, abs=1e-12)
    if ordered:
        assert both[0].bias == pytest.approx(both[1].judge_bias, abs=1e-12)


def test_agreement_and_severity_are_those_of_agree():
    columns, judge = random_data(3, missing=0.3)
    judge = [x or "3" for x in judge]
    prepared = made(columns, judge)
    found = {row.person: row for row in standing_of(prepared.judges[0], prepared, LEVEL).people}
    raters = agree(prepared.people, by_rater=True, bootstrap=0).raters
    for one in raters:
        assert found[one.rater].agreement == pytest.approx(one.agreement.value, abs=1e-12)
        assert found[one.rater].bias == pytest.approx(one.severity, abs=1e-12)
        assert found[one.rater].items == one.compared


@pytest.mark.parametrize("labels", ["xy", "12345"])
def test_changes_are_those_of_a_jackknife_and_sum_to_nothing(labels):
    """Leaving out an item changes the mean by about minus its influence: within a tenth."""
    columns, judge = random_data(5, items=80, labels=labels)
    prepared = made(columns, judge)
    people, says = prepared.people, prepared.judges[0].label

    def found(keep):
        some = keep[people.item]
        pairs = pairs_of(
            people.item[some], people.rater[some], people.label[some], says,
            compared=np.arange(4), labels=len(prepared.labels),
        )  # fmt: skip
        return pairs, compare(pairs, prepared.distance)

    everything = np.ones(len(people.items), dtype=bool)
    pairs, whole = found(everything)
    change = whole.judge_changes - whole.person_changes
    assert change.sum() == pytest.approx(0, abs=1e-12)
    used = np.unique(
        people.item[(says[people.item] >= 0) & (np.bincount(people.item)[people.item] > 1)]
    )
    without = []
    for item in used.tolist():
        keep = everything.copy()
        keep[item] = False
        _, left = found(keep)
        without.append(np.mean(left.judge - left.person))
    n = len(used)
    assert pairs.items == n
    jackknife = (n - 1) / n * ((np.array(without) - np.mean(without)) ** 2).sum()
    assert (change**2).sum() * n / (n - 1) == pytest.approx(jackknife, rel=0.1)


def test_too_few_items_have_no_interval():
    columns, judge = random_data(7, items=FEWEST_ITEMS - 5, missing=0)
    prepared = made(columns, [x or "1" for x in judge])
    one = standing_of(prepared.judges[0], prepared, LEVEL)
    assert one.difference.low is None
    assert one.error > 0


def test_people_who_never_differ_leave_room_for_doubt():
    """40 items on which all agree: kappa 1, and 3 in 40 may be otherwise."""
    said = ["x", "y"] * 20
    prepared = made({"ann": said, "bob": said, "eve": said}, said)
    one = standing_of(prepared.judges[0], prepared, LEVEL)
    assert (one.kappa.value, one.difference.value) == (1, 0)
    # Chance differs on half of all pairs but those of the same item: 20 of 39.
    assert one.difference.low == pytest.approx(-3 / (40 * 20 / 39))
    assert one.kappa.high == 1


def test_people_who_share_few_items_have_no_standing():
    said = ["x", "y"] * 20
    prepared = made({"ann": said, "bob": said[:9] + [""] * 31}, said)
    assert standing_of(prepared.judges[0], prepared, LEVEL) is None


def test_many_people_are_a_sample():
    columns, judge = random_data(2, items=150, people=7, labels="xy", missing=0)
    prepared = made(columns, [x or "x" for x in judge])
    one = standing_of(prepared.judges[0], prepared, LEVEL)
    assert one.holds_for == "for raters like these"
    assert 1 <= one.place <= 8
    assert len(one.people) == 7

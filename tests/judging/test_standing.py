"""Where a judge stands among people, and the gate."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from headcount import Labels, OptionError, Predictions, agree
from headcount.judging.beside_people import FEWEST_ITEMS, Standing, standing_of
from headcount.judging.gate import (
    MOST_ITEMS,
    MOST_TIMES,
    AltTestPassed,
    BiasWithin,
    Evidence,
    Gate,
    LikeAPerson,
    WorthAtLeast,
    all_of,
    items_needed,
    more_items,
    readiness_of,
)
from headcount.judging.prepare import prepare
from headcount.judging.readiness import compare, pairs_of
from headcount.results.notes import Notes
from headcount.stats.estimate import Estimate
from tests.judging.naive import kappas

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
    conger = agree({"item": kept, **items}, bootstrap=0)["pooled_kappa"].value
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


def test_agreement_and_bias_are_those_of_agree():
    columns, judge = random_data(3, missing=0.3)
    judge = [x or "3" for x in judge]
    prepared = made(columns, judge)
    found = {row.person: row for row in standing_of(prepared.judges[0], prepared, LEVEL).people}
    raters = agree(prepared.people, by_rater=True, bootstrap=0).raters
    for one in raters:
        assert found[one.rater].agreement == pytest.approx(one.agreement.value, abs=1e-12)
        assert found[one.rater].bias == pytest.approx(one.bias, abs=1e-12)
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


def worth(value, low, high, top=4.0, known=2.0):
    bounds = (0.0, top)
    return Estimate(value, low=low, high=high, level=0.95, bounds=bounds, known=known)


def evidence(found=None, *, items=150, standing=None, agree=True, beats=None):
    found = found or worth(1.5, 1.2, 1.9)
    return Evidence(
        worth=found, items=items, standing=standing, alt_test=None, level=0.95, agree=agree,
        beats=beats,
    )  # fmt: skip


ABOVE_HALF = Estimate(0.2, low=0.1, high=0.3)


def standing(value, low, high, *, error=0.06, items=150, half=ABOVE_HALF, bias=None, below=None):
    return Standing(
        kappa=Estimate(0.5), people_kappa=Estimate(0.5), over_half=half,
        difference=Estimate(value, low=low, high=high), error=error,
        holds_for="", agreement=0.5, people_agreement=0.5, bias=bias, spread=1.0,
        class_below=below, people=(),
        better_than=0, place=1, items=items, weights="nominal",
    )  # fmt: skip


@pytest.mark.parametrize(
    ("found", "mark", "status"),
    [
        (worth(2.5, 2.1, 3.0), 2, "pass"),
        (worth(1.5, 1.2, 1.9), 2, "fail"),
        (worth(2.5, 1.9, 3.0), 2, "cannot tell"),
        (worth(2.5, 2.0, 3.0), 2, "cannot tell"),  # the mark itself is not above it
        (worth(math.inf, 2.5, math.inf), 2, "pass"),
        (worth(-math.inf, -math.inf, 0.5), 1, "fail"),
    ],
)
def test_worth_is_decided_on_the_interval(found, mark, status):
    assert WorthAtLeast(mark).decide(evidence(found)).status == status


@pytest.mark.parametrize(
    ("ends", "status"),
    [((-0.15, 0.1), "pass"), ((-0.4, -0.21), "fail"), ((-0.25, 0.1), "cannot tell")],
)
def test_like_a_person_is_decided_on_the_interval(ends, status):
    one = standing(sum(ends) / 2, *ends)
    assert LikeAPerson(0.2).decide(evidence(standing=one)).status == status


def test_nothing_is_decided_with_few_items_or_people_who_do_not_agree():
    few = WorthAtLeast(1).decide(evidence(items=20))
    assert (few.status, few.why) == ("cannot tell", "20 items are too few to tell")
    assert few.more_items >= 80  # what 20 items show of a worth may be luck
    lost = WorthAtLeast(1).decide(evidence(agree=False))
    assert lost.status == "cannot tell"
    assert "the data do not show that people agree" in lost.why
    assert LikeAPerson(0.2).decide(evidence()).status == "cannot tell"
    assert AltTestPassed(0.2).decide(evidence()).status == "cannot tell"


def test_items_for_a_worth_go_by_the_lead_over_so_many_raters():
    """An end beyond what data show is no end: the lead in standard errors is, from beats."""
    open_end = worth(1.6, -math.inf, math.inf, top=2.0)
    lead = 0.8413447  # one standard error
    found = WorthAtLeast(2).decide(evidence(open_end, beats=(0.9, 0.5, 1 - lead)))
    assert found.more_items == more_items(items_needed(1, 1, 150, 0.95), 150, least=30)
    half = WorthAtLeast(1.5).decide(evidence(open_end, beats=(0.9, 0.5, 1 - lead)))
    assert half.more_items is None or half.more_items > found.more_items
    unknown = WorthAtLeast(2).decide(evidence(open_end))
    assert unknown.more_items is None
    assert "a worth above 2 raters cannot be measured" in unknown.why  # not 'too close to tell'
    beyond = worth(2.5, 1.9, math.inf)  # .5 by .306: the other end does not matter
    closed = WorthAtLeast(2).decide(evidence(beyond, beats=(0.9, 0.5, 0.5)))
    assert closed.more_items == more_items(items_needed(0.5, 0.6 / 1.96, 150, 0.95), 150, least=30)


def test_the_margin_forgives_no_more_than_half_of_peoples_kappa():
    """Labels at random lack little where people agree little: .3 of .3 is not within .2 of it."""
    below, above = Estimate(-0.15, low=-0.28, high=-0.02), Estimate(-0.1, low=-0.23, high=0.03)
    found = LikeAPerson(0.2).decide(evidence(standing=standing(-0.3, -0.45, -0.15, half=below)))
    assert found.status == "fail"
    assert "less than half of people's kappa" in found.shown
    open_still = LikeAPerson(0.2).decide(
        evidence(standing=standing(-0.3, -0.45, -0.15, half=above))
    )
    assert open_still.status == "cannot tell"
    # The two gaps are .1 each, the errors .06 and .13 / 1.96: the second mark takes more items.
    error = 0.13 / 1.959964
    assert open_still.more_items == more_items(items_needed(0.1, error, 150, 0.95), 150, least=80)
    # Within the margin, and yet less than half of what people have.
    fails = LikeAPerson(0.2).decide(evidence(standing=standing(-0.1, -0.19, -0.01, half=below)))
    assert fails.status == "fail"


def test_what_is_allowed_is_said_as_it_is_decided():
    weak = replace(standing(-0.09, -0.2, 0.02), people_kappa=Estimate(0.18))
    assert (weak.allowed(0.2), weak.allowed(0.05)) == (0.09, 0.05)
    # Differences are those of the numbers printed beside them.
    odd = replace(weak, kappa=Estimate(0.617), people_kappa=Estimate(0.662))
    assert odd.shown_difference == "-0.04, -0.20 to +0.02"


def test_more_raters_than_data_show():
    found = WorthAtLeast(9).decide(evidence(worth(math.inf, 2.0, math.inf)))
    assert found.status == "cannot tell"
    assert "with so few ratings of each item, a worth above" in found.why


def test_items_needed_by_hand():
    """z = 1.95996 + .84162; a gap of one standard error takes z^2 = 7.849 times the items."""
    assert items_needed(0.1, 0.1, 100, 0.95) == pytest.approx(784.9, abs=0.1)
    assert items_needed(0.0, 0.1, 100, 0.95) == math.inf
    assert more_items(784.9, 100, least=30) == 690
    assert more_items(100 * MOST_TIMES + 1, 100, least=30) is None


@given(st.floats(1, 1e5), st.integers(1, 5000))
def test_more_items_are_some_or_too_many(needed, items):
    more = more_items(needed, items, least=30)
    if more is None:
        assert needed > min(MOST_TIMES * items, MOST_ITEMS)
    else:
        assert more >= 1
        assert items + more >= min(needed, 30)


def test_too_close_to_tell():
    one = standing(-0.2, -0.32, -0.08)
    found = LikeAPerson(0.2).decide(evidence(standing=one))
    assert found.more_items is None
    assert "too close to tell" in found.why


def test_all_must_pass():
    assert all_of(["pass", "pass"]) == "pass"
    assert all_of(["pass", "cannot tell"]) == "cannot tell"
    assert all_of(["cannot tell", "fail", "pass"]) == "fail"


def test_marks_are_checked():
    assert Gate().besides == ()
    assert [kind.mark for kind in Gate().of_readiness] == [0.2, 0.4, 0.1]
    assert Gate(agree_like_a_person=0.1).of_readiness[0].mark == 0.1
    with pytest.raises(OptionError, match="agree_like_a_person"):
        _ = Gate(agree_like_a_person=-1).of_readiness
    with pytest.raises(OptionError, match="worth_at_least"):
        _ = Gate(worth_at_least=0).besides
    with pytest.raises(OptionError, match="alt_test"):
        _ = Gate(alt_test=1).besides


@pytest.mark.parametrize(
    ("ends", "status"),
    [
        ((-0.1, 0.3), "pass"),
        ((0.5, 0.8), "fail"),
        ((-0.8, -0.41), "fail"),
        ((0.1, 0.41), "cannot tell"),
        ((-0.5, 0.1), "cannot tell"),
    ],
)
def test_a_bias_is_decided_on_both_ends(ends, status):
    """The margin is .4 standard deviations, and people's is 1 here."""
    bias = Estimate(sum(ends) / 2, low=ends[0], high=ends[1])
    found = BiasWithin(0.4).decide(evidence(standing=standing(0, -0.1, 0.1, bias=bias)))
    assert found.status == status


def test_a_verdict_by_what_conditions_say():
    def conditions(*statuses):
        kind = LikeAPerson(0.2)
        return [kind.condition(status, shown="", items=100) for status in statuses]

    passed, failed = conditions("pass", "pass"), conditions("pass", "fail")
    undecided = conditions("pass", "cannot tell")
    assert readiness_of(passed, failed) == "ready"
    assert readiness_of(failed, passed) == "ready once recalibrated"
    assert readiness_of(undecided, passed) == "ready once recalibrated"
    assert readiness_of(failed, undecided) == readiness_of(failed, None) == "not ready"
    assert readiness_of(undecided, failed) == "cannot tell yet"

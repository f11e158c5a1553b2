"""What the verdict rests on: its intervals, the ledger of looks, maps, leaks, and a baseline."""

from __future__ import annotations

import json
import re

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from headcount import DataError, Labels, OptionError, Predictions, judge
from headcount.judging.gate import worth_words
from headcount.judging.maps import learn_map, map_labels, recalibrated, take_maps, write_maps
from headcount.judging.over_time import Change
from headcount.judging.readiness import (
    _Kappas,
    boundary,
    class_below_people,
    compare,
    followed_person,
    p_over_looks,
    pairs_of,
    patterns,
    studentised,
)
from headcount.stats.estimate import Estimate

FEW = {"bootstrap": 20}


def stars(items=150, people=3, seed=1, *, shift=0.0, noise=0.6):
    """People on a scale from 1 to 5, and a judge like them but for a shift."""
    rng = np.random.default_rng(seed)
    truth = rng.normal(3, 1.1, items)

    def rate(bias=0.0):
        return np.clip(np.round(truth + bias + rng.normal(0, noise, items)), 1, 5).astype(int)

    said = np.concatenate([rate() for _ in range(people)])
    who = np.repeat([f"p{k}" for k in range(people)], items)
    names = [f"i{k}" for k in range(items)]
    labels = Labels.from_triples(names * people, who.tolist(), [str(v) for v in said])
    return labels, Predictions.from_labels(names, {"judge": [str(v) for v in rate(shift)]})


def some_of(labels, predictions, number):
    """The first items of both."""
    kept = {f"i{k}" for k in range(number)}
    rows = np.array([str(labels.items[code]) in kept for code in labels.item])
    codes = np.array([str(item) in kept for item in predictions.items])
    table = predictions.classifiers[0].probability[codes]
    said = [predictions.labels[k] for k in table.argmax(axis=1)]
    items = [str(item) for item in predictions.items[codes]]
    triples = zip(labels.item[rows], labels.rater[rows], labels.label[rows], strict=True)
    item, rater, label = zip(
        *((labels.items[i], labels.raters[r], labels.scale.labels[v]) for i, r, v in triples),
        strict=True,
    )
    return Labels.from_triples(item, rater, label), Predictions.from_labels(items, {"judge": said})


# Intervals: the bootstrap's kappas are those of compare, and its errors those of influences.


@settings(max_examples=25, deadline=None)
@given(st.integers(0, 10_000), st.booleans())
def test_a_sample_that_changes_nothing_gives_the_kappas_of_compare(seed, clustered):
    rng = np.random.default_rng(seed)
    items, people, labels = 12, 3, 3
    item = np.repeat(np.arange(items), people)
    rater = np.tile(np.arange(people), items)
    label, says = rng.integers(0, labels, items * people), rng.integers(0, labels, items)
    cluster = rng.integers(0, 5, items) if clustered else None
    pairs = pairs_of(
        item, rater, label, says, compared=np.arange(people), labels=labels, cluster=cluster
    )
    distance = 1.0 - np.eye(labels)
    distinct, multiplicity = patterns(pairs)
    factors = np.array([[1.0, -1.0]])
    value, error = studentised(_Kappas(distinct, distance), factors, multiplicity[None, :] * 1.0)
    kappas = compare(pairs, distance)
    assert value[0, 0] == pytest.approx(np.nanmean(kappas.judge - kappas.person), abs=1e-9)
    changes = kappas.judge_changes - kappas.person_changes
    units = pairs.units
    assert len(changes) == units == (items if cluster is None else len(np.unique(cluster)))
    wanted = np.sqrt(units / (units - 1) * (changes**2).sum()) if units > 1 else np.nan
    assert error[0, 0] == pytest.approx(wanted, abs=1e-9)


def test_one_cluster_an_item_changes_nothing():
    people, says = stars()
    plain = judge(people, says, **FEW)["judge"].standing
    own = {str(item): str(item) for item in people.items}
    clustered = judge(people, says, cluster=own, **FEW)["judge"].standing
    assert clustered.difference == plain.difference
    assert clustered.bias == plain.bias
    assert (clustered.clusters, plain.clusters) == (150, None)


def test_a_document_that_stands_twice_counts_once():
    # Each item twice, in one document: as if it stood there once.
    people, says = stars(items=120)
    item = [f"{people.items[i]}{half}" for half in "ab" for i in people.item]
    rater = [people.raters[r] for _ in "ab" for r in people.rater]
    label = [people.scale.labels[v] for _ in "ab" for v in people.label]
    twice = Labels.from_triples(item, rater, label)
    table = says.classifiers[0].probability.argmax(axis=1)
    answers = [says.labels[k] for k in table]
    both = [f"{item}{half}" for half in "ab" for item in says.items]
    judges = Predictions.from_labels(both, {"judge": answers * 2})
    once = judge(people, says, **FEW)["judge"].standing
    half = judge(twice, judges, cluster=re.compile("^(.+)[ab]$"), **FEW)["judge"].standing
    assert half.bias.low == pytest.approx(once.bias.low, abs=1e-9)
    assert half.bias.high == pytest.approx(once.bias.high, abs=1e-9)
    # So do its groups.
    first = {str(item): "group" for item in [*people.items, *twice.items]}
    shares = [
        judge(rated, given, by=first, cluster=cluster, **FEW)["judge"].disagreement.groups[0]
        for rated, given, cluster in (
            (people, says, None),
            (twice, judges, re.compile("^(.+)[ab]$")),
        )
    ]
    assert shares[1].agreement.low == pytest.approx(shares[0].agreement.low, abs=1e-9)
    assert shares[1].bias.high == pytest.approx(shares[0].bias.high, abs=1e-9)
    alone = judge(twice, judges, **FEW)["judge"].standing
    assert alone.bias.high - alone.bias.low < 0.75 * (half.bias.high - half.bias.low)


def test_nothing_is_decided_on_few_documents():
    people, says = stars()
    ten = {f"i{k}": str(k % 10) for k in range(150)}
    card = judge(people, says, cluster=ten, gate=True, **FEW)
    assert card["judge"].readiness == "cannot tell yet"
    assert "10 clusters" in card["judge"].verdict
    assert card.gate.status == "cannot tell"


# Looks: one boundary for all sizes, and a ledger.


@given(st.integers(10, 5000), st.floats(0.8, 0.999))
def test_the_p_value_over_looks_is_the_boundarys_inverse(units, level):
    assert p_over_looks(-boundary(units, level), units) == pytest.approx((1 - level) / 2)
    assert boundary(units, level) > 1.0


def test_a_ledger_grows_with_the_items(tmp_path):
    people, says = stars(items=200)
    file = tmp_path / "looks.json"
    first = judge(*some_of(people, says, 100), looks=file, **FEW)
    again = judge(*some_of(people, says, 100), looks=file, **FEW)
    second = judge(people, says, looks=str(file), **FEW)
    assert [r.provenance.looks for r in (first, again, second)] == [1, 1, 2]
    looks = json.loads(file.read_text())["looks"]
    assert [len(look["items"]) for look in looks] == [100, 100]
    assert looks[1]["readiness"] == {"judge": second["judge"].readiness}
    alone = judge(people, says, **FEW)["judge"].standing.difference
    over = second["judge"].standing.difference
    assert over.low < alone.low
    assert over.high > alone.high
    assert judge(people, says, looks=True, **FEW)["judge"].standing.difference == over


def test_a_ledger_refuses_other_items_people_and_judges(tmp_path):
    people, says = stars(items=120)
    file = tmp_path / "looks.json"
    judge(people, says, looks=file, **FEW)
    kept = file.read_text()
    fewer = some_of(people, says, 90)
    changed = Predictions.from_labels([str(i) for i in says.items], {"judge": ["1"] * 120})
    answers = says.classifiers[0].probability.argmax(axis=1)
    texts = [says.labels[k] for k in answers]
    named = Predictions.from_labels([str(i) for i in says.items], {"other": texts})
    people2, _ = stars(items=120, seed=2)
    for data, words in [
        (fewer, "these items of .* are missing: .* and 27 more"),
        ((people, changed), "the answers of 'judge' have changed"),
        ((people, named), "it is of the judges 'judge', and these are 'other'"),
        ((people2, says), "people's answers have changed"),
    ]:
        with pytest.raises(DataError, match=words):
            judge(*data, looks=file, **FEW)
    assert file.read_text() == kept
    (tmp_path / "people.csv").write_text("item,rater,label\n")
    with pytest.raises(OptionError, match="not a ledger"):
        judge(people, says, looks=tmp_path / "people.csv", **FEW)


# Maps: monotone, frequencies as people's, and the same however rows are ordered.


@given(st.lists(st.integers(0, 9), min_size=4, max_size=40), st.integers(0, 99))
def test_a_map_keeps_the_order_of_answers(values, seed):
    rng = np.random.default_rng(seed)
    answers = np.sort(np.array(values, dtype=float))
    counts = rng.multinomial(3, [0.2, 0.5, 0.3], len(answers))
    made = learn_map(answers, counts)
    for part in (0.0, 0.5, 0.999):
        mapped = made(answers, np.full(len(answers), part))
        assert (np.diff(mapped) >= 0).all()
        assert mapped.min() >= 0
        assert mapped.max() <= 2


def test_scores_are_judged_by_what_their_map_makes_of_them():
    """Labels learned from scores lose classes: that is no fault of the judge."""
    people, says = stars(seed=3, noise=0.9)
    rng = np.random.default_rng(0)
    values = says.classifiers[0].probability.argmax(axis=1) + rng.normal(0, 0.4, 150)
    frame = {"item": [str(item) for item in says.items], "grader": (values / 7).tolist()}
    card = judge(people, frame, gate=True, **FEW)
    found = card["grader"]
    assert found.conditions == found.recalibrated
    assert found.recalibrated_standing is None
    assert found.readiness == "ready once recalibrated"
    assert found.scale in found.verdict
    # The gate says what it is, though no condition fails.
    assert card.gate.status == "fail"
    assert "grader is ready once recalibrated" in card.gate.line
    # Beside another judge, too, the scale is said first.
    frame["other"] = [says.labels[k] for k in says.classifiers[0].probability.argmax(axis=1)]
    both = judge(people, frame, gate=True, **FEW)
    assert f"grader (another scale: {found.scale})" in " ".join(str(both).split())
    assert "Next: use other" in str(both)


def test_a_shifted_judge_that_gives_probabilities_is_worth_what_its_map_is_worth():
    rng = np.random.default_rng(4)
    state = rng.normal(0, 1.5, 150)
    names = [f"i{k}" for k in range(150)]
    rated = [np.where(state + rng.logistic(0, 0.5, 150) > 0, "yes", "no") for _ in range(3)]
    people = Labels.from_triples(
        names * 3, np.repeat(["a", "b", "c"], 150).tolist(), np.concatenate(rated).tolist()
    )
    shifted = 1 / (1 + np.exp(-4 * state - 4))
    table = {"judge": np.stack([1 - shifted, shifted], axis=1)}
    card = judge(people, Predictions.from_probabilities(names, ["no", "yes"], table), **FEW)
    found = card["judge"]
    assert found.readiness == "ready once recalibrated"
    assert found.worth.value < 1 < found.calibrated_worth.value
    assert (
        f"turned into probabilities of people's labels, are {worth_words(found.calibrated_worth)}"
        in " ".join(str(card).replace("are worth", "are").split())
    )


def test_mapped_answers_are_as_frequent_as_peoples():
    rng = np.random.default_rng(3)
    counts = rng.multinomial(3, [0.1, 0.2, 0.4, 0.2, 0.1], 3000)
    values = rng.integers(3, 6, 3000).astype(float)  # uses the upper labels alone
    items = np.array([f"i{k}" for k in range(3000)], dtype=object)
    label = recalibrated(values, counts, items, 0)
    shares = np.bincount(label, minlength=5) / 3000
    # Drawn ties of 3,000 items: a share of .4 has a standard error of .009.
    assert shares == pytest.approx([0.1, 0.2, 0.4, 0.2, 0.1], abs=0.03)
    order = rng.permutation(3000)
    assert recalibrated(values[order], counts[order], items[order], 0).tolist() == (
        label[order].tolist()
    )


def test_a_shifted_judge_is_ready_once_recalibrated_and_its_map_can_be_kept(tmp_path):
    people, says = stars(shift=0.9, seed=4)
    card = judge(people, says, **FEW)
    assert card["judge"].readiness == "ready once recalibrated"
    assert card["judge"].standing.bias.low > 0.4
    again = judge(people, card.recalibrated(), **FEW)
    assert again["judge"].readiness == "ready"
    assert abs(again["judge"].standing.bias.value) < 0.1
    file = tmp_path / "map.json"
    write_maps(card.maps, file)
    assert take_maps(file) == card.maps
    # Of other items, with the map alone.
    people2, says2 = stars(shift=0.9, seed=6)
    mapped = judge(people2, says2, label_map=file, **FEW)["judge"]
    assert mapped.readiness == "ready"
    assert map_labels(says2, card.maps).labels == ("1", "2", "3", "4", "5")
    with pytest.raises(OptionError, match="not a map that this version reads"):
        take_maps(__file__)
    with pytest.raises(DataError, match="there is no map for 'other'"):
        map_labels(Predictions.from_labels(["a"], {"other": ["1"]}), card.maps)


# Classes, leaks, groups, a baseline.


def test_a_class_that_the_judge_never_gives_is_named():
    item = np.repeat(np.arange(60), 2)
    rater = np.tile([0, 1], 60)
    label = np.repeat(np.arange(60) % 3, 2)
    says = np.where(np.arange(60) % 3 == 2, 1, np.arange(60) % 3)
    pairs = pairs_of(item, rater, label, says, compared=np.array([0, 1]), labels=3)
    assert class_below_people(pairs, 0.025) == (2, 0.0, 1.0)
    assert class_below_people(pairs, 0.025, looks=True) == (2, 0.0, 1.0)
    perfect = pairs_of(item, rater, label, label[::2], compared=np.array([0, 1]), labels=3)
    assert class_below_people(perfect, 0.025) is None


def test_a_copy_of_a_person_gets_no_verdict_and_fails_no_gate():
    people, _ = stars(seed=6)
    own = people.rater == 1
    names = [str(people.items[i]) for i in people.item[own]]
    said = [people.scale.labels[v] for v in people.label[own]]
    card = judge(people, Predictions.from_labels(names, {"judge": said}), gate=True, **FEW)
    assert card["judge"].readiness is None
    assert card["judge"].follows == "p1"
    assert card.gate.status == "cannot tell"
    assert "it gives p1's answers even where others differ" in card.gate.line
    assert str(card).count("it gives p1's") == 1


def test_a_copy_of_a_person_is_found_among_a_hundred_items_of_two_labels():
    missed = 0
    for seed in range(100):
        rng = np.random.default_rng(seed)
        right = rng.random((100, 3)) < 0.8
        people = np.where(right, rng.random(100)[:, None] < 0.4, rng.random((100, 3)) < 0.5)
        label = people.astype(np.int64)
        item, rater = np.repeat(np.arange(100), 3), np.tile(np.arange(3), 100)
        missed += followed_person(item, rater, label.ravel(), label[:, 2], [0, 1, 2], 2) != 2
    assert missed == 0


def test_a_judge_that_agrees_with_people_who_agree_follows_nobody():
    label = np.tile(np.arange(2), 50).repeat(3).reshape(100, 3)
    label[7, 1] = 1 - label[7, 0]
    item, rater = np.repeat(np.arange(100), 3), np.tile(np.arange(3), 100)
    assert followed_person(item, rater, label.ravel(), label[:, 0], [0, 1, 2], 2) is None


def test_an_honest_judge_follows_nobody():
    for seed in range(5):
        people, says = stars(seed=seed)
        codes = says.classifiers[0].probability.argmax(axis=1)
        order = [list(map(str, says.items)).index(str(item)) for item in people.items]
        assert (
            followed_person(people.item, people.rater, people.label, codes[order], [0, 1, 2], 5)
            is None
        )


def test_a_baseline_against_itself_has_not_changed():
    people, says = stars()
    card = judge(people, says, baseline=says, **FEW)
    (change,) = card.changes
    assert change.worse == ()
    assert (change.kappa.value, change.kappa.low, change.kappa.high) == (0, 0, 0)
    assert change.bias.value == 0
    assert card.gate.status == "pass"


def test_a_judge_that_got_worse_fails():
    people, says = stars(seed=7)
    rng = np.random.default_rng(0)
    items = [str(i) for i in says.items]
    coin = Predictions.from_labels(items, {"judge": [str(v) for v in rng.integers(1, 6, 150)]})
    worse = judge(people, coin, baseline=says, **FEW)
    assert "kappa" in worse.changes[0].worse
    assert worse.gate.status == "fail"
    better = judge(people, says, baseline=coin, **FEW)
    assert better.changes[0].kappa.value == pytest.approx(-worse.changes[0].kappa.value)
    assert better.gate.status == "pass"
    assert "significantly better (kappa" in better.changes[0].sentence()
    assert not worse.gate.line.endswith(".")
    assert str(worse).count("against the baseline") == 1


def test_a_bias_that_shrinks_is_better():
    shrinks = Change(
        judge="new", baseline="old", items=150, kappa=Estimate(0.09, -0.01, 0.19),
        bias=Estimate(-0.78, -0.98, -0.58), worth=None, worse=(),
    )  # fmt: skip
    assert shrinks.sentence() == (
        "new against the baseline: significantly better (bias); kappa +0.09 (-0.01 to +0.19); "
        "change in the size of the bias -0.78 (-0.98 to -0.58)."
    )


def test_groups_have_bias_worth_and_a_test():
    people, says = stars(items=200, seed=8)
    codes = says.classifiers[0].probability.argmax(axis=1)
    answers = [says.labels[k] for k in codes]
    group = {str(item): ("late" if k % 2 else "early") for k, item in enumerate(says.items)}
    both = zip(says.items, answers, strict=True)
    spoilt = ["1" if group[str(item)] == "late" else answer for item, answer in both]
    items = [str(item) for item in says.items]
    card = judge(people, Predictions.from_labels(items, {"judge": spoilt}), by=group, **FEW)
    late, early = card["judge"].disagreement.groups
    assert (late.group, early.group) == ("late", "early")
    assert late.bias.high < -0.5 < early.bias.low
    assert late.p_value < 0.05
    assert late.worth.value < early.worth.value
    page = " ".join(card.to_text(details=True).split())
    assert "significantly different from the others: 'late', 'early'" in page


def test_a_group_that_tells_as_much_as_the_judge_is_named():
    """Two topics, in one of which nearly all is 'yes': the topic alone is worth half of a judge."""
    rng = np.random.default_rng(2)
    items = [f"i{k}" for k in range(200)]
    topic = {item: "math" if k % 2 else "code" for k, item in enumerate(items)}
    share = np.where(np.arange(200) % 2, 0.9, 0.1)
    rows = [np.where(rng.random(200) < share, "yes", "no").tolist() for _ in range(4)]
    who = np.repeat(["a", "b", "c"], 200).tolist()
    people = Labels.from_triples(items * 3, who, rows[0] + rows[1] + rows[2])
    says = Predictions.from_labels(items, {"judge": rows[3]})
    cautions = [str(note) for note in judge(people, says, by=topic, **FEW).notes]
    assert any("knows only the group of an item is worth" in text for text in cautions)
    # Groups that tell nothing are not named.
    other = {item: str(k % 3) for k, item in enumerate(items)}
    notes = judge(people, says, by=other, **FEW).notes
    assert not any("knows only the group" in note for note in notes)
    # The first screen has it in a line.
    assert "The group alone is worth" in str(judge(people, says, by=topic, **FEW))


def test_texts_and_costs_are_shown():
    people, says = stars(shift=2.0)
    texts = {str(item): f"the text of {item}" for item in people.items}
    card = judge(people, says, text=texts, cost="judge=0.002,person=0.15", **FEW)
    assert card["judge"].disagreement.items[0].text.startswith("the text of i")
    assert "the text of i" in card.to_text(details=True)
    assert "A label by judge costs 0.002" in str(card)
    with pytest.raises(OptionError, match=r"judge=0\.002,person=0\.15"):
        judge(people, says, cost="much", **FEW)

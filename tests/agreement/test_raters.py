"""Raters as a sample: what a coefficient is without each rater, and for whom intervals hold."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from headcount import Labels
from headcount.agreement import agree
from headcount.agreement.coefficients.catalogue import COEFFICIENTS
from headcount.agreement.coefficients.engine import Engine
from headcount.agreement.prepare import prepare
from headcount.agreement.raters.interval import crossed_variance
from headcount.stats.intervals.crossed import RATERS_LIKE_THESE

from . import naive
from .data import as_labels, ragged, random_labels, table

# Means over pairs have intervals for these raters only.
KNOWN = [n for n, one in COEFFICIENTS.items() if not one.over_pairs]
WITH_MISSING = [name for name in KNOWN if name != "kendall_w"]
DISTANCES = {
    "nominal": naive.nominal,
    "ordinal": naive.ranks,
    "interval": naive.quadratic,
    "ratio": naive.ratio,
}


def without(labels: Labels, rater: int) -> Labels:
    kept = labels.rater != rater
    return replace(
        labels, item=labels.item[kept], rater=labels.rater[kept], label=labels.label[kept]
    )


@pytest.mark.parametrize("scale", DISTANCES)
@pytest.mark.parametrize("name", KNOWN)
def test_leaving_out_a_rater_is_to_compute_it_again(name, scale):
    """Everybody rated everything: the weights of items, which are held, do not matter."""
    labels = random_labels(15, 4, 4, seed=3)
    data = prepare(labels, scale)
    engine = Engine(data, [COEFFICIENTS[name]])
    if name not in engine.values:
        return
    found = COEFFICIENTS[name].influence(data)
    assert found.value == pytest.approx(engine.values[name], abs=1e-12)
    again = []
    for rater in range(4):
        rest = Engine(prepare(without(data.labels, rater), scale), [COEFFICIENTS[name]])
        again.append(rest.values[name])
    if COEFFICIENTS[name].name.endswith("k"):  # of the mean of four ratings, not of three
        single = np.array(again) / (3 - 2 * np.array(again))
        again = 4 * single / (1 + 3 * single)
    if name == "kendall_w":  # of four rankings, not of three
        again = (1 + 3 * (3 * np.array(again) - 1) / 2) / 4
    # Ordinal alpha holds the ranks of the labels too, which one rater of four moves a little.
    near = 0.02 if (name, scale) == ("alpha", "ordinal") else 1e-9
    assert found.without == pytest.approx(np.array(again), abs=near)


def slow(data: naive.Data, distance, *, by_rating: bool, factor: float | None, skip=None):
    """1 - D_o / D_e over all pairs of ratings by others than `skip`, weights of items held."""
    far = pairs = 0.0
    margin: dict[int, float] = {}
    for item in data.values():
        r = len(item)
        pair = 0.0 if r < 2 else 1 / (r - 1) if by_rating else 1 / (r * (r - 1))
        for j, x in item.items():
            if j == skip:
                continue
            weight = float(r > 1) if by_rating else 1 / r
            margin[x] = margin.get(x, 0.0) + weight
            for k, y in item.items():
                if k not in (j, skip):
                    far, pairs = far + pair * distance(x, y), pairs + pair
    if not pairs:
        return None
    n = sum(margin.values())
    chance = naive.nominal if factor is not None else distance
    q = sum(a * b * chance(x, y) for x, a in margin.items() for y, b in margin.items())
    expected = q / (n * (n - 1)) if by_rating else q / n**2
    if factor is not None:
        expected = 1 - factor * q / n**2
    return None if expected < 1e-9 else 1 - far / pairs / expected


@given(ragged(least=3), st.sampled_from(["nominal", "interval", "ratio"]))
@settings(max_examples=60, deadline=None)
def test_leaving_out_a_rater_where_ratings_are_missing(drawn, scale):
    data, labels = drawn
    assume(any(len(item) > 1 for item in data.values()))
    given_ = prepare(as_labels(data, labels), scale)
    raters = given_.labels.raters.tolist()
    most = max(DISTANCES[scale](x, y) for x in labels for y in labels)

    def distance(x, y):
        return DISTANCES[scale](x, y) / most

    q = len(labels)
    weights = sum(1 - distance(x, y) for x in labels for y in labels)
    cases = {
        "alpha": (distance, {"by_rating": True, "factor": None}),
        "percent": (naive.nominal, {"by_rating": False, "factor": 0.0}),
        "fleiss": (naive.nominal, {"by_rating": False, "factor": None}),
        "ac2": (distance, {"by_rating": False, "factor": weights / (q * (q - 1))}),
    }
    for name, (far, how) in cases.items():
        if name not in Engine(given_, [COEFFICIENTS[name]]).values:
            continue
        found = COEFFICIENTS[name].influence(given_)
        assert found.value == pytest.approx(slow(data, far, **how), abs=1e-9)
        for row, rater in enumerate(raters):
            expected = slow(data, far, **how, skip=rater)
            if expected is not None:
                assert found.without[row] == pytest.approx(expected, abs=1e-9)
            else:
                assert np.isnan(found.without[row])


def conger(data: naive.Data, distance, skip=None) -> float | None:
    """Pooled Conger's kappa by loops over pairs of raters and of ratings."""
    far = expected = 0.0
    raters = sorted({j for item in data.values() for j in item} - {skip})
    for a in raters:
        for b in raters:
            both = [(item[a], item[b]) for item in data.values() if a in item and b in item]
            apart = [
                distance(x[a], y[b])
                for i, x in data.items()
                for j, y in data.items()
                if a in x and b in y and i != j
            ]
            if a < b and both and apart:
                far += sum(distance(x, y) for x, y in both)
                expected += len(both) * np.mean(apart)
    return None if expected < 1e-9 else 1 - far / expected


@given(ragged(least=3))
@settings(max_examples=60, deadline=None)
def test_conger(drawn):
    data, labels = drawn
    given_ = prepare(as_labels(data, labels), "interval")
    for name, distance in (
        ("conger", naive.nominal),
        ("conger_linear", naive.linear),
        ("conger_quadratic", naive.quadratic),
    ):
        expected = conger(data, distance)
        value = Engine(given_, [COEFFICIENTS[name]]).values.get(name)
        if expected is None:
            assert value is None
            continue
        if value is None:  # every rating that can be compared is the same
            assert given_.one_paired_label or given_.no_pair
            continue
        assert value == pytest.approx(expected, abs=1e-9)
        found = COEFFICIENTS[name].influence(given_)
        assert found.value == pytest.approx(expected, abs=1e-9)
        for row, rater in enumerate(given_.labels.raters.tolist()):
            rest = conger(data, distance, skip=rater)
            if rest is not None:
                assert found.without[row] == pytest.approx(rest, abs=1e-9)


def test_conger_of_complete_data_is_congers_but_for_same_item_pairs():
    """With n items, D_e = (n D_c - D_o) / (n - 1), where D_c is Conger's (1980)."""
    labels = random_labels(30, 3, 3, seed=5)
    rows = labels.label.reshape(30, 3)
    pairs = [(0, 1), (0, 2), (1, 2)]
    seen = np.mean([(rows[:, a] != rows[:, b]).mean() for a, b in pairs])
    shares = np.stack([np.bincount(rows[:, j], minlength=3) / 30 for j in range(3)])
    chance = np.mean([1 - shares[a] @ shares[b] for a, b in pairs])
    found = agree(labels, scale="nominal", coefficients="conger", bootstrap=0)["conger"].value
    assert found == pytest.approx(1 - seen / ((30 * chance - seen) / 29), abs=1e-12)


@pytest.mark.parametrize("name", WITH_MISSING)
def test_influence_is_what_a_little_more_weight_does(name):
    """To first order: items one by one, by weights of the kernel, which is a function apart."""
    labels = random_labels(60, 4, 3, missing=0.2, seed=8)
    data = prepare(labels, "interval")
    one = COEFFICIENTS[name]
    if name in ("icc1k", "icc2k", "icc3k"):
        return  # k is held, which the kernel does not do
    engine = Engine(data, [one])
    weight = np.ones((61, 60))
    weight[np.arange(60), np.arange(60)] += 1e-5
    value = engine.on_items(weight)[name]
    slope = (value[:-1] - value[-1]) / 1e-5
    found = one.influence(data).items
    # Those of ICCs and Conger's are jackknifed or leave out terms of one over items.
    close = 1e-3 if name in ("alpha", "fleiss", "ac1", "ac2", "percent") else 0.15
    assert np.abs(found - slope).max() < close * np.abs(slope).max()


def test_all_new_raters_widen_nothing():
    labels = random_labels(80, 3, 2, seed=2)
    new = replace(labels, raters=np.arange(240), rater=np.arange(240))
    data = prepare(new, "nominal")
    for name in ("alpha", "fleiss", "percent", "ac1"):
        found = crossed_variance(COEFFICIENTS[name].influence(data), data.panel, 80)
        # The jackknife and the sum over ratings are of the same ratings.
        assert found.raters == pytest.approx(found.ratings, rel=0.05)
        assert found.of_raters < 0.05 * found.items
    result = agree(new, bootstrap=100)
    assert result.scope.words == "for raters like these"
    assert not result.scope.crossed
    assert result["alpha"].method == "percentile bootstrap"
    assert any("every item has raters of its own" in note for note in result.notes)


def test_both_kinds_below_six_raters():
    result = agree(random_labels(60, 5, 3, seed=4), bootstrap=100)
    alpha, these = result["alpha"], result.these_raters["alpha"]
    assert alpha.method == RATERS_LIKE_THESE.name
    assert alpha.high - alpha.low > these.high - these.low
    text = " ".join(str(result).split())
    assert f"for raters like these {alpha.interval()}, for these raters {these.interval()}" in text
    assert "5 raters tell little about others" in text
    many = agree(random_labels(60, 8, 3, seed=4), bootstrap=100)
    assert "for these raters" not in str(many)
    document = many.to_dict()
    assert document["alpha"]["holds_for"] == "for raters like these"
    assert document["cohen"]["holds_for"] == "for these raters"
    assert document["these_raters"]["alpha"]["method"] == "percentile bootstrap"


@pytest.mark.parametrize(
    ("labels", "words"),
    [
        (random_labels(40, 2, 3), "two raters cannot show how others would differ"),
        (
            table(
                [["a", "b"] + [None] * 8, *[["a"] + [None] * j + ["b"] for j in range(1, 8)]] * 3
            ),
            "only: rater '0' is part of nearly all pairs",
        ),
    ],
)
def test_words_where_raters_cannot_stand_for_others(labels, words):
    result = agree(labels, bootstrap=50)
    assert result.scope.words == "for these raters"
    assert words in " ".join(str(result).split())
    assert result["alpha"].method == "percentile bootstrap"


def test_two_raters_who_gave_nearly_all_ratings_are_named():
    rows = [["a", "b", None], ["b", "b", None], ["a", "a", None], ["b", "a", None]] * 10
    result = agree(table([*rows, ["a", "a", "b"]]), bootstrap=20)
    assert result.scope.words == "for these raters"
    said = " ".join(str(result).split())
    assert "nearly all ratings are by raters '0' and '1', who cannot show" in said


@pytest.mark.parametrize(("raters", "said"), [(3, False), (4, True), (14, True), (15, False)])
def test_few_raters_may_hold_no_spammer_by_luck(raters, said):
    result = agree(random_labels(30, raters, 3, seed=1), scale="nominal", bootstrap=20)
    notes = [note for note in result.notes if "answer at random" in note]
    assert bool(notes) == said
    if said:
        assert "approximate" in notes[0]
    fixed = agree(random_labels(30, raters, 3, seed=1), bootstrap=20, raters="fixed")
    assert not [note for note in fixed.notes if "answer at random" in note]


def test_raters_who_differ_too_much_to_tell_of_others():
    """Three agree and four answer at random: more than chance for these, but for others?"""
    rng = np.random.default_rng(0)
    label = rng.integers(0, 2, (200, 7))
    label[:, :3] = label[:, :1] ^ (rng.random((200, 3)) < 0.1)
    result = agree(table(label.tolist()), scale="nominal", bootstrap=100)
    assert result["alpha"].low < 0 < result.these_raters["alpha"].low
    assert result.report.verdict == (
        "for these raters agreement is more than chance; for others like them it cannot be told: "
        "raters differ too much"
    )


def test_fixed_raters_are_asked_for():
    labels = random_labels(60, 8, 3, seed=4)
    fixed = agree(labels, bootstrap=100, raters="fixed")
    assert fixed["alpha"] == agree(labels, bootstrap=100).these_raters["alpha"]
    assert "for these raters" in str(fixed)
    assert "for raters like these" not in str(fixed)


def test_anonymous_raters():
    counts = Labels.from_codes(
        (np.repeat(np.arange(20), 3), list(map(str, range(20)))),
        None,
        (np.arange(60) % 7 % 2, ["a", "b"]),
    )
    result = agree(counts, bootstrap=50)
    assert "nobody knows who gave which rating" in " ".join(str(result).split())
    assert result["conger"].undefined == "it needs to know who gave which rating"


def test_the_variance_does_not_depend_on_order():
    labels = random_labels(40, 6, 3, missing=0.3, seed=9)
    order = np.random.default_rng(1).permutation(len(labels))
    mixed = replace(
        labels, item=labels.item[order], rater=labels.rater[order], label=labels.label[order]
    )
    for name in WITH_MISSING:
        one, other = (COEFFICIENTS[name].influence(prepare(x, "interval")) for x in (labels, mixed))
        assert other.without == pytest.approx(one.without, abs=1e-12)
        assert np.sort(other.ratings) == pytest.approx(np.sort(one.ratings), abs=1e-12)


def test_a_rater_who_differs_from_all_others_is_named():
    labels = random_labels(100, 6, 3, skill=0.9, seed=3)
    noise = np.random.default_rng(1).integers(0, 3, 100)
    spammed = labels.label.copy()
    spammed[labels.rater == 4] = noise
    result = agree(replace(labels, label=spammed), scale="nominal", bootstrap=50)
    (note,) = [note for note in result.notes if note.startswith("without rater '4'")]
    assert note.severity == "caution"
    others = without(replace(labels, label=spammed), 4)
    rest = agree(others, scale="nominal", bootstrap=0)["alpha"].value
    assert f"would be {rest:.3f}" in note
    assert not any("without rater" in n for n in agree(labels, bootstrap=50).notes)

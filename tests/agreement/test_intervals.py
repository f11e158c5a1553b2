"""Intervals: resampled items, and raters as a sample."""

from __future__ import annotations

from dataclasses import replace
from itertools import combinations

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from headcount import Labels, phi
from headcount.agreement import agree
from headcount.agreement.coefficients import COEFFICIENTS, choose
from headcount.agreement.estimates import Engine
from headcount.agreement.prepare import prepare
from headcount.agreement.raters import crossed_variance
from headcount.stats.intervals import RATERS_LIKE_THESE
from tests.agreement import naive
from tests.agreement.data import (
    agree_by_share,
    as_labels,
    paradox,
    ragged,
    random_labels,
    table,
)

# Intervals: resampled items, their law, and what happens where draws are undefined.

ALL = list(COEFFICIENTS)


def repeated(labels: Labels, times: np.ndarray) -> Labels:
    """Labels in which each item occurs so many times, as new items."""
    parts = [np.flatnonzero(labels.item == i) for i in np.repeat(np.arange(len(times)), times)]
    item = np.repeat(np.arange(len(parts)), [len(part) for part in parts])
    rows = np.concatenate(parts)
    return replace(
        labels,
        items=np.arange(len(parts)),
        item=item,
        rater=labels.rater[rows],
        label=labels.label[rows],
    )


@pytest.mark.parametrize("scale", ["nominal", "ordinal", "interval", "ratio"])
def test_a_draw_is_the_coefficient_of_the_items_drawn(scale):
    labels = random_labels(12, 4, 4, missing=0.3, seed=4)
    data = prepare(labels, scale)
    rng = np.random.default_rng(1)
    kinds = [kind for kind in choose(None) if kind.resampled]
    assert {"percent", "alpha", "fleiss", "ac1", "ac2"} < {kind.name for kind in kinds}
    for _ in range(5):
        items = rng.integers(0, 3, len(data.labels.items))
        drawn = np.bincount(data.patterns.pattern, items, len(data.patterns))[None, :]
        direct = agree(repeated(data.labels, items), scale=scale, coefficients=ALL, bootstrap=0)
        for kind in kinds:
            if kind.undefined(data) is None:
                (value,) = kind.kernel(data)(drawn)
                assert value == pytest.approx(direct[kind.name].value, abs=1e-9, nan_ok=True)


def test_draws_follow_the_law_of_resampled_items():
    """Mean and spread of the draws are those of items drawn one by one, within their errors."""
    labels = random_labels(40, 3, 3, missing=0.2, seed=7)
    data = prepare(labels, "nominal")
    names = ["percent", "alpha", "fleiss", "ac1"]
    engine = Engine(data, choose(names))
    draws = engine.bootstrap(names, 2000, np.random.default_rng(1))
    rng, pattern = np.random.default_rng(2), data.patterns.pattern
    n = len(pattern)
    drawn = [pattern[rng.integers(0, n, n)] for _ in range(2000)]
    items = np.stack([np.bincount(row, minlength=len(data.patterns)) for row in drawn])
    for name in names:
        direct = COEFFICIENTS[name].kernel(data)(items.astype(float))
        spread = direct.std()
        # Standard errors of a mean and of a standard deviation of 2,000 draws, three of each.
        assert draws[name].mean() == pytest.approx(direct.mean(), abs=4.5 * spread / 2000**0.5)
        assert draws[name].std() == pytest.approx(spread, rel=4.5 / 4000**0.5)


def test_draws_are_the_same_whatever_else_is_asked_for():
    labels = random_labels(50, 4, 3, missing=0.2, seed=1)
    together = agree(labels, bootstrap=50, seed=3)
    for name in ("alpha", "cohen", "percent"):
        assert agree(labels, coefficients=[name], bootstrap=50, seed=3)[name] == together[name]


def test_draws_do_not_depend_on_the_block(monkeypatch):
    labels = random_labels(50, 4, 3, missing=0.2, seed=1)
    before = agree(labels, bootstrap=30, seed=3).coefficients
    monkeypatch.setattr("headcount.agreement.estimates.BLOCK", 1)
    monkeypatch.setattr("headcount.agreement.rater_pairs.BLOCK", 7)
    monkeypatch.setattr("headcount.agreement.rater_pairs.MOST_KEYS", 0)
    monkeypatch.setattr("headcount.agreement.scales.BLOCK", 1)
    after = agree(labels, bootstrap=30, seed=3).coefficients
    for name, estimate in before.items():
        assert after[name].undefined == estimate.undefined
        if estimate.undefined is None:
            assert after[name].value == pytest.approx(estimate.value, abs=1e-12)
            assert after[name].low == pytest.approx(estimate.low, abs=1e-12)


@pytest.mark.parametrize("name", ["percent", "fleiss", "ac1", "ac2", "alpha"])
def test_bootstrap_and_analytic_intervals_agree_on_large_data(name):
    labels = random_labels(1500, 4, 3, seed=2)
    boot, formula = (
        agree(labels, scale="interval", coefficients=[name], bootstrap=draws, intervals="fixed")[
            name
        ]
        for draws in (1000, 0)
    )
    width = formula.high - formula.low
    # Each end of a percentile interval from 1,000 draws has an error of about 2% of the width.
    # The F interval takes ratings to be normal, which numbers 1 to 3 are not.
    most = 0.2 if name == "icc1" else 0.08
    assert boot.low == pytest.approx(formula.low, abs=most * width)
    assert boot.high == pytest.approx(formula.high, abs=most * width)


def test_whose_interval_it_is():
    """The jackknife, unless bootstrap samples are asked for; 0 is the textbooks' interval."""
    labels = random_labels(30, 3, 3, seed=2)
    methods = {
        draws: [agree(labels, bootstrap=draws, intervals="fixed")[name].method for name in CHECKED]
        for draws in (None, 100, 0)
    }
    assert methods[None] == ["jackknife over items"] * 4
    assert methods[100] == ["percentile bootstrap", *["jackknife over items"] * 3]
    textbook = ["linearised, t interval"] * 2 + ["delta method over items", "F interval"]
    assert methods[0] == textbook


CHECKED = ("alpha", "conger", "cohen", "icc2k")


def test_undefined_draws_are_left_out_and_counted():
    result = agree(paradox("8c"), bootstrap=400)
    said = [note for note in result.notes if note.startswith("undefined in ")]
    (note,) = [note for note in said if "Krippendorff" in note]
    assert "Krippendorff's alpha; Fleiss' kappa" in note  # one note for all
    # All four items agreed positive: (2/4)^4; negative: (1/4)^4.
    lost = int(note.split(" in ")[1].split(" of ")[0])
    assert lost / 400 == pytest.approx(0.0664, abs=0.04)
    assert result["alpha"].low is not None


def test_mostly_undefined_draws_give_no_interval():
    # Alpha needs the first two items in a draw of eight: 1 - 2 (7/8)^8 + (6/8)^8 = .41 have both.
    rows = [["a", "a"], ["b", "b"], *[["a", None]] * 6]
    result = agree(table(rows), bootstrap=400)
    assert result["alpha"].value == 1
    assert result["alpha"].low is None
    assert any("too many for an interval" in note for note in result.notes)
    assert result["percent"].low is None  # it was 1 in every draw: nothing varied


def test_share_of_data():
    labels = random_labels(200, 3, 3, missing=0.2, seed=3)
    curve = agree_by_share(
        labels, shares=[0.1, 0.5, 1.0], coefficients=["alpha", "percent", "cohen"], repeats=30
    )
    whole = agree(labels, bootstrap=0)
    last = curve.points[-1].coefficients
    for name, estimate in last.items():
        assert estimate.value == pytest.approx(whole[name].value, abs=1e-9)
        assert estimate.low == pytest.approx(estimate.high, abs=1e-9)
    widths = [p.coefficients["alpha"].high - p.coefficients["alpha"].low for p in curve.points]
    assert widths[0] > widths[1] > widths[2]
    assert [point.items for point in curve.points] == [20, 100, 200]


def test_share_of_data_that_have_no_alpha():
    curve = agree_by_share(paradox("2"), shares=[0.5], repeats=3)
    assert curve.points[0].coefficients["alpha"].undefined == "every rating is '1'"


def test_share_of_data_with_phi():
    labels = random_labels(60, 4, 5, missing=0.1, seed=3)
    options = {"limits": (0, 6), "level": 0.9}
    curve = agree_by_share(
        labels, shares=[0.1, 0.5, 1.0], coefficients=["phi", "percent"], repeats=4, **options
    )
    assert list(curve.points[0].coefficients) == ["percent", "phi"]
    whole = phi(labels, **options, intervals="fixed", check=False).estimate
    last = curve.points[-1].coefficients["phi"]
    found = [last.value, last.low, last.high, last.level]
    assert found == pytest.approx([whole.value, whole.low, whole.high, 0.9], abs=1e-9)
    # Unlike the bands of coefficients, that of Phi does not close: it is Phi's own interval.
    widths = [p.coefficients["phi"].high - p.coefficients["phi"].low for p in curve.points]
    assert widths[0] > widths[1] > widths[2] > 0.05
    plain = agree_by_share(labels, shares=[0.1, 0.5, 1.0], coefficients=["percent"], repeats=4)
    for with_phi, without in zip(curve.points, plain.points, strict=True):
        assert with_phi.coefficients["percent"].value == without.coefficients["percent"].value


def test_share_of_data_without_phi():
    names = table([["a", "b", "c"], ["a", "a", "b"]])
    curve = agree_by_share(names, coefficients=["phi"], shares=[1.0], repeats=2)
    assert "no order" in curve.points[0].coefficients["phi"].undefined
    two = table([[0, 1, 1], [0, 0, 0]])
    curve = agree_by_share(two, coefficients=["phi"], shares=[1.0], repeats=2, scale="interval")
    assert "two points" in curve.points[0].coefficients["phi"].undefined


# Raters as a sample: what a coefficient is without each rater, and for whom intervals hold.

# Means over pairs have intervals for these raters only.
KNOWN = [n for n, one in COEFFICIENTS.items() if not one.over_pairs]
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
def test_pooled_kappa(drawn):
    data, labels = drawn
    given_ = prepare(as_labels(data, labels), "interval")
    for name, distance in (
        ("pooled_kappa", naive.nominal),
        ("pooled_quadratic", naive.quadratic),
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


def test_pooled_kappa_of_complete_data_is_congers_but_for_same_item_pairs():
    """With n items, D_e = (n D_c - D_o) / (n - 1), where D_c is Conger's (1980)."""
    labels = random_labels(30, 3, 3, seed=5)
    found = agree(labels, scale="nominal", bootstrap=0)
    unlike = 1 - found["conger"].value
    assert 1 - found["pooled_kappa"].value == pytest.approx(unlike * 29 / (30 - unlike), abs=1e-12)


def slow_conger(data, distance, skip=None):
    """Gwet's (2014) form of Conger's kappa: items alike, and every two raters' own labels."""
    data = {i: {j: x for j, x in item.items() if j != skip} for i, item in data.items()}
    apart = [
        np.mean([distance(x, y) for x, y in combinations(item.values(), 2)])
        for item in data.values()
        if len(item) > 1
    ]
    own: dict[object, list[object]] = {}
    for item in data.values():
        for j, x in item.items():
            own.setdefault(j, []).append(x)
    chance = [
        np.mean([distance(x, y) for x in own[a] for y in own[b]]) for a, b in combinations(own, 2)
    ]
    if not apart or not np.mean(chance) > 1e-9:
        return None
    return 1 - np.mean(apart) / np.mean(chance)


@given(ragged(least=3), st.booleans())
@settings(max_examples=60, deadline=None)
def test_conger(drawn, whole):
    """By loops; without a rater too, where all items have the same weight."""
    data, labels = drawn
    if whole:
        every = sorted({j for item in data.values() for j in item})
        data = {i: {j: item.get(j, labels[0]) for j in every} for i, item in data.items()}
    given_ = prepare(as_labels(data, labels), "interval")
    for name, distance in (
        ("conger", naive.nominal),
        ("conger_linear", naive.linear),
        ("conger_quadratic", naive.quadratic),
    ):
        value = Engine(given_, [COEFFICIENTS[name]]).values.get(name)
        if value is None:
            assert given_.no_pair or given_.one_paired_label or not slow_conger(data, distance)
            continue
        assert value == pytest.approx(slow_conger(data, distance), abs=1e-9)
        found = COEFFICIENTS[name].influence(given_)
        for row, rater in enumerate(given_.labels.raters.tolist() if whole else ()):
            rest = slow_conger(data, distance, skip=rater)
            if rest is not None:
                assert found.without[row] == pytest.approx(rest, abs=1e-9)


@pytest.mark.parametrize("name", KNOWN)
def test_influence_is_what_a_little_more_weight_does(name):
    """To first order: of 100 copies of all items, one more copy of one of them."""
    labels = random_labels(60, 4, 3, missing=0.2, seed=8)
    data = prepare(labels, "interval")
    one = COEFFICIENTS[name]
    if name in ("icc1k", "icc2k", "icc3k"):
        return  # k is held, which copies do not do

    def value(copies):
        return one.value(prepare(repeated(data.labels, copies), "interval"))

    every = np.full(len(data.labels.items), 100)
    whole = value(every)
    tried = range(0, len(every), 6)
    slope = np.array([(value(every + (np.arange(len(every)) == i)) - whole) * 100 for i in tried])
    found = one.influence(data).items[list(tried)]
    # Those of ICCs and pooled kappas are jackknifed or leave out terms of one over items.
    exact = ("alpha", "fleiss", "ac1", "ac2", "percent", "brennan_prediger", "conger")
    close = 0.03 if name in exact else 0.15
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
    text = " ".join(result.to_text(details=True).split())
    assert f"alpha {alpha.value:.3f} {alpha.interval()} {these.interval()}" in text
    assert "Other raters may differ; for these 5 alone, 95% CI [" in str(result)
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
    assert words in " ".join(result.to_text(details=True).split())
    assert result["alpha"].method in ("percentile bootstrap", "")  # "": nothing varies


def test_two_raters_who_gave_nearly_all_ratings_are_named():
    rows = [["a", "b", None], ["b", "b", None], ["a", "a", None], ["b", "a", None]] * 10
    result = agree(table([*rows, ["a", "a", "b"]]), bootstrap=20)
    assert result.scope.words == "for these raters"
    said = " ".join(result.to_text(details=True).split())
    assert "nearly all ratings are by raters '0' and '1', who cannot show" in said


@pytest.mark.parametrize(("raters", "said"), [(3, True), (4, True), (19, True), (20, False)])
def test_few_raters_may_hold_no_spammer_by_luck(raters, said):
    result = agree(random_labels(30, raters, 3, seed=1), scale="nominal", bootstrap=20)
    notes = [note for note in result.notes if "answers at random" in note]
    assert bool(notes) == said
    assert bool(result.report.approximate) == said
    assert ("(approximate)" in str(result)) == said
    fixed = agree(random_labels(30, raters, 3, seed=1), bootstrap=20, intervals="fixed")
    assert not [note for note in fixed.notes if "answers at random" in note]


def test_raters_who_differ_too_much_to_tell_of_others():
    """Three agree and four answer at random: more than chance for these, but for others?"""
    rng = np.random.default_rng(0)
    label = rng.integers(0, 2, (200, 7))
    label[:, :3] = label[:, :1] ^ (rng.random((200, 3)) < 0.1)
    result = agree(table(label.tolist()), scale="nominal", bootstrap=100)
    assert result["alpha"].low < 0 < result.these_raters["alpha"].low
    assert result.report.verdict == (
        "for these raters agreement is more than chance; for raters like these raters differ too "
        "much to say"
    )


def test_fixed_raters_are_asked_for():
    labels = random_labels(60, 8, 3, seed=4)
    fixed = agree(labels, bootstrap=100, intervals="fixed")
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
    assert "Nobody knows who gave which rating" in " ".join(str(result).split())
    assert result["conger"].undefined == "it needs to know who gave which rating"


def test_the_variance_does_not_depend_on_order():
    labels = random_labels(40, 6, 3, missing=0.3, seed=9)
    order = np.random.default_rng(1).permutation(len(labels))
    mixed = replace(
        labels, item=labels.item[order], rater=labels.rater[order], label=labels.label[order]
    )
    for name in KNOWN:
        one, other = (COEFFICIENTS[name].influence(prepare(x, "interval")) for x in (labels, mixed))
        assert other.without == pytest.approx(one.without, abs=1e-12)
        assert np.sort(other.ratings) == pytest.approx(np.sort(one.ratings), abs=1e-12)


def test_a_rater_who_differs_from_all_others_is_named():
    labels = random_labels(100, 6, 3, skill=0.9, seed=3)
    noise = np.random.default_rng(1).integers(0, 3, 100)
    spammed = labels.label.copy()
    spammed[labels.rater == 4] = noise
    result = agree(replace(labels, label=spammed), scale="nominal", bootstrap=50)
    (note,) = [note for note in result.notes if "wide because of rater '4'" in note]
    assert note.severity == "caution"
    others = without(replace(labels, label=spammed), 4)
    rest = agree(others, scale="nominal", bootstrap=0)["alpha"].value
    assert f"would be {rest:.2f}" in note
    assert not any("because of rater" in n for n in agree(labels, bootstrap=50).notes)

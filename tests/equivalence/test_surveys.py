"""Surveys scored exactly: plain enumeration, public data, the paper's theory, other references."""

from __future__ import annotations

import csv
import re
from itertools import combinations
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from headcount import (
    DataError,
    Labels,
    OptionError,
    Predictions,
    read_ratings,
    running_example,
    survey_equivalence,
)
from headcount.equivalence.surveys import consensus
from tests.equivalence import naive, survey

# The engine equals plain enumeration of all subsets, on small random data.

PAIRS = [
    ("abc", "cross-entropy"),
    ("abc", "brier"),
    ("abc", "agreement"),
    ("frequency", "cross-entropy"),
    ("frequency", "brier"),
    ("frequency", "agreement"),
    ("plurality", "agreement"),
]


@st.composite
def rated_items(draw: st.DrawFn) -> tuple[list[list[str]], list[str]]:
    """Ragged ratings of 2 to 8 items with 2 to 4 labels, all of which are used."""
    labels = list("abcd")[: draw(st.integers(2, 4))]
    items = draw(
        st.lists(st.lists(st.sampled_from(labels), min_size=1, max_size=5), min_size=2, max_size=8)
    )
    used = sorted({label for item in items for label in item})
    if len(used) < 2 or max(map(len, items)) < 2:
        items.append(["a", "b"])
        used = sorted({label for item in items for label in item})
    return items, used


def as_labels(items: list[list[str]]) -> Labels:
    triples = [(i, j, label) for i, item in enumerate(items) for j, label in enumerate(item)]
    return Labels.from_triples(*zip(*triples, strict=True))


@pytest.mark.parametrize(("combiner", "scorer"), PAIRS)
@settings(max_examples=60)
@given(data=rated_items(), size=st.integers(1, 4))
def test_curve_equals_enumeration(combiner, scorer, data, size):
    items, labels = data
    max_k = min(size, max(map(len, items)) - 1)
    result = survey(as_labels(items), combiner=combiner, scorer=scorer, max_k=max_k, bootstrap=0)
    expected = naive.power_curve(items, labels, max_k, combiner, scorer)
    # Both are sums of some hundred terms of order 1 in double precision.
    assert [point.score.value for point in result.curve] == pytest.approx(expected, abs=1e-10)


@settings(max_examples=60)
@given(
    data=rated_items(),
    size=st.integers(1, 4),
    scorer=st.sampled_from(["cross-entropy", "brier", "agreement"]),
    seed=st.integers(0, 2**32 - 1),
)
def test_classifier_and_equivalence_equal_enumeration(data, size, scorer, seed):
    items, labels = data
    max_k = min(size, max(map(len, items)) - 1)
    probability = np.random.default_rng(seed).dirichlet(np.ones(len(labels)), size=len(items))
    predictions = Predictions.from_probabilities(range(len(items)), labels, {"h": probability})
    result = survey(as_labels(items), predictions, scorer=scorer, max_k=max_k, bootstrap=0)

    as_dicts = [dict(zip(labels, row, strict=True)) for row in probability.tolist()]
    h = naive.classifier_score(items, as_dicts, max_k, scorer)
    assert result["h"].score.value == pytest.approx(h, abs=1e-10)
    curve = [point.score.value for point in result.curve]
    # So few items have no worth; the crossing itself is what it is.
    worth = naive.equivalence(curve, result["h"].score.value)
    found = survey_equivalence(curve, result["h"].score.value)
    assert found == pytest.approx(worth, abs=1e-9)
    assert result["h"].worth.undefined


# Exact values on the paper's public data.

TOLERANCE = 1e-5  # the values are written to six digits, the equivalences to five decimals


def saved_predictions(path: Path, labels: list[str]) -> Predictions:
    """Read predictions as the reference library printed them: Prediction: [p, q]."""
    with path.open(encoding="utf-8", newline="") as file:
        header, *rows = list(csv.reader(file))
    columns = {
        name: [[float(x) for x in re.findall(r"[\d.]+(?:e-?\d+)?", row[i])] for row in rows]
        for i, name in enumerate(header[1:], start=1)
    }
    return Predictions.from_probabilities([row[0] for row in rows], labels, columns)


@pytest.mark.parametrize(
    ("data", "labels", "case", "max_k"),
    [
        ("running_example", ["pos", "neg"], "abc_cross_entropy", None),
        ("toxicity", ["a", "n"], "abc_cross_entropy_k7", 7),
        ("toxicity", ["a", "n"], "abc_cross_entropy_k9", 9),
    ],
)
def test_abc_and_cross_entropy(data_folder, golden, data, labels, case, max_k):
    expected = golden("survey")[data][case]
    ratings = read_ratings(data_folder / "survey" / data / "ratings_wide.csv")
    predictions = saved_predictions(data_folder / "survey" / data / "soft_predictions.csv", labels)
    result = survey(ratings, predictions, combiner="abc", max_k=max_k, bootstrap=0)
    curve = [point.score.value for point in result.curve]
    assert curve == pytest.approx(expected["curve"], abs=TOLERANCE)
    for name, values in expected["classifiers"].items():
        assert result[name].score.value == pytest.approx(values["score"], abs=TOLERANCE)
        assert result[name].worth.value == pytest.approx(values["equivalence"], abs=TOLERANCE)
    assert result.provenance.items_used == expected.get("items", 1000)


def test_plurality_and_agreement(data_folder, golden):
    expected = golden("survey")["running_example"]["plurality_agreement"]["curve"]
    ratings = read_ratings(data_folder / "survey" / "running_example" / "ratings_wide.csv")
    result = survey(ratings, combiner="plurality", scorer="agreement", bootstrap=0)
    curve = [point.score.value for point in result.curve]
    assert curve == pytest.approx(expected, abs=TOLERANCE)


def test_paper_interval_of_the_running_example(data_folder):
    """The paper's 95% interval, [1.63, 2.54], is from 500 other draws of other subsets."""
    folder = data_folder / "survey" / "running_example"
    ratings = read_ratings(folder / "ratings_wide.csv")
    predictions = saved_predictions(folder / "soft_predictions.csv", ["pos", "neg"])
    worth = survey(ratings, predictions, combiner="abc", seed=1)["calibrated hard classifier"].worth
    # The 2.5% and 97.5% points of 500 draws with standard deviation .2 have standard errors of
    # about .03; the reference's own sampling of subsets adds as much.
    assert worth.low == pytest.approx(1.63, abs=0.12)
    assert worth.high == pytest.approx(2.54, abs=0.12)


# What the paper's theory says of the running example, whose states are known.

SHARE = np.array([0.7, 0.2, 0.1])
STATE = np.array([0.8, 0.1, 0.5])


@pytest.fixture(scope="module")
def large():
    return running_example(200_000, 10, seed=20)


def entropy(p):
    return -(p * np.log2(p) + (1 - p) * np.log2(1 - p))


def test_baseline_and_omniscient_classifier(large):
    labels, predictions = large
    result = survey(labels, predictions, bootstrap=0)
    # c_0 is minus the entropy of a random label; the omniscient classifier pays the mean entropy
    # of the states. Standard error of either mean over 200,000 items: about .0006.
    baseline, ceiling = -entropy(SHARE @ STATE), -(SHARE @ entropy(STATE))
    assert (baseline, ceiling) == pytest.approx((-0.951, -0.699), abs=0.0005)
    assert result.curve[0].score.value == pytest.approx(baseline, abs=0.002)
    assert result["omniscient"].score.value == pytest.approx(ceiling, abs=0.002)


def test_agreement_of_one_rater(large):
    labels, _ = large
    result = survey(labels, combiner="plurality", scorer="agreement", bootstrap=0)
    # One rater's label agrees with another's if both say cat or both say dog: p^2 + (1 - p)^2.
    expected = SHARE @ (STATE**2 + (1 - STATE) ** 2)
    assert result.curve[0].score.value == pytest.approx(0.5, abs=1e-12)
    assert result.curve[1].score.value == pytest.approx(expected, abs=0.002)


def test_gain_is_mutual_information(large):
    """Theorem 1: abc with cross-entropy gains I(next label; k labels)."""
    labels, _ = large
    result = survey(labels, max_k=4, bootstrap=0)
    for k in range(5):
        count = np.arange(k + 1)
        choose = np.array([np.prod([(k - j) / (j + 1) for j in range(c)]) for c in count])
        # Joint distribution of the state and of how many of k raters say cat.
        joint = (
            SHARE[:, None] * choose * STATE[:, None] ** count * (1 - STATE[:, None]) ** (k - count)
        )
        p_next = (joint * STATE[:, None]).sum(axis=0) / joint.sum(axis=0)
        expected = entropy(SHARE @ STATE) - joint.sum(axis=0) @ entropy(p_next)
        assert result.curve[k].gain.value == pytest.approx(expected, abs=0.002)


def test_combiners_rank_as_theorem_3_says(large):
    labels, _ = large
    abc, frequency = (survey(labels, combiner=c, bootstrap=0) for c in ("abc", "frequency"))
    for ours, theirs in zip(abc.curve[1:], frequency.curve[1:], strict=True):
        assert ours.score.value > theirs.score.value
    scores = [point.score.value for point in abc.curve]
    assert scores == sorted(scores)


def test_gain_of_a_calibrated_classifier_is_its_mutual_information(large):
    """Theorem 2: cross-entropy of a calibrated classifier gains I(prediction; label)."""
    labels, predictions = large
    result = survey(labels, predictions, bootstrap=0)
    says_cat = np.array([0.9, 0.05, 0.5])
    joint = np.array([SHARE * says_cat, SHARE * (1 - says_cat)])  # answer x state
    p_answer = joint.sum(axis=1)
    p_cat = joint @ STATE / p_answer
    expected = entropy(SHARE @ STATE) - p_answer @ entropy(p_cat)
    assert result["calibrated"].gain.value == pytest.approx(expected, abs=0.002)


def test_no_combiner_agrees_more_often_than_abc(large):
    """The most probable label after Bayes' rule is the best guess, plurality included."""
    labels, _ = large
    abc, plurality = (
        survey(labels, combiner=c, scorer="agreement", bootstrap=0) for c in ("abc", "plurality")
    )
    for ours, theirs in zip(abc.curve, plurality.curve, strict=True):
        # Both are means over 200,000 items; they may be equal, up to what was learned.
        assert ours.score.value > theirs.score.value - 1e-4
    assert abc.curve[2].score.value > plurality.curve[2].score.value + 0.01


# Scoring against several raters, known states and experts.


@settings(max_examples=50)
@given(
    pattern=st.lists(st.integers(0, 4), min_size=2, max_size=4).filter(lambda w: sum(w) > 0),
    raters=st.integers(1, 5),
)
def test_consensus_is_the_mean_over_all_sets_of_raters(pattern, raters):
    labels = [label for label, n in enumerate(pattern) for _ in range(n)]
    raters = min(raters, len(labels))
    expected = np.zeros(len(pattern))
    sets = list(combinations(labels, raters))
    for chosen in sets:
        counts = np.bincount(chosen, minlength=len(pattern))
        top = counts == counts.max()
        expected += top / top.sum() / len(sets)
    np.testing.assert_allclose(consensus(np.array([pattern]), raters)[0], expected, atol=1e-12)


def naive_curve(items, labels, max_k, r, combiner, scorer):
    """Algorithm 3 with HSCORE^r: every set of r unused raters, ties of their vote shared."""
    combine, score = naive.COMBINERS[combiner], naive.SCORERS[scorer]
    items = [item for item in items if len(item) >= max_k + r]
    curve = []
    for k in range(max_k + 1):
        total = 0.0
        for i, item in enumerate(items):
            others = items[:i] + items[i + 1 :]
            scores = []
            for subset in combinations(range(len(item)), k):
                p = combine([item[j] for j in subset], others, labels)
                unused = [item[j] for j in range(len(item)) if j not in subset]
                for reference in combinations(unused, r):
                    vote = naive.plurality(list(reference), [], labels)
                    scores.append(sum(float(v) * score(p, la) for la, v in vote.items() if v))
            total += sum(scores) / len(scores)
        curve.append(total / len(items))
    return curve


@pytest.mark.parametrize(("combiner", "scorer"), [("abc", "brier"), ("plurality", "agreement")])
@settings(max_examples=30)
@given(data=rated_items(), r=st.integers(2, 3))
def test_curve_against_several_raters_equals_enumeration(combiner, scorer, data, r):
    items, labels = data
    most = max(map(len, items))
    if most < r + 1:
        return
    max_k = min(2, most - r)
    result = survey(
        as_labels(items),
        combiner=combiner,
        scorer=scorer,
        max_k=max_k,
        reference=r,
        bootstrap=0,
    )
    expected = naive_curve(items, labels, max_k, r, combiner, scorer)
    assert [p.score.value for p in result.curve] == pytest.approx(expected, abs=1e-10)
    assert result.provenance.reference == f"the plurality of {r} raters"


@pytest.fixture(scope="module")
def uniform_noise():
    """Two states, one a label: the setting of the paper's Theorem 5."""
    rng = np.random.default_rng(8)
    n = 200_000
    truth = rng.random(n) < 0.4  # label b
    says_b = rng.random((n, 9)) < np.where(truth, 0.65, 0.12)[:, None]
    labels = Labels.from_triples(
        np.repeat(np.arange(n), 9),
        np.tile(np.arange(9), n),
        np.array(["a", "b"])[says_b.ravel() * 1],
    )
    guess = np.where(rng.random(n) < 0.78, truth, ~truth)
    predictions = Predictions.from_labels(range(n), {"h": np.array(["a", "b"])[guess * 1]})
    states = Predictions.from_labels(range(n), {"s": np.array(["a", "b"])[truth * 1]})
    return labels, predictions, states


def test_theorem_5_equivalence_does_not_depend_on_the_reference(uniform_noise):
    labels, predictions, states = uniform_noise
    options = {"combiner": "plurality", "scorer": "dmi", "max_k": 4, "bootstrap": 60}
    worth = [
        survey(labels, predictions, reference=each, **options)["h"].worth
        for each in (1, 3, 5, states)
    ]
    # Each is an estimate from 200,000 items; half the width of a 95% interval is 2 errors.
    error = max(w.high - w.low for w in worth) / 4
    assert error < 0.05
    for w in worth:
        assert w.value == pytest.approx(worth[0].value, abs=4 * error)


def test_known_states_are_the_reference():
    labels = Labels.from_triples([1, 1, 2, 2], [1, 2, 1, 2], ["a", "b", "b", "b"])
    states = Predictions.from_probabilities([1, 2], ["a", "b"], {"s": [[0.9, 0.1], [0.2, 0.8]]})
    predictions = Predictions.from_labels([1, 2], {"h": ["a", "b"]})
    result = survey(
        labels, predictions, reference=states, combiner="plurality", scorer="agreement", bootstrap=0
    )
    assert result["h"].score.value == pytest.approx((0.9 + 0.8) / 2)
    # One rater: item 1 says a or b with equal chances; item 2 says b.
    assert result.curve[1].score.value == pytest.approx(((0.9 + 0.1) / 2 + 0.8) / 2)
    assert result.provenance.reference == "the known state"
    with pytest.raises(DataError, match="expected one column group of states"):
        survey(labels, reference=states + predictions)


def test_reference_raters_need_ratings():
    labels = Labels.from_triples([1, 1, 2, 2], [1, 2, 1, 2], ["a", "b", "b", "b"])
    with pytest.raises(DataError, match="no item used has 3 ratings"):
        survey(labels, reference=2)
    with pytest.raises(OptionError, match="whole number of at least 1"):
        survey(labels, reference=0)


def pools(n=400, seed=0):
    """Experts answer from the state, amateurs half the time at random."""
    rng = np.random.default_rng(seed)
    state = rng.choice([0.9, 0.2], size=n)
    expert = rng.random((n, 4)) < state[:, None]
    noisy = np.where(
        rng.random((n, 6)) < 0.5, rng.random((n, 6)) < 0.5, rng.random((n, 6)) < state[:, None]
    )
    says = np.concatenate([expert, noisy], axis=1)
    raters = np.array([f"e{j}" for j in range(4)] + [f"a{j}" for j in range(6)], dtype=object)
    labels = Labels.from_triples(
        np.repeat(np.arange(n), 10), np.tile(raters, n), np.where(says.ravel(), "yes", "no")
    )
    return labels, says


def test_experts_and_amateurs_by_enumeration():
    labels, says = pools(6, seed=3)
    result = survey(labels, experts=["e0", "e1", "e2", "e3"], scorer="brier", bootstrap=0, max_k=2)
    words = [["yes" if x else "no" for x in row] for row in says]
    expert = naive.power_curve([row[:4] for row in words], ["no", "yes"], 2, "abc", "brier")
    assert [p.score.value for p in result.curve] == pytest.approx(expert, abs=1e-10)
    # No amateur at all knows as much as no expert: how often experts say each label.
    assert result.amateurs[0].score.value == pytest.approx(expert[0], abs=1e-10)
    plurality = survey(
        labels, experts=["e0", "e1", "e2", "e3"], combiner="plurality", scorer="agreement",
        bootstrap=0,
    )  # fmt: skip
    expected = []
    for m in range(7):
        scores = [
            naive.agreement(naive.plurality(list(chosen), [], ["no", "yes"]), reference)
            for row in words
            for chosen in combinations(row[4:], m)
            for reference in row[:4]
        ]
        expected.append(np.mean(scores))
    assert [p.score.value for p in plurality.amateurs] == pytest.approx(expected, abs=1e-12)


def test_amateurs_are_worth_fewer_experts():
    labels, _ = pools()
    result = survey(labels, experts=["e0", "e1", "e2", "e3"], bootstrap=100)
    assert len(result.amateurs) == 7
    one = result.amateurs[1].worth
    assert 0 < one.value < 1
    assert one.low < one.value < one.high
    assert result.amateurs[6].worth.value > result.amateurs[2].worth.value
    assert result.provenance.reference == "one expert"
    document = result.to_dict()["experts"]
    assert document["amateurs"][1]["worth"]["value"] == one.value
    assert "amateur" in repr(result)


def test_unknown_and_useless_experts():
    labels, _ = pools(10)
    with pytest.raises(DataError, match="no ratings by 1 expert: 'eve'"):
        survey(labels, experts=["e0", "eve"])
    with pytest.raises(DataError, match="all of the ratings are by experts"):
        survey(labels, experts=labels.raters.tolist())


def test_amateurs_beyond_all_experts_are_told_in_words():
    """One expert's label says less than those of four amateurs who are as good."""
    rng = np.random.default_rng(4)
    yes = rng.random((200, 6)) < rng.beta(0.5, 0.5, 200)[:, None]
    raters = ["e0", "e1", "a0", "a1", "a2", "a3"]
    rows = [(i, raters[r], str(yes[i, r])) for i in range(200) for r in range(6)]
    result = survey(Labels.from_triples(*zip(*rows, strict=True)), experts=raters[:2], bootstrap=50)
    assert str(result).startswith("4 amateurs are worth more than 1 expert (")

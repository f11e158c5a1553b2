"""Scoring against several raters, known states and experts."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from headcount import DataError, Labels, OptionError, Predictions
from headcount.equivalence.surveys.surveys import consensus
from tests.equivalence import naive, survey
from tests.equivalence.test_exact import as_labels, rated_items


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
        reference_raters=r,
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
        survey(labels, predictions, reference_raters=r, **options)["h"].equivalence
        for r in (1, 3, 5)
    ]
    worth.append(survey(labels, predictions, states=states, **options)["h"].equivalence)
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
        labels, predictions, states=states, combiner="plurality", scorer="agreement", bootstrap=0
    )
    assert result["h"].score.value == pytest.approx((0.9 + 0.8) / 2)
    # One rater: item 1 says a or b with equal chances; item 2 says b.
    assert result.curve[1].score.value == pytest.approx(((0.9 + 0.1) / 2 + 0.8) / 2)
    assert result.provenance.reference == "the known state"
    with pytest.raises(OptionError, match="not both"):
        survey(labels, states=states, reference_raters=3)
    with pytest.raises(DataError, match="expected one column group of states"):
        survey(labels, states=states + predictions)


def test_reference_raters_need_ratings():
    labels = Labels.from_triples([1, 1, 2, 2], [1, 2, 1, 2], ["a", "b", "b", "b"])
    with pytest.raises(DataError, match="no item used has 3 ratings"):
        survey(labels, reference_raters=2)
    with pytest.raises(OptionError, match="whole number from 1 on"):
        survey(labels, reference_raters=0)


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
    one = result.amateurs[1].equivalence
    assert 0 < one.value < 1
    assert one.low < one.value < one.high
    assert result.amateurs[6].equivalence.value > result.amateurs[2].equivalence.value
    assert result.provenance.reference == "one expert"
    document = result.to_dict()["experts"]
    assert document["amateurs"][1]["equivalence"]["value"] == one.value
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
    assert (
        "4 amateurs predict the next expert better than 1 expert does, the most these data can show"
        in " ".join(str(result).split())
    )

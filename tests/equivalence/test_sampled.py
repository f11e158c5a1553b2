"""Sampled surveys, very many items, and very many labels."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from headcount import Labels, OptionError, running_example
from headcount import survey as full_survey
from headcount.data.predictions import Predictions
from headcount.equivalence import methods as many_items
from headcount.equivalence import worth
from headcount.equivalence.calibration import pooled, rounded
from headcount.equivalence.classifiers import WRONG, error_of_learning
from headcount.equivalence.methods import _root, _Sums
from headcount.equivalence.power_curve import Block
from headcount.equivalence.scorers import SCORERS, as_scorer
from tests.equivalence import survey

# Sampled surveys meet exact ones.


def numeric(labels: Labels, drop: float = 0.0) -> Labels:
    """The same labels as 0 and 1, some of them missing."""
    keep = np.random.default_rng(1).random(len(labels)) >= drop
    return Labels.from_triples(labels.item[keep], labels.rater[keep], labels.label[keep])


@pytest.mark.parametrize("drop", [0.0, 0.2], ids=["rectangular", "ragged"])
@pytest.mark.parametrize("scorer", list(SCORERS))
def test_exact_and_sampled_meet_for_each_scorer(scorer, drop):
    labels = numeric(running_example(400, 6, seed=3)[0], drop)
    combiner = "mean" if scorer == "correlation" else "abc"
    options = {"combiner": combiner, "scorer": scorer, "bootstrap": 0, "max_k": 3}
    exact = survey(labels, **options)
    runs = [
        [p.score.value for p in survey(labels, samples=40, seed=s, **options).curve]
        for s in range(6)
    ]
    mean, spread = np.mean(runs, axis=0), np.std(runs, axis=0, ddof=1) / np.sqrt(6)
    # Ratio scorers average scores of tables of 400 items instead of scoring the expected table:
    # they differ by the order of 1/400, relative to the score.
    bias = 0.0 if scorer in ("cross-entropy", "agreement", "brier") else 1.5 / 400
    for k, point in enumerate(exact.curve):
        # Six runs know their spread badly: five standard errors.
        assert mean[k] == pytest.approx(point.score.value, abs=5 * spread[k] + bias + 1e-9)


def test_all_sets_of_raters_give_the_exact_curve():
    """With 200 sets or fewer in all, nothing is left to chance."""
    labels, predictions = running_example(150, 6, seed=3)
    exact = survey(labels, predictions, bootstrap=0)
    sampled = survey(labels, predictions, samples=200, bootstrap=0)
    for ours, theirs in zip(exact.curve, sampled.curve, strict=True):
        # abc takes the rater asked last for the one who is missing; all else is equal.
        assert theirs.score.value == pytest.approx(ours.score.value, abs=1e-4)
    assert sampled["calibrated"].score.value == pytest.approx(exact["calibrated"].score.value)
    plurality = {"combiner": "plurality", "scorer": "agreement", "bootstrap": 0}
    for ours, theirs in zip(
        survey(labels, **plurality).curve,
        survey(labels, samples=200, **plurality).curve,
        strict=True,
    ):
        assert theirs.score.value == pytest.approx(ours.score.value, abs=1e-12)


def test_intervals_and_seed():
    labels, predictions = running_example(200, 5, seed=3)
    first, again = (survey(labels, predictions, samples=20, bootstrap=50, seed=4) for _ in range(2))
    assert first == again
    exact = survey(labels, predictions, bootstrap=200, seed=4)
    for ours, theirs in zip(exact.curve, first.curve, strict=True):
        assert theirs.score.low <= theirs.score.value <= theirs.score.high
        width = ours.score.high - ours.score.low
        # 50 draws know the ends of an interval to about a third of its width.
        assert theirs.score.low == pytest.approx(ours.score.low, abs=width / 2)


def test_too_many_outcomes_are_sampled_and_the_estimate_is_told():
    rng = np.random.default_rng(0)
    n, raters = 12, 40
    labels = Labels.from_triples(
        np.repeat(np.arange(n), raters),
        np.tile(np.arange(raters), n),
        rng.integers(0, 9, n * raters),
    )
    result = survey(labels, max_k=20, samples=5, bootstrap=10)
    assert result.provenance.method == "sampled"
    assert any("different outcomes" in note and "'sampled'" in note for note in result.notes)
    assert len(result.curve) == 21


def test_written_combiners_can_be_sampled():
    labels, _ = running_example(60, 5, seed=3)
    combiner = {"combiner": lambda counts: "cat" if counts["cat"] else "dog", "scorer": "agreement"}
    exact = survey(labels, bootstrap=0, **combiner)
    sampled = survey(labels, bootstrap=0, samples=200, **combiner)
    for ours, theirs in zip(exact.curve, sampled.curve, strict=True):
        assert theirs.score.value == pytest.approx(ours.score.value, abs=1e-12)


def test_bad_samples():
    labels, _ = running_example(20, 4)
    with pytest.raises(OptionError, match="samples must be a whole number of at least 1"):
        survey(labels, samples=0)


# Very many items, scored by sums over patterns: as if each of them were drawn.


@pytest.fixture
def few_are_many(monkeypatch):
    for module, name in ((many_items, "MANY"), (worth, "MOST_ITEMS")):
        monkeypatch.setattr(module, name, 500)


def continuous(n, seed=0):
    """Ratings, and probabilities that all differ, of two classifiers."""
    labels, predictions = running_example(n, 6, seed=seed)
    rng = np.random.default_rng(seed)
    columns = {}
    for noise in (0.4, 1.2):
        p = predictions.classifiers[-1].probability[:, 1]
        logit = np.log(p / (1 - p)) + rng.normal(0, noise, n)
        q = 1 / (1 + np.exp(-logit))
        columns[f"noise {noise}"] = np.column_stack([1 - q, q])
    return labels, Predictions.from_probabilities(predictions.items, predictions.labels, columns)


@given(
    items=st.lists(
        st.tuples(st.integers(0, 3), st.integers(-8, 8), st.integers(-8, 8), st.integers(1, 4)),
        min_size=1,
        max_size=60,
    )
)
def test_sums_have_the_covariance_of_a_bootstrap_sample(items):
    """Between patterns and within them, variances add up to that of items drawn one by one."""
    pattern, a, b, weight = np.array(items).T
    _, pattern = np.unique(pattern, return_inverse=True)
    statistics = np.column_stack([a / 4, b / 8, a * b / 16.0])
    multiplicity = np.bincount(pattern, weight).astype(np.int64)
    sums = _Sums(len(multiplicity), 3)
    half = len(pattern) // 2
    for part in (slice(None, half), slice(half, None)):
        block = Block(pattern[part], weight[part].astype(float), [])
        sums.add(block, statistics[part])
    n = multiplicity.sum()
    mean = np.average(statistics, axis=0, weights=weight)
    each = sums.means(multiplicity)
    np.testing.assert_allclose(multiplicity @ each / n, mean, atol=1e-12)
    away = each - mean
    between = (away * multiplicity[:, None]).T @ away / n
    root = sums.within(multiplicity)
    assert (np.triu(root, 1) == 0).all()
    one_by_one = np.cov(statistics.T, fweights=weight, ddof=0)
    # What is left out as rounding is 1e-12 of a sum of squares, of which these are at most 16.
    np.testing.assert_allclose(between + root @ root.T, one_by_one, atol=1e-10)


@given(st.integers(0, 2**32 - 1), st.integers(1, 5), st.integers(1, 5))
def test_roots_of_covariances_that_may_be_singular(seed, size, rank):
    loads = np.random.default_rng(seed).normal(size=(size, min(rank, size)))
    covariance = loads @ loads.T
    root = _root(covariance, np.diag(covariance))
    np.testing.assert_allclose(root @ root.T, covariance, atol=1e-6 * np.abs(covariance).max())


def test_scores_are_those_of_items_held_one_by_one(few_are_many, monkeypatch):
    data = continuous(4000)
    by_sums = full_survey(*data, bootstrap=2000, seed=1)
    monkeypatch.setattr(many_items, "MANY", 10**9)
    held = full_survey(*data, bootstrap=2000, seed=1)
    for one, other in zip(by_sums.classifiers, held.classifiers, strict=True):
        assert one.score.value == pytest.approx(other.score.value, abs=1e-12)
        assert one.worth.value == pytest.approx(other.worth.value, abs=1e-9)
        # 2,000 draws know the ends of an interval to some 4% of its width.
        width = other.score.high - other.score.low
        assert one.score.low == pytest.approx(other.score.low, abs=0.12 * width)
        assert one.score.high == pytest.approx(other.score.high, abs=0.12 * width)
        assert one.with_rater is None
    (a,), (b,) = by_sums.comparisons, held.comparisons
    assert a.raters.low == pytest.approx(b.raters.low, abs=0.15)


def test_the_same_whatever_the_order_of_items(few_are_many):
    labels, predictions = continuous(1500)
    rng = np.random.default_rng(3)
    order = rng.permutation(len(predictions.items))
    shuffled = Predictions.from_probabilities(
        predictions.items[order],
        predictions.labels,
        {c.name: c.probability[order] for c in predictions.classifiers},
    )
    one = full_survey(labels, predictions, bootstrap=50, seed=2)
    other = full_survey(labels, shuffled, bootstrap=50, seed=2)
    assert one.to_dict()["classifiers"] == other.to_dict()["classifiers"]


def test_a_judge_as_good_as_chance_and_a_copy(few_are_many):
    labels, predictions = continuous(1200)
    p = np.tile([[0.5, 0.5]], (1200, 1))
    copy = predictions.classifiers[0].probability
    columns = {"chance": p, "one": copy, "copy": copy}
    made = Predictions.from_probabilities(predictions.items, predictions.labels, columns)
    found = full_survey(labels, made, bootstrap=100, seed=1)
    assert found["chance"].score.low == found["chance"].score.high == -1
    assert found["one"].score == found["copy"].score
    (same,) = [c for c in found.comparisons if {c.a, c.b} == {"one", "copy"}]
    assert same.p_a_better == 0.5


@settings(max_examples=50)
@given(st.floats(allow_nan=False, allow_infinity=False, width=32))
def test_rounding_keeps_what_is_round_and_the_order(x):
    once = rounded(np.array([x]))
    assert rounded(once) == once
    assert abs(once[0] - x) <= abs(x) / 2**12
    assert rounded(np.array([-x])) == -once
    assert rounded(np.array([np.nextafter(np.float32(x), np.float32(np.inf))])) >= once


@given(st.integers(0, 2**32 - 1))
def test_numbers_are_pooled_whether_rows_are_split_or_not(seed):
    rng = np.random.default_rng(seed)
    x = rng.integers(0, 900, 4000).astype(float)
    shares = rng.dirichlet([1, 1, 1], len(x))
    _, group = np.unique(x, return_inverse=True)
    weight = np.bincount(group).astype(float)
    mean = np.stack([np.bincount(group, column) for column in shares.T], axis=1) / weight[:, None]
    values, total = pooled(x, shares, np.ones(len(x)))
    at_once = pooled(np.unique(x), mean, weight)
    np.testing.assert_allclose(at_once[0], values, atol=1e-9)
    np.testing.assert_allclose(at_once[1], total, atol=1e-9)
    assert total.sum() == pytest.approx(len(x))


# More than ten labels: what is not learned is said, and widens intervals.


def at_random(items, n_labels, raters, seed=0):
    """Ratings that tell nothing of each other."""
    said = np.random.default_rng(seed).integers(n_labels, size=(items, raters))
    rows = [(i, f"r{r}", f"v{said[i, r]}") for i in range(items) for r in range(raters)]
    return Labels.from_triples(*zip(*rows, strict=True))


def test_surveys_that_are_too_many_to_count_are_made_smaller_not_sampled(monkeypatch):
    """Sampled ones would not be smoothed: 6 raters were said to gain bits on what is random."""
    monkeypatch.setattr("headcount.equivalence.methods.MOST_NUMBERS", 60_000)
    result = full_survey(at_random(300, 30, 6), bootstrap=20)
    assert result.provenance.all_surveys
    assert result.provenance.max_k == 1
    assert result.curve[1].gain.value == pytest.approx(0, abs=0.02)
    assert [note for note in result.notes if "surveys are of up to" in note] == [
        "surveys are of up to 1 rater, not 5: with 30 labels these ratings are too few to learn "
        "what follows larger ones."
    ]


def test_a_curve_of_too_few_items_a_label_is_told_in_words():
    result = full_survey(at_random(60, 40, 4), bootstrap=20)
    assert str(result).startswith("60 items are too few, for so many labels, to tell how well")
    assert all(point.gain.low is None for point in result.curve)
    assert "No intervals (too few items)" in result.to_text(details=True)


def test_the_error_of_learning_is_a_part_of_what_is_corrected():
    """By hand: bits of the label that is said, with the item in and out."""
    shares, weight = np.eye(2), np.array([1.0, 3.0])
    outside, inside = np.array([[0.5, 0.5], [0.75, 0.25]]), np.array([[1.0, 0.0], [0.5, 0.5]])
    scorer = as_scorer("cross-entropy", None, None)
    both = (outside + inside) / 2
    corrected = ((0 + 1) + 3 * (-1 + 2)) / 4 / 2
    error = error_of_learning(outside, both, shares, weight, scorer)
    assert error == pytest.approx(WRONG * corrected)
    assert error_of_learning(outside, outside, shares, weight, scorer) == 0


def test_what_was_learned_wrongly_widens_the_interval(monkeypatch):
    rng = np.random.default_rng(2)
    theta = rng.dirichlet(np.full(12, 0.2), 200)
    said = np.array([rng.choice(12, 4, p=p) for p in theta])
    rows = [(i, f"r{r}", f"v{said[i, r]}") for i in range(200) for r in range(3)]
    labels = Labels.from_triples(*zip(*rows, strict=True))
    judged = {"item": list(range(200)), "judge": [f"v{code}" for code in said[:, 3]]}

    def score():
        return full_survey(labels, judged, bootstrap=200)["judge"].score

    wide = score()
    monkeypatch.setattr("headcount.equivalence.classifiers.WRONG", 0.0)
    narrow = score()
    assert wide.value == narrow.value
    assert wide.low < narrow.low < narrow.value < narrow.high < wide.high


@pytest.mark.parametrize(("items", "told"), [(12 * 16 - 1, False), (12 * 16, True)])
def test_a_judge_of_many_labels_has_a_worth_from_16_items_a_label_on(items, told):
    rng = np.random.default_rng(5)
    theta = rng.dirichlet(np.full(12, 0.1), items)
    said = np.array([rng.choice(12, 4, p=p) for p in theta])
    said[:12] = np.arange(12)[:, None]  # so that every label is used
    rows = [(i, f"r{r}", f"v{said[i, r]}") for i in range(items) for r in range(3)]
    labels = Labels.from_triples(*zip(*rows, strict=True))
    judged = {"item": list(range(items)), "judge": [f"v{code}" for code in said[:, 3]]}
    result = full_survey(labels, judged, bootstrap=50, ceiling=False)
    assert (result["judge"].worth.undefined is None) == told
    assert any("16 per label are needed" in note for note in result.notes) != told


def test_surveys_are_small_where_raters_agree_and_labels_are_many(monkeypatch):
    """Those of two were too low by .02 bits, of three by .08: near-perfect judges looked better."""
    rng = np.random.default_rng(3)
    right = rng.choice(11, 600)
    rows = [
        (i, r, f"label {x if rng.random() < 0.9 else rng.choice(11)}")
        for i, x in enumerate(right)
        for r in range(4)
    ]
    labels = Labels.from_triples(*zip(*rows, strict=True))
    judge = {"item": list(range(600)), "judge": [f"label {x}" for x in right]}
    assert full_survey(labels, judge, bootstrap=20).provenance.max_k == 1
    monkeypatch.setattr("headcount.equivalence.methods.REMEMBERED", 1.0)
    result = full_survey(labels, judge, bootstrap=20)
    assert result.provenance.max_k == 2
    assert any("worths above 1 are approximate" in str(note) for note in result.notes)


def test_more_ratings_are_no_advice_where_surveys_use_only_some(monkeypatch):
    rng = np.random.default_rng(0)
    theta = rng.random(60)
    said = (rng.random((60, 12)) < theta[:, None]).astype(int)
    labels = Labels.from_triples(np.repeat(np.arange(60), 12), np.tile(range(12), 60), said.ravel())
    judge = {"item": list(range(60)), "judge": np.clip(theta, 0.01, 0.99)}
    monkeypatch.setattr("headcount.equivalence.methods.QUICK_OUTCOMES", 500)
    screen = str(full_survey(labels, judge, bootstrap=50))
    assert "more than" in screen
    assert "collect more ratings" not in screen


def test_one_rater_is_one_rater():
    rng = np.random.default_rng(3)
    theta = rng.random(80)
    said = (rng.random((80, 2)) < theta[:, None]).astype(int)
    labels = Labels.from_triples(np.repeat(np.arange(80), 2), np.tile([0, 1], 80), said.ravel())
    judge = {"item": list(range(80)), "judge": (rng.random(80) < theta).astype(int)}
    assert "a worth above 1 rater cannot be" in " ".join(
        str(full_survey(labels, judge, bootstrap=50)).split()
    )

"""Scorers on weighted tables equal scikit-learn's metrics with sample_weight."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from sklearn import metrics

from headcount import Labels, OptionError, Scale, running_example
from headcount.equivalence.scorers.base import most_probable
from headcount.equivalence.scorers.catalogue import SCORERS, as_scorer
from tests.equivalence import survey


@st.composite
def tables(draw: st.DrawFn):
    """A weighted table: soft predictions, one label a row, weights."""
    labels = draw(st.integers(2, 4))
    rows = draw(st.integers(6, 25))
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    prediction = rng.dirichlet(np.ones(labels), size=rows)
    prediction[: rows // 2] = prediction[rng.integers(0, rows // 2, rows // 2)]  # ties
    label = rng.integers(0, labels, rows)
    label[:labels] = np.arange(labels)  # every label is given
    return prediction, label, rng.random(rows) + 0.05


def score(name, prediction, label, weight, *, positive=None, kind="soft", bind=False):
    scale = Scale(tuple("0123"[: prediction.shape[1]]))
    scorer = SCORERS[name](scale, positive)
    reference = np.eye(prediction.shape[1])[label]
    if bind:
        return float(scorer.bind(prediction, reference, kind)(weight[None])[0])
    return float(scorer.score(prediction, reference, weight, kind))


# Sums of up to 25 terms of order 1, in another order than scikit-learn's: 1e-12.
CLOSE = {"abs": 1e-12}


@pytest.mark.parametrize("bind", [False, True])
@settings(max_examples=40)
@given(table=tables())
def test_probability_scorers(table, bind):
    prediction, label, weight = table
    n_labels = prediction.shape[1]
    classes = list(range(n_labels))
    loss = metrics.log_loss(label, prediction, sample_weight=weight, labels=classes)
    ours = score("cross-entropy", prediction, label, weight, bind=bind)
    assert ours == pytest.approx(-loss / np.log(2), **CLOSE)
    squared = ((prediction - np.eye(n_labels)[label]) ** 2).sum(axis=1)
    brier = np.average(squared, weights=weight)
    assert score("brier", prediction, label, weight, bind=bind) == pytest.approx(-brier, **CLOSE)
    for positive in classes:
        auc = metrics.roc_auc_score(
            label == positive, prediction[:, positive], sample_weight=weight
        )
        ours = score("auc", prediction, label, weight, positive=positive, bind=bind)
        assert ours == pytest.approx(auc, **CLOSE)
    macro = np.mean(
        [metrics.roc_auc_score(label == c, prediction[:, c], sample_weight=weight) for c in classes]
    )
    assert score("auc", prediction, label, weight, bind=bind) == pytest.approx(macro, **CLOSE)


@settings(max_examples=60)
@given(table=tables())
def test_label_scorers(table):
    prediction, label, weight = table
    chosen = most_probable(prediction)
    assume((chosen.max(axis=1) == 1).all())
    said = chosen.argmax(axis=1)
    expected = {
        "agreement": metrics.accuracy_score(label, said, sample_weight=weight),
        "precision": metrics.precision_score(
            label, said, sample_weight=weight, average="macro", zero_division=0
        ),
        "recall": metrics.recall_score(
            label, said, sample_weight=weight, average="macro", zero_division=0
        ),
        "f1": metrics.f1_score(label, said, sample_weight=weight, average="macro", zero_division=0),
    }
    for name, value in expected.items():
        assert score(name, prediction, label, weight) == pytest.approx(value, **CLOSE)
        assert score(name, chosen, label, weight, kind="hard") == pytest.approx(value, **CLOSE)
    single = metrics.f1_score(
        label, said, sample_weight=weight, labels=[1], average="macro", zero_division=0
    )
    assert score("f1", prediction, label, weight, positive=1) == pytest.approx(single, **CLOSE)


@settings(max_examples=60)
@given(table=tables())
def test_correlation_and_dmi(table):
    prediction, label, weight = table
    value = np.arange(prediction.shape[1], dtype=float)
    covariance = np.cov(np.stack([prediction @ value, value[label]]), aweights=weight)
    pearson = covariance[0, 1] / np.sqrt(covariance[0, 0] * covariance[1, 1])
    assert score("correlation", prediction, label, weight) == pytest.approx(pearson, abs=1e-9)

    said = most_probable(prediction).argmax(axis=1)
    confusion = metrics.confusion_matrix(
        label, said, sample_weight=weight, labels=list(range(len(value))), normalize="all"
    )
    hard = np.eye(len(value))[said]
    ours = score("dmi", hard, label, weight, kind="hard")
    assert ours == pytest.approx(abs(np.linalg.det(confusion)), abs=1e-12)
    joint = (weight[:, None] * prediction).T @ np.eye(len(value))[label] / weight.sum()
    ours = score("dmi", prediction, label, weight)
    assert ours == pytest.approx(abs(np.linalg.det(joint)), abs=1e-12)


def test_a_label_chosen_by_lot_counts_as_its_chances():
    """The score of random ties is the mean over the ways in which they fall, for sums."""
    half = np.array([[0.5, 0.5], [1.0, 0.0]])
    weight = np.array([1.0, 1.0])
    ways = [np.array([[1.0, 0.0], [1.0, 0.0]]), np.array([[0.0, 1.0], [1.0, 0.0]])]
    for name in ("agreement", "recall"):
        expected = np.mean([score(name, w, [0, 1], weight, kind="hard") for w in ways])
        assert score(name, half, [0, 1], weight, kind="hard") == pytest.approx(expected)
    # A hard prediction of 0 or 1 by lot varies, its mean does not.
    rows = np.array([[0.5, 0.5], [0.0, 1.0], [1.0, 0.0]])
    hard = score("correlation", rows, [0, 1, 0], np.ones(3), kind="hard")
    mean = score("correlation", rows, [0, 1, 0], np.ones(3), kind="soft")
    assert 0 < hard < mean


def test_perfect_useless_and_constant_predictions():
    perfect, label, weight = np.eye(2), [0, 1], np.ones(2)
    assert score("auc", perfect, label, weight) == 1
    assert score("auc", perfect[::-1], label, weight) == 0
    flat = np.full((2, 2), 0.5)
    assert score("auc", flat, label, weight) == 0.5
    assert score("correlation", flat, label, weight) == 0
    assert score("precision", np.array([[1.0, 0], [1, 0]]), label, weight, positive=1) == 0
    assert score("auc", perfect, [0, 0], weight, positive=1) == 0  # nobody gave the label
    assert score("dmi", perfect, label, weight) == 0.25


def test_auc_of_tables_with_their_own_predictions():
    rng = np.random.default_rng(1)
    prediction = rng.dirichlet(np.ones(2), size=(3, 8))
    reference, weight = np.eye(2)[rng.integers(0, 2, 8)], rng.random((3, 8))
    scorer = SCORERS["auc"](Scale(("a", "b")), None)
    each = [scorer.score(p, reference, w) for p, w in zip(prediction, weight, strict=True)]
    np.testing.assert_allclose(scorer.score(prediction, reference, weight), each)


def test_names_and_positive_labels_are_checked():
    scale = Scale(("no", "yes"))
    with pytest.raises(OptionError, match="did you mean 'yes'"):
        as_scorer("f1", scale, "yess")
    with pytest.raises(OptionError, match="goes with precision, recall, f1, auc"):
        as_scorer("brier", scale, "yes")
    with pytest.raises(OptionError, match="labels that are numbers, not 'no', 'yes'"):
        as_scorer("correlation", scale, None)
    own = SCORERS["brier"](scale, None)
    assert as_scorer(own, scale, None) is own


@settings(max_examples=60)
@given(seed=st.integers(0, 2**32 - 1), rows=st.integers(2, 12), groups=st.integers(1, 4))
def test_auc_with_groups_equals_the_pairs(seed, rows, groups):
    """Rows of one group tie; other pairs compare their own predictions."""
    rng = np.random.default_rng(seed)
    p = np.round(rng.random(rows), 1)
    group = rng.integers(0, groups, rows)
    positive, weight = rng.random(rows), rng.random(rows)
    up, down = weight * positive, weight * (1 - positive)
    won = sum(
        up[i] * down[j] * (0.5 if group[i] == group[j] or p[i] == p[j] else float(p[i] > p[j]))
        for i in range(rows)
        for j in range(rows)
    )
    scorer = SCORERS["auc"](Scale(("a", "b")), None)
    prediction = np.stack([p, 1 - p], axis=1)
    reference = np.stack([positive, 1 - positive], axis=1)
    ours = scorer.bind(prediction, reference, "soft", group)(weight[None])[0]
    assert ours == pytest.approx(won / (up.sum() * down.sum()), abs=1e-12)


def test_no_rater_ranks_nobody():
    """Leaving the item out must not make the predictions of no rater look informed, or wrong."""
    labels, _ = running_example(200, 5, rng=1)
    assert survey(labels, scorer="auc", bootstrap=0).curve[0].score.value == pytest.approx(0.5)
    numeric = Labels.from_triples(labels.item, labels.rater, labels.label)
    result = survey(numeric, scorer="correlation", bootstrap=0)
    assert result.curve[0].score.value == 0
    assert result.curve[1].score.value > 0.2


def test_auc_of_one_rater_is_that_of_its_label():
    """After one label there are two predictions, so the area is (1 + TPR - FPR) / 2."""
    labels, _ = running_example(100_000, 3, rng=1)
    share, state = np.array([0.7, 0.2, 0.1]), np.array([0.8, 0.1, 0.5])
    cats = share @ state
    tpr, fpr = share @ state**2 / cats, share @ (state * (1 - state)) / (1 - cats)
    area = survey(labels, scorer="auc", bootstrap=0).curve[1].score.value
    assert area == pytest.approx((1 + tpr - fpr) / 2, abs=0.003)  # 300,000 ratings


def test_a_scorer_of_ones_own_sees_rows_of_the_same_shape():
    """Also where the ceiling is scored, on states that are fitted anew."""

    class BestTwo:
        name, kinds, unit = "best-two", {"hard", "soft"}, "share"

        def score(self, prediction, reference, weight, kind="soft"):
            top = np.argsort(-prediction, axis=-1)[..., :2]
            each = np.take_along_axis(reference, top, axis=-1).sum(axis=-1)
            return (weight * each).sum(axis=-1) / weight.sum(axis=-1)

    rng = np.random.default_rng(0)
    said = np.array([rng.choice(3, 3, p=p) for p in rng.dirichlet(np.ones(3), 60)])
    triples = [(i, r, f"v{said[i, r]}") for i in range(60) for r in range(3)]
    result = survey(
        Labels.from_triples(*zip(*triples, strict=True)),
        scorer=BestTwo(),
        bootstrap=5,
        ceiling=True,
        combiner="states",
    )
    assert result.ceiling.score.value >= result.curve[2].score.value > result.curve[0].score.value


def test_labels_and_probabilities_are_not_compared_by_dmi():
    """One more rater scored more than any survey, by giving labels and not what follows them."""
    rng = np.random.default_rng(1)
    said = [rng.choice(3, size=6, p=p) for p in rng.dirichlet(np.full(3, 0.7), size=100)]
    rows = [(i, r, "abc"[x]) for i, row in enumerate(said) for r, x in enumerate(row[:5])]
    labels = Labels.from_triples(*zip(*rows, strict=True))
    judge = {"item": list(range(100)), "judge": ["abc"[row[5]] for row in said]}
    with pytest.raises(OptionError, match=r"'judge' gives labels, .* combiner='plurality'"):
        survey(labels, judge, scorer="dmi")
    result = survey(labels, judge, scorer="dmi", combiner="plurality", bootstrap=50)
    worth = result["judge"].equivalence
    assert worth.low < 1 < worth.high
    assert "0.000 to 0.000" not in str(result)  # a determinant is small, and its digits are shown

"""Scorers against other programs and plain loops, and kinds that users bring."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from scipy import stats
from sklearn import metrics

from headcount import Labels, OptionError, Scale, running_example
from headcount.equivalence.alt_test import ALIGNMENTS
from headcount.equivalence.calibration import CALIBRATIONS
from headcount.equivalence.combiners import COMBINERS, Combiner, with_support
from headcount.equivalence.scorers import SCORERS, as_scorer, most_probable
from tests.equivalence import full, survey

# Scorers on weighted tables equal scikit-learn's metrics with sample_weight.


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
    labels, _ = running_example(200, 5, seed=1)
    assert survey(labels, scorer="auc", bootstrap=0).curve[0].score.value == pytest.approx(0.5)
    numeric = Labels.from_triples(labels.item, labels.rater, labels.label)
    result = survey(numeric, scorer="correlation", bootstrap=0)
    assert result.curve[0].score.value == 0
    assert result.curve[1].score.value > 0.2


def test_auc_of_one_rater_is_that_of_its_label():
    """After one label there are two predictions, so the area is (1 + TPR - FPR) / 2."""
    labels, _ = running_example(100_000, 3, seed=1)
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
    worth = result["judge"].worth
    assert worth.low < 1 < worth.high
    assert "0.000 to 0.000" not in full(result)  # a determinant is small, and its digits are shown


# Scorers of numbers and ranks against plain loops, other programs, and what must hold.

ORDERED = ("squared-error", "absolute-error", "rps", "spearman", "kappa", "kappa-linear")
SCALES = (
    Scale(("1", "2", "3", "5"), kind="interval"),
    Scale(("5", "2", "3"), kind="interval"),  # declared in another order than that of numbers
    Scale(("low", "mid", "high", "top"), kind="ordinal"),
    Scale(("-1", "0.5")),
)
# Sums of some hundred terms of order 10, in another order than ours.
CLOSE_ORDERED = {"abs": 1e-10}


def values(scale: Scale) -> list[float]:
    if scale.kind == "ordinal":
        return [float(i + 1) for i in range(len(scale))]
    return [float(label) for label in scale.labels]


def median(p, value) -> float:
    """Half way between the smallest number reached by half and the largest not passed by half."""
    pairs = sorted(zip(value, p, strict=True))
    low = next(
        v for i, (v, _) in enumerate(pairs) if sum(q for _, q in pairs[: i + 1]) >= 0.5 - 1e-9
    )
    high = next(
        v for i, (v, _) in enumerate(pairs) if sum(q for _, q in pairs[: i + 1]) > 0.5 + 1e-9
    )
    return (low + high) / 2


def said(p, value, name, kind) -> list[tuple[float, float]]:
    """Numbers that a prediction says, each with its chance."""
    if kind == "hard":
        return [(v, q) for v, q in zip(value, p, strict=True) if q]
    mean = sum(v * q for v, q in zip(value, p, strict=True))
    if name in ("squared-error", "spearman"):
        return [(mean, 1.0)]
    if name == "absolute-error":
        return [(median(p, value), 1.0)]
    if kind == "mean":
        least = min(abs(v - mean) for v in value)
        near = [v for v in value if abs(v - mean) <= least + 1e-9]
        return [(v, 1 / len(near)) for v in near]
    most = [v for v, q in zip(value, p, strict=True) if q >= max(p) - 1e-9]
    return [(v, 1 / len(most)) for v in most]


def crps(p, value, y) -> float:
    """Mean distance of the prediction to y, less half of that within the prediction."""
    near = sum(q * abs(v - y) for v, q in zip(value, p, strict=True))
    pairs = [(v, q) for v, q in zip(value, p, strict=True)]
    return near - sum(q * r * abs(v - u) for v, q in pairs for u, r in pairs) / 2


def slow(name, scale, prediction, reference, weight, kind) -> float:
    """Score by loops over every pair of what is said and what is given."""
    value = values(scale)
    rows = [
        (w * q * r, x, y, p)
        for p, ref, w in zip(prediction, reference, weight, strict=True)
        for x, q in said(p, value, name if name != "rps" else "squared-error", kind)
        for y, r in zip(value, ref, strict=True)
        if r
    ]
    total = sum(w for w, *_ in rows)
    if name == "squared-error":
        return -sum(w * (x - y) ** 2 for w, x, y, _ in rows) / total
    if name == "absolute-error":
        return -sum(w * abs(x - y) for w, x, y, _ in rows) / total
    if name == "rps":
        if kind == "hard":
            return -sum(w * abs(x - y) for w, x, y, _ in rows) / total
        return -sum(w * crps(p, value, y) for w, _, y, p in rows) / total
    if name == "spearman":

        def rank(axis, number):
            return sum(
                r[0] * (1.0 if r[axis] < number - 1e-9 else 0.5 * (abs(r[axis] - number) < 1e-9))
                for r in rows
            )

        x = np.array([rank(1, r[1]) for r in rows])
        y = np.array([rank(2, r[2]) for r in rows])
        w = np.array([r[0] for r in rows])
        if np.ptp(x) < 1e-9 or np.ptp(y) < 1e-9:
            return 0.0
        c = np.cov(np.stack([x, y]), aweights=w)
        return float(c[0, 1] / math.sqrt(c[0, 0] * c[1, 1]))
    power = 2 if name == "kappa" else 1
    seen = sum(w * abs(x - y) ** power for w, x, y, _ in rows) / total
    chance = sum(w * v * abs(x - u) ** power for w, x, *_ in rows for v, _, u, _ in rows) / total**2
    return 0.0 if chance < 1e-12 else 1 - seen / chance


@st.composite
def ordered_tables(draw: st.DrawFn):
    scale = draw(st.sampled_from(SCALES))
    rows = draw(st.integers(1, 8))
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    kind = draw(st.sampled_from(["soft", "hard", "mean"]))
    # Quarters make medians and means that tie.
    prediction = rng.multinomial(4, np.full(len(scale), 1 / len(scale)), size=rows) / 4
    if draw(st.booleans()):
        prediction = rng.dirichlet(np.ones(len(scale)), size=rows)
    reference = rng.multinomial(3, np.full(len(scale), 1 / len(scale)), size=rows) / 3
    return scale, prediction, reference, rng.random(rows) + 0.05, kind


@pytest.mark.parametrize("name", ORDERED)
@settings(max_examples=60)
@given(table=ordered_tables())
def test_scores_equal_those_of_loops(name, table):
    scale, prediction, reference, weight, kind = table
    scorer = SCORERS[name](scale)
    if kind == "mean" and kind not in scorer.kinds:
        return
    expected = slow(name, scale, prediction, reference, weight, kind)
    assert float(scorer.score(prediction, reference, weight, kind)) == pytest.approx(
        expected, **CLOSE_ORDERED
    )
    bound = scorer.bind(prediction, reference, kind)(np.stack([weight, 2 * weight]))
    assert bound == pytest.approx([expected] * 2, **CLOSE_ORDERED)
    both = scorer.score(np.stack([prediction] * 2), reference, np.stack([weight] * 2), kind)
    assert both == pytest.approx([expected] * 2, **CLOSE_ORDERED)


@settings(max_examples=40)
@given(seed=st.integers(0, 2**32 - 1))
def test_hard_labels_score_as_other_programs_have_it(seed):
    rng = np.random.default_rng(seed)
    x, y = rng.integers(0, 4, 40), rng.integers(0, 4, 40)
    scale = Scale(("1", "2", "3", "4"))

    def score(name):
        return float(SCORERS[name](scale).score(np.eye(4)[x], np.eye(4)[y], np.ones(40), "hard"))

    assert score("kappa") == pytest.approx(metrics.cohen_kappa_score(x, y, weights="quadratic"))
    assert score("kappa-linear") == pytest.approx(metrics.cohen_kappa_score(x, y, weights="linear"))
    assert score("spearman") == pytest.approx(stats.spearmanr(x, y).statistic)
    assert score("squared-error") == pytest.approx(-metrics.mean_squared_error(y, x))
    assert score("absolute-error") == pytest.approx(-metrics.mean_absolute_error(y, x))


@settings(max_examples=40)
@given(seed=st.integers(0, 2**32 - 1), groups=st.integers(1, 4))
def test_surveys_that_observed_the_same_tie(seed, groups):
    """Within a group numbers do not count; between groups each counts as it is."""
    rng = np.random.default_rng(seed)
    rows = 9
    prediction, reference = (
        rng.dirichlet(np.ones(3), size=rows),
        np.eye(3)[rng.integers(0, 3, rows)],
    )
    group, weight = np.sort(rng.integers(0, groups, rows)), rng.random(rows) + 0.1
    weight /= weight.sum()
    x, y = prediction @ [1, 2, 3], reference @ [1, 2, 3]
    rank_x = [
        sum(
            w * (0.5 if h == g or a == b else float(a < b))
            for a, h, w in zip(x, group, weight, strict=True)
        )
        for b, g in zip(x, group, strict=True)
    ]
    rank_y = [
        sum(w * (0.5 if a == b else float(a < b)) for a, w in zip(y, weight, strict=True))
        for b in y
    ]
    scored = SCORERS["spearman"](Scale(("1", "2", "3"))).bind(prediction, reference, "soft", group)
    c = np.cov(np.stack([rank_x, rank_y]), aweights=weight)
    flat = c[0, 0] < 1e-15 or c[1, 1] < 1e-15
    expected = 0.0 if flat else c[0, 1] / math.sqrt(c[0, 0] * c[1, 1])
    # Ranks about their mean, which is 1/2 but for what groups move.
    assert float(scored(weight)) == pytest.approx(expected, abs=1e-9)


@pytest.mark.parametrize("name", ["squared-error", "absolute-error", "rps"])
@settings(max_examples=40)
@given(seed=st.integers(0, 2**32 - 1))
def test_no_prediction_scores_better_than_the_truth(name, seed):
    """Proper: against labels drawn from p, p itself scores best; other distributions no better."""
    rng = np.random.default_rng(seed)
    truth, other = rng.dirichlet(np.ones(4), size=2)
    for scale in (Scale(("1", "2", "3", "7")), Scale(tuple("abcd"), kind="ordinal")):
        scorer = SCORERS[name](scale)

        def score(p, scorer=scorer):
            return float(scorer.score(p[None], truth[None], np.ones(1)))

        assert score(truth) >= score(other) - 1e-12
        assert all(score(truth) >= score(np.eye(4)[i]) - 1e-12 for i in range(4))


@settings(max_examples=30)
@given(seed=st.integers(0, 2**32 - 1), scale=st.floats(0.1, 10), shift=st.floats(-5, 5))
def test_units_of_numbers(seed, scale, shift):
    """Errors are in the units of labels; correlations and kappas have none."""
    rng = np.random.default_rng(seed)
    p, y, w = rng.dirichlet(np.ones(3), 6), np.eye(3)[rng.integers(0, 3, 6)], rng.random(6) + 0.1
    moved = Scale(tuple(repr(scale * v + shift) for v in (1.0, 2.0, 4.0)))
    factor = {"squared-error": scale**2, "absolute-error": scale, "rps": scale}
    for name in ORDERED:
        before = float(SCORERS[name](Scale(("1", "2", "4"))).score(p, y, w))
        after = float(SCORERS[name](moved).score(p, y, w))
        assert after == pytest.approx(before * factor.get(name, 1.0), rel=1e-6, abs=1e-9)


def numbers(items=60, seed=0) -> Labels:
    rng = np.random.default_rng(seed)
    state = rng.normal(3, 1, items)
    rows = [
        (i, r, int(np.clip(np.round(state[i] + rng.normal(0, 0.7)), 1, 5)))
        for i in range(items)
        for r in range(4)
    ]
    return Labels.from_triples(*zip(*rows, strict=True))


@pytest.mark.parametrize("name", ORDERED)
def test_curves_rise(name):
    result = survey(numbers(400), combiner="abc", scorer=name, bootstrap=0)
    curve = [point.score.value for point in result.curve]
    assert curve[0] < curve[1] < curve[2] < curve[3] + 0.02
    assert curve[0] == pytest.approx(0, abs=1e-12) or curve[0] < 0


@pytest.mark.parametrize("name", ORDERED)
def test_exact_and_sampled_surveys_agree(name):
    exact = survey(numbers(), combiner="abc", scorer=name, bootstrap=0)
    sampled = survey(numbers(), combiner="abc", scorer=name, bootstrap=0, samples=200, seed=1)
    for one, other in zip(exact.curve, sampled.curve, strict=True):
        # Sampled, 60 items have some .01 of chance; ratios are means over sets of raters besides.
        assert one.score.value == pytest.approx(other.score.value, abs=0.05)


def test_a_raw_mean_is_no_fair_opponent_under_squared_error():
    with pytest.raises(OptionError, match=r"predicts means.*varies too much.*worth more raters"):
        survey(numbers(), combiner="mean", scorer="squared-error", bootstrap=0)
    for name in ("spearman", "kappa", "kappa-linear"):
        assert (
            survey(numbers(), combiner="mean", scorer=name, bootstrap=0).curve[1].score.value > 0.3
        )


def test_words_need_an_order():
    with pytest.raises(OptionError, match=r"numbers or have an order, not 'no', 'yes'.*ordinal"):
        as_scorer("rps", Scale(("no", "yes")))
    assert as_scorer("rps", Scale(("no", "yes"), kind="ordinal")).unit.endswith("of ranks")


# Kinds that users bring: scorers, combiners, calibrations and alignments of their own.


@pytest.fixture(scope="module")
def example():
    return running_example(120, 5, seed=2)


def curve(result):
    return [point.score.value for point in result.curve]


@pytest.mark.parametrize("kinds", [SCORERS, COMBINERS, CALIBRATIONS, ALIGNMENTS])
def test_each_kind_is_listed_by_its_own_name(kinds):
    assert all(name == kind.name for name, kind in kinds.items())


class Squared:
    """Brier's score by another hand, with no more attributes than are asked for."""

    name, kinds = "squared", {"soft"}

    def score(self, prediction, reference, weight, kind="soft"):
        labels = np.eye(prediction.shape[-1])
        loss = ((prediction[..., None, :] - labels) ** 2).sum(axis=-1)
        each = -(reference * loss).sum(axis=-1)
        return (weight * each).sum(axis=-1) / weight.sum(axis=-1)


@pytest.mark.parametrize("samples", [None, 200])
def test_an_own_scorer(example, samples):
    ours = survey(*example, scorer="brier", samples=samples, bootstrap=20)
    theirs = survey(*example, scorer=Squared(), samples=samples, bootstrap=20)
    assert curve(theirs) == pytest.approx(curve(ours), abs=1e-12)
    assert theirs["calibrated"].worth.low == pytest.approx(ours["calibrated"].worth.low, abs=1e-9)
    assert (theirs.provenance.scorer, theirs.provenance.unit) == ("squared", "squared")
    assert "scorer squared" in theirs.to_text(details=True)


class Bound(Squared):
    """The same, with what does not depend on weights done once."""

    def bind(self, prediction, reference, kind, group=None):
        return lambda weight: self.score(prediction, reference, weight, kind)


def test_an_own_scorer_may_do_some_work_once(example):
    one, other = (survey(*example, scorer=own, bootstrap=5) for own in (Squared(), Bound()))
    assert curve(one) == curve(other)


def test_an_own_scorer_says_what_it_needs_to_have(example):
    with pytest.raises(OptionError, match="name, kinds and score, not int") as error:
        survey(*example, scorer=3)
    assert error.value.option == "scorer"
    whole = as_scorer(Squared(), example[0].scale)
    assert (whole.unbounded, whole.by_choice, whole.in_bits) == (False, False, False)


class Learner:
    """A combiner that learns: the share of each label after the same survey, this item included."""

    name, kind, bayesian, leaves_out = "learner", "soft", False, False

    def learn(self, items):
        self.multiplicity = items.multiplicity
        return self

    def predictions(self, surveys):
        seen = (self.multiplicity[surveys.pattern] * surveys.probability)[:, None] * surveys.next
        total = np.zeros(surveys.observed.shape)
        np.add.at(total, surveys.state, seen)
        share = total / total.sum(axis=1, keepdims=True)
        return [with_support(share[surveys.state])]

    def sampled(self, asked, shorter):
        raise AssertionError("not asked for here")

    def predict(self, observed):
        raise AssertionError("not asked for here")

    def limit_predictions(self, observed, next_label):
        return next_label


def test_an_own_combiner_may_learn_from_the_surveys(example):
    """Having seen the item itself, it predicts better than abc, which leaves the item out."""
    assert isinstance(Learner(), Combiner)
    ours = survey(example[0], scorer="brier", bootstrap=0)
    theirs = survey(example[0], combiner=Learner(), scorer="brier", bootstrap=0)
    assert all(a >= b for a, b in zip(curve(theirs), curve(ours), strict=True))
    assert theirs.provenance.combiner == "learner"
    assert not theirs.provenance.information


@pytest.mark.parametrize("combiner", list(COMBINERS.values()), ids=list(COMBINERS))
def test_every_combiner_has_the_whole_protocol(combiner):
    assert isinstance(combiner, Combiner)


def test_what_is_no_combiner(example):
    with pytest.raises(OptionError, match="or a function of a dict of counts, not int"):
        survey(example[0], combiner=7, bootstrap=0)


class Same:
    """Leaves probabilities as they are, and makes labels a bit less sure."""

    name, softens = "same", True

    def fit(self, learned, shares, prediction, weight):
        return 0.9 * prediction + 0.1 / prediction.shape[1]


def test_an_own_calibration(example):
    result = survey(*example, calibrate=Same(), bootstrap=0)
    assert [c.name for c in result.classifiers] == [
        "hard (same)",
        "calibrated",
        "calibrated (same)",
        "omniscient",
        "omniscient (same)",
    ]
    with pytest.raises(OptionError, match=r"isotonic, empirical, .*or an object") as error:
        survey(*example, calibrate=3)
    assert error.value.option == "calibrate"

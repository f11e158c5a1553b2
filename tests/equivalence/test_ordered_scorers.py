"""Scorers of numbers and ranks against plain loops, other programs, and what must hold."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats
from sklearn import metrics

from headcount import Labels, OptionError, Scale
from headcount.equivalence.scorers.catalogue import SCORERS, as_scorer
from tests.equivalence import survey

ORDERED = ("squared-error", "absolute-error", "rps", "spearman", "kappa", "kappa-linear")
SCALES = (
    Scale(("1", "2", "3", "5"), kind="interval"),
    Scale(("5", "2", "3"), kind="interval"),  # declared in another order than that of numbers
    Scale(("low", "mid", "high", "top"), kind="ordinal"),
    Scale(("-1", "0.5")),
)
# Sums of some hundred terms of order 10, in another order than ours.
CLOSE = {"abs": 1e-10}


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
def tables(draw: st.DrawFn):
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
@given(table=tables())
def test_scores_equal_those_of_loops(name, table):
    scale, prediction, reference, weight, kind = table
    scorer = SCORERS[name](scale)
    if kind == "mean" and kind not in scorer.kinds:
        return
    expected = slow(name, scale, prediction, reference, weight, kind)
    assert float(scorer.score(prediction, reference, weight, kind)) == pytest.approx(
        expected, **CLOSE
    )
    bound = scorer.bind(prediction, reference, kind)(np.stack([weight, 2 * weight]))
    assert bound == pytest.approx([expected] * 2, **CLOSE)
    both = scorer.score(np.stack([prediction] * 2), reference, np.stack([weight] * 2), kind)
    assert both == pytest.approx([expected] * 2, **CLOSE)


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
    sampled = survey(numbers(), combiner="abc", scorer=name, bootstrap=0, method="sampled", rng=1)
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

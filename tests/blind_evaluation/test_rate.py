"""The corrected rate: by hand, by a slow twin, by what must not matter, and in words."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import norm
from scipy.stats import t as student

from headcount import DataError, Labels, OptionError, corrected_rate
from headcount.blind_evaluation.rate.estimate import Said, correct
from headcount.stats.intervals.beta import share_interval


def naive(judge: list[float], ratings: list[tuple[int, int, float]], level: float) -> list[float]:
    """The same in plain loops: value, low, high."""
    items = sorted({i for i, _, _ in ratings})
    raters = sorted({j for _, j, _ in ratings})
    of = {i: [v for k, _, v in ratings if k == i] for i in items}
    y = {i: sum(v) / len(v) for i, v in of.items()}
    n, total = len(items), len(judge)
    ybar = sum(y.values()) / n
    seen = sum(judge[i] for i in items) / n
    rest = [f for i, f in enumerate(judge) if i not in y]
    var = sum((judge[i] - seen) ** 2 for i in items)
    lam = 0.0
    if rest and var > 0:
        cov = sum((y[i] - ybar) * (judge[i] - seen) for i in items)
        lam = min(max(cov / var * len(rest) / total, 0.0), 1.0)
    theta = ybar + (lam * (sum(rest) / len(rest) - seen) if rest else 0.0)
    z = {
        (i, at): (v - ybar - lam * (judge[i] - seen)) / (n * len(of[i]))
        for at, (i, _, v) in enumerate(ratings)
    }
    by_item = sum(sum(x for (k, _), x in z.items() if k == i) ** 2 for i in items)
    by_rater = sum(sum(x for (_, at), x in z.items() if ratings[at][1] == j) ** 2 for j in raters)
    own = sum(x**2 for x in z.values())
    v_item = n / (n - 1) * by_item
    many = len(raters)
    v_rater = many / (many - 1) * max(0.0, by_rater - own) if many > 1 else 0.0
    v_rest = 0.0
    if len(rest) > 1:
        middle = sum(rest) / len(rest)
        v_rest = lam**2 * sum((f - middle) ** 2 for f in rest) / (len(rest) - 1) / len(rest)
    v = v_item + v_rater + v_rest
    bottom = (v_item + v_rest) ** 2 / (n - 1) + (v_rater**2 / (many - 1) if many > 1 else 0.0)
    freedom = v**2 / bottom if bottom > 0 else n - 1
    p0 = (n * ybar + 1) / (n + 2)
    tail = (1 + level) / 2
    size = p0 * (1 - p0) / (v + n**-2) * (norm.ppf(tail) / student.ppf(tail, freedom)) ** 2
    low, high = share_interval(theta, size, level)
    return [min(max(theta, 0.0), 1.0), float(low), float(high)]


@settings(max_examples=60, deadline=None)
@given(st.integers(0, 10**6), st.integers(3, 25), st.integers(1, 5), st.integers(0, 20))
def test_by_loops(seed, rated, raters, others):
    rng = np.random.default_rng(seed)
    judge = rng.random(rated + others).round(1)
    cells = [
        (i, j, float(rng.random() < judge[i]))
        for i in range(rated)
        for j in rng.permutation(raters)[: rng.integers(1, raters + 1)].tolist()
    ]
    item, rater, value = (np.array(x) for x in zip(*cells, strict=True))
    found = correct(judge, Said(item=item, rater=rater, value=value.astype(float)), level=0.9)
    assert [found.value, found.low, found.high] == pytest.approx(naive(judge.tolist(), cells, 0.9))
    assert 0 <= found.low <= found.value <= found.high <= 1
    assert found.low < found.high


def test_by_hand():
    """4 items, 2 rated by the same two people, no judge to speak of."""
    judge = np.zeros(4)
    said = Said(
        item=np.array([0, 0, 1, 1]), rater=np.array([0, 1, 0, 1]), value=np.array([1.0, 0, 1, 0])
    )
    found = correct(judge, said)
    assert (found.value, found.naive, found.power) == (0.5, 0, 0)
    assert found.from_items == 0  # both items have a mean of 1/2
    # z is +-1/8; each rater sums to +-1/4: 2 (2/16 - 4/64) = 1/8.
    assert found.from_raters == pytest.approx(1 / 8)


def test_a_judge_that_is_right_narrows_the_interval_and_one_that_lies_does_not_bias():
    rng = np.random.default_rng(5)
    truth = (rng.random(4000) < 0.3).astype(float)
    said = Said(item=np.arange(100), rater=np.arange(100) % 20, value=truth[:100])
    alone = correct(np.full(4000, 0.5), said)
    helped = correct(truth, said)
    liar = correct(1 - truth, said)
    assert helped.high - helped.low < 0.6 * (alone.high - alone.low)
    assert helped.value == pytest.approx(truth.mean(), abs=0.01)
    assert (liar.power, liar.value) == (0, pytest.approx(alone.value))


def labels_of(values: np.ndarray, who: str | list[object] = "judge") -> Labels:
    raters = [who] * len(values) if isinstance(who, str) else who
    return Labels.from_triples(range(len(values)), raters, values)


def example(raters: int = 6) -> tuple[Labels, Labels]:
    rng = np.random.default_rng(1)
    truth = rng.random(600) < 0.3
    judge = np.where(rng.random(600) < 0.8, truth, True)
    people = labels_of(np.where(truth[:120], "yes", "no"), [i % raters for i in range(120)])
    return labels_of(np.where(judge, "yes", "no")), people


def test_result_says_both_rates():
    result = corrected_rate(*example())
    text = " ".join(str(result).split())
    assert text.startswith("People would call ")
    assert "of the items 'yes'; the judge says" in text
    low, high = result.rate.low, result.rate.high
    assert low is not None
    assert high is not None
    assert low < 0.3 < high < result.naive
    document = result.to_dict()
    assert document["positive"] == "yes"
    assert document["rated"] == {"items": 120, "ratings": 120, "people": 6}
    assert document["rate"]["value"] == result.rate.value


def test_one_person_is_said_to_be_one():
    result = corrected_rate(*example(raters=1))
    assert any("One person rated" in note for note in result.notes)
    few = corrected_rate(*example(raters=3))
    assert any("approximate" in note for note in few.notes)
    assert not corrected_rate(*example()).notes


def test_order_of_rows_and_names_of_labels_do_not_matter():
    judges, people = example()
    one = corrected_rate(judges, people)
    mirrored = corrected_rate(judges, people, positive="no")
    assert mirrored.rate.value == pytest.approx(1 - one.rate.value)
    assert mirrored.rate.low == pytest.approx(1 - (one.rate.high or 0))


def test_grades_have_a_mean():
    rng = np.random.default_rng(2)
    true = rng.integers(1, 6, size=400)
    judge = np.clip(true + rng.integers(0, 2, size=400), 1, 5)
    people = labels_of(true[:100], [i % 7 for i in range(100)])
    result = corrected_rate(labels_of(judge), people)
    assert result.provenance.positive is None
    assert result.naive == pytest.approx(judge.mean())
    low, high = result.rate.low or math.nan, result.rate.high or math.nan
    assert low < true.mean() < high < 5
    assert "mean grade" in str(result)
    share = corrected_rate(labels_of(judge), people, at_least=4)
    assert share.naive == pytest.approx((judge >= 4).mean())
    assert share.provenance.positive == "4 or more"


def test_probabilities_count_as_they_are():
    table = np.array([[0.9, 0.1], [0.2, 0.8], [0.6, 0.4], [0.5, 0.5]])
    predictions = {"item": [0, 1, 2, 3], "j:no": table[:, 0], "j:yes": table[:, 1]}
    people = Labels.from_triples([0, 1, 2], ["a", "b", "a"], ["no", "yes", "no"])
    assert corrected_rate(predictions, people).naive == pytest.approx(table[:, 1].mean())


def test_several_judges():
    judges, people = example()
    rng = np.random.default_rng(4)
    items = list(range(600))
    other = np.where(rng.random(600) < 0.5, "yes", "no")
    both = Labels.from_triples(
        items * 2,
        ["good"] * 600 + ["coin"] * 600,
        [judges.scale.labels[k] for k in judges.label] + other.tolist(),
    )
    result = corrected_rate(both, people)
    by_name = {one.name: one for one in result.judges}
    assert by_name["good"].power > 0.3 > by_name["coin"].power
    assert by_name["good"].corrected.value == pytest.approx(
        corrected_rate(judges, people).rate.value
    )


def test_errors_say_what_to_do():
    judges, people = example()
    with pytest.raises(OptionError, match="unknown positive label 'maybe'"):
        corrected_rate(judges, people, positive="maybe")
    with pytest.raises(DataError, match="is no number"):
        corrected_rate(judges, people, at_least=2)
    with pytest.raises(DataError, match="name items the same way"):
        corrected_rate(judges, Labels.from_triples(["x", "y"], ["a", "b"], ["yes", "no"]))
    three = labels_of(np.array(["a", "b", "c"] * 10))
    with pytest.raises(OptionError, match="name the label whose share"):
        corrected_rate(three, three)


def test_labels_without_raters_are_not_called_one_persons(tmp_path):
    gold = tmp_path / "gold.csv"
    gold.write_text("item,label\n" + "".join(f"{i},{'yn'[i % 3 == 0]}\n" for i in range(40)))
    judge = {"item": list(range(90)), "judge": ["yn"[i % 2] for i in range(90)]}
    result = corrected_rate(judge, gold)
    assert any("come without raters" in note for note in result.notes)
    assert not any("One person" in note for note in result.notes)
    assert "from who they are" not in str(result)

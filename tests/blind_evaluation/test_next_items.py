"""Items to label next, and the corrected rate."""

from __future__ import annotations

import csv
import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import norm
from scipy.stats import t as student

from headcount import DataError, Labels, OptionError, blind, corrected_rate, next_items, read_truth
from headcount.blind_evaluation.dependence import diagnose
from headcount.blind_evaluation.gold_methods import PPI, Direct
from headcount.blind_evaluation.metrics import choose_metrics
from headcount.blind_evaluation.rate import PeopleRatings, correct
from headcount.blind_evaluation.scoring import Settings, Task
from headcount.blind_evaluation.votes import collect, vote_shares
from headcount.results.notes import Notes
from headcount.stats.intervals import share_interval
from tests.blind_evaluation.cases import study

# Items to label next: drawn with known probabilities, nested, and weighted when they come back.


def judged(n: int = 200, seed: int = 1):
    rng = np.random.default_rng(seed)
    truth = rng.random(n) < 0.4
    right = rng.random((n, 4)) < [0.9, 0.8, 0.75, 0.7]
    said = np.where(right, truth[:, None], ~truth[:, None]).astype(int)
    items, who = np.indices(said.shape).reshape(2, -1)
    return Labels.from_triples(items, who, said.ravel()), truth.astype(int), said


def task_of(votes) -> Task:
    metrics = choose_metrics(votes.labels, names=("accuracy", "recall"), positive="1")
    return Task(votes=votes, metrics=metrics, settings=Settings(smoothing=0.5), notes=Notes())


def test_a_draw_is_part_of_every_larger_one_and_goes_on_where_it_ended():
    labels, truth, _ = judged()
    ten, thirty = (next_items(labels, number=n) for n in (10, 30))
    assert list(thirty.items[:10]) == list(ten.items)
    gold = {i: int(truth[i]) for i in ten.items.tolist()}
    further = next_items(labels, number=20, gold=gold)
    assert sorted(further.items[:10]) == sorted(ten.items)
    assert list(further.items[10:]) == list(thirty.items[10:])
    assert [str(x) for x in further.label[:10]] == [str(gold[i]) for i in further.items[:10]]
    assert set(further.label[10:]) == {None}
    assert not set(next_items(labels, number=20, seed=5).items) <= set(thirty.items)


def test_every_item_is_drawn_as_often():
    """500 draws of 5 in 20: the standard error of a frequency is .02."""
    labels, _, _ = judged(20)
    number = np.zeros(20)
    for seed in range(500):
        number[next_items(labels, number=5, seed=seed).items] += 1
    assert number / 500 == pytest.approx(0.25, abs=0.08)


def test_items_that_were_drawn_unevenly_are_no_beginning():
    labels, truth, _ = judged()
    gold = {"item": [1, 2], "label": truth[1:3].tolist(), "probability": [0.5, 0.1]}
    with pytest.raises(DataError, match="no random sample"):
        next_items(labels, number=20, gold=gold)


def test_more_items_than_there_are():
    labels, _, _ = judged(30)
    with pytest.raises(OptionError, match="30 items without a label"):
        next_items(labels, number=31)


def test_the_order_of_rows_does_not_matter():
    labels, _, said = judged(60)
    turned = Labels.from_triples(
        *zip(*[(i, k, said[i, k]) for k in range(4) for i in range(59, -1, -1)], strict=True)
    )
    one, two = next_items(labels, number=10), next_items(turned, number=10)
    assert one.columns() == two.columns()


def test_equal_probabilities_change_nothing():
    labels, truth, _ = judged()
    gold = {i: str(truth[i]) for i in range(60)}
    plain = task_of(collect(labels, gold=gold))
    equal = task_of(collect(labels, gold=gold, drawn=dict.fromkeys(range(60), 0.3)))
    one, two = (Direct().score(task).scored for task in (plain, equal))
    assert two.scores == pytest.approx(one.scores)
    assert two.covariance == pytest.approx(one.covariance)
    assert two.sizes.effective == pytest.approx(one.sizes.effective)
    # Prediction-powered scores go by all items in place of those without gold: the same bracket
    # for means, if the power is.
    scores = [PPI().score(task).scored.scores[0] for task in (plain, equal)]
    assert scores[1] == pytest.approx(scores[0], abs=0.02)


@settings(max_examples=20, deadline=None)
@given(st.integers(0, 10**6))
def test_scores_are_ratios_of_weighted_sums_item_by_item(seed):
    labels, truth, said = judged(80, seed)
    rng = np.random.default_rng(seed)
    picked = rng.choice(80, 30, replace=False)
    probability = rng.choice([0.1, 0.25, 0.9], 30)
    drawn = dict(zip(picked.tolist(), probability.tolist(), strict=True))
    votes = collect(labels, gold={i: str(truth[i]) for i in picked.tolist()}, drawn=drawn)
    found = Direct().score(task_of(votes)).scored
    weight = 1 / probability
    for k in range(4):
        right = said[picked, k] == truth[picked]
        assert found.scores[0, k] == pytest.approx(weight @ right / weight.sum())
        z = weight * (right - weight @ right / weight.sum()) / weight.sum()
        assert found.covariance[0, k, k] == pytest.approx(30 / 29 * z @ z)
        if truth[picked].any():
            hits = weight @ (right & (truth[picked] == 1)) / (weight @ truth[picked])
            assert found.scores[1, k] == pytest.approx(hits)


def unevenly(said: np.ndarray, number: int, seed: int) -> dict[int, float]:
    """Draw items with their probabilities: those on which judges differ three times as often."""
    differ = np.ptp(said, axis=1) > 0
    probability = number * np.where(differ, 3, 1) / np.where(differ, 3, 1).sum()
    picked = np.flatnonzero(np.random.default_rng(seed).random(len(said)) < probability)
    return dict(zip(picked.tolist(), probability[picked].tolist(), strict=True))


def test_weighted_scores_are_unbiased_where_plain_ones_are_not():
    """Over 75 draws, the mean of weighted accuracies is within three standard errors of that on
    all items; unweighted, hard items count too much."""
    labels, truth, said = judged(300, 3)
    actual = (said[:, 0] == truth).mean()
    weighted, plain, powered = [], [], []
    for seed in range(75):
        drawn = unevenly(said, 40, seed)
        gold = {i: str(truth[i]) for i in drawn}
        task = task_of(collect(labels, gold=gold, drawn=drawn))
        weighted.append(Direct().score(task).scored.scores[0, 0])
        powered.append(PPI().score(task).scored.scores[0, 0])
        plain.append(np.mean([said[i, 0] == truth[i] for i in drawn]))

    def apart(values) -> float:
        return (np.mean(values) - actual) / (np.std(values) / np.sqrt(len(values)))

    assert abs(apart(weighted)) < 3
    assert abs(apart(powered)) < 3
    assert apart(plain) < -5


def test_the_corrected_rate_is_weighted_too():
    _, truth, said = judged(300, 4)
    picked = np.arange(0, 300, 6)
    probability = np.where(said[picked].sum(axis=1) == 2, 0.5, 0.1)
    people = PeopleRatings(
        item=picked, rater=picked % 5, value=truth[picked].astype(float), drawn=probability
    )
    found = correct(np.zeros(300), people)  # a judge that says nothing does not count
    assert found.value == pytest.approx(np.average(truth[picked], weights=1 / probability))
    even = PeopleRatings(item=picked, rater=picked % 5, value=people.value, drawn=np.full(50, 0.2))
    without = PeopleRatings(item=picked, rater=picked % 5, value=people.value)
    judge = said.mean(axis=1)
    one, two = correct(judge, even), correct(judge, without)
    assert one.people == pytest.approx(two.people)
    assert one.value == pytest.approx(two.value, abs=0.01)


@pytest.fixture
def files(tmp_path):
    labels, truth, said = judged()
    votes = tmp_path / "votes.csv"
    with votes.open("w", newline="") as out:
        rows = csv.writer(out)
        rows.writerow(["item", "classifier", "label"])
        rows.writerows((i, f"j{k}", said[i, k]) for i in range(200) for k in range(4))
    return labels, truth, votes


def test_the_file_that_is_written_is_the_file_that_is_read(files, tmp_path):
    labels, truth, votes = files
    drawn = unevenly(labels.label.reshape(-1, 4), 60, 1)
    path = tmp_path / "items.csv"
    with path.open("w", newline="") as out:
        rows = csv.writer(out)
        rows.writerow(["item", "label", "probability"])
        rows.writerows((i, truth[i], p) for i, p in drawn.items())
    gold = read_truth(path)
    assert gold.drawn == pytest.approx({str(i): p for i, p in drawn.items()})
    found = blind(votes, gold=path, bootstrap=0)
    assert any("inverse of the probability" in str(note) for note in found.notes)
    weight = 1 / np.array(list(drawn.values()))
    right = np.array([labels.label[i * 4] == truth[i] for i in drawn])
    assert found["j0"].actual["accuracy"].value == pytest.approx(weight @ right / weight.sum())
    rate = corrected_rate(votes, path, positive="1")
    assert rate.people_alone == pytest.approx(np.average([truth[i] for i in drawn], weights=weight))


@pytest.mark.parametrize(
    ("column", "message"),
    [
        ([0.5, 0], "above 0 and at most 1"),
        ([0.5, 1.5], "above 0 and at most 1"),
        (["a", 0.5], "expected a number, found 'a'"),
        ([None, 0.5], "1 labelled item without a probability: 'a'"),
    ],
)
def test_what_is_no_probability_is_refused(column, message):
    with pytest.raises(DataError, match=message):
        read_truth({"item": ["a", "b"], "label": ["x", "y"], "probability": column})


def test_what_gold_says_of_labels_and_of_errors_is_weighted():
    """An item drawn with a third of the probability of the others counts three times."""
    said = np.array([[1, 1, 0], [0, 0, 0], [1, 1, 1], [0, 1, 0], [1, 0, 0], [1, 1, 0]])
    truth, times = np.array([1, 0, 1, 0, 1, 0]), np.array([3, 1, 1, 1, 3, 1])
    items, who = np.indices(said.shape).reshape(2, -1)
    labels = Labels.from_triples(items, who, said.ravel())
    gold = {i: str(y) for i, y in enumerate(truth)}
    drawn = {i: 0.9 / n for i, n in enumerate(times)}
    votes = collect(labels, gold=gold, drawn=drawn)
    metrics = choose_metrics(votes.labels, names=["accuracy", "recall"], positive="1")
    majority = (said.sum(axis=1) >= 2).astype(int)
    expected = [times @ (majority == truth) / 10, times @ (majority * truth) / 7]
    comparison = study("blind_comparison")
    found = comparison.labelling_quality(votes, vote_shares(votes), metrics)
    assert found == pytest.approx(expected)
    curve = comparison.threshold_curve(votes, metrics)
    assert curve is not None
    assert curve.quality[:, len(curve.threshold) // 2] == pytest.approx(expected)
    d = diagnose(votes, task_of(votes).weight)
    assert d.prior_gold == pytest.approx([0.3, 0.7])
    assert d.gold_items == 6


# The corrected rate: by hand, by a slow twin, by what must not matter, and in words.


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
    found = correct(
        judge, PeopleRatings(item=item, rater=rater, value=value.astype(float)), level=0.9
    )
    assert [found.value, found.low, found.high] == pytest.approx(naive(judge.tolist(), cells, 0.9))
    assert 0 <= found.low <= found.value <= found.high <= 1
    assert found.low < found.high


def test_by_hand():
    """4 items, 2 rated by the same two people, no judge to speak of."""
    judge = np.zeros(4)
    said = PeopleRatings(
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
    said = PeopleRatings(item=np.arange(100), rater=np.arange(100) % 20, value=truth[:100])
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
    assert by_name["good"].rate.value == pytest.approx(corrected_rate(judges, people).rate.value)


def test_errors_say_what_to_do():
    judges, people = example()
    with pytest.raises(OptionError, match="unknown positive label 'maybe'"):
        corrected_rate(judges, people, positive="maybe")
    with pytest.raises(DataError, match="is not a number"):
        corrected_rate(judges, people, at_least=2)
    with pytest.raises(DataError, match=r"no item is in both .* Check the item columns"):
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

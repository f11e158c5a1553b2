"""Items to label next: drawn with known probabilities, nested, and weighted when they come back."""

from __future__ import annotations

import csv

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from headcount import DataError, Labels, OptionError, blind, corrected_rate, next_items, read_truth
from headcount.blind_evaluation.comparison.comparison import labelling_quality
from headcount.blind_evaluation.comparison.threshold import threshold_curve
from headcount.blind_evaluation.dependence.dependence import diagnose
from headcount.blind_evaluation.methods.direct import Direct
from headcount.blind_evaluation.methods.ppi import PPI
from headcount.blind_evaluation.methods.tasks import Settings, Task
from headcount.blind_evaluation.methods.vote_truth import vote_shares
from headcount.blind_evaluation.metrics import choose_metrics
from headcount.blind_evaluation.rate.estimate import Said, correct
from headcount.blind_evaluation.selection.draw import draw_order, inclusion, sizes_of
from headcount.blind_evaluation.votes import collect
from headcount.results.notes import Notes


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


@settings(max_examples=50, deadline=None)
@given(st.lists(st.floats(0.01, 10), min_size=2, max_size=30), st.data())
def test_probabilities_sum_to_the_number_and_follow_sizes(sizes, data):
    size = np.array(sizes) / sum(sizes)
    number = data.draw(st.integers(1, len(size)))
    found = inclusion(size, number)
    assert found.sum() == pytest.approx(number)
    assert ((found > 0) & (found <= 1)).all()
    below = found < 1
    if below.sum() > 1:
        assert np.ptp(found[below] / size[below]) == pytest.approx(
            0, abs=1e-9 * number / size.min()
        )


def test_no_item_is_drawn_less_than_half_as_often_as_at_random():
    truth = np.vstack([np.tile([1.0, 0.0], (90, 1)), np.full((10, 2), 0.5)])
    found = inclusion(sizes_of(truth), 10)
    assert found[0] == pytest.approx(0.05)
    assert found[-1] == pytest.approx(0.55)


def test_items_are_drawn_as_often_as_their_probability_says():
    """4,000 draws: the standard error of a frequency is at most .008, the error of the method
    (Ohlsson) some hundredths of a probability."""
    sizes = np.array([1.0, 1, 2, 2, 3, 4, 5, 6, 8, 8, 10, 10])
    sizes /= sizes.sum()
    items = np.arange(12)
    number = np.zeros(12)
    for seed in range(4000):
        number[draw_order(items, sizes, seed)[:4]] += 1
    assert number / 4000 == pytest.approx(inclusion(sizes, 4), abs=0.04)


def test_a_draw_is_part_of_every_larger_one_and_goes_on_where_it_ended():
    labels, truth, _ = judged()
    ten, thirty = (next_items(labels, number=n) for n in (10, 30))
    assert list(thirty.items[:10]) == list(ten.items)
    filled = {
        "item": ten.items.tolist(),
        "label": [int(truth[i]) for i in ten.items],
        "probability": ten.probability.tolist(),
    }
    further = next_items(labels, number=20, gold=filled)
    assert set(further.items[10:]) == set(thirty.items[10:])
    assert sorted(further.items[:10]) == sorted(ten.items)
    both = dict(zip(further.items.tolist(), further.probability.tolist(), strict=True))
    alone = dict(zip(thirty.items.tolist(), thirty.probability.tolist(), strict=True))
    assert both == pytest.approx(alone)
    with pytest.raises(DataError, match="with another seed"):
        next_items(labels, number=20, gold=filled, rng=5)


def test_gold_without_probabilities_is_a_random_sample():
    labels, truth, _ = judged()
    gold = {i: int(truth[i]) for i in range(50)}
    found = next_items(labels, number=30, gold=gold)
    assert len(found.items) == 80
    assert not set(found.items[50:]) & set(range(50))
    assert [str(x) for x in found.label[:50]] == [str(truth[i]) for i in range(50)]
    assert set(found.label[50:]) == {None}
    # 50 of 200 at random, then 30 of 150.
    assert (found.probability >= 0.25).all()
    assert any("random sample" in str(note) for note in found.notes)


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


def test_weighted_scores_are_unbiased_where_plain_ones_are_not():
    """Over 75 draws, the mean of weighted accuracies is within three standard errors of that on
    all items; unweighted, hard items count too much."""
    labels, truth, said = judged(300, 3)
    actual = (said[:, 0] == truth).mean()
    weighted, plain, powered = [], [], []
    for seed in range(75):
        chosen = next_items(labels, number=40, rng=seed)
        drawn = dict(zip(chosen.items.tolist(), chosen.probability.tolist(), strict=True))
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
    people = Said(
        item=picked, rater=picked % 5, value=truth[picked].astype(float), drawn=probability
    )
    found = correct(np.zeros(300), people)  # a judge that says nothing does not count
    assert found.value == pytest.approx(np.average(truth[picked], weights=1 / probability))
    even = Said(item=picked, rater=picked % 5, value=people.value, drawn=np.full(50, 0.2))
    without = Said(item=picked, rater=picked % 5, value=people.value)
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
    chosen = next_items(votes, number=60)
    path = tmp_path / "items.csv"
    with path.open("w", newline="") as out:
        rows = csv.writer(out)
        rows.writerow(["item", "label", "probability"])
        rows.writerows(
            (i, truth[int(i)], p)
            for i, p in zip(chosen.items.tolist(), chosen.probability.tolist(), strict=True)
        )
    gold = read_truth(path)
    assert gold.drawn == pytest.approx(
        dict(zip(map(str, chosen.items.tolist()), chosen.probability.tolist(), strict=True))
    )
    found = blind(votes, gold=path, bootstrap=0)
    assert any("inverse of the probability" in str(note) for note in found.notes)
    weight = 1 / chosen.probability
    right = np.array([labels.label[int(i) * 4] == truth[int(i)] for i in chosen.items])
    assert found["j0"].actual["accuracy"].value == pytest.approx(weight @ right / weight.sum())
    rate = corrected_rate(votes, path, positive="1")
    assert rate.people == pytest.approx(
        np.average([truth[int(i)] for i in chosen.items], weights=weight)
    )


@pytest.mark.parametrize(
    ("column", "message"),
    [
        ([0.5, 0], "above 0 and at most 1"),
        ([0.5, 1.5], "above 0 and at most 1"),
        (["a", 0.5], "above 0 and at most 1"),
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
    found = labelling_quality(votes, vote_shares(votes), metrics)
    assert found == pytest.approx(expected)
    curve = threshold_curve(votes, metrics)
    assert curve is not None
    assert curve.quality[:, len(curve.threshold) // 2] == pytest.approx(expected)
    d = diagnose(votes, task_of(votes).weight)
    assert d.prior_gold == pytest.approx([0.3, 0.7])
    assert d.gold_items == 6

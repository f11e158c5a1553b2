"""How many gold labels a score is worth: by hand, item by item, and by what must not matter."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from scipy.stats import t as student

from headcount import blind
from headcount.blind_evaluation.methods.direct import gold_truth
from headcount.blind_evaluation.methods.ppi import ppi
from headcount.blind_evaluation.methods.vote_truth import shares_of_others
from headcount.blind_evaluation.metrics import METRICS, Metrics, choose_metrics
from headcount.blind_evaluation.ranking import paired_tests
from headcount.blind_evaluation.scoring.gold_sizes import gold_sizes
from headcount.blind_evaluation.scoring.sizes import Sizes
from headcount.blind_evaluation.scoring.tables import influence
from headcount.blind_evaluation.votes import Votes
from headcount.stats.intervals.beta import share_interval
from tests.blind_evaluation.cases import as_labels, as_votes
from tests.blind_evaluation.gold_cases import gold_cases, items_of


def sizes_of(votes: Votes, metrics: Metrics, *, powered: bool = False) -> Sizes:
    weight = votes.multiplicity.astype(float)
    truth = gold_truth(votes)
    plain = influence(votes, truth, weight, metrics)
    used = ppi(votes, weight, metrics, shares_of_others(votes)).parts if powered else plain
    return gold_sizes(votes, truth, weight, metrics, plain, used)


def test_direct_evaluation_has_as_many_items_as_a_metric_counts():
    """Of 10 gold items 4 are positive; c0 calls 3 so, 2 rightly, and c1 labels 6 items only."""
    truth = np.array([1, 1, 1, 1, 0, 0, 0, 0, 0, 0])
    c0 = np.array([1, 1, 0, 0, 1, 0, 0, 0, 0, 0])
    c1 = np.array([1, 1, 1, 1, 0, 0, -1, -1, -1, -1])
    votes = as_votes(
        np.stack([c0, c1, truth], axis=1), 2, gold={i: str(x) for i, x in enumerate(truth)}
    )
    found = sizes_of(votes, choose_metrics(votes.labels))
    # accuracy, precision, recall, specificity, and TP + FP + FN for F1
    assert found.effective[:, 0] == pytest.approx([10, 3, 4, 6, 5])
    assert found.effective[:, 1] == pytest.approx([6, 4, 4, 2, 4])
    assert found.added == pytest.approx(found.effective**-2)
    assert found.labelled.tolist() == [10, 6, 10]


def test_the_mean_over_labels_by_hand():
    """Recall of three labels with 4, 4 and 2 items, of which 4, 3 and 1 are right."""
    truth = np.array([0, 0, 0, 0, 1, 1, 1, 1, 2, 2])
    said = np.array([0, 0, 0, 0, 1, 1, 1, 0, 2, 1])
    votes = as_votes(
        np.stack([said, truth], axis=1), 3, gold={i: str(x) for i, x in enumerate(truth)}
    )
    metrics = choose_metrics(votes.labels, names=["recall"])
    theta, d = 0.75, (1 / 12 + 1 / 12 + 1 / 6)
    unit = 1 / 144 + 1 / 144 + 1 / 36
    variance = (4 * 0.75 * 0.25 / 16 + 2 * 0.5 * 0.5 / 4) / 9
    middle = (theta + d) / (1 + 2 * d)
    found = sizes_of(votes, metrics)
    assert found.effective[0, 0] == pytest.approx(middle * (1 - middle) / (variance + unit))
    assert found.added[0, 0] == pytest.approx(unit)


@given(gold_cases())
def test_by_items(case):
    """The worth of accuracy and recall, item by item with plain sums."""
    votes, _ = case
    weight = votes.multiplicity.astype(float)
    metrics = choose_metrics(votes.labels, names=["accuracy", "recall"], positive=votes.labels[0])
    truth, proxy = gold_truth(votes), shares_of_others(votes)
    plain = influence(votes, truth, weight, metrics)
    powered = ppi(votes, weight, metrics, proxy)
    found = gold_sizes(votes, truth, weight, metrics, plain, powered.parts)
    items = items_of(votes, weight)
    for m in range(2):
        for k in range(len(votes.classifiers)):
            mine = [i for i in items if k in i.said and i.gold >= 0 and (m == 0 or i.gold == 0)]
            if not mine:
                continue
            size = len(mine)
            share = sum(i.said[k] == i.gold for i in mine) / size
            before = sum(((i.said[k] == i.gold) - share) ** 2 for i in mine) / size**2
            after = float((powered.parts[m].toarray()[k] ** 2) @ weight)
            every = [i for i in items if k in i.said]
            known = sum(i.gold >= 0 for i in every) / len(every)
            ratio = max(0.05, known, (after + size**-2) / (before + size**-2))
            assert found.effective[m, k] == pytest.approx(size / ratio)


def test_order_of_items_and_names_of_classifiers_do_not_matter():
    rng = np.random.default_rng(5)
    truth = rng.integers(0, 3, 60)
    table = np.where(rng.random((60, 4)) < 0.8, truth[:, None], rng.integers(0, 3, (60, 4)))
    gold = {i: str(truth[i]) for i in range(0, 60, 2)}
    found = sizes_of(as_votes(table, 3, gold=gold), choose_metrics("012"), powered=True)
    order = rng.permutation(60)
    moved = {int(np.flatnonzero(order == i)[0]): label for i, label in gold.items()}
    turned = sizes_of(
        as_votes(table[order][:, ::-1], 3, gold=moved), choose_metrics("012"), powered=True
    )
    assert turned.effective[:, ::-1] == pytest.approx(found.effective)


def test_f1_has_the_interval_of_jaccards_share():
    """F1 = 2J / (1 + J): 8 true positives, 1 false and 1 missed are 8 of 10."""
    metrics = choose_metrics(["0", "1"], names=["f1"])
    low, high = share_interval(0.8, 10.0, 0.95)
    found = metrics.interval(0, 16 / 18, 10.0, 0.95)
    assert found == pytest.approx((float(2 * low / (1 + low)), float(2 * high / (1 + high))))


@pytest.mark.parametrize("n_labels", [2, 3])
@pytest.mark.parametrize("bootstrap", [0, 50])
def test_no_interval_on_gold_has_zero_width(n_labels, bootstrap):
    """Judges that never err on 50 gold labels may still err on others."""
    rng = np.random.default_rng(1)
    truth = rng.integers(0, n_labels, 300)
    table = np.repeat(truth[:, None], 4, axis=1)
    table[100:, 3] = (truth[100:] + 1) % n_labels
    gold = {i: str(truth[i]) for i in range(50)}
    result = blind(
        as_labels(table, n_labels), gold=gold, bootstrap=bootstrap, methods=["em", "direct", "ppi"]
    )
    for c in result.classifiers:
        for method in ("direct", "ppi"):
            for metric in METRICS:
                e = c.estimates[method][metric]
                assert e.low is not None
                assert e.high is not None
                assert e.low < e.high
                assert e.low <= e.value <= e.high
    e = result["c0"].estimates["direct"]["accuracy"]
    assert (e.value, e.high) == (1, 1)
    assert e.low == pytest.approx(0.939, abs=5e-4)  # as the example of share_interval


def test_no_errors_on_gold_do_not_tell_judges_apart():
    """One errs once in 50, the other never: by the variance that is seen p is .32."""
    added = np.array([1 / 2500, 1 / 2500])
    spread = np.array([[0.02 * 0.98 / 49, 0], [0, 0]])
    found = paired_tests(np.array([0.98, 1.0]), spread, np.array([50, 50]), added)
    assert found.p_value[0, 1] == pytest.approx(2 * student.sf(0.02 / np.sqrt(0.0004 + 0.0008), 49))
    # Equal covariance, all variance seen in common: formerly p was 0.
    same = paired_tests(np.array([0.98, 1.0]), np.full((2, 2), 1e-4), 50, added)
    assert same.p_value[0, 1] == pytest.approx(2 * student.sf(0.02 / np.sqrt(0.0008), 49))


def test_classifiers_with_one_gold_label_have_no_test():
    found = paired_tests(
        np.array([0.5, 0.9, 0.7]), np.eye(3) * 0.01, np.array([1, 40, 50]), np.zeros(3)
    )
    assert np.isnan(found.p_value[0, 1:]).all()
    assert 0 < found.p_value[1, 2] < 1

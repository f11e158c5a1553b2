"""Methods that learn from gold labels: prediction-powered, supervised, and what gold is worth."""

from __future__ import annotations

import math
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import assume, given, settings
from scipy.stats import t as student
from sklearn.ensemble import AdaBoostClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.naive_bayes import CategoricalNB
from sklearn.svm import LinearSVC

from headcount import Labels, blind
from headcount.blind_evaluation.gold_methods import (
    GLM,
    SVM,
    AdaBoost,
    Powered,
    _combined,
    _split,
    calibrated_majority,
    gold_truth,
    naive_bayes,
    narrowest,
    powered_scores,
    ppi,
    proxies,
)
from headcount.blind_evaluation.metrics import METRICS, Metrics, choose_metrics, paired_tests
from headcount.blind_evaluation.scoring import (
    NotPossible,
    Sizes,
    covariance,
    gold_sizes,
    influence,
    tables,
)
from headcount.blind_evaluation.votes import Votes, collect, majority, shares_of_others, vote_shares
from headcount.errors import ExtraError
from headcount.stats.intervals import share_interval
from headcount.typing import Floats
from tests.blind_evaluation import cases as naive
from tests.blind_evaluation.cases import (
    Item,
    as_labels,
    as_votes,
    gold_cases,
    items_of,
    naive_ppi,
    naive_proxy,
)

glm, svm, adaboost = GLM().truth, SVM().truth, AdaBoost().truth

# Prediction-powered and direct scores: closed form, naive, ppi_py, coverage, llmjudge.


def ppi_scores(votes, weight, metrics, proxy, power):
    """Prediction-powered scores on bootstrap samples, (..., rows) weights, with a given power.

    The error of the power is of second order in that of the score, so one found on the data serves
    all draws.
    """
    by_vote = proxy[votes.row] if len(proxy) != len(votes.label) else proxy
    return _combined(votes, weight, metrics, power, _split(votes, by_vote))[0]


def powered(votes: Votes, metrics: Metrics, weight: np.ndarray | None = None) -> Powered:
    counts = votes.multiplicity.astype(float) if weight is None else weight
    return ppi(votes, counts, metrics, shares_of_others(votes))


def direct_scores(votes: Votes, metrics: Metrics) -> np.ndarray:
    counts = votes.multiplicity.astype(float)
    return metrics.scores(tables(votes, gold_truth(votes), counts)).T


def standard_errors(parts: list[Any], weight: np.ndarray) -> np.ndarray:
    return np.sqrt(np.diagonal(covariance(parts, weight), axis1=1, axis2=2))


def simulated(
    rng: np.random.Generator, items: int, with_gold: int, rate: np.ndarray, prior: float = 0.4
) -> tuple[np.ndarray, dict[int, str]]:
    """Votes of independent classifiers that are right at a rate by true label; gold of some."""
    truth = (rng.random(items) < prior).astype(int)
    right = rng.random((items, len(rate))) < rate[:, truth].T
    table = np.where(right, truth[:, None], 1 - truth[:, None])
    # The items are in random order already.
    return table, {i: str(truth[i]) for i in range(with_gold)}


def test_few_gold_labels_make_the_variance_of_tests_larger():
    """A mean and a slope are found from 20 items, and an error and a quarter may be unseen."""
    rng = np.random.default_rng(4)
    table, gold = simulated(rng, 500, 20, np.full((3, 2), 0.8))
    votes = as_votes(table, 2, gold=gold)
    metrics = choose_metrics(votes.labels, names=["accuracy"])
    weight = votes.multiplicity.astype(float)
    found = powered_scores(votes, weight, metrics)
    once = narrowest([ppi(votes, weight, metrics, p) for p in proxies(votes, weight)], weight)
    z = once.parts[0].toarray()
    assert found.covariance is not None
    assert found.sizes is not None
    assert found.covariance[0] == pytest.approx((z * weight) @ z.T * 20 / 18)
    assert found.sizes.added[0] == pytest.approx(1.25 / 20**2)


def test_proxy_shares_against_naive():
    table = np.array([[0, 1, 1, 2, -1], [0, 0, 0, -1, -1], [2, -1, -1, -1, -1]])
    teams = {"c0": "x", "c1": "x", "c2": "x", "c3": "y", "c4": "z"}
    for groups in (None, teams):
        votes = as_votes(table, 3, groups=groups)
        items = items_of(votes, np.ones(3))
        found = shares_of_others(votes)
        for v, row in enumerate(votes.row):
            k = int(votes.classifier[v])
            assert found[v] == pytest.approx(naive_proxy(votes, items[row], k), abs=1e-12)
    # The three of one group know nothing but each other, and that is not asked.
    votes = as_votes(table, 3, groups=teams)
    assert not shares_of_others(votes)[votes.row == votes.row_of[1]].any()


@pytest.mark.parametrize("groups", [False, True])
def test_against_naive(groups: bool):
    @given(gold_cases(groups=groups))
    def check(case: tuple[Votes, np.ndarray]) -> None:
        votes, weight = case
        positive = len(votes.labels) - 1
        metrics = choose_metrics(votes.labels, positive=votes.labels[positive])
        found = powered(votes, metrics, weight)
        items = items_of(votes, weight)
        for m, name in enumerate(METRICS):
            part = found.parts[m].toarray()
            for k in range(len(votes.classifiers)):
                score, power, parts = naive_ppi(votes, items, k, name, positive)
                # Only rounding of sums of at most 72 items.
                assert found.scores[m, k] == pytest.approx(score, abs=1e-9, nan_ok=True)
                if math.isnan(score):
                    continue
                assert found.power[m, k] == pytest.approx(power, abs=1e-9)
                for row, z in parts.items():
                    assert part[k, row] == pytest.approx(z, abs=1e-9)

    check()


def test_against_ppi_py(golden: Any):
    facts = golden("ppi")["ppi_py"]
    table = np.array([[int(x) for x in row] for row in facts["votes"]]).T
    gold = {i: x for i, x in enumerate(facts["gold"]) if x != "."}
    votes = as_votes(table, 2, gold=gold)
    weight = votes.multiplicity.astype(float)
    metrics = choose_metrics(votes.labels, names=["accuracy"])
    found = powered(votes, metrics)
    # Its lambda has the variance of all items, ours that of those with gold.
    said = np.array([[row == row[k] for k in range(table.shape[1])] for row in table]).mean(-1)
    known = np.array(sorted(gold))
    ratio = (said * table.shape[1] - 1)[known].var(axis=0) / (said * table.shape[1] - 1).var(axis=0)
    # And the covariance there is divided by n, the variance by one less than the number of items.
    n = len(table)
    assert found.power[0] * ratio * (n - 1) / n == pytest.approx(facts["power"], abs=1e-9)
    found = ppi(
        votes, weight, metrics, shares_of_others(votes), np.array([facts["power"]]) * n / (n - 1)
    )
    assert found.scores[0] == pytest.approx(facts["score"], abs=1e-9)
    # Its standard error has no n / (n - 1).
    error = standard_errors(found.parts, weight)[0] * math.sqrt((n - 1) / n)
    assert error == pytest.approx(facts["standard_error"], abs=1e-9)


def test_accuracy_in_closed_form():
    """One classifier and a proxy: mean of gold, and the bracket times a regression slope."""
    rng = np.random.default_rng(1)
    table, gold = simulated(rng, 60, 20, np.array([[0.7, 0.8]] * 4))
    votes = as_votes(table, 2, gold=gold)
    found = powered(votes, choose_metrics(votes.labels, names=["accuracy"]))
    said = table[:, 0]
    right = np.array([float(gold[i] == str(said[i])) for i in range(20)])
    agree = (table[:, 1:] == said[:, None]).mean(axis=1)
    slope = np.cov(right, agree[:20], bias=True)[0, 1] / agree[:20].var() / (1 + 20 / 40)
    assert 0 < slope < 1
    assert found.power[0, 0] == pytest.approx(slope)
    expected = right.mean() + slope * (agree[20:].mean() - agree[:20].mean())
    assert found.scores[0, 0] == pytest.approx(expected)


@pytest.mark.parametrize("n_labels", [2, 3])
def test_gold_for_all_is_direct(n_labels: int):
    rng = np.random.default_rng(2)
    table = rng.integers(0, n_labels, size=(50, 4))
    votes = as_votes(table, n_labels, gold={i: str(int(x)) for i, x in enumerate(table[:, 0])})
    metrics = choose_metrics(votes.labels)
    found = powered(votes, metrics)
    assert not found.power.any()
    assert found.scores == pytest.approx(direct_scores(votes, metrics))
    weight = votes.multiplicity.astype(float)
    plain = influence(votes, gold_truth(votes), weight, metrics)
    for part, other in zip(found.parts, plain, strict=True):
        assert part.toarray() == pytest.approx(other.toarray())


def test_a_macro_score_is_the_mean_over_labels():
    """The weight of the votes is that of the mean."""
    rng = np.random.default_rng(8)
    truth = rng.integers(0, 3, size=200)
    table = np.where(rng.random((200, 4)) < 0.6, truth[:, None], rng.integers(0, 3, (200, 4)))
    votes = as_votes(table, 3, gold={i: str(truth[i]) for i in range(80)})
    found = powered(votes, choose_metrics(votes.labels))
    assert (found.power > 0).all()
    weight = votes.multiplicity.astype(float)
    proxy = shares_of_others(votes)
    each = [
        ppi_scores(votes, weight, choose_metrics(votes.labels, positive=c), proxy, found.power)
        for c in votes.labels
    ]
    assert found.scores == pytest.approx(np.mean(each, axis=0))


def test_useless_votes_leave_gold_alone():
    """The only voter, or one whose others always agree with it, has nothing to gain."""
    table = np.array([[0, -1], [1, -1], [0, -1], [1, 1], [0, 0], [1, 1]])
    gold = {0: "0", 1: "0", 3: "1"}
    votes = as_votes(table, 2, gold=gold)
    metrics = choose_metrics(votes.labels, names=["accuracy", "recall"])
    found = powered(votes, metrics)
    assert not found.power.any()
    assert found.scores == pytest.approx(direct_scores(votes, metrics))


def test_invariant_to_order_and_names():
    rng = np.random.default_rng(3)
    table, gold = simulated(rng, 90, 40, np.array([[0.7, 0.8], [0.9, 0.6], [0.6, 0.6], [0.8, 0.9]]))
    table[rng.random(table.shape) < 0.2] = -1
    table[:, 0] = np.maximum(table[:, 0], 0)
    base = powered(votes := as_votes(table, 2, gold=gold), choose_metrics(votes.labels))
    items, classifiers = rng.permutation(90), rng.permutation(4)
    moved = as_votes(
        table[items][:, classifiers],
        2,
        gold={int(np.flatnonzero(items == i)[0]): x for i, x in gold.items()},
    )
    found = powered(moved, choose_metrics(moved.labels))
    assert found.scores == pytest.approx(base.scores[:, classifiers])
    assert found.power == pytest.approx(base.power[:, classifiers])
    flipped = as_votes(
        np.where(table < 0, -1, 1 - table), 2, gold={i: str(1 - int(x)) for i, x in gold.items()}
    )
    found = powered(flipped, choose_metrics(flipped.labels, positive="0"))
    assert found.scores == pytest.approx(base.scores)


def test_all_items_twice_halve_the_variance():
    rng = np.random.default_rng(4)
    table, gold = simulated(rng, 80, 30, np.array([[0.7, 0.8]] * 5))
    votes = as_votes(table, 2, gold=gold)
    metrics = choose_metrics(votes.labels)
    weight = votes.multiplicity.astype(float)
    once, twice = powered(votes, metrics, weight), powered(votes, metrics, 2 * weight)
    assert twice.scores == pytest.approx(once.scores)
    assert twice.power == pytest.approx(once.power)
    n = weight.sum()
    factor = (2 * n / (2 * n - 1)) / (n / (n - 1)) / 2
    expected = covariance(once.parts, weight) * factor
    assert covariance(twice.parts, 2 * weight) == pytest.approx(expected)


def test_draws_together_are_draws_one_by_one():
    rng = np.random.default_rng(5)
    table, gold = simulated(rng, 200, 60, np.array([[0.7, 0.8]] * 3))
    votes = as_votes(table, 2, gold=gold)
    metrics = choose_metrics(votes.labels)
    weight = votes.multiplicity.astype(float)
    proxy = shares_of_others(votes)
    found = ppi(votes, weight, metrics, proxy)
    draws = rng.multinomial(200, weight / 200, size=400).astype(float)
    scores = ppi_scores(votes, draws, metrics, proxy, found.power)
    assert scores.shape == (400, 5, 3)
    assert ppi_scores(votes, weight, metrics, proxy, found.power) == pytest.approx(found.scores)
    for i in range(3):
        alone = ppi_scores(votes, draws[i], metrics, proxy, found.power)
        assert scores[i] == pytest.approx(alone)
    # The spread of 400 draws has an error of 3.5%; linearisation of ratios of 60 items adds some.
    spread = np.nanstd(scores, axis=0)
    assert spread == pytest.approx(standard_errors(found.parts, weight), rel=0.2)


def test_a_truth_by_row_is_one_by_vote():
    rng = np.random.default_rng(6)
    table, gold = simulated(rng, 100, 30, np.array([[0.7, 0.8]] * 3))
    votes = as_votes(table, 2, gold=gold)
    metrics = choose_metrics(votes.labels)
    weight = votes.multiplicity.astype(float)
    shares = vote_shares(votes)
    by_row, by_vote = (ppi(votes, weight, metrics, p) for p in (shares, shares[votes.row]))
    assert by_row.scores == pytest.approx(by_vote.scores)


RATE = np.stack([np.linspace(0.6, 0.95, 10), np.linspace(0.85, 0.65, 10)], axis=1)


def actual(prior: float = 0.4) -> np.ndarray:
    """Scores of the simulated classifiers in the population: (metrics, classifiers)."""
    negative, positive = (1 - prior) * RATE[:, 0], prior * RATE[:, 1]
    said = positive + (1 - prior) - negative
    return np.array(
        [
            negative + positive,
            positive / said,
            RATE[:, 1],
            RATE[:, 0],
            2 * positive / (said + prior),
        ]
    )


def coverage(samples: int, seed: int = 0) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Share of 95% intervals that cover, by direct evaluation and PPI, and ratio of errors."""
    rng = np.random.default_rng(seed)
    covered = np.zeros((2, 5))
    square = np.zeros((2, 5))
    for _ in range(samples):
        table, gold = simulated(rng, 2000, 200, RATE)
        votes = as_votes(table, 2, gold=gold)
        metrics = choose_metrics(votes.labels)
        weight = votes.multiplicity.astype(float)
        plain = influence(votes, gold_truth(votes), weight, metrics)
        found = powered(votes, metrics)
        ways = (
            (direct_scores(votes, metrics), standard_errors(plain, weight * (votes.gold >= 0))),
            (found.scores, standard_errors(found.parts, weight)),
        )
        for way, (score, error) in enumerate(ways):
            covered[way] += (np.abs(score - actual()) < 1.96 * error).mean(axis=1)
            square[way] += ((score - actual()) ** 2).mean(axis=1)
    return covered[0] / samples, covered[1] / samples, np.sqrt(square[1] / square[0])


def test_coverage(golden: Any):
    direct, by_ppi, ratio = coverage(120)
    # Ten classifiers in each of 120 samples; they share items, so the error is about 1%.
    assert np.all((direct > 0.92) & (direct < 0.98))
    assert np.all((by_ppi > 0.92) & (by_ppi < 0.98))
    # Fewer samples than in the study: the ratio of errors is known to some 5%.
    assert ratio == pytest.approx(golden("ppi")["coverage"]["error_ratio"], rel=0.1)


def test_llmjudge(data_folder: Path, golden: Any):
    facts = golden("ppi")["llmjudge"]
    labels, gold = llmjudge(data_folder / "blind" / "llmjudge")
    direct, by_ppi = gold_samples(labels, gold, 12)
    # Twelve samples of the fifty: 33 judges share their items, so the error is about 20%.
    assert direct == pytest.approx(facts["direct"], rel=0.3)
    assert by_ppi == pytest.approx(facts["ppi"], rel=0.3)
    assert np.all(by_ppi[[0, 2, 3, 4]] < direct[[0, 2, 3, 4]])


def llmjudge(folder: Path) -> tuple[Labels, dict[str, str]]:
    """Whether each judge finds each passage relevant (2 or 3 of 3), and what NIST said."""

    def read(path: Path) -> dict[str, int]:
        lines = (line.split() for line in path.read_text().splitlines() if line.strip())
        return {f"{a} {c}": int(int(d) >= 2) for a, _, c, d, *_ in lines}

    triples = [
        (item, path.stem, x)
        for path in sorted((folder / "scores").glob("*.txt"))
        for item, x in read(path).items()
    ]
    gold = {item: str(x) for item, x in read(folder / "gold_nist_qrels.txt").items()}
    return Labels.from_triples(*zip(*triples, strict=True)), gold


def gold_samples(
    labels: Labels, gold: dict[str, str], samples: int
) -> tuple[np.ndarray, np.ndarray]:
    """Root mean square error of each metric with 400 random gold labels."""
    rng = np.random.default_rng(0)
    votes = collect(labels, gold=gold)
    metrics = choose_metrics(votes.labels)
    scores = direct_scores(votes, metrics)
    items = sorted(gold)
    square = np.zeros((2, 5))
    for _ in range(samples):
        chosen = {items[i]: gold[items[i]] for i in rng.choice(len(items), 400, replace=False)}
        votes = collect(labels, gold=chosen)
        for way, found in enumerate(
            (direct_scores(votes, metrics), powered(votes, metrics).scores)
        ):
            square[way] += ((found - scores) ** 2).mean(axis=1)
    direct, by_ppi = np.sqrt(square / samples)
    return direct, by_ppi


# --- proxies that gold has taught -----------------------------------------------------------------


def naive_cross_predicted(votes: Votes) -> np.ndarray:
    """Item by item: error rates counted in the gold of other folds, one group one vote."""
    size, rows = len(votes.labels), len(votes.multiplicity)
    known = [r for r in range(rows) if votes.gold[r] >= 0]
    number = {f: sum(votes.multiplicity[r] for r in known if votes.fold[r] == f) for f in range(5)}
    out = np.zeros((rows, size))
    for fold in sorted({int(votes.fold[r]) for r in known}):
        train = [r for r in known if votes.fold[r] != fold]
        for r in range(rows):
            if votes.gold[r] >= 0 and votes.fold[r] != fold:
                continue
            chance = []
            for c in range(size):
                of_c = [t for t in train if votes.gold[t] == c]
                p = float(sum(votes.multiplicity[t] for t in of_c))
                for v in range(votes.start[r], votes.start[r + 1]):
                    k, given_label = votes.classifier[v], votes.label[v]
                    same = every = 0
                    for t in of_c:
                        for u in range(votes.start[t], votes.start[t + 1]):
                            if votes.classifier[u] == k:
                                every += votes.multiplicity[t]
                                same += votes.multiplicity[t] * (votes.label[u] == given_label)
                    p *= ((same + 1) / (every + size)) ** votes.group_weight[k]
                chance.append(p)
            part = 1.0 if votes.gold[r] >= 0 else number[fold] / sum(number.values())
            out[r] += part * np.array(chance) / sum(chance)
    return out


@pytest.mark.parametrize("teams", [None, {"c0": "x", "c1": "x"}])
def test_cross_predicted_against_naive(teams: dict[str, str] | None):
    rng = np.random.default_rng(11)
    table, gold = simulated(rng, 90, 40, np.array([[0.7, 0.8], [0.9, 0.6], [0.6, 0.6]]))
    table[rng.random(table.shape) < 0.1] = -1
    table[:, 0] = np.maximum(table[:, 0], 0)
    votes = as_votes(table, 2, gold=gold, groups=teams)
    weight = votes.multiplicity.astype(float)
    _, taught = proxies(votes, weight)
    assert taught == pytest.approx(naive_cross_predicted(votes), abs=1e-12)


@pytest.mark.parametrize("seed", range(6))
def test_the_narrowest_is_no_wider_and_as_one_of_them(seed: int):
    rng = np.random.default_rng(seed)
    table, gold = simulated(rng, 300, 60, rng.uniform(0.55, 0.98, (5, 2)))
    votes = as_votes(table, 2, gold=gold)
    weight, metrics = votes.multiplicity.astype(float), choose_metrics(votes.labels)
    each = [ppi(votes, weight, metrics, proxy) for proxy in proxies(votes, weight)]
    best = narrowest(each, weight)
    for m, k in np.ndindex(*best.scores.shape):
        spread = [float((one.parts[m] * one.parts[m] @ weight)[k]) for one in each]
        mine = float((best.parts[m] * best.parts[m] @ weight)[k])
        assert mine == pytest.approx(min(spread), rel=1e-8)
        assert best.scores[m, k] in [one.scores[m, k] for one in each]


def test_one_gold_label_teaches_nothing():
    """All gold items are of one label: shares of votes are the only proxy."""
    votes = as_votes(np.array([[0, 0, 1], [0, 1, 0], [1, 1, 1]] * 5), 2, gold={0: "0", 3: "0"})
    assert len(list(proxies(votes, votes.multiplicity.astype(float)))) == 1


def test_the_difference_that_ppi_adds_is_0_on_average():
    """Whatever was learned from few labels: the mean of 300 has an error of .005 or less."""
    rng = np.random.default_rng(12)
    off = []
    for _ in range(300):
        table, gold = simulated(rng, 150, 25, np.array([[0.6, 0.9], [0.8, 0.7], [0.7, 0.7]]))
        votes = as_votes(table, 2, gold=gold)
        weight = votes.multiplicity.astype(float)
        taught = list(proxies(votes, weight))[1:]
        for proxy in taught:
            known = np.where(votes.gold >= 0, weight, 0.0)
            other = weight - known
            off.append(other @ proxy[:, 1] / other.sum() - known @ proxy[:, 1] / known.sum())
    assert len(off) > 290
    assert abs(np.mean(off)) < 3.5 * np.std(off) / np.sqrt(len(off))
    assert np.std(off) / np.sqrt(len(off)) < 0.007


def test_weights_of_votes_come_from_items_with_gold_alone():
    """Or scores near 1 come out too high: see docs/studies/blind.md."""
    rng = np.random.default_rng(1)
    truth = rng.integers(0, 2, 60)
    table = np.where(rng.random((60, 4)) < 0.8, truth[:, None], 1 - truth[:, None])
    gold = {i: str(truth[i]) for i in range(20)}
    metrics = choose_metrics(["0", "1"], names=["accuracy"])
    power = powered(as_votes(table, 2, gold=gold), metrics).power
    table[20:] = truth[20:, None]  # elsewhere all are right now
    assert powered(as_votes(table, 2, gold=gold), metrics).power == pytest.approx(power)
    assert ((power > 0) & (power < 1)).any()


# Truth learned from gold: against naive ways, scikit-learn itself, and by invariants.

Case = tuple[Votes, np.ndarray]


def possible(items: list[Item]) -> bool:
    """Whether there are two labels of gold to learn from, whatever fold is left out."""
    known = [x for x in items if x.gold >= 0]
    folds = [None, *{x.fold for x in known}]
    return all(len({x.gold for x in known if x.fold != fold}) >= 2 for fold in folds)


def counted(votes: Votes) -> np.ndarray:
    return votes.multiplicity.astype(float)


@given(naive.gold_cases())
def test_naive_bayes_against_naive(case: Case):
    votes, weight = case
    items = items_of(votes, weight)
    if not possible(items):
        with pytest.raises(NotPossible, match="too few gold labels"):
            naive_bayes(votes, weight)
        return
    truth = naive_bayes(votes, weight)
    for item in items:
        expected = naive.naive_bayes(item, items, len(votes.labels))
        assert truth[item.row] == pytest.approx(expected, abs=1e-12)


@settings(max_examples=40)
@given(naive.gold_cases())
def test_calibrated_majority_against_naive(case: Case):
    votes, weight = case
    items = items_of(votes, weight)
    assume(possible(items))
    for positive in (0, 1):
        metrics = choose_metrics(votes.labels, positive=votes.labels[positive])
        truths = calibrated_majority(votes, weight, metrics)
        for name, truth in zip(METRICS, truths, strict=True):
            for item in items:
                expected = naive.naive_calibrated(item, items, len(votes.labels), name, positive)
                assert truth[item.row] == pytest.approx(expected, abs=1e-12)


def case(n_labels: int, seed: int = 0, *, missing: float = 0.0, items: int = 300) -> Votes:
    """Seven classifiers of different skill; gold for half of the items."""
    rng = np.random.default_rng(seed)
    truth = rng.integers(0, n_labels, size=items)
    skill = np.linspace(0.3, 0.8, 7)
    other = rng.integers(0, n_labels, size=(items, 7))
    table = np.where(rng.random((items, 7)) < skill, truth[:, None], other)
    gone = rng.random(table.shape) < missing
    gone[:, 0] = False
    table = np.where(gone, -1, table)
    return as_votes(table, n_labels, gold={i: str(truth[i]) for i in range(items // 2)})


def dense(items: list[Item], votes: Votes) -> np.ndarray:
    """One-hot votes of single items."""
    size = len(votes.labels)
    out = np.zeros((len(items), len(votes.classifiers) * size))
    for i, item in enumerate(items):
        for k, label in item.said.items():
            out[i, k * size + label] = 1
    return out


def by_items(votes: Votes, weight: np.ndarray, predict: Callable[..., Floats]) -> Floats:
    """Truth of each row as learned from single items, none with a weight."""
    items = items_of(votes, weight)
    truth = np.full((len(weight), len(votes.labels)), np.nan)
    for fold in np.unique(votes.fold):
        mine = [x for x in items if x.fold == fold]
        known = naive.teachers(mine[0], items)
        gold = np.array([x.gold for x in known])
        truth[[x.row for x in mine]] = predict(dense(known, votes), gold, dense(mine, votes))
    return truth


def probabilities(rule: Callable[[], LogisticRegression]) -> Callable[..., Floats]:
    def predict(train: np.ndarray, gold: np.ndarray, rows: np.ndarray) -> Floats:
        return rule().fit(train, gold).predict_proba(rows)

    return predict


def labels(rule: Callable[[], LinearSVC | AdaBoostClassifier], size: int) -> Callable[..., Floats]:
    def predict(train: np.ndarray, gold: np.ndarray, rows: np.ndarray) -> Floats:
        return np.eye(size)[rule().fit(train, gold).predict(rows)]

    return predict


@pytest.mark.parametrize(("n_labels", "missing"), [(2, 0.0), (2, 0.4), (3, 0.2)])
def test_rules_against_scikit_learn_on_single_items(n_labels: int, missing: float):
    votes = case(n_labels, missing=missing)
    weight = counted(votes) * np.random.default_rng(1).integers(1, 3, size=len(votes.multiplicity))
    expected = by_items(
        votes, weight, probabilities(lambda: LogisticRegression(max_iter=10_000, tol=1e-6))
    )
    # Both stop at a gradient of 1e-6, on nearly the same path.
    assert glm(votes, weight) == pytest.approx(expected, abs=1e-6)
    expected = by_items(votes, weight, labels(lambda: LinearSVC(dual=False), n_labels))
    assert np.array_equal(svm(votes, weight), expected)
    expected = by_items(votes, weight, labels(lambda: AdaBoostClassifier(random_state=0), n_labels))
    # Among equally good stumps rounding decides, so a few items may differ.
    assert np.abs(adaboost(votes, weight) - expected).sum(axis=1).mean() < 0.02


@pytest.mark.parametrize("n_labels", [2, 3])
def test_naive_bayes_against_scikit_learn(n_labels: int):
    votes = case(n_labels, seed=3)

    def predict(train: np.ndarray, gold: np.ndarray, rows: np.ndarray) -> Floats:
        shape = (-1, len(votes.classifiers), n_labels)
        codes, asked = (x.reshape(shape).argmax(axis=2) for x in (train, rows))
        return CategoricalNB(alpha=1, min_categories=n_labels).fit(codes, gold).predict_proba(asked)

    expected = by_items(votes, counted(votes), predict)
    assert naive_bayes(votes, counted(votes)) == pytest.approx(expected, abs=1e-9)


RULES = {"naive Bayes": naive_bayes, "GLM": glm, "SVM": svm, "AdaBoost": adaboost}


@pytest.mark.parametrize("rule", RULES.values(), ids=RULES.keys())
def test_a_truth_is_a_distribution_close_to_gold(rule: Callable[[Votes, Floats], Floats]):
    votes = case(3, missing=0.1)
    truth = rule(votes, counted(votes))
    assert truth.sum(axis=1) == pytest.approx(1)
    assert truth.min() >= 0
    gold = gold_truth(votes)
    weight = counted(votes) * (votes.gold >= 0)
    right = float(((truth * gold).sum(axis=1) * weight).sum() / weight.sum())
    # Guessing is right for 33%, and the best classifier for 87%.
    assert 0.65 < right < 0.99


@pytest.mark.parametrize("rule", RULES.values(), ids=RULES.keys())
def test_no_item_sees_its_own_gold(rule: Callable[[Votes, Floats], Floats]):
    """Gold of one fold turned round leaves the truth of that fold as it was."""
    votes = case(2)
    before = rule(votes, counted(votes))
    mine = votes.fold == 2
    votes.gold[mine] = 1 - votes.gold[mine]
    after = rule(votes, counted(votes))
    assert np.array_equal(before[mine], after[mine])
    assert not np.array_equal(before[~mine], after[~mine])


@pytest.mark.parametrize("rule", [naive_bayes, glm], ids=["naive Bayes", "GLM"])
def test_learned_truth_is_invariant_to_order_and_names(rule: Callable[[Votes, Floats], Floats]):
    """Of items without gold, whose truth does not depend on the folds."""
    rng = np.random.default_rng(5)
    truth = rng.integers(0, 3, size=120)
    table = np.where(rng.random((120, 4)) < 0.6, truth[:, None], rng.integers(0, 3, (120, 4)))
    gold = {i: str(truth[i]) for i in range(60)}

    def unlabelled(votes: Votes, items: np.ndarray) -> Floats:
        return rule(votes, counted(votes))[votes.row_of[items]]

    base = unlabelled(as_votes(table, 3, gold=gold), np.arange(60, 120))
    classifiers, names = rng.permutation(4), rng.permutation(3)
    moved = as_votes(
        names[table[::-1][:, classifiers]],
        3,
        gold={119 - i: str(names[int(x)]) for i, x in gold.items()},
    )
    found = unlabelled(moved, 119 - np.arange(60, 120))
    # Logistic regression stops at a gradient of 1e-6.
    assert found[:, names] == pytest.approx(base, abs=1e-4 if rule is glm else 1e-12)


def test_a_threshold_undoes_a_bias():
    """Classifiers that say yes too easily: half the votes are no evidence of a yes."""
    rng = np.random.default_rng(6)
    truth = (rng.random(2000) < 0.4).astype(int)
    table = (rng.random((2000, 10)) < np.where(truth, 0.9, 0.5)[:, None]).astype(int)
    votes = as_votes(table, 2, gold={i: str(truth[i]) for i in range(500)})
    metrics = choose_metrics(votes.labels)
    by_name = dict(zip(METRICS, calibrated_majority(votes, counted(votes), metrics), strict=True))
    row = votes.row_of
    error = np.abs(by_name["accuracy"][row, 1] - truth).mean()
    assert error < 0.08 < 0.2 < np.abs(majority(votes)[row, 1] - truth).mean()
    # Precision wants fewer positive items than recall does.
    assert by_name["precision"][row, 1].sum() <= by_name["recall"][row, 1].sum()
    assert by_name["recall"] is by_name["f1"]


def test_specificity_is_recall_of_the_other_label():
    votes = case(2, seed=7)
    one, other = (
        calibrated_majority(votes, counted(votes), choose_metrics(votes.labels, positive=label))
        for label in ("0", "1")
    )
    place = {name: i for i, name in enumerate(METRICS)}
    assert one[place["recall"]] == pytest.approx(other[place["specificity"]])
    assert one[place["accuracy"]] == pytest.approx(other[place["accuracy"]])


def test_good_votes_keep_the_majority():
    """Where 1/2 is among the best thresholds it stays."""
    truth = np.array([0, 1] * 20)
    table = np.repeat(truth[:, None], 5, axis=1)
    table[:10, 0] = 1 - table[:10, 0]
    votes = as_votes(table, 2, gold={i: str(truth[i]) for i in range(30)})
    for truth_ in calibrated_majority(votes, counted(votes), choose_metrics(votes.labels)):
        assert np.array_equal(truth_, majority(votes))


@pytest.mark.parametrize(
    ("gold", "reason"),
    [
        ({0: "0", 1: "0"}, "all are '0'$"),
        ({0: "0", 1: "1"}, "all are '.' in the gold labels from which one fold is predicted"),
        ({0: "0"}, "all are '0'$"),
        ({}, "there are none"),
    ],
)
def test_too_little_gold_says_so(gold: dict[int, str], reason: str):
    votes = as_votes(np.array([[0, 1], [1, 1], [0, 0]]), 2, gold=gold)
    for rule in RULES.values():
        with pytest.raises(NotPossible, match=reason):
            rule(votes, counted(votes))
    with pytest.raises(NotPossible, match=reason):
        calibrated_majority(votes, counted(votes), choose_metrics(votes.labels))


def test_a_label_without_gold_has_no_chance():
    votes = case(3)
    votes.gold[votes.gold == 2] = -1
    votes.fold[votes.gold < 0] = -1
    for rule in RULES.values():
        truth = rule(votes, counted(votes))
        assert not truth[:, 2].any()
        assert truth.sum(axis=1) == pytest.approx(1)


def test_votes_that_tell_nothing():
    """AdaBoost cannot start; naive Bayes and GLM give the share of each label."""
    votes = as_votes(np.zeros((40, 2), dtype=int), 2, gold={i: str(i % 2) for i in range(40)})
    assert len(votes.multiplicity) == 10
    weight = np.ones(10)
    with pytest.raises(NotPossible, match="no vote tells the gold labels apart"):
        adaboost(votes, weight)
    for rule in (naive_bayes, glm):
        assert rule(votes, weight) == pytest.approx(0.5)


def test_logistic_regression_keeps_the_scores():
    """A fit to the votes keeps the table of truth and vote, but for the penalty."""
    votes = case(2, seed=9, items=2000)
    metrics = choose_metrics(votes.labels)
    weight = counted(votes) * (votes.gold >= 0)
    learned, direct = (
        metrics.scores(tables(votes, truth, weight))
        for truth in (glm(votes, weight), gold_truth(votes))
    )
    # Cross-fitting keeps it only nearly: 1,000 items, with an error of 1.5% in each accuracy.
    assert learned == pytest.approx(direct, abs=0.01)


def test_without_scikit_learn(monkeypatch: pytest.MonkeyPatch):
    for module in ("sklearn.linear_model", "sklearn.svm", "sklearn.ensemble"):
        monkeypatch.setitem(sys.modules, module, None)
    votes = case(2, items=40)
    for rule in (glm, svm, adaboost):
        with pytest.raises(ExtraError, match="scikit-learn"):
            rule(votes, counted(votes))
    naive_bayes(votes, counted(votes))


# How many gold labels a score is worth: by hand, item by item, and by what must not matter.


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
    assert found[0, 1] == pytest.approx(2 * student.sf(0.02 / np.sqrt(0.0004 + 0.0008), 49))
    # Equal covariance, all variance seen in common: formerly p was 0.
    same = paired_tests(np.array([0.98, 1.0]), np.full((2, 2), 1e-4), 50, added)
    assert same[0, 1] == pytest.approx(2 * student.sf(0.02 / np.sqrt(0.0008), 49))


def test_classifiers_with_one_gold_label_have_no_test():
    found = paired_tests(
        np.array([0.5, 0.9, 0.7]), np.eye(3) * 0.01, np.array([1, 40, 50]), np.zeros(3)
    )
    assert np.isnan(found[0, 1:]).all()
    assert 0 < found[1, 2] < 1

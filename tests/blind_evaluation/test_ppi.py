"""Prediction-powered and direct scores: closed form, naive, ppi_py, coverage, llmjudge."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given

from headcount import Labels
from headcount.blind_evaluation.methods.direct import gold_truth
from headcount.blind_evaluation.methods.ppi import (
    Powered,
    narrowest,
    powered_scores,
    ppi,
    ppi_scores,
    proxies,
)
from headcount.blind_evaluation.methods.vote_truth import shares_of_others, vote_shares
from headcount.blind_evaluation.metrics import METRICS, Metrics, choose_metrics
from headcount.blind_evaluation.scoring.tables import covariance, influence, tables
from headcount.blind_evaluation.votes import Votes, collect
from tests.blind_evaluation.cases import as_votes
from tests.blind_evaluation.gold_cases import gold_cases, items_of, naive_ppi, naive_proxy


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
    """Or scores near 1 come out too high: see docs/studies/blind_gold.md."""
    rng = np.random.default_rng(1)
    truth = rng.integers(0, 2, 60)
    table = np.where(rng.random((60, 4)) < 0.8, truth[:, None], 1 - truth[:, None])
    gold = {i: str(truth[i]) for i in range(20)}
    metrics = choose_metrics(["0", "1"], names=["accuracy"])
    power = powered(as_votes(table, 2, gold=gold), metrics).power
    table[20:] = truth[20:, None]  # elsewhere all are right now
    assert powered(as_votes(table, 2, gold=gold), metrics).power == pytest.approx(power)
    assert ((power > 0) & (power < 1)).any()

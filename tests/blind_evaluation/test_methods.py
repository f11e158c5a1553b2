"""Methods, their scores and errors, and ranks by paired tests."""

from __future__ import annotations

import ast
from collections import Counter
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import ttest_rel
from sklearn.metrics import f1_score, precision_score, recall_score
from statsmodels.stats.multitest import multipletests

import headcount
from headcount import OptionError, blind
from headcount.blind_evaluation.methods import (
    CHECKING,
    DIAGNOSING,
    DIRECT,
    METHODS,
    choose_methods,
    own_method,
    robin_influence,
    round_robin,
)
from headcount.blind_evaluation.metrics import (
    METRICS,
    choose_metrics,
    paired_tests,
    rank,
)
from headcount.blind_evaluation.scoring import FixedTruth, Method, covariance, influence, tables
from headcount.blind_evaluation.votes import (
    Votes,
    collect,
    leave_group_out,
    leave_one_out,
    majority,
    vote_shares,
)
from headcount.errors import DataError
from headcount.stats.ranks import holm
from tests.blind_evaluation.cases import as_labels, as_votes, naive_score, study, vote_tables

# Methods as classes: each knows itself, and users can bring their own.

SOURCE = Path(headcount.__file__).parent


def table(items: int = 200, seed: int = 0) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(seed)
    truth = (rng.random(items) < 0.4).astype(int)
    right = rng.random((items, 5)) < [0.9, 0.85, 0.8, 0.7, 0.6]
    said = np.where(right, truth[:, None], 1 - truth[:, None])
    said[rng.random(said.shape) < 0.1] = -1
    said[:, 0] = np.abs(said[:, 0])
    return said, truth


def majority_again(votes: Votes) -> np.ndarray:
    """What most say is right."""
    truth = np.zeros((len(votes.multiplicity), len(votes.labels)))
    for row in range(len(truth)):
        labels = votes.label[votes.start[row] : votes.start[row + 1]].tolist()
        counts = [labels.count(code) for code in range(len(votes.labels))]
        best = [code for code, n in enumerate(counts) if n == max(counts)]
        truth[row, best] = 1 / len(best)
    return truth


class MyMajority:
    name = "mine"
    short = "my majority"
    words = "most are right"
    refitted = False

    def truth(self, votes: Votes) -> np.ndarray:
        return majority_again(votes)


# --- the list -------------------------------------------------------------------------------------


def test_every_method_knows_itself():
    for name, method in METHODS.items():
        assert method.name == name
        assert method.short
        assert method.words
    assert (DIAGNOSING.name, CHECKING.name, DIRECT.name) == ("em", "leave-one-out", "direct")


def test_a_name_is_spelt_in_the_file_of_its_class_alone():
    """Outside the command line, whose help lists them."""
    homes = {name: Path(_file_of(method)) for name, method in METHODS.items()}
    for path in (SOURCE / "blind_evaluation").rglob("*.py"):
        tree = ast.parse(path.read_text(encoding="utf-8"))
        # What a file exports are names of functions.
        tree.body = [one for one in tree.body if "__all__ =" not in ast.unparse(one)[:9]]
        for node in ast.walk(tree):
            if isinstance(node, ast.Constant) and node.value in homes:
                assert path == homes[node.value], f"{path.name} spells '{node.value}'"


def _file_of(method: Method) -> str:
    import inspect

    return inspect.getfile(type(method))


def test_default_methods_follow_the_data():
    alone = choose_methods(None, groups=False, gold=False)
    by_votes = ["majority", "leave-one-out", "em", "consensus"]
    assert list(alone) == by_votes
    everything = choose_methods(None, groups=True, gold=True)
    assert everything == {n: method for n, method in METHODS.items() if not method.on_request}
    assert list(everything)[-2:] == ["direct", "ppi"]


# --- users' own -----------------------------------------------------------------------------------


def test_a_plain_function_is_a_method():
    """Found anew in each bootstrap sample, which for a majority changes nothing."""
    said, _ = table()
    result = blind(as_labels(said, 2), methods=["em", "majority", majority_again], bootstrap=40)
    assert result.provenance.methods == ("em", "majority", "majority_again")
    assert result.methods["majority_again"].words == "What most say is right"
    for c in result.classifiers:
        for metric, estimate in c.estimates["majority"].items():
            own = c.estimates["majority_again"][metric]
            assert (own.value, own.low, own.high) == pytest.approx(
                (estimate.value, estimate.low, estimate.high), abs=1e-12
            )


def test_a_truth_may_depend_on_who_is_judged():
    class Others:
        name = "others"

        def truth(self, votes: Votes) -> np.ndarray:
            return METHODS["leave-one-out"].truth(votes)  # pyright: ignore

    said, _ = table(100)
    result = blind(as_labels(said, 2), methods=["leave-one-out", Others()], bootstrap=0)
    for c in result.classifiers:
        assert c.estimates["others"] == c.estimates["leave-one-out"]


def test_a_subclass_is_a_method_as_it_is():
    class Mine(FixedTruth):
        name = "first label"
        short = "first"
        words = "all items have the first label"

        def truth(self, votes: Votes) -> np.ndarray:
            return np.eye(len(votes.labels))[np.zeros(len(votes.multiplicity), dtype=int)]

    method = Mine()
    assert own_method(method) is method
    said, _ = table(60)
    result = blind(as_labels(said, 2), methods=[method], bootstrap=0, metrics=["accuracy"])
    for k in range(5):
        mine = said[:, k]
        expected = (mine[mine >= 0] == 0).mean()
        found = result[f"c{k}"].estimates["first label"]["accuracy"].value
        assert found == pytest.approx(expected)


def test_refitted_truths_see_the_sample():
    """The rarer label of a sample is true, whatever the votes: it changes with the sample."""
    seen: list[int] = []

    def drawn(votes: Votes) -> np.ndarray:
        seen.append(int((votes.multiplicity == 0).sum()))
        assert votes.multiplicity.sum() == 60
        return majority_again(votes)

    said, _ = table(60)
    blind(as_labels(said, 2), methods=[drawn], bootstrap=10)
    assert len(seen) == 11
    assert seen[0] == 0
    assert max(seen) > 0


def wrong_shape(votes: Votes) -> np.ndarray:
    return np.ones((3, 7))


def no_probabilities(votes: Votes) -> np.ndarray:
    return np.ones((len(votes.multiplicity), len(votes.labels)))


def no_array(votes: Votes) -> Any:
    return {"a": 1}


class NeedsGroups(MyMajority):
    grouped = True


class NeedsGold(MyMajority):
    informed = True


class Taken(MyMajority):
    name = "em"


@pytest.mark.parametrize(
    ("methods", "message"),
    [
        ([wrong_shape], "must return a probability of each label"),
        ([no_probabilities], "must return probabilities"),
        ([no_array], "must return an array of numbers"),
        ([NeedsGroups()], "needs groups of classifiers"),
        ([NeedsGold()], "needs labels of some items"),
        ([Taken()], "two methods are called 'em'"),
        ([MyMajority(), MyMajority()], "two methods are called 'mine'"),
        ([lambda votes: votes], "needs a name"),
        ([123], "must be names of methods, functions of votes"),
        (123, "must be names of methods, functions of votes"),
        ([MyMajority], "must be names of methods, functions of votes"),
        ([], "must name one method or more"),
    ],
)
def test_what_is_no_method_is_refused(methods: Any, message: str):
    said, _ = table(40)
    with pytest.raises(OptionError, match=message):
        blind(as_labels(said, 2), methods=methods, bootstrap=2)


# Scores against a truth, and their errors, by all ways to see the truth in votes.

Case = tuple[np.ndarray, int]


def shares(said: list[int], n_labels: int, *, only_most: bool) -> list[float]:
    """Share of each label among votes, or of each winner among the winners."""
    counts = [said.count(label) for label in range(n_labels)]
    if only_most:
        counts = [int(c == max(counts) > 0) for c in counts]
    return [c / max(1, sum(counts)) for c in counts]


def naive(table: np.ndarray, n_labels: int, name: str, k: int, metric: str) -> float:
    """Score of classifier k, item by item."""
    pairs: list[tuple[float, int, int]] = []
    for row in table:
        if row[k] < 0:
            continue
        votes = [
            int(v) for j, v in enumerate(row) if v >= 0 and (name != "leave-one-out" or j != k)
        ]
        truth = shares(votes, n_labels, only_most=name != "sampling")
        pairs += [(q, label, int(row[k])) for label, q in enumerate(truth)]
    return naive_mean(pairs, n_labels, metric)


def naive_mean(pairs: list[tuple[float, int, int]], n_labels: int, metric: str) -> float:
    if n_labels == 2:
        return naive_score(pairs, metric, 1)
    scores = [naive_score(pairs, metric, label) for label in range(n_labels)]
    if metric == "precision":
        scores = [0.0 if np.isnan(s) else s for s in scores] if sum(p[0] for p in pairs) else scores
    defined = [s for s in scores if not np.isnan(s)]
    return sum(defined) / len(defined) if defined else np.nan


TRUTHS = {"sampling": vote_shares, "majority": majority, "leave-one-out": leave_one_out}


@pytest.mark.parametrize("name", TRUTHS)
@given(case=vote_tables())
def test_scores_against_votes_equal_counting(name: str, case: Case):
    table, n_labels = case
    votes = as_votes(table, n_labels)
    metrics = choose_metrics(votes.labels)
    weight = votes.multiplicity.astype(float)
    found = metrics.scores(tables(votes, TRUTHS[name](votes), weight))
    expected = [
        [naive(table, n_labels, name, k, metric) for metric in METRICS]
        for k in range(table.shape[1])
    ]
    np.testing.assert_allclose(found, expected, atol=1e-12)


@given(case=vote_tables())
def test_round_robin_equals_counting(case: Case):
    table, n_labels = case
    votes = as_votes(table, n_labels)
    found = round_robin(votes, votes.multiplicity.astype(float), choose_metrics(votes.labels))
    for k in range(table.shape[1]):
        for m, metric in enumerate(METRICS):
            scores: list[float] = []
            for other in range(table.shape[1]):
                both = (table[:, k] >= 0) & (table[:, other] >= 0)
                if other != k and both.any():
                    pairs = [(1.0, int(row[other]), int(row[k])) for row in table[both]]
                    scores.append(naive_mean(pairs, n_labels, metric))
            defined = [s for s in scores if not np.isnan(s)]
            expected = np.mean(defined) if defined else np.nan
            np.testing.assert_allclose(found[m, k], expected, atol=1e-12)


def test_round_robin_of_many_adds_up_the_same(monkeypatch: pytest.MonkeyPatch):
    """Counts are whole numbers, so that products of matrices give every digit of the sums."""
    rng = np.random.default_rng(2)
    votes = as_votes(rng.integers(-1, 3, size=(50, 6)), 3)
    weight, metrics = votes.multiplicity.astype(float), choose_metrics(votes.labels)
    few = round_robin(votes, weight, metrics)
    monkeypatch.setattr("headcount.blind_evaluation.metrics.MANY_CELLS", 1)
    np.testing.assert_array_equal(round_robin(votes, weight, metrics), few)


@given(case=vote_tables(missing=False))
def test_sampling_is_round_robin_and_oneself(case: Case):
    """On complete data: 1 / K + (K - 1) / K round robin, for accuracy, and for precision of those
    that give the label."""
    table, n_labels = case
    votes = as_votes(table, n_labels)
    metrics = choose_metrics(votes.labels, names=["accuracy", "precision"], positive="1")
    weight = votes.multiplicity.astype(float)
    robin = round_robin(votes, weight, metrics)
    sampling = metrics.scores(tables(votes, vote_shares(votes), weight)).T
    k = table.shape[1]
    np.testing.assert_allclose(sampling, 1 / k + (k - 1) / k * robin, atol=1e-12)


def test_literal_draws_meet_the_closed_form():
    rng = np.random.default_rng(3)
    truth = rng.integers(0, 2, size=300)
    table = np.where(rng.random((300, 6)) < 0.75, truth[:, None], 1 - truth[:, None])
    votes = as_votes(table, 2)
    metrics = choose_metrics(votes.labels)
    closed = metrics.scores(tables(votes, vote_shares(votes), votes.multiplicity.astype(float))).T
    drawn = study("blind_comparison").sampled_scores(votes, metrics, draws=400, rng=rng)
    # One draw varies by about .03; the mean of 400 by .0015. Recall's closed form is off by less
    # than 1 / 300.
    np.testing.assert_allclose(drawn, closed, atol=0.008)


def test_leave_group_out_by_hand():
    # c0 and c1 are one group (weight 1/2 each), c2 and c3 groups of their own.
    table = np.array([[1, 1, 0, 0], [1, 0, 1, 0], [1, 1, -1, -1]])
    votes = as_votes(table, 2, groups={"c0": "g", "c1": "g"})
    truth = leave_group_out(votes)
    item = np.argsort(votes.row_of)  # of each row
    by_vote = {
        (int(item[r]), int(k)): q.tolist()
        for r, k, q in zip(votes.row, votes.classifier, truth, strict=True)
    }
    assert by_vote[0, 0] == [1, 0]  # c2 and c3 say 0
    assert by_vote[0, 2] == [0.5, 0.5]  # the group says 1 with weight 1, c3 says 0
    assert by_vote[1, 0] == [0.5, 0.5]
    assert by_vote[1, 2] == [1, 0]  # the group is split, c3 says 0
    assert by_vote[2, 0] == [0, 0]  # nobody else voted


def test_leave_group_out_of_single_groups_is_leave_one_out():
    table = np.random.default_rng(0).integers(-1, 3, size=(30, 5))
    table[table.max(axis=1) < 0, 0] = 0
    plain = as_votes(table, 3)
    alone = as_votes(table, 3, groups={f"c{k}": f"g{k}" for k in range(5)})
    np.testing.assert_allclose(leave_group_out(alone), leave_one_out(plain))


def test_metrics_equal_scikit_learns():
    rng = np.random.default_rng(1)
    true, said = rng.integers(0, 3, size=(2, 200))
    weight = rng.random(200)
    table = np.zeros((3, 3))
    np.add.at(table, (true, said), weight)
    found = choose_metrics(["0", "1", "2"], names=["precision", "recall", "f1"]).scores(table)
    expected = [
        score(true, said, average="macro", sample_weight=weight)
        for score in (precision_score, recall_score, f1_score)
    ]
    np.testing.assert_allclose(found, expected)


def test_metric_without_positive_calls_is_undefined():
    metrics = choose_metrics(["no", "yes"])
    found = dict(zip(METRICS, metrics.scores(np.array([[5.0, 0], [3, 0]])), strict=True))
    assert np.isnan(found["precision"])
    assert found["recall"] == 0
    assert found["f1"] == 0


def test_unknown_names_are_refused():
    with pytest.raises(OptionError, match="did you mean 'recall'"):
        choose_metrics(["a", "b"], names=["recal"])
    with pytest.raises(OptionError, match="unknown positive label 'c'"):
        choose_metrics(["a", "b"], positive="c")


def simulated(items: int = 400, rng: int = 2) -> Votes:
    random = np.random.default_rng(rng)
    truth = random.integers(0, 3, size=items)
    wrong = random.integers(0, 3, size=(items, 5))
    table = np.where(random.random((items, 5)) < [0.9, 0.8, 0.7, 0.6, 0.5], truth[:, None], wrong)
    table[random.random(table.shape) < 0.1] = -1
    table[:, 0] = np.abs(table[:, 0])
    return as_votes(table, 3)


def test_influence_where_a_label_is_never_true():
    """A macro average leaves the label out, and so must the influence."""
    table = np.array([[0, 1], [1, 2], [0, 0], [1, 1], [1, 0]])
    gold = {str(i): str(label) for i, label in enumerate([0, 1, 0, 1, 0])}
    votes = as_votes(table, 3, gold=gold)
    metrics = choose_metrics(votes.labels)
    weight = votes.multiplicity.astype(float)
    truth = np.eye(3)[votes.gold]
    parts = influence(votes, truth, weight, metrics)
    step = 1e-6 * np.eye(len(weight))
    more, less = (metrics.scores(tables(votes, truth, weight + s)) for s in (step, -step))
    for m in range(len(METRICS)):
        slope = (more - less)[:, :, m].T / 2e-6
        np.testing.assert_allclose(parts[m].toarray(), slope, atol=1e-7)


@pytest.mark.parametrize("name", [*TRUTHS, "round-robin"])
def test_influence_is_the_derivative_of_the_scores(name: str):
    """Weight one row a little more: the scores change as the influence says."""
    votes = simulated(60)
    metrics = choose_metrics(votes.labels)
    weight = votes.multiplicity.astype(float)

    def scores(weight: np.ndarray) -> np.ndarray:
        if name == "round-robin":
            return round_robin(votes, weight, metrics)
        return metrics.scores(tables(votes, TRUTHS[name](votes), weight)).T

    if name == "round-robin":
        parts = robin_influence(votes, weight, metrics)
    else:
        parts = influence(votes, TRUTHS[name](votes), weight, metrics)
    step = 1e-6
    for row in range(0, len(weight), 7):
        more, less = weight.copy(), weight.copy()
        more[row] += step
        less[row] -= step
        slope = (scores(more) - scores(less)) / (2 * step)
        claimed = np.stack([np.asarray(z[:, [row]].todense()).ravel() for z in parts])
        np.testing.assert_allclose(claimed, slope, atol=1e-7)


def test_difference_of_accuracies_is_the_paired_t_test():
    rng = np.random.default_rng(5)
    truth = rng.integers(0, 2, size=150)
    table = np.where(rng.random((150, 2)) < [0.8, 0.7], truth[:, None], 1 - truth[:, None])
    votes = as_votes(table, 2, gold={str(i): str(t) for i, t in enumerate(truth)})
    metrics = choose_metrics(votes.labels, names=["accuracy"])
    weight = votes.multiplicity.astype(float)
    gold = np.eye(2)[votes.gold]
    cov = covariance(influence(votes, gold, weight, metrics), weight)[0]
    score = metrics.scores(tables(votes, gold, weight))[:, 0]
    t = (score[0] - score[1]) / np.sqrt(cov[0, 0] + cov[1, 1] - 2 * cov[0, 1])
    right = 1.0 * (table == truth[:, None])
    assert t == pytest.approx(ttest_rel(right[:, 0], right[:, 1]).statistic)


@given(case=vote_tables())
def test_order_of_items_and_names_of_labels_do_not_matter(case: Case):
    table, n_labels = case
    votes, turned = as_votes(table, n_labels), as_votes(table[::-1], n_labels)
    swapped = as_votes(np.where(table < 0, -1, n_labels - 1 - table), n_labels)
    for truth in TRUTHS.values():
        scores = [
            choose_metrics(v.labels, positive=p).scores(tables(v, truth(v), v.multiplicity * 1.0))
            for v, p in ((votes, "0"), (turned, "0"), (swapped, str(n_labels - 1)))
        ]
        np.testing.assert_allclose(scores[1], scores[0], atol=1e-12)
        np.testing.assert_allclose(scores[2], scores[0], atol=1e-12)


def test_majority_shares_ties():
    votes = as_votes(np.array([[0, 1, 2, 2], [0, 0, 1, 1]]), 3)
    assert Counter(map(tuple, majority(votes).tolist())) == {(0, 0, 1): 1, (0.5, 0.5, 0): 1}


# Paired tests, Holm's correction, ranks by them and Copeland's order.


def scored(table: np.ndarray, gold: np.ndarray, metric: str) -> tuple[np.ndarray, np.ndarray]:
    """Scores of complete binary votes and their covariance."""
    votes = collect(as_labels(table, 2), gold={i: str(g) for i, g in enumerate(gold)}, folds=1)
    weight = votes.multiplicity.astype(float)
    truth = np.eye(2)[votes.gold]
    metrics = choose_metrics(votes.labels, names=[metric])
    spread = covariance(influence(votes, truth, weight, metrics), weight)[0]
    return metrics.scores(tables(votes, truth, weight))[:, 0], spread


@given(st.integers(0, 10**6), st.integers(5, 60))
def test_accuracies_have_the_paired_t_test(seed, n):
    rng = np.random.default_rng(seed)
    gold = rng.integers(0, 2, n)
    table = np.where(rng.random((n, 4)) < [0.9, 0.8, 0.6, 0.6], gold[:, None], 1 - gold[:, None])
    scores, spread = scored(table, gold, "accuracy")
    found = paired_tests(scores, spread, n)
    right = (table == gold[:, None]).astype(float)
    for k in range(4):
        for j in range(4):
            difference = right[:, k] - right[:, j]
            if k != j and difference.std() > 0:
                expected = ttest_rel(right[:, k], right[:, j]).pvalue
                # The variance is a difference of sums of about n terms.
                assert found[k, j] == pytest.approx(expected, rel=1e-6)
            elif k != j:
                assert found[k, j] == (1 if difference[0] == 0 else 0)


@pytest.mark.parametrize("metric", ["precision", "recall", "f1"])
def test_other_metrics_have_the_right_size(metric):
    """Two classifiers of the same quality: 5% of tests should reject; of 200, 1.5% to 10%."""
    rng = np.random.default_rng(5)
    rejected = 0
    for _ in range(200):
        gold = (rng.random(300) < 0.4).astype(int)
        table = np.where(rng.random((300, 2)) < 0.8, gold[:, None], 1 - gold[:, None])
        scores, spread = scored(table, gold, metric)
        rejected += paired_tests(scores, spread, 300)[0, 1] < 0.05
    assert 3 <= rejected <= 20


p_values = st.lists(st.one_of(st.floats(0, 1), st.just(0.0), st.just(float("nan"))), max_size=12)


@given(p_values)
def test_holm_by_its_definition(values):
    """Go up the p-values; each is multiplied by how many are left, and none falls again."""
    found = holm(np.array(values))
    left = [(p, i) for i, p in enumerate(values) if not np.isnan(p)]
    most = 0.0
    for step, (p, i) in enumerate(sorted(left)):
        most = max(most, min(1.0, p * (len(left) - step)))
        assert found[i] == pytest.approx(most, rel=1e-12)
    assert np.isnan(found).sum() == len(values) - len(left)


def test_holm_is_that_of_statsmodels():
    p = np.random.default_rng(0).random(40) ** 4
    np.testing.assert_allclose(holm(p), multipletests(p, method="holm")[1], rtol=1e-12)


def test_the_example_of_the_paper():
    """A beats C, and B ties with both: one win, two ties, one defeat (Section 4.3)."""
    found = rank(np.array([0.9, 0.8, 0.7]), np.eye(3) * 0.003, 1000)
    assert (found.adjusted < 0.05).tolist() == [
        [False, False, True],
        [False, False, False],
        [True, False, False],
    ]
    assert found.wins.tolist() == [1, 0, 0]
    assert found.defeats.tolist() == [0, 0, 1]
    assert found.rank.tolist() == [1, 1, 2]  # nobody is significantly better than b
    assert study("blind_comparison")._stacked([found]).tolist() == [[1, 2, 3]]


def test_ties_share_the_best_place():
    # Two far ahead of two others, within each of which nothing is significant.
    found = rank(np.array([0.5, 0.9, 0.501, 0.901]), np.eye(4) * 1e-4, 1000)
    assert found.rank.tolist() == [3, 1, 3, 1]
    copeland = study("blind_comparison").copeland
    assert copeland(np.array([2.0, 2, 0, -1, -1, -2])).tolist() == [1, 1, 3, 4, 4, 6]


def test_without_variance_scores_are_taken_at_their_word():
    found = rank(np.array([0.7, 0.7, 0.6]), np.full((3, 3), 0.01), 50)
    assert found.p_value[0, 1] == 1
    assert found.p_value[0, 2] == 0
    assert found.rank.tolist() == [1, 1, 3]


def test_no_score_no_rank():
    spread = np.eye(3) * 1e-6
    found = rank(np.array([0.2, np.nan, 0.8]), spread, 100)
    np.testing.assert_array_equal(found.rank, [2, np.nan, 1])
    assert np.isnan(found.adjusted[1]).all()
    # One test only, so that nothing is to correct.
    assert found.adjusted[0, 2] == found.p_value[0, 2]


@given(st.integers(0, 10**6), st.permutations(range(5)))
def test_order_of_classifiers_does_not_matter(seed, order):
    rng = np.random.default_rng(seed)
    scores, root = rng.random(5), rng.normal(size=(5, 5)) / 10
    spread = root @ root.T
    found = rank(scores, spread, 40, level=0.7)
    turned = rank(scores[order], spread[np.ix_(order, order)], 40, level=0.7)
    np.testing.assert_array_equal(turned.rank, found.rank[order])
    # Wins and defeats are two sides of the same pairs.
    assert found.wins.sum() == found.defeats.sum()


@given(st.integers(0, 10**6), st.sampled_from([0.5, 0.9, 0.95, 0.999]), st.integers(2, 60))
def test_what_is_significant_is_what_holm_says(seed, level, n):
    """Ranks, wins and defeats go by the corrected p-values."""
    rng = np.random.default_rng(seed)
    size = int(rng.integers(2, 25))
    scores, root = rng.random(size).round(2), rng.normal(size=(size, size)) / 10
    scores[rng.random(size) < 0.1] = np.nan
    spread = root @ root.T * rng.choice([0.001, 0.1, 1])
    items = rng.integers(1, n + 2, size) if seed % 2 else n
    found = rank(scores, spread, np.maximum(items, 2), level=level)
    better = (found.adjusted <= round(1 - level, 12)) & (scores[:, None] > scores)
    assert found.defeats.tolist() == better.sum(axis=0).tolist()
    assert found.wins.tolist() == better.sum(axis=1).tolist()


def test_bad_options():
    with pytest.raises(OptionError, match="level"):
        rank(np.array([0.5, 0.6]), np.eye(2), 10, level=95)
    with pytest.raises(DataError, match="2 items"):
        rank(np.array([0.5, 0.6]), np.eye(2), 1)

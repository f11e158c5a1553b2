"""Models of the true labels: slow twins, invariants, real crowds, and what workers are worth."""

from __future__ import annotations

import math
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings

from headcount import read_truth, read_votes
from headcount.blind_evaluation import truth_models as passes
from headcount.blind_evaluation.methods import METHODS, Consensus
from headcount.blind_evaluation.metrics import choose_metrics
from headcount.blind_evaluation.scoring import Settings, Task
from headcount.blind_evaluation.truth_models import easy_hard, one_coin, shrunk, strength
from headcount.blind_evaluation.votes import Votes, collect, majority, vote_shares
from headcount.results.notes import Notes
from tests.blind_evaluation.cases import as_votes, vote_tables
from tests.blind_evaluation.naive import beta_binomial, naive_easy_hard, naive_one_coin

MODELS = {"one coin": (one_coin, naive_one_coin), "easy/hard": (easy_hard, naive_easy_hard)}
PASSES = 4


def task_of(votes: Votes, *metrics: str) -> Task:
    return Task(
        votes=votes,
        metrics=choose_metrics(votes.labels, names=metrics or ["accuracy"]),
        settings=Settings(smoothing=0.5),
        notes=Notes(),
    )


@pytest.mark.parametrize("model", MODELS)
@settings(max_examples=40, deadline=None)
@given(case=vote_tables())
def test_patterns_give_what_items_give(model, case):
    """The same numbers after some passes, from rows of votes and item by item in loops."""
    table, size = case
    fast, slow = MODELS[model]
    votes = as_votes(table, size)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(passes, "MOST_PASSES", PASSES)
        patch.setattr(passes, "STEADY", -1.0)
        found = fast(task_of(votes).blocks, vote_shares)(votes)
    # Sums of logarithms in another order.
    assert found[votes.row_of] == pytest.approx(slow(table, size, PASSES), abs=1e-9)


@given(case=vote_tables())
def test_strength_by_gamma_functions(case):
    table, _ = case
    number = (table >= 0).sum(axis=0).astype(float) + 1
    hits = number * np.linspace(0.3, 1, len(number))
    assert strength(hits, number) == pytest.approx(beta_binomial(hits.tolist(), number.tolist()))


@pytest.mark.parametrize("name", ["one-coin", "easy-hard", "consensus"])
def test_order_of_rows_names_of_labels_and_doubled_items(name):
    rng = np.random.default_rng(3)
    truth = rng.integers(0, 3, 80)
    table = np.where(rng.random((80, 6)) < 0.7, truth[:, None], rng.integers(0, 3, (80, 6)))
    table[rng.random(table.shape) < 0.3] = -1
    table[(table < 0).all(axis=1), 0] = 0
    model = METHODS[name]

    def truth_of(one: np.ndarray) -> np.ndarray:
        votes = as_votes(one, 3)
        return model.truth_of(task_of(votes))(votes)[votes.row_of]  # pyright: ignore

    found = truth_of(table)
    order = rng.permutation(80)
    # Passes stop where no probability changes by 1e-4, so that this is what is left open.
    assert truth_of(table[order]) == pytest.approx(found[order], abs=1e-3)
    assert truth_of(table[:, ::-1]) == pytest.approx(found, abs=1e-3)
    renamed = np.where(table < 0, -1, (table + 1) % 3)
    assert truth_of(renamed)[:, [1, 2, 0]] == pytest.approx(found, abs=1e-3)
    assert found.sum(axis=1) == pytest.approx(1)


def test_the_start_is_left_alone():
    votes = as_votes(np.array([[0, 1, 1], [1, 1, 0], [0, 0, 0]]), 2)
    start = vote_shares(votes)
    before = start.copy()
    one_coin(task_of(votes).blocks, lambda _: start)
    assert (start == before).all()


def test_five_right_labels_are_not_certain():
    """A worker with five labels lies between what the crowd is like and what the labels say."""
    rng = np.random.default_rng(1)
    truth = rng.integers(0, 2, 200)
    right = np.linspace(0.6, 0.95, 12)
    table = np.where(rng.random((200, 12)) < right, truth[:, None], 1 - truth[:, None])
    few = np.full(200, -1)
    few[:5] = truth[:5]
    votes = as_votes(np.column_stack([table, few]), 2)
    scored = Consensus().score(task_of(votes)).scored
    mine = scored.scores[0, -1]
    assert 0.8 < mine < 0.95
    assert scored.sizes is not None
    low, high = choose_metrics("01").interval(0, mine, scored.sizes.effective[0, -1], 0.95)
    assert low < 0.75
    assert mine < high < 1


def test_shrinking_by_hand():
    """k labels of the mean table are added; the accuracy is (h + k mu) / (n + k).

    1 / k is its mean over the powers of 2, by how likely they make 90 and 60 hits of 100.
    """
    one = np.array([[45.0, 5], [5, 45]])
    two = np.array([[30.0, 20], [20, 30]])
    tables = np.stack([one, two])
    mu, likelihood = 150.5 / 201, {}
    for power in range(11):
        a, b = 2**power * mu, 2**power * (1 - mu)
        likelihood[2**power] = math.exp(
            sum(
                math.lgamma(hits + a) + math.lgamma(100 - hits + b) - math.lgamma(100 + a + b)
                for hits in (90, 60)
            )
            - 2 * (math.lgamma(a) + math.lgamma(b) - math.lgamma(a + b))
        )
    k = sum(likelihood.values()) / sum(p / strength for strength, p in likelihood.items())
    found = shrunk(tables, tables)
    accuracy = np.einsum("kii->k", found) / found.sum(axis=(1, 2))
    assert accuracy == pytest.approx([(90 + 0.75 * k) / (100 + k), (60 + 0.75 * k) / (100 + k)])


def test_a_group_has_one_vote():
    """Three copies against two others: without groups they are the truth."""
    rng = np.random.default_rng(2)
    truth = rng.integers(0, 2, 300)
    said = np.where(
        rng.random((300, 4)) < [0.7, 0.9, 0.85, 0.85], truth[:, None], 1 - truth[:, None]
    )
    table = np.column_stack([said[:, :1], said[:, :1], said[:, :1], said])
    groups = dict.fromkeys(("c0", "c1", "c2", "c3"), "copies")
    right = []
    for given_groups in (None, groups):
        votes = as_votes(table, 2, groups=given_groups)
        found = Consensus().truth_of(task_of(votes))(votes)[votes.row_of]
        right.append(np.mean(found.argmax(axis=1) == truth))
    assert right[0] < 0.75
    assert right[1] > 0.88


CROWDS = ("bluebirds", "rte", "sentiment", "crowd/face", "crowd/SP_amt", "crowd/dog", "crowd/CF",
          "crowd/ZenIn", "crowd/product")  # fmt: skip


@pytest.mark.parametrize("name", CROWDS)
def test_never_far_below_the_majority(data_folder: Path, name):
    home = data_folder / "blind" / name
    labels = read_votes(home / "label.csv", duplicates="all")
    truth = read_truth(home / "truth.csv")
    votes = collect(labels, gold={item: label for item, label in truth.items() if
                                  label in labels.scale.labels}, folds=1)  # fmt: skip
    weight = votes.multiplicity * (votes.gold >= 0)

    def right(truth: np.ndarray) -> float:
        best = truth >= truth.max(axis=1, keepdims=True) - 1e-9
        hit = best[np.arange(len(best)), votes.gold] / best.sum(axis=1)
        return float(weight @ hit / weight.sum())

    assert right(Consensus().truth_of(task_of(votes))(votes)) > right(majority(votes)) - 0.02

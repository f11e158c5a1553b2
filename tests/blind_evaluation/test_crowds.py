"""Crowds that are gone over in blocks get the scores that they would get at once."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from headcount import OptionError, blind, consensus
from headcount.blind_evaluation import prepare
from headcount.blind_evaluation import votes as crowd
from headcount.blind_evaluation.dawid_skene import Climbing, Model, climb
from headcount.blind_evaluation.scoring import crowd_tables, tables
from headcount.blind_evaluation.truth_models import easy_hard, one_coin
from headcount.blind_evaluation.votes import Blocks, Votes, crowd_blocks, leave_one_out, vote_shares
from headcount.data.labels import Labels
from tests.blind_evaluation.cases import as_labels, as_votes, vote_tables

SHOWN = ["majority", "sampling", "leave-one-out", "em", "one-coin", "easy-hard", "consensus"]


def small(votes: Votes, size: int) -> Blocks:
    """Cut votes into blocks of some votes each."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(crowd, "MOST_IN_BLOCK", size)
        return crowd_blocks(votes)


@given(vote_tables(), st.integers(1, 9))
def test_blocks_hold_every_vote_once(case: tuple[np.ndarray, int], size: int):
    votes = as_votes(*case)
    blocks = small(votes, size)
    whole = Blocks.of(votes, votes.multiplicity.astype(float))
    assert crowd_tables(blocks, leave_one_out) == pytest.approx(
        tables(votes, leave_one_out(votes), whole.pairs[0][1])  # pyright: ignore
    )
    for part, weight in blocks:
        assert len(part.label) <= size or len(weight) == 1
        assert part.start[0] == 0
        assert part.start[-1] == len(part.label) == len(part.classifier)


@given(vote_tables(), st.integers(1, 9))
def test_em_is_the_same_in_blocks(case: tuple[np.ndarray, int], size: int):
    votes = as_votes(*case)
    blocks = small(votes, size)
    power = np.linspace(0.5, 1, len(votes.classifiers))
    whole = Model(Blocks.of(votes, votes.multiplicity.astype(float)), power, 0.5)
    parts = Model(blocks, power, 0.5)
    assert parts.items == whole.items
    one, other = whole.vote_shares(), parts.vote_shares()
    assert other.confusion == pytest.approx(one.confusion)
    for _ in range(3):
        step, again = whole.step(one), parts.step(one)
        assert again.objective == pytest.approx(step.objective)
        assert again.count == pytest.approx(step.count, abs=1e-12)
        one = step.after
    best, found = climb(whole, Climbing()), climb(parts, Climbing())
    assert found.step.log_likelihood == pytest.approx(best.step.log_likelihood)


@given(vote_tables(), st.integers(1, 9))
def test_models_are_the_same_in_blocks(case: tuple[np.ndarray, int], size: int):
    votes = as_votes(*case)
    whole = Blocks.of(votes, votes.multiplicity.astype(float))
    for fit in (one_coin, easy_hard):
        one, other = fit(whole, vote_shares), fit(small(votes, size), vote_shares)
        # Sums over blocks round otherwise, and passes stop where nothing changes by 1e-4.
        assert other(votes) == pytest.approx(one(votes), abs=1e-3)


def crowd_of(rng: np.random.Generator, *, labels: int = 3) -> Labels:
    """Make 150 items with labels by 4 of 9 workers."""
    truth = rng.integers(0, labels, 150)
    right = np.linspace(0.5, 0.95, 9)
    table = np.where(
        rng.random((150, 9)) < right, truth[:, None], rng.integers(0, labels, (150, 9))
    )
    table[rng.random(table.shape) < 0.5] = -1
    table[(table < 0).all(axis=1), 0] = 0
    return as_labels(table, labels)


@pytest.fixture
def large(monkeypatch: pytest.MonkeyPatch) -> None:
    """Take every crowd for a large one, in blocks of few votes."""
    monkeypatch.setattr(prepare, "MOST_PAIRED", 0)
    monkeypatch.setattr(prepare, "FEWEST", 2)
    monkeypatch.setattr(crowd, "MOST_IN_BLOCK", 40)


@pytest.mark.parametrize("method", ["consensus", "one-coin", "easy-hard", "em", "majority"])
@pytest.mark.parametrize("gold", [None, {k: str(k % 3) for k in range(60)}])
def test_labels_and_workers_are_those_of_all_votes_at_once(
    method: str, gold: Any, request: pytest.FixtureRequest
):
    labels = crowd_of(np.random.default_rng(4))
    whole = consensus(labels, method=method, gold=gold)
    request.getfixturevalue("large")
    found = consensus(labels, method=method, gold=gold)
    columns, wanted = found.columns(), whole.columns()
    assert columns["label"] == wanted["label"]
    assert columns["probability:0"] == pytest.approx(wanted["probability:0"], abs=1e-3)
    for one, other in zip(found.workers, whole.workers, strict=True):
        assert (one.name, one.labelled) == (other.name, other.labelled)
        assert one.accuracy.value == pytest.approx(other.accuracy.value, abs=1e-3)


@pytest.mark.usefixtures("large")
def test_what_needs_every_two_is_refused():
    labels = crowd_of(np.random.default_rng(4))
    with pytest.raises(OptionError, match="9 classifiers with 3 labels are too many to compare"):
        blind(labels)
    with pytest.raises(OptionError, match="9 classifiers are gone over in passes, without groups"):
        consensus(labels, group_pattern="c[012]|c.")


def test_few_classifiers_are_no_crowd(monkeypatch: pytest.MonkeyPatch):
    """Of few, what they have in common is looked at, however many labels there are."""
    labels = crowd_of(np.random.default_rng(4))
    monkeypatch.setattr(prepare, "MOST_PAIRED", 26)
    assert len(blind(labels, bootstrap=0).classifiers) == 9
    monkeypatch.setattr(prepare, "FEWEST", 9)
    with pytest.raises(OptionError, match="too many to compare every two"):
        blind(labels, bootstrap=0)
    monkeypatch.setattr(prepare, "MOST_PAIRED", 27)
    assert len(blind(labels, bootstrap=0).classifiers) == 9


@pytest.mark.usefixtures("large")
def test_classifiers_without_labels_are_left_out():
    labels = crowd_of(np.random.default_rng(4))
    only = np.where(labels.rater == 3, 0, np.maximum(labels.label, 1))
    found = consensus(replace(labels, label=only), abstain="0")
    assert "c3" not in [each.name for each in found.workers]
    assert any("1 classifier without any label left out" in note for note in found.notes)


def test_nobody_shares_an_item():
    """Where no item has two labels, nothing tells how good anybody is, and words say so."""
    table = np.full((60, 6), -1)
    table[np.arange(60), np.arange(60) % 6] = np.arange(60) % 2
    found = consensus(as_labels(table, 2))
    assert any("0 items only have labels of two workers" in note for note in found.notes)
    assert "warning: 0 items have two labels or more" in str(found)

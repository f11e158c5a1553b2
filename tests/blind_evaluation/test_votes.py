from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given

from headcount.blind_evaluation.votes import collect
from headcount.data.labels import Labels
from headcount.errors import DataError
from tests.blind_evaluation.cases import as_labels, as_votes, vote_tables


@given(vote_tables())
def test_rows_hold_every_item_exactly_once(case: tuple[np.ndarray, int]):
    table, n_labels = case
    votes = as_votes(table, n_labels)
    assert votes.multiplicity.sum() == len(table)
    seen: list[tuple[int, ...]] = []
    for r in range(len(votes.multiplicity)):
        row = np.full(table.shape[1], -1)
        mine = slice(votes.start[r], votes.start[r + 1])
        row[votes.classifier[mine]] = votes.label[mine]
        seen.append(tuple(row))
        assert votes.multiplicity[r] == np.all(table == row, axis=1).sum()
    assert len(set(seen)) == len(seen)
    assert [seen[r] for r in votes.row_of] == [tuple(row) for row in table]


def test_gold_and_folds_keep_items_apart():
    table = np.zeros((40, 3), dtype=int)
    gold = {str(i): str(i % 2) for i in range(20)}
    votes = as_votes(table, 2, gold=gold)
    # Two gold labels in five folds, and the 20 items without gold.
    assert len(votes.multiplicity) == 11
    assert votes.multiplicity[votes.gold < 0].tolist() == [20]
    for fold in range(5):
        assert votes.multiplicity[votes.fold == fold].sum() == 4
    assert votes.multiplicity[votes.gold == 1].sum() == 10


def test_groups_and_their_weights():
    votes = as_votes(np.zeros((1, 4), dtype=int), 2, groups={"c0": "x", "c2": "x"})
    assert votes.groups == ("x", "c1", "c3")
    assert votes.group.tolist() == [0, 1, 0, 2]
    assert votes.group_weight.tolist() == [0.5, 1, 0.5, 1]


def test_repeated_votes_count_each():
    labels = Labels.from_triples([1, 1, 1], ["a", "a", "b"], ["x", "x", "y"], duplicates="all")
    assert collect(labels).counts().tolist() == [[2, 1]]
    assert "each counts as a vote of its own" in labels.notes[0]


def test_items_without_votes_have_no_row():
    labels = as_labels(np.array([[0, 1], [-1, -1], [1, 1]]), 2)
    votes = collect(labels)
    assert votes.row_of.tolist() == [0, -1, 1]
    assert votes.items == 2


def test_gold_of_other_items_is_refused():
    with pytest.raises(DataError, match="none of the 1 item with gold is among the items"):
        as_votes(np.zeros((2, 2), dtype=int), 2, gold={"elsewhere": "1"})

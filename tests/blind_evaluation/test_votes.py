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


@given(vote_tables())
def test_rows_are_sorted_whatever_order_items_come_in(case: tuple[np.ndarray, int]):
    table, n_labels = case
    votes, turned = as_votes(table, n_labels), as_votes(table[::-1], n_labels)
    rows = [
        list(
            zip(
                votes.classifier[votes.start[r] : votes.start[r + 1]].tolist(),
                votes.label[votes.start[r] : votes.start[r + 1]].tolist(),
                strict=True,
            )
        )
        for r in range(len(votes.multiplicity))
    ]
    assert rows == sorted(rows)
    for part in ("start", "classifier", "label", "multiplicity"):
        assert getattr(votes, part).tolist() == getattr(turned, part).tolist()
    assert votes.row_of.tolist() == turned.row_of[::-1].tolist()


def test_long_rows_that_begin_alike_are_sorted():
    """More votes than fit into one number."""
    table = np.zeros((6, 90), dtype=int)
    table[[0, 2, 4], 89] = [3, 1, 2]
    table[1, 45] = 1
    table[3, 70] = -1
    found = as_votes(table, 4)
    expected = sorted(range(6), key=lambda i: [(k, x) for k, x in enumerate(table[i]) if x >= 0])
    assert found.row_of[expected].tolist() == list(range(6))


def test_folds_go_by_item_and_seed():
    table = np.arange(60).reshape(30, 2) % 3
    gold = {str(i): str(i % 3) for i in range(30)}
    votes, other = as_votes(table, 3, gold=gold, seed=1), as_votes(table, 3, gold=gold, seed=2)
    turned = as_votes(table[::-1], 3, gold=gold, seed=1)
    assert votes.fold[votes.row_of].tolist() != other.fold[other.row_of].tolist()
    # Items keep their names, 0 to 29, which here go to other votes.
    assert votes.fold[votes.row_of].tolist() == turned.fold[turned.row_of].tolist()

"""Items placed among rated ones step by step."""

from __future__ import annotations

import json

import numpy as np
import pytest

from headcount.data.comparisons import Comparisons
from headcount.errors import DataError, OptionError
from headcount.pairwise.anchoring.anchors import AnchorSearch
from headcount.pairwise.anchoring.search.anchor_items import anchor_items
from headcount.pairwise.anchoring.search.state import AnchoringState


def rated(names, number, seed, shift=0.0):
    rng = np.random.default_rng(seed)
    theta = {name: shift + z for name, z in zip(names, rng.normal(size=len(names)), strict=True)}
    left, right = rng.choice(names, number), rng.choice(names, number)
    keep = left != right
    left, right = left[keep], right[keep]
    return theta, Comparisons.from_columns(left, right, won(theta, left, right, rng))


def won(theta, left, right, rng):
    gap = np.array([theta[a] - theta[b] for a, b in zip(left, right, strict=True)])
    return (rng.random(len(gap)) < 1 / (1 + np.exp(-2 * gap))).astype(float)


def test_a_search_finds_how_far_a_population_lies_from_another():
    anchors, bench = rated([f"b{k}" for k in range(30)], 900, 1)
    others, base = rated([f"m{k}" for k in range(30)], 900, 2, shift=0.7)
    theta, rng = anchors | others, np.random.default_rng(3)
    found = anchor_items(bench, average_of=base, number=20)
    for _ in range(20):
        if found.done:
            break
        answers = Comparisons.from_columns(
            found.left, found.right, won(theta, found.left, found.right, rng)
        )
        # Through JSON and back, as from one command to the next.
        state = json.loads(json.dumps(found.state.to_dict()))
        found = anchor_items(state=state, answers=answers, number=20)
    assert found.done
    assert str(found).startswith("Done: 5 items placed among 30 anchors")
    placed = [2 * theta[each.item] - 2 * np.mean(list(anchors.values())) for each in found.items]
    # Five items with standard errors of .5 logits each, and those of the anchors.
    assert found.average.value == pytest.approx(float(np.mean(placed)), abs=0.9)
    labels = found.labels()
    assert {"above", "below"} == set(labels["label"])
    above = np.array(labels["probability"]) >= 0.5
    assert (above == (np.array(labels["rating"]) >= found.average.value)).all()


def test_answers_count_once_whether_files_grow_or_not():
    _, bench = rated(list("abcdef"), 80, 1)
    first = anchor_items(bench, items=["x"], number=2)
    one = Comparisons.from_columns(["x", "b"], ["a", "x"], [1, 0.5])
    more = Comparisons.from_columns(["x", "b", "c"], ["a", "x", "x"], [1, 0.5, 1])
    state = anchor_items(state=first.state, answers=one).state
    assert sorted(state.answers) == [("x", "a", 1.0), ("x", "b", 0.5)]
    assert anchor_items(state=state, answers=one).state == state
    grown = anchor_items(state=state, answers=more).state
    alone = anchor_items(state=state, answers=Comparisons.from_columns(["c"], ["x"], [1])).state
    assert grown == alone
    assert len(grown.answers) == 3
    search, n = grown.search("x")
    slow = AnchorSearch.among(
        search.anchors, np.array(grown.rating), np.array(grown.standard_error),
        width=2.0, most=30, level=0.95,
    )  # fmt: skip
    for _, anchor, share in reversed(grown.answers):
        slow.answer(anchor, share)
    assert n == 3
    assert slow.rating.value == pytest.approx(search.rating.value)


def test_what_cannot_be_done_is_said():
    _, bench = rated(list("abcdef"), 80, 1)
    first = anchor_items(bench, items=["x"])
    for options, message in (
        ({}, "comparisons of the items to place others among"),
        ({"anchors": bench}, "give either items to place"),
        ({"anchors": bench, "items": ["x"], "average_of": bench}, "give either items to place"),
        ({"anchors": bench, "state": first.state}, "state holds the anchors and the items"),
    ):
        with pytest.raises(OptionError, match=message):
            anchor_items(**options)
    with pytest.raises(DataError, match="among the anchors already"):
        anchor_items(bench, items=["a"])
    with pytest.raises(DataError, match="no answer compares an item that is sought"):
        anchor_items(state=first.state, answers=bench)
    with pytest.raises(DataError, match="no such file"):
        AnchoringState.read("no/state.json")
    with pytest.raises(DataError, match="parts of the state are missing"):
        AnchoringState.read({"kind": "headcount anchoring"})

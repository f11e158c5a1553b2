"""Counts of equal answers give what the answers give one by one."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from headcount import Comparisons, DataError, OptionError, find_spammers, pairs
from headcount.data.reduced import counted
from headcount.pairwise.result import PairsResult


def answers(
    seed: int, n: int = 400, *, items: int = 6, raters: int | None = None, ties: bool = True
) -> Comparisons:
    rng = np.random.default_rng(seed)
    worth = rng.normal(size=items)
    left = rng.integers(0, items, n)
    right = (left + rng.integers(1, items, n)) % items
    odds = rng.logistic(size=n) + worth[left] - worth[right] + 0.3
    outcome = np.where(odds > 0, 1.0, 0.0)
    if ties:
        outcome[np.abs(odds) < 0.4] = 0.5
    who = None if raters is None else [f"r{one}" for one in rng.integers(0, raters, n)]
    return Comparisons.from_columns(left, right, outcome, rater=who)


def check(a: PairsResult, b: PairsResult, names: tuple[str, ...] = ("items", "fit")) -> None:
    one, two = a.to_dict(), b.to_dict()
    for name in (*names, "agreement", "data", "notes", "cautions", "warnings"):
        close(one[name], two[name], name)


def close(x: Any, y: Any, where: str) -> None:
    if isinstance(x, dict):
        assert x.keys() == y.keys(), where
        for key in x:
            close(x[key], y[key], f"{where}.{key}")
    elif isinstance(x, list):
        assert len(x) == len(y), where
        for number, (p, q) in enumerate(zip(x, y, strict=True)):
            close(p, q, f"{where}[{number}]")
    elif isinstance(x, float) and isinstance(y, float):
        assert x == pytest.approx(y, abs=1e-9, rel=1e-9, nan_ok=True), where
    else:
        assert x == y, where


@settings(max_examples=12, deadline=None)
@given(
    st.integers(0, 10**6),
    st.sampled_from(["half", "davidson", "rao-kupper"]),
    st.booleans(),
    st.sampled_from(["robust", "hessian"]),
)
def test_same_as_single_answers(seed: int, ties: str, position: bool, errors: str) -> None:
    played = answers(seed)
    asked = {"ties": ties, "position": position, "errors": errors}
    check(pairs(played, **asked), pairs(counted(played), **asked))


@settings(max_examples=6, deadline=None)
@given(st.integers(0, 10**6), st.sampled_from(["auto", "rater", "none", "prompt", "rater,prompt"]))
def test_clusters(seed: int, cluster: str) -> None:
    played = answers(seed, raters=8)
    prompt = np.random.default_rng(seed).integers(0, 10, len(played))
    played = replace(played, clusters={"prompt": prompt})
    check(pairs(played, cluster=cluster), pairs(counted(played), cluster=cluster))


def test_more_items_than_are_written_down(monkeypatch: pytest.MonkeyPatch) -> None:
    from headcount.pairwise.bradley_terry.standard_errors import robust

    monkeypatch.setattr(robust, "EXACT", 3)
    for raters, cluster in ((None, "auto"), (8, "rater")):
        played = answers(5, raters=raters)
        check(pairs(played, cluster=cluster), pairs(counted(played), cluster=cluster))


def test_weights_are_not_counts() -> None:
    played = answers(3)
    played = replace(played, weight=np.random.default_rng(1).integers(1, 3, len(played)) / 2)
    check(pairs(played), pairs(counted(played)))
    heavy = replace(counted(played), weight=counted(played).weights, times=None)
    assert pairs(heavy).items[0].rating.low != pairs(played).items[0].rating.low


def test_same_draws() -> None:
    played = answers(7, raters=9)
    asked: dict[str, Any] = {"bootstrap": 40, "rng": 3, "cluster": "none"}
    one, two, three = (
        pairs(each, **asked) for each in (played, counted(played), counted(played, raters=False))
    )
    check(one, two)
    close(one.to_dict()["items"], three.to_dict()["items"], "items")


def test_sides_that_are_left_out() -> None:
    played = answers(2, items=30, n=300)
    check(pairs(played, min_comparisons=14), pairs(counted(played), min_comparisons=14))


def test_what_needs_single_answers() -> None:
    played = counted(answers(1, raters=8))
    for name, value in (("by_rater", True), ("reliability", True), ("method", "elo")):
        with pytest.raises((OptionError, DataError), match="one by one"):
            pairs(played, **{name: value})
    with pytest.raises(DataError, match="added up"):
        find_spammers(played)
    assert repr(played) == repr(answers(1, raters=8))

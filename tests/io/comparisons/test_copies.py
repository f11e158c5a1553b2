"""Rows that stand in a file more than once are noticed and said."""

from __future__ import annotations

import numpy as np
import pytest

from headcount import read_comparisons


def columns(n=60, *, seed=0, **more):
    rng = np.random.default_rng(seed)
    left = rng.integers(0, 6, n)
    return {
        "left": left.tolist(),
        "right": ((left + rng.integers(1, 6, n)) % 6).tolist(),
        "outcome": rng.choice(["left", "right", "tie"], n).tolist(),
        "rater": rng.integers(0, 9, n).tolist(),
    } | more


def said(data):
    return [str(n) for n in read_comparisons(data).notes if "too narrow" in n]


@pytest.mark.parametrize("times", [2, 3])
def test_the_same_file_several_times(times):
    once = columns()
    assert said(once) == []
    again = {name: values * times for name, values in once.items()}
    (note,) = said(again)
    assert f"all {60 * times} rows are the same 60 comparisons {times} times over" in note
    assert read_comparisons(again).notes[-1].severity == "warning"


def test_rows_that_come_again():
    once = columns(prompt=list(range(60)))
    some = {name: [*values, *values[:10]] for name, values in once.items()}
    (note,) = said(some)
    assert "10 of 70 rows are exact copies" in note
    # Other prompts are other questions.
    assert said(some | {"prompt": list(range(70))}) == []
    # A few may be chance, or a question asked again.
    assert said({name: [*values, *values[:3]] for name, values in once.items()}) == []


def test_equal_answers_are_no_copies_where_nothing_else_is_known():
    assert said({"left": ["a"] * 40, "right": ["b"] * 40, "outcome": ["left"] * 40}) == []
    rng = np.random.default_rng(0)
    many = {"left": ["a"] * 400, "right": ["b"] * 400, "outcome": rng.choice([0, 1], 400).tolist()}
    assert said(many) == []


def test_a_file_of_few_items_twice_over_is_noticed(tmp_path):
    rng = np.random.default_rng(0)
    rows = [
        f"{a},{b},{said}"
        for a, b in (rng.choice(4, 2, replace=False) for _ in range(120))
        for said in [rng.choice(["left", "right", "tie"])]
    ]
    path = tmp_path / "few.csv"
    path.write_text("\n".join(["left,right,outcome", *rows, *rows]))
    assert any("same 120 comparisons 2 times over" in note for note in read_comparisons(path).notes)
    path.write_text("\n".join(["left,right,outcome", *rows]))
    assert not any("times over" in note for note in read_comparisons(path).notes)

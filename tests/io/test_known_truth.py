"""A few hundred tables whose truth is known: clean ones are read right without any option."""

from __future__ import annotations

import warnings
from pathlib import Path

import pytest

from headcount.errors import DataError, option
from tests.io.known_truth import (
    DEAD_END,
    MENDED,
    RENDERINGS,
    RIGHT,
    WRONG,
    Case,
    advice,
    alpha,
    judge,
    make_case,
    run,
)

PARTS, CASES = 4, 70
"""Processes may share the work: each part takes some seconds."""


@pytest.fixture(autouse=True)
def _quietly() -> None:
    warnings.simplefilter("ignore")


@pytest.mark.parametrize("part", range(PARTS))
def test_tables_of_known_truth(part: int, tmp_path: Path) -> None:
    numbers = range(part * CASES, (part + 1) * CASES)
    tally = run(numbers, seed=31, folder=tmp_path)
    wrong = [text for text in tally.failures if not text.startswith("DEAD END")]
    assert not wrong, "\n".join(wrong)
    assert tally.share_of_clean(explicit=False) >= 0.9, "\n".join(tally.failures)
    assert tally.number("total", explicit=False) >= CASES


def test_a_case_is_its_number(tmp_path: Path) -> None:
    for number in range(len(RENDERINGS)):
        cases = []
        for name in ("one", "two"):
            folder = tmp_path / name / str(number)
            folder.mkdir(parents=True)
            cases.append(make_case(7, number, folder))
        one, two = cases
        assert (one.truth, one.options, one.flaws) == (two.truth, two.options, two.flaws)
        assert str(one.sheet) == str(two.sheet)
        if isinstance(one.data, Path) and one.data.suffix in (".csv", ".json", ".jsonl"):
            assert one.data.read_bytes() == two.data.read_bytes()
    assert make_case(8, 0, tmp_path).truth != make_case(7, 0, tmp_path).truth


def _case(columns: dict[str, list[object]], truth: list[tuple[str, ...]], **more: object) -> Case:
    case = Case(number=0, rendering="long", data=columns, scale="nominal", labels=("no", "yes"))
    case.truth.update(truth)
    for name, value in more.items():
        setattr(case, name, value)
    return case


LONG = {
    "item": ["a", "a", "b", "b", "c", "c"],
    "rater": ["x", "y"] * 3,
    "label": ["yes", "no", "no", "no", "yes", "yes"],
}
TRIPLES = [
    (str(i), str(r), str(x))
    for i, r, x in zip(LONG["item"], LONG["rater"], LONG["label"], strict=True)
]


def test_what_differs_from_the_truth_is_found() -> None:
    assert judge(_case(LONG, TRIPLES), explicit=False).outcome == RIGHT
    other = [("a", "x", "no"), *TRIPLES[1:]]
    verdict = judge(_case(LONG, other), explicit=False)
    assert verdict.outcome == WRONG
    assert "('a', 'x', 'yes')" in verdict.message
    numbers = {**LONG, "label": [1, 2, 3, 3, 1, 1]}
    triples = [(*one[:2], str(x)) for one, x in zip(TRIPLES, numbers["label"], strict=True)]
    assert judge(_case(numbers, triples, scale="interval"), explicit=False).outcome == RIGHT
    assert judge(_case(numbers, triples, scale="nominal"), explicit=False).message.startswith(
        "alpha"
    )


def test_a_refusal_is_followed_to_the_truth() -> None:
    twice = {name: [*cells, cells[0]] for name, cells in LONG.items()}
    verdict = judge(_case(twice, TRIPLES), explicit=False)
    assert (verdict.outcome, verdict.advice) == (MENDED, {"duplicates": "first"})
    lost = judge(_case(twice, TRIPLES[:3]), explicit=False)
    assert lost.outcome == DEAD_END


def test_advice_is_taken_alone_and_two_at_a_time() -> None:
    refusal = DataError(
        f"say {option('item', 'id')} or {option('label', ...)}; {option('ignore', ['n'])}."
    )
    case = _case(LONG, TRIPLES, options={"label": "rating"})
    ways = list(advice(case, refusal, {"ignore": ["m"]}))
    assert ways[:3] == [
        {"ignore": ["m"], "item": "id"},
        {"ignore": ["m"], "label": "rating"},
        {"ignore": ["m", "n"]},
    ]
    assert {"ignore": ["m"], "item": "id", "label": "rating"} in ways


def test_alpha_of_a_published_table() -> None:
    # Krippendorff (2011), 'Computing Krippendorff's alpha-reliability', section D: four observers,
    # twelve units.
    rows = ("1 2 3 3 2 1 4 1 2 . . .", "1 2 3 3 2 2 4 1 2 5 . 3", ". 3 3 3 2 3 4 2 2 5 1 .",
            "1 2 3 3 2 4 4 1 2 5 1 .")  # fmt: skip
    units = [[x for x in unit if x != "."] for unit in zip(*map(str.split, rows), strict=True)]
    for scale, value in (("nominal", 0.743), ("ordinal", 0.815), ("interval", 0.849)):
        assert alpha(units, scale, tuple("12345")) == pytest.approx(value, abs=5e-4)

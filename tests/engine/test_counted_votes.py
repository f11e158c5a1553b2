"""Votes of items with the same votes, counted together: the same documents."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import duckdb
import numpy as np
import pytest

from headcount import (
    DataError,
    blind,
    next_items,
    read_votes,
    scan_ratings,
)
from headcount.blind_evaluation import prepare
from headcount.data.labels import Labels
from headcount.engine import counts as votes
from headcount.engine.ratings import RatingsScan
from tests.engine.same import differences

GOLD = {f"i{n}": str(n % 3 + 1) for n in range(0, 300, 7)}
CROWD = {f"i{n}": str(n % 3 + 1) for n in range(3, 300, 5)}
QUICK_METHODS = ["leave-one-out", "em", "consensus", "naive-bayes", "direct", "ppi"]
"""Methods without those of scikit-learn, which take seconds."""


@pytest.fixture(scope="module")
def path(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Votes of 6 classifiers on 300 items, not in order; some blank, f a copy of e."""
    rng = np.random.default_rng(3)
    rows = list[str]()
    for item in range(300):
        said = [
            item % 3 + 1 if rng.random() < right else rng.integers(1, 4)
            for right in (0.9, 0.8, 0.7, 0.6, 0.6)
        ]
        rows += [
            f"i{item},{who},{label if item and rng.random() < 0.9 else ''}"
            for who, label in zip("abcd", said, strict=False)
        ]
        rows += [f"i{item},{who},{said[4] if item % 5 else ''}" for who in "ef"]
    rng.shuffle(rows)
    made = tmp_path_factory.mktemp("votes") / "votes.csv"
    made.write_text("\n".join(["item,model,label", *rows]) + "\n")
    return made


@pytest.fixture
def counted(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Let no votes be pulled one by one, and check that none were."""
    monkeypatch.setattr(votes, "BYTES_A_VOTE", 10**9)
    seen = list[Labels]()
    pull = prepare.bring_votes

    def pulled(*given: Any, **asked: Any) -> Any:
        found = pull(*given, **asked)
        if isinstance(given[0], RatingsScan):
            seen.append(found)
        return found

    monkeypatch.setattr(prepare, "bring_votes", pulled)
    yield
    assert not any(isinstance(one, Labels) and not one.reduced for one in seen)


def both(path: Path, scan: dict[str, Any] | None = None, **asked: Any) -> list[str]:
    """List where votes in memory and votes that are counted differ."""
    scan = {"memory": "512MB"} | (scan or {})
    kept = {name: scan[name] for name in ("duplicates",) if name in scan}
    asked = {"bootstrap": 5} | asked
    one = blind(read_votes(str(path), **kept) if kept else str(path), **asked).to_dict()
    return differences(one, blind(scan_ratings(str(path), **scan), **asked).to_dict())


@pytest.mark.usefixtures("counted")
@pytest.mark.parametrize(
    "asked",
    [
        {},
        {"seed": 4},
        {"gold": GOLD},
        {"gold": GOLD, "crowd": CROWD, "methods": QUICK_METHODS},
        {"gold": {"i1": "4", **GOLD}, "methods": QUICK_METHODS},
        {"gold": GOLD, "at_least": 2, "methods": QUICK_METHODS},
        {"abstain": "3"},
        {"group_pattern": "[ab]|."},
        {"methods": ["em", "sampling"], "bootstrap": 0},
    ],
)
def test_counted_rows_give_the_same_document(path: Path, asked: dict[str, Any]) -> None:
    assert not both(path, **asked)


@pytest.mark.usefixtures("counted")
def test_copies_are_found(path: Path) -> None:
    found = blind(scan_ratings(str(path)), bootstrap=0)
    assert any("'e', 'f' never differ (240 items)" in note for note in found.notes)


@pytest.mark.usefixtures("counted")
def test_probabilities_of_gold(path: Path, tmp_path: Path) -> None:
    gold = tmp_path / "gold.csv"
    rows = [f"{item},{label},{0.2 + 0.5 * (n % 2)}" for n, (item, label) in enumerate(GOLD.items())]
    gold.write_text("\n".join(["item,label,probability", *rows]) + "\n")
    assert not both(path, gold=str(gold), methods=QUICK_METHODS)


@pytest.mark.usefixtures("counted")
def test_repeated_votes_in_counted_rows(path: Path, tmp_path: Path) -> None:
    again = tmp_path / "again.csv"
    lines = path.read_text().splitlines()
    more = [line for line in lines if line.startswith(("i7,a", "i9,b"))] * 3
    again.write_text("\n".join([*lines, *more, "i7,a,2"]) + "\n")
    assert not both(again, {"duplicates": "all"})
    with pytest.raises(DataError, match="repeat an item and rater"):
        blind(scan_ratings(str(again)))


@pytest.mark.usefixtures("counted")
def test_ids_that_are_numbers_and_a_relation(path: Path) -> None:
    with duckdb.connect() as connection:
        base = connection.sql(
            "SELECT CAST(substr(item, 2) AS INTEGER) AS item, ascii(model) AS model, label FROM "
            f"read_csv('{path}')"
        )
        one = blind(base.df(), gold={3: "2", 30: "1", 31: "2"}, bootstrap=5).to_dict()
        scan = scan_ratings(base, name="votes")
        two = blind(scan, gold={3: "2", 30: "1", 31: "2"}, bootstrap=5).to_dict()
    assert not differences(one, two)


@pytest.mark.usefixtures("counted")
def test_a_column_a_classifier(path: Path, tmp_path: Path) -> None:
    wide = tmp_path / "wide.csv"
    with duckdb.connect() as connection:
        connection.execute(
            f"COPY (PIVOT (FROM read_csv('{path}')) ON model USING max(label) GROUP BY item ORDER "
            f"BY hash(item)) TO '{wide}'"
        )
    # What is said of the columns differs, also where votes come one by one.
    found = both(wide, gold=GOLD, methods=QUICK_METHODS)
    assert not [text for text in found if "read as wide" not in text]


@pytest.mark.usefixtures("counted")
def test_what_needs_items_is_refused(path: Path) -> None:
    scan = scan_ratings(str(path))
    with pytest.raises(DataError, match=r"number=5.* needs votes one by one.*memory='\d+GB'"):
        next_items(scan, number=5)
    found = blind(scan, bootstrap=0)
    assert "result.labels has them" not in str(found)
    with pytest.raises(DataError, match="labels of single items need votes one by one"):
        found.labels.to_frame()


@pytest.mark.usefixtures("counted")
def test_too_much_to_count(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    scan = scan_ratings(str(path))
    with pytest.raises(DataError, match="no item is in both"):
        blind(scan, gold={"None": "1"})
    with monkeypatch.context() as patch:
        patch.setattr(votes, "_BYTES", 10**9 // 60)
        found = r"more than 4 .* rows of votes.*There are \d+: .*memory='\d+GB'"
        with pytest.raises(DataError, match=found):
            blind(scan, gold=GOLD)
        with pytest.raises(DataError, match=r"more than 9 .* rows of votes.*There are \d+: "):
            blind(scan)
    with monkeypatch.context() as patch:
        patch.setattr(votes, "MOST_APART", 10)
        with pytest.raises(DataError, match=r"43 items with gold.*memory="):
            blind(scan, gold=GOLD)
    with pytest.raises(DataError, match="the ratings name no raters"):
        blind(scan_ratings(str(path), ignore=["model"], duplicates="all"))


@pytest.mark.usefixtures("counted")
def test_the_command_line(path: Path, tmp_path: Path) -> None:
    from typer.testing import CliRunner

    from headcount.cli.app import commands

    def run(command: str, *more: str) -> Any:
        return CliRunner().invoke(commands(), [command, str(path), *more])

    large = ("--engine", "duckdb", "--memory", "512MB")
    one, two = (
        json.loads(run("blind", "--bootstrap", "5", "--json", *more).stdout) for more in ((), large)
    )
    assert not differences(one, two)
    out = tmp_path / "labels.csv"
    refused = run("consensus", *large, "-o", str(out))
    assert isinstance(refused.exception, DataError)
    assert not out.exists()
    assert "output needs votes one by one" in str(refused.exception)

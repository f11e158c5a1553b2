"""blind gives the same document where votes are brought in parts and gone over in files."""

from __future__ import annotations

import csv
import json
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

import duckdb
import numpy as np
import pytest

from headcount import DataError, OptionError, blind, read_votes
from headcount.blind_evaluation.crowds import crowd, prepare
from headcount.engine.engines.base import Rows
from headcount.engine.engines.duckdb import DuckDB
from headcount.engine.reductions import vote_parts, vote_rows, votes
from headcount.engine.scans.ratings import scan_ratings
from tests.engine.same import differences

METHODS = ["leave-one-out", "em", "easy-hard", "consensus"]


@pytest.fixture(scope="module")
def path(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Votes of 12 workers, 5 an item or so, not in order; names that need care, some blank."""
    rng = np.random.default_rng(8)
    right = rng.uniform(0.4, 0.95, 12)
    rows = list[list[object]]()
    for item in range(200):
        who = rng.permutation(12)[: rng.integers(1, 8)]
        for k in who:
            label = item % 3 + 1 if rng.random() < right[k] else int(rng.integers(1, 4))
            rows.append([f"i, '{item}'", f"w\\{k}", label if item % 40 else ""])
    rng.shuffle(rows)
    made = tmp_path_factory.mktemp("votes") / "crowd.csv"
    with made.open("w", newline="", encoding="utf-8") as file:
        csv.writer(file).writerows([["item", "worker", "label"], *rows])
    return made


@pytest.fixture
def in_parts(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Path:
    """Let votes fit neither one by one nor counted, nor at once; return where files are kept."""
    monkeypatch.setattr(votes, "BYTES_A_VOTE", 10**9)
    monkeypatch.setattr(vote_rows, "MOST_NUMBERS", 0)
    monkeypatch.setattr(vote_parts, "BYTES_A_VOTE", 10**7)  # seven parts of 1 GB
    monkeypatch.setattr(crowd, "MOST_IN_BLOCK", 60)
    kept = tmp_path / "kept"
    kept.mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(kept))
    return kept


def expected(path: Path, **asked: Any) -> dict[str, Any]:
    """Find the document of votes in memory, taken for a large crowd."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(prepare, "MOST_PAIRED", 0)
        patch.setattr(prepare, "FEW", 0)
        return blind(path, **asked).to_dict()


def differing(one: dict[str, Any], other: dict[str, Any]) -> list[str]:
    """List differences, but for why it is a crowd."""
    for document in (one, other):
        document["data"].pop("source", None)
        for key in ("notes", "cautions", "why"):
            document.pop(key, None)
    return differences(one, other)


@pytest.mark.parametrize(
    "asked",
    [
        {},
        {"methods": METHODS, "labels_by": "em", "metrics": ["f1", "accuracy"], "positive": "2"},
        {"methods": METHODS, "at_least": 2, "min_labels": 40},
        {"methods": METHODS, "abstain": "3"},
        {"methods": METHODS, "confusion": {"w\\3": {"1": {"1": 30, "2": 2}}}},
    ],
)
def test_the_same_document(path: Path, in_parts: Path, asked: dict[str, Any]) -> None:
    one = expected(path, **asked)
    found = blind(scan_ratings(path, memory="512MB" if asked else "1GB"), **asked)
    assert found.labels.columns.__self__.stored.number > 3  # pyright: ignore
    assert not differing(one, found.to_dict())
    assert any("votes do not fit into the memory allowed" in note for note in found.notes)
    assert any(in_parts.iterdir())  # for labels of items
    del found
    assert not any(in_parts.iterdir())


@pytest.mark.usefixtures("in_parts")
def test_labels_of_items(path: Path) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(prepare, "MOST_PAIRED", 0)
        patch.setattr(prepare, "FEW", 0)
        one = blind(read_votes(path)).labels
    found = blind(scan_ratings(path)).labels
    assert len(found) == len(one) == 195
    assert not differences(one.to_dict(), found.to_dict())

    def rows(labels: Any) -> list[tuple[Any, ...]]:
        return sorted(zip(*labels.columns().values(), strict=True))

    assert rows(found) == rows(one)
    assert len(found.to_frame("pandas")) == 195
    assert len([*found.parts()]) > 3


@pytest.mark.usefixtures("in_parts")
def test_relations_numbers_and_columns(path: Path, tmp_path: Path) -> None:
    with duckdb.connect() as connection:
        base = connection.sql(
            "SELECT CAST(regexp_extract(item, '[0-9]+') AS INTEGER) AS item, "
            "CAST(substr(worker, 3) AS INTEGER) AS worker, label FROM "
            f"read_csv('{path}', escape='\"')"
        )
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(prepare, "MOST_PAIRED", 0)
            patch.setattr(prepare, "FEW", 0)
            one = blind(base.df(), methods=METHODS)
        found = blind(scan_ratings(base, name="votes"), methods=METHODS)
        assert not differing(one.to_dict(), found.to_dict())
        assert sorted(found.labels.columns()["item"]) == sorted(one.labels.columns()["item"])
        wide = tmp_path / "wide.csv"
        base.create("long")
        connection.execute(
            f"COPY (PIVOT long ON 'm' || worker USING max(label) GROUP BY item) TO '{wide}'"
        )
    assert not differing(expected(wide), blind(scan_ratings(wide)).to_dict())


@pytest.mark.usefixtures("in_parts")
def test_repeated_votes(path: Path, tmp_path: Path) -> None:
    again = tmp_path / "again.csv"
    lines = path.read_text().splitlines()
    again.write_text("\n".join([*lines, *[line for line in lines if line[:6] == "\"i, '7"]]) + "\n")
    with pytest.raises(DataError, match="repeat an item and rater"):
        blind(scan_ratings(again))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(prepare, "MOST_PAIRED", 0)
        patch.setattr(prepare, "FEW", 0)
        one = blind(read_votes(again, duplicates="all"), methods=METHODS)
    found = blind(scan_ratings(again, duplicates="all"), methods=METHODS)
    said = [note for note in found.notes if "each counts as a vote" in note]
    assert said == [note for note in one.notes if "each counts as a vote" in note]
    assert not differing(one.to_dict(), found.to_dict())


def test_spark(path: Path, in_parts: Path, served: Any, tmp_path: Path) -> None:
    one = expected(path, methods=METHODS)
    table = tmp_path / "crowd.parquet"
    duckdb.sql(f"COPY (FROM read_csv('{path}', escape='\"', all_varchar=true)) TO '{table}'")
    found = blind(served.classic.read.parquet(str(table)), methods=METHODS)
    assert not differing(one, found.to_dict())
    session = served.connect()
    try:
        again = blind(session.read.parquet(str(table)), methods=METHODS)
    finally:
        session.stop()
    assert not differing(one, again.to_dict())
    assert sorted(again.labels.columns()["item"]) == sorted(found.labels.columns()["item"])


def test_what_is_refused_leaves_no_files(path: Path, in_parts: Path) -> None:
    scan = scan_ratings(path)
    with pytest.raises(
        DataError, match=r"12 classifiers and 3 labels are too many.*memory=.*without gold, can be"
    ):
        blind(scan, gold={"i, '3'": "1"})
    with pytest.raises(OptionError, match="'round-robin' needs all votes and every two"):
        blind(scan, methods=["round-robin"])
    with pytest.raises(DataError, match="the ratings name no raters"):
        blind(scan_ratings(path, ignore=["worker"], duplicates="all"))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(prepare, "BYTES_A_CELL", 10**8)
        with pytest.raises(DataError, match=r"take more memory than is allowed.*memory='\d+GB'"):
            blind(scan)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(vote_parts, "BYTES_A_VOTE", 10**10)
        with pytest.raises(DataError, match=r"too many to be brought in parts.*memory="):
            blind(scan)
    assert not any(in_parts.iterdir())


def test_ctrl_c_while_votes_come(
    path: Path, in_parts: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    fetch, seen = DuckDB.fetch, list[str]()

    def interrupted(engine: DuckDB, sql: str) -> Rows:
        if "AS coded WHERE" in sql:
            seen.append(sql)
        if len(seen) > 3:
            raise KeyboardInterrupt
        return fetch(engine, sql)

    monkeypatch.setattr(DuckDB, "fetch", interrupted)
    with pytest.raises(KeyboardInterrupt):
        blind(scan_ratings(path))
    assert not any(in_parts.iterdir())


def test_a_full_disk(path: Path, in_parts: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    full = Path("/dev/full")
    if not full.exists():
        pytest.skip("there is no /dev/full")
    monkeypatch.setattr(crowd.StoredVotes, "_path", lambda *_: full)
    with pytest.raises(DataError, match="temporary copy of the data cannot be written: No space"):
        blind(scan_ratings(path))
    assert not any(in_parts.iterdir())


@pytest.mark.usefixtures("in_parts")
def test_progress_is_told(path: Path) -> None:
    seen = list[tuple[int, int]]()
    blind(scan_ratings(path), methods=["em"], progress=lambda *done: seen.append(done))
    brought = [done for done in seen if done[1] > 700]
    assert brought[-1][0] == brought[-1][1]
    assert [done for done, _ in brought] == sorted(done for done, _ in brought)
    blocks = seen[len(brought) :]
    assert {total for _, total in blocks} == {blocks[-1][1]}
    assert blocks[-1][0] == blocks[-1][1]


SMALL = """
import sys
from headcount.blind_evaluation.crowds import crowd
from headcount.engine.reductions import vote_parts, vote_rows, votes
votes.BYTES_A_VOTE, vote_rows.MOST_NUMBERS, vote_parts.BYTES_A_VOTE = 10**9, 0, 10**7
crowd.MOST_IN_BLOCK = 60
from headcount.cli.start import main
sys.argv = ["headcount", *sys.argv[1:]]
main()
"""


@pytest.mark.parametrize("suffix", ["csv", "parquet", "jsonl"])
def test_the_command_writes_labels(path: Path, tmp_path: Path, suffix: str) -> None:
    out, usual = tmp_path / f"labels.{suffix}", tmp_path / f"usual.{suffix}"
    command = ["blind", str(path), "--methods", "em", "--labels-by", "em", "--engine", "duckdb"]
    asked = [*command, "--json", "--labels-out"]
    done = subprocess.run(
        [sys.executable, "-c", SMALL, *asked, str(out)], capture_output=True, text=True, check=True
    )
    subprocess.run(
        [sys.executable, "-m", "headcount", *asked, str(usual)], capture_output=True, check=True
    )
    assert json.loads(done.stdout)["diagnostics"] is None
    reader = {"csv": "read_csv", "parquet": "read_parquet", "jsonl": "read_json"}[suffix]
    one, other = (
        duckdb.sql(f"FROM {reader}('{file}') ORDER BY item").fetchall() for file in (out, usual)
    )
    assert one == other
    assert len(one) == 195
    jaccard = subprocess.run(
        [sys.executable, "-c", SMALL, *command, "--jaccard"], capture_output=True, text=True
    )
    assert jaccard.returncode == 2
    assert "--jaccard is about every two classifiers, and these" in " ".join(jaccard.stderr.split())

"""Items that take too much memory to be grouped at once are grouped in parts."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from headcount import DataError, agree, scan_ratings, survey
from headcount.engine.engines.duckdb import DuckDB
from headcount.engine.engines.failures import NotEnoughMemoryError
from headcount.engine.engines.parts import PARTS
from tests.engine.same import differences
from tests.engine.test_taking import numbers

QUICK = {"bootstrap": 10, "ceiling": False, "together": False}


@pytest.fixture
def files(tmp_path: Path) -> tuple[Path, Path]:
    rng = np.random.default_rng(6)
    rows = [f"i{i},r{(7 * i + 3 * k) % 90},{'yes' if rng.random() < i % 5 / 4 else 'no'}"
            for i in range(200) for k in range(12)]  # fmt: skip
    (tmp_path / "r.csv").write_text("\n".join(["item,rater,label", *rows]))
    said = [f"i{i},{'yes' if i % 5 > 1 else 'no'}" for i in range(200)]
    (tmp_path / "p.csv").write_text("\n".join(["item,judge", *said]))
    return tmp_path / "r.csv", tmp_path / "p.csv"


@pytest.fixture
def little(monkeypatch):
    """Let every grouping by item fail that is of more than a sixteenth of the items."""
    kept: list[str] = []
    small, fetch, keep = f" % {PARTS[1]} = ", DuckDB.fetch, DuckDB.keep

    def check(sql: str) -> None:
        if "GROUP BY item" in sql and small not in sql:
            raise NotEnoughMemoryError("not enough")

    def fetched(self, sql):
        check(sql)
        return fetch(self, sql)

    def held(self, name, sql):
        check(sql)
        kept.append(name)
        return keep(self, name, sql)

    monkeypatch.setattr(DuckDB, "fetch", fetched)
    monkeypatch.setattr(DuckDB, "keep", held)
    return kept


def test_parts_give_the_same_answers(files, little):
    ratings, predictions = files
    for verb, given, asked in (
        (survey, (predictions,), QUICK),
        (agree, (), {"bootstrap": 10, "raters": "fixed"}),
    ):
        one = numbers(verb(ratings, *given, **asked))
        assert not little
        two = numbers(verb(scan_ratings(ratings), *given, **asked))
        assert not differences(one, two), verb
        assert f"some_{PARTS[1] - 1}" in little
        little.clear()


def test_repeated_ratings_are_found_in_parts(files, little):
    ratings, _ = files
    with ratings.open("a") as out:
        out.write("\ni3,r21,no\ni3,r21,no\ni7,r49,yes\n")
    with pytest.raises(DataError, match=r"3 ratings repeat an item and rater.*'r21' labels item"):
        survey(scan_ratings(ratings), **QUICK)
    assert "repeated_0" in little


def test_what_is_too_much_in_parts_is_said(files, monkeypatch):
    def fail(self, sql):
        raise NotEnoughMemoryError("not enough")

    monkeypatch.setattr(DuckDB, "keep", lambda self, name, sql: fail(self, sql))
    with pytest.raises(DataError, match="not enough"):
        survey(scan_ratings(files[0]), **QUICK)

"""Items that take too much memory to be grouped at once are grouped in parts."""

from __future__ import annotations

from pathlib import Path

import duckdb
import numpy as np
import pytest

from headcount import DataError, agree, scan_ratings, survey
from headcount.engine.engines import parts
from headcount.engine.engines.duckdb import DuckDB, DuckDBRelation
from headcount.engine.engines.failures import NotEnoughMemoryError
from headcount.engine.engines.memory import memory_of
from headcount.engine.engines.parts import FEWEST, ItemRows
from tests.engine.same import differences
from tests.engine.test_taking import numbers

QUICK = {"bootstrap": 10, "ceiling": False, "together": False}


@pytest.fixture
def files(tmp_path: Path) -> tuple[Path, Path]:
    rng = np.random.default_rng(6)
    rows = [f"{i},r{(7 * i + 3 * k) % 90},{'yes' if rng.random() < i % 5 / 4 else 'no'}"
            for i in range(200) for k in range(12 if i % 9 else 1)]  # fmt: skip
    shuffled = [rows[i] for i in rng.permutation(len(rows))]
    (tmp_path / "r.csv").write_text("\n".join(["item,rater,label", *shuffled]))
    said = [f"{i},{'yes' if i % 5 > 1 else 'no'}" for i in range(200) if i % 17]
    (tmp_path / "p.csv").write_text("\n".join(["item,judge", *said]))
    return tmp_path / "r.csv", tmp_path / "p.csv"


@pytest.fixture
def done(monkeypatch) -> list[str]:
    """List what is kept, and what is written in how many parts."""
    names: list[str] = []
    keep, divided = DuckDB.keep, DuckDB.divided

    def kept(self, name, sql):
        names.append(name)
        return keep(self, name, sql)

    def written(self, name, sources, part, number):
        names.append(f"{name} in {number}")
        return divided(self, name, sources, part, number)

    monkeypatch.setattr(DuckDB, "keep", kept)
    monkeypatch.setattr(DuckDB, "divided", written)
    return names


@pytest.fixture
def little(done, monkeypatch) -> list[str]:
    """Let everything fail that groups or ranks items and is not of one part of them."""
    fetch, keep = DuckDB.fetch, DuckDB.keep

    def check(sql: str) -> None:
        if ("GROUP BY item" in sql or "ORDER BY k, item" in sql) and "part = " not in sql:
            done.append("failed")
            raise NotEnoughMemoryError("not enough")

    def fetched(self, sql):
        check(sql)
        return fetch(self, sql)

    def kept(self, name, sql):
        check(sql)
        return keep(self, name, sql)

    monkeypatch.setattr(DuckDB, "fetch", fetched)
    monkeypatch.setattr(DuckDB, "keep", kept)
    return done


@pytest.mark.parametrize("ids", ["text", "whole numbers", "both"])
def test_parts_give_the_same_answers(files, little, tmp_path, ids):
    paths = [tmp_path / "r.parquet", tmp_path / "p.parquet"]
    for path, source, kind in zip(
        paths,
        files,
        {"text": ("VARCHAR", "VARCHAR"), "both": ("BIGINT", "VARCHAR")}.get(ids, ("INT",) * 2),
        strict=True,
    ):
        duckdb.sql(
            f"COPY (SELECT * REPLACE (CAST(item AS {kind}) AS item) FROM read_csv('{source}')) TO "
            f"'{path}'"
        )
    ratings, predictions = paths
    one = numbers(survey(ratings, predictions, **QUICK))
    assert not little
    two = numbers(survey(scan_ratings(ratings), predictions, **QUICK))
    assert not differences(one, two)
    assert one["data"]["items"]["dropped"]  # so that raters of the others are counted in parts
    assert {f"ratings in {FEWEST}", f"predictions in {FEWEST}"} <= {*little}
    assert f"keyed in {4 * FEWEST}" in little
    assert {f"some_{FEWEST - 1}", f"items_{FEWEST - 1}", f"loads_{FEWEST - 1}"} <= {*little}
    assert little.count("failed") == 1  # no further one is tried on all items


@pytest.mark.parametrize("raters", ["fixed", "sample"])
def test_agreement_is_the_same_in_parts(files, little, monkeypatch, raters):
    asked = {"bootstrap": 10, "raters": raters, "coefficients": ["percent", "alpha", "fleiss"]}
    one = numbers(agree(files[0], **asked))
    monkeypatch.setattr("headcount.agreement.load.fits", lambda rated, memory: False)
    two = numbers(agree(scan_ratings(files[0]), **asked))
    for name in asked["coefficients"]:
        assert one[name]["value"] is not None
        assert not differences(one[name], two[name])
    assert f"counted_items_{FEWEST - 1}" in little


def test_very_many_shuffled_rows_are_in_parts_before_anything_is_tried(files, little, monkeypatch):
    ratings, predictions = files
    one = numbers(survey(ratings, predictions, **QUICK))
    monkeypatch.setattr(DuckDB, "parts_for", lambda self, groups: 13)
    monkeypatch.setattr(parts, "SHOWN", 50)  # nearly all of other items
    two = numbers(survey(scan_ratings(ratings), predictions, **QUICK))
    assert not differences(one, two)
    assert {"ratings in 13", "predictions in 13", "keyed in 52"} <= {*little}
    assert "failed" not in little


def test_of_very_many_rows_in_order_only_counts_are_in_parts(files, done, monkeypatch):
    ratings, predictions = files
    one = numbers(survey(ratings, predictions, **QUICK))
    monkeypatch.setattr(DuckDB, "parts_for", lambda self, groups: 13)
    header, *lines = ratings.read_text().splitlines()
    used = "\n".join([header, *(line for line in lines if int(line.split(",")[0]) % 9)])
    two = numbers(survey(scan_ratings(ratings), predictions, **QUICK))
    assert not differences(one, two)
    assert {"label_counts in 13", "predictions in 13", "keyed in 52"} <= {*done}
    assert done.index("ratings in 13") > done.index("items_12")  # for the raters of some items
    done.clear()
    ratings.write_text(used)
    survey(scan_ratings(ratings), **QUICK)
    assert "label_counts in 13" in done
    assert "ratings in 13" not in done
    ratings.write_text(f"{used}\n3,r21,no\n")
    with pytest.raises(DataError, match=r"1 rating repeats an item and rater.*'r21' labels item"):
        survey(scan_ratings(ratings), **QUICK)
    assert "doubtful_ratings in 13" in done


def test_rows_in_order_whose_groups_do_not_fit_are_written(files, little, monkeypatch):
    ratings, predictions = files
    one = numbers(survey(ratings, predictions, **QUICK))
    monkeypatch.setattr(ItemRows, "many", True)
    two = numbers(survey(scan_ratings(ratings), predictions, **QUICK))
    assert not differences(one, two)
    assert f"ratings in {FEWEST}" in little


def test_several_files_without_raters_are_the_same_in_parts(files, little, tmp_path):
    lines = files[0].read_text().splitlines()[1:]
    pairs = [",".join(line.split(",")[::2]) for line in lines]
    for name, chosen in (("one", pairs), ("a1", pairs[:900]), ("a2", pairs[900:])):
        (tmp_path / f"{name}.csv").write_text("\n".join(["item,label", *chosen]))
    one = numbers(survey(tmp_path / "one.csv", files[1], **QUICK))
    several = scan_ratings(str(tmp_path / "a*.csv"), glob=True)
    two = numbers(survey(several, files[1], **QUICK))
    assert not [text for text in differences(one, two) if ".csv" not in text]
    assert f"looked_at_{FEWEST - 1}" in little


def test_repeated_ratings_are_found_in_parts(files, little):
    ratings, _ = files
    with ratings.open("a") as out:
        out.write("\n3,r21,no\n3,r21,no\n7,r49,yes\n")
    with pytest.raises(DataError, match=r"3 ratings repeat an item and rater.*'r21' labels item"):
        survey(scan_ratings(ratings), **QUICK)
    assert "repeated_0" in little


def test_what_is_too_much_in_parts_is_said(files, monkeypatch):
    def fail(self, name, sql):
        raise NotEnoughMemoryError("not enough")

    monkeypatch.setattr(DuckDB, "keep", fail)
    with pytest.raises(DataError, match="not enough"):
        survey(scan_ratings(files[0]), **QUICK)


def test_rows_are_written_in_parts_that_are_read_alone():
    engine = DuckDB(memory=memory_of("128MB"))
    halves = [f"SELECT i AS item FROM range({i}, {i + 500}) AS t(i)" for i in (0, 500)]
    rows = engine.divided("some", halves, "item % 5", 5)
    (folder,) = engine._scratch.path.glob("some")
    assert len([*folder.iterdir()]) == 5
    assert sorted(engine.fetch(rows)["item"].tolist()) == list(range(1000))
    none = engine.divided("none", [f"{half} WHERE i < 0" for half in halves], "item % 5", 5)
    assert not len(engine.fetch(f"SELECT item FROM ({none}) AS rows WHERE part = 3")["item"])
    for path in folder.glob("part=[124]/*"):
        path.write_bytes(b"gone")  # whoever reads it fails; the first tells the columns
    alone = engine.fetch(f"SELECT item FROM ({rows}) AS rows WHERE part = 3")["item"]
    assert sorted(alone.tolist()) == list(range(3, 1000, 5))
    with pytest.raises(DataError):
        engine.fetch(rows)
    engine.close()
    assert not folder.exists()


@pytest.mark.parametrize(("each", "in_parts"), [(10, False), (1, True)])
def test_rows_are_in_parts_if_those_of_an_item_are_apart(each, in_parts):
    engine = DuckDB(memory=memory_of("128MB"))
    sql = f"SELECT i // {each} AS item FROM range(1000) AS t(i)"
    rows = ItemRows(engine, "rows", sql, total=2 * 10**7)
    rows.divide_if_shuffled()
    assert (rows.number > 1) is in_parts
    engine.close()


def test_a_relation_of_the_user_is_not_written(files):
    engine = DuckDBRelation(duckdb.sql("SELECT i AS item FROM range(1000) AS t(i)"))
    rows = ItemRows(engine, "rows", "SELECT item FROM base")
    rows.divide()
    found = [
        engine.fetch(f"SELECT item FROM ({rows.sql}) AS rows WHERE {where}")["item"]
        for where in rows.conditions
    ]
    assert sorted(np.concatenate(found).tolist()) == list(range(1000))
    assert min(map(len, found)) > 30

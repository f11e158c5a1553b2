"""Ratings of an item by the same rater, where data are: the first is kept, as in memory."""

from __future__ import annotations

import json

import duckdb
import numpy as np
import pytest

from headcount import (
    DataError,
    OptionError,
    agree,
    blind,
    look,
    read_ratings,
    read_votes,
    scan_ratings,
    survey,
)
from tests.engine.same import differences


@pytest.fixture(scope="module")
def rows():
    """Ratings in no order, of which some come again; of two the first has no label."""
    rng = np.random.default_rng(3)
    rows = [
        (f"t{i}", f"r{j}", "abc"[min(2, rng.binomial(2, 0.3 + i / 100))])
        for i in range(40)
        for j in range(5)
    ]
    rows += [(i, r, "abc"[rng.integers(3)]) for i, r, _ in rows[::9]] * 2
    rows = [rows[k] for k in rng.permutation(len(rows))]
    return [("t1", "r2", "NA"), ("t7", "r3", ""), *rows]


@pytest.fixture(scope="module", params=["csv", "parquet", "several files"])
def repeated(request, rows, tmp_path_factory):
    """The ratings as one CSV file, and what is scanned."""
    folder = tmp_path_factory.mktemp("repeated")
    lines = [",".join(row) for row in rows]
    whole = folder / "whole.csv"
    whole.write_text("\n".join(["item,rater,label", *lines]) + "\n")
    if request.param == "csv":
        return whole, {"data": whole}
    parts = [lines] if request.param == "parquet" else [lines[:90], lines[90:]]
    for number, part in enumerate(parts):
        path = folder / f"part{number}.csv"
        path.write_text("\n".join(["item,rater,label", *part]) + "\n")
        read = f"read_csv('{path}', all_varchar=true, header=true)"
        duckdb.sql(f"COPY (FROM {read}) TO '{path.with_suffix('.parquet')}'")
    if len(parts) == 1:
        return whole, {"data": folder / "part0.parquet"}
    return whole, {"data": str(folder / "part*.parquet"), "glob": True}


def scanned(how, **options):
    how = dict(how)
    return scan_ratings(how.pop("data"), engine="duckdb", **how, **options)


def document(result):
    """The document of a result, in which data are called alike."""
    found = json.loads(json.dumps(result.to_dict()).replace(result.provenance.source, "ratings"))
    found["notes"] = [note for note in found.get("notes", []) if "read as" not in note]
    return found


def test_the_first_of_each_is_kept(repeated):
    whole, how = repeated
    memory = read_ratings(whole, duplicates="first")
    scan = scanned(how, duplicates="first")
    for verb, options in ((survey, {"bootstrap": 10}), (agree, {"bootstrap": 10})):
        wanted, found = verb(memory, **options), verb(scan, **options)
        assert not differences(document(wanted), document(found))
        assert any("the first of each was kept" in note for note in found.notes)
        assert wanted.provenance.dropped["repeated"] == found.provenance.dropped["repeated"]
    seen = look(scan)
    assert seen.seen[0].counts["ratings"] == len(memory)
    assert all("duplicates='first'" in step.python for step in seen.steps)


def test_all_are_votes(repeated):
    whole, how = repeated
    if "glob" in how:
        return
    options = {"bootstrap": 5, "methods": ["round-robin"]}
    wanted = blind(read_votes(whole, duplicates="all"), **options)
    found = blind(scanned(how, duplicates="all"), **options)
    assert not differences(document(wanted), document(found))
    with pytest.raises(OptionError, match="duplicates='all' is for votes"):
        survey(scanned(how, duplicates="all"))


def test_a_refusal_says_how_to_keep_the_first(repeated):
    with pytest.raises(DataError, match=r"46 ratings repeat .* keep the first of each with dupl"):
        survey(scanned(repeated[1]))


def test_without_an_order_there_is_no_first(repeated, tmp_path):
    relation = duckdb.connect().sql(f"FROM read_csv('{repeated[0]}', all_varchar=true)")
    scan = scan_ratings(relation, engine="duckdb", duplicates="first")
    with pytest.raises(DataError, match="duplicates='first': rows have no order in DuckDB"):
        survey(scan)
    (tmp_path / "wide.csv").write_text("item,ann,bob\n1,a,b\n2,a,a\n1,b,b\n")
    scan = scan_ratings(tmp_path / "wide.csv", duplicates="first")
    with pytest.raises(DataError, match="has a row an item, which is put together in memory only"):
        survey(scan)

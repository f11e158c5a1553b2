"""What goes wrong where data live: one message, nothing written, no temporary files left."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import pytest

from headcount import DataError, OptionError, scan_ratings, survey
from headcount.engine.engines.duckdb import DuckDB
from headcount.engine.engines.memory import memory_of


def parts(folder, number=4, *, rows=200):
    """Write ratings as several Parquet files."""
    import duckdb

    for part in range(number):
        duckdb.sql(
            f"COPY (SELECT {part} * {rows} + i // 4 AS item, 'w' || i % 4 AS rater, "
            f"CASE WHEN hash(i) % 3 = 0 THEN 'a' ELSE 'b' END AS label FROM range({rows}) t(i)) TO "
            f"'{folder / f'part{part}.parquet'}'"
        )
    return str(folder / "*.parquet")


@pytest.fixture
def scratch(tmp_path, monkeypatch):
    """A folder of its own for temporary files."""
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path / "temporary"))
    (tmp_path / "temporary").mkdir()
    return tmp_path / "temporary"


def test_several_files_are_one_table(tmp_path, scratch):
    found = survey(scan_ratings(parts(tmp_path), glob=True), bootstrap=0)
    assert found.provenance.n_ratings == 800
    assert not list(scratch.iterdir())


def test_names_are_patterns_only_if_asked(tmp_path):
    with pytest.raises(DataError, match="no such file"):
        survey(scan_ratings(parts(tmp_path)), bootstrap=0)
    with pytest.raises(DataError, match=r"no file fits glob '.*none\*'"):
        survey(scan_ratings(tmp_path / "none*", glob=True), bootstrap=0)
    with pytest.raises(DataError, match=r"is a folder\. A pattern of the files .*\*\.parquet"):
        survey(scan_ratings(tmp_path, glob=True), bootstrap=0)


def test_one_corrupt_file_is_named(tmp_path, scratch):
    pattern = parts(tmp_path)
    bad = tmp_path / "part2.parquet"
    bad.write_bytes(bad.read_bytes()[:-40])
    with pytest.raises(DataError, match=r"part2\.parquet"):
        survey(scan_ratings(pattern, glob=True), bootstrap=0)
    bad.write_bytes(b"\0" * 400)
    with pytest.raises(DataError, match=r"part2\.parquet"):
        survey(scan_ratings(pattern, glob=True), bootstrap=0)
    assert not list(scratch.iterdir())


def test_other_columns_in_one_file_are_named(tmp_path):
    import duckdb

    pattern = parts(tmp_path)
    duckdb.sql(
        f"COPY (SELECT 1 AS item, 'w1' AS coder, 'a' AS label) TO '{tmp_path / 'part3.parquet'}'"
    )
    with pytest.raises(DataError, match=r"part3\.parquet: its columns .* lacks 'rater'"):
        survey(scan_ratings(pattern, glob=True), bootstrap=0)


def test_other_columns_in_one_csv_are_named(tmp_path):
    (tmp_path / "a.csv").write_text("item,rater,label\n1,x,a\n1,y,b\n")
    (tmp_path / "b.csv").write_text("item,label,rater\n2,a,x\n2,a,y\n")
    with pytest.raises(DataError, match=r"b\.csv: its columns are 'item', 'label', 'rater'"):
        survey(scan_ratings(tmp_path / "*.csv", glob=True), bootstrap=0)


def test_a_full_disk_is_one_message(scratch):
    engine = DuckDB(memory=memory_of("128MB"), most_temporary="1MB")
    with pytest.raises(DataError, match=r"disk is full.*temporary"):
        engine.fetch("SELECT i, count(*) AS n FROM range(20000000) t(i) GROUP BY i ORDER BY n, i")
    engine.close()
    assert not list(scratch.iterdir())


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"duplicates": "retest"}, "duplicates='retest' compares ratings one by one"),
        ({"duplicates": "last"}, "duplicates"),
        ({"memory": "1 elephant"}, "memory must be an amount of memory, such as '1GB'"),
        ({"memory": "1MB"}, "memory must be at least 128MB"),
        ({"memory": "99999999TB"}, "memory must be an amount that a machine has"),
        ({"engine": "oracle"}, "engine"),
        ({"remote": "localhost"}, "remote must be the address of a Spark Connect server"),
        ({"remote": "sc://x", "engine": "duckdb"}, "remote is an address of Spark"),
        ({"glob": True, "engine": "memory"}, "glob reads several files"),
    ],
)
def test_options_are_checked(options, words):
    with pytest.raises(OptionError, match=words):
        scan_ratings("example:ratings", **options)


@pytest.mark.parametrize("options", [{"alt_test": 0.1}, {"experts": ["ann"]}, {"add_noise": 0.1}])
def test_what_needs_ratings_one_by_one_is_refused(options):
    scan = scan_ratings("example:ratings")
    with pytest.raises(OptionError, match=r"one by one.*engine='memory'"):
        survey(scan, "example:predictions", bootstrap=0, **options)


@pytest.mark.skipif(not hasattr(signal, "SIGINT") or os.name == "nt", reason="signals of Unix")
def test_an_interrupt_leaves_nothing(tmp_path):
    temporary = tmp_path / "temporary"
    temporary.mkdir()
    pattern = parts(tmp_path, 1, rows=2_000_000)
    command = [sys.executable, "-m", "headcount", "survey", pattern, "--glob", "--json"]
    run = subprocess.Popen(
        command,
        env={**os.environ, "TMPDIR": str(temporary)},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    until = time.monotonic() + 60
    while not list(temporary.iterdir()) and run.poll() is None and time.monotonic() < until:
        time.sleep(0.01)
    run.send_signal(signal.SIGINT)
    out, err = run.communicate(timeout=60)
    if run.returncode == 0:
        pytest.skip("it was done before it could be interrupted")
    assert (run.returncode, out) == (130, "")
    assert err.strip() == "headcount: interrupted."
    assert not [path for path in Path(temporary).iterdir() if path.name.startswith("headcount")]

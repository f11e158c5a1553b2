"""The same answer from data in memory, DuckDB, little memory, Spark and Spark Connect."""

from __future__ import annotations

import json
import math
import subprocess
import sys
import threading

import pytest

from headcount import DataError, look, scan_ratings, survey
from headcount.engine.engines.spark import retry_briefly

RUNS = {
    "labels become probabilities": {"clip": 0.01},
    "agreement": {"scorer": "agreement"},
    "one size, raters as a sample": {"max_k": 2, "raters": "sample", "calibrate": "empirical"},
}


def differences(one, other, path=""):
    """What differs between two documents, beyond 1e-9."""
    if isinstance(one, dict) and isinstance(other, dict):
        if one.keys() != other.keys():
            return [f"{path}: {one.keys() ^ other.keys()}"]
        return [d for k in one for d in differences(one[k], other[k], f"{path}/{k}")]
    if isinstance(one, list) and isinstance(other, list):
        if len(one) != len(other):
            return [f"{path}: {one} {other}"]
        pairs = enumerate(zip(one, other, strict=True))
        return [d for i, (a, b) in pairs for d in differences(a, b, f"{path}/{i}")]
    if isinstance(one, float) and isinstance(other, float):
        same = math.isclose(one, other, rel_tol=1e-9, abs_tol=1e-9)
        return [] if same else [f"{path}: {one} {other}"]
    return [] if one == other else [f"{path}: {one} {other}"]


def numbers(result):
    """The document of a result, but for the words on files and engines."""
    document = json.loads(json.dumps(result if isinstance(result, dict) else result.to_dict()))
    for key in ("notes", "cautions", "warnings"):
        document.pop(key, None)
    for key in ("source", "sources", "backend", "predictions"):
        document["data"].pop(key, None)
        document.pop(key, None)
    return document


@pytest.fixture(scope="module")
def in_memory(files):
    both = files / "ratings.csv", files / "predictions.csv"
    return {name: numbers(survey(*both, bootstrap=30, rng=2, **run)) for name, run in RUNS.items()}


@pytest.mark.parametrize("run", RUNS)
@pytest.mark.parametrize(("kind", "memory"), [("csv", "1GB"), ("parquet", "512MB")])
def test_duckdb(files, in_memory, run, kind, memory):
    scan = scan_ratings(files / f"ratings.{kind}", memory=memory)
    found = survey(scan, files / f"predictions.{kind}", bootstrap=30, rng=2, **RUNS[run])
    assert not differences(in_memory[run], numbers(found))
    assert any("DuckDB counted" in note for note in found.notes)


def test_a_relation_of_duckdb(files, in_memory):
    import duckdb

    connection = duckdb.connect()
    ratings = connection.sql(f"FROM read_csv('{files / 'ratings.csv'}')")
    predictions = connection.sql(f"FROM read_csv('{files / 'predictions.csv'}')")
    run = next(iter(RUNS))
    scan = scan_ratings(ratings, engine="duckdb")
    found = survey(scan, predictions, bootstrap=30, rng=2, **RUNS[run])
    assert not differences(in_memory[run], numbers(found))


def test_spark(files, in_memory, spark):
    frames = [
        spark.classic.read.parquet(str(files / f"{name}.parquet"))
        for name in ("ratings", "predictions")
    ]
    run = "labels become probabilities"
    found = survey(*frames, bootstrap=30, rng=2, **RUNS[run])
    assert not differences(in_memory[run], numbers(found))
    assert found.provenance.backend == "pyspark"


def test_a_table_of_spark_by_its_name(files, in_memory, spark):
    for name in ("ratings", "predictions"):
        frame = spark.classic.read.parquet(str(files / f"{name}.parquet"))
        frame.createOrReplaceTempView(f"{name}_by_name")
    scan = scan_ratings("ratings_by_name", engine="spark")
    found = survey(scan, "predictions_by_name", bootstrap=30, rng=2, **RUNS["agreement"])
    assert not differences(in_memory["agreement"], numbers(found))
    seen = look("ratings_by_name", engine="spark").seen[0]
    assert (seen.kind, seen.counts) == ("ratings", look(files / "ratings.csv").seen[0].counts)
    with pytest.raises(DataError, match=r"no table 'ratings_by_nam'.*Did you mean 'ratings_by_na"):
        look("ratings_by_nam", engine="spark")


def test_spark_connect(files, in_memory, spark):
    session = spark.connect()
    frames = [
        session.read.parquet(str(files / f"{name}.parquet")) for name in ("ratings", "predictions")
    ]
    found = survey(*frames, bootstrap=30, rng=2, **RUNS["agreement"])
    assert not differences(in_memory["agreement"], numbers(found))
    session.stop()


def test_spark_from_the_command_line(files, in_memory, spark):
    command = [
        sys.executable, "-m", "headcount", "survey", str(files / "ratings.parquet"),
        "-p", str(files / "predictions.parquet"), "--remote", spark.address,
        "--scorer", "agreement", "--bootstrap", "30", "--seed", "2", "--json",
    ]  # fmt: skip
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert not differences(in_memory["agreement"], numbers(json.loads(done.stdout)))


def look_until_it_dies(ratings):
    for _ in range(100):
        look(scan_ratings(ratings))


def test_a_server_that_dies_is_one_message(files, spark):
    session = spark.connect()
    retry_briefly(session)
    ratings = session.read.parquet(str(files / "ratings.parquet"))
    timer = threading.Timer(0.5, spark.kill)
    timer.start()
    with pytest.raises(DataError, match="Spark: the connection to the server was lost"):
        look_until_it_dies(ratings)
    timer.join()
    command = [sys.executable, "-m", "headcount", "survey", str(files / "ratings.parquet")]
    done = subprocess.run(
        [*command, "--remote", spark.address], capture_output=True, text=True, check=False
    )
    assert done.returncode == 2
    assert "no Spark Connect server answers" in done.stderr
    assert "Traceback" not in done.stderr
    assert not done.stdout

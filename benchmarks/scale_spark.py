"""Spark on this machine beside DuckDB: the same survey, and what starting and asking costs.

Usage: python benchmarks/scale_spark.py [FOLDER] [ratings, such as 1e7]

Wall time and CPU time (of Python and of Spark's own process), one run; where Spark is not installed
the section says so.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from harness import say, table
from scale_data import PREDICTIONS, RATINGS, write

SMALL = 1000
"""Ratings of which a survey takes nothing but the queries themselves."""


def main(folder: Path, size: int = 10**7) -> str:
    """Survey a file with Spark and with DuckDB, and a small one."""
    found: dict[str, dict] = {}
    for name, number in (("small", SMALL), ("large", size)):
        ratings, predictions = folder / f"{name}-r.parquet", folder / f"{name}-p.parquet"
        write(ratings, RATINGS, number)
        write(predictions, PREDICTIONS, number // 10)
    for engine in ("spark", "duckdb"):
        say(f"surveying {size:,} ratings with {engine}")
        done = subprocess.run(
            [sys.executable, __file__, "--run", engine, str(folder)],
            stdout=subprocess.PIPE,
            text=True,
            check=False,
        )
        if done.returncode:
            return f"Spark was not measured: {engine} ended with exit code {done.returncode}."
        found[engine] = json.loads(done.stdout.splitlines()[-1])
    for path in folder.glob("*.parquet"):
        path.unlink()
    spark, duckdb = found["spark"], found["duckdb"]
    rows = [
        [step, *(f"{one[step][0]:.1f} s" for one in (spark, duckdb)),
         *(f"{one[step][1]:.1f} s" for one in (spark, duckdb))]
        for step in spark
        if step != "worth"
    ]  # fmt: skip
    same = "the same" if spark["worth"] == duckdb["worth"] else "**not** the same"
    header = ["step", "Spark, wall", "DuckDB, wall", "Spark, CPU", "DuckDB, CPU"]
    return (
        f"{table(header, rows)}\n\n`survey` with two classifiers and 200 bootstrap samples; "
        f"Spark in local mode on {os.cpu_count()} cores, 1 GB for DuckDB; one run each. Worths and "
        f"the lower ends of their intervals were {same}, to nine digits."
    )


def run(engine: str, folder: Path) -> dict:
    """Time the steps of one engine."""
    clock = Clock()
    session = None
    if engine == "spark":
        from pyspark.sql import SparkSession

        os.environ.setdefault("PYSPARK_PYTHON", sys.executable)
        session = (
            SparkSession.builder.master("local[*]")
            .config("spark.ui.enabled", "false")
            .config("spark.log.level", "OFF")
            .config("spark.ui.showConsoleProgress", "false")
            .getOrCreate()
        )
        clock.process = session.sparkContext._gateway.proc.pid
        session.sql("SELECT 1").collect()
    steps = {"start": clock.lap()}
    large = folder / "large-r.parquet"
    hashes = "sum(hash(item) % 7), sum(hash(rater) % 7), sum(hash(label) % 7)"
    if session is not None:
        session.sql(f"SELECT {hashes} FROM parquet.`{large}`").collect()
    else:
        import duckdb

        duckdb.connect().execute(f"SELECT {hashes} FROM '{large}'").fetchall()
    steps["scan"] = clock.lap()
    from headcount import scan_ratings, survey

    found = None
    for name in ("small", "large"):
        files = [str(folder / f"{name}-{one}.parquet") for one in "rp"]
        found = survey(scan_ratings(files[0], engine=engine), files[1], bootstrap=200, seed=1)
        number = found.provenance.n_ratings
        steps[f"survey of {number:,} ratings"] = clock.lap()
    worth = [[one.worth.value, one.worth.low] for one in found.classifiers]
    return {**steps, "worth": [[None if x is None else round(x, 9) for x in w] for w in worth]}


class Clock:
    """Wall and CPU time since it was last asked."""

    process: int | None = None

    def __init__(self) -> None:
        self.last = self.now()

    def now(self) -> tuple[float, float]:
        """Seconds by the clock, and of this process and that of Spark."""
        cpu = time.process_time()
        if self.process is not None:
            fields = Path(f"/proc/{self.process}/stat").read_text().rsplit(")", 1)[1].split()
            cpu += (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")
        return time.time(), cpu

    def lap(self) -> tuple[float, float]:
        """Return both, and start again."""
        now, before = self.now(), self.last
        self.last = now
        return now[0] - before[0], now[1] - before[1]


if __name__ == "__main__":
    if sys.argv[1:2] == ["--run"]:
        print(json.dumps(run(sys.argv[2], Path(sys.argv[3]))))
    elif len(sys.argv) > 1:
        print(main(Path(sys.argv[1]), int(float(sys.argv[2])) if len(sys.argv) > 2 else 10**7))
    else:
        with tempfile.TemporaryDirectory() as made:
            print(main(Path(made)))

"""Ratings that are reduced where they are: time and memory of the whole command, beside the scan.

Usage: python scale.py [largest, such as 1e8], which prints a Markdown section.
"""

from __future__ import annotations

import json
import os
import resource
import subprocess
import sys
import time
from pathlib import Path
from tempfile import TemporaryDirectory

import scale_methods
from harness import met, say, table

SIZES = (10**5, 10**6, 10**7, 10**8, 10**9)
EACH, RATERS = 10, 1009
TARGET_SCANS, TARGET_MB = 40, 1_200
_PART = 10**6
_RATINGS = (
    f"SELECT 'item' || (i // {EACH}) AS item, 'w' || (((i % {EACH}) * 7919 + (i // {EACH}) * 31) % "
    f"{RATERS}) AS rater, CASE WHEN hash(i) % 100 < hash(i // {EACH}) % 101 THEN 'yes' ELSE 'no' "
    "END AS label FROM range({0}, {1}) AS rows(i)"
)
_PREDICTIONS = (
    "SELECT 'item' || i AS item, CASE WHEN hash(i) % 101 > 40 THEN 'yes' ELSE 'no' END AS judge, "
    "CASE WHEN hash(i) % 101 + hash(i + 7) % 40 > 70 THEN 'yes' ELSE 'no' END AS model FROM "
    "range({0}, {1}) AS rows(i)"
)


def main(largest: int = 10**7) -> str:
    rows: list[list[str]] = []
    with TemporaryDirectory() as folder:
        for size in (one for one in SIZES if one <= largest):
            ratings, predictions = Path(folder, "r.parquet"), Path(folder, "p.parquet")
            say(f"writing {size:,} ratings")
            child("write", ratings, predictions, size)
            say("scanning and surveying them")
            scan = child("scan", ratings, predictions)
            command = [
                sys.executable, "-m", "headcount", "survey", str(ratings), "-p", str(predictions),
                "--bootstrap", "200", "--engine", "duckdb", "--memory", "1GB", "--json",
            ]  # fmt: skip
            survey = measured(command)
            others = [
                _beside(name, ratings, scan["cpu"]) if size <= most else "not run"
                for name, most in (("pandas", 10**7), ("polars", 10**8))
            ]
            times = survey["cpu"] / scan["cpu"]
            is_met = times < TARGET_SCANS and survey["peak"] < TARGET_MB
            rows.append(
                [
                    f"{size:,}",
                    f"{scan['cpu']:.2f} s",
                    f"{survey['cpu']:.2f} s",
                    f"{times:.1f}",
                    f"{survey['peak']:,.0f} MB",
                    *others,
                    met(is_met) if size >= 10**7 else "",
                ]
            )
            for path in (ratings, predictions):
                path.unlink()
    header = ["ratings", "scan", "survey", "times", "peak", "pandas", "polars", "met"]
    notes = (
        f"`headcount survey` of long Parquet in order, text ids, {EACH} ratings an item by "
        f"{RATERS:,} raters, two classifiers, 200 bootstrap samples, duplicates checked, at most "
        "1 GB for the database: the whole command in a process of its own. A scan hashes every "
        "column of both files in DuckDB. User and system time of all threads; one run each. The "
        "aim is less than "
        f"{TARGET_SCANS} scans and {TARGET_MB / 1000:g} GB from ten million on. pandas and polars: "
        "label counts of each item alone (no duplicates, no predictions, no answer), in scans."
    )
    with TemporaryDirectory() as folder:
        others = scale_methods.main(Path(folder), largest)
    title = "### agree, pairs and blind"
    return "\n\n".join(["## Scale", table(header, rows), notes, title, others])


def _beside(name: str, ratings: Path, scan: float) -> str:
    """Group with another library: time in scans, and memory."""
    found = child(name, ratings)
    return f"{found['cpu'] / scan:.1f}, {found['peak']:,.0f} MB"


def child(*arguments: object) -> dict[str, float]:
    """Run a part of this file in a process of its own."""
    found = measured([sys.executable, __file__, "--part", *map(str, arguments)])
    return {**found, **json.loads(found.pop("out") or "{}")}  # type: ignore[arg-type]


def measured(command: list[str]) -> dict:
    """Run a command; its time, and the most memory it held."""
    reader, writer = os.pipe()
    child_id = os.fork()
    if not child_id:  # in a child that has no other children, so that the sums are its own
        done = subprocess.run(command, stdout=subprocess.PIPE, text=True, check=True)
        used = resource.getrusage(resource.RUSAGE_CHILDREN)
        found = {
            "cpu": used.ru_utime + used.ru_stime,
            "peak": used.ru_maxrss / 1024,
            "out": done.stdout if "--part" in command else "",
        }
        os.write(writer, json.dumps(found).encode())
        os._exit(0)
    os.close(writer)
    with os.fdopen(reader) as pipe:
        text = pipe.read()
    os.waitpid(child_id, 0)
    return json.loads(text)


def part(name: str, *arguments: str) -> dict[str, float]:
    """Do one thing that is measured."""
    if name == "write":
        write(Path(arguments[0]), _RATINGS, int(arguments[2]))
        write(Path(arguments[1]), _PREDICTIONS, int(arguments[2]) // EACH)
        return {}
    start = time.process_time()
    if name == "scan":
        import duckdb

        for path, columns in zip(
            arguments, (("item", "rater", "label"), ("item", "judge", "model")), strict=True
        ):
            sums = ", ".join(f"sum(hash({column})::HUGEINT)" for column in columns)
            duckdb.connect().execute(f"SELECT {sums} FROM '{path}'").fetchall()
    elif name == "pandas":
        import pandas as pd

        rows = pd.read_parquet(arguments[0], columns=["item", "label"])
        rows.groupby(["item", "label"]).size().unstack(fill_value=0).value_counts()
    else:
        import polars as pl

        rows = pl.scan_parquet(arguments[0]).group_by("item").agg(
            yes=(pl.col("label") == "yes").sum(), no=(pl.col("label") == "no").sum()
        )  # fmt: skip
        rows.group_by("yes", "no").len().collect()
    return {"cpu": time.process_time() - start}


def write(path: Path, query: str, size: int) -> None:
    """Write rows in order, a part at a time."""
    import duckdb
    import pyarrow.parquet as pq

    connection, writer = duckdb.connect(), None
    for start in range(0, size, _PART):
        rows = connection.sql(query.format(start, min(start + _PART, size))).to_arrow_table()
        writer = writer or pq.ParquetWriter(path, rows.schema)
        writer.write_table(rows)
    if writer is not None:
        writer.close()


if __name__ == "__main__":
    if sys.argv[1:2] == ["--part"]:
        print(json.dumps(part(*sys.argv[2:])))
    else:
        print(main(int(float(sys.argv[1])) if len(sys.argv) > 1 else 10**7))

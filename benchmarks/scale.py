"""Ratings that are reduced where they are: time and memory of the whole command, beside the scan.

Usage: python scale.py [largest, such as 1e8], which prints a Markdown section. A billion ratings
are surveyed only if asked for (1e9): shuffled they take 10 GB of disk, and more while it runs.
"""

from __future__ import annotations

import json
import os
import resource
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from tempfile import TemporaryDirectory

import scale_methods
import scale_reach
import scale_spark
from harness import met, say, table
from scale_data import EACH, PREDICTIONS, RATERS, write, write_ratings

SIZES = (10**5, 10**6, 10**7, 10**8, 10**9)
SHUFFLED = (10**7, 10**8, 10**9)
"""Ratings that are also shuffled."""
MOST_BESIDE = 10**8
"""Ratings that other libraries group as well."""
TARGET_SCANS, TARGET_MB = 40, 4_000
MOST_GB = 16
"""Memory that other libraries may take."""


def main(largest: int = 10**8) -> str:
    sections = [
        "## Scale",
        surveys(largest),
        "### agree, pairs and blind",
        _in_folder(scale_methods.main, largest),
        "### Steps of a reduction",
        _in_folder(scale_reach.main, min(largest, 10**7)),
        "### Spark",
        _in_folder(scale_spark.main, min(largest, 10**7)),
    ]
    return "\n\n".join(sections)


def _in_folder(measure: Callable[[Path, int], str], largest: int) -> str:
    with TemporaryDirectory() as folder:
        return measure(Path(folder), largest)


def surveys(largest: int) -> str:
    """Survey ratings in order, and shuffled."""
    rows: list[list[str]] = []
    peaks: dict[int, float] = {}
    with TemporaryDirectory() as folder:
        ratings, predictions = Path(folder, "r.parquet"), Path(folder, "p.parquet")
        for size in (one for one in SIZES if one <= largest):
            for order in ("in order", "shuffled")[: 1 + (size in SHUFFLED)]:
                say(f"writing {size:,} ratings, {order}")
                child("write", ratings, predictions, size, order)
                say("scanning and surveying them")
                scan = child("scan", ratings, predictions)
                command = [
                    sys.executable, "-m", "headcount", "survey", str(ratings), "-p",
                    str(predictions), "--bootstrap", "200", "--engine", "duckdb", "--json",
                ]  # fmt: skip
                survey = measured(command)
                others = ["", ""]
                if size <= MOST_BESIDE:
                    others = [_beside(name, ratings, scan["cpu"]) for name in ("pandas", "polars")]
                times = survey["cpu"] / scan["cpu"]
                is_met = times < TARGET_SCANS and survey["peak"] < TARGET_MB
                rows.append(
                    [
                        f"{size:,}, {order}",
                        f"{scan['cpu']:.2f} s",
                        f"{survey['cpu']:.2f} s",
                        f"{times:.1f}",
                        f"{survey['peak']:,.0f} MB",
                        *others,
                        met(is_met) if size >= 10**7 else "",
                    ]
                )
                say(" | ".join(rows[-1]))
                if order == "in order":
                    peaks[size] = survey["peak"]
                for path in (ratings, predictions):
                    path.unlink()
    header = ["ratings", "scan", "survey", "times", "peak", "pandas", "polars", "met"]
    notes = (
        f"`headcount survey` of long Parquet, text ids, {EACH} ratings an item by "
        f"{RATERS:,} raters, two classifiers, 200 bootstrap samples, duplicates checked, "
        "2 GB for DuckDB: the whole command in a process of its own. A scan hashes every "
        "column of both files in DuckDB. User and system time of all threads; one run each. The "
        "aim is less than "
        f"{TARGET_SCANS} scans and {TARGET_MB / 1000:g} GB from ten million on. pandas and polars: "
        "label counts of each item alone (no duplicates, no predictions, no answer), in scans, "
        f"with {MOST_GB} GB at most."
    )
    if {10**7, 10**8} <= peaks.keys():
        ratio = peaks[10**8] / peaks[10**7]
        notes += (
            f" Of ratings in order, a hundred million take {ratio:.2f} times the memory of ten "
            f"million (aim: 2; met: {met(ratio <= 2)})."
        )
    return f"{table(header, rows)}\n\n{notes}"


def _beside(name: str, ratings: Path, scan: float) -> str:
    """Group with another library: time in scans, and memory."""
    found = child(name, ratings)
    if not found:
        return f"not within {MOST_GB} GB"
    return f"{found['cpu'] / scan:.1f}, {found['peak']:,.0f} MB"


def child(*arguments: object) -> dict[str, float]:
    """Run a part of this file in a process of its own."""
    found = measured([sys.executable, __file__, "--part", *map(str, arguments)])
    return {**found, **json.loads(found.pop("out") or "{}")} if found else {}


def measured(command: list[str]) -> dict:
    """Run a command; its time, and the most memory it held. Nothing if it fails."""
    reader, writer = os.pipe()
    child_id = os.fork()
    if not child_id:  # in a child that has no other children, so that the sums are its own
        done = subprocess.run(command, stdout=subprocess.PIPE, text=True, check=False)
        used = resource.getrusage(resource.RUSAGE_CHILDREN)
        found = {
            "cpu": used.ru_utime + used.ru_stime,
            "peak": used.ru_maxrss / 1024,
            "out": done.stdout if "--part" in command else "",
        }
        os.write(writer, json.dumps({} if done.returncode else found).encode())
        os._exit(0)
    os.close(writer)
    with os.fdopen(reader) as pipe:
        text = pipe.read()
    os.waitpid(child_id, 0)
    return json.loads(text)


def part(name: str, *arguments: str) -> dict[str, float]:
    """Do one thing that is measured."""
    if name == "write":
        write_ratings(Path(arguments[0]), int(arguments[2]), arguments[3])
        write(Path(arguments[1]), PREDICTIONS, int(arguments[2]) // EACH)
        return {}
    start = time.process_time()
    if name in ("pandas", "polars"):
        resource.setrlimit(resource.RLIMIT_DATA, (MOST_GB * 10**9, MOST_GB * 10**9))
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


if __name__ == "__main__":
    if sys.argv[1:2] == ["--part"]:
        print(json.dumps(part(*sys.argv[2:])))
    else:
        print(main(int(float(sys.argv[1])) if len(sys.argv) > 1 else 10**8))

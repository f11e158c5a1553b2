"""Steps of a reduction by DuckDB, each in scans of the same file: aims and what was measured.

Usage: python benchmarks/scale_reach.py [FOLDER] [largest, such as 1e8]

CPU time of all threads, the median of three runs of each step in one process, with at most 1 GB for
the database. A scan hashes every column that the step needs.
"""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from statistics import median

from harness import met, peak_mb, say, table
from scale_data import write_ratings

RUNS = 3
AIMS = {
    ("in order", "label patterns"): 5,
    ("shuffled", "label patterns"): 7,
    ("in order", "bits that tell raters apart"): 14,
    ("shuffled", "bits that tell raters apart"): 7,
    ("in order", "patterns, repeated ratings found exactly"): 30,
    ("shuffled", "patterns, repeated ratings found exactly"): 14,
    ("wide CSV", "label patterns"): 4,
}
"""Scans that a step may take."""


def main(folder: Path, largest: int = 10**8) -> str:
    """Measure the steps on rows in order, shuffled, and wide."""
    rows: list[list[str]] = []
    for order in ("in order", "shuffled", "wide CSV"):
        for size in (10**7, 10**8):
            if size > largest or (size > 10**7 and order == "wide CSV"):
                continue
            path = folder / ("wide.csv" if order == "wide CSV" else "ratings.parquet")
            say(f"writing {size:,} ratings, {order}")
            write_ratings(path, size, order)
            found = child(path)
            path.unlink()
            rows += [
                [f"{step}, {order}", f"{size:,}", f"{found['scan']:.2f} s", f"{scans:.1f}",
                 f"{aim}", met(scans <= aim)]
                for step, scans in found["steps"].items()
                if (aim := AIMS.get((order, step))) is not None
            ]  # fmt: skip
            rows.append(
                [f"peak memory of these, {order}", f"{size:,}", "", f"{found['peak']:,.0f} MB",
                 "1,200 MB", met(found["peak"] <= 1200)]
            )  # fmt: skip
            say("\n".join(" | ".join(row) for row in rows[-4:]))
    return table(["step", "ratings", "scan", "in scans", "aim", "met"], rows)


def child(path: Path) -> dict:
    """Measure in a process of its own."""
    command = [sys.executable, __file__, "--steps", str(path)]
    done = subprocess.run(command, stdout=subprocess.PIPE, text=True, check=True)
    return json.loads(done.stdout.splitlines()[-1])


def steps(path: Path) -> dict:
    """Time each step, in scans."""
    from headcount.engine.ratings import scan_ratings
    from headcount.engine.tables import check_duplicates, patterns_of

    scan = scan_ratings(path, memory="1GB")
    rated, _ = scan.open()
    engine, relation = rated.engine, rated.relation
    hashed = ", ".join(f"sum(hash({column.sql}) % 7)" for column in relation.columns)
    labels = [c for c in relation.columns if c.name != "rater"]
    two = ", ".join(f"sum(hash({column.sql}) % 7)" for column in labels)
    wide = path.suffix == ".csv"

    def whole() -> None:
        opened, _ = scan.open()
        patterns_of(opened)
        opened.engine.close()

    seconds = {
        "every column": timed(lambda: engine.fetch(f"SELECT {hashed} FROM {relation.sql}")),
        "two columns": timed(lambda: engine.fetch(f"SELECT {two} FROM {relation.sql}")),
        "label patterns": timed(lambda: patterns_of(replace(rated))),
        "bits that tell raters apart": timed(
            lambda: check_duplicates(relation, rated.every, texts=True)
        ),
        "patterns, repeated ratings found exactly": timed(whole),
    }
    needs = {"label patterns": "every column" if wide else "two columns"}
    return {
        "scan": seconds["every column"],
        "steps": {
            step: one / seconds[needs.get(step, "every column")]
            for step, one in seconds.items()
            if not step.endswith("column") and not step.endswith("columns")
        },
        "peak": peak_mb(),
    }


def timed(run: Callable[[], object]) -> float:
    """CPU seconds of a step, of all threads: the median of some runs."""
    seconds: list[float] = []
    for _ in range(RUNS):
        start = time.process_time()
        run()
        seconds.append(time.process_time() - start)
    return median(seconds)


if __name__ == "__main__":
    if sys.argv[1:2] == ["--steps"]:
        print(json.dumps(steps(Path(sys.argv[2]))))
    elif len(sys.argv) > 1:
        print(main(Path(sys.argv[1]), int(float(sys.argv[2])) if len(sys.argv) > 2 else 10**8))
    else:
        with tempfile.TemporaryDirectory() as made:
            print(main(Path(made)))

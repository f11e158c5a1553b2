"""Loading large files: time and memory, and the time as a multiple of the database's scan.

Usage: python loading.py, which prints a Markdown section.
"""

from __future__ import annotations

import json
import sys
import time
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np

from harness import MB, held_mb, in_child, met, peak_mb, say, table

ITEMS, RATINGS_EACH, RATERS = 500_000, 10, 2_000
TARGET_SECONDS, TARGET_MB = 10, 2_000
WIDE_ITEMS, WIDE_RATERS = 1_000_000, 10
REPEATS = 3
_ITEM = "printf('item_%07d', i)"
_LABEL = "['no', 'unsure', 'yes'][1 + (hash(i * {}) % 3)::INTEGER]"
_LONG = (
    f"SELECT printf('item_%06d', (i // {RATINGS_EACH})::INTEGER) AS item, printf('r%04d', "
    f"((hash(i // {RATINGS_EACH}) + (i % {RATINGS_EACH}) * 37) % {RATERS})::INTEGER) AS rater, "
    f"{_LABEL.format(7)} AS label FROM range({ITEMS * RATINGS_EACH}) AS rows(i)"
)
_WIDE = f"SELECT {_ITEM} AS item, " + ", ".join(
    f"{_LABEL.format(rater + 7)} AS r{rater}" for rater in range(WIDE_RATERS)
)
_PREDICTIONS = (
    f'SELECT {_ITEM} AS item, {_LABEL.format(7)} AS judge, hash(i) % 1001 / 1000 AS "lm:no", '
    '1 - hash(i) % 1001 / 1000 AS "lm:yes"'
)
_ROWS = f" FROM range({WIDE_ITEMS}) AS rows(i)"
SCANNED = {
    "long.parquet": ("ratings, long Parquet", "read", 30),
    "long.csv": ("ratings, long CSV", "read", None),
    "wide.csv": ("ratings, wide CSV, to codes", "codes", 5),
    "wide_read.csv": ("ratings, wide CSV", "read", None),
    "predictions.csv": ("predictions, CSV", "predictions", 4),
}
"""Files, what is read of them and how, and how many scans it may take."""
_QUERIES = {
    "long.parquet": _LONG,
    "long.csv": _LONG,
    "wide.csv": _WIDE + _ROWS,
    "wide_read.csv": _WIDE + _ROWS,
    "predictions.csv": _PREDICTIONS + _ROWS,
}


def main() -> str:
    with TemporaryDirectory() as folder:
        path = Path(folder, "ratings.csv")
        say(f"writing {ITEMS * RATINGS_EACH:,} ratings")
        in_child(__file__, "write", path)  # in a child, so that this process stays small
        size = path.stat().st_size / MB
        say("loading them")
        found = in_child(__file__, "load", path)
    is_met = found["seconds"] < TARGET_SECONDS and found["peak"] < TARGET_MB
    row = [
        f"{found['ratings']:,} ratings, {size:.0f} MB",
        f"{found['seconds']:.2f} s",
        f"{found['peak']:,.0f} MB",
        f"{found['peak'] - found['before']:,.0f} MB",
        f"< {TARGET_SECONDS} s, < {TARGET_MB / 1000:g} GB",
        met(is_met),
    ]
    header = ["CSV", "time", "peak memory", "of which added", "target", "met"]
    notes = (
        f"`read_ratings` of {ITEMS:,} items with {RATINGS_EACH} ratings each by {RATERS:,} raters, "
        "text ids and 3 labels; once, in a process of its own. The peak is of the whole process, "
        "Python and libraries included."
    )
    return "\n\n".join(["## Loading", table(header, [row]), notes, *_ratios()])


def _ratios() -> list[str]:
    """Compare reading with the database's scan of the same file, in turn."""
    rows: list[list[str]] = []
    with TemporaryDirectory() as folder:
        for name, (said, _, target) in SCANNED.items():
            path = Path(folder, name)
            say(f"reading {name}")
            in_child(__file__, "make", path)
            found = in_child(__file__, "compare", path)
            path.unlink()
            ratio = found["read"] / found["scan"]
            rows.append(
                [
                    said,
                    f"{found['scan']:.2f} s",
                    f"{found['read']:.2f} s",
                    f"{ratio:.1f}",
                    "" if target is None else f"< {target}",
                    "" if target is None else met(ratio < target),
                ]
            )
    notes = (
        "A scan hashes every column in DuckDB. User and system time of all threads, medians of "
        f"{REPEATS} runs, scan and reading in turn. Long: {ITEMS * RATINGS_EACH:,} ratings, with "
        f"the exact check for duplicates; wide: {WIDE_ITEMS:,} items x {WIDE_RATERS} raters; "
        f"predictions: {WIDE_ITEMS:,} items by a hard and a soft classifier."
    )
    return [table(["file", "scan", "read", "times", "target", "met"], rows), notes]


def make(path: Path) -> dict[str, float]:
    """Let the database write a file."""
    import duckdb

    kind = "(FORMAT parquet)" if path.suffix == ".parquet" else "(FORMAT csv, HEADER)"
    duckdb.connect().execute(f"COPY ({_QUERIES[path.name]}) TO '{path}' {kind}")
    return {}


def compare(path: Path) -> dict[str, float]:
    """Time a scan and a reading, in turn, and take the medians of the processor's time."""
    import headcount
    from headcount.io.opening import open_file

    def codes(path: Path) -> None:
        opened = open_file(path)
        for column in range(len(opened.names)):
            opened.codes(column)

    readers = {
        "read": headcount.read_ratings,
        "codes": codes,
        "predictions": headcount.read_predictions,
    }
    read = readers[SCANNED[path.name][1]]
    times: dict[str, list[float]] = {"scan": [], "read": []}
    for _ in range(REPEATS):
        for name, run in (("scan", _scan), ("read", read)):
            start = time.process_time()
            run(path)
            times[name].append(time.process_time() - start)
    return {name: float(np.median(taken)) for name, taken in times.items()}


def _scan(path: Path) -> None:
    """Hash all columns, as text where the file is text."""
    import duckdb

    if path.suffix == ".parquet":
        call = f"read_parquet('{path}')"
    else:
        with path.open(encoding="utf-8") as file:
            columns = file.readline().count(",") + 1
        types = ", ".join(f"'c{i}': 'VARCHAR'" for i in range(columns))
        call = f"read_csv('{path}', auto_detect=false, header=true, columns={{{types}}})"
    with duckdb.connect() as connection:
        connection.execute("SET enable_progress_bar = false")
        connection.execute(f"SELECT bit_xor(hash(COLUMNS(*))) FROM {call}").fetchall()


def write(path: Path) -> dict[str, float]:
    """Write long ratings, item after item; no rater rates an item twice."""
    rng = np.random.default_rng(5)
    labels = np.array(["no", "unsure", "yes"])[rng.integers(0, 3, size=(ITEMS, RATINGS_EACH))]
    first = rng.integers(0, RATERS, size=ITEMS)
    steps = rng.permutation(RATERS)[:RATINGS_EACH]  # different steps, so different raters
    raters = (first[:, None] + steps) % RATERS
    with path.open("w", encoding="utf-8") as file:
        file.write("item,rater,label\n")
        for i, (who, what) in enumerate(zip(raters.tolist(), labels.tolist(), strict=True)):
            rows = zip(who, what, strict=True)
            file.writelines(f"item_{i:06d},r{rater:04d},{label}\n" for rater, label in rows)
    return {}


def load(path: Path) -> dict[str, float]:
    from headcount import read_ratings

    before = held_mb()
    start = time.perf_counter()
    labels = read_ratings(path)
    seconds = time.perf_counter() - start
    return {"seconds": seconds, "peak": peak_mb(), "before": before, "ratings": len(labels)}


if __name__ == "__main__":
    if len(sys.argv) > 2:
        step = {"write": write, "load": load, "make": make, "compare": compare}[sys.argv[1]]
        print(json.dumps(step(Path(sys.argv[2]))))
    else:
        print(main())

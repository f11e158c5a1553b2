"""Loading a large file of ratings.

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
    return "\n\n".join(["## Loading", table(header, [row]), notes])


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
        step = {"write": write, "load": load}[sys.argv[1]]
        print(json.dumps(step(Path(sys.argv[2]))))
    else:
        print(main())

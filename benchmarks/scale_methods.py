"""agree, pairs and blind on data that DuckDB reduces, beside a scan of the same file.

Usage: python benchmarks/scale_methods.py [FOLDER]

CPU time of all threads; peak memory of a process of its own. 'Scan' hashes every column that is
needed. Data are generated into FOLDER (default: a temporary one) and removed.
"""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import duckdb

from harness import peak_mb, say

RATINGS = """SELECT 'item_' || i AS item, 'r' || ((hash(i) + j * 7919) % 1009) AS rater,
    CAST(1 + CASE WHEN hash(i * 10 + j) % 100 < 60 THEN hash(i) % 5
    ELSE hash(i * 31 + j * 7) % 5 END AS INTEGER) AS label
    FROM range({rows} // 10) t(i), range(10) s(j)"""
ANSWERS = """SELECT 'model_' || a AS model_a, 'model_' || ((a + d) % 1000) AS model_b,
    CASE WHEN u < 0.1 THEN 'tie' WHEN u < 0.1 + 0.9 / (1 + exp((((a + d) % 1000) - a) * 0.002))
    THEN 'model_a' ELSE 'model_b' END AS winner FROM (SELECT
    CAST(hash(i) % 1000 AS INTEGER) AS a, CAST(1 + hash(i + 7) % 999 AS INTEGER) AS d,
    (hash(i * 3 + 1) % 1000000) / 1e6 AS u FROM range({rows}) t(i))"""
VOTES = """SELECT 'item_' || i AS item, 'm' || j AS model,
    CASE WHEN hash(i * 10 + j) % 100 < 60 + 3 * j THEN hash(i) % 3 ELSE hash(i * 31 + j * 7) % 3 END
    AS label FROM range({rows} // 10) t(i), range(10) s(j)"""
CROWD = """SELECT 'item_' || i AS item, 'w' || r AS worker,
    CASE WHEN hash(i * 10 + j) % 1000 < 550 + hash(r) % 430 THEN hash(i) % 2 ELSE
    1 - hash(i) % 2 END AS label FROM (SELECT i, j, (j * 7919 + i * 31) % 1009 AS r
    FROM range({rows} // 10) t(i), range(10) s(j)) u"""
JUDGED = """SELECT item, p AS "judge:1", 1 - p AS "judge:2" FROM (SELECT 'item_' || i AS item,
    0.05 + 0.9 * ((hash(i * 7 + 3) % 1000003) / 1000003 + (hash(i) % 2)) / 2 AS p
    FROM range({rows} // 10) t(i))"""
TWO_LABELS = RATINGS.replace("% 5", "% 2")
TASKS = {
    "agree": (RATINGS, ("item", "rater", "label")),
    "pairs": (ANSWERS, ("model_a", "model_b", "winner")),
    "blind": (VOTES, ("item", "model", "label")),
    "blind, 2 labels": (VOTES.replace("% 3", "% 2"), ("item", "model", "label")),
    "blind, 5 labels": (VOTES.replace("% 3", "% 5"), ("item", "model", "label")),
    "blind, a crowd": (CROWD, ("item", "worker", "label")),
    "blind, a crowd, and labels of items": (CROWD, ("item", "worker", "label")),
    "survey, all predictions differ": (TWO_LABELS, ("item", "rater", "label")),
}
SIZES = {
    "agree": (3 * 10**7,),
    "pairs": (10**7, 10**8),
    "blind": (10**7,),
    "blind, 2 labels": (10**8,),
    "blind, 5 labels": (10**8,),
    "blind, a crowd": (10**7,),
    "blind, a crowd, and labels of items": (10**7,),
    "survey, all predictions differ": (3 * 10**7,),
}
MEMORY = {
    "blind, 5 labels": "2GB",
    "blind, a crowd": "3GB",
    "blind, a crowd, and labels of items": "3GB",
}
"""What a task may take, if that is not 1 GB."""


def main(folder: Path, largest: int = 10**8) -> str:
    """Measure all tasks; each at its sizes, up to the largest."""
    rows = [
        "| what | rows | scan | headcount, CPU | ratio | peak memory |",
        "|---|--:|--:|--:|--:|--:|",
    ]
    for task, sizes in SIZES.items():
        for size in (one for one in sizes if one <= largest):
            path = folder / "rows.parquet"
            generate(task, size, path)
            one, two = (child(part, task, path) for part in ("scan", "run"))
            for one_of in (path, predicted(path), path.with_suffix(".labels.csv")):
                one_of.unlink(missing_ok=True)
            ratio = two["cpu"] / one["cpu"]
            rows.append(
                f"| {task} | {size:,} | {one['cpu']:.2f} s | {two['cpu']:.1f} s | {ratio:.0f}x | "
                f"{two['peak']:.0f} MB |"
            )
            say(f"{rows[-1]} {two['said']}")
    notes = (
        "`--memory 1GB`, and 2GB for `blind` of 5 labels, where 615,398 rows of votes differ; a "
        "scan hashes every column that is needed. `agree` is alpha with its interval for raters "
        "like these, of 1,009 raters and 5 labels; `pairs` has 1,000 items; `blind` has 10 "
        "classifiers, 3 labels unless others are named, two methods and 20 bootstrap samples; "
        "votes are counted by who said what. A crowd has 1,009 workers, ten labels an item and two "
        "labels, and `--memory 3GB`: EM and the votes of the others; and consensus, with "
        "the label of every item written as CSV. In the last row a judge "
        "gives each of 3,000,000 items probabilities of its own, with 200 bootstrap samples."
    )
    return "\n".join([*rows, "", notes])


def generate(task: str, rows: int, path: Path) -> None:
    """Write data of a task."""
    with duckdb.connect() as connection:
        connection.execute(f"SET temp_directory = '{path.parent}'")
        connection.execute("SET memory_limit = '2GB'")
        query = TASKS[task][0].format(rows=rows)
        connection.execute(f"COPY ({query}) TO '{path}' (FORMAT parquet)")
        if task.startswith("survey"):
            query = JUDGED.format(rows=rows)
            connection.execute(f"COPY ({query}) TO '{predicted(path)}' (FORMAT parquet)")


def predicted(path: Path) -> Path:
    """Where predictions of the items of a file are."""
    return path.with_suffix(".predicted.parquet")


def child(part: str, task: str, path: Path) -> dict[str, float]:
    """Measure in a process of its own."""
    command = [sys.executable, __file__, part, task, str(path)]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    return json.loads(done.stdout.splitlines()[-1])


def measure(part: str, task: str, path: str) -> dict[str, float | str]:
    """Scan, or run the method."""
    import headcount.agreement
    import headcount.pairwise  # noqa: F401 - imports are not measured

    start, wall, said = time.process_time(), time.time(), ""
    if part == "scan":
        columns = ", ".join(f"sum(hash({name}) % 7)" for name in TASKS[task][1])
        with duckdb.connect() as connection:
            connection.execute("SET memory_limit = '1GB'")
            connection.execute(f"SELECT {columns} FROM '{path}'").fetchall()
    else:
        said = run(task, path)
    cpu = time.process_time() - start
    return {"cpu": cpu, "wall": time.time() - wall, "peak": peak_mb(), "said": said}


def run(task: str, path: str) -> str:
    """Run a method on a file that is reduced where it is."""
    from headcount import agree, blind, consensus, pairs, survey
    from headcount.engine.counts import scan_comparisons
    from headcount.engine.ratings import scan_ratings

    memory = MEMORY.get(task, "1GB")
    if task.startswith("survey"):
        judged = str(predicted(Path(path)))
        made = survey(scan_ratings(path, memory=memory), judged, bootstrap=200)
        return str(made.classifiers[0].worth)
    if task == "agree":
        found = agree(scan_ratings(path, memory=memory), coefficients=["alpha"])
        return str(found["alpha"])
    if task == "pairs":
        return str(pairs(scan_comparisons(path, memory=memory)).items[0].rating)
    if task == "blind, a crowd":
        crowd = scan_ratings(path, memory=memory)
        found = consensus(crowd, method="em")
        return str(found.workers[0].name)
    if task.startswith("blind, a crowd"):
        from headcount.io.write import write_rows

        found = blind(scan_ratings(path, memory=memory), methods=["consensus"])
        write_rows(found.labels.columns(), Path(path).with_suffix(".labels.csv"))
        return str(found.classifiers[0].name)
    result = blind(scan_ratings(path, memory=memory), methods=["round-robin", "em"], bootstrap=20)
    return str(result.classifiers[0].name)


if __name__ == "__main__":
    if len(sys.argv) == 4:
        print(json.dumps(measure(*sys.argv[1:])))
    elif len(sys.argv) == 2:
        print(main(Path(sys.argv[1])))
    else:
        with tempfile.TemporaryDirectory() as made:
            print(main(Path(made)))
